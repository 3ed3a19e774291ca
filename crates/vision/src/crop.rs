//! Crops: squares cut out of a picture, rotated and scaled to a net's input tensor, and letterboxing of whole regions.

use crate::{
    Face,
    model_manifest::{ChannelOrder, CropRule, ModelInput},
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::FRAC_PI_2;

/// A square of the picture in its pixels, perhaps rotated and reaching outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CropSquare {
    centre: [f32; 2],
    side: f32,
    /// Direction of the upper edge, radians, clockwise.
    angle: f32,
}

impl CropSquare {
    /// The square around a face by a crop rule, `scale` times its usual size.
    pub(crate) fn around(face: &Face, rule: CropRule, scale: f32) -> Self {
        let [right_eye, left_eye, _, mouth, ..] = face.points;
        let angle = (left_eye[1] - right_eye[1]).atan2(left_eye[0] - right_eye[0]);
        let centre = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
        let side = face.width().max(face.height()) * scale;
        match rule {
            CropRule::Letterbox | CropRule::Box | CropRule::Inside | CropRule::Page | CropRule::Line => {
                // In a picture that is rotated by a right angle the face is still cut out upright.
                Self { centre, side, angle: nearest_right_angle(face.roll()) }
            }
            CropRule::EyesLevel => Self { centre, side, angle },
            CropRule::D2 => {
                let eyes =
                    [f32::midpoint(right_eye[0], left_eye[0]), f32::midpoint(right_eye[1], left_eye[1])];
                let side = (mouth[0] - eyes[0]).hypot(mouth[1] - eyes[1]) / 0.45 * scale;
                // The mean of both eyes and the mouth is at 0.43 of the square's height.
                let middle = [(2.0 * eyes[0] + mouth[0]) / 3.0, (2.0 * eyes[1] + mouth[1]) / 3.0];
                let down = (0.5 - 0.43) * side;
                let centre = [middle[0] - down * angle.sin(), middle[1] + down * angle.cos()];
                Self { centre, side, angle }
            }
        }
    }

    /// Moves the square into the picture, and shrinks it where it is larger. It must be parallel to the picture's
    /// edges.
    pub(crate) fn moved_inside(self, picture: &Picture) -> Self {
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let side = self.side.min(width).min(height);
        let within = |centre: f32, length: f32| centre.min(length - side / 2.0).max(side / 2.0);
        Self { centre: [within(self.centre[0], width), within(self.centre[1], height)], side, ..self }
    }

    /// Whether all numbers are finite and the square is not empty.
    pub(crate) fn is_sound(&self) -> bool {
        self.side > 0.0
            && [self.centre[0], self.centre[1], self.side, self.angle].iter().all(|value| value.is_finite())
    }

    /// Half the side of its bounding box, pixels.
    fn reach(&self) -> f32 {
        let (sin, cos) = self.angle.sin_cos();
        self.side / 2.0 * (sin.abs() + cos.abs())
    }
}

/// A turn that differs from a right angle by less is one.
const RIGHT_ANGLE_ROUNDING_RADIANS: f32 = 1e-4;

/// The nearest multiple of a right angle; 0 where `angle` is not finite. Radians.
pub(crate) fn nearest_right_angle(angle: f32) -> f32 {
    let quarter = (angle / FRAC_PI_2).round() * FRAC_PI_2;
    if quarter.is_finite() { quarter } else { 0.0 }
}

/// Appends the square to `out` as the input requires it, normalised, NCHW. Outside the picture is black.
///
/// A large square is first scaled down with a filter, so that sampling a small input neither skips pixels nor costs
/// more than it must.
pub(crate) fn write_crop(picture: &Picture, square: CropSquare, input: &ModelInput, out: &mut Vec<f32>) {
    let (width, height) = (input.width as usize, input.height as usize);
    let step = square.side / width.max(height) as f32;
    // Bilinear sampling skips pixels from two source pixels for each target pixel on.
    let reduced = if step > 1.5 { downscale(picture, square, step) } else { None };
    let (picture, square) = match &reduced {
        Some((picture, square)) => (picture, *square),
        None => (picture, square),
    };
    let step = square.side / width.max(height) as f32;
    let patch = PixelPatch::around(picture, square);
    let (sin, cos) = square.angle.sin_cos();
    let start = out.len();
    out.resize(start + 3 * width * height, 0.0);
    let (first, rest) = out[start..].split_at_mut(width * height);
    let (second, third) = rest.split_at_mut(width * height);
    let [a, b, c] = channel_order(input.colour);
    let ([mean_a, mean_b, mean_c], [scale_a, scale_b, scale_c]) = (input.mean, input.scale);
    let rows =
        first.chunks_exact_mut(width).zip(second.chunks_exact_mut(width)).zip(third.chunks_exact_mut(width));
    for (y, ((first, second), third)) in rows.enumerate() {
        let v = (y as f32 + 0.5) * step - square.side / 2.0;
        for (x, ((first, second), third)) in first.iter_mut().zip(second).zip(third).enumerate() {
            let u = (x as f32 + 0.5) * step - square.side / 2.0;
            let from_x = square.centre[0] + u * cos - v * sin - 0.5;
            let from_y = square.centre[1] + u * sin + v * cos - 0.5;
            let colour = patch.interpolate(from_x, from_y);
            *first = (colour[a] - mean_a) * scale_a;
            *second = (colour[b] - mean_b) * scale_b;
            *third = (colour[c] - mean_c) * scale_c;
        }
    }
}

