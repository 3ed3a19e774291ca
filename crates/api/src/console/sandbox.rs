//! The sandbox of an application, for its integrators: what it answers, and the clock of its sessions.

use super::{
    SandboxCommandErrors, SandboxReadErrors,
    permissions::SandboxManage,
    request::{ConsoleCall, ConsoleCommand},
    verification_sessions::VerificationSessionPath,
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError, ModerationErrorCode},
    document_verification::{ResponseConfigRequest, SentResponseConfig},
    http::json,
};
use axum::{Json, extract::State, http::StatusCode};
use base::{AppId, LimitViolation, SignedDuration, Uuid};
use db::AuditEvent;
use domain::{
    Violation,
    age_verification::{
        AgeSessionError, SandboxResponse,
        types::{AgeMethod, AgeSessionStatus},
    },
    verification_sessions::{MAX_CLOCK_ADVANCE, SessionCommandError},
};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The application of the member who calls. Their permission has let no operator in.
fn own_application<Ids, I>(call: &ConsoleCall<SandboxManage, Ids, I>) -> Result<AppId, ModerationApiError> {
    let nobody = || ModerationApiError::new(ModerationErrorCode::Unauthorized, "this is for members");
    call.own_application().ok_or_else(nobody)
}

/// What the sandbox answers about documents.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SandboxDocumentResponses {
    config: SentResponseConfig,
}

/// See what the application's sandbox answers about documents.
#[utoipa::path(
    get, path = "/console/sandbox/document-responses", tag = "sandbox", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The response configuration.", body = SandboxDocumentResponses), SandboxReadErrors),
)]
pub(super) async fn get_document_responses(
    State(api): State<ApiState>,
    call: ConsoleCall<SandboxManage>,
) -> Result<Json<SandboxDocumentResponses>, ModerationApiError> {
    let app = own_application(&call)?;
    let sent = api.document_verification.app_response_config(&mut api.db.read().await?, app).await?;
    Ok(Json(SandboxDocumentResponses { config: sent.map(SentResponseConfig).unwrap_or_default() }))
}

/// What the sandbox is to answer about documents.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SetDocumentResponsesRequest {
    /// As `PUT /sandbox/idverify/v1/apps/{sdkId}/response-config` takes it, up to 60 KiB.
    #[schema(value_type = ResponseConfigRequest)]
    config: Option<Value>,
}

impl CommandPayload for SetDocumentResponsesRequest {
    type Command = SentResponseConfig;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SentResponseConfig> {
        let object: Result<Map<String, Value>, _> = match violations.required("config", self.config)? {
            Value::Object(members) => Ok(members),
            _ => Err(Violation::new("config", "it is an object")),
        };
        let within = |found: Violation| {
            let path =
                if found.path.is_empty() { "config".to_owned() } else { format!("config.{}", found.path) };
            Violation::new(path, found.message)
        };
        let checked = ResponseConfigRequest::validate_value(violations.check(object)?);
        violations.check_all(checked.map_err(|found| found.into_iter().map(within).collect()))
    }
}

