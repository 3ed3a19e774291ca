//! Another master key takes the place of the present one. The data key stays; it is wrapped under the new key as well, and
//! the former key opens it until every running process has the new one.
//!
//! 1. The new key is made beside the present one ([`MasterKeyProvider::prepare_next`]).
//! 2. One transaction wraps the data key under it, makes it the current one and the former RETIRING, and queues
//!    [`RetireMasterKey`].
//! 3. The new key takes its place ([`MasterKeyProvider::adopt_next`]), on this node by the command, on others by the
//!    operator.
//! 4. The job retires the former key once no process needs it: its copy of the data key is deleted.
//!
//! A process that dies anywhere has left keys that open the data; the command, called again, goes on.

use super::{
    DataKey, DataKeyError, DataKeyState, aad,
    holders::{HOLDER_INTERVAL, MasterKeyHolder, list_holders},
    list, match_key,
};
use crate::{
    audit_trail::AuditTrail,
    keyring::Keyring,
    master_key::{KeyAdoption, KeyFingerprint, MasterKey, MasterKeyProvider, NextKeyRequest},
};
use base::Environment;
use db::{AuditEvent, Db, DbError, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, NewJob, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::{path::Path, sync::Arc};

/// Retires a former master key when no process needs it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetireMasterKey {}

impl Job for RetireMasterKey {
    const KIND: &'static str = "retire-master-key";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl RetireMasterKey {
    /// Looks whether a process still has the former key.
    pub async fn run(self, db: &Db, environment: &dyn Environment) -> Result<JobOutcome, JobError> {
        Ok(match retire_former(db, environment).await? {
            RetirementProgress::Waiting { .. } => JobOutcome::Again(environment.now() + HOLDER_INTERVAL),
            RetirementProgress::Retired(_) | RetirementProgress::NothingToDo => JobOutcome::Done,
        })
    }
}

/// How far a former master key is retired.
#[derive(Clone, Debug)]
pub enum RetirementProgress {
    /// There is no former key that opens anything.
    NothingToDo,
    /// These processes would start with another than the current key.
    Waiting { former: KeyFingerprint, holders: Vec<MasterKeyHolder> },
    /// This key opens nothing any more.
    Retired(KeyFingerprint),
}

/// What a rotation came to.
#[derive(Debug)]
pub struct RotationOutcome {
    pub former: KeyFingerprint,
    pub current: KeyFingerprint,
    /// Whether an earlier call had begun it.
    pub resumed: bool,
    pub adoption: KeyAdoption,
    pub progress: RetirementProgress,
    /// Whether the data key is the former master key of a database that is older than data keys.
    pub data_key_is_old_master_key: bool,
}

/// Rotates the master key. `present` is where it is, `next` where the new one is to be, which may be the same place.
#[derive(Debug)]
pub struct MasterKeyRotation<'a> {
    pub db: &'a Db,
    pub environment: Arc<dyn Environment>,
    pub present: &'a dyn MasterKeyProvider,
    pub next: &'a dyn MasterKeyProvider,
    /// A file with the new key, if the operator made it.
    pub new_key_file: Option<&'a Path>,
}

