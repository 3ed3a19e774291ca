//! Following faces through sampled frames: one track for each appearance of a person, with the frames that show them
//! best. Nothing here looks at pixels.
//!
//! Frames may lie half a second apart, so a face may be anywhere in the next one. Embeddings decide where there are any:
//! who is alike enough is the same wherever it is, who is not is another one wherever it is. Between the two, and where
//! a face has no embedding, place and size decide.

mod age;
mod assign;
mod place;
#[cfg(test)]
mod tests;

pub use age::age;

use crate::{
    Face,
    embed::{distance, mean},
};
use serde::{Deserialize, Serialize};

/// How many best frames a track keeps.
pub const BEST: usize = 5;

/// What it costs to leave a face without a track; more than any match does.
const ALONE: f32 = 1.5;

/// When two faces are of one track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Seconds for which a face may be unseen; longer, and it begins another appearance.
    pub gap: f64,
    /// Embeddings nearer than this (Euclidean distance) are of one person.
    pub same: f32,
    /// Embeddings farther than this are of two people, wherever they are; from `same` on up to here the place decides.
    pub apart: f32,
    /// Faces seen worse than this ([`Seen::quality`]) look alike: their embeddings alone join nobody, the place must agree.
    pub clear: f32,
}

impl Default for Rules {
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
pub struct Seen {
    /// Where it is.
    pub face: Face,
    /// Who it is, where that was looked at. All embeddings of a tracker are of one space.
    pub embedding: Option<Vec<f32>>,
    /// How well it is seen, 0 to 1: see [`Quality::score`](crate::Quality::score).
    pub quality: f32,
}

/// One of the frames that show a face best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Best {
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
pub struct Track {
    /// Which.
    pub id: TrackId,
    /// Of the first frame that shows it, seconds.
    pub from: f64,
    /// Of the last frame that shows it, seconds.
    pub to: f64,
    /// How many frames show it.
    pub frames: u32,
    /// The up to [`BEST`] frames that show it best, the best first. Never empty.
    pub best: Vec<Best>,
}

impl Track {
    /// Who it is: the mean over the best frames by quality. `None` where none of them has an embedding.
    pub fn embedding(&self) -> Option<Vec<f32>> {
        // A frame of no quality at all still counts for something where there is no other.
        let weighted =
            self.best.iter().filter_map(|best| Some((best.embedding.as_deref()?, best.quality.max(1e-3))));
        mean(weighted)
    }

    fn keep(&mut self, best: Best) {
        let at = self.best.partition_point(|known| known.quality >= best.quality);
        self.best.insert(at, best);
        self.best.truncate(BEST);
    }
}

/// What a frame changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The track of each face, in the order in which the faces came.
    pub tracks: Vec<TrackId>,
    /// The tracks that have ended: unseen for longer than the gap.
    pub ended: Vec<Track>,
}

/// Follows the faces of one video. It can be stored between two frames and goes on as if nothing had been; it then
/// carries embeddings, so whoever stores it encrypts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tracker {
    rules: Rules,
    next: u64,
    now: f64,
    active: Vec<Active>,
}

/// A track that goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Active {
    track: Track,
    /// Where it was last.
    last: Face,
    /// Pixels a second.
    velocity: [f32; 2],
    /// Who it was last, which may be nearer to how it looks now than its best frames are.
    latest: Option<Vec<f32>>,
    /// The mean of its best frames.
    mean: Option<Vec<f32>>,
}

impl Tracker {
    /// A tracker that has seen nothing.
    pub fn new(rules: Rules) -> Self {
        Self { rules, next: 1, now: 0.0, active: Vec::new() }
    }

    /// Takes what one sampled frame shows at `time` (seconds; an earlier one than before counts as the one before).
    pub fn step(&mut self, time: f64, seen: Vec<Seen>) -> Step {
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
        let chosen = assign::assign(&costs, ALONE);
        let tracks = seen
            .into_iter()
            .zip(chosen)
            .map(|(seen, chosen)| match chosen.and_then(|at| self.active.get_mut(at)) {
                Some(active) => active.go_on(seen, self.now),
                None => self.begin(seen),
            })
            .collect();
        Step { tracks, ended: ended.into_iter().map(|active: Active| active.track).collect() }
    }

    /// Ends everything: the video is over.
    pub fn finish(&mut self) -> Vec<Track> {
        self.active.drain(..).map(|active| active.track).collect()
    }

    /// The tracks that go on, the oldest first.
    pub fn active(&self) -> impl Iterator<Item = &Track> {
        self.active.iter().map(|active| &active.track)
    }

    fn begin(&mut self, seen: Seen) -> TrackId {
        let id = TrackId(self.next);
        self.next += 1;
        let Seen { face, embedding, quality } = seen;
        let track = Track { id, from: self.now, to: self.now, frames: 1, best: Vec::new() };
        let mut active =
            Active { track, last: face, velocity: [0.0; 2], latest: embedding.clone(), mean: None };
        active.track.keep(Best { time: self.now, face, quality, embedding });
        active.mean = active.track.embedding();
        self.active.push(active);
        id
    }
}

impl Active {
    /// What it costs to take a face for this one, 0 to 1.2; `None` where it cannot be.
    fn cost(&self, seen: &Seen, now: f64, rules: &Rules) -> Option<f32> {
        let since = (now - self.track.to) as f32;
        let near = place::nearness(&self.last, self.velocity, since, &seen.face);
        match self.difference(seen) {
            // Somewhere else is possible, but of two who are alike the one in place is likelier.
            Some(difference) if difference <= rules.same => {
                let best = self.track.best.first().map_or(0.0, |best| best.quality);
                let clear = seen.quality.min(best) >= rules.clear;
                (clear || near >= place::POSSIBLE).then(|| 0.7 * difference / rules.same + 0.3 * (1.0 - near))
            }
            Some(difference) if difference > rules.apart => None,
            Some(_) => (near >= place::THERE).then_some(0.7 + 0.5 * (1.0 - near)),
            None => (near >= place::POSSIBLE).then_some(0.3 + 0.7 * (1.0 - near)),
        }
    }

    /// How unlike a face is to how this one looks, at best or last.
    fn difference(&self, seen: &Seen) -> Option<f32> {
        let embedding = seen.embedding.as_ref()?;
        let known = [&self.mean, &self.latest].into_iter().flatten();
        known.map(|known| distance(known, embedding)).min_by(f32::total_cmp)
    }

    fn go_on(&mut self, seen: Seen, now: f64) -> TrackId {
        let Seen { face, embedding, quality } = seen;
        self.velocity = place::velocity(&self.last, &face, (now - self.track.to) as f32);
        self.last = face;
        self.track.to = now;
        self.track.frames = self.track.frames.saturating_add(1);
        if embedding.is_some() {
            self.latest.clone_from(&embedding);
        }
        self.track.keep(Best { time: now, face, quality, embedding });
        self.mean = self.track.embedding();
        self.track.id
    }
}
