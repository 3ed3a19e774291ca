//! Tracks faces through sampled frames: one track for each appearance of a person, with the frames that show them best.
//! Works on detections and embeddings, not on pixels.
//!
//! Frames may be half a second apart, so a face may be anywhere in the next one. Where there are embeddings they
//! decide: close ones are the same person and distant ones are not, wherever the faces are. Between the two, and for
//! faces without an embedding, position and size decide.

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
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

/// Number of best frames that a track keeps.
pub const MAX_BEST_FRAMES: usize = 5;

/// Cost of leaving a face unassigned, which begins a track; greater than that of any match (at most 1.2).
const UNASSIGNED_COST: f32 = 1.5;

/// How long, in seconds, a frame may stay until the next one without ending the tracks of the faces in it: of slides, and where
/// there are few frames.
const MAX_SECONDS_BETWEEN_FRAMES: f64 = 10.0;

/// When two faces belong to the same track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrackingRules {
    /// Seconds for which a face may be unseen. After a longer gap it begins another track, unless no frame came in between.
    pub gap: f64,
    /// Embeddings up to this Euclidean distance are of the same person.
    pub same: f32,
    /// Embeddings beyond this distance are of different people. Between `same` and `apart` the position decides.
    pub apart: f32,
    /// Below this [`FrameFace::quality`] embeddings of different people are close, so the position must match as well.
    pub clear: f32,
}

impl Default for TrackingRules {
    /// For the default recognition net, in which one of a thousand strangers of one group is closer than 0.53, and one of a
    /// hundred people is farther than 0.6 from another picture of themselves, years apart.
    fn default() -> Self {
        Self { gap: 1.5, same: 0.53, apart: 0.6, clear: 0.3 }
    }
}

/// Id of a track: counts up from 1 within one tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrackId(pub u64);

/// A face in a sampled frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameFace {
    pub face: Face,
    /// Its embedding, where one was computed. All embeddings of a tracker are of one space.
    pub embedding: Option<Vec<f32>>,
    /// Quality, 0 to 1: see [`FaceQuality::score`](crate::FaceQuality::score).
    pub quality: f32,
}

/// One of the best frames of a track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestFrame {
    /// Seconds of the video.
    pub time: f64,
    pub face: Face,
    /// Quality, 0 to 1.
    pub quality: f32,
    /// Its embedding, where one was computed.
    pub embedding: Option<Vec<f32>>,
}

/// One appearance of a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceTrack {
    pub id: TrackId,
    /// Time of the first frame, seconds of the video.
    pub from: f64,
    /// Time of the last frame, seconds of the video.
    pub to: f64,
    /// Number of frames that show the face.
    pub frames: u32,
    /// The frames of the highest quality, best first; 1 to [`MAX_BEST_FRAMES`].
    pub best: Vec<BestFrame>,
}

impl FaceTrack {
    /// The embedding of the track: the mean over its best frames, weighted by quality. `None` where none has an
    /// embedding.
    pub fn embedding(&self) -> Option<Vec<f32>> {
        // A frame of quality 0 keeps a small weight, so that it counts where there is no other.
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

/// The result of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackingStep {
    /// The track of each face, in the order of the faces.
    pub tracks: Vec<TrackId>,
    /// The tracks that have ended: unseen for longer than [`TrackingRules::gap`], and not in the frame before.
    pub ended: Vec<FaceTrack>,
}

/// Tracks the faces of one video. It can be serialised between two frames and continues as if it had not been; it
/// contains embeddings, so it must be stored encrypted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceTracker {
    #[serde(default, deserialize_with = "current_rules")]
    rules: TrackingRules,
    next: u64,
    now: f64,
    active: Vec<ActiveTrack>,
}

/// The rules of this build, whatever was stored: thresholds belong to the model in use. They are written because older builds
/// read no tracker without them.
fn current_rules<'de, D: Deserializer<'de>>(from: D) -> Result<TrackingRules, D::Error> {
    IgnoredAny::deserialize(from)?;
    Ok(TrackingRules::default())
}

