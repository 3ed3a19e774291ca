//! Reads a document with all its sides, and joins everything that the other modules find.

mod fields;
mod portrait_sides;
mod side;

pub use side::DocumentSide;

use crate::{
    authenticity::{self, AuthenticityMeasure, DocumentEvidence, Portrait},
    barcode::{Barcode, aamva::Licence},
    catalogue::DocumentType,
    field::{ExtractedField, FieldName},
    forensics,
    mrz::{self, reader::MrzReading},
    quality,
    supplementary::{self, SupplementaryReading},
    text,
    today::Today,
};
use base::Picture;
use std::path::Path;
use vision::{ModelLoadError, VisionError, VisionModels};

/// What the caller claims about a document before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentClaim<'a> {
    /// The issuing country, ISO 3166-1 alpha-3.
    pub country: Option<&'a str>,
    pub kind: Option<DocumentType>,
}

/// The source of a side.
#[derive(Clone, Copy, Debug)]
pub enum SideSource<'a> {
    /// A photo: the page has to be found, and the quality is measured.
    Photo(&'a Picture),
    /// A rendered page of a file, with the lines of the file's own text in pixels of the picture.
    File(&'a Picture, &'a [text::TextLine]),
}

pub struct DocumentReading {
    /// The sides in the order in which they were given.
    pub sides: Vec<DocumentSide>,
    /// The type according to the MRZ or the barcode, or else as claimed.
    pub kind: Option<DocumentType>,
    /// The issuer: ISO 3166-1 alpha-3 where the code belongs to a state, else the code as printed.
    pub issuer: Option<String>,
    /// The most reliable MRZ of all sides; that of a visa only where no other document's was read.
    pub zone: Option<MrzReading>,
    /// The content of a driving licence's barcode.
    pub licence: Option<Licence>,
    /// All fields with their sources. Of the same field, that of the MRZ comes first, then the barcode's and then that
    /// of the printed text.
    pub fields: Vec<ExtractedField>,
    /// The printed fields that were found by their numbers, as licences number them; each once, in the order of their names.
    pub numbered_fields: Vec<FieldName>,
    /// The portrait, on a side that belongs to the document.
    pub portrait: Option<Portrait>,
    /// The content of a letter, such as a bill or statement; only where there is neither an MRZ nor a licence's
    /// barcode.
    pub supplementary: Option<SupplementaryReading>,
    /// The traces of editing that were measured, of all photos.
    pub traces: Vec<forensics::TraceMeasure>,
    /// The measures of authenticity.
    pub measures: Vec<AuthenticityMeasure>,
}

impl DocumentReading {
    /// Whether what was read makes it a document: an MRZ, a licence's barcode, at least two different fields, or at
    /// least two parts of a letter.
    pub fn is_document(&self) -> bool {
        let names: std::collections::BTreeSet<_> = self.fields.iter().map(|field| field.name).collect();
        let letter = self.supplementary.as_ref().is_some_and(|letter| letter.found_count() >= 2);
        self.zone.is_some() || self.licence.is_some() || names.len() >= 2 || letter
    }
}

// The content is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for DocumentReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reading({:?}, {} sides, {:?})", self.kind, self.sides.len(), self.fields)
    }
}

/// Reads documents. It is not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct DocumentReader {
    zones: mrz::reader::MrzReader,
    lines: text::TextReader,
}

impl DocumentReader {
    /// Loads the nets from the folder of a model pack.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        Ok(Self { zones: mrz::reader::MrzReader::load(folder)?, lines: text::TextReader::load(folder)? })
    }

    /// Reads one side. `vision` finds faces, which show the upright direction.
    pub fn read_side(
        &mut self,
        vision: &mut VisionModels,
        origin: SideSource<'_>,
    ) -> Result<DocumentSide, VisionError> {
        match origin {
            SideSource::Photo(photo) => side::read_photo(self, vision, photo),
            SideSource::File(page, lines) => side::read_file(self, vision, page, lines),
        }
    }

    /// Reads all sides and joins them; the portrait is embedded.
    pub fn read(
        &mut self,
        vision: &mut VisionModels,
        sides: &[SideSource<'_>],
        claim: DocumentClaim<'_>,
        today: impl Into<Today>,
    ) -> Result<DocumentReading, VisionError> {
        let sides =
            sides.iter().map(|&origin| self.read_side(vision, origin)).collect::<Result<Vec<_>, _>>()?;
        join_sides(vision, sides, claim, today, true)
    }
}

