//! Queues of cases.

mod body;
pub(super) mod change;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;

use super::cases::request::ReviewerRequest;
use base::{AccountId, AppId, CaseQueueId};
use domain::accounts::ConsoleScope;
use utoipa::IntoParams;

/// A queue.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct QueuePath {
    /// The queue.
    #[serde(rename = "queueId")]
    #[param(rename = "queueId", value_type = Uuid)]
    queue: CaseQueueId,
}

/// The owners whose queues somebody may change: their account, and its application if they review documents.
fn owners<Ids, I>(request: &ReviewerRequest<Ids, I>) -> Vec<(AppId, Option<AccountId>)> {
    let (app, account) = (request.reviewer.app, request.reviewer.account);
    let mut owners = vec![(app, Some(account))];
    if request.caller.has_console_scope(ConsoleScope::DocumentsReview)
        || request.caller.has_console_scope(ConsoleScope::AgesReview)
    {
        owners.push((app, None));
    }
    owners
}
