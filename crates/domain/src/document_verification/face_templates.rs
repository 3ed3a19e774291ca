//! Embeddings of faces that are kept to be compared with later ones.

use base::Picture;
use serde::{Deserialize, Serialize};
use vision::{VisionError, VisionModels, embedding_distance};

/// The share of strangers who would be taken for a listed or earlier person, for each such person: the lowest rate for
/// which the models state a distance.
const LISTED_FALSE_MATCH_RATE: f64 = 1e-4;

/// An embedding and the space that it lies in.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FaceTemplate {
    pub(super) embedding: Vec<f32>,
    /// The digest of the space; templates of different spaces cannot be compared.
    pub(super) space: String,
}

// The embedding is biometric data and must not reach a log through `{:?}`.
impl std::fmt::Debug for FaceTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FaceTemplate")
    }
}

impl FaceTemplate {
    /// Whether two templates are of one space and at most this far apart.
    pub(super) fn is_within(&self, other: &Self, most_distance: f32) -> bool {
        self.space == other.space && embedding_distance(&self.embedding, &other.embedding) <= most_distance
    }
}

/// The one face of a picture; `None` if there is none or more than one.
pub(super) fn only_face(
    vision: &mut VisionModels,
    picture: &Picture,
) -> Result<Option<FaceTemplate>, VisionError> {
    let faces = vision.detect(picture)?;
    let mut confident = faces.iter().filter(|face| vision.is_confident(face));
    let (Some(face), None) = (confident.next(), confident.next()) else { return Ok(None) };
    let embedding = vision.embed(picture, face)?;
    Ok(Some(FaceTemplate { embedding, space: vision.embedding_space()?.digest() }))
}

/// The distance up to which a face counts as that of a listed or earlier person; `None` if the models state none.
pub(super) fn listed_distance(vision: &mut VisionModels) -> Result<Option<f32>, VisionError> {
    Ok(vision.embedding_space()?.distance_at(LISTED_FALSE_MATCH_RATE))
}
