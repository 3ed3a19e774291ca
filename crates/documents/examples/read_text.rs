//! Reads the fields of photographed specimens and counts the correct ones, by field and by damage.
//!
//! ```sh
//! cargo run --release -p assay-documents --example read_text -- models/pack [--count 40] [--damage Blur] [--each] [--blind]
//! ```
//!
//! Without `--damage`, every kind of document is photographed well (`good`), under random conditions (`as they come`)
//! and with each kind of damage.

use base::Picture;
use documents::{
    locate::{PageHints, ZoneHint, locate},
    mrz,
    picture::homography::Point,
    supplementary,
    text::{
        TextLine, TextReader,
        fields::{FieldContext, PrintedFields, read},
        label_dictionary::PrintedFieldKind,
    },
};
use fixtures::specimens::{PhotoConditions, PhotoDamage, Specimen, SpecimenKind, SpecimenPage, photograph};
use std::{collections::BTreeMap, path::Path};

const TODAY: jiff::civil::Date = jiff::civil::date(2026, 11, 21);
const KINDS: [SpecimenKind; 6] = [
    SpecimenKind::Passport,
    SpecimenKind::IdentityCard,
    SpecimenKind::LargeIdentityCard,
    SpecimenKind::ResidencePermit,
    SpecimenKind::DrivingLicence,
    SpecimenKind::UtilityBill,
];
const FIELDS: [(&str, PrintedFieldKind); 12] = [
    ("family_name", PrintedFieldKind::Surname),
    ("given_names", PrintedFieldKind::GivenNames),
    ("date_of_birth", PrintedFieldKind::BirthDate),
    ("date_of_expiry", PrintedFieldKind::ExpiryDate),
    ("date_of_issue", PrintedFieldKind::IssueDate),
    ("document_number", PrintedFieldKind::DocumentNumber),
    ("nationality", PrintedFieldKind::Nationality),
    ("place_of_birth", PrintedFieldKind::BirthPlace),
    ("sex", PrintedFieldKind::Sex),
    ("authority", PrintedFieldKind::Authority),
    ("address", PrintedFieldKind::Address),
    ("full_name", PrintedFieldKind::FullName),
];

/// Numbers of fields: correct, correct except for diacritics and spaces, found, and printed.
type Counts = [usize; 4];

/// Gives the conditions of a photo for a seed.
type Photographer = Box<dyn Fn(u64) -> PhotoConditions>;

struct Run {
    text: TextReader,
    mrz: mrz::reader::MrzReader,
    each: bool,
    /// Ignore the MRZ, to see what labels alone give.
    blind: bool,
    times: Vec<f64>,
    lines: usize,
}

