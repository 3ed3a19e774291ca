//! The manifest of a pack, a folder of models: for each model its source and licence, how a picture becomes its input
//! and how its output is decoded. To use another ONNX model, an operator describes it here; nothing else has to change.

use aws_lc_rs::digest;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

/// The manifest's file name.
pub const MANIFEST_FILE_NAME: &str = "pack.json";

/// Models larger than this are refused.
const MAX_MODEL_BYTES: u64 = 512 << 20;
/// Inputs with a longer side are refused.
const MAX_INPUT_SIDE: u32 = 2048;

/// A folder of models, as `pack.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPack {
    /// Version of this format: 1.
    pub format: u32,
    /// The inference runtime's shared library.
    pub runtime: PackFile,
    /// Which model serves which task, by id.
    #[serde(rename = "use")]
    pub serves: BTreeMap<ModelTask, String>,
    pub models: Vec<ModelEntry>,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelTask {
    /// Face detection.
    Detect,
    /// Age estimation.
    Age,
    /// Face recognition: an embedding of a face.
    Embed,
    /// Presentation attack detection: whether a face is live.
    Liveness,
    /// What of a face is covered, and how blurred and noisy it is. No pack needs one; without it nothing of this is checked.
    Quality,
    /// Detection of lines of text on a page.
    #[serde(rename = "find-text")]
    FindText,
    /// Whether a line of text is upside down.
    #[serde(rename = "turn-text")]
    TurnText,
    /// Recognition of the characters of a line of text.
    #[serde(rename = "read-text")]
    ReadText,
}

impl std::fmt::Display for ModelTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Detect => "detect",
            Self::Age => "age",
            Self::Embed => "embed",
            Self::Liveness => "liveness",
            Self::Quality => "quality",
            Self::FindText => "find-text",
            Self::TurnText => "turn-text",
            Self::ReadText => "read-text",
        })
    }
}

/// A file of the pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// Path relative to the pack's folder.
    pub path: String,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// One model of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Unique in the pack.
    pub id: String,
    pub task: ModelTask,
    /// The ONNX file; absent for a model that is built into the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PackFile>,
    /// The same net for processors with AVX-512, if it is another file there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avx512_file: Option<PackFile>,
    /// Whether its answers are not to be relied on yet.
    #[serde(default)]
    pub experimental: bool,
    /// Where it was converted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ModelSource>,
    /// Licence of the weights, as far as it is known.
    pub licence: String,
    /// Doubts about that licence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub licence_note: String,
    /// What it was trained on, as far as it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub training_data: String,
    /// How a picture becomes the input; absent for a model that is built into the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<ModelInput>,
    pub output: ModelOutput,
    /// A test input with the expected output, checked at import and at each start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ModelProbe>,
}

/// Where a model was converted from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSource {
    pub package: String,
    /// Version of the package.
    pub version: String,
    /// Path below `node_modules` (or the repository) to SHA-256.
    pub files: BTreeMap<String, String>,
    /// Version of the converter that made the model.
    pub converter: String,
}

/// How a picture becomes the input: a crop, scaled to the input's size, `(value - mean) * scale` for each channel,
/// NCHW. Nets for text also take other sizes, pages with sides that are multiples of 32 and lines of any width; for
/// them width and height are the probe's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelInput {
    /// The tensor's name.
    pub name: String,
    /// Pixels, 1 to 2048.
    pub width: u32,
    /// Pixels, 1 to 2048.
    pub height: u32,
    pub colour: ChannelOrder,
    /// Subtracted from each channel (0 to 255), in the order of `colour`.
    pub mean: [f32; 3],
    /// Multiplied with each channel, in the order of `colour`.
    pub scale: [f32; 3],
    pub crop: CropSpec,
}

/// Order of the colour channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelOrder {
    Rgb,
    Bgr,
}

/// Which part of the picture the net sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CropSpec {
    pub rule: CropRule,
    /// Side of each crop as a multiple of the face box's longer side, 0.2 to 8; one to eight of them. The outputs of
    /// several crops are averaged, unless they are `joined`.
    #[serde(default = "one_crop")]
    pub scales: Vec<f32>,
    /// Whether the crops lie side by side in one input, each as wide as the input divided by their number; for liveness
    /// only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
}

