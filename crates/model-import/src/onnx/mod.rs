//! Writes ONNX models, as much of the format as face nets need (IR version 8, operator set 13).

mod channel_padding;
mod constant_folding;
mod graph;
mod protobuf;
mod quantisation;

pub(crate) use graph::{ConstantData, Convolution, OnnxAttribute, OnnxGraph};
