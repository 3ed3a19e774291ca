//! The configuration of a session: what the relying party asked for, with every default filled in, as it is stored. A
//! rule for stored results has the same form.

use super::{
    Location,
    policies::AgePolicyBook,
    request::{AgeMethodRequest, AgeSessionRequest, EmailRequest},
    types::{
        AgeDisclosure, AgeMethod, AgeSessionType, AttestationRequirement, AuthenticityLevel, LivenessLevel,
        SignalAssurance,
    },
};
use crate::{delivery::Outbox, violation::Violation};
use age_methods::age_on;
use base::{AppId, SignedDuration, Timestamp, Uuid};
use jiff::{Span, civil::Date};
use serde::{Deserialize, Serialize};

/// How long a session is valid unless the request says otherwise, seconds.
pub(super) const DEFAULT_TTL_SECONDS: i64 = 900;
/// The age that is asked for unless the request says otherwise, years.
pub(super) const DEFAULT_THRESHOLD_YEARS: i64 = 18;
/// Attempts at a method that allows retries and sets no limit.
const DEFAULT_RETRY_ATTEMPTS: i64 = 3;
/// The age that a credit card proves, years.
pub(in crate::age_verification) const CREDIT_CARD_AGE_YEARS: i64 = 18;

/// What the server offers, as far as the validity of a request depends on it.
#[derive(Clone, Copy, Debug)]
pub struct ValidationContext<'a> {
    /// The application that asks.
    pub app: AppId,
    pub available: &'a dyn AvailableMethods,
    /// Knows which webhook destinations are allowed.
    pub outbox: &'a Outbox,
    /// The default validity of a session, or the default maximum age of a result under a rule, seconds.
    pub ttl: i64,
    /// How confident an estimate must be if the request does not say, 0.5 to 0.999.
    pub estimate_confidence: Option<f64>,
    /// The policies that a request can name.
    pub policies: &'a AgePolicyBook,
}

/// The methods and providers that are configured.
pub trait AvailableMethods: std::fmt::Debug + Send + Sync {
    /// Whether a method can be offered.
    fn supports(&self, method: AgeMethod) -> bool;
    /// Whether a platform can vouch for an app in the sessions of an application.
    fn attests_signals_of(&self, app: AppId) -> bool;
    /// Whether a method can be offered in the sessions of an application. `attestation` is that of its terms: where it is not
    /// optional, a device signal of an application that has no app here could never count.
    fn supports_for(
        &self,
        app: AppId,
        method: AgeMethod,
        attestation: Option<AttestationRequirement>,
    ) -> bool {
        let counts = method != AgeMethod::DeviceSignal
            || attestation == Some(AttestationRequirement::Optional)
            || self.attests_signals_of(app);
        self.supports(method) && counts
    }
    /// The ids of the `OpenID` Connect providers of `electronic_id`.
    fn sub_methods(&self) -> Vec<String>;
    /// Whether an address that the relying party has verified can be evaluated, for which no mail is sent.
    fn checks_verified_email(&self) -> bool;
    /// The age that a blind token attests if `threshold` is asked for: the lowest that is not below it, years. `None`
    /// if there is no such token.
    fn token_threshold(&self, threshold: i64) -> Option<u8>;
}

