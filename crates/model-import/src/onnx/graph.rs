//! A graph of operators and constants, and its serialisation.

use super::protobuf::ProtobufMessage;
use std::collections::BTreeMap;

/// An attribute of an operator.
#[derive(Clone)]
pub(crate) enum OnnxAttribute {
    Int(i64),
    Ints(Vec<i64>),
}

/// The values of a constant.
#[derive(Clone)]
pub(crate) enum ConstantData {
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Bytes(Vec<u8>),
    SignedBytes(Vec<i8>),
    Words(Vec<i32>),
}

#[derive(Clone)]
pub(super) struct OnnxNode {
    pub(super) operator: &'static str,
    pub(super) inputs: Vec<String>,
    pub(super) output: String,
    pub(super) attributes: Vec<(&'static str, OnnxAttribute)>,
}

/// Sizes of a tensor that are not fixed: of a batch, of a picture, and of what its cells give. Each has a name of its own in the
/// file, so that a program can fix it.
pub(crate) const ANY_BATCH: i64 = -1;
const ANY_HEIGHT: i64 = -2;
const ANY_WIDTH: i64 = -3;
const ANY_COUNT: i64 = -4;

/// A graph with one input. Tensors are NCHW; negative sizes are those that are not fixed.
#[derive(Default)]
pub(crate) struct OnnxGraph {
    pub(super) nodes: Vec<OnnxNode>,
    pub(crate) constants: BTreeMap<String, (Vec<i64>, ConstantData)>,
    pub(super) input: (String, Vec<i64>),
    pub(super) outputs: Vec<(String, Vec<i64>)>,
    names: usize,
}

/// A convolution with weights in TensorFlow's layout: height, width, input channels, output channels. In a depthwise
/// convolution the last is the channel multiplier.
pub(crate) struct Convolution<'a> {
    pub(crate) weights: &'a [f32],
    pub(crate) shape: [usize; 4],
    pub(crate) bias: Option<&'a [f32]>,
    pub(crate) strides: [i64; 2],
    /// Top, left, bottom, right.
    pub(crate) pads: [i64; 4],
    pub(crate) dilations: [i64; 2],
    pub(crate) depthwise: bool,
}

