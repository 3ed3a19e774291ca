//! Validates what a relying party asks for: bounds, combinations, and what this server offers. Rules for stored results
//! are requested in the same form.

use super::{
    Location,
    session_config::{AgeSessionConfig, EndUserCallback, ValidationContext, VerifiedEmail},
    types::{
        AgeMethod, AgeSessionType, AttestationRequirement, AuthenticityLevel, LivenessLevel, SignalAssurance,
    },
};
use crate::{UnknownVariantError, redirect_url, violation::Violation};
use base::{Timestamp, Uuid};
use serde::{Deserialize, Deserializer};
use std::{net::IpAddr, str::FromStr};

/// How long a session may be valid, or how old a result may be, seconds: a minute to thirty days.
const TTL_SECONDS: (i64, i64) = (60, 2_592_000);
/// Ages that can be asked for, years.
const THRESHOLD_YEARS: (i64, i64) = (1, 120);
/// Ages that blind tokens can be asked for, years.
const TOKEN_THRESHOLD_YEARS: (i64, i64) = (6, 100);
/// Attempts that can be allowed at one method.
const RETRY_LIMIT_ATTEMPTS: (i64, i64) = (1, 10);
/// Confidences that make sense: below one half an estimate says the opposite, and none is certain.
pub(super) const CONFIDENCE_RANGE: (f64, f64) = (0.5, 0.999);
/// The longest account id, characters.
const MAX_ACCOUNT_ID_CHARS: usize = 100;
/// The longest text of any other kind, characters.
const MAX_TEXT_CHARS: usize = 2048;
/// The longest list.
const MAX_LIST_ITEMS: usize = 300;
/// The longest e-mail address, bytes (RFC 5321, section 4.5.3).
const MAX_EMAIL_BYTES: usize = 254;

/// A request for a session or a rule. [`AgeSessionRequest::resolve`] fills in the defaults of absent members.
#[derive(Clone, Debug, Default)]
pub struct AgeSessionRequest {
    /// What is asked about the age.
    pub kind: Option<AgeSessionType>,
    /// The methods, in the order in which they are to be offered; every available one if empty.
    pub methods: Vec<AgeMethodRequest>,
    /// How long the session is valid; in a rule, the maximum age of a result. Seconds.
    pub ttl: Option<i64>,
    /// The relying party's own reference for the session.
    pub reference_id: Option<String>,
    /// Where the end user goes afterwards.
    pub callback: Option<CallbackRequest>,
    /// A short form of `callback`, which takes precedence.
    pub callback_url: Option<String>,
    /// Receives the result of each attempt, https.
    pub notification_url: Option<String>,
    /// Whether the relying party has the end user's consent to the use of biometric data.
    pub block_biometric_consent: Option<bool>,
    /// The rule that a stored result must satisfy.
    pub rule_id: Option<Uuid>,
    /// Where the end user goes after cancelling.
    pub cancel_url: Option<String>,
    /// The address of the relying party's privacy policy.
    pub privacy_policy: Option<String>,
    /// The address of the relying party's terms and conditions.
    pub terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    pub retry_enabled: Option<bool>,
    /// Whether the session may continue after FAIL or ERROR.
    pub resume_enabled: Option<bool>,
    /// Locations where the session may not be used.
    pub blocked_locations: Vec<Location>,
    /// The page that shows the session in a frame.
    pub target_origin_url: Option<String>,
    /// Whether the end user waits until every check has a result.
    pub synchronous_checks: Option<bool>,
    /// The relying party's own reference for the end user.
    pub account_id: Option<String>,
    /// Whether only a blind token is accepted.
    pub double_blind: Option<bool>,
    /// An address that the relying party has verified.
    pub email: Option<EmailRequest>,
    /// The policy whose methods are offered, `gb` or `gb@1`.
    pub policy: Option<String>,
}

