//! Filters over grey values.

use super::GreyImage;

/// The black-hat transform: what is darker than its surroundings and thinner than `2 * radius + 1` pixels. It is the
/// morphological closing minus the image.
pub fn black_hat(plane: &GreyImage, radius: usize) -> Vec<u8> {
    let (width, height) = (plane.width(), plane.height());
    // Dilation along both axes, then erosion along both. The two passes in the middle share one transposed plane.
    let upright = along_columns(plane.pixels(), width, radius, u8::max);
    let turned = along_columns(&transpose(&upright, width, height), height, radius, u8::max);
    let turned = along_columns(&turned, height, radius, u8::min);
    let closed = along_columns(&transpose(&turned, height, width), width, radius, u8::min);
    closed.iter().zip(plane.pixels()).map(|(closed, v)| closed.saturating_sub(*v)).collect()
}

/// The maximum or minimum over each pixel and `radius` pixels above and below it; the border is repeated. Uses the
/// algorithm of van Herk, with running extremes from both ends of each block, a whole row at a time.
fn along_columns(pixels: &[u8], width: usize, radius: usize, pick: impl Fn(u8, u8) -> u8 + Copy) -> Vec<u8> {
    let height = pixels.len() / width.max(1);
    let (window, padded) = (2 * radius + 1, height + 2 * radius);
    if height == 0 {
        return vec![];
    }
    let source = |y: usize| {
        let y = y.saturating_sub(radius).min(height - 1);
        &pixels[y * width..(y + 1) * width]
    };
    let merge = |into: &mut [u8], with: &[u8]| {
        into.iter_mut().zip(with).for_each(|(into, with)| *into = pick(*into, *with));
    };
    let mut backward = vec![0; padded * width];
    for y in (0..padded).rev() {
        let (here, after) = backward[y * width..].split_at_mut(width);
        here.copy_from_slice(source(y));
        if y % window != window - 1 && y + 1 < padded {
            merge(here, &after[..width]);
        }
    }
    let mut out = vec![0; height * width];
    let mut forward = vec![0; width];
    for y in 0..padded {
        if y % window == 0 {
            forward.copy_from_slice(source(y));
        } else {
            merge(&mut forward, source(y));
        }
        if let Some(at) = (y + 1).checked_sub(window) {
            let row = &mut out[at * width..(at + 1) * width];
            row.copy_from_slice(&forward);
            merge(row, &backward[at * width..(at + 1) * width]);
        }
    }
    out
}

fn transpose(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut out = vec![0; pixels.len()];
    // In tiles that fit into the L1 cache.
    for top in (0..height).step_by(32) {
        for left in (0..width).step_by(32) {
            for y in top..(top + 32).min(height) {
                for x in left..(left + 32).min(width) {
                    out[x * height + y] = pixels[y * width + x];
                }
            }
        }
    }
    out
}

/// The mean over a box of `2 * across + 1` by `2 * down + 1` values around each value. At the border only the values
/// inside count.
pub fn box_blur(values: &[f32], width: usize, across: usize, down: usize) -> Vec<f32> {
    let height = values.len() / width.max(1);
    let mut rows = vec![0.0; values.len()];
    let mut sums = vec![0.0_f32; width + 1];
    for (row, out) in values.chunks_exact(width).zip(rows.chunks_exact_mut(width)) {
        for (at, &v) in row.iter().enumerate() {
            sums[at + 1] = sums[at] + v;
        }
        for (at, out) in out.iter_mut().enumerate() {
            let (from, to) = (at.saturating_sub(across), (at + across + 1).min(width));
            *out = (sums[to] - sums[from]) / (to - from) as f32;
        }
    }
    let mut out = vec![0.0; values.len()];
    let mut sum = vec![0.0_f32; width];
    let row = |y: usize| &rows[y * width..(y + 1) * width];
    for y in 0..down.min(height) {
        sum.iter_mut().zip(row(y)).for_each(|(sum, v)| *sum += v);
    }
    for y in 0..height {
        if y + down < height {
            sum.iter_mut().zip(row(y + down)).for_each(|(sum, v)| *sum += v);
        }
        if y > down {
            sum.iter_mut().zip(row(y - down - 1)).for_each(|(sum, v)| *sum -= v);
        }
        let count = ((y + down + 1).min(height) - y.saturating_sub(down)) as f32;
        out[y * width..(y + 1) * width].iter_mut().zip(&sum).for_each(|(out, sum)| *out = sum / count);
    }
    out
}

/// The threshold that best separates values into two groups (Otsu's method), from a histogram of 256 bins between 0 and
/// the maximum.
pub fn otsu(values: &[f32]) -> f32 {
    let most = values.iter().copied().fold(1e-6_f32, f32::max);
    let mut histogram = [0.0_f64; 256];
    for &v in values {
        histogram[((v / most * 255.0) as usize).min(255)] += 1.0;
    }
    let total: f64 = histogram.iter().sum();
    let moment: f64 = histogram.iter().zip(0..).map(|(count, at)| count * f64::from(at)).sum();
    let (mut below, mut sum, mut best, mut level) = (0.0, 0.0, 0.0, 0);
    for (at, count) in histogram.iter().enumerate() {
        below += count;
        sum += count * at as f64;
        let above = total - below;
        if below == 0.0 || above <= 0.0 {
            continue;
        }
        let apart = below * above * (sum / below - (moment - sum) / above).powi(2);
        if apart > best {
            (best, level) = (apart, at);
        }
    }
    // The upper edge of the darker group's last bin.
    (level + 1) as f32 / 255.0 * most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thin_dark_lines_stay_and_broad_ones_go() {
        let mut pixels = vec![200_u8; 60 * 20];
        for y in 0..20 {
            pixels[y * 60 + 10] = 50;
            pixels[y * 60 + 30..y * 60 + 50].fill(50);
        }
        let hat = black_hat(&GreyImage::new(60, 20, pixels).unwrap(), 4);
        assert_eq!((hat[10], hat[40], hat[5]), (150, 0, 0));
    }

    #[test]
    fn a_box_is_a_mean_and_smaller_at_the_edge() {
        let values: Vec<f32> = (0..12).map(|v| v as f32).collect();
        let blurred = box_blur(&values, 4, 1, 1);
        assert!((blurred[5] - 5.0).abs() < 1e-4);
        assert!((blurred[0] - 2.5).abs() < 1e-4);
        assert!((blurred[11] - 8.5).abs() < 1e-4);
    }

    #[test]
    fn two_groups_are_told_apart() {
        let values: Vec<f32> = (0..100).map(|at| if at < 80 { 1.0 } else { 9.0 }).collect();
        assert!((1.0..8.0).contains(&otsu(&values)));
    }
}
