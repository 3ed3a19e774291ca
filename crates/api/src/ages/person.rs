//! What the hosted page asks, under `/age/v1`: the session, consent, cancelling, attempts and their turns.

use super::{Person, Problem, caller::Anybody, error, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderName, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use domain::ages::{Business, Kept, flow::Turn, words::Method};
use serde_json::{Map, Value, json};

type Answer = ([(HeaderName, &'static str); 1], Json<Value>);

const NO_STORE: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

fn answer(value: Value) -> Answer {
    (NO_STORE, Json(value))
}

/// The session, as its page sees it.
#[utoipa::path(
    get, path = "/age/v1/sessions/{sessionId}", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = Value), error::Seeing),
)]
pub(crate) async fn see_age_session(State(api): State<Api>, person: Person) -> Answer {
    let Person { session, blocked, business, .. } = person;
    let mut view = view::page(&api, &session, &business);
    view["location_blocked"] = blocked.into();
    answer(view)
}

/// Say yes or no to the use of one's face.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/consent", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body(content = Value, description = "`{\"given\": true}`"),
    responses((status = 200, description = "It is noted.", body = Value), error::Consenting),
)]
pub(crate) async fn give_age_consent(State(api): State<Api>, person: Person) -> Result<Answer, Problem> {
    let given = person.sent.json()?.get("given").and_then(Value::as_bool);
    let given =
        given.ok_or_else(|| Problem::new(super::Code::InvalidRequest, "given: true or false is expected"))?;
    let session = api.ages.consent(person.session.id, given).await?;
    Ok(answer(view::page(&api, &session, &person.business)))
}

/// Call the session off.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/cancel", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "It is cancelled.", body = Value), error::Cancelling),
)]
pub(crate) async fn cancel_age_session(State(api): State<Api>, person: Person) -> Result<Answer, Problem> {
    let session = api.ages.cancel(person.session.id).await?;
    Ok(answer(view::page(&api, &session, &person.business)))
}

/// Open a method. An attempt at another that has not ended is given up, and does not count. In a session of the issuer of
/// blind tokens `key` is what it began with; without it there is none.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/attempts", tag = "person", security(("sdk" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body are answered alike, for 24 hours. Not where blind tokens are asked for or issued: of those no answer is kept."),
    ),
    request_body(content = Value, description = "`{\"method\": \"AGE_ESTIMATION\", \"locale\": \"en\"}`"),
    responses((status = 201, description = "What to do.", body = Value), error::Opening),
)]
pub(crate) async fn open_age_attempt(State(api): State<Api>, person: Person) -> Result<Response, Problem> {
    let Person { session, business, sent, .. } = person;
    let body = sent.json()?;
    if !session.is_led_by(body.get("key").and_then(Value::as_str)) {
        return Err(Problem::no_session());
    }
    let method = body.get("method").and_then(Value::as_str).and_then(|word| word.parse::<Method>().ok());
    let method = method.ok_or_else(|| {
        let words = format!("method: it is one of {}", Method::WORDS.join(", "));
        Problem::new(super::Code::InvalidRequest, words)
    })?;
    let locale = body.get("locale").and_then(Value::as_str).filter(|locale| locale.len() <= 35);
    // Of blind tokens nothing is kept, also no answer: neither a challenge nor how one came to be at the issuer.
    let blind = method == Method::DoubleAnonymity || session.issues.is_some();
    let once = sent.is_once()? && !blind;
    if once && let Some(answered) = sent.known(&api, session.app).await? {
        return Ok((NO_STORE, answered).into_response());
    }
    // Others are asked meanwhile, for whom no transaction waits: of two at once the later gives up what the other opened.
    let turn = api.ages.open(session.id, method, locale.unwrap_or("en")).await?;
    let told = told(&api, &turn, &business);
    if once {
        let kept = sent.keep(&api, session.app, StatusCode::CREATED, &told).await?;
        return Ok((NO_STORE, kept).into_response());
    }
    Ok((StatusCode::CREATED, answer(told)).into_response())
}

