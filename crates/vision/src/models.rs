//! The models that a pack selects, loaded and probed: what each worker of the pool owns.

use crate::{
    AgeEstimate, CaptureQuality, Face, FaceQuality, ModelLoadError, VideoTileScheduler, VisionError,
    age::{AgeDecoding, AgeModel},
    capture_quality::CaptureQualityModel,
    crop::{self, CropSquare},
    detect::FaceDetector,
    embed::{EmbeddingModel, EmbeddingSpace, embedding_space_sha256},
    inference::{NeuralNet, OnnxNet, OnnxRuntime, ResizableNet, ScriptedNet, tensor_named},
    liveness::{self, BuiltInCues, LivenessModel, LivenessScore},
    model_manifest::{
        AveragedAgeModel, CropRule, LivenessThresholds, ModelEntry, ModelInput, ModelOutput, ModelPack,
        ModelProbe, ModelTask, PackFile,
    },
    quality,
};
use base::Picture;
use std::path::{Path, PathBuf};

/// A loaded model, as `explain`, readiness and metrics name it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ModelInfo {
    pub task: ModelTask,
    /// Id in the pack.
    pub id: String,
    /// SHA-256 of its file, or of the parameters of a built-in model.
    pub sha256: String,
    /// Whether its answers are not to be relied on yet.
    pub experimental: bool,
    /// Of a model of embeddings, [`EmbeddingSpace::sha256`].
    #[serde(skip)]
    pub embedding_space: Option<[u8; 32]>,
}

/// The loaded models. Not shared between threads: each worker has its own.
pub struct VisionModels {
    detector: FaceDetector,
    age: AgeModel,
    embed: EmbeddingSlot,
    liveness: Box<dyn LivenessModel>,
    thresholds: LivenessThresholds,
    capture_quality: Option<CaptureQualityModel>,
    models: Vec<ModelInfo>,
}

/// The embedding model: the largest by far, and many servers never compare faces.
enum EmbeddingSlot {
    Loaded(Box<EmbeddingModel>),
    /// To be loaded from the pack in this folder when it is first needed.
    Unloaded(PathBuf),
}

impl std::fmt::Debug for VisionModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vision").field("models", &self.models).finish_non_exhaustive()
    }
}

