//! Compares a value that was read from two sources.

use super::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, words};
use crate::{
    field::{ExtractedField, FieldName, FieldSource},
    limit::Limit,
    mrz::transliterate::{self, spellings, transliterate},
    text::{
        cross_check::{self, MrzCrossCheck},
        edit_distance,
        normalise::nearest_substring,
    },
};

/// How two readings of a value compare, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
/// Words of a full name that are compared; a zone or a barcode has no room for more.
const MAX_NAME_WORDS: usize = 20;
/// A shorter part of an address may be in any other.
const MIN_ADDRESS_CHARS: usize = 8;

/// How a value compares with the same value of another source.
struct ComparedValue {
    /// The name of the field, in words.
    words: String,
    agreement: ReadingAgreement,
    /// Whether a difference decides by itself, and is no mere doubt.
    is_sure: bool,
}

/// Compares each value that two sources have: the field, the two sources, how they compare, and the lower of the two
/// confidences. A full name is compared only where one of the two sources does not have its parts.
pub fn compare_sources(
    fields: &[ExtractedField],
) -> Vec<(FieldName, [FieldSource; 2], ReadingAgreement, f32)> {
    let has_parts = |source: FieldSource| {
        let has = |name| fields.iter().any(|field| field.name == name && field.source == source);
        has(FieldName::GivenNames) && has(FieldName::FamilyName)
    };
    let mut out = Vec::new();
    for (at, one) in fields.iter().enumerate() {
        for other in &fields[at + 1..] {
            if one.name == FieldName::FullName && has_parts(one.source) && has_parts(other.source) {
                continue;
            }
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
            let is_sure = one.confidence >= MIN_CONTRADICTION_CONFIDENCE;
            Some(ComparedValue { words: words(&one.field), agreement, is_sure })
        })
        .collect();
    let of_zone =
        (!with_zone.is_empty()).then(|| worst_measure(AuthenticityCheck::OcrMrzComparison, &with_zone));
    let others = pairs.into_iter().filter_map(|(check, pair)| {
        let of_pair = |sources: &[FieldSource; 2]| *sources == pair || *sources == [pair[1], pair[0]];
        let compared: Vec<_> = all
            .iter()
            .filter(|(_, sources, ..)| of_pair(sources))
            .map(|(name, _, agreement, confidence)| ComparedValue {
                words: words(name),
                agreement: *agreement,
                // Print abbreviates streets, and its lines are put together by their places alone.
                is_sure: *confidence >= MIN_CONTRADICTION_CONFIDENCE && *name != FieldName::Address,
            })
            .collect();
        (!compared.is_empty()).then(|| worst_measure(check, &compared))
    });
    of_zone.into_iter().chain(others).collect()
}

