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
    let start = out.len();
    out.resize(start + 3 * width * height, 0.0);
    let (first, rest) = out[start..].split_at_mut(width * height);
    let (second, third) = rest.split_at_mut(width * height);
    let mut rows =
        first.chunks_exact_mut(width).zip(second.chunks_exact_mut(width)).zip(third.chunks_exact_mut(width));
    let (mean, scale) = (input.mean, input.scale);
    sample_rows(picture, square, [width, height], channel_order(input.colour), |colours| {
        let Some(((first, second), third)) = rows.next() else { return };
        for (((first, second), third), colour) in first.iter_mut().zip(second).zip(third).zip(colours) {
            *first = (colour[0] - mean[0]) * scale[0];
            *second = (colour[1] - mean[1]) * scale[1];
            *third = (colour[2] - mean[2]) * scale[2];
        }
    });
}

/// The square as `side` x `side` pixels, `r`, `g` and `b` of each. Outside the picture is black.
pub(crate) fn cut_square(picture: &Picture, square: CropSquare, side: u32) -> Vec<u8> {
    let side = side as usize;
    let mut rgb = Vec::with_capacity(side * side * 3);
    sample_rows(picture, square, [side; 2], channel_order(ChannelOrder::Rgb), |colours| {
        for &[red, green, blue, _] in colours {
            // On the baseline processor that this is built for `f32::round` is a call into the C library.
            rgb.extend([red, green, blue].map(|value| (value + 0.5) as u8));
        }
    });
    rgb
}

