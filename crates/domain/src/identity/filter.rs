//! Which documents a session takes.

use super::words::Inclusion;
use crate::members::Members;
use documents::{
    catalogue::{self, Document, DocumentType},
    countries,
};
use serde::{Deserialize, Serialize};

/// Restrictions that hold side by side. The default takes every document that is strictly Latin and in date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Whether documents are taken whose print is not in Latin letters alone.
    pub allow_non_latin: bool,
    /// Whether documents are taken that have expired.
    pub allow_expired: bool,
    /// Countries, ISO 3166-1 alpha-3.
    pub countries: Option<(Inclusion, Vec<String>)>,
    /// Types.
    pub types: Option<(Inclusion, Vec<DocumentType>)>,
}

/// The word of a type on the wire.
pub fn type_word(kind: DocumentType) -> &'static str {
    match kind {
        DocumentType::Passport => "PASSPORT",
        DocumentType::NationalId => "NATIONAL_ID",
        DocumentType::ResidencePermit => "RESIDENCE_PERMIT",
        DocumentType::DrivingLicence => "DRIVING_LICENCE",
    }
}

/// A type by its word, in any case.
pub fn type_of(word: &str) -> Option<DocumentType> {
    match word.trim().to_ascii_uppercase().as_str() {
        "PASSPORT" => Some(DocumentType::Passport),
        "NATIONAL_ID" => Some(DocumentType::NationalId),
        "RESIDENCE_PERMIT" => Some(DocumentType::ResidencePermit),
        "DRIVING_LICENCE" => Some(DocumentType::DrivingLicence),
        _ => None,
    }
}

impl Filter {
    /// Reads `filter` of a document or a check. `None` where it was refused.
    pub(super) fn read(members: &Members<'_>) -> Option<Self> {
        if let Some(kind) = members.text("type")
            && !kind.eq_ignore_ascii_case("ORTHOGONAL_RESTRICTIONS")
        {
            members.refuse("type", "it is ORTHOGONAL_RESTRICTIONS");
        }
        let mut filter = Self {
            allow_non_latin: members.flag("allow_non_latin_documents").unwrap_or(false),
            allow_expired: members.flag("allow_expired_documents").unwrap_or(false),
            ..Self::default()
        };
        if let Some(inner) = members.inner("country_restriction") {
            let inclusion = inclusion(&inner)?;
            let mut codes = Vec::new();
            for (path, code) in inner.texts("country_codes") {
                let code = code.trim().to_ascii_uppercase();
                if countries::find_iso(&code).is_none() {
                    inner.refuse(&path, "it is no ISO 3166-1 alpha-3 code");
                }
                codes.push(code);
            }
            // An empty list says as much as none.
            filter.countries = (!codes.is_empty()).then_some((inclusion, codes));
        }
        if let Some(inner) = members.inner("type_restriction") {
            let inclusion = inclusion(&inner)?;
            let mut kinds = Vec::new();
            for (path, word) in inner.texts("document_types") {
                match type_of(word) {
                    Some(kind) => kinds.push(kind),
                    None => inner.refuse(
                        &path,
                        "it is one of PASSPORT, NATIONAL_ID, RESIDENCE_PERMIT, DRIVING_LICENCE",
                    ),
                }
            }
            filter.types = (!kinds.is_empty()).then_some((inclusion, kinds));
        }
        if filter.allowed().next().is_none() {
            members.refuse("", "it leaves no document that is supported");
        }
        Some(filter)
    }

    /// Whether a country and a type are among those that are taken.
    pub fn takes(&self, country: &str, document: &Document) -> bool {
        let listed = |inclusion: Inclusion, found: bool| match inclusion {
            Inclusion::Include => found,
            Inclusion::Exclude => !found,
        };
        let country = self
            .countries
            .as_ref()
            .is_none_or(|(inclusion, codes)| listed(*inclusion, codes.iter().any(|code| code == country)));
        let kind = self
            .types
            .as_ref()
            .is_none_or(|(inclusion, kinds)| listed(*inclusion, kinds.contains(&document.kind)));
        country && kind && (document.is_strictly_latin || self.allow_non_latin)
    }

    /// Every country of which documents are taken, with those.
    pub fn allowed(&self) -> impl Iterator<Item = (&'static str, Vec<&'static Document>)> {
        catalogue::all().iter().filter_map(|country| {
            let documents: Vec<_> =
                country.documents.iter().filter(|document| self.takes(&country.code, document)).collect();
            (!documents.is_empty()).then_some((country.code.as_str(), documents))
        })
    }

    /// Whether a document of that country and type is taken.
    pub fn admits(&self, country: &str, kind: DocumentType) -> bool {
        catalogue::find_document(country, kind).is_some_and(|document| self.takes(country, document))
    }
}

/// `INCLUDE` or `EXCLUDE`, or one of the words that these had before.
fn inclusion(members: &Members<'_>) -> Option<Inclusion> {
    let Some(word) = members.text("inclusion") else {
        if !members.has("inclusion") {
            members.refuse("inclusion", "it is required");
        }
        return None;
    };
    match word.trim().to_ascii_uppercase().as_str() {
        "INCLUDE" | "WHITELIST" => Some(Inclusion::Include),
        "EXCLUDE" | "BLACKLIST" => Some(Inclusion::Exclude),
        _ => {
            members.refuse("inclusion", "it is INCLUDE or EXCLUDE");
            None
        }
    }
}
