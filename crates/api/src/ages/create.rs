//! `POST /api/v1/sessions` and `POST /api/v1/rules`

use super::{Business, Problem, described, error};
use crate::{Api, http::idempotency::idempotent};
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
    responses((status = 200, description = "It is made.", body = Created), error::Creating),
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

    let key = sent.key()?;
    idempotent(&api, sent.identity(app, key.as_deref()), async |tx| {
        let session = api.ages.create(tx, app, sandbox, wanted, shown).await?;
        let created = Created {
            id: session.id,
            status: session.state.as_str(),
            expires_at: session.wanted.until,
            url: api.ages.page_url(&session),
        };
        Ok((StatusCode::OK, created))
    })
    .await
}

/// Make a rule that age tokens must satisfy. `ttl` is the greatest age of a token.
#[utoipa::path(
    post, path = "/api/v1/rules", tag = "rules", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(content = described::CreatePayload, description = "The methods, thresholds and levels that are enough, as for a session."),
    responses((status = 201, description = "It is made.", body = Ruled), error::Creating),
)]
pub(crate) async fn create_age_rule(State(api): State<Api>, business: Business) -> Result<Response, Problem> {
    let Business { app, sandbox, sent } = business;
    let wanted =
        Wanted::read(&sent.json()?, &sent.order()?, api.world.now(), api.ages.offer_for_rules(sandbox))?;
    let key = sent.key()?;
    idempotent(&api, sent.identity(app, key.as_deref()), async |tx| {
        let id = api.ages.make_rule(tx, app, sandbox, &wanted).await?;
        Ok((StatusCode::CREATED, Ruled { id }))
    })
    .await
}