fn worst_measure(check: AuthenticityCheck, compared: &[ComparedValue]) -> AuthenticityMeasure {
    let different: Vec<_> =
        compared.iter().filter(|value| value.agreement == ReadingAgreement::Different).collect();
    let sure = different.iter().any(|value| value.is_sure);
    let reason = if different.is_empty() {
        let names: Vec<_> = compared.iter().map(|value| value.words.as_str()).collect();
        format!("the same in both: {}", names.join(", "))
    } else {
        let names: Vec<_> = different.iter().map(|value| value.words.as_str()).collect();
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
        FieldName::FullName => compare_full_names(one, other),
        FieldName::GivenNames | FieldName::FamilyName => compare_names(one, other),
        FieldName::DocumentNumber => compare_letters(&letters(one), &letters(other)),
        FieldName::PlaceOfBirth | FieldName::IssuingAuthority => {
            compare_letters(&letters(&transliterate(one)), &letters(&transliterate(other)))
        }
        FieldName::Address => {
            compare_addresses(&letters(&transliterate(one)), &letters(&transliterate(other)))
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

/// Compares full names word by word, in any order: each word of the shorter one must be in the other. So a suffix or a second
/// given name that one of them lacks is no difference, wherever it stands.
fn compare_full_names(one: &str, other: &str) -> ReadingAgreement {
    let words = |name| transliterate::words(name).take(MAX_NAME_WORDS).collect::<Vec<_>>();
    let (ones, others) = (words(one), words(other));
    let (short, long) = if ones.len() <= others.len() { (ones, others) } else { (others, ones) };
    let nearest = |word: &&str| long.iter().map(|other| compare_words(word, other)).min();
    short.iter().filter_map(nearest).max().unwrap_or(ReadingAgreement::Different)
}

/// Compares two words of names, one of which may be an initial.
fn compare_words(one: &str, other: &str) -> ReadingAgreement {
    let (one_letters, other_letters) = (letters(&transliterate(one)), letters(&transliterate(other)));
    let (short, long) = if one_letters.len() <= other_letters.len() {
        (one_letters, other_letters)
    } else {
        (other_letters, one_letters)
    };
    if short.len() == 1 {
        return if long.starts_with(&short) { ReadingAgreement::Same } else { ReadingAgreement::Different };
    }
    compare_names(one, other)
}

/// Compares the letters of addresses, of which one may be a part of the other: print may be cut off, or lack the town.
fn compare_addresses(one: &str, other: &str) -> ReadingAgreement {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short.len() < MIN_ADDRESS_CHARS {
        return compare_letters(one, other);
    }
    agreement_at(nearest_substring(short, long).0, short.len())
}

/// Letters and digits only, in capitals; at most 200.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_uppercase).take(200).collect()
}

fn compare_letters(one: &str, other: &str) -> ReadingAgreement {
    agreement_at(edit_distance(one, other), one.chars().count().max(other.chars().count()))
}

/// What an edit distance means between texts of so many characters.
fn agreement_at(distance: usize, chars: usize) -> ReadingAgreement {
    match distance {
        0 => ReadingAgreement::Same,
        steps if steps <= chars.div_ceil(CHARS_PER_MISREADING) => ReadingAgreement::Alike,
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

    /// The full name, given names and family name in a licence's barcode and in its print; empty where there is none.
    fn licence(barcode: [&str; 3], print: [&str; 3]) -> Vec<ExtractedField> {
        let names = [FieldName::FullName, FieldName::GivenNames, FieldName::FamilyName];
        let of = |values: [&str; 3], source| {
            let present = names.into_iter().zip(values).filter(|(_, value)| !value.is_empty());
            present.map(|(name, value)| field(name, value, source)).collect::<Vec<_>>()
        };
        [of(barcode, FieldSource::Barcode), of(print, FieldSource::Text)].concat()
    }

    #[test]
    fn a_suffix_or_a_second_given_name_that_is_not_printed_is_no_difference() {
        for (barcode, print) in [
            (["MICHAEL JOHN SAMPLE", "MICHAEL JOHN", "SAMPLE"], ["MICHAEL SAMPLE", "MICHAEL", "SAMPLE"]),
            (["MICHAEL R SAMPLE", "MICHAEL R", "SAMPLE"], ["MICHAEL SAMPLE", "MICHAEL", "SAMPLE"]),
            (
                ["MICHAEL JOHN SAMPLE JR", "MICHAEL JOHN", "SAMPLE"],
                ["MICHAEL JOHN SAMPLE", "MICHAEL JOHN", "SAMPLE"],
            ),
            (["MICHAEL JOHN SAMPLE JR", "MICHAEL JOHN", "SAMPLE"], ["SAMPLE, MICHAEL J", "", ""]),
            (["MICHAEL SAMPLE", "MICHAEL", "SAMPLE"], ["Michael John Samp1e", "", ""]),
            (["JOERG MUELLER", "JOERG", "MUELLER"], ["Jörg Müller", "", ""]),
        ] {
            let [measure] = &measure_of(&licence(barcode, print))[..] else { panic!("one pair of sources") };
            assert_eq!(measure.verdict, AuthenticityVerdict::Pass, "{barcode:?} {print:?}: {measure:?}");
        }
        for (barcode, print) in [
            (["MICHAEL JOHN SAMPLE", "MICHAEL JOHN", "SAMPLE"], ["MICHAEL EXEMPEL", "MICHAEL", "EXEMPEL"]),
            (["MICHAEL JOHN SAMPLE", "MICHAEL JOHN", "SAMPLE"], ["MICHAEL JOHN EXEMPEL", "", ""]),
            (["MICHAEL JOHN SAMPLE", "MICHAEL JOHN", "SAMPLE"], ["PETER JOHN SAMPLE", "", ""]),
        ] {
            let measure = &measure_of(&licence(barcode, print))[0];
            assert_eq!(measure.verdict, AuthenticityVerdict::Fail, "{barcode:?} {print:?}");
        }
        assert_eq!(verdict(FieldName::FullName, "", "MICHAEL"), ReadingAgreement::Different);
    }

    #[test]
    fn an_address_may_be_printed_in_part_and_a_different_one_only_raises_a_doubt() {
        let whole = "14 NOWHERE LANE\nZENITH\nVA 23269";
        for print in
            ["14 NOWHERE LANE", "NOWHERE LANE\nZENITH, VA 23269", "14 Nowhere Lane\nZenith, VA 23269-0001"]
        {
            assert_eq!(verdict(FieldName::Address, whole, print), ReadingAgreement::Same, "{print}");
        }
        assert_eq!(verdict(FieldName::Address, whole, "14 N0WHERE LANE"), ReadingAgreement::Alike);
        for print in ["9 ELSEWHERE STREET\nZENITH, VA 23269", "VA", ""] {
            assert_eq!(verdict(FieldName::Address, whole, print), ReadingAgreement::Different, "{print}");
        }
        let fields = [
            field(FieldName::Address, whole, FieldSource::Barcode),
            field(FieldName::Address, "9 ELSEWHERE STREET", FieldSource::Text),
        ];
        let [measure] = &measure_of(&fields)[..] else { panic!("one pair of sources") };
        assert_eq!((measure.verdict, measure.value), (AuthenticityVerdict::Doubt, 1.0));
    }

    fn measure_of(fields: &[ExtractedField]) -> Vec<AuthenticityMeasure> {
        measure(fields, &[])
    }
}
