//! Converts what the MRZ, the barcode and the printed text say into common fields.

use crate::{
    authenticity::{ReadingAgreement, compare_sources},
    barcode::aamva::{AamvaSex as LicenceSex, Licence, issuers},
    catalogue::DocumentType,
    countries,
    field::{ExtractedField, FieldName, FieldSource},
    mrz::{self, MrzFormat, Sex, YearWindow, reader::MrzReading},
    text::{
        TextLine,
        cross_check::{self, CrossCheckResult, MrzCrossCheck},
        dates::DateReading,
        fields::{self as printed, FieldContext, PrintedField, PrintedValue},
        label_dictionary::{self, PrintedFieldKind},
    },
};
use jiff::civil::Date;
use std::collections::BTreeSet;

/// A barcode that decodes has corrected its own errors; the rest is the risk that it was printed wrongly.
const BARCODE_CONFIDENCE: f32 = 0.99;

/// A shorter number of a document may be printed anywhere.
const MIN_NUMBER_CHARS: usize = 5;

/// The type of document according to the MRZ or the barcode. Visas have no type.
pub(super) fn detect_document_type(
    zone: Option<&MrzReading>,
    licence: Option<&Licence>,
) -> Option<DocumentType> {
    let Some(zone) = zone else {
        return licence.map(|licence| {
            if licence.may_drive { DocumentType::DrivingLicence } else { DocumentType::NationalId }
        });
    };
    let code = zone.mrz.mrz.document_code.as_bytes();
    match (zone.format, code) {
        (MrzFormat::MrvA | MrzFormat::MrvB, _) => None,
        (_, [b'P', ..]) => Some(DocumentType::Passport),
        // `IR` and `AR` are printed on permits of the European format (Regulation (EU) 2017/1954), `CR` on older ones.
        (_, [_, b'R', ..]) => Some(DocumentType::ResidencePermit),
        _ => Some(DocumentType::NationalId),
    }
}

/// The ISO 3166-1 alpha-3 code of the state behind a code, where there is one, else the code itself.
fn state_code(code: &str) -> String {
    countries::issuing_state(code).map_or_else(|| code.to_owned(), |state| state.code.to_owned())
}

pub(super) fn detect_issuer(
    zone: Option<&MrzReading>,
    licence: Option<&Licence>,
    claimed: Option<&str>,
) -> Option<String> {
    let zone = zone.map(|zone| zone.mrz.mrz.issuer.as_str()).filter(|code| !code.is_empty());
    let licence = licence.and_then(|licence| licence.country);
    zone.or(licence).or(claimed).map(state_code)
}

/// The fields of an MRZ.
pub(super) fn of_zone(zone: &MrzReading, today: Date) -> Vec<ExtractedField> {
    let mrz = &zone.mrz.mrz;
    let mut out = Vec::new();
    let mut add = |name, value: String, field: mrz::MrzField| {
        if !value.is_empty() {
            out.push(ExtractedField {
                name,
                value,
                source: FieldSource::Mrz,
                confidence: zone.confidence_of(field),
            });
        }
    };
    let full = format!("{} {}", mrz.given_names, mrz.surname);
    add(FieldName::FullName, full.trim().to_owned(), mrz::MrzField::Names);
    add(FieldName::GivenNames, mrz.given_names.clone(), mrz::MrzField::Names);
    add(FieldName::FamilyName, mrz.surname.clone(), mrz::MrzField::Names);
    let day = |date: Option<Date>| date.map_or_else(String::new, |date| date.to_string());
    add(FieldName::DateOfBirth, day(mrz.birth.resolve(YearWindow::Past, today)), mrz::MrzField::Birth);
    let expiry = mrz.expiry.and_then(|date| date.resolve(YearWindow::Expiry, today));
    add(FieldName::ExpirationDate, day(expiry), mrz::MrzField::Expiry);
    let nationality = countries::nationality(&mrz.nationality);
    add(FieldName::Nationality, nationality.to_owned(), mrz::MrzField::Nationality);
    add(FieldName::IssuingCountry, state_code(&mrz.issuer), mrz::MrzField::Issuer);
    add(FieldName::DocumentNumber, mrz.document_number.clone(), mrz::MrzField::DocumentNumber);
    add(FieldName::Gender, gender_text(mrz.sex).to_owned(), mrz::MrzField::Sex);
    out
}

