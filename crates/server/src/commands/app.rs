//! `assay app …`

use super::NameArgs;
use crate::{config::Config, out};
use base::{AppId, OrgId, SystemEnvironment};
use clap::Subcommand;
use db::Db;
use domain::tenancy::{
    ApplicationState, Feature,
    applications::{self, NewApplication},
    limits::{self, LimitKind},
};
use std::str::FromStr;

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
    /// Set what an application may take, and print the limits in force and what it has. Each is a number, `none` (no limit)
    /// or `default` (what the configuration says in `[limits]`). Without options, nothing is set.
    Limits {
        /// The application.
        id: AppId,
        /// Calls in a minute.
        #[arg(long, value_name = "LIMIT")]
        calls_per_minute: Option<LimitArg>,
        /// Calls at once. While the application has calls in a minute of its own, `none` and `default` are as many as those.
        #[arg(long, value_name = "LIMIT")]
        burst: Option<LimitArg>,
        /// Jobs that run at once, other than live streams.
        #[arg(long, value_name = "LIMIT")]
        running_jobs: Option<LimitArg>,
        /// Jobs that wait, other than live streams, before no more are accepted.
        #[arg(long, value_name = "LIMIT")]
        waiting_jobs: Option<LimitArg>,
        /// Live streams that are watched or wait for it.
        #[arg(long, value_name = "LIMIT")]
        live_streams: Option<LimitArg>,
        /// Bytes of stored files.
        #[arg(long, value_name = "LIMIT")]
        stored_bytes: Option<LimitArg>,
        /// Add up the stored bytes anew: builds from before there were limits do not count them.
        #[arg(long)]
        recount: bool,
    },
    /// Accept timestamps that do not come from a wall clock, as one public client sends them. Requests older than 400
    /// days can then be replayed. A timestamp that reads as a time before this command must still be right, because the nonces
    /// of earlier requests are forgotten.
    AcceptUnclockedTimestamps {
        /// The application.
        id: AppId,
        /// `true` or `false`.
        #[arg(action = clap::ArgAction::Set)]
        accept: bool,
    },
}

/// A limit as it is written on the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitArg(Option<i64>);

impl FromStr for LimitArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "default" => Ok(Self(None)),
            "none" => Ok(Self(Some(0))),
            number => match number.parse() {
                Ok(number @ 1..) => Ok(Self(Some(number))),
                _ => Err("a limit is a number from 1 on, `none` or `default`".to_owned()),
            },
        }
    }
}

/// Sets limits of an application, and prints those that are in force and what the application has.
async fn show_limits(
    config: &Config,
    db: &Db,
    id: AppId,
    changes: &[(LimitKind, Option<i64>)],
    recount: bool,
) -> anyhow::Result<()> {
    if !changes.is_empty() || recount {
        let mut tx = db.write().await?;
        limits::set(&mut tx, id, changes).await?;
        if recount {
            limits::recount(&mut tx, id).await?;
        }
        tx.commit().await?;
    }
    let mut view = db.read().await?;
    let (own, usage) = (limits::find(&mut view, id).await?, limits::usage(&mut view, id).await?);
    let (Some(own), Some(usage)) = (own, usage) else {
        anyhow::bail!("there is no application {id}");
    };
    out::json(&serde_json::json!({
        "application": id,
        "own": own,
        "in_force": config.limits.in_force(&own),
        "used": usage,
    }))
}

impl AppCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        if let Self::List { org } = self {
            return out::json(&applications::list(&mut db.read().await?, org).await?);
        }
        if let Self::Limits {
            id,
            calls_per_minute,
            burst,
            running_jobs,
            waiting_jobs,
            live_streams,
            stored_bytes,
            recount,
        } = self
        {
            let given = [
                (LimitKind::CallsPerMinute, calls_per_minute),
                (LimitKind::Burst, burst),
                (LimitKind::RunningJobs, running_jobs),
                (LimitKind::WaitingJobs, waiting_jobs),
                (LimitKind::LiveStreams, live_streams),
                (LimitKind::StoredBytes, stored_bytes),
            ];
            let changes: Vec<_> =
                given.into_iter().filter_map(|(kind, given)| Some((kind, given?.0))).collect();
            return show_limits(config, &db, id, &changes, recount).await;
        }
        let mut tx = db.write().await?;
        let message = match self {
            Self::List { .. } | Self::Limits { .. } => String::new(),
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
                applications::set_unclocked(&mut tx, &SystemEnvironment, id, accept).await?;
                let verb = if accept { "accepts" } else { "refuses" };
                format!("application {id} {verb} timestamps that do not come from a wall clock")
            }
        };
        tx.commit().await?;
        out::line(format_args!("{message}"));
        Ok(())
    }
}
