//! The index of one account's faces, kept in step with the database.
//!
//! Each change of an account's faces has a number (`face_accounts.seq`), which its rows carry. A search first asks for the
//! account's last number; where the index is behind, it takes in what came after. So a change that any node committed is
//! seen by every search that begins afterwards. What an index missed while it was closed is found by comparing ids.

use super::{Faces, FacesError, enrol, labels::Labels, last_change};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{AccountId, FaceId, ProfileId, Secret, SignedDuration, Timestamp, Uuid};
use db::{FromRow, Read, sql};
use search::{Entry, Index, IndexError};
use std::{
    collections::HashSet,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

/// Removals are forgotten after a week; an index that was not looked at for this long is compared as a whole.
const TRUSTED: SignedDuration = SignedDuration::from_hours(6 * 24);
/// Rows read at once.
const ROUND: i64 = 1000;
/// Processes that may share a folder, each with files of its own.
const SEATS: usize = 16;

/// An open index.
pub(super) struct Gallery {
    pub(super) index: Index,
    pub(super) labels: RwLock<Labels>,
    account: AccountId,
    model: [u8; 32],
    /// The last change that is in it, as far as this process knows; -1 before it was compared.
    seq: AtomicI64,
    looked_at: Mutex<Timestamp>,
    catching_up: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for Gallery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gallery({}, {} faces)", self.account, self.index.len())
    }
}

#[derive(FromRow)]
struct Row {
    id: FaceId,
    profile_id: ProfileId,
    embedding: Vec<u8>,
    seq: i64,
}

#[derive(FromRow)]
struct Named {
    id: FaceId,
    seq: i64,
}

#[derive(FromRow)]
struct Removed {
    face_id: FaceId,
}

struct ThirtyTwo;
impl KeyType for ThirtyTwo {
    fn len(&self) -> usize {
        32
    }
}

impl Faces {
    /// The index of an account, open and up to date.
    pub(super) async fn gallery(&self, account: AccountId) -> Result<Arc<Gallery>, FacesError> {
        let place = self.0.shelf.place(account);
        let gallery = place.get_or_try_init(|| self.open_gallery(account)).await?.clone();
        self.catch_up(&gallery).await?;
        Ok(gallery)
    }

    async fn open_gallery(&self, account: AccountId) -> Result<Arc<Gallery>, FacesError> {
        let space = self.space().await?;
        let space = search::Space { model: space.sha256, dimension: space.dimension };
        let folder = self.0.settings.folder.join(account.to_string());
        let key = self.key(account);
        let index = blocking(move || open(&folder, &space, &key)).await?;
        Ok(Arc::new(Gallery {
            index,
            labels: RwLock::default(),
            account,
            model: space.model,
            seq: AtomicI64::new(-1),
            looked_at: Mutex::new(Timestamp::MIN),
            catching_up: tokio::sync::Mutex::default(),
        }))
    }

