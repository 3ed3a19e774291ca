//! Finds the page of a document in a photograph and draws it flat and upright.
//!
//! A page is a quadrilateral whose sides are straight edges that end at the corners, with the aspect ratio of one of
//! the formats of documents. What an MRZ, a face or a barcode already tells about the position of the page and the
//! upright direction is passed in as [`PageHints`]. Without hints both are estimated, and [`LocatedPage::upright`] says
//! so.

mod edge_lines;
mod orientation;
mod print_density;
mod quadrilaterals;

use crate::picture::homography::{Homography, Point, polygon_area};
use base::Picture;
use edge_lines::EdgeMap;
use print_density::PrintDensity;
use quadrilaterals::Quad;

/// The format of a page (ISO/IEC 7810, ISO 216).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageFormat {
    /// Cards: 85.60 x 53.98 mm.
    Id1,
    /// Older identity cards: 105 x 74 mm.
    Id2,
    /// Data pages of passports: 125 x 88 mm.
    Id3,
    /// Letters and bills: 210 x 297 mm.
    A4,
}

impl PageFormat {
    pub const ALL: [Self; 4] = [Self::Id1, Self::Id2, Self::Id3, Self::A4];

    /// Width and height of the upright page in millimetres.
    pub fn size(self) -> [f32; 2] {
        match self {
            Self::Id1 => [85.6, 53.98],
            Self::Id2 => [105.0, 74.0],
            Self::Id3 => [125.0, 88.0],
            Self::A4 => [210.0, 297.0],
        }
    }

    /// The longer side divided by the shorter one.
    pub fn ratio(self) -> f32 {
        let [width, height] = self.size();
        width.max(height) / width.min(height)
    }
}

/// The position of an MRZ that was read, in pixels of the photo.
#[derive(Clone, Copy, Debug)]
pub struct ZoneHint {
    /// Corners of the box around its characters: clockwise as the text is read, starting at the first character of the
    /// first line.
    pub corners: [Point; 4],
    /// Number of lines: 2 or 3.
    pub lines: u8,
    /// Characters in a line: 30, 36 or 44.
    pub columns: u8,
}

impl ZoneHint {
    /// The page format on which such an MRZ is printed, and the box around its characters (left, top, right, bottom) in
    /// millimetres of that page. From ICAO 9303 parts 4 to 6: the MRZ is at the foot of the page, with a character
    /// pitch of 2.54 mm.
    fn format_and_box(&self) -> Option<(PageFormat, [f32; 4])> {
        match (self.lines, self.columns) {
            (3, 30) => Some((PageFormat::Id1, [4.7, 34.8, 80.9, 50.0])),
            (2, 36) => Some((PageFormat::Id2, [6.8, 60.15, 98.24, 69.0])),
            (2, 44) => Some((PageFormat::Id3, [6.6, 73.15, 118.4, 82.0])),
            _ => None,
        }
    }

    /// The format and the approximate corners of the page in the photo, clockwise from the page's own top left.
    fn expected_page(&self) -> Option<(PageFormat, [Point; 4])> {
        let (format, [left, top, right, bottom]) = self.format_and_box()?;
        let from = [[left, top], [right, top], [right, bottom], [left, bottom]];
        let map = Homography::from_corners(&from, &self.corners)?;
        let [width, height] = format.size();
        Some((format, [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]].map(|at| map.apply(at))))
    }
}

/// What is already known about a photo, in its pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageHints {
    /// An MRZ, which gives the position and format of the page and the upright direction.
    pub zone: Option<ZoneHint>,
    /// A vector that points upwards on the document: from a face's mouth to its eyes, or up along the left edge of a
    /// barcode.
    pub up: Option<[f32; 2]>,
}

/// The vector up along the left edge of something that is read from left to right, such as a barcode. Corners are
/// clockwise from its top left.
pub fn up_direction(corners: &[Point; 4]) -> [f32; 2] {
    [corners[0][0] - corners[3][0], corners[0][1] - corners[3][1]]
}

