//! What a reviewer sees of a finding: the face upright, the picture that it is in, and how it looked over time.
//!
//! The pictures of a finding are one file, sealed with a key of its own. That key is in the row, sealed with the key of the
//! profile that the face matches or else of its moderation: it goes with them, and the file is noise then. A face that is
//! matched to somebody else later has its key sealed anew. The sweep deletes files whose finding is gone, shows other pictures
//! by now, or is older than they are kept.
//!
//! A file is written before its row, so that a run holds no transaction while it writes. Where it dies in between, nobody has the
//! key of the file; the sweep looks for such files as well, account by account, once a day.

use super::sealed_columns::{EmbeddingOwner, SealedColumns};
use crate::{
    accounts, erasure_keys,
    image_analysis::sample_faces::{ColourDetail, encode_jpeg_of},
    keyring::KEY_BYTES,
    tenancy::limits,
};
use base::{
    AccountId, Environment, FindingPicturesId, Id as _, ModerationFindingId, ModerationId, NotificationId,
    Picture, ProfileId, Secret, SignedDuration, Timestamp, Uuid,
};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, ids_json, sql};
use futures_util::TryStreamExt as _;
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use media::blobs::{BlobError, BlobKey, BlobKeySegment, BlobPrefix, BlobStore};
use pixels::PictureRegion;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};
use vision::{Face, face_portrait};

const PICTURES_BLOB_SEGMENT: BlobKeySegment = BlobKeySegment::literal("finding");
/// The side of an upright face.
const FACE_SIDE_PIXELS: u32 = 320;
/// The longer side of the picture that a face is in.
const FRAME_SIDE_PIXELS: u32 = 960;
/// The side of a face in the strip of an appearance.
const STRIP_SIDE_PIXELS: u32 = 112;
/// How many faces a strip has, at most; of a longer appearance every second one is dropped, and so on.
const MAX_STRIP_FACES: usize = 8;
/// Seconds between two faces of a strip, at first.
const STRIP_INTERVAL_SECONDS: f64 = 1.0;
const FACE_JPEG_QUALITY: u8 = 88;
const FRAME_JPEG_QUALITY: u8 = 80;
/// How much clearer, 0 to 1, a face must be for its picture to replace an earlier one.
const MIN_QUALITY_GAIN: f32 = 0.05;
/// How many files the sweep deletes before it looks again.
const FILES_PER_ROUND: i64 = 200;
/// A file that is older and has no row gets none any more: no run goes on for so long after it has written it.
const ROWLESS_FILE_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How often the files of all accounts are looked through for those without a row.
const ROWLESS_SEARCH_INTERVAL: SignedDuration = SignedDuration::from_hours(24);
/// In how many accounts one sweep looks: listing files takes time, and other housekeeping waits.
const ACCOUNTS_PER_SWEEP: i64 = 50;

/// The name of the picture with the upright face.
pub const FACE_PICTURE: &str = "face";
/// The name of the picture that the face is in.
pub const FRAME_PICTURE: &str = "frame";

/// A picture of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingPicture {
    /// [`FACE_PICTURE`], [`FRAME_PICTURE`], or `strip-1` and so on.
    pub name: String,
    pub width: u32,
    pub height: u32,
    /// The position in the content, in seconds.
    pub time: f64,
    /// Where its bytes begin in the file, and how many they are.
    offset: usize,
    length: usize,
}

/// What was taken of one appearance so far, as JPEG.
#[derive(Clone, Debug, Default)]
pub(super) struct AppearancePictures {
    /// The clearest face, and the picture that it is in.
    best: Option<BestPictures>,
    /// Faces over time.
    strip: Vec<TimedJpeg>,
    /// Seconds between two faces of the strip.
    strip_interval: f64,
}

#[derive(Clone, Debug)]
struct BestPictures {
    quality: f32,
    face: TimedJpeg,
    /// `None` of a face in a crowd.
    frame: Option<Arc<TimedJpeg>>,
}

#[derive(Clone)]
struct TimedJpeg {
    time: f64,
    width: u32,
    height: u32,
    jpeg: Vec<u8>,
}

