//! Request bodies of the image analysis interface.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    for answer in api::image_analysis::reject_bodies(body) {
        let length =
            answer.headers().get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
        let length: usize = length.unwrap_or_default();
        assert!(length < 1000, "a refusal is a sentence, not an echo: {length} bytes");
    }
});
