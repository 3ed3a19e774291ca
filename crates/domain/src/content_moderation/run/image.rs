//! An image: all its faces are judged at once.

use super::{
    ModerationRun, RunStopError,
    decision::judge_face,
    effects::{JudgedFace, RunEffects},
    face_tracks::face_edges,
    frame_faces::keep_first,
};
use crate::content_moderation::{
    FaceMeasurements,
    ending::ModerationOutcome,
    finding_pictures::{AppearancePictures, SharedFrame},
};
use base::{Id as _, ModerationFindingId, Picture};
use vision::{AgeEstimate, Face, VisionError, VisionModels};

/// How many faces of an image are judged, at most; of a crowd, those with the highest scores. The moderation says how many
/// were left out.
const MAX_FACES_PER_IMAGE: usize = 200;

/// How many faces of an image are shown with the image that they are in; of a crowd, the others alone.
const MAX_FRAMES_PER_IMAGE: usize = 20;

struct ImageFace {
    face: Face,
    quality: f32,
    embedding: Vec<f32>,
    age: AgeEstimate,
}

impl ModerationRun {
    pub(super) async fn process_image(&self) -> Result<(), RunStopError> {
        let fetched = self.runner.videos.picture(self.source().await?).await?;
        self.check_stop_requested().await?;
        let min_face_pixels = self.runner.settings.min_face_pixels;
        let analysis = self.analyser.run_in_background(move |vision: &mut VisionModels| {
            let picture = fetched.decode()?;
            let mut faces = vision.detect_tiled(&picture, min_face_pixels)?;
            let unjudged = keep_first(&mut faces, MAX_FACES_PER_IMAGE);
            let analyse = |face: Face| -> Result<ImageFace, VisionError> {
                let embedding = vision.embed(&picture, &face)?;
                let age = vision.estimate_age(&picture, &face)?;
                let quality = VisionModels::assess_quality(&picture, &face).score;
                Ok(ImageFace { face, quality, embedding, age })
            };
            let faces = faces.into_iter().map(analyse).collect::<Result<Vec<_>, VisionError>>()?;
            Ok::<_, RunStopError>((picture, faces, unjudged))
        });
        let (picture, faces, unjudged_faces) = analysis.await??;
        let size = picture.size();
        let embeddings: Vec<Vec<f32>> = faces.iter().map(|face| face.embedding.clone()).collect();
        let environment = &*self.runner.environment;
        let now = environment.now();
        let known = self.known_profiles().await?;
        let candidates = self.find_candidates(&embeddings, &known).await?;
        let mut effects = RunEffects { unjudged_faces, ..RunEffects::ending(ModerationOutcome::Done) };
        let mut found = Vec::new();
        for (index, (face, mut candidates)) in faces.into_iter().zip(candidates).enumerate() {
            let max_distance = self.max_distance(face.quality);
            candidates.retain(|candidate| candidate.distance <= max_distance);
            let years = face.age.years;
            let verdict = judge_face(self.parameters(), &known, &candidates, Some(years));
            let measurements = FaceMeasurements {
                distance: verdict.distance,
                max_distance,
                model: self.matching.model.clone(),
                years: Some(years),
                years_interval: Some((face.age.low80, face.age.high80)),
                quality: face.quality,
                score: face.face.score,
                picture_size: Some((size.width, size.height)),
                is_of_deleted: false,
            };
            let seen = (face.face, face.quality);
            let judged = JudgedFace {
                id: ModerationFindingId::new(environment),
                track: index as u64,
                judged_at: now,
                frame_time: 0.0,
                edges: face_edges(&face.face, size, size.width.max(size.height)),
                verdict,
                measurements,
                embedding: face.embedding,
                pictures: None,
            };
            if !judged.verdict.reasons.is_empty() {
                found.push((effects.faces.len(), seen));
            }
            effects
                .notifications
                .extend(judged.verdict.reasons.iter().map(|reason| judged.draft_notification(*reason, now)));
            effects.faces.push(judged);
        }
        self.take_pictures(picture, found, &mut effects).await?;
        self.commit_effects(None, effects).await
    }

    /// Takes the pictures of faces that something was found about; `found` has the place of each in the effects, with its face
    /// and its quality.
    async fn take_pictures(
        &self,
        picture: Picture,
        found: Vec<(usize, (Face, f32))>,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        if found.is_empty() || !self.runner.pictures.is_on() {
            return Ok(());
        }
        let taking = self.analyser.run_in_background(move |_| {
            let mut shared = SharedFrame::default();
            let take = |(at, (place, (face, quality)))| {
                let mut taken = AppearancePictures::default();
                let mut own = SharedFrame::none();
                let frame = if at < MAX_FRAMES_PER_IMAGE { &mut shared } else { &mut own };
                taken.take_best((&picture, frame), &face, quality, 0.0);
                (place, taken)
            };
            found.into_iter().enumerate().map(take).collect::<Vec<_>>()
        });
        for (place, taken) in taking.await? {
            let stored = self.runner.pictures.put(self.context.account, &taken).await;
            if let Some(face) = effects.faces.get_mut(place) {
                face.pictures = stored;
            }
        }
        Ok(())
    }
}
