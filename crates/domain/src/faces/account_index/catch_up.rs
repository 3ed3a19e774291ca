//! An open index of one account, and how it is kept up to date with the database.
//!
//! Each change of an account's faces has a number (`face_accounts.seq`), and the rows carry the number of their last change.
//! A search first reads the account's last number; if the index is behind, it takes in the rows with higher numbers. So every
//! search sees what any node had committed before it began. What an index missed while it was closed is found by comparing
//! ids.

use super::files::run_blocking;
use crate::{
    accounts,
    faces::{
        FaceIndexError,
        change_sequence::current_seq,
        embedding_vault::EmbeddingVault,
        enrolment,
        negative_labels::{self, NegativeLabels},
    },
    fair_slots::{FairSlot, FairSlots},
};
use base::{AccountId, FaceId, ProfileId, SignedDuration, Timestamp, Uuid};
use db::{Db, FromRow, ReadTx, ids_json, sql};
use search::{FaceEntry, FaceIndex};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

/// Removals of faces are remembered for a week only, so an index that was not checked for this long is compared with the
/// database as a whole.
const MAX_UNCHECKED_AGE: SignedDuration = SignedDuration::from_hours(6 * 24);
/// How many rows are read at a time.
const ROWS_PER_READ: i64 = 1000;

/// An open index.
pub(in crate::faces) struct AccountIndex {
    pub(in crate::faces) faces: FaceIndex,
    pub(in crate::faces) labels: RwLock<NegativeLabels>,
    account: AccountId,
    /// The digest of the model's embedding space.
    model: [u8; 32],
    /// The number of the last change that the index contains; -1 until it was compared with the database.
    seq: AtomicI64,
    checked_at: Mutex<Timestamp>,
    catch_up_lock: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for AccountIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AccountIndex({}, {} faces)", self.account, self.faces.len())
    }
}

#[derive(FromRow)]
struct FaceRow {
    id: FaceId,
    profile_id: ProfileId,
    key: Option<Vec<u8>>,
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

impl AccountIndex {
    /// An index whose file was just opened; it is not compared with the database yet.
    pub(super) fn new(account: AccountId, model: [u8; 32], faces: FaceIndex) -> Self {
        Self {
            faces,
            labels: RwLock::default(),
            account,
            model,
            seq: AtomicI64::new(-1),
            checked_at: Mutex::new(Timestamp::MIN),
            catch_up_lock: tokio::sync::Mutex::default(),
        }
    }

    /// Brings the index up to date with what is committed in the database.
    pub(super) async fn catch_up(
        self: &Arc<Self>,
        db: &Db,
        embeddings: &EmbeddingVault,
        rebuilds: &FairSlots,
    ) -> Result<(), FaceIndexError> {
        let now = embeddings.environment.now();
        let last = current_seq(&mut db.read().await?, self.account).await?;
        if self.seq.load(Ordering::Acquire) == last {
            self.mark_checked(now);
            return Ok(());
        }
        let _guard = self.catch_up_lock.lock().await;
        let known = self.seq.load(Ordering::Acquire);
        let may_take_long = known < 0 || !self.is_fresh(now);
        let _slot = if may_take_long { self.rebuild_slot(db, rebuilds).await? } else { None };
        let mut view = db.read().await?;
        // The rows of later changes may be read as well; the next call reads them again.
        let last = current_seq(&mut view, self.account).await?;
        if known == last {
            return Ok(());
        }
        let is_behind = known < 0 || known > last || !self.is_fresh(now);
        if is_behind {
            self.reconcile(&mut view, embeddings, last).await?;
        } else {
            self.apply_changes(&mut view, embeddings, known).await?;
        }
        // Removals are remembered for a while only, so what was not looked at for longer is read anew.
        let since = if is_behind { 0 } else { known };
        let newer =
            negative_labels::load_since(&mut view, embeddings, self.account, &self.model, since).await?;
        let removed = negative_labels::removed_since(&mut view, self.account, since).await?;
        {
            let mut labels = self.labels.write().unwrap_or_else(PoisonError::into_inner);
            if is_behind {
                *labels = newer;
            } else {
                labels.extend(newer);
                labels.remove(&removed);
            }
        }
        self.faces.record_seq(last)?;
        self.seq.store(last, Ordering::Release);
        self.mark_checked(now);
        Ok(())
    }

    /// Waits until the index may be compared with all rows, which keeps a connection to the database for as long. `None` if
    /// the account is gone.
    async fn rebuild_slot(&self, db: &Db, rebuilds: &FairSlots) -> Result<Option<FairSlot>, FaceIndexError> {
        let owner = accounts::application_of(&mut db.read().await?, self.account).await?;
        let Some(app) = owner else { return Ok(None) };
        Ok(rebuilds.acquire(app).await)
    }

