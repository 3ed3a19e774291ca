//! What one application may take: calls a minute, jobs, live streams, stored bytes. Each limit holds over all processes,
//! because what is counted is in the database. An operator sets limits of an application; those that are not set are the
//! configuration's.
//!
//! `calls` counts calls, `usage` everything else.

mod calls;
mod usage;

pub use calls::{CallAllowance, CallLimiter, CallRefusal, CallWindowUsedUpError, purge};
pub use usage::{
    Usage, count_stored_bytes, ensure_live_stream_allowed, ensure_queueing_allowed, ensure_storage_left,
    ensure_stored_bytes_allowed, recount, total_stored_bytes, usage,
};

use super::{TenancyError, applications, ensure_found};
use crate::wire_enum::wire_enum;
use base::AppId;
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use std::{num::NonZeroU32, time::Duration};

wire_enum! {
    /// What is limited.
    pub enum LimitKind {
        /// Calls in a minute.
        CallsPerMinute => "calls_per_minute",
        /// Calls at once.
        Burst => "burst",
        /// Jobs that run at once, other than live streams.
        RunningJobs => "running_jobs",
        /// Jobs that wait for a place, other than live streams.
        WaitingJobs => "waiting_jobs",
        /// Live streams that are watched or wait for it.
        LiveStreams => "live_streams",
        /// Bytes of stored files.
        StoredBytes => "stored_bytes",
    }
}

impl LimitKind {
    /// Everything that is limited.
    pub const ALL: [Self; 6] = [
        Self::CallsPerMinute,
        Self::Burst,
        Self::RunningJobs,
        Self::WaitingJobs,
        Self::LiveStreams,
        Self::StoredBytes,
    ];
}

/// The limits of applications that have none of their own; the section `[limits]`. They hold over all processes.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Calls in a minute. `None`: no limit.
    pub calls_per_minute: Option<NonZeroU32>,
    /// Calls at once, of applications without calls in a minute of their own. `None`: as many as in a minute.
    pub burst: Option<NonZeroU32>,
    /// Jobs that run at once, other than live streams; 0: no limit.
    pub running_jobs: u32,
    /// Jobs that wait for a place, other than live streams, before no more are accepted; 0: no limit.
    pub waiting_jobs: u32,
    /// Live streams that are watched or wait for it; 0: no limit.
    pub live_streams: u32,
    /// Bytes of stored files: pictures of faces, uploaded contents, and media of document verification sessions; 0: no limit.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub stored_bytes: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            calls_per_minute: None,
            burst: None,
            running_jobs: 0,
            waiting_jobs: 10_000,
            live_streams: 100,
            stored_bytes: 0,
        }
    }
}

/// The limits that an operator has set for one application. `None`: the configuration's; 0: no limit. Where `calls_per_minute` is
/// set, a `burst` that is not, or is 0, is as many calls as those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow, Serialize)]
pub struct ApplicationLimits {
    pub calls_per_minute: Option<i64>,
    pub burst: Option<i64>,
    pub running_jobs: Option<i64>,
    pub waiting_jobs: Option<i64>,
    pub live_streams: Option<i64>,
    pub stored_bytes: Option<i64>,
}

impl ApplicationLimits {
    /// What an operator has set for one limit.
    pub fn own(&self, kind: LimitKind) -> Option<i64> {
        match kind {
            LimitKind::CallsPerMinute => self.calls_per_minute,
            LimitKind::Burst => self.burst,
            LimitKind::RunningJobs => self.running_jobs,
            LimitKind::WaitingJobs => self.waiting_jobs,
            LimitKind::LiveStreams => self.live_streams,
            LimitKind::StoredBytes => self.stored_bytes,
        }
    }

    /// Sets one limit.
    pub fn set(&mut self, kind: LimitKind, value: Option<i64>) {
        *match kind {
            LimitKind::CallsPerMinute => &mut self.calls_per_minute,
            LimitKind::Burst => &mut self.burst,
            LimitKind::RunningJobs => &mut self.running_jobs,
            LimitKind::WaitingJobs => &mut self.waiting_jobs,
            LimitKind::LiveStreams => &mut self.live_streams,
            LimitKind::StoredBytes => &mut self.stored_bytes,
        } = value;
    }
}

