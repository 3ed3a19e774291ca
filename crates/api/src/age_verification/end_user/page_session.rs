//! A session, as its page sees it: what is asked for, what may be done and what the outcome was, without the relying
//! party's own data.

use crate::ApiState;
use base::{AgeSessionId, Timestamp};
use domain::age_verification::{
    RelyingPartyProfile,
    session::{AgeAttemptOutcome, AgeSession},
    session_config::{AgeMethodConfig, EndUserCallback},
    types::{AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType, LivenessLevel},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A session, as its page sees it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageSession {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The state of the session.
    status: AgeSessionStatus,
    /// What is asked about the age.
    #[serde(rename = "type")]
    kind: AgeSessionType,
    /// When the session expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// Seconds until then, rounded up.
    #[schema(minimum = 0)]
    seconds_left: i64,
    /// The relying party's name.
    business: String,
    /// Whether it is a session of the sandbox.
    sandbox: bool,
    /// In a session of the issuer of blind tokens: the age that the token attests, years.
    #[schema(required)]
    issues: Option<u8>,
    /// Consent to the use of biometric data.
    consent: PageConsent,
    /// The methods that can be used, in the order in which they are offered.
    methods: Vec<PageMethod>,
    /// The outcome of the last attempt that ended.
    #[schema(required)]
    result: Option<PageResult>,
    /// Whether the session has failed and another attempt may begin.
    retry: bool,
    /// Where the end user goes afterwards.
    #[schema(required)]
    callback: Option<PageCallback>,
    /// Where the end user goes after cancelling.
    #[schema(required)]
    cancel_url: Option<String>,
    /// The address of the relying party's privacy policy.
    #[schema(required)]
    privacy_policy: Option<String>,
    /// The address of the relying party's terms and conditions.
    #[schema(required)]
    terms_and_conditions: Option<String>,
    /// The origin of the page that shows the session in a frame.
    #[schema(required)]
    target_origin_url: Option<String>,
    /// How long results are kept.
    keeps: PageRetention,
    /// What the end user may take along.
    offers: PageOffers,
    /// Whether the end user is in a location that the session blocks; only given by `GET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    location_blocked: Option<bool>,
}

/// Consent to the use of biometric data.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageConsent {
    /// Whether consent is required.
    required: bool,
    /// The end user's answer, once there is one.
    #[schema(required)]
    given: Option<bool>,
    /// Whether the end user may give it now, also after they refused it.
    may_give: bool,
}

/// A method that can be used.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own to the page")]
pub(crate) struct PageMethod {
    /// The method.
    method: AgeMethod,
    /// The last part of the address of its page.
    #[schema(example = "doc_scan")]
    path: &'static str,
    /// The age that is asked for, years.
    #[schema(minimum = 1, maximum = 120)]
    threshold: i64,
    /// How the method checks that a live person is in front of the camera.
    level: LivenessLevel,
    /// Whether it uses a face.
    biometric: bool,
    /// The state of the method.
    state: PageMethodState,
    /// Attempts that ended.
    #[schema(minimum = 0)]
    attempts: i64,
    /// Attempts that are left.
    #[schema(minimum = 0)]
    attempts_remaining: i64,
    /// Whether an attempt may begin now.
    available: bool,
    /// Whether the page tries it by itself at the start, instead of offering it.
    silent: bool,
    /// Whether only the relying party's app can use it, and not this page.
    in_app: bool,
    /// The country that the document page preselects, ISO 3166-1 alpha-3.
    #[schema(required)]
    preset_issuing_country: Option<String>,
    /// Whether the end user may continue on a phone.
    hand_off: bool,
}

/// The state of a method.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PageMethodState {
    /// It may be used.
    Open,
    /// An attempt at it failed, and another is left.
    Failed,
    /// No attempt is left.
    Exhausted,
    /// It uses a face, and the end user refused consent to that.
    Declined,
}

/// The outcome of the last attempt that ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageResult {
    /// The method of the attempt.
    method: AgeMethod,
    /// Whether it passed.
    status: PageResultStatus,
    /// Why it did not pass, as a code.
    #[schema(required, value_type = Option<AgeFailureReason>)]
    reason: Option<String>,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum PageResultStatus {
    /// The age is as required.
    Complete,
    /// The age is not as required, or could not be determined.
    Fail,
    /// The attempt ended with a technical error.
    Error,
}

/// Where the end user goes afterwards.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageCallback {
    /// The address, with the session's id in its query.
    url: String,
    /// Whether the page sends them there without a button.
    auto: bool,
}

/// How long results are kept.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageRetention {
    /// Days.
    #[schema(minimum = 0)]
    days: i64,
}