/// A method of a request, and the terms of its use.
#[derive(Clone, Debug)]
pub struct AgeMethodRequest {
    pub method: AgeMethod,
    /// The name of its block in the request, which may contain the brand.
    pub name: String,
    pub terms: AgeMethodTerms,
}

/// The terms of a method's use. Also read from the operator's configuration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AgeMethodTerms {
    /// Whether it may be used.
    pub allowed: Option<bool>,
    /// The age that is asked for, years.
    pub threshold: Option<i64>,
    /// How the method checks that a live person is in front of the camera.
    #[serde(deserialize_with = "in_any_case")]
    pub level: Option<LivenessLevel>,
    /// How the genuineness of a document is checked.
    #[serde(deserialize_with = "in_any_case")]
    pub authenticity: Option<AuthenticityLevel>,
    /// Whether it may be tried again.
    pub retry_enabled: Option<bool>,
    /// Attempts in total, if it may be tried again.
    pub retry_limit: Option<i64>,
    /// For a photo: how confident the estimate must be to pass or to fail, 0.5 to 0.999.
    pub confidence: Option<f64>,
    /// For a wallet: whether age estimation is accepted if the wallet gives no age.
    pub age_estimation_allowed: Option<bool>,
    /// For a wallet: the age that an estimate must show, years.
    pub age_estimation_threshold: Option<i64>,
    /// For a wallet: how confident an estimate must be to pass or to fail, 0.5 to 0.999.
    pub age_estimation_confidence: Option<f64>,
    /// For a document: the country that the page preselects, ISO 3166-1 alpha-3.
    pub preset_issuing_country: Option<String>,
    /// For a document: whether the page does not offer to continue on a phone.
    pub disable_mobile_hand_off: Option<bool>,
    /// For a document: whether the end user waits until the checks have a result.
    pub synchronous_checks: Option<bool>,
    /// For a document: whether documents are accepted that are not printed in Latin letters only.
    pub allow_non_latin_documents: Option<bool>,
    /// For a passkey: whether it is offered to the end user, who must use it; else the page tries it at the start.
    pub authentication: Option<bool>,
    /// For an electronic identity: the ids of the providers to offer; all if absent.
    pub sub_methods: Option<Vec<String>>,
    /// For a device signal: who must at least stand behind it.
    #[serde(deserialize_with = "in_any_case")]
    pub assurance: Option<SignalAssurance>,
    /// For a device signal: whether the platform must vouch for the app.
    #[serde(deserialize_with = "in_any_case")]
    pub attestation: Option<AttestationRequirement>,
}

/// Where the end user goes afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallbackRequest {
    pub url: Option<String>,
    /// Whether they are sent there without a button.
    pub auto: Option<bool>,
}

/// An email address that the relying party has verified.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EmailRequest {
    /// The address; required, and `None` only if the request lacks it.
    pub address: Option<String>,
    /// The country of its holder, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The IP address of its holder's device.
    pub ip: Option<String>,
}

// Keeps the address out of logs.
impl std::fmt::Debug for EmailRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmailRequest")
    }
}

fn in_any_case<'de, T: FromStr<Err = UnknownVariantError>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let word = Option::<String>::deserialize(from)?;
    let parsed = word.map(|word| word.trim().to_ascii_uppercase().parse()).transpose();
    parsed.map_err(serde::de::Error::custom)
}

/// Collects the violations of a request.
#[derive(Debug, Default)]
struct ViolationCollector(Vec<Violation>);

impl ViolationCollector {
    fn push(&mut self, path: &str, words: impl Into<String>) {
        self.0.push(Violation::new(path.to_owned(), words));
    }

    fn check_range(&mut self, path: &str, number: Option<i64>, (min, max): (i64, i64)) {
        if let Some(number) = number.filter(|number| !(min..=max).contains(number)) {
            self.push(path, format!("it is {number}; a whole number from {min} to {max} is expected"));
        }
    }

