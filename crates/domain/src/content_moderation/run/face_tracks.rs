//! Appearances of faces in moving pictures: what a run knows of them, and when each is judged.

use super::{
    ContentModerationService, JudgedFace, ModerationRun, RunEffects, RunStopError, decision::judge_face,
};
use crate::{content::ContentType, content_moderation::NotificationReason};
use base::{Id as _, ModerationFindingId, Picture, PictureSize};
use media::video::SampledFrame;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use vision::{
    Face, VideoTileScheduler, VisionError, VisionModels,
    track::{FaceTrack, FaceTracker, FrameFace, TrackId, TrackingRules},
};

/// Profiles that an appearance is compared with, nearest first.
pub(super) const MAX_CANDIDATES: usize = 8;
/// Estimates of age that an appearance has: those of its best pictures.
const MAX_AGES_PER_TRACK: usize = 5;
/// Pictures in which its age is estimated at all; an appearance may last for hours.
const MAX_AGE_ESTIMATES_PER_TRACK: u32 = 15;
/// Faces of one picture that are looked at; of a crowd, the surest.
const MAX_FACES_PER_FRAME: usize = 50;
/// Below this quality a face is seen badly: small, blurred or turned away.
const MIN_CLEAR_QUALITY: f32 = 0.3;
/// The share of the usual distance at which such a face is still somebody's. People at 20 to 60 pixels were measured 0.48
/// apart, where 0.49 is the limit for faces that are seen well.
const UNCLEAR_DISTANCE_FACTOR: f32 = 0.8;
/// An appearance that was seen once must be this sure to count.
const MIN_SINGLE_FRAME_SCORE: f32 = 0.9;

/// What a run knows of the appearances so far: its checkpoint. Add members with defaults; what an older build wrote is
/// read, or the run begins anew.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FaceTracks {
    /// The moment of the last picture, seconds from the content's start.
    pub(super) time: f64,
    /// Pictures that were looked at.
    pub(super) pictures: u64,
    /// The size of the pictures.
    size: PictureSize,
    /// Pixels of the content's longer side; pictures of a large one are scaled down.
    #[serde(default)]
    pub(super) side: u32,
    pub(super) tracker: FaceTracker,
    known: BTreeMap<TrackId, TrackState>,
    /// Whether it was told that the live video is being watched.
    #[serde(default)]
    pub(super) started: bool,
}

impl Default for FaceTracks {
    fn default() -> Self {
        Self {
            time: 0.0,
            pictures: 0,
            size: PictureSize { width: 0, height: 0 },
            side: 0,
            tracker: FaceTracker::new(TrackingRules::default()),
            known: BTreeMap::new(),
            started: false,
        }
    }
}

/// What is known of one appearance beside its track.
#[derive(Debug, Serialize, Deserialize)]
struct TrackState {
    finding: ModerationFindingId,
    /// Quality and years of its best pictures, best first.
    ages: Vec<(f32, f32)>,
    estimates: u32,
    /// How sure it ever was that this is a face.
    score: f32,
    settled: bool,
    /// What was told of it.
    told: Vec<NotificationReason>,
}

impl TrackState {
    fn wants_age(&self, quality: f32) -> bool {
        let room = self.ages.len() < MAX_AGES_PER_TRACK
            || self.ages.last().is_some_and(|(worst, _)| quality > *worst);
        room && self.estimates < MAX_AGE_ESTIMATES_PER_TRACK
    }

    fn add_age_estimate(&mut self, quality: f32, years: f32) {
        self.estimates += 1;
        let at = self.ages.partition_point(|(known, _)| *known >= quality);
        self.ages.insert(at, (quality, years));
        self.ages.truncate(MAX_AGES_PER_TRACK);
    }

    /// How old somebody looks in their best pictures: the median, so that one odd picture makes nobody older or younger.
    fn years(&self) -> Option<f32> {
        let mut years: Vec<f32> = self.ages.iter().map(|(_, years)| *years).collect();
        years.sort_by(f32::total_cmp);
        let middle = years.len() / 2;
        match years.len() {
            0 => None,
            odd if odd % 2 == 1 => years.get(middle).copied(),
            _ => Some(f32::midpoint(*years.get(middle - 1)?, *years.get(middle)?)),
        }
    }
}

