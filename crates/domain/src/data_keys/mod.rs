//! The data key: what everything sealed or signed is derived from. The database has it wrapped under the master key, with
//! the fingerprint of that key, so a process with another master key, or with none, is told so before it seals anything.
//!
//! | Module | |
//! |---|---|
//! | [`rotation`] | another master key takes the place of the present one |
//! | [`holders`] | which master key each running process has |
//! | `samples` | whether a master key opens what an older database has sealed |

pub mod holders;
pub mod rotation;
mod samples;

use crate::{
    audit_trail,
    keyring::{KEY_BYTES, Keyring, take_secret},
    master_key::{KeyFingerprint, MasterKey, MasterKeyError, MasterKeyProvider},
    wire_enum::wire_enum,
};
use base::{Environment, OrgId, Secret, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

wire_enum! {
    /// What a master key is to a data key.
    pub enum DataKeyState {
        /// Wraps the data key.
        Current => "CURRENT",
        /// A former key that still opens it, until every process has the current one.
        Retiring => "RETIRING",
        /// A former key that opens it no more.
        Retired => "RETIRED",
    }
}

wire_enum! {
    /// Where a data key comes from.
    pub enum DataKeyOrigin {
        /// Random bytes.
        Random => "RANDOM",
        /// The master key of a database that is older than data keys: its bytes.
        MasterKey => "MASTER_KEY",
    }
}

/// How a process uses the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallationUse {
    /// As a server of development: `--dev`.
    Development,
    /// As a server.
    Production,
    /// As a tool.
    Tool,
}

/// Opens the keys of an installation.
#[derive(Debug)]
pub struct InstallationKeys<'a> {
    pub db: &'a Db,
    pub environment: &'a dyn Environment,
    pub provider: &'a dyn MasterKeyProvider,
    /// Files that tell that the data folder was used before, if there are any: no key is made beside them.
    pub used_folder: Option<String>,
    /// The organisation that an earlier version's `--dev` wrote down in the data folder.
    pub dev_organisation: Option<OrgId>,
}

/// A data key under one master key, as operators see it.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct DataKey {
    pub id: Uuid,
    /// The fingerprint of the master key.
    #[sqlx(try_from = "String")]
    pub master_key: KeyFingerprint,
    #[serde(skip)]
    wrapped: Option<Vec<u8>>,
    #[sqlx(try_from = "String")]
    pub origin: DataKeyOrigin,
    #[sqlx(try_from = "String")]
    pub state: DataKeyState,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    #[serde(serialize_with = "db::serialize_optional_timestamp", skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<DbTimestamp>,
}

/// Why the keys of an installation cannot be opened, or changed.
#[derive(Debug, thiserror::Error)]
pub enum DataKeyError {
    /// There is no master key where it should be.
    #[error(
        "there is no master key in {place}, and this database needs {expected}. A new key is never made for data that exists: \
         restore the key from your backup or copy it from another node, or name its place in [secrets]"
    )]
    Missing { place: String, expected: ExpectedKey },
    /// There is another master key.
    #[error(
        "{place} has master key {found}, and this database needs {expected}. Put the right key there or name its place in \
         [secrets], or name the database that belongs to this key; a former key file is kept as FILE.FINGERPRINT"
    )]
    Other { place: String, found: String, expected: ExpectedKey },
    /// There is a former master key.
    #[error(
        "{place} has master key {found}, which was retired on {retired_at}; this database needs {expected}. Copy the present \
         key from a node that has it"
    )]
    Retired { place: String, found: KeyFingerprint, retired_at: Timestamp, expected: ExpectedKey },
    /// The data folder has files of an installation whose key is missing.
    #[error(
        "there is no master key in {place}, and the data folder was used before: {files}. A new key is never made for data \
         that exists: restore the key from your backup, or name an empty folder with --data-dir"
    )]
    UsedFolder { place: String, files: String },
    /// A database that is older than data keys needs the bytes of its master key once.
    #[error(
        "this database was used before it had data keys, and {0} does not give its key away: start once with the former \
         settings of [secrets], then move to it with `assay keys rotate --new-config FILE`"
    )]
    TokenTooEarly(String),
    /// `--dev` on something else.
    #[error(
        "this {0} was not made by `assay serve --dev`. --dev opens calls to this machine and makes an administrator's key: \
         leave --dev out, or name an empty folder with --data-dir (and no database.url)"
    )]
    NotMadeByDev(&'static str),
    /// An installation of development without `--dev`.
    #[error(
        "this database was made by `assay serve --dev`, with an administrator's key in a file: start with --dev, or make a new \
         installation for production"
    )]
    MadeByDev,
    /// Another rotation is not over.
    #[error("master key {0} is still being retired: `assay keys list` shows which processes have it")]
    RotationUnderWay(KeyFingerprint),
    /// Another process changed the keys at the same time.
    #[error("another process changed the keys at the same time; look at `assay keys list` and try again")]
    Conflict,
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The master key that a database needs, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedKey {
    /// The key with this fingerprint.
    Known(KeyFingerprint),
    /// The key that opens what was sealed before fingerprints were stored.
    BeforeFingerprints,
}

