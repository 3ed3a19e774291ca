//! `assay models …`

use crate::{config::Config, out};
use anyhow::Context as _;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Models {
    /// Convert the models of the locked npm packages to ONNX, with a manifest; does nothing when all is there.
    Import {
        /// The `node_modules` folder that `npm ci --ignore-scripts` made in `models/`.
        #[arg(long, default_value = "models/node_modules", value_name = "DIR")]
        from: PathBuf,
        /// Where the pack goes. Default: where the server looks for it.
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
    /// List the models of the pack as JSON: what serves what, hashes, licences and their doubts.
    List,
    /// Hash every file again and run every probe.
    Verify,
}

impl Models {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let folder = config.models_folder();
        match self {
            Self::Import { from, to } => {
                let to = to.unwrap_or(folder);
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                bar.set_style(
                    ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").context("a fixed template")?,
                );
                let pack = vision::import::import(&from, &to, &mut |step| {
                    bar.set_length(step.total as u64);
                    bar.set_position(step.done as u64);
                    bar.set_message(step.name.clone());
                })
                .with_context(|| format!("the models of {} cannot be imported", from.display()))?;
                bar.finish_and_clear();
                out::line(format_args!("{} models in {}", pack.models.len(), to.display()));
            }
            Self::List => {
                let pack = vision::pack::Pack::read(&folder).with_context(|| {
                    format!("{} cannot be read; run `assay models import`", folder.display())
                })?;
                out::json(&pack)?;
            }
            Self::Verify => {
                vision::import::verify(&folder)
                    .with_context(|| format!("{} is not sound", folder.display()))?;
                out::line(format_args!("all hashes and probes of {} are right", folder.display()));
            }
        }
        Ok(())
    }
}
