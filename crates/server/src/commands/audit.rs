//! `assay audit …`

use crate::{config::Config, out, services::Services};
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Look for what is left of accounts that are gone: rows, jobs, messages, files. Exit code 1 where something is.
    Orphans {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

impl AuditCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let Self::Orphans { json } = self;
        let Services { db, account_deletion: closing, .. } = Services::open_for_tool(config).await?;
        db.migrate().await?;
        let found = closing.find_orphans().await?;
        if json {
            out::json(&found)?;
        } else if found.is_empty() {
            out::line(format_args!("nothing is left of any account that is gone"));
        } else {
            for orphan in &found {
                let many = orphan.number.map(|number| format!("{number} of ")).unwrap_or_default();
                out::line(format_args!("{:<22} {many}{}", orphan.place, orphan.owner));
            }
        }
        Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
