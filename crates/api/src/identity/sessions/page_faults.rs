//! `POST /idverify/v1/sessions/{sessionId}/page-faults`

use crate::{
    http::{ClientErrorReport, log_client_error},
    identity::{
        Problem,
        caller::{AuthenticatedRequest, EndUserRequest},
        error,
    },
};
use axum::http::StatusCode;

/// Tell the operator that the page broke down.
///
/// Nothing about the end user may be in it: of each text only letters, digits and a few signs are kept, and few of them.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/page-faults", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ClientErrorReport,
    responses((status = 204, description = "It is in the log."), error::Reporting),
)]
pub(crate) async fn report_page_fault(
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<EndUserRequest, ClientErrorReport>,
) -> Result<StatusCode, Problem> {
    log_client_error(&caller.user.held.session.id, &body);
    Ok(StatusCode::NO_CONTENT)
}
