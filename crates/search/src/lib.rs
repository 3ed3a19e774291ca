//! Exact nearest-neighbour search over the face embeddings of one account and one model.
//!
//! # What is stored where
//! The index file holds each vector in full precision, sealed with AES-256-GCM under keys of the file's own; `file.rs`
//! describes the format. Memory holds, for each vector, a code of eight bits per dimension and a sketch of one bit per
//! dimension. A second file holds the same codes, so that opening an index need not compute them; `code_file.rs`
//! describes it. A code is as good as the vector it came from. So the codes in the file are sealed, too, and those in
//! memory lie in anonymous memory, kept out of core dumps, and not in a mapped file, which would be a store of faces in
//! clear. Vectors are decrypted to rescore a few candidates of each search.
//!
//! Neither file is mapped. Both are read with positioned I/O, so one that another process truncates is an error and not
//! a signal. Everything that is read is authenticated: a record that was damaged fails the search that comes to it, a
//! row of the code file that was damaged is computed again.
//!
//! Memory per face: `1.125 * d + 65` bytes, where `d` is the dimension rounded up to a multiple of 64, plus 50 to 100
//! bytes for the two maps from ids to slots, depending on how full they are: about 0.7 KB at 512 dimensions. On disk:
//! `4 * dimension + 72` bytes, and `1.125 * d + 101` for the code.
//!
//! # Why it is exact
//! Distances are Euclidean, between the vectors as they were passed in. A search reads half of each code, which
//! together with the length of its error gives a lower bound on the distance (`scalar_quantisation.rs`). Where that
//! does not rule a vector out, the whole code gives tighter bounds, and what these do not rule out is decrypted and
//! measured, lowest bound first, until no bound is below the distance of the last person found. So the result is the
//! same as measuring everything, whatever the vectors are; only the time depends on them. In an index whose vectors are
//! all nearly the same, bounds rule out little, and a search decrypts much of the file.
//!
//! # Prefilter
//! With [`SearchQuery::prefilter`] and a maximum distance, a search reads the sketches first, and codes only of what
//! they leave. A face within the distance is missed with a probability of at most 10⁻⁹, over the choice of the index's
//! secret rotation, if that were uniform among all rotations; it is a randomised Hadamard transform, which comes close.
//! The prefilter helps more the more dimensions there are and the smaller the distance is: below 128 dimensions it is
//! not applied, and where it leaves so many rows that reading all codes is faster, the rest of the search does without
//! it.

mod code_chunk;
mod code_file;
mod file;
mod hadamard_rotation;
mod id_hash;
mod index;
mod kernels;
mod keys;
mod load;
mod scalar_quantisation;
mod scan;
mod shared_scan;
mod top_k;

pub use base::Uuid;
pub use file::read_face_ids;
pub use index::FaceIndex;

use std::sync::Arc;

/// What the vectors of an index have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSpace {
    /// Digest of the model that computes the embeddings: those of two models cannot be compared.
    pub model: [u8; 32],
    /// Numbers per embedding, 8 to 2048.
    pub dimension: usize,
}

/// A face to put into the index.
#[derive(Clone, Copy, Debug)]
pub struct FaceEntry<'a> {
    /// The face's id; a face of the same id is replaced.
    pub face: Uuid,
    /// The person that the face belongs to. A person may have many faces.
    pub person: Uuid,
    /// Its embedding: finite numbers of at most a million in magnitude. It need not be normalised.
    pub vector: &'a [f32],
}

/// Tells of a person whether they may be found. It must be fast and must not use the index.
pub type PersonFilter = Arc<dyn Fn(Uuid) -> bool + Send + Sync>;

/// The limits of a search.
#[derive(Clone)]
pub struct SearchQuery {
    /// Persons to return at most; 0 finds nobody. Meant for tens or hundreds.
    pub top_k: usize,
    /// The largest Euclidean distance that counts, 0 or more. `None`: any.
    pub max_distance: Option<f32>,
    /// Read sketches first, which is faster and may miss a face with a probability of at most 10⁻⁹. Has no effect
    /// without `max_distance`.
    pub prefilter: bool,
    /// Persons that may be found; all others are treated as absent. It is called by the threads of other searches, too.
    pub person_filter: Option<PersonFilter>,
}

/// A person that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// The person's id.
    pub person: Uuid,
    /// The nearest of their faces.
    pub face: Uuid,
    /// Euclidean distance to that face; summed in double precision and rounded once.
    pub distance: f32,
}

/// Why an operation on an index failed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The space has fewer than 8 or more than 2048 dimensions.
    #[error("an index has 8 to 2048 dimensions, not {0}")]
    UnsupportedDimension(usize),
    /// A vector has another number of dimensions than the index.
    #[error("a vector has {got} dimensions instead of {expected}")]
    DimensionMismatch {
        /// Dimensions of the index.
        expected: usize,
        /// Dimensions of the vector.
        got: usize,
    },
    /// A vector has a component that is infinite, not a number, or beyond a million in magnitude.
    #[error("a vector has a number that is not finite or beyond a million")]
    InvalidVector,
    /// The maximum distance is negative or not a number.
    #[error("the maximum distance must be 0 or more")]
    InvalidDistance,
    /// The file is not an index, or its header is damaged.
    #[error("the file is not an index")]
    NotAnIndex,
    /// The file is of another model or dimension.
    #[error("the index is of another model or dimension")]
    SpaceMismatch,
    /// The file was created with another key, or its header was tampered with.
    #[error("the index was made with another key")]
    KeyMismatch,
    /// Another process, or another handle in this one, has the file open.
    #[error("the index is in use by another process")]
    InUse,
    /// A record does not decrypt, or is not of the face that it should be. [`FaceIndex::verify`] removes it.
    #[error("the record in slot {slot} of the index is damaged")]
    Damaged {
        /// The slot, from 0.
        slot: u32,
    },
    /// The index changed under a search again and again, although the writer was locked out.
    #[error("the index changed while it was searched")]
    Inconsistent,
    /// All 2³² slots of the file are taken.
    #[error("the index is full")]
    Full,
    /// The operating system has no random numbers.
    #[error("the operating system has no random numbers")]
    NoRandomness,
    /// Reading or writing the file failed.
    #[error("the index cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
}

impl std::fmt::Debug for SearchQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchQuery")
            .field("top_k", &self.top_k)
            .field("max_distance", &self.max_distance)
            .field("prefilter", &self.prefilter)
            .field("person_filter", &self.person_filter.as_ref().map(|_| "..."))
            .finish()
    }
}