// A face must not get into a log through `{:?}`.
impl std::fmt::Debug for TimedJpeg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TimedJpeg({}x{} at {} s)", self.width, self.height, self.time)
    }
}

impl TimedJpeg {
    fn of(picture: &Picture, time: f64, quality: u8, colour: ColourDetail) -> Self {
        let (width, height) = (picture.width(), picture.height());
        Self { time, width, height, jpeg: encode_jpeg_of(picture, quality, colour) }
    }
}

/// The picture that faces are in, encoded once for all of them.
#[derive(Debug)]
pub(super) struct SharedFrame {
    encoded: Option<Arc<TimedJpeg>>,
    is_taken: bool,
}

impl Default for SharedFrame {
    fn default() -> Self {
        Self { encoded: None, is_taken: true }
    }
}

impl SharedFrame {
    /// For faces that are shown without the picture that they are in.
    pub(super) fn none() -> Self {
        Self { encoded: None, is_taken: false }
    }

    fn of(&mut self, picture: &Picture, time: f64) -> Option<Arc<TimedJpeg>> {
        if !self.is_taken {
            return None;
        }
        let frame = self.encoded.get_or_insert_with(|| {
            let side = picture.width().max(picture.height());
            let scaled = (side > FRAME_SIDE_PIXELS)
                .then(|| {
                    let scale = |length: u32| (length * FRAME_SIDE_PIXELS / side).max(1);
                    let (width, height) = (scale(picture.width()), scale(picture.height()));
                    pixels::resize(picture, PictureRegion::whole(picture), width, height)
                })
                .flatten();
            let frame = scaled.as_ref().unwrap_or(picture);
            Arc::new(TimedJpeg::of(frame, time, FRAME_JPEG_QUALITY, ColourDetail::Half))
        });
        Some(frame.clone())
    }
}

impl AppearancePictures {
    /// Whether this picture of the appearance is worth taking.
    pub(super) fn wants(&self, quality: f32, time: f64) -> bool {
        self.wants_best(quality) || self.wants_strip(time)
    }

    fn wants_best(&self, quality: f32) -> bool {
        self.best.as_ref().is_none_or(|best| quality > best.quality + MIN_QUALITY_GAIN)
    }

    fn wants_strip(&self, time: f64) -> bool {
        self.strip
            .last()
            .is_none_or(|last| time - last.time >= self.strip_interval.max(STRIP_INTERVAL_SECONDS))
    }

    /// Takes the face and the picture that it is in, if the face is clearer than the one before.
    pub(super) fn take_best(
        &mut self,
        (picture, shared): (&Picture, &mut SharedFrame),
        face: &Face,
        quality: f32,
        time: f64,
    ) {
        if self.wants_best(quality)
            && let Some(portrait) = face_portrait(picture, face, FACE_SIDE_PIXELS)
        {
            let face = TimedJpeg::of(&portrait, time, FACE_JPEG_QUALITY, ColourDetail::Full);
            self.best = Some(BestPictures { quality, face, frame: shared.of(picture, time) });
        }
    }

    /// Takes what is wanted of a picture of a video.
    pub(super) fn take(
        &mut self,
        (picture, shared): (&Picture, &mut SharedFrame),
        face: &Face,
        quality: f32,
        time: f64,
    ) {
        self.take_best((picture, shared), face, quality, time);
        if self.wants_strip(time)
            && let Some(portrait) = face_portrait(picture, face, STRIP_SIDE_PIXELS)
        {
            self.strip.push(TimedJpeg::of(&portrait, time, FACE_JPEG_QUALITY, ColourDetail::Full));
            if self.strip.len() > MAX_STRIP_FACES {
                let mut keep = [true, false].into_iter().cycle();
                self.strip.retain(|_| keep.next().unwrap_or(true));
                self.strip_interval = 2.0 * self.strip_interval.max(STRIP_INTERVAL_SECONDS);
            }
        }
    }

