//! Traces that editing a photo with a program leaves in it, as numbers with limits.
//!
//! A camera treats the whole page alike: one noise, one compression, one sharpness, one print. What was put into its photo
//! afterwards differs, unless whoever did it took care of that. No trace proves an edit, and none that is absent proves that
//! there was none: each may ask for a second look, and decides nothing. Traces that cannot be measured, such as the noise of
//! a photo that a telephone has smoothed, are left out. `docs/ACCURACY.md` says what each finds and what it takes for an edit.
//!
//! Edits of the document itself, before a camera took it, leave none of these traces but [`EditTrace::UnevenPrint`].

mod copied_region;
mod noise;
mod portrait_edge;
mod recompression;
mod uneven_print;

use crate::{
    limit::Limit,
    locate::LocatedPage,
    picture::{homography::Homography, plane::Plane},
    text::TextLine,
};
use base::Picture;
use vision::Face;

/// A trace of editing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditTrace {
    /// A part of the page lacks the noise of the rest.
    Noise,
    /// A part of the page lacks the compression that the rest has gone through.
    Recompression,
    /// Two pieces of print are the same to the pixel.
    CopiedRegion,
    /// Characters of a line differ in height, or stand above or below it.
    UnevenPrint,
    /// The edge of the portrait is sharper than the print.
    PortraitEdge,
}

impl EditTrace {
    /// All traces, in the order in which they are reported.
    pub const ALL: [Self; 5] =
        [Self::Noise, Self::Recompression, Self::CopiedRegion, Self::UnevenPrint, Self::PortraitEdge];

    /// The name in tables and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Recompression => "recompression",
            Self::CopiedRegion => "copied_region",
            Self::UnevenPrint => "uneven_print",
            Self::PortraitEdge => "portrait_edge",
        }
    }

    /// The limit of the measured number.
    pub fn limit(self) -> Limit {
        match self {
            Self::Noise => Limit::AtMost(10.0, "square millimetres without the noise of the rest"),
            Self::Recompression => {
                Limit::AtMost(10.0, "square millimetres without the compression of the rest")
            }
            Self::CopiedRegion => Limit::AtMost(0.5, "pieces of print that are the same to the pixel"),
            Self::UnevenPrint => Limit::AtMost(0.25, "of the height by which a character leaves its line"),
            Self::PortraitEdge => Limit::AtMost(2.2, "times as sharp as the print"),
        }
    }
}

/// A measured trace; its limit is [`EditTrace::limit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceMeasure {
    pub trace: EditTrace,
    /// The number, in the unit of the limit.
    pub value: f32,
}

impl TraceMeasure {
    pub fn is_broken(&self) -> bool {
        self.trace.limit().is_broken(self.value)
    }
}

/// The traces in the pixels of a photo, wherever something is on the page.
pub(crate) fn measure_photo(photo: &Picture, located: &LocatedPage) -> Vec<TraceMeasure> {
    let Some(place) = PageInPhoto::of(photo, located) else { return Vec::new() };
    [
        (EditTrace::Noise, noise::quiet_area(&place)),
        (EditTrace::Recompression, recompression::foreign_area(&place)),
    ]
    .into_iter()
    .filter_map(|(trace, value)| Some(TraceMeasure { trace, value: value? }))
    .collect()
}

/// The traces in the print of a page, whose lines have their corners in pixels of the page.
pub(crate) fn measure_print(photo: &Picture, located: &LocatedPage, lines: &[TextLine]) -> Vec<TraceMeasure> {
    let Some(place) = PageInPhoto::of(photo, located) else { return Vec::new() };
    [
        (EditTrace::CopiedRegion, copied_region::count_copies(&place, lines)),
        (EditTrace::UnevenPrint, uneven_print::largest_deviation(&located.page, lines)),
    ]
    .into_iter()
    .filter_map(|(trace, value)| Some(TraceMeasure { trace, value: value? }))
    .collect()
}

/// The trace at the edge of a portrait. Face and lines are in pixels of the page, which was rectified from a photo.
pub(crate) fn measure_portrait(page: &Picture, face: &Face, lines: &[TextLine]) -> Option<TraceMeasure> {
    let value = portrait_edge::sharpness_ratio(&Plane::luma(page), face, lines)?;
    Some(TraceMeasure { trace: EditTrace::PortraitEdge, value })
}

