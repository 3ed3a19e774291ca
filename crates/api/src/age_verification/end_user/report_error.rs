//! `POST /age/v1/sessions/{sessionId}/faults`

use super::super::{
    auth::{AdmitBlockedLocations, AgeEndUser, WhileShown},
    body::JsonBody,
    error,
};
use crate::http::{ClientErrorReport, log_client_error};
use axum::http::StatusCode;

/// Report an error of the page to the operator.
///
/// The report must not identify the end user: each text is reduced to letters, digits and a few punctuation marks, and
/// cut to 64 characters.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/faults", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ClientErrorReport,
    responses((status = 204, description = "The error is in the log."), error::ReportFaultErrors),
)]
pub(crate) async fn report_age_fault(
    user: AgeEndUser<AdmitBlockedLocations, WhileShown>,
    JsonBody(report): JsonBody<ClientErrorReport>,
) -> StatusCode {
    log_client_error(Some(user.session.id), &report);
    StatusCode::NO_CONTENT
}
