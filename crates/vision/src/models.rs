//! Everything one worker owns: the models that the pack selects, loaded and probed.

use crate::{
    AgeEstimate, Face, FaceQuality, ModelLoadError, VideoTileScheduler, VisionError,
    age::{AgeDecoding, AgeModel},
    crop::{self, CropSquare},
    detect::FaceDetector,
    embed::{EmbeddingModel, EmbeddingSpace},
    inference::{NeuralNet, OnnxNet, OnnxRuntime, ScriptedNet, tensor_named},
    liveness::{self, BuiltInCues, LivenessModel, LivenessScore},
    model_manifest::{
        CropRule, LivenessThresholds, ModelEntry, ModelInput, ModelOutput, ModelPack, ModelProbe, ModelTask,
    },
    quality,
};
use base::Picture;
use std::path::Path;

/// A model that answers, as `explain`, readiness and metrics name it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ModelInfo {
    /// What it is asked for.
    pub task: ModelTask,
    /// Its name in the pack.
    pub id: String,
    /// SHA-256 of its file, or of the parameters of a built-in model.
    pub sha256: String,
    /// Whether its answers must not be relied on yet.
    pub experimental: bool,
}

/// The loaded models. Not shared between threads: each worker has its own.
pub struct VisionModels {
    detector: FaceDetector,
    age: AgeModel,
    embed: EmbeddingModel,
    liveness: Box<dyn LivenessModel>,
    thresholds: LivenessThresholds,
    models: Vec<ModelInfo>,
}

impl std::fmt::Debug for VisionModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vision").field("models", &self.models).finish_non_exhaustive()
    }
}

impl VisionModels {
    /// Loads what the pack of a folder selects, checks every hash and runs every probe.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        let [detect, age, embed, liveness] =
            [ModelTask::Detect, ModelTask::Age, ModelTask::Embed, ModelTask::Liveness]
                .map(|task| pack.model_for(task));
        let (detect, age, embed, liveness) = (detect?, age?, embed?, liveness?);
        let models = [detect, age, embed, liveness].map(model_info).to_vec();
        let loader = PackLoader { folder, pack: &pack };
        let (liveness, thresholds) = loader.liveness(liveness)?;
        let (detector, age, embed) = (loader.detector(detect)?, loader.age(age)?, loader.embed(embed)?);
        Ok(Self { detector, age, embed, liveness, thresholds, models })
    }

    /// A vision that finds one face and then answers nonsense; for tests of what becomes of that.
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
        };
        Self {
            detector: FaceDetector {
                id: "scripted".to_owned(),
                net: Box::new(ScriptedNet(faces)),
                input: input(256),
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
            },
            embed: EmbeddingModel::scripted(vec![f32::NAN; 2], input(8)),
            liveness: Box::new(liveness::built_in()),
            thresholds: LivenessThresholds { low: 0.5, medium: 0.5, high: 0.5 },
            models: Vec::new(),
        }
    }

    /// The faces of a picture, surest first, found as they are in a photo of one person or a few: in one to three looks of
    /// the net where somebody is upright; where nobody is, also lying, on the head or leaning, in seven looks more. Where
    /// several are sure enough to count, each was confirmed by a look from near by.
    pub fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        self.detector.detect(picture)
    }

    /// The upright faces of a frame of a camera, found like those of [`Self::detect`], in two looks where there is none.
    pub fn detect_upright(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_upright(picture)
    }

    /// Every face of a picture from `smallest` pixels on (the longer side of its box), surest first, each of them sure
    /// enough to count.
    ///
    /// It takes about 40 looks of the net for a picture of 1920 x 1080 with `smallest` 40, and one more for each small
    /// face. In a picture that would take more than 400, `smallest` grows. A picture that shows nobody upright is looked at
    /// lying and on its head as well, for as many looks again.
    pub fn detect_tiled(&mut self, picture: &Picture, smallest: f32) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_tiled(picture, smallest)
    }

    /// The faces of the next frame of a video, surest first, each sure enough to count; about two looks, and one more for
    /// each small face (up to four).
    ///
    /// Large faces (a twelfth of the picture's width) are found at once, small ones when the turn has come to where they
    /// are: parts that changed come first. For a first frame, or a single one, use [`Self::find`].
    pub fn detect_in_video(
        &mut self,
        picture: &Picture,
        sweep: &mut VideoTileScheduler,
    ) -> Result<Vec<Face>, VisionError> {
        self.detector.detect_in_video(picture, sweep)
    }

    /// Whether a face is sure enough to count towards "more than one".
    pub fn is_confident(&self, face: &Face) -> bool {
        face.score >= self.detector.counting_threshold
    }

    /// How old a face looks.
    pub fn estimate_age(&mut self, picture: &Picture, face: &Face) -> Result<AgeEstimate, VisionError> {
        self.age.estimate(picture, face)
    }

    /// How well a face is seen. Asks no net.
    pub fn assess_quality(picture: &Picture, face: &Face) -> FaceQuality {
        quality::assess(picture, face)
    }

    /// Who a face is: [`EmbeddingSpace::dimension`] numbers, which lie near those of other pictures of the same person. What the
    /// net says, scaled to length one where the model's metric is cosine.
    pub fn embed(&mut self, picture: &Picture, face: &Face) -> Result<Vec<f32>, VisionError> {
        self.embed.embed(picture, face)
    }

    /// The space that [`Self::embed`] answers in.
    pub fn embedding_space(&self) -> &EmbeddingSpace {
        &self.embed.space
    }

    /// How sure it is that a face is live.
    pub fn score_liveness(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, VisionError> {
        let score = self.liveness.score(picture, face)?;
        if (0.0..=1.0).contains(&score.real) {
            return Ok(score);
        }
        let model = self.models.iter().find(|model| model.task == ModelTask::Liveness);
        let model = model.map_or_else(|| "liveness".to_owned(), |model| model.id.clone());
        Err(VisionError::Unusable { model, what: "the score is none".to_owned() })
    }

    /// The scores from which a face is live.
    pub fn liveness_thresholds(&self) -> LivenessThresholds {
        self.thresholds
    }

    /// The models that answer.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }
}

