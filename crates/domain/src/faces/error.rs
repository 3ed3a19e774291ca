//! What can go wrong with profiles and faces.

use super::{InvalidProfileFieldError, face_extraction};
use crate::{
    image_analysis::{AnalysisError, ModelsNotReadyError},
    tenancy::limits::{LimitError, LimitReachedError},
    vault::UnsealError,
};
use base::LimitViolation;
use db::DbError;
use media::blobs;
use std::time::Duration;
use vision::VisionError;

/// Why profiles or faces could not be read, changed or searched.
#[derive(Debug, thiserror::Error)]
pub enum FaceIndexError {
    /// The account has no such resource, or it was deleted; its kind is named.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// A member of the request cannot be used.
    #[error(transparent)]
    ProfileField(#[from] InvalidProfileFieldError),
    /// The account has a group with that label.
    #[error("the account has a group of that label")]
    DuplicateLabel,
    /// The picture cannot be used, or the face in it.
    #[error("{message}")]
    Refused {
        /// What is wrong, in a sentence.
        message: String,
        /// What was measured, if a limit was broken.
        measured: Option<LimitViolation>,
    },
    /// The application has as many stored bytes as it may.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    /// All workers are busy, or the face's picture has been swept away; try again after this time.
    #[error("all workers are busy")]
    Busy(Duration),
    /// The models are not loaded.
    #[error(transparent)]
    NotReady(#[from] ModelsNotReadyError),
    /// A model failed.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The model does not state a distance for the false match rate that is set.
    #[error("the model states no distance for the false match rate {0}; set a distance instead")]
    NoThreshold(f64),
    /// An index could not be read or written.
    #[error(transparent)]
    Index(#[from] search::IndexError),
    /// The folder of the indexes could not be read or written.
    #[error("the folder of the face indexes cannot be used: {0}")]
    Folder(#[from] std::io::Error),
    /// The storage of pictures failed.
    #[error(transparent)]
    Blobs(#[from] blobs::BlobError),
    /// A sealed value does not open.
    #[error(transparent)]
    Sealed(#[from] UnsealError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl FaceIndexError {
    pub(super) fn refused(message: impl Into<String>, measured: Option<LimitViolation>) -> Self {
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
            AnalysisError::NotReady(reason) => Self::NotReady(reason),
            AnalysisError::Prediction(error) => Self::Vision(error),
        }
    }
}

impl From<LimitError> for FaceIndexError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}