    /// The file, and what is in it; `None` if nothing was taken. A strip of one face shows no more than the face itself.
    fn pack(&self) -> Option<(Vec<u8>, Vec<FindingPicture>)> {
        let best = self.best.as_ref()?;
        let strip = if self.strip.len() > 1 { self.strip.as_slice() } else { &[] };
        let names = strip.iter().enumerate().map(|(at, jpeg)| (format!("strip-{}", at + 1), jpeg));
        let frame = best.frame.as_deref().map(|frame| (FRAME_PICTURE.to_owned(), frame));
        let all = [(FACE_PICTURE.to_owned(), &best.face)].into_iter().chain(frame);
        let (mut file, mut pictures) = (Vec::new(), Vec::new());
        for (name, TimedJpeg { time, width, height, jpeg }) in all.chain(names) {
            let (offset, length) = (file.len(), jpeg.len());
            pictures.push(FindingPicture {
                name,
                width: *width,
                height: *height,
                time: *time,
                offset,
                length,
            });
            file.extend_from_slice(jpeg);
        }
        Some((file, pictures))
    }
}

/// A file that was written, and belongs to no finding yet.
#[derive(Debug)]
pub(super) struct StoredPictures {
    id: FindingPicturesId,
    key: Secret<[u8; KEY_BYTES]>,
    pictures: Vec<FindingPicture>,
    bytes: i64,
}

/// Stores, reads and deletes; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct FindingPictureStore {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) blobs: BlobStore,
    pub(super) sealed_columns: SealedColumns,
    /// How long they are kept; zero: none are taken.
    pub(super) retention: SignedDuration,
    pub(super) rowless_search: Arc<Mutex<RowlessFileSearch>>,
}

/// How far this process has looked for files without a row.
#[derive(Debug, Default)]
pub(super) struct RowlessFileSearch {
    /// The account that was looked at last; nil before the first.
    after: Uuid,
    /// When the first account was looked at.
    began_at: Option<Timestamp>,
}

impl RowlessFileSearch {
    /// After which account to go on; `None` if all accounts were looked at a short time ago.
    fn next_after(&mut self, now: Timestamp) -> Option<Uuid> {
        if self.after.is_nil() {
            let is_recent = |at: Timestamp| now.duration_since(at).abs() < ROWLESS_SEARCH_INTERVAL;
            if self.began_at.is_some_and(is_recent) {
                return None;
            }
            self.began_at = Some(now);
        }
        Some(self.after)
    }
}

#[derive(FromRow)]
struct PictureFileRow {
    id: FindingPicturesId,
    pictures: Json<Vec<FindingPicture>>,
    sealed_key: Vec<u8>,
    moderation_id: ModerationId,
    profile_id: Option<ProfileId>,
    finding_id: ModerationFindingId,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

#[derive(FromRow)]
struct SealedFileRow {
    id: FindingPicturesId,
    sealed_key: Vec<u8>,
}

#[derive(FromRow)]
struct DueFileRow {
    id: FindingPicturesId,
    account_id: AccountId,
}

#[derive(FromRow)]
struct DeletedFileRow {
    bytes: i64,
}

#[derive(FromRow)]
struct SearchedAccountRow {
    id: AccountId,
}

#[derive(FromRow)]
struct NamedFileRow {
    id: FindingPicturesId,
}

fn blob_key(account: AccountId, id: FindingPicturesId) -> BlobKey {
    BlobKey::new(account, PICTURES_BLOB_SEGMENT, id)
}

impl FindingPictureStore {
    /// Whether pictures are taken at all.
    pub(super) fn is_on(&self) -> bool {
        !self.retention.is_zero()
    }

