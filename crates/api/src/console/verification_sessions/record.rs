//! A session as the console shows it.

use base::{AppId, Timestamp, Uuid};
use domain::{
    session_steps::{SessionKind, SessionStepOutcome},
    verification_sessions::VerificationSessionRecord,
};
use utoipa::ToSchema;

/// A session of document or age verification, without anything of its person.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = VerificationSession)]
pub(super) struct VerificationSessionBody {
    id: Uuid,
    kind: SessionKind,
    #[schema(value_type = Uuid)]
    application_id: AppId,
    /// Whether it belongs to the sandbox. Absent: an older version of the server made it, and does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<bool>,
    /// As its interface says it. Of age verification: `PENDING`, `IN_PROGRESS`, `PROCESSING`, `COMPLETE`, `FAIL`, `ERROR`,
    /// `CANCELLED`, `EXPIRED`; of document verification: `ONGOING`, `COMPLETED`, `EXPIRED`.
    #[schema(example = "COMPLETE")]
    state: String,
    /// How it ended. Absent: it has not, or an older version of the server made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SessionStepOutcome>)]
    outcome: Option<String>,
    /// Why it ended so, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "UNDER_AGE")]
    reason: Option<String>,
    /// The method, the kind of document or the check that came last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "AGE_ESTIMATION")]
    last_step: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// The end of the person's time.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// When what was supplied is destroyed. Absent: it was, or nothing of the kind is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    resources_deleted_at: Option<Timestamp>,
    /// When nothing is left of the session.
    #[schema(value_type = String, format = DateTime)]
    deleted_at: Timestamp,
}

impl From<VerificationSessionRecord> for VerificationSessionBody {
    fn from(record: VerificationSessionRecord) -> Self {
        Self {
            id: record.id,
            kind: record.kind,
            application_id: record.app_id,
            sandbox: record.sandbox,
            state: record.state,
            outcome: record.outcome,
            reason: record.reason,
            last_step: record.last_step,
            created_at: record.created_at,
            ended_at: record.ended_at.map(Timestamp::from),
            expires_at: record.expires_at,
            resources_deleted_at: record.resources_until.map(Timestamp::from),
            deleted_at: record.deleted_at,
        }
    }
}
