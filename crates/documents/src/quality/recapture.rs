//! Whether the camera saw the document itself or a reproduction: colours, and the pixel grid of a display in the
//! spectrum.

use crate::{
    locate::{self, LocatedPage},
    picture::{homography::Point, plane::Plane},
};
use base::Picture;
use pixels::{Complex32, Fft};
use std::sync::Arc;

/// Blue and red colour difference (Cb and Cr), scaled down to a longer side of `side` pixels so that noise averages
/// out.
fn chroma_planes(picture: &Picture, side: usize) -> [Plane; 2] {
    let plane = |difference: &dyn Fn(&[u8; 3]) -> f32| {
        let values = picture.rgb().as_chunks::<3>().0.iter().map(difference).collect();
        Plane::new(picture.width() as usize, picture.height() as usize, values).resize_to(side)
    };
    let luma = |[r, g, b]: &[u8; 3]| 0.299 * f32::from(*r) + 0.587 * f32::from(*g) + 0.114 * f32::from(*b);
    [
        plane(&|pixel| 0.564 * (f32::from(pixel[2]) - luma(pixel))),
        plane(&|pixel| 0.713 * (f32::from(pixel[0]) - luma(pixel))),
    ]
}

/// The 99 % quantile of colour strength in the photo, 0 to about 180.
pub(super) fn colourfulness(photo: &Picture) -> f32 {
    let [blue, red] = chroma_planes(photo, 200);
    let strengths: Vec<f32> =
        blue.values().iter().zip(red.values()).map(|(blue, red)| blue.hypot(*red)).collect();
    Plane::new(blue.width(), blue.height(), strengths).quantile(0.99)
}

/// How much the colours of the page vary: the standard deviation over both colour differences, which a tint of the
/// light does not change.
pub(super) fn colour_spread(page: &Picture) -> f32 {
    let spread = |plane: &Plane| {
        let count = plane.values().len() as f32;
        let mean = plane.values().iter().sum::<f32>() / count;
        plane.values().iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count
    };
    chroma_planes(page, 160).iter().map(spread).sum::<f32>().sqrt()
}

/// How far outside the page its surroundings are searched, as a share of its height.
const SURROUNDINGS_SHARE: f32 = 0.7;
/// Steps on the way outwards.
const OUTWARD_STEPS: usize = 140;
/// Samples along a side of the page.
const SAMPLES_PER_SIDE: usize = 24;
/// The frame of a display has at most this share of the luma of the page's paper.
const MAX_FRAME_LUMA_SHARE: f32 = 0.2;
/// An area is even where the luma along a line has at most this standard deviation.
const MAX_EVEN_LUMA_DEVIATION: f32 = 9.0;
/// Least width of the frame, in steps outwards.
const MIN_FRAME_STEPS: usize = 4;
/// Least width of the light area inside the frame, in steps outwards.
const MIN_WINDOW_STEPS: usize = 4;
/// Steps that may still belong to the edge of the page.
const PAGE_EDGE_STEPS: usize = 3;