fn one_crop() -> Vec<f32> {
    vec![1.0]
}

/// How a crop is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CropRule {
    /// The whole picture, scaled to fit and centred on black; for face detection only.
    Letterbox,
    /// A square around the centre of the face box.
    Box,
    /// The same square, moved and shrunk to lie inside the picture; for liveness only.
    Inside,
    /// A square around the centre of the face box, rotated so that the eyes are level.
    EyesLevel,
    /// The alignment of dlib's recognition net: a square centred on the mean of both eyes and the mouth, whose side is
    /// the distance from eyes to mouth divided by 0.45, rotated so that the eyes are level.
    D2,
    /// A whole page; for text detection only.
    Page,
    /// A line of text, rectified to the height of the input; for the nets that turn and read text only.
    Line,
}

/// How the output is decoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decode", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelOutput {
    /// Boxes and key points relative to 896 anchors, as in MediaPipe's BlazeFace back model.
    BlazefaceAnchors {
        /// Score from which a candidate is a face.
        find: f32,
        /// Score from which a face counts towards "more than one face".
        count: f32,
        /// The greatest width and height of an input, pixels, of a net that takes any whose sides are multiples of 32, and which
        /// names them `height` and `width`. Default: the net takes inputs of one size only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_input_side: Option<u32>,
    },
    /// One number: the age in years.
    AgeScalar {
        /// The tensor's name.
        tensor: String,
        errors: AgeErrorTable,
    },
    /// A probability for each year of age; the estimate is the expected value.
    AgeSoftmax {
        /// The tensor's name.
        tensor: String,
        /// Age of the first entry in years, 0 to 120.
        first_age: f32,
        errors: AgeErrorTable,
        /// Another model, whose estimate is averaged with this one's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        averaged_with: Option<AveragedAgeModel>,
    },
    /// An embedding; those of one person lie close together.
    Embedding {
        /// The tensor's name.
        tensor: String,
        metric: DistanceMetric,
        /// Whether the embeddings of the crop and of its mirror image are averaged.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mirror: bool,
        /// SHA-256 of the file whose embeddings these are but for rounding, where it is another one: those of both files lie
        /// in one space, and are compared with each other.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        same_space_as: Option<String>,
        /// False match rates by distance, ascending.
        #[serde(default)]
        thresholds: Vec<FalseMatchThreshold>,
    },
    /// Two or more probabilities, one of them that of a live face.
    PadSoftmax {
        /// The tensor's name.
        tensor: String,
        /// Index of the probability of a live face.
        live_index: usize,
        thresholds: LivenessThresholds,
    },
    /// One probability: that of a live face.
    PadSigmoid {
        /// The tensor's name.
        tensor: String,
        thresholds: LivenessThresholds,
    },
    /// The cues that are built into the program.
    Cues {
        /// Default: those that belong to the program's weights.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thresholds: Option<LivenessThresholds>,
    },
    /// Five numbers: the probabilities that mouth, nose and eyes are covered, and the standard deviations of blur (per cent of
    /// 1.2 times the face box's longer side) and of noise (per cent of full light). The first crop alone is looked at.
    CaptureQuality {
        /// The tensor's name.
        tensor: String,
    },
    /// For each pixel of a page the probability that it belongs to the core of a line of text (differentiable
    /// binarisation).
    TextRegions {
        /// The tensor's name.
        tensor: String,
        /// Probability from which a pixel belongs to a line.
        core: f32,
        /// Mean probability inside a box from which it is a line.
        line: f32,
        /// How far the box of a core is expanded to that of the line, on each side: area by circumference, times this
        /// factor of 0 to 4.
        grow: f32,
        /// The longer side that a page is scaled down to, 320 to 2048 pixels.
        longest: u32,
    },
    /// Two probabilities, one of them that of a line that is upside down.
    TextTurned {
        /// The tensor's name.
        tensor: String,
        /// Index of the probability that the line is upside down.
        turned_index: usize,
    },
    /// For each step along a line the probabilities of no character, of each character of a list, and of a space, in
    /// this order (connectionist temporal classification).
    TextCharacters {
        /// The tensor's name.
        tensor: String,
        /// The list: one character a line, UTF-8.
        characters: PackFile,
    },
}

