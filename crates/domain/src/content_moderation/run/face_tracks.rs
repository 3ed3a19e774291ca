//! Appearances of faces in moving pictures: what a run knows of each, and when it is judged. An appearance is one face,
//! followed from its first picture to its last.

use super::{
    ModerationRun, RunStopError,
    decision::judge_face,
    effects::{JudgedFace, RunEffects},
    frame_faces::{FrameFaces, FrameFacesError},
};
use crate::{
    content_moderation::{
        AgeGroup, FaceMeasurements, NotificationReason,
        contents::ContentType,
        finding_pictures::{AppearancePictures, SharedFrame},
    },
    image_analysis::ImageAnalyser,
};
use base::{Environment, Id as _, ModerationFindingId, Picture, PictureSize, ProfileId};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};
use vision::{
    AgeEstimate, Face, VisionError, VisionModels,
    track::{FaceTrack, FaceTracker, TrackId, TrackingRules, TrackingStep},
};

/// How many of the nearest profiles an appearance is judged by, besides those that are banned or named.
pub(super) const MAX_CANDIDATES: usize = 8;
/// How many age estimates of an appearance count: those of its best pictures.
const MAX_AGES_PER_TRACK: usize = 5;
/// In how many pictures the age of an appearance is estimated as often as they get any clearer. An appearance may last for
/// hours; after that, a picture must be clearer by [`MIN_QUALITY_GAIN`] than one that counts.
const MAX_AGE_ESTIMATES_PER_TRACK: u32 = 15;
/// How much clearer, 0 to 1, a later picture must be for another estimate; so that there is an end to them.
const MIN_QUALITY_GAIN: f32 = 0.05;
/// How often an appearance in a live video is judged again while it goes on, seconds: it may be seen better by now, or
/// somebody may have been banned or enrolled since.
const REJUDGE_SECONDS: f64 = 5.0;
/// An estimate this close to the limit on the age, in years, may yet fall on its other side.
const NEAR_AGE_LIMIT_YEARS: f32 = 8.0;
/// Below this quality, 0 to 1, a face is unclear: small, blurred or turned away.
pub(super) const MIN_CLEAR_QUALITY: f32 = 0.3;
/// The share of the usual distance within which an unclear face still matches a profile. Faces of different people at 20 to
/// 60 pixels were measured only 0.48 apart, where the limit for clear faces is 0.49.
pub(super) const UNCLEAR_DISTANCE_FACTOR: f32 = 0.8;
/// The detection score, 0 to 1, that an appearance in a single picture of a video needs to count. Images have one picture
/// only, and no such limit: with it, 8 of 36 reposts of banned people's portraits were told, and without it 35.
const MIN_SINGLE_FRAME_SCORE: f32 = 0.9;

/// What a run knows of the appearances so far: its checkpoint. Add members with defaults, so that checkpoints of older
/// builds can be read; a stored content whose checkpoint cannot be read is looked at again from the beginning.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FaceTracks {
    /// The position of the last picture, in seconds from the content's beginning.
    pub(super) time: f64,
    /// How many pictures were processed.
    pub(super) pictures: u64,
    /// The size of the decoded pictures.
    size: PictureSize,
    /// The longer side of the content, in pixels; large contents are decoded smaller.
    #[serde(default)]
    pub(super) side: u32,
    pub(super) tracker: FaceTracker,
    known: BTreeMap<TrackId, TrackState>,
    /// Whether it was reported that the live video is being watched.
    #[serde(default)]
    pub(super) started: bool,
    /// The most faces of one picture that were found and left out.
    #[serde(default)]
    pub(super) unjudged_faces: u32,
    /// SHA-256 of the model that the embeddings are of, hexadecimal. Older builds did not write it; their checkpoints count as
    /// those of the model in use: a build and the models are seldom replaced in one moment.
    #[serde(default)]
    model: Option<String>,
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
            unjudged_faces: 0,
            model: None,
        }
    }
}

