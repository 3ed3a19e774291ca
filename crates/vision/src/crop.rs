//! Cutting squares out of a picture, rotated and scaled, as a net's input tensor.

use crate::{
    Face,
    pack::{Colour, CropRule, Input},
};
use base::Picture;
use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::{Image, ImageRef},
};

/// A square of the picture, in its pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Square {
    centre: [f32; 2],
    side: f32,
    /// Radians; the square's upper edge points this way.
    angle: f32,
}

impl Square {
    /// The square that a rule cuts around a face.
    pub(crate) fn around(face: &Face, rule: CropRule, scale: f32) -> Self {
        let [right_eye, left_eye, _, mouth, ..] = face.points;
        let angle = (left_eye[1] - right_eye[1]).atan2(left_eye[0] - right_eye[0]);
        let centre = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
        let side = face.width().max(face.height()) * scale;
        match rule {
            CropRule::Letterbox | CropRule::Box => Self { centre, side, angle: 0.0 },
            CropRule::EyesLevel => Self { centre, side, angle },
            CropRule::D2 => {
                let eyes =
                    [f32::midpoint(right_eye[0], left_eye[0]), f32::midpoint(right_eye[1], left_eye[1])];
                let side = (mouth[0] - eyes[0]).hypot(mouth[1] - eyes[1]) / 0.45 * scale;
                // The mean of both eyes and the mouth stands at 0.43 of the square's height.
                let middle = [(2.0 * eyes[0] + mouth[0]) / 3.0, (2.0 * eyes[1] + mouth[1]) / 3.0];
                let down = (0.5 - 0.43) * side;
                let centre = [middle[0] - down * angle.sin(), middle[1] + down * angle.cos()];
                Self { centre, side, angle }
            }
        }
    }
}

/// Writes the square as the input wants it, NCHW, behind what is in `out`. Outside the picture is black.
///
/// A large face is first scaled down as a whole, with a proper filter, so that a small input is sampled from as many
/// pixels as it needs and from no more.
pub(crate) fn square(picture: &Picture, square: Square, input: &Input, out: &mut Vec<f32>) {
    let (width, height) = (input.width as usize, input.height as usize);
    let step = square.side / width.max(height) as f32;
    // From two source pixels for each target pixel on, bilinear sampling would skip some.
    let reduced = if step > 1.5 { reduce(picture, square, step) } else { None };
    let (picture, square) = match &reduced {
        Some((picture, square)) => (picture, *square),
        None => (picture, square),
    };
    let step = square.side / width.max(height) as f32;
    let (sin, cos) = square.angle.sin_cos();
    let start = out.len();
    out.resize(start + 3 * width * height, 0.0);
    let planes = &mut out[start..];
    let offsets = channel_order(input.colour);
    for y in 0..height {
        let v = (y as f32 + 0.5) * step - square.side / 2.0;
        for x in 0..width {
            let u = (x as f32 + 0.5) * step - square.side / 2.0;
            let from_x = square.centre[0] + u * cos - v * sin - 0.5;
            let from_y = square.centre[1] + u * sin + v * cos - 0.5;
            let rgb = bilinear(picture, from_x, from_y);
            for (plane, &channel) in offsets.iter().enumerate() {
                planes[plane * width * height + y * width + x] =
                    (rgb[channel] - input.mean[plane]) * input.scale[plane];
            }
        }
    }
}

/// For each plane of the tensor, which channel of RGB it holds.
fn channel_order(colour: Colour) -> [usize; 3] {
    match colour {
        Colour::Rgb => [0, 1, 2],
        Colour::Bgr => [2, 1, 0],
    }
}

/// The part of the picture around the square, scaled down by `step`, and the square in it. `None` when there is no such
/// part.
fn reduce(picture: &Picture, square: Square, step: f32) -> Option<(Picture, Square)> {
    // As far as the turned square's corners, and two target pixels more feed the filter.
    let (sin, cos) = square.angle.sin_cos();
    let reach = square.side / 2.0 * (sin.abs() + cos.abs()) + 2.0 * step;
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
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear)).crop(
        left.into(),
        top.into(),
        width.into(),
        height.into(),
    );
    let small = resize(picture, out_width, out_height, &options)?;
    let (x, y) = (out_width as f32 / width as f32, out_height as f32 / height as f32);
    let centre = [(square.centre[0] - left as f32) * x, (square.centre[1] - top as f32) * y];
    Some((small, Square { centre, side: square.side * f32::midpoint(x, y), angle: square.angle }))
}

