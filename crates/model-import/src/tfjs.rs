//! Converts TensorFlow.js graph models to ONNX. Tensors become NCHW at the input and stay so, without transposing in
//! between; `SAME` padding becomes explicit.

use super::{
    ImportError,
    tfjs_weights::{self, TfjsWeight, WeightGroup},
};
use crate::onnx::{ConstantData, Convolution, OnnxAttribute, OnnxGraph};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

pub(super) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, ImportError> {
    let bytes = std::fs::read(file).map_err(|cause| ImportError::file(file, cause))?;
    serde_json::from_slice(&bytes)
        .map_err(|_| ImportError::unsupported(&file.display().to_string(), "not the JSON expected"))
}

/// Output size, and padding before and after, of a sliding window over `size` values.
pub(super) fn padding(size: i64, window: i64, stride: i64, dilation: i64, valid: bool) -> (i64, i64, i64) {
    let window = (window - 1) * dilation + 1;
    if valid {
        return ((size - window) / stride + 1, 0, 0);
    }
    let out = (size + stride - 1) / stride;
    let pad = ((out - 1) * stride + window - size).max(0);
    (out, pad / 2, pad - pad / 2)
}

/// A tensor that depends on the input: its name, its shape in TensorFlow's order (NHWC), and whether ONNX holds it as
/// NCHW.
#[derive(Clone)]
struct GraphTensor {
    name: String,
    shape: Vec<i64>,
    nchw: bool,
}

enum ConvertedNode {
    Constant(TfjsWeight),
    Tensor(GraphTensor),
}

struct TfjsConverter<'a> {
    nodes: HashMap<&'a str, &'a Value>,
    weights: HashMap<String, TfjsWeight>,
    converted: HashMap<String, ConvertedNode>,
    graph: OnnxGraph,
    signature: &'a Value,
    batch: i64,
}

/// A node of the TensorFlow.js model.
struct SavedNode<'a> {
    name: &'a str,
    operator: &'a str,
    inputs: Vec<String>,
    attributes: &'a Value,
}

/// Converts the graph model in `file`; `batch` is the batch size, -1 for any.
pub(super) fn convert(file: &Path, batch: i64) -> Result<OnnxGraph, ImportError> {
    let model: Value = read_json(file)?;
    let damaged = || ImportError::unsupported(&file.display().to_string(), "not a graph model");
    let groups: Vec<WeightGroup> =
        serde_json::from_value(model["weightsManifest"].clone()).map_err(|_| damaged())?;
    let weights = tfjs_weights::read(&groups, file.parent().unwrap_or(Path::new("")))?;
    let nodes = model["modelTopology"]["node"].as_array().ok_or_else(damaged)?;
    let nodes: HashMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["name"].as_str()?, node))).collect();
    let signature = [&model["signature"], &model["userDefinedMetadata"]["signature"]]
        .into_iter()
        .find(|it| it["outputs"].is_object());
    let signature = signature.ok_or_else(damaged)?;
    let outputs: Vec<String> = signature["outputs"]
        .as_object()
        .into_iter()
        .flat_map(|outputs| outputs.values())
        .filter_map(|output| output["name"].as_str().map(without_port))
        .collect();
    let mut converter = TfjsConverter {
        nodes,
        weights,
        converted: HashMap::new(),
        graph: OnnxGraph::default(),
        signature,
        batch,
    };
    for name in converter.topological_order(&outputs)? {
        let value = converter.node(&name)?;
        converter.converted.insert(name, value);
    }
    for output in &outputs {
        converter.set_output(output)?;
    }
    Ok(converter.graph)
}

fn without_port(name: &str) -> String {
    name.split(':').next().unwrap_or(name).to_owned()
}