impl VisionModels {
    /// The models that the pack in `folder` selects for faces, in the order of [`Self::models`]. Checks the hashes of their
    /// files and of the runtime, and loads none.
    pub fn check(folder: &Path) -> Result<Vec<ModelInfo>, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        let models = face_models(&pack)?;
        for file in models.iter().flat_map(|model| model.files()).chain([&pack.runtime]) {
            file.read(folder)?;
        }
        heap::return_freed_memory();
        Ok(models.into_iter().map(model_info).collect())
    }

    /// Loads the models that the pack in `folder` selects for faces; checks their hashes and runs their probes.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let mut vision = Self::load_without_embedding(folder)?;
        vision.embed = EmbeddingSlot::Loaded(Box::new(EmbeddingModel::load(folder)?));
        Ok(vision)
    }

    /// The same, but for the embedding model, which is loaded when it is first needed.
    pub fn load_without_embedding(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        let models = face_models(&pack)?.into_iter().map(model_info).collect();
        let loader = PackLoader { folder, pack: &pack };
        let (liveness, thresholds) = loader.liveness(pack.model_for(ModelTask::Liveness)?)?;
        let detector = loader.detector(pack.model_for(ModelTask::Detect)?)?;
        let age = loader.age(pack.model_for(ModelTask::Age)?)?;
        let capture_quality =
            pack.chosen_model(ModelTask::Quality)?.map(|model| loader.capture_quality(model)).transpose()?;
        let embed = EmbeddingSlot::Unloaded(folder.to_owned());
        Ok(Self { detector, age, embed, liveness, thresholds, capture_quality, models })
    }

    /// Models for tests of error handling: the detector finds one face, the other nets answer NaN.
    pub fn scripted_nonsense() -> Self {
        let input = |side| ModelInput {
            name: "input".to_owned(),
            width: side,
            height: side,
            colour: crate::model_manifest::ChannelOrder::Rgb,
            mean: [0.0; 3],
            scale: [1.0; 3],
            crop: crate::model_manifest::CropSpec {
                rule: crate::model_manifest::CropRule::Box,
                scales: vec![1.0],
                joined: false,
            },
        };
        let mut scores = vec![-100.0; 512];
        scores[16 * 2 * 8 + 16] = 10.0;
        let mut boxes = vec![0.0; 512 * 16];
        boxes[(16 * 2 * 8 + 16) * 16 + 2] = 100.0;
        boxes[(16 * 2 * 8 + 16) * 16 + 3] = 100.0;
        let faces = vec![
            ("a".to_owned(), scores),
            ("b".to_owned(), vec![-100.0; 384]),
            ("c".to_owned(), boxes),
            ("d".to_owned(), vec![0.0; 384 * 16]),
        ];
        let errors = crate::model_manifest::AgeErrorTable {
            covers: String::new(),
            bands: vec![crate::model_manifest::AgeErrorBand { from: 0.0, st_dev: 1.0 }],
            spread_weight: 0.0,
            distribution: None,
            capture: None,
        };
        Self {
            detector: FaceDetector {
                id: "scripted".to_owned(),
                net: Box::new(ScriptedNet(faces)),
                input: input(256),
                max_input_side: 256,
                detection_threshold: 0.5,
                counting_threshold: 0.7,
            },
            age: AgeModel {
                id: "scripted".to_owned(),
                net: Box::new(ScriptedNet(vec![("age".to_owned(), vec![f32::NAN])])),
                input: input(8),
                tensor: "age".to_owned(),
                reading: AgeDecoding::Years,
                errors,
                averaged_with: None,
            },
            embed: EmbeddingSlot::Loaded(Box::new(EmbeddingModel::scripted(vec![f32::NAN; 2], input(8)))),
            liveness: Box::new(liveness::built_in()),
            thresholds: LivenessThresholds { low: 0.5, medium: 0.5, high: 0.5 },
            capture_quality: None,
            models: Vec::new(),
        }
    }

    /// Detects the faces in a photo of one person or a few, highest score first. Takes one run of the net where a single
    /// face is large and clearly upright; three to five where faces are upright; where none is, seven more for rotated
    /// pictures. Where several faces are confident, each was confirmed in a closer crop.
    pub fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        self.detector.detect(picture)
    }

    /// Detects upright faces only, like [`Self::detect`]: for camera frames, with two runs of the net where there is no
    /// face.
    pub fn detect_upright(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_upright(picture)
    }

    /// Detects every confident face of at least `smallest` pixels (longer side of its box), highest score first.
    ///
    /// Takes about 40 runs of the net for a picture of 1920 x 1080 with `smallest` 40, and one more for each small
    /// face. Where it would take more than 400 tiles, `smallest` is raised. A picture without an upright face is also
    /// searched sideways and upside down, with as many runs again.
    pub fn detect_tiled(&mut self, picture: &Picture, smallest: f32) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_tiled(picture, smallest)
    }

    /// Detects the confident faces of the next frame of a video, highest score first, with about two runs of the net
    /// and one more for each small face (at most four).
    ///
    /// Large faces (from a twelfth of the frame's width on) are found at once, small ones when the tile that they are
    /// in is due; tiles that changed come first. For a first or a single frame use [`Self::detect_tiled`].
    pub fn detect_in_video(
        &mut self,
        picture: &Picture,
        scheduler: &mut VideoTileScheduler,
    ) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_in_video(picture, scheduler)
    }

    /// Detects upright faces by one run of the net on the whole picture, which fills the share `part` (0 to 1) of its input;
    /// highest score first. For measuring what a single run finds.
    pub fn detect_once(&mut self, picture: &Picture, part: f32) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_once(picture, part)
    }

    /// Width and height of the detector's input, pixels, at the one look that [`Self::detect`] takes at a picture with a single large
    /// face.
    pub fn first_look_size(&self, picture: &Picture) -> [u32; 2] {
        self.detector.first_look(picture).input_size
    }

    /// As [`Self::detect`], with half the score from which something is a face.
    pub fn detect_relaxed(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_relaxed(picture)
    }

    /// Whether a face's score is high enough to count towards "more than one face".
    pub fn is_confident(&self, face: &Face) -> bool {
        face.score >= self.detector.counting_threshold
    }

    /// Estimates the age of a face from one or several crops. Its uncertainty is also that of the capture.
    pub fn estimate_age(&mut self, picture: &Picture, face: &Face) -> Result<AgeEstimate, VisionError> {
        let capture = self.assess_capture(picture, face)?;
        self.estimate_age_of(picture, face, capture.as_ref())
    }

    /// The same, for a face whose capture was assessed.
    pub fn estimate_age_of(
        &mut self,
        picture: &Picture,
        face: &Face,
        capture: Option<&CaptureQuality>,
    ) -> Result<AgeEstimate, VisionError> {
        self.age.estimate(picture, face, capture)
    }

    /// What of a face is covered, and how blurred and noisy it is. `None` where the pack has no model for it.
    pub fn assess_capture(
        &mut self,
        picture: &Picture,
        face: &Face,
    ) -> Result<Option<CaptureQuality>, VisionError> {
        self.capture_quality.as_mut().map(|model| model.assess(picture, face)).transpose()
    }

    /// Assesses the quality of a face without a net.
    pub fn assess_quality(picture: &Picture, face: &Face) -> FaceQuality {
        quality::assess(picture, face)
    }

    /// The embedding of a face: [`EmbeddingSpace::dimension`] numbers, close to those of other pictures of the same
    /// person. Scaled to length one where the model's metric is cosine.
    pub fn embed(&mut self, picture: &Picture, face: &Face) -> Result<Vec<f32>, VisionError> {
        self.embedding_model()?.embed(picture, face)
    }

    /// The space of the embeddings of [`Self::embed`].
    pub fn embedding_space(&mut self) -> Result<&EmbeddingSpace, VisionError> {
        Ok(&self.embedding_model()?.space)
    }

    fn embedding_model(&mut self) -> Result<&mut EmbeddingModel, VisionError> {
        if let EmbeddingSlot::Unloaded(folder) = &self.embed {
            self.embed = EmbeddingSlot::Loaded(Box::new(EmbeddingModel::load(folder)?));
            heap::return_freed_memory();
        }
        match &mut self.embed {
            EmbeddingSlot::Loaded(model) => Ok(model),
            EmbeddingSlot::Unloaded(_) => unreachable!("it was loaded just now"),
        }
    }

    /// Scores whether a face is live; an error where the score is not between 0 and 1.
    pub fn score_liveness(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, VisionError> {
        let score = self.liveness.score(picture, face)?;
        if (0.0..=1.0).contains(&score.real) {
            return Ok(score);
        }
        let model = self.models.iter().find(|model| model.task == ModelTask::Liveness);
        let model = model.map_or_else(|| "liveness".to_owned(), |model| model.id.clone());
        Err(VisionError::Unusable { model, what: "the score is none".to_owned() })
    }

    /// The scores from which a face is live, by level of assurance.
    pub fn liveness_thresholds(&self) -> LivenessThresholds {
        self.thresholds
    }

    /// The loaded models: detector, age, embedding, liveness, and quality where the pack has one.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }
}

