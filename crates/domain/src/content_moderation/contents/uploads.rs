//! Files of contents that callers upload, because nobody can fetch them at an address.
//!
//! A file is a blob of its account, sealed with a key of its own (`erasure_keys`). Its row is written before the file and
//! deleted after it, so a file without a row is one that a crash left behind, and the sweep finds it by its row. A file that
//! no content takes within a day is deleted; one that a content has, with the content: its key in the same transaction, so
//! that copies of the file are noise from then on, and the file right afterwards.

use super::{ContentType, camera_credentials};
use crate::{
    accounts::{
        self,
        deletion::{ExternalAccountData, ExternalDataError},
    },
    erasure_keys::{self, ErasureKeys, KeyOwner},
    tenancy::limits::{self, LimitError, LimitReachedError, LimitSettings},
    vault::Vault,
};
use base::{
    AccountId, ContentId, ContentUploadId, Environment, Id as _, Secret, SignedDuration, Timestamp, Uuid,
};
use db::{Db, DbError, FromRow, Query, ReadTx, WriteTx, sql};
use futures_util::{TryStreamExt as _, future::BoxFuture};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use media::{
    blobs::{BlobError, BlobKey, BlobKeySegment, BlobPrefix, BlobStore},
    fetch::StreamTarget,
    file_signature::{self, SIGNATURE_BYTES},
    video::{ContentLoader, ContentSource, StoredContent},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    fmt, io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt as _};

const UPLOAD_BLOB_SEGMENT: BlobKeySegment = BlobKeySegment::literal("upload");
/// How long a file is kept that no content has.
pub const UNUSED_UPLOAD_RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// The longest time in which a file may arrive.
const UPLOAD_TIMEOUT: Duration = Duration::from_hours(4);
/// After this time the row of a file that never arrived whole is deleted: longer than it may take to arrive.
const PENDING_UPLOAD_RETENTION: SignedDuration = SignedDuration::from_hours(5);
/// A file that was begun so long ago and never ended was given up: longer than any may take to arrive.
const ABANDONED_FILE_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How often a process looks for such files: it looks at all files.
const ABANDONED_FILE_SEARCH_INTERVAL: SignedDuration = SignedDuration::from_hours(24);
/// How many files are deleted in one round.
const UPLOADS_PER_ROUND: i64 = 100;
/// The longest media type, in bytes.
const MAX_MEDIA_TYPE_BYTES: usize = 100;

/// Where a content is, as it is stored: an address, or `upload:` and the id of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentLocation {
    /// An https address.
    Url(String),
    /// A file that was uploaded.
    Upload(ContentUploadId),
}

/// Prefix of a stored location that is an upload's id and not an address.
const UPLOAD_SCHEME: &str = "upload:";

impl From<String> for ContentLocation {
    fn from(text: String) -> Self {
        let upload = text.strip_prefix(UPLOAD_SCHEME).and_then(|id| id.parse().ok());
        upload.map_or(Self::Url(text), Self::Upload)
    }
}

impl fmt::Display for ContentLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => f.write_str(url),
            Self::Upload(id) => write!(f, "{UPLOAD_SCHEME}{id}"),
        }
    }
}

impl ContentLocation {
    /// The address; `None` of a file that was uploaded.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url(url) => Some(url),
            Self::Upload(_) => None,
        }
    }

    /// The upload; `None` of a content that is at an address.
    pub fn upload(&self) -> Option<ContentUploadId> {
        match self {
            Self::Url(_) => None,
            Self::Upload(id) => Some(*id),
        }
    }
}

/// What a file of a content may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadKind {
    Image,
    Video,
}

impl UploadKind {
    fn of(media_type: &str) -> Option<Self> {
        match media_type.split_once('/')?.0 {
            "image" => Some(Self::Image),
            "video" => Some(Self::Video),
            _ => None,
        }
    }

    /// The type of content that such a file is.
    fn content_type(self) -> ContentType {
        match self {
            Self::Image => ContentType::Image,
            Self::Video => ContentType::Video,
        }
    }
}

