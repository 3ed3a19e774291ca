//! `assay fraud-list …`

use crate::{config::Config, out};
use anyhow::{Context as _, bail};
use base::{AppId, FraudListEntryId, Timestamp};
use clap::Subcommand;
use domain::document_verification::{
    DocumentSessionError,
    fraud_list::{FraudListSubject, NewFraudListEntry},
};
use services::Services;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum FraudListCommand {
    /// List a document or a face that is used for fraud: sessions of the application with it are rejected from then on.
    Add {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The document's number, stored as a keyed hash. With `--country`.
        #[arg(long, requires = "country", conflicts_with = "face", required_unless_present = "face")]
        document_number: Option<String>,
        /// The document's issuing country, ISO 3166-1 alpha-3.
        #[arg(long, requires = "document_number")]
        country: Option<String>,
        /// A JPEG or PNG file with exactly one face. The picture is not stored.
        #[arg(long, value_name = "FILE")]
        face: Option<PathBuf>,
        /// Why, as a sentence.
        #[arg(long)]
        reason: String,
        /// Who lists it.
        #[arg(long, default_value = "operator")]
        author: String,
        /// When the entry ends, as 2027-01-31T00:00:00Z. Default: when it is removed.
        #[arg(long, value_parser = super::parse_moment)]
        expires_at: Option<Timestamp>,
    },
    /// List the entries of an application, as JSON, the newest first, 100 to a page.
    List {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// From 1.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        page: u32,
    },
    /// Remove an entry.
    Remove {
        /// The entry.
        entry: FraudListEntryId,
    },
}

impl FraudListCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, document_verification, image_analyser, .. } =
            config.open_services_for_tool(false).await?;
        match self {
            Self::Add { app, document_number, country, face, reason, author, expires_at } => {
                let subject = if let Some(file) = face {
                    let models = config.model_settings();
                    tokio::task::spawn_blocking(move || image_analyser.load(&models)).await??;
                    let bytes =
                        std::fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
                    FraudListSubject::Face(bytes)
                } else {
                    FraudListSubject::Document {
                        issuing_country: country.unwrap_or_default().to_ascii_uppercase(),
                        document_number: document_number.unwrap_or_default(),
                    }
                };
                let entry = NewFraudListEntry { subject, reason, author, expires_at };
                let prepared = document_verification.prepare_fraud_list_entry(app, entry).await;
                let prepared = prepared.map_err(describe)?;
                let mut tx = db.write().await?;
                let added = document_verification.add_to_fraud_list(&mut tx, app, prepared).await;
                let added = added.map_err(describe)?;
                tx.commit().await?;
                out::json(&added)?;
            }
            Self::List { app, page } => {
                let mut view = db.read().await?;
                out::json(&document_verification.list_fraud_list(&mut view, app, page).await?)?;
            }
            Self::Remove { entry } => {
                if !document_verification.remove_from_fraud_list(None, entry).await? {
                    bail!("there is no entry {entry}");
                }
                out::line(format_args!("entry {entry} is removed"));
            }
        }
        Ok(())
    }
}

/// A refusal with everything that is wrong, as a sentence.
fn describe(error: DocumentSessionError) -> anyhow::Error {
    match error {
        DocumentSessionError::Invalid(found) => {
            let words: Vec<String> = found.iter().map(ToString::to_string).collect();
            anyhow::Error::msg(words.join("; "))
        }
        error => error.into(),
    }
}
