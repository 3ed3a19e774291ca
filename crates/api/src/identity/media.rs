//! `GET` and `DELETE /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use super::{Business, Code, Problem};
use crate::{Api, http::header_text};
use axum::{
    extract::{Path, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base::MediaId;
use domain::identity::{NotDone, flow::Contents};
use std::ops::Range;

fn media_id(text: &str) -> Result<MediaId, Problem> {
    Ok(text.parse().map_err(|_| NotDone::NoMedia)?)
}

/// Read a media: its bytes, whole or a range. Nothing of it may be kept by anybody on the way.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/media/{mediaId}/content", tag = "media",
    security(("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("mediaId" = String, Path, description = "The media."),
        ("Range" = Option<String>, Header, description = "One range of bytes."),
    ),
    responses(
        (status = 200, description = "The bytes: `image/jpeg`, `image/png`, `application/json`, `application/pdf` or `application/octet-stream`."),
        (status = 204, description = "The contents are withheld by the operator's rules, or were deleted."),
        (status = 206, description = "The range that was asked for."),
        Problem
    ),
)]
pub(crate) async fn get_media(
    State(api): State<Api>,
    Path((id, media)): Path<(String, String)>,
    business: Business,
) -> Result<Response, Problem> {
    let held = business.session(&api, &id).await?;
    let media = media_id(&media)?;
    let size = held.session.media(media).ok_or(NotDone::NoMedia)?.bytes;
    let asked = header_text(&business.sent.headers, &header::RANGE).map(|range| part(range, size));
    let part = match asked {
        None | Some(Asked::Whole) => None,
        Some(Asked::Part(part)) => Some(part),
        Some(Asked::Nothing) => {
            let problem = Problem::new(Code::RangeNotSatisfiable, format!("the media has {size} bytes"));
            let range = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
            return Ok((range, problem).into_response());
        }
    };
    let Contents::Bytes(media, bytes) = api.identities.contents(&held, media, part.clone()).await? else {
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

/// What a `Range` asks for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// Everything: it is of a form that is not read, or of several parts.
    Whole,
    /// These bytes, the end excluded.
    Part(Range<u64>),
    /// Bytes that are not there.
    Nothing,
}

/// Reads a `Range` (RFC 9110 §14.1.2) of something with so many bytes.
fn part(range: &str, size: u64) -> Asked {
    let Some((from, to)) = range
        .trim()
        .strip_prefix("bytes=")
        .filter(|set| !set.contains(','))
        .and_then(|set| set.split_once('-'))
    else {
        return Asked::Whole;
    };
    let (from, to) = (from.trim(), to.trim());
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let asked = match (from.is_empty(), to.is_empty()) {
        (true, true) => return Asked::Whole,
        // The last so many.
        (true, false) => match number(to) {
            Some(last) => size.saturating_sub(last)..size,
            None => return Asked::Whole,
        },
        (false, true) => match number(from) {
            Some(from) => from..size,
            None => return Asked::Whole,
        },
        (false, false) => match (number(from), number(to)) {
            (Some(from), Some(to)) if from <= to => from..to.saturating_add(1).min(size),
            _ => return Asked::Whole,
        },
    };
    if asked.start >= asked.end { Asked::Nothing } else { Asked::Part(asked) }
}

/// Delete a media's contents for good, when its session has ended.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/media/{mediaId}/content", tag = "media",
    security(("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("mediaId" = String, Path, description = "The media."),
    ),
    responses((status = 204, description = "They are gone."), Problem),
)]
pub(crate) async fn delete_media(
    State(api): State<Api>,
    Path((id, media)): Path<(String, String)>,
    business: Business,
) -> Result<StatusCode, Problem> {
    let held = business.session(&api, &id).await?;
    let media = media_id(&media)?;
    api.identities.redact(held.session.id, media, business.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read_and_whatever_else_is_the_whole() {
        for (range, asked) in [
            ("bytes=0-3", Asked::Part(0..4)),
            ("bytes=4-", Asked::Part(4..10)),
            ("bytes=-3", Asked::Part(7..10)),
            ("bytes=-30", Asked::Part(0..10)),
            ("bytes=8-99", Asked::Part(8..10)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=5-4", Asked::Whole),
            ("bytes=0-1,3-4", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("items=0-1", Asked::Whole),
            ("bytes=+1-2", Asked::Whole),
            ("bytes=0-18446744073709551615", Asked::Part(0..10)),
        ] {
            assert_eq!(part(range, 10), asked, "{range}");
        }
    }
}