/// Joins sides that were read earlier, for example as they arrived. The portrait is embedded only if `embed_portrait` says
/// so.
pub fn join_sides(
    vision: &mut VisionModels,
    sides: Vec<DocumentSide>,
    claim: DocumentClaim<'_>,
    today: impl Into<Today>,
    embed_portrait: bool,
) -> Result<DocumentReading, VisionError> {
    let today = today.into();
    // Years of two digits are read as of the latest day: what is dated today is not a hundred years old anywhere.
    let reading_day = today.latest;
    let zone = choose_zone(&sides);
    let zone_place = zone.map(|(at, zone)| (at, zone.format));
    let zone = zone.map(|(_, zone)| zone.clone());
    let codes = || sides.iter().flat_map(|side| &side.barcodes);
    let licence = codes().find_map(Barcode::licence);
    let kind = fields::detect_document_type(zone.as_ref(), licence.as_ref()).or(claim.kind);
    let issuer = fields::detect_issuer(zone.as_ref(), licence.as_ref(), claim.country);
    let mut fields = Vec::new();
    fields.extend(zone.iter().flat_map(|zone| fields::of_zone(zone, reading_day)));
    fields.extend(licence.iter().flat_map(fields::of_licence));
    let lines = document_lines(&sides, zone.as_ref());
    let fields::PrintReading { fields: printed, confirmed, numbered: numbered_fields, sides: prints } =
        fields::of_print(&lines, zone.as_ref(), licence.as_ref(), issuer.as_deref(), reading_day);
    fields.extend(printed);
    fields.sort_by_key(|field| (field.name, field.source));

    let mut portrait = None;
    for at in portrait_sides::portrait_sides(&sides, &prints, zone_place) {
        if portrait.is_none()
            && let Some(side) = sides.get(at)
        {
            portrait = Portrait::find(vision, &side.page, at, embed_portrait)?;
        }
    }
    let letter = zone.is_none() && licence.is_none();
    let supplementary = letter.then(|| supplementary::read(&lines.concat(), reading_day, claim.country));
    let photos: Vec<Vec<quality::QualityMeasure>> =
        sides.iter().map(|side| side.quality.clone()).filter(|measures| !measures.is_empty()).collect();
    let mut traces: Vec<forensics::TraceMeasure> =
        sides.iter().flat_map(|side| side.traces.iter().copied()).collect();
    let photographed =
        |portrait: &&Portrait| sides.get(portrait.side).is_some_and(|side| side.located.is_some());
    traces.extend(portrait.as_ref().filter(photographed).and_then(|portrait| {
        let side = sides.get(portrait.side)?;
        forensics::measure_portrait(&side.page, &portrait.face, &side.lines)
    }));
    let measures = authenticity::measure(&DocumentEvidence {
        today,
        kind,
        issuer: issuer.as_deref(),
        zone: zone.as_ref(),
        licence: licence.as_ref(),
        fields: &fields,
        confirmed: &confirmed,
        portrait: portrait.as_ref(),
        photos: &photos,
        traces: &traces,
    });
    Ok(DocumentReading {
        sides,
        kind,
        issuer,
        zone,
        licence,
        fields,
        numbered_fields,
        portrait,
        supplementary,
        traces,
        measures,
    })
}

/// The MRZ that the document is known by, and the index of its side: the most reliable one. A passport may have been supplied with
/// a page that has a visa on it: that counts only where no other zone was read, however well it was read itself.
fn choose_zone(sides: &[DocumentSide]) -> Option<(usize, &MrzReading)> {
    let zones = sides.iter().enumerate().filter_map(|(at, side)| Some((at, side.zone.as_ref()?)));
    zones.max_by(|(_, a), (_, b)| {
        let rank = |zone: &MrzReading| (!zone.format.is_visa(), zone.mrz.checks_hold());
        rank(a).cmp(&rank(b)).then(a.mean_certainty().total_cmp(&b.mean_certainty()))
    })
}

/// The lines of print on each side. Those beside a visa's zone say nothing of a document with another zone.
fn document_lines<'a>(sides: &'a [DocumentSide], zone: Option<&MrzReading>) -> Vec<&'a [text::TextLine]> {
    let is_visa = |zone: &MrzReading| zone.format.is_visa();
    let is_of_document =
        |side: &DocumentSide| zone.is_some_and(is_visa) || !side.zone.as_ref().is_some_and(is_visa);
    sides.iter().map(|side| if is_of_document(side) { side.lines.as_slice() } else { &[] }).collect()
}

#[cfg(test)]
mod tests {
    use super::{fields::tests::zone_of, portrait_sides::tests::side, *};
    use crate::mrz::MrzFormat;

    const VISA: [&str; 2] =
        ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"];
    /// Its first check digit is wrong.
    const PASSPORT: [&str; 2] =
        ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C37UTO7408122F1204159ZE184226B<<<<<10"];

    #[test]
    fn a_passport_counts_rather_than_a_visa_that_was_read_better() {
        let visa = MrzReading { certainty: vec![vec![1.0]], ..zone_of(&VISA) };
        let passport = zone_of(&PASSPORT);
        assert!(visa.mrz.checks_hold() && !passport.mrz.checks_hold());
        let side_with = |zone: &MrzReading| DocumentSide { zone: Some(zone.clone()), ..side(true) };
        let mut sides = [side_with(&visa), side(true), side_with(&passport)];
        let chosen = |sides: &[DocumentSide]| choose_zone(sides).map(|(at, zone)| (at, zone.format));
        assert_eq!(chosen(&sides), Some((2, MrzFormat::Td3)));
        assert_eq!(chosen(&sides[..2]), Some((0, MrzFormat::MrvA)));
        sides.reverse();
        assert_eq!(chosen(&sides), Some((0, MrzFormat::Td3)));
        assert_eq!(chosen(&sides[1..2]), None);
    }

    #[test]
    fn print_beside_a_visa_says_nothing_of_a_passport() {
        let with_zone = |zone: [&str; 2], text: &str| DocumentSide {
            zone: Some(zone_of(&zone)),
            lines: vec![text::TextLine::printed(text, [0.0, 0.0, 100.0, 10.0])],
            ..side(true)
        };
        let visa = with_zone(VISA, "Expiration date 01 JAN 2020");
        let sides = [visa, with_zone(PASSPORT, "Date of expiry 15 APR 2030")];
        let line_counts = |sides: &[DocumentSide]| {
            let zone = choose_zone(sides).map(|(_, zone)| zone.clone());
            document_lines(sides, zone.as_ref()).iter().map(|lines| lines.len()).collect::<Vec<_>>()
        };
        assert_eq!(line_counts(&sides), [0, 1]);
        assert_eq!(line_counts(&sides[..1]), [1], "a visa alone");
        assert_eq!(line_counts(&[side(true)]), [0]);
    }
}
