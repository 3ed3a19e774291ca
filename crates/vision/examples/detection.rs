//! Measures detection: faces found and false detections in pictures that are upright, rotated, tightly cropped or
//! crowded, and the time it takes. `detection <pack> <labels.csv>`, whose lines are `path,faces`: a picture, and the
//! number of faces that a person counts in it. `ONLY=crowd` prints only the rows whose names contain that word.

use base::Picture;
use fixtures::composite_scene::{CompositeScene, FaceCutout};
use image::{ImageDecoder as _, metadata::Orientation};
use std::{collections::BTreeMap, path::Path};
use vision::{Face, VisionError, VisionModels};

type Failure = Box<dyn std::error::Error>;

/// A picture and its faces.
struct Case {
    name: String,
    picture: Picture,
    /// Known boxes: left, top, right, bottom.
    places: Vec<[f32; 4]>,
    /// Number of faces; some may have no known box.
    faces: usize,
    /// Rotation of the faces, degrees clockwise.
    turn: f32,
}

/// Totals over the pictures of one kind.
#[derive(Default)]
struct Row {
    pictures: usize,
    faces: usize,
    found: usize,
    /// Faces found with the correct roll, within 45 degrees.
    upright: usize,
    extra: usize,
    /// Pictures in which exactly the right faces are confident.
    right: usize,
    milliseconds: Vec<f64>,
}

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, labels] = &arguments[..] else { return Err("usage: detection <pack> <labels.csv>".into()) };
    let mut vision = VisionModels::load(Path::new(pack))?;
    let labelled = read(Path::new(labels))?;
    let verbose = std::env::var_os("VERBOSE").is_some();
    let only = std::env::var("ONLY").unwrap_or_default();
    for (call, smallest) in [("detect", None), ("find 40", Some(40.0)), ("find 20", Some(20.0))] {
        let mut rows: BTreeMap<(usize, String), Row> = BTreeMap::new();
        let mut take = |vision: &mut VisionModels, order: usize, name: &str, case: &Case| {
            if !name.contains(&only) {
                return Ok(());
            }
            let before = thread_cpu_milliseconds();
            let mut faces = detect(vision, &case.picture, smallest)?;
            let took = thread_cpu_milliseconds() - before;
            let best = faces.first().copied();
            faces.retain(|face| vision.is_confident(face));
            // In a picture of one person the best face is taken, even if it is not confident.
            if faces.is_empty() && case.faces == 1 {
                faces.extend(best);
            }
            let row = rows.entry((order, name.to_owned())).or_default();
            row.pictures += 1;
            row.faces += case.faces;
            let placed =
                case.places.iter().filter(|place| faces.iter().any(|face| same_box(face, place))).count();
            let elsewhere =
                faces.iter().filter(|face| case.places.iter().all(|place| !same_box(face, place)));
            let elsewhere = elsewhere.count();
            let unplaced = elsewhere.min(case.faces - case.places.len());
            row.found += placed + unplaced;
            let has_right_roll = |place: &&[f32; 4]| {
                faces.iter().any(|face| same_box(face, place) && relative_roll(face, case.turn).abs() < 45.0)
            };
            row.upright += case.places.iter().filter(has_right_roll).count();
            row.extra += faces.len() - (placed + unplaced).min(faces.len());
            row.right += usize::from(faces.len() == case.faces && placed + unplaced == case.faces);
            row.milliseconds.push(took);
            if verbose && (faces.len() != case.faces || placed + unplaced != case.faces) {
                println!("  {call}, {name}: {} has {}, {} found", case.name, case.faces, faces.len());
            }
            Ok::<(), VisionError>(())
        };
        let mut neighbour: Option<Case> = None;
        for Labelled { name, picture, faces: count, turn } in &labelled {
            let case = case(&mut vision, name, picture.clone(), *count, *turn)?;
            let kind = ["none", "one", "several"][(*count).min(2)];
            take(&mut vision, *count.min(&2), &format!("{kind}, as they are"), &case)?;
            if *count > 0 && smallest != Some(20.0) {
                let ways = [90.0, 180.0, 270.0, 20.0, 45.0, 135.0];
                for degrees in &ways[..if *count == 1 { 6 } else { 3 }] {
                    let order = if *count == 1 { 10 } else { 20 };
                    let name = format!("{kind}, turned by {degrees}");
                    take(&mut vision, order, &name, &turned(&case, *degrees))?;
                }
            }
            if *count == 1 && smallest.is_none() {
                for share in [1.3, 1.0, 0.85, 0.7] {
                    if let Some(tight) = tight(&case, share) {
                        take(&mut vision, 30, &format!("one, cut to {share} of its box"), &tight)?;
                    }
                }
                for (name, two) in neighbour.iter().flat_map(|other| pairs(&case, other)) {
                    take(&mut vision, 25, &name, &two)?;
                }
                neighbour = Some(case);
            }
        }
        for size in [20.0, 26.0, 40.0, 60.0_f32].into_iter().filter(|size| *size >= smallest.unwrap_or(0.0)) {
            for crowd in crowds(&mut vision, &labelled, size)? {
                take(&mut vision, 40, &format!("crowd of faces of {size} px"), &crowd)?;
                if size > 30.0 {
                    let name = format!("crowd of faces of {size} px, turned by 90");
                    take(&mut vision, 41, &name, &turned(&crowd, 90.0))?;
                }
            }
        }
        for seed in 0..12 {
            let noise = [0.0, 6.0, 20.0, 60.0][seed as usize % 4];
            let picture = CompositeScene::draw(1280, 720, seed + 500, noise).picture();
            let case =
                Case { name: format!("drawn {seed}"), picture, places: Vec::new(), faces: 0, turn: 0.0 };
            take(&mut vision, 0, "none, drawn", &case)?;
        }
        println!(
            "\n| {call} | pictures | right | faces | found | right way up | more | ms |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|"
        );
        for ((_, name), mut row) in rows {
            row.milliseconds.sort_by(f64::total_cmp);
            let Row { pictures, faces, found, upright, extra, right, milliseconds } = row;
            let median = milliseconds.get(milliseconds.len() / 2).copied().unwrap_or_default();
            println!(
                "| {name} | {pictures} | {right} | {faces} | {found} | {upright} | {extra} | {median:.0} |"
            );
        }
    }
    Ok(())
}

