//! Following faces through sampled frames: one track for each appearance of a person, with the frames that show them
//! best. Nothing here looks at pixels.
//!
//! Frames may lie half a second apart, so a face may be anywhere in the next one. Embeddings decide where there are any:
//! who is alike enough is the same wherever it is, who is not is another one wherever it is. Between the two, and where
//! a face has no embedding, place and size decide.

mod age_fusion;
mod assignment;
mod motion_gate;
#[cfg(test)]
mod tests;

pub use age_fusion::combined_age;

use crate::{
    Face,
    embed::{embedding_distance, mean_embedding},
};
use serde::{Deserialize, Serialize};

/// How many best frames a track keeps.
pub const MAX_BEST_FRAMES: usize = 5;

/// What it costs to leave a face without a track; more than any match does.
const UNASSIGNED_COST: f32 = 1.5;

/// When two faces are of one track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackingRules {
    /// Seconds for which a face may be unseen; longer, and it begins another appearance.
    pub gap: f64,
    /// Embeddings nearer than this (Euclidean distance) are of one person.
    pub same: f32,
    /// Embeddings farther than this are of two people, wherever they are; from `same` on up to here the place decides.
    pub apart: f32,
    /// Faces seen worse than this ([`FrameFace::quality`]) look alike: their embeddings alone join nobody, the place must agree.
    pub clear: f32,
}

impl Default for TrackingRules {
    /// For the default recognition net: one in a thousand hard impostors lies nearer than 0.53. Between sampled frames of
    /// the clips that were tried, one face moved by 0.2 to 0.45; faces of 20 pixels by up to 0.66, and there different
    /// people lay at 0.48.
    fn default() -> Self {
        Self { gap: 1.5, same: 0.53, apart: 0.65, clear: 0.3 }
    }
}

/// Which track: counted up from 1 within one tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrackId(pub u64);

/// A face in a sampled frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameFace {
    /// Where it is.
    pub face: Face,
    /// Who it is, where that was looked at. All embeddings of a tracker are of one space.
    pub embedding: Option<Vec<f32>>,
    /// How well it is seen, 0 to 1: see [`FaceQuality::score`](crate::FaceQuality::score).
    pub quality: f32,
}

/// One of the frames that show a face best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestFrame {
    /// Of the frame, in seconds of the video.
    pub time: f64,
    /// Where the face is in it.
    pub face: Face,
    /// How well it is seen, 0 to 1.
    pub quality: f32,
    /// Who it is, where that was looked at.
    pub embedding: Option<Vec<f32>>,
}

/// One appearance of one face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceTrack {
    /// Which.
    pub id: TrackId,
    /// Of the first frame that shows it, seconds.
    pub from: f64,
    /// Of the last frame that shows it, seconds.
    pub to: f64,
    /// How many frames show it.
    pub frames: u32,
    /// The up to [`MAX_BEST_FRAMES`] frames that show it best, the best first. Never empty.
    pub best: Vec<BestFrame>,
}

impl FaceTrack {
    /// Who it is: the mean over the best frames by quality. `None` where none of them has an embedding.
    pub fn embedding(&self) -> Option<Vec<f32>> {
        // A frame of no quality at all still counts for something where there is no other.
        let weighted =
            self.best.iter().filter_map(|best| Some((best.embedding.as_deref()?, best.quality.max(1e-3))));
        mean_embedding(weighted)
    }

    fn keep_best_frame(&mut self, best: BestFrame) {
        let at = self.best.partition_point(|known| known.quality >= best.quality);
        self.best.insert(at, best);
        self.best.truncate(MAX_BEST_FRAMES);
    }
}

/// What a frame changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackingStep {
    /// The track of each face, in the order in which the faces came.
    pub tracks: Vec<TrackId>,
    /// The tracks that have ended: unseen for longer than the gap.
    pub ended: Vec<FaceTrack>,
}

/// Follows the faces of one video. It can be stored between two frames and goes on as if nothing had been; it then
/// carries embeddings, so whoever stores it encrypts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceTracker {
    rules: TrackingRules,
    next: u64,
    now: f64,
    active: Vec<ActiveTrack>,
}

/// A track that goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActiveTrack {
    track: FaceTrack,
    /// Where it was last.
    last: Face,
    /// Pixels a second.
    velocity: [f32; 2],
    /// Who it was last, which may be nearer to how it looks now than its best frames are.
    latest: Option<Vec<f32>>,
    /// The mean of its best frames.
    mean: Option<Vec<f32>>,
}

