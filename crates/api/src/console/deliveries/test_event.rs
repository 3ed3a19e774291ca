//! `POST /console/applications/{applicationId}/test-events`

use crate::{
    ApiState,
    console::{
        RecordCommandErrors,
        permissions::DeliveriesManage,
        request::{ConsoleCall, ConsoleCommand},
        tenants::ApplicationPath,
    },
    content_moderation::{CommandPayload, CommandViolations, CreatedResource, ModerationApiError},
};
use axum::{Json, extract::State, http::StatusCode};
use base::{AppId, LimitViolation, Timestamp};
use domain::{
    Violation,
    delivery::{OutboxError, TestDestination},
};
use serde::Deserialize;
use utoipa::ToSchema;

/// The longest address that is taken.
const MAX_URL_CHARS: usize = 2000;

/// Where to send a test.
#[derive(Deserialize, ToSchema)]
#[schema(as = SendTestEvent)]
pub(in crate::console) struct SendTestEventRequest {
    /// An https address of the application's server.
    #[schema(value_type = String, max_length = 2000, example = "https://hooks.example.com/assay")]
    url: Option<String>,
    /// Whether its certificate must be valid.
    #[schema(default = true)]
    verify_tls: Option<bool>,
}

impl CommandPayload for SendTestEventRequest {
    type Command = TestDestination;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<TestDestination> {
        let url = violations.required("url", self.url)?;
        let (characters, verify_tls) = (url.chars().count(), self.verify_tls.unwrap_or(true));
        if characters > MAX_URL_CHARS {
            let limit = format!("at most {MAX_URL_CHARS} characters");
            let measured = LimitViolation::new(characters as f64, limit, "use a shorter address");
            violations.push(Violation::with_limit("url", "it is too long", measured));
            return None;
        }
        let checked = api.outbox.check_destination(&url, verify_tls);
        violations.check(checked.map_err(|error| Violation::new("url", error.to_string())))?;
        Some(TestDestination { url, verify_tls })
    }
}

/// The body of a test event, as the application's server receives it.
#[derive(serde::Serialize)]
struct TestEvent {
    r#type: &'static str,
    application_id: AppId,
    sent_at: Timestamp,
}

/// Send a test event to an application's server.
///
/// It is queued, signed, sent and recorded as every message is, and says `{"type": "webhook.test", …}`. The answer has the id of
/// the delivery, of which the attempts can be seen. For operators and members with `deliveries:manage`.
#[utoipa::path(
    post, path = "/console/applications/{applicationId}/test-events", tag = "deliveries", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    request_body = SendTestEventRequest,
    responses((status = 201, description = "The test event is queued.", body = CreatedResource), RecordCommandErrors),
)]
pub(in crate::console) async fn send_test_event(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesManage, ApplicationPath, ConsoleCommand<SendTestEventRequest>>,
) -> Result<(StatusCode, Json<CreatedResource>), ModerationApiError> {
    let (app, destination) = (call.path.application, &call.input.0);
    let sent_at = api.environment.now();
    let event = TestEvent { r#type: "webhook.test", application_id: app, sent_at };
    let body = serde_json::to_string(&event).map_err(|error| ModerationApiError::internal(&error))?;
    let mut tx = call.begin(&api).await?;
    call.require_application(&mut tx, app).await?;
    let id = api.outbox.enqueue_test(&mut tx, &*api.environment, app, destination, body).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))))
}

impl From<OutboxError> for ModerationApiError {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Refused(error) => Self::violation("url", error.to_string()),
            OutboxError::Db(error) => Self::unavailable(&error),
        }
    }
}
