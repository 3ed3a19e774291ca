//! Inference with ONNX Runtime, which is loaded from the pack's own library; one thread for each session.

use crate::{ModelLoadError, VisionError, model_manifest::PackFile};
use ort::{
    environment::Environment,
    session::{Session, builder::GraphOptimizationLevel},
    value::TensorRef,
};
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The output tensors of a net: names and values.
pub type NamedTensors = Vec<(String, Vec<f32>)>;

/// A net with one input tensor.
pub trait NeuralNet: Send + std::fmt::Debug {
    /// Runs a batch. `shape` is NCHW, and `input` has as many values as it says.
    fn run(&mut self, input: &[f32], shape: [usize; 4]) -> Result<NamedTensors, VisionError>;
}

/// A session of ONNX Runtime.
#[derive(Debug)]
pub struct OnnxNet {
    id: String,
    input: String,
    session: Session,
}

/// ONNX Runtime, loaded into the process.
#[derive(Clone, Debug)]
pub struct OnnxRuntime {
    environment: Environment,
    /// SHA-256 of its library.
    sha256: String,
}

/// A process has one runtime.
static ONNX_RUNTIME: Mutex<Option<OnnxRuntime>> = Mutex::new(None);

impl OnnxRuntime {
    /// Loads the runtime of the pack in `folder` at the first call, if the library's hash is that of the manifest.
    /// Later calls share it; a pack with another runtime is refused.
    pub fn open(folder: &Path, file: &PackFile) -> Result<Self, ModelLoadError> {
        let mut slot = ONNX_RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
        let library = file.locate(folder)?;
        let failed =
            |cause: String| ModelLoadError::Runtime { library: library.display().to_string(), cause };
        if let Some(runtime) = &*slot {
            if runtime.sha256 == file.sha256 {
                return Ok(runtime.clone());
            }
            return Err(failed("this process runs another one already; restart it".to_owned()));
        }
        // Loading a library runs its code, so its hash is checked first.
        file.read(folder)?;
        // The loader would resolve a relative path beside the program first.
        let path = library.canonicalize().map_err(|error| failed(error.to_string()))?;
        let environment = ort::init_from(&path)
            .map_err(|error| failed(error.to_string()))?
            .with_name("assay")
            .with_telemetry(false)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let runtime = Self { environment, sha256: file.sha256.clone() };
        *slot = Some(runtime.clone());
        Ok(runtime)
    }
}

impl OnnxNet {
    /// Opens a session on the bytes of an ONNX model; `input` is the name of its input tensor.
    pub fn load(id: &str, model: &[u8], input: &str, runtime: &OnnxRuntime) -> Result<Self, ModelLoadError> {
        let failed = |cause: String| ModelLoadError::Model { id: id.to_owned(), cause };
        let session = Session::builder(&runtime.environment)
            .map_err(|error| failed(error.to_string()))?
            .with_optimization_level(GraphOptimizationLevel::Level3)
            .map_err(|error| failed(error.to_string()))?
            // There is a worker for each core, so threads inside a session would only wait for each other.
            .with_intra_threads(1)
            .map_err(|error| failed(error.to_string()))?
            .with_intra_op_spinning(false)
            .map_err(|error| failed(error.to_string()))?
            .commit_from_memory(model)
            .map_err(|error| failed(error.to_string()))?;
        if !session.inputs().iter().any(|known| known.name() == input) {
            return Err(failed(format!("it has no input {input:?}")));
        }
        Ok(Self { id: id.to_owned(), input: input.to_owned(), session })
    }
}

impl NeuralNet for OnnxNet {
    fn run(&mut self, input: &[f32], shape: [usize; 4]) -> Result<NamedTensors, VisionError> {
        let failed =
            |error: ort::Error| VisionError::Runtime { model: self.id.clone(), cause: error.to_string() };
        let tensor = TensorRef::from_array_view((shape, input)).map_err(failed)?;
        let outputs = self.session.run(ort::inputs![self.input.as_str() => tensor]).map_err(failed)?;
        outputs
            .iter()
            .map(|(name, value)| {
                let (_, values) = value.try_extract_tensor::<f32>().map_err(failed)?;
                if values.iter().any(|value| !value.is_finite()) {
                    let what = format!("{name} is not finite");
                    return Err(VisionError::Unusable { model: self.id.clone(), what });
                }
                Ok((name.to_owned(), values.to_vec()))
            })
            .collect()
    }
}

/// A net for tests that always gives the same output.
#[derive(Clone, Debug)]
pub struct ScriptedNet(pub NamedTensors);

impl NeuralNet for ScriptedNet {
    fn run(&mut self, _: &[f32], _: [usize; 4]) -> Result<NamedTensors, VisionError> {
        Ok(self.0.clone())
    }
}

/// The values of the output `name`; an error where the net has no such output.
pub(crate) fn tensor_named<'a>(
    tensors: &'a NamedTensors,
    name: &str,
    model: &str,
) -> Result<&'a [f32], VisionError> {
    tensors.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice()).ok_or_else(|| {
        VisionError::Unusable { model: model.to_owned(), what: format!("there is no output {name:?}") }
    })
}