fn detect(
    vision: &mut VisionModels,
    picture: &Picture,
    smallest: Option<f32>,
) -> Result<Vec<Face>, VisionError> {
    match smallest {
        Some(smallest) => vision.detect_tiled(picture, smallest),
        None => vision.detect(picture),
    }
}

/// A case of a labelled picture; the known boxes are those that are detected in it as it is.
fn case(
    vision: &mut VisionModels,
    name: &str,
    picture: Picture,
    faces: usize,
    turn: f32,
) -> Result<Case, VisionError> {
    let mut found = vision.detect(&picture)?;
    found.truncate(faces);
    let places = found.iter().map(|face| [face.left, face.top, face.right, face.bottom]).collect();
    Ok(Case { name: name.to_owned(), picture, places, faces, turn })
}

/// A picture as it is stored, the number of its faces, and its rotation according to EXIF, degrees clockwise.
struct Labelled {
    name: String,
    picture: Picture,
    faces: usize,
    turn: f32,
}

fn read(labels: &Path) -> Result<Vec<Labelled>, Failure> {
    let folder = labels.parent().unwrap_or(Path::new("."));
    let mut pictures = Vec::new();
    for line in std::fs::read_to_string(labels)?.lines().filter(|line| !line.starts_with("path,")) {
        let (path, faces) = line.rsplit_once(',').ok_or("a line is `path,faces`")?;
        let mut decoder =
            image::ImageReader::open(folder.join(path))?.with_guessed_format()?.into_decoder()?;
        let turn = match decoder.orientation()? {
            Orientation::NoTransforms | Orientation::FlipHorizontal => 0.0,
            Orientation::Rotate180 | Orientation::FlipVertical => 180.0,
            // EXIF states the rotation that makes it upright.
            Orientation::Rotate90 | Orientation::Rotate90FlipH => 270.0,
            Orientation::Rotate270 | Orientation::Rotate270FlipH => 90.0,
        };
        let photo = image::DynamicImage::from_decoder(decoder)?.into_rgb8();
        let picture = Picture::new(photo.width(), photo.height(), photo.into_raw()).ok_or("no pixels")?;
        pictures.push(Labelled { name: path.to_owned(), picture, faces: faces.trim().parse()?, turn });
    }
    Ok(pictures)
}

