//! Planes of floating-point grey values, and the filters over them.

use base::Picture;

/// A plane of values, row by row. Where it shows a picture, 0 is black and 255 is white.
#[derive(Clone, Debug)]
pub struct Plane {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

impl Plane {
    /// Takes `width * height` values; where the lengths disagree, the plane is a single zero.
    pub fn new(width: usize, height: usize, values: Vec<f32>) -> Self {
        if width > 0 && height > 0 && width.checked_mul(height) == Some(values.len()) {
            Self { width, height, values }
        } else {
            Self { width: 1, height: 1, values: vec![0.0] }
        }
    }

    /// The luma of a picture (ITU-R BT.601 weights).
    pub fn luma(picture: &Picture) -> Self {
        let values = picture
            .rgb()
            .as_chunks::<3>()
            .0
            .iter()
            .map(|&[r, g, b]| 0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b))
            .collect();
        Self::new(picture.width() as usize, picture.height() as usize, values)
    }

    /// Width in pixels, at least 1.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels, at least 1.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// A row; below the plane the last one.
    pub fn row(&self, y: usize) -> &[f32] {
        let from = y.min(self.height - 1) * self.width;
        &self.values[from..from + self.width]
    }

    /// A single value; outside, the border is repeated.
    pub fn at(&self, x: i64, y: i64) -> f32 {
        let x = x.clamp(0, self.width as i64 - 1) as usize;
        let y = y.clamp(0, self.height as i64 - 1) as usize;
        self.values[y * self.width + x]
    }

    /// Bilinear interpolation. Integer coordinates are the centres of pixels; outside, the border is repeated.
    pub fn interpolate(&self, x: f32, y: f32) -> f32 {
        let (left, right, across) = neighbours(x, self.width);
        let (top, bottom, down) = neighbours(y, self.height);
        let row = |y: usize| {
            let row = &self.values[y * self.width..];
            mix(row[left], row[right], across)
        };
        mix(row(top), row(bottom), down)
    }

    /// Applies a function to every value.
    #[must_use]
    pub fn map(mut self, change: impl Fn(f32) -> f32) -> Self {
        for value in &mut self.values {
            *value = change(*value);
        }
        self
    }

    /// The values rounded and clamped to 0..=255.
    pub fn bytes(&self) -> Vec<u8> {
        self.values.iter().map(|&value| nearest_byte(value)).collect()
    }

    /// Scaled down by an integer factor; each pixel is the mean of a square. Remaining pixels at the right and bottom
    /// are left out.
    #[must_use]
    pub fn shrink(&self, by: usize) -> Self {
        let by = by.clamp(1, self.width.min(self.height));
        if by == 1 {
            return self.clone();
        }
        let (width, height) = (self.width / by, self.height / by);
        let share = 1.0 / (by * by) as f32;
        let mut values = vec![0.0; width * height];
        for y in 0..height * by {
            let into = &mut values[y / by * width..][..width];
            let row = &self.values[y * self.width..][..width * by];
            for (sum, square) in into.iter_mut().zip(row.chunks_exact(by)) {
                *sum += square.iter().sum::<f32>() * share;
            }
        }
        Self { width, height, values }
    }

    /// Scaled so that the longer side has `side` pixels: scaled down by means first, then interpolated.
    #[must_use]
    pub fn resize_to(&self, side: usize) -> Self {
        let long = self.width.max(self.height);
        let by = (long / side.max(1)).max(1);
        let small = self.shrink(by);
        let scale = side.max(1) as f32 / small.width.max(small.height) as f32;
        if (scale - 1.0).abs() < 1e-3 { small } else { small.resize_by(scale) }
    }

    /// Scaled by interpolation; meant for factors of at least 0.5.
    #[must_use]
    pub fn resize_by(&self, factor: f32) -> Self {
        let width = ((self.width as f32 * factor).round() as usize).max(1);
        let height = ((self.height as f32 * factor).round() as usize).max(1);
        let (across, down) = (self.width as f32 / width as f32, self.height as f32 / height as f32);
        let columns: Vec<_> =
            (0..width).map(|x| neighbours((x as f32 + 0.5) * across - 0.5, self.width)).collect();
        let mut values = Vec::with_capacity(width * height);
        for y in 0..height {
            let (top, bottom, between) = neighbours((y as f32 + 0.5) * down - 0.5, self.height);
            let (upper, lower) = (self.row(top), self.row(bottom));
            values.extend(columns.iter().map(|&(left, right, across)| {
                mix(mix(upper[left], upper[right], across), mix(lower[left], lower[right], across), between)
            }));
        }
        Self { width, height, values }
    }

