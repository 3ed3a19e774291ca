//! The nets of `@vladmandic/face-api`: the package has weights without a topology, so the topologies are written here
//! by hand.

use super::{
    ImportError,
    tfjs::{padding, read_json},
    tfjs_weights::{self, TfjsWeight, WeightGroup},
};
use crate::onnx::{ConstantData, Convolution, OnnxAttribute, OnnxGraph};
use std::{collections::HashMap, path::Path};

/// Normalisation of both nets: the RGB mean that is subtracted, and the divisor.
const RGB_MEAN: [f32; 3] = [122.782, 117.001, 104.298];
const INPUT_DIVISOR: f32 = 255.0;

/// A square feature map of the graph that is built.
#[derive(Clone)]
struct FeatureMap {
    tensor: String,
    side: i64,
    channels: i64,
}

struct FaceApiBuilder {
    graph: OnnxGraph,
    weights: HashMap<String, TfjsWeight>,
}

#[derive(Clone, Copy, PartialEq)]
enum Pad {
    Same,
    Valid,
}

impl FaceApiBuilder {
    /// Reads the weights, and adds the input (RGB, 0 to 255) with its normalisation.
    fn start(manifest: &Path, side: i64) -> Result<(Self, FeatureMap), ImportError> {
        let groups: Vec<WeightGroup> = read_json(manifest)?;
        let weights = tfjs_weights::read(&groups, manifest.parent().unwrap_or(Path::new("")))?;
        let mut graph = OnnxGraph::default();
        graph.set_input("input", vec![-1, 3, side, side]);
        let mean = graph.floats(&[1, 3, 1, 1], RGB_MEAN.to_vec());
        let scale = graph.floats(&[], vec![INPUT_DIVISOR]);
        let centred = graph.operator("Sub", &["input", &mean], vec![]);
        let tensor = graph.operator("Div", &[&centred, &scale], vec![]);
        Ok((Self { graph, weights }, FeatureMap { tensor, side, channels: 3 }))
    }

    fn weight(&self, name: &str) -> Result<TfjsWeight, ImportError> {
        self.weights
            .get(name)
            .cloned()
            .ok_or_else(|| ImportError::unsupported(name, "this weight is missing"))
    }

    fn convolve(
        &mut self,
        x: &FeatureMap,
        weights: &str,
        bias: Option<&str>,
        stride: i64,
        pad: Pad,
        depthwise: bool,
    ) -> Result<FeatureMap, ImportError> {
        let filter = self.weight(weights)?;
        let shape = filter.shape4(weights)?;
        let bias = bias.map(|name| self.weight(name)).transpose()?;
        let (side, before, after) = padding(x.side, shape[0] as i64, stride, 1, pad == Pad::Valid);
        let tensor = self.graph.convolution(
            &x.tensor,
            &Convolution {
                weights: &filter.floats,
                shape,
                bias: bias.as_ref().map(|bias| bias.floats.as_slice()),
                strides: [stride, stride],
                pads: [before, before, after, after],
                dilations: [1, 1],
                depthwise,
            },
        );
        let channels = if depthwise { x.channels } else { shape[3] as i64 };
        Ok(FeatureMap { tensor, side, channels })
    }

    fn relu(&mut self, x: &FeatureMap) -> FeatureMap {
        FeatureMap { tensor: self.graph.operator("Relu", &[&x.tensor], vec![]), ..x.clone() }
    }

    fn add(&mut self, a: &FeatureMap, b: &FeatureMap) -> FeatureMap {
        FeatureMap { tensor: self.graph.operator("Add", &[&a.tensor, &b.tensor], vec![]), ..a.clone() }
    }

    fn pool(
        &mut self,
        operator: &'static str,
        x: &FeatureMap,
        size: i64,
        stride: i64,
        pad: Pad,
    ) -> FeatureMap {
        let (side, before, after) = padding(x.side, size, stride, 1, pad == Pad::Valid);
        let attributes = vec![
            ("kernel_shape", OnnxAttribute::Ints(vec![size, size])),
            ("strides", OnnxAttribute::Ints(vec![stride, stride])),
            ("pads", OnnxAttribute::Ints(vec![before, before, after, after])),
        ];
        FeatureMap {
            tensor: self.graph.operator(operator, &[&x.tensor], attributes),
            side,
            channels: x.channels,
        }
    }

