//! Work that survives. A job is a row: it commits in the transaction that causes it, is leased by one worker at a time,
//! and goes away in the transaction of its effect. Whoever kills a process at any point loses nothing; what was running
//! is leased again when its lease has run out.
//!
//! A job may run more than once: its process may die after the effect and before the row is gone. Effects in the
//! database do not repeat where the job ends with [`Lease::finish`] in their transaction; effects outside must bear it.

#![warn(missing_docs)]

mod admin;
mod job;
mod queue;
mod worker;

pub use admin::{JobAdminError, JobRecord, JobState, discard, list, report_metrics, retry, show};
pub use job::{Job, JobError, JobOutcome, Lane, RetryPolicy};
pub use queue::{Lease, LeaseError, enqueue, enqueue_at, enqueue_for_account, enqueue_unique};
pub use worker::{ShutdownSignal, Worker};
