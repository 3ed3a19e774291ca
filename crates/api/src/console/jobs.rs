//! `/console/jobs`: the queue of the server's own work, for operators.

use super::{
    CaseReadErrors, OperatorListErrors, RecordChangeErrors, RecordListErrors,
    list_position::{ITEMS_PER_LIST, ListPosition, POSITION_WORDS, cut_page},
    permissions::JobsManage,
    request::{ConsoleCall, ConsoleQuery},
};
use crate::{
    ApiState,
    content_moderation::{
        CommandViolations, ModerationApiError, ModerationErrorCode,
        query::{QueryParameters, QueryString, one_of},
    },
};
use axum::{Json, extract::State, http::StatusCode};
use base::{AccountId, AppId, Timestamp, Uuid};
use domain::Violation;
use jobs::{JobAdminError, JobFilter, JobPosition, JobRecord, JobState, Lane, LaneFigures};
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// How many characters of an error are shown.
const MAX_ERROR_CHARS: usize = 4000;

/// The state of a job.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = JobState)]
pub(super) enum JobStateBody {
    /// It waits until it is due, or for a free slot.
    Waiting,
    /// It runs.
    Running,
    /// It failed for good, and waits until somebody retries or discards it.
    Parked,
}

impl From<JobState> for JobStateBody {
    fn from(state: JobState) -> Self {
        match state {
            JobState::Waiting => Self::Waiting,
            JobState::Running => Self::Running,
            JobState::Parked => Self::Parked,
        }
    }
}

/// A group of jobs with workers of its own.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = LaneName)]
pub(super) enum LaneName {
    /// Short work that somebody waits for: notifications, mail.
    Quick,
    /// Reading and checking documents while a person waits.
    Documents,
    /// Images and videos, searches through many faces.
    Heavy,
    /// Live videos.
    Live,
    /// Housekeeping: expiry, retention, erasure.
    Upkeep,
}

impl From<Lane> for LaneName {
    fn from(lane: Lane) -> Self {
        match lane {
            Lane::Quick => Self::Quick,
            Lane::Documents => Self::Documents,
            Lane::Heavy => Self::Heavy,
            Lane::Live => Self::Live,
            Lane::Upkeep => Self::Upkeep,
        }
    }
}

/// How all lanes are.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct LaneList {
    #[schema(min_items = 5, max_items = 5)]
    lanes: Vec<LaneBody>,
}

/// How a lane is.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Lane)]
pub(super) struct LaneBody {
    lane: LaneName,
    /// Jobs that are due and wait for a free slot.
    #[schema(minimum = 0)]
    due: i64,
    /// Jobs that wait until they are due.
    #[schema(minimum = 0)]
    scheduled: i64,
    #[schema(minimum = 0)]
    running: i64,
    /// Jobs that failed for good.
    #[schema(minimum = 0)]
    parked: i64,
    /// Since when the job has been due that has been due for longest. Absent: none is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    oldest_due_at: Option<Timestamp>,
}

impl From<LaneFigures> for LaneBody {
    fn from(figures: LaneFigures) -> Self {
        let LaneFigures { lane, due, scheduled, running, parked, oldest_due_at } = figures;
        Self { lane: lane.into(), due, scheduled, running, parked, oldest_due_at }
    }
}

/// List the lanes, and what waits and runs in each. Needs `jobs:manage`.
#[utoipa::path(
    get, path = "/console/job-lanes", tag = "jobs", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The lanes.", body = LaneList), OperatorListErrors),
)]
pub(super) async fn list_lanes(
    State(api): State<ApiState>,
    _call: ConsoleCall<JobsManage>,
) -> Result<Json<LaneList>, ModerationApiError> {
    let found = jobs::lane_figures(&mut api.db.read().await?, api.environment.now()).await?;
    Ok(Json(LaneList { lanes: found.into_iter().map(LaneBody::from).collect() }))
}

/// Which jobs.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JobQuery {
    /// Only jobs in this state.
    #[param(value_type = Option<JobStateBody>)]
    state: Option<JobState>,
    /// Only jobs of this lane.
    #[param(value_type = Option<LaneName>)]
    lane: Option<Lane>,
    /// Only jobs of this kind, such as `run-moderation`.
    #[param(max_length = 100)]
    kind: Option<String>,
    /// Only jobs of this application.
    #[param(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// Behind which job the page begins: the member `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<ListPosition>,
}

impl QueryParameters for JobQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let state = query.get("state").map(|word| {
            let unknown = |_| Violation::new("state", format!("it is {}", one_of(&JobState::VARIANTS)));
            JobState::try_from(word.to_owned()).map_err(unknown)
        });
        let lane = query.get("lane").map(|word| {
            let words = Lane::ALL.map(Lane::as_str);
            Lane::from_name(word).ok_or_else(|| Violation::new("lane", format!("it is {}", one_of(&words))))
        });
        Some(Self {
            state: violations.check(state.transpose()).flatten(),
            lane: violations.check(lane.transpose()).flatten(),
            kind: query.get("kind").map(str::to_owned),
            application_id: query.read("application_id", "a UUID", violations),
            after: query.read("after", POSITION_WORDS, violations),
        })
    }
}

/// A page of jobs.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct JobList {
    /// The one that has been due for longest first.
    #[schema(max_items = 50)]
    jobs: Vec<JobBody>,
    /// `after` of the next page. Absent: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A job.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Job)]
