//! Analysing an image: validation, face, models, limits.

use super::{
    LivenessAssurance, LivenessPrediction,
    face_rules::{self, FaceError, FaceRules},
};
use base::{AppId, Picture, PictureSize, SignedDuration};
use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::sync::OnceCell;
use vision::{
    AgeEstimate, CaptureQuality, Face, InferencePool, ModelInfo, ModelLoadError, ModelTask, QueueLimits,
    VisionError, VisionModels, model_manifest::ModelPack,
};

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
    /// Workers; each uses one core.
    pub workers: usize,
    /// How many images may wait for a worker, and for how long; others are refused at once.
    pub queue: QueueLimits,
    /// Whether the models are loaded at once, or for the first image.
    pub preload: bool,
}

/// Analyses single images. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ImageAnalyser {
    /// Whose work it does; `None` for that of nobody in particular.
    owner: Option<AppId>,
    models: Arc<RwLock<Result<Arc<CheckedModels>, ModelsNotReadyError>>>,
    rules: Arc<AnalysisRules>,
}

/// Models whose files are as the pack says, and the workers that use them, started when they are first needed.
#[derive(Debug)]
struct CheckedModels {
    /// `None` where a test gave the workers.
    settings: Option<ModelPoolSettings>,
    infos: Vec<ModelInfo>,
    /// For callers who are waiting.
    pool: OnceCell<Arc<InferencePool>>,
    /// For work that no caller is waiting for.
    background: OnceCell<Arc<InferencePool>>,
}

/// Tasks that may queue for the background workers. Each run of a moderation has a few pictures in progress, and there
/// are never that many runs; a task that does not fit is retried by its job.
const MAX_BACKGROUND_QUEUE: usize = 1024;

/// How long a job waits that needs models and finds none in its process: they may be imported meanwhile, or another process that
/// has them may take it.
pub(crate) const MODELS_RETRY_WAIT: SignedDuration = SignedDuration::from_secs(5);

/// Why the models cannot be used; the text says why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the models are not ready: {0}")]
pub struct ModelsNotReadyError(pub String);

/// An image, and what to find out about it.
#[derive(Debug)]
pub struct AnalysisRequest {
    /// The bytes of the file.
    pub image: Vec<u8>,
    /// Halves the limits on the face and on the score from which something is one, and does not check file size, JPEG
    /// quality, light or what covers the face. The limits on width, height and pixels stay.
    pub relaxed: bool,
    /// Whether to estimate the age.
    pub age: bool,
    /// Whether to assess liveness, and how much evidence it needs.
    pub liveness: Option<LivenessAssurance>,
    /// Whether to measure sharpness.
    pub sharpness: bool,
}

impl AnalysisRequest {
    /// Whether the models of a task see the image.
    fn uses(&self, task: ModelTask) -> bool {
        match task {
            ModelTask::Detect | ModelTask::Quality => true,
            ModelTask::Age => self.age,
            ModelTask::Liveness => self.liveness.is_some(),
            ModelTask::Embed | ModelTask::FindText | ModelTask::TurnText | ModelTask::ReadText => false,
        }
    }
}

/// The result of an analysis.
#[derive(Clone, Debug)]
pub struct ImageAnalysis {
    /// The age, if it was asked for.
    pub age: Option<AgeEstimate>,
    /// The liveness, if it was asked for.
    pub liveness: Option<LivenessResult>,
    pub face: Face,
    /// Mean luma over the face, 0 to 255.
    pub luma: f32,
    /// Sharpness of the face, 0 to 1, if it was asked for; see [`vision::FaceQuality`]. There is no limit on it: the
    /// interface has no code for a blurred face.
    pub sharpness: Option<f32>,
    /// What of the face is covered, and how blurred and noisy it is, where the pack has a model for it.
    pub capture: Option<CaptureQuality>,
    /// The size of the upright image.
    pub size: PictureSize,
    /// The JPEG quality; `None` for other formats.
    pub jpeg_quality: Option<u8>,
    /// The models that saw the image, in the order of [`VisionModels::models`].
    pub models: Vec<ModelInfo>,
}

