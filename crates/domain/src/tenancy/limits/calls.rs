//! Calls are counted in windows of time. A process reserves a share of a window in the database and counts within it, so
//! that few calls cost a write. A share is never used after its window, so what a process that died had reserved is lost
//! until then, and no more calls are let through than the limit, however many processes there are.

use super::{ApplicationLimits, LimitKind, LimitSettings};
use base::{AppId, Environment, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, ReadTx, sql};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// The shortest window: a burst that is used up sooner would cost too many writes.
const MIN_WINDOW_MICROSECONDS: u64 = 1_000_000;
const MINUTE_MICROSECONDS: u64 = 60_000_000;
/// A process reserves at most this part of a window at a time.
const LARGEST_SHARE_PART: u64 = 16;

/// Counts the calls of applications. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CallLimiter(Arc<CallLimiterInner>);

#[derive(Debug)]
struct CallLimiterInner {
    db: Db,
    environment: Arc<dyn Environment>,
    defaults: LimitSettings,
    shares: Mutex<HashMap<AppId, Arc<tokio::sync::Mutex<Share>>>>,
}

/// What an application has left in the present window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallAllowance {
    /// Calls that the window allows.
    pub limit: u64,
    /// Calls that it still allows, as far as this process knows.
    pub remaining: u64,
    /// Until the next window begins.
    pub reset: Duration,
}

impl CallAllowance {
    /// Calls of the window that were made, or that processes have reserved.
    pub fn used(self) -> u64 {
        self.limit.saturating_sub(self.remaining)
    }
}

/// The present window of an application allows no more calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the application has reached its limit {kind}: {} of at most {} calls until the next window", .left.used(), .left.limit)]
pub struct CallWindowUsedUpError {
    /// The limit that says how many calls the window allows.
    pub kind: LimitKind,
    pub left: CallAllowance,
}

/// Why a call is refused.
#[derive(Debug, thiserror::Error)]
pub enum CallRefusal {
    #[error(transparent)]
    UsedUp(#[from] CallWindowUsedUpError),
    /// It is unknown how many calls are left.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// A span of time in which an application may make so many calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CallWindow {
    starts_at: Timestamp,
    ends_at: Timestamp,
    limit: u64,
}

impl CallWindow {
    /// The window at a time: one of those that follow each other since 1970, as long as `burst` calls take at this rate.
    fn at(now: Timestamp, per_minute: u64, burst: u64) -> Self {
        let microseconds =
            |calls: u64| u128::from(calls) * u128::from(MINUTE_MICROSECONDS) / u128::from(per_minute);
        let length = u64::try_from(microseconds(burst)).unwrap_or(u64::MAX);
        let (length, limit) = if length >= MIN_WINDOW_MICROSECONDS {
            (length, burst)
        } else {
            (MIN_WINDOW_MICROSECONDS, (per_minute / (MINUTE_MICROSECONDS / MIN_WINDOW_MICROSECONDS)).max(1))
        };
        // Longer than a year is no window: a burst that takes longer to come back counts in windows of a year.
        let length = i64::try_from(length).unwrap_or(i64::MAX).min(365 * 24 * 60 * 60_000_000);
        let at = now.as_microsecond();
        let start = at - at.rem_euclid(length);
        let starts_at = Timestamp::from_microsecond(start).unwrap_or(now);
        Self { starts_at, ends_at: starts_at + SignedDuration::from_micros(length), limit }
    }
}

/// What a process has reserved of a window, and not used yet.
#[derive(Debug, Default)]
struct Share {
    window: Option<CallWindow>,
    unused: u64,
    /// What nobody has reserved, as of the last reservation.
    unreserved: u64,
    /// How much is reserved next: twice as much each time, so that a process with few calls takes little from others.
    next: u64,
}

impl CallLimiter {
    /// `defaults` are the limits of applications that have none of their own.
    pub fn new(db: Db, environment: Arc<dyn Environment>, defaults: LimitSettings) -> Self {
        Self(Arc::new(CallLimiterInner { db, environment, defaults, shares: Mutex::default() }))
    }

