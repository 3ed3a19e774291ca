//! `POST /age/v1/sessions/{sessionId}/faults`

use super::super::{
    auth::{AdmitBlockedLocations, AgeEndUser},
    body::JsonBody,
    error,
};
use crate::http::{ClientErrorReport, log_client_error};
use axum::http::StatusCode;

/// Tell the operator that the page broke down.
///
/// Nothing about the end user may be in it: of each text only letters, digits and a few signs are kept, and few of them.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/faults", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ClientErrorReport,
    responses((status = 204, description = "It is in the log."), error::ReportFaultErrors),
)]
pub(crate) async fn report_age_fault(
    user: AgeEndUser<AdmitBlockedLocations>,
    JsonBody(report): JsonBody<ClientErrorReport>,
) -> StatusCode {
    log_client_error(&user.session.id, &report);
    StatusCode::NO_CONTENT
}
