//! Simulated degradations of a good picture, in degrees. They show how the models react, not how often such pictures
//! occur.

use crate::statistics::SeededRng;
use base::Picture;
use domain::image_analysis::sample_faces;
use image::RgbImage;
use pixels::ResampleFilter;
use vision::Face;

/// A degradation.
pub(super) struct Degradation {
    pub(super) name: &'static str,
    /// Unit of the degrees.
    pub(super) unit: &'static str,
    /// From the least to the most severe.
    pub(super) degrees: &'static [f32],
    /// Degrades a picture with a face by a degree; `None` where that is not possible.
    pub(super) apply: fn(&Picture, &Face, f32) -> Option<Picture>,
}

pub(super) const SIMULATED_DEGRADATIONS: [Degradation; 12] = [
    Degradation {
        name: "blur",
        unit: "% of the face's width",
        degrees: &[1.0, 2.0, 3.0, 5.0, 8.0],
        apply: blur,
    },
    Degradation {
        name: "motion",
        unit: "% of the face's width",
        degrees: &[3.0, 6.0, 12.0, 24.0],
        apply: motion,
    },
    Degradation { name: "noise", unit: "steps of 255", degrees: &[5.0, 10.0, 20.0, 40.0], apply: noise },
    Degradation {
        name: "dark",
        unit: "% of the light",
        degrees: &[60.0, 40.0, 20.0, 10.0, 3.0],
        apply: light,
    },
    Degradation {
        name: "bright",
        unit: "% of the light",
        degrees: &[130.0, 160.0, 200.0, 300.0],
        apply: light,
    },
    Degradation { name: "JPEG", unit: "quality", degrees: &[60.0, 40.0, 20.0, 10.0, 5.0], apply: jpeg },
    Degradation {
        name: "small",
        unit: "pixels of the face",
        degrees: &[96.0, 80.0, 64.0, 48.0, 32.0],
        apply: small,
    },
    Degradation {
        name: "enlarged",
        unit: "pixels before",
        degrees: &[80.0, 64.0, 48.0, 32.0, 24.0],
        apply: enlarged,
    },
    Degradation { name: "tilt", unit: "degrees", degrees: &[10.0, 20.0, 30.0, 45.0], apply: tilt },
    Degradation { name: "mask", unit: "1 chin, 2 mouth, 3 nose", degrees: &[1.0, 2.0, 3.0], apply: mask },
    Degradation {
        name: "glasses",
        unit: "1 thin, 2 thick, 3 dark",
        degrees: &[1.0, 2.0, 3.0],
        apply: glasses,
    },
    Degradation {
        name: "shadow",
        unit: "% of the light on one half",
        degrees: &[60.0, 30.0, 15.0],
        apply: shadow,
    },
];

fn rgb(picture: &Picture) -> Option<RgbImage> {
    RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec())
}

fn picture(image: RgbImage) -> Option<Picture> {
    let (width, height) = image.dimensions();
    Picture::new(width, height, image.into_raw())
}

/// Maps each pixel by its position and colour.
fn map_pixels(from: &Picture, mut value: impl FnMut(f32, f32, [u8; 3]) -> [f32; 3]) -> Option<Picture> {
    let mut image = rgb(from)?;
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        pixel.0 = value(x as f32 + 0.5, y as f32 + 0.5, pixel.0).map(|channel| channel.round() as u8);
    }
    picture(image)
}

/// Defocus: a Gaussian blur whose standard deviation is this percentage of the face's width.
fn blur(from: &Picture, face: &Face, percent: f32) -> Option<Picture> {
    pixels::blur(from, face.width() * percent / 100.0)
}

/// Horizontal motion blur over this percentage of the face's width.
fn motion(from: &Picture, face: &Face, percent: f32) -> Option<Picture> {
    let length = (face.width() * percent / 100.0).round().max(1.0) as usize;
    let width = from.width() as usize;
    let mut out = Vec::with_capacity(from.rgb().len());
    for row in from.rgb().chunks_exact(width * 3) {
        for x in 0..width {
            for channel in 0..3 {
                let sum: usize = (0..length)
                    .map(|step| (x + step).saturating_sub(length / 2).min(width - 1))
                    .map(|from| usize::from(row[from * 3 + channel]))
                    .sum();
                out.push((sum / length) as u8);
            }
        }
    }
    Picture::new(from.width(), from.height(), out)
}

/// Independent noise of this standard deviation in each channel.
fn noise(from: &Picture, _: &Face, deviation: f32) -> Option<Picture> {
    let mut rng = SeededRng::new(u64::from(from.width()));
    // The sum of twelve uniform numbers is about normal with a standard deviation of 1.
    let mut normal = move || (0..12).map(|_| rng.share()).sum::<f64>() as f32 - 6.0;
    map_pixels(from, |_, _, colour| colour.map(|value| f32::from(value) + normal() * deviation))
}

/// Exposure with this percentage of the light; clips at white.
fn light(from: &Picture, _: &Face, percent: f32) -> Option<Picture> {
    map_pixels(from, |_, _, colour| colour.map(|value| exposed(value, percent / 100.0)))
}

