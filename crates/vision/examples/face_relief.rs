//! Measures how well depth tells a head from a photo that comes nearer: simulated heads and sheets, each seen from farther
//! and from nearer, as a phone would send them: with noise, in other light when near, compressed. The table in
//! docs/ACCURACY.md.
//!
//! ```sh
//! face_relief <pack> <folder of photos of one face each> [<faces>]
//! ```

use base::Picture;
use fixtures::{
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface},
    spoof,
};
use std::path::Path;
use vision::{Face, FaceRelief, ReliefVerdict, VisionModels};

type Failure = Box<dyn std::error::Error>;

/// How a face ends that began looking ahead: yaw and pitch in radians, and the shift to the right and down in face widths.
type Ending = [f32; 4];

const STILL: Ending = [0.0; 4];
const DRIFTS: Ending = [0.12, 0.08, 0.15, 0.1];
const TILTS: Ending = [0.35, 0.3, 0.0, 0.0];

/// The middle of the head, in front of the lens at first and at last, in face widths.
const APPROACHES: [[f32; 2]; 3] = [[4.0, 3.2], [4.0, 2.75], [4.5, 2.6]];

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, photos, rest @ ..] = &arguments[..] else {
        return Err("usage: face_relief <pack> <photos> [<faces>]".into());
    };
    let max_faces: usize = rest.first().map_or(Ok(32), |count| count.parse())?;
    let mut vision = VisionModels::load(Path::new(pack))?;
    let faces = faces(&mut vision, Path::new(photos), max_faces)?;
    let sheet = |bend: f32, lean: f32| PhotoSurface::Sheet { bend, lean };
    let shown = [
        ("head", PhotoSurface::Head, STILL),
        ("head that drifts", PhotoSurface::Head, DRIFTS),
        ("flat photo", sheet(0.0, 0.0), STILL),
        ("flat photo that drifts", sheet(0.0, 0.0), DRIFTS),
        ("flat photo that is tilted", sheet(0.0, 0.0), TILTS),
        ("photo bent by 0.8 radians for a face width", sheet(0.8, 0.0), STILL),
        ("photo bent by 1.3", sheet(1.3, 0.0), STILL),
        ("photo bent by 1.3 across", sheet(1.3, 1.57), STILL),
        ("photo bent by 1.3 on the slant", sheet(1.3, 0.8), STILL),
        ("photo folded along the nose by 0.5 radians", PhotoSurface::Folded(0.5), STILL),
        ("photo folded by 0.8", PhotoSurface::Folded(0.8), STILL),
    ];
    println!("{} faces\n", faces.len());
    println!("| what comes nearer | a head's depth | unclear | flat | least, median and most depth |");
    println!("|---|---:|---:|---:|---|");
    for (name, surface, ending) in shown {
        let mut verdicts = [0; 3];
        let mut depths = Vec::new();
        for approach in APPROACHES {
            for (at, (photo, face)) in faces.iter().enumerate() {
                let measured = measure(&mut vision, photo, face, surface, approach, ending, at as u64)?;
                verdicts[match measured.map(|relief| relief.verdict()) {
                    Some(ReliefVerdict::Head) => 0,
                    None | Some(ReliefVerdict::Unclear) => 1,
                    Some(ReliefVerdict::Flat) => 2,
                }] += 1;
                depths.extend(measured.map(|relief| relief.relief));
            }
        }
        depths.sort_by(f32::total_cmp);
        let [head, unclear, flat] = verdicts;
        let at = |index: usize| depths.get(index).copied().unwrap_or(f32::NAN);
        let (least, median, most) = (at(0), at(depths.len() / 2), at(depths.len().saturating_sub(1)));
        println!("| {name} | {head} | {unclear} | {flat} | {least:.2}, {median:.2}, {most:.2} |");
    }
    Ok(())
}

/// The photos of a folder that show one face of some size.
fn faces(
    vision: &mut VisionModels,
    folder: &Path,
    max_faces: usize,
) -> Result<Vec<(Picture, Face)>, Failure> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut faces = Vec::new();
    for file in files {
        let Ok(photo) = image::open(file.path()) else { continue };
        let photo = photo.into_rgb8();
        let Some(photo) = Picture::new(photo.width(), photo.height(), photo.into_raw()) else { continue };
        if let [face] = vision.detect(&photo)?[..]
            && face.width() >= 90.0
        {
            faces.push((photo, face));
        }
    }
    faces.truncate(max_faces);
    Ok(faces)
}

/// The depth of a face that comes nearer; `None` if it cannot be told.
fn measure(
    vision: &mut VisionModels,
    photo: &Picture,
    face: &Face,
    surface: PhotoSurface,
    [from, to]: [f32; 2],
    ending: Ending,
    seed: u64,
) -> Result<Option<FaceRelief>, Failure> {
    // The face of a head is closer to the camera than its centre.
    let front = if surface == PhotoSurface::Head { 0.0 } else { 0.8 };
    let model = HeadModel::new(photo, [face.left, face.top, face.right, face.bottom], surface);
    let room = CompositeScene::draw(720, 960, seed, 3.0).picture();
    let mut seen = Vec::new();
    for (distance, [yaw, pitch, x, y], gain) in [(from - front, STILL, 1.0), (to - front, ending, 1.1)] {
        let stance = HeadStance { distance, yaw, pitch, roll: 0.0, shift: [x, y] };
        let picture = as_sent(&model.render(stance, &room), gain, seed)?;
        let found = vision.detect(&picture)?.into_iter().next();
        seen.extend(found.map(|face| (picture, face)));
    }
    let [far, near] = &seen[..] else { return Ok(None) };
    Ok(FaceRelief::measure((&far.0, &far.1), (&near.0, &near.1)))
}

/// A picture as a phone would send it: in light that comes from a side, with noise, as a JPEG.
fn as_sent(picture: &Picture, gain: f32, seed: u64) -> Result<Picture, Failure> {
    let (width, height) = (picture.width(), picture.height());
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut noise = || {
        // The sum of three even numbers is near enough to a normal one; its deviation is 3 levels.
        (0..3)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
            })
            .sum::<f32>()
            * 6.0
    };
    let rgb: Vec<u8> = picture
        .rgb()
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let across = (at / 3 % width as usize) as f32 / width as f32;
            let light = gain + (gain - 1.0) * 2.0 * (across - 0.5);
            (f32::from(*value) * light + noise()).round().clamp(0.0, 255.0) as u8
        })
        .collect();
    let jpeg = spoof::encode(width, height, &rgb, 85).ok_or("the encoder takes it")?;
    Ok(spoof::decode(&jpeg).ok_or("what was encoded is decoded")?)
}
