//! Barcodes of documents: PDF417 and QR codes in a photograph, and the AAMVA text inside them.
//!
//! The decoder needs barcodes to be nearly level, but documents lie at any angle. So regions whose edges all run in one
//! direction are found first (`regions`); each of them is turned upright and decoded at several angles, scales and
//! degrees of sharpness until one succeeds. The effort is limited by a number of pixels and not by time, so that a
//! picture gives the same result on every machine.

pub mod aamva;
mod decode;
mod outline;
mod regions;

use crate::picture::{
    homography::{Homography, Point},
    plane::Plane,
};
use base::Picture;
use decode::DecodedBarcode;
use regions::BarcodeRegion;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbology {
    /// ISO/IEC 15438, as on driving licences of North America.
    Pdf417,
    /// ISO/IEC 18004.
    Qr,
}

/// A barcode that was decoded.
#[derive(Clone, PartialEq)]
pub struct Barcode {
    pub kind: Symbology,
    /// The content as bytes: Latin-1 where every character fits, else UTF-8.
    pub bytes: Vec<u8>,
    /// The content as text.
    pub text: String,
    /// Corners in pixels of the picture, clockwise from the top left of the code as it is read.
    pub corners: [Point; 4],
}

impl Barcode {
    /// The data of a driving licence, where the content is an AAMVA text.
    pub fn licence(&self) -> Option<aamva::Licence> {
        aamva::parse(&self.bytes).ok().map(|text| aamva::Licence::of(&text))
    }
}

// The content is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for Barcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Barcode({:?}, {} bytes at {:?})", self.kind, self.bytes.len(), self.corners)
    }
}

/// Longer pictures are scaled down to this: a code of 300 modules that fills half the side then has more than three
/// pixels per module.
const MAX_SIDE_PIXELS: usize = 2400;
/// Pixels that are decoded for one picture at most. Decoders take about 20 million a second.
const MAX_DECODED_PIXELS: usize = 40_000_000;
/// Angles by which a region is turned in addition to its own, in degrees and in this order.
const SWEEP_DEGREES: [f32; 13] = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1.5, -1.5, 2.5, -2.5];

/// Reads the barcodes of a picture: at most one PDF417, and all QR codes.
pub fn read(picture: &Picture) -> Vec<Barcode> {
    read_until(picture, &AtomicBool::new(false))
}

/// Like [`read`], but gives up soon after `enough` has been set.
pub fn read_until(picture: &Picture, enough: &AtomicBool) -> Vec<Barcode> {
    let full = Plane::luma(picture);
    let long = full.width().max(full.height());
    let plane = if long > MAX_SIDE_PIXELS { full.resize_to(MAX_SIDE_PIXELS) } else { full };
    // Dark photos also have bars.
    let plane = plane.stretch(0.005, 0.005);
    let scale = picture.width() as f32 / plane.width() as f32;

    let mut budget = DecodeBudget { pixels: MAX_DECODED_PIXELS, enough };
    let mut found = read_qr(&plane, &mut budget);
    found.extend(read_pdf417(&plane, &mut budget));
    let centred = |at: f32| (at + 0.5) * scale - 0.5;
    found
        .into_iter()
        .map(|DecodedBarcode { kind, text, corners }| Barcode {
            kind,
            bytes: decode::text_bytes(&text),
            text,
            corners: corners.map(|corner| corner.map(centred)),
        })
        .collect()
}

/// The remaining effort.
struct DecodeBudget<'a> {
    pixels: usize,
    enough: &'a AtomicBool,
}

impl DecodeBudget<'_> {
    /// Takes the cost of decoding a plane from the budget. Returns `false` where the budget is too small or the caller
    /// has had enough.
    fn spend(&mut self, plane: &Plane) -> bool {
        let left = self.pixels.checked_sub(plane.width() * plane.height());
        self.pixels = left.unwrap_or(0);
        left.is_some() && !self.enough.load(Relaxed)
    }
}

