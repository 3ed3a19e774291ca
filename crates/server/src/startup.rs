//! The start of a server or worker: wait for the database, migrate it, open the keys. Afterwards: watch whether the database
//! and the master key still fit.

use crate::config::Config;
use anyhow::Context as _;
use api::{StartupState, StartupStatus};
use base::{SignedDuration, SystemEnvironment};
use db::{Db, DbError};
use domain::{
    data_keys::{
        DataKeyError, InstallationUse,
        holders::{HOLDER_INTERVAL, HeldKey, HolderRecord},
    },
    keyring::Keyring,
    master_key::MasterKeyProvider,
};
use std::{sync::Arc, time::Duration};
use tokio::time::MissedTickBehavior;

/// Between two attempts to start, at first and at most.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(250);
const MAX_RETRY_WAIT: Duration = Duration::from_secs(10);
/// How far the clock of this process may be off the database's: nodes whose clocks differ by more take over each other's leases,
/// and forget nonces too early.
pub(crate) const MAX_CLOCK_OFFSET: SignedDuration = SignedDuration::from_secs(10);

/// Why the start cannot go on now.
#[derive(Debug, thiserror::Error)]
enum StartupError {
    #[error("the database is not ready")]
    Database(#[source] DbError),
    #[error("the database does not belong to this build; nothing starts until it does")]
    Schema(#[source] DbError),
    #[error("the clock of this machine is {} seconds off that of the database; nothing starts until it is at most {}", .0.abs().as_secs(), MAX_CLOCK_OFFSET.as_secs())]
    Clock(SignedDuration),
    #[error("the master key is not the one that the database needs; nothing starts until it is")]
    MasterKey(#[source] DataKeyError),
    /// Waiting does not help.
    #[error(transparent)]
    Refused(DataKeyError),
}

impl From<DbError> for StartupError {
    fn from(error: DbError) -> Self {
        match error {
            error @ (DbError::SchemaTooNew(_) | DbError::Migration(_)) => Self::Schema(error),
            error => Self::Database(error),
        }
    }
}

impl From<DataKeyError> for StartupError {
    fn from(error: DataKeyError) -> Self {
        match error {
            DataKeyError::Db(error) => error.into(),
            error @ (DataKeyError::MadeByDev | DataKeyError::NotMadeByDev(_)) => Self::Refused(error),
            error => Self::MasterKey(error),
        }
    }
}

/// Waits until the database answers and has this build's schema, and the master key opens it. What is in the way is logged
/// once, and again only if something else is. Fails where waiting does not help.
pub(crate) async fn open_installation(
    config: &Config,
    db: &Db,
    provider: &dyn MasterKeyProvider,
    purpose: InstallationUse,
    status: &StartupStatus,
) -> anyhow::Result<Keyring> {
    let mut logged = String::new();
    let mut wait = MIN_RETRY_WAIT;
    loop {
        let error = match try_open(config, db, provider, purpose).await {
            Ok(keyring) => return Ok(keyring),
            Err(StartupError::Refused(error)) => return Err(error.into()),
            Err(error) => error,
        };
        status.set(match &error {
            StartupError::MasterKey(_) => StartupState::MasterKeyRefused,
            _ => StartupState::WaitingForDatabase,
        });
        let error: &(dyn std::error::Error + 'static) = &error;
        let words = format!("{error}: {:?}", error.source().map(ToString::to_string));
        if words != logged {
            tracing::error!(error, "not started; trying again quietly");
            logged = words;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(MAX_RETRY_WAIT);
    }
}

/// The same for a process that nobody asks whether it is ready: waits for the database alone.
pub(crate) async fn open_installation_or_fail(
    config: &Config,
    db: &Db,
    provider: &dyn MasterKeyProvider,
    purpose: InstallationUse,
) -> anyhow::Result<Keyring> {
    let mut wait = MIN_RETRY_WAIT;
    loop {
        match try_open(config, db, provider, purpose).await {
            Err(StartupError::Database(error)) => {
                if wait == MIN_RETRY_WAIT {
                    let error: &(dyn std::error::Error + 'static) = &error;
                    tracing::error!(error, "the database is not ready; trying again quietly");
                }
            }
            Err(error @ StartupError::Clock(_)) => return Err(error.into()),
            Err(StartupError::MasterKey(error) | StartupError::Refused(error)) => return Err(error.into()),
            opened => return opened.context("nothing was started"),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(MAX_RETRY_WAIT);
    }
}

async fn try_open(
    config: &Config,
    db: &Db,
    provider: &dyn MasterKeyProvider,
    purpose: InstallationUse,
) -> Result<Keyring, StartupError> {
    db.migrate().await?;
    if let Some(offset) = too_large_clock_offset(db).await? {
        return Err(StartupError::Clock(offset));
    }
    Ok(config.keyring(db, provider, purpose).await?)
}

/// How far the clocks are apart, if that is too far.
async fn too_large_clock_offset(db: &Db) -> Result<Option<SignedDuration>, DbError> {
    let offset = db.clock_offset(&SystemEnvironment).await?;
    Ok(offset.filter(|offset| offset.abs() > MAX_CLOCK_OFFSET))
}

/// Watches what a process started with, until the database has a schema that this build cannot use.
pub(crate) struct InstallationWatch {
    db: Db,
    provider: Arc<dyn MasterKeyProvider>,
    holder: HolderRecord,
    last: Option<HeldKey>,
    clock_is_wrong: bool,
}

impl InstallationWatch {
    /// Records which master key this process has. `name` is what the process is, for people.
    pub(crate) async fn start(db: Db, provider: Arc<dyn MasterKeyProvider>, name: &str) -> Self {
        let host = rustix::system::uname();
        let name = format!("{name} on {}, process {}", host.nodename().to_string_lossy(), std::process::id());
        let holder = HolderRecord::new(&SystemEnvironment, name);
        let mut watch = Self { db, provider, holder, last: None, clock_is_wrong: false };
        watch.look_at_master_key().await;
        watch
    }

    /// Completes when this build can no longer use the database.
    pub(crate) async fn until_unusable(&mut self) {
        let mut tick = tokio::time::interval(HOLDER_INTERVAL.unsigned_abs());
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            match self.db.schema_status().await {
                Ok(status) if !status.is_usable() => {
                    tracing::error!(
                        schema = status.database,
                        build = status.build,
                        usable_from = status.usable_from,
                        "the schema of the database was changed, and this build cannot use it: interfaces and jobs are \
                         stopped; start the build that belongs to it"
                    );
                    return;
                }
                Ok(_) => {
                    self.look_at_master_key().await;
                    self.look_at_clock().await;
                }
                // `/readyz` says so.
                Err(_) => {}
            }
        }
    }

    /// Tells the other processes that this one is gone.
    pub(crate) async fn end(self) {
        if let Err(error) = self.holder.remove(&self.db).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "others will notice that this is gone");
        }
    }

    /// Logs once when the clock of this process has drifted away from the database's, and once when it is right again.
    async fn look_at_clock(&mut self) {
        let Ok(offset) = too_large_clock_offset(&self.db).await else { return };
        match offset {
            Some(offset) if !self.clock_is_wrong => tracing::error!(
                offset_seconds = offset.as_secs(),
                "the clock of this machine is off that of the database: set it, or jobs run twice; this process would not \
                 start again"
            ),
            None if self.clock_is_wrong => tracing::info!("the clock of this machine is right again"),
            _ => {}
        }
        self.clock_is_wrong = offset.is_some();
    }

    async fn look_at_master_key(&mut self) {
        let held = match self.holder.refresh(&self.db, &SystemEnvironment, &*self.provider).await {
            Ok(held) => held,
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the master key could not be compared"
                );
                return;
            }
        };
        if self.last.as_ref() == Some(&held) {
            return;
        }
        match &held {
            HeldKey::Current(key) => tracing::info!(master_key = key.as_str(), "the master key is current"),
            HeldKey::Retiring(key) => tracing::warn!(
                master_key = key.as_str(),
                "the master key was rotated: give this process the new one; see docs/RUNNING.md, Keys"
            ),
            HeldKey::Unusable(error) => {
                tracing::error!(error, "this process would not start again: its master key does not fit");
            }
        }
        self.last = Some(held);
    }
}