/// The declared media type of a file: `image/…` or `video/…`.
#[derive(Clone, Debug)]
pub struct UploadMediaType {
    name: String,
    kind: UploadKind,
}

impl UploadMediaType {
    /// Parses the value of a `Content-Type`; parameters are left out. `None` unless it is that of an image or a video.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.split(';').next()?.trim().to_ascii_lowercase();
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+/".contains(&byte);
        let (_, subtype) = name.split_once('/')?;
        let fits = name.len() <= MAX_MEDIA_TYPE_BYTES && !subtype.is_empty() && name.bytes().all(is_token);
        let kind = UploadKind::of(&name).filter(|_| fits)?;
        Some(Self { name, kind })
    }

    /// What it is the type of.
    pub fn kind(&self) -> UploadKind {
        self.kind
    }
}

/// A file that was uploaded.
#[derive(Clone, Debug)]
pub struct ContentUpload {
    pub id: ContentUploadId,
    /// Its media type, without parameters.
    pub media_type: String,
    /// Its size.
    pub bytes: u64,
    /// When it is deleted, unless a content has it by then.
    pub expires_at: Timestamp,
}

/// Why a file was not stored.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// It is longer than files of its kind may be.
    #[error("the file has {}more than {limit} bytes", announced.map_or_else(String::new, |bytes| format!("{bytes} bytes, ")))]
    TooLarge {
        /// The length that was announced.
        announced: Option<u64>,
        /// The limit, bytes.
        limit: u64,
    },
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It begins like no file of its kind.
    #[error("the file is no {} of a format that can be read, whatever its Content-Type says", match kind { UploadKind::Image => "image", UploadKind::Video => "video" })]
    OtherKind {
        /// What its media type says.
        kind: UploadKind,
    },
    /// It broke off, or did not arrive in time.
    #[error("the file did not arrive whole: {0}")]
    BrokeOff(String),
    /// The application has as many stored bytes as it may.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    /// The account is being deleted.
    #[error("there is no such account")]
    NoAccount,
    /// The store for blobs failed.
    #[error(transparent)]
    Blobs(BlobError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<LimitError> for UploadError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

impl From<io::Error> for UploadError {
    fn from(error: io::Error) -> Self {
        Self::BrokeOff(error.to_string())
    }
}

impl UploadError {
    fn storing(error: BlobError) -> Self {
        match error {
            BlobError::TooLarge { limit } => Self::TooLarge { announced: None, limit },
            BlobError::BrokeOff(error) => error.into(),
            error => Self::Blobs(error),
        }
    }
}

fn blob_key(account: AccountId, id: ContentUploadId) -> BlobKey {
    BlobKey::new(account, UPLOAD_BLOB_SEGMENT, id)
}

/// Stores, finds and deletes files of contents; cheap to clone.
#[derive(Clone, Debug)]
pub struct ContentUploads {
    pub(in crate::content_moderation) db: Db,
    pub(in crate::content_moderation) environment: Arc<dyn Environment>,
    pub(in crate::content_moderation) blobs: BlobStore,
    pub(in crate::content_moderation) keys: ErasureKeys,
    pub(in crate::content_moderation) videos: ContentLoader,
    pub(in crate::content_moderation) limits: LimitSettings,
    /// When this process last looked for files that were given up.
    pub(in crate::content_moderation) abandoned_files_sought_at: Arc<Mutex<Option<Timestamp>>>,
}

#[derive(FromRow)]
struct StoredUploadRow {
    bytes: i64,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct UploadIdRow {
    id: ContentUploadId,
}

#[derive(FromRow)]
struct DueUploadRow {
    id: ContentUploadId,
    account_id: AccountId,
}

#[derive(FromRow)]
struct DeletedUploadRow {
    bytes: i64,
}

impl ContentUploads {
    /// What seals the credentials of cameras.
    pub(super) fn vault(&self) -> &Vault {
        &self.keys.vault
    }

    /// The interval, and the least number of bytes of a file that must arrive in it.
    pub fn slowest_arrival(&self) -> (Duration, u64) {
        self.videos.slowest_transfer()
    }

    /// Stores a file as it arrives. `announced` is its length, if the caller told it.
    pub async fn store(
        &self,
        account: AccountId,
        media_type: &UploadMediaType,
        announced: Option<u64>,
        mut file: impl AsyncRead + Unpin + Send,
    ) -> Result<ContentUpload, UploadError> {
        let limit = match media_type.kind {
            UploadKind::Image => self.videos.max_picture_bytes(),
            UploadKind::Video => self.videos.max_bytes(),
        };
        if announced.is_some_and(|bytes| bytes > limit) {
            return Err(UploadError::TooLarge { announced, limit });
        }
        let mut head = Vec::new();
        (&mut file).take(SIGNATURE_BYTES as u64).read_to_end(&mut head).await?;
        let fits = match media_type.kind {
            _ if head.is_empty() => return Err(UploadError::Empty),
            UploadKind::Image => file_signature::is_picture(&head),
            UploadKind::Video => file_signature::is_video(&head),
        };
        if !fits {
            return Err(UploadError::OtherKind { kind: media_type.kind });
        }
        let (id, key) = self.begin(account, media_type, announced.unwrap_or_default()).await?;
        let stored = self.receive((account, id), key, head.chain(file), limit).await;
        if stored.is_err() {
            self.discard(account, id).await;
        }
        let (bytes, expires_at) = stored?;
        Ok(ContentUpload { id, media_type: media_type.name.clone(), bytes, expires_at })
    }

    /// Writes the row of a file that is about to arrive, and its key.
    async fn begin(
        &self,
        account: AccountId,
        media_type: &UploadMediaType,
        bytes: u64,
    ) -> Result<(ContentUploadId, Secret<[u8; 32]>), UploadError> {
        let (id, now) = (ContentUploadId::new(&*self.environment), self.environment.now());
        let mut tx = self.db.write().await?;
        if !accounts::lock_shared(&mut tx, account).await? {
            return Err(UploadError::NoAccount);
        }
        if let Some(app) = accounts::application_of(&mut tx, account).await? {
            // One that announces no length has at least a byte.
            limits::ensure_storage_left(&mut tx, &self.limits, app, bytes.max(1)).await?;
        }
        let key = self.keys.create(&mut tx, KeyOwner::ContentUpload(id)).await?;
        tx.execute(sql!(
            "INSERT INTO content_uploads (id, account_id, media_type, bytes, created_at, expires_at)
             VALUES ($1, $2, $3, 0, $4, $5)",
            id,
            account,
            media_type.name.clone(),
            now,
            now + PENDING_UPLOAD_RETENTION,
        ))
        .await?;
        tx.commit().await?;
        Ok((id, key))
    }

    /// Stores what arrives, and counts it; returns its size, and when it expires.
    async fn receive(
        &self,
        (account, id): (AccountId, ContentUploadId),
        key: Secret<[u8; 32]>,
        file: impl AsyncRead + Unpin + Send,
        limit: u64,
    ) -> Result<(u64, Timestamp), UploadError> {
        let blobs = self.blobs.with_data_key(key);
        let name = blob_key(account, id);
        let storing = tokio::time::timeout(UPLOAD_TIMEOUT, blobs.put_stream(&name, file, limit)).await;
        let late = || {
            UploadError::BrokeOff(format!("it took longer than {} hours", UPLOAD_TIMEOUT.as_secs() / 3600))
        };
        let bytes = storing.map_err(|_| late())?.map_err(UploadError::storing)?;
        let expires_at = self.environment.now() + UNUSED_UPLOAD_RETENTION;
        let mut tx = self.db.write().await?;
        if !accounts::lock_shared(&mut tx, account).await? {
            return Err(UploadError::NoAccount);
        }
        let rows = tx
            .execute(sql!(
                "UPDATE content_uploads SET bytes = $2, expires_at = $3 WHERE id = $1 AND bytes = 0 AND expires_at > $4",
                id,
                bytes.cast_signed(),
                expires_at,
                self.environment.now(),
            ))
            .await?;
        if rows == 0 {
            return Err(UploadError::BrokeOff("it took so long that it was given up".to_owned()));
        }
        if let Some(app) = accounts::application_of(&mut tx, account).await? {
            let stored = limits::count_stored_bytes(&mut tx, app, bytes.cast_signed()).await?;
            limits::ensure_stored_bytes_allowed(&mut tx, &self.limits, app, stored).await?;
        }
        tx.commit().await?;
        Ok((bytes, expires_at))
    }

    /// Deletes a file that was not stored whole. If that fails, the sweep does it.
    async fn discard(&self, account: AccountId, id: ContentUploadId) {
        let discarding = async {
            let mut tx = self.db.write().await?;
            tx.execute(sql!(
                "UPDATE content_uploads SET expires_at = $2 WHERE id = $1 AND bytes = 0",
                id,
                self.environment.now()
            ))
            .await?;
            tx.commit().await?;
            // The row may be gone already, with the file still there.
            self.blobs.delete(&blob_key(account, id)).await?;
            self.delete_one(account, id).await
        };
        if let Err(error) = discarding.await {
            log_failure(account, &error);
        }
    }

    /// Where the run of a moderation finds a content; `None` if it was uploaded and is not there any more.
    pub(in crate::content_moderation) async fn source(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        (content, location): (ContentId, &ContentLocation),
    ) -> Result<Option<ContentSource>, DbError> {
        let id = match location {
            ContentLocation::Url(url) if StreamTarget::is_stream(url) => {
                let credentials = camera_credentials::load(self.vault(), view, account, content).await?;
                return Ok(Some(ContentSource::Camera { address: url.clone(), credentials }));
            }
            ContentLocation::Url(url) => return Ok(Some(ContentSource::Address(url.clone()))),
            ContentLocation::Upload(id) => *id,
        };
        let row: Option<StoredUploadRow> = view
            .fetch_optional(sql!(
                "SELECT u.bytes, k.sealed FROM content_uploads u JOIN erasure_keys k ON k.owner_id = u.id
                  WHERE u.id = $1 AND u.account_id = $2 AND u.content_id IS NOT NULL",
                id,
                account,
            ))
            .await?;
        Ok(row.and_then(|StoredUploadRow { bytes, sealed }| {
            let key = self.keys.open(KeyOwner::ContentUpload(id), &sealed)?;
            let blobs = self.blobs.with_data_key(key);
            let bytes = bytes.max(0).unsigned_abs();
            Some(ContentSource::Stored(StoredContent { blobs, key: blob_key(account, id), bytes }))
        }))
    }

    /// Deletes the files of an account that are to be deleted now, as far as possible: what fails is left to the sweep.
    pub(in crate::content_moderation) async fn delete_due(&self, account: AccountId) {
        if let Err(error) = self.try_delete_due(account).await {
            log_failure(account, &error);
        }
    }

    async fn try_delete_due(&self, account: AccountId) -> Result<(), UploadSweepError> {
        let due: Vec<UploadIdRow> = self
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT id FROM content_uploads WHERE account_id = $1 AND expires_at <= $2 LIMIT 100",
                account,
                self.environment.now(),
            ))
            .await?;
        for UploadIdRow { id } in due {
            self.delete_one(account, id).await?;
        }
        Ok(())
    }

    /// Deletes a file whose time is over, and then its row.
    async fn delete_one(&self, account: AccountId, id: ContentUploadId) -> Result<(), UploadSweepError> {
        self.blobs.delete(&blob_key(account, id)).await?;
        let mut tx = self.db.write().await?;
        let deletion = sql!(
            "DELETE FROM content_uploads WHERE id = $1 AND expires_at <= $2 RETURNING bytes",
            id,
            self.environment.now(),
        );
        if delete_rows(&mut tx, account, deletion).await? > 0 {
            erasure_keys::erase(&mut tx, KeyOwner::ContentUpload(id)).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Runs a [`SweepContentUploads`].
    pub(in crate::content_moderation) async fn sweep(&self) -> Result<JobOutcome, JobError> {
        let now = self.environment.now();
        let mut tx = self.db.write().await?;
        // An older build deletes contents and knows nothing of their files.
        tx.execute(sql!(
            "UPDATE content_uploads SET content_id = NULL, expires_at = $1
              WHERE content_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.id = content_uploads.content_id)",
            now,
        ))
        .await?;
        tx.commit().await?;
        loop {
            let due: Vec<DueUploadRow> = self
                .db
                .read_once()
                .await?
                .fetch_all(sql!(
                    "SELECT id, account_id FROM content_uploads WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2",
                    now,
                    UPLOADS_PER_ROUND,
                ))
                .await?;
            if due.is_empty() {
                self.remove_abandoned_files(now).await;
                return Ok(JobOutcome::Again(now + SweepContentUploads::INTERVAL));
            }
            for DueUploadRow { id, account_id } in due {
                self.delete_one(account_id, id).await?;
            }
        }
    }

    /// Removes, once a day, files of any kind that a process was writing when it died.
    async fn remove_abandoned_files(&self, now: Timestamp) {
        if !begin_search(&self.abandoned_files_sought_at, now) {
            return;
        }
        match self.blobs.remove_abandoned_uploads(now - ABANDONED_FILE_AGE).await {
            Ok(0) => {}
            Ok(files) => tracing::info!(files, "files that were never written to their end were removed"),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "files that were never written to their end could not be removed"
                );
            }
        }
    }
}

