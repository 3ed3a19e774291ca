//! Searches all that a server has written for what it must not have.

use memchr::memmem;
use std::{collections::BTreeSet, fs, path::Path};

/// Shorter words are found everywhere.
const MIN_NEEDLE_BYTES: usize = 5;

/// What must be nowhere: words as they were typed and sent, and parts of pictures in base64.
#[derive(Default)]
pub(super) struct LeakScan {
    needles: BTreeSet<Vec<u8>>,
}

impl LeakScan {
    /// Something that was typed.
    pub(super) fn typed(&mut self, words: &str) {
        let digits: String = words.chars().filter(|c| !" -/.".contains(*c)).collect();
        for words in [words, &digits] {
            if words.len() < MIN_NEEDLE_BYTES {
                continue;
            }
            self.needles.insert(words.as_bytes().to_vec());
            // As it looks in base64 where a group of three bytes begins with it, without its last letters; fewer than eight
            // letters are found everywhere, too.
            let letters = &base64_simd::STANDARD.encode_to_string(words)[..words.len() / 3 * 4];
            self.needles.extend((letters.len() >= 8).then(|| letters.as_bytes().to_vec()));
        }
    }

    /// A part of a picture that was sent, whole groups of base64.
    pub(super) fn shown(&mut self, letters: &str) {
        let bytes = base64_simd::STANDARD.decode_to_vec(letters).unwrap();
        assert!(bytes.len() > 30, "a part of a picture: {letters}");
        self.needles.insert(letters.as_bytes().to_vec());
        self.needles.insert(bytes);
    }

    /// Takes over what others are about, too.
    pub(super) fn and(&mut self, others: Self) {
        self.needles.extend(others.needles);
    }

    /// Nothing of it is in a folder or below.
    #[track_caller]
    pub(super) fn assert_none_in(&self, folder: &Path) {
        for (file, written) in written(folder) {
            for needle in &self.needles {
                let found = has(&written, needle, file.ends_with("/log"));
                assert!(!found, "{file} has {}", needle.escape_ascii());
            }
        }
    }
}

/// A run of at least so many hexadecimal digits and signs of times is a digest, an id or a time, not something typed.
const MIN_DIGEST_BYTES: usize = 16;

/// Whether a file has it. A short number is in many a digest by chance: it counts outside of those, and in a log, which is
/// full of numbers, where it stands by itself.
fn has(written: &[u8], needle: &[u8], log: bool) -> bool {
    let mut places = memmem::find_iter(written, needle);
    if needle.len() >= 9 || needle.iter().any(|byte| !byte.is_ascii_digit()) {
        return places.next().is_some();
    }
    let in_run = |byte: &&u8| {
        if log {
            byte.is_ascii_alphanumeric() || **byte == b'.'
        } else {
            matches!(**byte, b'0'..=b'9' | b'a'..=b'f' | b'T' | b':' | b'.' | b'-')
        }
    };
    let max_run_bytes = if log { needle.len() } else { MIN_DIGEST_BYTES - 1 };
    places.any(|at| {
        let before = written[..at].iter().rev().take(MIN_DIGEST_BYTES).take_while(in_run).count();
        let after = written[at + needle.len()..].iter().take(MIN_DIGEST_BYTES).take_while(in_run).count();
        before + needle.len() + after <= max_run_bytes && !is_in_duration(written, at, needle.len())
    })
}

/// Whether these bytes are part of a number of whole microseconds, as SQLite stores the seconds that a step of a session took: 1.2 is
/// 3ff3333333333333, and a byte of 33 is the digit 3.
fn is_in_duration(written: &[u8], at: usize, length: usize) -> bool {
    (0..=at).rev().take(9 - length.min(8)).any(|from| {
        written[from..].first_chunk().is_some_and(|bytes| {
            let seconds = f64::from_be_bytes(*bytes);
            (1e-6..1e6).contains(&seconds) && seconds == (seconds * 1e6).round() / 1e6
        })
    })
}

#[test]
fn a_short_number_counts_outside_of_digests() {
    let has = |written: &str, needle: &str, log| has(written.as_bytes(), needle.as_bytes(), log);
    let digest = "4be0f6a112345c09d1";
    assert!(!has(&format!("\u{1}{digest}\u{2}"), "12345", false));
    assert!(!has("2026-11-26T21:04:11.123456Z", "12345", false));
    for typed in ["\u{1}12345\u{2}", "{\"code\":\"12345\"}", "\u{1}12345IN_PROGRESS", "key.12345."] {
        assert!(has(&format!("{digest} {typed}"), "12345", false), "{typed}");
    }
    assert!(has("12345abcdef0123", "12345", false), "fifteen are no digest");
    assert!(!has("12345abcdef01234", "12345", false), "sixteen are one");
    assert!(has(digest, "4be0f6a112345", false), "what is not a number counts everywhere");
    for seconds in [0.3_f64, 1.2, 19.2, 0.15, 0.009_375] {
        let stored = [&b"\x01"[..], &seconds.to_be_bytes(), b"\x02"].concat();
        assert!(
            memmem::find(&stored, b"33333").is_some() && !self::has(&stored, b"33333", false),
            "{seconds}"
        );
    }
    for typed in ["\u{1}33333\u{2}", "{\"code\":\"33333\"}", "33333", "@33333@@@"] {
        assert!(has(typed, "33333", false), "{typed}");
    }
    assert!(has("code=12345 took=7", "12345", true) && !has("took=0.12345 ms", "12345", true));
}

/// Every file in a folder and below, with what it has.
fn written(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(written(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            // What is gone meanwhile is written no more.
            all.push((path.display().to_string(), bytes));
        }
    }
    all
}

/// Whether a word is anywhere in a folder: what is searched must be what is written.
pub(super) fn is_in(folder: &Path, word: &str) -> bool {
    written(folder).iter().any(|(_, written)| memmem::find(written, word.as_bytes()).is_some())
}
