//! Lets convolutions calculate with numbers of eight bits: pairs of `QuantizeLinear` and `DequantizeLinear` around them, which the
//! runtime recognises. That takes a quarter of the space and, where the processor multiplies bytes by itself, less than half of the time.
//! The sums of a convolution are the same on every processor; what lies between convolutions is rounded as each does it.

use super::graph::{ConstantData, OnnxAttribute, OnnxGraph, OnnxNode};
use crate::ImportError;
use std::collections::{HashMap, HashSet};

/// What a convolution's input was measured to contain, and its output, after `Relu` where one follows: least and greatest value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ConvolutionRanges {
    input: [f32; 2],
    output: [f32; 2],
}

/// Scale and zero point of a tensor of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ByteScale {
    scale: f32,
    zero: u8,
}

impl ByteScale {
    /// Zero is always among the values, and exact, since pictures are padded with it.
    fn of([low, high]: [f32; 2]) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let scale = ((high - low) / 255.0).max(f32::MIN_POSITIVE);
        Self { scale, zero: (-low / scale).round() as u8 }
    }
}

/// Weights lie between this and its negative. Twice as much would fit, but processors that add up products of bytes in pairs
/// have 16 bits for a pair: 2 x 255 x 64 = 32,640.
const GREATEST_WEIGHT: f32 = 64.0;

impl OnnxGraph {
    /// Quantises those convolutions that `ranges` has, which must have one group: lines of CSV with a head, each with the number of a
    /// convolution in the graph, counted from 0, and the least and greatest value of its input and of its output.
    pub(crate) fn quantise(&mut self, ranges: &str) -> Result<(), ImportError> {
        let mut ranges = read_ranges(ranges)?;
        let convolutions: Vec<String> = self
            .nodes
            .iter()
            .filter(|node| node.operator == "Conv")
            .map(|node| node.output.clone())
            .collect();
        // By the name of a tensor, the name of what is left of it after the way through bytes, and their scale.
        let mut bytes_of = HashMap::new();
        for (number, output) in convolutions.iter().enumerate() {
            let Some(ranges) = ranges.remove(&number) else { continue };
            self.quantise_convolution(output, ranges, &mut bytes_of)?;
        }
        if let Some(number) = ranges.keys().next() {
            let missing = format!("convolution {number}");
            return Err(ImportError::unsupported(&missing, "there are ranges for it, but it is missing"));
        }
        let used: HashSet<&String> = self.nodes.iter().flat_map(|node| &node.inputs).collect();
        self.constants.retain(|name, _| used.contains(name));
        Ok(())
    }

    fn quantise_convolution(
        &mut self,
        output: &str,
        ranges: ConvolutionRanges,
        bytes_of: &mut HashMap<String, (String, ByteScale)>,
    ) -> Result<(), ImportError> {
        let unsupported = |what| ImportError::unsupported(output, what);
        let at = self.nodes.iter().position(|node| node.output == output);
        let mut at = at.ok_or_else(|| unsupported("this convolution is missing"))?;
        let node = self.nodes[at].clone();
        let grouped = |(name, value): &(&str, OnnxAttribute)| {
            *name == "group" && !matches!(value, OnnxAttribute::Int(1))
        };
        if node.attributes.iter().any(grouped) {
            return Err(unsupported("a convolution of one group expected"));
        }

        let source = node.inputs[0].clone();
        let (x, input) = if let Some(known) = bytes_of.get(&source) {
            known.clone()
        } else {
            let (mut nodes, input) = (Vec::new(), ByteScale::of(ranges.input));
            let x = self.through_bytes(&source, input, &mut nodes);
            at += self.insert(at, nodes);
            bytes_of.insert(source, (x.clone(), input));
            (x, input)
        };
        let mut nodes = Vec::new();
        let [weights, bias] = self
            .quantised_weights(&node, input, &mut nodes)
            .ok_or_else(|| unsupported("constant weights expected"))?;
        at += self.insert(at, nodes);
        self.nodes[at].inputs = vec![x, weights, bias];

        // What is clamped to zero has no negative values, so the runtime leaves the clamp out.
        let users: Vec<usize> = (0..self.nodes.len())
            .filter(|&at| self.nodes[at].inputs.iter().any(|input| input == output))
            .collect();
        match users[..] {
            [] => return Ok(()),
            [only] if self.nodes[only].operator == "Relu" => at = only,
            _ => {}
        }
        let plain = self.nodes[at].output.clone();
        let mut nodes = Vec::new();
        let bytes = ByteScale::of(ranges.output);
        let quantised = self.through_bytes(&plain, bytes, &mut nodes);
        for input in self.nodes.iter_mut().flat_map(|node| &mut node.inputs).filter(|input| **input == plain)
        {
            input.clone_from(&quantised);
        }
        self.insert(at + 1, nodes);
        bytes_of.insert(quantised.clone(), (quantised, bytes));
        Ok(())
    }