    /// Appends zeros: so many channels, and so many rows and columns.
    fn zero_pad(&mut self, x: &FeatureMap, channels: i64, side: i64) -> FeatureMap {
        let pads = ConstantData::Ints(vec![0, 0, 0, 0, 0, channels, side, side]);
        let pads = self.graph.constant(&[8], pads);
        let tensor = self.graph.operator("Pad", &[&x.tensor, &pads], vec![]);
        FeatureMap { tensor, side: x.side + side, channels: x.channels + channels }
    }

    fn average(&mut self, x: &FeatureMap) -> String {
        let pooled = self.graph.operator("GlobalAveragePool", &[&x.tensor], vec![]);
        self.graph.operator("Flatten", &[&pooled], vec![("axis", OnnxAttribute::Int(1))])
    }

    fn dense(&mut self, x: &str, weights: &str, bias: Option<&str>) -> Result<String, ImportError> {
        let matrix = self.weight(weights)?;
        let mut inputs = vec![x.to_owned(), self.graph.floats(&matrix.shape, matrix.floats)];
        if let Some(name) = bias {
            let bias = self.weight(name)?;
            inputs.push(self.graph.floats(&bias.shape, bias.floats));
        }
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        Ok(self.graph.operator("Gemm", &inputs, vec![]))
    }
}

/// Age and gender: a small Xception. Input 112 x 112; outputs `age` in years and two probabilities `gender`.
pub(super) fn age_gender(manifest: &Path) -> Result<OnnxGraph, ImportError> {
    let (mut net, x) = FaceApiBuilder::start(manifest, 112)?;
    let x =
        net.convolve(&x, "entry_flow/conv_in/filters", Some("entry_flow/conv_in/bias"), 2, Pad::Same, false)?;
    let mut x = net.relu(&x);
    x = net.reduce(&x, "entry_flow/reduction_block_0", false)?;
    x = net.reduce(&x, "entry_flow/reduction_block_1", true)?;
    for block in 0..2 {
        let mut y = x.clone();
        for step in 0..3 {
            y = net.relu(&y);
            y = net.separable(&y, &format!("middle_flow/main_block_{block}/separable_conv{step}"))?;
        }
        x = net.add(&y, &x);
    }
    x = net.reduce(&x, "exit_flow/reduction_block", true)?;
    x = net.separable(&x, "exit_flow/separable_conv")?;
    x = net.relu(&x);
    let features = net.average(&x);
    let age = net.dense(&features, "fc/age/weights", Some("fc/age/bias"))?;
    let gender = net.dense(&features, "fc/gender/weights", Some("fc/gender/bias"))?;
    let gender = net.graph.operator("Softmax", &[&gender], vec![("axis", OnnxAttribute::Int(-1))]);
    net.graph.set_output(&age, "age", &[-1, 1]);
    net.graph.set_output(&gender, "gender", &[-1, 2]);
    Ok(net.graph)
}

impl FaceApiBuilder {
    fn separable(&mut self, x: &FeatureMap, name: &str) -> Result<FeatureMap, ImportError> {
        let y = self.convolve(x, &format!("{name}/depthwise_filter"), None, 1, Pad::Same, true)?;
        self.convolve(
            &y,
            &format!("{name}/pointwise_filter"),
            Some(&format!("{name}/bias")),
            1,
            Pad::Same,
            false,
        )
    }

    fn reduce(&mut self, x: &FeatureMap, name: &str, active: bool) -> Result<FeatureMap, ImportError> {
        let mut y = if active { self.relu(x) } else { x.clone() };
        y = self.separable(&y, &format!("{name}/separable_conv0"))?;
        y = self.relu(&y);
        y = self.separable(&y, &format!("{name}/separable_conv1"))?;
        y = self.pool("MaxPool", &y, 3, 2, Pad::Same);
        let (filters, bias) =
            (format!("{name}/expansion_conv/filters"), format!("{name}/expansion_conv/bias"));
        let shortcut = self.convolve(x, &filters, Some(&bias), 2, Pad::Same, false)?;
        Ok(self.add(&y, &shortcut))
    }
}

/// Our own linear map after the recognition net, in which strangers of every group are equally far from each other:
/// 128 x 128 weights, row by row, and 128 offsets, float32, little-endian. training/recognition/README.md says how it was
/// fitted.
const RECOGNITION_MAP: &[u8] = include_bytes!("../models/recognition-map.bin");
/// The length of every embedding, so that one of a thousand strangers of one group is nearer than 0.53.
const EMBEDDING_LENGTH: f32 = 0.515_019;
const EMBEDDING_DIMENSION: usize = 128;

