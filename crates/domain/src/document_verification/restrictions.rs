//! Which documents a session accepts.

use super::{
    findings::ClaimedDocument,
    types::{IdDocumentType, Inclusion, SupplementaryObjective},
};
use documents::{
    catalogue::{self, CatalogueDocument, DocumentType},
    countries,
};
use serde::{Deserialize, Serialize};

/// The longest type of a supplementary document, in bytes.
pub const MAX_DOCUMENT_TYPE_BYTES: usize = 64;

/// Restrictions that all apply at once. The default accepts every document that can be read in Latin letters, from its print
/// or from its zone, and has not expired. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each restricts by itself")]
pub struct DocumentRestrictions {
    /// Whether documents are accepted that cannot be read in Latin letters: neither is their print in Latin letters only, nor
    /// have they a zone.
    pub allow_non_latin: bool,
    /// Whether only documents are accepted that are printed in Latin letters only, whatever zone they have.
    pub latin_print_only: bool,
    /// Whether only documents with a zone or a barcode are accepted; of others no check of authenticity approves.
    pub machine_readable_only: bool,
    /// Whether documents are accepted that have expired.
    pub allow_expired: bool,
    /// The issuing countries that are accepted, or those that are not; ISO 3166-1 alpha-3.
    pub countries: Option<(Inclusion, Vec<String>)>,
    /// The types that are accepted, or those that are not, in capital letters. Of types that this server does not know
    /// there is no document.
    pub types: Option<(Inclusion, Vec<String>)>,
    /// The combinations of countries and types that are accepted, or those that are not.
    pub documents: Option<(Inclusion, Vec<DocumentSelection>)>,
}

/// Documents of certain countries and certain types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentSelection {
    /// ISO 3166-1 alpha-3; empty for all countries.
    pub countries: Vec<String>,
    /// In capital letters; empty for all types.
    pub types: Vec<String>,
}

/// What a supplementary document has to be. The default takes every one. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SupplementaryRestrictions {
    /// What the document is to prove.
    pub objective: Option<SupplementaryObjective>,
    /// The types that are accepted, in capital letters; empty for all.
    pub types: Vec<String>,
    /// The issuing countries that are accepted, ISO 3166-1 alpha-3; empty for all.
    pub countries: Vec<String>,
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

/// Whether a word can be the type of a supplementary document: at most 64 letters, digits and underscores.
pub fn is_document_type_word(word: &str) -> bool {
    word.len() <= MAX_DOCUMENT_TYPE_BYTES && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a code is in ISO 3166-1 alpha-3, in capital letters.
pub fn is_country_code(code: &str) -> bool {
    countries::find_iso(code).is_some()
}

/// Whether a check with these restrictions is about a document. One without is about every document; and nobody knows that it is
/// not about a document of which nobody said what it is.
pub(super) fn applies_to_document(
    restrictions: Option<&DocumentRestrictions>,
    claim: Option<ClaimedDocument<'_>>,
) -> bool {
    restrictions
        .zip(claim)
        .is_none_or(|(restrictions, claim)| restrictions.allows_type(claim.country, claim.kind))
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
        let kind = document_type_name(document.kind);
        let has = |words: &[String], word: &str| words.iter().any(|listed| listed == word);
        let by_country =
            self.countries.as_ref().is_none_or(|(inclusion, codes)| listed(*inclusion, has(codes, country)));
        let by_type =
            self.types.as_ref().is_none_or(|(inclusion, kinds)| listed(*inclusion, has(kinds, kind)));
        let selected = |selection: &DocumentSelection| {
            (selection.countries.is_empty() || has(&selection.countries, country))
                && (selection.types.is_empty() || has(&selection.types, kind))
        };
        let by_combination = self
            .documents
            .as_ref()
            .is_none_or(|(inclusion, documents)| listed(*inclusion, documents.iter().any(selected)));
        // A machine-readable zone is always in Latin letters.
        let has_latin_zone = document.zone.is_some() && !self.latin_print_only;
        let by_script = document.is_strictly_latin || self.allow_non_latin || has_latin_zone;
        let by_code = document.is_machine_readable() || !self.machine_readable_only;
        by_country && by_type && by_combination && by_script && by_code
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

impl SupplementaryRestrictions {
    /// Whether a document of this type is accepted; without a type only if every type is.
    pub fn allows_type(&self, word: Option<&str>) -> bool {
        self.types.is_empty() || word.is_some_and(|word| self.types.iter().any(|known| known == word))
    }

    /// Whether a document of this country is accepted; without a country only if every country is.
    pub fn allows_country(&self, code: Option<&str>) -> bool {
        self.countries.is_empty() || code.is_some_and(|code| self.countries.iter().any(|known| known == code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_zone_says_in_latin_letters_is_accepted_unless_the_print_has_to_be_latin() {
        let countries = |restrictions: DocumentRestrictions| restrictions.allowed_documents().count();
        let usual = countries(DocumentRestrictions::default());
        let strict = DocumentRestrictions { latin_print_only: true, ..DocumentRestrictions::default() };
        assert!(!strict.allows_type("GRC", DocumentType::Passport));
        assert!(DocumentRestrictions::default().allows_type("GRC", DocumentType::Passport));
        assert_eq!(usual, catalogue::all().len(), "no country is left out");
        assert!(usual - countries(strict) > 50);
    }
}