    /// Weights of a convolution as bytes with a scale for each output channel, and its bias as 32 bits, which count products of a
    /// byte of the input and one of the weights; the names of both as floats. `None` where they are no constants.
    fn quantised_weights(
        &mut self,
        convolution: &OnnxNode,
        input: ByteScale,
        nodes: &mut Vec<OnnxNode>,
    ) -> Option<[String; 2]> {
        let constant = |name: &String| match self.constants.get(name) {
            Some((shape, ConstantData::Floats(values))) => Some((shape.clone(), values.clone())),
            _ => None,
        };
        let (shape, weights) = constant(convolution.inputs.get(1)?)?;
        let channels = usize::try_from(*shape.first()?).ok().filter(|channels| *channels > 0)?;
        let bias = match convolution.inputs.get(2) {
            Some(name) => constant(name)?.1,
            None => vec![0.0; channels],
        };
        let kernels = weights.chunks_exact(weights.len() / channels);
        let scales: Vec<f32> = kernels
            .clone()
            .map(|kernel| {
                kernel.iter().fold(0.0_f32, |most, weight| most.max(weight.abs())) / GREATEST_WEIGHT
            })
            .map(|scale| scale.max(f32::MIN_POSITIVE))
            .collect();
        let weights = kernels
            .zip(&scales)
            .flat_map(|(kernel, scale)| kernel.iter().map(move |weight| (weight / scale).round() as i8))
            .collect();
        let bias_scales: Vec<f32> = scales.iter().map(|scale| scale * input.scale).collect();
        let bias = bias.iter().zip(&bias_scales).map(|(bias, scale)| (bias / scale).round() as i32).collect();
        let weights = self.constant(&shape, ConstantData::SignedBytes(weights));
        let bias = self.constant(&shape[..1], ConstantData::Words(bias));
        Some([self.by_channel(&weights, scales, nodes), self.by_channel(&bias, bias_scales, nodes)])
    }

    /// Puts nodes before one of the others; how many they are.
    fn insert(&mut self, at: usize, nodes: Vec<OnnxNode>) -> usize {
        let count = nodes.len();
        self.nodes.splice(at..at, nodes);
        count
    }

    /// Turns a tensor into bytes and back; the name of the result. The nodes are for the caller to insert.
    fn through_bytes(&mut self, tensor: &str, bytes: ByteScale, nodes: &mut Vec<OnnxNode>) -> String {
        let scale = self.floats(&[], vec![bytes.scale]);
        let zero = self.constant(&[], ConstantData::Bytes(vec![bytes.zero]));
        let quantised =
            self.detached("QuantizeLinear", vec![tensor.to_owned(), scale.clone(), zero.clone()], vec![]);
        let back = self.detached("DequantizeLinear", vec![quantised.output.clone(), scale, zero], vec![]);
        let name = back.output.clone();
        nodes.extend([quantised, back]);
        name
    }

    /// Turns a constant of integers into floats by a scale for each of its first dimension; the name of the result.
    fn by_channel(&mut self, constant: &str, scales: Vec<f32>, nodes: &mut Vec<OnnxNode>) -> String {
        let scales = self.floats(&[scales.len() as i64], scales);
        let axis = vec![("axis", OnnxAttribute::Int(0))];
        let node = self.detached("DequantizeLinear", vec![constant.to_owned(), scales], axis);
        let name = node.output.clone();
        nodes.push(node);
        name
    }
}

