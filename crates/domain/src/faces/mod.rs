//! People whom an account knows: profiles and their faces, groups, bans, and who a face is.
//!
//! The database is the truth. Each account and model has an index on disk and in memory (the crate `search`), which every
//! process keeps in step by the account's change number before it searches (`gallery.rs`).

mod account_index;
mod enrolment;
mod erasure;
mod face_extraction;
mod groups;
mod index_cache;
mod index_status;
mod matching;
mod negative_labels;
mod profile;
mod reembedding;
mod tombstones;

pub use enrolment::{MAX_FACES_PER_PROFILE, PreparedFace};
pub use erasure::delete_account_rows;
pub(crate) use erasure::orphaned_rows;
pub use face_extraction::EnrolRules;
pub use groups::{MAX_GROUP_LABEL_CHARS, ProfileGroup};
pub use index_status::FaceIndexStatus;
pub use matching::{ProfileCandidate, ProfileMatch};
pub use negative_labels::MAX_NEGATIVE_LABELS_PER_PROFILE;
pub use profile::{
    EnrolledFace, InvalidProfileFieldError, Profile, ProfileDetails, ProfileItem, ProfilePatch,
    ProfileSummary, ProfileText, ProfileType,
};
pub use reembedding::ReembedFaces;
pub use tombstones::SweepFaces;

use crate::{
    image_analysis::{AnalysisError, ImageAnalyser, ModelsNotReadyError},
    vault::{UnsealError, Vault},
};
use base::{AccountId, Environment, LimitViolation, Secret};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use index_cache::IndexCache;
use jobs::Worker;
use media::blobs::{self, BlobStore};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::OnceCell;
use vision::{EmbeddingSpace, VisionError};

/// Where the indexes of faces are stored.
#[derive(Clone, Debug)]
pub struct FaceIndexStorage {
    /// The folder; each process of a machine needs one of its own.
    pub folder: PathBuf,
    /// The secret that the keys of the indexes are derived from, one for each account.
    pub key: Secret<[u8; 32]>,
}

/// How faces are enrolled and matched; the section `[faces]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaceIndexSettings {
    /// Whether pictures of enrolled faces are kept, so that they can be embedded by another model without being enrolled
    /// again.
    pub keep_images: bool,
    /// False match rate at which two faces are taken for one person (1:1), 0 to 1. The model states the distance that it
    /// belongs to.
    pub verify_fmr: f64,
    /// False match rate at which a face is found among all profiles (1:N), 0 to 1.
    pub identify_fmr: f64,
    /// The greatest distance between two faces of one person, in place of `verify_fmr`.
    pub verify_distance: Option<f32>,
    /// The greatest distance at which a face is found, in place of `identify_fmr`.
    pub identify_distance: Option<f32>,
    /// Accounts whose index stays open while nobody searches it.
    pub open_indexes: usize,
    /// What a picture must be like to be enrolled.
    #[serde(rename = "enrol")]
    pub rules: EnrolRules,
}

impl Default for FaceIndexSettings {
    fn default() -> Self {
        Self {
            keep_images: true,
            verify_fmr: 1e-3,
            identify_fmr: 1e-4,
            verify_distance: None,
            identify_distance: None,
            open_indexes: 64,
            rules: EnrolRules::default(),
        }
    }
}

