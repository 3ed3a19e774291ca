//! Writes the cues of the pictures in a set made by `spoof_set` as CSV, one line for each picture and variation:
//! `liveness_cues <set>`. The output is the input of `training/liveness-cues/fit.py`.

use base::Picture;
use image::imageops::FilterType;
use std::path::Path;
use std::time::Instant;
use vision::Face;
use vision::liveness::{LivenessModel, built_in};

type Failure = Box<dyn std::error::Error>;

/// What may happen to a genuine picture before it is scored.
const VARIATIONS: [&str; 12] = [
    "as is",
    "face box tighter",
    "face box wider",
    "JPEG 80 then 95",
    "blurred",
    "darker",
    "brighter",
    "noisy",
    "enlarged",
    "doubled",
    "tripled",
    "halved",
];
/// Attacks are measured in the first ones of them only.
const ATTACK_VARIATIONS: usize = 3;

/// Largest picture within the strict image limits, pixels.
const MAX_PIXELS: u32 = 2_100_000;
/// Shortest side within the strict image limits, pixels.
const MIN_SIDE: u32 = 300;

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    let set = std::env::args().nth(1).ok_or("usage: liveness_cues <set>")?;
    let set = Path::new(&set);
    let labels = std::fs::read_to_string(set.join("labels.csv"))?;
    let faces = std::fs::read_to_string(set.join("faces.csv"))?;
    let mut model = built_in();
    let mut header_printed = false;
    for (label, place) in labels.lines().zip(faces.lines()).skip(1) {
        let [path, label, species] = cells(label)?;
        let [face_path, identity, half, framed, left, top, right, bottom] = cells(place)?;
        if path != face_path {
            return Err("labels.csv and faces.csv are of different sets".into());
        }
        let bytes = std::fs::read(set.join(path))?;
        let original = image::load_from_memory(&bytes)?.into_rgb8();
        // Only the first of several shots of one person is varied, because making variations takes longer than
        // measuring.
        let varied = label == "real" && (species != "live" || path.ends_with("-0.jpg"));
        let count = if varied { VARIATIONS.len() } else { ATTACK_VARIATIONS };
        for variation in &VARIATIONS[..count] {
            let (rgb, scale) = vary(&original, variation)?;
            if rgb.width() * rgb.height() > MAX_PIXELS || rgb.width().min(rgb.height()) < MIN_SIDE {
                continue;
            }
            let picture =
                Picture::new(rgb.width(), rgb.height(), rgb.into_raw()).ok_or("an empty picture")?;
            let edge = |text: &str| text.parse::<f32>().map(|v| v * scale);
            let (left, top, right, bottom) = (edge(left)?, edge(top)?, edge(right)?, edge(bottom)?);
            // Detectors differ in how much of a head their boxes cover.
            let (dx, dy) = match *variation {
                "face box tighter" => (0.09 * (left - right), 0.12 * (top - bottom)),
                "face box wider" => (0.12 * (right - left), 0.1 * (bottom - top)),
                _ => (0.0, 0.0),
            };
            let (left, top, right, bottom) = (left - dx, top - 1.4 * dy, right + dx, bottom + 0.6 * dy);
            let face = Face { left, top, right, bottom, score: 1.0, points: [[0.0; 2]; 6] };
            let start = Instant::now();
            let score = model.score(&picture, &face)?;
            let micros = start.elapsed().as_micros();
            if !header_printed {
                let names: Vec<&str> = score.cues.iter().map(|(name, _)| *name).collect();
                println!(
                    "path,identity,half,framed,label,species,variation,micros,score,{}",
                    names.join(",")
                );
                header_printed = true;
            }
            let values: Vec<String> = score.cues.iter().map(|(_, value)| format!("{value:.5}")).collect();
            println!(
                "{path},{identity},{half},{framed},{label},{species},{variation},{micros},{:.6},{}",
                score.real,
                values.join(",")
            );
        }
    }
    Ok(())
}

fn cells<const N: usize>(line: &str) -> Result<[&str; N], Failure> {
    line.split(',').collect::<Vec<_>>().try_into().map_err(|_| format!("not {N} cells: {line}").into())
}

/// The varied picture and the factor of its size.
fn vary(picture: &image::RgbImage, variation: &str) -> Result<(image::RgbImage, f32), Failure> {
    let exposed = |gain: f32| {
        let mut out = picture.clone();
        for byte in out.iter_mut() {
            // Gain in linear light, as by a longer or shorter exposure.
            *byte = (255.0 * (f32::from(*byte) / 255.0 * gain.powf(1.0 / 2.2)).min(1.0)).round() as u8;
        }
        out
    };
    let sized = |by: f32| {
        let (w, h) = ((picture.width() as f32 * by) as u32, (picture.height() as f32 * by) as u32);
        image::imageops::resize(picture, w, h, FilterType::CatmullRom)
    };
    Ok(match variation {
        "JPEG 80 then 95" => (recompressed(&recompressed(picture, 80)?, 95)?, 1.0),
        "blurred" => (recompressed(&image::imageops::blur(picture, 1.0), 95)?, 1.0),
        "darker" => (recompressed(&exposed(0.55), 95)?, 1.0),
        "brighter" => (recompressed(&exposed(1.5), 95)?, 1.0),
        "noisy" => (recompressed(&noisy(picture), 95)?, 1.0),
        "enlarged" => (recompressed(&sized(1.3), 95)?, 1.3),
        "doubled" => (recompressed(&sized(2.0), 95)?, 2.0),
        "tripled" => (recompressed(&sized(3.0), 95)?, 3.0),
        "halved" => (recompressed(&sized(0.5), 95)?, 0.5),
        _ => (picture.clone(), 1.0),
    })
}

/// Grey noise with a standard deviation of 6 of 255, as of a small sensor in a dim room.
fn noisy(picture: &image::RgbImage) -> image::RgbImage {
    let mut out = picture.clone();
    let mut state = 1u64;
    for pixel in out.pixels_mut() {
        let mut sum = 0.0;
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (state >> 40) as f32 / (1u64 << 24) as f32;
        }
        let noise = (sum - 2.0) * 3f32.sqrt() * 6.0;
        pixel.0 = pixel.0.map(|byte| (f32::from(byte) + noise).round().clamp(0.0, 255.0) as u8);
    }
    out
}

fn recompressed(picture: &image::RgbImage, quality: u8) -> Result<image::RgbImage, Failure> {
    let bytes = fixtures::spoof::encode(picture.width(), picture.height(), picture.as_raw(), quality)
        .ok_or("cannot encode")?;
    Ok(image::load_from_memory(&bytes)?.into_rgb8())
}