    /// Refuses a confidence that is out of range, or that a session of this type would not use.
    fn check_confidence(&mut self, path: &str, confidence: Option<f64>, kind: AgeSessionType) {
        let Some(confidence) = confidence else { return };
        let (lowest, highest) = CONFIDENCE_RANGE;
        if !(lowest..=highest).contains(&confidence) {
            self.push(path, format!("it is {confidence}; a number from {lowest} to {highest} is expected"));
        } else if kind == AgeSessionType::Age {
            self.push(path, "a session of the type AGE compares the estimate with no threshold");
        }
    }

    /// Refuses a text that is too long; returns one that is not.
    fn check_text<'a>(&mut self, path: &str, text: Option<&'a str>) -> Option<&'a str> {
        self.check_length(path, text, MAX_TEXT_CHARS)
    }

    fn check_length<'a>(&mut self, path: &str, text: Option<&'a str>, max_chars: usize) -> Option<&'a str> {
        let length = text?.chars().count();
        if length <= max_chars {
            return text;
        }
        self.push(path, format!("it has {length} characters, at most {max_chars} are taken"));
        None
    }

    /// Refuses an address that a person cannot be sent to, above all one that a browser would execute.
    fn check_redirect_url(&mut self, path: &str, text: Option<&str>) {
        let Some(text) = self.check_text(path, text) else { return };
        if let Err(refused) = redirect_url::check_redirect_url(text) {
            self.push(path, refused.to_string());
        }
    }

    /// Refuses an address that the page cannot link to.
    fn check_link_url(&mut self, path: &str, text: Option<&str>) {
        let Some(text) = self.check_text(path, text) else { return };
        if let Err(refused) = redirect_url::check_link_url(text) {
            self.push(path, refused.to_string());
        }
    }

    /// Refuses a webhook address that this server may not call.
    fn check_webhook_url(&mut self, path: &str, text: Option<&str>, context: ValidationContext<'_>) {
        let Some(url) = self.check_text(path, text) else { return };
        if !url.starts_with("https:") {
            self.push(path, "it begins with https:");
        } else if let Err(refused) = context.outbox.check_destination(url, true) {
            self.push(path, refused.to_string());
        }
    }

    /// Refuses the address of a page that cannot show this server's page in a frame. Only its origin counts.
    fn check_origin(&mut self, path: &str, text: Option<&str>) {
        let Some(url) = self.check_text(path, text) else { return };
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let has_host =
            host.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['));
        if !has_host || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            self.push(path, "it begins with https:// or http:// and a host");
        }
    }

    fn check_item_count(&mut self, path: &str, count: usize) {
        if count > MAX_LIST_ITEMS {
            self.push(path, format!("it has {count} items, at most {MAX_LIST_ITEMS} are taken"));
        }
    }
}

impl AgeSessionRequest {
    /// What is wrong with the request, by the paths of the payload.
    fn violations(&self, context: ValidationContext<'_>) -> Vec<Violation> {
        let mut violations = ViolationCollector::default();
        violations.check_range("ttl", self.ttl, TTL_SECONDS);
        for (at, method) in self.methods.iter().enumerate() {
            if self.methods[..at].iter().any(|earlier| earlier.method == method.method) {
                violations.push(&method.name, "the method is named twice");
            }
            let kind = self.kind.unwrap_or(AgeSessionType::Over);
            method.check(kind, &context.available.sub_methods(), &mut violations);
            if method.method == AgeMethod::CreditCard && self.double_blind != Some(true) {
                method.check_credit_card(kind, &mut violations);
            }
        }
        violations.check_text("reference_id", self.reference_id.as_deref());
        violations.check_length("account_id", self.account_id.as_deref(), MAX_ACCOUNT_ID_CHARS);
        violations.check_redirect_url(
            "callback.url",
            self.callback.as_ref().and_then(|callback| callback.url.as_deref()),
        );
        if self.callback.is_none() {
            violations.check_redirect_url("callback_url", self.callback_url.as_deref());
        }
        violations.check_redirect_url("cancel_url", self.cancel_url.as_deref());
        violations.check_link_url("privacy_policy", self.privacy_policy.as_deref());
        violations.check_link_url("terms_and_conditions", self.terms_and_conditions.as_deref());
        violations.check_webhook_url("notification_url", self.notification_url.as_deref(), context);
        violations.check_origin("target_origin_url", self.target_origin_url.as_deref());
        violations.check_item_count("blocked_locations", self.blocked_locations.len());
        if let Some(email) = &self.email {
            email.check(&mut violations);
        }
        violations.0
    }

