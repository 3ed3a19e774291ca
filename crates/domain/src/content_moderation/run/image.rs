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
use media::image_validation::BlendedPicture;
use vision::{AgeEstimate, Face, VisionError, VisionModels, embedding_distance, is_same_face};

/// How many faces of an image are judged, at most; of a crowd, those with the highest scores. The moderation says how many
/// were left out. Of an image that is transparent in places, as many on each page.
const MAX_FACES_PER_IMAGE: usize = 200;

/// How many faces of an image are shown with the image that they are in; of a crowd, the others alone.
const MAX_FRAMES_PER_IMAGE: usize = 20;

/// The page that an image is seen on.
#[derive(Clone, Copy)]
enum Page {
    White,
    /// Of an image that looks different there.
    Black,
}

impl Page {
    fn of(self, image: &BlendedPicture) -> &Picture {
        match self {
            Self::White => &image.on_white,
            Self::Black => image.on_black.as_ref().unwrap_or(&image.on_white),
        }
    }
}

struct ImageFace {
    face: Face,
    page: Page,
    quality: f32,
    embedding: Vec<f32>,
    age: AgeEstimate,
}

impl ImageFace {
    /// Whether it is one face, seen on both pages: in the same place, and of the same person.
    fn is_same(&self, other: &Self, same_person_distance: f32) -> bool {
        is_same_face(&self.face, &other.face)
            && embedding_distance(&self.embedding, &other.embedding) <= same_person_distance
    }
}

/// A face, as far as its pictures need it.
struct SeenFace {
    face: Face,
    page: Page,
    quality: f32,
}

/// The faces of an image as it is seen on a page, and how many further ones were left out.
fn analyse_faces(
    vision: &mut VisionModels,
    image: &BlendedPicture,
    page: Page,
    min_face_pixels: f32,
) -> Result<(Vec<ImageFace>, u32), VisionError> {
    let picture = page.of(image);
    let mut faces = vision.detect_tiled(picture, min_face_pixels)?;
    let left_out = keep_first(&mut faces, MAX_FACES_PER_IMAGE);
    let analyse = |face: Face| -> Result<ImageFace, VisionError> {
        let embedding = vision.embed(picture, &face)?;
        let age = vision.estimate_age(picture, &face)?;
        let quality = VisionModels::assess_quality(picture, &face).score;
        Ok(ImageFace { face, page, quality, embedding, age })
    };
    let faces = faces.into_iter().map(analyse).collect::<Result<Vec<_>, VisionError>>()?;
    Ok((faces, left_out))
}

/// Adds the faces that are seen on another page. Of one that is seen on both, the clearer one stays.
fn add_faces_of_other_page(faces: &mut Vec<ImageFace>, others: Vec<ImageFace>, same_person_distance: f32) {
    for other in others {
        match faces.iter_mut().find(|face| face.is_same(&other, same_person_distance)) {
            Some(face) if face.quality < other.quality => *face = other,
            Some(_) => {}
            None => faces.push(other),
        }
    }
}

impl ModerationRun {
    pub(super) async fn process_image(&self) -> Result<(), RunStopError> {
        let fetched = self.runner.videos.picture(self.source().await?).await?;
        self.check_stop_requested().await?;
        let min_face_pixels = self.runner.settings.min_face_pixels;
        let same_person_distance = self.matching.max_distance;
        let analysis = self.analyser.run_in_background(move |vision: &mut VisionModels| {
            let image = fetched.decode()?;
            let (mut faces, mut unjudged) = analyse_faces(vision, &image, Page::White, min_face_pixels)?;
            if image.on_black.is_some() {
                let (others, left_out) = analyse_faces(vision, &image, Page::Black, min_face_pixels)?;
                add_faces_of_other_page(&mut faces, others, same_person_distance);
                unjudged = unjudged.max(left_out);
            }
            Ok::<_, RunStopError>((image, faces, unjudged))
        });
        let (image, faces, unjudged_faces) = analysis.await??;
        let size = image.on_white.size();
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
            let seen = SeenFace { face: face.face, page: face.page, quality: face.quality };
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
        self.take_pictures(image, found, &mut effects).await?;
        self.commit_effects(None, effects).await
    }

    /// Takes the pictures of faces that something was found about; `found` has the place of each in the effects.
    async fn take_pictures(
        &self,
        image: BlendedPicture,
        found: Vec<(usize, SeenFace)>,
        effects: &mut RunEffects,
    ) -> Result<(), RunStopError> {
        if found.is_empty() || !self.runner.pictures.is_on() {
            return Ok(());
        }
        let taking = self.analyser.run_in_background(move |_| {
            let (mut on_white, mut on_black) = (SharedFrame::default(), SharedFrame::default());
            let take = |(at, (place, seen)): (usize, (usize, SeenFace))| {
                let mut taken = AppearancePictures::default();
                let mut own = SharedFrame::none();
                let frame = match seen.page {
                    _ if at >= MAX_FRAMES_PER_IMAGE => &mut own,
                    Page::White => &mut on_white,
                    Page::Black => &mut on_black,
                };
                taken.take_best((seen.page.of(&image), frame), &seen.face, seen.quality, 0.0);
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
