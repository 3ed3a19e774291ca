//! `assay read-document`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{Environment as _, SystemEnvironment};
use documents::{
    authenticity::{AuthenticityMeasure, AuthenticityVerdict},
    barcode::{Barcode, aamva},
    catalogue::DocumentType,
    mrz, quality,
    reading::{DocumentClaim, DocumentReader, DocumentReading, DocumentSide, SideSource},
    supplementary::PostalAddress,
    text::{self, dates::DateReading as Date},
};
use media::document_file::{DocumentFile, DocumentFileError, DocumentFileLoader};
use serde_json::{Map, Value, json};
use std::{path::PathBuf, process::ExitCode};
use vision::VisionModels;

/// The exit code if no document was read.
const EXIT_NO_DOCUMENT: u8 = 2;

/// Read a document: its machine-readable zone, barcode and print, the quality of the photos, and signs that it is genuine or
/// not. The exit code is 0 if a document was read, 2 if not.
#[derive(clap::Args)]
pub(crate) struct ReadDocumentArgs {
    /// The sides of one document: photos (JPEG, PNG and other kinds) or PDF files, front first.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The country that issued it, three letters (ISO 3166-1), if that is known. It settles what the print leaves open, such
    /// as the order of day and month.
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// A side of the document, ready for the reader.
struct OpenedSide {
    name: String,
    picture: base::Picture,
    /// The text of the page, if the file contains it.
    lines: Option<Vec<text::TextLine>>,
}

impl ReadDocumentArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let mut opened = Vec::new();
        for file in &self.files {
            let name = file.display().to_string();
            let bytes = std::fs::read(file).with_context(|| format!("{name} cannot be read"))?;
            match open(&name, bytes).await {
                Ok(sides) => opened.extend(sides),
                Err(error @ (DocumentFileError::Missing(_) | DocumentFileError::Failed(_))) => {
                    return Err(error.into());
                }
                // That a file is no document is a result, not a failure.
                Err(refusal) => out::remark(format_args!("{name}: {refusal}")),
            }
        }
        let folder = config.models_folder();
        let today = documents::today::Today::at(SystemEnvironment.now());
        let (mut reader, mut vision) = (DocumentReader::load(&folder)?, VisionModels::load(&folder)?);
        let sides: Vec<SideSource<'_>> = opened
            .iter()
            .map(|side| match &side.lines {
                Some(lines) => SideSource::File(&side.picture, lines),
                None => SideSource::Photo(&side.picture),
            })
            .collect();
        let country = self.country.as_deref().map(str::to_uppercase);
        let claim = DocumentClaim { country: country.as_deref(), kind: None };
        let reading = reader.read(&mut vision, &sides, claim, today)?;
        if self.json {
            out::json(&describe(&reading, &opened))?;
        } else {
            print(&reading, &opened);
        }
        Ok(if reading.is_document() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_NO_DOCUMENT) })
    }
}

/// Opens a file. A photo is one side; so is each page of a PDF file.
async fn open(name: &str, bytes: Vec<u8>) -> Result<Vec<OpenedSide>, DocumentFileError> {
    let loader = DocumentFileLoader::default();
    match loader.open(bytes).await? {
        DocumentFile::Picture(picture) => {
            Ok(vec![OpenedSide { name: name.to_owned(), picture, lines: None }])
        }
        DocumentFile::Pdf(pdf) => {
            let mut sides = Vec::new();
            for (at, page) in pdf.pages().iter().enumerate() {
                let picture = loader.render_page(&pdf, at).await?;
                let scale = picture.width() as f32 / page.size[0].max(1.0);
                let words = page.words.iter().map(|word| {
                    let [left, top, right, bottom] = word.bounds.map(|millimetres| millimetres * scale);
                    text::layout::LayoutWord { text: word.text.clone(), left, top, right, bottom }
                });
                let lines = text::layout::lines_of_words(&words.collect::<Vec<_>>());
                sides.push(OpenedSide {
                    name: format!("{name}, page {}", at + 1),
                    picture,
                    lines: Some(lines),
                });
            }
            Ok(sides)
        }
    }
}

