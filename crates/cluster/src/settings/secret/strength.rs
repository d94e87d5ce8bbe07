//! How hard a text is to guess: a plain estimate that is meant to find bad secrets, not to grade good ones.

/// Fewer bits than this are refused. Each guess costs Argon2id on top of it.
pub(super) const LEAST_BITS: u32 = 64;

/// Repetitions of at least so many characters are found.
const LEAST_REPEATED: usize = 3;

/// Words, and runs of keys, that guesses begin with. Each counts as one character.
const COMMON: [&str; 48] = [
    "password",
    "passwort",
    "passwd",
    "secret",
    "changeme",
    "change",
    "letmein",
    "welcome",
    "administrator",
    "admin",
    "root",
    "default",
    "example",
    "testing",
    "test",
    "bellwether",
    "cluster",
    "leader",
    "election",
    "member",
    "server",
    "service",
    "production",
    "staging",
    "development",
    "token",
    "private",
    "public",
    "super",
    "master",
    "dragon",
    "monkey",
    "football",
    "iloveyou",
    "correct",
    "horse",
    "battery",
    "staple",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "qwerty",
    "qwertz",
    "asdf",
    "zxcv",
    "deadbeef",
];

/// The characters that could not be foreseen from what stands before them, times the bits of one of them: the logarithm of
/// how many different ones there are.
pub(super) fn bits(text: &str) -> u32 {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut different = text.clone();
    different.sort_unstable();
    different.dedup();
    let (mut unforeseen, mut at) = (0_u32, 0);
    while at < text.len() {
        let skipped = common_word(&text[at..]).or_else(|| repetition(&text, at));
        unforeseen += u32::from(skipped.is_some() || !continues_a_run(&text[..=at]));
        at += skipped.unwrap_or(1);
    }
    (f64::from(unforeseen) * (different.len().max(1) as f64).log2()) as u32
}

/// The length of a common word that stands here.
fn common_word(text: &[char]) -> Option<usize> {
    let stands_here = |word: &&str| {
        word.chars().count() <= text.len() && word.chars().zip(text).all(|(wanted, &found)| wanted == found)
    };
    COMMON.iter().filter(|word| stands_here(word)).map(|word| word.chars().count()).max()
}

/// How many characters from here on stand in the same order further to the left.
fn repetition(text: &[char], at: usize) -> Option<usize> {
    let length = |from: usize| text[from..].iter().zip(&text[at..]).take_while(|(a, b)| a == b).count();
    (0..at).map(length).max().filter(|&length| length >= LEAST_REPEATED)
}

/// Whether the last three of these are neighbours, as in `abc`, `987`, `aaa` and `aab`.
fn continues_a_run(text: &[char]) -> bool {
    let [.., a, b, c] = text else { return false };
    let is_near = |a: &char, b: &char| u32::from(*a).abs_diff(u32::from(*b)) <= 1;
    is_near(a, b) && is_near(b, c)
}