/// How the upright direction was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Upright {
    /// Given by a hint.
    Known,
    /// Estimated from the alignment of the print. The confidence is 0 (no better than chance) to 1.
    Guessed(f32),
}

#[derive(Clone, Debug)]
pub struct LocatedPage {
    /// The page, rectified and upright.
    pub page: Picture,
    /// Maps pixels of the page to pixels of the photo.
    pub to_photo: Homography,
    /// Corners of the page in pixels of the photo, clockwise from the page's own top left.
    pub corners: [Point; 4],
    /// The format according to the MRZ, or else to the aspect ratio. `Id2`, `Id3` and `A4` differ by less than
    /// perspective distorts, so without an MRZ a landscape page with such a ratio is `Id3` and a portrait one `A4`.
    pub format: PageFormat,
    /// The share of the photo's area that the page covers, 0 to 1.
    pub share: f32,
    /// Confidence that this is a page, 0 to 1. It is scaled so that the threshold is 0.5.
    pub confidence: f32,
    /// Number of sides that coincide with a border of the photo, where the page may continue outside.
    pub cut_off: usize,
    pub upright: Upright,
}

impl LocatedPage {
    /// The same page, drawn again so that its top points to `up`, a vector in the photo that it was found in.
    #[must_use]
    pub fn reoriented(self, photo: &Picture, up: [f32; 2]) -> Self {
        if rotations_to_top(&self.corners, up) == 0 {
            return Self { upright: Upright::Known, ..self };
        }
        match rectify_upright(photo, self.corners, None, Some(up)) {
            Some(RectifiedPage { page, map, corners, format, upright }) => {
                Self { page, to_photo: map, corners, format, upright, ..self }
            }
            None => self,
        }
    }
}

/// Longer side of the picture in which edges are searched, in pixels.
const EDGE_SIDE_PIXELS: usize = 640;
/// Number of lines from which the sides of the page are chosen.
const MAX_EDGE_LINES: usize = 32;
/// In simulated photos, pages score at least 1.7 and empty desks at most 1.4. In between are torn, cropped and copied
/// pages.
const MIN_PAGE_SCORE: f32 = 1.5;
/// Longer side of a rectified page, at most.
const MAX_PAGE_SIDE_PIXELS: f32 = 2000.0;
/// Longer side of the rectified page on which the upright direction is estimated, at most.
const ORIENTATION_SIDE_PIXELS: f32 = 800.0;

/// Finds the page of a document in a photo; `None` where nothing looks like one.
pub fn locate(picture: &Picture, hints: &PageHints) -> Option<LocatedPage> {
    let expected = hints.zone.and_then(|zone| zone.expected_page());
    let expected_corners = expected.map(|(_, corners)| corners);
    let (mut best, cluster) = find_quad(picture, expected_corners.as_ref());
    // A small page far away from the camera: the print is concentrated in one place, and the quadrilateral that was
    // found does not enclose it.
    if let Some(bounds) = cluster
        && expected.is_none()
        && best.is_none_or(|quad| !contains_box(&quad.corners, &bounds))
        && let Some((cut, [x, y])) = crop(picture, &bounds)
        && let (Some(quad), _) = find_quad(&cut, None)
        && best.is_none_or(|other| quad.score > other.score - if other.borders > 0 { 0.35 } else { 0.1 })
    {
        best = Some(Quad { corners: quad.corners.map(|corner| [corner[0] + x, corner[1] + y]), ..quad });
    }
    // An MRZ that was read proves that there is a page, whatever its edges look like.
    let (corners, score, cut_off) = match (best, expected) {
        (Some(quad), None) => (quad.corners, quad.score, quad.borders),
        (Some(quad), Some((_, page))) if mostly_overlap(&quad.corners, &page) => {
            (quad.corners, quad.score, quad.borders)
        }
        (_, Some((_, page))) => (page, MIN_PAGE_SCORE, 0),
        (None, None) => return None,
    };
    let confidence = 1.0 / (1.0 + (-(score - MIN_PAGE_SCORE) * 8.0).exp());
    if confidence < 0.5 {
        return None;
    }
    rectify_upright(picture, corners, expected.map(|(format, page)| (format, page[0])), hints.up).map(
        |drawn| LocatedPage {
            share: polygon_area(&drawn.corners).abs() / (picture.width() as f32 * picture.height() as f32),
            page: drawn.page,
            to_photo: drawn.map,
            corners: drawn.corners,
            format: drawn.format,
            upright: drawn.upright,
            confidence,
            cut_off,
        },
    )
}

