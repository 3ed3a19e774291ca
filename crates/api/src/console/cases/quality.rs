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
use base::{MemberId, SignedDuration, Timestamp};
use domain::{
    accounts::ConsoleScope,
    cases::{Agreement, CaseKind, ReviewerQuality},
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
        let from = query.moment("from", violations);
        let before = query.moment("before", violations);
        Some(Self { kind, from, before })
    }
}

/// How reviewers decide.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct ReviewerQualityList {
    /// The busiest first.
    #[schema(max_items = 500)]
    reviewers: Vec<ReviewerQualityBody>,
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
    let QualityQuery { kind, from, before } = request.input;
    let until = before.unwrap_or_else(|| api.environment.now());
    let from = from.unwrap_or(until - DEFAULT_PERIOD);
    let mut view = api.db.read().await?;
    let found = api.cases.quality(&mut view, &request.reviewer, kind, (from, until)).await?;
    Ok(Json(ReviewerQualityList { reviewers: found.into_iter().map(Into::into).collect() }))
}