/// Whether it is time to look for files that were given up; if it is, the search begins now. A clock that was put back far does
/// not put it off.
fn begin_search(sought_at: &Mutex<Option<Timestamp>>, now: Timestamp) -> bool {
    let mut sought_at = sought_at.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = sought_at.is_none_or(|at| now.duration_since(at).abs() >= ABANDONED_FILE_SEARCH_INTERVAL);
    if is_due {
        *sought_at = Some(now);
    }
    is_due
}

#[derive(Debug, thiserror::Error)]
enum UploadSweepError {
    #[error(transparent)]
    Blobs(#[from] BlobError),
    #[error(transparent)]
    Db(#[from] DbError),
}

fn log_failure(account: AccountId, error: &UploadSweepError) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        account.id = %account,
        "an uploaded content could not be deleted; the sweep tries again"
    );
}

/// Gives a file to a content that is written in this transaction. The error says why the content cannot have it.
pub(super) async fn take(
    tx: &mut WriteTx,
    account: AccountId,
    id: ContentUploadId,
    (content, content_type): (ContentId, ContentType),
    now: Timestamp,
) -> Result<Result<(), &'static str>, DbError> {
    #[derive(FromRow)]
    struct MediaTypeRow {
        media_type: String,
    }
    let row: Option<MediaTypeRow> = tx
        .fetch_optional(sql!(
            "SELECT media_type FROM content_uploads WHERE id = $1 AND account_id = $2",
            id,
            account
        ))
        .await?;
    let Some(MediaTypeRow { media_type }) = row else { return Ok(Err("there is no such upload")) };
    if UploadKind::of(&media_type).is_none_or(|kind| kind.content_type() != content_type) {
        return Ok(Err("the upload's media type is that of another type of content"));
    }
    let rows = tx
        .execute(sql!(
            "UPDATE content_uploads SET content_id = $3, expires_at = NULL
              WHERE id = $1 AND account_id = $2 AND content_id IS NULL AND bytes > 0 AND expires_at > $4",
            id,
            account,
            content,
            now,
        ))
        .await?;
    Ok(if rows == 1 { Ok(()) } else { Err("the upload has expired, or another content has it") })
}

