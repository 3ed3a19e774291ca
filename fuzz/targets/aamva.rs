//! The text of a PDF417 barcode: parsed, interpreted, printed and parsed again.

#![no_main]

use documents::barcode::aamva::{Licence, MAX_AAMVA_TEXT_BYTES, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match parse(bytes) {
        Ok(text) => {
            let licence = Licence::of(&text);
            assert!(licence.bad_dates.len() <= 4);
            let _names = licence.given_names();
            let printed = text.encode();
            // Latin-1 is converted to UTF-8, which is longer.
            if printed.len() <= MAX_AAMVA_TEXT_BYTES {
                assert!(parse(&printed) == Ok(text), "what is printed is read");
            }
        }
        Err(refused) => assert!(refused.to_string().len() < 200, "a refusal is a sentence: {refused}"),
    }
});
