//! One side: where its page is, what is on it, and how good its photo is.

use super::Reader;
use crate::{
    barcode::{self, Barcode},
    locate::{Hints, Located, ZoneHint, locate, upwards},
    mrz::read::Zone,
    picture::{mirror, page_homography::Point},
    quality, text,
};
use base::Picture;
use vision::{Face, Vision, VisionError};

/// A side that was read.
pub struct Side {
    /// Its page, flat and upright where it was found; the whole picture where not.
    pub page: Picture,
    /// Where the page is in the photo; nothing for pages of files, and where none was found.
    pub located: Option<Place>,
    /// Its machine readable zone; corners are those of the photo.
    pub zone: Option<Zone>,
    /// Its barcodes; corners are those of the photo.
    pub barcodes: Vec<Barcode>,
    /// What is printed for people, in reading order; corners are those of the page.
    pub lines: Vec<text::Line>,
    /// What is wrong with the photo: empty where no page was found in one.
    pub quality: Vec<quality::Measure>,
    /// Whether the photo was seen in a mirror.
    pub mirrored: bool,
}

/// Where a page is in its photo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The page's own top left, top right, bottom right and bottom left, in pixels of the photo.
    pub corners: [Point; 4],
    /// How surely it is a page, 0 to 1.
    pub confidence: f32,
}

impl Side {
    /// Whether there is a zone, a barcode, or a label of a field on it: a net for text sees letters in a mirror, too.
    fn makes_sense(&self) -> bool {
        let worded =
            |line: &&text::Line| text::labels::label_of(&line.text).is_some_and(|label| label.worded);
        let labels = self.lines.iter().filter(worded).count();
        self.zone.is_some() || !self.barcodes.is_empty() || labels >= FEW_LABELS
    }
}

// What is written on it must not reach a log by way of `{:?}`.
impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Side({:?}, zone: {}, {} barcodes, {} lines)",
            self.page,
            self.zone.is_some(),
            self.barcodes.len(),
            self.lines.len()
        )
    }
}

/// A side takes at least this much of the photo's longer side where a face on it shows which way is up.
const SMALLEST_FACE: f32 = 0.03;
/// Fewer labels may be read into letters in a mirror.
const FEW_LABELS: usize = 2;
/// Fewer lines of a file's own are none: it is a scan, and what matters is in the picture.
const FEW_LINES: usize = 3;

/// A photo of a side. One in a mirror, as front cameras make them, is turned round when nothing can be made of it.
pub(super) fn read_photo(
    reader: &mut Reader,
    vision: &mut Vision,
    photo: &Picture,
) -> Result<Side, VisionError> {
    let side = read_as_it_is(reader, vision, photo)?;
    if side.makes_sense() {
        return Ok(side);
    }
    let Some(turned) = mirror(photo) else { return Ok(side) };
    let other = read_as_it_is(reader, vision, &turned)?;
    Ok(if other.makes_sense() { Side { mirrored: true, ..other } } else { side })
}

fn read_as_it_is(reader: &mut Reader, vision: &mut Vision, photo: &Picture) -> Result<Side, VisionError> {
    let zone = reader.zones.read(photo)?;
    // Where there is a zone nothing is in a barcode that is not in it; and looking for one takes its time.
    let barcodes = if zone.is_some() { Vec::new() } else { barcode::read(photo) };
    let hints = Hints { zone: zone.as_ref().map(hint), up: up(vision, photo, zone.as_ref(), &barcodes)? };
    let located = locate(photo, &hints);
    let quality = located.as_ref().map_or_else(Vec::new, |located| quality::measure(photo, located));
    let known: Vec<[Point; 4]> = zone
        .iter()
        .filter_map(|zone| {
            let corners = zone.corners.map(|(x, y)| [x, y]);
            match &located {
                Some(located) => {
                    let to_page = located.to_photo.inverse()?;
                    Some(corners.map(|corner| to_page.apply(corner)))
                }
                None => Some(corners),
            }
        })
        .collect();
    let place = located
        .as_ref()
        .map(|Located { corners, confidence, .. }| Place { corners: *corners, confidence: *confidence });
    let page = match located {
        Some(located) => located.page,
        None => photo.clone(),
    };
    let lines = reader.lines.read_beside(&page, &known)?;
    Ok(Side { page, located: place, zone, barcodes, lines, quality, mirrored: false })
}

/// A page of a file, which is flat and upright; what the file says itself need not be read.
pub(super) fn read_file(
    reader: &mut Reader,
    _vision: &mut Vision,
    page: &Picture,
    lines: &[text::Line],
) -> Result<Side, VisionError> {
    let zone = reader.zones.read(page)?;
    let barcodes = if zone.is_some() { Vec::new() } else { barcode::read(page) };
    let lines = if lines.len() < FEW_LINES { reader.lines.read(page)? } else { lines.to_vec() };
    let page = page.clone();
    Ok(Side { page, located: None, zone, barcodes, lines, quality: Vec::new(), mirrored: false })
}

fn hint(zone: &Zone) -> ZoneHint {
    ZoneHint {
        corners: zone.corners.map(|(x, y)| [x, y]),
        lines: zone.format.lines() as u8,
        columns: zone.format.length() as u8,
    }
}

/// Which way is up: the zone tells, then a barcode, then a face.
fn up(
    vision: &mut Vision,
    photo: &Picture,
    zone: Option<&Zone>,
    barcodes: &[Barcode],
) -> Result<Option<[f32; 2]>, VisionError> {
    if zone.is_some() {
        return Ok(None);
    }
    if let Some(code) = barcodes.iter().find(|code| code.kind == barcode::Kind::Pdf417) {
        return Ok(Some(upwards(&code.corners)));
    }
    let smallest = photo.width().max(photo.height()) as f32 * SMALLEST_FACE;
    // Faces are found whichever way the photo lies, and tell it by their points.
    let faces = vision.find(photo, smallest)?;
    let largest = faces.iter().max_by(|a, b| a.width().total_cmp(&b.width()));
    Ok(largest.map(from_mouth_to_eyes))
}

fn from_mouth_to_eyes(face: &Face) -> [f32; 2] {
    let [right, left, _, mouth, ..] = face.points;
    [f32::midpoint(right[0], left[0]) - mouth[0], f32::midpoint(right[1], left[1]) - mouth[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_moves_every_pixel_where_it_belongs() {
        let picture = Picture::new(2, 3, (0..18).collect()).expect("six pixels");
        assert_eq!(mirror(&picture).expect("six pixels").pixel(0, 1), picture.pixel(1, 1));
    }
}
