//! Names of months in many languages.

use crate::text::normalise::{edit_distance, normalise};
use std::{collections::HashMap, sync::LazyLock};

/// A month that a word means in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Month {
    /// 1 to 12.
    pub(super) number: i8,
    /// Whether the word is Thai, so that the year is of the Buddhist era.
    pub(super) thai: bool,
    language: usize,
}

#[derive(serde::Deserialize)]
struct MonthTable {
    language: Vec<MonthLanguage>,
}

#[derive(serde::Deserialize)]
struct MonthLanguage {
    name: String,
    #[serde(default)]
    countries: Vec<String>,
    months: Vec<Vec<String>>,
}

struct MonthVocabulary {
    languages: Vec<MonthLanguage>,
    by_word: HashMap<String, Vec<Month>>,
}

static MONTH_VOCABULARY: LazyLock<MonthVocabulary> = LazyLock::new(|| {
    let table: MonthTable = toml::from_str(include_str!("../months.toml")).expect("a test reads it");
    let mut by_word: HashMap<String, Vec<Month>> = HashMap::new();
    for (language, of) in table.language.iter().enumerate() {
        for (month, words) in of.months.iter().enumerate() {
            for word in words {
                let month = Month { number: month as i8 + 1, thai: of.name == "th", language };
                by_word.entry(normalise(word)).or_default().push(month);
            }
        }
    }
    MonthVocabulary { languages: table.language, by_word }
});

/// Words without meaning of their own within dates.
const FILLER_WORDS: [&str; 28] = [
    "st", "nd", "rd", "th", "of", "the", "de", "del", "den", "der", "di", "do", "da", "du", "le", "er", "re",
    "a", "o", "am", "vom", "dne", "r", "г", "р", "в", "พศ", "year",
];

pub(super) fn is_filler(word: &str) -> bool {
    FILLER_WORDS.contains(&word)
}

/// The months that a normalised word can mean. Words of at least five letters may have one wrong letter.
pub(super) fn look_up(word: &str) -> Vec<Month> {
    if let Some(known) = MONTH_VOCABULARY.by_word.get(word) {
        return known.clone();
    }
    let length = word.chars().count();
    // Short words are not corrected. Misread ones such as `0CT` and `JU1` arrive split into a number and letters
    // anyway.
    if !(5..=20).contains(&length) {
        return Vec::new();
    }
    let mut near: Vec<Month> = Vec::new();
    for (known, months) in &MONTH_VOCABULARY.by_word {
        if known.chars().count().abs_diff(length) <= 1
            && known.chars().count() >= 5
            && edit_distance(known, word) == 1
        {
            near.extend(months);
        }
    }
    near.sort_by_key(|month| month.language);
    let same = near.windows(2).all(|pair| pair[0].number == pair[1].number);
    if same { near } else { Vec::new() }
}

/// The months that both words can mean.
pub(super) fn common_months(one: &[Month], other: &[Month]) -> Vec<Month> {
    one.iter().filter(|month| other.iter().any(|other| other.number == month.number)).copied().collect()
}

/// The month that the word means in the country's language, or else in the first language that has it.
pub(super) fn disambiguate(meant: &[Month], country: Option<&str>) -> Option<Month> {
    let own = meant.iter().find(|month| {
        let countries = MONTH_VOCABULARY.languages.get(month.language).map(|language| &language.countries);
        countries.zip(country).is_some_and(|(all, country)| all.iter().any(|one| one == country))
    });
    own.or_else(|| meant.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_twelve_months_and_no_word_means_two_in_one_language() {
        for language in &MONTH_VOCABULARY.languages {
            assert_eq!(language.months.len(), 12, "{}", language.name);
        }
        for (word, months) in &MONTH_VOCABULARY.by_word {
            assert!(!word.is_empty());
            for (at, month) in months.iter().enumerate() {
                let twice = months[..at]
                    .iter()
                    .any(|other| other.language == month.language && other.number != month.number);
                assert!(!twice, "{word}");
            }
        }
        assert_eq!(disambiguate(&look_up("listopada"), Some("HRV")).map(|month| month.number), Some(10));
        assert_eq!(disambiguate(&look_up("listopada"), Some("POL")).map(|month| month.number), Some(11));
        assert_eq!(disambiguate(&look_up("septemder"), None).map(|month| month.number), Some(9));
    }
}
