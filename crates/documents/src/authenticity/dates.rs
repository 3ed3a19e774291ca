//! Whether the dates of a document are possible in their order.

use super::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence};
use crate::{
    field::{ExtractedField, FieldName},
    limit::Limit,
    today::Today,
};
use jiff::civil::Date;

/// No person has lived much longer.
const MAX_AGE_YEARS: i16 = 125;
/// No document is valid for longer, except those for life.
const MAX_VALIDITY_YEARS: i16 = 36;
/// With less confidence in a date, a contradiction is only a doubt.
const MIN_CONTRADICTION_CONFIDENCE: f32 = 0.8;

/// Whether the document has not expired, and whether its dates are possible.
pub(super) fn measure(evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
    let in_date = measure_in_date(evidence.fields, evidence.today);
    in_date.into_iter().chain(dates_possible(evidence.fields, evidence.today)).collect()
}

/// Whether the document has not expired, in days that are left where days begin last; `None` if its date of expiry was not
/// read.
pub fn measure_in_date(fields: &[ExtractedField], today: Today) -> Option<AuthenticityMeasure> {
    let (expires, confidence) = surest_date(fields, FieldName::ExpirationDate)?;
    let left = today.earliest.until(expires).map_or(0, |span| span.get_days());
    let beyond = if confidence >= MIN_CONTRADICTION_CONFIDENCE {
        AuthenticityVerdict::Fail
    } else {
        AuthenticityVerdict::Doubt
    };
    let reason = match left {
        0.. => format!("it is good for {left} more days"),
        _ => format!("it ran out {} days ago", -left),
    };
    let limit = Limit::AtLeast(0.0, "days left");
    Some(AuthenticityMeasure::new(AuthenticityCheck::DocumentInDate, left as f32, limit, beyond, reason))
}

fn dates_possible(fields: &[ExtractedField], today: Today) -> Option<AuthenticityMeasure> {
    let of = |name| surest_date(fields, name);
    let (born, issued, expires) =
        (of(FieldName::DateOfBirth), of(FieldName::DateOfIssue), of(FieldName::ExpirationDate));
    let known = [born, issued, expires];
    if known.iter().flatten().count() == 0 {
        return None;
    }
    let sure = known.iter().flatten().all(|(_, confidence)| *confidence >= MIN_CONTRADICTION_CONFIDENCE);
    let [born, issued, expires] = known.map(|date| date.map(|(date, _)| date));
    let mut wrong = Vec::new();
    let mut tell = |is: bool, what: &str| {
        if is {
            wrong.push(what.to_owned());
        }
    };
    if let Some(born) = born {
        tell(born > today.latest, "the holder is not born yet");
        tell(today.utc.year() - born.year() > MAX_AGE_YEARS, "nobody is that old");
        tell(issued.is_some_and(|issued| issued < born), "it was issued before the holder was born");
        tell(expires.is_some_and(|expires| expires < born), "it expired before the holder was born");
    }
    if let Some(issued) = issued {
        tell(issued > today.latest, "it is not issued yet");
    }
    if let (Some(issued), Some(expires)) = (issued, expires) {
        tell(expires <= issued, "it expired before it was issued");
        let long = expires.year() - issued.year() > MAX_VALIDITY_YEARS && expires.year() % 100 != 99;
        tell(long, "no document is valid for so long");
    }
    let beyond = if sure { AuthenticityVerdict::Fail } else { AuthenticityVerdict::Doubt };
    let right = "its dates are in a possible order";
    Some(AuthenticityMeasure::none_expected(
        AuthenticityCheck::DatesPossible,
        "impossible dates",
        &wrong,
        beyond,
        right,
    ))
}