/// What a session or a rule asks for. Stored as JSON: give new members defaults, and keep the serialised names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the members are the payload's")]
pub struct AgeSessionConfig {
    /// What is asked about the age.
    pub kind: AgeSessionType,
    /// The methods of the request, in its order; every available method if it names none.
    pub blocks: Vec<AgeMethodConfig>,
    /// When the session expires.
    pub until: Timestamp,
    /// How long the session is valid; in a rule, the maximum age of a result. Seconds.
    pub ttl: i64,
    /// The relying party's own reference for the session, returned unchanged.
    pub reference_id: Option<String>,
    /// Where the end user goes afterwards.
    pub callback: Option<EndUserCallback>,
    /// Receives a webhook for each attempt that ended; https.
    pub notification_url: Option<String>,
    /// Whether consent to the use of biometric data is not asked for, because the relying party has it.
    pub block_biometric_consent: bool,
    /// The rule that a stored result must satisfy.
    pub rule_id: Option<Uuid>,
    /// Where the end user goes after cancelling.
    pub cancel_url: Option<String>,
    /// The address of the relying party's privacy policy.
    pub privacy_policy: Option<String>,
    /// The address of the relying party's terms and conditions.
    pub terms_and_conditions: Option<String>,
    /// Whether methods may be tried again, unless their own block says otherwise.
    pub retry_enabled: bool,
    /// Whether the session may continue with any method after FAIL or ERROR.
    pub resume_enabled: bool,
    /// Locations where the session may not be used.
    pub blocked_locations: Vec<Location>,
    /// The page that shows the session in a frame and is sent its changes of status. Only its origin counts.
    pub target_origin_url: Option<String>,
    /// Whether the end user waits until every check has a result.
    pub synchronous_checks: bool,
    /// The relying party's own reference for the end user.
    pub account_id: Option<String>,
    /// Whether only a blind token is accepted.
    pub double_blind: bool,
    /// The policy that the methods are of, and its version: `gb@1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// An address that the relying party has verified, evaluated when the session is created and never stored.
    #[serde(skip)]
    pub email: Option<VerifiedEmail>,
}

/// Where the end user goes afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndUserCallback {
    /// The address; the session's id is added to its query.
    pub url: Option<String>,
    /// Whether they are sent there without a button.
    pub auto: bool,
}

/// An email address that the relying party has verified. It is evaluated at once and not stored.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifiedEmail {
    pub address: String,
    /// The country of its holder, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The IP address of the end user's device.
    pub ip: Option<String>,
}

// Keeps the address out of logs.
impl std::fmt::Debug for VerifiedEmail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifiedEmail")
    }
}

/// A method and the terms of its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgeMethodConfig {
    pub method: AgeMethod,
    /// Whether it may be used.
    pub allowed: bool,
    /// The age that is asked for, years.
    pub threshold: i64,
    /// Whether the request names that age.
    #[serde(default)]
    pub says_threshold: bool,
    /// How the method checks that a live person is in front of the camera.
    pub level: LivenessLevel,
    /// How the genuineness of a document is checked.
    pub authenticity: AuthenticityLevel,
    /// Whether it may be tried again.
    pub retry_enabled: bool,
    /// Attempts in total, if it may be tried again.
    pub retry_limit: Option<i64>,
    /// For a photo: how confident the estimate must be to pass or to fail, 0.5 to 0.999. `None`: it is compared with the
    /// threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// For a wallet: whether age estimation is accepted if the wallet gives no age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_allowed: Option<bool>,
    /// For a wallet: the age that an estimate must show, years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_threshold: Option<i64>,
    /// For a wallet: as `confidence`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_confidence: Option<f64>,
    /// For a document: the country that the page preselects, ISO 3166-1 alpha-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset_issuing_country: Option<String>,
    /// For a document: whether the page does not offer to continue on a phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_mobile_hand_off: Option<bool>,
    /// For a document: whether the end user waits until the checks have a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronous_checks: Option<bool>,
    /// For a document: whether documents are accepted that are not printed in Latin letters only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_non_latin_documents: Option<bool>,
    /// For a passkey: whether it is offered to the end user, who must use it; else the page tries it at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<bool>,
    /// For an electronic identity: the ids of the providers to offer; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_methods: Option<Vec<String>>,
    /// For a device signal: who must at least stand behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<SignalAssurance>,
    /// For a device signal: whether the platform must vouch for the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation: Option<AttestationRequirement>,
}

