//! Pads channels to what the runtime computes at once. With AVX-512 it keeps sixteen channels side by side and does so by itself
//! where a tensor has another number, but rearranges such tensors before each addition and back after it.

use super::graph::{ConstantData, OnnxAttribute, OnnxGraph, OnnxNode};
use crate::ImportError;
use std::collections::HashMap;

/// Channels of a tensor.
#[derive(Clone, Copy)]
struct ChannelCount {
    real: usize,
    /// With those that are added, which are zero.
    padded: usize,
}

impl OnnxGraph {
    /// Gives all tensors between convolutions a multiple of `multiple` channels, by adding channels that are zero. Outputs stay
    /// as they were, but for rounding. For nets of convolutions, maxima, additions and `Relu` whose outputs are transposed.
    pub(crate) fn pad_channels(&mut self, multiple: usize) -> Result<(), ImportError> {
        let input = self.input.1.get(1).map_or(0, |&channels| channels as usize);
        let mut channels =
            HashMap::from([(self.input.0.clone(), ChannelCount { real: input, padded: input })]);
        let is_output = |tensor: &str| {
            self.nodes.iter().any(|node| node.operator == "Transpose" && node.inputs[0] == tensor)
        };
        let outputs: Vec<bool> = self.nodes.iter().map(|node| is_output(&node.output)).collect();
        for (mut node, is_output) in std::mem::take(&mut self.nodes).into_iter().zip(outputs) {
            let of = |at: usize| node.inputs.get(at).and_then(|input| channels.get(input)).copied();
            let before = of(0);
            let unsupported = |what| ImportError::unsupported(&node.output, what);
            let count = match (node.operator, before) {
                // Behind the convolutions.
                ("Transpose" | "Reshape", _) => None,
                (_, None) => return Err(unsupported("a convolution before it expected")),
                ("Relu" | "MaxPool", before) => before,
                ("Add", Some(before)) => {
                    let same = of(1).is_some_and(|other| other.padded == before.padded);
                    Some(
                        same.then_some(before)
                            .ok_or_else(|| unsupported("two tensors of one size expected"))?,
                    )
                }
                ("Conv", Some(before)) => {
                    Some(self.pad_convolution(&mut node, before, if is_output { 1 } else { multiple })?)
                }
                ("Pad", Some(before)) => Some(self.widen(&mut node, before, multiple)?),
                _ => return Err(unsupported("this operator cannot be padded")),
            };
            if let Some(count) = count {
                channels.insert(node.output.clone(), count);
            }
            self.nodes.push(node);
        }
        let used: Vec<String> = self.nodes.iter().flat_map(|node| node.inputs.iter().cloned()).collect();
        self.constants.retain(|name, _| used.contains(name));
        Ok(())
    }

    fn pad_convolution(
        &mut self,
        node: &mut OnnxNode,
        before: ChannelCount,
        multiple: usize,
    ) -> Result<ChannelCount, ImportError> {
        let unsupported = || ImportError::unsupported(&node.output, "constant weights expected");
        let Some((shape, ConstantData::Floats(weights))) = self.constants.get(&node.inputs[1]).cloned()
        else {
            return Err(unsupported());
        };
        let &[outputs, inputs, height, width] = shape.as_slice() else { return Err(unsupported()) };
        let (outputs, inputs, window) = (outputs as usize, inputs as usize, (height * width) as usize);
        let mut is_depthwise = false;
        for (name, attribute) in &mut node.attributes {
            if let ("group", OnnxAttribute::Int(groups @ 2..)) = (*name, attribute) {
                is_depthwise = true;
                *groups = before.padded as i64;
            }
        }
        let padded = if is_depthwise { before.padded } else { outputs.next_multiple_of(multiple) };
        let padded_inputs = if is_depthwise { 1 } else { before.padded };
        let mut wide = vec![0.0; padded * padded_inputs * window];
        for (at, kernel) in weights.chunks_exact(window).enumerate() {
            let to = (at / inputs * padded_inputs + at % inputs) * window;
            wide[to..to + window].copy_from_slice(kernel);
        }
        node.inputs[1] = self.floats(&[padded as i64, padded_inputs as i64, height, width], wide);
        if let Some(name) = node.inputs.get(2).cloned() {
            let Some((_, ConstantData::Floats(mut bias))) = self.constants.get(&name).cloned() else {
                return Err(unsupported());
            };
            bias.resize(padded, 0.0);
            node.inputs[2] = self.floats(&[padded as i64], bias);
        }
        Ok(ChannelCount { real: outputs, padded })
    }

    /// Turns a node that adds channels into a convolution that copies those that there are: the runtime rearranges nothing for
    /// it.
    fn widen(
        &mut self,
        node: &mut OnnxNode,
        before: ChannelCount,
        multiple: usize,
    ) -> Result<ChannelCount, ImportError> {
        let pads = self.constants.get(&node.inputs[1]).map(|(_, pads)| pads);
        let added = match pads {
            Some(ConstantData::Ints(pads)) => match pads[..] {
                [0, 0, 0, 0, 0, added, 0, 0] => added as usize,
                _ => return Err(ImportError::unsupported(&node.output, "added channels expected")),
            },
            _ => return Err(ImportError::unsupported(&node.output, "constant paddings expected")),
        };
        let real = before.real + added;
        let padded = real.next_multiple_of(multiple);
        let mut weights = vec![0.0; padded * before.padded];
        for channel in 0..before.real {
            weights[channel * before.padded + channel] = 1.0;
        }
        node.operator = "Conv";
        node.inputs[1] = self.floats(&[padded as i64, before.padded as i64, 1, 1], weights);
        node.attributes = vec![
            ("kernel_shape", OnnxAttribute::Ints(vec![1, 1])),
            ("strides", OnnxAttribute::Ints(vec![1, 1])),
        ];
        Ok(ChannelCount { real, padded })
    }
}