/// Samples the square as `width` x `height` colours, 0 to 255, with their channels in this order, and hands on each row.
fn sample_rows(
    picture: &Picture,
    square: CropSquare,
    [width, height]: [usize; 2],
    channels: [usize; 3],
    mut each_row: impl FnMut(&[[f32; 4]]),
) {
    let step_of = |square: CropSquare| square.side / width.max(height) as f32;
    let step = step_of(square);
    // Bilinear sampling skips pixels from two source pixels for each target pixel on.
    let reduced = if step > 1.5 { downscale(picture, square, step) } else { None };
    let (picture, square) = match &reduced {
        Some((picture, square)) => (picture, *square),
        None => (picture, square),
    };
    let patch = PixelPatch::around(picture, square, channels);
    let (mut row, mut colours) = (RowSamples::new(width), vec![[0.0; 4]; width]);
    for y in 0..height {
        patch.locate_row(square, step_of(square), y, &mut row);
        patch.interpolate(&row, &mut colours);
        each_row(&colours);
    }
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
/// the picture, and at the edges, so that no sample needs bounds of its own.
struct PixelPatch {
    /// The column and row of the picture that the first pixel is.
    left: i32,
    top: i32,
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

/// Black pixels at each edge of a patch: a sample beyond it lies between two of them.
const PATCH_BORDER_PIXELS: usize = 2;

/// Where the samples of a row lie in a patch. What is of one kind lies side by side, so that the compiler computes several
/// at once.
struct RowSamples {
    /// Index of the upper left of each sample's four neighbours.
    indices: Vec<u32>,
    /// How much of each sample its upper left, upper right, lower left and lower right neighbour is; together 1.
    shares: [Vec<f32>; 4],
}

impl RowSamples {
    fn new(width: usize) -> Self {
        Self { indices: vec![0; width], shares: [(); 4].map(|()| vec![0.0; width]) }
    }
}

impl PixelPatch {
    /// All pixels that are read when the square is sampled, with their channels in this order.
    fn around(picture: &Picture, square: CropSquare, [a, b, c]: [usize; 3]) -> Self {
        let reach = square.reach() + 2.0;
        let bound = |centre: f32, size: u32| {
            let low = (centre - reach).floor().clamp(0.0, size as f32) as usize;
            let high = (centre + reach).ceil().clamp(0.0, size as f32) as usize;
            (low, high)
        };
        let (left, right) = bound(square.centre[0], picture.width());
        let (top, bottom) = bound(square.centre[1], picture.height());
        let border = PATCH_BORDER_PIXELS;
        let (width, height) = (right - left + 2 * border, bottom - top + 2 * border);
        let mut pixels = vec![[0.0; 4]; width * height];
        let across = picture.width() as usize * 3;
        let rows = picture.rgb().chunks_exact(across).take(bottom).skip(top);
        for (to, row) in pixels.chunks_exact_mut(width).skip(border).zip(rows) {
            for (to, rgb) in to[border..].iter_mut().zip(row[left * 3..right * 3].chunks_exact(3)) {
                *to = [f32::from(rgb[a]), f32::from(rgb[b]), f32::from(rgb[c]), 0.0];
            }
        }
        let border = border as i32;
        Self { left: left as i32 - border, top: top as i32 - border, width, height, pixels }
    }

    /// Where the samples of row `y` of a square lie, `step` pixels apart.
    fn locate_row(&self, square: CropSquare, step: f32, y: usize, row: &mut RowSamples) {
        let (sin, cos) = square.angle.sin_cos();
        let v = (y as f32 + 0.5) * step - square.side / 2.0;
        let (left, top) = (self.left as f32, self.top as f32);
        let (right, bottom) = (left + (self.width - 2) as f32, top + (self.height - 2) as f32);
        let [upper_left, upper_right, lower_left, lower_right] = &mut row.shares;
        let shares = upper_left.iter_mut().zip(upper_right).zip(lower_left).zip(lower_right);
        for (x, (index, (((upper_left, upper_right), lower_left), lower_right))) in
            row.indices.iter_mut().zip(shares).enumerate()
        {
            // By way of `i32`: several of those are converted at once.
            let u = (x as i32 as f32 + 0.5) * step - square.side / 2.0;
            // Beyond the patch all is black, and so is its edge. `f32::clamp` would leave a position that is no number as it is.
            let from_x = (square.centre[0] + u * cos - v * sin - 0.5).max(left).min(right);
            let from_y = (square.centre[1] + u * sin + v * cos - 0.5).max(top).min(bottom);
            let (column, line) = (floor(from_x), floor(from_y));
            let (right_share, bottom_share) = (from_x - column as f32, from_y - line as f32);
            let (column, line) = (column.wrapping_sub(self.left), line.wrapping_sub(self.top));
            *index = line.wrapping_mul(self.width as i32).wrapping_add(column) as u32;
            *upper_left = (1.0 - right_share) * (1.0 - bottom_share);
            *upper_right = right_share * (1.0 - bottom_share);
            *lower_left = (1.0 - right_share) * bottom_share;
            *lower_right = right_share * bottom_share;
        }
    }

    /// The colours of a row, by bilinear interpolation.
    fn interpolate(&self, row: &RowSamples, colours: &mut [[f32; 4]]) {
        let [upper_left, upper_right, lower_left, lower_right] = &row.shares;
        let shares = upper_left.iter().zip(upper_right).zip(lower_left).zip(lower_right);
        for ((colour, &index), (((&upper_left, &upper_right), &lower_left), &lower_right)) in
            colours.iter_mut().zip(&row.indices).zip(shares)
        {
            let at = index as usize;
            let below = at + self.width;
            let (Some(upper), Some(lower)) = (self.pixels.get(at..at + 2), self.pixels.get(below..below + 2))
            else {
                // Never: samples are kept within the edges.
                *colour = [0.0; 4];
                continue;
            };
            for (channel, colour) in colour.iter_mut().enumerate() {
                *colour = upper_left * upper[0][channel]
                    + upper_right * upper[1][channel]
                    + lower_left * lower[0][channel]
                    + lower_right * lower[1][channel];
            }
        }
    }
}

/// Added to a number below 2^22 it leaves a whole number in the lowest bits.
const ROUNDING_BIAS: f32 = 12_582_912.0;

/// Floor of a number of at most 2^22. On the baseline processor that this is built for `f32::floor` is a call into the C
/// library, and converting to an integer takes one number at a time.
#[inline]
fn floor(value: f32) -> i32 {
    let biased = value + ROUNDING_BIAS;
    let nearest = (biased.to_bits() as i32).wrapping_sub(ROUNDING_BIAS.to_bits() as i32);
    nearest.wrapping_sub(i32::from(biased - ROUNDING_BIAS > value))
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

    /// A colour of the picture between its pixels, in double precision; black beyond it.
    fn between_pixels(picture: &Picture, x: f64, y: f64) -> [f64; 3] {
        let pixel = |column: f64, row: f64| {
            let within = (0.0..f64::from(picture.width())).contains(&column)
                && (0.0..f64::from(picture.height())).contains(&row);
            let at = (row * f64::from(picture.width()) + column) * 3.0;
            [0, 1, 2]
                .map(|channel| if within { f64::from(picture.rgb()[at as usize + channel]) } else { 0.0 })
        };
        let (left, top) = (x.floor(), y.floor());
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(across, down)| {
            let share = (1.0 - (x - left - across).abs()) * (1.0 - (y - top - down).abs());
            pixel(left + across, top + down).map(|value| share * value)
        });
        [0, 1, 2].map(|channel| corners.iter().map(|corner| corner[channel]).sum())
    }

    #[test]
    fn samples_are_interpolated_and_black_beyond_the_picture() {
        let (picture, side) = (picture(), 16_u32);
        let plain = input(side, side);
        let reversed = ModelInput { colour: ChannelOrder::Bgr, mean: [9.0, 20.0, 30.0], ..plain.clone() };
        for (centre, length, angle) in [
            ([30.0, 20.0], 20.0, 0.0),
            ([30.3, 20.7], 17.0, 0.4),
            ([1.0, 39.0], 23.0, -2.0),
            ([59.5, -3.0], 19.0, 3.1),
            ([-400.0, 900.0], 20.0, 0.3),
        ] {
            let square = CropSquare { centre, side: length, angle };
            let (mut values, mut others) = (Vec::new(), Vec::new());
            write_crop(&picture, square, &plain, &mut values);
            write_crop(&picture, square, &reversed, &mut others);
            let bytes = cut_square(&picture, square, side);
            let (sin, cos) = f64::from(angle).sin_cos();
            let [step, half] = [f64::from(length) / f64::from(side), f64::from(length) / 2.0];
            let area = (side * side) as usize;
            for at in 0..area {
                let [u, v] = [at % side as usize, at / side as usize].map(|n| (n as f64 + 0.5) * step - half);
                let [x, y] = [u * cos - v * sin - 0.5, u * sin + v * cos - 0.5];
                let expected = between_pixels(&picture, x + f64::from(centre[0]), y + f64::from(centre[1]));
                for (channel, expected) in expected.into_iter().enumerate() {
                    let value = values[channel * area + at];
                    assert!(
                        (f64::from(value) - expected).abs() < 0.05,
                        "{square:?}, {at}: {value}, {expected}"
                    );
                    assert_eq!(others[(2 - channel) * area + at], value - reversed.mean[2 - channel]);
                    assert_eq!(bytes[at * 3 + channel], (value + 0.5) as u8);
                }
            }
        }
    }

    #[test]
    fn the_floor_of_a_number_is_that_of_the_library() {
        for value in
            [0.0, -0.0, 0.5, 1.0, -0.5, -1.0, 2.499, 2.5, -1.5, 7e-30, -7e-30, 4_000_000.5, -4_000_000.5]
        {
            assert_eq!(floor(value) as f32, value.floor(), "{value}");
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
