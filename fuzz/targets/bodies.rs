//! Any body, as the operations of the image AI interface read it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    for problem in api::ai::read_bodies(body).into_iter().filter_map(Result::err) {
        let words = format!("{problem:?}");
        assert!(words.len() < 1000, "a refusal is a sentence, not an echo: {} bytes", words.len());
    }
});
