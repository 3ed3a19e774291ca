//! The supported documents by country, from `catalogue.toml`, which is compiled in.

use jiff::civil::Date;
use serde::Deserialize;
use std::sync::LazyLock;

/// The type of a document, under the name that the interface uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DocumentType {
    Passport,
    /// An identity card that a state, or a driving licence authority of North America, issues to citizens or residents.
    NationalId,
    /// A card that permits a foreigner to stay.
    ResidencePermit,
    DrivingLicence,
}

/// The MRZ format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum IcaoMrzType {
    /// Three lines of 30 characters (ICAO 9303-5).
    #[serde(rename = "TD1")]
    Td1,
    /// Two lines of 36 characters (ICAO 9303-6).
    #[serde(rename = "TD2")]
    Td2,
    /// Two lines of 44 characters (ICAO 9303-4).
    #[serde(rename = "TD3")]
    Td3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum DocumentBarcode {
    /// PDF417 with an AAMVA text.
    #[serde(rename = "PDF417")]
    Pdf417,
}

/// The supported documents of a country.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueCountry {
    /// ISO 3166-1 alpha-3.
    pub code: String,
    /// At least one; each type occurs once.
    pub documents: Vec<CatalogueDocument>,
}

/// A supported document.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueDocument {
    #[serde(rename = "type")]
    pub kind: DocumentType,
    /// Whether the text that people read is in Latin letters only.
    pub is_strictly_latin: bool,
    /// The earliest date of issue that is accepted.
    pub date_from: Date,
    #[serde(rename = "format")]
    pub zone: Option<IcaoMrzType>,
    /// The issuer in the zone, where it has another code than the country.
    pub zone_issuer: Option<String>,
    pub barcode: Option<DocumentBarcode>,
    /// Whether the print is read by the numbers of its fields, because nothing else of it can be read.
    #[serde(default)]
    pub numbered_fields: bool,
}

impl CatalogueDocument {
    /// Whether it has a zone or a barcode, whose check digits and checksums a forger has to get right.
    pub fn is_machine_readable(&self) -> bool {
        self.zone.is_some() || self.barcode.is_some()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    country: Vec<CatalogueCountry>,
}

/// All countries, sorted by code.
pub fn all() -> &'static [CatalogueCountry] {
    static COUNTRIES: LazyLock<Vec<CatalogueCountry>> = LazyLock::new(|| {
        let file: CatalogueFile = toml::from_str(include_str!("catalogue.toml"))
            .expect("the file compiled in is in form: a test reads it");
        file.country
    });
    &COUNTRIES
}

/// Finds a country by its ISO 3166-1 alpha-3 code.
pub fn find(code: &str) -> Option<&'static CatalogueCountry> {
    all().iter().find(|country| country.code == code)
}

/// Finds a document by the ISO 3166-1 alpha-3 code of its country and its type.
pub fn find_document(code: &str, kind: DocumentType) -> Option<&'static CatalogueDocument> {
    find(code)?.documents.iter().find(|document| document.kind == kind)
}

/// The countries whose documents of a type have this code as the issuer in their zones, which do not tell them apart.
pub fn countries_with_zone_issuer(
    issuer: &str,
    kind: DocumentType,
) -> impl Iterator<Item = &'static str> + use<'_> {
    all().iter().filter_map(move |country| {
        let mut of_kind = country.documents.iter().filter(|document| document.kind == kind);
        let has_zone = |document: &CatalogueDocument| {
            document.zone.is_some() && document.zone_issuer.as_ref().unwrap_or(&country.code) == issuer
        };
        of_kind.any(has_zone).then_some(country.code.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{barcode::aamva::issuers, countries};
    use jiff::civil::date;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_possible() {
        assert!(all().is_sorted_by(|a, b| a.code < b.code), "by code, and none twice");
        for country in all() {
            assert!(countries::find_iso(&country.code).is_some(), "{} is an ISO code", country.code);
            let kinds: HashSet<_> = country.documents.iter().map(|document| document.kind).collect();
            assert_eq!(kinds.len(), country.documents.len(), "{}: each type once", country.code);
            assert!(!kinds.is_empty());
            for document in &country.documents {
                let says = format!("{} {:?}", country.code, document.kind);
                let plausible = date(2000, 1, 1)..date(2026, 1, 1);
                assert!(plausible.contains(&document.date_from), "{says}");
                assert_ne!(
                    document.is_machine_readable(),
                    document.numbered_fields,
                    "{says}: how is it read?"
                );
                if let Some(issuer) = &document.zone_issuer {
                    assert!(document.zone.is_some() && *issuer != country.code, "{says}");
                    assert!(countries::find_iso(issuer).is_some(), "{says}: {issuer} is an ISO code");
                }
                match document.kind {
                    DocumentType::Passport => assert_eq!(document.zone, Some(IcaoMrzType::Td3), "{says}"),
                    DocumentType::DrivingLicence if document.numbered_fields => {}
                    DocumentType::DrivingLicence => {
                        let issues = issuers::all().iter().any(|issuer| issuer.country == country.code);
                        assert!(issues, "{says}: AAMVA knows an issuer");
                    }
                    DocumentType::NationalId | DocumentType::ResidencePermit => {
                        assert_ne!(document.zone, Some(IcaoMrzType::Td3), "{says}");
                    }
                }
            }
        }
        assert!(all().len() > 190);
    }

    #[test]
    fn countries_with_one_code_in_their_zones_are_found() {
        let of = |issuer, kind| countries_with_zone_issuer(issuer, kind).collect::<Vec<_>>();
        assert_eq!(of("CHN", DocumentType::Passport), ["CHN", "HKG", "MAC"]);
        assert_eq!(of("SWE", DocumentType::Passport), ["SWE"]);
        assert!(of("HKG", DocumentType::Passport).is_empty());
        assert!(of("USA", DocumentType::DrivingLicence).is_empty(), "they have no zone");
    }

    #[test]
    fn scripts_are_told_apart() {
        let latin =
            |code| find_document(code, DocumentType::Passport).map(|document| document.is_strictly_latin);
        assert_eq!(latin("SWE"), Some(true));
        assert_eq!(latin("GRC"), Some(false));
        assert_eq!(latin("GUM"), None, "issues no passports of its own");
    }
}
