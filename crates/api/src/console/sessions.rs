//! `/console/sessions`: where the caller is signed in, and where members of their account are.

use super::{
    GetConsoleSessionErrors, SessionPathErrors,
    permissions::{CompleteSession, ManagesMembers},
    request::ConsoleCall,
};
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{Json, extract::State, http::StatusCode};
use base::{ConsoleSessionId, MemberId, Timestamp};
use domain::{
    accounts::members,
    authentication::{CredentialHolder, SignInMethod, sessions::OpenSession},
    console::ConsolePerson,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Where somebody is signed in.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SessionList {
    /// The one that was used last first.
    sessions: Vec<SessionItem>,
}

/// A session that has not ended.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SessionItem {
    #[schema(value_type = Uuid)]
    id: ConsoleSessionId,
    /// Whether it is the one that asks.
    current: bool,
    /// How they came in.
    method: SignInMethod,
    /// Whether a second factor was presented.
    second_factor: bool,
    /// The family of the browser, as far as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Firefox")]
    browser: Option<String>,
    /// The network, with its last part cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "198.51.100.0/24")]
    network: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// To ten minutes.
    #[schema(value_type = String, format = DateTime)]
    last_used_at: Timestamp,
    /// When it ends at the latest.
    #[schema(value_type = String, format = DateTime)]
    ends_at: Timestamp,
}

fn to_list(sessions: Vec<OpenSession>, current: ConsoleSessionId) -> SessionList {
    let item = |session: OpenSession| SessionItem {
        id: session.id,
        current: session.id == current,
        method: session.method,
        second_factor: session.second_factor,
        browser: session.browser,
        network: session.network,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
        ends_at: session.ends_at,
    };
    SessionList { sessions: sessions.into_iter().map(item).collect() }
}

/// A session of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct SessionPath {
    /// The session.
    #[serde(rename = "sessionId")]
    #[param(rename = "sessionId", value_type = Uuid)]
    session: ConsoleSessionId,
}

/// A member of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ConsoleMemberPath {
    /// The member, of the caller's account.
    #[serde(rename = "memberId")]
    #[param(rename = "memberId", value_type = Uuid)]
    pub(super) member: MemberId,
}

/// See where one is signed in.
#[utoipa::path(
    get, path = "/console/sessions", tag = "sessions", security(("session" = [], "console" = [])),
    responses((status = 200, description = "All sessions.", body = SessionList), GetConsoleSessionErrors),
)]
pub(super) async fn list_sessions(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession>,
) -> Result<Json<SessionList>, ModerationApiError> {
    let sessions = api.console_access.sessions().list(&mut api.db.read().await?, call.holder()).await?;
    Ok(Json(to_list(sessions, call.caller.session.id)))
}

/// End all sessions but this one.
#[utoipa::path(
    delete, path = "/console/sessions", tag = "sessions", security(("session" = [], "console" = [])),
    responses((status = 204, description = "All other sessions have ended."), GetConsoleSessionErrors),
)]
pub(super) async fn end_other_sessions(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let except = Some(call.caller.session.id);
    api.console_access.sessions().end_all(&mut tx, call.holder(), except).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// End one of one's own sessions.
#[utoipa::path(
    delete, path = "/console/sessions/{sessionId}", tag = "sessions", security(("session" = [], "console" = [])),
    params(SessionPath),
    responses((status = 204, description = "The session has ended."), SessionPathErrors),
)]
pub(super) async fn end_one_session(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession, SessionPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    if !api.console_access.sessions().end_one(&mut tx, call.holder(), call.path.session).await? {
        return Err(ModerationApiError::not_found("session"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// See where a member of the account is signed in.
///
/// For those who manage members; the sessions of an administrator are for administrators.
#[utoipa::path(
    get, path = "/console/members/{memberId}/sessions", tag = "sessions", security(("session" = [], "console" = [])),
    params(ConsoleMemberPath),
    responses((status = 200, description = "All sessions of the member.", body = SessionList), SessionPathErrors),
)]
pub(super) async fn list_member_sessions(
    State(api): State<ApiState>,
    call: ConsoleCall<ManagesMembers, ConsoleMemberPath>,
) -> Result<Json<SessionList>, ModerationApiError> {
    let holder = managed_member(&api, &call).await?;
    let sessions = api.console_access.sessions().list(&mut api.db.read().await?, holder).await?;
    Ok(Json(to_list(sessions, call.caller.session.id)))
}

/// End all sessions of a member of the account.
///
/// For those who manage members; the sessions of an administrator are for administrators.
#[utoipa::path(
    delete, path = "/console/members/{memberId}/sessions", tag = "sessions", security(("session" = [], "console" = [])),
    params(ConsoleMemberPath),
    responses((status = 204, description = "All sessions of the member have ended."), SessionPathErrors),
)]
pub(super) async fn end_member_sessions(
    State(api): State<ApiState>,
    call: ConsoleCall<ManagesMembers, ConsoleMemberPath>,
) -> Result<StatusCode, ModerationApiError> {
    let holder = managed_member(&api, &call).await?;
    let mut tx = call.begin(&api).await?;
    api.console_access.sessions().end_all(&mut tx, holder, None).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The member of the path, if they are of the caller's account and the caller may manage them.
async fn managed_member(
    api: &ApiState,
    call: &ConsoleCall<ManagesMembers, ConsoleMemberPath>,
) -> Result<CredentialHolder, ModerationApiError> {
    let missing = || ModerationApiError::not_found("member");
    let ConsolePerson::Member { principal, account, .. } = &call.caller.person else { return Err(missing()) };
    let found = members::find(&mut api.db.read().await?, account.id, call.path.member).await?;
    let member = found.ok_or_else(missing)?;
    if member.admin && !principal.admin {
        let words = "the sessions of an administrator are for administrators";
        return Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, words));
    }
    Ok(CredentialHolder::member(account.id, member.id))
}
