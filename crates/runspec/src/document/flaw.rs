//! Something wrong in a file.

/// Something wrong at a byte of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where.
    pub at: usize,
    /// What is wrong.
    pub problem: String,
    /// What to do about it, where the problem does not say.
    pub hint: Option<String>,
}

impl Flaw {
    /// Something wrong at a byte.
    pub fn new(at: usize, problem: impl Into<String>) -> Flaw {
        Flaw { at, problem: problem.into(), hint: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Flaw {
        Flaw { hint: Some(hint.into()), ..self }
    }

    /// The same with the name that was probably meant, if there is one like it.
    #[must_use]
    pub fn meant(self, name: &str, names: &[&str]) -> Flaw {
        match crate::suggest::nearest(name, names) {
            Some(meant) => self.hint(format!("did you mean '{meant}'?")),
            None => self,
        }
    }
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Flaw {}
