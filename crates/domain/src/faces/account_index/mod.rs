//! The indexes of accounts: one for each account, in a folder of its own on this machine. They are caches of the database;
//! every process keeps its own up to date.
//!
//! `cache` keeps some of them open, `catch_up` brings one up to date, `files` opens their files.

mod cache;
mod catch_up;
mod files;

pub(super) use catch_up::AccountIndex;
pub(super) use files::run_blocking;

use super::{
    FaceIndexError, FaceIndexStorage, embedding_vault::EmbeddingVault, face_model::FaceModel,
    tombstones::REMOVAL_RETENTION,
};
use crate::{accounts, fair_slots::FairSlots};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{AccountId, Secret, SignedDuration, Timestamp, Uuid};
use cache::{IndexCache, IndexSlot};
use db::{Db, FromRow, sql};
use files::{delete_idle_files, file_names, is_first_file, open_index_file, read_face_ids};
use std::{collections::HashSet, path::PathBuf, sync::Arc, time::SystemTime};
use tracing::Instrument as _;

/// Indexes that are compared with all of an account's rows at once: few of the connections that a process has to its database.
const CONCURRENT_REBUILDS: usize = 2;

/// How far the clocks of machines and file systems may be apart.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(10);

/// The indexes of this process.
#[derive(Debug)]
pub(super) struct AccountIndexes {
    db: Db,
    embeddings: EmbeddingVault,
    model: Arc<FaceModel>,
    /// The folder that has a folder for each account.
    folder: PathBuf,
    /// The key that the keys of the indexes are derived from.
    key: Secret<[u8; 32]>,
    cache: IndexCache,
    rebuilds: FairSlots,
}

struct HkdfLength32;
impl KeyType for HkdfLength32 {
    fn len(&self) -> usize {
        32
    }
}

impl AccountIndexes {
    /// Nothing is opened yet.
    pub(super) fn new(
        db: Db,
        embeddings: EmbeddingVault,
        model: Arc<FaceModel>,
        storage: FaceIndexStorage,
        open_indexes: usize,
    ) -> Self {
        Self {
            db,
            embeddings,
            model,
            folder: storage.folder,
            key: storage.key,
            cache: IndexCache::new(open_indexes.max(1)),
            rebuilds: FairSlots::new(CONCURRENT_REBUILDS),
        }
    }

