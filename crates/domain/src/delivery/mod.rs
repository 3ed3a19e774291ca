//! Messages to applications' own servers: queued in the transaction that causes them, signed, tried on a schedule that
//! spans a day, recorded, and replayable (decisions, section 7).
//!
//! A message is delivered at least once, and in no promised order: receivers recognise a repeat by its `webhook-id` and
//! order messages by what they say.

mod breaker;
mod message;
mod records;
mod schedule;
pub mod secrets;
mod sender;

pub use message::{Message, NotQueued, Outbox, Success, Verb};
pub use records::{
    Attempt, DeliveryRecord, DeliveryState, Filter, NoSuchDelivery, list, purge, replay, replay_range,
    report, show,
};
pub use schedule::MOMENTS;
pub use sender::{Sender, Settings};
