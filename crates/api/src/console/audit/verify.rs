//! `POST /console/audit-trail/verification`

use crate::{
    ApiState,
    console::{AuditVerificationErrors, permissions::WholeAuditView, request::ConsoleCall},
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{Json, extract::State};
use base::Timestamp;
use domain::audit_trail::{AuditTrailError, ChainEnd};
use std::time::Duration;
use utoipa::ToSchema;

/// `Retry-After` while another verification runs.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Whether the audit trail is whole.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct AuditVerification {
    /// Whether no record was changed, removed or moved.
    is_whole: bool,
    /// What is wrong with it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// How many records there are, if it is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    records: Option<u64>,
    /// The end of the chain, if it is whole. Kept elsewhere, it shows later whether records were cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<AuditChainEnd>,
    #[schema(value_type = String, format = DateTime)]
    verified_at: Timestamp,
}

/// The last record of the trail.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct AuditChainEnd {
    /// Its number; 0 before the first.
    #[schema(minimum = 0)]
    seq: i64,
    /// Its hash, hexadecimal.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
}

impl From<ChainEnd> for AuditChainEnd {
    fn from(ChainEnd { seq, hash }: ChainEnd) -> Self {
        Self { seq, hash }
    }
}

/// Verify the audit trail.
///
/// Every record is read, one verification at a time. For operators with `audit:view`.
#[utoipa::path(
    post, path = "/console/audit-trail/verification", tag = "audit", security(("session" = [], "console" = [])),
    responses((status = 200, description = "Whether the audit trail is intact.", body = AuditVerification), AuditVerificationErrors),
)]
pub(in crate::console) async fn verify_audit_trail(
    State(api): State<ApiState>,
    _call: ConsoleCall<WholeAuditView>,
) -> Result<Json<AuditVerification>, ModerationApiError> {
    let Ok(_turn) = api.console_resources.audit_verification.try_acquire() else {
        let words = "the trail is being verified already";
        return Err(ModerationApiError::new(ModerationErrorCode::TooManyRequests, words)
            .with_retry_after(RETRY_AFTER));
    };
    // One state of the database for both, so that the end is that of the records.
    let mut view = api.db.read_snapshot().await?;
    let verified_at = api.environment.now();
    let verified = match api.audit_trail.verify(&mut view, None).await {
        Ok(records) => Ok((records, api.audit_trail.chain_end(&mut view).await)),
        Err(error) => Err(error),
    };
    let (error, records, end) = match verified {
        Ok((records, Ok(end))) => (None, Some(records), Some(end.into())),
        Ok((_, Err(AuditTrailError::Db(error)))) | Err(AuditTrailError::Db(error)) => {
            return Err(error.into());
        }
        Ok((_, Err(error))) | Err(error) => (Some(error.to_string()), None, None),
    };
    Ok(Json(AuditVerification { is_whole: error.is_none(), error, records, end, verified_at }))
}
