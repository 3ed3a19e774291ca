//! What a relying party asks for, held to the rules: bounds, what fits together, and what this server can do. A rule for
//! kept results is asked for in the same words.

use super::{
    Location,
    session_config::{AgeSessionConfig, EndUserCallback, ValidationContext, VerifiedEmail},
    types::{AgeMethod, AgeSessionType, AuthenticityLevel, LivenessLevel},
};
use crate::{UnknownVariantError, violation::Violation};
use base::{Timestamp, Uuid};
use serde::{Deserialize, Deserializer};
use std::{net::IpAddr, str::FromStr};

/// Seconds that a session may be valid, or a result may be old: a minute to thirty days.
const TTL_SECONDS: (i64, i64) = (60, 2_592_000);
/// Ages that can be asked for, years.
const THRESHOLD_YEARS: (i64, i64) = (1, 120);
/// Ages that blind tokens can be asked for, years.
const TOKEN_THRESHOLD_YEARS: (i64, i64) = (6, 100);
/// Attempts that can be allowed at one method.
const RETRY_LIMIT_ATTEMPTS: (i64, i64) = (1, 10);
/// The longest account id, characters.
const MAX_ACCOUNT_ID_CHARS: usize = 100;
/// The longest text of any other kind, characters.
const MAX_TEXT_CHARS: usize = 2048;
/// The longest list.
const MAX_LIST_ITEMS: usize = 300;
/// The longest e-mail address, bytes (RFC 5321, section 4.5.3).
const MAX_EMAIL_BYTES: usize = 254;

/// What is asked for. What is left out has a default, which [`AgeSessionRequest::resolve`] puts in.
#[derive(Clone, Debug, Default)]
pub struct AgeSessionRequest {
    /// What is to be told.
    pub kind: Option<AgeSessionType>,
    /// The methods that are named, in the order in which they are to be offered.
    pub methods: Vec<AgeMethodRequest>,
    /// Seconds that it is valid; of a rule, the greatest age of a result.
    pub ttl: Option<i64>,
    /// The relying party's own word for it.
    pub reference_id: Option<String>,
    /// Where the end user goes afterwards.
    pub callback: Option<CallbackRequest>,
    /// The same in short; `callback` goes before it.
    pub callback_url: Option<String>,
    /// Whom to tell.
    pub notification_url: Option<String>,
    /// Whether the relying party has the end user's consent to the use of biometric data.
    pub block_biometric_consent: Option<bool>,
    /// The rule that a kept result must satisfy.
    pub rule_id: Option<Uuid>,
    /// Where the end user goes who calls it off.
    pub cancel_url: Option<String>,
    /// The relying party's privacy policy.
    pub privacy_policy: Option<String>,
    /// The relying party's terms.
    pub terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    pub retry_enabled: Option<bool>,
    /// Whether it may go on after it failed.
    pub resume_enabled: Option<bool>,
    /// From where it may not be used.
    pub blocked_locations: Vec<Location>,
    /// The page in whose frame it runs.
    pub target_origin_url: Option<String>,
    /// Whether the end user waits until every check has a result.
    pub synchronous_checks: Option<bool>,
    /// The relying party's own word for the end user.
    pub account_id: Option<String>,
    /// Whether nothing but a blind token answers it.
    pub double_blind: Option<bool>,
    /// An address that the relying party has verified.
    pub email: Option<EmailRequest>,
}

/// A method that is named, and on which terms it may be used.
#[derive(Clone, Debug)]
pub struct AgeMethodRequest {
    /// The method.
    pub method: AgeMethod,
    /// What the request calls its block, in which the brand may stand.
    pub name: String,
    /// The terms.
    pub terms: AgeMethodTerms,
}

/// On which terms a method may be used. Operators write them into their configuration as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AgeMethodTerms {
    /// Whether it may be used.
    pub allowed: Option<bool>,
    /// The age that is asked for, years.
    pub threshold: Option<i64>,
    /// How it is made sure that a live person shows their face.
    #[serde(deserialize_with = "in_any_case")]
    pub level: Option<LivenessLevel>,
    /// How it is made sure that a document is genuine.
    #[serde(deserialize_with = "in_any_case")]
    pub authenticity: Option<AuthenticityLevel>,
    /// Whether it may be tried again.
    pub retry_enabled: Option<bool>,
    /// Attempts where it may be tried again.
    pub retry_limit: Option<i64>,
    /// Of a wallet: whether an estimated age will do.
    pub age_estimation_allowed: Option<bool>,
    /// Of a wallet: the age that an estimate must show, years.
    pub age_estimation_threshold: Option<i64>,
    /// Of a document: the country that the page begins with.
    pub preset_issuing_country: Option<String>,
    /// Of a document: whether the page offers no phone to go on with.
    pub disable_mobile_hand_off: Option<bool>,
    /// Of a document: whether the end user waits for the checks.
    pub synchronous_checks: Option<bool>,
    /// Of a key: whether somebody who has one must use it.
    pub authentication: Option<bool>,
    /// Of an electronic identity: which providers; all where none is named.
    pub sub_methods: Option<Vec<String>>,
}

