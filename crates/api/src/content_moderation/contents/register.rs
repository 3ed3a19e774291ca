//! `POST /accounts/{accountId}/contents`

use super::super::{
    ModerationApiError,
    authentication::ContentsManage,
    created::CreatedResource,
    error,
    path::AccountPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::{CommandViolations, TextList},
};
use crate::{
    ApiState,
    http::{
        idempotency::{IdempotencyKeyHeader, idempotent},
        json::object,
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{ContentUploadId, Secret, Uuid};
use domain::content_moderation::contents::{self, ContentRequest, ContentType};
use media::video::CameraCredentials;
use utoipa::ToSchema;

/// The content to register.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct RegisterContentRequest {
    /// Its address on the public internet: https, and of a live video also rtsp or rtsps, without a user name. Exactly one of this and `upload_id` is required.
    #[schema(max_length = 4096, pattern = "^(https|rtsps?)://", example = "https://media.example.com/1.jpg")]
    url: Option<String>,
    /// The file that was uploaded (`POST /accounts/{accountId}/uploads`), of an image or a video.
    #[schema(value_type = Option<Uuid>)]
    upload_id: Option<ContentUploadId>,
    /// The kind of content.
    #[schema(value_type = ContentType, example = "IMAGE")]
    r#type: Option<ContentType>,
    /// What the camera demands of whoever watches it; of an address of RTSP only. It is sealed, and never shown again.
    #[serde(default, deserialize_with = "object")]
    credentials: Option<CameraCredentialsRequest>,
    /// Profiles that are known to be in it.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 100)]
    profile_ids: TextList,
    /// Who uploaded it: an id of your own, or a profile's.
    uploader_id: Option<Uuid>,
    /// Its title.
    #[schema(max_length = 200)]
    title: Option<String>,
}

/// A camera's user name and password. They are answered to a Digest challenge (RFC 7616, RFC 2069), and to a Basic one over
/// TLS (`rtsps`) only.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CameraCredentialsRequest {
    /// The user name, without colon.
    #[schema(min_length = 1, max_length = 255)]
    username: String,
    /// The password.
    #[schema(value_type = String, max_length = 255)]
    password: Secret<String>,
}

impl CommandPayload for RegisterContentRequest {
    type Command = ContentRequest;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<ContentRequest> {
        let new = contents::ContentInput {
            url: self.url,
            upload_id: self.upload_id,
            content_type: self.r#type,
            credentials: self.credentials.map(|CameraCredentialsRequest { username, password }| {
                CameraCredentials { username, password }
            }),
            profile_ids: violations.ids("profile_ids", self.profile_ids, "there is no such profile"),
            uploader_id: self.uploader_id,
            title: self.title,
        };
        violations.check_all(new.validate(api.content_moderation.outbox()))
    }
}

/// Register a content.
///
/// Of an address nothing else is stored; the media is fetched when the content is moderated. A file that was uploaded is kept
/// until the content is deleted; each may be given to one content.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = RegisterContentRequest, example = json!({
        "url": "https://media.example.com/1.jpg", "type": "IMAGE", "title": "Front page of 16 January",
    })),
    responses((status = 201, description = "The content is registered.", body = CreatedResource), error::CreateErrors),
)]
pub(crate) async fn register_content(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, AccountPath, ReceivedCommand<RegisterContentRequest>>,
) -> Result<Response, ModerationApiError> {
    idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let new = request.input.command.clone();
        let stores = (&api.faces, api.content_moderation.uploads());
        let id = contents::register(tx, &*api.environment, stores, request.account.id, new).await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}
