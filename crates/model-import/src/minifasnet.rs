//! MiniFASNet, a third-party liveness net (minivision-ai/Silent-Face-Anti-Spoofing, Apache-2.0): two nets on two crops,
//! whose probabilities are averaged. The state files hold weights without a topology, so the topology is written here
//! by hand.

use super::{
    ImportError, recipe, run_probes,
    torch_state::{self, StateTensor},
    write_atomically,
};
use crate::onnx::{ConstantData, OnnxAttribute, OnnxGraph};
use std::{collections::HashMap, path::Path};
use vision::model_manifest::{
    self, ChannelOrder, CropRule, CropSpec, LivenessThresholds, ModelEntry, ModelInput, ModelOutput,
    ModelPack, ModelProbe, ModelSource, ModelTask, PackFile, sha256,
};

/// Id of the model in the pack.
pub const MODEL_ID: &str = "minifasnet";

/// Path in the repository and SHA-256 of the two state files, one for each net.
pub const STATE_FILES: [(&str, &str); 2] = [
    (
        "resources/anti_spoof_models/2.7_80x80_MiniFASNetV2.pth",
        "a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0",
    ),
    (
        "resources/anti_spoof_models/4_0_0_80x80_MiniFASNetV1SE.pth",
        "84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990",
    ),
];

/// Largest state file that is read.
pub const MAX_STATE_FILE_BYTES: u64 = 8 << 20;

/// Side of each net's input, pixels.
const INPUT_SIDE: i64 = 80;

/// Adds MiniFASNet to the pack in the folder `to` and lets it serve liveness. `files` are the bytes of [`STATE_FILES`],
/// in that order.
///
/// Replaces an older entry and changes nothing else. The manifest is written last, after all probes have passed.
pub fn add_to_pack(files: &[Vec<u8>; 2], to: &Path) -> Result<ModelPack, ImportError> {
    for (bytes, (path, expected)) in files.iter().zip(STATE_FILES) {
        let found = sha256(bytes);
        if found != expected {
            return Err(ImportError::State { path: path.to_owned(), found, expected: expected.to_owned() });
        }
    }
    let bytes = convert(files)?;
    let mut pack = ModelPack::read(to)?;
    let path = format!("{MODEL_ID}.onnx");
    write_atomically(&to.join(&path), &bytes)?;
    pack.models.retain(|model| model.id != MODEL_ID);
    pack.models.push(entry(PackFile { path, sha256: sha256(&bytes), bytes: bytes.len() as u64 }));
    pack.serves.insert(ModelTask::Liveness, MODEL_ID.to_owned());
    run_probes(to, &pack)?;
    let json = serde_json::to_vec_pretty(&pack)
        .map_err(|_| ImportError::unsupported(model_manifest::MANIFEST_FILE_NAME, "plain data"))?;
    write_atomically(&to.join(model_manifest::MANIFEST_FILE_NAME), &json)?;
    Ok(pack)
}

fn entry(file: PackFile) -> ModelEntry {
    ModelEntry {
        id: MODEL_ID.to_owned(),
        task: ModelTask::Liveness,
        file: Some(file),
        avx512_file: None,
        experimental: true,
        source: Some(ModelSource {
            package: "minivision-ai/Silent-Face-Anti-Spoofing".to_owned(),
            version: "2020-07".to_owned(),
            files: STATE_FILES.map(|(path, hash)| (path.to_owned(), hash.to_owned())).into(),
            converter: recipe::CONVERTER_VERSION.to_owned(),
        }),
        licence: "Apache-2.0".to_owned(),
        licence_note: "the repository's; nothing is said of the people in the training pictures".to_owned(),
        training_data: "not published".to_owned(),
        input: Some(ModelInput {
            name: "input".to_owned(),
            width: 2 * INPUT_SIDE as u32,
            height: INPUT_SIDE as u32,
            colour: ChannelOrder::Bgr,
            mean: [0.0; 3],
            scale: [1.0; 3],
            crop: CropSpec { rule: CropRule::Inside, scales: vec![2.7, 4.0], joined: true },
        }),
        output: ModelOutput::PadSoftmax {
            tensor: "kinds".to_owned(),
            live_index: 1,
            thresholds: LivenessThresholds { low: 0.5, medium: 0.7, high: 0.9 },
        },
        probe: Some(ModelProbe {
            seed: recipe::PROBE_SEED,
            tensor: "kinds".to_owned(),
            // The output of the authors' own code.
            values: vec![0.002_310_23, 0.995_501_1, 0.002_188_72],
            tolerance: 2e-3,
        }),
    }
}