/// What the end user may take along.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageOffers {
    /// Whether the result may be stored under a passkey.
    key: bool,
    /// Whether a proof of age may be taken along.
    proof: bool,
}

impl PageSession {
    pub(super) fn of(api: &ApiState, session: &AgeSession, business: &RelyingPartyProfile) -> Self {
        let (wanted, now) = (&session.wanted, api.environment.now());
        let is_live = session.is_live(now);
        let has = api.age_verification.available_methods(session.sandbox);
        let ended = matches!(session.state, AgeSessionStatus::Fail | AgeSessionStatus::Error);
        let given = session.consent.map(|consent| consent.given);
        Self {
            id: session.id,
            status: session.state_at(now),
            kind: wanted.kind,
            expires_at: wanted.until,
            seconds_left: session.seconds_left(now),
            business: business.name.clone(),
            sandbox: session.sandbox,
            issues: session.issues,
            consent: PageConsent {
                required: session.requires_consent(),
                given,
                may_give: is_live && session.requires_consent() && session.takes_consent(has),
            },
            methods: session
                .usable_methods(has)
                .map(|block| PageMethod::of(session, block, is_live))
                .collect(),
            result: session.outcome.as_ref().map(|outcome| PageResult::of(session.state, outcome)),
            retry: is_live && ended && session.can_continue(has),
            callback: wanted.callback.as_ref().and_then(|callback| PageCallback::of(callback, session)),
            cancel_url: wanted.cancel_url.clone(),
            privacy_policy: wanted.privacy_policy.clone(),
            terms_and_conditions: wanted.terms_and_conditions.clone(),
            target_origin_url: wanted.target_origin_url.clone(),
            keeps: PageRetention { days: api.age_verification.settings().session_retention.as_hours() / 24 },
            offers: PageOffers {
                key: is_live && api.age_verification.offers_stored_result(session),
                proof: is_live && api.age_verification.offers_proof(session, business),
            },
            location_blocked: None,
        }
    }

    /// Adds whether the end user is in a blocked location.
    pub(super) fn with_location(self, is_blocked: bool) -> Self {
        Self { location_blocked: Some(is_blocked), ..self }
    }
}

impl PageMethod {
    /// `is_live`: whether the session has not expired.
    fn of(session: &AgeSession, block: &AgeMethodConfig, is_live: bool) -> Self {
        Self {
            method: block.method,
            path: block.method.block_name(),
            threshold: block.threshold,
            level: block.level,
            biometric: block.is_biometric(),
            state: PageMethodState::of(session, block),
            attempts: session.attempts_made(block.method),
            attempts_remaining: session.attempts_remaining(block),
            available: is_live && session.may_open(block) && !block.is_in_app(),
            silent: block.is_silent(),
            in_app: block.is_in_app(),
            preset_issuing_country: block.preset_issuing_country.clone(),
            hand_off: may_hand_off(session, block),
        }
    }
}

impl PageMethodState {
    fn of(session: &AgeSession, block: &AgeMethodConfig) -> Self {
        if session.is_consent_refused(block) {
            Self::Declined
        } else if session.attempts_remaining(block) == 0 {
            Self::Exhausted
        } else if session.tries.iter().any(|tried| tried.method == block.method) {
            Self::Failed
        } else {
            Self::Open
        }
    }
}

impl PageResult {
    fn of(state: AgeSessionStatus, outcome: &AgeAttemptOutcome) -> Self {
        let status = match state {
            _ if outcome.passed => PageResultStatus::Complete,
            AgeSessionStatus::Error => PageResultStatus::Error,
            _ => PageResultStatus::Fail,
        };
        Self { method: outcome.method, status, reason: outcome.error_code.clone() }
    }
}

impl PageCallback {
    /// The relying party's address with `sessionId` added to its query; a fragment stays at the end.
    fn of(callback: &EndUserCallback, session: &AgeSession) -> Option<Self> {
        let url = callback.url.as_deref()?;
        let (base, fragment) =
            url.split_once('#').map_or((url, None), |(base, fragment)| (base, Some(fragment)));
        let joint = if base.contains('?') { '&' } else { '?' };
        let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
        let url = format!("{base}{joint}sessionId={}{fragment}", session.id);
        Some(Self { url, auto: callback.auto })
    }
}

/// Whether the end user may continue on a phone. A session of the issuer must end in the tab that began it.
fn may_hand_off(session: &AgeSession, block: &AgeMethodConfig) -> bool {
    session.issues.is_none()
        && (block.method != AgeMethod::DocScan || !block.disable_mobile_hand_off.unwrap_or(false))
}