/// The square as `side` x `side` pixels, `r`, `g` and `b` of each. Outside the picture is black.
pub(crate) fn cut_square(picture: &Picture, square: CropSquare, side: u32) -> Vec<u8> {
    let step = square.side / side as f32;
    let reduced = if step > 1.5 { downscale(picture, square, step) } else { None };
    let (picture, square) = match &reduced {
        Some((picture, square)) => (picture, *square),
        None => (picture, square),
    };
    let step = square.side / side as f32;
    let patch = PixelPatch::around(picture, square);
    let (sin, cos) = square.angle.sin_cos();
    let mut rgb = Vec::with_capacity(side as usize * side as usize * 3);
    for y in 0..side {
        let v = (y as f32 + 0.5) * step - square.side / 2.0;
        for x in 0..side {
            let u = (x as f32 + 0.5) * step - square.side / 2.0;
            let from_x = square.centre[0] + u * cos - v * sin - 0.5;
            let from_y = square.centre[1] + u * sin + v * cos - 0.5;
            let [red, green, blue, _] = patch.interpolate(from_x, from_y);
            // On the baseline processor that this is built for `f32::round` is a call into the C library.
            rgb.extend([red, green, blue].map(|value| (value + 0.5) as u8));
        }
    }
    rgb
}

/// Appends several squares as one input, NCHW, side by side from left to right, each with the same width.
pub(crate) fn write_crops_side_by_side(
    picture: &Picture,
    squares: &[CropSquare],
    input: &ModelInput,
    out: &mut Vec<f32>,
) {
    let width = input.width as usize / squares.len().max(1);
    let part = ModelInput { width: width as u32, ..input.clone() };
    let (mut crops, start) = (Vec::new(), out.len());
    for &square in squares {
        write_crop(picture, square, &part, &mut crops);
    }
    let rows = 3 * input.height as usize;
    out.reserve(rows * width * squares.len());
    for row in 0..rows {
        for at in 0..squares.len() {
            out.extend_from_slice(&crops[(at * rows + row) * width..][..width]);
        }
    }
    debug_assert_eq!(out.len() - start, rows * width * squares.len());
}

/// For each plane of the tensor, the index of its channel in RGB.
fn channel_order(colour: ChannelOrder) -> [usize; 3] {
    match colour {
        ChannelOrder::Rgb => [0, 1, 2],
        ChannelOrder::Bgr => [2, 1, 0],
    }
}

/// The part of the picture around the square, scaled down by `step`, and the square in its pixels. `None` where the
/// square lies outside the picture.
fn downscale(picture: &Picture, square: CropSquare, step: f32) -> Option<(Picture, CropSquare)> {
    // A margin of two target pixels for the filter.
    let reach = square.reach() + 2.0 * step;
    let bound = |centre: f32, size: u32| {
        let low = (centre - reach).floor().clamp(0.0, size as f32);
        let high = (centre + reach).ceil().clamp(0.0, size as f32);
        (low as u32, (high - low) as u32)
    };
    let (left, width) = bound(square.centre[0], picture.width());
    let (top, height) = bound(square.centre[1], picture.height());
    let (out_width, out_height) =
        ((width as f32 / step).round() as u32, (height as f32 / step).round() as u32);
    if out_width == 0 || out_height == 0 {
        return None;
    }
    let small = pixels::resize(picture, PictureRegion { left, top, width, height }, out_width, out_height)?;
    let (x, y) = (out_width as f32 / width as f32, out_height as f32 / height as f32);
    let centre = [(square.centre[0] - left as f32) * x, (square.centre[1] - top as f32) * y];
    Some((small, CropSquare { centre, side: square.side * f32::midpoint(x, y), angle: square.angle }))
}