impl OnnxGraph {
    fn fresh_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}_{}", self.names)
    }

    /// Sets name and shape of the input.
    pub(crate) fn set_input(&mut self, name: &str, shape: Vec<i64>) {
        self.input = (name.to_owned(), shape);
    }

    /// Adds a constant; returns its name.
    pub(crate) fn constant(&mut self, shape: &[i64], data: ConstantData) -> String {
        let name = self.fresh_name(match data {
            ConstantData::Floats(_) => "w",
            _ => "k",
        });
        self.constants.insert(name.clone(), (shape.to_vec(), data));
        name
    }

    /// Adds a constant of floats; returns its name.
    pub(crate) fn floats(&mut self, shape: &[i64], values: Vec<f32>) -> String {
        self.constant(shape, ConstantData::Floats(values))
    }

    /// Adds an operator; returns the name of its output.
    pub(crate) fn operator(
        &mut self,
        operator: &'static str,
        inputs: &[&str],
        attributes: Vec<(&'static str, OnnxAttribute)>,
    ) -> String {
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        let node = self.detached(operator, inputs, attributes);
        let output = node.output.clone();
        self.nodes.push(node);
        output
    }

    /// An operator that is not among the nodes yet, with an output of its own.
    pub(super) fn detached(
        &mut self,
        operator: &'static str,
        inputs: Vec<String>,
        attributes: Vec<(&'static str, OnnxAttribute)>,
    ) -> OnnxNode {
        OnnxNode { operator, inputs, output: self.fresh_name(operator), attributes }
    }

    /// Adds a clamp to `low..=high`; returns the name of its output.
    pub(crate) fn clip(&mut self, x: &str, low: f32, high: f32) -> String {
        let low = self.floats(&[], vec![low]);
        let high = self.floats(&[], vec![high]);
        self.operator("Clip", &[x, &low, &high], vec![])
    }

    /// Adds a convolution; returns the name of its output.
    pub(crate) fn convolution(&mut self, x: &str, conv: &Convolution<'_>) -> String {
        let [height, width, inputs, outputs] = conv.shape;
        // ONNX's layout: output channels, input channels, height, width.
        let mut weights = Vec::with_capacity(conv.weights.len());
        let at = |h: usize, w: usize, i: usize, o: usize| {
            conv.weights[((h * width + w) * inputs + i) * outputs + o]
        };
        let plane = |weights: &mut Vec<f32>, i: usize, o: usize| {
            for h in 0..height {
                for w in 0..width {
                    weights.push(at(h, w, i, o));
                }
            }
        };
        let (kernel, shape) = ([height as i64, width as i64], conv.shape.map(|size| size as i64));
        let (shape, group) = if conv.depthwise {
            (0..inputs).for_each(|i| (0..outputs).for_each(|o| plane(&mut weights, i, o)));
            ([shape[2] * shape[3], 1, kernel[0], kernel[1]], shape[2])
        } else {
            (0..outputs).for_each(|o| (0..inputs).for_each(|i| plane(&mut weights, i, o)));
            ([shape[3], shape[2], kernel[0], kernel[1]], 1)
        };
        let weights = self.floats(&shape, weights);
        let bias = conv.bias.map(|bias| self.floats(&[bias.len() as i64], bias.to_vec()));
        let inputs: Vec<&str> =
            [Some(x), Some(weights.as_str()), bias.as_deref()].into_iter().flatten().collect();
        self.operator(
            "Conv",
            &inputs,
            vec![
                ("kernel_shape", OnnxAttribute::Ints(kernel.to_vec())),
                ("strides", OnnxAttribute::Ints(conv.strides.to_vec())),
                ("pads", OnnxAttribute::Ints(conv.pads.to_vec())),
                ("dilations", OnnxAttribute::Ints(conv.dilations.to_vec())),
                ("group", OnnxAttribute::Int(group)),
            ],
        )
    }

    /// Lets the picture have any size, of a net of one picture, convolutions and maxima whose outputs are values for each cell, in
    /// rows of a fixed length.
    pub(crate) fn free_picture_size(&mut self) {
        if let [_, _, height, width] = self.input.1.as_mut_slice() {
            (*height, *width) = (ANY_HEIGHT, ANY_WIDTH);
        }
        for node in self.nodes.iter().filter(|node| node.operator == "Reshape") {
            if let Some((_, ConstantData::Ints(shape))) = self.constants.get_mut(&node.inputs[1])
                && let [_, count, _] = shape.as_mut_slice()
            {
                // What is left when the other sizes are fixed.
                *count = -1;
            }
        }
        for (_, shape) in &mut self.outputs {
            if let [_, count, _] = shape.as_mut_slice() {
                *count = ANY_COUNT;
            }
        }
    }

    /// Makes a tensor an output of the graph, under a new name.
    pub(crate) fn set_output(&mut self, tensor: &str, name: &str, shape: &[i64]) {
        for node in &mut self.nodes {
            if node.output == tensor {
                name.clone_into(&mut node.output);
            }
            for input in &mut node.inputs {
                if input == tensor {
                    name.clone_into(input);
                }
            }
        }
        self.outputs.push((name.to_owned(), shape.to_vec()));
    }

    /// Serialises the model. The same graph always gives the same bytes.
    pub(crate) fn to_onnx(&self, name: &str) -> Vec<u8> {
        let mut graph = ProtobufMessage::default();
        for node in &self.nodes {
            let mut out = ProtobufMessage::default();
            for input in &node.inputs {
                out.text(1, input);
            }
            out.text(2, &node.output).text(3, &node.output).text(4, node.operator);
            for (name, attribute) in &node.attributes {
                out.message(5, &attribute_message(name, attribute));
            }
            graph.message(1, &out);
        }
        graph.text(2, name);
        for (name, (shape, data)) in &self.constants {
            graph.message(5, &constant_message(name, shape, data));
        }
        graph.message(11, &value_info(&self.input.0, &self.input.1));
        for (name, shape) in &self.outputs {
            graph.message(12, &value_info(name, shape));
        }
        let mut operators = ProtobufMessage::default();
        operators.text(1, "").int(2, 13);
        let mut model = ProtobufMessage::default();
        model.int(1, 8).text(2, "assay").message(7, &graph).message(8, &operators);
        model.finish()
    }
}

fn attribute_message(name: &str, attribute: &OnnxAttribute) -> ProtobufMessage {
    const INT: i64 = 2;
    const INTS: i64 = 7;
    let mut out = ProtobufMessage::default();
    out.text(1, name);
    match attribute {
        OnnxAttribute::Int(value) => out.int(3, *value).int(20, INT),
        OnnxAttribute::Ints(values) => {
            for value in values {
                out.int(8, *value);
            }
            out.int(20, INTS)
        }
    };
    out
}

fn constant_message(name: &str, shape: &[i64], data: &ConstantData) -> ProtobufMessage {
    const FLOAT: i64 = 1;
    const UINT8: i64 = 2;
    const INT8: i64 = 3;
    const INT32: i64 = 6;
    const INT64: i64 = 7;
    let mut out = ProtobufMessage::default();
    for size in shape {
        out.int(1, *size);
    }
    let (kind, raw): (i64, Vec<u8>) = match data {
        ConstantData::Floats(values) => {
            (FLOAT, values.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
        ConstantData::Ints(values) => (INT64, values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        ConstantData::Bytes(values) => (UINT8, values.clone()),
        ConstantData::SignedBytes(values) => {
            (INT8, values.iter().map(|value| value.cast_unsigned()).collect())
        }
        ConstantData::Words(values) => (INT32, values.iter().flat_map(|value| value.to_le_bytes()).collect()),
    };
    out.int(2, kind).text(8, name).bytes(9, &raw);
    out
}

fn value_info(name: &str, shape: &[i64]) -> ProtobufMessage {
    let mut sizes = ProtobufMessage::default();
    for &size in shape {
        let mut dimension = ProtobufMessage::default();
        match size {
            ANY_BATCH => dimension.text(2, "N"),
            ANY_HEIGHT => dimension.text(2, "height"),
            ANY_WIDTH => dimension.text(2, "width"),
            // Outputs have different counts.
            ANY_COUNT => dimension.text(2, &format!("{name} count")),
            size => dimension.int(1, size),
        };
        sizes.message(1, &dimension);
    }
    let (mut tensor, mut kind, mut value) =
        (ProtobufMessage::default(), ProtobufMessage::default(), ProtobufMessage::default());
    tensor.int(1, 1).message(2, &sizes);
    kind.message(1, &tensor);
    value.text(1, name).message(2, &kind);
    value
}