/// A value after an exposure with this share of the light (gamma 2.2).
fn exposed(value: u8, part: f32) -> f32 {
    f32::from(value) * part.powf(1.0 / 2.2)
}

/// Light from one side: the half left of the nose gets this percentage of it.
fn shadow(from: &Picture, face: &Face, percent: f32) -> Option<Picture> {
    let (nose, soft) = (face.points[2][0], face.width() * 0.1);
    map_pixels(from, |x, _, colour| {
        let lit = ((x - nose) / soft + 0.5).clamp(0.0, 1.0);
        colour.map(|value| f32::from(value) * lit + exposed(value, percent / 100.0) * (1.0 - lit))
    })
}

/// Compressed as JPEG with this quality and decoded again.
fn jpeg(from: &Picture, _: &Face, quality: f32) -> Option<Picture> {
    picture(image::load_from_memory(&sample_faces::encode_jpeg(from, quality as u8)).ok()?.into_rgb8())
}

/// Scaled down until the face has this many pixels, as from farther away.
fn small(from: &Picture, face: &Face, side: f32) -> Option<Picture> {
    let part = side / face.width().min(face.height());
    // Scaling up is another degradation.
    (part < 1.0).then(|| scaled(from, part)).flatten()
}

fn scaled(from: &Picture, part: f32) -> Option<Picture> {
    let side = |side: u32| ((side as f32 * part).round() as u32).max(1);
    pixels::resample(from, side(from.width()), side(from.height()), ResampleFilter::Triangle)
}

/// Scaled down like [`small`], and up again to the original size.
fn enlarged(from: &Picture, face: &Face, side: f32) -> Option<Picture> {
    let small = small(from, face, side)?;
    pixels::resample(&small, from.width(), from.height(), ResampleFilter::CatmullRom)
}

/// Rotated around the face; outside the picture its edge is repeated.
fn tilt(from: &Picture, face: &Face, degrees: f32) -> Option<Picture> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let centre = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
    map_pixels(from, |x, y, _| {
        let (dx, dy) = (x - centre[0], y - centre[1]);
        interpolate(from, centre[0] + dx * cos + dy * sin - 0.5, centre[1] - dx * sin + dy * cos - 0.5)
    })
}

/// Bilinear interpolation at a point.
fn interpolate(from: &Picture, x: f32, y: f32) -> [f32; 3] {
    let (width, height) = (from.width() as usize, from.height() as usize);
    let inside = |at: f32, size: usize| at.clamp(0.0, size as f32 - 1.0);
    let (x, y) = (inside(x, width), inside(y, height));
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(width - 1), (top + 1).min(height - 1));
    let (across, down) = (x - left as f32, y - top as f32);
    let at = |x: usize, y: usize, channel: usize| f32::from(from.rgb()[(y * width + x) * 3 + channel]);
    [0, 1, 2].map(|channel| {
        let upper = at(left, top, channel) * (1.0 - across) + at(right, top, channel) * across;
        let lower = at(left, bottom, channel) * (1.0 - across) + at(right, bottom, channel) * across;
        upper * (1.0 - down) + lower * down
    })
}

/// Coordinates in a face: across in eye distances, -0.5 at the right eye and 0.5 at the left one; down in distances
/// from eyes to mouth.
struct FaceAxes {
    middle: [f32; 2],
    across: [f32; 2],
    eyes: f32,
    mouth: f32,
}

impl FaceAxes {
    /// `None` where the points are degenerate.
    fn of(face: &Face) -> Option<Self> {
        let [right, left, _, mouth, ..] = face.points;
        let eye_line = [left[0] - right[0], left[1] - right[1]];
        let eyes = eye_line[0].hypot(eye_line[1]);
        let middle = [f32::midpoint(left[0], right[0]), f32::midpoint(left[1], right[1])];
        let axes = Self { middle, across: eye_line.map(|part| part / eyes), eyes, mouth: 1.0 };
        let mouth = axes.of_point(mouth)[1];
        (eyes > 1.0 && mouth > 1.0).then_some(Self { mouth, ..axes })
    }

    fn of_point(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let (dx, dy) = (x - self.middle[0], y - self.middle[1]);
        let across = dx * self.across[0] + dy * self.across[1];
        let down = dy * self.across[0] - dx * self.across[1];
        [across / self.eyes, down / self.mouth]
    }
}

/// A surgical mask, pulled up to the chin (1), the mouth (2) or the nose (3).
fn mask(from: &Picture, face: &Face, degree: f32) -> Option<Picture> {
    const CLOTH_COLOUR: [f32; 3] = [172.0, 203.0, 219.0];
    let axes = FaceAxes::of(face)?;
    let upper = match degree as u32 {
        1 => 1.2,
        2 => 0.72,
        _ => 0.3,
    };
    map_pixels(from, |x, y, colour| {
        let [across, down] = axes.of_point([x, y]);
        let side = across.abs();
        // Higher at the nose, narrower towards the chin.
        let top = upper + 0.15 * side;
        let covered = (top..1.85 - 0.35 * side * side).contains(&down) && side < 1.1 - 0.15 * down;
        // Shaded folds, so that it does not look like a hole.
        let fold = 1.0 - 0.12 * (down * 9.0).sin().max(0.0) - 0.25 * side.min(1.0).powi(2);
        if covered { CLOTH_COLOUR.map(|value| value * fold) } else { colour.map(f32::from) }
    })
}

