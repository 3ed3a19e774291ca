//! `GET /console/verification-sessions/funnel`

use crate::{
    ApiState,
    console::{
        SessionListErrors,
        permissions::SessionsView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString, one_of},
    },
};
use axum::{Json, extract::State};
use base::{AppId, LimitViolation, SignedDuration, Timestamp};
use domain::{
    Violation,
    session_steps::{self, FunnelQuery, FunnelStep, MAX_FUNNEL_DAYS, SessionKind, SessionStepKind},
};
use utoipa::{IntoParams, ToSchema};

/// What is counted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct SessionFunnelQuery {
    /// Only sessions of this application. Members see those of the application that their account belongs to.
    #[param(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// Only sessions of this kind.
    #[param(value_type = Option<SessionKind>)]
    kind: Option<SessionKind>,
    /// Sessions of the sandbox instead of the others.
    #[param(value_type = Option<bool>, default = false)]
    sandbox: bool,
    /// The beginning of the period (RFC 3339).
    #[param(value_type = String, format = DateTime)]
    from: Timestamp,
    /// Its end, which does not belong to it: at most 92 days later.
    #[param(value_type = String, format = DateTime)]
    to: Timestamp,
}

impl QueryParameters for SessionFunnelQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let application_id = query.read("application_id", "a UUID", violations);
        let kind = query.read("kind", one_of(SessionKind::VARIANTS), violations);
        let sandbox = query.read("sandbox", "true or false", violations).unwrap_or(false);
        let (from, to) = (query.moment("from", violations), query.moment("to", violations));
        let (from, to) = (violations.required("from", from)?, violations.required("to", to)?);
        let longest = SignedDuration::from_hours(24 * MAX_FUNNEL_DAYS);
        let days = to.duration_since(from).as_secs_f64() / 86_400.0;
        if to <= from || to.duration_since(from) > longest {
            let limit = format!("after `from`, at most {MAX_FUNNEL_DAYS} days later");
            let measured = LimitViolation::new(days, limit, "choose a shorter period");
            violations.push(Violation::with_limit(
                "to",
                format!("it is {days:.1} days after `from`"),
                measured,
            ));
        }
        Some(Self { application_id, kind, sandbox, from, to })
    }
}

/// How sessions went, step by step.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct SessionFunnel {
    #[schema(max_items = 500)]
    steps: Vec<FunnelStepBody>,
}

/// How a step went, of all sessions that began it within the period.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = FunnelStep)]
struct FunnelStepBody {
    #[schema(value_type = SessionKind)]
    kind: String,
    #[schema(value_type = SessionStepKind)]
    step: String,
    /// A method, a kind of document, a check; of `SESSION`, what it asks about an age.
    #[schema(example = "AGE_ESTIMATION")]
    subject: String,
    /// How many began. Those that are in none of the numbers below are under way.
    #[schema(minimum = 0)]
    started: i64,
    #[schema(minimum = 0)]
    passed: i64,
    #[schema(minimum = 0)]
    failed: i64,
    /// That ended without saying either.
    #[schema(minimum = 0)]
    undecided: i64,
    /// Whose person went away, or did something else instead.
    #[schema(minimum = 0)]
    left: i64,
    /// How long half of those took, at most, that ended and were not left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    median_seconds: Option<f64>,
    /// The same for nine of ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    p90_seconds: Option<f64>,
}

impl From<FunnelStep> for FunnelStepBody {
    fn from(step: FunnelStep) -> Self {
        Self {
            kind: step.kind,
            step: step.step,
            subject: step.subject,
            started: step.started,
            passed: step.passed,
            failed: step.failed,
            undecided: step.undecided,
            left: step.abandoned,
            median_seconds: step.median_seconds,
            p90_seconds: step.p90_seconds,
        }
    }
}

/// See how many sessions and steps began within a period, and how they ended.
///
/// Sessions that were deleted since are counted as well, for 90 days.
#[utoipa::path(
    get, path = "/console/verification-sessions/funnel", tag = "verification-sessions", security(("session" = [], "console" = [])),
    params(SessionFunnelQuery),
    responses((status = 200, description = "Each step.", body = SessionFunnel), SessionListErrors),
)]
pub(in crate::console) async fn session_funnel(
    State(api): State<ApiState>,
    call: ConsoleCall<SessionsView, (), ConsoleQuery<SessionFunnelQuery>>,
) -> Result<Json<SessionFunnel>, ModerationApiError> {
    let SessionFunnelQuery { application_id, kind, sandbox, from, to } = call.input.0;
    let mut view = api.db.read().await?;
    let app = call.narrow_to(&mut view, application_id).await?;
    let query = FunnelQuery { app, kind, sandbox, from, to };
    let steps = session_steps::funnel(&mut view, &query).await?;
    Ok(Json(SessionFunnel { steps: steps.into_iter().map(FunnelStepBody::from).collect() }))
}