/// Why faces cannot be had, kept or looked for.
#[derive(Debug, thiserror::Error)]
pub enum FaceIndexError {
    /// There is no such profile, face or group in the account, or it was deleted.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// A text cannot be used.
    #[error(transparent)]
    ProfileField(#[from] InvalidProfileFieldError),
    /// The account has a group of that label.
    #[error("the account has a group of that label")]
    DuplicateLabel,
    /// The picture, or the face in it, cannot be used.
    #[error("{message}")]
    Refused {
        /// What is wrong, in words.
        message: String,
        /// What was measured, where a limit was broken.
        measured: Option<LimitViolation>,
    },
    /// All workers are busy; try again after this long.
    #[error("all workers are busy")]
    Busy(Duration),
    /// There are no models.
    #[error(transparent)]
    NotReady(#[from] ModelsNotReadyError),
    /// A model gave no usable answer.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The model does not say which distance that rate belongs to.
    #[error("the model states no distance for the false match rate {0}; set a distance instead")]
    NoThreshold(f64),
    /// An index failed.
    #[error(transparent)]
    Index(#[from] search::IndexError),
    /// The folder of the indexes cannot be used.
    #[error("the folder of the face indexes cannot be used: {0}")]
    Folder(#[from] std::io::Error),
    /// The place for pictures failed.
    #[error(transparent)]
    Blobs(#[from] blobs::BlobError),
    /// Something sealed does not open.
    #[error(transparent)]
    Sealed(#[from] UnsealError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl FaceIndexError {
    fn refused(message: impl Into<String>, measured: Option<LimitViolation>) -> Self {
        Self::Refused { message: message.into(), measured }
    }
}

impl From<AnalysisError> for FaceIndexError {
    fn from(refusal: AnalysisError) -> Self {
        match refusal {
            AnalysisError::Image(image) => Self::refused(image.message, image.measured),
            AnalysisError::Face(face) => {
                Self::refused(face_extraction::refusal_message(face.code), Some(face.measured))
            }
            AnalysisError::Busy(wait) => Self::Busy(wait),
            AnalysisError::NotReady(no) => Self::NotReady(no),
            AnalysisError::Prediction(error) => Self::Vision(error),
        }
    }
}

/// People whom accounts know. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FaceIndexService(Arc<FaceIndexInner>);

#[derive(Debug)]
struct FaceIndexInner {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    blobs: BlobStore,
    estimator: ImageAnalyser,
    storage: FaceIndexStorage,
    settings: FaceIndexSettings,
    space: OnceCell<Arc<EmbeddingSpace>>,
    index_cache: IndexCache,
}

impl FaceIndexService {
    /// Nothing is opened or loaded yet.
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        vault: Vault,
        blobs: BlobStore,
        estimator: ImageAnalyser,
        storage: FaceIndexStorage,
        settings: FaceIndexSettings,
    ) -> Self {
        let shelf = IndexCache::new(settings.open_indexes.max(1));
        let space = OnceCell::new();
        Self(Arc::new(FaceIndexInner {
            db,
            world,
            vault,
            blobs,
            estimator,
            storage,
            settings,
            space,
            index_cache: shelf,
        }))
    }

    /// A worker that knows the jobs of faces, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let (sweeping, embedding) = (self.clone(), self.clone());
        worker
            .register(move |_: SweepFaces, _| {
                let faces = sweeping.clone();
                async move { faces.sweep_tombstones().await }
            })
            .register(move |job: ReembedFaces, _| {
                let faces = embedding.clone();
                async move { faces.reembed(&job).await }
            })
    }

    /// The space that embeddings of this process lie in.
    async fn space(&self) -> Result<&Arc<EmbeddingSpace>, FaceIndexError> {
        let ask = |vision: &mut vision::VisionModels| Arc::new(vision.embedding_space().clone());
        let learn = async || match self.0.estimator.run(ask).await {
            // Nobody need be turned away for this.
            Err(AnalysisError::Busy(_)) => self.0.estimator.run_in_background(ask).await,
            other => other,
        };
        Ok(self.0.space.get_or_try_init(learn).await?)
    }

    /// The distance below which two faces are one person's.
    async fn verify_distance(&self) -> Result<f32, FaceIndexError> {
        let FaceIndexSettings { verify_distance, verify_fmr, .. } = self.0.settings;
        self.distance_threshold(verify_distance, verify_fmr).await
    }

    /// The distance below which a face is found.
    pub async fn identify_distance(&self) -> Result<f32, FaceIndexError> {
        let FaceIndexSettings { identify_distance, identify_fmr, .. } = self.0.settings;
        self.distance_threshold(identify_distance, identify_fmr).await
    }

    async fn distance_threshold(&self, set: Option<f32>, rate: f64) -> Result<f32, FaceIndexError> {
        match set {
            Some(distance) => Ok(distance),
            None => self.space().await?.distance_at(rate).ok_or(FaceIndexError::NoThreshold(rate)),
        }
    }

    /// How alike two faces of that distance are, 0 to 1: 1 for the same picture, 0.5 at the limit of one person.
    pub async fn similarity(&self, distance: f32) -> Result<f64, FaceIndexError> {
        let limit = self.verify_distance().await?;
        Ok((1.0 - f64::from(distance) / (2.0 * f64::from(limit))).clamp(0.0, 1.0))
    }

    fn open_embedding(&self, place: &[u8], sealed: &[u8]) -> Result<Vec<f32>, FaceIndexError> {
        let bytes = self.0.vault.open(place, sealed)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    fn seal_embedding(&self, place: &[u8], embedding: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.0.vault.seal(&*self.0.world, place, &bytes)
    }
}

#[derive(FromRow)]
struct SeqRow {
    seq: i64,
}

/// Numbers a change of an account's faces. The row's lock is held until the transaction ends, so changes of one account
/// follow each other, and a number that is seen stands for all before it.
async fn next_seq(tx: &mut WriteTx, account: AccountId) -> Result<i64, DbError> {
    let row: Option<SeqRow> = tx
        .fetch_optional(sql!(
            "INSERT INTO face_accounts (account_id, seq) VALUES ($1, 1)
             ON CONFLICT (account_id) DO UPDATE SET seq = face_accounts.seq + 1 RETURNING seq",
            account,
        ))
        .await?;
    Ok(row.map_or(0, |row| row.seq))
}

/// The number of an account's last change; 0 before the first.
async fn current_seq(view: &mut ReadTx, account: AccountId) -> Result<i64, DbError> {
    let row: Option<SeqRow> =
        view.fetch_optional(sql!("SELECT seq FROM face_accounts WHERE account_id = $1", account)).await?;
    Ok(row.map_or(0, |row| row.seq))
}

/// Ids as a list that a statement takes apart again.
fn ids_json<T: Copy + Into<base::Uuid>>(ids: &[T]) -> serde_json::Value {
    ids.iter().map(|id| Into::<base::Uuid>::into(*id).simple().to_string()).collect()
}
