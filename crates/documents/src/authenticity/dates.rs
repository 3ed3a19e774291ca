//! Days that must follow each other.

use super::{Check, Evidence, Measure, Verdict};
use crate::{
    field::{Field, Name},
    limit::Limit,
};
use jiff::civil::Date;

/// Nobody was older, by much.
const OLDEST: i16 = 125;
/// Documents are not good for longer, but for those that never end.
const LONGEST: i16 = 36;
/// Below this a reading contradicts nothing.
const SURE: f32 = 0.8;

/// Whether it is in date, and whether its days are possible.
pub(super) fn measure(evidence: &Evidence<'_>) -> Vec<Measure> {
    let mut measures = Vec::new();
    if let Some((expires, confidence)) = date(evidence.fields, Name::ExpirationDate) {
        let left = evidence.today.until(expires).map_or(0, |span| span.get_days());
        let beyond = if confidence >= SURE { Verdict::Fail } else { Verdict::Doubt };
        let reason = match left {
            0.. => format!("it is good for {left} more days"),
            _ => format!("it ran out {} days ago", -left),
        };
        let limit = Limit::AtLeast(0.0, "days left");
        measures.push(Measure::new(Check::DocumentInDate, left as f32, limit, beyond, reason));
    }
    measures.extend(possible(evidence.fields, evidence.today));
    measures
}

fn possible(fields: &[Field], today: Date) -> Option<Measure> {
    let of = |name| date(fields, name);
    let (born, issued, expires) = (of(Name::DateOfBirth), of(Name::DateOfIssue), of(Name::ExpirationDate));
    let known = [born, issued, expires];
    if known.iter().flatten().count() == 0 {
        return None;
    }
    let sure = known.iter().flatten().all(|(_, confidence)| *confidence >= SURE);
    let [born, issued, expires] = known.map(|date| date.map(|(date, _)| date));
    let mut wrong = Vec::new();
    let mut tell = |is: bool, what: &str| {
        if is {
            wrong.push(what.to_owned());
        }
    };
    if let Some(born) = born {
        tell(born > today, "the holder is not born yet");
        tell(today.year() - born.year() > OLDEST, "nobody is that old");
        tell(issued.is_some_and(|issued| issued < born), "it was issued before the holder was born");
        tell(expires.is_some_and(|expires| expires < born), "it ran out before the holder was born");
    }
    if let Some(issued) = issued {
        tell(issued > today, "it is not issued yet");
    }
    if let (Some(issued), Some(expires)) = (issued, expires) {
        tell(expires <= issued, "it ran out before it was issued");
        let long = expires.year() - issued.year() > LONGEST && expires.year() % 100 != 99;
        tell(long, "no document is good for so long");
    }
    let beyond = if sure { Verdict::Fail } else { Verdict::Doubt };
    let right = "its days follow each other";
    Some(Measure::none_of(Check::DatesPossible, "impossible days", &wrong, beyond, right))
}

/// The surest reading of a day.
pub(super) fn date(fields: &[Field], name: Name) -> Option<(Date, f32)> {
    let dates = fields.iter().filter(|field| field.name == name);
    let dates = dates.filter_map(|field| Some((field.value.parse().ok()?, field.confidence)));
    dates.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Source;
    use jiff::civil::date as day;

    const TODAY: Date = day(2026, 11, 21);

    fn fields(born: &str, issued: &str, expires: &str) -> Vec<Field> {
        let names = [Name::DateOfBirth, Name::DateOfIssue, Name::ExpirationDate];
        let named = names.into_iter().zip([born, issued, expires]).filter(|(_, value)| !value.is_empty());
        let field = |(name, value): (Name, &str)| Field {
            name,
            value: value.to_owned(),
            source: Source::Text,
            confidence: 0.9,
        };
        named.map(field).collect()
    }

    fn reason(born: &str, issued: &str, expires: &str) -> Option<String> {
        let measure = possible(&fields(born, issued, expires), TODAY)?;
        (measure.verdict != Verdict::Pass).then_some(measure.reason)
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
                "it was issued before the holder was born; no document is good for so long",
            ),
            (["1990-05-01", "2026-12-01", "2030-01-01"], "it is not issued yet"),
            (["1990-05-01", "2020-01-01", "2019-01-01"], "it ran out before it was issued"),
            (["1990-05-01", "2020-01-01", "2070-01-01"], "no document is good for so long"),
        ] {
            assert_eq!(reason(days[0], days[1], days[2]).as_deref(), Some(says));
        }
        assert_eq!(reason("1990-05-01", "2020-01-01", "2099-01-01"), None, "for life");
        assert_eq!(possible(&[], TODAY), None);
    }

    #[test]
    fn the_last_day_is_a_good_one() {
        let at = |expires: &str| {
            let fields = fields("", "", expires);
            let evidence = Evidence {
                today: TODAY,
                kind: None,
                issuer: None,
                zone: None,
                licence: None,
                fields: &fields,
                confirmed: &[],
                portrait: None,
                photos: &[],
            };
            measure(&evidence)[0].clone()
        };
        assert_eq!((at("2026-11-21").verdict, at("2026-11-21").value), (Verdict::Pass, 0.0));
        assert_eq!((at("2026-11-20").verdict, at("2026-11-20").value), (Verdict::Fail, -1.0));
        assert_eq!(at("2026-11-20").reason, "it ran out 1 days ago");
        assert_eq!(at("2027-11-21").value, 365.0);
    }
}
