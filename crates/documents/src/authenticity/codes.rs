//! Codes of countries and documents, document numbers, and the check digits of the MRZ.

use super::{
    AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence, document_numbers, words,
};
use crate::{
    barcode::aamva,
    catalogue::{self, DocumentType},
    countries,
    limit::Limit,
    mrz::{self, MrzFormat, MrzProblem, reader::MrzReading},
};

/// Where every character was read with at least this confidence, a wrong check digit is the fault of the document and
/// not of the reader.
const SURE_CHARACTER_CONFIDENCE: f32 = 0.9;

/// Counts wrong check digits. Where a character was hard to read, the verdict is only a doubt, because another photo
/// may give the right one.
pub(super) fn check_digits(zone: &MrzReading) -> AuthenticityMeasure {
    let wrong: Vec<_> =
        zone.mrz.checks.iter().filter(|check| check.verdict == mrz::CheckDigitVerdict::Wrong).collect();
    // The confidence of a field is lowered where its check digit is wrong, so the characters' own confidence counts
    // here.
    let read = zone.certainty.iter().flatten().copied().fold(1.0_f32, f32::min);
    let right = zone.mrz.checks.iter().filter(|check| check.verdict == mrz::CheckDigitVerdict::Right).count();
    let reason = if wrong.is_empty() {
        format!("{right} check digits are right")
    } else {
        let fields: Vec<_> = wrong.iter().map(|check| words(&check.field)).collect();
        let why = if read >= SURE_CHARACTER_CONFIDENCE { "" } else { "; some characters were hard to read" };
        format!("wrong for {}{why}", fields.join(", "))
    };
    let beyond = if read >= SURE_CHARACTER_CONFIDENCE {
        AuthenticityVerdict::Fail
    } else {
        AuthenticityVerdict::Doubt
    };
    AuthenticityMeasure::new(
        AuthenticityCheck::MrzCheckDigits,
        wrong.len() as f32,
        Limit::AtMost(0.0, "wrong check digits"),
        beyond,
        reason,
    )
}

/// Counts codes, dates and characters that must not occur in an MRZ.
pub(super) fn mrz_format(zone: &MrzReading) -> AuthenticityMeasure {
    let wrong: Vec<_> = zone
        .mrz
        .problems
        .iter()
        .map(|problem| match problem {
            MrzProblem::UnknownCode { field } => format!("the code of its {} does not exist", words(field)),
            MrzProblem::NoDate { field } => format!("its {} is not a date", words(field)),
            MrzProblem::Misplaced { line, at } => {
                format!("line {line} has a character at {at} that is not allowed there")
            }
        })
        .collect();
    let right = format!("a zone of the form {:?}", zone.format);
    AuthenticityMeasure::none_expected(
        AuthenticityCheck::MrzFormat,
        "deviations from the format",
        &wrong,
        AuthenticityVerdict::Doubt,
        &right,
    )
}

/// Checks the issuer, the type and the document number.
pub(super) fn measure(evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
    let mut measures = Vec::new();
    if let Some(issuer) = evidence.issuer {
        measures.push(country(issuer));
        measures.extend(consistency(evidence, issuer));
        measures.extend(number(evidence, issuer));
    }
    measures
}

fn country(issuer: &str) -> AuthenticityMeasure {
    let (value, reason) = match (countries::issuing_state(issuer), countries::find(issuer)) {
        (Some(state), _) => (1.0, format!("{} is {}", issuer, state.name)),
        // ICAO reserves `UTO` (Utopia) for specimens.
        (None, Some(_)) if issuer == "UTO" => {
            (0.0, "UTO is not a state: it is printed on specimens".to_owned())
        }
        (None, Some(other)) => (1.0, format!("{} is {}", issuer, other.name)),
        (None, None) => (0.0, "no issuer has this code".to_owned()),
    };
    let limit = Limit::AtLeast(1.0, "known issuer");
    AuthenticityMeasure::new(
        AuthenticityCheck::IssuingCountryKnown,
        value,
        limit,
        AuthenticityVerdict::Fail,
        reason,
    )
}

/// Whether the issuer has documents of this type, the MRZ has their format, and the barcode names the same issuer.
fn consistency(evidence: &DocumentEvidence<'_>, issuer: &str) -> Option<AuthenticityMeasure> {
    let kind = evidence.kind?;
    let mut wrong = Vec::new();
    if let Some(zone) = evidence.zone {
        let code = zone.mrz.mrz.document_code.as_str();
        let passport = code.starts_with('P');
        if passport != (kind == DocumentType::Passport) {
            wrong.push(format!("its zone calls it {code:.2}"));
        }
        if kind == DocumentType::Passport && zone.format != MrzFormat::Td3 {
            wrong.push("a passport has two lines of 44 characters".to_owned());
        }
        if kind != DocumentType::Passport && zone.format == MrzFormat::Td3 {
            wrong.push("two lines of 44 characters are a passport's".to_owned());
        }
        if zone.format.is_visa() {
            wrong.push("it is a visa".to_owned());
        }
    }
    let named = evidence.licence.and_then(|licence| licence.country);
    if named.is_some_and(|named| named != issuer) {
        wrong.push("its barcode names another country".to_owned());
    }
    if let Some(licence) = evidence.licence
        && let (Some(country), Some(code)) = (licence.country, &licence.jurisdiction)
        && aamva::issuers::find_code(country, code).is_none()
    {
        wrong.push("its barcode names a state that the country does not have".to_owned());
    }
    let state = countries::issuing_state(issuer).map_or(issuer, |state| state.code);
    let listed = catalogue::find_document(state, kind);
    if catalogue::find(state).is_some() && listed.is_none() {
        wrong.push("the catalogue has no such document of this country".to_owned());
    }
    let right = "country, type and form go together";
    Some(AuthenticityMeasure::none_expected(
        AuthenticityCheck::CountryTypeConsistent,
        "contradictions",
        &wrong,
        AuthenticityVerdict::Doubt,
        right,
    ))
}

fn number(evidence: &DocumentEvidence<'_>, issuer: &str) -> Option<AuthenticityMeasure> {
    use crate::field::FieldName;
    // The smallest source is the most reliable one: the MRZ, then the barcode.
    let number = evidence.fields.iter().filter(|field| field.name == FieldName::DocumentNumber);
    let number = number.min_by_key(|field| field.source)?;
    let state = countries::issuing_state(issuer).map_or(issuer, |state| state.code);
    let jurisdiction = evidence.licence.and_then(|licence| licence.jurisdiction.as_deref());
    let fits = document_numbers::matches_issuer_format(state, jurisdiction, evidence.kind?, &number.value)?;
    let reason = if fits { "it has the form of its issuer's" } else { "its issuer's have another form" };
    Some(AuthenticityMeasure::new(
        AuthenticityCheck::DocNumberValidation,
        f32::from(u8::from(fits)),
        Limit::AtLeast(1.0, "known form"),
        AuthenticityVerdict::Doubt,
        reason,
    ))
}
