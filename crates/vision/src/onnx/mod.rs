//! Writing ONNX models: as much of the format as face nets need (ONNX IR version 8, operator set 13).

mod fold;
mod graph;
mod protobuf;

pub(crate) use graph::{Attribute, Convolution, Data, Graph};