fn describe(reading: &DocumentReading, opened: &[OpenedSide]) -> Value {
    let sides = reading.sides.iter().zip(opened);
    json!({
        "document": reading.is_document(),
        "type": reading.kind,
        "issuing_country": reading.issuer,
        "mrz": reading.zone.as_ref().map(|zone| &zone.lines),
        "zone": reading.zone.as_ref().map(zone),
        "fields": reading.fields,
        "barcodes": reading.sides.iter().enumerate().flat_map(|(at, side)| {
            side.barcodes.iter().map(move |code| barcode(at, code))
        }).collect::<Vec<_>>(),
        "supplementary": reading.supplementary,
        "portrait": reading.portrait.as_ref().map(|portrait| {
            let face = portrait.face;
            json!({
                "side": portrait.side,
                "box": [face.left, face.top, face.right, face.bottom],
                "confidence": face.score,
                "age": { "years": portrait.age.years, "st_dev": portrait.age.st_dev },
            })
        }),
        "sides": sides.enumerate().map(|(at, (side, opened))| describe_side(at, side, &opened.name))
            .collect::<Vec<_>>(),
        "quality": reading.sides.iter().enumerate().flat_map(|(at, side)| {
            side.quality.iter().map(move |measure| quality(at, *measure))
        }).collect::<Vec<_>>(),
        "authenticity": reading.measures.iter().map(measure).collect::<Vec<_>>(),
    })
}

fn describe_side(at: usize, side: &DocumentSide, name: &str) -> Value {
    let lines = side.lines.iter().map(|line| json!({ "text": line.text, "confidence": line.confidence }));
    json!({
        "side": at,
        "file": name,
        "page": side.located.map(|place| json!({ "corners": place.corners, "confidence": place.confidence })),
        "mirrored": side.mirrored,
        "text": lines.collect::<Vec<_>>(),
    })
}

fn zone(zone: &mrz::reader::MrzReading) -> Value {
    let confidence: Map<String, Value> = zone
        .confidence
        .iter()
        .filter_map(|(field, value)| {
            Some((serde_json::to_value(field).ok()?.as_str()?.to_owned(), json!(value)))
        })
        .collect();
    json!({
        "format": zone.format,
        "confidence": confidence,
        "checks": zone.mrz.checks,
        "problems": zone.mrz.problems,
        "repairs": zone.mrz.repairs,
        "names_may_be_cut": zone.mrz.names_may_be_cut,
        "rotation": zone.rotation,
    })
}

fn barcode(side: usize, code: &Barcode) -> Value {
    let elements: Option<Map<String, Value>> = aamva::parse(&code.bytes).ok().map(|text| {
        let all = text.subfiles.iter().flat_map(|subfile| &subfile.elements);
        all.map(|element| (String::from_utf8_lossy(&element.id).into_owned(), json!(element.value))).collect()
    });
    json!({
        "side": side,
        "kind": format!("{:?}", code.kind).to_uppercase(),
        "text": code.text,
        "fields": elements,
    })
}

fn quality(side: usize, measure: quality::QualityMeasure) -> Value {
    let violation = measure.to_limit_violation();
    json!({
        "side": side,
        "name": measure.fault.name(),
        "value": violation.measured,
        "limit": violation.limit,
        "ok": !measure.is_broken(),
        "hint": measure.is_broken().then_some(violation.hint),
    })
}

fn measure(measure: &AuthenticityMeasure) -> Value {
    json!({
        "check": measure.check,
        "value": measure.value,
        "limit": measure.limit.to_string(),
        "verdict": measure.verdict,
        "reason": measure.reason,
    })
}

