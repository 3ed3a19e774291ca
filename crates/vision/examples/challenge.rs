//! Measures who passes an active challenge: simulated heads that make the moves, and simulated flat photos, strangers
//! and recordings. `challenge <pack> <folder of photos of one face each> [<faces> [<folder of frames>]]`; with a folder
//! of frames it prints the poses in those instead.

use base::{Environment as _, Picture, TestEnvironment};
use fixtures::{
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface, stance_path},
};
use std::{collections::BTreeMap, path::Path};
use vision::{
    Face, VisionModels,
    challenge::{ChallengeKind, ChallengeMove, FrameObservation, HeadPose, LivenessChallenge},
};

type Failure = Box<dyn std::error::Error>;

/// Frames from one stance to the next.
const FRAMES_PER_STANCE: usize = 4;
/// Seconds between two frames.
const FRAME_SECONDS: f64 = 0.15;

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
#[expect(clippy::too_many_lines, reason = "a table: a block for each kind of answer")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, photos, rest @ ..] = &arguments[..] else {
        return Err("usage: challenge <pack> <photos> [<faces> [<folder of frames>]]".into());
    };
    let max_faces: usize = rest.first().map_or(Ok(8), |count| count.parse())?;
    let mut vision = VisionModels::load(Path::new(pack))?;
    let same =
        vision.embedding_space()?.distance_at(1e-3).ok_or("the pack states no rate of one in a thousand")?;
    let environment = TestEnvironment::at("2026-01-01T00:00:00Z");
    if let [_, folder, ..] = rest {
        return print_poses(&mut vision, Path::new(folder));
    }
    let mut faces: Vec<(Picture, Face)> = Vec::new();
    for (_, photo) in pictures(Path::new(photos))? {
        if let [face] = vision.detect(&photo)?[..] {
            faces.push((photo, face));
        }
    }
    faces.truncate(max_faces);
    let flat = |bend: f32, lean: f32| PhotoSurface::Sheet { bend, lean };
    let actors: [(&str, PhotoSurface, f32, Behaviour); 16] = [
        ("head, as told", PhotoSurface::Head, 1.0, Behaviour::AsRequested),
        ("head, turns little", PhotoSurface::Head, 0.75, Behaviour::AsRequested),
        ("head, turns far", PhotoSurface::Head, 1.3, Behaviour::AsRequested),
        ("head, another challenge", PhotoSurface::Head, 1.0, Behaviour::OtherChallenge),
        ("head, mirrored", PhotoSurface::Head, -1.0, Behaviour::AsRequested),
        ("head, taken over by another", PhotoSurface::Head, 1.0, Behaviour::TakenOver),
        ("sheet, turned", flat(0.0, 0.0), 1.2, Behaviour::AsRequested),
        ("sheet, slid", flat(0.0, 0.0), 0.0, Behaviour::Slid),
        ("sheet, bent", flat(0.8, 0.0), 1.2, Behaviour::AsRequested),
        ("sheet, bent much", flat(1.3, 0.0), 1.2, Behaviour::AsRequested),
        ("sheet, bent much, turned far", flat(1.3, 0.0), 1.6, Behaviour::AsRequested),
        ("sheet, bent on the slant", flat(1.0, 0.8), 1.4, Behaviour::AsRequested),
        ("sheet, bent across", flat(1.2, 1.57), 1.6, Behaviour::AsRequested),
        ("sheet, folded", PhotoSurface::Folded(0.5), 1.3, Behaviour::AsRequested),
        ("sheet, folded much", PhotoSurface::Folded(0.8), 1.3, Behaviour::AsRequested),
        ("sheet, folded, turned little", PhotoSurface::Folded(0.8), 0.8, Behaviour::AsRequested),
    ];
    let only = std::env::var("ONLY").unwrap_or_default();
    for kind in [ChallengeKind::Turn, ChallengeKind::Zoom] {
        println!("\n| {kind:?} | passed | of | failed checks of the others |\n|---|---:|---:|---|");
        for (name, form, far, behaviour) in actors.iter().filter(|(name, ..)| name.contains(&only)) {
            let (mut passed, mut reasons) = (0, BTreeMap::<String, usize>::new());
            for (at, (photo, face)) in faces.iter().enumerate() {
                let challenge = LivenessChallenge::random(&environment, kind);
                let performed = match behaviour {
                    Behaviour::OtherChallenge => loop {
                        let other = LivenessChallenge::random(&environment, kind);
                        if other.moves != challenge.moves {
                            break other.moves;
                        }
                    },
                    _ => challenge.moves.clone(),
                };
                let model = HeadModel::new(photo, [face.left, face.top, face.right, face.bottom], *form);
                let (photo, face) = &faces[(at + 1) % faces.len()];
                let other = HeadModel::new(photo, [face.left, face.top, face.right, face.bottom], *form);
                let stances = stance_path(&stops(&performed, *form, *far, *behaviour), FRAMES_PER_STANCE);
                let background = CompositeScene::draw(480, 640, at as u64, 3.0).picture();
                let mut frames = Vec::new();
                for (frame, stance) in stances.iter().enumerate() {
                    let other_person = *behaviour == Behaviour::TakenOver && frame * 2 > stances.len();
                    let picture = if other_person { &other } else { &model }.render(*stance, &background);
                    frames.push(FrameObservation::of(&mut vision, &picture, frame as f64 * FRAME_SECONDS)?);
                }
                let verdict = challenge.verify(&frames, same, environment.now());
                passed += usize::from(verdict.passed);
                for outcome in verdict.reasons() {
                    *reasons.entry(format!("{:?}", outcome.check)).or_default() += 1;
                }
                if std::env::var_os("VERBOSE").is_some() {
                    let measured: Vec<String> = verdict
                        .outcomes
                        .iter()
                        .map(|one| {
                            format!(
                                "{:?} {:.2}{}",
                                one.check,
                                one.measured.measured,
                                if one.holds { "" } else { "!" }
                            )
                        })
                        .collect();
                    println!("  {name} {:?}: {}", challenge.moves, measured.join(", "));
                    if std::env::var_os("POSES").is_some() {
                        for (stance, pose) in stances.iter().zip(&verdict.poses) {
                            println!(
                                "    {:.0} {:.0} {:.1}: {pose:.2?}",
                                stance.yaw.to_degrees(),
                                stance.pitch.to_degrees(),
                                stance.distance
                            );
                        }
                    }
                }
            }
            let reasons: Vec<String> =
                reasons.into_iter().map(|(check, count)| format!("{check} {count}")).collect();
            println!("| {name} | {passed} | {} | {} |", faces.len(), reasons.join(", "));
        }
    }
    Ok(())
}