/// The best quadrilateral, in pixels of the picture, and the bounding box of the main cluster of print where that is a
/// small part of the picture (left, top, right, bottom).
fn find_quad(picture: &Picture, expected: Option<&[Point; 4]>) -> (Option<Quad>, Option<[f32; 4]>) {
    let edges = EdgeMap::of(picture, EDGE_SIDE_PIXELS);
    let scale = picture.width() as f32 / edges.width as f32;
    let to_photo = |at: f32| (at + 0.5) * scale - 0.5;
    let expected = expected.map(|corners| corners.map(|corner| corner.map(|at| (at + 0.5) / scale - 0.5)));
    let print = PrintDensity::of(&edges);
    let best = quadrilaterals::find(&edges, &edges.hough_lines(MAX_EDGE_LINES), &print, expected.as_ref());
    let best = best.map(|quad| Quad { corners: quad.corners.map(|corner| corner.map(to_photo)), ..quad });
    let small = |[left, top, right, bottom]: [f32; 4]| {
        (right - left) * (bottom - top) < 0.15 * (edges.width * edges.height) as f32
    };
    let cluster = print.cluster().filter(|(bounds, share)| *share > 0.4 && small(*bounds));
    (best, cluster.map(|(bounds, _)| bounds.map(to_photo)))
}

/// Whether a quadrilateral encloses a box, with a tolerance of a tenth of its width, and has less than eight times its
/// area.
fn contains_box(corners: &[Point; 4], [left, top, right, bottom]: &[f32; 4]) -> bool {
    let bounds = [[*left, *top], [*right, *top], [*right, *bottom], [*left, *bottom]];
    bounds.iter().all(|corner| quadrilaterals::depth(corners, *corner) > -(right - left) * 0.1)
        && polygon_area(corners) < 8.0 * polygon_area(&bounds)
}

/// Crops a box with a margin of 0.7 of its longer side. Also returns the position of the crop's top left corner.
fn crop(picture: &Picture, [left, top, right, bottom]: &[f32; 4]) -> Option<(Picture, Point)> {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let margin = (right - left).max(bottom - top) * 0.7;
    let from =
        [(left - margin).clamp(0.0, width - 1.0).floor(), (top - margin).clamp(0.0, height - 1.0).floor()];
    let to = [(right + margin).clamp(1.0, width).ceil(), (bottom + margin).clamp(1.0, height).ceil()];
    let mut rgb = Vec::new();
    for y in from[1] as usize..to[1] as usize {
        let row = &picture.rgb()[y * picture.width() as usize * 3..];
        rgb.extend_from_slice(&row[from[0] as usize * 3..to[0] as usize * 3]);
    }
    let cut = Picture::new((to[0] - from[0]) as u32, (to[1] - from[1]) as u32, rgb)?;
    Some((cut, from))
}

/// Whether a point lies inside a quadrilateral whose corners are clockwise as seen.
pub fn is_inside(corners: &[Point; 4], point: Point) -> bool {
    quadrilaterals::depth(corners, point) >= 0.0
}

fn mostly_overlap(one: &[Point; 4], other: &[Point; 4]) -> bool {
    crate::picture::homography::intersection_over_union(one, other) > 0.6
}