fn print(reading: &DocumentReading, opened: &[OpenedSide]) {
    if reading.is_document() {
        let other = if reading.supplementary.is_some() { "a letter" } else { "a document" };
        let kind = reading.kind.map_or(other, |kind| match kind {
            DocumentType::Passport => "a passport",
            DocumentType::NationalId => "an identity card",
            DocumentType::ResidencePermit => "a residence permit",
            DocumentType::DrivingLicence => "a driving licence",
        });
        out::line(format_args!(
            "Read {kind}, issued by {}.",
            reading.issuer.as_deref().unwrap_or("nobody known")
        ));
    } else {
        out::line(format_args!("No document was read."));
    }
    if let Some(zone) = &reading.zone {
        out::line(format_args!("\nMachine readable zone ({:?})", zone.format));
        for line in &zone.lines {
            out::line(format_args!("  {line}"));
        }
    }
    if !reading.fields.is_empty() {
        out::line(format_args!("\nFields"));
        for field in &reading.fields {
            let value = field.value.replace('\n', ", ");
            let [name, source] = [word(&field.name), word(&field.source)];
            out::line(format_args!("  {name:18} {source:8} {:4.0} %  {value}", field.confidence * 100.0));
        }
    }
    if let Some(letter) = reading.supplementary.as_ref().filter(|letter| letter.found_count() > 0) {
        out::line(format_args!("\nLetter"));
        let print_part = |name: &str, value: Option<(String, f32)>| {
            if let Some((value, confidence)) = value {
                out::line(format_args!("  {name:25}  {:4.0} %  {value}", confidence * 100.0));
            }
        };
        let name = letter.full_name.as_ref();
        print_part("full_name", name.map(|part| (part.value.clone(), part.confidence)));
        let address = letter.structured_postal_address.as_ref();
        print_part("structured_postal_address", address.map(|part| (postal(&part.value), part.confidence)));
        let date = letter.date_of_issue.as_ref();
        print_part("date_of_issue", date.map(|part| (day(part.value), part.confidence)));
        let organisation = letter.organisation.as_ref();
        print_part("organisation", organisation.map(|part| (part.value.clone(), part.confidence)));
    }
    for code in reading.sides.iter().flat_map(|side| &side.barcodes) {
        out::line(format_args!("\nBarcode ({:?})", code.kind));
        match aamva::parse(&code.bytes) {
            Ok(text) => {
                for element in text.subfiles.iter().flat_map(|subfile| &subfile.elements) {
                    out::line(format_args!("  {} {}", String::from_utf8_lossy(&element.id), element.value));
                }
            }
            Err(_) => out::line(format_args!("  {}", code.text.escape_debug())),
        }
    }
    for (side, opened) in reading.sides.iter().zip(opened) {
        out::line(format_args!("\nPhoto {}", opened.name));
        if side.quality.is_empty() && side.lines.is_empty() && side.zone.is_none() {
            out::line(format_args!("  no page was found in it"));
        }
        for measure in side.quality.iter().filter(|measure| measure.is_broken()) {
            let violation = measure.to_limit_violation();
            let name = measure.fault.name();
            out::line(format_args!(
                "  {name}: {} ({}); {}",
                violation.measured, violation.limit, violation.hint
            ));
        }
        if !side.quality.is_empty() && !side.quality.iter().any(quality::QualityMeasure::is_broken) {
            out::line(format_args!("  nothing is wrong with it"));
        }
    }
    if !reading.measures.is_empty() {
        out::line(format_args!("\nFor and against it"));
    }
    for measure in &reading.measures {
        let verdict = match measure.verdict {
            AuthenticityVerdict::Pass => "pass ",
            AuthenticityVerdict::Doubt => "DOUBT",
            AuthenticityVerdict::Fail => "FAIL ",
        };
        let (check, value, limit) = (word(&measure.check), measure.value, measure.limit);
        out::line(format_args!("  {verdict} {check:24} {} ({value:.2}, {limit})", measure.reason));
    }
}

/// A value of a closed set as the interfaces spell it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn postal(address: &PostalAddress) -> String {
    let lines = address.lines.iter().map(String::as_str);
    let rest =
        [&address.postal_code, &address.town, &address.region].into_iter().flatten().map(String::as_str);
    lines.chain(rest).chain(address.country).collect::<Vec<_>>().join(", ")
}

fn day(date: Date) -> String {
    match date {
        Date::Certain(date) => date.to_string(),
        Date::Ambiguous { day_first, month_first } => format!("{day_first} or {month_first}"),
    }
}