/// Where the end user goes afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallbackRequest {
    /// The address.
    pub url: Option<String>,
    /// Whether they are sent there without a press of a button.
    pub auto: Option<bool>,
}

/// An address that the relying party has verified.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EmailRequest {
    /// The address, which is required.
    pub address: Option<String>,
    /// Where its holder is, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The address of its holder's device on the network.
    pub ip: Option<String>,
}

// Nobody who reads a log needs to know whose address it is.
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

/// The rules that a request breaks.
#[derive(Debug, Default)]
struct ViolationCollector(Vec<Violation>);

impl ViolationCollector {
    fn push(&mut self, path: &str, words: impl Into<String>) {
        self.0.push(Violation::new(path.to_owned(), words));
    }

    fn check_range(&mut self, path: &str, number: Option<i64>, (least, most): (i64, i64)) {
        if let Some(number) = number.filter(|number| !(least..=most).contains(number)) {
            self.push(path, format!("it is {number}; a whole number from {least} to {most} is expected"));
        }
    }

    /// Refuses a text that is too long; a text that is not.
    fn check_text<'a>(&mut self, path: &str, text: Option<&'a str>) -> Option<&'a str> {
        self.check_length(path, text, MAX_TEXT_CHARS)
    }

    fn check_length<'a>(&mut self, path: &str, text: Option<&'a str>, most: usize) -> Option<&'a str> {
        let length = text?.chars().count();
        if length <= most {
            return text;
        }
        self.push(path, format!("it has {length} characters, at most {most} are taken"));
        None
    }

    /// Refuses an address that nobody can be sent to, above all one that a browser would run.
    fn check_redirect_url(&mut self, path: &str, text: Option<&str>) {
        let Some(text) = self.check_text(path, text) else { return };
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        // Applications on a phone have schemes of their own.
        let fine = scheme.is_some_and(|scheme| {
            scheme.starts_with(|c: char| c.is_ascii_lowercase())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
                && !["javascript", "data", "vbscript", "file", "blob"].contains(&scheme.as_str())
        });
        if !fine || text.chars().any(char::is_control) {
            self.push(path, "it is no address that a person can be sent to");
        }
    }

    /// Refuses a webhook's address that this server does not call.
    fn check_webhook_url(&mut self, path: &str, text: Option<&str>, offer: ValidationContext<'_>) {
        let Some(url) = self.check_text(path, text) else { return };
        if !url.starts_with("https:") {
            self.push(path, "it begins with https:");
        } else if let Err(refused) = offer.outbox.check_destination(url, true) {
            self.push(path, refused.to_string());
        }
    }

    /// Refuses the address of a page that cannot have us in a frame. Only its origin counts.
    fn check_origin(&mut self, path: &str, text: Option<&str>) {
        let Some(url) = self.check_text(path, text) else { return };
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let fine = host.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['));
        if !fine || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            self.push(path, "it begins with https:// or http:// and a host");
        }
    }

    fn check_item_count(&mut self, path: &str, many: usize) {
        if many > MAX_LIST_ITEMS {
            self.push(path, format!("it has {many} items, at most {MAX_LIST_ITEMS} are taken"));
        }
    }
}

impl AgeSessionRequest {
    /// What of it breaks a rule, by the paths of the payload.
    fn violations(&self, offer: ValidationContext<'_>) -> Vec<Violation> {
        let mut found = ViolationCollector::default();
        found.check_range("ttl", self.ttl, TTL_SECONDS);
        for (at, asked) in self.methods.iter().enumerate() {
            if self.methods[..at].iter().any(|earlier| earlier.method == asked.method) {
                found.push(&asked.name, "this method is spoken of twice");
            }
            asked.check(self.kind.unwrap_or(AgeSessionType::Over), offer, &mut found);
        }
        found.check_text("reference_id", self.reference_id.as_deref());
        found.check_length("account_id", self.account_id.as_deref(), MAX_ACCOUNT_ID_CHARS);
        found.check_redirect_url(
            "callback.url",
            self.callback.as_ref().and_then(|callback| callback.url.as_deref()),
        );
        if self.callback.is_none() {
            found.check_redirect_url("callback_url", self.callback_url.as_deref());
        }
        found.check_redirect_url("cancel_url", self.cancel_url.as_deref());
        found.check_redirect_url("privacy_policy", self.privacy_policy.as_deref());
        found.check_redirect_url("terms_and_conditions", self.terms_and_conditions.as_deref());
        found.check_webhook_url("notification_url", self.notification_url.as_deref(), offer);
        found.check_origin("target_origin_url", self.target_origin_url.as_deref());
        found.check_item_count("blocked_locations", self.blocked_locations.len());
        if let Some(email) = &self.email {
            email.check(&mut found);
        }
        found.0
    }