/// A liveness answer, and what it is based on.
#[derive(Clone, Debug)]
pub struct LivenessResult {
    /// The answer at the requested level of assurance.
    pub prediction: LivenessPrediction,
    /// 0 to 1; higher is more likely live.
    pub score: f32,
    /// The lowest score for which the answer is `real`.
    pub threshold: f32,
    /// Whether the model is experimental.
    pub experimental: bool,
    /// The measures behind the score.
    pub cues: Vec<(&'static str, f32)>,
}

/// Why an image was not analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The file is refused.
    #[error("the image is refused: {}", .0.message)]
    Image(media::image_validation::ImageError),
    /// The face is refused.
    #[error("the face is refused: {:?}", .0.code)]
    Face(FaceError),
    /// All workers are busy for longer than a caller may wait; retry after this time.
    #[error("all workers are busy")]
    Busy(Duration),
    /// The models are not loaded.
    #[error(transparent)]
    NotReady(#[from] ModelsNotReadyError),
    /// A model gave no usable output.
    #[error(transparent)]
    Prediction(#[from] VisionError),
}

impl From<media::image_validation::ImageError> for AnalysisError {
    fn from(error: media::image_validation::ImageError) -> Self {
        Self::Image(error)
    }
}

impl From<FaceError> for AnalysisError {
    fn from(error: FaceError) -> Self {
        Self::Face(error)
    }
}

impl ImageAnalyser {
    /// An analyser without models; [`Self::load`] loads them.
    pub fn new(rules: AnalysisRules) -> Self {
        let models = Err(ModelsNotReadyError("they are being loaded".to_owned()));
        Self { owner: None, models: Arc::new(RwLock::new(models)), rules: Arc::new(rules) }
    }

    /// An analyser with a given pool for all work; for tests.
    pub fn with_pool(rules: AnalysisRules, pool: InferencePool) -> Self {
        let pool = Arc::new(pool);
        let models = CheckedModels {
            settings: None,
            infos: pool.models().to_vec(),
            pool: OnceCell::from(pool.clone()),
            background: OnceCell::from(pool),
        };
        Self { owner: None, models: Arc::new(RwLock::new(Ok(Arc::new(models)))), rules: Arc::new(rules) }
    }

    /// The same analyser for the work of one application. All applications share the workers: of whoever waits, the one whose
    /// work has taken least time is next.
    #[must_use]
    pub fn for_application(&self, app: AppId) -> Self {
        Self { owner: Some(app), ..self.clone() }
    }

    /// The operator's limits on the file of an image.
    pub fn image_limits(&self) -> &media::image_validation::ImageLimits {
        &self.rules.image
    }

    /// Checks the models' files and, where the settings say so, loads them and runs their probes; blocks for a moment. Until
    /// it succeeds, every analysis fails with [`AnalysisError::NotReady`].
    pub fn load(&self, settings: &ModelPoolSettings) -> Result<(), ModelsNotReadyError> {
        let models = CheckedModels::open(settings).map(Arc::new);
        let outcome = models.as_ref().map(drop).map_err(Clone::clone);
        *self.models.write().unwrap_or_else(PoisonError::into_inner) = models;
        outcome
    }

    /// Runs a task for a caller who is waiting. Fails immediately with [`AnalysisError::Busy`] if the queue is full or the
    /// wait would be too long.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let pool = self.checked_models()?.pool().await?;
        let task = pool.run(self.owner, work).map_err(|busy| AnalysisError::Busy(busy.retry_after))?;
        task.await.map_err(|gone| ModelsNotReadyError(gone.to_string()).into())
    }

    /// Runs a task for somebody who waits however long it takes: such tasks begin in the order of arrival, every application in its
    /// turn, and are never refused for being too many.
    pub async fn run_in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let pool = self.checked_models()?.pool().await?;
        pool.run_in_turn(self.owner, work).await.map_err(|gone| ModelsNotReadyError(gone.to_string()).into())
    }

