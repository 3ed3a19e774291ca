//! A folder of simulated pictures with labels.

use super::{FaceBox, Half, Portrait, Shot, Species, decode, encode, shoot};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Why a set could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// The disk refused.
    #[error("cannot read or write {path}: {cause}")]
    Disk {
        /// What was touched.
        path: String,
        /// The system's words.
        cause: std::io::Error,
    },
    /// The folder holds no picture.
    #[error("no JPEG or PNG portrait in {0}")]
    Empty(String),
    /// A picture could not be encoded.
    #[error("cannot encode {0}")]
    Encode(String),
}

/// Smallest and largest file that the strict image limits take, in bytes.
const FILE: std::ops::RangeInclusive<usize> = 50_000..=1_500_000;

/// Reads every JPEG and PNG of a folder, in the order of their names. `faces.csv` beside them
/// (`file,left,top,right,bottom`) says where the faces are; without a line there, a portrait is taken for a
/// studio one with the face in the usual place.
pub fn read_portraits(folder: &Path) -> Result<Vec<Portrait>, SetError> {
    let boxes = fs::read_to_string(folder.join("faces.csv")).unwrap_or_default();
    let listing = fs::read_dir(folder).map_err(|cause| disk(folder, cause))?;
    let mut paths: Vec<_> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut portraits = Vec::new();
    for path in paths {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        if !matches!(ending.as_str(), "jpg" | "jpeg" | "png") {
            continue;
        }
        let bytes = fs::read(&path).map_err(|cause| disk(&path, cause))?;
        let Some(picture) = decode(&bytes) else { continue };
        let file = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let known = boxes.lines().find_map(|line| face_of(line, file));
        let (w, h) = (picture.width() as f32, picture.height() as f32);
        let usual = FaceBox { left: 0.28 * w, top: 0.22 * h, right: 0.72 * w, bottom: 0.22 * h + 0.44 * w };
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        portraits.push(Portrait { name, picture, face: known.unwrap_or(usual) });
    }
    if portraits.is_empty() { Err(SetError::Empty(folder.display().to_string())) } else { Ok(portraits) }
}

/// Writes live and attack pictures of every portrait in a folder: JPEG files of quality 95 within the
/// strict image limits, `labels.csv` (`path,label,species`) and `faces.csv`
/// (`path,identity,half,framed,left,top,right,bottom`). Each portrait is shot once as each attack and as
/// often live as there are attacks, up to four times. Returns how many pictures were written.
pub fn write_set(portraits: &Path, out: &Path, seed: u64) -> Result<usize, SetError> {
    let portraits = read_portraits(portraits)?;
    fs::create_dir_all(out).map_err(|cause| disk(out, cause))?;
    let mut labels = String::from("path,label,species\n");
    let mut faces = String::from("path,identity,half,framed,left,top,right,bottom\n");
    let mut count = 0;
    for (index, portrait) in portraits.iter().enumerate() {
        let half = portrait.half();
        for species in Species::ALL {
            let takes = if species == Species::Live { 4 } else { 1 };
            for take in 0..takes {
                let own = seed.wrapping_mul(1_000_003).wrapping_add((index * 16 + take) as u64);
                let path = format!("{}-{}-{take}.jpg", portrait.name, species.word());
                let shot = shoot(portrait, species, half, own).and_then(fitting);
                let shot = shot.ok_or_else(|| SetError::Encode(path.clone()))?;
                let file = out.join(&path);
                fs::write(&file, &shot.jpeg).map_err(|cause| disk(&file, cause))?;
                let label = if species == Species::Live { "real" } else { "fake" };
                // Writing to a String cannot fail.
                let _ = writeln!(labels, "{path},{label},{}", species.word());
                faces += &face_line(&path, portrait, half, &shot);
                count += 1;
            }
        }
    }
    write_text(&out.join("labels.csv"), &labels)?;
    write_text(&out.join("faces.csv"), &faces)?;
    Ok(count)
}

fn face_line(path: &str, portrait: &Portrait, half: Half, shot: &Shot) -> String {
    let FaceBox { left, top, right, bottom } = shot.face;
    let (identity, half, framed) = (portrait.identity(), half.word(), shot.framed);
    format!("{path},{identity},{half},{framed},{left:.1},{top:.1},{right:.1},{bottom:.1}\n")
}

/// A very smooth picture falls short of the smallest file: quality 100 mends that.
fn fitting(mut shot: Shot) -> Option<Shot> {
    if !FILE.contains(&shot.jpeg.len()) {
        shot.jpeg = encode(shot.picture.width(), shot.picture.height(), shot.picture.rgb(), 100)?;
    }
    Some(shot)
}

fn face_of(line: &str, file: &str) -> Option<FaceBox> {
    let mut cells = line.trim().split(',');
    (cells.next() == Some(file)).then_some(())?;
    let mut edge = || cells.next()?.parse::<f32>().ok().filter(|v| v.is_finite());
    let (left, top, right, bottom) = (edge()?, edge()?, edge()?, edge()?);
    (right > left && bottom > top).then_some(FaceBox { left, top, right, bottom })
}

fn write_text(path: &Path, text: &str) -> Result<(), SetError> {
    fs::write(path, text).map_err(|cause| disk(path, cause))
}

fn disk(path: &Path, cause: std::io::Error) -> SetError {
    SetError::Disk { path: path.display().to_string(), cause }
}
