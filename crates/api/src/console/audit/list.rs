//! `GET /console/audit-records`

use super::query::AuditQuery;
use crate::{
    ApiState,
    console::{
        RecordListErrors,
        list_position::ITEMS_PER_LIST,
        permissions::AuditView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString},
    },
};
use axum::{Json, extract::State};
use base::{Timestamp, Uuid};
use domain::audit_trail::{AuditEntry, ExportedRecord};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// Before which record a page begins.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct AuditPosition {
    /// Before which record the page begins: the member `next_before` of the page before.
    #[param(minimum = 0)]
    before: Option<i64>,
}

/// The parameters of a list of records.
pub(in crate::console) struct AuditListQuery(AuditQuery, AuditPosition);

impl QueryParameters for AuditListQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let before = query.read("before", "the member `next_before` of the page before", violations);
        Some(Self(AuditQuery::read(query, violations)?, AuditPosition { before }))
    }
}

/// A page of the audit trail.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct AuditRecordList {
    /// The newest first. There may be fewer than fifty, even none, although there are more further back: one call looks through
    /// 20,000 records at most.
    #[schema(max_items = 50)]
    records: Vec<AuditRecordBody>,
    /// `before` of the next page. Absent: this is the beginning of the trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before: Option<i64>,
}

/// A record of the audit trail.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AuditRecord)]
pub(in crate::console) struct AuditRecordBody {
    /// Its number.
    #[schema(minimum = 1)]
    seq: i64,
    /// SHA-256 of the hash of the record before, a line feed and the record's text; hexadecimal.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// What it says. Absent: its text was changed in the database, and is no record any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<AuditEntryBody>,
}

/// Who did what.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(in crate::console) struct AuditEntryBody {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// What was done, as `thing.verb`.
    #[schema(example = "api-key.create")]
    action: String,
    /// Who did it: the kind of actor and their id, or `system`.
    #[schema(example = "operator:018f3c8e-0000-4000-8000-00000000000a")]
    actor: String,
    /// The application that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    application_id: Option<Uuid>,
    /// The moderation account that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<Uuid>,
    /// The id of the thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// What else is recorded: ids, numbers and words of the program, by name.
    #[schema(value_type = Object, additional_properties)]
    details: Map<String, Value>,
}

impl From<AuditEntry> for AuditEntryBody {
    fn from(AuditEntry { at, kind, actor, app, account, target, details }: AuditEntry) -> Self {
        Self { at, action: kind, actor, application_id: app, account_id: account, target, details }
    }
}

impl From<ExportedRecord> for AuditRecordBody {
    fn from(record: ExportedRecord) -> Self {
        Self { entry: record.entry().map(AuditEntryBody::from), seq: record.seq, hash: record.hash }
    }
}

/// See who did what.
///
/// For operators and members with `audit:view`; members see what concerns their account.
#[utoipa::path(
    get, path = "/console/audit-records", tag = "audit", security(("session" = [], "console" = [])),
    params(AuditQuery, AuditPosition),
    responses((status = 200, description = "A page of the trail.", body = AuditRecordList), RecordListErrors),
)]
pub(in crate::console) async fn list_audit_records(
    State(api): State<ApiState>,
    call: ConsoleCall<AuditView, (), ConsoleQuery<AuditListQuery>>,
) -> Result<Json<AuditRecordList>, ModerationApiError> {
    let AuditListQuery(asked, AuditPosition { before }) = &call.input.0;
    let filter = asked.filter(&call)?;
    let mut view = api.db.read().await?;
    let page = api.audit_trail.list(&mut view, &filter, *before, ITEMS_PER_LIST as usize).await?;
    let records = page.records.into_iter().map(AuditRecordBody::from).collect();
    Ok(Json(AuditRecordList { records, next_before: page.next_before }))
}