/// The second model of a mean of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AveragedAgeModel {
    /// Id of a model for age that has an input and is averaged with no other itself.
    pub id: String,
    /// Its share of the mean, 0 to 1.
    pub share: f32,
    /// The crops that it sees here, in the place of its own.
    pub scales: Vec<f32>,
}

/// How the distance between two embeddings is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DistanceMetric {
    /// The Euclidean distance of the outputs as they are.
    #[serde(alias = "l2")]
    Euclidean,
    /// The angle. Outputs are scaled to length one; their Euclidean distance then ranks pairs in the same order.
    Cosine,
}

/// The false match rate at a distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FalseMatchThreshold {
    /// False match rate (ISO/IEC 19795-1), above 0 and below 1.
    pub rate: f64,
    /// Euclidean distance below which that share of impostor pairs lies.
    pub distance: f32,
}

/// Scores from which a face is live, by level of assurance; 0 to 1, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LivenessThresholds {
    /// Refuses the fewest people.
    pub low: f32,
    /// The default.
    pub medium: f32,
    /// Refuses the most attacks.
    pub high: f32,
}

/// The error of age estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeErrorTable {
    /// In words: where the table comes from and what it covers.
    pub covers: String,
    /// Standard deviation of the error by estimated age, ascending; at least one entry, the first from 0. Where the net tells its
    /// own for each picture (`distribution`), what that comes to for most: for limits that are stated before there is a picture.
    pub bands: Vec<AgeErrorBand>,
    /// Weight, 0 to 10, with which the spread between the crops, and between averaged models, is added in quadrature.
    pub spread_weight: f32,
    /// How the net's own distribution over ages tells the deviation, in the place of `bands`; for `age_softmax` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<DistributionError>,
    /// What a bad capture adds, where a model for quality serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureErrorTable>,
}

/// A standard deviation that the net tells for each picture: `base` and `weight` times the deviation of its distribution over ages,
/// in quadrature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistributionError {
    /// Years, 0 to 100.
    pub base: f32,
    /// 0 to 10.
    pub weight: f32,
}

/// Standard deviations in years that are added in quadrature for what [`crate::CaptureQuality`] measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureErrorTable {
    /// By the standard deviation of the blur; ascending, interpolated, and as at the ends beyond them.
    pub blur: Vec<CaptureErrorPoint>,
    /// By the standard deviation of the noise, likewise.
    pub noise: Vec<CaptureErrorPoint>,
    /// Of a covered mouth, years; weighted with the probability that it is, from a half on.
    pub mouth: f32,
    /// Of a covered nose, likewise.
    pub nose: f32,
    /// Of a covered eye, likewise.
    pub eyes: f32,
}

/// A point of such a function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureErrorPoint {
    /// Of blur or noise, as measured.
    pub at: f32,
    /// What it adds, years.
    pub st_dev: f32,
}

/// Error of a band of estimated ages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeErrorBand {
    /// Estimated age in years at which the band begins; it ends where the next one begins.
    pub from: f32,
    /// Standard deviation of the error, years.
    pub st_dev: f32,
}

/// A test input made from a seed, and the expected output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelProbe {
    /// Seed of the noise picture.
    pub seed: u64,
    /// Name of the output tensor that is compared.
    pub tensor: String,
    /// The expected first values of that tensor, at most eight.
    pub values: Vec<f32>,
    /// How far each value may be off, relative to the largest magnitude in `values`.
    pub tolerance: f32,
}

/// Why a pack cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelPackError {
    /// A file is missing or cannot be read.
    #[error("{path} cannot be read: {cause}")]
    File { path: String, cause: std::io::Error },
    /// The manifest does not parse.
    #[error("{path} is not a manifest: {cause}")]
    Manifest { path: String, cause: serde_json::Error },
    /// The manifest contradicts itself or a limit.
    #[error("the manifest is wrong: {0}")]
    Wrong(String),
    /// A file is not the one the manifest names.
    #[error("{path} is not the file of the manifest: SHA-256 {found} instead of {expected}")]
    Hash { path: String, found: String, expected: String },
}

