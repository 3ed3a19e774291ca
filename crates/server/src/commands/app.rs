//! `assay app …`

use super::NameArgs;
use crate::{config::Config, out};
use base::{AppId, OrgId, SystemEnvironment};
use clap::Subcommand;
use domain::tenancy::{
    ApplicationState, Feature,
    applications::{self, NewApplication},
};

#[derive(Subcommand)]
pub(crate) enum AppCommand {
    /// Create an application and print its id, the SDK ID.
    Create {
        #[command(flatten)]
        name: NameArgs,
        /// The organisation it belongs to.
        #[arg(long)]
        org: OrgId,
        /// Where its use is billed.
        #[arg(long, default_value = "default")]
        billing_source: String,
        /// An interface it may use (repeatable): moderation, image-ai, proof-of-age, identity, ages. Default: all.
        #[arg(long = "feature")]
        features: Vec<Feature>,
    },
    /// List applications as JSON.
    List {
        /// Only applications of this organisation.
        #[arg(long)]
        org: Option<OrgId>,
    },
    /// Accept an application's calls again.
    Enable {
        /// The application.
        id: AppId,
    },
    /// Refuse all calls of an application.
    Disable {
        /// The application.
        id: AppId,
    },
    /// Assign an application to an organisation.
    Assign {
        /// The application.
        id: AppId,
        /// The organisation.
        #[arg(long)]
        org: OrgId,
        /// Where its use is billed.
        #[arg(long, default_value = "default")]
        billing_source: String,
    },
    /// Set the interfaces an application may use.
    Features {
        /// The application.
        id: AppId,
        /// The interfaces; with none, all are closed.
        features: Vec<Feature>,
    },
    /// Accept timestamps that do not come from a wall clock, as one public client sends them. Requests older than 400
    /// days can then be replayed.
    AcceptUnclockedTimestamps {
        /// The application.
        id: AppId,
        /// `true` or `false`.
        #[arg(action = clap::ArgAction::Set)]
        accept: bool,
    },
}

impl AppCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        if let Self::List { org } = self {
            return out::json(&applications::list(&mut db.read().await?, org).await?);
        }
        let mut tx = db.write().await?;
        let message = match self {
            Self::List { .. } => String::new(),
            Self::Create { name, org, billing_source, features } => {
                let features = if features.is_empty() { Feature::ALL.to_vec() } else { features };
                let new = NewApplication {
                    name: &String::from(name),
                    organisation: Some(org),
                    billing_source: Some(&billing_source),
                    features: &features,
                };
                applications::create(&mut tx, &SystemEnvironment, &new).await?.to_string()
            }
            Self::Enable { id } => {
                applications::set_state(&mut tx, id, ApplicationState::Enabled).await?;
                format!("application {id} is enabled")
            }
            Self::Disable { id } => {
                applications::set_state(&mut tx, id, ApplicationState::Disabled).await?;
                format!("application {id} is disabled")
            }
            Self::Assign { id, org, billing_source } => {
                applications::assign(&mut tx, id, org, &billing_source).await?;
                format!("application {id} belongs to organisation {org}")
            }
            Self::Features { id, features } => {
                applications::set_features(&mut tx, id, &features).await?;
                let words: Vec<_> = features.iter().map(|feature| feature.as_str()).collect();
                format!(
                    "application {id} may use: {}",
                    if words.is_empty() { "nothing".into() } else { words.join(", ") }
                )
            }
            Self::AcceptUnclockedTimestamps { id, accept } => {
                applications::set_unclocked(&mut tx, id, accept).await?;
                let verb = if accept { "accepts" } else { "refuses" };
                format!("application {id} {verb} timestamps that do not come from a wall clock")
            }
        };
        tx.commit().await?;
        out::line(format_args!("{message}"));
        Ok(())
    }
}
