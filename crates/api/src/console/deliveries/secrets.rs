//! `/console/applications/{applicationId}/webhook-secrets`

use crate::{
    ApiState,
    console::{
        CaseReadErrors, RecordCommandErrors,
        permissions::{DeliveriesManage, DeliveriesView},
        request::{ConsoleCall, ConsoleCommand},
        tenants::ApplicationPath,
    },
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use base::{LimitViolation, SignedDuration, Timestamp, Uuid};
use domain::{
    Violation,
    delivery::secrets::{self, DEFAULT_ROTATION_OVERLAP, WebhookSecretRecord},
};
use serde::Deserialize;
use utoipa::ToSchema;

/// For how long an old secret signs beside a new one, at most.
const MAX_OVERLAP_HOURS: i64 = 7 * 24;

/// What an application's messages are signed with.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct WebhookSecretList {
    /// The newest first. Empty: the first one is made for the first message.
    #[schema(max_items = 8)]
    secrets: Vec<WebhookSecretBody>,
}

/// A secret that signs messages. The secret itself was shown when it was made.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = WebhookSecret)]
pub(in crate::console) struct WebhookSecretBody {
    id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Until when it signs beside a newer one. Absent: it is the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    retires_at: Option<Timestamp>,
}

impl From<WebhookSecretRecord> for WebhookSecretBody {
    fn from(WebhookSecretRecord { id, created_at, retires_at }: WebhookSecretRecord) -> Self {
        Self { id, created_at, retires_at: retires_at.map(Timestamp::from) }
    }
}

/// See which secrets an application's messages are signed with, without the secrets.
///
/// For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
#[utoipa::path(
    get, path = "/console/applications/{applicationId}/webhook-secrets", tag = "deliveries", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    responses((status = 200, description = "The secrets.", body = WebhookSecretList), CaseReadErrors),
)]
pub(in crate::console) async fn list_webhook_secrets(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesView, ApplicationPath>,
) -> Result<Json<WebhookSecretList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    call.require_application(&mut view, call.path.application).await?;
    let found = secrets::list_records(&mut view, api.environment.now(), call.path.application).await?;
    Ok(Json(WebhookSecretList { secrets: found.into_iter().map(WebhookSecretBody::from).collect() }))
}

/// How to replace a secret.
#[derive(Deserialize, ToSchema)]
#[schema(as = RotateWebhookSecret)]
pub(in crate::console) struct RotateWebhookSecretRequest {
    /// For how many hours messages are signed with the old secrets beside the new one.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 168, default = 24)]
    overlap_hours: Option<i64>,
}

impl CommandPayload for RotateWebhookSecretRequest {
    type Command = SignedDuration;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SignedDuration> {
        let Some(hours) = self.overlap_hours else { return Some(DEFAULT_ROTATION_OVERLAP) };
        if (0..=MAX_OVERLAP_HOURS).contains(&hours) {
            return Some(SignedDuration::from_hours(hours));
        }
        let limit = format!("0 to {MAX_OVERLAP_HOURS} hours");
        let measured = LimitViolation::new(hours as f64, limit, "24 hours are usual");
        violations.push(Violation::with_limit("overlap_hours", "it is out of range", measured));
        None
    }
}

/// A new secret.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct CreatedWebhookSecret {
    /// The secret, as receivers configure it. It cannot be shown again.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1XkGpQ0kS3o=")]
    secret: String,
    /// Until when messages are signed with the old secrets, too.
    #[schema(value_type = String, format = DateTime)]
    old_ones_retire_at: Timestamp,
}

/// Replace the secret that an application's messages are signed with.
///
/// Until the overlap has passed, messages have a signature by each, so that receivers can change without refusing one. For
/// operators and members with `deliveries:manage`.
#[utoipa::path(
    post, path = "/console/applications/{applicationId}/webhook-secrets", tag = "deliveries", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    request_body(content = RotateWebhookSecretRequest, example = json!({ "overlap_hours": 24 })),
    responses((status = 201, description = "The new secret, this once.", body = CreatedWebhookSecret), RecordCommandErrors),
)]
pub(in crate::console) async fn rotate_webhook_secret(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesManage, ApplicationPath, ConsoleCommand<RotateWebhookSecretRequest>>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], Json<CreatedWebhookSecret>), ModerationApiError> {
    let (app, overlap) = (call.path.application, call.input.0);
    let mut tx = call.begin(&api).await?;
    call.require_application(&mut tx, app).await?;
    let secret = secrets::rotate(&mut tx, &api.vault, &*api.environment, app, overlap).await?;
    tx.commit().await?;
    let body = CreatedWebhookSecret {
        secret: secret.reveal().expose().clone(),
        old_ones_retire_at: api.environment.now() + overlap,
    };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}
