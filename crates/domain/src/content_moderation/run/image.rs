//! A picture: everybody in it at once.

use super::{
    ContentModerationService, JudgedFace, ModerationRun, RunEffects, RunStopError, decision::judge_face,
};
use crate::content_moderation::ModerationState;
use base::{Id as _, ModerationFindingId};
use vision::{Face, VisionError, VisionModels};

/// Faces of one picture that are looked at; of a crowd, the surest.
const MAX_FACES_PER_IMAGE: usize = 200;

/// A face of a picture.
struct ImageFace {
    face: Face,
    embedding: Vec<f32>,
    years: f32,
}

impl ContentModerationService {
    pub(super) async fn run_image(&self, task: &ModerationRun) -> Result<(), RunStopError> {
        let picture = self.0.videos.picture(&task.context.url).await?;
        self.check_stop_requested(task).await?;
        let smallest = self.0.settings.min_face_pixels;
        let size = picture.size();
        let looked = self.0.estimator.run_in_background(move |vision: &mut VisionModels| {
            let mut faces = vision.detect_tiled(&picture, smallest)?;
            faces.truncate(MAX_FACES_PER_IMAGE);
            let see = |face: Face| -> Result<ImageFace, VisionError> {
                let embedding = vision.embed(&picture, &face)?;
                let years = vision.estimate_age(&picture, &face)?.years;
                Ok(ImageFace { face, embedding, years })
            };
            faces.into_iter().map(see).collect::<Result<Vec<_>, _>>()
        });
        let seen = looked.await??;
        let embeddings: Vec<Vec<f32>> = seen.iter().map(|seen| seen.embedding.clone()).collect();
        let candidates = self
            .0
            .faces
            .find_candidates(task.context.account, &embeddings, super::face_tracks::MAX_CANDIDATES, None)
            .await?;
        let mut effects = RunEffects::ending(ModerationState::Done);
        let now = self.0.world.now();
        for (at, (seen, candidates)) in seen.into_iter().zip(candidates).enumerate() {
            let verdict = judge_face(task.parameters(), &task.known_profiles, &candidates, Some(seen.years));
            let found = JudgedFace {
                id: ModerationFindingId::new(&*self.0.world),
                track: at as u64,
                frame_time: 0.0,
                edges: super::face_tracks::face_edges(&seen.face, size, size.width.max(size.height)),
                verdict,
                embedding: seen.embedding,
            };
            effects
                .notifications
                .extend(found.verdict.reasons.iter().map(|reason| found.draft_notification(*reason, now)));
            effects.faces.push(found);
        }
        self.commit_effects(task, None, effects).await
    }
}
