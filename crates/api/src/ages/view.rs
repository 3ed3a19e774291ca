//! How a session looks: to the business as the interface's record, to the page with what it may do next.

use crate::Api;
use domain::ages::{
    Business,
    session::{Outcome, Session},
    wanted::{Block, Callback},
    words::{Method, State},
};
use serde_json::{Map, Value, json};

/// The record of the interface.
pub(super) fn record(api: &Api, session: &Session) -> Value {
    let brand = &api.ages.settings().brand;
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
        members.insert(asked.method.block_of(brand).into_owned(), block(session, asked));
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
    put("retry_limit", block.limit().into());
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
