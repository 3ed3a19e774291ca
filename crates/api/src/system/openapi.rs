//! `GET /openapi/{moderation,ai,proof,identity,ages,console}.json`.

use crate::{Api, openapi};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse as _, Response},
};

pub(super) async fn document(State(api): State<Api>, Path(file): Path<String>) -> Response {
    let document = file.strip_suffix(".json").and_then(|name| openapi::document(name, &api.brand));
    match document {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        None => super::no_endpoint::<crate::ai::Code>(),
    }
}