    /// What is asked for, with every default put in. `unread` is what could not be read of it: together with every rule that
    /// is broken it is told at once.
    pub fn resolve(
        self,
        now: Timestamp,
        offer: ValidationContext<'_>,
        unread: Vec<Violation>,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let mut violations = unread;
        for violation in self.violations(offer) {
            // What could not be read is missing here, and must not be told a second time.
            if violations.iter().all(|known| known.path != violation.path) {
                violations.push(violation);
            }
        }
        if violations.is_empty() { AgeSessionConfig::of(self, now, offer) } else { Err(violations) }
    }

    /// Where the end user goes afterwards.
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
    fn check(&self, kind: AgeSessionType, offer: ValidationContext<'_>, found: &mut ViolationCollector) {
        let path = |member: &str| format!("{}.{member}", self.name);
        let bounds = match self.method {
            AgeMethod::DoubleAnonymity => TOKEN_THRESHOLD_YEARS,
            _ => THRESHOLD_YEARS,
        };
        let terms = &self.terms;
        found.check_range(&path("threshold"), terms.threshold, bounds);
        found.check_range(&path("retry_limit"), terms.retry_limit, RETRY_LIMIT_ATTEMPTS);
        match self.method {
            AgeMethod::DigitalId => {
                let path = path("age_estimation_threshold");
                found.check_range(&path, terms.age_estimation_threshold, THRESHOLD_YEARS);
                self.check_estimate(kind, &path, found);
            }
            AgeMethod::DocScan => {
                let code = terms.preset_issuing_country.as_ref().map(|code| code.to_ascii_uppercase());
                let known = |code: &String| code.len() == 3 && documents::countries::find_iso(code).is_some();
                if !code.as_ref().is_none_or(known) {
                    found.push(&path("preset_issuing_country"), "it is no ISO 3166-1 alpha-3 code");
                }
            }
            AgeMethod::ElectronicId => {
                let (known, asked) =
                    (offer.available.sub_methods(), terms.sub_methods.as_deref().unwrap_or_default());
                found.check_item_count(&path("sub_methods"), asked.len());
                for (at, id) in asked.iter().enumerate().take(MAX_LIST_ITEMS) {
                    if !known.contains(id) {
                        let words = format!("no such provider is set up; there are: {}", known.join(", "));
                        found.push(&path(&format!("sub_methods[{at}]")), words);
                    }
                }
            }
            _ => {}
        }
    }

    /// An estimated age is less sure than a certified one, so it must lie on the safe side of what is asked for.
    fn check_estimate(&self, kind: AgeSessionType, path: &str, found: &mut ViolationCollector) {
        let asked = self.terms.threshold.unwrap_or(super::session_config::DEFAULT_THRESHOLD_YEARS);
        let Some(estimated) = self.terms.age_estimation_threshold else { return };
        let side = match kind {
            AgeSessionType::Over if estimated < asked => "at least",
            AgeSessionType::Under if estimated > asked => "at most",
            _ => return,
        };
        found.push(path, format!("it is {estimated}; {side} the threshold of {asked} is expected"));
    }
}

impl EmailRequest {
    fn check(&self, found: &mut ViolationCollector) {
        let is_email = |address: &String| {
            address.len() <= MAX_EMAIL_BYTES
                && address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
                && !address.chars().any(|c| c.is_control() || c.is_whitespace())
        };
        match &self.address {
            None => found.push("email.data.verified_email", "it is required"),
            Some(address) if !is_email(address) => {
                found.push("email.data.verified_email", "it is no e-mail address");
            }
            Some(_) => {}
        }
        let is_code = |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !self.country.as_ref().is_none_or(is_code) {
            found.push("email.data.country_code", "it is no ISO 3166-1 alpha-2 code");
        }
        if self.ip.as_ref().is_some_and(|ip| ip.parse::<IpAddr>().is_err()) {
            found.push("email.data.ip_address", "it is no IP address");
        }
    }

    /// The address, to be judged.
    pub(super) fn into_verified(self) -> Option<VerifiedEmail> {
        let country = self.country.map(|code| code.to_ascii_uppercase());
        Some(VerifiedEmail { address: self.address?, country, ip: self.ip })
    }
}