/// The luma of a photo and where the page is in it. The photo is measured before rectification, which would smooth every trace
/// away.
struct PageInPhoto {
    luma: Plane,
    to_photo: Homography,
    to_page: Homography,
    page_size: [f32; 2],
    pixels_per_millimetre: f32,
    /// Left, top, right and bottom of the page's bounding box in the photo, pixels.
    bounds: [usize; 4],
}

impl PageInPhoto {
    fn of(photo: &Picture, located: &LocatedPage) -> Option<Self> {
        let luma = Plane::luma(photo);
        let range = |axis: usize, length: usize| {
            let all = located.corners.map(|corner| corner[axis]);
            let low = all.into_iter().fold(f32::INFINITY, f32::min).max(0.0) as usize;
            let high = all.into_iter().fold(0.0, f32::max).min(length as f32) as usize;
            [low.min(length), high]
        };
        let ([left, right], [top, bottom]) = (range(0, luma.width()), range(1, luma.height()));
        let scale = crate::quality::pixels_per_millimetre(located);
        (right > left && bottom > top && scale > 0.0).then_some(())?;
        Some(Self {
            to_page: located.to_photo.inverse()?,
            to_photo: located.to_photo,
            page_size: [located.page.width() as f32, located.page.height() as f32],
            pixels_per_millimetre: scale,
            bounds: [left, top, right, bottom],
            luma,
        })
    }

    /// Whether a point of the photo is on the page and not at its edge.
    fn is_on_page(&self, x: f32, y: f32) -> bool {
        let [across, down] = self.to_page.apply([x, y]);
        let [width, height] = self.page_size;
        let inside = |at: f32, length: f32| (0.02 * length..0.98 * length).contains(&at);
        inside(across, width) && inside(down, height)
    }
}