    /// Applies the changes after `since`: removals first, because a face that has a row now was added after them.
    async fn apply_changes(
        self: &Arc<Self>,
        view: &mut ReadTx,
        embeddings: &EmbeddingVault,
        since: i64,
    ) -> Result<(), FaceIndexError> {
        let removed: Vec<RemovedFaceRow> = view
            .fetch_all(sql!(
                "SELECT face_id FROM face_removals WHERE account_id = $1 AND seq > $2",
                self.account,
                since,
            ))
            .await?;
        self.remove(removed.into_iter().map(|row| row.face_id.into()).collect()).await?;
        let (mut seq, mut id) = (since, Uuid::max());
        loop {
            let rows: Vec<FaceRow> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.profile_id, k.sealed AS key, f.embedding, f.seq
                       FROM faces f JOIN profiles p ON p.id = f.profile_id
                       LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                      WHERE f.account_id = $1 AND f.seq >= $2 AND (f.seq > $2 OR f.id > $3)
                        AND f.model = $4 AND p.kind = 1 AND p.active
                      ORDER BY f.seq, f.id LIMIT $5",
                    self.account,
                    seq,
                    id,
                    self.model.to_vec(),
                    ROWS_PER_READ,
                ))
                .await?;
            let Some(last_row) = rows.last() else { return Ok(()) };
            (seq, id) = (last_row.seq, last_row.id.into());
            self.put_faces(embeddings, rows).await?;
        }
    }

    /// Compares the index with the database, face by face; `last` is the number of the account's last change.
    async fn reconcile(
        self: &Arc<Self>,
        view: &mut ReadTx,
        embeddings: &EmbeddingVault,
        last: i64,
    ) -> Result<(), FaceIndexError> {
        let recorded = self.faces.seq();
        // An index that is ahead of the database belongs to another past, as after a restored backup: nothing in it is
        // believed.
        let recorded = if recorded > last { i64::MIN } else { recorded };
        let mut surplus: HashSet<Uuid> = self.faces.face_ids().into_iter().collect();
        let (mut missing, mut after) = (Vec::new(), Uuid::nil());
        loop {
            let rows: Vec<FaceSeqRow> = view
                .fetch_all(sql!(
                    "SELECT f.id, f.seq FROM faces f JOIN profiles p ON p.id = f.profile_id
                      WHERE f.account_id = $1 AND f.model = $2 AND f.id > $3 AND p.kind = 1 AND p.active
                      ORDER BY f.id LIMIT $4",
                    self.account,
                    self.model.to_vec(),
                    after,
                    10 * ROWS_PER_READ,
                ))
                .await?;
            let Some(last_row) = rows.last() else { break };
            after = last_row.id.into();
            for row in rows {
                let indexed = surplus.remove(&row.id.into());
                if !indexed || row.seq > recorded {
                    missing.push(row.id);
                }
            }
        }
        if !(surplus.is_empty() && missing.is_empty()) {
            tracing::info!(
                account.id = %self.account,
                added = missing.len(),
                removed = surplus.len(),
                "a face index is repaired"
            );
        }
        self.remove(surplus.into_iter().collect()).await?;
        for ids in missing.chunks(ROWS_PER_READ as usize) {
            let rows: Vec<FaceRow> = view
                .fetch_all(sql!(
                    sqlite: "SELECT f.id, f.profile_id, k.sealed AS key, f.embedding, f.seq FROM faces f
                               LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                              WHERE f.account_id = $1 AND f.model = $2
                                AND f.id IN (SELECT unhex(value) FROM json_each($3))",
                    postgres: "SELECT f.id, f.profile_id, k.sealed AS key, f.embedding, f.seq FROM faces f
                                 LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                                WHERE f.account_id = $1 AND f.model = $2
                                  AND f.id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($3))",
                    self.account,
                    self.model.to_vec(),
                    ids_json(ids),
                ))
                .await?;
            self.put_faces(embeddings, rows).await?;
        }
        Ok(())
    }

    async fn put_faces(
        self: &Arc<Self>,
        embeddings: &EmbeddingVault,
        rows: Vec<FaceRow>,
    ) -> Result<(), FaceIndexError> {
        let mut faces = Vec::with_capacity(rows.len());
        for row in rows {
            let owner = (row.profile_id, row.key.as_deref());
            match embeddings.open(owner, &enrolment::aad(row.profile_id, row.id), &row.embedding) {
                Ok(vector) => faces.push((Uuid::from(row.id), Uuid::from(row.profile_id), vector)),
                // A face that cannot be opened must not keep the others out of the index.
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    face.id = %row.id,
                    "a face cannot be indexed"
                ),
            }
        }
        let index = self.clone();
        run_blocking(move || {
            let entries: Vec<_> = faces
                .iter()
                .map(|(face, person, vector)| FaceEntry { face: *face, person: *person, vector })
                .collect();
            Ok(index.faces.put(&entries)?)
        })
        .await
    }

    /// Removes faces whose records are damaged. The next time the index is brought up to date, they are read from the
    /// database again.
    pub(in crate::faces) async fn repair(self: &Arc<Self>) -> Result<(), FaceIndexError> {
        let index = self.clone();
        let removed = run_blocking(move || Ok(index.faces.verify()?)).await?;
        tracing::warn!(account.id = %self.account, removed, "damaged records are removed from a face index");
        let _guard = self.catch_up_lock.lock().await;
        self.seq.store(-1, Ordering::Release);
        Ok(())
    }

    fn mark_checked(&self, now: Timestamp) {
        *self.checked_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        let checked_at = *self.checked_at.lock().unwrap_or_else(PoisonError::into_inner);
        checked_at.checked_add(MAX_UNCHECKED_AGE).is_ok_and(|until| now < until)
    }

    async fn remove(self: &Arc<Self>, faces: Vec<Uuid>) -> Result<(), FaceIndexError> {
        if faces.is_empty() {
            return Ok(());
        }
        let index = self.clone();
        run_blocking(move || {
            index.faces.remove(&faces)?;
            // A face that was deleted must not come back after a power cut.
            Ok(index.faces.sync()?)
        })
        .await
    }
}
