//! Images with one byte of brightness per pixel.

use base::Picture;

/// An image of brightness, row by row without padding; at least one pixel.
#[derive(Clone, PartialEq, Eq)]
pub struct GreyImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GreyImage {
    /// Takes `width * height` bytes; `None` where a side is 0 or the length differs.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let length = width.checked_mul(height)?;
        (length > 0 && length == pixels.len()).then_some(Self { width, height, pixels })
    }

    /// The luma of a picture (ITU-R BT.601 weights, in 256ths).
    pub fn of(picture: &Picture) -> Self {
        let luma = |rgb: &[u8]| {
            let [r, g, b] = [rgb[0], rgb[1], rgb[2]].map(u32::from);
            ((r * 77 + g * 150 + b * 29) >> 8) as u8
        };
        let pixels = picture.rgb().chunks_exact(3).map(luma).collect();
        Self { width: picture.width() as usize, height: picture.height() as usize, pixels }
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// A row; below the image the last one.
    pub fn row(&self, y: usize) -> &[u8] {
        let y = y.min(self.height - 1);
        &self.pixels[y * self.width..(y + 1) * self.width]
    }

    /// Bilinear interpolation, 0 to 255. Integer coordinates are the centres of pixels; outside, the border is
    /// repeated.
    pub fn sample(&self, x: f32, y: f32) -> f32 {
        let x = x.clamp(0.0, (self.width - 1) as f32);
        let y = y.clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (a, b) = (x - left as f32, y - top as f32);
        let at = |x: usize, y: usize| f32::from(self.pixels[y * self.width + x]);
        let upper = at(left, top) * (1.0 - a) + at(right, top) * a;
        let lower = at(left, bottom) * (1.0 - a) + at(right, bottom) * a;
        upper * (1.0 - b) + lower * b
    }

    /// Half the width and height (rounded down, at least 1); each pixel is the mean of four.
    #[must_use]
    pub fn halve(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let (upper, lower) = (self.row(2 * y), self.row(2 * y + 1));
            for x in 0..width {
                let (left, right) = (2 * x, (2 * x + 1).min(self.width - 1));
                let sum =
                    [upper[left], upper[right], lower[left], lower[right]].map(u16::from).iter().sum::<u16>();
                pixels.push(((sum + 2) / 4) as u8);
            }
        }
        Self { width, height, pixels }
    }

    /// Scaled down by a factor; each pixel is the mean of those that it covers. A factor of 1 or more copies.
    #[must_use]
    pub fn shrink(&self, share: f32) -> Self {
        if share >= 1.0 || share.is_nan() {
            return self.clone();
        }
        let size = |side: usize| ((side as f32 * share) as usize).clamp(1, side);
        let (width, height) = (size(self.width), size(self.height));
        let edges =
            |small: usize, large: usize| -> Vec<usize> { (0..=small).map(|at| at * large / small).collect() };
        let (columns, rows) = (edges(width, self.width), edges(height, self.height));
        let mut pixels = Vec::with_capacity(width * height);
        let mut sums = vec![0_u32; width];
        for rows in rows.windows(2) {
            sums.fill(0);
            for y in rows[0]..rows[1] {
                let row = self.row(y);
                for (sum, columns) in sums.iter_mut().zip(columns.windows(2)) {
                    *sum += row[columns[0]..columns[1]].iter().map(|&v| u32::from(v)).sum::<u32>();
                }
            }
            let high = (rows[1] - rows[0]) as u32;
            let cells = sums.iter().zip(columns.windows(2));
            pixels
                .extend(cells.map(|(&sum, columns)| (sum / (high * (columns[1] - columns[0]) as u32)) as u8));
        }
        Self { width, height, pixels }
    }

    /// Rotates the content about the centre by `angle` radians, anticlockwise as seen (y points down), so that content
    /// tilted clockwise by `angle` becomes level. The size is kept, and the border is repeated where nothing was.
    #[must_use]
    pub fn rotate(&self, angle: f32) -> Self {
        let (sin, cos) = angle.sin_cos();
        let (cx, cy) = (self.width as f32 / 2.0, self.height as f32 / 2.0);
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..self.height {
            let v = y as f32 - cy;
            for x in 0..self.width {
                let u = x as f32 - cx;
                pixels.push(self.sample(cx + u * cos - v * sin, cy + u * sin + v * cos) as u8);
            }
        }
        Self { width: self.width, height: self.height, pixels }
    }

    /// Rotated clockwise by a right angle.
    #[must_use]
    pub fn rotate_quarter(&self) -> Self {
        let mut pixels = vec![0; self.pixels.len()];
        for (y, row) in self.pixels.chunks_exact(self.width).enumerate() {
            for (x, &v) in row.iter().enumerate() {
                pixels[x * self.height + self.height - 1 - y] = v;
            }
        }
        Self { width: self.height, height: self.width, pixels }
    }
}

