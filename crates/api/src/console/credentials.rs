//! What the caller signs in with: a list of all of it, passwords, codes, and the second factor of a session.

use super::{
    ChangeCredentialErrors, GetConsoleSessionErrors, NamedCredentialErrors, SecondFactorErrors,
    passkeys::{PasskeyAnswer, PasskeyBody},
    permissions::{AnySession, CompleteSession},
    request::{ConsoleCall, ConsoleCommand},
    session::session_headers,
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError, ModerationErrorCode},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base::{LimitViolation, Secret};
use domain::{
    Violation,
    authentication::{
        passkeys::PasskeyError,
        passwords::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordError},
        totp::TotpError,
    },
    console::{ConsoleSignInError, CredentialChangeError, SecondFactorProof},
};
use utoipa::ToSchema;

/// What strangers are told. Why is in the log alone, because it may name addresses of the operator's network.
const PROVIDER_UNAVAILABLE: &str =
    "signing in through the identity provider is not possible now; try again later, or sign in another way";

/// What somebody has to sign in with.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct Credentials {
    /// The oldest first.
    passkeys: Vec<PasskeyBody>,
    /// Whether they have a password.
    password: bool,
    /// Whether codes of an authenticator app are set up.
    codes: bool,
    /// Whether they have signed in through the identity provider, which knows them from then on.
    identity_provider: bool,
}

/// See what one has to sign in with.
#[utoipa::path(
    get, path = "/console/credentials", tag = "credentials", security(("session" = [], "console" = [])),
    responses((status = 200, description = "What the caller signs in with.", body = Credentials), GetConsoleSessionErrors),
)]
pub(super) async fn list_credentials(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession>,
) -> Result<Json<Credentials>, ModerationApiError> {
    let has = api.console_access.credentials(&call.caller).await?;
    let passkeys = api.console_access.passkeys().list(&mut api.db.read().await?, call.holder()).await?;
    Ok(Json(Credentials {
        passkeys: passkeys.into_iter().map(PasskeyBody::from).collect(),
        password: has.has_password,
        codes: has.has_totp,
        identity_provider: has.has_oidc,
    }))
}

/// A second factor: exactly one of the two.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SecondFactorRequest {
    /// The code of an authenticator app.
    #[schema(min_length = 6, max_length = 6, example = "287082")]
    code: Option<String>,
    /// The answer of a passkey.
    passkey: Option<PasskeyAnswer>,
}

impl CommandPayload for SecondFactorRequest {
    type Command = SecondFactorProof;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SecondFactorProof> {
        match (self.code, self.passkey) {
            (Some(code), None) => Some(SecondFactorProof::Code(code)),
            (None, Some(passkey)) => {
                let (challenge, credential) = passkey.into_parts(violations)?;
                Some(SecondFactorProof::Passkey { challenge, credential })
            }
            _ => {
                violations.push(Violation::new("code", "either it or passkey is required"));
                None
            }
        }
    }
}

/// Present a second factor.
///
/// The session gets a new cookie. After several wrong codes in a row nothing is judged for a while.
#[utoipa::path(
    post, path = "/console/session/second-factor", tag = "sessions", security(("session" = [], "console" = [])),
    request_body = SecondFactorRequest,
    responses(
        (status = 204, description = "The session has a second factor.", headers(("Set-Cookie" = String, description = "The session."))),
        SecondFactorErrors
    ),
)]
pub(super) async fn present_second_factor(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession, (), ConsoleCommand<SecondFactorRequest>>,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 2]), ModerationApiError> {
    let token = api.console_access.present_second_factor(&call.caller, &call.input.0).await?;
    Ok((StatusCode::NO_CONTENT, session_headers(&api, Some(token.expose()))))
}

/// A password to set.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SetPasswordRequest {
    #[schema(value_type = String, min_length = 12, max_length = 200)]
    password: Option<Secret<String>>,
}

impl CommandPayload for SetPasswordRequest {
    type Command = Secret<String>;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Secret<String>> {
        violations.required("password", self.password)
    }
}

/// Set one's password.
///
/// For operators. All of their other sessions end.
#[utoipa::path(
    put, path = "/console/password", tag = "credentials", security(("session" = [], "console" = [])),
    request_body = SetPasswordRequest,
    responses((status = 204, description = "The password is set."), NamedCredentialErrors),
)]
pub(super) async fn set_password(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession, (), ConsoleCommand<SetPasswordRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    api.console_access.set_password(&call.caller, &call.input.0).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What an authenticator app is set up with. It is shown once.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct TotpSecret {
    /// To be typed: base32.
    secret: String,
    /// To be shown as a QR code.
    #[schema(example = "otpauth://totp/Assay:ada%40example.com?secret=…&issuer=Assay")]
    uri: String,
}

/// Begin to set up codes of an authenticator app.
///
/// They count from the first code on that is sent to `POST /console/totp/confirmation`. An earlier beginning is forgotten.
#[utoipa::path(
    post, path = "/console/totp", tag = "credentials", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The secret, for the authenticator app.", body = TotpSecret), ChangeCredentialErrors),
)]
pub(super) async fn begin_totp(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession>,
) -> Result<([(HeaderName, &'static str); 1], Json<TotpSecret>), ModerationApiError> {
    let enrolment = api.console_access.begin_totp(&call.caller).await?;
    let body = TotpSecret { secret: enrolment.secret.expose().clone(), uri: enrolment.uri.expose().clone() };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// A first code.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct ConfirmTotpRequest {
    #[schema(value_type = String, min_length = 6, max_length = 6, example = "287082")]
    code: Option<String>,
}

impl CommandPayload for ConfirmTotpRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("code", self.code)
    }
}