/// The models for faces: detector, age, embedding, liveness, quality where the pack has one, and what is averaged with the age.
fn face_models(pack: &ModelPack) -> Result<Vec<&ModelEntry>, ModelLoadError> {
    let needed = [ModelTask::Detect, ModelTask::Age, ModelTask::Embed, ModelTask::Liveness];
    let mut models = needed.into_iter().map(|task| pack.model_for(task)).collect::<Result<Vec<_>, _>>()?;
    models.extend(pack.chosen_model(ModelTask::Quality)?);
    models.extend(pack.averaged_model(pack.model_for(ModelTask::Age)?)?);
    Ok(models)
}

fn model_info(model: &ModelEntry) -> ModelInfo {
    ModelInfo {
        task: model.task,
        id: model.id.clone(),
        sha256: model.digest(),
        experimental: model.experimental,
        embedding_space: embedding_space_sha256(model),
    }
}

impl EmbeddingModel {
    /// Loads the model that the pack in `folder` selects for embeddings.
    fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        let (net, input, model) = load_net(folder, &pack, ModelTask::Embed)?;
        Self::new(model, net, input)
    }
}

struct PackLoader<'a> {
    folder: &'a Path,
    pack: &'a ModelPack,
}

impl PackLoader<'_> {
    fn net(&self, model: &ModelEntry) -> Result<(Box<dyn NeuralNet>, ModelInput), ModelLoadError> {
        open_probed_net(self.folder, self.pack, model)
    }

    fn detector(&self, model: &ModelEntry) -> Result<FaceDetector, ModelLoadError> {
        let ModelOutput::BlazefaceAnchors { find, count, max_input_side } = model.output else {
            return Err(ModelLoadError::wrong(model, "its decode finds no faces"));
        };
        if model.input.as_ref().is_none_or(|input| (input.width, input.height) != (256, 256)) {
            return Err(ModelLoadError::wrong(model, "blazeface_anchors belong to an input of 256 x 256"));
        }
        let (net, input) = self.net(model)?;
        Ok(FaceDetector {
            id: model.id.clone(),
            net,
            max_input_side: max_input_side.unwrap_or(input.width),
            input,
            detection_threshold: find,
            counting_threshold: count,
        })
    }

    fn age(&self, model: &ModelEntry) -> Result<AgeModel, ModelLoadError> {
        let (tensor, reading, errors, with) = match model.output.clone() {
            ModelOutput::AgeScalar { tensor, errors } => (tensor, AgeDecoding::Years, errors, None),
            ModelOutput::AgeSoftmax { tensor, first_age, errors, averaged_with } => {
                (tensor, AgeDecoding::Probabilities { first_age }, errors, averaged_with)
            }
            _ => return Err(ModelLoadError::wrong(model, "its decode gives no age")),
        };
        let averaged_with = match self.pack.averaged_model(model)?.zip(with) {
            Some((other, AveragedAgeModel { share, scales, .. })) => {
                let mut other = self.age(other)?;
                other.input.crop.scales = scales;
                Some((Box::new(other), share))
            }
            None => None,
        };
        let (net, input) = self.net(model)?;
        Ok(AgeModel { id: model.id.clone(), net, input, tensor, reading, errors, averaged_with })
    }

    fn capture_quality(&self, model: &ModelEntry) -> Result<CaptureQualityModel, ModelLoadError> {
        let ModelOutput::CaptureQuality { tensor } = model.output.clone() else {
            return Err(ModelLoadError::wrong(model, "its decode measures no quality"));
        };
        let (net, input) = self.net(model)?;
        Ok(CaptureQualityModel { id: model.id.clone(), net, input, tensor })
    }

    fn liveness(
        &self,
        model: &ModelEntry,
    ) -> Result<(Box<dyn LivenessModel>, LivenessThresholds), ModelLoadError> {
        let (tensor, live_index, thresholds) = match model.output.clone() {
            ModelOutput::Cues { thresholds } => {
                let liveness::CueThresholds { low, medium, high } = BuiltInCues::THRESHOLDS;
                let thresholds = thresholds.unwrap_or(LivenessThresholds { low, medium, high });
                return Ok((Box::new(liveness::built_in()), thresholds));
            }
            ModelOutput::PadSoftmax { tensor, live_index, thresholds } => (tensor, live_index, thresholds),
            ModelOutput::PadSigmoid { tensor, thresholds } => (tensor, 0, thresholds),
            _ => return Err(ModelLoadError::wrong(model, "its decoding names no class for live faces")),
        };
        let (net, input) = self.net(model)?;
        Ok((Box::new(LivenessNet { id: model.id.clone(), net, input, tensor, live_index }), thresholds))
    }
}

