//! Names as printed, and their transliteration.

use crate::mrz::transliterate::transliterate;
use crate::text::normalise::normalise;

/// Removes from a name what text recognition added around it, and makes spaces single. `None` where no name remains:
/// there are digits, or no more than half of the characters are letters.
pub fn clean_name(text: &str) -> Option<String> {
    let kept: String = text
        .chars()
        .map(|c| if matches!(c, '_' | '|' | '*' | ':' | ';' | '<' | '«' | '»' | '~' | '=') { ' ' } else { c })
        .collect();
    let edge = |c: char| !c.is_alphanumeric();
    let mut out =
        kept.split_whitespace()
            .map(|part| {
                if part.chars().count() == 1 {
                    part.trim_matches(edge)
                } else {
                    part.trim_start_matches(edge)
                }
            })
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
    while out.ends_with(|c: char| edge(c) && c != '.') {
        out.pop();
    }
    let letters = out.chars().filter(|c| c.is_alphabetic()).count();
    let digits = out.chars().filter(char::is_ascii_digit).count();
    (letters >= 1 && digits == 0 && letters * 2 > out.chars().count()).then_some(out)
}

/// Transliterates a name into the letters A to Z (ICAO 9303-3, 6); `None` where the tables lack its script.
pub fn transliterate_name(name: &str) -> Option<String> {
    let latin = transliterate(name);
    let parts = |text: &str| text.split_whitespace().count();
    (!latin.is_empty() && parts(&latin) >= parts(&name.replace(['\'', '’'], "")).min(1)).then_some(latin)
}

/// Whether a word is a title before names: Mr, Frau, Dr.
pub(crate) fn is_title(word: &str) -> bool {
    const TITLES: [&str; 38] = [
        "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "dame", "herr", "herrn", "frau", "familie",
        "m", "mme", "mlle", "monsieur", "madame", "sr", "sra", "srta", "don", "dona", "sig", "sigra",
        "signor", "signora", "dhr", "mw", "mevr", "pan", "pani", "domnul", "doamna", "dl", "dna", "sayin",
        "prfdr",
    ];
    TITLES.contains(&normalise(word).as_str())
}

/// The name without leading titles.
pub fn without_titles(name: &str) -> &str {
    let mut rest = name.trim();
    while let Some((first, more)) = rest.split_once(char::is_whitespace)
        && is_title(first)
    {
        rest = more.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_is_not_theirs() {
        assert_eq!(clean_name(": ANNA  MARIA *").as_deref(), Some("ANNA MARIA"));
        assert_eq!(clean_name("O'SAMPLE").as_deref(), Some("O'SAMPLE"));
        assert_eq!(clean_name("JOHN Q. SAMPLE JR.").as_deref(), Some("JOHN Q. SAMPLE JR."));
        assert_eq!(clean_name("L898902C3"), None);
        assert_eq!(clean_name("--"), None);
        assert_eq!(without_titles("Frau Dr. Anna Muster"), "Anna Muster");
        assert_eq!(transliterate_name("ІВАНЕНКО").as_deref(), Some("IVANENKO"));
        assert_eq!(transliterate_name("ΠΑΠΑΔΟΠΟΥΛΟΣ"), None);
    }
}
