//! People whom an account knows: profiles and their faces, groups, bans, and who a face is.
//!
//! The database is the truth. Each account and model has an index on disk and in memory (the crate `search`), which every
//! process keeps in step by the account's change number before it searches (`gallery.rs`).

mod candidates;
mod enrol;
mod forget;
mod gallery;
mod groups;
mod labels;
mod leavings;
mod picture;
mod profile;
mod reembed;
mod shelf;
mod status;

pub use candidates::{Candidate, ProfileMatch};
pub use enrol::{MOST_FACES, Prepared};
pub use forget::forget;
pub(crate) use forget::orphans;
pub use groups::{Group, LONGEST_LABEL};
pub use labels::MOST_LABELS;
pub use leavings::SweepFaces;
pub use picture::EnrolRules;
pub use profile::{BadText, Details, FaceLine, Kind, Patch, Profile, ProfileItem, ProfileLine, Text};
pub use reembed::ReembedFaces;
pub use status::Standing;

use crate::{
    estimate::{Estimator, NotReady, Refusal},
    vault::{Damaged, Vault},
};
use base::{AccountId, Measured, Secret, World};
use db::{Db, DbError, FromRow, Read, Tx, sql};
use jobs::Worker;
use media::blobs::{self, Blobs};
use shelf::Shelf;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::OnceCell;
use vision::{Space, VisionError};

/// How faces are taken in and told apart.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the indexes.
    pub folder: PathBuf,
    /// What the keys of the indexes are derived from.
    pub key: Secret<[u8; 32]>,
    /// Whether pictures of faces are kept, so that another model can be taken later.
    pub keep_images: bool,
    /// The share of strangers that may pass for one person where two faces are compared, 0 to 1.
    pub verify_fmr: f64,
    /// The same where a face is looked for among all.
    pub identify_fmr: f64,
    /// The greatest distance of two faces of one person, instead of `verify_fmr`.
    pub verify_distance: Option<f32>,
    /// The greatest distance of a face that is found, instead of `identify_fmr`.
    pub identify_distance: Option<f32>,
    /// Indexes that stay open when nobody searches them.
    pub open_indexes: usize,
    /// What a picture of a face must be like.
    pub rules: EnrolRules,
}