impl AgeMethodConfig {
    /// A method on the default terms.
    fn with_defaults(method: AgeMethod, retry_enabled: bool, estimate_confidence: Option<f64>) -> Self {
        let authenticity =
            if method == AgeMethod::DocScan { AuthenticityLevel::Auto } else { AuthenticityLevel::Off };
        let is_signal = method == AgeMethod::DeviceSignal;
        Self {
            method,
            allowed: true,
            threshold: DEFAULT_THRESHOLD_YEARS,
            says_threshold: false,
            level: LivenessLevel::None,
            authenticity,
            retry_enabled,
            retry_limit: None,
            confidence: estimate_confidence.filter(|_| method == AgeMethod::AgeEstimation),
            age_estimation_allowed: None,
            age_estimation_threshold: None,
            age_estimation_confidence: estimate_confidence.filter(|_| method == AgeMethod::DigitalId),
            preset_issuing_country: None,
            disable_mobile_hand_off: None,
            synchronous_checks: None,
            allow_non_latin_documents: None,
            authentication: None,
            sub_methods: None,
            assurance: is_signal.then_some(SignalAssurance::Checked),
            attestation: is_signal.then_some(AttestationRequirement::Required),
        }
    }

    /// A method on the terms of the request. `retry_enabled` is that of the session, the default for the block.
    fn of(
        AgeMethodRequest { method, terms, .. }: AgeMethodRequest,
        retry_enabled: bool,
        estimate_confidence: Option<f64>,
    ) -> Self {
        let defaults = Self::with_defaults(method, retry_enabled, estimate_confidence);
        let block = Self {
            allowed: terms.allowed.unwrap_or(true),
            threshold: terms.threshold.unwrap_or(DEFAULT_THRESHOLD_YEARS),
            says_threshold: terms.threshold.is_some(),
            level: terms.level.unwrap_or(defaults.level),
            authenticity: terms.authenticity.unwrap_or(defaults.authenticity),
            retry_enabled: terms.retry_enabled.unwrap_or(retry_enabled),
            retry_limit: terms.retry_limit,
            ..defaults
        };
        match method {
            AgeMethod::AgeEstimation => Self { confidence: terms.confidence.or(block.confidence), ..block },
            AgeMethod::DigitalId => Self {
                age_estimation_allowed: terms.age_estimation_allowed,
                age_estimation_threshold: terms.age_estimation_threshold,
                age_estimation_confidence: terms
                    .age_estimation_confidence
                    .or(block.age_estimation_confidence),
                ..block
            },
            AgeMethod::DocScan => Self {
                preset_issuing_country: terms.preset_issuing_country.map(|code| code.to_ascii_uppercase()),
                disable_mobile_hand_off: terms.disable_mobile_hand_off,
                synchronous_checks: terms.synchronous_checks,
                allow_non_latin_documents: terms.allow_non_latin_documents,
                ..block
            },
            AgeMethod::DeviceSignal => Self {
                assurance: terms.assurance.or(block.assurance),
                attestation: terms.attestation.or(block.attestation),
                ..block
            },
            AgeMethod::SvcKey => Self { authentication: terms.authentication, ..block },
            // An empty list means every provider, like an absent one.
            AgeMethod::ElectronicId => {
                Self { sub_methods: terms.sub_methods.filter(|ids| !ids.is_empty()), ..block }
            }
            _ => block,
        }
    }

    /// Attempts in total, if it may be tried again.
    pub fn effective_retry_limit(&self) -> i64 {
        self.retry_limit.unwrap_or(DEFAULT_RETRY_ATTEMPTS)
    }

    /// Attempts in total: 1 unless it may be tried again.
    pub fn max_attempts(&self) -> i64 {
        if self.retry_enabled { self.effective_retry_limit() } else { 1 }
    }

    /// Whether the page tries the method by itself at the start, instead of offering it.
    pub fn is_silent(&self) -> bool {
        self.method == AgeMethod::SvcKey && !self.authentication.unwrap_or(false)
    }

    /// Whether only the business's app can use it, and no page.
    pub fn is_in_app(&self) -> bool {
        self.method == AgeMethod::DeviceSignal
    }

    /// The check of liveness behind a result of the method; `NONE` where no camera is used.
    pub fn liveness_level(&self) -> LivenessLevel {
        self.method.liveness_level(self.level)
    }

