//! The manifest of a folder of models: what each is, where it comes from, how a face is put in and what comes out.
//! An operator brings another ONNX model by describing it here; nothing else has to change.

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

/// A folder of models.
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
    /// The models.
    pub models: Vec<ModelEntry>,
}

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelTask {
    /// Where the faces are.
    Detect,
    /// How old a face looks.
    Age,
    /// Who a face is.
    Embed,
    /// Whether a face is live.
    Liveness,
    /// Where lines of text are on a page.
    #[serde(rename = "find-text")]
    FindText,
    /// Whether a line of text stands on its head.
    #[serde(rename = "turn-text")]
    TurnText,
    /// What a line of text says.
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
    /// Path inside the pack folder.
    pub path: String,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its name in this pack.
    pub id: String,
    /// What it is asked for.
    pub task: ModelTask,
    /// The ONNX file; absent for a model that is part of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PackFile>,
    /// Whether its answers must not be relied on yet.
    #[serde(default)]
    pub experimental: bool,
    /// Where it was converted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ModelSource>,
    /// Licence of the weights, as far as known.
    pub licence: String,
    /// Doubts about that licence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub licence_note: String,
    /// What it was trained on, as far as known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub training_data: String,
    /// How a picture is put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<ModelInput>,
    /// What comes out.
    pub output: ModelOutput,
    /// An input and what must come out, checked at import and at each start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ModelProbe>,
}

/// Where a model was converted from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSource {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Its files, by path inside the package, with their SHA-256.
    pub files: BTreeMap<String, String>,
    /// Version of the converter.
    pub converter: String,
}

/// How a picture is put in: a crop, scaled to the input's size, `(value - mean) * scale` for each channel, NCHW. Nets for
/// text take other sizes as well: pages of any sides that are multiples of 32, lines of any width; theirs is the probe's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelInput {
    /// The tensor's name.
    pub name: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Order of the channels.
    pub colour: ChannelOrder,
    /// Subtracted from each channel (0 to 255), in the order of `colour`.
    pub mean: [f32; 3],
    /// Multiplied with each channel, in the order of `colour`.
    pub scale: [f32; 3],
    /// Which part of the picture.
    pub crop: CropSpec,
}

/// Order of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelOrder {
    /// Red first.
    Rgb,
    /// Blue first.
    Bgr,
}

/// Which part of the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CropSpec {
    /// The rule.
    pub rule: CropRule,
    /// Side of each crop as a multiple of the face's longer side; several are averaged, unless they are `joined`.
    #[serde(default = "one_crop")]
    pub scales: Vec<f32>,
    /// Whether the crops lie side by side in one input, each as wide as the input divided by their number; for nets that
    /// tell a live face.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
}

fn one_crop() -> Vec<f32> {
    vec![1.0]
}

/// The crop rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CropRule {
    /// The whole picture, scaled to fit, centred on black.
    Letterbox,
    /// A square around the middle of the face box.
    Box,
    /// The same, moved and shrunk so as to lie inside the picture; for nets that tell a live face.
    Inside,
    /// A square around the middle of the face box, rotated so that the eyes are level.
    EyesLevel,
    /// A square from eyes and mouth as dlib's recognition net wants it: centre at the mean of both eyes and the mouth,
    /// side the distance from eyes to mouth divided by 0.45, eyes level.
    D2,
    /// A whole page, for nets that look for text.
    Page,
    /// A line of text, drawn level, as high as the input.
    Line,
}