/// What is known of one appearance besides its track. The members' names are those of the stored checkpoint.
#[derive(Debug, Serialize, Deserialize)]
struct TrackState {
    finding: ModerationFindingId,
    /// Quality, 0 to 1, and estimated age, in years, in its best pictures; best first.
    ages: Vec<(f32, f32)>,
    /// The 80 % intervals of these estimates, years, in the same order; fewer in checkpoints of builds that did not keep them.
    #[serde(default)]
    age_intervals: Vec<(f32, f32)>,
    /// In how many pictures its age was estimated.
    estimates: u32,
    /// The highest detection score of its pictures, 0 to 1.
    score: f32,
    /// Whether it was judged.
    settled: bool,
    /// What was reported of it.
    told: Vec<NotificationReason>,
    /// When it was judged last, in seconds from the content's beginning.
    #[serde(default)]
    judged_at: f64,
    /// What was written of it last, by this process.
    #[serde(skip)]
    written: Option<WrittenVerdict>,
    /// What a reviewer would see of it, as far as this process has looked.
    #[serde(skip)]
    pictures: AppearancePictures,
}

/// What decides whether an appearance that is judged again is written again: the moment of its best picture, and what was
/// said.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WrittenVerdict {
    best_time: f64,
    profile: Option<ProfileId>,
    is_banned: bool,
    age_group: AgeGroup,
}

impl TrackState {
    fn new(finding: ModerationFindingId) -> Self {
        Self {
            finding,
            ages: Vec::new(),
            age_intervals: Vec::new(),
            estimates: 0,
            score: 0.0,
            settled: false,
            told: Vec::new(),
            judged_at: 0.0,
            written: None,
            pictures: AppearancePictures::default(),
        }
    }

    /// Whether the age is worth estimating in another picture, of this quality.
    fn needs_age_estimate(&self, quality: f32) -> bool {
        let gain = if self.estimates < MAX_AGE_ESTIMATES_PER_TRACK { 0.0 } else { MIN_QUALITY_GAIN };
        self.ages.len() < MAX_AGES_PER_TRACK
            || self.ages.last().is_some_and(|(worst, _)| quality > *worst + gain)
    }

    /// Whether the next picture must be looked at because of this face; see [`FaceTracks::need_looks`].
    fn needs_look(&self, age_limit: Option<u8>) -> bool {
        let is_near = |years: f32| {
            age_limit.is_some_and(|limit| (years - f32::from(limit)).abs() < NEAR_AGE_LIMIT_YEARS)
        };
        self.ages.len() < MAX_AGES_PER_TRACK
            || (self.estimates < MAX_AGE_ESTIMATES_PER_TRACK && self.years().is_some_and(is_near))
    }

    fn add_age_estimate(&mut self, quality: f32, age: &AgeEstimate) {
        self.estimates += 1;
        let index = self.ages.partition_point(|(known, _)| *known >= quality);
        self.ages.insert(index, (quality, age.years));
        self.ages.truncate(MAX_AGES_PER_TRACK);
        self.age_intervals.insert(index.min(self.age_intervals.len()), (age.low80, age.high80));
        self.age_intervals.truncate(MAX_AGES_PER_TRACK);
    }

    /// The median of the age estimates, in years, so that one odd picture makes nobody older or younger.
    fn years(&self) -> Option<f32> {
        median(self.ages.iter().map(|(_, years)| *years))
    }

    /// The medians of the lower and of the upper ends of the estimates' 80 % intervals, years.
    fn years_interval(&self) -> Option<(f32, f32)> {
        let low = median(self.age_intervals.iter().map(|(low, _)| *low))?;
        Some((low, median(self.age_intervals.iter().map(|(_, high)| *high))?))
    }

    /// Whether an appearance that goes on in a live video is to be judged, `now` seconds from the content's beginning.
    fn is_due_in_live_video(&self, now: f64) -> bool {
        !self.settled || now - self.judged_at >= REJUDGE_SECONDS
    }
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut sorted: Vec<f32> = values.collect();
    sorted.sort_by(f32::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => sorted.get(middle).copied(),
        _ => Some(f32::midpoint(*sorted.get(middle - 1)?, *sorted.get(middle)?)),
    }
}