pub(super) struct JobBody {
    id: Uuid,
    /// What is to be done.
    #[schema(example = "run-moderation")]
    kind: String,
    /// The name of its lane.
    #[schema(example = "heavy")]
    lane: String,
    state: JobStateBody,
    /// Runs that were started, without those that were interrupted.
    #[schema(minimum = 0)]
    attempts: i64,
    /// Runs that never ended, because their process died or was stopped.
    #[schema(minimum = 0)]
    interruptions: i64,
    /// When it is due; of a parked job, when it was parked.
    #[schema(value_type = String, format = DateTime)]
    run_at: Timestamp,
    /// Why the last run failed, cut after 4,000 characters. Absent: none has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4000)]
    last_error: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The application whose work it is. Absent: the server's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// The moderation account whose work it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    account_id: Option<AccountId>,
    /// What it is about: ids by what they name, such as `moderation`.
    subjects: BTreeMap<String, Uuid>,
}

impl From<JobRecord> for JobBody {
    fn from(job: JobRecord) -> Self {
        let subjects = job.subjects();
        Self {
            subjects,
            id: job.id,
            kind: job.kind,
            lane: job.lane,
            state: job.state.into(),
            attempts: job.attempts,
            interruptions: job.interruptions,
            run_at: job.run_at,
            last_error: job.last_error.map(|error| error.chars().take(MAX_ERROR_CHARS).collect()),
            created_at: job.created_at,
            application_id: job.app_id,
            account_id: job.account_id,
        }
    }
}

/// List jobs. Needs `jobs:manage`.
#[utoipa::path(
    get, path = "/console/jobs", tag = "jobs", security(("session" = [], "console" = [])),
    params(JobQuery),
    responses((status = 200, description = "A page of them.", body = JobList), RecordListErrors),
)]
pub(super) async fn list_jobs(
    State(api): State<ApiState>,
    call: ConsoleCall<JobsManage, (), ConsoleQuery<JobQuery>>,
) -> Result<Json<JobList>, ModerationApiError> {
    let JobQuery { state, lane, kind, application_id, after } = &call.input.0;
    let mut view = api.db.read().await?;
    let app = call.narrow_to(&mut view, *application_id).await?;
    let filter = JobFilter { state: *state, lane: *lane, kind: kind.as_deref(), app };
    let after = after.map(|position| JobPosition { run_at: position.at, id: position.id });
    let mut found = jobs::list_matching(&mut view, filter, after, ITEMS_PER_LIST + 1).await?;
    let next = cut_page(&mut found, |job| ListPosition { at: job.run_at, id: job.id });
    Ok(Json(JobList { jobs: found.into_iter().map(JobBody::from).collect(), next }))
}

/// A job of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct JobPath {
    /// The job.
    #[serde(rename = "jobId")]
    #[param(rename = "jobId")]
    job: Uuid,
}

/// See a job. Needs `jobs:manage`.
#[utoipa::path(
    get, path = "/console/jobs/{jobId}", tag = "jobs", security(("session" = [], "console" = [])),
    params(JobPath),
    responses((status = 200, description = "The job.", body = JobBody), CaseReadErrors),
)]
pub(super) async fn get_job(
    State(api): State<ApiState>,
    call: ConsoleCall<JobsManage, JobPath>,
) -> Result<Json<JobBody>, ModerationApiError> {
    let found = jobs::show(&mut api.db.read().await?, call.path.job).await?;
    found.map(|job| Json(job.into())).ok_or_else(|| ModerationApiError::not_found("job"))
}

/// Run a parked or waiting job now.
///
/// Its failed attempts are forgotten. Refused with `CONFLICT` while it runs. Needs `jobs:manage`.
#[utoipa::path(
    post, path = "/console/jobs/{jobId}/retry", tag = "jobs", security(("session" = [], "console" = [])),
    params(JobPath),
    responses((status = 204, description = "The job runs as soon as a worker is free."), RecordChangeErrors),
)]
pub(super) async fn retry_job(
    State(api): State<ApiState>,
    call: ConsoleCall<JobsManage, JobPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let found = jobs::show(&mut tx, call.path.job).await?;
    found.ok_or_else(|| ModerationApiError::not_found("job"))?;
    jobs::retry(&mut tx, &*api.environment, call.path.job).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a parked or waiting job; what it was to do is not done.
///
/// Refused with `CONFLICT` while it runs. Needs `jobs:manage`.
#[utoipa::path(
    delete, path = "/console/jobs/{jobId}", tag = "jobs", security(("session" = [], "console" = [])),
    params(JobPath),
    responses((status = 204, description = "The job is deleted."), RecordChangeErrors),
)]
pub(super) async fn discard_job(
    State(api): State<ApiState>,
    call: ConsoleCall<JobsManage, JobPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let found = jobs::show(&mut tx, call.path.job).await?;
    found.ok_or_else(|| ModerationApiError::not_found("job"))?;
    jobs::discard(&mut tx, call.path.job).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<JobAdminError> for ModerationApiError {
    fn from(error: JobAdminError) -> Self {
        match error {
            JobAdminError::Missing(_) => Self::new(ModerationErrorCode::Conflict, error.to_string()),
            JobAdminError::Db(error) => Self::unavailable(&error),
        }
    }
}