/// A picture of a video, and whom it shows.
pub(super) struct FrameFaces {
    time: f64,
    picture: Arc<Picture>,
    seen: Vec<FrameFace>,
}

/// The edges of a face in whole pixels of a content whose longer side is `side`, within it: top, right, bottom, left.
pub(super) fn face_edges(face: &Face, size: PictureSize, side: u32) -> [i64; 4] {
    let scale = side.max(1) as f32 / size.width.max(size.height).max(1) as f32;
    let within = |value: f32, most: u32| (value.clamp(0.0, most as f32) * scale).round() as i64;
    [
        within(face.top, size.height),
        within(face.right, size.width),
        within(face.bottom, size.height),
        within(face.left, size.width),
    ]
}

impl ContentModerationService {
    /// Looks for faces in a picture of a video; `sweep` knows where it was looked before.
    pub(super) async fn detect_faces(
        &self,
        sweep: Arc<Mutex<VideoTileScheduler>>,
        frame: SampledFrame,
    ) -> Result<FrameFaces, RunStopError> {
        let SampledFrame { time, picture, .. } = frame;
        let picture = Arc::new(picture);
        let shown = picture.clone();
        let looked = self.0.estimator.run_in_background(move |vision: &mut VisionModels| {
            let mut sweep = sweep.lock().unwrap_or_else(PoisonError::into_inner);
            let mut faces = vision.detect_in_video(&shown, &mut sweep)?;
            drop(sweep);
            faces.truncate(MAX_FACES_PER_FRAME);
            let see = |face: Face| -> Result<FrameFace, VisionError> {
                let quality = VisionModels::assess_quality(&shown, &face).score;
                Ok(FrameFace { embedding: Some(vision.embed(&shown, &face)?), face, quality })
            };
            faces.into_iter().map(see).collect::<Result<Vec<_>, _>>()
        });
        Ok(FrameFaces { time, picture, seen: looked.await?? })
    }

    /// Takes a picture in: follows its faces, estimates the age of those that show better than before, and judges who
    /// was seen long enough, or went away.
    pub(super) async fn ingest_frame(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
        looked: FrameFaces,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        let FrameFaces { time, picture, seen: shown } = looked;
        let faces: Vec<(Face, f32)> = shown.iter().map(|seen| (seen.face, seen.quality)).collect();
        let step = seen.tracker.step(time, shown);
        seen.time = time;
        seen.size = picture.size();
        seen.pictures += 1;

        let mut wanted = Vec::new();
        for (track, (face, quality)) in step.tracks.iter().zip(faces) {
            let known = seen.known.entry(*track).or_insert_with(|| TrackState {
                finding: ModerationFindingId::new(&*self.0.world),
                ages: Vec::new(),
                estimates: 0,
                score: 0.0,
                settled: false,
                told: Vec::new(),
            });
            known.score = known.score.max(face.score);
            if known.wants_age(quality) {
                wanted.push((*track, face, quality));
            }
        }
        for (track, quality, years) in self.estimate_ages(picture, wanted).await? {
            if let Some(known) = seen.known.get_mut(&track) {
                known.add_age_estimate(quality, years);
            }
        }

        let settle = self.0.settings.settle_seconds;
        let due: Vec<FaceTrack> = step
            .tracks
            .iter()
            .filter(|id| seen.known.get(id).is_some_and(|known| !known.settled))
            .filter_map(|id| seen.tracker.active().find(|track| track.id == *id))
            .filter(|track| track.to - track.from >= settle)
            .cloned()
            .collect();
        self.judge_tracks(task, seen, &due, false, effects).await?;
        self.judge_ended(task, seen, step.ended, effects).await
    }

