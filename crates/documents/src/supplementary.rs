//! Letters that prove an address, such as bills, statements and letters of authorities: the name and address of the
//! recipient, the sender and the date.

mod address;

pub use crate::text::postal_address::PostalAddress;

use crate::{
    mrz::YearWindow,
    picture::homography::Point,
    text::{
        TextLine, dates,
        layout::{LevelLine, level_lines},
        names,
        normalise::normalise,
    },
};
use jiff::{ToSpan as _, civil::Date};
use std::sync::LazyLock;

/// Lines of a letter that are read, at most.
const MAX_LINES: usize = 400;

/// How a part of a letter was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LetterPartSource {
    /// By a label beside or above it.
    Label,
    /// As part of an address block.
    Block,
    /// By words of company or authority names.
    Words,
    /// By position and size, which is a guess.
    Place,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LetterPart<T> {
    pub value: T,
    pub source: LetterPartSource,
    /// Confidence, 0 to 1.
    pub confidence: f32,
    /// Corners as in [`TextLine::corners`].
    pub corners: [Point; 4],
}

/// The content of a letter.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct SupplementaryReading {
    /// The recipient's name as printed, without titles.
    pub full_name: Option<LetterPart<String>>,
    /// The recipient's address.
    pub structured_postal_address: Option<LetterPart<PostalAddress>>,
    pub date_of_issue: Option<LetterPart<dates::DateReading>>,
    /// The sender.
    pub organisation: Option<LetterPart<String>>,
}

impl SupplementaryReading {
    /// Number of parts that were found.
    pub fn found_count(&self) -> usize {
        let Self { full_name, structured_postal_address, date_of_issue, organisation } = self;
        let found = [
            full_name.is_some(),
            structured_postal_address.is_some(),
            date_of_issue.is_some(),
            organisation.is_some(),
        ];
        found.into_iter().map(usize::from).sum()
    }
}

#[derive(serde::Deserialize)]
struct LetterVocabulary {
    dated: Vec<String>,
    not_dated: Vec<String>,
    forms: Vec<String>,
    words: Vec<String>,
}

static LETTER_VOCABULARY: LazyLock<LetterVocabulary> = LazyLock::new(|| {
    let mut words: LetterVocabulary =
        toml::from_str(include_str!("supplementary.toml")).expect("a test reads it");
    for list in [&mut words.dated, &mut words.not_dated] {
        for word in list.iter_mut() {
            *word = normalise(word);
        }
        // Some labels begin with shorter ones, so longer labels come first.
        list.sort_by_key(|word| std::cmp::Reverse(word.len()));
    }
    words
});

/// Reads a letter. Dates after `today` are ignored; `country` is the sender's country (ISO 3166-1 alpha-3), where it is
/// known.
pub fn read(lines: &[TextLine], today: Date, country: Option<&str>) -> SupplementaryReading {
    let placed = level_lines(lines.get(..MAX_LINES).unwrap_or(lines));
    let block = address::find_addressee(&placed, country);
    let country = country.or_else(|| block.as_ref().and_then(|block| block.address.value.country));
    let used: &[usize] = block.as_ref().map_or(&[], |block| &block.lines);
    let organisation = find_organisation(&placed, used);
    let date_of_issue = find_date(&placed, today, country);
    let (full_name, structured_postal_address) =
        block.map_or((None, None), |block| (block.name, Some(block.address)));
    SupplementaryReading { full_name, structured_postal_address, date_of_issue, organisation }
}

/// Whether a text is the name of a company or an authority: 2 for a legal form such as `Ltd`, 1 for a typical word,
/// else 0.
fn organisation_score(text: &str) -> u8 {
    let words: Vec<&str> = text.split([' ', ',']).collect();
    let has_form = LETTER_VOCABULARY.forms.iter().any(|form| {
        let parts: Vec<&str> = form.split(' ').collect();
        // A legal form alone is not a name.
        words.windows(parts.len()).skip(1).any(|window| window == parts)
    });
    if has_form {
        return 2;
    }
    let folded: Vec<String> = words.iter().map(|word| normalise(word)).collect();
    let named = LETTER_VOCABULARY.words.iter().any(|word| {
        let parts: Vec<String> = word.split(' ').map(normalise).collect();
        folded.windows(parts.len()).any(|window| window == parts.as_slice())
            // German compounds end with the word.
            || parts.len() == 1 && word.len() >= 6 && folded.iter().any(|own| own.ends_with(&parts[0]))
    });
    u8::from(named)
}

/// The name up to and including the legal form, after which a department or an address may follow.
fn up_to_company_form(text: &str) -> &str {
    let end = LETTER_VOCABULARY.forms.iter().filter_map(|form| {
        let at = text.find(&format!(" {form}"))? + 1 + form.len();
        text.get(at..)?.chars().next().is_none_or(|c| !c.is_alphanumeric()).then_some(at)
    });
    // Some legal forms begin alike, for example `S.A.` and `S.A.U.`; take the longest.
    end.max().and_then(|end| text.get(..end)).unwrap_or(text)
}