    /// The index of an account, open and up to date.
    pub(super) async fn get(&self, account: AccountId) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let slot = if let Some(slot) = self.cache.open_slot(account) {
            slot
        } else {
            let app = accounts::application_of(&mut self.db.read().await?, account).await?;
            self.cache.slot(account, app)
        };
        let index = match slot.get() {
            Some(index) => index.clone(),
            None => self.open(account, slot).await?,
        };
        index.catch_up(&self.db, &self.embeddings, &self.rebuilds).await?;
        Ok(index)
    }

    /// Whether the index of an account is open, or being opened.
    pub(super) fn is_open(&self, account: AccountId) -> bool {
        self.cache.contains(account)
    }

    /// Opens the index of an account in its slot, also if the caller gives up meanwhile: the file would be opened to the end
    /// all the same, and whoever comes next would find it in use and build a second one from nothing.
    async fn open(&self, account: AccountId, slot: IndexSlot) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let (model, folder, key) =
            (self.model.clone(), self.account_folder(account), self.index_key(account));
        let opening = async move {
            let open = async {
                let space = model.space().await?;
                let space = search::IndexSpace { model: space.sha256, dimension: space.dimension };
                let faces = run_blocking(move || open_index_file(&folder, &space, &key)).await?;
                Ok(Arc::new(AccountIndex::new(account, space.model, faces)))
            };
            slot.get_or_try_init(|| open).await.cloned()
        };
        tokio::spawn(opening.in_current_span()).await.map_err(std::io::Error::from)?
    }

    fn account_folder(&self, account: AccountId) -> PathBuf {
        self.folder.join(account.to_string())
    }

    fn index_key(&self, account: AccountId) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/faces/1")
            .extract(self.key.expose())
            .expand(&[Uuid::from(account).as_bytes()], HkdfLength32)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }

    /// Brings every open index up to date and writes it to disk, deletes the folders of deleted accounts, and files that
    /// no process has open and that may contain removed faces. For processes that nobody sends searches to. Returns how
    /// many folders were deleted.
    pub(super) async fn maintain(&self) -> Result<u64, FaceIndexError> {
        for account in self.cache.accounts() {
            if self.account_exists(account).await? {
                let index = self.get(account).await?;
                run_blocking(move || Ok(index.faces.sync()?)).await?;
            }
        }
        let mut deleted = 0;
        for name in self.folders().await? {
            let Ok(account) = name.parse() else { continue };
            if self.account_exists(account).await? {
                self.delete_idle_files(account).await?;
            } else {
                self.erase(account).await?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    /// Deletes files that no process has open and that may contain faces that were removed since: they were left by a
    /// process that has ended. Of several such files all but the first are of no use to anybody and go in any case.
    pub(super) async fn delete_idle_files(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        let last_removal = self.last_removal(account).await?;
        let now = self.embeddings.environment.now();
        let folder = self.account_folder(account);
        run_blocking(move || {
            let is_current = |changed: SystemTime| {
                // Whoever deleted a face may have another clock than this file system.
                let changed = Timestamp::try_from(changed).unwrap_or(Timestamp::MIN);
                // Older removals are forgotten.
                let known_since = now - REMOVAL_RETENTION + CLOCK_TOLERANCE;
                changed > known_since
                    && last_removal.is_none_or(|removal| removal + CLOCK_TOLERANCE < changed)
            };
            delete_idle_files(&folder, |name, changed| is_first_file(name) && is_current(changed))
        })
        .await
    }

    /// How many records of each account's files, whichever process has them open, are of faces that have no row.
    pub(super) async fn count_removed_faces(&self) -> Result<Vec<(AccountId, u64)>, FaceIndexError> {
        let mut found = Vec::new();
        for name in self.folders().await? {
            let Ok(account) = name.parse() else { continue };
            if !self.account_exists(account).await? {
                continue;
            }
            let folder = self.account_folder(account);
            let indexed = run_blocking(move || read_face_ids(&folder)).await?;
            let known = self.face_ids(account).await?;
            let removed = indexed.iter().filter(|face| !known.contains(face)).count() as u64;
            if removed > 0 {
                found.push((account, removed));
            }
        }
        Ok(found)
    }

    /// The ids of all faces that an account has rows of.
    async fn face_ids(&self, account: AccountId) -> Result<HashSet<Uuid>, FaceIndexError> {
        #[derive(FromRow)]
        struct FaceIdRow {
            id: Uuid,
        }
        let (mut ids, mut after) = (HashSet::new(), Uuid::nil());
        let mut view = self.db.read().await?;
        loop {
            let rows: Vec<FaceIdRow> = view
                .fetch_all(sql!(
                    "SELECT id FROM faces WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT 10000",
                    account,
                    after,
                ))
                .await?;
            let Some(last) = rows.last() else { return Ok(ids) };
            after = last.id;
            ids.extend(rows.into_iter().map(|row| row.id));
        }
    }

    /// When a face of an account was last removed from the indexes, as far as it is remembered.
    async fn last_removal(&self, account: AccountId) -> Result<Option<Timestamp>, FaceIndexError> {
        #[derive(FromRow)]
        struct LastRemovalRow {
            #[sqlx(try_from = "db::DbTimestamp")]
            removed_at: Timestamp,
        }
        let row: Option<LastRemovalRow> = self
            .db
            .read_once()
            .await?
            .fetch_optional(sql!(
                "SELECT removed_at FROM face_removals WHERE account_id = $1 ORDER BY seq DESC LIMIT 1",
                account,
            ))
            .await?;
        Ok(row.map(|row| row.removed_at))
    }

    async fn account_exists(&self, account: AccountId) -> Result<bool, FaceIndexError> {
        let mut view = self.db.read_once().await?;
        Ok(view.count(sql!("SELECT count(*) FROM accounts WHERE id = $1", account)).await? == 1)
    }

    /// How many files an account's indexes have on this machine: two each.
    pub(super) async fn count_files(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        let folder = self.account_folder(account);
        run_blocking(move || Ok(file_names(&folder)?.len() as u64)).await
    }

    /// The names of the accounts' folders: their ids.
    pub(super) async fn folders(&self) -> Result<Vec<String>, FaceIndexError> {
        let folder = self.folder.clone();
        run_blocking(move || file_names(&folder)).await
    }

    /// Deletes the indexes of an account on this machine; returns how many files there were.
    pub(super) async fn erase(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        self.cache.remove(account);
        let folder = self.account_folder(account);
        run_blocking(move || {
            let files = file_names(&folder)?.len() as u64;
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(files),
            }
        })
        .await
    }
}