fn number(value: &Value) -> i64 {
    value.as_i64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

fn text(value: &Value) -> String {
    let bytes =
        value.as_str().and_then(|text| base64_simd::STANDARD.decode_to_vec(text).ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl<'a> SavedNode<'a> {
    fn read(name: &'a str, node: &'a Value) -> Self {
        let inputs = node["input"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let inputs = inputs.filter(|input| !input.starts_with('^')).map(without_port).collect();
        Self { name, operator: node["op"].as_str().unwrap_or_default(), inputs, attributes: &node["attr"] }
    }

    fn ints(&self, key: &str) -> Vec<i64> {
        self.attributes[key]["list"]["i"].as_array().into_iter().flatten().map(number).collect()
    }

    /// Height and width of a list with a value for each NHWC axis.
    fn pair(&self, key: &str) -> [i64; 2] {
        match self.ints(key).as_slice() {
            [_, height, width, _] => [*height, *width],
            _ => [1, 1],
        }
    }

    /// The operators fused into this one: `BiasAdd` and activations.
    fn fused(&self) -> Vec<String> {
        self.attributes["fused_ops"]["list"]["s"].as_array().into_iter().flatten().map(text).collect()
    }

    fn flag(&self, key: &str) -> bool {
        self.attributes[key]["b"].as_bool() == Some(true)
    }

    fn unsupported(&self, what: &'static str) -> ImportError {
        ImportError::unsupported(&format!("{} ({})", self.name, self.operator), what)
    }
}

impl<'a> TfjsConverter<'a> {
    /// The names of all nodes that the outputs depend on, in topological order.
    fn topological_order(&self, outputs: &[String]) -> Result<Vec<String>, ImportError> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let mut stack: Vec<(String, bool)> =
            outputs.iter().rev().map(|output| (output.clone(), false)).collect();
        while let Some((name, inputs_done)) = stack.pop() {
            if inputs_done {
                order.push(name);
                continue;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            let node = self
                .nodes
                .get(name.as_str())
                .ok_or_else(|| ImportError::unsupported(&name, "this node is missing"))?;
            let inputs = SavedNode::read(&name, node).inputs;
            stack.push((name, true));
            stack.extend(
                inputs.into_iter().rev().filter(|input| !seen.contains(input)).map(|input| (input, false)),
            );
        }
        Ok(order)
    }

    fn tensor(&self, node: &SavedNode<'_>, input: usize) -> Result<GraphTensor, ImportError> {
        match node.inputs.get(input).and_then(|name| self.converted.get(name)) {
            Some(ConvertedNode::Tensor(tensor)) => Ok(tensor.clone()),
            _ => Err(node.unsupported("a tensor expected")),
        }
    }

    fn constant(&self, node: &SavedNode<'_>, input: usize) -> Result<TfjsWeight, ImportError> {
        match node.inputs.get(input).and_then(|name| self.converted.get(name)) {
            Some(ConvertedNode::Constant(weight)) => Ok(weight.clone()),
            _ => Err(node.unsupported("a constant expected")),
        }
    }

    fn node(&mut self, name: &str) -> Result<ConvertedNode, ImportError> {
        let json: &'a Value = self.nodes[name];
        let node = SavedNode::read(name, json);
        let format = text(&node.attributes["data_format"]["s"]);
        if !format.is_empty() && format != "NHWC" {
            return Err(node.unsupported("NHWC expected"));
        }
        let tensor = match node.operator {
            "Const" => {
                let missing = || node.unsupported("its weight is missing");
                return Ok(ConvertedNode::Constant(self.weights.remove(name).ok_or_else(missing)?));
            }
            "Identity" => match node.inputs.first().and_then(|input| self.converted.get(input)) {
                Some(ConvertedNode::Constant(weight)) => return Ok(ConvertedNode::Constant(weight.clone())),
                Some(ConvertedNode::Tensor(tensor)) => tensor.clone(),
                None => return Err(node.unsupported("an input expected")),
            },
            "Placeholder" => self.input(&node)?,
            "_FusedConv2D" | "Conv2D" => self.convolution(&node, false)?,
            "DepthwiseConv2dNative" | "FusedDepthwiseConv2dNative" => self.convolution(&node, true)?,
            "MaxPool" | "AvgPool" => self.pool(&node)?,
            "Add" | "AddV2" | "BiasAdd" => self.arithmetic(&node, "Add")?,
            "Mul" => self.arithmetic(&node, "Mul")?,
            "Sub" => self.arithmetic(&node, "Sub")?,
            "Minimum" => self.arithmetic(&node, "Min")?,
            "Maximum" => self.arithmetic(&node, "Max")?,
            "Relu" | "Relu6" | "Sigmoid" => self.activated(&node, node.operator, None)?,
            "Prelu" => self.activated(&node, "Prelu", Some(self.constant(&node, 1)?))?,
            "Softmax" => self.softmax(&node)?,
            "Mean" => self.mean(&node)?,
            "Pad" | "PadV2" => self.pad(&node)?,
            "Reshape" => self.reshape(&node)?,
            "_FusedMatMul" | "MatMul" => self.multiply(&node)?,
            "ConcatV2" => self.concatenate(&node)?,
            _ => return Err(node.unsupported("this operator is not known")),
        };
        Ok(ConvertedNode::Tensor(tensor))
    }

    fn input(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let input = self.signature["inputs"].as_object().and_then(|inputs| inputs.values().next());
        let sizes = input.and_then(|input| input["tensorShape"]["dim"].as_array());
        let shape: Vec<i64> = sizes.into_iter().flatten().map(|size| number(&size["size"])).collect();
        let [_, height, width, channels] = shape[..] else {
            return Err(node.unsupported("an NHWC input expected"));
        };
        self.graph.set_input("input", vec![self.batch, channels, height, width]);
        Ok(GraphTensor {
            name: "input".to_owned(),
            shape: vec![self.batch, height, width, channels],
            nchw: true,
        })
    }

    fn activate(
        &mut self,
        x: &str,
        function: &str,
        alpha: Option<TfjsWeight>,
    ) -> Result<String, ImportError> {
        Ok(match function {
            "BiasAdd" => x.to_owned(),
            "Relu" => self.graph.operator("Relu", &[x], vec![]),
            "Relu6" => self.graph.clip(x, 0.0, 6.0),
            "Sigmoid" => self.graph.operator("Sigmoid", &[x], vec![]),
            "Prelu" => {
                let alpha = alpha.ok_or_else(|| ImportError::unsupported(x, "PReLU without slopes"))?;
                let alpha = self.graph.floats(&[alpha.floats.len() as i64, 1, 1], alpha.floats);
                self.graph.operator("PRelu", &[x, &alpha], vec![])
            }
            _ => return Err(ImportError::unsupported(function, "this activation is not known")),
        })
    }

    fn activated(
        &mut self,
        node: &SavedNode<'_>,
        function: &str,
        alpha: Option<TfjsWeight>,
    ) -> Result<GraphTensor, ImportError> {
        let x = self.tensor(node, 0)?;
        let name = self.activate(&x.name, function, alpha)?;
        Ok(GraphTensor { name, ..x })
    }

    fn convolution(&mut self, node: &SavedNode<'_>, depthwise: bool) -> Result<GraphTensor, ImportError> {
        let (x, filter) = (self.tensor(node, 0)?, self.constant(node, 1)?);
        let shape = filter.shape4(node.name)?;
        let (strides, dilations) = (node.pair("strides"), node.pair("dilations"));
        let valid = Self::valid(node)?;
        let (height, top, bottom) = padding(x.shape[1], shape[0] as i64, strides[0], dilations[0], valid);
        let (width, left, right) = padding(x.shape[2], shape[1] as i64, strides[1], dilations[1], valid);
        let fused = node.fused();
        let bias = if fused.first().is_some_and(|first| first == "BiasAdd") {
            Some(self.constant(node, 2)?)
        } else {
            None
        };
        let mut name = self.graph.convolution(
            &x.name,
            &Convolution {
                weights: &filter.floats,
                shape,
                bias: bias.as_ref().map(|bias| bias.floats.as_slice()),
                strides,
                pads: [top, left, bottom, right],
                dilations,
                depthwise,
            },
        );
        for function in &fused {
            let alpha = if function == "Prelu" { Some(self.constant(node, 3)?) } else { None };
            name = self.activate(&name, function, alpha)?;
        }
        let channels = if depthwise { shape[2] * shape[3] } else { shape[3] } as i64;
        Ok(GraphTensor { name, shape: vec![x.shape[0], height, width, channels], nchw: true })
    }

    fn valid(node: &SavedNode<'_>) -> Result<bool, ImportError> {
        match text(&node.attributes["padding"]["s"]).as_str() {
            "VALID" => Ok(true),
            "SAME" => Ok(false),
            _ => Err(node.unsupported("SAME or VALID padding expected")),
        }
    }

    fn pool(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let x = self.tensor(node, 0)?;
        let (window, strides, valid) = (node.pair("ksize"), node.pair("strides"), Self::valid(node)?);
        let (height, top, bottom) = padding(x.shape[1], window[0], strides[0], 1, valid);
        let (width, left, right) = padding(x.shape[2], window[1], strides[1], 1, valid);
        let operator = if node.operator == "MaxPool" { "MaxPool" } else { "AveragePool" };
        let attributes = vec![
            ("kernel_shape", OnnxAttribute::Ints(window.to_vec())),
            ("strides", OnnxAttribute::Ints(strides.to_vec())),
            ("pads", OnnxAttribute::Ints(vec![top, left, bottom, right])),
        ];
        let name = self.graph.operator(operator, &[&x.name], attributes);
        Ok(GraphTensor { name, shape: vec![x.shape[0], height, width, x.shape[3]], nchw: true })
    }

    fn arithmetic(
        &mut self,
        node: &SavedNode<'_>,
        operator: &'static str,
    ) -> Result<GraphTensor, ImportError> {
        let like = self.tensor(node, 0).or_else(|_| self.tensor(node, 1))?;
        let mut names = Vec::new();
        for input in 0..2 {
            if let Ok(tensor) = self.tensor(node, input) {
                names.push(tensor.name);
                continue;
            }
            let weight = self.constant(node, input)?;
            let count = weight.floats.len() as i64;
            let shape = match (count, like.nchw) {
                (1, _) => vec![],
                (_, true) if weight.shape.last() == Some(&count) => vec![1, count, 1, 1],
                (_, true) => return Err(node.unsupported("a constant for each channel expected")),
                (_, false) => weight.shape,
            };
            names.push(self.graph.floats(&shape, weight.floats));
        }
        let name = self.graph.operator(operator, &[&names[0], &names[1]], vec![]);
        Ok(GraphTensor { name, ..like })
    }

    fn softmax(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let x = self.tensor(node, 0)?;
        if x.nchw {
            return Err(node.unsupported("a flat input expected"));
        }
        let name = self.graph.operator("Softmax", &[&x.name], vec![("axis", OnnxAttribute::Int(-1))]);
        Ok(GraphTensor { name, ..x })
    }

    fn mean(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let (x, mut axes) = (self.tensor(node, 0)?, self.constant(node, 1)?.ints);
        axes.sort_unstable();
        if axes != [1, 2] || !x.nchw {
            return Err(node.unsupported("a mean over height and width expected"));
        }
        let name = self.graph.operator("GlobalAveragePool", &[&x.name], vec![]);
        if node.flag("keep_dims") {
            return Ok(GraphTensor { name, shape: vec![x.shape[0], 1, 1, x.shape[3]], nchw: true });
        }
        let name = self.graph.operator("Flatten", &[&name], vec![("axis", OnnxAttribute::Int(1))]);
        Ok(GraphTensor { name, shape: vec![x.shape[0], x.shape[3]], nchw: false })
    }

    fn pad(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let (x, pads) = (self.tensor(node, 0)?, self.constant(node, 1)?.ints);
        let [n0, n1, h0, h1, w0, w1, c0, c1] = pads[..] else {
            return Err(node.unsupported("eight paddings expected"));
        };
        let pads = self.graph.constant(&[8], ConstantData::Ints(vec![n0, c0, h0, w0, n1, c1, h1, w1]));
        let name = self.graph.operator("Pad", &[&x.name, &pads], vec![]);
        let shape = vec![x.shape[0], x.shape[1] + h0 + h1, x.shape[2] + w0 + w1, x.shape[3] + c0 + c1];
        Ok(GraphTensor { name, shape, nchw: true })
    }

    /// The name of the tensor with axes in TensorFlow's order (NHWC).
    fn nhwc(&mut self, x: &GraphTensor) -> String {
        if x.nchw && x.shape[1] * x.shape[2] != 1 {
            self.graph.operator(
                "Transpose",
                &[&x.name],
                vec![("perm", OnnxAttribute::Ints(vec![0, 2, 3, 1]))],
            )
        } else {
            x.name.clone()
        }
    }

    fn reshape(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let (x, mut shape) = (self.tensor(node, 0)?, self.constant(node, 1)?.ints);
        let source = self.nhwc(&x);
        if shape.len() < 2 || shape[1..].iter().any(|&size| size <= 0) {
            return Err(node.unsupported("all sizes but the first expected"));
        }
        let total: i64 = x.shape.iter().map(|size| size.abs()).product();
        shape[0] = if self.batch < 0 { -1 } else { total / shape[1..].iter().product::<i64>() };
        let target = self.graph.constant(&[shape.len() as i64], ConstantData::Ints(shape.clone()));
        let name = self.graph.operator("Reshape", &[&source, &target], vec![]);
        Ok(GraphTensor { name, shape, nchw: false })
    }

    fn multiply(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let (x, matrix) = (self.tensor(node, 0)?, self.constant(node, 1)?);
        if node.flag("transpose_a") || matrix.shape.len() != 2 {
            return Err(node.unsupported("a matrix expected, and no transposed input"));
        }
        let transposed = node.flag("transpose_b");
        let outputs = matrix.shape[usize::from(!transposed)];
        let mut inputs = vec![x.name.clone(), self.graph.floats(&matrix.shape, matrix.floats)];
        let fused = node.fused();
        if fused.first().is_some_and(|first| first == "BiasAdd") {
            let bias = self.constant(node, 2)?;
            inputs.push(self.graph.floats(&[outputs], bias.floats));
        }
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let transposed = OnnxAttribute::Int(i64::from(transposed));
        let mut name = self.graph.operator("Gemm", &inputs, vec![("transB", transposed)]);
        for function in &fused {
            name = self.activate(&name, function, None)?;
        }
        Ok(GraphTensor { name, shape: vec![x.shape[0], outputs], nchw: false })
    }

    fn concatenate(&mut self, node: &SavedNode<'_>) -> Result<GraphTensor, ImportError> {
        let last = node.inputs.len().saturating_sub(1);
        let first = self.tensor(node, 0)?;
        let axis = self.constant(node, last)?.ints.first().copied().unwrap_or(0);
        let axis = if axis < 0 { axis + first.shape.len() as i64 } else { axis } as usize;
        let mut shape = first.shape.clone();
        let size = shape.get_mut(axis).ok_or_else(|| node.unsupported("an axis of the tensor expected"))?;
        *size = 0;
        let mut names = Vec::new();
        for input in 0..last {
            let tensor = self.tensor(node, input)?;
            shape[axis] += tensor.shape.get(axis).copied().unwrap_or(0);
            names.push(tensor.name);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let stored_axis = if first.nchw { [0, 2, 3, 1][axis] } else { axis as i64 };
        let name = self.graph.operator("Concat", &names, vec![("axis", OnnxAttribute::Int(stored_axis))]);
        Ok(GraphTensor { name, shape, nchw: first.nchw })
    }

    fn set_output(&mut self, output: &str) -> Result<(), ImportError> {
        let Some(ConvertedNode::Tensor(tensor)) = self.converted.get(output) else {
            return Err(ImportError::unsupported(output, "an output that depends on the input expected"));
        };
        let tensor = tensor.clone();
        let flat = tensor.nchw && tensor.shape[1] * tensor.shape[2] == 1;
        let source = self.nhwc(&tensor);
        let shape = if flat { vec![tensor.shape[0], tensor.shape[3], 1, 1] } else { tensor.shape };
        let name: String = output.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        self.graph.set_output(&source, &name, &shape);
        Ok(())
    }
}
