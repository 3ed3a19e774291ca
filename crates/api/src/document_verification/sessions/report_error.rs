//! `POST /idverify/v1/sessions/{sessionId}/page-faults`

use crate::{
    document_verification::{
        DocumentApiError,
        auth::{AuthenticatedRequest, EndUserRequest},
        error,
    },
    http::{ClientErrorReport, log_client_error},
};
use axum::http::StatusCode;

/// Report an error of the page to the operator.
///
/// The report must not identify the end user: each text is reduced to letters, digits and a few punctuation marks, and
/// cut to 64 characters.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/page-faults", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ClientErrorReport,
    responses((status = 204, description = "The error is in the log."), error::ReportPageFaultErrors),
)]
pub(crate) async fn report_page_fault(
    AuthenticatedRequest { body, .. }: AuthenticatedRequest<EndUserRequest, ClientErrorReport>,
) -> Result<StatusCode, DocumentApiError> {
    log_client_error(None, &body);
    Ok(StatusCode::NO_CONTENT)
}