fn read_qr(plane: &Plane, budget: &mut DecodeBudget<'_>) -> Vec<DecodedBarcode> {
    let looks: [Preprocessing; 6] = [
        (1.0, |plane| plane),
        (0.5, |plane| plane.shrink(2)),
        (1.0, |plane| plane.sharpen(2.0, 1.5)),
        (1.0, |plane| plane.blur(1.2)),
        (1.0, |plane| normalise_lighting(&plane).stretch(0.02, 0.02)),
        (2.0, |plane| plane.resize_by(2.0)),
    ];
    for (scale, look) in looks {
        // Only small pictures are enlarged.
        if scale > 1.0 && plane.width().max(plane.height()) > MAX_SIDE_PIXELS / 2 {
            break;
        }
        let looked = look(plane.clone());
        if !budget.spend(&looked) {
            break;
        }
        let found = decode::qr(&looked);
        if !found.is_empty() {
            let back = |at: f32| (at + 0.5) / scale - 0.5;
            let restore = |found: DecodedBarcode| DecodedBarcode {
                corners: found.corners.map(|corner| corner.map(back)),
                ..found
            };
            return found.into_iter().map(restore).collect();
        }
    }
    Vec::new()
}

fn read_pdf417(plane: &Plane, budget: &mut DecodeBudget<'_>) -> Option<DecodedBarcode> {
    // Most documents have no PDF417; in most of the others it lies level in the photo.
    let regions = regions::find(plane);
    if regions.is_empty() {
        return None;
    }
    if budget.spend(plane)
        && let Some(found) = decode::pdf417(plane)
    {
        return Some(found);
    }
    // A cheap attempt for every region first, then all angles.
    let rectified = regions.iter().find_map(|region| try_rectified(plane, region, budget));
    rectified.or_else(|| regions.iter().find_map(|region| try_turned(plane, region, budget)))
}

/// How a plane is prepared for decoding: the scale at which it is drawn, and a filter.
type Preprocessing = (f32, fn(Plane) -> Plane);

/// Decodes a region that was turned upright and rectified along its outline.
fn try_rectified(
    plane: &Plane,
    region: &BarcodeRegion,
    budget: &mut DecodeBudget<'_>,
) -> Option<DecodedBarcode> {
    let (upright, _) = region.turn_upright(plane, 0.0, 1.0)?;
    let outline = outline::find(&upright);
    let looks: [Preprocessing; 5] = [
        (1.0, |plane| plane),
        // Overexposed bars are too thin, so what is not quite white is made darker.
        (2.0, |plane| plane.map(|value| 255.0 * (value / 255.0).powi(4))),
        // Bars of less than two pixels are easier to separate when enlarged.
        (2.0, |plane| plane.blur(0.8)),
        (2.0, |plane| normalise_lighting(&plane).sharpen(3.0, 1.5).stretch(0.02, 0.02)),
        (3.0, |plane| plane.sharpen(2.0, 2.0)),
    ];
    looks.into_iter().find_map(|(scale, look)| {
        let (cut, map) = match outline {
            Some(outline) => region.rectify(plane, &outline, scale)?,
            None => region.turn_upright(plane, 0.0, scale)?,
        };
        decode_cutout(&look(cut), &map, budget)
    })
}

/// Decodes a region at every angle near its own.
fn try_turned(
    plane: &Plane,
    region: &BarcodeRegion,
    budget: &mut DecodeBudget<'_>,
) -> Option<DecodedBarcode> {
    let looks: [Preprocessing; 3] = [
        (1.0, |plane| plane),
        (1.5, |plane| plane.blur(0.8)),
        (1.5, |plane| normalise_lighting(&plane).sharpen(2.5, 1.5).stretch(0.02, 0.02)),
    ];
    looks.into_iter().find_map(|(scale, look)| {
        SWEEP_DEGREES.into_iter().find_map(|angle| {
            let (cut, map) = region.turn_upright(plane, angle, scale)?;
            decode_cutout(&look(cut), &map, budget)
        })
    })
}

fn decode_cutout(cut: &Plane, map: &Homography, budget: &mut DecodeBudget<'_>) -> Option<DecodedBarcode> {
    if !budget.spend(cut) {
        return None;
    }
    let found = decode::pdf417(cut)?;
    Some(DecodedBarcode { corners: found.corners.map(|corner| map.apply(corner)), ..found })
}

/// Divides by the mean brightness around each pixel, so that shadows across the bars disappear.
fn normalise_lighting(plane: &Plane) -> Plane {
    let light = plane.box_mean(24);
    let pairs = plane.values().iter().zip(light.values());
    let values = pairs.map(|(value, light)| (value / light.max(1.0) * 128.0).min(255.0)).collect();
    Plane::new(plane.width(), plane.height(), values)
}