/// Takes its file from a content that is deleted in this transaction, and deletes the file's key. [`ContentUploads::delete_due`]
/// deletes the file. The caller records the erasure, as the last of its transaction.
pub(in crate::content_moderation) async fn release(
    tx: &mut WriteTx,
    content: ContentId,
    now: Timestamp,
) -> Result<(), DbError> {
    let released: Vec<UploadIdRow> = tx
        .fetch_all(sql!(
            "UPDATE content_uploads SET content_id = NULL, expires_at = $2 WHERE content_id = $1 RETURNING id",
            content,
            now,
        ))
        .await?;
    let released: Vec<Uuid> = released.into_iter().map(|upload| upload.id.into()).collect();
    erasure_keys::delete_keys(tx, &released).await
}

/// Deletes rows by a statement that returns their `bytes`, and counts their files no more; returns how many there were.
pub(in crate::content_moderation) async fn delete_rows(
    tx: &mut WriteTx,
    account: AccountId,
    deletion: Query,
) -> Result<u64, DbError> {
    let deleted: Vec<DeletedUploadRow> = tx.fetch_all(deletion).await?;
    let bytes: i64 = deleted.iter().map(|upload| upload.bytes).sum();
    if bytes > 0
        && let Some(app) = accounts::application_of(tx, account).await?
    {
        limits::count_stored_bytes(tx, app, -bytes).await?;
    }
    Ok(deleted.len() as u64)
}

