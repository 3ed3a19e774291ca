//! Reading documents, compared with readers of machine-readable zones: how much is read correctly under each kind of
//! damage to the photo, and how long that takes. The photographs are simulated (`testkit::specimens`), so these are
//! best cases; docs/ACCURACY.md says more.

use crate::{
    checkout_paths::CheckoutPaths,
    peer_process::PeerProcess,
    report::{BenchReport, Goal, MeasuredFigure, line},
};
use anyhow::Context as _;
use documents::{
    field::{FieldName, FieldSource},
    mrz::{self, transliterate::transliterate},
    picture::homography::intersection_over_union,
    reading::{DocumentClaim, DocumentReader, SideSource},
};
use measure::clock;
use std::{collections::BTreeMap, path::Path};
use testkit::specimens::{
    PhotoConditions, PhotoDamage, Specimen, SpecimenKind, SpecimenPage, SpecimenPhoto, photograph,
};
use vision::VisionModels;

/// Photographs for each kind of damage, and of the mixture that the peers read from.
const PHOTOS_PER_DAMAGE: u64 = 8;
const MIXED_PHOTOS: u64 = 40;
/// How many of the mixture the peers read: they take seconds for each.
const PHOTOS_READ_BY_PEERS: usize = 20;
/// Limit on reading a zone, from photo to fields, in milliseconds of processor time.
const MAX_ZONE_MILLISECONDS: f64 = 200.0;
/// The name of each peer, and what it is.
const MRZ_PEERS: [(&str, &str); 3] = [
    ("passporteye", "PassportEye, tesseract"),
    ("fastmrz", "fastmrz, tesseract"),
    ("rapidocr", "rapidocr, PP-OCRv4"),
];

#[derive(Default)]
struct DamageRow {
    photos: usize,
    zones: RightShare,
    lines: RightShare,
    barcodes: RightShare,
    pages: RightShare,
    fields: RightShare,
    milliseconds: Vec<f64>,
}

#[derive(Clone, Copy, Default)]
struct RightShare {
    right: usize,
    all: usize,
}

impl RightShare {
    fn count(&mut self, right: bool) {
        self.all += 1;
        self.right += usize::from(right);
    }
}

impl std::fmt::Display for RightShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.all == 0 { f.pad("") } else { f.pad(&format!("{}/{}", self.right, self.all)) }
    }
}

pub(crate) fn measure(report: &mut BenchReport, place: &CheckoutPaths, folder: &Path) -> anyhow::Result<()> {
    let (mut reader, mut vision) =
        (DocumentReader::load(&place.model_pack)?, VisionModels::load(&place.model_pack)?);
    let mut zones = mrz::reader::MrzReader::load(&place.model_pack)?;
    let mut rows: BTreeMap<String, DamageRow> = BTreeMap::new();
    for (at, damage) in PhotoDamage::ALL.into_iter().enumerate() {
        let row = rows.entry(format!("{damage:?}").to_lowercase()).or_default();
        for seed in 0..PHOTOS_PER_DAMAGE {
            let (specimen, page) = choose_specimen(seed, seed * 31 + at as u64);
            let photo = photograph(&page, &PhotoConditions::damaged(damage, seed * 100 + at as u64));
            row.note(&mut reader, &mut vision, &specimen, &page, &photo)?;
        }
    }
    let mut mixed = DamageRow::default();
    let (mut times, mut photos) = (Vec::new(), Vec::new());
    for seed in 0..MIXED_PHOTOS {
        let (specimen, page) = choose_specimen(seed, 9000 + seed);
        let photo = photograph(&page, &PhotoConditions::random(seed * 100 + 50));
        mixed.note(&mut reader, &mut vision, &specimen, &page, &photo)?;
        if !page.mrz.is_empty() {
            let before = clock::thread_cpu_milliseconds()?;
            let read = zones.read(&photo.picture)?.map(|zone| zone.lines).unwrap_or_default();
            times.push(clock::thread_cpu_milliseconds()? - before);
            let file = folder.join(format!("document-{seed}.jpg"));
            std::fs::write(&file, &photo.jpeg)?;
            photos.push((file, page.mrz.clone(), read));
        }
    }
    rows.insert("(mixed)".to_owned(), mixed);
    line(format_args!(
        "documents            photos  zones  lines  barcodes  pages  printed fields  ms on a core, median"
    ));
    for (name, row) in &rows {
        line(format_args!(
            "  {name:18} {:6} {:>6} {:>6} {:>9} {:>6} {:>15} {:8.0}",
            row.photos,
            row.zones,
            row.lines,
            row.barcodes,
            row.pages,
            row.fields,
            median(&row.milliseconds)
        ));
    }
    report.add(
        "zone, from photo to fields",
        MeasuredFigure::times(&times),
        None,
        None,
        Some(Goal::AtMost(MAX_ZONE_MILLISECONDS)),
    );
    beside_peers(report, place, &photos, &times)
}

