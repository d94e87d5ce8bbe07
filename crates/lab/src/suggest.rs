//! What a misspelt name was probably meant to be.

/// How alike (from 0 to 1) two names must be for one to be taken for the other.
const ALIKE: f64 = 0.75;

/// The candidate nearest to a name, if any is near.
#[must_use]
pub fn nearest<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let name = name.to_lowercase();
    candidates
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(&name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_forgiven_and_strangers_are_not() {
        let names = ["lcr", "chang-roberts", "bully"];
        assert_eq!(nearest("chang-robert", &names), Some("chang-roberts"));
        assert_eq!(nearest("Buly", &names), Some("bully"));
        assert_eq!(nearest("xyzzy", &names), None);
        assert_eq!(nearest("network", &["initiators", "attributes"]), None);
    }
}
