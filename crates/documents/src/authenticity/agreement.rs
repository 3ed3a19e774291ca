//! One value, read in two places.

use super::{Check, Measure, Verdict, words};
use crate::{
    field::{Field, Name, Source},
    limit::Limit,
    mrz::transliterate::{spellings, transliterate},
    text::{
        confirm::{self, Confirmation},
        edit_distance,
    },
};

/// How two readings of a value compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// They say the same.
    Same,
    /// A slip of reading would explain it: one letter in eight.
    Alike,
    /// They say different things.
    Different,
}

/// Below this a reading is too unsure to contradict another.
const SURE: f32 = 0.8;
/// Letters for each of which one may differ.
const SLIP: usize = 8;

/// For each value that two sources have, how they compare: the name, the one, the other, and how sure the less sure of
/// them is.
pub fn agreements(fields: &[Field]) -> Vec<(Name, [Source; 2], Agreement, f32)> {
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

/// The zone against the print, the barcode against the print, and the zone against the barcode.
pub(super) fn measure(fields: &[Field], confirmed: &[Confirmation]) -> Vec<Measure> {
    let all = agreements(fields);
    let pairs = [
        (Check::OcrBarcodeComparison, [Source::Barcode, Source::Text]),
        (Check::SidesAgree, [Source::Mrz, Source::Barcode]),
    ];
    let with_zone: Vec<_> = confirmed
        .iter()
        .filter_map(|one| {
            let agreement = match one.agreement {
                confirm::Agreement::Same => Agreement::Same,
                confirm::Agreement::Nearly { .. } => Agreement::Alike,
                confirm::Agreement::Contradicted => Agreement::Different,
                // It may be printed in a script that nobody reads here, or not at all.
                confirm::Agreement::Missing => return None,
            };
            Some((words(&one.field), agreement, one.confidence))
        })
        .collect();
    let of_zone = (!with_zone.is_empty()).then(|| judge(Check::OcrMrzComparison, &with_zone));
    let others = pairs.into_iter().filter_map(|(check, pair)| {
        let of_pair = |sources: &[Source; 2]| *sources == pair || *sources == [pair[1], pair[0]];
        let compared: Vec<_> = all
            .iter()
            .filter(|(_, sources, ..)| of_pair(sources))
            .map(|(name, _, agreement, confidence)| (words(name), *agreement, *confidence))
            .collect();
        (!compared.is_empty()).then(|| judge(check, &compared))
    });
    of_zone.into_iter().chain(others).collect()
}

fn judge(check: Check, compared: &[(String, Agreement, f32)]) -> Measure {
    let different: Vec<_> =
        compared.iter().filter(|(_, agreement, _)| *agreement == Agreement::Different).collect();
    let sure = different.iter().any(|(.., confidence)| *confidence >= SURE);
    let reason = if different.is_empty() {
        let names: Vec<_> = compared.iter().map(|(name, ..)| name.as_str()).collect();
        format!("the same in both: {}", names.join(", "))
    } else {
        let names: Vec<_> = different.iter().map(|(name, ..)| name.as_str()).collect();
        format!("not the same in both: {}", names.join(", "))
    };
    let limit = Limit::AtMost(0.0, "values that differ");
    Measure::new(
        check,
        different.len() as f32,
        limit,
        if sure { Verdict::Fail } else { Verdict::Doubt },
        reason,
    )
}

fn compare(name: Name, one: &str, other: &str) -> Agreement {
    match name {
        Name::FullName | Name::GivenNames | Name::FamilyName => compare_names(one, other),
        Name::DocumentNumber => compare_letters(&letters(one), &letters(other)),
        Name::PlaceOfBirth | Name::IssuingAuthority | Name::Address => {
            compare_letters(&letters(&transliterate(one)), &letters(&transliterate(other)))
        }
        Name::DateOfBirth
        | Name::ExpirationDate
        | Name::DateOfIssue
        | Name::Nationality
        | Name::IssuingCountry
        | Name::Gender => {
            if one == other {
                Agreement::Same
            } else {
                Agreement::Different
            }
        }
    }
}

/// Names as ICAO spells them, whichever of its spellings; one that is cut off, or lacks a second name, is the same.
fn compare_names(one: &str, other: &str) -> Agreement {
    let forms = |name: &str| {
        let mut forms = spellings(name);
        forms.push(transliterate(name));
        forms.iter().map(|form| letters(form)).collect::<Vec<_>>()
    };
    let (ones, others) = (forms(one), forms(other));
    let mut best = Agreement::Different;
    for one in &ones {
        for other in &others {
            let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
            if short.len() >= 3 && long.starts_with(short.as_str()) {
                return Agreement::Same;
            }
            match compare_letters(one, other) {
                Agreement::Same => return Agreement::Same,
                Agreement::Alike => best = Agreement::Alike,
                Agreement::Different => {}
            }
        }
    }
    best
}

/// Letters and digits, as capitals.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_uppercase).take(200).collect()
}

fn compare_letters(one: &str, other: &str) -> Agreement {
    let slips = one.chars().count().max(other.chars().count()).div_ceil(SLIP);
    match edit_distance(one, other) {
        0 => Agreement::Same,
        steps if steps <= slips => Agreement::Alike,
        _ => Agreement::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: Name, value: &str, source: Source) -> Field {
        Field { name, value: value.to_owned(), source, confidence: 0.95 }
    }

    fn verdict(name: Name, one: &str, other: &str) -> Agreement {
        compare(name, one, other)
    }

    #[test]
    fn spellings_and_slips_are_no_differences() {
        assert_eq!(verdict(Name::FamilyName, "MUELLER", "Müller"), Agreement::Same);
        assert_eq!(verdict(Name::FamilyName, "MULLER", "Müller"), Agreement::Same);
        assert_eq!(verdict(Name::FamilyName, "ERIKSSON", "ERIKS5ON"), Agreement::Alike);
        assert_eq!(verdict(Name::GivenNames, "ANNA", "Anna Maria"), Agreement::Same);
        assert_eq!(verdict(Name::FamilyName, "ERIKSSON", "NILSSON"), Agreement::Different);
        assert_eq!(verdict(Name::DocumentNumber, "L898902C3", "L898902 C3"), Agreement::Same);
        assert_eq!(verdict(Name::DateOfBirth, "1974-08-12", "1974-08-13"), Agreement::Different);
    }

    #[test]
    fn a_difference_fails_where_both_are_sure_and_is_a_doubt_where_not() {
        let mut fields = vec![
            field(Name::DateOfBirth, "1974-08-12", Source::Barcode),
            field(Name::DateOfBirth, "1984-08-12", Source::Text),
            field(Name::FamilyName, "ERIKSSON", Source::Barcode),
            field(Name::FamilyName, "Eriksson", Source::Text),
        ];
        let [measure] = &measure_of(&fields)[..] else { panic!("one pair of sources") };
        assert_eq!(
            (measure.check, measure.verdict, measure.value),
            (Check::OcrBarcodeComparison, Verdict::Fail, 1.0)
        );
        assert_eq!(measure.reason, "not the same in both: date of birth");
        fields[1].confidence = 0.5;
        assert_eq!(measure_of(&fields)[0].verdict, Verdict::Doubt);
        fields[1].value = "1974-08-12".to_owned();
        assert_eq!(measure_of(&fields)[0].verdict, Verdict::Pass);
        assert!(measure_of(&fields[..1]).is_empty(), "one source has nothing to be compared with");
    }

    fn measure_of(fields: &[Field]) -> Vec<Measure> {
        measure(fields, &[])
    }
}
