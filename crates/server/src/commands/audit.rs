//! `assay audit …`

use crate::{config::Config, out};
use clap::Subcommand;
use services::Services;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Look for data of deleted accounts: rows, jobs, messages, files. The exit code is 1 if any is found.
    Orphans {
        /// Print JSON instead of text.
        #[arg(long)]
        json: bool,
    },
}

impl AuditCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let Self::Orphans { json } = self;
        let Services { account_deletion, .. } = config.open_services_for_tool(false).await?;
        let found = account_deletion.find_orphans().await?;
        if json {
            out::json(&found)?;
        } else if found.is_empty() {
            out::line(format_args!("nothing is left of any deleted account"));
        } else {
            for orphan in &found {
                let count = orphan.number.map(|number| format!("{number} of ")).unwrap_or_default();
                out::line(format_args!("{:<22} {count}{}", orphan.place, orphan.owner));
            }
        }
        Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