/// SHA-256 in lower-case hexadecimal, as manifests state it.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

impl ModelPack {
    /// Reads and validates the manifest in `folder`. The files that it names are checked when they are loaded.
    pub fn read(folder: &Path) -> Result<Self, ModelPackError> {
        let path = folder.join(MANIFEST_FILE_NAME);
        let text = std::fs::read(&path)
            .map_err(|cause| ModelPackError::File { path: path.display().to_string(), cause })?;
        let pack: Self = serde_json::from_slice(&text)
            .map_err(|cause| ModelPackError::Manifest { path: path.display().to_string(), cause })?;
        pack.check()?;
        Ok(pack)
    }

    fn check(&self) -> Result<(), ModelPackError> {
        let invalid = |what: String| Err(ModelPackError::Wrong(what));
        if self.format != 1 {
            return invalid(format!("format {} is not known to this version; it knows 1", self.format));
        }
        for (task, id) in &self.serves {
            match self.models.iter().find(|model| model.id == *id) {
                None => return invalid(format!("{task} is served by {id}, which is not among the models")),
                Some(model) if model.task != *task => {
                    return invalid(format!("{id} is a model for {}, not {task}", model.task));
                }
                Some(_) => {}
            }
        }
        for (at, model) in self.models.iter().enumerate() {
            if self.models[..at].iter().any(|other| other.id == model.id) {
                return invalid(format!("there are two models {}", model.id));
            }
            model.check()?;
            self.averaged_model(model)?;
        }
        Ok(())
    }

    /// The model that is averaged with this one, if one is.
    pub fn averaged_model(&self, model: &ModelEntry) -> Result<Option<&ModelEntry>, ModelPackError> {
        let ModelOutput::AgeSoftmax { averaged_with: Some(with), .. } = &model.output else {
            return Ok(None);
        };
        let found = self.models.iter().find(|other| other.id == with.id);
        let is_single = |other: &&ModelEntry| {
            matches!(
                other.output,
                ModelOutput::AgeScalar { .. } | ModelOutput::AgeSoftmax { averaged_with: None, .. }
            )
        };
        let words = || {
            format!("model {} is averaged with {}, which is not a single model for age", model.id, with.id)
        };
        found.filter(is_single).map(Some).ok_or_else(|| ModelPackError::Wrong(words()))
    }

    /// The model that serves a task, if one does.
    pub fn chosen_model(&self, task: ModelTask) -> Result<Option<&ModelEntry>, ModelPackError> {
        self.serves.contains_key(&task).then(|| self.model_for(task)).transpose()
    }

    /// The model that serves a task; an error where none does.
    pub fn model_for(&self, task: ModelTask) -> Result<&ModelEntry, ModelPackError> {
        let id =
            self.serves.get(&task).ok_or_else(|| ModelPackError::Wrong(format!("no model serves {task}")))?;
        let model = self.models.iter().find(|model| model.id == *id);
        model.ok_or_else(|| ModelPackError::Wrong(format!("{id} is not among the models")))
    }
}

