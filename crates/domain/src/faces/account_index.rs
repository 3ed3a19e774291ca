//! The index of one account's faces, kept in step with the database.
//!
//! Each change of an account's faces has a number (`face_accounts.seq`), which its rows carry. A search first asks for the
//! account's last number; where the index is behind, it takes in what came after. So a change that any node committed is
//! seen by every search that begins afterwards. What an index missed while it was closed is found by comparing ids.

use super::{FaceIndexError, FaceIndexService, current_seq, enrolment, negative_labels::NegativeLabels};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{AccountId, FaceId, ProfileId, Secret, SignedDuration, Timestamp, Uuid};
use db::{FromRow, ReadTx, sql};
use search::{FaceEntry, FaceIndex, IndexError};
use std::{
    collections::HashSet,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

/// Removals are forgotten after a week; an index that was not looked at for this long is compared as a whole.
const MAX_UNCHECKED_AGE: SignedDuration = SignedDuration::from_hours(6 * 24);
/// Rows read at once.
const ROWS_PER_READ: i64 = 1000;
/// Processes that may share a folder, each with files of its own.
const MAX_PROCESSES_PER_FOLDER: usize = 16;

/// An open index.
pub(super) struct AccountIndex {
    pub(super) index: FaceIndex,
    pub(super) labels: RwLock<NegativeLabels>,
    account: AccountId,
    model: [u8; 32],
    /// The last change that is in it, as far as this process knows; -1 before it was compared.
    seq: AtomicI64,
    checked_at: Mutex<Timestamp>,
    catch_up_lock: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for AccountIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gallery({}, {} faces)", self.account, self.index.len())
    }
}

#[derive(FromRow)]
struct FaceRow {
    id: FaceId,
    profile_id: ProfileId,
    embedding: Vec<u8>,
    seq: i64,
}

#[derive(FromRow)]
struct FaceSeqRow {
    id: FaceId,
    seq: i64,
}

#[derive(FromRow)]
struct RemovedFaceRow {
    face_id: FaceId,
}

struct HkdfLength32;
impl KeyType for HkdfLength32 {
    fn len(&self) -> usize {
        32
    }
}

