//! `POST /api/v1/sessions/{sessionId}/appeal`

use super::{
    super::{
        AgeApiError, NO_STORE_HEADERS,
        auth::{AgeRelyingPartyRequest, OwnSession},
        body::DeclaredJsonBody,
        error,
    },
    record::AppealRecord,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use domain::age_verification::AgeAppealRequest;
use media::image_validation;
use utoipa::ToSchema;

/// The longest body: a picture in base64, with a statement.
const MAX_BODY_BYTES: usize = 3 << 20;
/// The longest language tag (BCP 47), characters.
const MAX_LANGUAGE_CHARS: usize = 35;

/// An appeal for the person of a session. Every member may be left out.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct CreateAgeAppealRequest {
    /// What the person says; a reviewer reads it.
    #[schema(max_length = 2000, example = "I am 34. My passport shows it; the camera was very dark.")]
    statement: Option<String>,
    /// The language of the person, BCP 47. Cases are routed by it.
    #[schema(max_length = 35, example = "de")]
    language: Option<String>,
    /// The picture that was taken when the age was estimated, if you have kept it: JPEG or PNG, base64. This server has not.
    /// A reviewer sees it; it is deleted when the appeal is decided, after 30 days at the latest.
    #[schema(max_length = 2_000_000)]
    picture: Option<String>,
    /// That the person agrees that a reviewer of this server sees the picture; needed with one.
    picture_consent: Option<bool>,
}

impl CreateAgeAppealRequest {
    fn into_command(self) -> Result<AgeAppealRequest, AgeApiError> {
        let language = self.language;
        if language.as_deref().is_some_and(|tag| !is_language_tag(tag)) {
            return Err(AgeApiError::violation("language", "it is not a language tag (BCP 47)"));
        }
        if self.picture.is_some() && self.picture_consent != Some(true) {
            let words = "it is true where a picture is sent: the person agrees that a reviewer sees it";
            return Err(AgeApiError::violation("picture_consent", words));
        }
        let picture = self.picture.as_deref().map(image_validation::decode_base64).transpose();
        let picture = picture.map_err(|error| AgeApiError::violation("picture", error.message))?;
        Ok(AgeAppealRequest { statement: self.statement, language, picture })
    }
}

fn is_language_tag(tag: &str) -> bool {
    (2..=MAX_LANGUAGE_CHARS).contains(&tag.len())
        && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Ask that a person looks again.
///
/// For somebody who was refused for their age: the session is `FAIL`, or its last attempt ended with `UNDER_AGE`, `OVER_AGE` or
/// `AGE_UNCERTAIN`. Each session has one appeal, within 14 days unless the operator has set another time. A reviewer decides it in
/// the console of this server. If they overturn the refusal, the session is `COMPLETE`. Either way a webhook with `appeal` is sent
/// to `notification_url`.
#[utoipa::path(
    post, path = "/api/v1/sessions/{sessionId}/appeal", tag = "appeals", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = CreateAgeAppealRequest, example = json!({ "statement": "I am 34; the camera was very dark.", "language": "en" })),
    responses((status = 201, description = "The appeal, which waits for a reviewer.", body = AppealRecord), error::CreateAgeAppealErrors),
)]
pub(crate) async fn create_age_appeal(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(OwnSession(session), DeclaredJsonBody(body)): AgeRelyingPartyRequest<
        OwnSession,
        DeclaredJsonBody<MAX_BODY_BYTES>,
    >,
) -> Result<Response, AgeApiError> {
    let request = body.json::<CreateAgeAppealRequest>()?.into_command()?;
    let key = body.idempotency_key()?;
    let identity = body.fingerprint(session.app, key.as_deref());
    // The picture of a repeat need not be read again.
    if let Some(answered) = stored_response(&api, &identity).await? {
        return Ok((NO_STORE_HEADERS, answered).into_response());
    }
    let prepared = api.age_verification.prepare_appeal(session.app, request).await?;
    let answer: Result<Response, AgeApiError> = idempotent(&api, identity, async |tx| {
        let appeal = api.age_verification.create_appeal(tx, session.app, session.id, prepared).await?;
        Ok((StatusCode::CREATED, AppealRecord::from(appeal)))
    })
    .await;
    Ok((NO_STORE_HEADERS, answer?).into_response())
}