fn find_organisation(placed: &[LevelLine], used: &[usize]) -> Option<LetterPart<String>> {
    let bottom = placed.iter().map(|one| one.bottom).fold(f32::MIN, f32::max);
    let top = placed.iter().map(|one| one.top).fold(f32::MAX, f32::min);
    let mut heights: Vec<f32> = placed.iter().map(LevelLine::height).collect();
    heights.sort_by(f32::total_cmp);
    let usual = heights.get(heights.len() / 2).copied()?;
    let mut best: Option<(f32, &LevelLine, u8)> = None;
    for (at, one) in placed.iter().enumerate() {
        let text = one.line.text.as_str();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        if used.contains(&at)
            || letters < 3
            || letters * 2 < text.chars().count()
            || text.chars().count() > 90
        {
            continue;
        }
        let kind = organisation_score(text);
        let height = (one.height() / usual.max(f32::MIN_POSITIVE)).clamp(0.5, 2.5);
        let depth = (one.top - top) / (bottom - top).max(f32::MIN_POSITIVE);
        // A sentence has many words and ends with a full stop.
        let sentence = text.split(' ').count() > 9 || text.ends_with('.') && kind < 2 || text.contains(": ");
        let score =
            f32::from(kind) * 1.5 + 2.0 * (height - 1.0) - 2.0 * depth - if sentence { 2.0 } else { 0.0 };
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, one, kind));
        }
    }
    let (score, one, kind) = best.filter(|(score, ..)| *score > 0.3)?;
    let source = if kind > 0 { LetterPartSource::Words } else { LetterPartSource::Place };
    let certain = match kind {
        2 => 0.95,
        1 => 0.85,
        _ => (0.3 + 0.15 * score).clamp(0.3, 0.6),
    };
    let value = up_to_company_form(&one.line.text).trim().to_owned();
    Some(LetterPart { value, source, confidence: one.line.confidence * certain, corners: one.line.corners })
}

/// The date of the letter: the one that a label names, or else the first in the upper half without a label for
/// something else.
fn find_date(
    placed: &[LevelLine],
    today: Date,
    country: Option<&str>,
) -> Option<LetterPart<dates::DateReading>> {
    // Letters also name days that are yet to come, such as when to pay. Those up to the end of next year are read as such, and left
    // out.
    let latest = today.last_of_year().saturating_add(1.year());
    let hints = dates::DateHints { country, window: YearWindow::Past, today: latest };
    let past = |reading: dates::DateReading| match reading {
        dates::DateReading::Certain(date) => date <= today,
        dates::DateReading::Ambiguous { day_first, month_first } => day_first.min(month_first) <= today,
    };
    let dated = |text: &str| dates::find(text, &hints).into_iter().find(|found| past(found.reading));
    let part = |one: &LevelLine, reading, source, certain: f32| {
        let (confidence, corners) = (one.line.confidence * certain, one.line.corners);
        Some(LetterPart { value: reading, source, confidence, corners })
    };
    let mut labelled: Option<(usize, &LevelLine, dates::DateReading)> = None;
    for one in placed {
        let folded = normalise(&one.line.text);
        let Some(label) = LETTER_VOCABULARY.dated.iter().find(|label| folded.starts_with(label.as_str()))
        else {
            continue;
        };
        let found = dated(&one.line.text);
        let ends = found.is_some() || folded.len() <= label.len() + 2;
        let beside = || {
            let others = placed.iter().filter(|other| !std::ptr::eq(*other, one));
            let near = others.filter_map(|other| {
                let right = one.is_in_row_of(other) && other.left > one.left;
                let gap = if right {
                    (other.left - one.right) / one.height() * 0.2
                } else {
                    let fits =
                        (other.left - one.left).abs() < 2.0 * one.height() || one.column_overlap(other) > 0.5;
                    if !fits || other.top < one.top {
                        return None;
                    }
                    (other.top - one.bottom) / one.height()
                };
                (gap < 2.5).then_some((gap, other))
            });
            let near = near.filter_map(|(gap, other)| Some((gap, dated(&other.line.text)?, other)));
            near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, found, other)| (found, other))
        };
        let found = found.map(|found| (found, one)).or_else(|| ends.then(beside).flatten());
        if let Some((found, other)) = found
            && labelled.is_none_or(|(longest, ..)| label.len() > longest)
        {
            labelled = Some((label.len(), other, found.reading));
        }
    }
    if let Some((_, one, reading)) = labelled {
        return part(one, reading, LetterPartSource::Label, 0.97);
    }
    let bottom = placed.iter().map(|one| one.bottom).fold(f32::MIN, f32::max);
    let top = placed.iter().map(|one| one.top).fold(f32::MAX, f32::min);
    let upper = placed.iter().filter(|one| one.top < f32::midpoint(top, bottom));
    let free = upper.filter(|one| {
        let own = |line: &LevelLine| {
            let folded = normalise(&line.line.text);
            LETTER_VOCABULARY.not_dated.iter().any(|word| folded.starts_with(word.as_str()))
        };
        !own(one)
            && !placed.iter().any(|other| own(other) && other.is_in_row_of(one) && other.left < one.left)
    });
    let mut found = free.filter_map(|one| Some((dated(&one.line.text)?, one)));
    found.next().and_then(|(found, one)| part(one, found.reading, LetterPartSource::Place, 0.6))
}

/// Whether a line may be a person's name: two to six words, at least two of them capitalised, and not an organisation.
fn is_person(text: &str) -> bool {
    let Some(name) = names::clean_name(names::without_titles(text)) else { return false };
    let words = name.split(' ').count();
    let capitals =
        name.split(' ').filter(|word| word.starts_with(|c: char| c.is_uppercase() || !c.is_lowercase()));
    (2..=6).contains(&words) && capitals.count() >= 2 && organisation_score(text) == 0
}
