//! Compares a value that was read from two sources.

use super::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, words};
use crate::{
    field::{ExtractedField, FieldName, FieldSource},
    limit::Limit,
    mrz::transliterate::{spellings, transliterate},
    text::{
        cross_check::{self, MrzCrossCheck},
        edit_distance,
    },
};

/// How two readings of a value compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingAgreement {
    Same,
    /// The difference is explained by misreading: at most one character in eight, rounded up.
    Alike,
    Different,
}

/// With less confidence in either reading, a difference is only a doubt.
const MIN_CONTRADICTION_CONFIDENCE: f32 = 0.8;
/// One of this many characters may be misread.
const CHARS_PER_MISREADING: usize = 8;

/// Compares each value that two sources have: the field, the two sources, how they compare, and the lower of the two
/// confidences.
pub fn compare_sources(
    fields: &[ExtractedField],
) -> Vec<(FieldName, [FieldSource; 2], ReadingAgreement, f32)> {
    let mut out = Vec::new();
    for (at, one) in fields.iter().enumerate() {
        for other in &fields[at + 1..] {
            if one.name == other.name && one.source != other.source {
                let compared = compare(one.name, &one.value, &other.value);
                out.push((
                    one.name,
                    [one.source, other.source],
                    compared,
                    one.confidence.min(other.confidence),
                ));
            }
        }
    }
    out
}

/// The MRZ against the printed text, the barcode against the printed text, and the MRZ against the barcode.
pub(super) fn measure(fields: &[ExtractedField], confirmed: &[MrzCrossCheck]) -> Vec<AuthenticityMeasure> {
    let all = compare_sources(fields);
    let pairs = [
        (AuthenticityCheck::OcrBarcodeComparison, [FieldSource::Barcode, FieldSource::Text]),
        (AuthenticityCheck::SidesAgree, [FieldSource::Mrz, FieldSource::Barcode]),
    ];
    let with_zone: Vec<_> = confirmed
        .iter()
        .filter_map(|one| {
            let agreement = match one.agreement {
                cross_check::CrossCheckResult::Same => ReadingAgreement::Same,
                cross_check::CrossCheckResult::Nearly { .. } => ReadingAgreement::Alike,
                cross_check::CrossCheckResult::Contradicted => ReadingAgreement::Different,
                // The value may be printed in a script that is not read, or not at all.
                cross_check::CrossCheckResult::Missing => return None,
            };
            Some((words(&one.field), agreement, one.confidence))
        })
        .collect();
    let of_zone =
        (!with_zone.is_empty()).then(|| worst_measure(AuthenticityCheck::OcrMrzComparison, &with_zone));
    let others = pairs.into_iter().filter_map(|(check, pair)| {
        let of_pair = |sources: &[FieldSource; 2]| *sources == pair || *sources == [pair[1], pair[0]];
        let compared: Vec<_> = all
            .iter()
            .filter(|(_, sources, ..)| of_pair(sources))
            .map(|(name, _, agreement, confidence)| (words(name), *agreement, *confidence))
            .collect();
        (!compared.is_empty()).then(|| worst_measure(check, &compared))
    });
    of_zone.into_iter().chain(others).collect()
}

fn worst_measure(
    check: AuthenticityCheck,
    compared: &[(String, ReadingAgreement, f32)],
) -> AuthenticityMeasure {
    let different: Vec<_> =
        compared.iter().filter(|(_, agreement, _)| *agreement == ReadingAgreement::Different).collect();
    let sure = different.iter().any(|(.., confidence)| *confidence >= MIN_CONTRADICTION_CONFIDENCE);
    let reason = if different.is_empty() {
        let names: Vec<_> = compared.iter().map(|(name, ..)| name.as_str()).collect();
        format!("the same in both: {}", names.join(", "))
    } else {
        let names: Vec<_> = different.iter().map(|(name, ..)| name.as_str()).collect();
        format!("not the same in both: {}", names.join(", "))
    };
    let limit = Limit::AtMost(0.0, "values that differ");
    AuthenticityMeasure::new(
        check,
        different.len() as f32,
        limit,
        if sure { AuthenticityVerdict::Fail } else { AuthenticityVerdict::Doubt },
        reason,
    )
}

