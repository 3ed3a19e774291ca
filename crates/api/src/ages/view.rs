//! How a session looks: to the business as the interface's record, to the page with what it may do next.

use crate::Api;
use domain::ages::{
    Business,
    session::{Outcome, Session},
    wanted::{Block, Callback},
    words::{Method, State},
};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// What is asked for. A block of its own for each method: `age_estimation`, `digital_id`, `doc_scan`, `credit_card`,
/// `mobile`, `email`, `electronic_id`, `la_wallet`, `social_security_number`, `us_florida_hb3`, `singpass`, `cpf`,
/// `svc_key`, `double_anonymity`; without any, every method that is set up. They are offered in the order of the members.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct CreatePayload {
    /// `OVER`, `UNDER` or `AGE`. Default: `OVER`.
    r#type: Option<String>,
    /// A method, as an example of them all.
    age_estimation: Option<MethodBlock>,
    /// Seconds that the session is valid, 60 to 2592000. Default: 900.
    #[schema(minimum = 60, maximum = 2_592_000)]
    ttl: Option<i64>,
    /// Given back unchanged.
    reference_id: Option<String>,
    /// Where the person goes afterwards; the session's id is added to its query as `sessionId`.
    callback: Option<CallbackTo>,
    /// The same in short.
    callback_url: Option<String>,
    /// Receives the result of each attempt, https.
    notification_url: Option<String>,
    /// Do not ask for consent to the use of biometric data: the business has it.
    block_biometric_consent: Option<bool>,
    /// The rule that an age token must satisfy.
    #[schema(value_type = Option<String>, format = Uuid)]
    rule_id: Option<String>,
    /// Where the person goes who calls it off.
    cancel_url: Option<String>,
    /// The business's own page on what it does with data.
    privacy_policy: Option<String>,
    /// The business's terms.
    terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    retry_enabled: Option<bool>,
    /// Whether it may go on after FAIL or ERROR.
    resume_enabled: Option<bool>,
    /// ISO 3166-1 alpha-2 and ISO 3166-2 codes from where it may not be used.
    blocked_locations: Option<Vec<String>>,
    /// The page in whose frame the session runs; it is told of each change.
    target_origin_url: Option<String>,
    /// Whether the person waits until every check has a result.
    synchronous_checks: Option<bool>,
    /// The business's own word for the person, at most 100 characters.
    #[schema(max_length = 100)]
    account_id: Option<String>,
    /// Whether nothing but `double_anonymity` is offered, whichever blocks there are: for the age of its own block, or else
    /// for the highest that a block asks for.
    double_blind: Option<bool>,
}

/// A method and how it may be used.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a member, which is read by itself")]
pub(crate) struct MethodBlock {
    /// Default: true.
    allowed: Option<bool>,
    /// The age that is asked for, 1 to 120 years (`double_anonymity`: 6 to 100). Default: 18.
    threshold: Option<i64>,
    /// `NONE`, `PASSIVE` or `ACTIVE`. Default: `NONE`.
    level: Option<String>,
    /// Of documents: `OFF`, `AUTO` or `MANUAL`. Default: `AUTO`.
    authenticity: Option<String>,
    /// Default: the session's.
    retry_enabled: Option<bool>,
    /// Attempts where it may be tried again, 1 to 10. Default: 3.
    #[schema(minimum = 1, maximum = 10)]
    retry_limit: Option<i64>,
}

/// Where the person goes afterwards.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a member, which is read by itself")]
pub(crate) struct CallbackTo {
    /// The address.
    url: Option<String>,
    /// Whether he goes there without pressing a button.
    auto: Option<bool>,
}

/// A session. Beside these members it has the block of each method, with `attempts` and `attempts_remaining`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer, which is made member by member")]
pub(crate) struct Record {
    #[schema(format = Uuid)]
    id: String,
    #[schema(format = Uuid)]
    sdk_id: String,
    r#type: String,
    /// `PENDING`, `IN_PROGRESS`, `PROCESSING`, `COMPLETE`, `FAIL`, `ERROR` or `CANCELLED`.
    status: String,
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// After an attempt: the age where the type is AGE, else the threshold.
    age: Option<i64>,
    /// After an attempt: the method.
    method: Option<String>,
    /// After an attempt: under what the method knows it.
    evidence_id: Option<String>,
}

/// The record of the interface.
pub(super) fn record(session: &Session) -> Value {
    let wanted = &session.wanted;
    let consent = session.consent.filter(|consent| consent.given);
    let mut record = json!({
        "id": session.id,
        "sdk_id": session.app,
        "type": wanted.kind,
        "status": session.state,
        "expires_at": wanted.until,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "biometric_consent_required": !wanted.block_biometric_consent,
        "biometric_consent_given_at": consent.map(|consent| consent.at),
        "retry_enabled": wanted.retry_enabled,
        "resume_enabled": wanted.resume_enabled,
        "synchronous_checks": wanted.synchronous_checks,
        "double_blind": wanted.double_blind,
        "callback": wanted.callback.as_ref().map(|callback| json!({ "url": callback.url, "auto": callback.auto })),
        "callback_url": wanted.callback.as_ref().and_then(|callback| callback.url.as_deref()),
        "notification_url": wanted.notification_url,
        "cancel_url": wanted.cancel_url,
        "privacy_policy": wanted.privacy_policy,
        "terms_and_conditions": wanted.terms_and_conditions,
        "reference_id": wanted.reference_id,
        "account_id": wanted.account_id,
        "rule_id": wanted.rule_id,
        "blocked_locations": wanted.blocked_locations,
        "target_origin_url": wanted.target_origin_url,
    });
    let Some(members) = record.as_object_mut() else { return record };
    for asked in &wanted.blocks {
        members.insert(asked.method.block().to_owned(), block(session, asked));
    }
    if let Some(Outcome { age, method, evidence_id, .. }) = &session.outcome {
        members.insert("age".to_owned(), json!(age));
        members.insert("method".to_owned(), json!(method));
        members.insert("evidence_id".to_owned(), json!(evidence_id));
    }
    record
}

