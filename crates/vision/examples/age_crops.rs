//! Cuts out the faces of labelled photos as the age nets see them: `age_crops <labels.csv> <pack> <folder> <side>`. In the
//! folder, `crops.rgb` receives a square of `side` pixels for each face found (`face_portrait`: eyes level, 1.6 times the
//! box), `faces.csv` a line with its place and quality. The input of `training/ages/pack.py`.

use base::Picture;
use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
};
use vision::{Face, VisionModels, face_portrait};

type Failure = Box<dyn std::error::Error>;

const COLUMNS: &str = "path,faces,width,height,left,top,right,bottom,score,right_eye_x,right_eye_y,left_eye_x,left_eye_y,nose_x,nose_y,mouth_x,\
                       mouth_y,right_ear_x,right_ear_y,left_ear_x,left_ear_y,side,sharpness,luma,frontal";

/// In photos cut out around one face a single run with this padding finds the box that [`VisionModels::detect`] would
/// settle on after three to five.
const PADDED_PICTURE_SHARE: f32 = 0.6;

/// A face with a lower score is looked for again as the server does it.
const CERTAIN_SCORE: f32 = 0.7;

/// The face that the label is about: photos were cut out around it, and others may be larger or clearer.
fn middle_face<'a>(picture: &Picture, faces: &'a [Face]) -> Option<&'a Face> {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let aside = |face: &Face| (face.left + face.right - width).hypot(face.top + face.bottom - height);
    faces.iter().min_by(|one, other| aside(one).total_cmp(&aside(other)))
}

fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [labels, pack, out, side] = &arguments[..] else {
        return Err("usage: age_crops <labels.csv> <pack> <folder> <side>".into());
    };
    let (out, side) = (Path::new(out), side.parse()?);
    let folder = Path::new(labels).parent().ok_or("the labels are in no folder")?;
    let mut vision = VisionModels::load_without_embedding(Path::new(pack))?;
    std::fs::create_dir_all(out)?;
    let mut crops = BufWriter::new(File::create(out.join("crops.rgb"))?);
    let mut places = BufWriter::new(File::create(out.join("faces.csv"))?);
    writeln!(places, "{COLUMNS}")?;
    for line in std::fs::read_to_string(labels)?.lines().skip(1) {
        let path = line.split(',').next().ok_or("an empty line")?;
        let photo = image::open(folder.join(path))?.into_rgb8();
        let (width, height) = photo.dimensions();
        let picture = Picture::new(width, height, photo.into_raw()).ok_or("an empty picture")?;
        let mut faces = vision.detect_once(&picture, PADDED_PICTURE_SHARE)?;
        if middle_face(&picture, &faces).is_none_or(|face| face.score < CERTAIN_SCORE) {
            faces = vision.detect(&picture)?;
        }
        let Some(face) = middle_face(&picture, &faces) else { continue };
        let Some(crop) = face_portrait(&picture, face, side) else { continue };
        let quality = VisionModels::assess_quality(&picture, face);
        crops.write_all(crop.rgb())?;
        write!(places, "{path},{},{},{}", faces.len(), picture.width(), picture.height())?;
        let place = [face.left, face.top, face.right, face.bottom, face.score];
        for value in place.iter().chain(face.points.as_flattened()) {
            write!(places, ",{value:.3}")?;
        }
        writeln!(
            places,
            ",{:.1},{:.4},{:.1},{:.3}",
            quality.side, quality.sharpness, quality.luma, quality.frontal
        )?;
    }
    crops.flush()?;
    places.flush()?;
    Ok(())
}
