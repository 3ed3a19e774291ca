//! What a session is asked for, with every default put in, as it is kept. A rule for kept results is the same.

use super::{
    Location,
    request::{AgeMethodRequest, AgeSessionRequest, EmailRequest},
    types::{AgeDisclosure, AgeMethod, AgeSessionType, AuthenticityLevel, LivenessLevel},
};
use crate::{delivery::Outbox, violation::Violation};
use base::{SignedDuration, Timestamp, Uuid};
use serde::{Deserialize, Serialize};

/// Seconds that a session is valid unless asked otherwise.
pub(super) const DEFAULT_TTL_SECONDS: i64 = 900;
/// The age that is asked for, unless asked otherwise, years.
pub(super) const DEFAULT_THRESHOLD_YEARS: i64 = 18;
/// Attempts at a method where it may be tried again and no limit is set.
const DEFAULT_RETRY_ATTEMPTS: i64 = 3;
/// A credit card shows so many years, and no more.
const CREDIT_CARD_AGE_YEARS: i64 = 18;

/// What the server has, as far as payloads depend on it.
#[derive(Clone, Copy, Debug)]
pub struct ValidationContext<'a> {
    /// Whether a method has a provider.
    pub available: &'a dyn AvailableMethods,
    /// Where webhooks go through.
    pub outbox: &'a Outbox,
    /// Seconds that a session lives, or a result is good for a rule, where the payload says nothing.
    pub ttl: i64,
}

/// Tells which methods and providers there are.
pub trait AvailableMethods: std::fmt::Debug + Send + Sync {
    /// Whether a method can be offered.
    fn supports(&self, method: AgeMethod) -> bool;
    /// The ids of the `OpenID` Connect providers of `electronic_id`.
    fn sub_methods(&self) -> Vec<String>;
    /// Whether an address that a business has verified can be judged, which takes no mail.
    fn checks_verified_email(&self) -> bool;
    /// The age that a blind token shows where this one is asked for, years; none where no token reaches it.
    fn token_threshold(&self, asked: i64) -> Option<u8>;
}

/// A create payload that holds. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the members are the payload's")]
pub struct AgeSessionConfig {
    /// What is to be told.
    pub kind: AgeSessionType,
    /// The methods that the payload speaks of, in its order; every one that is set up where it speaks of none.
    pub blocks: Vec<AgeMethodConfig>,
    /// When the session ends.
    pub until: Timestamp,
    /// Seconds of that; of a rule the greatest age of a token.
    pub ttl: i64,
    /// The business's own word for it, given back unchanged.
    pub reference_id: Option<String>,
    /// Where the person goes afterwards.
    pub callback: Option<EndUserCallback>,
    /// Whom to tell, https.
    pub notification_url: Option<String>,
    /// Whether consent to the use of biometric data is not asked for, because the business has it.
    pub block_biometric_consent: bool,
    /// The rule that an age token must satisfy.
    pub rule_id: Option<Uuid>,
    /// Where the person goes who calls it off.
    pub cancel_url: Option<String>,
    /// Where the business says what it does with data.
    pub privacy_policy: Option<String>,
    /// The business's terms.
    pub terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    pub retry_enabled: bool,
    /// Whether it may go on after it failed.
    pub resume_enabled: bool,
    /// From where it may not be used: ISO 3166-1 or ISO 3166-2.
    pub blocked_locations: Vec<Location>,
    /// Who is told by the page inside their frame.
    pub target_origin_url: Option<String>,
    /// Whether the person waits until every check has a result.
    pub synchronous_checks: bool,
    /// The business's own word for the person.
    pub account_id: Option<String>,
    /// Whether nothing but a blind token answers it.
    pub double_blind: bool,
    /// An address that the business has verified, to be judged when the session is made.
    #[serde(skip)]
    pub email: Option<VerifiedEmail>,
}

/// Where the person goes afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndUserCallback {
    /// The address; the session's id is added to its query.
    pub url: Option<String>,
    /// Whether they are sent there without a press of a button.
    pub auto: bool,
}

/// An address that the business has verified. It is judged at once and not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifiedEmail {
    /// The address.
    pub address: String,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The person's address on the network.
    pub ip: Option<String>,
}

// What it says of a person is nobody's business who reads a log.
impl std::fmt::Debug for VerifiedEmail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifiedEmail")
    }
}