    /// The mean of a square window of `2 * radius + 1` pixels around each pixel; the border is repeated.
    #[must_use]
    pub fn box_mean(&self, radius: usize) -> Self {
        if radius == 0 {
            return self.clone();
        }
        self.mean_rows(radius).mean_columns(radius)
    }

    fn mean_rows(&self, radius: usize) -> Self {
        let share = 1.0 / (2 * radius + 1) as f32;
        let mut values = vec![0.0; self.values.len()];
        // A row with its border repeated, so that all its pixels are alike.
        let mut padded = vec![0.0; self.width + 2 * radius + 1];
        for (means, row) in values.chunks_exact_mut(self.width).zip(self.values.chunks_exact(self.width)) {
            padded[..radius].fill(row[0]);
            padded[radius..radius + self.width].copy_from_slice(row);
            padded[radius + self.width..].fill(row[self.width - 1]);
            let mut sum = row[0] * (radius + 1) as f32 + padded[radius + 1..=2 * radius].iter().sum::<f32>();
            let (leaving, entering) = (&padded[..self.width], &padded[2 * radius + 1..]);
            for ((mean, leaves), enters) in means.iter_mut().zip(leaving).zip(entering) {
                *mean = sum * share;
                sum += enters - leaves;
            }
        }
        Self { values, ..*self }
    }

    /// The same for columns: a row at a time, so that neighbouring columns are summed side by side.
    fn mean_columns(&self, radius: usize) -> Self {
        let share = 1.0 / (2 * radius + 1) as f32;
        let mut sums = self.row(1).to_vec();
        for y in 2..=radius {
            for (sum, value) in sums.iter_mut().zip(self.row(y)) {
                *sum += value;
            }
        }
        for (sum, first) in sums.iter_mut().zip(self.row(0)) {
            *sum += first * (radius + 1) as f32;
        }
        let mut values = vec![0.0; self.values.len()];
        for (y, means) in values.chunks_exact_mut(self.width).enumerate() {
            let (leaving, entering) = (self.row(y.saturating_sub(radius)), self.row(y + radius + 1));
            let changes = entering.iter().zip(leaving);
            for ((mean, sum), (enters, leaves)) in means.iter_mut().zip(&mut sums).zip(changes) {
                *mean = *sum * share;
                *sum += enters - leaves;
            }
        }
        Self { values, ..*self }
    }

    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut values = vec![0.0; self.values.len()];
        // In tiles, so that source and target stay in the cache.
        for top in (0..self.height).step_by(32) {
            for left in (0..self.width).step_by(32) {
                for y in top..(top + 32).min(self.height) {
                    for x in left..(left + 32).min(self.width) {
                        values[x * self.height + y] = self.values[y * self.width + x];
                    }
                }
            }
        }
        Self { width: self.height, height: self.width, values }
    }

    /// Approximates a Gaussian blur of `sigma` pixels by three box means.
    #[must_use]
    pub fn blur(&self, sigma: f32) -> Self {
        // The variance of a box of w pixels is (w² - 1) / 12; that of three boxes is three times as large.
        let radius = (((4.0 * sigma * sigma + 1.0).sqrt() - 1.0) / 2.0).round() as usize;
        if radius == 0 {
            return if sigma < 0.25 { self.clone() } else { self.blur_slightly(sigma) };
        }
        let rows = self.mean_rows(radius).mean_rows(radius).mean_rows(radius);
        rows.mean_columns(radius).mean_columns(radius).mean_columns(radius)
    }

    /// A kernel of three values, for a sigma that is too small for boxes.
    fn blur_slightly(&self, sigma: f32) -> Self {
        let side = (-0.5 / (sigma * sigma)).exp();
        let (side, middle) = (side / (1.0 + 2.0 * side), 1.0 / (1.0 + 2.0 * side));
        let mut values = Vec::with_capacity(self.values.len());
        for row in self.values.chunks_exact(self.width) {
            values.extend((0..self.width).map(|x| {
                let right = row[(x + 1).min(self.width - 1)];
                row[x] * middle + (row[x.saturating_sub(1)] + right) * side
            }));
        }
        let rows = Self { values, ..*self };
        let mut values = Vec::with_capacity(self.values.len());
        for y in 0..self.height {
            let outer = rows.row(y.saturating_sub(1)).iter().zip(rows.row(y + 1));
            let pixels = rows.row(y).iter().zip(outer);
            values.extend(pixels.map(|(here, (above, below))| here * middle + (above + below) * side));
        }
        Self { values, ..*self }
    }

    /// Unsharp masking: adds `amount` times the difference from the plane blurred with `sigma`.
    #[must_use]
    pub fn sharpen(&self, sigma: f32, amount: f32) -> Self {
        let blurred = self.blur(sigma);
        let pairs = self.values.iter().zip(&blurred.values);
        let values = pairs.map(|(&value, &mean)| value + (value - mean) * amount).collect();
        Self { values, ..*self }
    }

    /// Stretches the contrast so that the given shares of pixels, 0 to 1, become black and white.
    #[must_use]
    pub fn stretch(self, dark: f32, bright: f32) -> Self {
        let (low, high) = (self.quantile(dark), self.quantile(1.0 - bright));
        let gain = 255.0 / (high - low).max(1.0);
        self.map(|value| ((value - low) * gain).clamp(0.0, 255.0))
    }

    /// The value below which the given share of pixels lies, 0 to 1, as an integer. The values must be 0 to 255.
    pub fn quantile(&self, share: f32) -> f32 {
        let mut counts = [0_usize; 256];
        for &value in &self.values {
            counts[usize::from(nearest_byte(value))] += 1;
        }
        let wanted = (self.values.len() as f32 * share.clamp(0.0, 1.0)) as usize;
        let mut below = 0;
        for (value, count) in counts.iter().enumerate() {
            below += count;
            if below > wanted {
                return value as f32;
            }
        }
        255.0
    }

    /// Horizontal and vertical Sobel gradients, in grey values per pixel.
    pub fn gradients(&self) -> (Self, Self) {
        let mut across = vec![0.0; self.values.len()];
        let mut down = vec![0.0; self.values.len()];
        for y in 0..self.height {
            let above = self.row(y.saturating_sub(1));
            let here = self.row(y);
            let below = self.row(y + 1);
            for x in 0..self.width {
                let (left, right) = (x.saturating_sub(1), (x + 1).min(self.width - 1));
                let at = y * self.width + x;
                let side = |x: usize| above[x] + 2.0 * here[x] + below[x];
                across[at] = (side(right) - side(left)) / 8.0;
                let level = |row: &[f32]| row[left] + 2.0 * row[x] + row[right];
                down[at] = (level(below) - level(above)) / 8.0;
            }
        }
        (Self { values: across, ..*self }, Self { values: down, ..*self })
    }
}