/// What comes out, and how it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decode", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelOutput {
    /// Boxes and key points against 896 anchors, as MediaPipe's BlazeFace back model gives them.
    BlazefaceAnchors {
        /// Score from which a face is a face.
        find: f32,
        /// Score from which a face counts towards "more than one".
        count: f32,
    },
    /// One number: years.
    AgeScalar {
        /// The tensor's name.
        tensor: String,
        /// How far off the estimate is.
        errors: AgeErrorTable,
    },
    /// A probability for each year; the estimate is the expected value.
    AgeSoftmax {
        /// The tensor's name.
        tensor: String,
        /// The age of the first entry, years.
        first_age: f32,
        /// How far off the estimate is.
        errors: AgeErrorTable,
    },
    /// A vector; faces of one person lie close together.
    Embedding {
        /// The tensor's name.
        tensor: String,
        /// What distance means.
        metric: DistanceMetric,
        /// Whether the mirror image is put in as well and the mean of both answers taken.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mirror: bool,
        /// At which distance how many strangers are taken for one person, ascending.
        #[serde(default)]
        thresholds: Vec<FalseMatchThreshold>,
    },
    /// Two or more probabilities, one of which is that of a live face.
    PadSoftmax {
        /// The tensor's name.
        tensor: String,
        /// Which entry is the live one.
        live_index: usize,
        /// Scores from which a face is live.
        thresholds: LivenessThresholds,
    },
    /// One probability: that of a live face.
    PadSigmoid {
        /// The tensor's name.
        tensor: String,
        /// Scores from which a face is live.
        thresholds: LivenessThresholds,
    },
    /// The measures that are part of the program.
    Cues {
        /// Scores from which a face is live; without them those that belong to the program's weights.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thresholds: Option<LivenessThresholds>,
    },
    /// For each pixel of a page the probability that it lies in the core of a line of text (differentiable
    /// binarisation).
    TextRegions {
        /// The tensor's name.
        tensor: String,
        /// Probability from which a pixel belongs to a line.
        core: f32,
        /// Mean probability inside a line's box from which it is one.
        line: f32,
        /// By how much a core's box grows to the line's: area times this by circumference, on each side.
        grow: f32,
        /// The longer side that a page is shrunk to, pixels.
        longest: u32,
    },
    /// Two probabilities, one of which is that of a line on its head.
    TextTurned {
        /// The tensor's name.
        tensor: String,
        /// Which entry is the one for lines on their head.
        turned_index: usize,
    },
    /// For each step along a line a probability for nothing, for each character of a file, and for a blank, in this order
    /// (connectionist temporal classification).
    TextCharacters {
        /// The tensor's name.
        tensor: String,
        /// The characters, one a line, in UTF-8.
        characters: PackFile,
    },
}

/// What the distance between two embeddings means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DistanceMetric {
    /// The Euclidean distance of the answers as they are.
    #[serde(alias = "l2")]
    Euclidean,
    /// The angle: answers are scaled to length one, and their Euclidean distance then ranks alike.
    Cosine,
}

/// How many strangers are taken for one person at a distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FalseMatchThreshold {
    /// The false match rate (ISO/IEC 19795-1), above 0 and below 1.
    pub rate: f64,
    /// The Euclidean distance below which that share of impostor pairs lies.
    pub distance: f32,
}

/// Scores from which a face is live, by level of assurance.
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

/// How far off an age estimate is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeErrorTable {
    /// In words: where the table comes from and what it covers.
    pub covers: String,
    /// Standard deviation of the error by estimated age, ascending; at least one entry, the first from 0.
    pub bands: Vec<AgeErrorBand>,
    /// How much of the spread between the crops is added (in quadrature).
    pub spread_weight: f32,
}

/// A band of estimated ages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeErrorBand {
    /// Years from which it reaches up to the next.
    pub from: f32,
    /// Standard deviation of the error, years.
    pub st_dev: f32,
}

/// An input made from a seed, and what must come out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelProbe {
    /// Seed of the noise picture.
    pub seed: u64,
    /// The tensor that is looked at.
    pub tensor: String,
    /// Its first values.
    pub values: Vec<f32>,
    /// How far a value may be off, relative to the largest of `values`.
    pub tolerance: f32,
}

/// Why a pack cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelPackError {
    /// A file is not there or cannot be read.
    #[error("{path} cannot be read: {cause}")]
    File {
        /// Which file.
        path: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The manifest is not one.
    #[error("{path} is no manifest: {cause}")]
    Manifest {
        /// Which file.
        path: String,
        /// What is wrong.
        cause: serde_json::Error,
    },
    /// The manifest contradicts itself or a limit.
    #[error("the manifest is wrong: {0}")]
    Wrong(String),
    /// A file is not the one the manifest names.
    #[error("{path} is not the file of the manifest: SHA-256 {found} instead of {expected}")]
    Hash {
        /// Which file.
        path: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
}

/// SHA-256 in lower-case hexadecimal, as manifests state it.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

impl ModelPack {
    /// Reads and checks a manifest; the files it names are checked when they are loaded.
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
        let wrong = |what: String| Err(ModelPackError::Wrong(what));
        if self.format != 1 {
            return wrong(format!("format {} is not known to this version; it knows 1", self.format));
        }
        for (task, id) in &self.serves {
            match self.models.iter().find(|model| model.id == *id) {
                None => return wrong(format!("{task} is served by {id}, which is not among the models")),
                Some(model) if model.task != *task => {
                    return wrong(format!("{id} is a model for {}, not {task}", model.task));
                }
                Some(_) => {}
            }
        }
        for (at, model) in self.models.iter().enumerate() {
            if self.models[..at].iter().any(|other| other.id == model.id) {
                return wrong(format!("there are two models {}", model.id));
            }
            model.check()?;
        }
        Ok(())
    }

    /// The model that serves a task.
    pub fn model_for(&self, task: ModelTask) -> Result<&ModelEntry, ModelPackError> {
        let id =
            self.serves.get(&task).ok_or_else(|| ModelPackError::Wrong(format!("no model serves {task}")))?;
        let model = self.models.iter().find(|model| model.id == *id);
        model.ok_or_else(|| ModelPackError::Wrong(format!("{id} is not among the models")))
    }
}