/// Builds both nets as one graph: the first gets the left half of the input, the second the right half.
fn convert(files: &[Vec<u8>; 2]) -> Result<Vec<u8>, ImportError> {
    let mut graph = OnnxGraph::default();
    graph.set_input("input", vec![-1, 3, INPUT_SIDE, 2 * INPUT_SIDE]);
    let mut probabilities = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let weights = torch_state::read(file)?;
        let start = at as i64 * INPUT_SIDE;
        let bounds =
            [start, start + INPUT_SIDE, 3].map(|value| graph.constant(&[1], ConstantData::Ints(vec![value])));
        let half = graph.operator("Slice", &["input", &bounds[0], &bounds[1], &bounds[2]], vec![]);
        probabilities.push(MiniFasNetBuilder { graph: &mut graph, weights }.net(&half)?);
    }
    let sum = graph.operator("Add", &[&probabilities[0], &probabilities[1]], vec![]);
    let half = graph.floats(&[], vec![0.5]);
    let mean = graph.operator("Mul", &[&sum, &half], vec![]);
    graph.set_output(&mean, "kinds", &[-1, 3]);
    Ok(graph.to_onnx(MODEL_ID))
}

struct MiniFasNetBuilder<'a> {
    graph: &'a mut OnnxGraph,
    weights: HashMap<String, StateTensor>,
}