/// Recognition: dlib's ResNet with 34 layers, and our own map of its answer. Input 150 x 150; output `embedding` of 128
/// values and always the same length.
pub(super) fn recognition(manifest: &Path) -> Result<OnnxGraph, ImportError> {
    let (mut net, x) = FaceApiBuilder::start(manifest, 150)?;
    let x = net.scaled(&x, "conv32_down", 2, true, Pad::Valid)?;
    let mut x = net.pool("MaxPool", &x, 3, 2, Pad::Valid);
    let blocks = [
        ("conv32", 3, None),
        ("conv64", 3, Some("conv64_down")),
        ("conv128", 2, Some("conv128_down")),
        ("conv256", 2, Some("conv256_down")),
    ];
    for (name, count, down) in blocks {
        if let Some(down) = down {
            x = net.residual(&x, down, true)?;
        }
        for block in 1..=count {
            x = net.residual(&x, &format!("{name}_{block}"), false)?;
        }
    }
    x = net.residual(&x, "conv256_down_out", true)?;
    let features = net.average(&x);
    let answer = net.dense(&features, "fc", None)?;
    let embedding = net.mapped(&answer)?;
    net.graph.set_output(&embedding, "embedding", &[-1, 128]);
    Ok(net.graph)
}

impl FaceApiBuilder {
    /// The recognition net's answer by [`RECOGNITION_MAP`], scaled to [`EMBEDDING_LENGTH`].
    fn mapped(&mut self, answer: &str) -> Result<String, ImportError> {
        const VALUES: usize = EMBEDDING_DIMENSION * EMBEDDING_DIMENSION;
        let values: Vec<f32> =
            RECOGNITION_MAP.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        if values.len() != VALUES + EMBEDDING_DIMENSION {
            return Err(ImportError::unsupported("recognition-map.bin", "128 x 128 weights and 128 offsets"));
        }
        let (weights, offsets) = values.split_at(VALUES);
        let dimension = EMBEDDING_DIMENSION as i64;
        let weights = self.graph.floats(&[dimension, dimension], weights.to_vec());
        let offsets = self.graph.floats(&[dimension], offsets.to_vec());
        let moved = self.graph.operator("Gemm", &[answer, &weights, &offsets], vec![]);
        let attributes = vec![("axis", OnnxAttribute::Int(-1)), ("p", OnnxAttribute::Int(2))];
        let direction = self.graph.operator("LpNormalization", &[&moved], attributes);
        let length = self.graph.floats(&[], vec![EMBEDDING_LENGTH]);
        Ok(self.graph.operator("Mul", &[&direction, &length], vec![]))
    }

    /// A convolution followed by a learnt scale and offset for each channel, and `Relu` where `active`.
    fn scaled(
        &mut self,
        x: &FeatureMap,
        name: &str,
        stride: i64,
        active: bool,
        pad: Pad,
    ) -> Result<FeatureMap, ImportError> {
        let (filters, bias) = (format!("{name}/conv/filters"), format!("{name}/conv/bias"));
        let y = self.convolve(x, &filters, Some(&bias), stride, pad, false)?;
        let scale = self.weight(&format!("{name}/scale/weights"))?.floats;
        let offset = self.weight(&format!("{name}/scale/biases"))?.floats;
        let shape = [1, scale.len() as i64, 1, 1];
        let (scale, offset) = (self.graph.floats(&shape, scale), self.graph.floats(&shape, offset));
        let scaled = self.graph.operator("Mul", &[&y.tensor, &scale], vec![]);
        let y = FeatureMap { tensor: self.graph.operator("Add", &[&scaled, &offset], vec![]), ..y };
        Ok(if active { self.relu(&y) } else { y })
    }

    fn residual(&mut self, x: &FeatureMap, name: &str, down: bool) -> Result<FeatureMap, ImportError> {
        let (stride, pad) = if down { (2, Pad::Valid) } else { (1, Pad::Same) };
        let mut y = self.scaled(x, &format!("{name}/conv1"), stride, true, pad)?;
        y = self.scaled(&y, &format!("{name}/conv2"), 1, false, Pad::Same)?;
        let mut shortcut = x.clone();
        if down {
            shortcut = self.pool("AveragePool", x, 2, 2, Pad::Valid);
            if shortcut.side != y.side {
                y = self.zero_pad(&y, 0, shortcut.side - y.side);
            }
            if shortcut.channels != y.channels {
                shortcut = self.zero_pad(&shortcut, y.channels - shortcut.channels, 0);
            }
        }
        let sum = self.add(&shortcut, &y);
        Ok(self.relu(&sum))
    }
}
