//! What a queue looks like, and what is sent to set one up.

use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations},
};
use base::{CaseQueueId, Timestamp};
use domain::cases::{CaseQueue, QueueFigures, QueueInput, QueueRules, ReasonCode};
use utoipa::ToSchema;

/// A queue, as it is set up.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct QueueRequest {
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Whether it takes checks of documents and appeals, which are the application's, and not findings of the account.
    /// A queue keeps what it was created with.
    #[schema(default = false)]
    of_application: Option<bool>,
    /// Which cases it takes.
    rules: Option<QueueRules>,
    /// Added to the priority of its cases.
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    priority: Option<i64>,
    /// Minutes from the creation of a case until it is due.
    #[schema(minimum = 1, maximum = 44640, default = 1440)]
    target_minutes: Option<i64>,
    /// How many reviewers decide about each case independently.
    #[schema(minimum = 1, maximum = 9, default = 1)]
    opinions: Option<i64>,
    /// About how many of a hundred cases one more reviewer decides.
    #[schema(minimum = 0, maximum = 100, default = 0)]
    second_opinion_percent: Option<i64>,
    /// How many of a hundred cases that a reviewer gets are golden ones.
    #[schema(minimum = 0, maximum = 50, default = 0)]
    golden_percent: Option<i64>,
    /// What reviewers read beside its cases.
    #[schema(max_length = 10_000)]
    policy: Option<String>,
    /// Reasons that reviewers give decisions with one key.
    #[schema(max_items = 20)]
    reason_codes: Option<Vec<ReasonCode>>,
}

/// A queue to set up, and whether it is the application's.
pub(in crate::console) struct QueueCommand {
    pub(super) input: QueueInput,
    pub(super) of_application: bool,
}

impl CommandPayload for QueueRequest {
    type Command = QueueCommand;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<QueueCommand> {
        let input = QueueInput {
            name: self.name.unwrap_or_default(),
            rules: self.rules.unwrap_or_default(),
            priority: self.priority.unwrap_or(0),
            target_minutes: self.target_minutes.unwrap_or(24 * 60),
            opinions: self.opinions.unwrap_or(1),
            second_opinion_percent: self.second_opinion_percent.unwrap_or(0),
            golden_percent: self.golden_percent.unwrap_or(0),
            policy: self.policy.unwrap_or_default(),
            reason_codes: self.reason_codes.unwrap_or_default(),
        };
        let wrong = input.violations();
        let checked = if wrong.is_empty() { Ok(()) } else { Err(wrong) };
        violations.check_all(checked)?;
        Some(QueueCommand { input, of_application: self.of_application.unwrap_or(false) })
    }
}

/// A queue.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Queue)]
pub(in crate::console) struct QueueBody {
    #[schema(value_type = Uuid)]
    id: CaseQueueId,
    name: String,
    /// Whether it takes checks of documents and appeals, which are the application's.
    of_application: bool,
    rules: QueueRules,
    priority: i64,
    target_minutes: i64,
    opinions: i64,
    second_opinion_percent: i64,
    golden_percent: i64,
    policy: String,
    reason_codes: Vec<ReasonCode>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    figures: QueueFiguresBody,
}

/// How a queue stands.
#[derive(Default, serde::Serialize, ToSchema)]
#[schema(as = QueueFigures)]
pub(in crate::console) struct QueueFiguresBody {
    /// Cases that wait or are worked on.
    open: i64,
    /// Of these, how many should have been decided by now.
    overdue: i64,
    /// On hold.
    held: i64,
    /// Handed to the reader.
    mine: i64,
    /// When the first of them is, or was, due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    first_due_at: Option<Timestamp>,
}

impl From<&QueueFigures> for QueueFiguresBody {
    fn from(figures: &QueueFigures) -> Self {
        Self {
            open: figures.open,
            overdue: figures.overdue,
            held: figures.held,
            mine: figures.mine,
            first_due_at: figures.first_due_at.map(|at| at.0),
        }
    }
}

impl QueueBody {
    pub(super) fn of(queue: CaseQueue, figures: &[QueueFigures]) -> Self {
        let own = figures.iter().find(|known| known.queue_id == Some(queue.id));
        Self {
            id: queue.id,
            name: queue.name,
            of_application: queue.account_id.is_none(),
            rules: queue.rules,
            priority: queue.priority,
            target_minutes: queue.target_minutes,
            opinions: queue.opinions,
            second_opinion_percent: queue.second_opinion_percent,
            golden_percent: queue.golden_percent,
            policy: queue.policy,
            reason_codes: queue.reason_codes,
            created_at: queue.created_at,
            figures: own.map(Into::into).unwrap_or_default(),
        }
    }
}