    /// How confident an estimate must be to pass or to fail; `None` if it is compared with the threshold.
    pub fn confidence_in_estimates(&self) -> Option<f64> {
        if self.method == AgeMethod::DigitalId { self.age_estimation_confidence } else { self.confidence }
    }

    /// Whether the method uses a face.
    pub fn is_biometric(&self) -> bool {
        match self.method {
            AgeMethod::AgeEstimation => true,
            AgeMethod::DocScan => self.level != LivenessLevel::None,
            _ => false,
        }
    }

    /// The age that is asked for, as providers and tokens take it; ages above 255 do not occur.
    pub(super) fn threshold_years(&self) -> u8 {
        u8::try_from(self.threshold).unwrap_or(u8::MAX)
    }

    /// Whether the method can be used on these terms in the sessions of an application.
    fn is_set_up(&self, app: AppId, available: &dyn AvailableMethods) -> bool {
        available.supports_for(app, self.method, self.attestation)
    }

    /// Whether the method, on these terms, can answer a session of this type.
    fn can_answer(&self, kind: AgeSessionType) -> bool {
        self.allowed
            && self.method.discloses().can_answer(kind)
            && (self.method != AgeMethod::CreditCard || self.threshold <= CREDIT_CARD_AGE_YEARS)
    }
}

impl AgeSessionConfig {
    /// Addresses of the relying party's own pages and servers. Pages of their origins may show the session in a frame.
    pub fn embedder_addresses(&self) -> Vec<String> {
        let callback = self.callback.as_ref().and_then(|callback| callback.url.clone());
        [self.target_origin_url.clone(), callback, self.notification_url.clone()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Fills in the defaults of a request that breaks no rule. Refused if no method could answer it.
    pub(super) fn of(
        request: AgeSessionRequest,
        now: Timestamp,
        context: ValidationContext<'_>,
    ) -> Result<Self, Vec<Violation>> {
        let retry_enabled = request.retry_enabled.unwrap_or(false);
        let double_blind = request.double_blind.unwrap_or(false);
        let ttl = request.ttl.unwrap_or(context.ttl);
        let callback = request.callback();
        let kind = request.kind.unwrap_or(AgeSessionType::Over);
        // A session of the type AGE compares an estimate with nothing, so it asks for no confidence.
        let context = ValidationContext {
            estimate_confidence: context.estimate_confidence.filter(|_| kind != AgeSessionType::Age),
            ..context
        };
        // With `double_blind` the only block is that of the token, which is added below.
        let blocks = if request.methods.is_empty() && !double_blind {
            default_methods(retry_enabled, context)
        } else {
            let of = |method| AgeMethodConfig::of(method, retry_enabled, context.estimate_confidence);
            request.methods.into_iter().map(of).collect()
        };
        let mut config = Self {
            kind,
            blocks,
            until: now + SignedDuration::from_secs(ttl),
            ttl,
            reference_id: request.reference_id,
            callback,
            notification_url: request.notification_url,
            block_biometric_consent: request.block_biometric_consent.unwrap_or(false),
            rule_id: request.rule_id,
            cancel_url: request.cancel_url,
            privacy_policy: request.privacy_policy,
            terms_and_conditions: request.terms_and_conditions,
            retry_enabled,
            resume_enabled: request.resume_enabled.unwrap_or(false),
            blocked_locations: request.blocked_locations,
            target_origin_url: request.target_origin_url,
            synchronous_checks: request.synchronous_checks.unwrap_or(false),
            account_id: request.account_id,
            double_blind,
            policy: request.policy,
            email: request.email.and_then(EmailRequest::into_verified),
        };
        if config.double_blind {
            config.restrict_to_blind_tokens();
        }
        config.ensure_any_method(context)?;
        Ok(config)
    }

    /// Accepts only a blind token: for the threshold of its own block, or else for the highest that an allowed block
    /// asks for.
    fn restrict_to_blind_tokens(&mut self) {
        // An address that the relying party knows identifies the end user, whatever its evaluation says.
        self.email = None;
        if self.method_config(AgeMethod::DoubleAnonymity).is_none() {
            let thresholds = self.blocks.iter().filter(|block| block.allowed).map(|block| block.threshold);
            let threshold = thresholds.max().unwrap_or(DEFAULT_THRESHOLD_YEARS);
            let defaults =
                AgeMethodConfig::with_defaults(AgeMethod::DoubleAnonymity, self.retry_enabled, None);
            self.blocks.push(AgeMethodConfig { threshold, ..defaults });
        }
    }

    /// Refuses a session that could offer no method and has no verified address that could be evaluated.
    fn ensure_any_method(&mut self, context: ValidationContext<'_>) -> Result<(), Vec<Violation>> {
        let has_usable_email =
            self.email.is_some() && self.verified_email_method(context.available).is_some();
        if has_usable_email || self.usable_methods(context.app, context.available).next().is_some() {
            return Ok(());
        }
        let words = if self.double_blind {
            "double_blind: this server has no blind token that could answer the session".to_owned()
        } else if self
            .blocks
            .iter()
            .any(|block| block.allowed && block.is_set_up(context.app, context.available))
        {
            format!("none of the methods can answer a session of the type {}", self.kind)
        } else {
            "none of the methods is both allowed and set up at this server".to_owned()
        };
        Err(vec![crate::violation::violation("", words)])
    }

    /// The methods that can be used in a session of the application, in the order in which they are offered.
    pub fn usable_methods<'a>(
        &'a self,
        app: AppId,
        available: &'a dyn AvailableMethods,
    ) -> impl Iterator<Item = &'a AgeMethodConfig> {
        self.blocks.iter().filter(move |block| {
            let is_token = block.method == AgeMethod::DoubleAnonymity;
            block.can_answer(self.kind)
                && block.is_set_up(app, available)
                && (is_token || !self.double_blind)
                && (!is_token || available.token_threshold(block.threshold).is_some())
        })
    }