/// A method and how it may be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgeMethodConfig {
    /// Which.
    pub method: AgeMethod,
    /// Whether it may be used.
    pub allowed: bool,
    /// The age that is asked for, years.
    pub threshold: i64,
    /// Whether the payload says so.
    #[serde(default)]
    pub says_threshold: bool,
    /// How it is made sure that a live person shows their face.
    pub level: LivenessLevel,
    /// How it is made sure that a document is genuine.
    pub authenticity: AuthenticityLevel,
    /// Whether it may be tried again.
    pub retry_enabled: bool,
    /// How often it may be tried, where it may be tried again.
    pub retry_limit: Option<i64>,
    /// Of a wallet: whether an estimated age will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_allowed: Option<bool>,
    /// Of a wallet: the age that an estimate must show, years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_threshold: Option<i64>,
    /// Of a document: the country that the page begins with, ISO 3166-1 alpha-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset_issuing_country: Option<String>,
    /// Of a document: whether the page offers no phone to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_mobile_hand_off: Option<bool>,
    /// Of a document: whether the person waits for the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronous_checks: Option<bool>,
    /// Of a key: whether a person who has one must use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<bool>,
    /// Of an electronic identity: which providers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_methods: Option<Vec<String>>,
}

impl AgeMethodConfig {
    /// A method with nothing said about it.
    fn with_defaults(method: AgeMethod, retry_enabled: bool) -> Self {
        let authenticity =
            if method == AgeMethod::DocScan { AuthenticityLevel::Auto } else { AuthenticityLevel::Off };
        Self {
            method,
            allowed: true,
            threshold: DEFAULT_THRESHOLD_YEARS,
            says_threshold: false,
            level: LivenessLevel::None,
            authenticity,
            retry_enabled,
            retry_limit: None,
            age_estimation_allowed: None,
            age_estimation_threshold: None,
            preset_issuing_country: None,
            disable_mobile_hand_off: None,
            synchronous_checks: None,
            authentication: None,
            sub_methods: None,
        }
    }

    /// A method on the terms that are asked for; the session's `retry_enabled` counts where they say nothing of it.
    fn of(AgeMethodRequest { method, terms, .. }: AgeMethodRequest, retry_enabled: bool) -> Self {
        let usual = Self::with_defaults(method, retry_enabled);
        let block = Self {
            allowed: terms.allowed.unwrap_or(true),
            threshold: terms.threshold.unwrap_or(DEFAULT_THRESHOLD_YEARS),
            says_threshold: terms.threshold.is_some(),
            level: terms.level.unwrap_or(usual.level),
            authenticity: terms.authenticity.unwrap_or(usual.authenticity),
            retry_enabled: terms.retry_enabled.unwrap_or(retry_enabled),
            retry_limit: terms.retry_limit,
            ..usual
        };
        match method {
            AgeMethod::DigitalId => Self {
                age_estimation_allowed: terms.age_estimation_allowed,
                age_estimation_threshold: terms.age_estimation_threshold,
                ..block
            },
            AgeMethod::DocScan => Self {
                preset_issuing_country: terms.preset_issuing_country.map(|code| code.to_ascii_uppercase()),
                disable_mobile_hand_off: terms.disable_mobile_hand_off,
                synchronous_checks: terms.synchronous_checks,
                ..block
            },
            AgeMethod::SvcKey => Self { authentication: terms.authentication, ..block },
            // An empty list is every provider, as where nothing is said.
            AgeMethod::ElectronicId => {
                Self { sub_methods: terms.sub_methods.filter(|named| !named.is_empty()), ..block }
            }
            _ => block,
        }
    }

    /// How often it may be tried, where it may be tried again.
    pub fn effective_retry_limit(&self) -> i64 {
        self.retry_limit.unwrap_or(DEFAULT_RETRY_ATTEMPTS)
    }

    /// How often it may be tried.
    pub fn max_attempts(&self) -> i64 {
        if self.retry_enabled { self.effective_retry_limit() } else { 1 }
    }

    /// Whether the method uses a face.
    pub fn is_biometric(&self) -> bool {
        match self.method {
            AgeMethod::AgeEstimation => true,
            AgeMethod::DocScan => self.level != LivenessLevel::None,
            _ => false,
        }
    }

    /// Whether the method can answer a session of this kind as this block asks.
    fn can_answer(&self, kind: AgeSessionType) -> bool {
        self.allowed
            && self.method.discloses().can_answer(kind)
            && (self.method != AgeMethod::CreditCard || self.threshold <= CREDIT_CARD_AGE_YEARS)
    }
}

impl AgeSessionConfig {
    /// What is asked for by a request that breaks no rule, with every default put in; refused where no method could answer it.
    pub(super) fn of(
        request: AgeSessionRequest,
        now: Timestamp,
        offer: ValidationContext<'_>,
    ) -> Result<Self, Vec<Violation>> {
        let retry_enabled = request.retry_enabled.unwrap_or(false);
        let double_blind = request.double_blind.unwrap_or(false);
        let ttl = request.ttl.unwrap_or(offer.ttl);
        let callback = request.callback();
        // Where only a token will do, its block is all there is to say.
        let blocks = if request.methods.is_empty() && !double_blind {
            default_methods(retry_enabled, offer.available)
        } else {
            request.methods.into_iter().map(|asked| AgeMethodConfig::of(asked, retry_enabled)).collect()
        };
        let mut wanted = Self {
            kind: request.kind.unwrap_or(AgeSessionType::Over),
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
            email: request.email.and_then(EmailRequest::into_verified),
        };
        if wanted.double_blind {
            wanted.restrict_to_blind_tokens();
        }
        wanted.ensure_any_method(offer)?;
        Ok(wanted)
    }

