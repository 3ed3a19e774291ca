//! What a phone's system states about an age: Google's Play Age Signals and Apple's Declared Age Range, as their
//! interfaces for apps give it.

use serde::Deserialize;

/// The longest statement, bytes.
const MAX_STATEMENT_BYTES: usize = 4 << 10;
/// The age that Google says it has checked of a person whom it calls verified, years.
const VERIFIED_AGE_YEARS: u8 = 18;

/// Whose system a phone runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhonePlatform {
    /// Google's, with Google Play.
    Android,
    /// Apple's.
    Ios,
}

/// Who stands behind a statement, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementSource {
    /// The person set the age.
    SelfDeclared,
    /// A parent or guardian did.
    GuardianDeclared,
    /// The platform says that it was checked.
    Checked,
}

/// An age band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgeBand {
    /// An age that the person has reached, years.
    pub reached: Option<u8>,
    /// An age that they have not reached, years.
    pub not_reached: Option<u8>,
    pub source: StatementSource,
}

/// Why a statement says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoStatement {
    /// It is not what the platform's interface gives.
    Malformed(&'static str),
    /// The person, or their guardian, does not share it.
    Declined,
    /// The system knows no age.
    Unknown,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AndroidStatement {
    user_status: Option<String>,
    age_lower: Option<u8>,
    age_upper: Option<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IosStatement {
    response: Option<String>,
    lower_bound: Option<u8>,
    upper_bound: Option<u8>,
    age_range_declaration: Option<String>,
}

/// Reads a statement: JSON with the members that the platform's interface has. Others are ignored.
pub(super) fn parse_statement(platform: PhonePlatform, text: &str) -> Result<AgeBand, NoStatement> {
    if text.len() > MAX_STATEMENT_BYTES {
        return Err(NoStatement::Malformed("it has more than 4096 bytes"));
    }
    let band = match platform {
        PhonePlatform::Android => parse_android(text)?,
        PhonePlatform::Ios => parse_ios(text)?,
    };
    if band.reached.zip(band.not_reached).is_some_and(|(reached, not)| not <= reached) {
        return Err(NoStatement::Malformed("its band ends before it begins"));
    }
    Ok(band)
}

fn parse_android(text: &str) -> Result<AgeBand, NoStatement> {
    let statement: AndroidStatement = serde_json::from_str(text)
        .map_err(|_| NoStatement::Malformed("it is JSON with userStatus, ageLower and ageUpper"))?;
    let AndroidStatement { user_status, age_lower, age_upper } = statement;
    let source = match user_status.as_deref() {
        Some("VERIFIED") => StatementSource::Checked,
        Some("SUPERVISED" | "SUPERVISED_APPROVAL_PENDING" | "SUPERVISED_APPROVAL_DENIED") => {
            StatementSource::GuardianDeclared
        }
        Some("DECLARED") => StatementSource::SelfDeclared,
        None | Some("UNKNOWN") => return Err(NoStatement::Unknown),
        Some(_) => return Err(NoStatement::Malformed("its userStatus is not a known one")),
    };
    let is_checked_adult = source == StatementSource::Checked && age_upper.is_none();
    // The upper end is part of the band.
    let not_reached = age_upper.map(|upper| upper.saturating_add(1));
    Ok(AgeBand { reached: age_lower.or(is_checked_adult.then_some(VERIFIED_AGE_YEARS)), not_reached, source })
}

fn parse_ios(text: &str) -> Result<AgeBand, NoStatement> {
    let statement: IosStatement = serde_json::from_str(text).map_err(|_| {
        NoStatement::Malformed("it is JSON with lowerBound, upperBound and ageRangeDeclaration")
    })?;
    let IosStatement { response, lower_bound, upper_bound, age_range_declaration } = statement;
    match response.as_deref() {
        None | Some("sharing") => {}
        Some("declinedSharing") => return Err(NoStatement::Declined),
        Some(_) => return Err(NoStatement::Malformed("its response is not a known one")),
    }
    let source = match age_range_declaration.as_deref() {
        Some("governmentIDChecked" | "paymentChecked" | "confirmed") => StatementSource::Checked,
        // Of these the guardian was checked, and states the child's age.
        Some(
            "guardianDeclared"
            | "guardianCheckedByOtherMethod"
            | "guardianGovernmentIDChecked"
            | "guardianPaymentChecked",
        ) => StatementSource::GuardianDeclared,
        // Apple does not say which other method it was.
        Some("selfDeclared" | "checkedByOtherMethod") => StatementSource::SelfDeclared,
        None => return Err(NoStatement::Unknown),
        Some(_) => return Err(NoStatement::Malformed("its ageRangeDeclaration is not a known one")),
    };
    // The upper bound is the gate that the person has not reached.
    Ok(AgeBand { reached: lower_bound, not_reached: upper_bound, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn android(status: &str, lower: Option<u8>, upper: Option<u8>) -> Result<AgeBand, NoStatement> {
        let text = json!({ "userStatus": status, "ageLower": lower, "ageUpper": upper, "installId": "x" });
        parse_statement(PhonePlatform::Android, &text.to_string())
    }

    fn ios(declaration: &str, lower: Option<u8>, upper: Option<u8>) -> Result<AgeBand, NoStatement> {
        let text = json!({ "lowerBound": lower, "upperBound": upper, "ageRangeDeclaration": declaration });
        parse_statement(PhonePlatform::Ios, &text.to_string())
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what is parsed")]
    fn band(
        reached: Option<u8>,
        not_reached: Option<u8>,
        source: StatementSource,
    ) -> Result<AgeBand, NoStatement> {
        Ok(AgeBand { reached, not_reached, source })
    }

    #[test]
    fn google_states_bands_with_both_ends_inside() {
        use StatementSource::{Checked, GuardianDeclared, SelfDeclared};
        assert_eq!(android("VERIFIED", None, None), band(Some(18), None, Checked));
        assert_eq!(android("VERIFIED", Some(13), Some(15)), band(Some(13), Some(16), Checked));
        assert_eq!(android("DECLARED", Some(18), None), band(Some(18), None, SelfDeclared));
        assert_eq!(android("SUPERVISED", Some(13), Some(15)), band(Some(13), Some(16), GuardianDeclared));
        assert_eq!(
            android("SUPERVISED_APPROVAL_DENIED", Some(0), Some(12)),
            band(Some(0), Some(13), GuardianDeclared)
        );
        assert_eq!(android("UNKNOWN", Some(18), None), Err(NoStatement::Unknown));
        assert!(matches!(android("TRUST_ME", Some(18), None), Err(NoStatement::Malformed(_))));
        assert!(matches!(android("DECLARED", Some(18), Some(12)), Err(NoStatement::Malformed(_))));
        for text in ["", "{", "[]", "{\"userStatus\":1}", "{\"userStatus\":\"VERIFIED\",\"ageLower\":-1}"] {
            assert!(
                matches!(parse_statement(PhonePlatform::Android, text), Err(NoStatement::Malformed(_))),
                "{text}"
            );
        }
        let long = format!("{{\"userStatus\":\"VERIFIED\",\"x\":\"{}\"}}", "x".repeat(5000));
        assert!(matches!(parse_statement(PhonePlatform::Android, &long), Err(NoStatement::Malformed(_))));
    }

    #[test]
    fn apple_says_who_set_the_range_and_a_guardian_is_not_a_check_of_the_child() {
        use StatementSource::{Checked, GuardianDeclared, SelfDeclared};
        assert_eq!(ios("selfDeclared", Some(18), None), band(Some(18), None, SelfDeclared));
        assert_eq!(ios("checkedByOtherMethod", Some(18), None), band(Some(18), None, SelfDeclared));
        assert_eq!(ios("governmentIDChecked", Some(18), None), band(Some(18), None, Checked));
        assert_eq!(
            ios("guardianGovernmentIDChecked", Some(13), Some(16)),
            band(Some(13), Some(16), GuardianDeclared)
        );
        assert!(matches!(ios("somethingNew", Some(18), None), Err(NoStatement::Malformed(_))));
        let declined = parse_statement(PhonePlatform::Ios, r#"{"response":"declinedSharing"}"#);
        assert_eq!(declined, Err(NoStatement::Declined));
        assert_eq!(parse_statement(PhonePlatform::Ios, r#"{"lowerBound":18}"#), Err(NoStatement::Unknown));
    }
}