    /// The terms by which an address that the relying party has verified is evaluated; none if that is not possible.
    pub(super) fn verified_email_method(&self, available: &dyn AvailableMethods) -> Option<&AgeMethodConfig> {
        self.method_config(AgeMethod::Email)
            .filter(|block| block.can_answer(self.kind) && available.checks_verified_email())
    }

    /// The block of a method.
    pub fn method_config(&self, method: AgeMethod) -> Option<&AgeMethodConfig> {
        self.blocks.iter().find(|block| block.method == method)
    }
}

/// Every available method, on the default terms.
fn default_methods(retry_enabled: bool, context: ValidationContext<'_>) -> Vec<AgeMethodConfig> {
    let on_defaults =
        |method| AgeMethodConfig::with_defaults(method, retry_enabled, context.estimate_confidence);
    let blocks = AgeMethod::ALL.into_iter().map(on_defaults);
    blocks.filter(|block| block.is_set_up(context.app, context.available)).collect()
}

/// Whether a stored result is enough for a session or rule: its method is among those allowed, and neither its age nor
/// its levels fall short.
pub fn satisfies_rule(result: &StoredAgeResult, rule: &AgeSessionConfig) -> bool {
    let Some(block) = rule.method_config(result.method).filter(|block| block.allowed) else { return false };
    let is_answered = rule.kind.is_answered_by(result.kind)
        && match rule.kind {
            AgeSessionType::Over => result.age >= block.threshold,
            AgeSessionType::Under => result.age <= block.threshold,
            AgeSessionType::Age => true,
        };
    // Sessions and rules of the type AGE ask for no confidence; rows of older builds name the operator's all the same.
    let confidence = |kind: AgeSessionType, named: Option<f64>| {
        named.filter(|_| kind != AgeSessionType::Age).unwrap_or_default()
    };
    // The variants of both enums are declared from the weakest to the strongest.
    is_answered
        && confidence(result.kind, result.confidence) >= confidence(rule.kind, block.confidence)
        && result.level as u8 >= block.level as u8
        && result.authenticity as u8 >= block.authenticity as u8
        && (result.method.discloses() != AgeDisclosure::Over || rule.kind == AgeSessionType::Over)
}

