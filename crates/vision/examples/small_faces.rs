//! Measures the detection of small faces by their height, and false detections in pictures without a face:
//! `small_faces <pack> <folder of portraits or group photos> [<folder of pictures without a face>]`.

use base::Picture;
use fixtures::composite_scene::{CompositeScene, FaceCutout};
use std::{path::Path, time::Instant};
use vision::{Face, VideoTileScheduler, VisionError, VisionModels};

type Failure = Box<dyn std::error::Error>;

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, photos, rest @ ..] = &arguments[..] else {
        return Err("usage: small_faces <pack> <photos> [<pictures without a face>]".into());
    };
    let mut vision = VisionModels::load(Path::new(pack))?;
    let cutouts = cutouts(&mut vision, Path::new(photos))?;
    println!("{} faces cut out", cutouts.len());
    if std::env::var_os("CURVE").is_some() {
        curve(&mut vision, Path::new(photos))?;
        return Ok(());
    }
    speed(&mut vision, &cutouts)?;
    for size in [20.0, 30.0, 40.0, 60.0, 80.0, 120.0] {
        let smallest = if size < 40.0 { size } else { 40.0 };
        let (mut there, mut found, mut more, mut took) = (0, 0, 0, 0.0);
        for seed in 0..6 {
            let mut scene = CompositeScene::draw(1920, 1080, seed, [0.0, 4.0, 12.0][seed as usize % 3]);
            let mut boxes = Vec::new();
            for at in 0..8 {
                let cutout = &cutouts[(seed as usize * 8 + at) % cutouts.len()];
                let (column, row) = (at % 4, at / 4);
                let x = 200.0 + 480.0 * column as f32 + 37.0 * seed as f32;
                let y = 260.0 + 520.0 * row as f32 + 23.0 * (seed as f32 - column as f32);
                boxes.push(scene.paste(cutout, [x, y], size));
            }
            let picture = scene.picture();
            let start = Instant::now();
            let faces = vision.detect_tiled(&picture, smallest)?;
            took += start.elapsed().as_secs_f64();
            there += boxes.len();
            found += boxes.iter().filter(|place| faces.iter().any(|face| overlap(face, place) > 0.3)).count();
            more += faces.iter().filter(|face| boxes.iter().all(|place| overlap(face, place) <= 0.3)).count();
        }
        println!(
            "{size:>4} px (smallest {smallest}): {found} of {there} found, {more} too many, {:.0} ms a picture",
            took / 6.0 * 1000.0
        );
    }
    let mut faceless: Vec<(String, Picture)> = Vec::new();
    for seed in 100..112 {
        let noise = [0.0, 6.0, 20.0, 60.0][seed as usize % 4];
        faceless.push((format!("drawn {seed}"), CompositeScene::draw(1920, 1080, seed, noise).picture()));
    }
    if let [folder, ..] = rest {
        faceless.extend(pictures(Path::new(folder))?);
    }
    let mut wrong = 0;
    for (name, picture) in &faceless {
        let faces = vision.detect_tiled(picture, 40.0)?;
        wrong += usize::from(!faces.is_empty());
        for face in faces {
            println!("{name}: {face:?}");
        }
    }
    println!("{wrong} of {} pictures without a face show one", faceless.len());
    Ok(())
}

/// Prints the time of each step on a picture of 1920 x 1080 with one face of 200 pixels.
#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn speed(vision: &mut VisionModels, cutouts: &[FaceCutout]) -> Result<(), Failure> {
    let mut scene = CompositeScene::draw(1920, 1080, 1, 4.0);
    scene.paste(cutouts.last().ok_or("no face")?, [900.0, 500.0], 200.0);
    let picture = scene.picture();
    let face = *vision.detect(&picture)?.first().ok_or("the face is not found")?;
    let mut scheduler = VideoTileScheduler::new(40.0);
    let mut time = |name: &str, step: &mut dyn FnMut(&mut VisionModels) -> Result<(), VisionError>| {
        let mut took = Vec::new();
        for _ in 0..30 {
            let (start, cpu_before) = (Instant::now(), thread_cpu_milliseconds());
            step(vision)?;
            let elapsed = start.elapsed().as_secs_f64() * 1000.0;
            took.push(
                thread_cpu_milliseconds().zip(cpu_before).map_or(elapsed, |(now, before)| now - before),
            );
        }
        took.sort_by(f64::total_cmp);
        println!("{name:<8} {:.2} ms (median of {})", took[took.len() / 2], took.len());
        Ok::<(), VisionError>(())
    };
    time("detect", &mut |vision| vision.detect(&picture).map(|_| ()))?;
    time("find 40", &mut |vision| vision.detect_tiled(&picture, 40.0).map(|_| ()))?;
    time("glance", &mut |vision| vision.detect_in_video(&picture, &mut scheduler).map(|_| ()))?;
    time("embed", &mut |vision| vision.embed(&picture, &face).map(|_| ()))?;
    time("age", &mut |vision| vision.estimate_age(&picture, &face).map(|_| ()))?;
    time("quality", &mut |_| {
        std::hint::black_box(VisionModels::assess_quality(&picture, &face));
        Ok(())
    })?;
    Ok(())
}

