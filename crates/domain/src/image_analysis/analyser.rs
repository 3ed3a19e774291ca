//! The way of one image: gate, models, limits.

use super::{
    LivenessAssurance, LivenessPrediction,
    face_rules::{self, FaceError, FaceRules},
};
use base::{Picture, PictureSize};
use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::sync::OnceCell;
use vision::{AgeEstimate, Face, InferencePool, ModelInfo, VisionError, VisionModels};

/// The limits that an image must meet; the sections `[image]` and `[face]`.
#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalysisRules {
    /// Limits on the file.
    pub image: media::image_validation::ImageLimits,
    /// Limits on the face.
    pub face: FaceRules,
}

/// Where the models are, and how many workers use them. The section `[models]`, with its defaults filled in.
#[derive(Clone, Debug)]
pub struct ModelPoolSettings {
    /// The folder with `pack.json`.
    pub folder: PathBuf,
    /// Workers; each has its own copy of the models (about 40 MB) and uses one core.
    pub workers: usize,
    /// Images that may wait for a worker; further ones are refused at once.
    pub max_queued: usize,
}

/// Answers questions about one image. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ImageAnalyser {
    pool: Arc<RwLock<Result<Arc<InferencePool>, ModelsNotReadyError>>>,
    background: Arc<BackgroundPool>,
    rules: Arc<AnalysisRules>,
}

/// Pieces of work that may queue where nobody waits. Each run has a few pictures under way, and so many runs there never
/// are; what finds no place is tried again by its job.
const MAX_BACKGROUND_QUEUE: usize = 1024;

/// Models for work that nobody waits for, loaded when the first comes.
#[derive(Debug, Default)]
struct BackgroundPool {
    models: RwLock<Option<ModelPoolSettings>>,
    pool: OnceCell<Arc<InferencePool>>,
}

/// Why there are no models.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the models are not ready: {0}")]
pub struct ModelsNotReadyError(pub String);

/// A question about an image.
#[derive(Debug)]
pub struct AnalysisRequest {
    /// The file's bytes.
    pub image: Vec<u8>,
    /// Halves the limits on the face and looks at no file size, JPEG quality or light.
    pub relaxed: bool,
    /// Whether the age is wanted.
    pub age: bool,
    /// Whether liveness is wanted, and how sure it must be.
    pub liveness: Option<LivenessAssurance>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct ImageAnalysis {
    /// The age, where it was asked for.
    pub age: Option<AgeEstimate>,
    /// The liveness, where it was asked for.
    pub liveness: Option<LivenessResult>,
    /// The face.
    pub face: Face,
    /// Mean luma over the face, 0 to 255.
    pub luma: f32,
    /// Sharpness of the face, 0 to 1; see [`vision::Quality`]. No limit stands on it: image analysis has no answer for a blurred
    /// face.
    pub sharpness: f32,
    /// The upright image's size.
    pub size: PictureSize,
    /// The JPEG quality, where the image is one.
    pub jpeg_quality: Option<u8>,
    /// The models that answered.
    pub models: Vec<ModelInfo>,
}

/// A liveness answer and what it rests on.
#[derive(Clone, Debug)]
pub struct LivenessResult {
    /// The answer at the level of assurance asked for.
    pub prediction: LivenessPrediction,
    /// 0 to 1.
    pub score: f32,
    /// The score from which the answer is `real`.
    pub threshold: f32,
    /// Whether the model is experimental.
    pub experimental: bool,
    /// The measures behind the score.
    pub cues: Vec<(&'static str, f32)>,
}

/// Why there is no finding.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The file is not acceptable.
    #[error("the image is refused: {}", .0.message)]
    Image(media::image_validation::ImageError),
    /// The face is not acceptable.
    #[error("the face is refused: {:?}", .0.code)]
    Face(FaceError),
    /// All workers are busy and the queue is full; try again after this long.
    #[error("all workers are busy")]
    Busy(Duration),
    /// There are no models.
    #[error(transparent)]
    NotReady(#[from] ModelsNotReadyError),
    /// A model gave no usable answer.
    #[error(transparent)]
    Prediction(#[from] VisionError),
}

impl From<media::image_validation::ImageError> for AnalysisError {
    fn from(refusal: media::image_validation::ImageError) -> Self {
        Self::Image(refusal)
    }
}

impl From<FaceError> for AnalysisError {
    fn from(problem: FaceError) -> Self {
        Self::Face(problem)
    }
}

impl ImageAnalyser {
    /// An estimator without models yet; [`Self::load`] brings them.
    pub fn new(rules: AnalysisRules) -> Self {
        let pool = Err(ModelsNotReadyError("they are being loaded".to_owned()));
        Self { pool: Arc::new(RwLock::new(pool)), background: Arc::default(), rules: Arc::new(rules) }
    }

    /// An estimator with a pool of its own making; for tests.
    pub fn with_pool(rules: AnalysisRules, pool: InferencePool) -> Self {
        let pool = Arc::new(RwLock::new(Ok(Arc::new(pool))));
        Self { pool, background: Arc::default(), rules: Arc::new(rules) }
    }

    /// Loads the models and runs their probes; blocks for a moment. Until it has succeeded every question is answered
    /// with [`NotReady`].
    pub fn load(&self, models: &ModelPoolSettings) -> Result<(), ModelsNotReadyError> {
        let pool = InferencePool::start(&models.folder, models.workers, models.max_queued)
            .map(Arc::new)
            .map_err(|error| ModelsNotReadyError(error.to_string()));
        let outcome = pool.as_ref().map(drop).map_err(Clone::clone);
        *self.background.models.write().unwrap_or_else(PoisonError::into_inner) = Some(models.clone());
        *self.pool.write().unwrap_or_else(PoisonError::into_inner) = pool;
        outcome
    }

    /// Does work with the models that somebody waits for; [`AnalysisError::Busy`] at once when the queue is full.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let running = self.pool()?.run(work).map_err(|busy| AnalysisError::Busy(busy.retry_after))?;
        running.await.map_err(|gone| ModelsNotReadyError(gone.to_string()).into())
    }

    /// Does work with the models that nobody waits for: it queues for as long as it takes, on workers of its own that step
    /// aside for those of [`Self::run`].
    ///
    /// The queue is the pool's own. A semaphore before it would give its places to whoever waits first, and a run that
    /// waits for one picture while it does not poll another would keep a place that nobody uses.
    pub async fn run_in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let pool = self.background.pool.get_or_try_init(|| self.load_background_pool()).await?;
        let running = pool.run(work).map_err(|busy| AnalysisError::Busy(busy.retry_after))?;
        running.await.map_err(|gone| ModelsNotReadyError(gone.to_string()).into())
    }

