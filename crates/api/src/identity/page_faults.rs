//! `POST /idverify/v1/sessions/{sessionId}/page-faults`

use super::{Person, Problem};
use crate::http::{ClientErrorReport, log_client_error};
use axum::http::StatusCode;

/// Tell the operator that the page broke down. Nothing about the person may be in it: of each text only letters, digits
/// and a few signs are kept, and few of them.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/page-faults", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = ClientErrorReport,
    responses((status = 204, description = "It is in the log."), Problem),
)]
pub(crate) async fn report_page_fault(person: Person) -> Result<StatusCode, Problem> {
    log_client_error(&person.held.session.id, &person.sent.parse()?);
    Ok(StatusCode::NO_CONTENT)
}
