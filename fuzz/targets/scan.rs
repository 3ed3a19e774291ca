//! The output of poppler's tools for a PDF file from outside.

#![no_main]

use libfuzzer_sys::fuzz_target;
use media::document_file::parse_poppler_output;

fuzz_target!(|bytes: &[u8]| {
    let (pages, picture) = parse_poppler_output(bytes);
    if let Some(pages) = pages {
        assert!(pages.len() <= 3);
        for page in pages {
            assert!(page.words.len() <= 5000 && page.size.iter().all(|side| side.is_finite()));
            for word in page.words {
                assert!(!word.text.trim().is_empty() && word.bounds.iter().all(|side| side.is_finite()));
            }
        }
    }
    if let Some(picture) = picture {
        assert_eq!(picture.rgb().len(), picture.width() as usize * picture.height() as usize * 3);
        assert!(picture.rgb().len() <= bytes.len());
    }
});
