//! Writes what `training/orientation/fit.py` fits: for each picture of a folder, in all four orientations, the best face that
//! one run of the net finds, and where its key points lie.
//! `orientation_features <pack> <shares> <widths|whole> <folder>`: the shares of the net's input that the picture fills, and how
//! wide it is cut out around its face, in widths of the face's box.

use base::Picture;
use image::{RgbImage, imageops};
use std::path::{Path, PathBuf};
use vision::{Face, VisionModels};

type Failure = Box<dyn std::error::Error>;

/// Side of the net's input, pixels.
const INPUT_PIXELS: f32 = 256.0;

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, shares, widths, folder] = &arguments[..] else {
        return Err("usage: orientation_features <pack> <shares> <widths|whole> <folder>".into());
    };
    let shares = numbers(shares)?;
    let widths = if widths == "whole" { Vec::new() } else { numbers(widths)? };
    let mut vision = VisionModels::load(Path::new(pack))?;
    let names: Vec<String> = (0..vision::UPRIGHT_FEATURES).map(|at| format!("f_{at}")).collect();
    println!("file,width,quarter_turns,share,score,roll,box_pixels,{}", names.join(","));
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in &files {
        let Ok(original) = image::open(file) else { continue };
        let original = original.into_rgb8();
        for (width, cut) in framings(&mut vision, &original, &widths)? {
            for turns in 0..4 {
                let picture = picture_of(turned(&cut, turns))?;
                for &share in &shares {
                    let Some(face) = vision.detect_once(&picture, share)?.first().copied() else { continue };
                    let side = face.width().max(face.height());
                    let box_pixels =
                        side * share * INPUT_PIXELS / picture.width().max(picture.height()) as f32;
                    let features = vision::upright_features(&face).map(|value| format!("{value:.5}"));
                    let name = file.file_name().unwrap_or_default().display();
                    println!(
                        "{name},{width},{turns},{share},{:.5},{:.4},{box_pixels:.1},{}",
                        face.score,
                        face.roll(),
                        features.join(",")
                    );
                }
            }
        }
    }
    Ok(())
}

fn numbers(list: &str) -> Result<Vec<f32>, Failure> {
    Ok(list.split(',').map(str::parse).collect::<Result<_, _>>()?)
}

/// The picture cut out around its best face in each width, or the whole picture if there are none.
fn framings(
    vision: &mut VisionModels,
    picture: &RgbImage,
    widths: &[f32],
) -> Result<Vec<(f32, RgbImage)>, Failure> {
    if widths.is_empty() {
        return Ok(vec![(0.0, picture.clone())]);
    }
    let found = vision.detect(&picture_of(picture.clone())?)?;
    let Some(face) = found.first() else { return Ok(Vec::new()) };
    Ok(widths.iter().filter_map(|&width| Some((width, cut_out(picture, face, width)?))).collect())
}

/// A portrait around a face; `None` where little of it is inside of the picture.
fn cut_out(picture: &RgbImage, face: &Face, width: f32) -> Option<RgbImage> {
    let side = face.width().max(face.height());
    let middle = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
    let [left, right] = [-0.5, 0.5].map(|by: f32| middle[0] + by * width * side);
    let [top, bottom] = [-0.65, 0.6].map(|by: f32| middle[1] + by * width * side);
    let inside = |value: f32, length: u32| value.clamp(0.0, length as f32) as u32;
    let [left, right] = [left, right].map(|x| inside(x, picture.width()));
    let [top, bottom] = [top, bottom].map(|y| inside(y, picture.height()));
    (right > left + 20 && bottom > top + 20)
        .then(|| imageops::crop_imm(picture, left, top, right - left, bottom - top).to_image())
}

fn turned(picture: &RgbImage, quarter_turns: u32) -> RgbImage {
    match quarter_turns {
        1 => imageops::rotate90(picture),
        2 => imageops::rotate180(picture),
        3 => imageops::rotate270(picture),
        _ => picture.clone(),
    }
}

fn picture_of(rgb: RgbImage) -> Result<Picture, Failure> {
    let (width, height) = rgb.dimensions();
    Picture::new(width, height, rgb.into_raw()).ok_or_else(|| "an empty picture".into())
}
