//! `GET` and `PUT` of response configurations: what a sandbox answers.

use super::{Business, Code, Problem};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
};
use base::AppId;
use serde_json::{Value, json};

/// The application of the path must be the one that asks.
fn own(business: &Business, id: &str) -> Result<AppId, Problem> {
    let asked: Option<AppId> = id.parse().ok();
    asked
        .filter(|id| *id == business.app)
        .ok_or_else(|| Problem::new(Code::AppNotFound, "there is no such application"))
}

fn none() -> Value {
    json!({ "task_results": {}, "check_reports": {} })
}

/// Read what an application's sandbox answers.
#[utoipa::path(
    get, path = "/idverify/v1/apps/{sdkId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sdkId" = String, Path, description = "The application.")),
    responses((status = 200, description = "The response configuration.", body = Value), Problem),
)]
pub(crate) async fn get_app_responses(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let app = own(&business, &id)?;
    let mut view = api.db.read().await?;
    Ok(Json(api.identities.app_responses(&mut view, app).await?.unwrap_or_else(none)))
}

/// Set what an application's sandbox answers.
#[utoipa::path(
    put, path = "/idverify/v1/apps/{sdkId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sdkId" = String, Path, description = "The application.")),
    request_body(content = Value, description = "`task_results`, `check_reports` and `async_report_delay`; the first item whose filter fits counts."),
    responses((status = 200, description = "It is set.", body = Value), Problem),
)]
pub(crate) async fn set_app_responses(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let app = own(&business, &id)?;
    let body = business.sent.json()?;
    api.identities.set_app_responses(app, &body).await?;
    Ok(Json(body.into()))
}

/// Read what a session's sandbox answers.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "The response configuration.", body = Value), Problem),
)]
pub(crate) async fn get_session_responses(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let held = business.session(&api, &id).await?;
    Ok(Json(held.session.config.unwrap_or_else(none)))
}

/// Set what a session's sandbox answers, in the place of its application's.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body(content = Value, description = "As for an application."),
    responses((status = 200, description = "It is set.", body = Value), Problem),
)]
pub(crate) async fn set_session_responses(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let held = business.session(&api, &id).await?;
    let body = business.sent.json()?;
    api.identities.set_responses(held.session.id, body.clone()).await?;
    Ok(Json(body.into()))
}