/// A track that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActiveTrack {
    track: FaceTrack,
    /// The face in the last frame.
    last: Face,
    /// Pixels per second.
    velocity: [f32; 2],
    /// The last embedding, which may be closer to the next one than the mean of the best frames.
    latest: Option<Vec<f32>>,
    /// The mean embedding of the best frames.
    mean: Option<Vec<f32>>,
}

impl FaceTracker {
    pub fn new(rules: TrackingRules) -> Self {
        Self { rules, next: 1, now: 0.0, active: Vec::new() }
    }

    /// Assigns the faces of the frame at `time` (seconds of the video; a time before the last one counts as the last
    /// one).
    pub fn step(&mut self, time: f64, faces: Vec<FrameFace>) -> TrackingStep {
        let frame_before = self.now;
        // `max` also ignores NaN.
        self.now = time.max(self.now);
        let oldest = (self.now - self.rules.gap).min(frame_before.max(self.now - MAX_SECONDS_BETWEEN_FRAMES));
        let (active, ended) =
            std::mem::take(&mut self.active).into_iter().partition(|active| active.track.to >= oldest);
        self.active = active;
        let costs: Vec<Vec<Option<f32>>> = faces
            .iter()
            .map(|face| self.active.iter().map(|active| active.cost(face, self.now, &self.rules)).collect())
            .collect();
        let assigned = assignment::assign(&costs, UNASSIGNED_COST);
        let tracks = faces
            .into_iter()
            .zip(assigned)
            .map(|(face, assigned)| match assigned.and_then(|at| self.active.get_mut(at)) {
                Some(active) => active.extend(face, self.now),
                None => self.start_track(face),
            })
            .collect();
        TrackingStep { tracks, ended: ended.into_iter().map(|active: ActiveTrack| active.track).collect() }
    }

    /// The same tracker, whose next track gets the number after `last`.
    #[must_use]
    pub fn numbered_after(self, last: TrackId) -> Self {
        Self { next: last.0.saturating_add(1), ..self }
    }

    /// Ends all tracks at the end of the video. Their numbers are not used again.
    pub fn finish(&mut self) -> Vec<FaceTrack> {
        self.active.drain(..).map(|active| active.track).collect()
    }

    /// The tracks that have not ended, oldest first.
    pub fn active(&self) -> impl Iterator<Item = &FaceTrack> {
        self.active.iter().map(|active| &active.track)
    }

    fn start_track(&mut self, frame_face: FrameFace) -> TrackId {
        let id = TrackId(self.next);
        self.next += 1;
        let FrameFace { face, embedding, quality } = frame_face;
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
    /// Cost of assigning a face to this track, 0 to 1.2; `None` where it cannot belong to it.
    fn cost(&self, candidate: &FrameFace, now: f64, rules: &TrackingRules) -> Option<f32> {
        let since = (now - self.track.to) as f32;
        let near = motion_gate::nearness(&self.last, self.velocity, since, &candidate.face);
        match self.embedding_distance(candidate) {
            // The same person may be anywhere, but of two people who look alike the closer one is likelier.
            Some(distance) if distance <= rules.same => {
                let best = self.track.best.first().map_or(0.0, |best| best.quality);
                let clear = candidate.quality.min(best) >= rules.clear;
                (clear || near >= motion_gate::POSSIBLE_NEARNESS)
                    .then(|| 0.7 * distance / rules.same + 0.3 * (1.0 - near))
            }
            Some(distance) if distance > rules.apart => None,
            Some(_) => (near >= motion_gate::CERTAIN_NEARNESS).then_some(0.7 + 0.5 * (1.0 - near)),
            None => (near >= motion_gate::POSSIBLE_NEARNESS).then_some(0.3 + 0.7 * (1.0 - near)),
        }
    }

    /// Distance of a face's embedding to the track's mean or last one, whichever is closer.
    fn embedding_distance(&self, candidate: &FrameFace) -> Option<f32> {
        let embedding = candidate.embedding.as_ref()?;
        let known = [&self.mean, &self.latest].into_iter().flatten();
        known.map(|known| embedding_distance(known, embedding)).min_by(f32::total_cmp)
    }

    fn extend(&mut self, frame_face: FrameFace, now: f64) -> TrackId {
        let FrameFace { face, embedding, quality } = frame_face;
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