    async fn load_background_pool(&self) -> Result<Arc<InferencePool>, ModelsNotReadyError> {
        let models = self.background.models.read().unwrap_or_else(PoisonError::into_inner).clone();
        // A pool that a test brought serves both.
        let Some(models) = models else { return self.pool() };
        let (workers, folder) = (models.workers, models.folder);
        let pool = tokio::task::spawn_blocking(move || {
            InferencePool::start_background(&folder, workers, MAX_BACKGROUND_QUEUE)
        })
        .await;
        let pool =
            pool.map_err(|error| error.to_string()).and_then(|pool| pool.map_err(|error| error.to_string()));
        Ok(Arc::new(pool.map_err(ModelsNotReadyError)?))
    }

    fn pool(&self) -> Result<Arc<InferencePool>, ModelsNotReadyError> {
        self.pool.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The models that are loaded.
    pub fn models(&self) -> Result<Vec<ModelInfo>, ModelsNotReadyError> {
        Ok(self.pool()?.models().to_vec())
    }

    /// Tells the metrics how the pool is doing and which models it runs.
    pub fn report_metrics(&self) {
        let pool = self.pool();
        metrics::gauge!("assay_models_ready").set(if pool.is_ok() { 1.0 } else { 0.0 });
        let Ok(pool) = pool else { return };
        let now = pool.stats();
        metrics::gauge!("assay_inference_queued").set(now.queued as f64);
        metrics::gauge!("assay_inference_running").set(now.running as f64);
        metrics::counter!("assay_inference_done_total").absolute(now.done);
        metrics::counter!("assay_inference_refused_total").absolute(now.refused);
        metrics::counter!("assay_inference_panics_total").absolute(now.panicked);
        metrics::gauge!("assay_inference_busy_seconds_total").set(now.busy_time.as_secs_f64());
        for model in pool.models() {
            let labels = [
                ("task", model.task.to_string()),
                ("id", model.id.clone()),
                ("sha256", model.sha256.clone()),
                ("experimental", model.experimental.to_string()),
            ];
            metrics::gauge!("assay_model_info", &labels).set(1.0);
        }
    }

    /// Answers a question. The cheap gates run here, decoding and models on the bounded pool; when that is full the
    /// answer is [`AnalysisError::Busy`] at once.
    pub async fn analyse(&self, ask: AnalysisRequest) -> Result<ImageAnalysis, AnalysisError> {
        let mut rules = (*self.rules).clone();
        if ask.relaxed {
            rules = AnalysisRules { image: rules.image.relaxed(), face: rules.face.relaxed() };
        }
        let header = media::image_validation::inspect(&ask.image, &rules.image)?;
        self.run(move |vision| analyse_pixels(vision, &ask, &header, &rules)).await?
    }
}

/// Everything that needs the pixels.
fn analyse_pixels(
    vision: &mut VisionModels,
    ask: &AnalysisRequest,
    header: &media::image_validation::ImageHeader,
    rules: &AnalysisRules,
) -> Result<ImageAnalysis, AnalysisError> {
    let picture = media::image_validation::decode(&ask.image, header, &rules.image)?;
    let face = single_face(vision, &picture, &rules.face)?;
    let luma = vision::face_luma(&picture, &face);
    rules.face.check(&face, picture.size(), luma)?;
    let age = if ask.age { Some(vision.estimate_age(&picture, &face)?) } else { None };
    let liveness = match ask.liveness {
        Some(level) => Some(assess_liveness(vision, &picture, &face, level)?),
        None => None,
    };
    let sharpness = VisionModels::assess_quality(&picture, &face).sharpness;
    let (size, jpeg_quality) = (picture.size(), header.jpeg_quality);
    Ok(ImageAnalysis {
        age,
        liveness,
        face,
        luma,
        sharpness,
        size,
        jpeg_quality,
        models: vision.models().to_vec(),
    })
}

/// The one face of the picture. A picture so dark or bright that no face is found is refused for its light when a face
/// comes out once the light is evened: the caller then knows what to mend.
pub(crate) fn single_face(
    vision: &mut VisionModels,
    picture: &Picture,
    rules: &FaceRules,
) -> Result<Face, AnalysisError> {
    let faces = vision.detect(picture)?;
    let sure = faces.iter().filter(|face| vision.is_confident(face)).count();
    if sure > 1 {
        return Err(face_rules::multiple_faces(sure).into());
    }
    if let Some(face) = faces.into_iter().next() {
        return Ok(face);
    }
    let whole = Face {
        left: 0.0,
        top: 0.0,
        right: picture.width() as f32,
        bottom: picture.height() as f32,
        score: 0.0,
        points: [[0.0; 2]; 6],
    };
    let luma = vision::face_luma(picture, &whole);
    if let Err(light) = rules.check_light(luma)
        && let Some(face) = vision.detect(&normalise_exposure(picture, luma))?.first()
    {
        let on_face = vision::face_luma(picture, face);
        return Err(rules.check_light(on_face).err().unwrap_or(light).into());
    }
    Err(face_rules::no_face().into())
}

/// The picture with its mean luma brought to the middle: a gain where it is dark, a gain on what is left to white
/// where it is bright.
fn normalise_exposure(picture: &Picture, luma: f32) -> Picture {
    const TARGET_LUMA: f32 = 110.0;
    let table: Vec<u8> = (0..=255_u8)
        .map(|value| {
            let value = f32::from(value);
            let out = if luma < TARGET_LUMA {
                value * TARGET_LUMA / luma.max(1.0)
            } else {
                255.0 - (255.0 - value) * (255.0 - TARGET_LUMA) / (255.0 - luma).max(1.0)
            };
            out.clamp(0.0, 255.0) as u8
        })
        .collect();
    let rgb = picture.rgb().iter().map(|&value| table[usize::from(value)]).collect();
    Picture::new(picture.width(), picture.height(), rgb).expect("as many bytes as before")
}

fn assess_liveness(
    vision: &mut VisionModels,
    picture: &Picture,
    face: &Face,
    level: LivenessAssurance,
) -> Result<LivenessResult, VisionError> {
    let score = vision.score_liveness(picture, face)?;
    let thresholds = vision.liveness_thresholds();
    let threshold = match level {
        LivenessAssurance::Low => thresholds.low,
        LivenessAssurance::Medium => thresholds.medium,
        LivenessAssurance::High => thresholds.high,
    };
    let prediction =
        if score.real >= threshold { LivenessPrediction::Real } else { LivenessPrediction::Fake };
    let experimental =
        vision.models().iter().any(|model| model.task == vision::ModelTask::Liveness && model.experimental);
    Ok(LivenessResult { prediction, score: score.real, threshold, experimental, cues: score.cues })
}
