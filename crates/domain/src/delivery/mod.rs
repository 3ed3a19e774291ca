//! Webhooks, that is, messages to applications' own servers: queued in the transaction that causes them, signed,
//! retried on a schedule that spans a day, recorded, and replayable (docs/adr/0008-outbound-delivery.md).
//!
//! A message is delivered at least once, and in no guaranteed order: receivers recognise a repeat by its `webhook-id`,
//! and order messages by their content.

mod attempt;
mod circuit_breaker;
mod dispatcher;
mod endpoints;
mod leases;
mod message;
mod records;
mod retry_schedule;
pub mod secrets;

pub use dispatcher::{DeliveryDispatcher, DeliverySettings};
pub use endpoints::{EndpointFigures, list_endpoints};
pub use message::{Outbox, OutboxError, SuccessCriterion, TestDestination, WebhookMessage, WebhookMethod};
pub use records::{
    DeliveryAttempt, DeliveryFilter, DeliveryPosition, DeliveryQueueFigures, DeliveryRecord,
    DeliveryReplayError, DeliveryState, erase_messages_about, list, purge, queue_figures, replay,
    replay_matching, report_metrics, show,
};
pub use retry_schedule::ATTEMPT_OFFSETS_SECONDS;