#[expect(clippy::print_stdout, reason = "it is a program, and this is its answer")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let pack = arguments.first().ok_or("usage: read_text PACK")?;
    let count: u64 = value("--count").map_or(Ok(8), |text| text.parse())?;
    let wanted = value("--damage");
    let mut run = Run {
        text: TextReader::load(Path::new(pack))?,
        mrz: mrz::reader::MrzReader::load(Path::new(pack))?,
        each: arguments.iter().any(|argument| argument == "--each"),
        blind: arguments.iter().any(|argument| argument == "--blind"),
        times: Vec::new(),
        lines: 0,
    };
    let mut conditions: Vec<(String, Photographer)> = vec![
        ("good".to_owned(), Box::new(PhotoConditions::clean)),
        ("as they come".to_owned(), Box::new(PhotoConditions::random)),
    ];
    for damage in PhotoDamage::ALL.into_iter().skip(1) {
        conditions
            .push((format!("{damage:?}"), Box::new(move |seed| PhotoConditions::damaged(damage, seed))));
    }
    for (name, conditions) in conditions {
        if wanted.as_ref().is_some_and(|wanted| !wanted.split(',').any(|one| one == name)) {
            continue;
        }
        let mut tally: BTreeMap<(usize, &str), Counts> = BTreeMap::new();
        for seed in 0..count {
            for (number, kind) in KINDS.into_iter().enumerate() {
                let specimen = Specimen::random(kind, 7000 + seed);
                for page in [Some(specimen.front()), specimen.back()].into_iter().flatten() {
                    if page.fields.is_empty() {
                        continue;
                    }
                    let photo = photograph(&page, &conditions(9000 + seed * 7 + number as u64));
                    let seen = run.read(&photo.picture, &page, &specimen)?;
                    for (field, text) in &page.fields {
                        let Some((right, alike, found)) = judge(field, text, &seen) else { continue };
                        let counts = tally.entry((number, field)).or_default();
                        counts[0] += usize::from(right);
                        counts[1] += usize::from(alike);
                        counts[2] += usize::from(found);
                        counts[3] += 1;
                        if run.each && !right {
                            println!("    {kind:?} {seed} {field}: {text:?}, read {:?}", told(field, &seen));
                        }
                    }
                }
            }
        }
        println!("{name}");
        print(&tally);
    }
    run.times.sort_by(f64::total_cmp);
    let at = |share: f64| run.times.get((run.times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    println!(
        "{} pages, {} lines; ms on one core for a page's text p50 {:.0} p95 {:.0}",
        run.times.len(),
        run.lines,
        at(0.5),
        at(0.95)
    );
    Ok(())
}

/// What was read from a page.
struct Seen {
    fields: PrintedFields,
    letter: Option<supplementary::SupplementaryReading>,
}

impl Run {
    #[expect(clippy::print_stdout, reason = "it is a program, and this is its answer")]
    fn read(
        &mut self,
        photo: &Picture,
        page: &SpecimenPage,
        specimen: &Specimen,
    ) -> Result<Seen, Box<dyn std::error::Error>> {
        let zone = self.mrz.read(photo)?.filter(|_| !page.mrz.is_empty());
        let hint = zone.as_ref().map(|zone| ZoneHint {
            corners: zone.corners.map(|(x, y)| [x, y]),
            lines: zone.lines.len() as u8,
            columns: zone.lines.first().map_or(0, String::len) as u8,
        });
        let located = locate(photo, &PageHints { zone: hint, up: None });
        let start = cpu_milliseconds()?;
        let lines: Vec<TextLine> = match &located {
            Some(located) => {
                let back = located.to_photo.inverse();
                let known = hint.zip(back).map(|(hint, back)| hint.corners.map(|corner| back.apply(corner)));
                let known: Vec<[Point; 4]> = known.into_iter().collect();
                self.text.read_beside(&located.page, &known)?
            }
            None => self.text.read(photo)?,
        };
        self.times.push(cpu_milliseconds()? - start);
        self.lines += lines.len();
        if self.each {
            println!("  {:?} {:?}", specimen.kind(), located.map(|located| located.page.size()));
            for line in &lines {
                let [x, y] = line.corners[0];
                println!("      {x:4.0} {y:4.0} {:4.0} {:.2} {}", line.height(), line.confidence, line.text);
            }
        }
        let country = (specimen.kind() == SpecimenKind::DrivingLicence).then_some("USA");
        let zone = zone.as_ref().map(|zone| &zone.mrz.mrz).filter(|_| !self.blind);
        let fields = read(&lines, &FieldContext { country, today: TODAY, zone });
        let letter =
            (specimen.kind() == SpecimenKind::UtilityBill).then(|| supplementary::read(&lines, TODAY, None));
        Ok(Seen { fields, letter })
    }
}

/// The value that was read for a field of a specimen.
fn told(field: &str, seen: &Seen) -> Option<String> {
    if let Some(letter) = &seen.letter {
        let address = letter.structured_postal_address.as_ref().map(|part| &part.value);
        return match field {
            "organisation" => letter.organisation.as_ref().map(|part| part.value.clone()),
            "full_name" => letter.full_name.as_ref().map(|part| part.value.clone()),
            "street" => address.and_then(|address| address.lines.last().cloned()),
            "town" => address.map(|address| {
                let code = address.postal_code.clone().unwrap_or_default();
                format!("{code} {}", address.town.clone().unwrap_or_default())
            }),
            "date_of_issue" => letter
                .date_of_issue
                .as_ref()
                .and_then(|part| part.value.certain())
                .map(|date| date.to_string()),
            _ => None,
        };
    }
    let (_, field) = FIELDS.iter().find(|(name, _)| *name == field)?;
    seen.fields.text(*field)
}

/// Whether a field is correct, correct except for diacritics and spaces, and found; `None` for a field that is not
/// read.
fn judge(field: &str, text: &str, seen: &Seen) -> Option<(bool, bool, bool)> {
    let known = FIELDS.iter().any(|(name, _)| *name == field)
        && (seen.letter.is_none() || field != "document_number");
    if !known && !matches!(field, "organisation" | "street" | "town") {
        return None;
    }
    let Some(read) = told(field, seen) else { return Some((false, false, false)) };
    let text = if field.starts_with("date_") {
        date_of(text).unwrap_or_else(|| text.to_owned())
    } else {
        text.to_owned()
    };
    let plain = |text: &str| mrz::transliterate::transliterate(text).replace(' ', "");
    let bare = |text: &str| {
        let spelled = mrz::transliterate::spellings(text);
        spelled.iter().min_by_key(|text| text.len()).map(|text| text.replace(' ', "")).unwrap_or_default()
    };
    let alike = plain(&text) == plain(&read) || bare(&text) == bare(&read);
    Some((text.replace(' ', "") == read.replace(' ', ""), alike, true))
}

/// Reads the dates of specimens: `15 MAR 2021`, `15.03.2021`, `03/15/2021` and `15 March 2021`.
fn date_of(text: &str) -> Option<String> {
    let country = text.contains('/').then_some("USA");
    let hints = documents::text::dates::DateHints { country, window: mrz::YearWindow::Expiry, today: TODAY };
    Some(documents::text::dates::parse(text, &hints)?.certain()?.to_string())
}

/// The processor time of this thread so far, which unlike the wall clock leaves out other programs.
fn cpu_milliseconds() -> std::io::Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split(' ').next().and_then(|spent| spent.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e6)
}

#[expect(clippy::print_stdout, reason = "it is a program, and this is its answer")]
fn print(tally: &BTreeMap<(usize, &str), Counts>) {
    for (number, kind) in KINDS.iter().enumerate() {
        let fields: Vec<String> = tally
            .iter()
            .filter(|((of, _), _)| *of == number)
            .map(|((_, field), [right, alike, found, all])| format!("{field} {right}/{alike}/{found}/{all}"))
            .collect();
        if !fields.is_empty() {
            println!("  {kind:?}: {}", fields.join(", "));
        }
    }
    let sum = tally.values().fold([0; 4], |sum: Counts, one| [0, 1, 2, 3].map(|at: usize| sum[at] + one[at]));
    let share = |part: usize| 100.0 * part as f64 / sum[3].max(1) as f64;
    println!(
        "  all: right {:.1} %, but for marks and blanks {:.1} %, found {:.1} %, of {}",
        share(sum[0]),
        share(sum[1]),
        share(sum[2]),
        sum[3]
    );
}