/// The fields of a licence's barcode.
pub(super) fn of_licence(licence: &Licence) -> Vec<ExtractedField> {
    let mut out = Vec::new();
    let mut add = |name, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push(ExtractedField {
                name,
                value,
                source: FieldSource::Barcode,
                confidence: BARCODE_CONFIDENCE,
            });
        }
    };
    let given = licence.given_names();
    let full = [given.as_deref(), licence.family_name.as_deref(), licence.suffix.as_deref()];
    let full: Vec<&str> = full.into_iter().flatten().collect();
    add(FieldName::FullName, Some(full.join(" ")));
    add(FieldName::GivenNames, given);
    add(FieldName::FamilyName, licence.family_name.clone());
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    add(FieldName::DateOfBirth, day(licence.born));
    add(FieldName::DateOfIssue, day(licence.issued));
    add(FieldName::ExpirationDate, day(licence.expires));
    add(FieldName::DocumentNumber, licence.number.clone());
    add(FieldName::IssuingCountry, licence.country.map(str::to_owned));
    let sex = licence.sex.map(|sex| match sex {
        LicenceSex::Male => "MALE",
        LicenceSex::Female => "FEMALE",
        LicenceSex::Unspecified => "UNSPECIFIED",
    });
    add(FieldName::Gender, sex.map(str::to_owned));
    let issuer = licence.country.zip(licence.jurisdiction.as_deref());
    let issuer = issuer.and_then(|(country, code)| issuers::find_code(country, code));
    add(FieldName::IssuingAuthority, issuer.map(|issuer| issuer.name.to_owned()));
    let region = [licence.jurisdiction.as_deref(), licence.postal_code.as_deref()];
    let region: Vec<&str> = region.into_iter().flatten().collect();
    let region = (!region.is_empty()).then(|| region.join(" "));
    let address = [licence.street.clone(), licence.city.clone(), region];
    let address: Vec<String> = address.into_iter().flatten().collect();
    add(FieldName::Address, (licence.street.is_some()).then(|| address.join("\n")));
    out
}

/// What is printed on the sides.
pub(super) struct PrintReading {
    pub(super) fields: Vec<ExtractedField>,
    /// How each value of the MRZ compares with the print.
    pub(super) confirmed: Vec<MrzCrossCheck>,
    /// The fields that were found by their numbers.
    pub(super) numbered: Vec<FieldName>,
    /// Each side by itself.
    pub(super) sides: Vec<SidePrint>,
}

/// What the print of a side says about whose side it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SidePrint {
    /// Whether a value of the MRZ or the barcode is printed there that distinguishes people or documents.
    pub(super) agrees: bool,
    /// How many fields were found.
    pub(super) fields: usize,
}

/// The fields that are printed on the sides, and how the MRZ and the barcode compare with them.
pub(super) fn of_print(
    sides: &[&[TextLine]],
    zone: Option<&MrzReading>,
    licence: Option<&Licence>,
    issuer: Option<&str>,
    today: Date,
) -> PrintReading {
    let barcode = licence.map(of_licence).unwrap_or_default();
    let context = FieldContext { country: issuer, today, zone: zone.map(|zone| &zone.mrz.mrz) };
    let (mut fields, mut confirmed): (Vec<ExtractedField>, Vec<MrzCrossCheck>) = (Vec::new(), Vec::new());
    let (mut numbered, mut prints) = (BTreeSet::new(), Vec::new());
    for lines in sides {
        let found = printed::read(lines, &context);
        let by_number = found.0.iter().filter(|field| field.source == printed::PrintedFieldSource::Number);
        numbered.extend(by_number.filter_map(to_extracted_field).map(|field| field.name));
        let of_side: Vec<ExtractedField> = found.0.iter().filter_map(to_extracted_field).collect();
        let mut agrees = prints_value_of_barcode(&barcode, &of_side, lines);
        for field in of_side {
            insert_better(&mut fields, field, |field| field.name, |new, old| new.confidence > old.confidence);
        }
        for one in
            context.zone.iter().flat_map(|zone| cross_check::compare_with_mrz(zone, lines, &found, &context))
        {
            let is_printed =
                matches!(one.agreement, CrossCheckResult::Same | CrossCheckResult::Nearly { .. });
            agrees |= is_printed && is_distinctive(one.field);
            insert_better(
                &mut confirmed,
                one,
                |one| one.field,
                |new, old| agreement_rank(new.agreement) > agreement_rank(old.agreement),
            );
        }
        prints.push(SidePrint { agrees, fields: found.0.len() });
    }
    let text = |name| fields.iter().find(|field| field.name == name);
    if text(FieldName::FullName).is_none()
        && let (Some(given), Some(family)) = (text(FieldName::GivenNames), text(FieldName::FamilyName))
    {
        let value = format!("{} {}", given.value, family.value);
        let confidence = given.confidence.min(family.confidence);
        fields.push(ExtractedField {
            name: FieldName::FullName,
            value,
            source: FieldSource::Text,
            confidence,
        });
    }
    PrintReading { fields, confirmed, numbered: numbered.into_iter().collect(), sides: prints }
}