/// The edges of a face that was found in a picture of `size`: top, right, bottom and left, clamped to the picture, in whole
/// pixels of a content whose longer side is `side`.
pub(super) fn face_edges(face: &Face, size: PictureSize, side: u32) -> [i64; 4] {
    let scale = content_scale(size, side);
    let within = |value: f32, most: u32| (value.clamp(0.0, most as f32) * scale).round() as i64;
    [
        within(face.top, size.height),
        within(face.right, size.width),
        within(face.bottom, size.height),
        within(face.left, size.width),
    ]
}

/// Width and height of a content whose longer side is `side` and whose pictures are looked at in `size`.
fn content_size(size: PictureSize, side: u32) -> (u32, u32) {
    let scaled = |length: u32| (length as f32 * content_scale(size, side)).round() as u32;
    (scaled(size.width), scaled(size.height))
}

/// How many pixels of a content are one of a picture of `size`.
fn content_scale(size: PictureSize, side: u32) -> f32 {
    side.max(1) as f32 / size.width.max(size.height).max(1) as f32
}

/// Takes pictures of faces in one picture; returns those of each track so far.
async fn take_pictures(
    analyser: &ImageAnalyser,
    picture: Arc<Picture>,
    time: f64,
    faces: Vec<(TrackId, Face, f32, AppearancePictures)>,
) -> Result<Vec<(TrackId, AppearancePictures)>, FrameFacesError> {
    if faces.is_empty() {
        return Ok(Vec::new());
    }
    let taking = analyser.run_in_background(move |_| {
        let mut shared = SharedFrame::default();
        let take = |(track, face, quality, mut pictures): (TrackId, Face, f32, AppearancePictures)| {
            pictures.take((&picture, &mut shared), &face, quality, time);
            (track, pictures)
        };
        faces.into_iter().map(take).collect()
    });
    Ok(taking.await?)
}

/// Estimates the ages of faces in one picture; returns them with the faces' tracks and qualities.
async fn estimate_ages(
    analyser: &ImageAnalyser,
    picture: Arc<Picture>,
    faces: Vec<(TrackId, Face, f32)>,
) -> Result<Vec<(TrackId, f32, AgeEstimate)>, FrameFacesError> {
    if faces.is_empty() {
        return Ok(Vec::new());
    }
    let analysis = analyser.run_in_background(move |vision: &mut VisionModels| {
        let estimate = |(track, face, quality): (TrackId, Face, f32)| -> Result<_, VisionError> {
            Ok((track, quality, vision.estimate_age(&picture, &face)?))
        };
        faces.into_iter().map(estimate).collect::<Result<Vec<_>, _>>()
    });
    Ok(analysis.await??)
}

impl FaceTracks {
    /// Those of a live video whose appearances up to `last` are known no more; `started`: whether it was reported that it is
    /// being watched.
    pub(super) fn after(last: TrackId, started: bool) -> Self {
        let tracker = FaceTracker::new(TrackingRules::default()).numbered_after(last);
        Self { tracker, started, ..Self::default() }
    }

    /// Goes on with the embeddings of a model. Open appearances of another one cannot be compared any more: those of a live video
    /// are dropped. A stored content is looked at again from its beginning, where appearances get the numbers that they had, so
    /// that none is told twice.
    pub(super) fn enter_space(&mut self, model: &str, is_live: bool) {
        let before = self.model.replace(model.to_owned());
        if before.is_none_or(|before| before == model) || self.tracker.active().next().is_none() {
            return;
        }
        if is_live {
            let _not_comparable = self.tracker.finish();
            self.known.clear();
        } else {
            *self = Self { model: self.model.take(), ..Self::default() };
        }
    }

