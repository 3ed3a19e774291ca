//! `GET /console/applications/{applicationId}/usage`

use super::{
    RecordListErrors,
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
use base::{LimitViolation, SignedDuration, Timestamp};
use domain::{
    Violation,
    request_log::{self, RequestDay},
    tenancy::limits::{self, CallAllowance, LimitKind},
};
use utoipa::{IntoParams, ToSchema};

/// The longest period, days.
const MAX_USAGE_DAYS: i64 = 400;

/// Which days.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UsageQuery {
    /// The beginning of the first day (RFC 3339, UTC).
    #[param(value_type = String, format = DateTime, example = "2026-01-01T00:00:00Z")]
    from: Timestamp,
    /// The end of the last day, which does not belong to it: at most 400 days later.
    #[param(value_type = String, format = DateTime, example = "2026-02-01T00:00:00Z")]
    to: Timestamp,
}

impl QueryParameters for UsageQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let (from, to) = (query.moment("from", violations), query.moment("to", violations));
        let (from, to) = (violations.required("from", from)?, violations.required("to", to)?);
        if to <= from || to.duration_since(from) > SignedDuration::from_hours(24 * MAX_USAGE_DAYS) {
            let days = to.duration_since(from).as_secs_f64() / 86_400.0;
            let limit = format!("after `from`, at most {MAX_USAGE_DAYS} days later");
            let measured = LimitViolation::new(days, limit, "choose a shorter period");
            violations.push(Violation::with_limit(
                "to",
                format!("it is {days:.1} days after `from`"),
                measured,
            ));
        }
        Some(Self { from, to })
    }
}

/// How much an application uses.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ApplicationUsage {
    /// The calls of each interface and day, the oldest first. Empty if requests are not logged (`request_log.days`).
    #[schema(max_items = 5000)]
    days: Vec<UsageDayBody>,
    /// What is limited, with what is used of it at this moment.
    limits: Vec<LimitUsageBody>,
}

/// The calls of an interface on a day.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = UsageDay)]
struct UsageDayBody {
    /// Its beginning (UTC).
    #[schema(value_type = String, format = DateTime)]
    day: Timestamp,
    /// The interface: `ai`, `proof`, `moderation`, `identity`, `ages` or `oauth`.
    #[schema(example = "ages")]
    interface: String,
    #[schema(minimum = 0)]
    calls: i64,
    /// Those that were answered with a status from 400 on.
    #[schema(minimum = 0)]
    refused: i64,
}

impl From<RequestDay> for UsageDayBody {
    fn from(RequestDay { day, interface, calls, refused }: RequestDay) -> Self {
        Self { day, interface, calls, refused }
    }
}

/// A limit of an application.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = LimitUsage)]
struct LimitUsageBody {
    limit: LimitKind,
    /// What is allowed; absent: as much as there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    allowed: Option<u64>,
    /// Whether an operator has set it for this application; otherwise it is the configuration's (`[limits]`) or, of `burst`, as many
    /// calls as the application's own `calls_per_minute`.
    is_own: bool,
    /// What is used. Of calls: in the present window, as far as the server's processes have reserved them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    used: Option<u64>,
    /// Seconds until what is left of calls is full again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    reset_seconds: Option<u64>,
}

/// See how much an application uses, and of what it may use how much.
#[utoipa::path(
    get, path = "/console/applications/{applicationId}/usage", tag = "usage", security(("session" = [], "console" = [])),
    params(ApplicationPath, UsageQuery),
    responses((status = 200, description = "The usage.", body = ApplicationUsage), RecordListErrors),
)]
pub(super) async fn application_usage(
    State(api): State<ApiState>,
    call: ConsoleCall<UsageView, ApplicationPath, ConsoleQuery<UsageQuery>>,
) -> Result<Json<ApplicationUsage>, ModerationApiError> {
    let (app, UsageQuery { from, to }) = (call.path.application, &call.input.0);
    let mut view = api.db.read().await?;
    call.require_application(&mut view, app).await?;
    let days = request_log::days(&mut view, app, *from, *to).await?;
    let own = limits::find(&mut view, app).await?.unwrap_or_default();
    let calls = api.call_limiter.left(&mut view, app, &own).await?;
    let used = limits::usage(&mut view, app).await?;
    let defaults = api.call_limiter.defaults();
    let limits = LimitKind::ALL.into_iter().map(|kind| {
        let used = match kind {
            LimitKind::CallsPerMinute => None,
            LimitKind::Burst => calls.map(CallAllowance::used),
            LimitKind::RunningJobs => used.map(|used| used.running_jobs.max(0).unsigned_abs()),
            LimitKind::WaitingJobs => used.map(|used| used.waiting_jobs.max(0).unsigned_abs()),
            LimitKind::LiveStreams => used.map(|used| used.live_streams.max(0).unsigned_abs()),
            LimitKind::StoredBytes => used.map(|used| used.stored_bytes.max(0).unsigned_abs()),
        };
        let is_burst = kind == LimitKind::Burst;
        LimitUsageBody {
            limit: kind,
            allowed: defaults.of(&own, kind).or(calls.filter(|_| is_burst).map(|left| left.limit)),
            is_own: own.own(kind).is_some(),
            used,
            reset_seconds: calls.filter(|_| is_burst).map(|left| left.reset.as_secs()),
        }
    });
    Ok(Json(ApplicationUsage {
        days: days.into_iter().map(UsageDayBody::from).collect(),
        limits: limits.collect(),
    }))
}
