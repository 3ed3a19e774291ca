//! Active liveness challenges: the server chooses head movements at random and checks them in the frames of the answer.
//!
//! Threat model. Stops a photo that is shown or moved (its points stay in one plane, however it is turned), a recording
//! (which makes other moves than those chosen now), and a second person who takes over. Does not stop a mask, a
//! deepfake that follows the instructions, or frames injected behind the camera. `docs/ACCURACY.md` reports which
//! attacks passed.
//!
//! Frames must not be mirrored, and come at least three times a second, better more often.

mod evaluation;
mod head_movements;
mod pose;

pub use evaluation::{ChallengeCheck, ChallengeCheckOutcome, ChallengeVerdict};
pub use pose::HeadPose;

use crate::{Face, VisionError, VisionModels};
use base::{Environment, Picture};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Time for answering a challenge.
pub const VALIDITY_PERIOD: SignedDuration = SignedDuration::from_secs(90);

/// Most frames of one answer; further ones are ignored, and the check of their number fails.
pub const MAX_FRAMES: usize = 90;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeKind {
    /// Three moves: turns of the head, and at most one that comes nearer or goes farther away; 52 sequences.
    Turn,
    /// Coming nearer, then two turns of the head; six sequences.
    Zoom,
}

/// A requested move. Between two turns the head faces the camera again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeMove {
    /// Turn the head to the person's own left, which is the right of the picture.
    Left,
    /// Turn the head to the person's own right.
    Right,
    /// Look up.
    Up,
    /// Bring the face nearer to the camera, and stay there.
    Nearer,
    /// Take the face farther away, and stay there.
    Farther,
}

/// An issued challenge. The caller must accept only one answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LivenessChallenge {
    pub kind: ChallengeKind,
    /// The moves in their order; before and after them the head faces the camera.
    pub moves: Vec<ChallengeMove>,
    /// Frames are accepted until then.
    pub expires_at: Timestamp,
}

/// Measurements of one frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameObservation {
    /// Seconds since any fixed moment.
    pub time: f64,
    /// Number of confident faces.
    pub faces: usize,
    /// The face with the highest score, in pixels of the frame.
    pub face: Option<Face>,
    /// Its embedding, in the space of the pack's model.
    pub embedding: Option<Vec<f32>>,
}

impl LivenessChallenge {
    /// Chooses one of the sequences of a kind at random.
    pub fn random(environment: &dyn Environment, kind: ChallengeKind) -> Self {
        let sequences = head_movements::sequences(kind);
        let mut random = [0; 8];
        environment.fill_random(&mut random);
        // The modulo bias is negligible: a few dozen sequences over 2^64 numbers.
        let chosen = (u64::from_le_bytes(random) % sequences.len().max(1) as u64) as usize;
        let moves = sequences.get(chosen).cloned().unwrap_or_default();
        Self { kind, moves, expires_at: environment.now() + VALIDITY_PERIOD }
    }

    /// Checks an answer that arrived at `now`, with the observations in the order of the frames. `same` is the distance
    /// of embeddings up to which two pictures show the same person:
    /// [`EmbeddingSpace::distance_at`](crate::EmbeddingSpace::distance_at) with the caller's false match rate.
    pub fn verify(&self, frames: &[FrameObservation], same: f32, now: Timestamp) -> ChallengeVerdict {
        evaluation::evaluate(self, frames, same, now)
    }
}

impl FrameObservation {
    /// Detects and embeds the face of a frame; takes about as long as one age estimate.
    pub fn of(vision: &mut VisionModels, picture: &Picture, time: f64) -> Result<Self, VisionError> {
        let found = vision.detect_upright(picture)?;
        let faces = found.iter().filter(|face| vision.is_confident(face)).count();
        let face = found.into_iter().next();
        let embedding = face.map(|face| vision.embed(picture, &face)).transpose()?;
        Ok(Self { time, faces, face, embedding })
    }
}