/// The two of `count` indices that a coordinate lies between, and how far it is from the first to the second, 0 to 1;
/// outside, the nearest index.
fn neighbours(coordinate: f32, count: usize) -> (usize, usize, f32) {
    let at = coordinate.clamp(0.0, (count - 1) as f32);
    let first = at as u32 as usize;
    (first, (first + 1).min(count - 1), at - first as f32)
}

fn mix(from: f32, to: f32, share: f32) -> f32 {
    from + (to - from) * share
}

/// Rounded, halves upwards, and clamped to 0..=255.
pub(super) fn nearest_byte(value: f32) -> u8 {
    // Not by `round`: without SSE 4.1, which builds for x86-64 do not presume, that is a function call.
    let value = value.clamp(0.0, 255.0);
    let whole = value as u8;
    whole + u8::from(value - f32::from(whole) >= 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`Plane::mean_rows`], pixel by pixel.
    fn plain_mean_rows(plane: &Plane, radius: usize) -> Plane {
        let share = 1.0 / (2 * radius + 1) as f32;
        let mut values = Vec::new();
        for row in plane.values.chunks_exact(plane.width) {
            let (first, last) = (row[0], row[plane.width - 1]);
            let at = |x: usize| row.get(x).copied().unwrap_or(last);
            let mut sum = first * (radius + 1) as f32 + (1..=radius).map(at).sum::<f32>();
            for x in 0..plane.width {
                values.push(sum * share);
                let leaves = if x >= radius { row[x - radius] } else { first };
                sum += at(x + radius + 1) - leaves;
            }
        }
        Plane { values, ..*plane }
    }

    /// A kernel of three values over rows, pixel by pixel.
    fn plain_kernel_rows(plane: &Plane, middle: f32, side: f32) -> Plane {
        let value =
            |x: i64, y: i64| plane.at(x, y) * middle + (plane.at(x - 1, y) + plane.at(x + 1, y)) * side;
        let rows = (0..plane.height as i64).map(|y| (0..plane.width as i64).map(move |x| (x, y)));
        Plane { values: rows.flatten().map(|(x, y)| value(x, y)).collect(), ..*plane }
    }

    /// Rows, then columns as the rows of the transposed plane.
    fn plain_both(plane: &Plane, rows: impl Fn(&Plane) -> Plane) -> Plane {
        rows(&rows(plane).transpose()).transpose()
    }

    fn assert_same_bits(found: &Plane, plain: &Plane, what: &str) {
        assert_eq!((found.width, found.height), (plain.width, plain.height), "{what}");
        let differs = found.values.iter().zip(&plain.values).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!(differs, None, "{what}");
    }

    #[test]
    fn filters_have_the_same_bits_as_plain_loops() {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 3), (40, 33), (97, 64)] {
            let values = (0..width * height).map(|at| (at * 7919 % 2557) as f32 * 0.1 - 30.0).collect();
            let plane = Plane::new(width, height, values);
            for radius in [1, 2, 4, 7, 24] {
                let what = format!("{width} x {height}, radius {radius}");
                let plain = plain_both(&plane, |plane| plain_mean_rows(plane, radius));
                assert_same_bits(&plane.box_mean(radius), &plain, &what);
                // The variance of three boxes, whose width is 2 * radius + 1.
                let sigma = ((radius * (radius + 1)) as f32).sqrt();
                let thrice = |plane: &Plane| {
                    let once = plain_mean_rows(plane, radius);
                    plain_mean_rows(&plain_mean_rows(&once, radius), radius)
                };
                assert_same_bits(&plane.blur(sigma), &plain_both(&plane, thrice), &what);
            }
            let sigma = 0.4_f32;
            let side = (-0.5 / (sigma * sigma)).exp();
            let (side, middle) = (side / (1.0 + 2.0 * side), 1.0 / (1.0 + 2.0 * side));
            let plain = plain_both(&plane, |plane| plain_kernel_rows(plane, middle, side));
            assert_same_bits(&plane.blur(sigma), &plain, &format!("{width} x {height}, slightly"));
            for factor in [0.5, 0.83, 1.0, 1.7] {
                let resized = plane.resize_by(factor);
                let (across, down) =
                    (width as f32 / resized.width as f32, height as f32 / resized.height as f32);
                let mut plain = resized.clone();
                for (at, value) in plain.values.iter_mut().enumerate() {
                    let (x, y) = ((at % resized.width) as f32, (at / resized.width) as f32);
                    let (x, y) = ((x + 0.5) * across - 0.5, (y + 0.5) * down - 0.5);
                    let (x, y) = (x.clamp(0.0, (width - 1) as f32), y.clamp(0.0, (height - 1) as f32));
                    let (left, top) = (x.floor(), y.floor());
                    let row = |y: i64| {
                        let (from, to) = (plane.at(left as i64, y), plane.at(left as i64 + 1, y));
                        from + (to - from) * (x - left)
                    };
                    let (upper, lower) = (row(top as i64), row(top as i64 + 1));
                    *value = upper + (lower - upper) * (y - top);
                    assert_eq!(plane.interpolate(x, y).to_bits(), value.to_bits());
                }
                assert_same_bits(&resized, &plain, &format!("{width} x {height} by {factor}"));
            }
        }
    }

    #[test]
    fn bytes_are_rounded_as_round_does_and_clamped() {
        let steps = (-64..=4200).map(|at| at as f32 / 16.0);
        let edges = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE, 1e30, -1e30];
        // Next to a half: 0.5 added to the first is 1.
        let near =
            [0.5_f32, 1.5, 127.5, 254.5].into_iter().flat_map(|half| [half.next_down(), half.next_up()]);
        for value in steps.chain(edges).chain(near) {
            assert_eq!(nearest_byte(value), value.round().clamp(0.0, 255.0) as u8, "{value}");
        }
    }

    #[test]
    fn filters_keep_the_mean_and_gradients_find_edges() {
        let step =
            Plane::new(64, 32, (0..64 * 32).map(|at| if at % 64 < 32 { 0.0 } else { 200.0 }).collect());
        for sigma in [0.4, 1.0, 2.5] {
            let blurred = step.blur(sigma);
            let mean = blurred.values().iter().sum::<f32>() / 2048.0;
            assert!((mean - 100.0).abs() < 0.5, "{sigma}: {mean}");
            assert!(blurred.at(31, 5) > 0.0);
        }
        let (across, down) = step.gradients();
        assert_eq!(across.at(31, 7), 100.0);
        assert!(down.values().iter().all(|value| *value == 0.0));
        assert_eq!(step.shrink(2).width(), 32);
        assert_eq!(step.resize_to(16).height(), 8);
        assert_eq!(step.transpose().at(7, 40), 200.0);
        assert_eq!(step.quantile(0.25), 0.0);
    }
}
