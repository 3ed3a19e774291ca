//! A picture: everybody in it at once.

use super::{Effects, Found, Halt, Moderations, Task, judge::judge};
use crate::moderation::ModerationState;
use base::{FindingId, Id as _};
use vision::{Face, Vision, VisionError};

/// Faces of one picture that are looked at; of a crowd, the surest.
const MOST_FACES: usize = 200;

/// A face of a picture.
struct Seen {
    face: Face,
    embedding: Vec<f32>,
    years: f32,
}

impl Moderations {
    pub(super) async fn look_at_image(&self, task: &Task) -> Result<(), Halt> {
        let picture = self.0.videos.picture(&task.telling.url).await?;
        self.check(task).await?;
        let smallest = self.0.settings.smallest_face;
        let size = picture.size();
        let looked = self.0.estimator.run_behind(move |vision: &mut Vision| {
            let mut faces = vision.find(&picture, smallest)?;
            faces.truncate(MOST_FACES);
            let see = |face: Face| -> Result<Seen, VisionError> {
                let embedding = vision.embed(&picture, &face)?;
                let years = vision.age(&picture, &face)?.years;
                Ok(Seen { face, embedding, years })
            };
            faces.into_iter().map(see).collect::<Result<Vec<_>, _>>()
        });
        let seen = looked.await??;
        let embeddings: Vec<Vec<f32>> = seen.iter().map(|seen| seen.embedding.clone()).collect();
        let candidates = self
            .0
            .faces
            .candidates(task.telling.account, &embeddings, super::appearance::CANDIDATES, None)
            .await?;
        let mut effects = Effects::ending(ModerationState::Done);
        let now = self.0.world.now();
        for (at, (seen, candidates)) in seen.into_iter().zip(candidates).enumerate() {
            let verdict = judge(task.wanted(), &task.known, &candidates, Some(seen.years));
            let found = Found {
                id: FindingId::new(&*self.0.world),
                track: at as u64,
                frame_time: 0.0,
                sides: super::appearance::sides(&seen.face, size, size.width.max(size.height)),
                verdict,
                embedding: seen.embedding,
            };
            effects.news.extend(found.verdict.reasons.iter().map(|reason| found.news(*reason, now)));
            effects.found.push(found);
        }
        self.keep(task, None, effects).await
    }
}