/// The pixels around a square as floats, padded to four channels so that a pixel fits a vector register; black outside
/// the picture.
struct PixelPatch {
    left: i32,
    top: i32,
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

impl PixelPatch {
    /// All pixels that [`Self::interpolate`] reads when it samples the square.
    fn around(picture: &Picture, square: CropSquare) -> Self {
        let reach = square.reach() + 2.0;
        let bound = |centre: f32, size: u32| {
            let low = (centre - reach).floor().clamp(0.0, size as f32) as usize;
            let high = (centre + reach).ceil().clamp(0.0, size as f32) as usize;
            (low, high)
        };
        let (left, right) = bound(square.centre[0], picture.width());
        let (top, bottom) = bound(square.centre[1], picture.height());
        let mut pixels = Vec::with_capacity((right - left) * (bottom - top));
        let across = picture.width() as usize * 3;
        for row in picture.rgb().chunks_exact(across).take(bottom).skip(top) {
            let row = row[left * 3..right * 3].chunks_exact(3);
            pixels.extend(row.map(|rgb| [f32::from(rgb[0]), f32::from(rgb[1]), f32::from(rgb[2]), 0.0]));
        }
        Self { left: left as i32, top: top as i32, width: right - left, height: bottom - top, pixels }
    }

    /// Bilinear interpolation at a point of the picture.
    #[inline]
    fn interpolate(&self, x: f32, y: f32) -> [f32; 4] {
        let (left, top) = (saturating_floor(x), saturating_floor(y));
        let (right_share, bottom_share) = (x - left as f32, y - top as f32);
        let shares = [
            (1.0 - right_share) * (1.0 - bottom_share),
            right_share * (1.0 - bottom_share),
            (1.0 - right_share) * bottom_share,
            right_share * bottom_share,
        ];
        let (left, top) = (left.saturating_sub(self.left), top.saturating_sub(self.top));
        let [a, b, c, d] = self.neighbours(left, top).unwrap_or_else(|| self.neighbours_or_black(left, top));
        let mut colour = [0.0; 4];
        for (channel, colour) in colour.iter_mut().enumerate() {
            *colour = shares[0] * a[channel]
                + shares[1] * b[channel]
                + shares[2] * c[channel]
                + shares[3] * d[channel];
        }
        colour
    }

    /// A pixel, its right neighbour and the two below; `None` unless all four lie inside the patch.
    #[inline]
    fn neighbours(&self, left: i32, top: i32) -> Option<[[f32; 4]; 4]> {
        let (column, row) = (usize::try_from(left).ok()?, usize::try_from(top).ok()?);
        if column + 1 >= self.width || row + 1 >= self.height {
            return None;
        }
        let at = row * self.width + column;
        let (upper, lower) =
            (self.pixels.get(at..at + 2)?, self.pixels.get(at + self.width..at + self.width + 2)?);
        Some([upper[0], upper[1], lower[0], lower[1]])
    }

    /// The same, with black for pixels outside the patch.
    #[cold]
    fn neighbours_or_black(&self, left: i32, top: i32) -> [[f32; 4]; 4] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(across, down)| {
            let column =
                usize::try_from(left.saturating_add(across)).ok().filter(|&column| column < self.width);
            let row = usize::try_from(top.saturating_add(down)).ok().filter(|&row| row < self.height);
            let pixel = row.zip(column).and_then(|(row, column)| self.pixels.get(row * self.width + column));
            pixel.copied().unwrap_or_default()
        })
    }
}

/// Floor, saturating at the bounds of `i32`.
#[inline]
fn saturating_floor(value: f32) -> i32 {
    // On the baseline processor that this is built for `f32::floor` is a call into the C library.
    let whole = value as i32;
    if whole as f32 > value { whole.saturating_sub(1) } else { whole }
}

/// The scale, input pixels for one of the picture, at which a region just fits into the share `part` (0 to 1) of the
/// input.
pub(crate) fn fit_scale(region: PictureRegion, input: &ModelInput, part: f32) -> f32 {
    let room = |side: u32| side as f32 * part;
    (room(input.width) / region.width as f32).min(room(input.height) / region.height as f32)
}

/// Maps points of the input back to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InputMapping {
    /// Input pixels for each picture pixel.
    pub(crate) scale: f32,
    /// A point of the input.
    pivot: [f32; 2],
    /// The same point in the picture.
    from: [f32; 2],
    /// Direction of the input's upper edge in the picture, radians, clockwise.
    pub(crate) turn_radians: f32,
}

