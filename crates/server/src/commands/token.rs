//! `assay token …`

use crate::{config::Config, out};
use base::{AccessTokenId, AppId, Environment as _, SignedDuration, SystemEnvironment};
use clap::Subcommand;
use domain::tenancy::tokens::{self, TokenScope};

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it; it cannot be shown again.
    Create {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// What it is for, 1 to 200 characters.
        #[arg(long, default_value = "by hand")]
        name: String,
        /// A scope (repeatable): idv:sessions, avs:sessions:create, poa:verify.
        #[arg(long = "scope", required = true)]
        scopes: Vec<TokenScope>,
        /// Days until it expires, at most 36,500. Default: never.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: Option<u32>,
    },
    /// List the valid tokens of an application as JSON.
    List {
        /// The application.
        #[arg(long)]
        app: AppId,
    },
    /// Revoke a token; it stops working at once.
    Revoke {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The token's id.
        id: AccessTokenId,
    },
}

impl TokenCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        let now = SystemEnvironment.now();
        match self {
            Self::Create { app, name, scopes, days } => {
                let expires = days.map(|days| now + SignedDuration::from_hours(24 * i64::from(days)));
                let mut tx = db.write().await?;
                let issued = tokens::create(&mut tx, &SystemEnvironment, app, &name, scopes, expires).await?;
                tx.commit().await?;
                out::line(format_args!("{}", issued.token.expose()));
            }
            Self::List { app } => out::json(&tokens::list(&mut db.read().await?, now, app).await?)?,
            Self::Revoke { app, id } => {
                let mut tx = db.write().await?;
                tokens::revoke(&mut tx, app, id).await?;
                tx.commit().await?;
                out::line(format_args!("access token {id} is revoked"));
            }
        }
        Ok(())
    }
}
