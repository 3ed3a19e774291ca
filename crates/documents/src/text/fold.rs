//! Text without what differs between spellings: capitals, marks, blanks; and how far two texts are from each other.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Small letters and digits without their marks; everything else is left out. Letters of all scripts stay.
pub fn fold(text: &str) -> String {
    text.chars().flat_map(letters).collect()
}

/// What a character becomes.
pub(crate) fn letters(c: char) -> impl Iterator<Item = char> {
    let special = match c {
        'ı' | 'İ' => "i",
        'ł' | 'Ł' => "l",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'þ' | 'Þ' => "th",
        'ħ' | 'Ħ' => "h",
        'ς' => "σ",
        _ => "",
    };
    let other = special.is_empty().then_some(c);
    let plain = other.into_iter().flat_map(|c| std::iter::once(c).nfkd()).flat_map(char::to_lowercase);
    special.chars().chain(plain.filter(|c| c.is_alphanumeric() && (!is_combining_mark(*c) || is_thai(*c))))
}

/// Marks of Thai are its vowels: without them January and March are one word.
fn is_thai(c: char) -> bool {
    ('\u{e00}'..='\u{e7f}').contains(&c)
}

/// Characters to change, add or leave out to make one of the other (Levenshtein).
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.chars().enumerate() {
        advance(&mut row, a, &other, at + 1);
    }
    row.last().copied().unwrap_or(0)
}

/// The same for the part of `text` that is nearest to `wanted`, and where it ends there, in characters.
pub(crate) fn nearest_part(wanted: &str, text: &str) -> (usize, usize) {
    // Columns are the wanted text, rows the other: a part may begin anywhere, so each row begins with nothing spent.
    let wanted: Vec<char> = wanted.chars().collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    let mut best = (row.last().copied().unwrap_or(0), 0);
    for (at, a) in text.chars().enumerate() {
        advance(&mut row, a, &wanted, 0);
        if let Some(&spent) = row.last()
            && spent < best.0
        {
            best = (spent, at + 1);
        }
    }
    best
}

fn advance(row: &mut [usize], a: char, columns: &[char], first: usize) {
    let Some(mut diagonal) = row.first().copied() else { return };
    row[0] = first;
    for (at, &b) in columns.iter().enumerate() {
        let above = row[at + 1];
        row[at + 1] = (diagonal + usize::from(a != b)).min(above + 1).min(row[at] + 1);
        diagonal = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_capitals_and_blanks_go() {
        assert_eq!(fold("Né(e) le: Łódź-Ærø"), "neelelodzaero");
        assert_eq!(fold("İstanbul ıĞ"), "istanbulig");
        assert_eq!(fold("Ημερομηνία Λήξης"), "ημερομηνιαληξησ");
        assert_ne!(fold("ม.ค."), fold("มี.ค."));
        assert_eq!(fold("Дійсний №7"), "діиснииno7");
    }

    #[test]
    fn distances_are_counted_in_characters() {
        assert_eq!(distance("surname", "sumame"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(nearest_part("exempel", "annamariaexempelutopia"), (0, 16));
        assert_eq!(nearest_part("exempel", "annaexempl"), (1, 10));
        assert_eq!(nearest_part("abc", ""), (3, 0));
    }
}
