//! Lines of text with their positions, as on a page of a document or a letter.

#![no_main]

use documents::{
    mrz, supplementary,
    text::{TextLine, cross_check, fields, layout},
};
use jiff::civil::{Date, date};
use libfuzzer_sys::fuzz_target;

const TODAY: Date = date(2026, 11, 21);

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // The first two characters of a line determine its position.
    let lines: Vec<TextLine> = text
        .lines()
        .take(24)
        .enumerate()
        .map(|(at, line)| {
            let mut letters = line.chars();
            let [left, lift] =
                [(); 2].map(|()| letters.next().map_or(0.0, |c| (u32::from(c) % 97) as f32 * 5.0));
            let top = at as f32 * 30.0 + lift / 10.0;
            let rest = letters.as_str();
            TextLine::printed(rest, [left, top, left + 12.0 * rest.chars().count() as f32, top + 24.0])
        })
        .collect();
    let zone = mrz::find_in_text(&text).map(|parsed| parsed.mrz);
    for country in [None, Some("USA"), Some("DEU"), Some("THA")] {
        let context = fields::FieldContext { country, today: TODAY, zone: zone.as_ref() };
        let found = fields::read(&lines, &context);
        assert!(found.0.iter().all(|field| (0.0..=1.0).contains(&field.confidence)));
        if let Some(zone) = &zone {
            assert!(cross_check::compare_with_mrz(zone, &lines, &found, &context).len() < 20);
        }
        let letter = supplementary::read(&lines, TODAY, country);
        assert!(letter.found_count() <= 4);
    }
    let words: Vec<layout::LayoutWord> = lines
        .iter()
        .map(|line| {
            let ([left, top], [right, bottom]) = (line.corners[0], line.corners[2]);
            layout::LayoutWord { text: line.text.clone(), left, top, right, bottom }
        })
        .collect();
    assert!(layout::lines_of_words(&words).len() <= words.len());
});