    /// Writes the file of an appearance. A failure is logged, and the finding has no pictures then: what was found matters more.
    pub(super) async fn put(&self, account: AccountId, taken: &AppearancePictures) -> Option<StoredPictures> {
        let (file, pictures) = taken.pack().filter(|_| self.is_on())?;
        let mut key = [0; KEY_BYTES];
        self.environment.fill_random(&mut key);
        let (id, key, bytes) =
            (FindingPicturesId::new(&*self.environment), Secret::new(key), file.len() as i64);
        match self.blobs.with_data_key(key.clone()).put(&blob_key(account, id), &file).await {
            Ok(()) => Some(StoredPictures { id, key, pictures, bytes }),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "pictures of a finding could not be stored"
                );
                None
            }
        }
    }

    /// Gives a file to a finding, in the transaction that writes it; an earlier one is left to the sweep.
    pub(super) async fn attach(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        (finding, owner): (ModerationFindingId, EmbeddingOwner),
        stored: &StoredPictures,
    ) -> Result<(), DbError> {
        self.detach(tx, finding).await?;
        let sealed = self.sealed_columns.seal_picture_key(tx, finding, owner, &stored.key).await?;
        self.insert(tx, account, stored, (Some(finding), sealed)).await
    }

    /// Leaves a file to the sweep that no finding gets. Nobody can open it any more.
    pub(super) async fn discard(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        stored: &StoredPictures,
    ) -> Result<(), DbError> {
        self.insert(tx, account, stored, (None, Vec::new())).await
    }

    /// Leaves the pictures of a finding to the sweep.
    pub(super) async fn detach(&self, tx: &mut WriteTx, finding: ModerationFindingId) -> Result<(), DbError> {
        let detached = sql!("UPDATE finding_pictures SET finding_id = NULL WHERE finding_id = $1", finding);
        tx.execute(detached).await.map(drop)
    }

    /// Seals the key of a finding's pictures for another owner, because its face was matched to somebody else since. Pictures
    /// whose key does not open are left to the sweep.
    pub(super) async fn reseal(
        &self,
        tx: &mut WriteTx,
        finding: ModerationFindingId,
        (from, to): (EmbeddingOwner, EmbeddingOwner),
    ) -> Result<(), DbError> {
        let files: Vec<SealedFileRow> = tx
            .fetch_all(sql!("SELECT id, sealed_key FROM finding_pictures WHERE finding_id = $1", finding))
            .await?;
        let columns = &self.sealed_columns;
        for SealedFileRow { id, sealed_key } in files {
            let query = match columns.open_picture_key(tx, finding, from, &sealed_key).await? {
                Some(key) => {
                    let sealed = columns.seal_picture_key(tx, finding, to, &key).await?;
                    sql!("UPDATE finding_pictures SET sealed_key = $2 WHERE id = $1", id, sealed)
                }
                None => sql!("UPDATE finding_pictures SET finding_id = NULL WHERE id = $1", id),
            };
            tx.execute(query).await?;
        }
        Ok(())
    }

    async fn insert(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        stored: &StoredPictures,
        (finding, sealed_key): (Option<ModerationFindingId>, Vec<u8>),
    ) -> Result<(), DbError> {
        tx.execute(sql!(
            "INSERT INTO finding_pictures (id, account_id, finding_id, pictures, sealed_key, bytes, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            stored.id,
            account,
            finding,
            serde_json::to_value(&stored.pictures).expect("names and numbers are JSON"),
            sealed_key,
            stored.bytes,
            self.environment.now(),
        ))
        .await?;
        if let Some(app) = accounts::application_of(tx, account).await? {
            limits::count_stored_bytes(tx, app, stored.bytes).await?;
        }
        Ok(())
    }

    /// The pictures of a notification's face, and until when they are kept; none if there are none (any more).
    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        notification: NotificationId,
    ) -> Result<Option<(Vec<FindingPicture>, Timestamp)>, DbError> {
        let row = self.find(view, account, notification).await?;
        Ok(row.map(|row| (row.pictures.0, row.created_at + self.retention)))
    }

    async fn find(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        notification: NotificationId,
    ) -> Result<Option<PictureFileRow>, DbError> {
        view.fetch_optional(sql!(
            "SELECT p.id, p.pictures, p.sealed_key, f.moderation_id, f.profile_id, f.id AS finding_id, p.created_at
               FROM notifications n JOIN findings f ON f.id = n.finding_id JOIN finding_pictures p ON p.finding_id = f.id
              WHERE n.id = $1 AND n.account_id = $2",
            notification,
            account,
        ))
        .await
    }

    /// A picture of a notification's face, as JPEG; `None` if it is not there (any more).
    pub(super) async fn read(
        &self,
        account: AccountId,
        notification: NotificationId,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FindingPictureError> {
        let mut view = self.db.read().await?;
        let Some(row) = self.find(&mut view, account, notification).await? else { return Ok(None) };
        let Some(picture) = row.pictures.0.iter().find(|picture| picture.name == name) else {
            return Ok(None);
        };
        let owner = EmbeddingOwner { moderation: row.moderation_id, profile: row.profile_id };
        let key =
            self.sealed_columns.open_picture_key(&mut view, row.finding_id, owner, &row.sealed_key).await?;
        drop(view);
        // Its profile was deleted, or the key was sealed under another master key.
        let Some(key) = key else { return Ok(None) };
        let range = picture.offset as u64..(picture.offset + picture.length) as u64;
        match self.blobs.with_data_key(key).get_range(&blob_key(account, row.id), range).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(BlobError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the files that are not wanted any more.
    pub(super) async fn sweep(&self) -> Result<JobOutcome, JobError> {
        let now = self.environment.now();
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "UPDATE finding_pictures SET finding_id = NULL WHERE created_at <= $1 AND finding_id IS NOT NULL",
            now - self.retention,
        ))
        .await?;
        tx.commit().await?;
        loop {
            let due: Vec<DueFileRow> = self
                .db
                .read_once()
                .await?
                .fetch_all(sql!(
                    "SELECT id, account_id FROM finding_pictures WHERE finding_id IS NULL LIMIT $1",
                    FILES_PER_ROUND,
                ))
                .await?;
            if due.is_empty() {
                if let Err(error) = self.delete_some_rowless_files(now).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "pictures that belong to no finding could not be deleted; the next search tries again"
                    );
                }
                return Ok(JobOutcome::Again(now + SweepFindingPictures::INTERVAL));
            }
            for DueFileRow { id, account_id } in due {
                self.blobs.delete(&blob_key(account_id, id)).await?;
                let mut tx = self.db.write().await?;
                let deleted: Option<DeletedFileRow> = tx
                    .fetch_optional(sql!("DELETE FROM finding_pictures WHERE id = $1 RETURNING bytes", id))
                    .await?;
                if let Some(DeletedFileRow { bytes }) = deleted {
                    if let Some(app) = accounts::application_of(&mut tx, account_id).await? {
                        limits::count_stored_bytes(&mut tx, app, -bytes).await?;
                    }
                    // The row had the file's key until now.
                    erasure_keys::record_erasure(&mut tx).await?;
                }
                tx.commit().await?;
            }
        }
    }
}