impl std::fmt::Display for ExpectedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(fingerprint) => write!(f, "master key {fingerprint}"),
            Self::BeforeFingerprints => f.write_str("the master key that it was used with before"),
        }
    }
}

impl InstallationKeys<'_> {
    /// The keys. On an installation that was never used, the master key and the data key are made, and what it is for is
    /// recorded; processes that do so at the same moment agree.
    pub async fn open(&self, purpose: InstallationUse) -> Result<Keyring, DataKeyError> {
        loop {
            let stored = list(&mut self.db.read().await?).await?;
            if !stored.is_empty() {
                check_purpose(&mut self.db.read().await?, purpose).await?;
                return self.unwrap_stored(&stored);
            }
            if let Some(keyring) = self.establish(purpose).await? {
                return Ok(keyring);
            }
        }
    }

    /// Checks that the master key that is there is the one that the database needs. Makes and stores nothing, and says
    /// nothing of a database that has no data key yet.
    pub async fn check(&self) -> Result<(), DataKeyError> {
        let stored = list(&mut self.db.read().await?).await?;
        if stored.is_empty() { Ok(()) } else { self.unwrap_stored(&stored).map(drop) }
    }

    fn unwrap_stored(&self, stored: &[DataKey]) -> Result<Keyring, DataKeyError> {
        let keys = self.provider.load()?;
        let (key, row) = match_key(self.provider, &keys, stored)?;
        let wrapped = row.wrapped.as_deref().unwrap_or_default();
        Ok(Keyring::new(key.unwrap_key(&aad(row.id, &row.master_key), wrapped)?))
    }

    /// Makes the first data key. `None` if another process was faster.
    async fn establish(&self, purpose: InstallationUse) -> Result<Option<Keyring>, DataKeyError> {
        let mut tx = self.db.write().await?;
        self.claim(&mut tx, purpose).await?;
        if !list(&mut tx).await?.is_empty() {
            return Ok(None);
        }
        let samples = samples::list(&mut tx).await?;
        let keys = self.provider.load()?;
        let (master_key, data_key, origin) = if samples.is_empty() {
            let master_key = match keys.into_iter().next() {
                Some(key) => key,
                None => self.create_master_key()?,
            };
            (master_key, random_data_key(self.environment), DataKeyOrigin::Random)
        } else {
            let key = self.key_of_samples(&keys, &samples)?;
            let bytes =
                key.bytes().ok_or_else(|| DataKeyError::TokenTooEarly(self.provider.place()))?.clone();
            (key, bytes, DataKeyOrigin::MasterKey)
        };
        insert(&mut tx, self.environment, self.environment.uuid_v7(), &*master_key, &data_key, origin)
            .await?;
        let keyring = Keyring::new(data_key);
        audit_trail::sign_beginning(&mut tx, &keyring).await?;
        tx.commit().await?;
        let fingerprint = master_key.fingerprint().as_str();
        tracing::info!(master_key = fingerprint, origin = origin.as_str(), "the data key is recorded");
        Ok(Some(keyring))
    }

    fn create_master_key(&self) -> Result<Arc<dyn MasterKey>, DataKeyError> {
        if let Some(files) = &self.used_folder {
            return Err(DataKeyError::UsedFolder { place: self.provider.place(), files: files.clone() });
        }
        Ok(self.provider.create(self.environment)?)
    }

    /// The key that opens what an older database has sealed.
    fn key_of_samples(
        &self,
        keys: &[Arc<dyn MasterKey>],
        samples: &[samples::SealedSample],
    ) -> Result<Arc<dyn MasterKey>, DataKeyError> {
        let place = self.provider.place();
        let expected = ExpectedKey::BeforeFingerprints;
        if keys.is_empty() {
            return Err(DataKeyError::Missing { place, expected });
        }
        let with_bytes: Vec<_> = keys.iter().filter(|key| key.bytes().is_some()).collect();
        if with_bytes.is_empty() {
            return Err(DataKeyError::TokenTooEarly(place));
        }
        let right = with_bytes.into_iter().find(|key| samples::opens_any(&***key, samples));
        right.cloned().ok_or_else(|| DataKeyError::Other { place, found: fingerprints(keys), expected })
    }

    /// Takes the lock under which keys are made, and records what the installation is for.
    async fn claim(&self, tx: &mut WriteTx, purpose: InstallationUse) -> Result<(), DataKeyError> {
        let made_by_dev = self.is_made_by_dev(tx, purpose).await?;
        tx.execute(sql!(
            "INSERT INTO installation (id, dev, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING",
            made_by_dev,
            self.environment.now(),
        ))
        .await?;
        // Whoever comes at the same moment waits here until the first has committed.
        tx.execute(sql!("UPDATE installation SET id = id WHERE id = 1")).await?;
        check_purpose(tx, purpose).await
    }

    /// Whether an installation without a mark is one of development.
    async fn is_made_by_dev(&self, tx: &mut WriteTx, purpose: InstallationUse) -> Result<bool, DataKeyError> {
        #[derive(FromRow)]
        struct OrganisationRow {
            id: OrgId,
        }
        let organisations: Vec<OrganisationRow> =
            tx.fetch_all(sql!("SELECT id FROM organisations ORDER BY created_at LIMIT 2")).await?;
        // One that an earlier version made has its demo organisation, and no other.
        if let [only] = organisations.as_slice()
            && Some(only.id) == self.dev_organisation
        {
            return Ok(true);
        }
        if purpose != InstallationUse::Development || is_marked(tx).await? {
            return Ok(false);
        }
        if !organisations.is_empty() || !samples::list(tx).await?.is_empty() {
            return Err(DataKeyError::NotMadeByDev("database"));
        }
        if self.used_folder.is_some() {
            return Err(DataKeyError::NotMadeByDev("data folder"));
        }
        Ok(true)
    }
}

