//! `POST /accounts/{accountId}/uploads`

use super::super::{
    ModerationApiError, ModerationErrorCode,
    authentication::ContentsManage,
    error::{self, violations_with_code},
    path::AccountPath,
    request::{AccountRequest, FileBody},
};
use crate::{
    ApiState,
    http::{
        body::{self, SlowestArrival},
        header_text,
        openapi::BinaryContent,
    },
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
};
use base::{ContentUploadId, LimitViolation, Timestamp};
use domain::{
    Violation,
    content_moderation::contents::uploads::{ContentUpload, UploadError, UploadMediaType},
};
use utoipa::ToSchema;

/// A file that was uploaded.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct UploadBody {
    /// Its id, for the `upload_id` of a content.
    #[schema(value_type = Uuid)]
    id: ContentUploadId,
    /// Its media type, without parameters.
    #[schema(example = "image/jpeg")]
    media_type: String,
    /// Its size.
    #[schema(minimum = 1)]
    bytes: u64,
    /// When it is deleted, unless a content has it by then.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

impl From<ContentUpload> for UploadBody {
    fn from(upload: ContentUpload) -> Self {
        let ContentUpload { id, media_type, bytes, expires_at } = upload;
        Self { id, media_type, bytes, expires_at }
    }
}

/// Upload the file of a content.
///
/// For an image or a video that this server cannot fetch at an address. The body is the file itself, and `Content-Type` its
/// media type, `image/…` or `video/…`. An image has at most 50 MB, a video 2 GB, unless the operator has set other limits. The
/// file is stored encrypted, and counts as stored bytes of the application. It is deleted after 24 hours, unless a content was
/// registered with its id by then; with the content otherwise. `Idempotency-Key` is not looked at: a file that was uploaded
/// twice expires.
#[utoipa::path(
    post, path = "/accounts/{accountId}/uploads", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        AccountPath,
        ("Content-Type" = String, Header, description = "`image/…` or `video/…`.", example = "image/jpeg"),
    ),
    request_body(content((BinaryContent = "image/*"), (BinaryContent = "video/*")), description = "The file."),
    responses((status = 201, description = "The file is stored.", body = UploadBody), error::UploadErrors),
)]
pub(crate) async fn upload_file(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, AccountPath, FileBody>,
) -> Result<(StatusCode, Json<UploadBody>), ModerationApiError> {
    let FileBody { headers, body } = request.input;
    let media_type = header_text(&headers, &header::CONTENT_TYPE).and_then(UploadMediaType::parse);
    let media_type = media_type.ok_or_else(|| {
        ModerationApiError::violation(
            "Content-Type",
            "it must be the media type of the file: image/… or video/…",
        )
    })?;
    let announced = header_text(&headers, &header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let (window, bytes) = api.content_moderation.uploads().slowest_arrival();
    let file = body::read_as_stream(&api, request.caller.app, body, SlowestArrival { window, bytes })?;
    let stored =
        api.content_moderation.uploads().store(request.account.id, &media_type, announced, file).await?;
    Ok((StatusCode::CREATED, Json(stored.into())))
}

impl From<UploadError> for ModerationApiError {
    fn from(error: UploadError) -> Self {
        let message = error.to_string();
        match error {
            UploadError::TooLarge { announced, limit } => {
                let refusal = Self::new(ModerationErrorCode::PayloadTooLarge, message);
                match announced {
                    Some(bytes) => refusal.with_measured(LimitViolation::new(
                        bytes as f64,
                        format!("at most {limit} bytes"),
                        "send a smaller file",
                    )),
                    None => refusal,
                }
            }
            UploadError::Empty | UploadError::OtherKind { .. } => {
                violations_with_code(ModerationErrorCode::FileRefused, vec![Violation::new("body", message)])
            }
            UploadError::BrokeOff(_) => Self::violation("body", message),
            UploadError::LimitReached(reached) => reached.into(),
            UploadError::NoAccount => Self::not_found("account"),
            UploadError::Blobs(cause) => Self::unavailable(&cause),
            UploadError::Db(cause) => cause.into(),
        }
    }
}
