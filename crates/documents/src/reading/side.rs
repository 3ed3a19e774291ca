//! Reads one side of a document: where its page is, what is on it, and the quality of its photo.

use super::DocumentReader;
use crate::{
    barcode::{self, Barcode},
    forensics,
    locate::{LocatedPage, PageHints, ZoneHint, locate, up_direction},
    mrz::reader::MrzReading,
    picture::{homography::Point, mirror},
    quality, text,
};
use base::Picture;
use std::{
    panic::resume_unwind,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::ScopedJoinHandle,
};
use vision::{VisionError, VisionModels};

pub struct DocumentSide {
    /// The page, rectified and upright; the whole picture where no page was found.
    pub page: Picture,
    /// The outline of the page in the photo; `None` for pages of files, and where no page was found.
    pub located: Option<PageOutline>,
    /// The MRZ, with corners in pixels of the photo.
    pub zone: Option<MrzReading>,
    /// The barcodes, with corners in pixels of the photo.
    pub barcodes: Vec<Barcode>,
    /// The printed lines in reading order, with corners in pixels of the page.
    pub lines: Vec<text::TextLine>,
    /// The quality measures of the photo; empty where no page was found.
    pub quality: Vec<quality::QualityMeasure>,
    /// The traces that editing would have left in the photo, as far as they can be measured.
    pub traces: Vec<forensics::TraceMeasure>,
    /// Whether the photo was a mirror image.
    pub mirrored: bool,
}

/// The outline of a page in its photo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageOutline {
    /// Corners in pixels of the photo, clockwise from the page's own top left.
    pub corners: [Point; 4],
    /// Confidence that it is a page, 0 to 1.
    pub confidence: f32,
}

impl DocumentSide {
    /// Whether there is an MRZ, a barcode or the labels of fields. Mere text is not enough, because the net also reads
    /// letters into mirrored ones.
    fn has_readable_content(&self) -> bool {
        let worded = |line: &&text::TextLine| {
            text::label_dictionary::leading_label(&line.text).is_some_and(|label| label.worded)
        };
        let labels = self.lines.iter().filter(worded).count();
        self.zone.is_some() || !self.barcodes.is_empty() || labels >= MIN_LABELS
    }
}

// The content is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for DocumentSide {
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

/// Smallest face that tells the upright direction, as a share of the page's longer side. Portraits have about a sixth
/// of it.
const MIN_FACE_HEIGHT_SHARE: f32 = 0.08;
/// Fewer labels may have been read into mirrored letters.
const MIN_LABELS: usize = 2;
/// A page of a file with fewer lines of its own text is a scan, whose content is in the picture.
const MIN_FILE_LINES: usize = 3;

/// Reads a photo of a side. Where nothing can be read, the photo is mirrored and read again, because front cameras
/// deliver mirror images.
pub(super) fn read_photo(
    reader: &mut DocumentReader,
    vision: &mut VisionModels,
    photo: &Picture,
) -> Result<DocumentSide, VisionError> {
    let side = read_photo_unmirrored(reader, vision, photo)?;
    if side.has_readable_content() {
        return Ok(side);
    }
    let Some(turned) = mirror(photo) else { return Ok(side) };
    let other = read_photo_unmirrored(reader, vision, &turned)?;
    Ok(if other.has_readable_content() { DocumentSide { mirrored: true, ..other } } else { side })
}

/// Reads a photo without mirroring it. Barcodes are searched in parallel with the MRZ, the page and its face, and the
/// quality is measured in parallel with reading the printed text.
fn read_photo_unmirrored(
    reader: &mut DocumentReader,
    vision: &mut VisionModels,
    photo: &Picture,
) -> Result<DocumentSide, VisionError> {
    let (place, enough) = (OnceLock::new(), AtomicBool::new(false));
    let (zone, barcodes, lines, (quality, traces)) = std::thread::scope(|scope| {
        let mut codes = Some(scope.spawn(|| barcode::read_until(photo, &enough)));
        let zone = reader.zones.read(photo)?;
        // A document with an MRZ has nothing in its barcode that is not in the MRZ, and searching for one is slow.
        enough.store(zone.is_some(), Relaxed);
        let mut barcodes = None;
        let mut located = locate(photo, &PageHints { zone: zone.as_ref().map(zone_hint), up: None });
        if zone.is_none()
            && let Some(page) = located.take()
        {
            let face = up_of_face(vision, &page)?;
            // Without a face, the barcode tells the upright direction; wait for it.
            if face.is_none() {
                barcodes = codes.take().map(join_thread);
            }
            let up = face.or_else(|| up_of_barcode(barcodes.as_deref()?));
            located = Some(match up {
                Some(up) => page.reoriented(photo, up),
                None => page,
            });
        }
        let located = place.get_or_init(|| located).as_ref();
        let measured = located.map(|located| {
            scope.spawn(move || (quality::measure(photo, located), forensics::measure_photo(photo, located)))
        });
        let page = located.map_or(photo, |located| &located.page);
        let lines = reader.lines.read_beside(page, zone_on_page(zone.as_ref(), located).as_slice())?;
        let barcodes = codes.map(join_thread).or(barcodes).filter(|_| zone.is_none()).unwrap_or_default();
        let (quality, mut traces) = measured.map(join_thread).unwrap_or_default();
        traces.extend(located.map_or_else(Vec::new, |located| {
            let zone = zone_lines(zone.as_ref(), located);
            forensics::measure_print(photo, located, &[zone.as_slice(), &lines].concat())
        }));
        Ok::<_, VisionError>((zone, barcodes, lines, (quality, traces)))
    })?;
    let located = place.into_inner().flatten();
    let place = located.as_ref().map(|LocatedPage { corners, confidence, .. }| PageOutline {
        corners: *corners,
        confidence: *confidence,
    });
    let page = located.map_or_else(|| photo.clone(), |located| located.page);
    Ok(DocumentSide { page, located: place, zone, barcodes, lines, quality, traces, mirrored: false })
}