impl LimitSettings {
    /// What is in force for an application; `None`: no limit.
    pub fn of(&self, own: &ApplicationLimits, kind: LimitKind) -> Option<u64> {
        let optional = |number: Option<NonZeroU32>| number.map_or(0, NonZeroU32::get).into();
        let (own, default): (Option<i64>, u64) = match kind {
            LimitKind::CallsPerMinute => (own.calls_per_minute, optional(self.calls_per_minute)),
            // The configuration's burst belongs to the configuration's rate.
            LimitKind::Burst if own.calls_per_minute.is_some() => (own.burst, 0),
            LimitKind::Burst => (own.burst, optional(self.burst)),
            LimitKind::RunningJobs => (own.running_jobs, self.running_jobs.into()),
            LimitKind::WaitingJobs => (own.waiting_jobs, self.waiting_jobs.into()),
            LimitKind::LiveStreams => (own.live_streams, self.live_streams.into()),
            LimitKind::StoredBytes => (own.stored_bytes, self.stored_bytes),
        };
        Some(own.map_or(default, i64::unsigned_abs)).filter(|limit| *limit > 0)
    }

    /// What is in force for an application, by name; `null`: no limit.
    pub fn in_force(&self, own: &ApplicationLimits) -> serde_json::Map<String, serde_json::Value> {
        let limit = |kind: LimitKind| (kind.as_str().to_owned(), self.of(own, kind).into());
        LimitKind::ALL.into_iter().map(limit).collect()
    }
}

/// An application has reached one of its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the application has reached its limit {kind}: {measured} of at most {limit}")]
pub struct LimitReachedError {
    pub kind: LimitKind,
    /// What was measured: what there is, or would be.
    pub measured: u64,
    pub limit: u64,
    /// After this time it is worth trying again.
    pub retry_after: Duration,
}

/// Why something that is limited is refused.
#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    #[error(transparent)]
    Reached(#[from] LimitReachedError),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The limits that an operator has set for an application.
pub async fn find(view: &mut ReadTx, app: AppId) -> Result<Option<ApplicationLimits>, DbError> {
    view.fetch_optional(sql!(
        "SELECT calls_per_minute, burst, running_jobs, waiting_jobs, live_streams, stored_bytes
           FROM applications WHERE id = $1",
        app,
    ))
    .await
}

/// Sets limits of an application; the others stay as they are. In force at once, in every process.
pub async fn set(
    tx: &mut WriteTx,
    app: AppId,
    changes: &[(LimitKind, Option<i64>)],
) -> Result<ApplicationLimits, TenancyError> {
    applications::lock(tx, app).await?;
    let known = find(tx, app).await?;
    ensure_found(u64::from(known.is_some()), format_args!("application {app}"))?;
    let mut limits = known.unwrap_or_default();
    let mut event = AuditEvent::new("application.set-limits").app(app).target(app);
    for (kind, value) in changes {
        limits.set(*kind, *value);
        event = event.detail(kind.as_str(), *value);
    }
    tx.execute(sql!(
        "UPDATE applications SET calls_per_minute = $2, burst = $3, running_jobs = $4, waiting_jobs = $5,
                live_streams = $6, stored_bytes = $7
          WHERE id = $1",
        app,
        limits.calls_per_minute,
        limits.burst,
        limits.running_jobs,
        limits.waiting_jobs,
        limits.live_streams,
        limits.stored_bytes,
    ))
    .await?;
    tx.audit(event);
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_an_application_come_before_those_of_the_configuration() {
        let settings = LimitSettings {
            calls_per_minute: NonZeroU32::new(60),
            burst: NonZeroU32::new(5),
            ..LimitSettings::default()
        };
        let mut own = ApplicationLimits::default();
        let of = |own: &ApplicationLimits, kind| settings.of(own, kind);
        assert_eq!(of(&own, LimitKind::CallsPerMinute), Some(60));
        assert_eq!(of(&own, LimitKind::Burst), Some(5));
        assert_eq!(of(&own, LimitKind::RunningJobs), None);
        own.set(LimitKind::CallsPerMinute, Some(600));
        assert_eq!(of(&own, LimitKind::CallsPerMinute), Some(600));
        assert_eq!(of(&own, LimitKind::Burst), None, "the burst is that of another rate");
        own.set(LimitKind::LiveStreams, Some(0));
        assert_eq!(of(&own, LimitKind::LiveStreams), None);
        own.set(LimitKind::LiveStreams, None);
        assert_eq!(of(&own, LimitKind::LiveStreams), Some(100));
    }
}
