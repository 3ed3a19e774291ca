//! `GET /openapi/{moderation,ai,proof,identity,ages,console}.json`.

use crate::{ApiState, openapi};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse as _, Response},
};

pub(super) async fn openapi_json(State(api): State<ApiState>, Path(file): Path<String>) -> Response {
    let document = file.strip_suffix(".json").and_then(|name| openapi::document_json(name, &api.brand));
    match document {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        None => super::Refusal::NoSuchEndpoint.response::<crate::image_analysis::ImageAnalysisErrorCode>(),
    }
}
