//! Which documents a session accepts.

use super::types::{IdDocumentType, Inclusion};
use documents::{
    catalogue::{self, CatalogueDocument, DocumentType},
    countries,
};
use serde::{Deserialize, Serialize};

/// Restrictions that all apply at once. The default accepts every document that is printed in Latin letters only and
/// has not expired. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentRestrictions {
    /// Whether documents are accepted that are not printed in Latin letters only.
    pub allow_non_latin: bool,
    /// Whether documents are accepted that have expired.
    pub allow_expired: bool,
    /// The issuing countries that are accepted, or those that are not; ISO 3166-1 alpha-3.
    pub countries: Option<(Inclusion, Vec<String>)>,
    /// The types that are accepted, or those that are not.
    pub types: Option<(Inclusion, Vec<DocumentType>)>,
}

/// A type as the interface spells it.
pub fn document_type_name(kind: DocumentType) -> &'static str {
    IdDocumentType::from(kind).as_str()
}

/// Parses a type, in upper or lower case.
pub fn parse_document_type(word: &str) -> Option<DocumentType> {
    let word: IdDocumentType = word.trim().to_ascii_uppercase().parse().ok()?;
    Some(word.into())
}

/// Whether a code is in ISO 3166-1 alpha-3, in capital letters.
pub fn is_country_code(code: &str) -> bool {
    countries::find_iso(code).is_some()
}

impl DocumentRestrictions {
    /// Whether no supported document satisfies them.
    pub fn is_unsatisfiable(&self) -> bool {
        self.allowed_documents().next().is_none()
    }

    /// Whether a document of the catalogue is accepted from a country. Expiry is not known here and not considered.
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

    /// Every country with accepted documents, and these documents.
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

    /// Whether the catalogue has a document of that country and type, and it is accepted.
    pub fn allows_type(&self, country: &str, kind: DocumentType) -> bool {
        catalogue::find_document(country, kind)
            .is_some_and(|document| self.allows_document(country, document))
    }
}