impl InputMapping {
    /// Maps a point of the input to the picture's pixels.
    pub(crate) fn picture_point(&self, x: f32, y: f32) -> [f32; 2] {
        let (sin, cos) = self.turn_radians.sin_cos();
        let (x, y) = ((x - self.pivot[0]) / self.scale, (y - self.pivot[1]) / self.scale);
        [x * cos - y * sin + self.from[0], x * sin + y * cos + self.from[1]]
    }
}

/// A region of the picture as input, scaled and centred on black, NCHW. At `scale` it must fit into the input.
pub(crate) fn letterbox(
    picture: &Picture,
    region: PictureRegion,
    scale: f32,
    input: &ModelInput,
) -> Option<(Vec<f32>, InputMapping)> {
    let (width, height) = (input.width as usize, input.height as usize);
    let fit = |side: u32, limit: usize| ((side as f32 * scale).round() as usize).clamp(1, limit);
    let (inner_width, inner_height) = (fit(region.width, width), fit(region.height, height));
    let small = pixels::resize(picture, region, inner_width as u32, inner_height as u32)?;
    let (left, top) = ((width - inner_width) / 2, (height - inner_height) / 2);
    let area = width * height;
    let mut out = vec![0.0; 3 * area];
    for (plane, &channel) in channel_order(input.colour).iter().enumerate() {
        let (mean, scale) = (input.mean[plane], input.scale[plane]);
        let target = &mut out[plane * area..(plane + 1) * area];
        target.fill(-mean * scale);
        for (y, row) in small.rgb().chunks_exact(inner_width * 3).enumerate() {
            let from = (top + y) * width + left;
            for (value, pixel) in target[from..from + inner_width].iter_mut().zip(row.chunks_exact(3)) {
                *value = (f32::from(pixel[channel]) - mean) * scale;
            }
        }
    }
    let (pivot, from) = ([left as f32, top as f32], [region.left as f32, region.top as f32]);
    Some((out, InputMapping { scale, pivot, from, turn_radians: 0.0 }))
}

/// A region as a net sees it.
pub(crate) struct SeenRegion {
    /// NCHW.
    pub(crate) tensor: Vec<f32>,
    /// Width and height of the input: those that were asked for, the other way round where the picture lies on its side.
    pub(crate) size: [usize; 2],
    pub(crate) mapping: InputMapping,
}

/// The same, rotated back by `turn` (radians, clockwise) around the region's centre. By a right angle it is exactly what
/// the region of an upright picture would be; otherwise the corners show what surrounds the region, and the input must be a
/// square.
pub(crate) fn letterbox_rotated(
    picture: &Picture,
    region: PictureRegion,
    scale: f32,
    turn: f32,
    input: &ModelInput,
) -> Option<SeenRegion> {
    let size = [input.width as usize, input.height as usize];
    let middle_of = |size: [usize; 2]| size.map(|side| side as f32 / 2.0);
    if is_right_angle(turn) {
        let (upright, mapping) = letterbox(picture, region, scale, input)?;
        if turn == 0.0 {
            return Some(SeenRegion { tensor: upright, size, mapping });
        }
        let [x, y] = middle_of(size);
        let from = mapping.picture_point(x, y);
        let (tensor, size) = rotate_planes(&upright, size, turn);
        let mapping = InputMapping { pivot: middle_of(size), from, turn_radians: turn, ..mapping };
        return Some(SeenRegion { tensor, size, mapping });
    }
    let middle = |from: u32, length: u32| from as f32 + length as f32 / 2.0;
    let from = [middle(region.left, region.width), middle(region.top, region.height)];
    let view = CropSquare { centre: from, side: input.width as f32 / scale, angle: turn };
    if !view.is_sound() {
        return None;
    }
    let mut tensor = Vec::new();
    write_crop(picture, view, input, &mut tensor);
    Some(SeenRegion {
        tensor,
        size,
        mapping: InputMapping { scale, pivot: middle_of(size), from, turn_radians: turn },
    })
}

/// Whether a turn (radians) is a multiple of a right angle, but for rounding.
pub(crate) fn is_right_angle(turn: f32) -> bool {
    (turn - nearest_right_angle(turn)).abs() < RIGHT_ANGLE_ROUNDING_RADIANS
}

