//! An active challenge: the server chooses at random how a head is to move, and looks at the frames that come back.
//!
//! What it holds against whom: a photo that is shown or moved (its points stay in one plane, however it is turned), a
//! recording (it makes other moves than those chosen just now), a second person who takes over. What it does not: a mask, a
//! face that a program moves as it is told (a deepfake), frames that never saw a camera. `docs/ACCURACY.md` says what passed.
//!
//! Frames come as cameras take them, not mirrored, at least three a second.

mod evaluation;
mod head_movements;
mod pose;

pub use evaluation::{ChallengeCheck, ChallengeCheckOutcome, ChallengeVerdict};
pub use pose::HeadPose;

use crate::{Face, VisionError, VisionModels};
use base::{Environment, Picture};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// For how long a challenge may be answered.
pub const VALIDITY_PERIOD: SignedDuration = SignedDuration::from_secs(90);

/// Frames of one answer at most; more are not looked at.
pub const MAX_FRAMES: usize = 90;

/// What kind of challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeKind {
    /// Three moves, turns of the head and perhaps one nearer or farther: 52 different ones.
    Turn,
    /// The face comes nearer first, then two turns: six different ones.
    Zoom,
}

/// A move that is asked for. Between two turns the head looks ahead again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeMove {
    /// Turn the head to the person's own left, which is to the right of the picture.
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

/// A challenge that was given to somebody. Whoever keeps it lets it be answered once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LivenessChallenge {
    /// What kind.
    pub kind: ChallengeKind,
    /// What to do, in this order, beginning and ending with a look straight ahead.
    pub moves: Vec<ChallengeMove>,
    /// Until when frames are accepted.
    pub expires_at: Timestamp,
}

/// What one frame shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameObservation {
    /// Seconds since the first frame, or any other moment.
    pub time: f64,
    /// How many faces count.
    pub faces: usize,
    /// The surest face, in pixels of the frame.
    pub face: Option<Face>,
    /// Whose it is, in the space of the pack's model.
    pub embedding: Option<Vec<f32>>,
}

impl LivenessChallenge {
    /// Chooses one.
    pub fn random(world: &dyn Environment, kind: ChallengeKind) -> Self {
        let all = head_movements::sequences(kind);
        let mut chance = [0; 8];
        world.fill_random(&mut chance);
        // Of 2^64 numbers a few dozen share the rest that is left over.
        let chosen = (u64::from_le_bytes(chance) % all.len().max(1) as u64) as usize;
        let moves = all.get(chosen).cloned().unwrap_or_default();
        Self { kind, moves, expires_at: world.now() + VALIDITY_PERIOD }
    }

    /// Judges an answer that arrived at `now`, whose observations are in the order of the frames. `same` is the distance of
    /// embeddings up to which two pictures show one person: [`EmbeddingSpace::distance_at`](crate::EmbeddingSpace::distance_at) a false
    /// match rate of the caller's choice.
    pub fn verify(&self, seen: &[FrameObservation], same: f32, now: Timestamp) -> ChallengeVerdict {
        evaluation::evaluate(self, seen, same, now)
    }
}

impl FrameObservation {
    /// Looks at a frame. Costs about as much as one estimate of an age.
    pub fn of(vision: &mut VisionModels, picture: &Picture, time: f64) -> Result<Self, VisionError> {
        let found = vision.detect_upright(picture)?;
        let faces = found.iter().filter(|face| vision.is_confident(face)).count();
        let face = found.into_iter().next();
        let embedding = face.map(|face| vision.embed(picture, &face)).transpose()?;
        Ok(Self { time, faces, face, embedding })
    }
}