impl ModelEntry {
    fn check(&self) -> Result<(), ModelPackError> {
        let wrong = |what: &str| Err(ModelPackError::Wrong(format!("model {}: {what}", self.id)));
        let built_in = matches!(self.output, ModelOutput::Cues { .. });
        if built_in != self.file.is_none() || built_in != self.input.is_none() {
            return wrong("a model has a file and an input, unless it is part of the program");
        }
        if let Some(input) = &self.input {
            let sides = 1..=MAX_INPUT_SIDE;
            if !sides.contains(&input.width) || !sides.contains(&input.height) {
                return wrong("the input's sides are 1 to 2048 pixels");
            }
            let scales = &input.crop.scales;
            if scales.is_empty()
                || scales.len() > 8
                || scales.iter().any(|scale| !(0.2..=8.0).contains(scale))
            {
                return wrong("crops are one to eight, of 0.2 to 8 times the face");
            }
            if input.crop.rule == CropRule::Inside && self.task != ModelTask::Liveness {
                return wrong("crops moved inside belong to liveness");
            }
            if input.crop.joined
                && (self.task != ModelTask::Liveness || !(input.width as usize).is_multiple_of(scales.len()))
            {
                return wrong("joined crops belong to liveness, and share the input's width evenly");
            }
        }
        let (shares, first_age, errors) = match &self.output {
            ModelOutput::BlazefaceAnchors { find, count } => (vec![*find, *count], 0.0, None),
            ModelOutput::AgeScalar { errors, .. } => (Vec::new(), 0.0, Some(errors)),
            ModelOutput::AgeSoftmax { first_age, errors, .. } => (Vec::new(), *first_age, Some(errors)),
            ModelOutput::PadSoftmax { thresholds, .. }
            | ModelOutput::PadSigmoid { thresholds, .. }
            | ModelOutput::Cues { thresholds: Some(thresholds) } => {
                (vec![thresholds.low, thresholds.medium, thresholds.high], 0.0, None)
            }
            ModelOutput::Embedding { thresholds, .. } => {
                return if sound(thresholds) {
                    Ok(())
                } else {
                    wrong("false match rates lie between 0 and 1, and they and their distances ascend")
                };
            }
            ModelOutput::TextRegions { core, line, grow, longest, .. } => {
                if !(0.0..=4.0).contains(grow) || !(320..=MAX_INPUT_SIDE).contains(longest) {
                    return wrong("boxes grow by 0 to 4, and pages are shrunk to 320 to 2048 pixels");
                }
                (vec![*core, *line], 0.0, None)
            }
            ModelOutput::TextTurned { .. }
            | ModelOutput::TextCharacters { .. }
            | ModelOutput::Cues { thresholds: None } => {
                return Ok(());
            }
        };
        if !shares.is_sorted() || shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
            return wrong("thresholds are 0 to 1, ascending");
        }
        if !(0.0..=120.0).contains(&first_age) {
            return wrong("the first age is 0 to 120 years");
        }
        let Some(errors) = errors else { return Ok(()) };
        if !(0.0..=10.0).contains(&errors.spread_weight) {
            return wrong("the weight of the spread is 0 to 10");
        }
        let ascending = errors.bands.is_sorted_by(|a, b| a.from < b.from);
        let sane = errors.bands.iter().all(|band| band.st_dev.is_finite() && band.st_dev > 0.0);
        if !ascending || !sane || errors.bands.first().is_none_or(|band| band.from > 0.0) {
            return wrong("error bands start at 0, ascend, and have positive deviations");
        }
        Ok(())
    }

    /// The files of the pack that it needs: the model, and its list of characters where it reads text.
    pub fn files(&self) -> impl Iterator<Item = &PackFile> {
        let characters = match &self.output {
            ModelOutput::TextCharacters { characters, .. } => Some(characters),
            _ => None,
        };
        self.file.iter().chain(characters)
    }

    /// What identifies the model in answers and metrics: its file's hash, or that of the built-in model's parameters.
    pub fn digest(&self) -> String {
        self.file.as_ref().map_or_else(crate::liveness::BuiltInCues::digest, |file| file.sha256.clone())
    }
}

/// Between 0 and 1, positive, and both ascending.
fn sound(thresholds: &[FalseMatchThreshold]) -> bool {
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

    /// The bytes, if they are the ones the manifest names.
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
