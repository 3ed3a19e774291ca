//! Profiles: the people whom an account knows.

pub(super) mod add_face;
pub(super) mod ban;
pub(super) mod change;
pub(super) mod delete;
pub(super) mod delete_face;
pub(super) mod dismissals;
pub(super) mod enrol;
pub(super) mod enrol_many;
pub(super) mod fields;
pub(super) mod get;
pub(super) mod list;
pub(super) mod search;
pub(super) mod unban;
pub(super) mod undo_dismissal;

use super::{ModerationApiError, ModerationErrorCode};
use domain::{
    Violation,
    faces::{FaceIndexError, InvalidProfileFieldError},
};

impl From<InvalidProfileFieldError> for ModerationApiError {
    fn from(bad: InvalidProfileFieldError) -> Self {
        Violation::from(bad).into()
    }
}

impl From<FaceIndexError> for ModerationApiError {
    fn from(error: FaceIndexError) -> Self {
        let words = error.to_string();
        match error {
            FaceIndexError::Missing(what) => Self::not_found(what),
            FaceIndexError::ProfileField(bad) => bad.into(),
            FaceIndexError::DuplicateLabel => {
                Self::violation_with_code(ModerationErrorCode::Conflict, "label", words, None)
            }
            FaceIndexError::Refused { message, measured } => {
                Self::violation_with_code(ModerationErrorCode::FaceRefused, "face", message, measured)
            }
            FaceIndexError::LimitReached(reached) => reached.into(),
            FaceIndexError::Busy(_)
            | FaceIndexError::NotReady(_)
            | FaceIndexError::Vision(_)
            | FaceIndexError::NoThreshold(_)
            | FaceIndexError::Index(_)
            | FaceIndexError::Folder(_)
            | FaceIndexError::Blobs(_)
            | FaceIndexError::Sealed(_)
            | FaceIndexError::Db(_) => Self::unavailable(&error),
        }
    }
}
