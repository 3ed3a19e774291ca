//! Lines of text with their places, as a page of a document or a letter has them.

#![no_main]

use documents::{
    mrz, supplementary,
    text::{Line, confirm, fields, layout},
};
use jiff::civil::{Date, date};
use libfuzzer_sys::fuzz_target;

const TODAY: Date = date(2026, 11, 21);

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // A line's first two characters say where it stands.
    let lines: Vec<Line> = text
        .lines()
        .take(24)
        .enumerate()
        .map(|(at, line)| {
            let mut letters = line.chars();
            let [left, lift] =
                [(); 2].map(|()| letters.next().map_or(0.0, |c| (u32::from(c) % 97) as f32 * 5.0));
            let top = at as f32 * 30.0 + lift / 10.0;
            let rest = letters.as_str();
            Line::printed(rest, [left, top, left + 12.0 * rest.chars().count() as f32, top + 24.0])
        })
        .collect();
    let zone = mrz::find_in_text(&text).map(|parsed| parsed.mrz);
    for country in [None, Some("USA"), Some("DEU"), Some("THA")] {
        let context = fields::Context { country, today: TODAY, zone: zone.as_ref() };
        let found = fields::read(&lines, &context);
        assert!(found.0.iter().all(|field| (0.0..=1.0).contains(&field.confidence)));
        if let Some(zone) = &zone {
            assert!(confirm::confirm(zone, &lines, &found, &context).len() < 20);
        }
        let letter = supplementary::read(&lines, TODAY, country);
        assert!(letter.known() <= 4);
    }
    let words: Vec<layout::Word> = lines
        .iter()
        .map(|line| {
            let ([left, top], [right, bottom]) = (line.corners[0], line.corners[2]);
            layout::Word { text: line.text.clone(), left, top, right, bottom }
        })
        .collect();
    assert!(layout::lines(&words).len() <= words.len());
});
