//! Splits a text into numbers, words and the separators between them.

use crate::text::normalise::normalise_char;
use std::ops::Range;

/// Tokens of a text, at most.
const MAX_TOKENS: usize = 512;

#[derive(Clone, Debug)]
pub(super) struct DateToken {
    pub(super) kind: TokenKind,
    /// The characters since the previous token, without spaces; a single space where there are only spaces.
    pub(super) before: String,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum TokenKind {
    /// The value of the first nine digits, and the number of all digits.
    Number { value: u32, digits: usize },
    /// The normalised word.
    Word(String),
}

impl DateToken {
    /// Whether only punctuation of dates precedes the token.
    pub(super) fn is_near(&self) -> bool {
        self.before.chars().count() <= 2
            && self
                .before
                .chars()
                .all(|c| matches!(c, ' ' | '.' | ',' | '-' | '–' | '/' | '\'' | '’' | '年' | '月' | '|'))
    }

    /// The separator from the number before, where it is a single character. Signs of East Asian dates count as one
    /// separator.
    pub(super) fn separator(&self) -> Option<char> {
        let mut characters = self.before.chars();
        let first = characters.next()?;
        let one = match first {
            '年' | '月' => '年',
            '–' | '‐' | '−' => '-',
            ' ' | '.' | '-' | '/' => first,
            _ => return None,
        };
        characters.next().is_none().then_some(one)
    }
}

/// The value of a digit in the scripts that documents use.
fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        '०'..='९' => '०',
        '๐'..='๙' => '๐',
        '０'..='９' => '０',
        _ => return None,
    };
    Some(c as u32 - zero as u32)
}

/// The value of a digit that text recognition turned into a letter.
fn misread_digit(c: char) -> Option<u32> {
    match c {
        'O' | 'o' | 'Q' => Some(0),
        'I' | 'l' | '|' => Some(1),
        'Z' => Some(2),
        'S' => Some(5),
        'B' => Some(8),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum CharacterSort {
    Digits,
    Letters,
    Between,
}

fn character_sort(c: char) -> CharacterSort {
    match c {
        _ if digit(c).is_some() => CharacterSort::Digits,
        '年' | '月' | '日' => CharacterSort::Between,
        // Combining vowel signs are not letters, but belong to the word.
        _ if c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) => CharacterSort::Letters,
        _ => CharacterSort::Between,
    }
}

pub(super) fn tokenise(text: &str) -> Vec<DateToken> {
    let mut runs: Vec<(CharacterSort, Range<usize>)> = Vec::new();
    let thai = |c: char| ('\u{0e01}'..='\u{0e4e}').contains(&c);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (number, &(at, c)) in characters.iter().enumerate() {
        let end = at + c.len_utf8();
        let near =
            |step: Option<usize>| step.and_then(|step| characters.get(step)).is_some_and(|&(_, c)| thai(c));
        // Full stops within abbreviations such as ม.ค.
        let inside = c == '.' && near(number.checked_sub(1)) && near(Some(number + 1));
        let sort = if inside { CharacterSort::Letters } else { character_sort(c) };
        match runs.last_mut() {
            Some((last, run)) if *last == sort => run.end = end,
            _ => runs.push((sort, at..end)),
        }
        if runs.len() > 4 * MAX_TOKENS {
            break;
        }
    }
    repair_digits(text, &mut runs);
    let mut out: Vec<DateToken> = Vec::new();
    let mut before = String::new();
    for (sort, at) in runs {
        let run = text.get(at.clone()).unwrap_or_default();
        let kind = match sort {
            CharacterSort::Between => {
                let signs: String = run.chars().filter(|c| !c.is_whitespace()).collect();
                before = if signs.is_empty() { " ".to_owned() } else { signs };
                continue;
            }
            CharacterSort::Digits => {
                let digits: Vec<u32> =
                    run.chars().filter_map(|c| digit(c).or_else(|| misread_digit(c))).collect();
                let value = digits.iter().take(9).fold(0, |value, digit| value * 10 + digit);
                TokenKind::Number { value, digits: digits.len() }
            }
            CharacterSort::Letters => TokenKind::Word(run.chars().flat_map(normalise_char).collect()),
        };
        out.push(DateToken { kind, before: std::mem::take(&mut before), at });
        if out.len() == MAX_TOKENS {
            break;
        }
    }
    out
}

/// Turns letters beside digits into digits, where they are misread ones: `2O21`, `l2.08`.
fn repair_digits(text: &str, runs: &mut Vec<(CharacterSort, Range<usize>)>) {
    for at in 0..runs.len() {
        let (sort, run) = runs[at].clone();
        let touches = |other: Option<usize>| {
            other.and_then(|other| runs.get(other)).is_some_and(|(sort, _)| *sort == CharacterSort::Digits)
        };
        let run = text.get(run).unwrap_or_default();
        if sort == CharacterSort::Letters
            && run.chars().count() <= 2
            && run.chars().all(|c| misread_digit(c).is_some())
            && (touches(at.checked_sub(1)) || touches(Some(at + 1)))
        {
            runs[at].0 = CharacterSort::Digits;
        }
    }
    runs.dedup_by(|next, last| {
        let same = next.0 == CharacterSort::Digits && last.0 == CharacterSort::Digits;
        if same {
            last.1.end = next.1.end;
        }
        same
    });
}