    /// Runs a task that no caller is waiting for. It queues for as long as it takes, on separate workers that yield to
    /// those of [`Self::run`].
    ///
    /// The queue is the pool's own. A semaphore in front of it would hand out its permits in order of arrival, and a
    /// run that awaits one picture without polling its others would hold a permit that it does not use.
    pub async fn run_in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let pool = self.checked_models()?.background_pool().await?;
        let task = pool.run(self.owner, work).map_err(|busy| AnalysisError::Busy(busy.retry_after))?;
        task.await.map_err(|gone| ModelsNotReadyError(gone.to_string()).into())
    }

    fn checked_models(&self) -> Result<Arc<CheckedModels>, ModelsNotReadyError> {
        self.models.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether this process has models: their files are there and are what they should be.
    pub fn has_models(&self) -> bool {
        self.models.read().unwrap_or_else(PoisonError::into_inner).is_ok()
    }

    /// The models that this process uses.
    pub fn models(&self) -> Result<Vec<ModelInfo>, ModelsNotReadyError> {
        Ok(self.checked_models()?.infos.clone())
    }

    /// [`vision::EmbeddingSpace::sha256`] of the model that compares faces, without loading it; `None` where a test gave the
    /// workers.
    pub fn embedding_space(&self) -> Result<Option<[u8; 32]>, ModelsNotReadyError> {
        Ok(self.checked_models()?.infos.iter().find_map(|model| model.embedding_space))
    }

    /// The pack that the models were loaded from, as it is on the disk now.
    pub async fn read_pack(&self) -> Result<ModelPack, ModelsNotReadyError> {
        let models = self.checked_models()?;
        let settings = models.settings.as_ref();
        let folder =
            settings.ok_or_else(|| ModelsNotReadyError("they come from no pack".to_owned()))?.folder.clone();
        let read = tokio::task::spawn_blocking(move || ModelPack::read(&folder)).await;
        let read = read.map_err(|error| ModelsNotReadyError(error.to_string()))?;
        read.map_err(|error| ModelsNotReadyError(error.to_string()))
    }

    /// Updates the metrics of the pool and the models.
    pub fn report_metrics(&self) {
        let models = self.checked_models();
        metrics::gauge!("assay_models_ready").set(if models.is_ok() { 1.0 } else { 0.0 });
        let Ok(models) = models else { return };
        let stats = models.pool.get().map(|pool| pool.stats()).unwrap_or_default();
        metrics::gauge!("assay_inference_queued").set(stats.queued as f64);
        metrics::gauge!("assay_inference_running").set(stats.running as f64);
        metrics::counter!("assay_inference_done_total").absolute(stats.done);
        metrics::counter!("assay_inference_refused_total").absolute(stats.refused);
        metrics::counter!("assay_inference_panics_total").absolute(stats.panicked);
        metrics::gauge!("assay_inference_busy_seconds_total").set(stats.busy_time.as_secs_f64());
        for model in &models.infos {
            let labels = [
                ("task", model.task.to_string()),
                ("id", model.id.clone()),
                ("sha256", model.sha256.clone()),
                ("experimental", model.experimental.to_string()),
            ];
            metrics::gauge!("assay_model_info", &labels).set(1.0);
        }
    }

    /// Analyses an image. Cheap checks of the file run here, decoding and models on the bounded pool; if that has too much
    /// to do, fails immediately with [`AnalysisError::Busy`].
    pub async fn analyse(&self, request: AnalysisRequest) -> Result<ImageAnalysis, AnalysisError> {
        let mut rules = (*self.rules).clone();
        if request.relaxed {
            rules = AnalysisRules { image: rules.image.relaxed(), face: rules.face.relaxed() };
        }
        let header = media::image_validation::inspect(&request.image, &rules.image)?;
        self.run(move |vision| analyse_pixels(vision, &request, &header, &rules)).await?
    }
}

impl CheckedModels {
    fn open(settings: &ModelPoolSettings) -> Result<Self, ModelsNotReadyError> {
        let infos = VisionModels::check(&settings.folder).map_err(|error| not_ready(&error))?;
        let models = Self {
            settings: Some(settings.clone()),
            infos,
            pool: OnceCell::new(),
            background: OnceCell::new(),
        };
        if settings.preload {
            let pool = InferencePool::start(&settings.folder, settings.workers, settings.queue);
            models.pool.set(Arc::new(pool.map_err(|error| not_ready(&error))?)).expect("it was empty");
        }
        Ok(models)
    }

    /// The workers for callers who are waiting.
    async fn pool(&self) -> Result<Arc<InferencePool>, ModelsNotReadyError> {
        let start = |settings: &ModelPoolSettings| {
            InferencePool::start(&settings.folder, settings.workers, settings.queue)
        };
        self.started(&self.pool, start).await
    }

    /// The workers for background work, as many as there are of the others.
    async fn background_pool(&self) -> Result<Arc<InferencePool>, ModelsNotReadyError> {
        let start = |settings: &ModelPoolSettings| {
            let limits = QueueLimits::by_count(MAX_BACKGROUND_QUEUE);
            InferencePool::start_background(&settings.folder, settings.workers, limits)
        };
        self.started(&self.background, start).await
    }