    /// Has it answered by a blind token alone: for the age of its own block, or else for the strictest that is asked for.
    fn restrict_to_blind_tokens(&mut self) {
        // An address that the business knows is the person's name, whatever came of it.
        self.email = None;
        if self.method_config(AgeMethod::DoubleAnonymity).is_none() {
            let asked = self.blocks.iter().filter(|block| block.allowed).map(|block| block.threshold);
            let threshold = asked.max().unwrap_or(DEFAULT_THRESHOLD_YEARS);
            let usual = AgeMethodConfig::with_defaults(AgeMethod::DoubleAnonymity, self.retry_enabled);
            self.blocks.push(AgeMethodConfig { threshold, ..usual });
        }
    }

    /// Leaves the methods that can be offered, or refuses a session that would offer none.
    fn ensure_any_method(&mut self, offer: ValidationContext<'_>) -> Result<(), Vec<Violation>> {
        let judged = self.email.is_some() && self.verified_email_method(offer.available).is_some();
        if judged || self.usable_methods(offer.available).next().is_some() {
            return Ok(());
        }
        let words = if self.double_blind {
            "double_blind: this server has no blind token that could answer the session".to_owned()
        } else if self.blocks.iter().any(|block| block.allowed && offer.available.supports(block.method)) {
            format!("none of the methods can answer a session of the type {}", self.kind)
        } else {
            "none of the methods is both allowed and set up at this server".to_owned()
        };
        Err(vec![crate::violation::violation("", words)])
    }

    /// The methods that can be used, in their order.
    pub fn usable_methods<'a>(
        &'a self,
        has: &'a dyn AvailableMethods,
    ) -> impl Iterator<Item = &'a AgeMethodConfig> {
        self.blocks.iter().filter(|block| {
            let token = block.method == AgeMethod::DoubleAnonymity;
            block.can_answer(self.kind)
                && has.supports(block.method)
                && (token || !self.double_blind)
                && (!token || has.token_threshold(block.threshold).is_some())
        })
    }

    /// What an address that the business has verified is judged by, where it can be.
    pub(super) fn verified_email_method(&self, has: &dyn AvailableMethods) -> Option<&AgeMethodConfig> {
        self.method_config(AgeMethod::Email)
            .filter(|block| block.can_answer(self.kind) && has.checks_verified_email())
    }

    /// What is said about a method.
    pub fn method_config(&self, method: AgeMethod) -> Option<&AgeMethodConfig> {
        self.blocks.iter().find(|block| block.method == method)
    }
}

/// Every method that is set up, with nothing said about it.
fn default_methods(retry: bool, has: &dyn AvailableMethods) -> Vec<AgeMethodConfig> {
    let known = AgeMethod::ALL.into_iter().filter(|method| has.supports(*method));
    known.map(|method| AgeMethodConfig::with_defaults(method, retry)).collect()
}

/// Whether what a token rests on is enough for what is asked: the method is among those asked for, and neither its
/// threshold nor its levels are less.
pub fn satisfies_rule(held: &StoredAgeResult, wanted: &AgeSessionConfig) -> bool {
    let Some(block) = wanted.method_config(held.method).filter(|block| block.allowed) else { return false };
    let enough = wanted.kind.is_answered_by(held.kind)
        && match wanted.kind {
            AgeSessionType::Over => held.age >= block.threshold,
            AgeSessionType::Under => held.age <= block.threshold,
            AgeSessionType::Age => true,
        };
    let level = |level: LivenessLevel| level as u8;
    let genuine = |authenticity: AuthenticityLevel| authenticity as u8;
    enough
        && level(held.level) >= level(block.level)
        && genuine(held.authenticity) >= genuine(block.authenticity)
        && (held.method.discloses() != AgeDisclosure::Over || wanted.kind == AgeSessionType::Over)
}

/// What a kept result says, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAgeResult {
    /// What it tells.
    pub kind: AgeSessionType,
    /// The age, or the threshold that was shown, years.
    pub age: i64,
    /// How.
    pub method: AgeMethod,
    /// How sure the face was.
    pub level: LivenessLevel,
    /// How sure the document was.
    pub authenticity: AuthenticityLevel,
}