impl ModelEntry {
    fn check(&self) -> Result<(), ModelPackError> {
        let invalid = |what: &str| Err(ModelPackError::Wrong(format!("model {}: {what}", self.id)));
        let built_in = matches!(self.output, ModelOutput::Cues { .. });
        if built_in != self.file.is_none() || built_in != self.input.is_none() {
            return invalid("a model has a file and an input, unless it is part of the program");
        }
        if let Some(input) = &self.input {
            self.check_input(input).or_else(invalid)?;
        }
        let (shares, first_age, errors) = match &self.output {
            ModelOutput::BlazefaceAnchors { find, count, max_input_side } => {
                let sides = 256..=MAX_INPUT_SIDE;
                if max_input_side.is_some_and(|side| !sides.contains(&side) || !side.is_multiple_of(64)) {
                    return invalid("the greatest side is a multiple of 64, 256 to 2048 pixels");
                }
                (vec![*find, *count], 0.0, None)
            }
            ModelOutput::AgeScalar { errors, .. } => {
                if errors.distribution.is_some() {
                    return invalid("a distribution belongs to age_softmax: one number has none");
                }
                (Vec::new(), 0.0, Some(errors))
            }
            ModelOutput::AgeSoftmax { first_age, errors, averaged_with, .. } => {
                let is_sound = |with: &AveragedAgeModel| {
                    (0.0..=1.0).contains(&with.share) && are_crop_scales(&with.scales)
                };
                if !averaged_with.as_ref().is_none_or(is_sound) {
                    return invalid("an averaged model has a share of 0 to 1, and one to eight crops");
                }
                (Vec::new(), *first_age, Some(errors))
            }
            ModelOutput::PadSoftmax { thresholds, .. }
            | ModelOutput::PadSigmoid { thresholds, .. }
            | ModelOutput::Cues { thresholds: Some(thresholds) } => {
                (vec![thresholds.low, thresholds.medium, thresholds.high], 0.0, None)
            }
            ModelOutput::Embedding { thresholds, same_space_as, .. } => {
                let is_hash = |text: &String| {
                    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                };
                return if !are_valid_match_rates(thresholds) {
                    invalid("false match rates lie between 0 and 1, and they and their distances ascend")
                } else if !same_space_as.as_ref().is_none_or(is_hash) {
                    // Faces that are enrolled would silently no longer be compared.
                    invalid("`same_space_as` is a SHA-256, 64 digits in lower-case hexadecimal")
                } else {
                    Ok(())
                };
            }
            ModelOutput::TextRegions { core, line, grow, longest, .. } => {
                if !(0.0..=4.0).contains(grow) || !(320..=MAX_INPUT_SIDE).contains(longest) {
                    return invalid("boxes grow by 0 to 4, and pages are shrunk to 320 to 2048 pixels");
                }
                (vec![*core, *line], 0.0, None)
            }
            ModelOutput::CaptureQuality { .. }
            | ModelOutput::TextTurned { .. }
            | ModelOutput::TextCharacters { .. }
            | ModelOutput::Cues { thresholds: None } => {
                return Ok(());
            }
        };
        if !shares.is_sorted() || shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
            return invalid("thresholds are 0 to 1, ascending");
        }
        if !(0.0..=120.0).contains(&first_age) {
            return invalid("the first age is 0 to 120 years");
        }
        let Some(errors) = errors else { return Ok(()) };
        if !(0.0..=10.0).contains(&errors.spread_weight) {
            return invalid("the weight of the spread is 0 to 10");
        }
        let is_told = |told: &DistributionError| {
            (0.0..=100.0).contains(&told.base) && (0.0..=10.0).contains(&told.weight)
        };
        if !errors.distribution.as_ref().is_none_or(is_told) {
            return invalid("a distribution has a base of 0 to 100 years and a weight of 0 to 10");
        }
        let ascending = errors.bands.is_sorted_by(|a, b| a.from < b.from);
        let positive = errors.bands.iter().all(|band| band.st_dev.is_finite() && band.st_dev > 0.0);
        if !ascending || !positive || errors.bands.first().is_none_or(|band| band.from > 0.0) {
            return invalid("error bands start at 0, ascend, and have positive deviations");
        }
        if errors.capture.as_ref().is_some_and(|capture| !capture.is_sound()) {
            return invalid("what a bad capture adds is 0 to 100 years, by measures that ascend");
        }
        Ok(())
    }

    /// Says what is wrong with the input.
    fn check_input(&self, input: &ModelInput) -> Result<(), &'static str> {
        let sides = 1..=MAX_INPUT_SIDE;
        if !sides.contains(&input.width) || !sides.contains(&input.height) {
            return Err("the input's sides are 1 to 2048 pixels");
        }
        let CropSpec { rule, scales, joined } = &input.crop;
        if !are_crop_scales(scales) {
            return Err("crops are one to eight, of 0.2 to 8 times the face");
        }
        match (rule, self.task) {
            (CropRule::Box | CropRule::EyesLevel | CropRule::D2, _)
            | (CropRule::Letterbox, ModelTask::Detect)
            | (CropRule::Inside, ModelTask::Liveness)
            | (CropRule::Page, ModelTask::FindText)
            | (CropRule::Line, ModelTask::TurnText | ModelTask::ReadText) => {}
            (CropRule::Letterbox, _) => return Err("letterboxed pictures belong to detect"),
            (CropRule::Inside, _) => return Err("crops moved inside belong to liveness"),
            (CropRule::Page, _) => return Err("whole pages belong to find-text"),
            (CropRule::Line, _) => return Err("lines of text belong to turn-text and read-text"),
        }
        if *joined
            && (self.task != ModelTask::Liveness || !(input.width as usize).is_multiple_of(scales.len()))
        {
            return Err("joined crops belong to liveness, and share the input's width evenly");
        }
        Ok(())
    }

    /// The files of the pack that it needs: the model, and its list of characters where it reads text.
    pub fn files(&self) -> impl Iterator<Item = &PackFile> {
        let characters = match &self.output {
            ModelOutput::TextCharacters { characters, .. } => Some(characters),
            _ => None,
        };
        self.file.iter().chain(&self.avx512_file).chain(characters)
    }

    /// The ONNX file that suits this machine's processor.
    pub fn file_for_this_processor(&self) -> Option<&PackFile> {
        #[cfg(target_arch = "x86_64")]
        let wide = self.avx512_file.as_ref().filter(|_| std::arch::is_x86_feature_detected!("avx512f"));
        #[cfg(not(target_arch = "x86_64"))]
        let wide = None;
        wide.or(self.file.as_ref())
    }

    /// Identifies the model in answers and metrics: SHA-256 of its file, or of the built-in model's parameters.
    pub fn digest(&self) -> String {
        self.file.as_ref().map_or_else(crate::liveness::BuiltInCues::digest, |file| file.sha256.clone())
    }
}