/// Files without a row.
impl FindingPictureStore {
    /// Deletes those of the next accounts, if it is time to.
    async fn delete_some_rowless_files(&self, now: Timestamp) -> Result<(), FindingPictureError> {
        let Some(after) = self.rowless_search().next_after(now) else { return Ok(()) };
        let accounts: Vec<SearchedAccountRow> = self
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2",
                after,
                ACCOUNTS_PER_SWEEP
            ))
            .await?;
        // First, so that an account whose files cannot be listed holds up none of the others.
        let is_last = (accounts.len() as i64) < ACCOUNTS_PER_SWEEP;
        let last = accounts.last().filter(|_| !is_last).map_or(Uuid::nil(), |account| account.id.into());
        self.rowless_search().after = last;
        let mut deleted = 0;
        for SearchedAccountRow { id } in accounts {
            deleted += self.delete_rowless_files(id, now - ROWLESS_FILE_AGE).await?;
        }
        if deleted > 0 {
            tracing::info!(files = deleted, "pictures that belong to no finding were deleted");
        }
        Ok(())
    }

    /// Deletes those of an account that were written before a moment; returns how many.
    async fn delete_rowless_files(
        &self,
        account: AccountId,
        before: Timestamp,
    ) -> Result<u64, FindingPictureError> {
        let mut files = self.blobs.list(&BlobPrefix::kind(account, PICTURES_BLOB_SEGMENT));
        let mut deleted = 0;
        let mut batch: Vec<FindingPicturesId> = Vec::new();
        while let Some(file) = files.try_next().await? {
            if file.written_at < before
                && let Ok(id) = file.key.id().as_str().parse()
            {
                batch.push(id);
            }
            if batch.len() as i64 == FILES_PER_ROUND {
                deleted += self.delete_unless_named(account, &batch).await?;
                batch.clear();
            }
        }
        Ok(deleted + self.delete_unless_named(account, &batch).await?)
    }

    /// Deletes the files of these that no row names; returns how many. The rows are read after the files were listed, and the row
    /// of each was there by then.
    async fn delete_unless_named(
        &self,
        account: AccountId,
        files: &[FindingPicturesId],
    ) -> Result<u64, FindingPictureError> {
        if files.is_empty() {
            return Ok(0);
        }
        let rows: Vec<NamedFileRow> = self
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                sqlite: "SELECT id FROM finding_pictures WHERE id IN (SELECT unhex(value) FROM json_each($1))",
                postgres: "SELECT id FROM finding_pictures
                            WHERE id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1))",
                ids_json(files),
            ))
            .await?;
        let named: HashSet<FindingPicturesId> = rows.into_iter().map(|row| row.id).collect();
        let mut deleted = 0;
        for id in files.iter().filter(|id| !named.contains(*id)) {
            self.blobs.delete(&blob_key(account, *id)).await?;
            deleted += 1;
        }
        Ok(deleted)
    }

    /// Held for no longer than a look.
    fn rowless_search(&self) -> std::sync::MutexGuard<'_, RowlessFileSearch> {
        self.rowless_search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a picture could not be read, or deleted.