fn read_ranges(table: &str) -> Result<HashMap<usize, ConvolutionRanges>, ImportError> {
    table
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let number = fields.next().and_then(|field| field.parse().ok());
            let values: Vec<f32> = fields.map_while(|field| field.parse().ok()).collect();
            match (number, &values[..]) {
                (Some(number), &[a, b, c, d]) => {
                    Ok((number, ConvolutionRanges { input: [a, b], output: [c, d] }))
                }
                _ => {
                    Err(ImportError::unsupported("ranges", "a number and four values expected in each line"))
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::Convolution;

    const RANGES: &str =
        "convolution,input_low,input_high,output_low,output_high\n0,-1,1.55,0,2.55\n1,0,2.55,-5.1,0";

    /// Two convolutions of one weight a channel, the first clamped.
    fn graph(channels: usize) -> OnnxGraph {
        let mut graph = OnnxGraph::default();
        graph.set_input("input", vec![-1, channels as i64, 4, 4]);
        let mut x = "input".to_owned();
        for (weight, bias) in [(0.5, Some(vec![0.25; channels])), (-2.0, None)] {
            let convolution = Convolution {
                weights: &vec![weight; channels],
                shape: [1, 1, channels, 1],
                bias: bias.as_deref(),
                strides: [1; 2],
                pads: [0; 4],
                dilations: [1; 2],
                depthwise: channels > 1,
            };
            x = graph.convolution(&x, &convolution);
            if bias.is_some() {
                x = graph.operator("Relu", &[&x], vec![]);
            }
        }
        graph.set_output(&x, "out", &[-1, channels as i64, 4, 4]);
        graph
    }

    fn words(graph: &OnnxGraph) -> Vec<i32> {
        let of = |(_, data): &(Vec<i64>, ConstantData)| match data {
            ConstantData::SignedBytes(values) => values.iter().map(|value| i32::from(*value)).collect(),
            ConstantData::Words(values) => values.clone(),
            _ => vec![],
        };
        graph.constants.values().flat_map(of).collect()
    }

    #[test]
    fn bytes_have_a_place_for_zero() {
        assert_eq!(ByteScale::of([0.0, 2.55]), ByteScale { scale: 2.55 / 255.0, zero: 0 });
        assert_eq!(ByteScale::of([-1.0, 1.55]).zero, 100);
        assert_eq!(ByteScale::of([-5.1, -1.0]).zero, 255, "the range is widened to zero");
        assert_eq!(ByteScale::of([1.0, 2.55]).zero, 0);
    }

    #[test]
    fn a_tensor_goes_through_bytes_once_and_after_its_clamp() {
        let mut quantised = graph(1);
        quantised.quantise(RANGES).unwrap();
        let operators: Vec<&str> = quantised.nodes.iter().map(|node| node.operator).collect();
        let (to, back) = ("QuantizeLinear", "DequantizeLinear");
        let first = [to, back, back, back, "Conv", "Relu"];
        let second = [to, back, back, back, "Conv"];
        assert_eq!(operators, [&first[..], &second].concat());
        // Each weight is the greatest of its channel. The bias counts 0.5 / 64 x 0.01.
        let mut found = words(&quantised);
        found.sort_unstable();
        assert_eq!(found, [-64, 0, 64, 3200]);
        let kernels = quantised.constants.values().filter(|(shape, _)| shape.len() == 4).count();
        assert_eq!(kernels, 2, "those of floats are gone");
    }

    #[test]
    fn convolutions_without_ranges_stay() {
        let mut one = graph(1);
        one.quantise(RANGES.rsplit_once('\n').unwrap().0).unwrap();
        assert_eq!(one.nodes.iter().filter(|node| node.operator == "QuantizeLinear").count(), 2);
    }

    #[test]
    fn what_cannot_be_quantised_is_told() {
        let refused = |graph: &mut OnnxGraph, ranges: &str| graph.quantise(ranges).unwrap_err().to_string();
        assert!(refused(&mut graph(2), RANGES).contains("of one group"));
        assert!(refused(&mut graph(1), &RANGES.replace("\n1,", "\n7,")).contains("convolution 7"));
        for line in ["0,-1,1.55,0", "0,-1,1.55,0,much", "first,-1,1.55,0,2.55", "0,-1,1.55,0,2.55,3"] {
            assert!(refused(&mut graph(1), &format!("head\n{line}")).contains("four values"), "{line}");
        }
        let mut net = graph(1);
        net.nodes[1].operator = "Conv";
        assert!(refused(&mut net, RANGES).contains("constant weights"));
    }
}