fn compare(name: FieldName, one: &str, other: &str) -> ReadingAgreement {
    match name {
        FieldName::FullName | FieldName::GivenNames | FieldName::FamilyName => compare_names(one, other),
        FieldName::DocumentNumber => compare_letters(&letters(one), &letters(other)),
        FieldName::PlaceOfBirth | FieldName::IssuingAuthority | FieldName::Address => {
            compare_letters(&letters(&transliterate(one)), &letters(&transliterate(other)))
        }
        FieldName::DateOfBirth
        | FieldName::ExpirationDate
        | FieldName::DateOfIssue
        | FieldName::Nationality
        | FieldName::IssuingCountry
        | FieldName::Gender => {
            if one == other {
                ReadingAgreement::Same
            } else {
                ReadingAgreement::Different
            }
        }
    }
}

/// Compares names in every spelling that ICAO 9303-3, 6 allows. A name that is truncated, or lacks a second given name,
/// is the same.
fn compare_names(one: &str, other: &str) -> ReadingAgreement {
    let forms = |name: &str| {
        let mut forms = spellings(name);
        forms.push(transliterate(name));
        forms.iter().map(|form| letters(form)).collect::<Vec<_>>()
    };
    let (ones, others) = (forms(one), forms(other));
    let mut best = ReadingAgreement::Different;
    for one in &ones {
        for other in &others {
            let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
            if short.len() >= 3 && long.starts_with(short.as_str()) {
                return ReadingAgreement::Same;
            }
            match compare_letters(one, other) {
                ReadingAgreement::Same => return ReadingAgreement::Same,
                ReadingAgreement::Alike => best = ReadingAgreement::Alike,
                ReadingAgreement::Different => {}
            }
        }
    }
    best
}

/// Letters and digits only, in capitals; at most 200.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_uppercase).take(200).collect()
}

fn compare_letters(one: &str, other: &str) -> ReadingAgreement {
    let slips = one.chars().count().max(other.chars().count()).div_ceil(CHARS_PER_MISREADING);
    match edit_distance(one, other) {
        0 => ReadingAgreement::Same,
        steps if steps <= slips => ReadingAgreement::Alike,
        _ => ReadingAgreement::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: FieldName, value: &str, source: FieldSource) -> ExtractedField {
        ExtractedField { name, value: value.to_owned(), source, confidence: 0.95 }
    }

    fn verdict(name: FieldName, one: &str, other: &str) -> ReadingAgreement {
        compare(name, one, other)
    }

    #[test]
    fn spellings_and_slips_are_no_differences() {
        assert_eq!(verdict(FieldName::FamilyName, "MUELLER", "Müller"), ReadingAgreement::Same);
        assert_eq!(verdict(FieldName::FamilyName, "MULLER", "Müller"), ReadingAgreement::Same);
        assert_eq!(verdict(FieldName::FamilyName, "ERIKSSON", "ERIKS5ON"), ReadingAgreement::Alike);
        assert_eq!(verdict(FieldName::GivenNames, "ANNA", "Anna Maria"), ReadingAgreement::Same);
        assert_eq!(verdict(FieldName::FamilyName, "ERIKSSON", "NILSSON"), ReadingAgreement::Different);
        assert_eq!(verdict(FieldName::DocumentNumber, "L898902C3", "L898902 C3"), ReadingAgreement::Same);
        assert_eq!(verdict(FieldName::DateOfBirth, "1974-08-12", "1974-08-13"), ReadingAgreement::Different);
    }

    #[test]
    fn a_difference_fails_where_both_are_sure_and_is_a_doubt_where_not() {
        let mut fields = vec![
            field(FieldName::DateOfBirth, "1974-08-12", FieldSource::Barcode),
            field(FieldName::DateOfBirth, "1984-08-12", FieldSource::Text),
            field(FieldName::FamilyName, "ERIKSSON", FieldSource::Barcode),
            field(FieldName::FamilyName, "Eriksson", FieldSource::Text),
        ];
        let [measure] = &measure_of(&fields)[..] else { panic!("one pair of sources") };
        assert_eq!(
            (measure.check, measure.verdict, measure.value),
            (AuthenticityCheck::OcrBarcodeComparison, AuthenticityVerdict::Fail, 1.0)
        );
        assert_eq!(measure.reason, "not the same in both: date of birth");
        fields[1].confidence = 0.5;
        assert_eq!(measure_of(&fields)[0].verdict, AuthenticityVerdict::Doubt);
        fields[1].value = "1974-08-12".to_owned();
        assert_eq!(measure_of(&fields)[0].verdict, AuthenticityVerdict::Pass);
        assert!(measure_of(&fields[..1]).is_empty(), "one source has nothing to be compared with");
    }

    fn measure_of(fields: &[ExtractedField]) -> Vec<AuthenticityMeasure> {
        measure(fields, &[])
    }
}
