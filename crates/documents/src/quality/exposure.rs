//! Exposure: the brightness of the paper, the share of the page that is saturated, and whether saturation is local.

use crate::{locate::PageFormat, picture::plane::Plane};
use base::Picture;

pub(super) struct Exposure {
    /// The 90 % quantile of luma, 0 to 255.
    pub(super) white: f32,
    /// The share of the page that is saturated, 0 to 1.
    pub(super) toneless: f32,
    /// The share of the page in saturated spots that are brighter than the paper elsewhere, 0 to 1.
    pub(super) glare: f32,
}

/// Value from which a pixel is saturated.
const SATURATED_LUMA: f32 = 249.0;
/// Half the side of the smallest spot, in pixels of the page scaled to a longer side of 500.
const GLARE_SPOT_RADIUS_PIXELS: usize = 8;

pub(super) fn measure(page: &Picture, format: PageFormat) -> Exposure {
    // The minimum of the channels, because a saturated colour is not yet white.
    let values: Vec<f32> =
        page.rgb().as_chunks::<3>().0.iter().map(|&[r, g, b]| f32::from(r.min(g).min(b))).collect();
    let darkest = Plane::new(page.width() as usize, page.height() as usize, values).resize_to(500);
    let luma = Plane::luma(page).resize_to(500);
    let share = |plane: &Plane, test: &dyn Fn(f32) -> bool| {
        plane.values().iter().filter(|value| test(**value)).count() as f32 / plane.values().len() as f32
    };
    let mut toneless = share(&darkest, &|value| value >= SATURATED_LUMA);
    // Letters are on white paper, and saturation loses nothing while their ink is dark.
    if format == PageFormat::A4 && luma.quantile(0.02) < 110.0 {
        toneless = 0.0;
    }
    // Spots are white over about 4 mm of a passport, which is wider than the gaps between its lines (erosion). What
    // remains grows back by as much (dilation).
    let spots = darkest
        .clone()
        .map(|value| f32::from(u8::from(value >= SATURATED_LUMA)))
        .box_mean(GLARE_SPOT_RADIUS_PIXELS);
    let core = spots.map(|value| f32::from(u8::from(value > 0.995))).box_mean(GLARE_SPOT_RADIUS_PIXELS);
    let spot = share(&core, &|value| value > 0.0);
    // A page that is white everywhere is overexposed or simply white paper; glare is whiter than the paper beside it.
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
