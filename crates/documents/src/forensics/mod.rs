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
            Self::UnevenPrint => Limit::AtMost(0.16, "of the height by which a character leaves its line"),
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
    use super::largest_group;

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
}
