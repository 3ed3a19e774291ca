//! `assay reviews …`

use crate::{config::Config, out, services::Services};
use anyhow::Context as _;
use base::{AppId, ModerationCheckId};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::document_verification::{reviews::CheckDecision, types::CheckAdvice};

#[derive(Subcommand)]
pub(crate) enum ReviewsCommand {
    /// List checks that wait for a decision as JSON, the longest waiting first, up to 200.
    List {
        /// Of this application only.
        #[arg(long)]
        app: Option<AppId>,
        /// Those that were decided, instead.
        #[arg(long)]
        decided: bool,
    },
    /// Show one check with the report that this server would make.
    Show {
        /// The check.
        check: ModerationCheckId,
    },
    /// Decide a check.
    Decide {
        /// The check.
        check: ModerationCheckId,
        /// What is recommended.
        #[arg(value_parser = PossibleValuesParser::new(CheckAdvice::VARIANTS), ignore_case = true)]
        decision: String,
        /// Why, in words.
        #[arg(long)]
        reason: String,
        /// The reason in one word of the interface, as `DATA_MISMATCH`. Default: the one of the report so far.
        #[arg(long)]
        code: Option<String>,
        /// Who decides.
        #[arg(long, default_value = "operator")]
        reviewer: String,
    },
}

impl ReviewsCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, document_verification: identities, .. } = Services::open_for_tool(config).await?;
        db.migrate().await?;
        match self {
            Self::List { app, decided } => {
                let mut view = db.read().await?;
                out::json(&identities.list_reviews(&mut view, app, decided).await?)?;
            }
            Self::Show { check } => {
                let found = identities.find_review(None, check).await?;
                let (review, report) =
                    found.with_context(|| format!("no check {check} waits for a decision"))?;
                out::json(&serde_json::json!({ "review": review, "report": report }))?;
            }
            Self::Decide { check, decision, reason, code, reviewer } => {
                let value = decision.to_ascii_uppercase().parse::<CheckAdvice>()?;
                identities
                    .decide_review(None, check, &CheckDecision { value, reason, code, reviewer })
                    .await?;
                out::line(format_args!("check {check} is decided: {value}"));
            }
        }
        Ok(())
    }
}