/// Lets the peers read the same photographs; prints how much each read correctly, and reports how long it took.
fn beside_peers(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    photos: &[(std::path::PathBuf, Vec<String>, Vec<String>)],
    times: &[f64],
) -> anyhow::Result<()> {
    let mut peers = PeerProcess::start_python(&place.peer.join("readers"), "peers.py")?;
    let photos = photos.get(..PHOTOS_READ_BY_PEERS).unwrap_or(photos);
    let ours = photos.iter().map(|(_, want, read)| (want.as_slice(), read.clone()));
    print_peer_accuracy("assay", ours);
    for (peer, name) in MRZ_PEERS {
        // A peer that cannot be loaded, for example because its trained data is missing, is left out, and its error is
        // printed.
        if let Err(error) = peers.ask(&format!("load {peer}")) {
            line(format_args!("  {peer:18} left out: {error}"));
            continue;
        }
        let (mut spent, mut read) = (Vec::new(), Vec::new());
        for (file, want, _) in photos {
            let answer = peers.ask(&format!("read {peer} {}", file.display())).unwrap_or_default();
            let lines = answer["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
            let lines: Vec<String> =
                lines.iter().filter_map(|line| Some(line.as_str()?.to_owned())).collect();
            spent.extend(answer["milliseconds"].as_f64());
            // A peer may find further lines; those do not count against it.
            let own =
                want.iter().map(|line| lines.iter().find(|read| *read == line).cloned().unwrap_or_default());
            read.push((want.as_slice(), own.collect()));
        }
        print_peer_accuracy(peer, read.into_iter());
        let peer = Some((name, MeasuredFigure::times(&spent)));
        report.add("zone, from photo to lines", MeasuredFigure::times(times), peer, None, None);
    }
    Ok(())
}

fn print_peer_accuracy<'a>(name: &str, read: impl Iterator<Item = (&'a [String], Vec<String>)>) {
    let (mut documents, mut lines) = (RightShare::default(), RightShare::default());
    for (want, read) in read {
        documents.count(want == read);
        for (at, line) in want.iter().enumerate() {
            lines.count(read.get(at) == Some(line));
        }
    }
    line(format_args!("  {name:18} documents {documents}, lines {lines}"));
}

/// The documents take turns: sides with a zone or a barcode, and sides with only print.
fn choose_specimen(turn: u64, seed: u64) -> (Specimen, SpecimenPage) {
    let (kind, back) = match turn % 6 {
        0 => (SpecimenKind::Passport, false),
        1 => (SpecimenKind::IdentityCard, true),
        2 => (SpecimenKind::DrivingLicence, true),
        3 => (SpecimenKind::LargeIdentityCard, false),
        4 => (SpecimenKind::ResidencePermit, true),
        _ => (SpecimenKind::DrivingLicence, false),
    };
    let specimen = Specimen::random(kind, seed);
    let page = if back { specimen.back() } else { None }.unwrap_or_else(|| specimen.front());
    (specimen, page)
}

impl DamageRow {
    fn note(
        &mut self,
        reader: &mut DocumentReader,
        vision: &mut VisionModels,
        specimen: &Specimen,
        page: &SpecimenPage,
        photo: &SpecimenPhoto,
    ) -> anyhow::Result<()> {
        let today = jiff::civil::date(2026, 11, 21);
        let before = clock::thread_cpu_milliseconds()?;
        let reading =
            reader.read(vision, &[SideSource::Photo(&photo.picture)], DocumentClaim::default(), today)?;
        self.milliseconds.push(clock::thread_cpu_milliseconds()? - before);
        self.photos += 1;
        if !page.mrz.is_empty() {
            let read = reading.zone.as_ref().map(|zone| zone.lines.as_slice()).unwrap_or_default();
            self.zones.count(read == page.mrz);
            for (at, line) in page.mrz.iter().enumerate() {
                self.lines.count(read.get(at) == Some(line));
            }
        }
        if let Some(wanted) = &page.barcode {
            let mut codes = reading.sides.iter().flat_map(|side| &side.barcodes);
            self.barcodes.count(codes.any(|code| &code.text == wanted));
        }
        let side = reading.sides.first().context("one side was handed in")?;
        self.pages.count(
            side.located.is_some_and(|place| intersection_over_union(&place.corners, &photo.corners) >= 0.9),
        );
        let [born, issued, expires] = specimen.days().map(|day| day.to_string());
        for (name, printed) in &page.fields {
            let (name, wanted) = match *name {
                "family_name" => (FieldName::FamilyName, printed),
                "given_names" => (FieldName::GivenNames, printed),
                "document_number" => (FieldName::DocumentNumber, printed),
                "date_of_birth" => (FieldName::DateOfBirth, &born),
                "date_of_issue" => (FieldName::DateOfIssue, &issued),
                "date_of_expiry" => (FieldName::ExpirationDate, &expires),
                _ => continue,
            };
            let mut read = reading.fields.iter().filter(|field| field.name == name);
            self.fields
                .count(read.any(|field| field.source == FieldSource::Text && same(&field.value, wanted)));
        }
        Ok(())
    }
}

/// Compares letters and digits without accents: the print has accents, which the nets for text do not always see.
fn same(read: &str, wanted: &str) -> bool {
    let letters =
        |text: &str| transliterate(text).chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    letters(read) == letters(wanted)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