/// Whether few people have the same value of a field.
fn is_distinctive(field: PrintedFieldKind) -> bool {
    !matches!(field, PrintedFieldKind::Nationality | PrintedFieldKind::Sex)
}

/// Whether a value of the barcode that few people have is printed on a side: as a field, or, of the number, anywhere.
fn prints_value_of_barcode(
    barcode: &[ExtractedField],
    of_side: &[ExtractedField],
    lines: &[TextLine],
) -> bool {
    let is_common = |name: FieldName| {
        matches!(name, FieldName::Gender | FieldName::IssuingCountry | FieldName::IssuingAuthority)
    };
    let compared = compare_sources(&[barcode, of_side].concat());
    let as_field = compared
        .into_iter()
        .any(|(name, _, agreement, _)| !is_common(name) && agreement != ReadingAgreement::Different);
    let bare = |text: &str| {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_uppercase()
    };
    let number = barcode.iter().find(|field| field.name == FieldName::DocumentNumber);
    let number = number.map(|field| bare(&field.value)).filter(|number| number.len() >= MIN_NUMBER_CHARS);
    as_field || number.is_some_and(|number| lines.iter().any(|line| bare(&line.text).contains(&number)))
}

/// Adds a value, or replaces one with the same key where the new one is better.
fn insert_better<T, K: PartialEq>(
    all: &mut Vec<T>,
    new: T,
    key: impl Fn(&T) -> K,
    better: impl Fn(&T, &T) -> bool,
) {
    match all.iter_mut().find(|old| key(old) == key(&new)) {
        Some(old) if better(&new, old) => *old = new,
        Some(_) => {}
        None => all.push(new),
    }
}

/// The rank of a result across sides. A side may lack what another has, so a contradiction counts only where no side
/// agrees.
fn agreement_rank(agreement: CrossCheckResult) -> u8 {
    match agreement {
        CrossCheckResult::Missing => 0,
        CrossCheckResult::Contradicted => 1,
        CrossCheckResult::Nearly { .. } => 2,
        CrossCheckResult::Same => 3,
    }
}

/// Converts a printed field; `None` for an ambiguous date or an unknown nationality.
fn to_extracted_field(found: &PrintedField) -> Option<ExtractedField> {
    let name = match found.field {
        label_dictionary::PrintedFieldKind::Surname => FieldName::FamilyName,
        label_dictionary::PrintedFieldKind::GivenNames => FieldName::GivenNames,
        label_dictionary::PrintedFieldKind::FullName => FieldName::FullName,
        label_dictionary::PrintedFieldKind::BirthDate => FieldName::DateOfBirth,
        label_dictionary::PrintedFieldKind::ExpiryDate => FieldName::ExpirationDate,
        label_dictionary::PrintedFieldKind::IssueDate => FieldName::DateOfIssue,
        label_dictionary::PrintedFieldKind::DocumentNumber => FieldName::DocumentNumber,
        label_dictionary::PrintedFieldKind::Nationality => FieldName::Nationality,
        label_dictionary::PrintedFieldKind::BirthPlace => FieldName::PlaceOfBirth,
        label_dictionary::PrintedFieldKind::Sex => FieldName::Gender,
        label_dictionary::PrintedFieldKind::Authority => FieldName::IssuingAuthority,
        label_dictionary::PrintedFieldKind::Address => FieldName::Address,
    };
    let value = match &found.value {
        PrintedValue::Date(DateReading::Certain(date)) => date.to_string(),
        PrintedValue::Date(DateReading::Ambiguous { .. }) => return None,
        PrintedValue::Sex(sex) => gender_text(*sex).to_owned(),
        PrintedValue::Text(text) if name == FieldName::Nationality => nationality_named(text)?,
        PrintedValue::Text(text) => text.clone(),
    };
    Some(ExtractedField { name, value, source: FieldSource::Text, confidence: found.confidence })
}