    /// Counts a call of an application with these limits; returns what it has left, or `None` if its calls are not limited.
    pub async fn count(
        &self,
        app: AppId,
        own: &ApplicationLimits,
    ) -> Result<Option<CallAllowance>, CallRefusal> {
        let defaults = &self.0.defaults;
        let Some(per_minute) = defaults.of(own, LimitKind::CallsPerMinute) else { return Ok(None) };
        let burst = defaults.of(own, LimitKind::Burst);
        let share = self.share(app);
        // Who waits here gets their call from what is being reserved.
        let mut share = share.lock().await;
        let now = self.0.environment.now();
        let window = CallWindow::at(now, per_minute, burst.unwrap_or(per_minute));
        if share.window != Some(window) {
            *share = Share { window: Some(window), unused: 0, unreserved: window.limit, next: 1 };
        }
        if share.unused == 0 && share.unreserved > 0 {
            let wanted = share.next;
            let before = reserve(&self.0.db, app, window, wanted).await?;
            share.unused = window.limit.saturating_sub(before).min(wanted);
            share.unreserved = window.limit.saturating_sub(before.saturating_add(wanted));
            share.next = (2 * wanted).min((window.limit / LARGEST_SHARE_PART).max(1));
        }
        let reset = Duration::try_from(window.ends_at.duration_since(now)).unwrap_or_default();
        let is_left = share.unused > 0;
        share.unused = share.unused.saturating_sub(1);
        let left = CallAllowance { limit: window.limit, remaining: share.unused + share.unreserved, reset };
        if is_left {
            return Ok(Some(left));
        }
        // The shortest window allows more calls than a burst that would be used up sooner.
        let kind = if burst == Some(window.limit) { LimitKind::Burst } else { LimitKind::CallsPerMinute };
        Err(CallWindowUsedUpError { kind, left }.into())
    }

    /// What an application has left in the present window, without counting a call: as far as all processes have reserved
    /// calls. `None` if its calls are not limited.
    pub async fn left(
        &self,
        view: &mut ReadTx,
        app: AppId,
        own: &ApplicationLimits,
    ) -> Result<Option<CallAllowance>, DbError> {
        #[derive(FromRow)]
        struct WindowRow {
            reserved: i64,
        }
        let defaults = &self.0.defaults;
        let Some(per_minute) = defaults.of(own, LimitKind::CallsPerMinute) else { return Ok(None) };
        let burst = defaults.of(own, LimitKind::Burst).unwrap_or(per_minute);
        let now = self.0.environment.now();
        let window = CallWindow::at(now, per_minute, burst);
        let row: Option<WindowRow> = view
            .fetch_optional(sql!(
                "SELECT reserved FROM call_windows WHERE app_id = $1 AND starts_at = $2",
                app,
                window.starts_at,
            ))
            .await?;
        let reserved = row.map_or(0, |row| row.reserved.max(0).unsigned_abs());
        Ok(Some(CallAllowance {
            limit: window.limit,
            remaining: window.limit.saturating_sub(reserved),
            reset: Duration::try_from(window.ends_at.duration_since(now)).unwrap_or_default(),
        }))
    }

    /// What is in force for applications that have no limits of their own.
    pub fn defaults(&self) -> &LimitSettings {
        &self.0.defaults
    }

    fn share(&self, app: AppId) -> Arc<tokio::sync::Mutex<Share>> {
        let mut shares = self.0.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.entry(app).or_default().clone()
    }

    /// Forgets windows that are over; to be called every few minutes.
    pub fn evict_past_windows(&self) {
        let now = self.0.environment.now();
        let mut shares = self.0.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| {
            // One that is locked is in use.
            let Ok(share) = share.try_lock() else { return true };
            share.window.is_some_and(|window| window.ends_at > now)
        });
    }
}