/// A result that can be stored under a passkey: what it says, and how it was obtained. It names neither session nor
/// relying party.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredAgeResult {
    /// The type of the session that it is from.
    pub kind: AgeSessionType,
    /// The age if the type is AGE, else the threshold; years.
    pub age: i64,
    pub method: AgeMethod,
    /// The liveness check of the block in its session; [`StoredAgeResult::liveness_level`] is the one that was made.
    pub level: LivenessLevel,
    /// The authenticity check of the session that it is from.
    pub authenticity: AuthenticityLevel,
    /// The confidence that was asked of the estimate, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl StoredAgeResult {
    /// What it says on `today` of somebody about whom it was found out on `proved_on`. Who was under an age has birthdays, and
    /// is only known to be under a higher one: that which the oldest person of whom it was true has not reached yet. An age
    /// that was reached stays reached.
    #[must_use]
    pub fn as_of(&self, proved_on: Date, today: Date) -> Self {
        let age = match self.kind {
            AgeSessionType::Over | AgeSessionType::Age => self.age,
            AgeSessionType::Under => {
                let before = Span::new().try_years(self.age).ok();
                let oldest = before.and_then(|years| proved_on.checked_sub(years).ok()?.tomorrow().ok());
                // Without such a day, which no threshold comes near, nothing is known.
                oldest.map_or(i64::MAX, |born| i64::from(age_on(born, today.max(proved_on))) + 1)
            }
        };
        Self { age, ..self.clone() }
    }

    /// The check of liveness behind it.
    pub fn liveness_level(&self) -> LivenessLevel {
        self.method.liveness_level(self.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    fn result(kind: AgeSessionType, age: i64) -> StoredAgeResult {
        StoredAgeResult {
            kind,
            age,
            method: AgeMethod::DocScan,
            level: LivenessLevel::None,
            authenticity: AuthenticityLevel::Auto,
            confidence: None,
        }
    }

    #[test]
    fn who_was_under_an_age_has_birthdays() {
        let under = |age: i64, proved_on: &str, today: &str| {
            result(AgeSessionType::Under, age).as_of(day(proved_on), day(today)).age
        };
        for (today, age) in [
            ("2026-12-09", 18),
            ("2026-12-10", 19),
            ("2027-01-08", 19),
            ("2027-12-09", 19),
            ("2027-12-10", 20),
            // A clock that went back makes nobody younger.
            ("2025-01-01", 18),
        ] {
            assert_eq!(under(18, "2026-12-09", today), age, "{today}");
        }
        let same = |kind| result(kind, 18).as_of(day("2026-12-09"), day("2027-12-10")).age;
        assert_eq!([AgeSessionType::Over, AgeSessionType::Age].map(same), [18, 18]);
        assert_eq!(under(i64::MAX, "2026-12-09", "2026-12-09"), i64::MAX);
    }

    #[test]
    fn nobody_of_whom_it_was_true_has_reached_what_it_says_later() {
        let days = |from: &str, count: usize| {
            std::iter::successors(Some(day(from)), |day| day.tomorrow().ok()).take(count).collect::<Vec<_>>()
        };
        // Around the leap days of births, proofs and later sessions.
        for proved_on in [days("2024-02-26", 6), days("2025-02-26", 6)].concat() {
            for born in [days("2007-02-26", 6), days("2008-02-26", 6)].concat() {
                let threshold = i64::from(age_on(born, proved_on)) + 1;
                let kept = result(AgeSessionType::Under, threshold);
                for today in [days("2025-02-26", 6), days("2027-02-26", 6), days("2028-02-26", 6)].concat() {
                    let told = kept.as_of(proved_on, today).age;
                    let age = i64::from(age_on(born, today.max(proved_on)));
                    assert!(age < told, "born {born}, proved {proved_on}, today {today}");
                    assert!(told <= age + 2, "{told}: born {born}, proved {proved_on}, today {today}");
                }
            }
        }
    }
}
