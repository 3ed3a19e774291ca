//! Reads an age from a provider's claims.

use super::OidcSettings;
use crate::{AgeAttribute, AgeMethodError, age_on};
use base::Environment;
use jiff::{civil::Date, tz::TimeZone};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A claim that says whether an age is reached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeOverClaim {
    /// Its path, such as `age_over_18` or `age.over18`.
    pub claim: String,
    /// The age, in years.
    pub years: u8,
}

/// The birthday, if the claims have one at the configured path; otherwise the first age claim that answers whether
/// `years` is reached.
pub(super) fn evaluate_claims(
    claims: &Map<String, Value>,
    settings: &OidcSettings,
    years: u8,
    environment: &dyn Environment,
) -> Result<AgeAttribute, AgeMethodError> {
    if let Some(born) = settings.birthdate.as_deref().and_then(|path| claim_at(claims, path)) {
        let today = environment.now().to_zoned(TimeZone::UTC).date();
        let day = born.as_str().filter(|text| text.len() == 10).and_then(|text| text.parse::<Date>().ok());
        // In the provider's time zone it may already be tomorrow.
        let day = day.filter(|day| (0..=130).contains(&age_on(*day, today.tomorrow().unwrap_or(today))));
        return day.map(AgeAttribute::DateOfBirth).ok_or_else(|| {
            AgeMethodError::inconclusive("the identity provider's birthday is not a whole one")
        });
    }
    let told =
        settings.over.iter().filter_map(|over| Some((over.years, claim_at(claims, &over.claim)?.as_bool()?)));
    let answers = |&(age, is): &(u8, bool)| if is { age >= years } else { age <= years };
    let told: Vec<_> = told.collect();
    match told.iter().copied().find(answers) {
        Some((_, is)) => Ok(AgeAttribute::Over { years, reached: is }),
        None if told.is_empty() => {
            Err(AgeMethodError::inconclusive("the identity provider says nothing about the age"))
        }
        None => Err(AgeMethodError::inconclusive("the identity provider says nothing about this age")),
    }
}

/// A value by its path: names separated by dots. A claim whose own name contains dots, such as a URL, is found first.
fn claim_at<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(path) {
        return Some(value);
    }
    let (first, rest) = path.split_once('.')?;
    claim_at(claims.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use jiff::civil::date;
    use serde_json::json;

    fn judged(claims: &Value, birthdate: Option<&str>, years: u8) -> Result<AgeAttribute, AgeMethodError> {
        let settings: OidcSettings = serde_json::from_value(json!({
            "name": "a", "issuer": "https://a.example.com", "client_id": "a", "birthdate": birthdate,
            "over": [{ "claim": "age_over_16", "years": 16 }, { "claim": "age.over18", "years": 18 },
                     { "claim": "https://claims.example.com/over21", "years": 21 }],
        }))
        .unwrap();
        let environment = TestEnvironment::at("2026-11-22T12:00:00Z");
        evaluate_claims(claims.as_object().unwrap(), &settings, years, &environment)
    }

    #[test]
    fn a_birthday_is_found_by_its_path_and_is_whole() {
        let nested =
            |day: &str| json!({ "person_info": { "dob": { "value": day } }, "age": { "over18": true } });
        let found = |day: &str| judged(&nested(day), Some("person_info.dob.value"), 18);
        assert_eq!(found("1990-12-10"), Ok(AgeAttribute::DateOfBirth(date(1990, 12, 10))));
        assert_eq!(found("2026-11-23"), Ok(AgeAttribute::DateOfBirth(date(2026, 11, 23))));
        for bad in [
            "1990",
            "0000-12-10",
            "1990-12",
            "2026-11-24",
            "1890-01-01",
            "1990-12-10T00:00:00",
            "",
            "10.12.1990",
        ] {
            assert!(matches!(found(bad), Err(AgeMethodError::Inconclusive(_))), "{bad}");
        }
        let number = judged(&json!({ "birthdate": 19_901_210 }), Some("birthdate"), 18);
        assert!(
            matches!(number, Err(AgeMethodError::Inconclusive(_))),
            "what should be a birthday and is none is not passed over"
        );
    }

    #[test]
    fn of_the_ages_that_are_told_the_one_that_answers_counts() {
        let told = |claims: Value, years: u8| judged(&claims, None, years).map_err(|_| ());
        let over = |years: u8| Ok(AgeAttribute::Over { years, reached: true });
        let under = |years: u8| Ok(AgeAttribute::Over { years, reached: false });
        assert_eq!(told(json!({ "age": { "over18": true } }), 18), over(18));
        assert_eq!(told(json!({ "age": { "over18": true } }), 16), over(16));
        assert_eq!(told(json!({ "age": { "over18": true } }), 21), Err(()));
        assert_eq!(told(json!({ "age": { "over18": false } }), 21), under(21));
        assert_eq!(told(json!({ "age": { "over18": false } }), 16), Err(()));
        assert_eq!(told(json!({ "age_over_16": true, "age": { "over18": false } }), 16), over(16));
        assert_eq!(told(json!({ "https://claims.example.com/over21": true }), 18), over(18));
        assert_eq!(told(json!({ "age": { "over18": "true" } }), 18), Err(()), "text is no truth");
        assert_eq!(told(json!({}), 18), Err(()));
    }
}
