//! The decoder of image validation compared with others.

use crate::report::{BenchReport, MeasuredFigure};
use anyhow::Context as _;
use measure::clock::time;
use media::image_validation::{self, ImageLimits};
use std::hint::black_box;

const DECODE_ROUNDS: usize = 60;

pub(crate) fn measure(report: &mut BenchReport, jpeg: &[u8]) -> anyhow::Result<()> {
    let rules = ImageLimits::default();
    let (mut ours, mut image, mut jpeg_decoder) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..DECODE_ROUNDS {
        let (picture, took) = time(|| {
            let header = image_validation::inspect(jpeg, &rules)?;
            image_validation::decode(jpeg, &header, &rules)
        });
        black_box(picture.ok().context("the gate takes the photo")?);
        ours.push(took);
        let (picture, took) = time(|| bare_work::decode(jpeg));
        black_box(picture.context("`image` takes the photo")?);
        image.push(took);
        let (pixels, took) = time(|| bare_work::decode_with_jpeg_decoder(jpeg));
        black_box(pixels.context("`jpeg-decoder` takes the photo")?);
        jpeg_decoder.push(took);
    }
    let ours = MeasuredFigure::times(&ours);
    for (peer, times) in [("image", image), ("jpeg-decoder", jpeg_decoder)] {
        report.add("JPEG through the gate", ours, Some((peer, MeasuredFigure::times(&times))), None, None);
    }
    Ok(())
}
