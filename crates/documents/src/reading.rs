//! A document, side by side: everything the other rooms can read of it, joined.

mod fields;
mod side;

pub use side::DocumentSide;

use crate::{
    authenticity::{self, AuthenticityMeasure, DocumentEvidence, Portrait},
    barcode::{Barcode, aamva::Licence},
    catalogue::DocumentType,
    field::ExtractedField,
    mrz::{self, reader::MrzReading},
    quality,
    supplementary::{self, SupplementaryReading},
    text,
};
use base::Picture;
use jiff::civil::Date;
use std::path::Path;
use vision::{ModelLoadError, VisionError, VisionModels};

/// What a caller knows of a document before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentClaim<'a> {
    /// Who is said to have issued it: ISO 3166-1 alpha-3.
    pub country: Option<&'a str>,
    /// What it is said to be.
    pub kind: Option<DocumentType>,
}

/// Where a side comes from.
#[derive(Clone, Copy, Debug)]
pub enum SideSource<'a> {
    /// A camera: the page has to be found, and quality matters.
    Photo(&'a Picture),
    /// A page of a file, drawn, with the lines that the file itself says are on it (in pixels of the picture).
    File(&'a Picture, &'a [text::TextLine]),
}

/// What was read of a document.
pub struct DocumentReading {
    /// Side by side, in the order in which they came.
    pub sides: Vec<DocumentSide>,
    /// What it is, as far as it says itself or the caller does.
    pub kind: Option<DocumentType>,
    /// Who issued it: ISO 3166-1 alpha-3 where that can be told, else as printed.
    pub issuer: Option<String>,
    /// The surest machine readable zone of all sides.
    pub zone: Option<MrzReading>,
    /// What a driving licence's barcode says.
    pub licence: Option<Licence>,
    /// Every field with its source; of one name the zone's first, then the barcode's, then the print's.
    pub fields: Vec<ExtractedField>,
    /// The face on it, if there is one.
    pub portrait: Option<Portrait>,
    /// What a bill or a statement says; only where there is neither zone nor licence.
    pub supplementary: Option<SupplementaryReading>,
    /// What speaks for and against it.
    pub measures: Vec<AuthenticityMeasure>,
}

impl DocumentReading {
    /// Whether anything was read that makes it a document: a zone, a barcode of a licence, or two fields and more of what
    /// is printed.
    pub fn is_document(&self) -> bool {
        let names: std::collections::BTreeSet<_> = self.fields.iter().map(|field| field.name).collect();
        let letter = self.supplementary.as_ref().is_some_and(|letter| letter.found_count() >= 2);
        self.zone.is_some() || self.licence.is_some() || names.len() >= 2 || letter
    }
}

// What is written on it must not reach a log by way of `{:?}`.
impl std::fmt::Debug for DocumentReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reading({:?}, {} sides, {:?})", self.kind, self.sides.len(), self.fields)
    }
}

/// Reads documents. Not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct DocumentReader {
    zones: mrz::reader::MrzReader,
    lines: text::TextReader,
}

impl DocumentReader {
    /// Loads what it needs of a pack of models.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        Ok(Self { zones: mrz::reader::MrzReader::load(folder)?, lines: text::TextReader::load(folder)? })
    }

    /// Reads one side. `vision` finds faces, which show which way is up.
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

    /// Reads all sides and joins them.
    pub fn read(
        &mut self,
        vision: &mut VisionModels,
        sides: &[SideSource<'_>],
        claim: DocumentClaim<'_>,
        today: Date,
    ) -> Result<DocumentReading, VisionError> {
        let sides =
            sides.iter().map(|&origin| self.read_side(vision, origin)).collect::<Result<Vec<_>, _>>()?;
        join_sides(vision, sides, claim, today)
    }
}

/// Joins sides that were read before, for example as they arrived.
pub fn join_sides(
    vision: &mut VisionModels,
    sides: Vec<DocumentSide>,
    claim: DocumentClaim<'_>,
    today: Date,
) -> Result<DocumentReading, VisionError> {
    let zone = sides.iter().filter_map(|side| side.zone.as_ref()).max_by(|a, b| {
        let trust = |zone: &MrzReading| (zone.mrz.checks_hold(), zone.mean_certainty());
        let ((a_holds, a), (b_holds, b)) = (trust(a), trust(b));
        a_holds.cmp(&b_holds).then(a.total_cmp(&b))
    });
    let zone = zone.cloned();
    let codes = || sides.iter().flat_map(|side| &side.barcodes);
    let licence = codes().find_map(Barcode::licence);
    let kind = fields::detect_document_type(zone.as_ref(), licence.as_ref()).or(claim.kind);
    let issuer = fields::detect_issuer(zone.as_ref(), licence.as_ref(), claim.country);
    let mut fields = Vec::new();
    fields.extend(zone.iter().flat_map(|zone| fields::of_zone(zone, today)));
    fields.extend(licence.iter().flat_map(fields::of_licence));
    let lines: Vec<&[text::TextLine]> = sides.iter().map(|side| side.lines.as_slice()).collect();
    let (printed, confirmed) = fields::of_print(&lines, zone.as_ref(), issuer.as_deref(), today);
    fields.extend(printed);
    fields.sort_by_key(|field| (field.name, field.source));

    let mut portrait = None;
    for (at, side) in sides.iter().enumerate() {
        if portrait.is_none() {
            portrait = Portrait::find(vision, &side.page, at)?;
        }
    }
    let letter = zone.is_none() && licence.is_none();
    let supplementary = letter.then(|| supplementary::read(&lines.concat(), today, claim.country));
    let photos: Vec<Vec<quality::QualityMeasure>> =
        sides.iter().map(|side| side.quality.clone()).filter(|measures| !measures.is_empty()).collect();
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
    });
    Ok(DocumentReading { sides, kind, issuer, zone, licence, fields, portrait, supplementary, measures })
}