fn model_info(model: &ModelEntry) -> ModelInfo {
    ModelInfo {
        task: model.task,
        id: model.id.clone(),
        sha256: model.digest(),
        experimental: model.experimental,
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
        let ModelOutput::BlazefaceAnchors { find, count } = model.output else {
            return Err(ModelLoadError::wrong(model, "its decode finds no faces"));
        };
        if model.input.as_ref().is_none_or(|input| (input.width, input.height) != (256, 256)) {
            return Err(ModelLoadError::wrong(model, "blazeface_anchors belong to an input of 256 x 256"));
        }
        let (net, input) = self.net(model)?;
        Ok(FaceDetector {
            id: model.id.clone(),
            net,
            input,
            detection_threshold: find,
            counting_threshold: count,
        })
    }

    fn age(&self, model: &ModelEntry) -> Result<AgeModel, ModelLoadError> {
        let (tensor, reading, errors) = match model.output.clone() {
            ModelOutput::AgeScalar { tensor, errors } => (tensor, AgeDecoding::Years, errors),
            ModelOutput::AgeSoftmax { tensor, first_age, errors } => {
                (tensor, AgeDecoding::Probabilities { first_age }, errors)
            }
            _ => return Err(ModelLoadError::wrong(model, "its decode gives no age")),
        };
        let (net, input) = self.net(model)?;
        Ok(AgeModel { id: model.id.clone(), net, input, tensor, reading, errors })
    }

    fn embed(&self, model: &ModelEntry) -> Result<EmbeddingModel, ModelLoadError> {
        if !matches!(model.output, ModelOutput::Embedding { .. }) {
            return Err(ModelLoadError::wrong(model, "its decode gives no embedding"));
        }
        let (net, input) = self.net(model)?;
        EmbeddingModel::new(model, net, input)
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
            _ => return Err(ModelLoadError::wrong(model, "its decode tells no live face")),
        };
        let (net, input) = self.net(model)?;
        Ok((Box::new(LivenessNet { id: model.id.clone(), net, input, tensor, live_index }), thresholds))
    }
}

