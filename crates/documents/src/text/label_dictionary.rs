//! The dictionary of the labels that are printed beside or above values, and the recognition of a label at the
//! beginning of a line.

use super::normalise::{edit_distance, normalise_char};
use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

/// A field of the printed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrintedFieldKind {
    Surname,
    GivenNames,
    FullName,
    BirthDate,
    /// Last day of validity.
    ExpiryDate,
    IssueDate,
    DocumentNumber,
    Nationality,
    BirthPlace,
    Sex,
    /// The authority that issued the document.
    Authority,
    /// The holder's address.
    Address,
}

impl PrintedFieldKind {
    /// Whether the value is a date.
    pub fn is_date(self) -> bool {
        matches!(self, Self::BirthDate | Self::ExpiryDate | Self::IssueDate)
    }
}

/// What a label is for. Labels of what is not read are in the dictionary as well, so that they are not taken for
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, PartialOrd, Ord)]
#[serde(untagged)]
pub(crate) enum LabelKind {
    Of(PrintedFieldKind),
    Other(OtherLabelKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OtherLabelKind {
    Other,
}

/// A label at the beginning of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldLabel {
    /// What it may be for, in order of preference: `Nome` is the given name in Italian and the full name in Portuguese.
    pub(crate) kinds: Vec<LabelKind>,
    /// The number before the label, as on licences: `4a`.
    pub(crate) number: Option<String>,
    /// Where the label ends, in bytes of the line.
    pub(crate) end: usize,
    /// Whether the label has known words; otherwise it is only a number.
    pub(crate) worded: bool,
}

impl FieldLabel {
    pub(crate) fn is_of(&self, field: PrintedFieldKind) -> bool {
        self.kinds.contains(&LabelKind::Of(field))
    }
}

type LabelTable = BTreeMap<LabelKind, BTreeMap<String, Vec<String>>>;

struct Dictionary {
    by_text: HashMap<String, Vec<LabelKind>>,
    /// Long labels, which may contain misread letters, with their lengths in characters.
    long: Vec<(String, usize)>,
}

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let table: LabelTable = toml::from_str(include_str!("labels.toml")).expect("a test reads it");
    let mut by_text: HashMap<String, Vec<LabelKind>> = HashMap::new();
    for (kind, languages) in table {
        for label in languages.values().flatten() {
            let mut folded = String::new();
            label
                .chars()
                .flat_map(normalise_char)
                .for_each(|letter| push_unifying_lookalikes(&mut folded, letter));
            let kinds = by_text.entry(folded).or_default();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let mut long: Vec<(String, usize)> = by_text
        .keys()
        .map(|text| (text.clone(), text.chars().count()))
        .filter(|(_, length)| *length >= 7)
        .collect();
    long.sort();
    Dictionary { by_text, long }
});

/// Characters of a line that are searched for a label.
const MAX_LABEL_LINE_CHARS: usize = 120;
/// Characters of a label, at most.
const MAX_LABEL_CHARS: usize = 44;
/// Translations of a label side by side, at most.
const MAX_TRANSLATIONS: usize = 5;

/// Recognises the label at the beginning of a line.
pub(crate) fn leading_label(text: &str) -> Option<FieldLabel> {
    let (number, start) = leading_number(text);
    let mut end = start;
    let mut kinds: Vec<LabelKind> = Vec::new();
    for language in 0..MAX_TRANSLATIONS {
        let from = end + skip_punctuation(text.get(end..)?);
        let parted = text.get(end..from).is_some_and(|signs| signs.contains(['/', '·', '|', '-', '–']));
        match longest_label(text.get(from..)?) {
            Some((found, length)) if language == 0 || kinds_agree(&kinds, &found) => {
                kinds = if language == 0 { found } else { narrow_kinds(&kinds, &found) };
                end = from + length;
            }
            // A translation into a language that is not in the dictionary.
            _ if language > 0 && parted => {
                let rest = text.get(from..)?;
                let stop = rest.find(['/', '(', ':', '|']).unwrap_or(rest.len());
                let strange = rest.get(..stop)?.chars().filter(|c| c.is_alphabetic()).count();
                if strange < 2 || rest.get(..stop)?.chars().any(|c| c.is_ascii_digit()) {
                    break;
                }
                end = from + stop;
            }
            _ => break,
        }
    }
    let worded = !kinds.is_empty();
    if !worded && number.is_none() {
        return None;
    }
    end += skip_remark(text.get(end..)?);
    Some(FieldLabel { kinds, number, end, worded })
}

fn kinds_agree(kinds: &[LabelKind], found: &[LabelKind]) -> bool {
    kinds.iter().any(|kind| found.contains(kind)) || names_side_by_side(kinds, found)
}

/// Combines two translations: in `Nom / Surname` the second one decides what the first leaves open.
fn narrow_kinds(kinds: &[LabelKind], found: &[LabelKind]) -> Vec<LabelKind> {
    let both: Vec<LabelKind> = kinds.iter().filter(|kind| found.contains(kind)).copied().collect();
    if !both.is_empty() {
        return both;
    }
    // The surname is the narrower meaning.
    let surname = LabelKind::Of(PrintedFieldKind::Surname);
    if found.contains(&surname) { vec![surname] } else { kinds.to_vec() }
}

/// Whether one language says name and the other surname: `Name / Nom`.
fn names_side_by_side(kinds: &[LabelKind], found: &[LabelKind]) -> bool {
    let full = |kinds: &[LabelKind]| kinds.contains(&LabelKind::Of(PrintedFieldKind::FullName));
    let part = |kinds: &[LabelKind]| kinds.contains(&LabelKind::Of(PrintedFieldKind::Surname));
    full(kinds) && part(found) || part(kinds) && full(found)
}

/// The number of a field, such as `4a.` or `15 `, and where it ends in bytes.
fn leading_number(text: &str) -> (Option<String>, usize) {
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | '.'));
    let start = text.len() - trimmed.len();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=2).contains(&digits) {
        return (None, start);
    }
    let follows = trimmed.as_bytes().get(digits).copied();
    let after = trimmed.get(digits + 1..).unwrap_or_default();
    let lettered = matches!(follows, Some(b'a'..=b'd' | b'A'..=b'D'))
        && (!after.starts_with(char::is_alphabetic) || longest_label(after).is_some());
    let end = digits + usize::from(lettered);
    let number = trimmed.get(..end).unwrap_or_default().to_ascii_lowercase();
    let rest = trimmed.get(end..).unwrap_or_default();
    let ended =
        rest.is_empty() || rest.starts_with(['.', ' ', ')', ':', ',']) || longest_label(rest).is_some();
    if !ended {
        return (None, start);
    }
    // 12.08.1994 begins with a number as well, which is not that of a field.
    let date = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if date && number.len() == digits && digits == 2 {
        return (None, start);
    }
    (Some(number), start + end)
}

