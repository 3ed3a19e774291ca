//! Exact nearest-neighbour search over the face embeddings of one account and one model.
//!
//! # What is where
//! The file holds each vector in full precision, sealed with AES-256-GCM under a key of the file's own; `file.rs`
//! describes it. Memory holds a code of eight bits a dimension and a sketch of one bit. Codes are never written to disk,
//! and lie in anonymous mapped memory rather than in a mapped file: a file of codes would be a store of faces in clear,
//! because a code is as good as the vector it came from. They are made anew by one pass when the file is opened, and
//! kept out of core dumps. Vectors are decrypted for that and to rescore a few candidates of each search.
//!
//! Memory for each face: `1.125 * d + 65` bytes, `d` being the dimension rounded up to a multiple of 64, and 50 to 100
//! for the two maps from ids to slots, depending on how full they are: about 0.7 KB at 512 dimensions. On disk:
//! `4 * dimension + 72` bytes.
//!
//! # Why it is exact
//! Distances are Euclidean, between the vectors as they were handed in. A search reads half of each code, which with the
//! length of its error gives a lower bound on the distance (`code.rs`). Where that does not rule a vector out, the whole
//! code gives closer bounds, and what these do not rule out is decrypted and measured, nearest bound first, until no
//! bound is below the last of the persons found. So the answer is that of measuring everything, whatever the vectors
//! are; only the time depends on them. In an index whose vectors are all nearly the same, bounds rule out little, and a
//! search decrypts much of the file.
//!
//! # Prefilter
//! With [`Ask::prefilter`] and a distance, a search reads the sketches instead and only then the codes of what is left.
//! A face within the distance is missed with a probability of at most 10⁻⁹, over the choice of the index's secret
//! rotation, if that were uniform among all rotations; it is a randomised Hadamard transform, which comes close. It is
//! of use the more dimensions there are and the smaller the distance is: below 128 dimensions it is not applied, and where
//! it leaves so many rows that reading all codes is quicker, it is given up for the rest of the search.

mod code_chunk;
mod file;
mod hadamard_rotation;
mod index;
mod kernels;
mod keys;
mod load;
mod scalar_quantisation;
mod scan;
mod top_k;

pub use base::Uuid;
pub use index::FaceIndex;

/// What an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSpace {
    /// Digest of the model that made the embeddings: those of two models cannot be compared.
    pub model: [u8; 32],
    /// Numbers in an embedding, 8 to 2048.
    pub dimension: usize,
}

/// A face to be found from now on.
#[derive(Clone, Copy, Debug)]
pub struct FaceEntry<'a> {
    /// The face; one of this id is replaced.
    pub face: Uuid,
    /// Whose it is. A person may have many faces.
    pub person: Uuid,
    /// Its embedding: finite numbers, none beyond a million. It need not be of length 1.
    pub vector: &'a [f32],
}

/// What to look for.
#[derive(Clone, Copy)]
pub struct SearchQuery<'a> {
    /// Persons to come back, at most; 0 finds nobody. Meant for tens or hundreds.
    pub top_k: usize,
    /// The greatest distance that counts. 0 or more.
    pub max_distance: Option<f32>,
    /// Read sketches first, which is quicker and may miss a face with a probability of at most 10⁻⁹. Without effect
    /// where `within` is `None`.
    pub prefilter: bool,
    /// Persons that may be found; all others are as if they were not there. It must be quick and must not use the index.
    pub person_filter: Option<&'a (dyn Fn(Uuid) -> bool + Sync)>,
}

/// A person that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// Whoever was found.
    pub person: Uuid,
    /// The nearest of its faces.
    pub face: Uuid,
    /// Euclidean distance to that face; summed up in double precision and rounded once.
    pub distance: f32,
}

/// Why an index does not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The space has fewer than 8 or more than 2048 dimensions.
    #[error("an index has 8 to 2048 dimensions, not {0}")]
    UnsupportedDimension(usize),
    /// A vector has another number of dimensions.
    #[error("a vector has {got} dimensions instead of {expected}")]
    DimensionMismatch {
        /// What the index has.
        expected: usize,
        /// What the vector has.
        got: usize,
    },
    /// A vector has numbers that are infinite, not a number, or beyond a million.
    #[error("a vector has a number that is not finite or beyond a million")]
    InvalidVector,
    /// The distance asked for is negative or not a number.
    #[error("a distance is 0 or more")]
    InvalidDistance,
    /// The file is none of ours, or its beginning is damaged.
    #[error("the file is no index")]
    NotAnIndex,
    /// The file is of another model or dimension.
    #[error("the index is of another model or dimension")]
    SpaceMismatch,
    /// The file was made with another key, or its header was tampered with.
    #[error("the index was made with another key")]
    KeyMismatch,
    /// Somebody else has the file open.
    #[error("the index is in use by another process")]
    InUse,
    /// A record that was good when the file was opened is no longer: open it again.
    #[error("a record of the index was damaged since it was opened")]
    Damaged,
    /// The file has four thousand million slots.
    #[error("the index is full")]
    Full,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    NoRandomness,
    /// The system failed.
    #[error("the index cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
}

impl std::fmt::Debug for SearchQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask")
            .field("most", &self.top_k)
            .field("within", &self.max_distance)
            .field("prefilter", &self.prefilter)
            .field("only", &self.person_filter.map(|_| "..."))
            .finish()
    }
}
