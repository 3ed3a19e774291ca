//! Folds constants into convolutions and merges clamps, so that the runtime executes fewer nodes.

use super::graph::{ConstantData, OnnxGraph, OnnxNode};
use std::collections::{HashMap, HashSet};

/// A node that can be folded into the node before it.
struct ConstantFold {
    /// Index of the node that stays.
    into: usize,
    /// Index of the node that goes.
    remove: usize,
    /// The constant operand of that node.
    constant: Vec<f32>,
}

impl OnnxGraph {
    /// Folds `Mul` and `Add` of constants into a preceding `Conv`, and `Relu` with a following `Min` and `Max` into
    /// `Clip`; then drops constants that are no longer used.
    pub(crate) fn fold(&mut self) {
        while let Some(fold) = self.find_fold() {
            self.apply(&fold);
        }
        let used: HashSet<String> = self.nodes.iter().flat_map(|node| node.inputs.iter().cloned()).collect();
        self.constants.retain(|name, _| used.contains(name));
    }

    fn find_fold(&self) -> Option<ConstantFold> {
        let mut uses = HashMap::<&str, usize>::new();
        for input in self.nodes.iter().flat_map(|node| &node.inputs) {
            *uses.entry(input).or_default() += 1;
        }
        for (output, _) in &self.outputs {
            // An output of the graph must keep its name, so it is never folded.
            *uses.entry(output).or_default() += 2;
        }
        let producers: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (node.output.as_str(), at)).collect();
        self.nodes.iter().enumerate().find_map(|(remove, node)| {
            let [first, second] = node.inputs.as_slice() else { return None };
            [(first, second), (second, first)].into_iter().find_map(|(tensor, constant)| {
                let into = *producers.get(tensor.as_str())?;
                let (_, ConstantData::Floats(values)) = self.constants.get(constant)? else { return None };
                let used_once = uses.get(tensor.as_str()) == Some(&1);
                (used_once && self.can_fold(&self.nodes[into], node, values)).then(|| ConstantFold {
                    into,
                    remove,
                    constant: values.clone(),
                })
            })
        })
    }

    fn can_fold(&self, before: &OnnxNode, node: &OnnxNode, constant: &[f32]) -> bool {
        match (before.operator, node.operator) {
            ("Conv", "Add" | "Mul") => {
                let channels = self.constants.get(&before.inputs[1]).map_or(0, |(shape, _)| shape[0]);
                constant.len() == 1 || constant.len() as i64 == channels
            }
            ("Relu", "Min") => constant.len() == 1,
            // A lower bound at or below zero changes nothing after a clamp to zero.
            ("Clip", "Max") => constant.len() == 1 && constant[0] <= 0.0,
            _ => false,
        }
    }

    fn apply(&mut self, fold: &ConstantFold) {
        let removed = self.nodes[fold.remove].clone();
        let constant =
            |channel: usize| if fold.constant.len() == 1 { fold.constant[0] } else { fold.constant[channel] };
        let before = self.nodes[fold.into].clone();
        match removed.operator {
            "Add" | "Mul" => {
                let Some((shape, ConstantData::Floats(mut weights))) =
                    self.constants.get(&before.inputs[1]).cloned()
                else {
                    return;
                };
                let channels = shape[0] as usize;
                let mut bias = match before.inputs.get(2).and_then(|name| self.constants.get(name)) {
                    Some((_, ConstantData::Floats(values))) => values.clone(),
                    _ => vec![0.0; channels],
                };
                let multiply = removed.operator == "Mul";
                let each = weights.len() / channels.max(1);
                for (channel, bias) in bias.iter_mut().enumerate() {
                    if multiply {
                        *bias *= constant(channel);
                        weights[channel * each..(channel + 1) * each]
                            .iter_mut()
                            .for_each(|w| *w *= constant(channel));
                    } else {
                        *bias += constant(channel);
                    }
                }
                let weights = self.floats(&shape, weights);
                let bias = self.floats(&[channels as i64], bias);
                let node = &mut self.nodes[fold.into];
                node.inputs = vec![before.inputs[0].clone(), weights, bias];
                node.output = removed.output;
            }
            "Min" => {
                let low = self.floats(&[], vec![0.0]);
                let high = self.floats(&[], vec![fold.constant[0]]);
                let inputs = vec![before.inputs[0].clone(), low, high];
                self.nodes[fold.into] =
                    OnnxNode { operator: "Clip", inputs, output: removed.output, attributes: vec![] };
            }
            _ => self.nodes[fold.into].output = removed.output,
        }
        self.nodes.remove(fold.remove);
    }
}