#[derive(Debug, thiserror::Error)]
pub enum FindingPictureError {
    #[error(transparent)]
    Blobs(#[from] BlobError),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Deletes the files of pictures whose findings are gone, and of those that were kept for long enough; recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepFindingPictures {}

impl Job for SweepFindingPictures {
    const KIND: &'static str = "sweep-finding-pictures";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SweepFindingPictures {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(5);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Face {
        let points = [[40.0, 40.0], [60.0, 40.0], [50.0, 50.0], [50.0, 60.0], [30.0, 45.0], [70.0, 45.0]];
        Face { left: 30.0, top: 25.0, right: 70.0, bottom: 70.0, score: 1.0, points }
    }

    #[test]
    fn the_clearest_face_and_a_strip_over_time_are_kept() {
        let picture = Picture::new(1200, 100, vec![90; 1200 * 100 * 3]).unwrap();
        let mut taken = AppearancePictures::default();
        assert_eq!(taken.pack(), None);
        for second in 0..40_u8 {
            let (time, quality) = (f64::from(second), if second == 7 { 0.9 } else { 0.5 });
            if taken.wants(quality, time) {
                taken.take((&picture, &mut SharedFrame::default()), &face(), quality, time);
            }
        }
        let (file, pictures) = taken.pack().unwrap();
        let named = |name: &str| pictures.iter().find(|picture| picture.name == name).unwrap();
        assert_eq!((named("face").width, named("face").time), (320, 7.0), "the clearest one");
        assert_eq!((named("frame").width, named("frame").height, named("frame").time), (960, 80, 7.0));
        let strip: Vec<f64> =
            pictures.iter().filter(|one| one.name.starts_with("strip")).map(|one| one.time).collect();
        assert!((4..=MAX_STRIP_FACES).contains(&strip.len()), "{strip:?}");
        assert!(strip[0] == 0.0 && *strip.last().unwrap() >= 30.0, "{strip:?}");
        for picture in &pictures {
            assert_eq!(file[picture.offset..][..2], [0xFF, 0xD8], "{}", picture.name);
        }
    }

    #[test]
    fn files_without_a_row_are_looked_for_once_a_day() {
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let hours = SignedDuration::from_hours;
        let (mut search, account) = (RowlessFileSearch::default(), Uuid::from_u128(7));
        assert_eq!(search.next_after(now), Some(Uuid::nil()));
        assert_eq!(search.next_after(now), None);
        search.after = account;
        assert_eq!(search.next_after(now + hours(1)), Some(account), "not all accounts were looked at");
        search.after = Uuid::nil();
        assert_eq!(search.next_after(now + hours(23)), None);
        assert_eq!(search.next_after(now + hours(24)), Some(Uuid::nil()));
        assert_eq!(
            search.next_after(now - hours(1)),
            Some(Uuid::nil()),
            "the clock was put back by more than a day"
        );
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<SweepFindingPictures>("{}").unwrap(), SweepFindingPictures {});
    }
}