/// Opens the net that serves a task, its hash and probe checked, with its input and manifest entry: for crates that
/// decode its output themselves.
pub fn load_net<'a>(
    folder: &Path,
    pack: &'a ModelPack,
    task: ModelTask,
) -> Result<(Box<dyn NeuralNet>, ModelInput, &'a ModelEntry), ModelLoadError> {
    let model = pack.model_for(task)?;
    let (net, input) = open_probed_net(folder, pack, model)?;
    Ok((net, input, model))
}

fn open_probed_net(
    folder: &Path,
    pack: &ModelPack,
    model: &ModelEntry,
) -> Result<(Box<dyn NeuralNet>, ModelInput), ModelLoadError> {
    let file = model.file_for_this_processor();
    open_probed_file(folder, pack, model, file.ok_or_else(|| ModelLoadError::wrong(model, "it has no file"))?)
}

fn open_probed_file(
    folder: &Path,
    pack: &ModelPack,
    model: &ModelEntry,
    file: &PackFile,
) -> Result<(Box<dyn NeuralNet>, ModelInput), ModelLoadError> {
    let input = model.input.clone().ok_or_else(|| ModelLoadError::wrong(model, "it has no input"))?;
    let runtime = OnnxRuntime::open(folder, &pack.runtime)?;
    let bytes = file.read(folder)?;
    let mut net: Box<dyn NeuralNet> = match model.output {
        ModelOutput::BlazefaceAnchors { max_input_side: Some(_), .. } => {
            Box::new(ResizableNet::new(&model.id, bytes, &input.name, runtime))
        }
        _ => Box::new(OnnxNet::load(&model.id, &bytes, &input.name, &runtime)?),
    };
    if let Some(probe) = &model.probe {
        check_probe(&mut *net, model, &input, probe)?;
    }
    Ok((net, input))
}

