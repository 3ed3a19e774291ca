//! `assay reviews …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{AppId, VerificationCheckId};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::document_verification::{reviews::CheckDecision, types::CheckAdvice};
use services::Services;

#[derive(Subcommand)]
pub(crate) enum ReviewsCommand {
    /// List checks that await a decision, as JSON, the oldest first, up to 200.
    List {
        /// Only checks of this application.
        #[arg(long)]
        app: Option<AppId>,
        /// List decided checks instead.
        #[arg(long)]
        decided: bool,
    },
    /// Show one check with the report that the server has drafted.
    Show {
        /// The check.
        check: VerificationCheckId,
    },
    /// Decide a check.
    Decide {
        /// The check.
        check: VerificationCheckId,
        /// The recommendation.
        #[arg(value_parser = PossibleValuesParser::new(CheckAdvice::VARIANTS), ignore_case = true)]
        decision: String,
        /// The reason, as a sentence.
        #[arg(long)]
        reason: String,
        /// The reason code of the interface, such as `DATA_MISMATCH`. Default: that of the draft.
        #[arg(long)]
        code: Option<String>,
        /// The reviewer who decides.
        #[arg(long, default_value = "operator")]
        reviewer: String,
    },
}

impl ReviewsCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, document_verification, .. } = config.open_services_for_tool(false).await?;
        match self {
            Self::List { app, decided } => {
                let mut view = db.read().await?;
                out::json(&document_verification.list_reviews(&mut view, app, decided).await?)?;
            }
            Self::Show { check } => {
                let found = document_verification.find_review(None, check).await?;
                let (review, report) =
                    found.with_context(|| format!("no check {check} waits for a decision"))?;
                out::json(&serde_json::json!({ "review": review, "report": report }))?;
            }
            Self::Decide { check, decision, reason, code, reviewer } => {
                let value = decision.to_ascii_uppercase().parse::<CheckAdvice>()?;
                document_verification
                    .decide_review(None, check, &CheckDecision { value, reason, code, reviewer })
                    .await?;
                out::line(format_args!("check {check} is decided: {value}"));
            }
        }
        Ok(())
    }
}
