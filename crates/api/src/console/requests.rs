//! `GET /console/applications/{applicationId}/requests`

use super::{
    RecordListErrors,
    list_position::{ITEMS_PER_LIST, ListPosition, POSITION_WORDS, cut_page},
    permissions::UsageView,
    request::{ConsoleCall, ConsoleQuery},
    tenants::ApplicationPath,
};
use crate::{
    ApiState,
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString},
    },
};
use axum::{Json, extract::State};
use base::{Timestamp, Uuid};
use domain::request_log::{self, RequestFilter, RequestRecord};
use utoipa::{IntoParams, ToSchema};

/// Which requests.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RequestQuery {
    /// Only this request.
    id: Option<Uuid>,
    /// Only requests of this interface: `ai`, `proof`, `moderation`, `identity`, `ages` or `oauth`.
    #[param(max_length = 20, example = "ages")]
    interface: Option<String>,
    /// Only requests of this operation, as the interface's OpenAPI document calls it.
    #[param(max_length = 100, example = "create_age_session")]
    operation: Option<String>,
    /// Only requests that were refused (a status from 400 on), or only others.
    refused: Option<bool>,
    /// Where the list goes on: the member `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<ListPosition>,
}

impl QueryParameters for RequestQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self {
            id: query.read("id", "a UUID", violations),
            interface: query.read("interface", "a text", violations),
            operation: query.read("operation", "a text", violations),
            refused: query.read("refused", "true or false", violations),
            after: query.read("after", POSITION_WORDS, violations),
        })
    }
}

/// A page of requests.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct LoggedRequestList {
    /// The latest first.
    #[schema(max_items = 50)]
    requests: Vec<LoggedRequestBody>,
    /// For `after` of the next page. Absent: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A request, without its content.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = LoggedRequest)]
struct LoggedRequestBody {
    /// As its answer had it in `X-Request-Id`.
    id: Uuid,
    #[schema(example = "ages")]
    interface: String,
    #[schema(example = "create_age_session")]
    operation: String,
    #[schema(minimum = 100, maximum = 599)]
    status: i64,
    /// The row of the interface's error table, if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "INVALID_REQUEST")]
    error_code: Option<String>,
    /// How long the answer took.
    #[schema(minimum = 0)]
    milliseconds: f64,
    #[schema(value_type = String, format = DateTime)]
    received_at: Timestamp,
}

impl From<RequestRecord> for LoggedRequestBody {
    fn from(record: RequestRecord) -> Self {
        Self {
            id: record.id,
            interface: record.interface,
            operation: record.operation,
            status: record.status,
            error_code: record.error_code,
            milliseconds: record.microseconds as f64 / 1000.0,
            received_at: record.received_at,
        }
    }
}

/// List the latest requests of an application.
///
/// Those of people on pages are not among them, nor is the content of any. They are listed within a second, for 7 days and up to
/// 10,000 unless the operator has set otherwise (`request_log`). Of more than 100 in half a second, the latest 100 are listed.
#[utoipa::path(
    get, path = "/console/applications/{applicationId}/requests", tag = "usage", security(("session" = [], "console" = [])),
    params(ApplicationPath, RequestQuery),
    responses((status = 200, description = "A page of them.", body = LoggedRequestList), RecordListErrors),
)]
pub(super) async fn list_requests(
    State(api): State<ApiState>,
    call: ConsoleCall<UsageView, ApplicationPath, ConsoleQuery<RequestQuery>>,
) -> Result<Json<LoggedRequestList>, ModerationApiError> {
    let (app, query) = (call.path.application, &call.input.0);
    let mut view = api.db.read().await?;
    call.require_application(&mut view, app).await?;
    let filter = RequestFilter {
        interface: query.interface.clone(),
        operation: query.operation.clone(),
        refused: query.refused,
        id: query.id,
    };
    let before = query.after.map(|after| (after.at, after.id));
    let mut found = request_log::list(&mut view, app, &filter, before, ITEMS_PER_LIST + 1).await?;
    let next = cut_page(&mut found, |last| ListPosition { at: last.received_at, id: last.id });
    Ok(Json(LoggedRequestList { requests: found.into_iter().map(LoggedRequestBody::from).collect(), next }))
}