/// Opens the nets of any model of a pack, those for other processors too, their hashes checked, and runs their probe, if it has
/// one.
pub fn verify_probe(folder: &Path, pack: &ModelPack, model: &ModelEntry) -> Result<(), ModelLoadError> {
    for file in model.file.iter().chain(&model.avx512_file) {
        open_probed_file(folder, pack, model, file)?;
    }
    Ok(())
}

/// A net whose output is the probability of a live face. The outputs of several crops are averaged, unless the crops
/// are joined to one input.
struct LivenessNet {
    id: String,
    net: Box<dyn NeuralNet>,
    input: ModelInput,
    tensor: String,
    live_index: usize,
}

impl LivenessModel for LivenessNet {
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, VisionError> {
        let spec = self.input.crop.clone();
        let square = |scale: f32| {
            let square = CropSquare::around(face, spec.rule, scale);
            if spec.rule == CropRule::Inside { square.moved_inside(picture) } else { square }
        };
        if spec.joined {
            let squares: Vec<CropSquare> = spec.scales.iter().map(|&scale| square(scale)).collect();
            let mut batch = Vec::new();
            crop::write_crops_side_by_side(picture, &squares, &self.input, &mut batch);
            return Ok(LivenessScore { real: self.live_probability(&batch)?, cues: Vec::new() });
        }
        let mut sum = 0.0;
        for &scale in &spec.scales {
            let mut batch = Vec::new();
            crop::write_crop(picture, square(scale), &self.input, &mut batch);
            sum += self.live_probability(&batch)?;
        }
        Ok(LivenessScore { real: sum / spec.scales.len() as f32, cues: Vec::new() })
    }
}

impl LivenessNet {
    fn live_probability(&mut self, batch: &[f32]) -> Result<f32, VisionError> {
        let answer = self.net.run(batch, [1, 3, self.input.height as usize, self.input.width as usize])?;
        let values = tensor_named(&answer, &self.tensor, &self.id)?;
        Ok(values.get(self.live_index).copied().unwrap_or(f32::NAN))
    }
}

/// The input of a probe: noise by a linear congruential generator from a seed, normalised as the input requires, NCHW.
fn probe_input(seed: u64, input: &ModelInput) -> Vec<f32> {
    let area = input.width as usize * input.height as usize;
    let mut state = seed;
    (0..3 * area)
        .map(|at| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let plane = at / area;
            ((state >> 56) as f32 - input.mean[plane]) * input.scale[plane]
        })
        .collect()
}

/// A model's output for a probe: the first values of the tensor `name`.
fn probe_values(
    net: &mut dyn NeuralNet,
    model: &ModelEntry,
    input: &ModelInput,
    seed: u64,
    name: &str,
) -> Result<Vec<f32>, ModelLoadError> {
    let shape = [1, 3, input.height as usize, input.width as usize];
    let answer = net.run(&probe_input(seed, input), shape).map_err(ModelLoadError::Vision)?;
    Ok(tensor_named(&answer, name, &model.id)
        .map_err(ModelLoadError::Vision)?
        .iter()
        .take(PROBED_VALUES)
        .copied()
        .collect())
}

/// Number of values of a probe's output that are compared.
const PROBED_VALUES: usize = 8;

fn check_probe(
    net: &mut dyn NeuralNet,
    model: &ModelEntry,
    input: &ModelInput,
    probe: &ModelProbe,
) -> Result<(), ModelLoadError> {
    let found = probe_values(net, model, input, probe.seed, &probe.tensor)?;
    // Tolerance relative to the largest magnitude, so that models with small outputs are checked as strictly.
    let largest = probe.values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let close = |(found, expected): (&f32, &f32)| (found - expected).abs() <= probe.tolerance * largest;
    if found.len() == probe.values.len() && found.iter().zip(&probe.values).all(close) {
        return Ok(());
    }
    let cause = format!("its probe gave {found:?} instead of {:?}", probe.values);
    Err(ModelLoadError::Model { id: model.id.clone(), cause })
}