    /// Takes the next picture: follows its faces, and estimates the age of those that are clearer than before.
    pub(super) async fn follow(
        &mut self,
        analyser: &ImageAnalyser,
        environment: &dyn Environment,
        frame: FrameFaces,
        takes_pictures: bool,
    ) -> Result<TrackingStep, FrameFacesError> {
        let FrameFaces { time, picture, faces: frame_faces, unjudged_faces, is_looked_at } = frame;
        self.unjudged_faces = self.unjudged_faces.max(unjudged_faces);
        let faces: Vec<(Face, f32)> = frame_faces.iter().map(|face| (face.face, face.quality)).collect();
        let step = self.tracker.step(time, frame_faces);
        self.time = time;
        self.size = picture.size();
        self.pictures += 1;

        let (mut to_estimate, mut to_take) = (Vec::new(), Vec::new());
        for (track, (face, quality)) in step.tracks.iter().zip(faces) {
            let state = self
                .known
                .entry(*track)
                .or_insert_with(|| TrackState::new(ModerationFindingId::new(environment)));
            state.score = state.score.max(face.score);
            if is_looked_at && state.needs_age_estimate(quality) {
                to_estimate.push((*track, face, quality));
            }
            if takes_pictures && is_looked_at && state.pictures.wants(quality, time) {
                to_take.push((*track, face, quality, std::mem::take(&mut state.pictures)));
            }
        }
        let (taken, ages) = futures_util::future::join(
            take_pictures(analyser, picture.clone(), time, to_take),
            estimate_ages(analyser, picture, to_estimate),
        )
        .await;
        for (track, pictures) in taken? {
            if let Some(state) = self.known.get_mut(&track) {
                state.pictures = pictures;
            }
        }
        for (track, quality, age) in ages? {
            if let Some(state) = self.known.get_mut(&track) {
                state.add_age_estimate(quality, &age);
            }
        }
        Ok(step)
    }

    /// Whether one of these appearances must be looked at again in the next picture: it is too new for its age to be known,
    /// or looks about as old as `age_limit`, in years.
    pub(super) fn need_looks(&self, tracks: &[TrackId], age_limit: Option<u8>) -> bool {
        tracks.iter().filter_map(|track| self.known.get(track)).any(|state| state.needs_look(age_limit))
    }

    /// Whether an appearance counts: what was detected once, and with a low score, was most likely no face.
    pub(super) fn counts(&self, track: &FaceTrack) -> bool {
        let score = self.known.get(&track.id).map_or(0.0, |state| state.score);
        track.frames > 1 || score >= MIN_SINGLE_FRAME_SCORE
    }

    /// The estimated age of an appearance, in years.
    pub(super) fn years(&self, track: &FaceTrack) -> Option<f32> {
        self.known.get(&track.id)?.years()
    }
}

impl ModerationRun {
    /// Takes the next picture, and judges the appearances that have lasted long enough or have ended. Returns whether the
    /// next picture must be looked at because of a face in this one.
    pub(super) async fn ingest_frame(
        &self,
        tracks: &mut FaceTracks,
        frame: FrameFaces,
        effects: &mut RunEffects,
    ) -> Result<bool, RunStopError> {
        let step = tracks
            .follow(&self.analyser, &*self.runner.environment, frame, self.runner.pictures.is_on())
            .await?;
        let settle_seconds = self.runner.settings.settle_seconds;
        let (is_live, now) = (self.context.content_type == ContentType::LiveVideo, tracks.time);
        let is_due =
            |state: &TrackState| if is_live { state.is_due_in_live_video(now) } else { !state.settled };
        let due: Vec<FaceTrack> = step
            .tracks
            .iter()
            .filter(|id| tracks.known.get(id).is_some_and(is_due))
            .filter_map(|id| tracks.tracker.active().find(|track| track.id == *id))
            .filter(|track| track.to - track.from >= settle_seconds)
            .cloned()
            .collect();
        self.judge_tracks(tracks, &due, false, effects).await?;
        self.judge_ended(tracks, step.ended, effects).await?;
        Ok(tracks.need_looks(&step.tracks, self.parameters().age))
    }

    /// Judges appearances that have ended, and forgets them.
    pub(super) async fn judge_ended(
        &self,
        tracks: &mut FaceTracks,
        ended: Vec<FaceTrack>,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        self.judge_tracks(tracks, &ended, true, effects).await?;
        for track in ended {
            tracks.known.remove(&track.id);
        }
        Ok(())
    }