/// The picture rotated clockwise around its centre, on a canvas that holds all of it.
fn turned(case: &Case, degrees: f32) -> Case {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let size = [case.picture.width() as f32, case.picture.height() as f32];
    let canvas = [size[0] * cos.abs() + size[1] * sin.abs(), size[0] * sin.abs() + size[1] * cos.abs()];
    let canvas = canvas.map(f32::round);
    let mut rgb = Vec::with_capacity((canvas[0] * canvas[1]) as usize * 3);
    for y in 0..canvas[1] as u32 {
        for x in 0..canvas[0] as u32 {
            let (dx, dy) = (x as f32 + 0.5 - canvas[0] / 2.0, y as f32 + 0.5 - canvas[1] / 2.0);
            let from = [dx * cos + dy * sin + size[0] / 2.0, dy * cos - dx * sin + size[1] / 2.0];
            let inside = (0.0..size[0]).contains(&from[0]) && (0.0..size[1]).contains(&from[1]);
            let pixel = if inside { case.picture.pixel(from[0] as i64, from[1] as i64) } else { [0; 3] };
            rgb.extend(pixel);
        }
    }
    let place = |[left, top, right, bottom]: &[f32; 4]| {
        let (dx, dy) = ((left + right - size[0]) / 2.0, (top + bottom - size[1]) / 2.0);
        let (x, y) = (dx * cos - dy * sin + canvas[0] / 2.0, dx * sin + dy * cos + canvas[1] / 2.0);
        let half = (right - left).max(bottom - top) / 2.0;
        [x - half, y - half, x + half, y + half]
    };
    let picture = Picture::new(canvas[0] as u32, canvas[1] as u32, rgb);
    Case {
        name: case.name.clone(),
        picture: picture.unwrap_or_else(|| case.picture.clone()),
        places: case.places.iter().map(place).collect(),
        faces: case.faces,
        turn: case.turn + degrees,
    }
}

/// A crop of the face only: a square of `share` times its box.
fn tight(case: &Case, share: f32) -> Option<Case> {
    let &[left, top, right, bottom] = case.places.first()?;
    let side = (right - left).max(bottom - top) * share;
    let from = [f32::midpoint(left, right) - side / 2.0, f32::midpoint(top, bottom) - side / 2.0];
    let whole = side as u32;
    let mut rgb = Vec::new();
    for y in 0..i64::from(whole) {
        for x in 0..i64::from(whole) {
            rgb.extend(case.picture.pixel(from[0] as i64 + x, from[1] as i64 + y));
        }
    }
    let picture = Picture::new(whole, whole, rgb)?;
    let places = vec![[left - from[0], top - from[1], right - from[0], bottom - from[1]]];
    Some(Case { name: case.name.clone(), picture, places, faces: 1, turn: case.turn })
}

/// Pictures of one face with that of another beside it, of several sizes and in two places, with what each kind is called.
fn pairs(case: &Case, other: &Case) -> Vec<(String, Case)> {
    let sizes = [5, 6, 7, 8, 10, 15, 20].into_iter();
    let cases = sizes.flat_map(|percent| {
        [("in a corner", 0.0), ("further in", 1.0)].map(|(place, inset)| {
            let name = format!("one, and another of {percent} % {place}");
            beside(case, other, percent, inset).map(|two| (name, two))
        })
    });
    cases.flatten().collect()
}

