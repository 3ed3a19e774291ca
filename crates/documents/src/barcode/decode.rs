//! Isolates the third-party decoder: it gets one plane and returns the content, and its panics do not end the process.

use super::Symbology;
use crate::picture::{homography::Point, plane::Plane};
use rxing::{
    BinaryBitmap, DecodeHints, Luma8LuminanceSource, RXingResult, RXingResultMetadataType,
    RXingResultMetadataValue, Reader,
    common::HybridBinarizer,
    multi::{MultipleBarcodeReader, qrcode::QRCodeMultiReader},
    pdf417::PDF417Reader,
    qrcode::QRCodeReader,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A barcode in a plane. Corners are in pixels of the plane.
pub(super) struct DecodedBarcode {
    pub(super) kind: Symbology,
    pub(super) text: String,
    pub(super) corners: [Point; 4],
}

/// More than any code holds (a QR code holds 7,089 digits).
const MAX_TEXT_BYTES: usize = 8192;

/// Latin-1 where every character fits, because it is the default encoding of PDF417; else UTF-8.
pub(super) fn text_bytes(text: &str) -> Vec<u8> {
    let latin: Result<Vec<u8>, _> = text.chars().map(|letter| u8::try_from(u32::from(letter))).collect();
    latin.unwrap_or_else(|_| text.as_bytes().to_vec())
}

fn bitmap(plane: &Plane) -> Option<BinaryBitmap<HybridBinarizer<Luma8LuminanceSource>>> {
    let source =
        Luma8LuminanceSource::new(plane.bytes(), plane.width() as u32, plane.height() as u32).ok()?;
    Some(BinaryBitmap::new(HybridBinarizer::new(source)))
}

fn hints() -> DecodeHints {
    DecodeHints { TryHarder: Some(true), ..DecodeHints::default() }
}

/// The decoder indexes and subtracts by values that it finds in the picture. A panic there counts as an unreadable
/// code.
fn catch_decoder_panic<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

/// Decodes one PDF417, in any of four orientations.
pub(super) fn pdf417(plane: &Plane) -> Option<DecodedBarcode> {
    let result =
        catch_decoder_panic(|| PDF417Reader::new().decode_with_hints(&mut bitmap(plane)?, &hints()).ok())?;
    let metadata = result.getRXingResultMetadata();
    let turned = match metadata.get(&RXingResultMetadataType::ORIENTATION) {
        Some(RXingResultMetadataValue::Orientation(turned)) => *turned,
        _ => 0,
    };
    let corners = pdf417_corners(&result)?;
    let (right, bottom) = (plane.width() as f32 - 1.0, plane.height() as f32 - 1.0);
    // The decoder rotated the plane anticlockwise by this angle before it could read the code.
    let corners = corners.map(|[x, y]| match turned {
        90 => [right - y, x],
        180 => [right - x, bottom - y],
        270 => [y, bottom - x],
        _ => [x, y],
    });
    let text = result.getText().to_owned();
    (text.len() <= MAX_TEXT_BYTES).then_some(DecodedBarcode { kind: Symbology::Pdf417, text, corners })
}

/// The corners from the ends of the start and stop patterns, or of the last codewords where the stop pattern was not
/// found.
fn pdf417_corners(result: &RXingResult) -> Option<[Point; 4]> {
    let points: Vec<Point> = result.getPoints().iter().map(|point| [point.x, point.y]).collect();
    let (left, right) = (
        points.iter().map(|point| point[0]).reduce(f32::min)?,
        points.iter().map(|point| point[0]).reduce(f32::max)?,
    );
    let side = |edge: f32| {
        let near = || points.iter().filter(move |point| (point[0] - edge).abs() <= (right - left) * 0.25);
        let top = near().min_by(|a, b| a[1].total_cmp(&b[1]))?;
        let bottom = near().max_by(|a, b| a[1].total_cmp(&b[1]))?;
        Some((*top, *bottom))
    };
    let ((mut top_left, mut bottom_left), (mut top_right, mut bottom_right)) = (side(left)?, side(right)?);
    top_left[0] = top_left[0].min(left);
    bottom_left[0] = bottom_left[0].min(left);
    top_right[0] = top_right[0].max(right);
    bottom_right[0] = bottom_right[0].max(right);
    Some([top_left, top_right, bottom_right, bottom_left])
}

/// Decodes all QR codes, at any angle.
pub(super) fn qr(plane: &Plane) -> Vec<DecodedBarcode> {
    let several = catch_decoder_panic(|| {
        QRCodeMultiReader::new().decode_multiple_with_hints(&mut bitmap(plane)?, &hints()).ok()
    });
    let results = several.filter(|results| !results.is_empty()).unwrap_or_else(|| {
        catch_decoder_panic(|| QRCodeReader::new().decode_with_hints(&mut bitmap(plane)?, &hints()).ok())
            .into_iter()
            .collect()
    });
    results.iter().filter_map(qr_found).collect()
}

/// Converts the points of a QR code, which are the centres of its finder patterns: bottom left, top left, top right.
fn qr_found(result: &RXingResult) -> Option<DecodedBarcode> {
    let [bottom_left, top_left, top_right, ..] = result.getPoints() else { return None };
    let [bottom_left, top_left, top_right] =
        [bottom_left, top_left, top_right].map(|point| [point.x, point.y]);
    let across = [top_right[0] - top_left[0], top_right[1] - top_left[1]];
    let down = [bottom_left[0] - top_left[0], bottom_left[1] - top_left[1]];
    // The centres lie 3.5 modules inside the code. A margin of 0.12 of their distance is exact for 36 modules: the
    // corners of smaller codes are found a little too far inside, those of larger codes too far outside.
    let at = |x: f32, y: f32| {
        [top_left[0] + across[0] * x + down[0] * y, top_left[1] + across[1] * x + down[1] * y]
    };
    let edge = 0.12;
    let corners =
        [at(-edge, -edge), at(1.0 + edge, -edge), at(1.0 + edge, 1.0 + edge), at(-edge, 1.0 + edge)];
    let text = result.getText().to_owned();
    (text.len() <= MAX_TEXT_BYTES).then_some(DecodedBarcode { kind: Symbology::Qr, text, corners })
}
