//! `GET /console/sign-in-methods`, and the beginnings of signing in with a passkey or through the identity provider.

use super::{
    BeginProviderSignInErrors, ChoiceErrors, SignInMethodErrors,
    passkeys::PasskeyPromptBody,
    request::{ConsoleRequest, StrangerRequest},
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
    http::auth::session_cookie::set_attempt_cookie,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header},
};
use base::Uuid;
use utoipa::ToSchema;

/// The ways of signing in that there are here.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SignInMethods {
    /// Whether there has ever been an operator. Until then `assay init` makes one.
    is_set_up: bool,
    /// Whether passkeys can be used at this address.
    passkeys: bool,
    /// Whether sign-in links can be sent by mail.
    mail_links: bool,
    /// What the button of the identity provider says, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity_provider: Option<String>,
}

/// List the sign-in methods of this server.
#[utoipa::path(
    get, path = "/console/sign-in-methods", tag = "sign-in", security(("console" = [])),
    responses((status = 200, description = "The sign-in methods of this server.", body = SignInMethods), SignInMethodErrors),
)]
pub(super) async fn sign_in_methods(
    State(api): State<ApiState>,
    _stranger: StrangerRequest,
) -> Result<Json<SignInMethods>, ModerationApiError> {
    let ways = api.console_access.ways(&mut api.db.read().await?).await?;
    Ok(Json(SignInMethods {
        is_set_up: ways.is_set_up,
        passkeys: ways.passkeys,
        mail_links: ways.mail_links,
        identity_provider: ways.oidc_label,
    }))
}

/// Begin to sign in with a passkey.
///
/// Give `options` to `navigator.credentials.get`, and send what it returns with the challenge to `POST /console/session` or,
/// as a second factor, to `POST /console/session/second-factor`.
#[utoipa::path(
    post, path = "/console/sign-in/passkey", tag = "sign-in", security(("console" = [])),
    responses((status = 200, description = "What the browser needs.", body = PasskeyPromptBody), SignInMethodErrors),
)]
pub(super) async fn begin_passkey_sign_in(
    State(api): State<ApiState>,
    _stranger: StrangerRequest,
) -> Result<Json<PasskeyPromptBody>, ModerationApiError> {
    Ok(Json(api.console_access.begin_passkey_sign_in()?.into()))
}

/// Where to go to sign in.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ProviderRedirect {
    /// The address of the identity provider.
    location: String,
}

/// Begin to sign in through the identity provider.
///
/// Go to `location`. The provider sends the browser back to `/console/oidc/callback`, which leads to `/console/`: signed in,
/// with `#choose=TICKET` if there are several places to choose from, or with `#sign-in-failed=CODE`. The cookie binds the
/// attempt to this browser. The session that the browser has now ends when somebody is signed in.
#[utoipa::path(
    post, path = "/console/sign-in/oidc", tag = "sign-in", security(("console" = [])),
    responses(
        (status = 200, description = "Where to go.", body = ProviderRedirect, headers(("Set-Cookie" = String, description = "The attempt."))),
        BeginProviderSignInErrors
    ),
)]
pub(super) async fn begin_provider_sign_in(
    State(api): State<ApiState>,
    stranger: StrangerRequest,
) -> Result<([(HeaderName, HeaderValue); 2], Json<ProviderRedirect>), ModerationApiError> {
    let begun = api.console_access.begin_provider_sign_in(stranger.session.as_deref()).await?;
    let headers = [
        (header::SET_COOKIE, set_attempt_cookie(&api, Some(begun.attempt.expose()))),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, Json(ProviderRedirect { location: begun.url })))
}

/// A ticket from the identity provider's way back.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct ChoicesRequest {
    /// The text after `#choose=`.
    #[schema(value_type = String)]
    ticket: Option<String>,
}

impl CommandPayload for ChoicesRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("ticket", self.ticket)
    }
}

/// The places to choose from.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SignInPlaces {
    places: Vec<SignInPlace>,
}

/// Something that the person can sign in to.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SignInPlace {
    /// For `choice.id` of `POST /console/session`.
    id: Uuid,
    /// The name of an account; absent: as an operator of the installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
}

/// List what the person can sign in to, after the identity provider.
#[utoipa::path(
    post, path = "/console/sign-in/choices", tag = "sign-in", security(("console" = [])),
    request_body = ChoicesRequest,
    responses((status = 200, description = "What the person can sign in to.", body = SignInPlaces), ChoiceErrors),
)]
pub(super) async fn sign_in_choices(
    State(api): State<ApiState>,
    request: ConsoleRequest<ChoicesRequest>,
) -> Result<Json<SignInPlaces>, ModerationApiError> {
    let choices = api.console_access.choices(&request.command).await?;
    let places = choices.into_iter().map(|choice| SignInPlace { id: choice.id, account: choice.account });
    Ok(Json(SignInPlaces { places: places.collect() }))
}