/// Number of sides of the page, 0 to 4, that are surrounded first by an even, light area, such as a window on a
/// display, and then by an even, dark one, such as the frame of the display. On a page that lies on a dark table the
/// light area is missing.
pub(super) fn bezel(photo: &Picture, located: &LocatedPage) -> f32 {
    let luma = Plane::luma(photo).resize_to(BEZEL_SIDE_PIXELS);
    let scale = luma.width() as f32 / photo.width() as f32;
    let (width, height) = (located.page.width() as f32, located.page.height() as f32);
    let paper = Plane::luma(&located.page).resize_to(200).quantile(0.8);
    let inside = |[x, y]: Point| {
        x >= 0.0 && y >= 0.0 && x < (luma.width() - 1) as f32 && y < (luma.height() - 1) as f32
    };
    let side = |at: &dyn Fn(f32, f32) -> Point| {
        let (mut light, mut dark) = (0, 0);
        for step in PAGE_EDGE_STEPS..OUTWARD_STEPS {
            let out = SURROUNDINGS_SHARE * step as f32 / OUTWARD_STEPS as f32;
            let along =
                (0..SAMPLES_PER_SIDE).map(|sample| 0.1 + 0.8 * sample as f32 / (SAMPLES_PER_SIDE - 1) as f32);
            let points = along.map(|along| located.to_photo.apply(at(along, out)).map(|value| value * scale));
            let values: Vec<f32> =
                points.filter(|&point| inside(point)).map(|[x, y]| luma.interpolate(x, y)).collect();
            // Most of the line lies outside the photo, so no frame can end there.
            if values.len() < SAMPLES_PER_SIDE / 2 {
                return false;
            }
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / values.len() as f32;
            let even = spread.sqrt() < MAX_EVEN_LUMA_DEVIATION;
            match (even, mean < MAX_FRAME_LUMA_SHARE * paper) {
                (true, false) if dark == 0 => light += 1,
                (true, true) => dark += 1,
                // The line on the boundary has samples of both areas.
                _ if light >= MIN_WINDOW_STEPS && dark == 0 => {}
                _ => break,
            }
            if light >= MIN_WINDOW_STEPS && dark >= MIN_FRAME_STEPS {
                return true;
            }
        }
        false
    };
    let sides: [&dyn Fn(f32, f32) -> Point; 4] = [
        &|along, out| [along * width, -out * height],
        &|along, out| [along * width, height + out * height],
        &|along, out| [-out * height, along * height],
        &|along, out| [width + out * height, along * height],
    ];
    sides.into_iter().filter(|at| side(*at)).count() as f32
}

/// Longer side of the picture in which the frame is searched.
const BEZEL_SIDE_PIXELS: usize = 1000;

/// Side of the blocks whose spectrum is computed.
const BLOCK_PIXELS: usize = 256;

/// Prominence of the strongest peak in the spectrum over its surroundings, in decades of power: the pixel grid of a
/// display, or the moiré that the camera makes of it. A display shows the peak everywhere, print only where there is
/// print, and perspective shifts it from place to place. Each block is therefore measured alone, and two thirds of the
/// blocks must have a peak. The photo is measured before rectification, which would smooth the grid away.
pub(super) fn spectral_peak(photo: &Picture, corners: &[Point; 4]) -> f32 {
    let blocks = spectrum_blocks(photo, corners);
    // Brightness, and red minus blue: the subpixels of a display differ in colour, print does not.
    let looks: [fn(&[u8; 3]) -> f32; 2] = [
        |[r, g, b]| 0.299 * f32::from(*r) + 0.587 * f32::from(*g) + 0.114 * f32::from(*b),
        |[r, _, b]| f32::from(*r) - f32::from(*b),
    ];
    let spectrum = BlockSpectrum::new();
    let mut peaks: Vec<f32> = blocks
        .iter()
        .map(|block| {
            looks.iter().map(|look| spectrum.peak_prominence(photo, *block, *look)).fold(0.0, f32::max)
        })
        .collect();
    if peaks.is_empty() {
        return 0.0;
    }
    let third = peaks.len() / 3;
    *peaks.select_nth_unstable_by(third, f32::total_cmp).1
}

/// Top left corners of up to twelve blocks whose centre is on the page, evenly spread.
fn spectrum_blocks(photo: &Picture, corners: &[Point; 4]) -> Vec<[usize; 2]> {
    let (width, height) = (photo.width() as usize, photo.height() as usize);
    if width < BLOCK_PIXELS || height < BLOCK_PIXELS {
        return Vec::new();
    }
    let steps = |length: usize| {
        let count = (length / BLOCK_PIXELS).clamp(1, 8);
        (0..=count).map(move |at| (length - BLOCK_PIXELS) * at / count)
    };
    let mut blocks: Vec<[usize; 2]> = steps(height).flat_map(|y| steps(width).map(move |x| [x, y])).collect();
    blocks.retain(|[x, y]| {
        let middle = [(x + BLOCK_PIXELS / 2) as f32, (y + BLOCK_PIXELS / 2) as f32];
        locate::is_inside(corners, middle)
    });
    let every = blocks.len().div_ceil(12).max(1);
    blocks.into_iter().step_by(every).collect()
}

