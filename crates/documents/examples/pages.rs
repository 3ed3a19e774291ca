//! Measures many simulated photographs and prints tables: how well pages are found by the damage of the photo, how
//! often each quality limit is broken, and how often the barcode of a licence is read.
//!
//! ```sh
//! pages [<photos of each kind, default 8>] [<first seed>] [<folder in which the photos of barcodes are kept>]
//! ```

use documents::{
    barcode,
    locate::{LocatedPage, PageHints, locate},
    picture::homography::intersection_over_union,
    quality::{PhotoFault, measure},
};
use fixtures::specimens::{
    PhotoConditions, PhotoDamage, Specimen, SpecimenKind, SpecimenPage, SpecimenPhoto, photograph,
};
use std::{collections::BTreeMap, path::Path, time::Instant};

type Failure = Box<dyn std::error::Error>;

const KINDS: [SpecimenKind; 5] = [
    SpecimenKind::Passport,
    SpecimenKind::IdentityCard,
    SpecimenKind::LargeIdentityCard,
    SpecimenKind::DrivingLicence,
    SpecimenKind::UtilityBill,
];

/// Results for the photos with one kind of damage.
#[derive(Default)]
struct Row {
    overlaps: Vec<f32>,
    upright: usize,
    broken: BTreeMap<&'static str, usize>,
    found: usize,
}

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Failure> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).map_or(Ok(or), |text| text.parse());
    let (each, first) = (number(0, 8)?, number(1, 0)?);
    let folder = arguments.get(2).map(Path::new);

    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let (mut locating, mut measuring, mut count) = (0.0, 0.0, 0_u32);
    for seed in first..first + each {
        for (at, damage) in PhotoDamage::ALL.into_iter().enumerate() {
            let photo =
                photograph(&page(seed, at as u64), &PhotoConditions::damaged(damage, seed * 100 + at as u64));
            let begun = Instant::now();
            let located = locate(&photo.picture, &PageHints::default());
            locating += begun.elapsed().as_secs_f64();
            count += 1;
            let row = rows.entry(format!("{damage:?}")).or_default();
            note(row, &photo, located.as_ref(), &mut measuring);
        }
        let photo = photograph(&page(seed, 16), &PhotoConditions::random(seed * 100 + 50));
        let row = rows.entry("(random)".to_owned()).or_default();
        note(row, &photo, locate(&photo.picture, &PageHints::default()).as_ref(), &mut measuring);
        let away = PhotoConditions { partial: 1.6, tilt: [0.0; 2], ..PhotoConditions::clean(seed + 7000) };
        let photo = photograph(&page(seed, 17), &away);
        let row = rows.entry("(no page)".to_owned()).or_default();
        note(row, &photo, locate(&photo.picture, &PageHints::default()).as_ref(), &mut measuring);
    }

    println!("{:12} photos found ≥.90 ≥.95 median upright", "damage");
    for (damage, row) in &mut rows {
        row.overlaps.sort_by(f32::total_cmp);
        let all = row.overlaps.len();
        let share = |limit: f32| row.overlaps.iter().filter(|overlap| **overlap >= limit).count();
        println!(
            "{damage:12} {all:6} {:5} {:4} {:4} {:6.3} {:7}",
            row.found,
            share(0.9),
            share(0.95),
            row.overlaps[all / 2],
            row.upright
        );
    }
    println!("\nbroken, of those found\n{:12} {}", "damage", PhotoFault::ALL.map(PhotoFault::name).join(" "));
    for (damage, row) in &rows {
        let broken = PhotoFault::ALL.map(|fault| {
            let name = fault.name();
            format!("{:>width$}", row.broken.get(name).copied().unwrap_or(0), width = name.len())
        });
        println!("{damage:12} {}", broken.join(" "));
    }
    let of = f64::from(count);
    println!("\n{:.3} s to find a page, {:.3} s to measure it", locating / of, measuring / of);
    let read = barcodes(each, first, folder)?;
    println!("\nPDF417 of licences read exactly, of {each} each");
    for (damage, (exact, seconds)) in read {
        println!("{damage:12} {exact:3} {:.3} s", seconds / each as f64);
    }
    Ok(())
}

/// The front of a random specimen; for odd seeds its back, where it has one.
fn page(seed: u64, at: u64) -> SpecimenPage {
    let specimen = Specimen::random(KINDS[((seed + at) % 5) as usize], seed * 31 + at);
    let back = if seed % 2 == 1 { specimen.back() } else { None };
    back.unwrap_or_else(|| specimen.front())
}

fn note(row: &mut Row, photo: &SpecimenPhoto, located: Option<&LocatedPage>, measuring: &mut f64) {
    let Some(located) = located else {
        row.overlaps.push(0.0);
        return;
    };
    row.found += 1;
    row.overlaps.push(intersection_over_union(&located.corners, &photo.corners));
    let [x, y] = located.corners[0];
    let away = |corner: usize| (x - photo.corners[corner][0]).hypot(y - photo.corners[corner][1]);
    row.upright += usize::from((1..4).all(|corner| away(0) < away(corner)));
    let begun = Instant::now();
    let measures = measure(&photo.picture, located);
    *measuring += begun.elapsed().as_secs_f64();
    for measure in measures.iter().filter(|measure| measure.is_broken()) {
        *row.broken.entry(measure.fault.name()).or_default() += 1;
    }
}

fn barcodes(each: u64, first: u64, folder: Option<&Path>) -> Result<BTreeMap<String, (u32, f64)>, Failure> {
    let damages = [
        PhotoDamage::None,
        PhotoDamage::Turned,
        PhotoDamage::Blur,
        PhotoDamage::Motion,
        PhotoDamage::Noise,
        PhotoDamage::Shadow,
        PhotoDamage::Dark,
        PhotoDamage::Bright,
        PhotoDamage::Photocopy,
        PhotoDamage::Screen,
        PhotoDamage::Squeezed,
    ];
    let mut read: BTreeMap<String, (u32, f64)> = BTreeMap::new();
    for seed in first..first + each {
        for (at, damage) in damages.into_iter().enumerate() {
            let specimen = Specimen::random(SpecimenKind::DrivingLicence, seed * 53 + at as u64);
            let Some(back) = specimen.back() else { continue };
            let photo = photograph(&back, &PhotoConditions::damaged(damage, seed * 100 + at as u64 + 31));
            if let Some(folder) = folder {
                std::fs::write(folder.join(format!("{damage:?}-{seed}.jpg")), &photo.jpeg)?;
                std::fs::write(
                    folder.join(format!("{damage:?}-{seed}.txt")),
                    back.barcode.unwrap_or_default(),
                )?;
            }
            let begun = Instant::now();
            let codes = barcode::read(&photo.picture);
            let row = read.entry(format!("{damage:?}")).or_default();
            row.1 += begun.elapsed().as_secs_f64();
            row.0 += u32::from(codes.iter().any(|code| Some(&code.text) == specimen.barcode().as_ref()));
        }
    }
    Ok(read)
}