/// The number of cells of the largest connected group among marked cells of a grid, row by row.
fn largest_group(marked: &[bool], columns: usize) -> usize {
    let mut seen = vec![false; marked.len()];
    let mut largest = 0;
    for start in 0..marked.len() {
        if !marked[start] || seen[start] {
            continue;
        }
        let (mut group, mut open) = (0, vec![start]);
        seen[start] = true;
        while let Some(cell) = open.pop() {
            group += 1;
            let column = cell % columns;
            let neighbours = [
                (column > 0).then(|| cell - 1),
                (column + 1 < columns).then_some(cell + 1),
                cell.checked_sub(columns),
                Some(cell + columns).filter(|below| *below < marked.len()),
            ];
            for next in neighbours.into_iter().flatten() {
                if marked[next] && !seen[next] {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        largest = largest.max(group);
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{locate::PageHints, picture::homography::Point};
    use fixtures::specimens::{DocumentAttack, stage_attack};

    #[test]
    fn groups_are_joined_along_sides_and_not_around_the_edge() {
        let grid = |text: &str| text.bytes().map(|cell| cell == b'#').collect::<Vec<_>>();
        assert_eq!(largest_group(&grid("##..#.##"), 4), 3);
        assert_eq!(
            largest_group(&grid("...##..."), 4),
            1,
            "the end of a row is no neighbour of the next row's start"
        );
        assert_eq!(largest_group(&grid("........"), 4), 0);
    }

    /// The traces in the pixels of a staged photo that are beyond their limits.
    fn broken(attack: DocumentAttack, seed: u64) -> Vec<EditTrace> {
        let photo = &stage_attack(attack, seed).photos[0];
        let located = crate::locate::locate(photo, &PageHints::default()).expect("a page");
        let measured = measure_photo(photo, &located);
        assert!(measured.iter().any(|measure| measure.trace == EditTrace::Recompression), "{attack:?}");
        measured.iter().filter(|measure| measure.is_broken()).map(|measure| measure.trace).collect()
    }

    #[test]
    fn what_was_painted_into_a_jpeg_and_saved_without_loss_lacks_its_compression() {
        assert_eq!(
            broken(DocumentAttack::EditedConsistently, 2),
            [],
            "the document was edited, not its photo"
        );
        assert!(broken(DocumentAttack::RetouchedPhoto, 2).contains(&EditTrace::Recompression));
        assert!(broken(DocumentAttack::RetouchedPortrait, 2).contains(&EditTrace::Recompression));
    }

    /// A photo that is its page, with noise and the pieces that `ink` says.
    fn flat_page(width: usize, height: usize, ink: impl Fn(usize, usize) -> f32) -> PageInPhoto {
        let mut state = 7u32;
        let values = (0..width * height).map(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 24) as f32 / 256.0 * 8.0 - 4.0;
            210.0 - ink(at % width, at / width) + noise
        });
        let (right, low) = (width as f32, height as f32);
        let corners: [Point; 4] = [[0.0, 0.0], [right, 0.0], [right, low], [0.0, low]];
        let same = Homography::from_corners(&corners, &corners).expect("the same page");
        PageInPhoto {
            luma: Plane::new(width, height, values.collect()),
            to_photo: same,
            to_page: same,
            page_size: [right, low],
            pixels_per_millimetre: 10.0,
            bounds: [0, 0, width, height],
        }
    }

    /// Strokes of a letter, of which each has another form.
    fn letters(x: usize, y: usize) -> f32 {
        let letter = x / 24;
        let stroke = (x % 24 + y * (letter % 5)) % (7 + letter % 4) < 3;
        if stroke && (8..40).contains(&y) { 140.0 } else { 0.0 }
    }

    #[test]
    fn a_piece_of_print_that_was_copied_is_found_and_letters_that_look_alike_are_not() {
        let line = TextLine::printed("a line of print", [0.0, 4.0, 400.0, 44.0]);
        let mut place = flat_page(400, 48, letters);
        assert_eq!(copied_region::count_copies(&place, std::slice::from_ref(&line)), Some(0.0));
        let mut values = place.luma.values().to_vec();
        for y in 6..42 {
            for x in 0..30 {
                values[y * 400 + 300 + x] = values[y * 400 + 24 + x];
            }
        }
        place.luma = Plane::new(400, 48, values);
        assert!(copied_region::count_copies(&place, &[line]).is_some_and(|copies| copies >= 1.0));
    }

    #[test]
    fn a_digit_that_leaves_its_line_is_found() {
        // Eight digits, of which the sixth stands higher by so many pixels.
        let page = |off: u32| {
            let rgb = (0..60 * 260).flat_map(|at| {
                let (x, y) = (at % 260, at / 260);
                let (digit, within) = (x / 32, x % 32);
                let top = 12 - if digit == 5 { off } else { 0 };
                let ink = digit < 8 && (8..26).contains(&within) && (top..top + 34).contains(&y);
                [if ink { 30 } else { 225 }; 3]
            });
            Picture::new(260, 60, rgb.collect()).expect("a page")
        };
        let line = TextLine::printed("12345678", [4.0, 6.0, 256.0, 52.0]);
        let deviation =
            |off| uneven_print::largest_deviation(&page(off), std::slice::from_ref(&line)).expect("digits");
        assert!(deviation(0) < 0.03, "{}", deviation(0));
        assert!(deviation(9) > 0.25, "{}", deviation(9));
        let words = TextLine::printed("a line of words", [4.0, 6.0, 256.0, 52.0]);
        assert_eq!(uneven_print::largest_deviation(&page(7), &[words]), None, "accents reach higher");
    }

    #[test]
    fn an_edge_that_is_sharper_than_the_print_is_found() {
        let ratio = |border_blur: f32| {
            let print = |x: usize, y: usize| if (300..440).contains(&y) && x % 20 < 8 { 150.0 } else { 0.0 };
            let page = flat_page(600, 460, print).luma.blur(2.2);
            let square = flat_page(600, 460, |x, y| {
                if (200..400).contains(&x) && (40..240).contains(&y) { 90.0 } else { 0.0 }
            });
            let square = square.luma.blur(border_blur);
            let values = (0..600 * 460)
                .map(|at| if at / 600 < 280 { square.values()[at] } else { page.values()[at] })
                .collect();
            let face = Face {
                left: 240.0,
                top: 80.0,
                right: 360.0,
                bottom: 200.0,
                score: 1.0,
                points: [
                    [270.0, 120.0],
                    [330.0, 120.0],
                    [300.0, 140.0],
                    [300.0, 170.0],
                    [250.0, 130.0],
                    [350.0, 130.0],
                ],
            };
            let lines: Vec<_> = (0..4)
                .map(|at| {
                    let top = 310.0 + at as f32 * 32.0;
                    TextLine::printed("IIIIIIIIIIIIIIIIIIIIIIII", [20.0, top, 580.0, top + 20.0])
                })
                .collect();
            portrait_edge::sharpness_ratio(&Plane::new(600, 460, values), &face, &lines).expect("an edge")
        };
        assert!(ratio(0.3) > 2.2, "{}", ratio(0.3));
        assert!(ratio(2.2) < 1.5, "{}", ratio(2.2));
    }
}