/// The reading of a date with the highest confidence, and that confidence.
pub(super) fn surest_date(fields: &[ExtractedField], name: FieldName) -> Option<(Date, f32)> {
    let dates = fields.iter().filter(|field| field.name == name);
    let dates = dates.filter_map(|field| Some((field.value.parse().ok()?, field.confidence)));
    dates.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldSource;
    use jiff::civil::date as day;

    const TODAY: Date = day(2026, 11, 21);

    fn fields(born: &str, issued: &str, expires: &str) -> Vec<ExtractedField> {
        let names = [FieldName::DateOfBirth, FieldName::DateOfIssue, FieldName::ExpirationDate];
        let named = names.into_iter().zip([born, issued, expires]).filter(|(_, value)| !value.is_empty());
        let field = |(name, value): (FieldName, &str)| ExtractedField {
            name,
            value: value.to_owned(),
            source: FieldSource::Text,
            confidence: 0.9,
        };
        named.map(field).collect()
    }

    fn reason(born: &str, issued: &str, expires: &str) -> Option<String> {
        let measure = dates_possible(&fields(born, issued, expires), TODAY.into())?;
        (measure.verdict != AuthenticityVerdict::Pass).then_some(measure.reason)
    }

    #[test]
    fn days_that_cannot_follow_each_other_are_told() {
        assert_eq!(reason("1990-05-01", "2020-01-01", "2030-01-01"), None);
        assert_eq!(reason("1990-05-01", "", ""), None);
        for (days, says) in [
            (["2027-01-01", "", ""], "the holder is not born yet"),
            (["1890-01-01", "", ""], "nobody is that old"),
            (
                ["1990-05-01", "1980-01-01", "2030-01-01"],
                "it was issued before the holder was born; no document is valid for so long",
            ),
            (["1990-05-01", "2026-12-01", "2030-01-01"], "it is not issued yet"),
            (["1990-05-01", "2020-01-01", "2019-01-01"], "it expired before it was issued"),
            (["1990-05-01", "2020-01-01", "2070-01-01"], "no document is valid for so long"),
        ] {
            assert_eq!(reason(days[0], days[1], days[2]).as_deref(), Some(says));
        }
        assert_eq!(reason("1990-05-01", "2020-01-01", "2099-01-01"), None, "for life");
        assert_eq!(dates_possible(&[], TODAY.into()), None);
    }

    #[test]
    fn the_last_day_is_a_good_one() {
        let at = |expires: &str| {
            let fields = fields("", "", expires);
            let evidence = DocumentEvidence {
                today: TODAY.into(),
                kind: None,
                issuer: None,
                zone: None,
                licence: None,
                fields: &fields,
                confirmed: &[],
                portrait: None,
                photos: &[],
                traces: &[],
            };
            measure(&evidence)[0].clone()
        };
        assert_eq!((at("2026-11-21").verdict, at("2026-11-21").value), (AuthenticityVerdict::Pass, 0.0));
        assert_eq!((at("2026-11-20").verdict, at("2026-11-20").value), (AuthenticityVerdict::Fail, -1.0));
        assert_eq!(at("2026-11-20").reason, "it ran out 1 days ago");
        assert_eq!(at("2027-11-21").value, 365.0);
    }

    #[test]
    fn a_date_is_held_against_a_document_only_where_it_is_wrong_all_over_the_world() {
        let verdict = |now: &str, expires: &str| {
            let today = Today::at(now.parse().expect("a time"));
            measure_in_date(&fields("", "", expires), today).expect("it has one").verdict
        };
        let evening_in_new_york = "2026-11-22T00:30:00Z";
        assert_eq!(verdict(evening_in_new_york, "2026-11-21"), AuthenticityVerdict::Pass);
        assert_eq!(verdict(evening_in_new_york, "2026-11-20"), AuthenticityVerdict::Fail);
        assert_eq!(verdict("2026-11-22T12:00:00Z", "2026-11-21"), AuthenticityVerdict::Fail);
        let reason = |now: &str, born: &str, issued: &str| {
            let today = Today::at(now.parse().expect("a time"));
            let measure = dates_possible(&fields(born, issued, ""), today).expect("it has some");
            (measure.verdict != AuthenticityVerdict::Pass).then_some(measure.reason)
        };
        let morning_in_auckland = "2026-11-21T20:00:00Z";
        assert_eq!(reason(morning_in_auckland, "", "2026-11-22"), None);
        assert_eq!(reason(morning_in_auckland, "2026-11-22", ""), None);
        let early = reason("2026-11-21T09:59:00Z", "", "2026-11-22");
        assert_eq!(early.as_deref(), Some("it is not issued yet"));
    }
}
