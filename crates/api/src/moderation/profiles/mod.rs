//! Profiles: the people whom an account knows.

pub(super) mod add_face;
pub(super) mod ban;
pub(super) mod change;
pub(super) mod delete;
pub(super) mod delete_face;
pub(super) mod enrol;
mod fields;
pub(super) mod get;
pub(super) mod list;
pub(super) mod search;
pub(super) mod unban;

use super::{Code, Problem};
use domain::{
    Violation,
    faces::{BadText, FacesError},
};

impl From<BadText> for Problem {
    fn from(bad: BadText) -> Self {
        Violation::from(bad).into()
    }
}

impl From<FacesError> for Problem {
    fn from(error: FacesError) -> Self {
        let words = error.to_string();
        match error {
            FacesError::Missing(what) => Self::missing(what),
            FacesError::Text(bad) => bad.into(),
            FacesError::SameLabel => Self::refused(Code::Conflict, "label", words, None),
            FacesError::Refused { message, measured } => {
                Self::refused(Code::FaceRefused, "face", message, measured)
            }
            FacesError::Busy(_)
            | FacesError::NotReady(_)
            | FacesError::Vision(_)
            | FacesError::NoThreshold(_)
            | FacesError::Index(_)
            | FacesError::Folder(_)
            | FacesError::Blobs(_)
            | FacesError::Sealed(_)
            | FacesError::Db(_) => Self::unavailable(&error),
        }
    }
}