struct BlockSpectrum {
    transform: Arc<dyn Fft<f32>>,
    window: Vec<f32>,
}

impl BlockSpectrum {
    fn new() -> Self {
        let step = std::f32::consts::TAU / BLOCK_PIXELS as f32;
        Self {
            transform: pixels::plan_fft(BLOCK_PIXELS),
            window: (0..BLOCK_PIXELS).map(|at| 0.5 - 0.5 * ((at as f32 + 0.5) * step).cos()).collect(),
        }
    }

    /// The largest difference between the power at a frequency and the mean around it, in decades.
    fn peak_prominence(&self, photo: &Picture, block: [usize; 2], look: fn(&[u8; 3]) -> f32) -> f32 {
        // The window widens a single frequency to about 3 x 3 bins.
        let power = self.power_spectrum(photo, block, look).box_mean(1).map(|power| (power + 1.0).log10());
        let (wide, near) = (power.box_mean(7), power.box_mean(2));
        let half = BLOCK_PIXELS as i64 / 2;
        let mut most = 0.0_f32;
        for y in 8..BLOCK_PIXELS as i64 - 8 {
            for x in 8..BLOCK_PIXELS as i64 - 8 {
                let (u, v) = (x - half, y - half);
                let radius = ((u * u + v * v) as f32).sqrt() / BLOCK_PIXELS as f32;
                if !(0.16..0.46).contains(&radius) || is_jpeg_frequency(u, v) {
                    continue;
                }
                let around = (wide.at(x, y) * 225.0 - near.at(x, y) * 25.0) / 200.0;
                most = most.max(power.at(x, y) - around);
            }
        }
        most
    }

    /// The power spectrum of a windowed block, with frequency zero at the centre.
    fn power_spectrum(&self, photo: &Picture, [left, top]: [usize; 2], look: fn(&[u8; 3]) -> f32) -> Plane {
        let pixels = photo.rgb().as_chunks::<3>().0;
        let row = |y: usize| &pixels[(top + y) * photo.width() as usize + left..][..BLOCK_PIXELS];
        let mean =
            (0..BLOCK_PIXELS).flat_map(row).map(look).sum::<f32>() / (BLOCK_PIXELS * BLOCK_PIXELS) as f32;
        let mut block: Vec<Complex32> = Vec::with_capacity(BLOCK_PIXELS * BLOCK_PIXELS);
        for y in 0..BLOCK_PIXELS {
            let line = row(y).iter().zip(&self.window);
            block.extend(
                line.map(|(pixel, x)| Complex32::new((look(pixel) - mean) * x * self.window[y], 0.0)),
            );
        }
        self.transform.process(&mut block);
        let mut turned: Vec<Complex32> = (0..BLOCK_PIXELS * BLOCK_PIXELS)
            .map(|at| block[at % BLOCK_PIXELS * BLOCK_PIXELS + at / BLOCK_PIXELS])
            .collect();
        self.transform.process(&mut turned);
        let middle = |at: usize| (at + BLOCK_PIXELS / 2) % BLOCK_PIXELS;
        let power = (0..BLOCK_PIXELS * BLOCK_PIXELS)
            .map(|at| turned[middle(at / BLOCK_PIXELS) * BLOCK_PIXELS + middle(at % BLOCK_PIXELS)].norm_sqr())
            .collect();
        Plane::new(BLOCK_PIXELS, BLOCK_PIXELS, power)
    }
}

/// Whether the block grid of JPEG causes power here: multiples of an eighth of the sampling rate, along an axis.
fn is_jpeg_frequency(u: i64, v: i64) -> bool {
    let eighth = BLOCK_PIXELS as i64 / 8;
    let multiple = |value: i64| {
        let rest = value.rem_euclid(eighth);
        rest <= 2 || rest >= eighth - 2
    };
    u.abs() <= 2 && multiple(v) || v.abs() <= 2 && multiple(u)
}