impl FaceTracker {
    /// A tracker that has seen nothing.
    pub fn new(rules: TrackingRules) -> Self {
        Self { rules, next: 1, now: 0.0, active: Vec::new() }
    }

    /// Takes what one sampled frame shows at `time` (seconds; an earlier one than before counts as the one before).
    pub fn step(&mut self, time: f64, seen: Vec<FrameFace>) -> TrackingStep {
        // Also where the time is no number.
        self.now = time.max(self.now);
        let oldest = self.now - self.rules.gap;
        let (active, ended) =
            std::mem::take(&mut self.active).into_iter().partition(|active| active.track.to >= oldest);
        self.active = active;
        let costs: Vec<Vec<Option<f32>>> = seen
            .iter()
            .map(|seen| self.active.iter().map(|active| active.cost(seen, self.now, &self.rules)).collect())
            .collect();
        let chosen = assignment::assign(&costs, UNASSIGNED_COST);
        let tracks = seen
            .into_iter()
            .zip(chosen)
            .map(|(seen, chosen)| match chosen.and_then(|at| self.active.get_mut(at)) {
                Some(active) => active.extend(seen, self.now),
                None => self.start_track(seen),
            })
            .collect();
        TrackingStep { tracks, ended: ended.into_iter().map(|active: ActiveTrack| active.track).collect() }
    }

    /// Ends everything: the video is over.
    pub fn finish(&mut self) -> Vec<FaceTrack> {
        self.active.drain(..).map(|active| active.track).collect()
    }

    /// The tracks that go on, the oldest first.
    pub fn active(&self) -> impl Iterator<Item = &FaceTrack> {
        self.active.iter().map(|active| &active.track)
    }

    fn start_track(&mut self, seen: FrameFace) -> TrackId {
        let id = TrackId(self.next);
        self.next += 1;
        let FrameFace { face, embedding, quality } = seen;
        let track = FaceTrack { id, from: self.now, to: self.now, frames: 1, best: Vec::new() };
        let mut active =
            ActiveTrack { track, last: face, velocity: [0.0; 2], latest: embedding.clone(), mean: None };
        active.track.keep_best_frame(BestFrame { time: self.now, face, quality, embedding });
        active.mean = active.track.embedding();
        self.active.push(active);
        id
    }
}

impl ActiveTrack {
    /// What it costs to take a face for this one, 0 to 1.2; `None` where it cannot be.
    fn cost(&self, seen: &FrameFace, now: f64, rules: &TrackingRules) -> Option<f32> {
        let since = (now - self.track.to) as f32;
        let near = motion_gate::nearness(&self.last, self.velocity, since, &seen.face);
        match self.difference(seen) {
            // Somewhere else is possible, but of two who are alike the one in place is likelier.
            Some(difference) if difference <= rules.same => {
                let best = self.track.best.first().map_or(0.0, |best| best.quality);
                let clear = seen.quality.min(best) >= rules.clear;
                (clear || near >= motion_gate::POSSIBLE_NEARNESS)
                    .then(|| 0.7 * difference / rules.same + 0.3 * (1.0 - near))
            }
            Some(difference) if difference > rules.apart => None,
            Some(_) => (near >= motion_gate::CERTAIN_NEARNESS).then_some(0.7 + 0.5 * (1.0 - near)),
            None => (near >= motion_gate::POSSIBLE_NEARNESS).then_some(0.3 + 0.7 * (1.0 - near)),
        }
    }

    /// How unlike a face is to how this one looks, at best or last.
    fn difference(&self, seen: &FrameFace) -> Option<f32> {
        let embedding = seen.embedding.as_ref()?;
        let known = [&self.mean, &self.latest].into_iter().flatten();
        known.map(|known| embedding_distance(known, embedding)).min_by(f32::total_cmp)
    }

    fn extend(&mut self, seen: FrameFace, now: f64) -> TrackId {
        let FrameFace { face, embedding, quality } = seen;
        self.velocity = motion_gate::velocity(&self.last, &face, (now - self.track.to) as f32);
        self.last = face;
        self.track.to = now;
        self.track.frames = self.track.frames.saturating_add(1);
        if embedding.is_some() {
            self.latest.clone_from(&embedding);
        }
        self.track.keep_best_frame(BestFrame { time: now, face, quality, embedding });
        self.mean = self.track.embedding();
        self.track.id
    }
}