impl Settings {
    /// The defaults, for indexes in a folder under a key.
    pub fn new(folder: PathBuf, key: Secret<[u8; 32]>) -> Self {
        Self {
            folder,
            key,
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
pub enum FacesError {
    /// There is no such profile, face or group in the account, or it was deleted.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// A text cannot be used.
    #[error(transparent)]
    Text(#[from] BadText),
    /// The account has a group of that label.
    #[error("the account has a group of that label")]
    SameLabel,
    /// The picture, or the face in it, cannot be used.
    #[error("{message}")]
    Refused {
        /// What is wrong, in words.
        message: String,
        /// What was measured, where a limit was broken.
        measured: Option<Measured>,
    },
    /// All workers are busy; try again after this long.
    #[error("all workers are busy")]
    Busy(Duration),
    /// There are no models.
    #[error(transparent)]
    NotReady(#[from] NotReady),
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
    Blobs(#[from] blobs::Error),
    /// Something sealed does not open.
    #[error(transparent)]
    Sealed(#[from] Damaged),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl FacesError {
    fn refused(message: impl Into<String>, measured: Option<Measured>) -> Self {
        Self::Refused { message: message.into(), measured }
    }
}

impl From<Refusal> for FacesError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Image(image) => Self::refused(image.message, image.measured),
            Refusal::Face(face) => Self::refused(picture::words(face.code), Some(face.measured)),
            Refusal::Busy(wait) => Self::Busy(wait),
            Refusal::NotReady(no) => Self::NotReady(no),
            Refusal::Prediction(error) => Self::Vision(error),
        }
    }
}

/// People whom accounts know. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Faces(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    blobs: Blobs,
    estimator: Estimator,
    settings: Settings,
    space: OnceCell<Arc<Space>>,
    shelf: Shelf,
}

impl Faces {
    /// Nothing is opened or loaded yet.
    pub fn new(
        db: Db,
        world: Arc<dyn World>,
        vault: Vault,
        blobs: Blobs,
        estimator: Estimator,
        settings: Settings,
    ) -> Self {
        let shelf = Shelf::new(settings.open_indexes.max(1));
        let space = OnceCell::new();
        Self(Arc::new(Inner { db, world, vault, blobs, estimator, settings, space, shelf }))
    }

    /// A worker that knows the jobs of faces, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let (sweeping, embedding) = (self.clone(), self.clone());
        worker
            .handle(move |_: SweepFaces, _| {
                let faces = sweeping.clone();
                async move { faces.sweep().await }
            })
            .handle(move |job: ReembedFaces, _| {
                let faces = embedding.clone();
                async move { faces.reembed(&job).await }
            })
    }

    /// The space that embeddings of this process lie in.
    async fn space(&self) -> Result<&Arc<Space>, FacesError> {
        let ask = |vision: &mut vision::Vision| Arc::new(vision.space().clone());
        let learn = async || match self.0.estimator.run(ask).await {
            // Nobody need be turned away for this.
            Err(Refusal::Busy(_)) => self.0.estimator.run_behind(ask).await,
            other => other,
        };
        Ok(self.0.space.get_or_try_init(learn).await?)
    }

    /// The distance below which two faces are one person's.
    async fn verify_distance(&self) -> Result<f32, FacesError> {
        let Settings { verify_distance, verify_fmr, .. } = self.0.settings;
        self.distance(verify_distance, verify_fmr).await
    }

    /// The distance below which a face is found.
    pub async fn identify_distance(&self) -> Result<f32, FacesError> {
        let Settings { identify_distance, identify_fmr, .. } = self.0.settings;
        self.distance(identify_distance, identify_fmr).await
    }

    async fn distance(&self, set: Option<f32>, rate: f64) -> Result<f32, FacesError> {
        match set {
            Some(distance) => Ok(distance),
            None => self.space().await?.distance_at(rate).ok_or(FacesError::NoThreshold(rate)),
        }
    }

    /// How alike two faces of that distance are, 0 to 1: 1 for the same picture, 0.5 at the limit of one person.
    pub async fn similarity(&self, distance: f32) -> Result<f64, FacesError> {
        let limit = self.verify_distance().await?;
        Ok((1.0 - f64::from(distance) / (2.0 * f64::from(limit))).clamp(0.0, 1.0))
    }

    fn open(&self, place: &[u8], sealed: &[u8]) -> Result<Vec<f32>, FacesError> {
        let bytes = self.0.vault.open(place, sealed)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    fn seal(&self, place: &[u8], embedding: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.0.vault.seal(&*self.0.world, place, &bytes)
    }
}

#[derive(FromRow)]
struct Seq {
    seq: i64,
}

/// Numbers a change of an account's faces. The row's lock is held until the transaction ends, so changes of one account
/// follow each other, and a number that is seen stands for all before it.
async fn bump(tx: &mut Tx, account: AccountId) -> Result<i64, DbError> {
    let row: Option<Seq> = tx
        .fetch_optional(sql!(
            "INSERT INTO face_accounts (account_id, seq) VALUES ($1, 1)
             ON CONFLICT (account_id) DO UPDATE SET seq = face_accounts.seq + 1 RETURNING seq",
            account,
        ))
        .await?;
    Ok(row.map_or(0, |row| row.seq))
}

/// The number of an account's last change; 0 before the first.
async fn last_change(view: &mut Read, account: AccountId) -> Result<i64, DbError> {
    let row: Option<Seq> =
        view.fetch_optional(sql!("SELECT seq FROM face_accounts WHERE account_id = $1", account)).await?;
    Ok(row.map_or(0, |row| row.seq))
}

/// Ids as a list that a statement takes apart again.
fn listed<T: Copy + Into<base::Uuid>>(ids: &[T]) -> serde_json::Value {
    ids.iter().map(|id| Into::<base::Uuid>::into(*id).simple().to_string()).collect()
}