    /// Judges appearances, and writes what is new of them. In a stored video, unknown faces and faces that look too young are reported when the appearance
    /// has ended, because a clearer picture may still come; in a live video, at once.
    async fn judge_tracks(
        &self,
        tracks: &mut FaceTracks,
        due: &[FaceTrack],
        ended: bool,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        let due: Vec<&FaceTrack> = due.iter().filter(|track| tracks.counts(track)).collect();
        let embeddings: Vec<Vec<f32>> = due.iter().filter_map(|track| track.embedding()).collect();
        if due.is_empty() || embeddings.len() != due.len() {
            return Ok(());
        }
        let account = self.context.account;
        let now = self.runner.environment.now();
        let known = self.known_profiles().await?;
        let candidates = self.find_candidates(&embeddings, &known).await?;
        let report_all = ended || self.context.content_type == ContentType::LiveVideo;
        for ((track, embedding), candidates) in due.into_iter().zip(embeddings).zip(candidates) {
            let (Some(state), Some(best)) = (tracks.known.get_mut(&track.id), track.best.first()) else {
                continue;
            };
            state.settled = true;
            state.judged_at = tracks.time;
            let max_distance = self.max_distance(best.quality);
            let candidates: Vec<_> =
                candidates.into_iter().filter(|candidate| candidate.distance <= max_distance).collect();
            let years = state.years();
            let verdict = judge_face(self.parameters(), &known, &candidates, years);
            let written = WrittenVerdict {
                best_time: best.time,
                profile: verdict.profile,
                is_banned: verdict.is_banned,
                age_group: verdict.age_group,
            };
            let is_new = state.written.replace(written) != Some(written);
            let measurements = FaceMeasurements {
                distance: verdict.distance,
                max_distance,
                model: self.matching.model.clone(),
                years,
                years_interval: state.years_interval(),
                quality: best.quality,
                score: state.score,
                picture_size: Some(content_size(tracks.size, tracks.side)),
                is_of_deleted: false,
            };
            let pictures = if (is_new || ended) && !verdict.reasons.is_empty() {
                self.runner.pictures.put(account, &state.pictures).await
            } else {
                None
            };
            let judged = JudgedFace {
                id: state.finding,
                track: track.id.0,
                judged_at: now,
                frame_time: best.time,
                edges: face_edges(&best.face, tracks.size, tracks.side),
                verdict,
                measurements,
                embedding,
                pictures,
            };
            let told_before = state.told.len();
            for reason in &judged.verdict.reasons {
                let report = report_all || *reason == NotificationReason::BannedProfile;
                if report && !state.told.contains(reason) {
                    state.told.push(*reason);
                    effects.notifications.push(judged.draft_notification(*reason, now));
                }
            }
            // A reported face is written as well, because its notification refers to the finding.
            if is_new || ended || state.told.len() > told_before {
                effects.faces.push(judged);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vision::track::FrameFace;

    fn state() -> TrackState {
        TrackState::new(base::Uuid::nil().into())
    }

    fn age(years: f32) -> AgeEstimate {
        AgeEstimate { years, st_dev: 3.5, low80: years - 4.0, high80: years + 5.0, spread: 1.0 }
    }

    #[test]
    fn an_appearance_in_a_live_video_is_judged_again_while_it_goes_on() {
        let mut state = state();
        assert!(state.is_due_in_live_video(2.0));
        (state.settled, state.judged_at) = (true, 2.0);
        assert!(!state.is_due_in_live_video(6.9));
        assert!(state.is_due_in_live_video(7.0));
    }

    #[test]
    fn the_age_is_that_of_the_best_pictures() {
        let mut state = state();
        assert_eq!((state.years(), state.years_interval()), (None, None));
        state.add_age_estimate(0.5, &age(30.0));
        assert_eq!(state.years(), Some(30.0));
        state.add_age_estimate(0.9, &age(20.0));
        assert_eq!(state.years(), Some(25.0));
        for years in [21.0, 22.0, 23.0] {
            state.add_age_estimate(0.8, &age(years));
        }
        assert_eq!((state.ages.len(), state.years()), (5, Some(22.0)));
        assert_eq!(state.years_interval(), Some((18.0, 27.0)));
        assert!(!state.needs_age_estimate(0.4), "it is less clear than all others");
        assert!(state.needs_age_estimate(0.6));
        state.add_age_estimate(0.6, &age(90.0));
        assert_eq!(state.ages.last(), Some(&(0.6, 90.0)), "the worst picture is replaced");
        for _ in 0..20 {
            state.add_age_estimate(0.9, &age(20.0));
        }
        assert!(!state.needs_age_estimate(0.94), "the age was estimated often enough");
        assert!(state.needs_age_estimate(0.96), "and yet a much clearer picture counts");
    }

    #[test]
    fn a_face_is_looked_at_until_its_age_is_known() {
        let mut state = state();
        for _ in 0..5 {
            assert!(state.needs_look(None));
            state.add_age_estimate(0.5, &age(22.0));
        }
        assert!(!state.needs_look(None) && !state.needs_look(Some(40)));
        assert!(state.needs_look(Some(18)), "it may yet turn out to be younger");
        for _ in 5..15 {
            state.add_age_estimate(0.5, &age(22.0));
        }
        assert!(!state.needs_look(Some(18)), "further estimates would not be made");
    }

    fn seen(embedding: Vec<f32>) -> FrameFace {
        let face = Face { left: 0.0, top: 0.0, right: 9.0, bottom: 9.0, score: 1.0, points: [[5.0; 2]; 6] };
        FrameFace { face, embedding: Some(embedding), quality: 0.9 }
    }

    /// A checkpoint of the model `old` whose third appearance, from 4 seconds to 6, is open.
    fn of_old_model() -> FaceTracks {
        let mut tracks = FaceTracks::after(TrackId(2), true);
        tracks.enter_space("old", true);
        for time in [4.0, 5.0, 6.0] {
            let step = tracks.tracker.step(time, vec![seen(vec![1.0, 0.0])]);
            assert_eq!(step.tracks, [TrackId(3)]);
            tracks.known.insert(TrackId(3), state());
            tracks.time = time;
        }
        serde_json::from_str(&serde_json::to_string(&tracks).unwrap()).unwrap()
    }

    #[test]
    fn appearances_of_another_model_are_dropped_and_looked_at_again() {
        let is_open = |tracks: &FaceTracks| (tracks.tracker.active().count(), tracks.known.len());
        let mut same = of_old_model();
        same.enter_space("old", false);
        assert_eq!((same.time, is_open(&same)), (6.0, (1, 1)));

        let mut stored = of_old_model();
        stored.enter_space("new", false);
        assert_eq!((stored.time, is_open(&stored)), (0.0, (0, 0)), "from the beginning");
        let mut live = of_old_model();
        live.enter_space("new", true);
        assert_eq!((live.time, is_open(&live), live.started), (6.0, (0, 0), true));
        let closed = {
            let mut closed = of_old_model();
            let _judged = closed.tracker.finish();
            closed.enter_space("new", false);
            closed
        };
        assert_eq!(closed.time, 6.0, "nothing of the old model is left");
        // Of a live video no number is used twice; what is seen again from the beginning has the one that it had.
        for (mut tracks, time, number) in [(stored, 0.0, 1), (live, 6.5, 4), (closed, 6.5, 4)] {
            let step = tracks.tracker.step(time, vec![seen(vec![0.0, 1.0])]);
            assert_eq!(step.tracks, [TrackId(number)]);
            let ended = tracks.tracker.finish();
            assert_eq!(ended.iter().map(|track| track.from).collect::<Vec<_>>(), [time]);
            assert_eq!(ended[0].best.len(), 1, "nothing of the old one");
        }

        let mut unnamed = of_old_model();
        unnamed.model = None;
        unnamed.enter_space("new", false);
        assert_eq!(is_open(&unnamed), (1, 1), "of a build that did not write it");
    }

    #[test]
    fn sides_lie_within_the_picture() {
        let face =
            Face { left: -3.0, top: 2.4, right: 99.6, bottom: 70.0, score: 1.0, points: [[0.0; 2]; 6] };
        assert_eq!(face_edges(&face, PictureSize { width: 90, height: 60 }, 90), [2, 90, 60, 0]);
        assert_eq!(
            face_edges(&face, PictureSize { width: 90, height: 60 }, 180),
            [5, 180, 120, 0],
            "in pixels of the content"
        );
    }
}
