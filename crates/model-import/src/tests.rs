//! What the converter refuses, on small models written here. Today the hashes of the sources are checked before it
//! runs; these tests guard the day on which a hash is renewed.

use super::{ImportError, tfjs::convert};
use crate::onnx::{ConstantData, Convolution, OnnxGraph};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A 1 x 1 convolution of one channel, then `operator`.
fn model(operator: &str) -> Value {
    let input = json!({"name": "x:0", "tensorShape": {"dim": [
        {"size": "-1"}, {"size": "4"}, {"size": "4"}, {"size": "1"}]}});
    let attributes = json!({"padding": {"s": "U0FNRQ=="}, "data_format": {"s": "TkhXQw=="},
        "strides": {"list": {"i": ["1", "1", "1", "1"]}}, "dilations": {"list": {"i": ["1", "1", "1", "1"]}}});
    json!({
        "signature": {"inputs": {"x": input}, "outputs": {"y": {"name": "y:0"}}},
        "modelTopology": {"node": [
            {"name": "x", "op": "Placeholder", "attr": {}},
            {"name": "w", "op": "Const", "attr": {}},
            {"name": "c", "op": "Conv2D", "input": ["x", "w"], "attr": attributes},
            {"name": "y", "op": operator, "input": ["c"], "attr": {}},
        ]},
        "weightsManifest": [{"paths": ["one.bin"], "weights": [
            {"name": "w", "shape": [1, 1, 1, 1], "dtype": "float32"}]}],
    })
}

fn converted(model: &Value, weights: Option<&[u8]>) -> Result<usize, String> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    if let Some(weights) = weights {
        fs::write(folder.path().join("one.bin"), weights).unwrap();
    }
    answer(&file)
}

fn answer(file: &Path) -> Result<usize, String> {
    convert(file, -1)
        .map(|graph| graph.to_onnx("small").len())
        .map_err(|error: ImportError| error.to_string())
}

const ONE: &[u8] = &1.0_f32.to_le_bytes();

fn refusal(model: &Value, weights: Option<&[u8]>) -> String {
    converted(model, weights).unwrap_err()
}

#[test]
fn the_small_model_itself_converts() {
    assert!(converted(&model("Relu"), Some(ONE)).unwrap() > 100);
}

#[test]
fn an_unknown_operator_is_refused_by_node_and_name() {
    assert_eq!(refusal(&model("FancyPool"), Some(ONE)), "y (FancyPool): this operator is not known");
}

#[test]
fn truncated_weights_are_refused_by_name() {
    assert_eq!(refusal(&model("Relu"), Some(&ONE[..3])), "w: the weights break off");
    assert_eq!(refusal(&model("Relu"), Some(&[])), "w: the weights break off");
}

#[test]
fn more_weights_than_described_are_refused() {
    let text = refusal(&model("Relu"), Some(&[ONE, ONE].concat()));
    assert_eq!(text, "weights: the file is longer than its manifest says");
}

#[test]
fn a_missing_weights_file_is_named() {
    let text = refusal(&model("Relu"), None);
    assert!(text.contains("one.bin") && text.contains("No such file"), "{text}");
}

#[test]
fn what_a_model_lacks_is_named() {
    let change = |pointer: &str, value: Value| {
        let mut model = model("Relu");
        *model.pointer_mut(pointer).unwrap() = value;
        refusal(&model, Some(ONE))
    };
    let node = "/modelTopology/node";
    assert_eq!(change(&format!("{node}/3/input/0"), json!("z")), "z: this node is missing");
    assert_eq!(change(&format!("{node}/1/name"), json!("v")), "w: this node is missing");
    assert_eq!(change("/weightsManifest/0/weights/0/name", json!("v")), "w (Const): its weight is missing");
    assert_eq!(change("/weightsManifest/0/weights/0/dtype", json!("bfloat16")), "w: unknown number format");
    assert_eq!(change("/weightsManifest/0/weights/0/shape", json!([1])), "c: weights of four sizes expected");
    assert_eq!(
        change(&format!("{node}/2/attr/padding/s"), json!("RVhQTElDSVQ=")),
        "c (Conv2D): SAME or VALID padding expected"
    );
    assert_eq!(
        change(&format!("{node}/2/attr/data_format/s"), json!("TkNIVw==")),
        "c (Conv2D): NHWC expected"
    );
    assert!(change("/modelTopology", json!({})).ends_with("model.json: not a graph model"));
    assert!(change("/signature", json!({})).ends_with("model.json: not a graph model"));
}

