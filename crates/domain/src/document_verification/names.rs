//! Names of holders, compared word by word.

use super::findings::DocumentFindings;
use documents::{field::FieldName, mrz::transliterate, text::normalise};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The words of a holder's name in small Latin letters, without order. Stored as JSON, as part of a trace.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct HolderName {
    /// Each word in the spelling that ICAO 9303-3, 6 recommends. Traces of earlier versions have words of print without their
    /// diacritics instead.
    #[serde(rename = "name")]
    words: BTreeSet<String>,
    /// By word, its other spellings: an umlaut is written in several ways, or left out.
    #[serde(default, rename = "name_spellings", skip_serializing_if = "BTreeMap::is_empty")]
    spellings: BTreeMap<String, BTreeSet<String>>,
    /// Whether all of it was in Latin letters.
    #[serde(skip)]
    is_latin: bool,
}

// It is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for HolderName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HolderName")
    }
}

impl HolderName {
    /// The name that was read of a document; `None` if none was.
    pub(super) fn of(findings: &DocumentFindings) -> Option<Self> {
        let letter = findings.letter.as_ref().and_then(|letter| letter.full_name.as_deref());
        Self::parse(findings.field(FieldName::FullName).or(letter)?)
    }

    /// The words of a text; `None` if it has none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mut words, mut spellings) = (BTreeSet::new(), BTreeMap::new());
        for word in transliterate::words(text) {
            // The word without its diacritics is how letters often have it, and what is left of one in another script.
            let all = transliterate::spellings(word).into_iter().chain([word.to_owned()]);
            let mut all = all.map(|spelling| normalise(&spelling)).filter(|spelling| !spelling.is_empty());
            let Some(recommended) = all.next() else { continue };
            let others: BTreeSet<String> = all.filter(|other| *other != recommended).collect();
            if !others.is_empty() {
                spellings.entry(recommended.clone()).or_insert_with(BTreeSet::new).extend(others);
            }
            words.insert(recommended);
        }
        let is_latin = transliterate::is_latin(text);
        (!words.is_empty()).then_some(Self { words, spellings, is_latin })
    }

    /// The number of different words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether all of it was in Latin letters. Of another script there is no one spelling, so a name that differs may be the
    /// same. Not known of a name that was stored.
    pub(super) fn is_latin(&self) -> bool {
        self.is_latin
    }

    /// How many words of the name that has fewer are in the other.
    pub(super) fn shared_words(&self, other: &Self) -> usize {
        let (short, long) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        short.words.iter().filter(|word| long.has(short, word)).count()
    }

    /// Whether all words of one name are in the other: documents of one person may have fewer of the names.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        self.shared_words(other) == self.len().min(other.len())
    }

    /// Whether a word of another name has a spelling in common with one of this.
    fn has(&self, other: &Self, word: &String) -> bool {
        let wanted: BTreeSet<&String> = other.all_spellings(word).collect();
        self.words.iter().any(|own| self.all_spellings(own).any(|spelling| wanted.contains(spelling)))
    }

    fn all_spellings<'a>(&'a self, word: &'a String) -> impl Iterator<Item = &'a String> {
        std::iter::once(word).chain(self.spellings.get(word).into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> HolderName {
        HolderName::parse(text).expect("it has words")
    }

    #[test]
    fn a_name_is_the_same_in_a_zone_and_in_print() {
        for (zone, print) in [
            ("JOERG MUELLER", "Jörg Müller"),
            ("JORG MULLER", "Jörg Müller"),
            ("JOERG MUELLER", "Mu\u{308}ller, Jo\u{308}rg"),
            ("SOEREN OEDEGAARD", "Søren Ødegård"),
            ("IVANENKO OLENA", "Іваненко Олена"),
            ("YURII SHCHERBAKOV", "Юрій Щербаков"),
            ("ANNA MARIA WEISS LUEDENSCHEIDT", "Anna Weiß-Lüdenscheidt"),
            ("SEAN OCONNOR", "Seán O’Connor"),
            ("Παππάς Γεώργιος", "ΠΑΠΠΑΣ ΓΕΩΡΓΙΟΣ"),
        ] {
            assert!(name(zone).agrees_with(&name(print)), "{zone} {print}");
            assert!(name(print).agrees_with(&name(zone)), "{zone} {print}");
        }
        for (one, other) in
            [("JOERG MUELLER", "Jörg Möller"), ("ANNA LIND", "Anna Lund"), ("PAPPAS", "ΠΑΠΠΑΣ")]
        {
            assert!(!name(one).agrees_with(&name(other)), "{one} {other}");
        }
        assert_eq!(name("ANNA MARIA LIND").shared_words(&name("Lind Ánna Eva Ida")), 2);
        assert!(name("Jörg O’Connor").is_latin() && !name("Jörg ΠΑΠΠΑΣ").is_latin());
        assert!(HolderName::parse(" - ’").is_none());
    }

    #[test]
    fn a_stored_name_is_found_in_every_spelling() {
        let stored = |name: &HolderName| -> HolderName {
            serde_json::from_value(serde_json::to_value(name).unwrap()).unwrap()
        };
        for spelling in ["Müller", "MUELLER", "MULLER", "MUXXLLER"] {
            assert!(stored(&name("Jörg Müller")).agrees_with(&name(spelling)), "{spelling}");
        }
        // As earlier versions stored the name of a zone, and that of print.
        for words in [["joerg", "mueller"], ["jorg", "muller"]] {
            let earlier: HolderName = serde_json::from_value(serde_json::json!({ "name": words })).unwrap();
            assert!(earlier.agrees_with(&name("Jörg Müller")), "{words:?}");
        }
        assert_eq!(
            serde_json::to_value(name("ANNA LIND")).unwrap(),
            serde_json::json!({ "name": ["anna", "lind"] })
        );
    }
}
