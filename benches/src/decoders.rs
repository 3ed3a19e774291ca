//! The gate's decoder beside others.

use crate::{
    bare,
    clock::time,
    report::{Figure, Report},
};
use anyhow::Context as _;
use media::gate::{self, Rules};
use std::hint::black_box;

const ROUNDS: usize = 60;

pub(crate) fn measure(report: &mut Report, jpeg: &[u8]) -> anyhow::Result<()> {
    let rules = Rules::default();
    let (mut ours, mut image, mut jpeg_decoder) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (picture, took) = time(|| {
            let header = gate::inspect(jpeg, &rules)?;
            gate::decode(jpeg, &header, &rules)
        });
        black_box(picture.ok().context("the gate takes the photo")?);
        ours.push(took);
        let (picture, took) = time(|| bare::decode(jpeg));
        black_box(picture?);
        image.push(took);
        let (pixels, took) = time(|| jpeg_decoder::Decoder::new(jpeg).decode());
        black_box(pixels?);
        jpeg_decoder.push(took);
    }
    let ours = Figure::times(&ours);
    for (peer, times) in [("image", image), ("jpeg-decoder", jpeg_decoder)] {
        report.add("JPEG through the gate", ours, Some((peer, Figure::times(&times))), None, None);
    }
    Ok(())
}
