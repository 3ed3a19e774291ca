//! Reading documents, beside readers of machine-readable zones: how much is right by what is wrong with the photo, and
//! how long it takes. Photographs are simulated (`testkit::specimens`), so these are best cases; docs/ACCURACY.md says more.

use crate::{
    clock,
    python::Peers,
    report::{Figure, Goal, Report, line},
    server::Place,
};
use anyhow::Context as _;
use documents::{
    field::{Name, Source},
    mrz::{self, transliterate::transliterate},
    picture::page_homography::overlap,
    reading::{Claim, Origin, Reader},
};
use std::{collections::BTreeMap, path::Path};
use testkit::specimens::{Conditions, Damage, Kind, Page, Photo, Specimen, photograph};
use vision::Vision;

/// Photographs of each kind of damage, and of the mixture that the peers read.
const EACH: u64 = 8;
const MIXED: u64 = 40;
/// Of the mixture, what the peers read: they take seconds for each.
const PEERS_READ: usize = 20;
/// What a zone may take on one core, from photo to fields.
const GOAL: f64 = 200.0;
/// Name of the peer, and what it is.
const PEERS: [(&str, &str); 3] = [
    ("passporteye", "PassportEye, tesseract"),
    ("fastmrz", "fastmrz, tesseract"),
    ("rapidocr", "rapidocr, PP-OCRv4"),
];

#[derive(Default)]
struct Row {
    photos: usize,
    zones: Share,
    lines: Share,
    barcodes: Share,
    pages: Share,
    fields: Share,
    milliseconds: Vec<f64>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    right: usize,
    all: usize,
}

impl Share {
    fn count(&mut self, right: bool) {
        self.all += 1;
        self.right += usize::from(right);
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.all == 0 { f.pad("") } else { f.pad(&format!("{}/{}", self.right, self.all)) }
    }
}

pub(crate) fn measure(report: &mut Report, place: &Place, folder: &Path) -> anyhow::Result<()> {
    let (mut reader, mut vision) = (Reader::load(&place.pack)?, Vision::load(&place.pack)?);
    let mut zones = mrz::read::Reader::load(&place.pack)?;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for (at, damage) in Damage::ALL.into_iter().enumerate() {
        let row = rows.entry(format!("{damage:?}").to_lowercase()).or_default();
        for seed in 0..EACH {
            let (specimen, page) = choose(seed, seed * 31 + at as u64);
            let photo = photograph(&page, &Conditions::damaged(damage, seed * 100 + at as u64));
            row.note(&mut reader, &mut vision, &specimen, &page, &photo)?;
        }
    }
    let mut mixed = Row::default();
    let (mut times, mut photos) = (Vec::new(), Vec::new());
    for seed in 0..MIXED {
        let (specimen, page) = choose(seed, 9000 + seed);
        let photo = photograph(&page, &Conditions::random(seed * 100 + 50));
        mixed.note(&mut reader, &mut vision, &specimen, &page, &photo)?;
        if !page.mrz.is_empty() {
            let before = clock::of_this_thread()?;
            let read = zones.read(&photo.picture)?.map(|zone| zone.lines).unwrap_or_default();
            times.push(clock::of_this_thread()? - before);
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
    report.add("zone, from photo to fields", Figure::times(&times), None, None, Some(Goal::AtMost(GOAL)));
    beside_peers(report, place, &photos, &times)
}

/// The peers read the same photographs; how much of it is right is printed, how long it took is reported.
fn beside_peers(
    report: &mut Report,
    place: &Place,
    photos: &[(std::path::PathBuf, Vec<String>, Vec<String>)],
    times: &[f64],
) -> anyhow::Result<()> {
    let mut peers = Peers::start(&place.peer.join("readers"), "peers.py")?;
    let photos = photos.get(..PEERS_READ).unwrap_or(photos);
    let ours = photos.iter().map(|(_, want, read)| (want.as_slice(), read.clone()));
    told("assay", ours);
    for (peer, name) in PEERS {
        // One that is not whole here, for want of trained data, is left out and said to be.
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
            // A peer may find more lines than the zone's; those are not held against it.
            let own =
                want.iter().map(|line| lines.iter().find(|read| *read == line).cloned().unwrap_or_default());
            read.push((want.as_slice(), own.collect()));
        }
        told(peer, read.into_iter());
        let peer = Some((name, Figure::times(&spent)));
        report.add("zone, from photo to lines", Figure::times(times), peer, None, None);
    }
    Ok(())
}

fn told<'a>(name: &str, read: impl Iterator<Item = (&'a [String], Vec<String>)>) {
    let (mut documents, mut lines) = (Share::default(), Share::default());
    for (want, read) in read {
        documents.count(want == read);
        for (at, line) in want.iter().enumerate() {
            lines.count(read.get(at) == Some(line));
        }
    }
    line(format_args!("  {name:18} documents {documents}, lines {lines}"));
}

/// Documents in turn, sides with a zone or a barcode and sides with print alone.
fn choose(turn: u64, seed: u64) -> (Specimen, Page) {
    let (kind, back) = match turn % 6 {
        0 => (Kind::Passport, false),
        1 => (Kind::IdentityCard, true),
        2 => (Kind::DrivingLicence, true),
        3 => (Kind::LargeIdentityCard, false),
        4 => (Kind::ResidencePermit, true),
        _ => (Kind::DrivingLicence, false),
    };
    let specimen = Specimen::random(kind, seed);
    let page = if back { specimen.back() } else { None }.unwrap_or_else(|| specimen.front());
    (specimen, page)
}

impl Row {
    fn note(
        &mut self,
        reader: &mut Reader,
        vision: &mut Vision,
        specimen: &Specimen,
        page: &Page,
        photo: &Photo,
    ) -> anyhow::Result<()> {
        let today = jiff::civil::date(2026, 11, 21);
        let before = clock::of_this_thread()?;
        let reading = reader.read(vision, &[Origin::Photo(&photo.picture)], Claim::default(), today)?;
        self.milliseconds.push(clock::of_this_thread()? - before);
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
        self.pages.count(side.located.is_some_and(|place| overlap(&place.corners, &photo.corners) >= 0.9));
        let [born, issued, expires] = specimen.days().map(|day| day.to_string());
        for (name, printed) in &page.fields {
            let (name, wanted) = match *name {
                "family_name" => (Name::FamilyName, printed),
                "given_names" => (Name::GivenNames, printed),
                "document_number" => (Name::DocumentNumber, printed),
                "date_of_birth" => (Name::DateOfBirth, &born),
                "date_of_issue" => (Name::DateOfIssue, &issued),
                "date_of_expiry" => (Name::ExpirationDate, &expires),
                _ => continue,
            };
            let mut read = reading.fields.iter().filter(|field| field.name == name);
            self.fields.count(read.any(|field| field.source == Source::Text && same(&field.value, wanted)));
        }
        Ok(())
    }
}

/// Letters and digits alike: the print has them with accents, which the nets for text do not always see.
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
