//! The model that computes embeddings: its embedding space, the distances that decide whether two faces are one person's,
//! and the extraction of faces from pictures on the analyser's workers.

use super::{
    EnrolRules, FaceIndexError, FaceIndexSettings,
    face_extraction::{self, ExtractedFace, ExtractionPurpose},
};
use crate::image_analysis::{AnalysisError, ImageAnalyser};
use base::AppId;
use std::sync::Arc;
use tokio::sync::OnceCell;
use vision::EmbeddingSpace;

/// A distance threshold as the operator sets it.
#[derive(Debug)]
struct DistanceSetting {
    /// The threshold itself, if it is set.
    distance: Option<f32>,
    /// Otherwise the false match rate, 0 to 1, whose distance the model states.
    false_match_rate: f64,
}

/// The model of this process.
#[derive(Debug)]
pub(super) struct FaceModel {
    analyser: ImageAnalyser,
    rules: EnrolRules,
    verify: DistanceSetting,
    identify: DistanceSetting,
    space: OnceCell<Arc<EmbeddingSpace>>,
}

impl FaceModel {
    /// Nothing is loaded yet.
    pub(super) fn new(analyser: ImageAnalyser, settings: FaceIndexSettings) -> Self {
        Self {
            analyser,
            rules: settings.rules,
            verify: DistanceSetting {
                distance: settings.verify_distance,
                false_match_rate: settings.verify_fmr,
            },
            identify: DistanceSetting {
                distance: settings.identify_distance,
                false_match_rate: settings.identify_fmr,
            },
            space: OnceCell::new(),
        }
    }

    /// The space of the embeddings that this process computes.
    pub(super) async fn space(&self) -> Result<&Arc<EmbeddingSpace>, FaceIndexError> {
        let read = |vision: &mut vision::VisionModels| vision.embedding_space().cloned().map(Arc::new);
        let load = async || {
            let read = match self.analyser.run(read).await {
                // Asked once per process, so it may wait instead of being refused.
                Err(AnalysisError::Busy(_)) => self.analyser.run_in_background(read).await,
                other => other,
            };
            read?.map_err(AnalysisError::from)
        };
        Ok(self.space.get_or_try_init(load).await?)
    }

    /// The same, but its SHA-256 alone, for which no model needs to be loaded.
    pub(super) async fn space_sha256(&self) -> Result<[u8; 32], FaceIndexError> {
        match self.analyser.embedding_space().map_err(AnalysisError::from)? {
            Some(sha256) => Ok(sha256),
            None => Ok(self.space().await?.sha256),
        }
    }

    /// The distance up to which two faces are one person's.
    pub(super) async fn verify_distance(&self) -> Result<f32, FaceIndexError> {
        self.distance(&self.verify).await
    }

    /// The distance up to which a search finds a face.
    pub(super) async fn identify_distance(&self) -> Result<f32, FaceIndexError> {
        self.distance(&self.identify).await
    }

    async fn distance(&self, setting: &DistanceSetting) -> Result<f32, FaceIndexError> {
        let rate = setting.false_match_rate;
        match setting.distance {
            Some(distance) => Ok(distance),
            None => self.space().await?.distance_at(rate).ok_or(FaceIndexError::NoThreshold(rate)),
        }
    }

    /// How similar two faces at a distance are, 0 to 1: 1 for the same picture, 0.5 at the distance up to which two faces
    /// are one person's.
    pub(super) async fn similarity(&self, distance: f32) -> Result<f64, FaceIndexError> {
        let limit = self.verify_distance().await?;
        Ok((1.0 - f64::from(distance) / (2.0 * f64::from(limit))).clamp(0.0, 1.0))
    }

    /// The distance that belongs to a similarity; without one, that up to which a search finds a face.
    pub(super) async fn max_distance(&self, min_similarity: Option<f64>) -> Result<f32, FaceIndexError> {
        let Some(similarity) = min_similarity else { return self.identify_distance().await };
        Ok(((1.0 - similarity.clamp(0.0, 1.0)) * 2.0) as f32 * self.verify_distance().await?)
    }

    /// The analyser that does an application's work; `None` for that of nobody in particular.
    fn analyser_for(&self, app: Option<AppId>) -> ImageAnalyser {
        app.map_or_else(|| self.analyser.clone(), |app| self.analyser.for_application(app))
    }

    /// Extracts the one face of a picture of an application; refuses a picture that is not good enough for `purpose`.
    pub(super) async fn extract_face(
        &self,
        app: Option<AppId>,
        bytes: Vec<u8>,
        purpose: ExtractionPurpose,
    ) -> Result<ExtractedFace, FaceIndexError> {
        let rules = self.rules.clone();
        let header = face_extraction::inspect(&bytes, &rules)?;
        self.analyser_for(app)
            .run(move |vision| face_extraction::extract(vision, &bytes, &header, &rules, purpose))
            .await?
    }

    /// The face of a stored picture, upright, as JPEG of `side` x `side` pixels.
    pub(super) async fn portrait_of_stored(
        &self,
        app: Option<AppId>,
        bytes: Vec<u8>,
        side: u32,
    ) -> Result<Vec<u8>, FaceIndexError> {
        let rules = self.rules.clone();
        self.analyser_for(app)
            .run(move |vision| face_extraction::portrait_of_stored(vision, &bytes, &rules, side))
            .await?
    }

    /// The share of strangers who are as near as this distance, or nearer, 0 to 1; `None` if the model states none.
    pub(super) async fn false_match_rate(&self, distance: f32) -> Result<Option<f64>, FaceIndexError> {
        Ok(self.space().await?.false_match_rate_at(distance))
    }

    /// Extracts the face of a stored picture; waits until a worker is free.
    pub(super) async fn extract_from_stored(
        &self,
        app: Option<AppId>,
        bytes: Vec<u8>,
    ) -> Result<ExtractedFace, FaceIndexError> {
        let rules = self.rules.clone();
        self.analyser_for(app)
            .run_in_background(move |vision| face_extraction::extract_from_stored(vision, &bytes, &rules))
            .await?
    }
}
