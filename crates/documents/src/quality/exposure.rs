//! Light: how bright the paper is, how much of the page has no tone left, and whether that lies in one place.

use crate::{locate::PageFormat, picture::plane::Plane};
use base::Picture;

pub(super) struct Exposure {
    /// The luma that a tenth of the page is above, 0 to 255.
    pub(super) white: f32,
    /// The share of the page at the top of the scale, 0 to 1.
    pub(super) toneless: f32,
    /// The share of the page in spots at the top of the scale, brighter than paper elsewhere, 0 to 1.
    pub(super) glare: f32,
}

/// From where on a sensor's white is white.
const SATURATED_LUMA: f32 = 249.0;
/// Half of the smallest spot, in five-hundredths of the page's long side.
const GLARE_SPOT_RADIUS_PIXELS: usize = 8;

pub(super) fn measure(page: &Picture, format: PageFormat) -> Exposure {
    // The darkest channel: a colour is not yet white.
    let values: Vec<f32> =
        page.rgb().as_chunks::<3>().0.iter().map(|&[r, g, b]| f32::from(r.min(g).min(b))).collect();
    let darkest = Plane::new(page.width() as usize, page.height() as usize, values).resize_to(500);
    let luma = Plane::luma(page).resize_to(500);
    let share = |plane: &Plane, test: &dyn Fn(f32) -> bool| {
        plane.values().iter().filter(|value| test(**value)).count() as f32 / plane.values().len() as f32
    };
    let mut toneless = share(&darkest, &|value| value >= SATURATED_LUMA);
    // Letters are on white paper, and lose nothing while their ink is dark.
    if format == PageFormat::A4 && luma.quantile(0.02) < 110.0 {
        toneless = 0.0;
    }
    // Spots: white all around for four millimetres of a passport, so wider than the gaps between its lines; what is left
    // after that grows back by as much.
    let spots = darkest
        .clone()
        .map(|value| f32::from(u8::from(value >= SATURATED_LUMA)))
        .box_mean(GLARE_SPOT_RADIUS_PIXELS);
    let core = spots.map(|value| f32::from(u8::from(value > 0.995))).box_mean(GLARE_SPOT_RADIUS_PIXELS);
    let spot = share(&core, &|value| value > 0.0);
    // Paper that is white everywhere is overexposed or simply paper; a spot is whiter than the paper beside it.
    let beside: Vec<f32> = darkest
        .values()
        .iter()
        .zip(core.values())
        .filter(|(_, core)| **core <= 0.0)
        .map(|(value, _)| *value)
        .collect();
    let count = beside.len();
    let paper = if count == 0 { 255.0 } else { Plane::new(count, 1, beside).quantile(0.6) };
    let stands_out = ((SATURATED_LUMA - paper) / 8.0 - 0.5).clamp(0.0, 1.0);
    Exposure { white: luma.quantile(0.9), toneless, glare: spot * stands_out }
}
