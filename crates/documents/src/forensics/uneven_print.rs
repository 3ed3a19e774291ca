//! Characters that leave their line: put there later, by another hand or program than those beside them.

use crate::{
    picture::{homography::Homography, otsu, plane::Plane},
    text::TextLine,
};
use base::Picture;

/// Height of the straightened line, pixels.
const STRIP_HEIGHT_PX: usize = 48;
/// Share of a line's height that is added above and below it.
const MARGIN_SHARE: f32 = 0.15;
/// Digits that a line must have for one to stand out.
const MIN_DIGITS: usize = 4;
/// The least resolution of a line, pixels of the page: below it, one pixel is more than the limit.
const MIN_LINE_HEIGHT_PX: f32 = 14.0;

/// How far a digit of a line is from where its neighbours stand, or differs from their height, in heights of a digit: the largest
/// of all lines. Lines of letters are left out, whose accents reach higher. `None` if no line falls into its characters.
pub(super) fn largest_deviation(page: &Picture, lines: &[TextLine]) -> Option<f32> {
    let luma = Plane::luma(page);
    let numbers =
        lines.iter().filter(|line| line.text.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS);
    numbers.filter_map(|line| line_deviation(&luma, line)).reduce(f32::max)
}

fn line_deviation(luma: &Plane, line: &TextLine) -> Option<f32> {
    let height = line.height();
    if height < MIN_LINE_HEIGHT_PX {
        return None;
    }
    let glyphs = glyphs(&straighten(luma, line)?);
    let letters: Vec<char> = line.text.chars().filter(|letter| *letter != ' ').collect();
    // Where ink does not fall into as many characters as were read, letters touch or have come apart.
    if glyphs.len() != letters.len() {
        return None;
    }
    let digit = |(glyph, letter): (Glyph, char)| letter.is_ascii_digit().then_some(glyph);
    let glyphs: Vec<Glyph> = glyphs.into_iter().zip(letters).filter_map(digit).collect();
    let tallness = median(glyphs.iter().map(|glyph| glyph.bottom - glyph.top).collect())?;
    let slope = line_through(&glyphs);
    let deviation = |glyph: &Glyph| {
        let off = glyph.bottom - slope(glyph.middle);
        let taller = glyph.bottom - glyph.top - tallness;
        off.abs().max(taller.abs()) / tallness
    };
    Some(glyphs.iter().map(deviation).fold(0.0, f32::max))
}

/// Ink between two gaps: its middle and its upper and lower edge, pixels of the strip.
#[derive(Clone, Copy)]
struct Glyph {
    middle: f32,
    top: f32,
    bottom: f32,
}

/// The line, level and at a fixed height.
fn straighten(luma: &Plane, line: &TextLine) -> Option<Plane> {
    let [a, b, c, d] = line.corners;
    let grow = |upper: [f32; 2], lower: [f32; 2]| {
        let by = [0, 1].map(|axis| (lower[axis] - upper[axis]) * MARGIN_SHARE);
        ([upper[0] - by[0], upper[1] - by[1]], [lower[0] + by[0], lower[1] + by[1]])
    };
    let ((a, d), (b, c)) = (grow(a, d), grow(b, c));
    let length =
        (line.width() / (line.height() * (1.0 + 2.0 * MARGIN_SHARE)) * STRIP_HEIGHT_PX as f32) as usize;
    let (width, height) = (length.clamp(STRIP_HEIGHT_PX, 4000), STRIP_HEIGHT_PX);
    let (right, low) = (width as f32, height as f32);
    let strip = [[0.0, 0.0], [right, 0.0], [right, low], [0.0, low]];
    Some(Homography::from_corners(&strip, &[a, b, c, d])?.warp_plane(luma, width, height))
}

/// The characters of a strip, from left to right, with edges to a part of a pixel.
fn glyphs(strip: &Plane) -> Vec<Glyph> {
    let threshold = otsu(strip.values());
    let paper = strip.quantile(0.8);
    let ink = strip.quantile(0.03);
    let darkest =
        |x: usize| (0..strip.height()).map(|y| strip.at(x as i64, y as i64)).fold(f32::INFINITY, f32::min);
    let mut found = Vec::new();
    let mut start = None;
    for x in 0..=strip.width() {
        let inked = x < strip.width() && darkest(x) < threshold;
        match (inked, start) {
            (true, None) => start = Some(x),
            (false, Some(from)) => {
                start = None;
                found.extend(glyph_edges(strip, from, x, f32::midpoint(paper, ink)));
            }
            _ => {}
        }
    }
    found
}

/// Where the ink of some columns begins and ends: where its darkest value crosses the middle between ink and paper.
fn glyph_edges(strip: &Plane, from: usize, to: usize, middle: f32) -> Option<Glyph> {
    let darkest: Vec<f32> = (0..strip.height())
        .map(|y| (from..to).map(|x| strip.at(x as i64, y as i64)).fold(f32::INFINITY, f32::min))
        .collect();
    let first = darkest.iter().position(|value| *value < middle)?;
    let last = darkest.iter().rposition(|value| *value < middle)?;
    let crossing = |outside: Option<&f32>, inside: f32| match outside {
        Some(outside) if *outside > inside => ((middle - inside) / (outside - inside)).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let top =
        first as f32 - crossing(first.checked_sub(1).and_then(|above| darkest.get(above)), darkest[first]);
    let bottom = last as f32 + crossing(darkest.get(last + 1), darkest[last]);
    Some(Glyph { middle: f32::midpoint(from as f32, to as f32), top, bottom })
}

/// The line on which characters stand: through the medians of the left and the right half.
fn line_through(glyphs: &[Glyph]) -> impl Fn(f32) -> f32 + use<> {
    let half = glyphs.len() / 2;
    let point = |part: &[Glyph]| {
        let middle = median(part.iter().map(|glyph| glyph.middle).collect()).unwrap_or_default();
        (middle, median(part.iter().map(|glyph| glyph.bottom).collect()).unwrap_or_default())
    };
    let ((left, left_bottom), (right, right_bottom)) = (point(&glyphs[..half]), point(&glyphs[half..]));
    let slope = if right > left { (right_bottom - left_bottom) / (right - left) } else { 0.0 };
    move |x| left_bottom + slope * (x - left)
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}
