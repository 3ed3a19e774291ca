//! Names of holders, compared word by word.

use super::findings::DocumentFindings;
use documents::field::FieldName;
use std::collections::BTreeSet;

/// The words of a document's name, normalised to small Latin letters; `None` if no name was read.
pub(super) fn name_words(findings: &DocumentFindings) -> Option<BTreeSet<String>> {
    let letter = findings.letter.as_ref().and_then(|letter| letter.full_name.as_deref());
    let text = findings.field(FieldName::FullName).or(letter)?;
    let words = text.split(|c: char| c.is_whitespace() || c == '-' || c == ',');
    let words: BTreeSet<String> =
        words.map(documents::text::normalise).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then_some(words)
}
