//! An active challenge: the server chooses at random how a head is to move, and looks at the frames that come back.
//!
//! What it holds against whom: a photo that is shown or moved (its points stay in one plane, however it is turned), a
//! recording (it makes other moves than those chosen just now), a second person who takes over. What it does not: a mask, a
//! face that a program moves as it is told (a deepfake), frames that never saw a camera. `docs/ACCURACY.md` says what passed.
//!
//! Frames come as cameras take them, not mirrored, at least three a second.

mod check;
mod moves;
mod pose;

pub use check::{Check, Outcome, Verdict};
pub use pose::Pose;

use crate::{Face, Vision, VisionError};
use base::{Picture, World};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// For how long a challenge may be answered.
pub const VALID: SignedDuration = SignedDuration::from_secs(90);

/// Frames of one answer at most; more are not looked at.
pub const MOST_FRAMES: usize = 90;

/// What kind of challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Three moves, turns of the head and perhaps one nearer or farther: 52 different ones.
    Turn,
    /// The face comes nearer first, then two turns: six different ones.
    Zoom,
}

/// A move that is asked for. Between two turns the head looks ahead again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Move {
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
pub struct Challenge {
    /// What kind.
    pub kind: Kind,
    /// What to do, in this order, beginning and ending with a look straight ahead.
    pub moves: Vec<Move>,
    /// Until when frames are accepted.
    pub expires_at: Timestamp,
}

/// What one frame shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Seconds since the first frame, or any other moment.
    pub time: f64,
    /// How many faces count.
    pub faces: usize,
    /// The surest face, in pixels of the frame.
    pub face: Option<Face>,
    /// Whose it is, in the space of the pack's model.
    pub embedding: Option<Vec<f32>>,
}

impl Challenge {
    /// Chooses one.
    pub fn choose(world: &dyn World, kind: Kind) -> Self {
        let all = moves::all(kind);
        let mut chance = [0; 8];
        world.fill(&mut chance);
        // Of 2^64 numbers a few dozen share the rest that is left over.
        let chosen = (u64::from_le_bytes(chance) % all.len().max(1) as u64) as usize;
        let moves = all.get(chosen).cloned().unwrap_or_default();
        Self { kind, moves, expires_at: world.now() + VALID }
    }

    /// Judges an answer that arrived at `now`, whose observations are in the order of the frames. `same` is the distance of
    /// embeddings up to which two pictures show one person: [`Space::distance_at`](crate::Space::distance_at) a false
    /// match rate of the caller's choice.
    pub fn check(&self, seen: &[Observation], same: f32, now: Timestamp) -> Verdict {
        check::check(self, seen, same, now)
    }
}

impl Observation {
    /// Looks at a frame. Costs about as much as one estimate of an age.
    pub fn of(vision: &mut Vision, picture: &Picture, time: f64) -> Result<Self, VisionError> {
        let found = vision.detect_upright(picture)?;
        let faces = found.iter().filter(|face| vision.counts(face)).count();
        let face = found.into_iter().next();
        let embedding = face.map(|face| vision.embed(picture, &face)).transpose()?;
        Ok(Self { time, faces, face, embedding })
    }
}
