//! The text of a machine-readable zone: parsed, repaired, located in a page, printed and parsed again.

#![no_main]

use documents::mrz::{MrzFormat, ParsedMrz, encode, find_in_text, parse, parse_repaired, transliterate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    for parsed in [parse(&lines).ok(), parse_repaired(&lines).ok(), find_in_text(&text)].into_iter().flatten()
    {
        assert_round_trip(&parsed);
    }
    assert!(transliterate::spellings(&text).len() <= 24);
    let letters = transliterate::transliterate(&text);
    assert!(letters.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b' '));
});

/// What was read has the shape of its format, and reads the same when it is printed.
fn assert_round_trip(parsed: &ParsedMrz) {
    let format = parsed.mrz.format;
    assert!(parsed.lines.len() == format.lines());
    assert!(parsed.lines.iter().all(|line| line.len() == format.length()));
    // Given names on the French card can be separated in two ways, of which only one is printed.
    if format == MrzFormat::FrenchId {
        return;
    }
    if let Ok(lines) = encode(&parsed.mrz) {
        let again = parse(&lines).expect("what is printed is read");
        assert!(again.checks_hold(), "and has every check digit right: {lines:?}");
        assert_eq!(again.mrz, parsed.mrz);
    }
}