struct RectifiedPage {
    page: Picture,
    map: Homography,
    corners: [Point; 4],
    format: PageFormat,
    upright: Upright,
}

/// Rotates the corners so that the page's own top left comes first, and rectifies the page.
fn rectify_upright(
    picture: &Picture,
    mut corners: [Point; 4],
    zone: Option<(PageFormat, Point)>,
    up: Option<[f32; 2]>,
) -> Option<RectifiedPage> {
    let centre = [picture.width() as f32 / 2.0, picture.height() as f32 / 2.0];
    let focal = picture.width().max(picture.height()) as f32 * 0.95;
    let ratio = quadrilaterals::aspect(&corners, centre, focal);
    if let Some((format, top_left)) = zone {
        let first = (0..4)
            .min_by(|&a, &b| distance(corners[a], top_left).total_cmp(&distance(corners[b], top_left)))?;
        corners.rotate_left(first);
        let (page, map) = rectify(picture, &corners, format.size(), MAX_PAGE_SIDE_PIXELS)?;
        return Some(RectifiedPage { page, map, corners, format, upright: Upright::Known });
    }
    // Start with a longer side at the top.
    if ratio < 1.0 {
        corners.rotate_left(1);
    }
    let lying = if ratio.max(1.0 / ratio) > 1.5 { PageFormat::Id1 } else { PageFormat::Id3 };
    let (turns, upright) = if let Some(up) = up {
        (rotations_to_top(&corners, up), Upright::Known)
    } else {
        let (small, _) = rectify(picture, &corners, lying.size(), ORIENTATION_SIDE_PIXELS)?;
        let (turns, sure) = orientation::guess_rotation(&small, lying == PageFormat::Id1);
        (turns, Upright::Guessed(sure))
    };
    corners.rotate_left(turns);
    // Cards are rarely in portrait orientation, letters nearly always.
    let (format, size) = match (lying, turns % 2 == 1) {
        (PageFormat::Id1, true) => (lying, [53.98, 85.6]),
        (_, false) => (lying, lying.size()),
        (_, true) => (PageFormat::A4, PageFormat::A4.size()),
    };
    let (page, map) = rectify(picture, &corners, size, MAX_PAGE_SIDE_PIXELS)?;
    Some(RectifiedPage { page, map, corners, format, upright })
}

fn distance(a: Point, b: Point) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// By how many places the corners must be rotated to the left so that the side towards `up` becomes the top.
fn rotations_to_top(corners: &[Point; 4], up: [f32; 2]) -> usize {
    let along = |turn: usize| {
        // The axis from the middle of the bottom side to the middle of the top side, for corners rotated by `turn`.
        let at = |corner: usize| corners[(corner + turn) % 4];
        let (top, bottom) = ([at(0), at(1)], [at(2), at(3)]);
        let axis = |axis: usize| top[0][axis] + top[1][axis] - bottom[0][axis] - bottom[1][axis];
        let (x, y) = (axis(0), axis(1));
        (x * up[0] + y * up[1]) / x.hypot(y).max(1e-3)
    };
    (0..4).max_by(|&a, &b| along(a).total_cmp(&along(b))).unwrap_or(0)
}

/// Rectifies a page of the given size in millimetres, about as large as it is in the photo, with a longer side of at
/// most `most` pixels. The homography maps pixels of the page to pixels of the photo.
fn rectify(
    picture: &Picture,
    corners: &[Point; 4],
    size: [f32; 2],
    most: f32,
) -> Option<(Picture, Homography)> {
    let [a, b, c, d] = *corners;
    let across = distance(a, b).max(distance(d, c));
    let down = distance(a, d).max(distance(b, c));
    let scale = (across / size[0]).max(down / size[1]).min(most / size[0].max(size[1]));
    let [width, height] = size.map(|side| (side * scale).round().max(8.0));
    let from = [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]];
    let map = Homography::from_corners(&from, corners)?;
    Some((map.warp_picture(picture, width as u32, height as u32)?, map))
}