// The pixels may show a face and must never reach a log through `{:?}`.
impl std::fmt::Debug for GreyImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Grey({}x{})", self.width, self.height)
    }
}

/// An image at full, half, quarter and eighth size, to sample at any scale without aliasing.
#[derive(Clone, Debug)]
pub struct ImagePyramid {
    levels: Vec<GreyImage>,
}

/// Number of levels at most, the full size included.
const MAX_LEVELS: usize = 4;

impl ImagePyramid {
    /// Halves the image while both sides stay at least 64 pixels long, down to an eighth.
    pub fn new(base: GreyImage) -> Self {
        let mut levels = vec![base];
        while levels.len() < MAX_LEVELS
            && let Some(last) = levels.last()
            && last.width().min(last.height()) >= 128
        {
            levels.push(last.halve());
        }
        Self { levels }
    }

    /// The image at full size.
    pub fn base(&self) -> &GreyImage {
        &self.levels[0]
    }

    /// The coarsest level for samples that are `step` pixels of the full size apart, and the width of one of its pixels
    /// in pixels of the full size.
    pub fn level(&self, step: f32) -> (&GreyImage, f32) {
        let mut level = 0;
        while level + 1 < self.levels.len() && step >= 0.75 * (2 << level) as f32 {
            level += 1;
        }
        (&self.levels[level], (1 << level) as f32)
    }

    /// The image with a longer side of at most `longest` pixels, and its scale relative to the full size.
    pub fn shrink_to(&self, longest: usize) -> (GreyImage, f32) {
        let side = self.base().width().max(self.base().height());
        let mut at = 0;
        while at + 1 < self.levels.len()
            && self.levels[at + 1].width().max(self.levels[at + 1].height()) >= longest
        {
            at += 1;
        }
        let from = &self.levels[at];
        let small = from.shrink(longest as f32 / from.width().max(from.height()) as f32);
        let share = small.width().max(small.height()) as f32 / side as f32;
        (small, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> GreyImage {
        GreyImage::new(width, height, (0..width * height).map(|at| (at % 251) as u8).collect()).unwrap()
    }

    #[test]
    fn planes_shrink_by_means_and_turn_by_quarters() {
        let plane = ramp(6, 4);
        assert_eq!(plane.halve().pixels()[0], 4); // (0 + 1 + 6 + 7 + 2) / 4
        assert_eq!(plane.shrink(0.5), plane.shrink(0.5));
        assert_eq!((plane.shrink(0.5).width(), plane.shrink(0.5).height()), (3, 2));
        let turned = plane.rotate_quarter();
        assert_eq!((turned.width(), turned.height(), turned.pixels()[0]), (4, 6, 18));
        assert_eq!(plane.rotate_quarter().rotate_quarter().rotate_quarter().rotate_quarter(), plane);
    }

    #[test]
    fn samples_lie_between_pixels_and_repeat_the_edge() {
        let plane = ramp(4, 2);
        assert_eq!(plane.sample(0.5, 0.0), 0.5);
        assert_eq!(plane.sample(-9.0, 99.0), 4.0);
        assert_eq!(GreyImage::new(0, 4, vec![]), None);
        let one = GreyImage::new(1, 1, vec![7]).unwrap();
        assert_eq!((one.sample(3.0, 3.0), one.halve().pixels()[0], one.rotate(1.0).pixels()[0]), (7.0, 7, 7));
    }
}
