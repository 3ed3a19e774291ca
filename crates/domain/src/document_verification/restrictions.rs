//! Which documents a session takes.

use super::types::{IdDocumentType, Inclusion};
use documents::{
    catalogue::{self, CatalogueDocument, DocumentType},
    countries,
};
use serde::{Deserialize, Serialize};

/// Restrictions that hold side by side. The default takes every document that is strictly Latin and in date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentRestrictions {
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
pub fn document_type_name(kind: DocumentType) -> &'static str {
    IdDocumentType::from(kind).as_str()
}

/// A type by its word, in any case.
pub fn parse_document_type(word: &str) -> Option<DocumentType> {
    let word: IdDocumentType = word.trim().to_ascii_uppercase().parse().ok()?;
    Some(word.into())
}

/// Whether a code is a country's, ISO 3166-1 alpha-3 in capital letters.
pub fn is_country_code(code: &str) -> bool {
    countries::find_iso(code).is_some()
}

impl DocumentRestrictions {
    /// Whether it leaves no document that is supported.
    pub fn is_unsatisfiable(&self) -> bool {
        self.allowed_documents().next().is_none()
    }

    /// Whether a country and a type are among those that are taken.
    pub fn allows_document(&self, country: &str, document: &CatalogueDocument) -> bool {
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
    pub fn allowed_documents(&self) -> impl Iterator<Item = (&'static str, Vec<&'static CatalogueDocument>)> {
        catalogue::all().iter().filter_map(|country| {
            let documents: Vec<_> = country
                .documents
                .iter()
                .filter(|document| self.allows_document(&country.code, document))
                .collect();
            (!documents.is_empty()).then_some((country.code.as_str(), documents))
        })
    }

    /// Whether a document of that country and type is taken.
    pub fn allows_type(&self, country: &str, kind: DocumentType) -> bool {
        catalogue::find_document(country, kind)
            .is_some_and(|document| self.allows_document(country, document))
    }
}