    fn key(&self, account: AccountId) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/faces/1")
            .extract(self.0.settings.key.expose())
            .expand(&[Uuid::from(account).as_bytes()], ThirtyTwo)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }

    async fn catch_up(&self, gallery: &Arc<Gallery>) -> Result<(), FacesError> {
        let (now, last) =
            (self.0.world.now(), last_change(&mut self.0.db.read().await?, gallery.account).await?);
        if gallery.seq.load(Ordering::Acquire) == last && gallery.is_fresh(now) {
            return Ok(());
        }
        let _alone = gallery.catching_up.lock().await;
        let known = gallery.seq.load(Ordering::Acquire);
        let mut view = self.0.db.read().await?;
        // Rows of later changes may be read as well; they are read again then.
        let last = last_change(&mut view, gallery.account).await?;
        if known == last && gallery.is_fresh(now) {
            return Ok(());
        }
        if known < 0 || known > last || !gallery.is_fresh(now) {
            self.compare(&mut view, gallery, last).await?;
        } else {
            self.follow(&mut view, gallery, known).await?;
        }
        let labels = self.labels_since(&mut view, gallery.account, &gallery.model, known.max(0)).await?;
        gallery.labels.write().unwrap_or_else(PoisonError::into_inner).extend(labels);
        gallery.index.note_seq(last)?;
        gallery.seq.store(last, Ordering::Release);
        *gallery.looked_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(())
    }

    /// Takes in what came after a change: first what went, then what came, because rows that are there are the truth.
    async fn follow(&self, view: &mut Read, gallery: &Arc<Gallery>, since: i64) -> Result<(), FacesError> {
        let removed: Vec<Removed> = view
            .fetch_all(sql!(
                "SELECT face_id FROM face_removals WHERE account_id = $1 AND seq > $2",
                gallery.account,
                since,
            ))
            .await?;
        gallery.remove(removed.into_iter().map(|row| row.face_id.into()).collect()).await?;
        let (mut seq, mut id) = (since, Uuid::max());
        loop {
            let rows: Vec<Row> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.profile_id, f.embedding, f.seq FROM faces f JOIN profiles p ON p.id = f.profile_id
                      WHERE f.account_id = $1 AND f.seq >= $2 AND (f.seq > $2 OR f.id > $3)
                        AND f.model = $4 AND p.kind = 1 AND p.active
                      ORDER BY f.seq, f.id LIMIT $5",
                    gallery.account,
                    seq,
                    id,
                    gallery.model.to_vec(),
                    ROUND,
                ))
                .await?;
            let Some(end) = rows.last() else { return Ok(()) };
            (seq, id) = (end.seq, end.id.into());
            self.put(gallery, rows).await?;
        }
    }

    /// Compares the index with the database, id by id.
    async fn compare(&self, view: &mut Read, gallery: &Arc<Gallery>, last: i64) -> Result<(), FacesError> {
        let noted = gallery.index.seq();
        // An index that is ahead of the database was of another past: nothing in it is believed.
        let noted = if noted > last { i64::MIN } else { noted };
        let mut extra: HashSet<Uuid> = gallery.index.faces().into_iter().collect();
        let (mut wanted, mut after) = (Vec::new(), Uuid::nil());
        loop {
            let rows: Vec<Named> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.seq FROM faces f JOIN profiles p ON p.id = f.profile_id
                      WHERE f.account_id = $1 AND f.model = $2 AND f.id > $3 AND p.kind = 1 AND p.active
                      ORDER BY f.id LIMIT $4",
                    gallery.account,
                    gallery.model.to_vec(),
                    after,
                    10 * ROUND,
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
        for ids in wanted.chunks(ROUND as usize) {
            let rows: Vec<Row> = view
                .fetch_all(sql!(
                    sqlite: "SELECT id, profile_id, embedding, seq FROM faces
                              WHERE account_id = $1 AND model = $2
                                AND id IN (SELECT unhex(value) FROM json_each($3))",
                    postgres: "SELECT id, profile_id, embedding, seq FROM faces
                                WHERE account_id = $1 AND model = $2
                                  AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($3))",
                    gallery.account,
                    gallery.model.to_vec(),
                    super::listed(ids),
                ))
                .await?;
            self.put(gallery, rows).await?;
        }
        Ok(())
    }

    async fn put(&self, gallery: &Arc<Gallery>, rows: Vec<Row>) -> Result<(), FacesError> {
        let mut faces = Vec::with_capacity(rows.len());
        for row in rows {
            match self.open(&enrol::place(row.id), &row.embedding) {
                Ok(vector) => faces.push((Uuid::from(row.id), Uuid::from(row.profile_id), vector)),
                // One lost face must not hide the others.
                Err(error) => tracing::error!(face.id = %row.id, "a face cannot be indexed: {error}"),
            }
        }
        let gallery = gallery.clone();
        blocking(move || {
            let entries: Vec<_> = faces
                .iter()
                .map(|(face, person, vector)| Entry { face: *face, person: *person, vector })
                .collect();
            Ok(gallery.index.put(&entries)?)
        })
        .await
    }

    /// Brings every open index up to date and to the disk, and removes the folders of accounts that are gone: for
    /// processes that nobody asks anything. How many folders went.
    pub async fn tidy(&self) -> Result<u64, FacesError> {
        for account in self.0.shelf.accounts() {
            let known = self.exists(account).await?;
            if known {
                let gallery = self.gallery(account).await?;
                blocking(move || Ok(gallery.index.sync()?)).await?;
            }
        }
        let mut gone = 0;
        for name in self.index_folders().await? {
            let Ok(account) = name.parse() else { continue };
            if !self.exists(account).await? {
                self.erase(account).await?;
                gone += 1;
            }
        }
        Ok(gone)
    }

    async fn exists(&self, account: AccountId) -> Result<bool, FacesError> {
        let mut view = self.0.db.read().await?;
        Ok(view.count(sql!("SELECT count(*) FROM accounts WHERE id = $1", account)).await? == 1)
    }

    /// How many index files an account has on this machine.
    pub(super) async fn index_files(&self, account: AccountId) -> Result<u64, FacesError> {
        let folder = self.0.settings.folder.join(account.to_string());
        blocking(move || Ok(names_in(&folder)?.len() as u64)).await
    }

    /// The names of the folders, each of which is an account's id.
    pub(super) async fn index_folders(&self) -> Result<Vec<String>, FacesError> {
        let folder = self.0.settings.folder.clone();
        blocking(move || names_in(&folder)).await
    }

    /// Deletes an account's indexes of this machine; rows go by [`forget`](super::forget). How many files there were.
    pub async fn erase(&self, account: AccountId) -> Result<u64, FacesError> {
        self.0.shelf.remove(account);
        let folder = self.0.settings.folder.join(account.to_string());
        blocking(move || {
            let files = names_in(&folder)?.len() as u64;
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(files),
            }
        })
        .await
    }
}

impl Gallery {
    fn is_fresh(&self, now: Timestamp) -> bool {
        let looked_at = *self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        looked_at.checked_add(TRUSTED).is_ok_and(|until| now < until)
    }

    async fn remove(self: &Arc<Self>, faces: Vec<Uuid>) -> Result<(), FacesError> {
        if faces.is_empty() {
            return Ok(());
        }
        let gallery = self.clone();
        blocking(move || {
            gallery.index.remove(&faces)?;
            // What was deleted must not come back after a power cut.
            Ok(gallery.index.sync()?)
        })
        .await
    }
}

/// Opens the file of a model, making it where there is none, or where what is there is none of ours. Files of other models
/// go: their rows do too.
fn open(folder: &Path, space: &search::Space, key: &Secret<[u8; 32]>) -> Result<Index, FacesError> {
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
    for seat in 0..SEATS {
        let name = if seat == 0 { format!("{prefix}.idx") } else { format!("{prefix}.{seat}.idx") };
        let path = folder.join(name);
        match Index::open(&path, space, key) {
            // Another process of this machine has it.
            Err(IndexError::InUse) => {}
            Err(error @ (IndexError::NotAnIndex | IndexError::OtherKey | IndexError::OtherSpace)) => {
                tracing::warn!("an index of faces is made anew: {error}");
                std::fs::remove_file(&path)?;
                return Ok(Index::open(&path, space, key)?);
            }
            other => return Ok(other?),
        }
    }
    Err(IndexError::InUse.into())
}

/// What is in a folder; nothing where there is none.
fn names_in(folder: &Path) -> Result<Vec<String>, FacesError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Does work that reads files or takes long, off the threads that answer.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FacesError> + Send + 'static,
) -> Result<T, FacesError> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}