impl MiniFasNetBuilder<'_> {
    fn has(&self, name: &str) -> bool {
        self.weights.contains_key(&format!("module.{name}"))
    }

    fn weight(&self, name: &str) -> Result<StateTensor, ImportError> {
        // Training on several devices (`DataParallel`) prefixes every name with `module`.
        let found = self.weights.get(&format!("module.{name}"));
        found.cloned().ok_or_else(|| ImportError::unsupported(name, "this weight is missing"))
    }

    /// A batch normalisation as a factor and a summand for each channel.
    fn norm(&self, name: &str) -> Result<Vec<(f32, f32)>, ImportError> {
        let values = |part: &str| self.weight(&format!("{name}.{part}")).map(|tensor| tensor.values);
        let (scale, shift, mean, variance) =
            (values("weight")?, values("bias")?, values("running_mean")?, values("running_var")?);
        let channels = scale.iter().zip(shift).zip(mean.iter().zip(variance));
        Ok(channels
            .map(|((scale, shift), (mean, variance))| {
                let factor = scale / (variance + 1e-5).sqrt();
                (factor, shift - mean * factor)
            })
            .collect())
    }

    /// A convolution with the batch normalisation after it folded in.
    fn convolve(
        &mut self,
        x: &str,
        conv: &str,
        norm: &str,
        stride: i64,
        pad: i64,
    ) -> Result<String, ImportError> {
        let StateTensor { shape, mut values } = self.weight(&format!("{conv}.weight"))?;
        let norm = self.norm(norm)?;
        let [out, inner, height, width] = shape[..] else {
            return Err(ImportError::unsupported(conv, "weights of four sizes expected"));
        };
        let each = inner * height * width;
        if norm.len() != out || each == 0 || values.len() != out * each {
            return Err(ImportError::unsupported(conv, "as many weights as the shape says expected"));
        }
        for (filter, (factor, _)) in values.chunks_exact_mut(each).zip(&norm) {
            for value in filter {
                *value *= factor;
            }
        }
        let sizes = shape.iter().map(|&size| size as i64).collect::<Vec<_>>();
        let weights = self.graph.floats(&sizes, values);
        let bias = self.graph.floats(&[out as i64], norm.iter().map(|(_, shift)| *shift).collect());
        // Filters with one input channel are depthwise; those on the picture have three.
        let group = if inner == 1 { out as i64 } else { 1 };
        let attributes = vec![
            ("kernel_shape", OnnxAttribute::Ints(vec![height as i64, width as i64])),
            ("strides", OnnxAttribute::Ints(vec![stride; 2])),
            ("pads", OnnxAttribute::Ints(vec![pad; 4])),
            ("group", OnnxAttribute::Int(group)),
        ];
        Ok(self.graph.operator("Conv", &[x, &weights, &bias], attributes))
    }

    fn conv_norm(&mut self, x: &str, name: &str, stride: i64, pad: i64) -> Result<String, ImportError> {
        self.convolve(x, &format!("{name}.conv"), &format!("{name}.bn"), stride, pad)
    }

    fn conv_norm_prelu(&mut self, x: &str, name: &str, stride: i64, pad: i64) -> Result<String, ImportError> {
        let y = self.conv_norm(x, name, stride, pad)?;
        let slope = self.weight(&format!("{name}.prelu.weight"))?;
        let slope = self.graph.floats(&[slope.values.len() as i64, 1, 1], slope.values);
        Ok(self.graph.operator("PRelu", &[&y, &slope], vec![]))
    }

    /// An inverted bottleneck: expansion, depthwise convolution, projection; with squeeze-and-excitation where the file
    /// has it.
    fn bottleneck(&mut self, x: &str, name: &str, stride: i64) -> Result<String, ImportError> {
        let y = self.conv_norm_prelu(x, &format!("{name}.conv"), 1, 0)?;
        let y = self.conv_norm_prelu(&y, &format!("{name}.conv_dw"), stride, 1)?;
        let y = self.conv_norm(&y, &format!("{name}.project"), 1, 0)?;
        let excitation = format!("{name}.se_module");
        if !self.has(&format!("{excitation}.fc1.weight")) {
            return Ok(y);
        }
        let squeezed = self.graph.operator("GlobalAveragePool", &[&y], vec![]);
        let squeezed =
            self.convolve(&squeezed, &format!("{excitation}.fc1"), &format!("{excitation}.bn1"), 1, 0)?;
        let squeezed = self.graph.operator("Relu", &[&squeezed], vec![]);
        let squeezed =
            self.convolve(&squeezed, &format!("{excitation}.fc2"), &format!("{excitation}.bn2"), 1, 0)?;
        let attention = self.graph.operator("Sigmoid", &[&squeezed], vec![]);
        Ok(self.graph.operator("Mul", &[&y, &attention], vec![]))
    }

    fn residual(&mut self, mut x: String, name: &str, blocks: usize) -> Result<String, ImportError> {
        for block in 0..blocks {
            let y = self.bottleneck(&x, &format!("{name}.model.{block}"), 1)?;
            x = self.graph.operator("Add", &[&x, &y], vec![]);
        }
        Ok(x)
    }

    /// The whole net: three probabilities, the second of them that of a live face.
    fn net(&mut self, x: &str) -> Result<String, ImportError> {
        let x = self.conv_norm_prelu(x, "conv1", 2, 1)?;
        let x = self.conv_norm_prelu(&x, "conv2_dw", 1, 1)?;
        let x = self.bottleneck(&x, "conv_23", 2)?;
        let x = self.residual(x, "conv_3", 4)?;
        let x = self.bottleneck(&x, "conv_34", 2)?;
        let x = self.residual(x, "conv_4", 6)?;
        let x = self.bottleneck(&x, "conv_45", 2)?;
        let x = self.residual(x, "conv_5", 2)?;
        let x = self.conv_norm_prelu(&x, "conv_6_sep", 1, 0)?;
        let x = self.conv_norm(&x, "conv_6_dw", 1, 0)?;
        let x = self.graph.operator("Flatten", &[&x], vec![("axis", OnnxAttribute::Int(1))]);
        let StateTensor { shape, mut values } = self.weight("linear.weight")?;
        let norm = self.norm("bn")?;
        let [out, inner] = shape[..] else {
            return Err(ImportError::unsupported("linear", "a matrix expected"));
        };
        if norm.len() != out || inner == 0 || values.len() != out * inner {
            return Err(ImportError::unsupported("linear", "as many weights as the shape says expected"));
        }
        for (row, (factor, _)) in values.chunks_exact_mut(inner).zip(&norm) {
            for value in row {
                *value *= factor;
            }
        }
        let matrix = self.graph.floats(&[out as i64, inner as i64], values);
        let bias = self.graph.floats(&[out as i64], norm.iter().map(|(_, shift)| *shift).collect());
        let transposed = || vec![("transB", OnnxAttribute::Int(1))];
        let x = self.graph.operator("Gemm", &[&x, &matrix, &bias], transposed());
        let prob = self.weight("prob.weight")?;
        let sizes = prob.shape.iter().map(|&size| size as i64).collect::<Vec<_>>();
        let prob = self.graph.floats(&sizes, prob.values);
        let x = self.graph.operator("Gemm", &[&x, &prob], transposed());
        Ok(self.graph.operator("Softmax", &[&x], vec![("axis", OnnxAttribute::Int(-1))]))
    }
}