    /// Estimates ages in one picture.
    async fn estimate_ages(
        &self,
        picture: Arc<Picture>,
        wanted: Vec<(TrackId, Face, f32)>,
    ) -> Result<Vec<(TrackId, f32, f32)>, RunStopError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let estimated = self.0.estimator.run_in_background(move |vision: &mut VisionModels| {
            let estimate = |(track, face, quality): (TrackId, Face, f32)| -> Result<_, VisionError> {
                Ok((track, quality, vision.estimate_age(&picture, &face)?.years))
            };
            wanted.into_iter().map(estimate).collect::<Result<Vec<_>, _>>()
        });
        Ok(estimated.await??)
    }

    /// Judges appearances that are over, for good, and forgets them.
    pub(super) async fn judge_ended(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
        ended: Vec<FaceTrack>,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        self.judge_tracks(task, seen, &ended, true, effects).await?;
        for track in ended {
            seen.known.remove(&track.id);
        }
        Ok(())
    }

    /// Judges appearances. A stored video says whom nobody knows, and who looks too young, when the appearance is over:
    /// a better picture may still come. A live one says so at once.
    async fn judge_tracks(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
        tracks: &[FaceTrack],
        over: bool,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        // What showed up once, and not clearly, was most likely no face.
        let counts = |track: &&FaceTrack| {
            let score = seen.known.get(&track.id).map_or(0.0, |known| known.score);
            track.frames > 1 || score >= MIN_SINGLE_FRAME_SCORE
        };
        let tracks: Vec<&FaceTrack> = tracks.iter().filter(counts).collect();
        let embeddings: Vec<Vec<f32>> = tracks.iter().filter_map(|track| track.embedding()).collect();
        if tracks.is_empty() || embeddings.len() != tracks.len() {
            return Ok(());
        }
        let account = task.context.account;
        let candidates = self.0.faces.find_candidates(account, &embeddings, MAX_CANDIDATES, None).await?;
        let limit = self.0.faces.identify_distance().await?;
        let now = self.0.world.now();
        let at_once = over || task.context.content_type == ContentType::LiveVideo;
        for ((track, embedding), candidates) in tracks.into_iter().zip(embeddings).zip(candidates) {
            let (Some(known), Some(best)) = (seen.known.get_mut(&track.id), track.best.first()) else {
                continue;
            };
            known.settled = true;
            // Faces that are seen badly look alike: theirs must be nearer.
            let limit =
                if best.quality < MIN_CLEAR_QUALITY { limit * UNCLEAR_DISTANCE_FACTOR } else { limit };
            let candidates: Vec<_> = candidates.into_iter().filter(|one| one.distance <= limit).collect();
            let verdict = judge_face(task.parameters(), &task.known_profiles, &candidates, known.years());
            let found = JudgedFace {
                id: known.finding,
                track: track.id.0,
                frame_time: best.time,
                edges: face_edges(&best.face, seen.size, seen.side),
                verdict,
                embedding,
            };
            for reason in &found.verdict.reasons {
                let certain = at_once || *reason == NotificationReason::BannedProfile;
                if certain && !known.told.contains(reason) {
                    known.told.push(*reason);
                    effects.notifications.push(found.draft_notification(*reason, now));
                }
            }
            effects.faces.push(found);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> TrackState {
        let finding = base::Uuid::nil().into();
        TrackState { finding, ages: Vec::new(), estimates: 0, score: 0.0, settled: false, told: Vec::new() }
    }

    #[test]
    fn the_age_is_that_of_the_best_pictures() {
        let mut known = known();
        assert_eq!(known.years(), None);
        known.add_age_estimate(0.5, 30.0);
        assert_eq!(known.years(), Some(30.0));
        known.add_age_estimate(0.9, 20.0);
        assert_eq!(known.years(), Some(25.0));
        for years in [21.0, 22.0, 23.0] {
            known.add_age_estimate(0.8, years);
        }
        assert_eq!((known.ages.len(), known.years()), (5, Some(22.0)));
        assert!(!known.wants_age(0.4), "it shows worse than ever");
        assert!(known.wants_age(0.6));
        known.add_age_estimate(0.6, 90.0);
        assert_eq!(known.ages.last(), Some(&(0.6, 90.0)), "the worst picture made room");
        for _ in 0..20 {
            known.add_age_estimate(0.95, 20.0);
        }
        assert!(!known.wants_age(1.0), "enough is enough");
    }

    #[test]
    fn sides_lie_within_the_picture() {
        let face =
            Face { left: -3.0, top: 2.4, right: 99.6, bottom: 70.0, score: 1.0, points: [[0.0; 2]; 6] };
        assert_eq!(face_edges(&face, PictureSize { width: 90, height: 60 }, 90), [2, 90, 60, 0]);
        assert_eq!(
            face_edges(&face, PictureSize { width: 90, height: 60 }, 180),
            [5, 180, 120, 0],
            "of the content"
        );
    }
}
