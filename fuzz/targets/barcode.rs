//! A small picture that may show a barcode: its width, then one byte per pixel.

#![no_main]

use base::Picture;
use documents::barcode;
use libfuzzer_sys::fuzz_target;
use std::sync::Once;

/// Panics in the third-party decoder are caught by its caller and are not findings; all others are.
fn expect_panics_of_the_decoder() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let inside = info.location().is_some_and(|place| place.file().contains("/rxing-"));
            if !inside {
                before(info);
            }
        }));
    });
}

fuzz_target!(|bytes: &[u8]| {
    expect_panics_of_the_decoder();
    let Some((&width, pixels)) = bytes.split_first() else { return };
    let width = usize::from(width).max(16);
    let height = pixels.len() / width;
    let rgb = pixels[..width * height].iter().flat_map(|&grey| [grey; 3]).collect();
    let Some(picture) = Picture::new(width as u32, height as u32, rgb) else { return };
    for code in barcode::read(&picture) {
        assert!(code.corners.iter().flatten().all(|at| at.is_finite()));
        let _licence = barcode::aamva::parse(&code.bytes);
    }
});