/// Deletes files that no content has, and that nobody may want any more; recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepContentUploads {}

impl Job for SweepContentUploads {
    const KIND: &'static str = "sweep-content-uploads";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SweepContentUploads {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(5);
}

/// For the audit: files without a row. Everything else about them is done with the account's blobs and rows.
impl ExternalAccountData for ContentUploads {
    fn kind(&self) -> &'static str {
        "content_upload_files"
    }

    fn count(&self, _: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        Box::pin(std::future::ready(Ok(0)))
    }

    fn erase(&self, _: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn leftovers(&self) -> BoxFuture<'_, Result<Vec<(AccountId, u64)>, ExternalDataError>> {
        Box::pin(async move {
            let mut found = Vec::new();
            for tenant in self.blobs.tenants().await? {
                let Ok(account) = tenant.parse::<AccountId>() else { continue };
                let files: Vec<_> =
                    self.blobs.list(&BlobPrefix::kind(account, UPLOAD_BLOB_SEGMENT)).try_collect().await?;
                if files.is_empty() {
                    continue;
                }
                // Read after the files were listed: the row of each was there before it.
                let rows: Vec<UploadIdRow> = self
                    .db
                    .read_once()
                    .await?
                    .fetch_all(sql!("SELECT id FROM content_uploads WHERE account_id = $1", account))
                    .await?;
                let known: HashSet<String> =
                    rows.iter().map(|row| blob_key(account, row.id).to_string()).collect();
                let unknown = files.iter().filter(|file| !known.contains(&file.key.to_string())).count();
                if unknown > 0 {
                    found.push((account, unknown as u64));
                }
            }
            Ok(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_read_as_it_was_written() {
        let id: ContentUploadId = Uuid::from_u128(7).into();
        for location in [ContentLocation::Url("https://a.example/b".to_owned()), ContentLocation::Upload(id)]
        {
            assert_eq!(ContentLocation::from(location.to_string()), location);
        }
        assert!(matches!(ContentLocation::from("upload:no-id".to_owned()), ContentLocation::Url(_)));
    }

    #[test]
    fn a_media_type_is_that_of_an_image_or_a_video() {
        let parsed = |text| UploadMediaType::parse(text).map(|found| (found.name, found.kind));
        assert_eq!(parsed("image/jpeg"), Some(("image/jpeg".to_owned(), UploadKind::Image)));
        assert_eq!(parsed("Video/MP4; codecs=\"avc1\""), Some(("video/mp4".to_owned(), UploadKind::Video)));
        for other in
            ["", "image", "image/", "text/html", "application/octet-stream", "image/a b", "image/\u{e4}"]
        {
            assert_eq!(parsed(other), None, "{other}");
        }
        assert_eq!(parsed(&format!("image/{}", "x".repeat(200))), None);
    }

    #[test]
    fn files_that_were_given_up_are_looked_for_once_a_day() {
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let sought_at = Mutex::default();
        for (hours, is_due) in
            [(0, true), (0, false), (23, false), (24, true), (47, false), (48, true), (1, true)]
        {
            let at = now + SignedDuration::from_hours(hours);
            assert_eq!(begin_search(&sought_at, at), is_due, "after {hours} hours");
        }
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<SweepContentUploads>("{}").unwrap(), SweepContentUploads {});
    }
}