/// Planes of `width` x `height` values, rotated back by the right angle that is nearest to `turn` (radians, clockwise), and their
/// width and height then.
fn rotate_planes(planes: &[f32], [width, height]: [usize; 2], turn: f32) -> (Vec<f32>, [usize; 2]) {
    let quarters = (turn / FRAC_PI_2).round().rem_euclid(4.0) as u8;
    let size = if quarters.is_multiple_of(2) { [width, height] } else { [height, width] };
    let source = |x: usize, y: usize| match quarters {
        0 => (x, y),
        1 => (width - 1 - y, x),
        2 => (width - 1 - x, height - 1 - y),
        _ => (y, height - 1 - x),
    };
    let mut rotated = Vec::with_capacity(planes.len());
    for plane in planes.chunks_exact(width * height) {
        for y in 0..size[1] {
            rotated.extend((0..size[0]).map(|x| {
                let (x, y) = source(x, y);
                plane[y * width + x]
            }));
        }
    }
    (rotated, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_manifest::CropSpec;

    fn input(width: u32, height: u32) -> ModelInput {
        ModelInput {
            name: "input".to_owned(),
            width,
            height,
            colour: ChannelOrder::Rgb,
            mean: [0.0; 3],
            scale: [1.0; 3],
            crop: CropSpec { rule: CropRule::Box, scales: vec![1.0], joined: false },
        }
    }

    fn picture() -> Picture {
        let values = (0..60_u32 * 40).flat_map(|at| [(at % 60 * 4) as u8, (at / 60 * 6) as u8, 9]);
        Picture::new(60, 40, values.collect()).unwrap()
    }

    #[test]
    fn a_region_rotated_by_right_angles_is_what_the_rotated_picture_shows() {
        let (picture, side) = (picture(), 16);
        let (width, height) = (60_usize, 40);
        let region = PictureRegion { left: 10, top: 4, width: 30, height: 20 };
        let at = |x: usize, y: usize| picture.rgb()[(y * width + x) * 3..][..3].to_vec();
        // The picture as it is when its content is rotated back, and the same region in it.
        let quarter: Vec<u8> = (0..width)
            .flat_map(|y| (0..height).flat_map(move |x| [(x, y)]))
            .flat_map(|(x, y)| at(y, height - 1 - x))
            .collect();
        let back = Picture::new(height as u32, width as u32, quarter).unwrap();
        let there = PictureRegion { left: 16, top: 10, width: 20, height: 30 };
        let (expected, upright) = letterbox(&back, there, 0.5, &input(12, side)).unwrap();
        // On its side the picture is wide where the input is high.
        let seen = letterbox_rotated(&picture, region, 0.5, -FRAC_PI_2, &input(side, 12)).unwrap();
        let SeenRegion { tensor: found, size, mapping } = seen;
        assert_eq!(size, [12, side as usize]);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1.0, "{found} instead of {expected}");
        }
        for point in [[0.0, 0.0], [16.0, 3.0], [5.5, 11.0]] {
            let [x, y] = upright.picture_point(point[0], point[1]);
            let [found_x, found_y] = mapping.picture_point(point[0], point[1]);
            // Rotating back takes the point (x, y) of the picture to (height - y, x).
            assert!(
                (found_x - y).abs() < 0.01 && (40.0 - found_y - x).abs() < 0.01,
                "{point:?}: {found_x} {found_y}, {x} {y}"
            );
        }
    }

    #[test]
    fn joined_crops_are_the_single_ones_side_by_side() {
        let (picture, side) = (picture(), 8);
        let squares = [20.0, 50.0].map(|side| CropSquare { centre: [31.0, 17.0], side, angle: 0.0 });
        let mut joined = Vec::new();
        write_crops_side_by_side(&picture, &squares, &input(2 * side, side), &mut joined);
        let side = side as usize;
        for (at, &one) in squares.iter().enumerate() {
            let mut single = Vec::new();
            write_crop(&picture, one, &input(side as u32, side as u32), &mut single);
            for (row, values) in single.chunks_exact(side).enumerate() {
                assert_eq!(&joined[row * 2 * side + at * side..][..side], values, "crop {at}, row {row}");
            }
        }
        assert_eq!(joined.len(), 3 * 2 * side * side);
    }

    #[test]
    fn a_square_is_moved_inside_and_shrunk_where_it_must_be() {
        let inside = |centre, side| CropSquare { centre, side, angle: 0.0 }.moved_inside(&picture());
        assert_eq!(inside([30.0, 20.0], 10.0), CropSquare { centre: [30.0, 20.0], side: 10.0, angle: 0.0 });
        assert_eq!(inside([2.0, 39.0], 10.0), CropSquare { centre: [5.0, 35.0], side: 10.0, angle: 0.0 });
        assert_eq!(inside([59.0, 3.0], 90.0), CropSquare { centre: [40.0, 20.0], side: 40.0, angle: 0.0 });
    }
}