fn skip_punctuation(text: &str) -> usize {
    let skipped = |c: char| {
        c.is_whitespace()
            || matches!(c, '/' | '·' | '|' | '-' | '–' | '.' | ',' | ':' | ';' | '*' | '•' | '#')
    };
    text.len() - text.trim_start_matches(skipped).len()
}

/// The length in bytes of what follows a label: `(1)`, `:` and the like.
fn skip_remark(text: &str) -> usize {
    let mut end = skip_punctuation(text);
    let rest = text.get(end..).unwrap_or_default();
    if let Some(inside) = rest.strip_prefix('(')
        && let Some(close) = inside.find(')')
        && close <= 40
    {
        end += close + 2;
    } else if let Some(inside) = rest.strip_prefix('(')
        && inside.len() <= 3
    {
        end += rest.len();
    }
    end + skip_punctuation(text.get(end..).unwrap_or_default())
}

/// The longest label at the beginning of a text: what it is for, and its length in bytes.
fn longest_label(text: &str) -> Option<(Vec<LabelKind>, usize)> {
    let dictionary = &*DICTIONARY;
    // For each possible end in the text, the length of the normalised text up to there.
    let mut folded = String::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut count = 0;
    for (at, c) in text.char_indices().take(MAX_LABEL_LINE_CHARS) {
        for letter in normalise_char(c) {
            push_unifying_lookalikes(&mut folded, letter);
            count += 1;
        }
        let end = at + c.len_utf8();
        match ends.last_mut() {
            // Two letters were unified into one (`rn` into `m`).
            Some(last) if last.1 >= folded.len() => {
                if c.is_alphanumeric() {
                    *last = (end, folded.len());
                }
            }
            _ if folded.is_empty() => {}
            _ => ends.push((end, folded.len())),
        }
        if count > MAX_LABEL_CHARS {
            break;
        }
    }
    let mut best: Option<(Vec<LabelKind>, usize)> = None;
    for &(end, length) in &ends {
        if let Some(kinds) = folded.get(..length).and_then(|text| dictionary.by_text.get(text))
            && is_boundary(text, end)
        {
            best = Some((kinds.clone(), end));
        }
    }
    best.or_else(|| fuzzy_label(text, &folded, &ends))
}

