//! `GET /idverify/v1/sessions/{sessionId}/configuration`

use super::{Either, Problem, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
};
use domain::identity::NotDone;
use serde_json::Value;

/// What has to be supplied, and how the page looks. A person is told to wait while the business's own picture is missing.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/configuration", tag = "person", security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = Value), Problem),
)]
pub(crate) async fn session_configuration(
    State(api): State<Api>,
    Path(id): Path<String>,
    caller: Either,
) -> Result<Json<Value>, Problem> {
    let session = caller.session(&api, &id).await?.session;
    if matches!(caller, Either::Person(_)) && session.awaits_business() {
        let words = "the business has not supplied its picture yet; try again in a moment";
        return Err(NotDone::NotReady(words.to_owned()).into());
    }
    Ok(Json(view::configuration(&session, api.world.now())))
}
