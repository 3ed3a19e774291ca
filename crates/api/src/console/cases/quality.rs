//! `GET /console/quality`

use super::request::ReviewerRequest;
use crate::{
    ApiState,
    console::CaseListErrors,
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString, one_of},
    },
};
use axum::{Json, extract::State};
use base::{CaseQueueId, MemberId, SignedDuration, Timestamp};
use domain::{
    accounts::ConsoleScope,
    cases::{Agreement, CaseKind, QualityFilter, QueueQuality, ReviewerQuality, TimeToDecision},
};
use utoipa::{IntoParams, ToSchema};

/// How far back the figures go where nothing else is asked for.
const DEFAULT_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Which decisions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct QualityQuery {
    /// Only cases of this kind.
    #[param(value_type = Option<CaseKind>)]
    kind: Option<CaseKind>,
    /// Only cases of this queue, which have one policy.
    #[param(value_type = Option<Uuid>)]
    queue_id: Option<CaseQueueId>,
    /// Decisions at or after this moment (RFC 3339); without one, of the last 30 days.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Decisions before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    before: Option<Timestamp>,
}

impl QueryParameters for QualityQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let kind = query.read("kind", one_of(CaseKind::VARIANTS), violations);
        let queue_id = query.read("queue_id", "a UUID", violations);
        let from = query.moment("from", violations);
        let before = query.moment("before", violations);
        Some(Self { kind, queue_id, from, before })
    }
}

/// How reviewers decide.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct ReviewerQualityList {
    /// The busiest first.
    #[schema(max_items = 500)]
    reviewers: Vec<ReviewerQualityBody>,
    /// Queues whose cases were decided, those with the most cases first.
    queues: Vec<QueueQualityBody>,
}

/// How the cases of one queue are decided.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = QueueQuality)]
struct QueueQualityBody {
    /// Absent: cases that no queue took.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    queue_id: Option<CaseQueueId>,
    /// How many of its cases were settled.
    settled: i64,
    /// How many of these later than they were due.
    overdue: i64,
    /// From the creation of a case until it was settled; absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seconds_to_decision: Option<TimeToDecisionBody>,
    /// Of the reviewers of the same cases with each other.
    between_reviewers: AgreementBody,
    /// With the answers of golden cases.
    with_golden: AgreementBody,
}

/// Seconds.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = TimeToDecision)]
struct TimeToDecisionBody {
    median: f64,
    /// The 90th percentile.
    p90: f64,
}

impl From<QueueQuality> for QueueQualityBody {
    fn from(quality: QueueQuality) -> Self {
        Self {
            queue_id: quality.queue,
            settled: quality.settled,
            overdue: quality.overdue,
            seconds_to_decision: quality
                .seconds_to_decision
                .map(|TimeToDecision { median, p90 }| TimeToDecisionBody { median, p90 }),
            between_reviewers: quality.between_reviewers.into(),
            with_golden: quality.with_golden.into(),
        }
    }
}

/// How one reviewer decides.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ReviewerQuality)]
struct ReviewerQualityBody {
    #[schema(value_type = Uuid)]
    member_id: MemberId,
    /// How many cases they decided.
    decided: i64,
    /// Seconds at pictures, on average of a case.
    exposure_seconds: f64,
    /// With the other reviewers of the same cases.
    with_others: AgreementBody,
    /// With the answers of golden cases.
    with_golden: AgreementBody,
}

/// How often two decide the same.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Agreement)]
struct AgreementBody {
    /// Cases that both have decided.
    cases: i64,
    /// The share of these on which they agree, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    share: Option<f64>,
    /// Cohen's kappa: 1 for full agreement, 0 for as much as by chance; absent where chance alone makes them agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    kappa: Option<f64>,
}

impl From<Agreement> for AgreementBody {
    fn from(agreement: Agreement) -> Self {
        Self { cases: agreement.cases, share: agreement.share, kappa: agreement.kappa }
    }
}

impl From<ReviewerQuality> for ReviewerQualityBody {
    fn from(quality: ReviewerQuality) -> Self {
        Self {
            member_id: quality.reviewer,
            decided: quality.decided,
            exposure_seconds: quality.exposure_seconds,
            with_others: quality.with_others.into(),
            with_golden: quality.with_golden.into(),
        }
    }
}

/// See how well reviewers agree with each other and with golden answers. Needs `queues:manage`.
#[utoipa::path(
    get, path = "/console/quality", tag = "cases", security(("session" = [], "console" = [])),
    params(QualityQuery),
    responses((status = 200, description = "Every reviewer who decided something.", body = ReviewerQualityList), CaseListErrors),
)]
pub(in crate::console) async fn reviewer_quality(
    State(api): State<ApiState>,
    request: ReviewerRequest<(), QualityQuery>,
) -> Result<Json<ReviewerQualityList>, ModerationApiError> {
    request.require(ConsoleScope::QueuesManage)?;
    let QualityQuery { kind, queue_id, from, before } = request.input;
    let until = before.unwrap_or_else(|| api.environment.now());
    let from = from.unwrap_or_else(|| until.saturating_sub(DEFAULT_PERIOD).unwrap_or(Timestamp::UNIX_EPOCH));
    let mut view = api.db.read().await?;
    let filter = QualityFilter { kind, queue: queue_id, from, until };
    let found = api.cases.quality(&mut view, &request.reviewer, filter).await?;
    Ok(Json(ReviewerQualityList {
        reviewers: found.reviewers.into_iter().map(Into::into).collect(),
        queues: found.queues.into_iter().map(Into::into).collect(),
    }))
}