impl CaptureErrorTable {
    fn is_sound(&self) -> bool {
        let is_added = |years: f32| (0.0..=100.0).contains(&years);
        let is_function = |points: &[CaptureErrorPoint]| {
            points.is_sorted_by(|a, b| a.at < b.at)
                && points.iter().all(|point| point.at.is_finite() && is_added(point.st_dev))
        };
        is_function(&self.blur)
            && is_function(&self.noise)
            && [self.mouth, self.nose, self.eyes].into_iter().all(is_added)
    }
}

fn are_crop_scales(scales: &[f32]) -> bool {
    (1..=8).contains(&scales.len()) && scales.iter().all(|scale| (0.2..=8.0).contains(scale))
}

/// Whether rates lie between 0 and 1, distances are positive, and both ascend.
fn are_valid_match_rates(thresholds: &[FalseMatchThreshold]) -> bool {
    let rates = thresholds.iter().all(|at| at.rate > 0.0 && at.rate < 1.0);
    let distances = thresholds.iter().all(|at| at.distance.is_finite() && at.distance > 0.0);
    rates && distances && thresholds.is_sorted_by(|a, b| a.rate < b.rate && a.distance < b.distance)
}

impl PackFile {
    /// The file's path below the pack's `folder`. Refuses paths that lead out of it.
    pub fn locate(&self, folder: &Path) -> Result<PathBuf, ModelPackError> {
        let inside = Path::new(&self.path).components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || self.path.is_empty() || self.bytes > MAX_MODEL_BYTES {
            return Err(ModelPackError::Wrong(format!(
                "{:?} lies outside the folder or is too large",
                self.path
            )));
        }
        Ok(folder.join(&self.path))
    }

    /// Reads the file and checks its SHA-256; refuses more than 512 MiB.
    pub fn read(&self, folder: &Path) -> Result<Vec<u8>, ModelPackError> {
        let path = self.locate(folder)?;
        let failed = |cause| ModelPackError::File { path: path.display().to_string(), cause };
        let length = std::fs::metadata(&path).map_err(failed)?.len();
        if length > MAX_MODEL_BYTES {
            return Err(ModelPackError::Wrong(format!(
                "{} has {length} bytes, more than {MAX_MODEL_BYTES}",
                path.display()
            )));
        }
        let bytes = std::fs::read(&path).map_err(failed)?;
        let found = sha256(&bytes);
        if found == self.sha256 {
            Ok(bytes)
        } else {
            Err(ModelPackError::Hash {
                path: path.display().to_string(),
                found,
                expected: self.sha256.clone(),
            })
        }
    }
}
