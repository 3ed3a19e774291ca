//! `/console/passkeys`: the caller's passkeys.

use super::{
    ChangeCredentialErrors, NamedCredentialErrors, PasskeyPromptErrors,
    permissions::{AnySession, CompleteSession},
    request::{ConsoleCall, ConsoleCommand},
    session::session_headers,
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, CreatedResource, ModerationApiError},
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::{PasskeyId, Timestamp};
use domain::authentication::passkeys::{PasskeyPrompt, PasskeyRecord};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// What a browser needs to use or make a passkey.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = PasskeyPrompt)]
pub(super) struct PasskeyPromptBody {
    /// To be sent back with the answer, once, within ten minutes.
    challenge: String,
    /// The options for `navigator.credentials`, in the JSON form of WebAuthn level 3, under `publicKey`.
    #[schema(value_type = Object)]
    options: Value,
}

impl From<PasskeyPrompt> for PasskeyPromptBody {
    fn from(PasskeyPrompt { challenge, options }: PasskeyPrompt) -> Self {
        Self { challenge: challenge.expose().clone(), options }
    }
}

/// What a browser answers with a passkey.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasskeyAnswer)]
pub(super) struct PasskeyAnswer {
    /// The challenge that it answers.
    #[schema(value_type = String)]
    challenge: Option<String>,
    /// The output of `PublicKeyCredential.toJSON()`.
    #[schema(value_type = Object)]
    credential: Option<Value>,
}

impl PasskeyAnswer {
    /// Challenge and credential.
    pub(super) fn into_parts(self, violations: &mut CommandViolations) -> Option<(String, Value)> {
        let challenge = violations.required("challenge", self.challenge);
        let credential = violations.required("credential", self.credential);
        Some((challenge?, credential?))
    }
}

/// A passkey.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Passkey)]
pub(super) struct PasskeyBody {
    #[schema(value_type = Uuid)]
    id: PasskeyId,
    /// What its holder calls it.
    #[schema(max_length = 100)]
    name: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Absent: it was not used yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

impl From<PasskeyRecord> for PasskeyBody {
    fn from(PasskeyRecord { id, name, created_at, last_used_at }: PasskeyRecord) -> Self {
        Self { id, name, created_at, last_used_at: last_used_at.map(Timestamp::from) }
    }
}

/// A passkey of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct PasskeyPath {
    /// The passkey.
    #[serde(rename = "passkeyId")]
    #[param(rename = "passkeyId", value_type = Uuid)]
    passkey: PasskeyId,
}

/// Begin to make a passkey.
///
/// Give `options` to `navigator.credentials.create`, and send what it returns with the challenge to `POST /console/passkeys`.
/// Whoever has a second factor must have presented it in this session.
#[utoipa::path(
    post, path = "/console/passkeys/challenge", tag = "credentials", security(("session" = [], "console" = [])),
    responses((status = 200, description = "What the browser needs.", body = PasskeyPromptBody), PasskeyPromptErrors),
)]
pub(super) async fn begin_passkey(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession>,
) -> Result<Json<PasskeyPromptBody>, ModerationApiError> {
    Ok(Json(api.console_access.begin_passkey_registration(&call.caller).await?.into()))
}

/// A passkey that a browser made.
#[derive(Deserialize, ToSchema)]
pub(super) struct AddPasskeyRequest {
    /// The challenge that it answers.
    #[schema(value_type = String)]
    challenge: Option<String>,
    /// The output of `PublicKeyCredential.toJSON()`.
    #[schema(value_type = Object)]
    credential: Option<Value>,
    /// What its holder calls it.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Work laptop")]
    name: Option<String>,
}

pub(super) struct NewPasskey {
    challenge: String,
    credential: Value,
    name: String,
}

impl CommandPayload for AddPasskeyRequest {
    type Command = NewPasskey;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<NewPasskey> {
        let challenge = violations.required("challenge", self.challenge);
        let credential = violations.required("credential", self.credential);
        let name = violations.required("name", self.name);
        Some(NewPasskey { challenge: challenge?, credential: credential?, name: name? })
    }
}

/// Add a passkey.
///
/// It counts as a second factor: if none was presented in this session before, the session has one now, and a new cookie.
#[utoipa::path(
    post, path = "/console/passkeys", tag = "credentials", security(("session" = [], "console" = [])),
    request_body = AddPasskeyRequest,
    responses(
        (status = 201, description = "The passkey is added.", body = CreatedResource, headers(("Set-Cookie" = String, description = "The session, if it has a new secret."))),
        NamedCredentialErrors
    ),
)]
pub(super) async fn add_passkey(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession, (), ConsoleCommand<AddPasskeyRequest>>,
) -> Result<Response, ModerationApiError> {
    let NewPasskey { challenge, credential, name } = &call.input.0;
    let (id, token) =
        api.console_access.finish_passkey_registration(&call.caller, challenge, credential, name).await?;
    let created = (StatusCode::CREATED, Json(CreatedResource::new(id)));
    Ok(match token {
        Some(token) => (session_headers(&api, Some(token.expose())), created).into_response(),
        None => created.into_response(),
    })
}

/// A name for a passkey.
#[derive(Deserialize, ToSchema)]
pub(super) struct RenamePasskeyRequest {
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Old laptop")]
    name: Option<String>,
}

impl CommandPayload for RenamePasskeyRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("name", self.name)
    }
}

/// Give a passkey another name.
#[utoipa::path(
    put, path = "/console/passkeys/{passkeyId}", tag = "credentials", security(("session" = [], "console" = [])),
    params(PasskeyPath),
    request_body = RenamePasskeyRequest,
    responses((status = 204, description = "The passkey is renamed."), NamedCredentialErrors),
)]
pub(super) async fn rename_passkey(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession, PasskeyPath, ConsoleCommand<RenamePasskeyRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    api.console_access.rename_passkey(&call.caller, call.path.passkey, &call.input.0).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a passkey.
#[utoipa::path(
    delete, path = "/console/passkeys/{passkeyId}", tag = "credentials", security(("session" = [], "console" = [])),
    params(PasskeyPath),
    responses((status = 204, description = "The passkey is removed."), ChangeCredentialErrors),
)]
pub(super) async fn remove_passkey(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession, PasskeyPath>,
) -> Result<StatusCode, ModerationApiError> {
    api.console_access.remove_passkey(&call.caller, call.path.passkey).await?;
    Ok(StatusCode::NO_CONTENT)
}