impl FaceIndexService {
    /// The index of an account, open and up to date.
    pub(super) async fn account_index(
        &self,
        account: AccountId,
    ) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let place = self.0.index_cache.slot(account);
        let gallery = place.get_or_try_init(|| self.open_account_index(account)).await?.clone();
        self.catch_up(&gallery).await?;
        Ok(gallery)
    }

    async fn open_account_index(&self, account: AccountId) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let space = self.space().await?;
        let space = search::IndexSpace { model: space.sha256, dimension: space.dimension };
        let folder = self.0.storage.folder.join(account.to_string());
        let key = self.index_key(account);
        let index = run_blocking(move || open_index_file(&folder, &space, &key)).await?;
        Ok(Arc::new(AccountIndex {
            index,
            labels: RwLock::default(),
            account,
            model: space.model,
            seq: AtomicI64::new(-1),
            checked_at: Mutex::new(Timestamp::MIN),
            catch_up_lock: tokio::sync::Mutex::default(),
        }))
    }

    fn index_key(&self, account: AccountId) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/faces/1")
            .extract(self.0.storage.key.expose())
            .expand(&[Uuid::from(account).as_bytes()], HkdfLength32)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }

    async fn catch_up(&self, gallery: &Arc<AccountIndex>) -> Result<(), FaceIndexError> {
        let (now, last) =
            (self.0.world.now(), current_seq(&mut self.0.db.read().await?, gallery.account).await?);
        if gallery.seq.load(Ordering::Acquire) == last {
            gallery.mark_checked(now);
            return Ok(());
        }
        let _alone = gallery.catch_up_lock.lock().await;
        let known = gallery.seq.load(Ordering::Acquire);
        let mut view = self.0.db.read().await?;
        // Rows of later changes may be read as well; they are read again then.
        let last = current_seq(&mut view, gallery.account).await?;
        if known == last {
            return Ok(());
        }
        if known < 0 || known > last || !gallery.is_fresh(now) {
            self.reconcile(&mut view, gallery, last).await?;
        } else {
            self.apply_changes(&mut view, gallery, known).await?;
        }
        let labels =
            self.negative_labels_since(&mut view, gallery.account, &gallery.model, known.max(0)).await?;
        gallery.labels.write().unwrap_or_else(PoisonError::into_inner).extend(labels);
        gallery.index.record_seq(last)?;
        gallery.seq.store(last, Ordering::Release);
        gallery.mark_checked(now);
        Ok(())
    }

    /// Takes in what came after a change: first what went, then what came, because rows that are there are the truth.
    async fn apply_changes(
        &self,
        view: &mut ReadTx,
        gallery: &Arc<AccountIndex>,
        since: i64,
    ) -> Result<(), FaceIndexError> {
        let removed: Vec<RemovedFaceRow> = view
            .fetch_all(sql!(
                "SELECT face_id FROM face_removals WHERE account_id = $1 AND seq > $2",
                gallery.account,
                since,
            ))
            .await?;
        gallery.remove(removed.into_iter().map(|row| row.face_id.into()).collect()).await?;
        let (mut seq, mut id) = (since, Uuid::max());
        loop {
            let rows: Vec<FaceRow> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.profile_id, f.embedding, f.seq FROM faces f JOIN profiles p ON p.id = f.profile_id
                      WHERE f.account_id = $1 AND f.seq >= $2 AND (f.seq > $2 OR f.id > $3)
                        AND f.model = $4 AND p.kind = 1 AND p.active
                      ORDER BY f.seq, f.id LIMIT $5",
                    gallery.account,
                    seq,
                    id,
                    gallery.model.to_vec(),
                    ROWS_PER_READ,
                ))
                .await?;
            let Some(end) = rows.last() else { return Ok(()) };
            (seq, id) = (end.seq, end.id.into());
            self.index_faces(gallery, rows).await?;
        }
    }

    /// Compares the index with the database, id by id.
    async fn reconcile(
        &self,
        view: &mut ReadTx,
        gallery: &Arc<AccountIndex>,
        last: i64,
    ) -> Result<(), FaceIndexError> {
        let noted = gallery.index.seq();
        // An index that is ahead of the database was of another past: nothing in it is believed.
        let noted = if noted > last { i64::MIN } else { noted };
        let mut extra: HashSet<Uuid> = gallery.index.face_ids().into_iter().collect();
        let (mut wanted, mut after) = (Vec::new(), Uuid::nil());
        loop {
            let rows: Vec<FaceSeqRow> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.seq FROM faces f JOIN profiles p ON p.id = f.profile_id
                      WHERE f.account_id = $1 AND f.model = $2 AND f.id > $3 AND p.kind = 1 AND p.active
                      ORDER BY f.id LIMIT $4",
                    gallery.account,
                    gallery.model.to_vec(),
                    after,
                    10 * ROWS_PER_READ,
                ))
                .await?;
            let Some(end) = rows.last() else { break };
            after = end.id.into();
            for row in rows {
                let there = extra.remove(&row.id.into());
                if !there || row.seq > noted {
                    wanted.push(row.id);
                }
            }
        }
        if !(extra.is_empty() && wanted.is_empty()) {
            tracing::info!(
                account.id = %gallery.account,
                "an index of faces is repaired: {} come, {} go",
                wanted.len(),
                extra.len()
            );
        }
        gallery.remove(extra.into_iter().collect()).await?;
        for ids in wanted.chunks(ROWS_PER_READ as usize) {
            let rows: Vec<FaceRow> = view
                .fetch_all(sql!(
                    sqlite: "SELECT id, profile_id, embedding, seq FROM faces
                              WHERE account_id = $1 AND model = $2
                                AND id IN (SELECT unhex(value) FROM json_each($3))",
                    postgres: "SELECT id, profile_id, embedding, seq FROM faces
                                WHERE account_id = $1 AND model = $2
                                  AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($3))",
                    gallery.account,
                    gallery.model.to_vec(),
                    super::ids_json(ids),
                ))
                .await?;
            self.index_faces(gallery, rows).await?;
        }
        Ok(())
    }

    async fn index_faces(
        &self,
        gallery: &Arc<AccountIndex>,
        rows: Vec<FaceRow>,
    ) -> Result<(), FaceIndexError> {
        let mut faces = Vec::with_capacity(rows.len());
        for row in rows {
            match self.open_embedding(&enrolment::aad(row.profile_id, row.id), &row.embedding) {
                Ok(vector) => faces.push((Uuid::from(row.id), Uuid::from(row.profile_id), vector)),
                // One lost face must not hide the others.
                Err(error) => tracing::error!(face.id = %row.id, "a face cannot be indexed: {error}"),
            }
        }
        let gallery = gallery.clone();
        run_blocking(move || {
            let entries: Vec<_> = faces
                .iter()
                .map(|(face, person, vector)| FaceEntry { face: *face, person: *person, vector })
                .collect();
            Ok(gallery.index.put(&entries)?)
        })
        .await
    }

    /// Brings every open index up to date and to the disk, and removes the folders of accounts that are gone: for
    /// processes that nobody asks anything. How many folders went.
    pub async fn maintain_indexes(&self) -> Result<u64, FaceIndexError> {
        for account in self.0.index_cache.accounts() {
            let known = self.account_exists(account).await?;
            if known {
                let gallery = self.account_index(account).await?;
                run_blocking(move || Ok(gallery.index.sync()?)).await?;
            }
        }
        let mut gone = 0;
        for name in self.index_folders().await? {
            let Ok(account) = name.parse() else { continue };
            if !self.account_exists(account).await? {
                self.erase_indexes(account).await?;
                gone += 1;
            }
        }
        Ok(gone)
    }

    async fn account_exists(&self, account: AccountId) -> Result<bool, FaceIndexError> {
        let mut view = self.0.db.read().await?;
        Ok(view.count(sql!("SELECT count(*) FROM accounts WHERE id = $1", account)).await? == 1)
    }

    /// How many index files an account has on this machine.
    pub(super) async fn count_index_files(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        let folder = self.0.storage.folder.join(account.to_string());
        run_blocking(move || Ok(file_names(&folder)?.len() as u64)).await
    }

    /// The names of the folders, each of which is an account's id.
    pub(super) async fn index_folders(&self) -> Result<Vec<String>, FaceIndexError> {
        let folder = self.0.storage.folder.clone();
        run_blocking(move || file_names(&folder)).await
    }

    /// Deletes an account's indexes of this machine; rows go by [`forget`](super::forget). How many files there were.
    pub async fn erase_indexes(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        self.0.index_cache.remove(account);
        let folder = self.0.storage.folder.join(account.to_string());
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

impl AccountIndex {
    fn mark_checked(&self, now: Timestamp) {
        *self.checked_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        let looked_at = *self.checked_at.lock().unwrap_or_else(PoisonError::into_inner);
        looked_at.checked_add(MAX_UNCHECKED_AGE).is_ok_and(|until| now < until)
    }

    async fn remove(self: &Arc<Self>, faces: Vec<Uuid>) -> Result<(), FaceIndexError> {
        if faces.is_empty() {
            return Ok(());
        }
        let gallery = self.clone();
        run_blocking(move || {
            gallery.index.remove(&faces)?;
            // What was deleted must not come back after a power cut.
            Ok(gallery.index.sync()?)
        })
        .await
    }
}

/// Opens the file of a model, making it where there is none, or where what is there is none of ours. Files of other models
/// go: their rows do too.
fn open_index_file(
    folder: &Path,
    space: &search::IndexSpace,
    key: &Secret<[u8; 32]>,
) -> Result<FaceIndex, FaceIndexError> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let prefix = hex::encode(&space.model[..8]);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let of_this =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&prefix));
        if !of_this {
            std::fs::remove_file(path)?;
        }
    }
    for seat in 0..MAX_PROCESSES_PER_FOLDER {
        let name = if seat == 0 { format!("{prefix}.idx") } else { format!("{prefix}.{seat}.idx") };
        let path = folder.join(name);
        match FaceIndex::open(&path, space, key) {
            // Another process of this machine has it.
            Err(IndexError::InUse) => {}
            Err(error @ (IndexError::NotAnIndex | IndexError::KeyMismatch | IndexError::SpaceMismatch)) => {
                tracing::warn!("an index of faces is made anew: {error}");
                std::fs::remove_file(&path)?;
                return Ok(FaceIndex::open(&path, space, key)?);
            }
            other => return Ok(other?),
        }
    }
    Err(IndexError::InUse.into())
}

/// What is in a folder; nothing where there is none.
fn file_names(folder: &Path) -> Result<Vec<String>, FaceIndexError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Does work that reads files or takes long, off the threads that answer.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FaceIndexError> + Send + 'static,
) -> Result<T, FaceIndexError> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}
