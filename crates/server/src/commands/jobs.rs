//! `assay jobs …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{SystemEnvironment, Uuid};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum JobsCommand {
    /// List jobs as JSON, up to 200, the longest due first.
    List {
        /// Only jobs in this state.
        #[arg(long, value_parser = jobs::JobState::VARIANTS, ignore_case = true)]
        state: Option<String>,
        /// Only jobs of this kind.
        #[arg(long)]
        kind: Option<String>,
    },
    /// Show one job, with the error of its last attempt.
    Show {
        /// The job.
        id: Uuid,
    },
    /// Run a parked or waiting job now, and forget its failed attempts.
    Retry {
        /// The job.
        id: Uuid,
    },
    /// Delete a parked or waiting job.
    Discard {
        /// The job.
        id: Uuid,
    },
}

impl JobsCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        match self {
            Self::List { state, kind } => {
                // One that is none was refused when the command line was read.
                let state = state.and_then(|word| jobs::JobState::try_from(word.to_ascii_uppercase()).ok());
                let mut view = db.read().await?;
                return out::json(&jobs::list(&mut view, state, kind.as_deref()).await?);
            }
            Self::Show { id } => {
                let job = jobs::show(&mut db.read().await?, id).await?;
                return out::json(&job.with_context(|| format!("there is no job {id}"))?);
            }
            Self::Retry { id } => {
                let mut tx = db.write().await?;
                jobs::retry(&mut tx, &SystemEnvironment, id).await?;
                tx.commit().await?;
                out::line(format_args!("job {id} runs as soon as a worker is free"));
            }
            Self::Discard { id } => {
                let mut tx = db.write().await?;
                jobs::discard(&mut tx, id).await?;
                tx.commit().await?;
                out::line(format_args!("job {id} is discarded"));
            }
        }
        Ok(())
    }
}