fn resize(picture: &Picture, width: u32, height: u32, options: &ResizeOptions) -> Option<Picture> {
    let source = ImageRef::new(picture.width(), picture.height(), picture.rgb(), PixelType::U8x3).ok()?;
    let mut target = Image::new(width, height, PixelType::U8x3);
    Resizer::new().resize(&source, &mut target, options).ok()?;
    Picture::new(width, height, target.into_vec())
}

/// The colour between four pixels; black outside.
#[inline]
fn bilinear(picture: &Picture, x: f32, y: f32) -> [f32; 3] {
    let (left, top) = (floor(x), floor(y));
    let (right_share, bottom_share) = (x - left as f32, y - top as f32);
    let shares = [
        (1.0 - right_share) * (1.0 - bottom_share),
        right_share * (1.0 - bottom_share),
        (1.0 - right_share) * bottom_share,
        right_share * bottom_share,
    ];
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let (Ok(column), Ok(row)) = (usize::try_from(left), usize::try_from(top)) else {
        return beside(picture, left, top, shares);
    };
    if column + 1 >= width || row + 1 >= height {
        return beside(picture, left, top, shares);
    }
    // Nearly every sample lies inside: two pixels of one row, two of the next.
    let at = (row * width + column) * 3;
    let (upper, lower) = (&picture.rgb()[at..at + 6], &picture.rgb()[at + width * 3..at + width * 3 + 6]);
    let colour = |channel: usize| {
        shares[0] * f32::from(upper[channel])
            + shares[1] * f32::from(upper[channel + 3])
            + shares[2] * f32::from(lower[channel])
            + shares[3] * f32::from(lower[channel + 3])
    };
    [colour(0), colour(1), colour(2)]
}

/// The next whole number below; what lies beyond the whole numbers becomes the last of them.
#[inline]
fn floor(value: f32) -> i32 {
    // `f32::floor` is a call of the C library on processors as old as those this is built for.
    let whole = value as i32;
    if whole as f32 > value { whole.saturating_sub(1) } else { whole }
}

/// The colour between four pixels of which some may lie outside.
#[cold]
fn beside(picture: &Picture, left: i32, top: i32, shares: [f32; 4]) -> [f32; 3] {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let mut sum = [0.0; 3];
    for ((dx, dy), share) in [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().zip(shares) {
        let (x, y) = (left.saturating_add(dx), top.saturating_add(dy));
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
        if x >= width || y >= height {
            continue;
        }
        let at = (y * width + x) * 3;
        for (sum, &value) in sum.iter_mut().zip(&picture.rgb()[at..at + 3]) {
            *sum += share * f32::from(value);
        }
    }
    sum
}

/// Where a letterboxed picture lies in the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Letterbox {
    /// Input pixels for each picture pixel.
    scale: f32,
    left: f32,
    top: f32,
}

impl Letterbox {
    /// A point of the input in the picture's pixels.
    pub(crate) fn back(&self, x: f32, y: f32) -> [f32; 2] {
        [(x - self.left) / self.scale, (y - self.top) / self.scale]
    }
}

/// The whole picture, scaled to fit into `part` (0 to 1) of the input and centred on black, NCHW.
pub(crate) fn letterbox(picture: &Picture, input: &Input, part: f32) -> Option<(Vec<f32>, Letterbox)> {
    let (width, height) = (input.width as usize, input.height as usize);
    let room = |side: usize| side as f32 * part;
    let scale = (room(width) / picture.width() as f32).min(room(height) / picture.height() as f32);
    let fit = |side: u32, most: usize| ((side as f32 * scale).round() as usize).clamp(1, most);
    let (inner_width, inner_height) = (fit(picture.width(), width), fit(picture.height(), height));
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    let small = resize(picture, inner_width as u32, inner_height as u32, &options)?;
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
    Some((out, Letterbox { scale, left: left as f32, top: top as f32 }))
}
