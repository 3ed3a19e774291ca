//! Writes the age estimates of packs for labelled photos as CSV, one line for each photo and pack: `ages <labels.csv>
//! <pack> ...`. The output is the input of `training/ages/fit.py`.

use base::Picture;
use std::{path::Path, time::Instant};
use vision::{Face, VisionModels};

type Failure = Box<dyn std::error::Error>;

const COLUMNS: &str = "pack,path,years,spread,st_dev,mirrored,mirrored_spread,score,side,sharpness,luma,frontal,micros,box,eyes";

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let mut arguments = std::env::args().skip(1);
    let labels = arguments.next().ok_or("usage: ages <labels.csv> <pack> ...")?;
    let folder = Path::new(&labels).parent().ok_or("the labels are in no folder")?;
    let mut packs = Vec::new();
    for pack in arguments {
        packs.push((VisionModels::load(Path::new(&pack))?, pack));
    }
    println!("{COLUMNS}");
    for line in std::fs::read_to_string(&labels)?.lines().skip(1) {
        let path = line.split(',').next().ok_or("an empty line")?;
        let photo = image::open(folder.join(path))?.into_rgb8();
        let mirror = image::imageops::flip_horizontal(&photo);
        let (width, height) = photo.dimensions();
        let picture = Picture::new(width, height, photo.into_raw()).ok_or("an empty picture")?;
        let mirror = Picture::new(width, height, mirror.into_raw()).ok_or("an empty picture")?;
        for (vision, pack) in &mut packs {
            let Some(face) = vision.detect(&picture)?.into_iter().next() else { continue };
            let quality = VisionModels::assess_quality(&picture, &face);
            let start = Instant::now();
            let age = vision.estimate_age(&picture, &face)?;
            let micros = start.elapsed().as_micros();
            let other = vision.estimate_age(&mirror, &mirrored(&face, width as f32))?;
            println!(
                "{pack},{path},{:.3},{:.3},{:.3},{:.3},{:.3},{:.3},{:.1},{:.4},{:.1},{:.3},{micros},{:.1} {:.1} {:.1} {:.1},{:.1} {:.1} {:.1} {:.1}",
                age.years,
                age.spread,
                age.st_dev,
                other.years,
                other.spread,
                face.score,
                quality.side,
                quality.sharpness,
                quality.luma,
                quality.frontal,
                face.left,
                face.top,
                face.right,
                face.bottom,
                face.points[0][0],
                face.points[0][1],
                face.points[1][0],
                face.points[1][1],
            );
        }
    }
    Ok(())
}

/// The face in the mirrored picture, with left and right points swapped.
fn mirrored(face: &Face, width: f32) -> Face {
    let [right_eye, left_eye, nose, mouth, right_ear, left_ear] = face.points.map(|[x, y]| [width - x, y]);
    Face {
        left: width - face.right,
        right: width - face.left,
        points: [left_eye, right_eye, nose, mouth, left_ear, right_ear],
        ..*face
    }
}
