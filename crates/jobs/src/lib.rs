//! A durable job queue in the database. A job is a row: it is committed in the transaction that causes it, leased by one
//! worker at a time, and deleted in the transaction of its effect. A process that is killed loses no job: what it was
//! running is leased again once the lease has run out.
//!
//! A job may run more than once, because its process may die after the effect and before the row is deleted. Effects in
//! the database do not repeat if the job ends with [`Lease::finish`] in their transaction; effects elsewhere must bear
//! being repeated.

#![warn(missing_docs)]

mod admin;
mod job;
mod new_job;
mod queue;
mod worker;

pub use admin::{
    JobAdminError, JobFilter, JobPosition, JobRecord, JobState, LaneFigures, discard, lane_figures, list,
    list_matching, report_metrics, retry, show,
};
pub use job::{Job, JobError, JobIds, JobOutcome, Lane, RetryPolicy};
pub use new_job::{NewJob, enqueue, withdraw};
pub use queue::{Lease, LeaseError, QueuePosition, ShutdownSignal, queue_position};
pub use worker::Worker;
