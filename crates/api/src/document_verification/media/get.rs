//! `GET /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, DocumentErrorCode, auth::SessionOwner, error},
    http::{header_text, openapi::BinaryContent},
};
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use domain::document_verification::{DocumentFields, DocumentSessionError, MediaDownload};
use std::{borrow::Cow, ops::Range};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema, schema::AdditionalProperties},
};

/// A media that is JSON: the data that was read from a document.
pub(crate) struct MediaJson;

impl PartialSchema for MediaJson {
    fn schema() -> RefOr<Schema> {
        let mut fields = DocumentFields::schema();
        if let RefOr::T(Schema::Object(object)) = &mut fields {
            // A sandbox returns any fields that its response configuration has.
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        }
        fields
    }
}

impl ToSchema for MediaJson {
    fn name() -> Cow<'static, str> {
        DocumentFields::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        DocumentFields::schemas(schemas);
    }
}

/// Read a media: its bytes, whole or a range.
///
/// The answer must not be cached.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/media/{mediaId}/content", tag = "media",
    security(("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("mediaId" = Uuid, Path, description = "The media."),
        ("Range" = Option<String>, Header, description = "One range of bytes (RFC 9110); several are read as none.", example = "bytes=0-1023"),
    ),
    responses(
        (
            status = 200, description = "The bytes.",
            content(
                (BinaryContent = "image/jpeg"), (BinaryContent = "image/png"), (BinaryContent = "application/pdf"),
                (MediaJson = "application/json"), (BinaryContent = "application/octet-stream")
            ),
            headers(("Cache-Control" = String, description = "`no-store`"), ("Accept-Ranges" = String, description = "`bytes`")),
        ),
        (
            status = 204, description = "The contents are withheld by the operator's rules, or were deleted.",
            headers(("Cache-Control" = String, description = "`no-store`")),
        ),
        (
            status = 206, description = "The range that was asked for.",
            content(
                (BinaryContent = "image/jpeg"), (BinaryContent = "image/png"), (BinaryContent = "application/pdf"),
                (BinaryContent = "application/json"), (BinaryContent = "application/octet-stream")
            ),
            headers(
                ("Content-Range" = String, description = "Which bytes, and of how many."),
                ("Cache-Control" = String, description = "`no-store`"), ("Accept-Ranges" = String, description = "`bytes`")
            ),
        ),
        error::GetMediaErrors
    ),
)]
pub(crate) async fn get_media(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<Response, DocumentApiError> {
    let media = owner.party.path.media()?;
    let size = owner.stored.session.media(media).ok_or(DocumentSessionError::MediaNotFound)?.bytes;
    let asked =
        header_text(&owner.party.request.headers, &header::RANGE).map(|range| parse_range(range, size));
    let part = match asked {
        None | Some(RequestedRange::Whole) => None,
        Some(RequestedRange::Part(part)) => Some(part),
        Some(RequestedRange::Unsatisfiable) => return Ok(range_not_satisfiable(size)),
    };
    let MediaDownload::Bytes(media, bytes) =
        api.document_verification.download_media(&owner.stored, media, part.clone()).await?
    else {
        return Ok((StatusCode::NO_CONTENT, [(header::CACHE_CONTROL, "no-store")]).into_response());
    };
    let kind = HeaderValue::from_str(&media.content_type)
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok(match part {
        None => (headers, bytes).into_response(),
        Some(Range { start, .. }) => {
            let end = start + (bytes.len() as u64).saturating_sub(1);
            let range = [(header::CONTENT_RANGE, format!("bytes {start}-{end}/{size}"))];
            (StatusCode::PARTIAL_CONTENT, headers, range, bytes).into_response()
        }
    })
}

/// The answer to a range of bytes that are not there.
fn range_not_satisfiable(size: u64) -> Response {
    let problem =
        DocumentApiError::new(DocumentErrorCode::RangeNotSatisfiable, format!("the media has {size} bytes"));
    ([(header::CONTENT_RANGE, format!("bytes */{size}"))], problem).into_response()
}

/// What a `Range` asks for.
#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    /// Everything: the range has an unsupported form, or several parts.
    Whole,
    /// These bytes, the end excluded.
    Part(Range<u64>),
    /// Bytes past the end.
    Unsatisfiable,
}

/// Parses a `Range` (RFC 9110 §14.1.2) for a media of `size` bytes.
fn parse_range(range: &str, size: u64) -> RequestedRange {
    let Some((from, to)) = range
        .trim()
        .strip_prefix("bytes=")
        .filter(|set| !set.contains(','))
        .and_then(|set| set.split_once('-'))
    else {
        return RequestedRange::Whole;
    };
    let (from, to) = (from.trim(), to.trim());
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let asked = match (from.is_empty(), to.is_empty()) {
        (true, true) => return RequestedRange::Whole,
        // The last `to` bytes.
        (true, false) => match number(to) {
            Some(last) => size.saturating_sub(last)..size,
            None => return RequestedRange::Whole,
        },
        (false, true) => match number(from) {
            Some(from) => from..size,
            None => return RequestedRange::Whole,
        },
        (false, false) => match (number(from), number(to)) {
            (Some(from), Some(to)) if from <= to => from..to.saturating_add(1).min(size),
            _ => return RequestedRange::Whole,
        },
    };
    if asked.start >= asked.end { RequestedRange::Unsatisfiable } else { RequestedRange::Part(asked) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read_and_whatever_else_is_the_whole() {
        for (range, asked) in [
            ("bytes=0-3", RequestedRange::Part(0..4)),
            ("bytes=4-", RequestedRange::Part(4..10)),
            ("bytes=-3", RequestedRange::Part(7..10)),
            ("bytes=-30", RequestedRange::Part(0..10)),
            ("bytes=8-99", RequestedRange::Part(8..10)),
            ("bytes=10-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=5-4", RequestedRange::Whole),
            ("bytes=0-1,3-4", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("items=0-1", RequestedRange::Whole),
            ("bytes=+1-2", RequestedRange::Whole),
            ("bytes=0-18446744073709551615", RequestedRange::Part(0..10)),
        ] {
            assert_eq!(parse_range(range, 10), asked, "{range}");
        }
    }
}