/// Reserves calls of a window; returns how many were reserved before.
async fn reserve(db: &Db, app: AppId, window: CallWindow, wanted: u64) -> Result<u64, DbError> {
    #[derive(FromRow)]
    struct ReservedRow {
        reserved: i64,
    }
    let number = |calls: u64| i64::try_from(calls).unwrap_or(i64::MAX);
    let mut tx = db.write_with_durability(Durability::Process).await?;
    // No row comes back where all calls were reserved before.
    let row: Option<ReservedRow> = tx
        .fetch_optional(sql!(
            "INSERT INTO call_windows (app_id, starts_at, ends_at, reserved) VALUES ($1, $2, $3, $4)
             ON CONFLICT (app_id, starts_at) DO UPDATE SET reserved = call_windows.reserved + excluded.reserved
              WHERE call_windows.reserved < $5
             RETURNING reserved",
            app,
            window.starts_at,
            window.ends_at,
            number(wanted),
            number(window.limit),
        ))
        .await?;
    tx.commit().await?;
    Ok(row.map_or(window.limit, |row| row.reserved.unsigned_abs() - wanted))
}

/// Deletes windows that are over, at most 20,000 at a time; returns how many.
pub async fn purge(db: &Db, env: &dyn Environment) -> Result<u64, DbError> {
    // A process whose clock is late may still count in one.
    let over = env.now() - SignedDuration::from_mins(10);
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM call_windows WHERE (app_id, starts_at) IN
                (SELECT app_id, starts_at FROM call_windows WHERE ends_at < $1 LIMIT 20000)",
            over,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::{
        applications::{self, NewApplication},
        organisations,
    };
    use base::TestEnvironment;
    use db::testing::TestDb;

    async fn create_application(db: &Db, env: &TestEnvironment) -> AppId {
        let mut tx = db.write().await.unwrap();
        let organisation = Some(organisations::create(&mut tx, env, "one").await.unwrap());
        let new = NewApplication { name: "one", organisation, billing_source: Some("test"), features: &[] };
        let app = applications::create(&mut tx, env, &new).await.unwrap();
        tx.commit().await.unwrap();
        app
    }

    fn per_minute(calls: i64) -> ApplicationLimits {
        ApplicationLimits { calls_per_minute: Some(calls), ..ApplicationLimits::default() }
    }

    /// How many of so many calls are let through that several processes get at the same time.
    async fn hammer(processes: &[CallLimiter], app: AppId, limits: ApplicationLimits, calls: usize) -> u64 {
        let tasks: Vec<_> = (0..calls)
            .map(|number| {
                let process = processes[number % processes.len()].clone();
                tokio::spawn(async move {
                    match process.count(app, &limits).await {
                        Ok(left) => u64::from(left.is_some()),
                        Err(CallRefusal::UsedUp(refused)) => {
                            assert_eq!(refused.left.remaining, 0);
                            0
                        }
                        Err(CallRefusal::Db(error)) => panic!("{error}"),
                    }
                })
            })
            .collect();
        let mut passed = 0;
        for task in tasks {
            passed += task.await.unwrap();
        }
        passed
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn several_processes_let_exactly_the_limit_through() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let app = create_application(&test.db, &env).await;
        let process = || CallLimiter::new(test.db.clone(), env.clone(), LimitSettings::default());
        let processes = [process(), process(), process()];
        for limit in [1, 7, 100, 1000] {
            env.advance(SignedDuration::from_mins(1));
            // Each process gets more calls than the limit, so none is left with a share that it does not use.
            let passed = hammer(&processes, app, per_minute(limit), 3 * limit as usize + 30).await;
            assert_eq!(passed, limit.unsigned_abs(), "of a limit of {limit}");
        }
    }

    #[tokio::test]
    async fn a_refusal_says_which_limit_bounds_the_window_and_how_long_it_lasts() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00.25Z"));
        let app = create_application(&test.db, &env).await;
        let process = CallLimiter::new(test.db.clone(), env.clone(), LimitSettings::default());
        let limits = |calls, burst| ApplicationLimits { burst, ..per_minute(calls) };
        for (limits, says, seconds) in [
            (limits(2, None), "calls_per_minute: 2 of at most 2", 59.75),
            (limits(60, Some(3)), "burst: 3 of at most 3", 2.75),
            (limits(240, Some(1)), "calls_per_minute: 4 of at most 4", 0.75),
        ] {
            let refused = loop {
                match process.count(app, &limits).await {
                    Ok(left) => assert!(left.is_some()),
                    Err(CallRefusal::UsedUp(refused)) => break refused,
                    Err(CallRefusal::Db(error)) => panic!("{error}"),
                }
            };
            let expected =
                format!("the application has reached its limit {says} calls until the next window");
            assert_eq!((refused.to_string(), refused.left.reset.as_secs_f64()), (expected, seconds));
            env.advance(SignedDuration::from_mins(1));
        }
    }

    #[tokio::test]
    async fn a_process_that_dies_wastes_its_share_and_lets_nothing_more_through() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let app = create_application(&test.db, &env).await;
        let process = || CallLimiter::new(test.db.clone(), env.clone(), LimitSettings::default());
        let limits = per_minute(160);
        let mut passed = 0;
        for _ in 0..40 {
            // A share of 1, of 2 and of 4: 5 calls use up the first two and begin the third.
            passed += hammer(&[process()], app, limits, 5).await;
        }
        assert!(passed < 160, "{passed}: what the dead had reserved is lost");
        assert!(passed > 100, "{passed}: they had reserved little");
        env.advance(SignedDuration::from_mins(1));
        assert_eq!(hammer(&[process()], app, limits, 200).await, 160, "the next window is whole");
    }

    #[tokio::test]
    async fn few_calls_cost_a_write_and_none_does_without_a_limit() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let app = create_application(&test.db, &env).await;
        let process = CallLimiter::new(test.db.clone(), env.clone(), LimitSettings::default());
        assert_eq!(process.count(app, &ApplicationLimits::default()).await.unwrap(), None);
        let reservations = async || {
            let mut view = test.db.read().await.unwrap();
            view.count(sql!("SELECT coalesce(max(reserved), 0) FROM call_windows")).await.unwrap()
        };
        assert_eq!(reservations().await, 0);
        let (mut last, mut writes) = (0, 0);
        for _ in 0..10_000 {
            process.count(app, &per_minute(20_000)).await.unwrap();
            let reserved = reservations().await;
            writes += u32::from(reserved != last);
            last = reserved;
        }
        assert!(writes <= 20, "{writes} writes for 10,000 calls");
    }

    #[test]
    fn a_window_is_as_long_as_its_burst_takes() {
        let now: Timestamp = "2026-01-16T14:40:50.5Z".parse().unwrap();
        let of = |per_minute, burst| {
            let window = CallWindow::at(now, per_minute, burst);
            (window.starts_at.to_string(), window.ends_at.to_string(), window.limit)
        };
        let expected =
            |from: &str, to: &str, limit| (format!("2026-01-16T{from}Z"), format!("2026-01-16T{to}Z"), limit);
        assert_eq!(of(60, 60), expected("14:40:00", "14:41:00", 60));
        assert_eq!(of(600, 60), expected("14:40:48", "14:40:54", 60));
        assert_eq!(of(1, 2), expected("14:40:00", "14:42:00", 2));
        assert_eq!(of(6000, 1), expected("14:40:50", "14:40:51", 100), "no window is shorter than a second");
        assert_eq!(of(u64::MAX, u64::MAX), expected("14:40:00", "14:41:00", u64::MAX));
        assert_eq!(of(u64::MAX, 1).2, u64::MAX / 60);
    }

    #[tokio::test]
    async fn windows_that_are_over_are_deleted() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let app = create_application(&test.db, &env).await;
        let process = CallLimiter::new(test.db.clone(), env.clone(), LimitSettings::default());
        process.count(app, &per_minute(1)).await.unwrap();
        assert_eq!(purge(&test.db, &*env).await.unwrap(), 0);
        env.advance(SignedDuration::from_mins(12));
        assert_eq!(purge(&test.db, &*env).await.unwrap(), 1);
        process.evict_past_windows();
        assert_eq!(process.0.shares.lock().unwrap().len(), 0);
    }
}