/// Appends a letter, with letters that text recognition confuses unified.
fn push_unifying_lookalikes(folded: &mut String, letter: char) {
    let known = match letter {
        'l' | '1' => 'i',
        '0' => 'o',
        'n' if folded.ends_with('r') => {
            folded.pop();
            'm'
        }
        other => other,
    };
    folded.push(known);
}

/// Finds a long label with a few wrong letters: one for every seven of its length.
fn fuzzy_label(text: &str, folded: &str, ends: &[(usize, usize)]) -> Option<(Vec<LabelKind>, usize)> {
    let dictionary = &*DICTIONARY;
    let mut best: Option<(usize, usize, &str)> = None;
    for (label, length) in &dictionary.long {
        let allowed = length / 7;
        for &(end, bytes) in ends {
            let part = folded.get(..bytes).unwrap_or_default();
            if part.chars().count().abs_diff(*length) > allowed || !is_boundary(text, end) {
                continue;
            }
            let spent = edit_distance(part, label);
            let better =
                best.is_none_or(|(least, at, _)| (spent, usize::MAX - end) < (least, usize::MAX - at));
            if spent <= allowed && better {
                best = Some((spent, end, label));
            }
        }
    }
    let (_, end, label) = best?;
    Some((dictionary.by_text.get(label)?.clone(), end))
}

/// Whether a word can end here. Text recognition drops spaces, so a capital or a digit after a small letter counts as
/// well.
fn is_boundary(text: &str, end: usize) -> bool {
    let last = text.get(..end).and_then(|text| text.chars().next_back());
    let next = text.get(end..).and_then(|text| text.chars().next());
    match (last, next) {
        (_, None) => true,
        (Some(last), Some(next)) => {
            !next.is_alphanumeric() || last.is_lowercase() && !next.is_lowercase() || next.is_ascii_digit()
        }
        (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Vec<LabelKind>, &str) {
        let label = leading_label(text).unwrap_or_else(|| panic!("{text:?} has a label"));
        (label.kinds, &text[label.end..])
    }

    #[test]
    fn labels_of_many_languages_are_known_with_what_follows_them() {
        for (text, field, rest) in [
            ("Surname / Nom (1)", PrintedFieldKind::Surname, ""),
            ("Surname/Nom(1)", PrintedFieldKind::Surname, ""),
            ("Name/Nom/Cognome MUSTER", PrintedFieldKind::Surname, "MUSTER"),
            ("DOB 08/12/1994", PrintedFieldKind::BirthDate, "08/12/1994"),
            ("3DOB08/12/1994", PrintedFieldKind::BirthDate, "08/12/1994"),
            ("Dateofbirth", PrintedFieldKind::BirthDate, ""),
            ("Date of blrth", PrintedFieldKind::BirthDate, ""),
            ("Geburtsdatum: 12.08.1994", PrintedFieldKind::BirthDate, "12.08.1994"),
            ("Passport No. / No. du passeport", PrintedFieldKind::DocumentNumber, ""),
            ("4d DL T64235789", PrintedFieldKind::DocumentNumber, "T64235789"),
            ("4b EXP", PrintedFieldKind::ExpiryDate, ""),
            ("Дата рождения / Date of birth", PrintedFieldKind::BirthDate, ""),
            ("Given names/Prénoms (2)", PrintedFieldKind::GivenNames, ""),
            ("Nationality / Nationalité (3)", PrintedFieldKind::Nationality, ""),
        ] {
            let (kinds, left) = kinds(text);
            let first = if text.starts_with("Name/") {
                kinds.contains(&LabelKind::Of(field))
            } else {
                kinds.first() == Some(&LabelKind::Of(field))
            };
            assert!(first, "{text}: {kinds:?}");
            assert_eq!(left, rest, "{text}");
        }
        assert_eq!(
            leading_label("4a. 01.02.2020").map(|label| (label.number, label.end)),
            Some((Some("4a".into()), 4))
        );
        assert_eq!(
            leading_label("1. MUSTERMANN").map(|label| (label.number, label.worded)),
            Some((Some("1".into()), false))
        );
        for text in ["MUSTERMANN", "12.08.1994", "12 JAN 1994", "NOMINAL", "ZENITH", "", "()", "L898902C3"] {
            let label = leading_label(text);
            assert!(label.as_ref().is_none_or(|label| !label.worded), "{text}: {label:?}");
        }
    }
}