    /// Validates the request and fills in the defaults. A refusal lists everything that is wrong at once, including
    /// `unread`, the members that could not be parsed.
    pub fn resolve(
        self,
        now: Timestamp,
        context: ValidationContext<'_>,
        unread: Vec<Violation>,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let mut violations = unread;
        let request = match context.policies.apply(self) {
            Ok(request) => request,
            Err(contradictions) => {
                violations.extend(contradictions);
                return Err(violations);
            }
        };
        for violation in request.violations(context) {
            // A member that could not be parsed is absent here, which may violate another rule: report it once.
            if violations.iter().all(|known| known.path != violation.path) {
                violations.push(violation);
            }
        }
        if violations.is_empty() { AgeSessionConfig::of(request, now, context) } else { Err(violations) }
    }

    /// Where the end user goes afterwards; `callback` takes precedence over `callback_url`.
    pub(super) fn callback(&self) -> Option<EndUserCallback> {
        match &self.callback {
            Some(CallbackRequest { url, auto }) => {
                Some(EndUserCallback { url: url.clone(), auto: auto.unwrap_or(false) })
            }
            None => self.callback_url.clone().map(|url| EndUserCallback { url: Some(url), auto: false }),
        }
    }
}

impl AgeMethodRequest {
    /// What is wrong with it in a session of this type, whatever server it is for.
    pub(super) fn violations(&self, kind: AgeSessionType) -> Vec<Violation> {
        let mut violations = ViolationCollector::default();
        self.check(kind, &[], &mut violations);
        if self.method == AgeMethod::CreditCard {
            self.check_credit_card(kind, &mut violations);
        }
        violations.0
    }

    /// Refuses levels of checks that the method does not make. Their lowest value says that there is none.
    fn check_levels(&self, violations: &mut ViolationCollector) {
        let (level, authenticity) = (self.terms.level, self.terms.authenticity);
        if let Some(level) = level.filter(|level| *level != LivenessLevel::None)
            && !self.method.uses_camera()
            // In place of a wallet's answer, a photo may be taken.
            && self.terms.age_estimation_allowed != Some(true)
        {
            let words = format!("it is {level}; this method takes no photo of a face, so it is NONE");
            violations.push(&format!("{}.level", self.name), words);
        }
        if let Some(authenticity) = authenticity.filter(|one| *one != AuthenticityLevel::Off)
            // The interface has the member in the block of an estimate, too, where clients of it repeat that of `doc_scan`.
            && !matches!(self.method, AgeMethod::DocScan | AgeMethod::AgeEstimation)
        {
            let words = format!("it is {authenticity}; this method reads no document, so it is OFF");
            violations.push(&format!("{}.authenticity", self.name), words);
        }
    }

    /// Refuses an age that no credit card proves.
    fn check_credit_card(&self, kind: AgeSessionType, violations: &mut ViolationCollector) {
        let highest = super::session_config::CREDIT_CARD_AGE_YEARS;
        let threshold = self.terms.threshold.filter(|threshold| *threshold > highest);
        let is_asked = kind == AgeSessionType::Over && self.terms.allowed != Some(false);
        if let Some(threshold) = threshold.filter(|_| is_asked) {
            let words =
                format!("it is {threshold}; a credit card proves an age of {highest} and no higher one");
            violations.push(&format!("{}.threshold", self.name), words);
        }
    }

