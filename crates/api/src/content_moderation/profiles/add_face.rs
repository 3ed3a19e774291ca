//! `POST /accounts/{accountId}/profiles/{profileId}/faces`

use super::{
    super::{
        ModerationApiError,
        authentication::ProfilesManage,
        created::CreatedResource,
        error,
        path::ProfilePath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::CommandViolations,
    },
    fields::decode_picture,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{extract::State, http::StatusCode, response::Response};
use std::mem;
use utoipa::ToSchema;

/// The face to add.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AddFaceRequest {
    /// A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera.
    #[schema(value_type = String, content_encoding = "base64")]
    face: Option<String>,
}

impl CommandPayload for AddFaceRequest {
    type Command = Vec<u8>;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Vec<u8>> {
        let face = violations.required("face", self.face)?;
        violations.check(decode_picture(&face))
    }
}

/// Add a face to a profile.
///
/// It must be the same person: otherwise `FACE_REFUSED` says how far it is from the profile's faces. A profile has at
/// most 10 faces, and needs `biometric_consent`.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/faces", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath, IdempotencyKeyHeader),
    request_body(content = AddFaceRequest, example = json!({ "face": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEB…" })),
    responses((status = 201, description = "The face is enrolled, and searches find it.", body = CreatedResource), error::EnrolErrors),
)]
pub(crate) async fn add_face(
    State(api): State<ApiState>,
    mut request: AccountRequest<ProfilesManage, ProfilePath, ReceivedCommand<AddFaceRequest>>,
) -> Result<Response, ModerationApiError> {
    // Before the picture is looked at, which takes long, and before it needs room: the first request may have taken the last.
    if let Some(answer) = stored_response(&api, &request.fingerprint()).await? {
        return Ok(answer);
    }
    let (account, profile) = (request.account.id, request.path.profile);
    api.faces.require_enrolment_allowed(&mut api.db.read().await?, account, profile).await?;
    let picture = mem::take(&mut request.input.command);
    let face = api.faces.prepare_face(account, Some(profile), picture).await?;
    let mut is_added = false;
    let answer = idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let id = api.faces.add_face(tx, account, profile, &face).await?;
        is_added = true;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await;
    if answer.is_ok() && is_added {
        api.faces.apply_committed_changes(account).await;
    } else {
        api.faces.discard_prepared_face(face).await;
    }
    answer
}
