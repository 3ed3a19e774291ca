//! `assay models …`: imports, lists and verifies the pack of models.

use crate::{config::Config, out};
use anyhow::{Context as _, bail};
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use media::fetch::{FetchRequest, Fetcher};
use model_import::minifasnet;
use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

#[derive(Subcommand)]
pub(crate) enum ModelsCommand {
    /// Convert the models of the locked npm packages to ONNX and write a manifest; does nothing when the pack is
    /// complete.
    Import {
        /// The `node_modules` folder that `npm ci --ignore-scripts` made in `models/`.
        #[arg(long, default_value = "models/node_modules", value_name = "DIR")]
        from: PathBuf,
        /// Where the pack goes. Default: where the server looks for it.
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
    /// Add MiniFASNet, a third-party liveness net, and let it serve: from a checkout of its repository, or from the
    /// address of the repository's files. Only files whose hashes this version knows are accepted.
    AddMinifasnet {
        /// A folder, or an https address; it contains `resources/anti_spoof_models`.
        #[arg(long, value_name = "DIR|URL")]
        from: String,
    },
    /// List the models of the pack as JSON: which serves which task, hashes, licences and doubts about them.
    List,
    /// Hash every file again and run every probe.
    Verify,
}

impl ModelsCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let folder = config.models_folder();
        match self {
            Self::Import { from, to } => {
                let to = to.unwrap_or(folder);
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                bar.set_style(
                    ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").context("a fixed template")?,
                );
                let pack = model_import::import_pack(&from, &to, &mut |step| {
                    bar.set_length(step.total as u64);
                    bar.set_position(step.done as u64);
                    bar.set_message(step.name.clone());
                })
                .with_context(|| format!("the models of {} cannot be imported", from.display()))?;
                bar.finish_and_clear();
                out::line(format_args!("{} models in {}", pack.models.len(), to.display()));
            }
            Self::AddMinifasnet { from } => {
                let mut files = Vec::new();
                for (path, _) in minifasnet::STATE_FILES {
                    files.push(if from.starts_with("https://") {
                        fetch(config, &format!("{}/{path}", from.trim_end_matches('/'))).await?
                    } else {
                        read(&Path::new(&from).join(path))?
                    });
                }
                let Ok(files) = <[Vec<u8>; 2]>::try_from(files) else { bail!("two state files expected") };
                minifasnet::add_to_pack(&files, &folder)
                    .with_context(|| format!("MiniFASNet cannot be added to {}", folder.display()))?;
                out::line(format_args!(
                    "{} serves liveness in {}; restart the server, and measure it: assay evaluate antispoofing",
                    minifasnet::MODEL_ID,
                    folder.display()
                ));
            }
            Self::List => {
                let pack = vision::model_manifest::ModelPack::read(&folder).with_context(|| {
                    format!("{} cannot be read; run `assay models import`", folder.display())
                })?;
                out::json(&pack)?;
            }
            Self::Verify => {
                model_import::verify_pack(&folder)
                    .with_context(|| format!("{} is not sound", folder.display()))?;
                out::line(format_args!("all hashes and probes of {} are correct", folder.display()));
            }
        }
        Ok(())
    }
}

/// Reads a state file, at most [`minifasnet::MAX_STATE_FILE_BYTES`] of it: a longer one then has another hash.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(minifasnet::MAX_STATE_FILE_BYTES).read_to_end(&mut bytes))
        .with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(bytes)
}

/// Fetches a state file from an address that the operator named, through the guarded fetcher.
async fn fetch(config: &Config, address: &str) -> anyhow::Result<Vec<u8>> {
    let fetcher = Fetcher::new(&config.egress).context("egress: the settings cannot be used")?;
    let call = FetchRequest {
        timeout: Duration::from_mins(2),
        ..FetchRequest::get(minifasnet::MAX_STATE_FILE_BYTES)
    };
    let failed = || format!("{address} cannot be fetched");
    let (_, mut response) = fetcher.open_with_redirects(address, call).await.with_context(failed)?;
    if response.status() != 200 {
        bail!("{}: status {}", failed(), response.status());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.with_context(failed)? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