/// Finds the three letters of a nationality by its code or English name.
fn nationality_named(text: &str) -> Option<String> {
    let text = text.trim();
    let named = |country: &&countries::Country| {
        country.code.eq_ignore_ascii_case(text) || country.name.eq_ignore_ascii_case(text)
    };
    countries::all().find(named).map(|country| countries::nationality(country.code).to_owned())
}

fn gender_text(sex: Sex) -> &'static str {
    match sex {
        Sex::Male => "MALE",
        Sex::Female => "FEMALE",
        Sex::Unspecified => "UNSPECIFIED",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        barcode::aamva::{AamvaSubfile, AamvaText},
        catalogue::{self, DocumentBarcode},
    };
    use jiff::civil::date;

    #[test]
    fn an_identity_card_with_a_barcode_is_no_driving_licence() {
        let kind = |subfiles: &[[u8; 2]]| {
            let subfiles = subfiles.iter().map(|kind| AamvaSubfile { kind: *kind, elements: Vec::new() });
            let text = AamvaText {
                issuer: 636_000,
                version: 10,
                jurisdiction_version: Some(0),
                subfiles: subfiles.collect(),
            };
            detect_document_type(None, Some(&Licence::of(&text)))
        };
        assert_eq!(kind(&[*b"DL"]), Some(DocumentType::DrivingLicence));
        assert_eq!(kind(&[*b"ID", *b"ZV"]), Some(DocumentType::NationalId));
        assert_eq!(kind(&[*b"ID", *b"DL"]), Some(DocumentType::DrivingLicence), "it is both");
        for country in ["USA", "CAN"] {
            let card = catalogue::find_document(country, DocumentType::NationalId).expect("it is listed");
            assert_eq!((card.zone, card.barcode), (None, Some(DocumentBarcode::Pdf417)), "{country}");
        }
    }

    /// A zone of these lines, of which nobody knows how well it was read.
    pub(in crate::reading) fn zone_of<S: AsRef<str>>(lines: &[S]) -> MrzReading {
        let mrz = mrz::parse(lines).expect("a zone");
        MrzReading {
            format: mrz.mrz.format,
            lines: mrz.lines.clone(),
            certainty: Vec::new(),
            agreement: 1.0,
            confidence: Vec::new(),
            corners: [(0.0, 0.0); 4],
            rotation: 0.0,
            mrz,
        }
    }

    /// The zone of a passport of this issuer and nationality, three characters each.
    fn passport_zone(issuer: &str, nationality: &str) -> MrzReading {
        zone_of(&[
            format!("P<{issuer}ERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"),
            format!("L898902C36{nationality}7408122F1204159ZE184226B<<<<<10"),
        ])
    }

    #[test]
    fn a_british_nationality_stays_what_it_is_and_its_issuer_is_the_united_kingdom() {
        for (issuer, nationality, expected) in [
            ("GBR", "GBN", ("GBR", "GBN")),
            ("GBD", "GBD", ("GBR", "GBD")),
            ("GBR", "GBR", ("GBR", "GBR")),
            ("D<<", "D<<", ("DEU", "DEU")),
            ("UTO", "XXA", ("UTO", "XXA")),
        ] {
            let fields = of_zone(&passport_zone(issuer, nationality), date(2011, 1, 1));
            let value =
                |name| fields.iter().find(|field| field.name == name).map(|field| field.value.as_str());
            let read = (value(FieldName::IssuingCountry), value(FieldName::Nationality));
            assert_eq!(read, (Some(expected.0), Some(expected.1)), "{issuer} {nationality}");
        }
        for (printed, expected) in
            [("GBN", "GBN"), ("D", "DEU"), ("Germany", "DEU"), ("United Kingdom", "GBR")]
        {
            assert_eq!(nationality_named(printed).as_deref(), Some(expected), "{printed}");
        }
    }
}
