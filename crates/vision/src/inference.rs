//! Inference with ONNX Runtime, which is loaded from the pack's own library; one thread for each session.
//!
//! A process optimises each model once, for its processor. What comes out, in the runtime's own format, is kept for good,
//! and all sessions on that model use the weights in it where they lie. So a further session, for another worker, takes
//! milliseconds and hardly any memory.

use crate::{ModelLoadError, VisionError, model_manifest::PackFile, runtime_telemetry};
use aws_lc_rs::digest::{SHA256, digest};
use ort::{
    environment::Environment,
    ep,
    session::{
        InMemorySession, Session,
        builder::{GraphOptimizationLevel, SessionBuilder},
    },
    value::TensorRef,
};
use rustix::fs::{MemfdFlags, memfd_create};
use std::{
    collections::HashMap,
    fs::File,
    io::Read as _,
    os::fd::AsRawFd as _,
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

/// Height and width of the input, of a net that takes any; `None`: as its file says.
type InputSize = Option<[usize; 2]>;

/// A session of ONNX Runtime.
pub struct OnnxNet {
    id: String,
    input: String,
    session: InMemorySession<'static>,
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
    /// Later calls share it; a pack with another runtime is refused. So is a process in which the runtime would report its use
    /// to its maker: call [`crate::disable_runtime_telemetry`] first thing in `main`.
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
        if !runtime_telemetry::is_disabled() {
            return Err(failed(
                "it would report its use to its maker; set ORT_DISABLE_TELEMETRY=1".to_owned(),
            ));
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

/// The SHA-256 of what a model was made from, and the size that it is optimised for.
type OptimisedModelKey = ([u8; 32], InputSize);

/// The optimised models of this process.
static OPTIMISED_MODELS: Mutex<Option<HashMap<OptimisedModelKey, &'static [u8]>>> = Mutex::new(None);

impl OnnxNet {
    /// Opens a session on the bytes of an ONNX model; `input` is the name of its input tensor. The first session on a model
    /// takes up to a tenth of a second longer than others, because the model is optimised; that is kept as long as the
    /// process lives.
    pub fn load(id: &str, model: &[u8], input: &str, runtime: &OnnxRuntime) -> Result<Self, ModelLoadError> {
        Self::load_for_size(id, model, input, runtime, None)
    }

    /// The same, of a model whose input may have any size (dimensions `height` and `width`), for one of them.
    pub fn load_for_size(
        id: &str,
        model: &[u8],
        input: &str,
        runtime: &OnnxRuntime,
        size: InputSize,
    ) -> Result<Self, ModelLoadError> {
        let failed = |cause: String| ModelLoadError::Model { id: id.to_owned(), cause };
        let optimised = optimised_model(model, runtime, size).map_err(failed)?;
        let session = open_optimised(optimised, runtime).map_err(|error| failed(error.to_string()))?;
        if !session.inputs().iter().any(|known| known.name() == input) {
            return Err(failed(format!("it has no input {input:?}")));
        }
        Ok(Self { id: id.to_owned(), input: input.to_owned(), session })
    }
}

/// The model as the runtime optimised it for this processor; the second time it is only looked up.
fn optimised_model(model: &[u8], runtime: &OnnxRuntime, size: InputSize) -> Result<&'static [u8], String> {
    let sha256 = <[u8; 32]>::try_from(digest(&SHA256, model).as_ref()).expect("SHA-256 has 32 bytes");
    let key = (sha256, size);
    let mut models = OPTIMISED_MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    let models = models.get_or_insert_default();
    if let Some(known) = models.get(&key) {
        return Ok(known);
    }
    let optimised: &'static [u8] = Box::leak(optimise(model, runtime, size)?.into_boxed_slice());
    models.insert(key, optimised);
    Ok(optimised)
}

/// Has the runtime optimise a model and write it in its own format, to a file that is in memory only.
fn optimise(model: &[u8], runtime: &OnnxRuntime, size: InputSize) -> Result<Vec<u8>, String> {
    let file = memfd_create("optimised model", MemfdFlags::CLOEXEC).map_err(|error| error.to_string())?;
    let mut file = File::from(file);
    let written = || -> ort::Result<()> {
        let mut builder = session_builder(runtime)?;
        if let Some([height, width]) = size {
            builder = builder
                .with_dimension_override("height", height as i64)?
                .with_dimension_override("width", width as i64)?;
        }
        builder
            .with_optimization_level(GraphOptimizationLevel::Level3)?
            .with_config_entry("session.save_model_format", "ORT")?
            .with_optimized_model_path(format!("/proc/self/fd/{}", file.as_raw_fd()))?
            .commit_from_memory(model)
            .map(drop)
    }();
    written.map_err(|error| error.to_string())?;
    let mut optimised = Vec::new();
    file.read_to_end(&mut optimised).map_err(|error| error.to_string())?;
    Ok(optimised)
}

/// Opens a session that uses the weights where they are.
fn open_optimised(optimised: &'static [u8], runtime: &OnnxRuntime) -> ort::Result<InMemorySession<'static>> {
    session_builder(runtime)?
        .with_optimization_level(GraphOptimizationLevel::Disable)?
        // Buffers of a run go back to the allocator. Kept for the next run, they would take six times the memory and
        // save no time.
        .with_memory_pattern(false)?
        .with_execution_providers([ep::CPU::default().with_arena_allocator(false).build()])?
        .commit_from_memory_directly(optimised)
}

/// Settings of every session. There is a worker for each core, so threads inside a session would only wait for each other.
fn session_builder(runtime: &OnnxRuntime) -> ort::Result<SessionBuilder> {
    Ok(Session::builder(&runtime.environment)?.with_intra_threads(1)?.with_intra_op_spinning(false)?)
}

impl std::fmt::Debug for OnnxNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxNet").field("id", &self.id).field("input", &self.input).finish_non_exhaustive()
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

/// Sizes of inputs for which a net keeps a session open; whoever sends pictures of many shapes gets no more of them.
const MAX_OPEN_SIZES: usize = 8;

/// A net whose input may have any size. Each size has a session of its own, opened when it is first needed, because the runtime
/// takes a fifth longer where it does not know the size beforehand.
#[derive(Debug)]
pub(crate) struct ResizableNet {
    id: String,
    model: Vec<u8>,
    input: String,
    runtime: OnnxRuntime,
    /// By height and width, the one used last at the end.
    sessions: Vec<([usize; 2], OnnxNet)>,
}

impl ResizableNet {
    /// For the bytes of an ONNX model whose input has dimensions with the names `height` and `width`; nothing is opened yet.
    pub(crate) fn new(id: &str, model: Vec<u8>, input: &str, runtime: OnnxRuntime) -> Self {
        Self { id: id.to_owned(), model, input: input.to_owned(), runtime, sessions: Vec::new() }
    }

    fn open(&self, size: [usize; 2]) -> Result<OnnxNet, VisionError> {
        OnnxNet::load_for_size(&self.id, &self.model, &self.input, &self.runtime, Some(size))
            .map_err(|error| VisionError::Runtime { model: self.id.clone(), cause: error.to_string() })
    }
}

impl NeuralNet for ResizableNet {
    fn run(&mut self, input: &[f32], shape: [usize; 4]) -> Result<NamedTensors, VisionError> {
        let [.., height, width] = shape;
        let size = [height, width];
        let mut net = match self.sessions.iter().position(|(known, _)| *known == size) {
            Some(at) => self.sessions.remove(at).1,
            None => self.open(size)?,
        };
        let answer = net.run(input, shape);
        if self.sessions.len() == MAX_OPEN_SIZES {
            self.sessions.remove(0);
        }
        self.sessions.push((size, net));
        answer
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