impl MasterKeyRotation<'_> {
    /// Begins a rotation, or goes on with one that was interrupted.
    pub async fn run(&self) -> Result<RotationOutcome, DataKeyError> {
        let stored = list(&mut self.db.read().await?).await?;
        let retiring = stored.iter().find(|row| row.state == DataKeyState::Retiring);
        let (former, current, origin, resumed) = if let Some(row) = retiring {
            let current = self.resume(&stored, row)?;
            let mut tx = self.db.write().await?;
            schedule_retirement(&mut tx, &*self.environment).await?;
            tx.commit().await?;
            (row.master_key.clone(), current, row.origin, true)
        } else {
            let keys = self.present.load()?;
            let (key, row) = match_key(self.present, &keys, &stored)?;
            let next = self.begin(key, row, &stored).await?;
            (row.master_key.clone(), next.fingerprint().clone(), row.origin, false)
        };
        let adoption = self.next.adopt_next(&former, &current)?;
        let progress = retire_former(self.db, &*self.environment).await?;
        let data_key_is_old_master_key = origin == super::DataKeyOrigin::MasterKey;
        Ok(RotationOutcome { former, current, resumed, adoption, progress, data_key_is_old_master_key })
    }

    /// The current key of a rotation that was interrupted. A new key that the operator names must be that one.
    fn resume(&self, stored: &[DataKey], retiring: &DataKey) -> Result<KeyFingerprint, DataKeyError> {
        let current = stored.iter().find(|row| row.state == DataKeyState::Current);
        let current = current.ok_or(DataKeyError::Conflict)?.master_key.clone();
        if let Some(file) = self.new_key_file {
            let given = crate::master_key::FileProvider::new(file.to_owned()).load()?;
            if !given.iter().any(|key| *key.fingerprint() == current) {
                return Err(DataKeyError::RotationUnderWay(retiring.master_key.clone()));
            }
        }
        Ok(current)
    }

    /// Makes the new key and wraps the data key under it.
    async fn begin(
        &self,
        former: &dyn MasterKey,
        row: &DataKey,
        stored: &[DataKey],
    ) -> Result<Arc<dyn MasterKey>, DataKeyError> {
        if row.state != DataKeyState::Current {
            return Err(DataKeyError::Conflict);
        }
        let wrapped = row.wrapped.as_deref().unwrap_or_default();
        let data_key = former.unwrap_key(&aad(row.id, &row.master_key), wrapped)?;
        let known: Vec<_> = stored.iter().map(|row| row.master_key.clone()).collect();
        let request = NextKeyRequest { file: self.new_key_file, former: &row.master_key, known: &known };
        let next = self.next.prepare_next(&*self.environment, &request)?;

        // The trail is signed with a key from the data key, which stays.
        let trail = AuditTrail::new(&Keyring::new(data_key.clone()), self.environment.clone());
        let mut tx = self.db.clone().with_recorder(Arc::new(trail)).write().await?;
        let rows = tx
            .execute(sql!(
                "UPDATE data_keys SET state = 'RETIRING' WHERE id = $1 AND master_key = $2 AND state = 'CURRENT'",
                row.id,
                row.master_key.as_str().to_owned(),
            ))
            .await?;
        if rows != 1 {
            return Err(DataKeyError::Conflict);
        }
        super::insert(&mut tx, &*self.environment, row.id, &*next, &data_key, row.origin).await?;
        jobs::enqueue(&mut tx, NewJob::new(&*self.environment, &RetireMasterKey {}).recurring()).await?;
        let rotated = AuditEvent::new("master-key.rotate").target(next.fingerprint());
        tx.audit(rotated.detail("former", row.master_key.as_str()));
        tx.commit().await?;
        Ok(next)
    }
}

/// Queues [`RetireMasterKey`] where a rotation is not over and it is not queued: an earlier build could give it up. Every process
/// calls this when it starts.
pub async fn schedule_retirement(tx: &mut WriteTx, environment: &dyn Environment) -> Result<(), DbError> {
    if list(tx).await?.iter().any(|row| row.state == DataKeyState::Retiring) {
        jobs::enqueue(tx, NewJob::new(environment, &RetireMasterKey {}).recurring()).await?;
    }
    Ok(())
}

/// Retires the former master key if every running process would start with the current one.
pub async fn retire_former(db: &Db, environment: &dyn Environment) -> Result<RetirementProgress, DbError> {
    let mut tx = db.write().await?;
    let stored = list(&mut tx).await?;
    let in_state = |state| stored.iter().find(|row| row.state == state);
    let (Some(former), Some(current)) = (in_state(DataKeyState::Retiring), in_state(DataKeyState::Current))
    else {
        return Ok(RetirementProgress::NothingToDo);
    };
    let former = former.master_key.clone();
    let mut holders = list_holders(&mut tx, environment).await?;
    holders.retain(|holder| holder.master_key.as_deref() != Some(current.master_key.as_str()));
    if !holders.is_empty() {
        return Ok(RetirementProgress::Waiting { former, holders });
    }
    tx.execute(sql!(
        "UPDATE data_keys SET state = 'RETIRED', wrapped = NULL, retired_at = $1 WHERE state = 'RETIRING'",
        environment.now(),
    ))
    .await?;
    tx.commit().await?;
    tracing::info!(
        master_key = former.as_str(),
        current = current.master_key.as_str(),
        "a former master key is retired"
    );
    Ok(RetirementProgress::Retired(former))
}