    /// `sub_methods` are the ids of the providers that are set up.
    fn check(&self, kind: AgeSessionType, sub_methods: &[String], violations: &mut ViolationCollector) {
        let path = |member: &str| format!("{}.{member}", self.name);
        let bounds = match self.method {
            AgeMethod::DoubleAnonymity => TOKEN_THRESHOLD_YEARS,
            _ => THRESHOLD_YEARS,
        };
        let terms = &self.terms;
        violations.check_range(&path("threshold"), terms.threshold, bounds);
        violations.check_range(&path("retry_limit"), terms.retry_limit, RETRY_LIMIT_ATTEMPTS);
        self.check_levels(violations);
        match self.method {
            AgeMethod::AgeEstimation => {
                violations.check_confidence(&path("confidence"), terms.confidence, kind);
            }
            AgeMethod::DigitalId => {
                let confidence = terms.age_estimation_confidence;
                violations.check_confidence(&path("age_estimation_confidence"), confidence, kind);
                let path = path("age_estimation_threshold");
                violations.check_range(&path, terms.age_estimation_threshold, THRESHOLD_YEARS);
                self.check_estimate(kind, &path, violations);
            }
            AgeMethod::DocScan => {
                let code = terms.preset_issuing_country.as_ref().map(|code| code.to_ascii_uppercase());
                let known = |code: &String| code.len() == 3 && documents::countries::find_iso(code).is_some();
                if !code.as_ref().is_none_or(known) {
                    violations.push(&path("preset_issuing_country"), "it is not an ISO 3166-1 alpha-3 code");
                }
            }
            AgeMethod::ElectronicId => {
                let (known, ids) = (sub_methods, terms.sub_methods.as_deref().unwrap_or_default());
                violations.check_item_count(&path("sub_methods"), ids.len());
                for (at, id) in ids.iter().enumerate().take(MAX_LIST_ITEMS) {
                    if !known.contains(id) {
                        let words = format!("no such provider is set up; there are: {}", known.join(", "));
                        violations.push(&path(&format!("sub_methods[{at}]")), words);
                    }
                }
            }
            _ => {}
        }
    }

    /// An estimate is less reliable than a credential, so its threshold must lie on the safe side of the session's.
    fn check_estimate(&self, kind: AgeSessionType, path: &str, violations: &mut ViolationCollector) {
        let threshold = self.terms.threshold.unwrap_or(super::session_config::DEFAULT_THRESHOLD_YEARS);
        let Some(estimated) = self.terms.age_estimation_threshold else { return };
        let side = match kind {
            AgeSessionType::Over if estimated < threshold => "at least",
            AgeSessionType::Under if estimated > threshold => "at most",
            _ => return,
        };
        violations.push(path, format!("it is {estimated}; {side} the threshold of {threshold} is expected"));
    }
}

impl EmailRequest {
    fn check(&self, violations: &mut ViolationCollector) {
        let is_email = |address: &String| {
            address.len() <= MAX_EMAIL_BYTES
                && address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
                && !address.chars().any(|c| c.is_control() || c.is_whitespace())
        };
        match &self.address {
            None => violations.push("email.data.verified_email", "it is required"),
            Some(address) if !is_email(address) => {
                violations.push("email.data.verified_email", "it is not an e-mail address");
            }
            Some(_) => {}
        }
        let is_code = |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !self.country.as_ref().is_none_or(is_code) {
            violations.push("email.data.country_code", "it is not an ISO 3166-1 alpha-2 code");
        }
        if self.ip.as_ref().is_some_and(|ip| ip.parse::<IpAddr>().is_err()) {
            violations.push("email.data.ip_address", "it is not an IP address");
        }
    }

    /// The address to be evaluated.
    pub(super) fn into_verified(self) -> Option<VerifiedEmail> {
        let country = self.country.map(|code| code.to_ascii_uppercase());
        Some(VerifiedEmail { address: self.address?, country, ip: self.ip })
    }
}

#[cfg(test)]
pub(super) mod tests;
