//! `GET /console/audit-records/export`

use super::query::AuditQuery;
use crate::{
    ApiState,
    console::{
        RecordListErrors,
        permissions::AuditView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::ModerationApiError,
};
use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderName, header},
};
use db::{AuditEvent, DbError};
use domain::audit_trail::AuditFilter;
use futures_util::stream;

/// Download records of the audit trail, oldest first, as JSON lines.
///
/// Each line is `{"hash": …, "record": …}` with the record as it is stored, as `assay audit export` prints it. A member's lines are
/// those of their account, and do not chain to each other. That somebody exported is itself recorded. For operators and members
/// with `audit:view`.
#[utoipa::path(
    get, path = "/console/audit-records/export", tag = "audit", security(("session" = [], "console" = [])),
    params(AuditQuery),
    responses(
        (
            status = 200, description = "The lines, until there are no more. A line that is cut off means that the database failed.",
            body = String, content_type = "application/x-ndjson",
            headers(("Content-Disposition" = String, description = "A name for the file."), ("Cache-Control" = String, description = "`no-store`"))
        ),
        RecordListErrors
    ),
)]
pub(in crate::console) async fn export_audit_records(
    State(api): State<ApiState>,
    call: ConsoleCall<AuditView, (), ConsoleQuery<AuditQuery>>,
) -> Result<([(HeaderName, &'static str); 3], Body), ModerationApiError> {
    let filter = call.input.0.filter(&call)?;
    let mut tx = call.begin(&api).await?;
    let event = AuditEvent::new("audit-trail.export");
    tx.audit(match call.own_account() {
        Some(account) => event.account(account),
        None => event,
    });
    tx.commit().await?;
    // A thousand records are in memory at once, whoever reads slowly.
    let batches = stream::unfold(Some(-1), move |after| {
        let (api, filter) = (api.clone(), filter.clone());
        async move { next_lines(&api, &filter, after?).await }
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"audit-records.ndjson\""),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(batches)))
}

type Lines = (Result<Bytes, DbError>, Option<i64>);

/// The next lines after a record, and after which record to go on; `None` if there are no more.
async fn next_lines(api: &ApiState, filter: &AuditFilter, mut after: i64) -> Option<Lines> {
    loop {
        match read_lines(api, filter, after).await {
            Ok((lines, next)) if lines.is_empty() => after = next?,
            Ok((lines, next)) => return Some((Ok(lines.into()), next)),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "an export of the audit trail was cut off"
                );
                return Some((Err(error), None));
            }
        }
    }
}

async fn read_lines(
    api: &ApiState,
    filter: &AuditFilter,
    after: i64,
) -> Result<(String, Option<i64>), DbError> {
    let mut view = api.db.read().await?;
    let (records, next) = api.audit_trail.export_batch(&mut view, filter, after).await?;
    let lines = records.iter().map(|record| record.json_line() + "\n").collect();
    Ok((lines, next))
}