/// A picture of one face with that of another picture beside it, whose longer side is `percent` of the picture's, in one of the
/// corners or further in by `inset` times its own side. `None` where it would cover the first, or would have to be enlarged.
fn beside(case: &Case, other: &Case, percent: u32, inset: f32) -> Option<Case> {
    /// Sides of what is pasted, in sides of the face.
    const SURROUNDINGS: f32 = 1.6;
    let (&[left, top, right, bottom], &place) = (other.places.first()?, case.places.first()?);
    let side = (right - left).max(bottom - top);
    let size = case.picture.width().max(case.picture.height()) as f32 * percent as f32 / 100.0;
    if size > side || other.turn != case.turn {
        return None;
    }
    let cut = SURROUNDINGS * side;
    let from = [f32::midpoint(left, right) - cut / 2.0, f32::midpoint(top, bottom) - cut / 2.0];
    let cut = image::RgbImage::from_fn(cut as u32, cut as u32, |x, y| {
        image::Rgb(other.picture.pixel(from[0] as i64 + i64::from(x), from[1] as i64 + i64::from(y)))
    });
    let pasted = (SURROUNDINGS * size) as u32;
    let small = image::imageops::resize(&cut, pasted, pasted, image::imageops::FilterType::Triangle);
    let (width, height) = (case.picture.width(), case.picture.height());
    let inset = (inset * size) as u32;
    // Each picture of a set has its corner.
    let corner = case.name.bytes().fold(0_u32, |sum, byte| sum + u32::from(byte));
    let [x, y] = [(corner & 1, width), (corner >> 1 & 1, height)]
        .map(|(far, length)| if far == 1 { length.checked_sub(pasted + inset) } else { Some(inset) });
    let (x, y) = (x?, y?);
    let (half, middle) = (size / 2.0, pasted as f32 / 2.0);
    let [across, down] = [x as f32 + middle, y as f32 + middle];
    let reach = pasted as f32;
    let covers = (x as f32) < place[2]
        && x as f32 + reach > place[0]
        && (y as f32) < place[3]
        && y as f32 + reach > place[1];
    if covers {
        return None;
    }
    let mut photo = image::RgbImage::from_raw(width, height, case.picture.rgb().to_vec())?;
    image::imageops::replace(&mut photo, &small, i64::from(x), i64::from(y));
    Some(Case {
        name: case.name.clone(),
        picture: Picture::new(width, height, photo.into_raw())?,
        places: vec![place, [across - half, down - half, across + half, down + half]],
        faces: 2,
        turn: case.turn,
    })
}

/// Drawn scenes with forty faces each, cut out of the pictures that show one person.
fn crowds(vision: &mut VisionModels, labelled: &[Labelled], size: f32) -> Result<Vec<Case>, VisionError> {
    let mut cutouts = Vec::new();
    for Labelled { picture, .. } in labelled.iter().filter(|labelled| labelled.faces == 1) {
        if let Some(face) = vision.detect(picture)?.first() {
            cutouts.push(FaceCutout::new(picture, [face.left, face.top, face.right, face.bottom]));
        }
    }
    let mut crowds = Vec::new();
    for seed in 0..4 {
        let mut scene = CompositeScene::draw(1920, 1080, seed, [0.0, 4.0][seed as usize % 2]);
        let places = (0..40_usize).filter_map(|at| {
            let cutout = cutouts.get((seed as usize * 40 + at * 3) % cutouts.len().max(1))?;
            let (column, row) = ((at % 8) as f32, (at / 8) as f32);
            let x = 130.0 + 236.0 * column + 17.0 * row;
            Some(scene.paste(cutout, [x, 110.0 + 207.0 * row + 9.0 * column], size))
        });
        let places: Vec<[f32; 4]> = places.collect();
        let (name, faces) = (format!("crowd {seed}"), places.len());
        crowds.push(Case { name, picture: scene.picture(), places, faces, turn: 0.0 });
    }
    Ok(crowds)
}

/// Roll of a face relative to `turn`, degrees clockwise, -180 to 180.
fn relative_roll(face: &Face, turn: f32) -> f32 {
    let [right, left, _, mouth, ..] = face.points;
    let up = [f32::midpoint(right[0], left[0]) - mouth[0], f32::midpoint(right[1], left[1]) - mouth[1]];
    let angle = up[0].atan2(-up[1]).to_degrees() - turn;
    (angle + 180.0).rem_euclid(360.0) - 180.0
}

/// Whether the intersection over union is above 0.3.
fn same_box(face: &Face, [left, top, right, bottom]: &[f32; 4]) -> bool {
    let width = (face.right.min(*right) - face.left.max(*left)).max(0.0);
    let height = (face.bottom.min(*bottom) - face.top.max(*top)).max(0.0);
    let both = width * height;
    both > 0.3 * (face.width() * face.height() + (right - left) * (bottom - top) - both)
}

/// CPU time of this thread in milliseconds, which other processes do not affect; 0 where the system does not report it.
fn thread_cpu_milliseconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e6
}