/// Complete the setup of codes with a first one.
///
/// It counts as a second factor: if none was presented in this session before, the session has one now, and a new cookie.
#[utoipa::path(
    post, path = "/console/totp/confirmation", tag = "credentials", security(("session" = [], "console" = [])),
    request_body = ConfirmTotpRequest,
    responses(
        (status = 204, description = "The authenticator app is set up; its codes are accepted.", headers(("Set-Cookie" = String, description = "The session, if it has a new secret."))),
        NamedCredentialErrors
    ),
)]
pub(super) async fn confirm_totp(
    State(api): State<ApiState>,
    call: ConsoleCall<AnySession, (), ConsoleCommand<ConfirmTotpRequest>>,
) -> Result<Response, ModerationApiError> {
    let token = api.console_access.confirm_totp(&call.caller, &call.input.0).await?;
    Ok(match token {
        Some(token) => (StatusCode::NO_CONTENT, session_headers(&api, Some(token.expose()))).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Remove one's codes.
#[utoipa::path(
    delete, path = "/console/totp", tag = "credentials", security(("session" = [], "console" = [])),
    responses((status = 204, description = "The authenticator app is removed; its codes are no longer accepted."), ChangeCredentialErrors),
)]
pub(super) async fn remove_totp(
    State(api): State<ApiState>,
    call: ConsoleCall<CompleteSession>,
) -> Result<StatusCode, ModerationApiError> {
    if api.console_access.remove_totp(&call.caller).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ModerationApiError::not_found("authenticator app"))
    }
}

impl From<ConsoleSignInError> for ModerationApiError {
    fn from(error: ConsoleSignInError) -> Self {
        let words = error.to_string();
        match error {
            ConsoleSignInError::Refused(_) => Self::new(ModerationErrorCode::Unauthorized, words),
            ConsoleSignInError::TooMany { wait, .. } => {
                Self::new(ModerationErrorCode::TooManyRequests, words).with_retry_after(wait)
            }
            ConsoleSignInError::Unavailable(_) => Self::new(ModerationErrorCode::Unavailable, words),
            ConsoleSignInError::ProviderUnavailable(_) => {
                tracing::warn!(error = words, "the identity provider is unavailable");
                Self::new(ModerationErrorCode::Unavailable, PROVIDER_UNAVAILABLE)
            }
            ConsoleSignInError::Authentication(error) => error.into(),
            ConsoleSignInError::Db(error) => Self::unavailable(&error),
        }
    }
}

impl From<CredentialChangeError> for ModerationApiError {
    fn from(error: CredentialChangeError) -> Self {
        let words = error.to_string();
        match error {
            CredentialChangeError::SecondFactorRequired | CredentialChangeError::OperatorsOnly => {
                Self::new(ModerationErrorCode::Unauthorized, words)
            }
            CredentialChangeError::Passkey(error) => match error {
                PasskeyError::NotAvailable => Self::new(ModerationErrorCode::Unavailable, words),
                PasskeyError::Challenge => Self::violation("challenge", words),
                PasskeyError::Refused(_) | PasskeyError::PossibleCopy => Self::violation("credential", words),
                PasskeyError::Name => Self::violation("name", words),
                PasskeyError::TooMany | PasskeyError::Duplicate => {
                    Self::new(ModerationErrorCode::Conflict, words)
                }
                PasskeyError::Missing => Self::not_found("passkey"),
                PasskeyError::Db(error) => Self::unavailable(&error),
            },
            CredentialChangeError::Totp(error) => match error {
                TotpError::Enrolled | TotpError::NotBegun => Self::new(ModerationErrorCode::Conflict, words),
                TotpError::Code => Self::violation("code", words),
                TotpError::Db(error) => Self::unavailable(&error),
            },
            CredentialChangeError::SignIn(error) => error.into(),
            CredentialChangeError::Password(error) => match error {
                PasswordError::Length(length) => {
                    let limit = format!("{MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters");
                    let measured = LimitViolation::new(length as f64, limit, "choose another one");
                    Violation::with_limit("password", words, measured).into()
                }
                PasswordError::Busy | PasswordError::Hash => {
                    Self::new(ModerationErrorCode::Unavailable, words)
                }
                PasswordError::Db(error) => Self::unavailable(&error),
            },
            CredentialChangeError::Db(error) => Self::unavailable(&error),
        }
    }
}
