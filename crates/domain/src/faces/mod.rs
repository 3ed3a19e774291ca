//! Profiles: people whom an account knows, with their faces, groups and bans; and which of them a face might be.
//!
//! The database is the truth. For each account and model there is an index on disk and in memory (crate `search`), which
//! every process brings up to date, by the number of the account's last change, before it searches.
//!
//! - `profile`, `profile_changes`, `profile_details`, `groups`: profiles and what is known of them
//! - `enrolment`, `face_extraction`: faces of profiles are added and removed; what a picture must be like
//! - `account_index`, `change_sequence`: the index of an account, its files and the cache of open ones
//! - `matching`, `negative_labels`: the profiles that a face is nearest to, and those that people said it is not
//! - `likeness`, `ban_sweep`: one person's faces, for comparing those that were found before; the job of a ban
//! - `face_model`, `embedding_vault`: the models' embeddings and distances; how embeddings are stored
//! - `pictures`: stored pictures of faces, each with a key of its own
//! - `reembedding`, `index_status`: what happens when another model is used
//! - `tombstones`, `erasure`: pictures without a face are deleted, and everything with its account
//! - `service`: [`FaceIndexService`], which gives each of these what it needs

mod account_index;
mod ban_sweep;
mod change_sequence;
mod embedding_vault;
mod enrolment;
mod erasure;
mod error;
mod face_extraction;
mod face_model;
mod groups;
mod index_status;
mod likeness;
mod matching;
mod negative_labels;
mod pictures;
mod profile;
mod profile_changes;
mod profile_details;
mod reembedding;
mod service;
mod stored_bytes;
mod tombstones;

pub use ban_sweep::SweepFindingsOfBan;
pub use enrolment::{MAX_FACES_PER_PROFILE, PreparedFace};
pub(crate) use erasure::FaceTables;
pub use error::FaceIndexError;
pub use face_extraction::EnrolRules;
pub use groups::{MAX_GROUP_LABEL_CHARS, ProfileGroup};
pub use index_status::FaceIndexStatus;
pub use likeness::FaceLikeness;
pub use matching::{CandidateQuery, ProfileCandidate, ProfileMatch};
pub use negative_labels::{Dismissal, DismissalSelection, DismissedFace, MAX_NEGATIVE_LABELS_PER_PROFILE};
pub use profile::{
    EnrolledFace, Profile, ProfileFilter, ProfileItem, ProfilePage, ProfileSummary, UnrecognisableReason,
};
pub use profile_changes::ProfilePatch;
pub use profile_details::{
    BanRecord, BanRequest, InvalidProfileFieldError, MAX_BAN_REASON_CHARS, ProfileDetails, ProfileText,
    ProfileType, check_name_part,
};
pub use reembedding::ReembedFaces;
pub use service::FaceIndexService;
pub use tombstones::SweepFaces;

use base::Secret;
use std::path::PathBuf;

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
