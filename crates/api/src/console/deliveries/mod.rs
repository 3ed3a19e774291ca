//! Webhooks: what was sent to applications' own servers, and what it is signed with. Operators see those of all applications,
//! members those of the application that their account belongs to.

mod body;
pub(super) mod endpoints;
pub(super) mod get;
pub(super) mod list;
pub(super) mod replay;
pub(super) mod replay_many;
pub(super) mod secrets;
pub(super) mod test_event;

use super::request::ConsoleCall;
use crate::content_moderation::{ModerationApiError, ModerationErrorCode};
use base::DeliveryId;
use domain::delivery::{DeliveryRecord, DeliveryReplayError};
use utoipa::IntoParams;

/// A delivery of the path.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct DeliveryPath {
    /// The delivery: the `webhook-id` that its receiver saw.
    #[serde(rename = "deliveryId")]
    #[param(rename = "deliveryId", value_type = Uuid)]
    delivery: DeliveryId,
}

/// A delivery as the caller may see it: why a call failed is for operators, because members chose where it went.
fn visible_record<P, Ids, I>(call: &ConsoleCall<P, Ids, I>, record: DeliveryRecord) -> DeliveryRecord {
    if call.own_application().is_some() { record.without_call_errors() } else { record }
}

impl From<DeliveryReplayError> for ModerationApiError {
    fn from(error: DeliveryReplayError) -> Self {
        match error {
            DeliveryReplayError::Missing(_) | DeliveryReplayError::Erased(_) => {
                Self::new(ModerationErrorCode::Conflict, error.to_string())
            }
            DeliveryReplayError::Db(error) => Self::unavailable(&error),
        }
    }
}