/// Waits for a thread and passes on its panic.
fn join_thread<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The corners of an MRZ in pixels of the page, or of the photo where no page was found.
fn zone_on_page(zone: Option<&MrzReading>, located: Option<&LocatedPage>) -> Option<[Point; 4]> {
    let corners = zone?.corners.map(|(x, y)| [x, y]);
    let Some(located) = located else { return Some(corners) };
    let to_page = located.to_photo.inverse()?;
    Some(corners.map(|corner| to_page.apply(corner)))
}

/// The lines of an MRZ as lines of print, with corners in pixels of the page.
fn zone_lines(zone: Option<&MrzReading>, located: &LocatedPage) -> Vec<text::TextLine> {
    let (Some(zone), Some(to_page)) = (zone, located.to_photo.inverse()) else { return Vec::new() };
    let [upper_left, upper_right, lower_right, lower_left] = zone.corners.map(|(x, y)| to_page.apply([x, y]));
    let mix =
        |from: Point, to: Point, share: f32| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
    let count = zone.lines.len() as f32;
    let lines = zone.lines.iter().enumerate().map(|(at, text)| {
        let [from, to] = [at as f32 / count, (at + 1) as f32 / count];
        text::TextLine {
            text: text.clone(),
            confidence: 1.0,
            corners: [
                mix(upper_left, lower_left, from),
                mix(upper_right, lower_right, from),
                mix(upper_right, lower_right, to),
                mix(upper_left, lower_left, to),
            ],
            certainty: Vec::new(),
        }
    });
    lines.collect()
}

/// Reads a page of a file, which is flat and upright. The net reads lines only where the file has too few of its own.
pub(super) fn read_file(
    reader: &mut DocumentReader,
    _vision: &mut VisionModels,
    page: &Picture,
    lines: &[text::TextLine],
) -> Result<DocumentSide, VisionError> {
    let zone = reader.zones.read(page)?;
    let barcodes = if zone.is_some() { Vec::new() } else { barcode::read(page) };
    let lines = if lines.len() < MIN_FILE_LINES { reader.lines.read(page)? } else { lines.to_vec() };
    let page = page.clone();
    let (quality, traces) = (Vec::new(), Vec::new());
    Ok(DocumentSide { page, located: None, zone, barcodes, lines, quality, traces, mirrored: false })
}

fn zone_hint(zone: &MrzReading) -> ZoneHint {
    ZoneHint {
        corners: zone.corners.map(|(x, y)| [x, y]),
        lines: zone.format.lines() as u8,
        columns: zone.format.length() as u8,
    }
}

/// The upright direction, derived from a PDF417.
fn up_of_barcode(barcodes: &[Barcode]) -> Option<[f32; 2]> {
    let code = barcodes.iter().find(|code| code.kind == barcode::Symbology::Pdf417)?;
    Some(up_direction(&code.corners))
}

/// The upright direction in the photo, derived from the largest face on the page. Faces are found at any rotation, and
/// their landmarks tell the direction.
fn up_of_face(vision: &mut VisionModels, located: &LocatedPage) -> Result<Option<[f32; 2]>, VisionError> {
    let page = &located.page;
    let faces = vision.detect_tiled(page, page.width().max(page.height()) as f32 * MIN_FACE_HEIGHT_SHARE)?;
    let largest = faces.iter().max_by(|a, b| a.width().total_cmp(&b.width()));
    Ok(largest.map(|face| {
        let [right, left, _, mouth, ..] = face.points;
        let eyes = [f32::midpoint(right[0], left[0]), f32::midpoint(right[1], left[1])];
        let [mouth, eyes] = [mouth, eyes].map(|point| located.to_photo.apply(point));
        [eyes[0] - mouth[0], eyes[1] - mouth[1]]
    }))
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
