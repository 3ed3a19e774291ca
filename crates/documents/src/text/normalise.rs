//! Text without differences of spelling (case, diacritics, spaces), and the edit distance.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower-case letters and digits without diacritics. Letters of all scripts are kept, all other characters removed.
pub fn normalise(text: &str) -> String {
    text.chars().flat_map(normalise_char).collect()
}

/// The normalised form of a character.
pub(crate) fn normalise_char(c: char) -> impl Iterator<Item = char> {
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

/// The marks of Thai are its vowels: without them, January and March would be the same word.
fn is_thai(c: char) -> bool {
    ('\u{e00}'..='\u{e7f}').contains(&c)
}

/// The Levenshtein distance in characters.
pub fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.chars().enumerate() {
        advance_edit_row(&mut row, a, &other, at + 1);
    }
    row.last().copied().unwrap_or(0)
}

/// The least edit distance of `wanted` to any part of `text`, and where that part ends, in characters of `text`.
pub(crate) fn nearest_substring(wanted: &str, text: &str) -> (usize, usize) {
    // Columns are the wanted text and rows the other one. The part may begin anywhere, so each row begins with a cost
    // of 0.
    let wanted: Vec<char> = wanted.chars().collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    let mut best = (row.last().copied().unwrap_or(0), 0);
    for (at, a) in text.chars().enumerate() {
        advance_edit_row(&mut row, a, &wanted, 0);
        if let Some(&spent) = row.last()
            && spent < best.0
        {
            best = (spent, at + 1);
        }
    }
    best
}

fn advance_edit_row(row: &mut [usize], a: char, columns: &[char], first: usize) {
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
        assert_eq!(normalise("Né(e) le: Łódź-Ærø"), "neelelodzaero");
        assert_eq!(normalise("İstanbul ıĞ"), "istanbulig");
        assert_eq!(normalise("Ημερομηνία Λήξης"), "ημερομηνιαληξησ");
        assert_ne!(normalise("ม.ค."), normalise("มี.ค."));
        assert_eq!(normalise("Дійсний №7"), "діиснииno7");
    }

    #[test]
    fn distances_are_counted_in_characters() {
        assert_eq!(edit_distance("surname", "sumame"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(nearest_substring("exempel", "annamariaexempelutopia"), (0, 16));
        assert_eq!(nearest_substring("exempel", "annaexempl"), (1, 10));
        assert_eq!(nearest_substring("abc", ""), (3, 0));
    }
}