/// CPU time of this thread in milliseconds, which other processes do not affect; `None` where the system does not
/// report it.
fn thread_cpu_milliseconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e6)
}

/// Prints the recall of one run on 256 x 256 pixels by the height of the face, with the photo's own surroundings.
#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn curve(vision: &mut VisionModels, folder: &Path) -> Result<(), Failure> {
    let photos = pictures(folder)?;
    for size in [10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 24.0, 28.0, 32.0, 40.0, 56.0, 80.0] {
        let (mut found, mut confident, mut count) = (0, 0, 0);
        for (_, photo) in &photos {
            let mut all = vision.detect(photo)?;
            all.retain(|face| vision.is_confident(face));
            for face in &all {
                for (right, down) in [(0.0, 0.0), (61.0, 37.0), (-47.0, 71.0), (-70.0, -60.0)] {
                    let scale = size / face.height();
                    let [x, y] = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
                    let (view, place) = view(photo, [x * scale + right, y * scale + down], scale, face);
                    let faces = vision.detect(&view)?;
                    let best = faces.iter().filter(|face| overlap(face, &place) > 0.3).map(|face| face.score);
                    let best = best.fold(0.0, f32::max);
                    found += i32::from(best >= 0.5);
                    confident += i32::from(best >= 0.7);
                    count += 1;
                }
            }
        }
        println!(
            "{size:>4} px of 256: {:.3} at 0.5, {:.3} at 0.7 ({count} views)",
            f64::from(found) / f64::from(count),
            f64::from(confident) / f64::from(count)
        );
    }
    Ok(())
}

/// 256 x 256 pixels of a photo at a scale, and the box of a face in them.
fn view(photo: &Picture, [x, y]: [f32; 2], scale: f32, face: &Face) -> (Picture, [f32; 4]) {
    let rgb =
        image::RgbImage::from_raw(photo.width(), photo.height(), photo.rgb().to_vec()).unwrap_or_default();
    let (width, height) = ((photo.width() as f32 * scale) as u32, (photo.height() as f32 * scale) as u32);
    let small = image::imageops::resize(&rgb, width, height, image::imageops::FilterType::Triangle);
    let (left, top) = (
        ((x - 128.0).max(0.0) as u32).min(width.saturating_sub(256)),
        ((y - 128.0).max(0.0) as u32).min(height.saturating_sub(256)),
    );
    let part = image::imageops::crop_imm(&small, left, top, 256.min(width), 256.min(height)).to_image();
    let mut whole = image::RgbImage::new(256, 256);
    image::imageops::replace(&mut whole, &part, 0, 0);
    let (dx, dy) = (left as f32, top as f32);
    let place =
        [face.left * scale - dx, face.top * scale - dy, face.right * scale - dx, face.bottom * scale - dy];
    (Picture::new(256, 256, whole.into_raw()).unwrap_or_else(|| photo.clone()), place)
}

fn cutouts(vision: &mut VisionModels, folder: &Path) -> Result<Vec<FaceCutout>, Failure> {
    let mut cutouts = Vec::new();
    for (_, picture) in pictures(folder)? {
        for face in vision.detect(&picture)? {
            if vision.is_confident(&face) && face.height() > 120.0 {
                cutouts.push(FaceCutout::new(&picture, [face.left, face.top, face.right, face.bottom]));
            }
        }
    }
    Ok(cutouts)
}

fn pictures(folder: &Path) -> Result<Vec<(String, Picture)>, Failure> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut pictures = Vec::new();
    for file in files {
        let is_photo = file.path().extension().is_some_and(|ending| ending == "jpg" || ending == "png");
        let Ok(photo) = image::open(file.path()) else { continue };
        if is_photo {
            let photo = photo.into_rgb8();
            let picture = Picture::new(photo.width(), photo.height(), photo.into_raw());
            let name = file.file_name().to_string_lossy().into_owned();
            pictures.extend(picture.map(|picture| (name, picture)));
        }
    }
    Ok(pictures)
}

/// Intersection over union.
fn overlap(face: &Face, [left, top, right, bottom]: &[f32; 4]) -> f32 {
    let width = (face.right.min(*right) - face.left.max(*left)).max(0.0);
    let height = (face.bottom.min(*bottom) - face.top.max(*top)).max(0.0);
    let both = width * height;
    both / (face.width() * face.height() + (right - left) * (bottom - top) - both)
}
