//! `GET /console/cases`

use super::{body::CaseItemBody, request::ReviewerRequest};
use crate::{
    ApiState,
    console::CaseListErrors,
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{self, QueryParameters, QueryString, one_of},
    },
    http::pagination::{ITEMS_PER_PAGE, PageNumber},
};
use axum::{Json, extract::State};
use base::{CaseQueueId, MemberId, NotificationId};
use domain::cases::{CaseFilter, CaseKind, CaseState};
use utoipa::{IntoParams, ToSchema};

/// Which cases.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct CaseQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    page: PageNumber,
    /// Only cases in this state.
    #[param(value_type = Option<CaseState>)]
    state: Option<CaseState>,
    /// Only cases of this kind.
    #[param(value_type = Option<CaseKind>)]
    kind: Option<CaseKind>,
    /// Only cases for this reason.
    #[param(max_length = 64)]
    reason: Option<String>,
    /// Only cases of this queue.
    #[param(value_type = Option<Uuid>)]
    queue_id: Option<CaseQueueId>,
    /// Only cases about this finding: the one that was decided first, and the appeals.
    #[param(value_type = Option<Uuid>)]
    notification_id: Option<NotificationId>,
    /// Only cases that this member holds, or was handed.
    #[param(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
    /// Only cases that should have been decided by now.
    #[param(value_type = Option<bool>, default = false)]
    overdue: bool,
}

impl QueryParameters for CaseQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = query.page(violations);
        let state = query.read("state", one_of(CaseState::VARIANTS), violations);
        let kind = query.read("kind", one_of(CaseKind::VARIANTS), violations);
        let reason = query.read("reason", "a text", violations);
        let queue_id = query.read("queue_id", "a UUID", violations);
        let notification_id = query.read("notification_id", "a UUID", violations);
        let member_id = query.read("member_id", "a UUID", violations);
        let overdue = query.read("overdue", "true or false", violations).unwrap_or(false);
        Some(Self { page: page?, state, kind, reason, queue_id, notification_id, member_id, overdue })
    }
}

/// A page of cases.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct CaseList {
    /// Those that are due first.
    #[schema(max_items = 20)]
    cases: Vec<CaseItemBody>,
    /// How many there are in all.
    #[schema(minimum = 0)]
    total_count: i64,
    /// The page.
    #[schema(minimum = 1)]
    page: i64,
}

/// List cases.
#[utoipa::path(
    get, path = "/console/cases", tag = "cases", security(("session" = [], "console" = [])),
    params(CaseQuery),
    responses((status = 200, description = "A page of them.", body = CaseList), CaseListErrors),
)]
pub(in crate::console) async fn list_cases(
    State(api): State<ApiState>,
    request: ReviewerRequest<(), CaseQuery>,
) -> Result<Json<CaseList>, ModerationApiError> {
    let CaseQuery { page, state, kind, ref reason, queue_id, notification_id, member_id, overdue } =
        request.input;
    let filter = CaseFilter {
        state,
        kind,
        reason: reason.as_deref(),
        queue: queue_id,
        notification: notification_id,
        member: member_id,
        overdue,
    };
    let mut view = api.db.read().await?;
    let found =
        api.cases.list(&mut view, &request.reviewer, &filter, (page.offset(), ITEMS_PER_PAGE)).await?;
    query::check_page(page, found.total)?;
    let (_, queues) = api.cases.queue_figures(&mut view, &request.reviewer).await?;
    let now = api.environment.now();
    let cases = found.cases.into_iter().map(|record| CaseItemBody::of(record, &queues, now)).collect();
    Ok(Json(CaseList { cases, total_count: found.total, page: page.number() }))
}
