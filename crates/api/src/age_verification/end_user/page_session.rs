//! A session, as its page sees it: what is asked, what may be done, what came of it; nothing of the relying party's own.

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
    /// How far it is.
    status: AgeSessionStatus,
    /// What it is to tell.
    #[serde(rename = "type")]
    kind: AgeSessionType,
    /// When its time is over.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// Seconds until then.
    #[schema(minimum = 0)]
    seconds_left: i64,
    /// What the relying party is called.
    business: String,
    /// Whether it is a session of the sandbox.
    sandbox: bool,
    /// Of a session of the issuer of blind tokens: the age that the token is for, years.
    #[schema(required)]
    issues: Option<u8>,
    /// Consent to the use of biometric data.
    consent: PageConsent,
    /// The methods that can be used, in the order in which they are offered.
    methods: Vec<PageMethod>,
    /// What came of the last attempt that ended.
    #[schema(required)]
    result: Option<PageResult>,
    /// Whether it has ended, and may go on.
    retry: bool,
    /// Where the end user goes afterwards.
    #[schema(required)]
    callback: Option<PageCallback>,
    /// Where the end user goes who calls it off.
    #[schema(required)]
    cancel_url: Option<String>,
    /// The relying party's own page on what it does with data.
    #[schema(required)]
    privacy_policy: Option<String>,
    /// The relying party's terms.
    #[schema(required)]
    terms_and_conditions: Option<String>,
    /// The page in whose frame the session runs.
    #[schema(required)]
    target_origin_url: Option<String>,
    /// How long results are kept.
    keeps: PageRetention,
    /// What the end user may take along.
    offers: PageOffers,
    /// Whether the end user is where the session is not to be used; only told by `GET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    location_blocked: Option<bool>,
}

/// Consent to the use of biometric data.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageConsent {
    /// Whether it is asked for.
    required: bool,
    /// What the end user said, if anything.
    #[schema(required)]
    given: Option<bool>,
}

/// A method that can be used.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageMethod {
    /// The method.
    method: AgeMethod,
    /// The end of the direct address of its page.
    #[schema(example = "doc_scan")]
    path: &'static str,
    /// The age that is asked for, years.
    #[schema(minimum = 1, maximum = 120)]
    threshold: i64,
    /// How it is made sure that a live person is in front of the camera.
    level: LivenessLevel,
    /// Whether it uses a face.
    biometric: bool,
    /// How far it is.
    state: PageMethodState,
    /// Attempts that ended.
    #[schema(minimum = 0)]
    attempts: i64,
    /// Attempts that are left.
    #[schema(minimum = 0)]
    attempts_remaining: i64,
    /// Whether an attempt may begin now.
    available: bool,
    /// The country that the page of a document begins with, ISO 3166-1 alpha-3.
    #[schema(required)]
    preset_issuing_country: Option<String>,
    /// Whether a phone may take over.
    hand_off: bool,
}

/// How far a method is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PageMethodState {
    /// It may be used.
    Open,
    /// An attempt at it failed, and another is left.
    Failed,
    /// No attempt is left.
    Exhausted,
    /// It uses a face, and the end user said no to that.
    Declined,
}

/// What came of the last attempt that ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageResult {
    /// At which method.
    method: AgeMethod,
    /// Whether it passed.
    status: PageResultStatus,
    /// Why it did not pass, in one word.
    #[schema(required, value_type = Option<AgeFailureReason>)]
    reason: Option<String>,
}

/// What came of a method.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum PageResultStatus {
    /// The age is as was asked.
    Complete,
    /// It is not, or could not be told.
    Fail,
    /// The method broke.
    Error,
}

/// Where the end user goes afterwards.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageCallback {
    /// The address, with the session's id in its query.
    url: String,
    /// Whether they go there without pressing a button.
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
    /// Whether the result may be kept under a key.
    key: bool,
    /// Whether a proof of age may be taken along.
    proof: bool,
}

impl PageSession {
    /// A session as its page sees it now.
    pub(super) fn of(api: &ApiState, session: &AgeSession, business: &RelyingPartyProfile) -> Self {
        let (wanted, now) = (&session.wanted, api.environment.now());
        let has = api.age_verification.available_methods(session.sandbox);
        let ended = matches!(session.state, AgeSessionStatus::Fail | AgeSessionStatus::Error);
        let given = session.consent.map(|consent| consent.given);
        Self {
            id: session.id,
            status: session.state,
            kind: wanted.kind,
            expires_at: wanted.until,
            seconds_left: session.seconds_left(now),
            business: business.name.clone(),
            sandbox: session.sandbox,
            issues: session.issues,
            consent: PageConsent { required: session.requires_consent(), given },
            methods: wanted.usable_methods(has).map(|block| PageMethod::of(session, block)).collect(),
            result: session.outcome.as_ref().map(|outcome| PageResult::of(session.state, outcome)),
            retry: ended && session.can_continue(has),
            callback: wanted.callback.as_ref().and_then(|callback| PageCallback::of(callback, session)),
            cancel_url: wanted.cancel_url.clone(),
            privacy_policy: wanted.privacy_policy.clone(),
            terms_and_conditions: wanted.terms_and_conditions.clone(),
            target_origin_url: wanted.target_origin_url.clone(),
            keeps: PageRetention { days: api.age_verification.settings().session_retention.as_hours() / 24 },
            offers: PageOffers {
                key: api.age_verification.offers_stored_result(session),
                proof: api.age_verification.offers_proof(session, business),
            },
            location_blocked: None,
        }
    }

    /// The same with what is known of where the end user is.
    pub(super) fn with_location(self, is_blocked: bool) -> Self {
        Self { location_blocked: Some(is_blocked), ..self }
    }
}

impl PageMethod {
    fn of(session: &AgeSession, block: &AgeMethodConfig) -> Self {
        Self {
            method: block.method,
            path: block.method.block_name(),
            threshold: block.threshold,
            level: block.level,
            biometric: block.is_biometric(),
            state: PageMethodState::of(session, block),
            attempts: session.attempts_made(block.method),
            attempts_remaining: session.attempts_remaining(block),
            available: session.may_open(block),
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
    /// The relying party's address with the session in its query.
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

/// Whether a phone may take over. The tab that began a session of the issuer leads it to the end.
fn may_hand_off(session: &AgeSession, block: &AgeMethodConfig) -> bool {
    session.issues.is_none()
        && (block.method != AgeMethod::DocScan || !block.disable_mobile_hand_off.unwrap_or(false))
}