fn block(session: &Session, block: &Block) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        out.insert(name.to_owned(), value);
    };
    put("allowed", block.allowed.into());
    put("threshold", block.threshold.into());
    put("level", json!(block.level));
    put("authenticity", json!(block.authenticity));
    put("retry_enabled", block.retry_enabled.into());
    put("retry_limit", block.attempts().into());
    put("attempts", session.attempts(block.method).into());
    put("attempts_remaining", session.attempts_remaining(block).into());
    for (name, value) in [
        ("age_estimation_allowed", json!(block.age_estimation_allowed)),
        ("age_estimation_threshold", json!(block.age_estimation_threshold)),
        ("preset_issuing_country", json!(block.preset_issuing_country)),
        ("disable_mobile_hand_off", json!(block.disable_mobile_hand_off)),
        ("synchronous_checks", json!(block.synchronous_checks)),
        ("authentication", json!(block.authentication)),
        ("sub_methods", json!(block.sub_methods)),
    ] {
        if !value.is_null() {
            put(name, value);
        }
    }
    out.into()
}

/// The session as its page sees it: what is asked, what may be done, what came of it; nothing of the business's own.
pub(super) fn page(api: &Api, session: &Session, business: &Business) -> Value {
    let (wanted, now) = (&session.wanted, api.world.now());
    let has = api.ages.has(session.sandbox);
    let methods: Vec<Value> = wanted.usable(has).map(|block| method(session, block)).collect();
    let ended = matches!(session.state, State::Fail | State::Error);
    json!({
        "id": session.id,
        "status": session.state,
        "type": wanted.kind,
        "expires_at": wanted.until,
        "seconds_left": session.seconds_left(now),
        "business": business.name,
        "sandbox": session.sandbox,
        "issues": session.issues,
        "consent": { "required": session.asks_for_consent(), "given": session.consent.map(|consent| consent.given) },
        "methods": methods,
        "result": session.outcome.as_ref().map(|outcome| came(session.state, outcome)),
        "retry": ended && session.may_go_on(has),
        "callback": wanted.callback.as_ref().and_then(|callback| returning(callback, session)),
        "cancel_url": wanted.cancel_url,
        "privacy_policy": wanted.privacy_policy,
        "terms_and_conditions": wanted.terms_and_conditions,
        "target_origin_url": wanted.target_origin_url,
        "keeps": { "days": days(api) },
        "offers": { "key": api.ages.offers_key(session), "proof": api.ages.offers_proof(session, business) },
    })
}

fn came(state: State, outcome: &Outcome) -> Value {
    let status = match state {
        _ if outcome.passed => State::Complete,
        State::Error => State::Error,
        _ => State::Fail,
    };
    json!({ "method": outcome.method, "status": status, "reason": outcome.error_code })
}

fn method(session: &Session, block: &Block) -> Value {
    let failed = session.tries.iter().any(|tried| tried.method == block.method);
    let state = match () {
        () if session.is_declined(block) => "DECLINED",
        () if session.attempts_remaining(block) == 0 => "EXHAUSTED",
        () if failed => "FAILED",
        () => "OPEN",
    };
    json!({
        "method": block.method,
        "path": block.method.block(),
        "threshold": block.threshold,
        "level": block.level,
        "biometric": block.is_biometric(),
        "state": state,
        "attempts": session.attempts(block.method),
        "attempts_remaining": session.attempts_remaining(block),
        "available": session.may_open(block),
        "preset_issuing_country": block.preset_issuing_country,
        "hand_off": may_hand_off(session, block),
    })
}

/// Whether a phone may take over. The tab that began a session of the issuer leads it to the end.
fn may_hand_off(session: &Session, block: &Block) -> bool {
    session.issues.is_none()
        && (block.method != Method::DocScan || !block.disable_mobile_hand_off.unwrap_or(false))
}

/// Where the person goes back to: the business's address with the session in its query.
fn returning(callback: &Callback, session: &Session) -> Option<Value> {
    let url = callback.url.as_deref()?;
    let (base, fragment) = url.split_once('#').map_or((url, None), |(base, fragment)| (base, Some(fragment)));
    let joint = if base.contains('?') { '&' } else { '?' };
    let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    let url = format!("{base}{joint}sessionId={}{fragment}", session.id);
    Some(json!({ "url": url, "auto": callback.auto }))
}

fn days(api: &Api) -> i64 {
    api.ages.settings().keep.as_hours() / 24
}