/// Set what the application's sandbox answers about documents.
#[utoipa::path(
    put, path = "/console/sandbox/document-responses", tag = "sandbox", security(("session" = [], "console" = [])),
    request_body(content = SetDocumentResponsesRequest, example = json!({ "config": {
        "check_reports": { "LIVENESS": [{ "result": { "report_template": "SUCCESS" } }] }, "async_report_delay": 10
    } })),
    responses((status = 204, description = "The response configuration is set."), SandboxCommandErrors),
)]
pub(super) async fn set_document_responses(
    State(api): State<ApiState>,
    call: ConsoleCall<SandboxManage, (), ConsoleCommand<SetDocumentResponsesRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let app = own_application(&call)?;
    let mut tx = call.begin(&api).await?;
    api.document_verification.set_app_response_config(&mut tx, app, &call.input.0.0).await?;
    tx.audit(AuditEvent::new("sandbox.responses").app(app).target(app));
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The outcome to set for an age verification session of the sandbox.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SetAgeSessionResponseRequest {
    /// The state to set.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = AgeSessionStatus)]
    status: Option<AgeSessionStatus>,
    /// The age, years; only sessions of the type AGE report it.
    #[schema(minimum = 0, maximum = 120)]
    age: Option<i64>,
    /// The method of the outcome. Default: the first that is allowed.
    #[serde(default, deserialize_with = "json::enum_value")]
    method: Option<AgeMethod>,
}

impl CommandPayload for SetAgeSessionResponseRequest {
    type Command = SandboxResponse;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SandboxResponse> {
        let state = violations.required("status", self.status)?;
        let response = SandboxResponse { state, age: self.age, method: self.method };
        let found = response.violations();
        violations.check_all(if found.is_empty() { Ok(response) } else { Err(found) })
    }
}

/// Set the outcome of an age verification session of the application's sandbox.
///
/// The session takes that state at once, and its webhook is sent.
#[utoipa::path(
    put, path = "/console/sandbox/age-sessions/{verificationSessionId}/response", tag = "sandbox", security(("session" = [], "console" = [])),
    params(VerificationSessionPath),
    request_body(content = SetAgeSessionResponseRequest, example = json!({ "status": "COMPLETE", "age": 34, "method": "DOC_SCAN" })),
    responses((status = 204, description = "The outcome of the session is set."), SandboxCommandErrors),
)]
pub(super) async fn set_age_session_response(
    State(api): State<ApiState>,
    call: ConsoleCall<SandboxManage, VerificationSessionPath, ConsoleCommand<SetAgeSessionResponseRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let (app, id) = (own_application(&call)?, call.path.session.into());
    let refused = |error| match error {
        AgeSessionError::InvalidRequest(violations) => ModerationApiError::from(violations),
        error => SessionCommandError::from(error).into(),
    };
    let session = api.age_verification.get_session(app, id, true).await.map_err(refused)?;
    api.age_verification.apply_sandbox_response(session.id, &call.input.0).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// How far to put the clock forward.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct AdvanceClockRequest {
    /// Seconds: up to 366 days.
    #[schema(value_type = i64, minimum = 1, maximum = 31_622_400, example = 3600)]
    seconds: Option<i64>,
    /// Only of this session. Default: of the newest 200 sessions of the sandbox, of both kinds.
    session_id: Option<Uuid>,
}

pub(super) struct RequestedAdvance {
    by: SignedDuration,
    session: Option<Uuid>,
}

impl CommandPayload for AdvanceClockRequest {
    type Command = RequestedAdvance;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<RequestedAdvance> {
        let seconds = violations.required("seconds", self.seconds)?;
        let most = MAX_CLOCK_ADVANCE.as_secs();
        if !(1..=most).contains(&seconds) {
            let measured =
                LimitViolation::new(seconds as f64, format!("1 to {most}"), "choose another number");
            violations.push(Violation::with_limit("seconds", format!("it is {seconds}"), measured));
            return None;
        }
        Some(RequestedAdvance { by: SignedDuration::from_secs(seconds), session: self.session_id })
    }
}

/// The sessions whose clock was put forward.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct AdvancedClock {
    /// How many there are.
    #[schema(minimum = 0, maximum = 200)]
    sessions: usize,
}

/// Put the clock of sessions of the application's sandbox forward.
///
/// Everything that is due in them comes earlier by so much: the end of the person's time, the destruction of what was supplied,
/// the deletion of the session. What is due by then happens within a minute. Their timelines show it.
#[utoipa::path(
    post, path = "/console/sandbox/clock", tag = "sandbox", security(("session" = [], "console" = [])),
    request_body(content = AdvanceClockRequest, example = json!({ "seconds": 3600 })),
    responses((status = 200, description = "The clock of the sessions was put forward.", body = AdvancedClock), SandboxCommandErrors),
)]
pub(super) async fn advance_sandbox_clock(
    State(api): State<ApiState>,
    call: ConsoleCall<SandboxManage, (), ConsoleCommand<AdvanceClockRequest>>,
) -> Result<Json<AdvancedClock>, ModerationApiError> {
    let (app, RequestedAdvance { by, session }) = (own_application(&call)?, &call.input.0);
    let mut tx = call.begin(&api).await?;
    let sessions = api.verification_sessions.advance_clock(&mut tx, app, *session, *by).await?;
    tx.commit().await?;
    Ok(Json(AdvancedClock { sessions }))
}
