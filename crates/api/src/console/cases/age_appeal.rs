//! What an appeal against the result of an age verification session is judged by.

use base::{AgeSessionId, Timestamp};
use domain::age_verification::{
    AgeAppeal,
    types::{AgeMethod, AgeSessionStatus, AgeSessionType, AppealState, LivenessLevel},
};
use utoipa::ToSchema;

/// The name of the picture that an application has added to an appeal.
pub(super) const CAPTURE_PICTURE: &str = "capture";

/// An appeal against the result of an age verification session: the person was refused for their age. `UPHOLD` lets that
/// stand; `OVERTURN` makes the session `COMPLETE`. Either way the application learns of it.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AgeAppeal)]
pub(super) struct AgeAppealBody {
    #[schema(value_type = Uuid)]
    session_id: AgeSessionId,
    state: AppealState,
    /// What the session asks about an age.
    r#type: AgeSessionType,
    /// The method that refused them.
    method: AgeMethod,
    /// The age that was asked for, years.
    threshold: i64,
    /// What the age was estimated to be, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    estimate: Option<EstimatedAgeBody>,
    /// Why they were refused, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "UNDER_AGE")]
    reason: Option<String>,
    /// The check of liveness behind it.
    level: LivenessLevel,
    /// The state of the session when the appeal was made.
    session_state: AgeSessionStatus,
    /// Attempts that had ended by then, by any method.
    attempts: i64,
    #[schema(value_type = String, format = DateTime)]
    refused_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    appealed_at: Timestamp,
    /// What the person says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 2000)]
    statement: Option<String>,
}

/// An estimated age, years.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = EstimatedAge)]
struct EstimatedAgeBody {
    years: f32,
    /// The ends of the interval in which the age lies in 80 of 100 cases.
    low: f32,
    high: f32,
}

impl From<AgeAppeal> for AgeAppealBody {
    fn from(appeal: AgeAppeal) -> Self {
        let AgeAppeal { session, state, evidence, created_at, .. } = appeal;
        let estimate = evidence.estimate.map(|estimate| EstimatedAgeBody {
            years: estimate.years,
            low: estimate.low,
            high: estimate.high,
        });
        Self {
            session_id: session,
            state,
            r#type: evidence.kind,
            method: evidence.method,
            threshold: evidence.threshold,
            estimate,
            reason: evidence.reason,
            level: evidence.level,
            session_state: evidence.state,
            attempts: evidence.attempts,
            refused_at: evidence.refused_at,
            appealed_at: created_at,
            statement: evidence.statement,
        }
    }
}
