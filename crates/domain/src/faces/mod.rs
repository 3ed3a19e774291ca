//! Profiles: people whom an account knows, with their faces, groups and bans; and which of them a face might be.
//!
//! The database is the truth. For each account and model there is an index on disk and in memory (crate `search`), which
//! every process brings up to date, by the number of the account's last change, before it searches.
//!
//! - `profile`, `profile_changes`, `profile_details`, `groups`: profiles and what is known of them
//! - `enrolment`, `face_extraction`: faces of profiles are added and removed; what a picture must be like
//! - `account_index`, `change_sequence`: the index of an account, its files and the cache of open ones
//! - `matching`, `negative_labels`: the profiles that a face is nearest to, and those that people said it is not
//! - `face_model`, `embedding_vault`: the models' embeddings and distances; how embeddings are stored
//! - `reembedding`, `index_status`: what happens when another model is used
//! - `tombstones`, `erasure`: pictures without a face are deleted, and everything with its account
//! - `service`: [`FaceIndexService`], which gives each of these what it needs

mod account_index;
mod change_sequence;
mod embedding_vault;
mod enrolment;
mod erasure;
mod error;
mod face_extraction;
mod face_model;
mod groups;
mod index_status;
mod matching;
mod negative_labels;
mod profile;
mod profile_changes;
mod profile_details;
mod reembedding;
mod service;
mod tombstones;

pub use enrolment::{MAX_FACES_PER_PROFILE, PreparedFace};
pub(crate) use erasure::FaceTables;
pub use error::FaceIndexError;
pub use face_extraction::EnrolRules;
pub use groups::{MAX_GROUP_LABEL_CHARS, ProfileGroup};
pub use index_status::FaceIndexStatus;
pub use matching::{ProfileCandidate, ProfileMatch};
pub use negative_labels::MAX_NEGATIVE_LABELS_PER_PROFILE;
pub use profile::{EnrolledFace, Profile, ProfileItem, ProfileSummary};
pub use profile_changes::ProfilePatch;
pub use profile_details::{InvalidProfileFieldError, ProfileDetails, ProfileText, ProfileType};
pub use reembedding::ReembedFaces;
pub use service::FaceIndexService;
pub use tombstones::SweepFaces;

use base::Secret;
use std::path::PathBuf;

/// How faces are taken in and told apart.
#[derive(Clone, Debug)]
pub struct FaceIndexSettings {
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

impl FaceIndexSettings {
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

/// Ids as a JSON list of hexadecimal texts, for statements that select by many ids.
fn ids_json<T: Copy + Into<base::Uuid>>(ids: &[T]) -> serde_json::Value {
    ids.iter().map(|id| Into::<base::Uuid>::into(*id).simple().to_string()).collect()
}
