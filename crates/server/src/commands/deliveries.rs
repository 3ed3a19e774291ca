//! `assay deliveries …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{AppId, DeliveryId, SignedDuration, Timestamp};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::{
    delivery::{self, DeliveryFilter, DeliveryState, secrets},
    tenancy::applications,
};
use services::Services;

/// Deliveries that are listed at once.
const MAX_LISTED_DELIVERIES: i64 = 200;

#[derive(Subcommand)]
pub(crate) enum DeliveriesCommand {
    /// List deliveries as JSON, up to 200, newest first. The messages themselves are not shown.
    List {
        /// Only deliveries of this application.
        #[arg(long)]
        app: Option<AppId>,
        /// Only deliveries in this state.
        #[arg(long, value_parser = PossibleValuesParser::new(DeliveryState::VARIANTS), ignore_case = true)]
        state: Option<String>,
        /// Queued at this moment or later (RFC 3339).
        #[arg(long, value_parser = super::parse_moment)]
        from: Option<Timestamp>,
        /// Queued before this moment (RFC 3339).
        #[arg(long, value_parser = super::parse_moment)]
        to: Option<Timestamp>,
    },
    /// Show one delivery with its attempts.
    Show {
        /// The delivery: the `webhook-id` that its receiver saw.
        id: DeliveryId,
    },
    /// Deliver again: one delivery, or all of an application that were queued in a period.
    Replay {
        /// The delivery.
        #[arg(required_unless_present = "app", conflicts_with = "app")]
        id: Option<DeliveryId>,
        /// The application.
        #[arg(long, requires = "from")]
        app: Option<AppId>,
        /// Queued at this moment or later (RFC 3339).
        #[arg(long, value_parser = super::parse_moment)]
        from: Option<Timestamp>,
        /// Queued before this moment (RFC 3339). Default: now.
        #[arg(long, value_parser = super::parse_moment)]
        to: Option<Timestamp>,
        /// Only deliveries in this state.
        #[arg(long, value_parser = PossibleValuesParser::new(DeliveryState::VARIANTS), ignore_case = true, default_value = "FAILED")]
        state: String,
    },
    /// Print the secret that an application's deliveries are signed with.
    Secret {
        /// The application.
        #[arg(value_name = "APP", required_unless_present = "named")]
        app: Option<AppId>,
        /// The application, as an option.
        #[arg(long = "app", id = "named", value_name = "APP", conflicts_with = "app")]
        named: Option<AppId>,
        /// Replace it by a new one. Deliveries are signed with both until the overlap has passed.
        #[arg(long)]
        rotate: bool,
        /// Hours for which deliveries are signed with both, at most a year.
        #[arg(long, default_value_t = 24, requires = "rotate", value_parser = clap::value_parser!(u32).range(0..=8_760))]
        overlap_hours: u32,
    },
}

impl DeliveriesCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, environment, vault, .. } = config.open_services_for_tool(false).await?;
        let state = |word: Option<String>| {
            word.map(|word| word.to_ascii_uppercase().parse::<DeliveryState>()).transpose()
        };
        match self {
            Self::List { app, state: word, from, to } => {
                let filter =
                    DeliveryFilter { app, state: state(word)?, from, to, ..DeliveryFilter::default() };
                let mut view = db.read().await?;
                out::json(&delivery::list(&mut view, filter, None, MAX_LISTED_DELIVERIES).await?)?;
            }
            Self::Show { id } => {
                let found = delivery::show(&mut db.read().await?, None, id).await?;
                out::json(&found.with_context(|| format!("there is no delivery {id}"))?)?;
            }
            Self::Replay { id: Some(id), .. } => {
                let mut tx = db.write().await?;
                delivery::replay(&mut tx, &*environment, None, id).await?;
                tx.commit().await?;
                out::line(format_args!(
                    "delivery {id} is attempted again now, and then on the usual schedule"
                ));
            }
            Self::Replay { id: None, app, from, to, state: word } => {
                let (app, from) = app.zip(from).context("--app and --from are required")?;
                let filter = DeliveryFilter {
                    app: Some(app),
                    state: state(Some(word))?,
                    from: Some(from),
                    to: Some(to.unwrap_or_else(|| environment.now())),
                    ..DeliveryFilter::default()
                };
                let mut tx = db.write().await?;
                let count = delivery::replay_matching(&mut tx, &*environment, filter, i64::MAX).await?;
                tx.commit().await?;
                out::line(format_args!("{count} deliveries are attempted again"));
            }
            Self::Secret { app, named, rotate, overlap_hours } => {
                let app = app.or(named).context("name the application")?;
                let mut tx = db.write().await?;
                applications::ensure_exists(&mut tx, app).await?;
                let secret = if rotate {
                    let overlap = SignedDuration::from_hours(overlap_hours.into());
                    secrets::rotate(&mut tx, &vault, &*environment, app, overlap).await?
                } else {
                    let secrets = secrets::list_or_create(&mut tx, &vault, &*environment, app).await?;
                    secrets.into_iter().next().with_context(|| format!("there is no application {app}"))?
                };
                tx.commit().await?;
                out::line(format_args!("{}", secret.reveal().expose()));
            }
        }
        Ok(())
    }
}