/// The net of the model that serves a task, its hash checked and its probe passed, and how a picture is put into it: for
/// crates that read its answers themselves.
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
    let mut net = open_net(folder, pack, model)?;
    let input = model.input.clone().ok_or_else(|| ModelLoadError::wrong(model, "it has no input"))?;
    if let Some(probe) = &model.probe {
        check_probe(&mut net, model, &input, probe)?;
    }
    Ok((Box::new(net), input))
}

/// Opens the net of any model of a pack, its hash checked, and runs its probe, if it has one.
pub fn verify_probe(folder: &Path, pack: &ModelPack, model: &ModelEntry) -> Result<(), ModelLoadError> {
    open_probed_net(folder, pack, model).map(drop)
}

/// Opens an ONNX session on the file of a model.
fn open_net(folder: &Path, pack: &ModelPack, model: &ModelEntry) -> Result<OnnxNet, ModelLoadError> {
    let file = model.file.as_ref().ok_or_else(|| ModelLoadError::wrong(model, "it has no file"))?;
    let input = model.input.as_ref().ok_or_else(|| ModelLoadError::wrong(model, "it has no input"))?;
    let bytes = file.read(folder)?;
    OnnxNet::load(&model.id, &bytes, &input.name, &OnnxRuntime::open(folder, &pack.runtime)?)
}

/// A net that gives the probability of a live face; several crops are averaged, or joined to one input.
struct LivenessNet {
    id: String,
    net: Box<dyn NeuralNet>,
    input: ModelInput,
    tensor: String,
    live_index: usize,
}

impl LivenessModel for LivenessNet {
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, VisionError> {
        let crops = self.input.crop.clone();
        let square = |scale: f32| {
            let square = CropSquare::around(face, crops.rule, scale);
            if crops.rule == CropRule::Inside { square.moved_inside(picture) } else { square }
        };
        if crops.joined {
            let squares: Vec<CropSquare> = crops.scales.iter().map(|&scale| square(scale)).collect();
            let mut batch = Vec::new();
            crop::write_crops_side_by_side(picture, &squares, &self.input, &mut batch);
            return Ok(LivenessScore { real: self.ask(&batch)?, cues: Vec::new() });
        }
        let mut sum = 0.0;
        for &scale in &crops.scales {
            let mut batch = Vec::new();
            crop::write_crop(picture, square(scale), &self.input, &mut batch);
            sum += self.ask(&batch)?;
        }
        Ok(LivenessScore { real: sum / crops.scales.len() as f32, cues: Vec::new() })
    }
}

impl LivenessNet {
    fn ask(&mut self, batch: &[f32]) -> Result<f32, VisionError> {
        let answer = self.net.run(batch, [1, 3, self.input.height as usize, self.input.width as usize])?;
        let values = tensor_named(&answer, &self.tensor, &self.id)?;
        Ok(values.get(self.live_index).copied().unwrap_or(f32::NAN))
    }
}

/// The picture that a probe puts in: noise of a seed, already scaled as the input wants it.
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

/// What a model answers to its probe's picture: the first values of a tensor.
fn probe_values(
    net: &mut OnnxNet,
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

/// How many values of a probe's answer are compared.
const PROBED_VALUES: usize = 8;

fn check_probe(
    net: &mut OnnxNet,
    model: &ModelEntry,
    input: &ModelInput,
    probe: &ModelProbe,
) -> Result<(), ModelLoadError> {
    let found = probe_values(net, model, input, probe.seed, &probe.tensor)?;
    // Relative to the largest: next to 1, every small probability looks like every other.
    let largest = probe.values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let close = |(found, expected): (&f32, &f32)| (found - expected).abs() <= probe.tolerance * largest;
    if found.len() == probe.values.len() && found.iter().zip(&probe.values).all(close) {
        return Ok(());
    }
    let cause = format!("its probe gave {found:?} instead of {:?}", probe.values);
    Err(ModelLoadError::Model { id: model.id.clone(), cause })
}
