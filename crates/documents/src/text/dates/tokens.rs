//! Numbers and words of a text, and what stands between them.

use crate::text::fold::letters;
use std::ops::Range;

/// Tokens of a text; of more, the first.
const MOST: usize = 512;

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// What stands before it, back to the token before, without blanks; a lone blank where there are only blanks.
    pub(super) before: String,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Up to nine digits.
    Number { value: u32, digits: usize },
    /// Folded.
    Word(String),
}

impl Token {
    /// Whether nothing but punctuation of dates stands before it.
    pub(super) fn is_near(&self) -> bool {
        self.before.chars().count() <= 2
            && self
                .before
                .chars()
                .all(|c| matches!(c, ' ' | '.' | ',' | '-' | '–' | '/' | '\'' | '’' | '年' | '月' | '|'))
    }

    /// The one character that parts it from the number before; all signs of Chinese dates are one.
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

/// The value of a digit of any script that documents use.
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

/// What text recognition makes of digits.
fn mistaken(c: char) -> Option<u32> {
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
enum Sort {
    Digits,
    Letters,
    Between,
}

fn sort_of(c: char) -> Sort {
    match c {
        _ if digit(c).is_some() => Sort::Digits,
        '年' | '月' | '日' => Sort::Between,
        // Vowel signs are no letters of their own, but belong to the word.
        _ if c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) => Sort::Letters,
        _ => Sort::Between,
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut runs: Vec<(Sort, Range<usize>)> = Vec::new();
    let thai = |c: char| ('\u{0e01}'..='\u{0e4e}').contains(&c);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (number, &(at, c)) in characters.iter().enumerate() {
        let end = at + c.len_utf8();
        let near =
            |step: Option<usize>| step.and_then(|step| characters.get(step)).is_some_and(|&(_, c)| thai(c));
        // Full stops inside of abbreviations such as ม.ค.
        let inside = c == '.' && near(number.checked_sub(1)) && near(Some(number + 1));
        let sort = if inside { Sort::Letters } else { sort_of(c) };
        match runs.last_mut() {
            Some((last, run)) if *last == sort => run.end = end,
            _ => runs.push((sort, at..end)),
        }
        if runs.len() > 4 * MOST {
            break;
        }
    }
    mend(text, &mut runs);
    let mut out: Vec<Token> = Vec::new();
    let mut before = String::new();
    for (sort, at) in runs {
        let run = text.get(at.clone()).unwrap_or_default();
        let kind = match sort {
            Sort::Between => {
                let signs: String = run.chars().filter(|c| !c.is_whitespace()).collect();
                before = if signs.is_empty() { " ".to_owned() } else { signs };
                continue;
            }
            Sort::Digits => {
                let digits: Vec<u32> = run.chars().filter_map(|c| digit(c).or_else(|| mistaken(c))).collect();
                let value = digits.iter().take(9).fold(0, |value, digit| value * 10 + digit);
                Kind::Number { value, digits: digits.len() }
            }
            Sort::Letters => Kind::Word(run.chars().flat_map(letters).collect()),
        };
        out.push(Token { kind, before: std::mem::take(&mut before), at });
        if out.len() == MOST {
            break;
        }
    }
    out
}

/// Letters beside digits that are digits themselves: `2O21`, `l2.08`.
fn mend(text: &str, runs: &mut Vec<(Sort, Range<usize>)>) {
    for at in 0..runs.len() {
        let (sort, run) = runs[at].clone();
        let touches = |other: Option<usize>| {
            other.and_then(|other| runs.get(other)).is_some_and(|(sort, _)| *sort == Sort::Digits)
        };
        let run = text.get(run).unwrap_or_default();
        if sort == Sort::Letters
            && run.chars().count() <= 2
            && run.chars().all(|c| mistaken(c).is_some())
            && (touches(at.checked_sub(1)) || touches(Some(at + 1)))
        {
            runs[at].0 = Sort::Digits;
        }
    }
    runs.dedup_by(|next, last| {
        let same = next.0 == Sort::Digits && last.0 == Sort::Digits;
        if same {
            last.1.end = next.1.end;
        }
        same
    });
}