/// Glasses with thin (1) or thick (2) frames, or dark ones (3).
fn glasses(from: &Picture, face: &Face, degree: f32) -> Option<Picture> {
    const FRAME_COLOUR: [f32; 3] = [28.0, 24.0, 24.0];
    let axes = FaceAxes::of(face)?;
    let thick = if degree < 1.5 { 0.04 } else { 0.09 };
    let dark = degree > 2.5;
    map_pixels(from, |x, y, colour| {
        let [across, down] = axes.of_point([x, y]);
        let (side, down) = (across.abs(), down * axes.mouth / axes.eyes);
        // Signed distance to the edge of the lens, a rounded box around the eye; positive outside.
        let (dx, dy) = (((side - 0.5).abs() - 0.24).max(0.0), ((down - 0.03).abs() - 0.14).max(0.0));
        let outside = dx.hypot(dy) - 0.14;
        let bridge = side < 0.14 && (down + 0.05).abs() < thick;
        let temple = (0.85..1.25).contains(&side) && (down + 0.05).abs() < thick;
        if outside.abs() < thick || bridge || temple {
            FRAME_COLOUR
        } else if dark && outside < 0.0 {
            colour.map(|value| f32::from(value) * 0.12)
        } else {
            colour.map(f32::from)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Face {
        let points =
            [[80.0, 80.0], [120.0, 80.0], [100.0, 100.0], [100.0, 120.0], [62.0, 90.0], [138.0, 90.0]];
        Face { left: 60.0, top: 50.0, right: 140.0, bottom: 140.0, score: 1.0, points }
    }

    /// A coloured checkerboard of five pixels.
    fn checkerboard() -> Picture {
        let pixels = (0..200 * 200).flat_map(|at| {
            let value = if (at % 200 / 5 + at / 200 / 5) % 2 == 0 { 160 } else { 90 };
            [value, value - 20, value - 40]
        });
        Picture::new(200, 200, pixels.collect()).unwrap()
    }

    fn difference(one: &Picture, other: &Picture) -> f64 {
        let sum: u64 = one.rgb().iter().zip(other.rgb()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / one.rgb().len() as f64
    }

    #[test]
    fn every_degree_degrades_more_than_the_one_before() {
        let picture = checkerboard();
        for Degradation { name, degrees, apply, .. } in SIMULATED_DEGRADATIONS {
            let degraded: Vec<Picture> =
                degrees.iter().filter_map(|&degree| apply(&picture, &face(), degree)).collect();
            if name == "small" {
                assert!(degraded.windows(2).all(|two| two[1].width() < two[0].width()), "{name}");
                continue;
            }
            assert!(!degraded.is_empty(), "{name}");
            // Not monotonic for these: a rotated checkerboard falls on itself again, and blurs of its period vanish
            // alike.
            let by: Vec<f64> = degraded.iter().map(|degraded| difference(&picture, degraded)).collect();
            assert!(by.iter().all(|&by| by > 0.1), "{name}: {by:?}");
            if !["tilt", "motion", "enlarged", "blur", "JPEG"].contains(&name) {
                assert!(by.windows(2).all(|two| two[1] > two[0]), "{name}: {by:?}");
            }
        }
    }

    #[test]
    fn a_mask_covers_the_mouth_and_leaves_the_eyes() {
        let picture = checkerboard();
        let at = |picture: &Picture, x: usize, y: usize| picture.rgb()[(y * 200 + x) * 3..][..3].to_vec();
        let masked = mask(&picture, &face(), 3.0).unwrap();
        assert_ne!(at(&masked, 100, 120), at(&picture, 100, 120));
        assert_eq!(at(&masked, 80, 80), at(&picture, 80, 80));
        let dark = glasses(&picture, &face(), 3.0).unwrap();
        assert!(at(&dark, 80, 80)[0] < 40 && at(&dark, 120, 80)[0] < 40);
        assert_eq!(at(&dark, 100, 120), at(&picture, 100, 120));
    }

    #[test]
    fn a_small_picture_is_not_scaled_up() {
        assert!(small(&checkerboard(), &face(), 96.0).is_none());
        assert_eq!(small(&checkerboard(), &face(), 40.0).unwrap().width(), 100);
    }

    #[test]
    fn a_degenerate_face_gets_no_mask_and_no_glasses() {
        let none = Face { points: [[100.0; 2]; 6], ..face() };
        assert!(
            mask(&checkerboard(), &none, 1.0).is_none() && glasses(&checkerboard(), &none, 1.0).is_none()
        );
    }
}