/// How a simulated actor answers a challenge.
#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    AsRequested,
    OtherChallenge,
    TakenOver,
    Slid,
}

/// The stances of an answer, with movements `far` times as large as those of a calm person.
fn stops(moves: &[ChallengeMove], form: PhotoSurface, far: f32, behaviour: Behaviour) -> Vec<HeadStance> {
    // The face of a head is closer to the camera than its centre.
    let front = if form == PhotoSurface::Head { 0.0 } else { 0.8 };
    let mut distance = 4.0 - front;
    let mut stops = vec![HeadStance { distance, ..HeadStance::default() }];
    for one in moves {
        let ahead = HeadStance { distance, ..HeadStance::default() };
        let slide = if behaviour == Behaviour::Slid { 0.5 } else { 0.0 };
        let there = match one {
            ChallengeMove::Left => HeadStance { yaw: 0.56 * far, shift: [slide, 0.0], ..ahead },
            ChallengeMove::Right => HeadStance { yaw: -0.56 * far, shift: [-slide, 0.0], ..ahead },
            ChallengeMove::Up => HeadStance { pitch: 0.45 * far.abs(), shift: [0.0, -slide], ..ahead },
            ChallengeMove::Nearer => HeadStance { distance: 2.75 - front, ..ahead },
            ChallengeMove::Farther => HeadStance { distance: 5.6 - front, ..ahead },
        };
        distance = there.distance;
        stops.extend([there, HeadStance { distance, ..HeadStance::default() }]);
    }
    stops
}

/// Prints the poses in the frames of a folder.
#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn print_poses(vision: &mut VisionModels, folder: &Path) -> Result<(), Failure> {
    for (name, picture) in pictures(folder)? {
        for face in vision.detect(&picture)?.iter().filter(|face| face.score > 0.7) {
            if let Some(HeadPose { yaw, pitch, roll, scale, nose, nose_to_mouth, ears, width, height }) =
                HeadPose::of(face)
            {
                println!(
                    "{name},{:.0},{:.0},{yaw:.1},{pitch:.1},{roll:.1},{scale:.1},{nose:.3},{nose_to_mouth:.3},{ears:.3},{width:.3},{height:.3}",
                    face.left, face.top
                );
            }
        }
    }
    Ok(())
}

fn pictures(folder: &Path) -> Result<Vec<(String, Picture)>, Failure> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut pictures = Vec::new();
    for file in files {
        let is_photo = file.path().extension().is_some_and(|ending| ending == "jpg" || ending == "png");
        if is_photo {
            let photo = image::open(file.path())?.into_rgb8();
            let picture = Picture::new(photo.width(), photo.height(), photo.into_raw());
            let name = file.file_name().to_string_lossy().into_owned();
            pictures.extend(picture.map(|picture| (name, picture)));
        }
    }
    Ok(pictures)
}