#[derive(FromRow)]
struct InstallationRow {
    dev: bool,
}

async fn load_mark(view: &mut ReadTx) -> Result<Option<InstallationRow>, DbError> {
    view.fetch_optional(sql!("SELECT dev FROM installation WHERE id = 1")).await
}

async fn is_marked(view: &mut ReadTx) -> Result<bool, DbError> {
    Ok(load_mark(view).await?.is_some())
}

/// Whether `assay serve --dev` made the installation; `None` if it was never used.
pub async fn made_by_dev(view: &mut ReadTx) -> Result<Option<bool>, DbError> {
    Ok(load_mark(view).await?.map(|row| row.dev))
}

/// Refuses a server of development elsewhere, and an installation of development in production.
async fn check_purpose(view: &mut ReadTx, purpose: InstallationUse) -> Result<(), DataKeyError> {
    match (made_by_dev(view).await?, purpose) {
        (Some(false), InstallationUse::Development) => Err(DataKeyError::NotMadeByDev("database")),
        (Some(true), InstallationUse::Production) => Err(DataKeyError::MadeByDev),
        _ => Ok(()),
    }
}

/// The data keys, the current one first.
pub async fn list(view: &mut ReadTx) -> Result<Vec<DataKey>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, master_key, wrapped, origin, state, created_at, retired_at FROM data_keys
          ORDER BY CASE WHEN state = 'CURRENT' THEN 0 ELSE 1 END, created_at DESC, master_key LIMIT 64"
    ))
    .await
}

/// The master key that opens a data key, and the row that it opens: the current one before a former one.
fn match_key<'a>(
    provider: &dyn MasterKeyProvider,
    keys: &'a [Arc<dyn MasterKey>],
    stored: &'a [DataKey],
) -> Result<(&'a dyn MasterKey, &'a DataKey), DataKeyError> {
    let of = |row: &DataKey| keys.iter().find(|key| *key.fingerprint() == row.master_key);
    let mut opens = stored.iter().filter(|row| row.state != DataKeyState::Retired);
    if let Some((key, row)) = opens.find_map(|row| of(row).map(|key| (&**key, row))) {
        return Ok((key, row));
    }
    let place = provider.place();
    let current = stored.iter().find(|row| row.state == DataKeyState::Current);
    let expected =
        current.map_or(ExpectedKey::BeforeFingerprints, |row| ExpectedKey::Known(row.master_key.clone()));
    if keys.is_empty() {
        return Err(DataKeyError::Missing { place, expected });
    }
    let retired =
        stored.iter().find_map(|row| Some((row, row.retired_at?)).filter(|(row, _)| of(row).is_some()));
    Err(match retired {
        Some((row, retired_at)) => {
            DataKeyError::Retired { place, found: row.master_key.clone(), retired_at: retired_at.0, expected }
        }
        None => DataKeyError::Other { place, found: fingerprints(keys), expected },
    })
}

fn fingerprints(keys: &[Arc<dyn MasterKey>]) -> String {
    keys.iter().map(|key| key.fingerprint().as_str()).collect::<Vec<_>>().join(", ")
}

/// Stores a data key under its current master key.
async fn insert(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    id: Uuid,
    master_key: &dyn MasterKey,
    data_key: &Secret<[u8; KEY_BYTES]>,
    origin: DataKeyOrigin,
) -> Result<(), DataKeyError> {
    let fingerprint = master_key.fingerprint();
    let wrapped = master_key.wrap_key(environment, &aad(id, fingerprint), data_key)?;
    tx.execute(sql!(
        "INSERT INTO data_keys (id, master_key, wrapped, origin, state, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        fingerprint.as_str().to_owned(),
        wrapped,
        origin,
        DataKeyState::Current,
        environment.now(),
    ))
    .await?;
    Ok(())
}

fn random_data_key(environment: &dyn Environment) -> Secret<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    environment.fill_random(&mut key);
    take_secret(&mut key)
}

fn aad(id: Uuid, master_key: &KeyFingerprint) -> Vec<u8> {
    format!("data key {id} under master key {master_key}").into_bytes()
}

#[cfg(test)]
mod tests;