/// A graph with a cycle has no topological order.
#[test]
fn a_cycle_of_nodes_is_refused() {
    let mut cyclic = model("Relu");
    *cyclic.pointer_mut("/modelTopology/node/3/input/0").unwrap() = json!("y");
    assert_eq!(refusal(&cyclic, Some(ONE)), "y (Relu): a tensor expected");
}

#[test]
fn a_file_that_is_not_json_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("model.json");
    fs::write(&file, "{").unwrap();
    assert!(answer(&file).unwrap_err().ends_with("model.json: not the JSON expected"));
}

/// Convolutions of five channels, one of them depthwise, and a node that adds three channels.
fn narrow_graph(last: &'static str) -> OnnxGraph {
    let mut graph = OnnxGraph::default();
    graph.set_input("input", vec![1, 3, 4, 4]);
    let convolution = |shape: [usize; 4], depthwise| {
        let weights = vec![1.0; shape.iter().product()];
        (weights, shape, depthwise)
    };
    let mut x = "input".to_owned();
    for (weights, shape, depthwise) in
        [convolution([3, 3, 3, 5], false), convolution([3, 3, 5, 1], true), convolution([1, 1, 5, 5], false)]
    {
        x = graph.convolution(
            &x,
            &Convolution {
                weights: &weights,
                shape,
                bias: Some(&[0.5; 5]),
                strides: [1, 1],
                pads: [0; 4],
                dilations: [1, 1],
                depthwise,
            },
        );
    }
    let added = graph.constant(&[8], ConstantData::Ints(vec![0, 0, 0, 0, 0, 3, 0, 0]));
    let wide = graph.operator("Pad", &[&x, &added], vec![]);
    let sum = graph.operator("Add", &[&wide, &wide], vec![]);
    let last = graph.operator(last, &[&sum], vec![]);
    graph.set_output(&last, "y", &[1, 8, 2, 2]);
    graph
}

#[test]
fn channels_are_padded_with_zeros_and_what_cannot_be_is_refused() {
    let mut graph = narrow_graph("Relu");
    graph.pad_channels(16).unwrap();
    let shapes: Vec<&[i64]> = graph.constants.values().map(|(shape, _)| shape.as_slice()).collect();
    for shape in [&[16, 3, 3, 3], &[16, 1, 3, 3], &[16, 16, 1, 1]] {
        assert!(shapes.contains(&shape.as_slice()), "{shapes:?}");
    }
    assert!(shapes.iter().filter(|shape| shape.len() == 1).all(|shape| **shape == [16]), "{shapes:?}");
    // The kernels between real channels stay, and the copy adds five ones.
    let sum = |wanted: &[i64]| {
        let of = graph.constants.values().filter(|(shape, _)| shape == wanted);
        of.map(|(_, data)| match data {
            ConstantData::Floats(values) => values.iter().sum::<f32>(),
            _ => 0.0,
        })
        .sum::<f32>()
    };
    assert_eq!((sum(&[16, 3, 3, 3]), sum(&[16, 1, 3, 3])), (135.0, 45.0));
    assert_eq!((sum(&[16, 16, 1, 1]), sum(&[16])), (30.0, 7.5));

    let refused = narrow_graph("Softmax").pad_channels(16).unwrap_err().to_string();
    assert!(refused.ends_with("this operator cannot be padded"), "{refused}");
}