    /// The pool in a slot, started with `start` if there is none yet.
    async fn started(
        &self,
        slot: &OnceCell<Arc<InferencePool>>,
        start: impl FnOnce(&ModelPoolSettings) -> Result<InferencePool, ModelLoadError> + Send + 'static,
    ) -> Result<Arc<InferencePool>, ModelsNotReadyError> {
        let load = async || {
            let missing = || ModelsNotReadyError("there are no settings to load them by".to_owned());
            let settings = self.settings.clone().ok_or_else(missing)?;
            let loaded = tokio::task::spawn_blocking(move || start(&settings)).await;
            let loaded = loaded.map_err(|error| ModelsNotReadyError(error.to_string()))?;
            loaded.map(Arc::new).map_err(|error| not_ready(&error))
        };
        slot.get_or_try_init(load).await.cloned()
    }
}

fn not_ready(error: &ModelLoadError) -> ModelsNotReadyError {
    ModelsNotReadyError(error.to_string())
}

/// The part of an analysis that needs the pixels.
fn analyse_pixels(
    vision: &mut VisionModels,
    request: &AnalysisRequest,
    header: &media::image_validation::ImageHeader,
    rules: &AnalysisRules,
) -> Result<ImageAnalysis, AnalysisError> {
    let picture = media::image_validation::decode(&request.image, header, &rules.image)?;
    let faces = if request.relaxed { vision.detect_relaxed(&picture)? } else { vision.detect(&picture)? };
    let face = single_face_of(faces, vision, &picture, &rules.face)?;
    let luma = vision::face_luma(&picture, &face);
    rules.face.check(&face, picture.size(), luma)?;
    let capture = vision.assess_capture(&picture, &face)?;
    if let Some(capture) = &capture {
        rules.face.check_capture(capture)?;
    }
    let age =
        if request.age { Some(vision.estimate_age_of(&picture, &face, capture.as_ref())?) } else { None };
    let liveness = match request.liveness {
        Some(level) => Some(assess_liveness(vision, &picture, &face, level)?),
        None => None,
    };
    let sharpness = request.sharpness.then(|| VisionModels::assess_quality(&picture, &face).sharpness);
    let (size, jpeg_quality) = (picture.size(), header.jpeg_quality);
    let models = vision.models().iter().filter(|model| request.uses(model.task)).cloned().collect();
    Ok(ImageAnalysis { age, liveness, face, luma, sharpness, capture, size, jpeg_quality, models })
}

/// The only face of the picture. If a picture is so dark or bright that a face is found only after its exposure is
/// normalised, it is refused for its light, so that the caller knows what to correct.
pub(crate) fn single_face(
    vision: &mut VisionModels,
    picture: &Picture,
    rules: &FaceRules,
) -> Result<Face, AnalysisError> {
    let faces = vision.detect(picture)?;
    single_face_of(faces, vision, picture, rules)
}

/// The only one of the faces that were found in the picture; see [`single_face`].
fn single_face_of(
    faces: Vec<Face>,
    vision: &mut VisionModels,
    picture: &Picture,
    rules: &FaceRules,
) -> Result<Face, AnalysisError> {
    let confident = faces.iter().filter(|face| vision.is_confident(face)).count();
    if confident > 1 {
        return Err(face_rules::multiple_faces(confident).into());
    }
    if let Some(face) = faces.into_iter().next() {
        return Ok(face);
    }
    let whole_picture = Face {
        left: 0.0,
        top: 0.0,
        right: picture.width() as f32,
        bottom: picture.height() as f32,
        score: 0.0,
        points: [[0.0; 2]; 6],
    };
    let luma = vision::face_luma(picture, &whole_picture);
    if let Err(error) = rules.check_light(luma)
        && let Some(face) = vision.detect(&normalise_exposure(picture, luma))?.first()
    {
        let face_luma = vision::face_luma(picture, face);
        return Err(rules.check_light(face_luma).err().unwrap_or(error).into());
    }
    Err(face_rules::no_face().into())
}

/// The picture with its mean luma moved towards the middle: a dark one is brightened by a gain, a bright one is
/// darkened by a gain on the distance to white.
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
        vision.models().iter().any(|model| model.task == ModelTask::Liveness && model.experimental);
    Ok(LivenessResult { prediction, score: score.real, threshold, experimental, cues: score.cues })
}