/// Take a turn.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/attempts/{attemptId}", tag = "person", security(("sdk" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("attemptId" = String, Path, description = "The attempt."),
    ),
    request_body(content = Value, description = "`{\"continuation\": \"…\"}` and what the step asks for."),
    responses((status = 200, description = "What to do next.", body = Value), error::Turning),
)]
pub(crate) async fn take_age_turn(
    State(api): State<Api>,
    Path(path): Path<(String, String)>,
    person: Person,
) -> Result<Answer, Problem> {
    let stale = || Problem::from(domain::ages::NotDone::Stale);
    let body: Map<String, Value> = person.sent.json()?;
    let attempt = path.1.parse().map_err(|_| stale())?;
    let continuation = body.get("continuation").and_then(Value::as_str).ok_or_else(stale)?;
    let turn = api.ages.turn(person.session.id, attempt, continuation, &body).await?;
    Ok(answer(told(&api, &turn, &person.business)))
}

/// Keep the result under a key of one's own: without a body the browser is asked to make one, with its answer it is kept.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/key", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body(content = Value, description = "`{}`, then `{\"continuation\": \"…\", \"credential\": {…}}`"),
    responses((status = 200, description = "What the browser is asked, or the session.", body = Value), error::Keeping),
)]
pub(crate) async fn keep_age_result(State(api): State<Api>, person: Person) -> Result<Answer, Problem> {
    let body = person.sent.json()?;
    let given = body.get("continuation").and_then(Value::as_str).zip(body.get("credential"));
    Ok(answer(match api.ages.keep_result(person.session.id, given).await? {
        Kept::Asked { options, continuation } => json!({ "options": options, "continuation": continuation }),
        Kept::Done(session) => view::page(&api, &session, &person.business),
    }))
}

/// Forget what is kept under a key, whoever's: without a body the browser is asked for it, with its answer it is forgotten.
#[utoipa::path(
    post, path = "/age/v1/keys/forget", tag = "person",
    request_body(content = Value, description = "`{}`, then `{\"continuation\": \"…\", \"credential\": {…}}`"),
    responses((status = 200, description = "What the browser is asked, or whether there was something.", body = Value), error::Forgetting),
)]
pub(crate) async fn forget_age_result(State(api): State<Api>, anybody: Anybody) -> Result<Answer, Problem> {
    let body = anybody.sent.json()?;
    let given = body.get("continuation").and_then(Value::as_str).zip(body.get("credential"));
    Ok(answer(match given {
        None => {
            let (options, continuation) = api.ages.ask_to_forget(anybody.sandbox)?;
            json!({ "options": options, "continuation": continuation })
        }
        Some((continuation, credential)) => {
            json!({ "forgotten": api.ages.forget(anybody.sandbox, continuation, credential).await? })
        }
    }))
}

/// Take a proof along, for tills: an address of the holder's page, once.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/proof", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "The address.", body = Value), error::Proving),
)]
pub(crate) async fn take_age_proof(State(api): State<Api>, person: Person) -> Result<Answer, Problem> {
    Ok(answer(json!({ "url": api.ages.give_proof(person.session.id).await? })))
}

/// Tell the operator that the page broke down. Nothing about the person may be in it: of each text only letters, digits
/// and a few signs are kept, and few of them.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/faults", tag = "person", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = crate::http::ClientErrorReport,
    responses((status = 204, description = "It is in the log."), error::Reporting),
)]
pub(crate) async fn report_age_fault(person: Person) -> Result<StatusCode, Problem> {
    crate::http::log_client_error(&person.session.id, &person.sent.parse()?);
    Ok(StatusCode::NO_CONTENT)
}

fn told(api: &Api, turn: &Turn, business: &Business) -> Value {
    json!({
        "session": view::page(api, &turn.session, business),
        "attempt": turn.attempt,
        "continuation": turn.continuation,
        "step": turn.step,
        "problem": turn.problem,
    })
}
