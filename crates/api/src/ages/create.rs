//! `POST /api/v1/sessions` and `POST /api/v1/rules`

use super::{Business, Problem, described, problem};
use crate::Api;
use axum::{extract::State, http::StatusCode, response::Response};
use base::{Timestamp, Uuid};
use domain::ages::wanted::Wanted;
use utoipa::ToSchema;

/// A session that was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Created {
    /// The session.
    #[schema(value_type = Uuid)]
    id: base::AgeSessionId,
    /// How far it is: `PENDING`, or what came of an address that was judged at once.
    #[schema(value_type = described::State)]
    status: &'static str,
    /// When its time is over.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The address of the end user's page; add `&locale=…` for a language. The sandbox's page for a session of the sandbox.
    url: String,
}

/// A rule that was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Ruled {
    /// The rule.
    id: Uuid,
}

/// Make a session.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(content = described::CreatePayload, description = "What is asked for. Every member may be left out."),
    responses((status = 200, description = "It is made.", body = Created), problem::Creating),
)]
pub(crate) async fn create_age_session(
    State(api): State<Api>,
    business: Business,
) -> Result<Response, Problem> {
    let Business { app, sandbox, sent } = business;
    let mut wanted = Wanted::read(&sent.json()?, &sent.order()?, api.world.now(), api.ages.offer(sandbox))?;
    api.ages.check_rule(app, sandbox, &wanted).await?;
    // A provider is asked before the transaction, which everybody else would wait for; and not for a repeat, as it has its
    // price.
    if wanted.email.is_some()
        && let Some(answered) = sent.known(&api, app).await?
    {
        return Ok(answered);
    }
    let shown = api.ages.judge_email(sandbox, &mut wanted).await?;

    let mut tx = api.db.write().await?;
    let once = match sent.once(&api, &mut tx, app).await? {
        Ok(once) => once,
        Err(answer) => return Ok(answer),
    };
    let session = api.ages.create(&mut tx, app, sandbox, wanted, shown).await?;
    let created = Created {
        id: session.id,
        status: session.state.as_str(),
        expires_at: session.wanted.until,
        url: api.ages.page_url(&session),
    };
    Ok(once.answer(&api, tx, StatusCode::OK, &created).await?)
}

/// Make a rule that age tokens must satisfy. `ttl` is the greatest age of a token.
#[utoipa::path(
    post, path = "/api/v1/rules", tag = "rules", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(content = described::CreatePayload, description = "The methods, thresholds and levels that are enough, as for a session."),
    responses((status = 201, description = "It is made.", body = Ruled), problem::Creating),
)]
pub(crate) async fn create_age_rule(State(api): State<Api>, business: Business) -> Result<Response, Problem> {
    let Business { app, sandbox, sent } = business;
    let wanted =
        Wanted::read(&sent.json()?, &sent.order()?, api.world.now(), api.ages.offer_for_rules(sandbox))?;
    let mut tx = api.db.write().await?;
    let once = match sent.once(&api, &mut tx, app).await? {
        Ok(once) => once,
        Err(answer) => return Ok(answer),
    };
    let id = api.ages.make_rule(&mut tx, app, sandbox, &wanted).await?;
    Ok(once.answer(&api, tx, StatusCode::CREATED, &Ruled { id }).await?)
}
