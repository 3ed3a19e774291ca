//! The validation that every image passes: as bytes, and as base64 text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use media::image_validation::{self, ImageLimits};
use std::sync::LazyLock;

/// The default rules, the relaxed ones, and rules so lax that small pictures, which are fast to try, are decoded, too.
static RULES: LazyLock<[ImageLimits; 3]> = LazyLock::new(|| {
    let strict = ImageLimits::default();
    let relaxed = strict.relaxed();
    let lax = ImageLimits {
        min_height: 1,
        max_height: 256,
        min_width: 1,
        max_width: 256,
        min_pixels: 1,
        max_pixels: 1 << 16,
        min_coloured: 0.0,
        ..relaxed.clone()
    };
    [strict, relaxed, lax]
});

fuzz_target!(|bytes: &[u8]| {
    check_image(bytes);
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(image) = image_validation::decode_base64(text)
    {
        assert!(!image.is_empty() && image.len() <= text.len() / 4 * 3);
        let again = image_validation::decode_base64(&base64_simd::STANDARD.encode_to_string(&image));
        assert_eq!(again.as_deref(), Ok(&*image));
        check_image(&image);
    }
});

fn check_image(bytes: &[u8]) {
    let [strict, relaxed, _] = &*RULES;
    if let Ok(header) = image_validation::inspect(bytes, strict) {
        assert_eq!(
            image_validation::inspect(bytes, relaxed),
            Ok(header),
            "relaxed rules accept what strict ones do"
        );
        assert!((50_000..=1_500_000).contains(&bytes.len()));
        assert!(header.jpeg_quality.is_none_or(|quality| (95..=100).contains(&quality)));
    }
    for rules in &*RULES {
        let Ok(header) = image_validation::inspect(bytes, rules) else { continue };
        assert!((1..=8).contains(&header.orientation));
        let (width, height) = (header.size.width, header.size.height);
        assert!((rules.min_width..=rules.max_width).contains(&width));
        assert!((rules.min_height..=rules.max_height).contains(&height));
        assert!((rules.min_pixels..=rules.max_pixels).contains(&(width * height)));
        if let Ok(picture) = image_validation::decode(bytes, &header, rules) {
            assert_eq!(picture.size(), header.size);
            assert_eq!(picture.rgb().len(), width as usize * height as usize * 3);
        }
    }
}
