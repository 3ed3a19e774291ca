//! `assay account …`

use crate::{config::Config, house::House, out};
use anyhow::Context as _;
use base::{AccountId, AppId};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::accounts::{self, Email, Scope, doors::Guest};

#[derive(Subcommand)]
pub(crate) enum Account {
    /// List moderation accounts as JSON.
    List {
        /// Of this application only.
        #[arg(long)]
        app: Option<AppId>,
    },
    /// Open an account and print its id.
    Open {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The account's name, 1 to 200 characters.
        name: String,
    },
    /// Close an account: everything under it is deleted, for good.
    Close {
        /// The account.
        id: AccountId,
        /// Yes, delete everything under it.
        #[arg(long)]
        yes: bool,
    },
    /// Print the signed receipt for an account that was closed, as JSON.
    Receipt {
        /// The account.
        #[arg(required_unless_present = "key")]
        id: Option<AccountId>,
        /// Print the public key that receipts verify with (JWK) instead.
        #[arg(long, conflicts_with = "id")]
        key: bool,
    },
    /// Invite somebody by mail; the first administrator of an account, for example.
    Invite {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// His address.
        #[arg(long)]
        email: String,
        /// What he will be called. Default: what stands before the @.
        #[arg(long)]
        username: Option<String>,
        /// Make him an administrator.
        #[arg(long)]
        admin: bool,
        /// What he may do (repeatable).
        #[arg(long = "scope", value_parser = PossibleValuesParser::new(Scope::WORDS))]
        scopes: Vec<String>,
        /// A server with --dev does this for development: where no mail server is set up, mails are written to the
        /// folder `mail` in the data folder.
        #[arg(long)]
        dev: bool,
    },
}

impl Account {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let dev = matches!(self, Self::Invite { dev: true, .. });
        let House { db, world, doors, closing, .. } = House::open(config, &config.public_url(), dev).await?;
        db.migrate().await?;
        match self {
            Self::List { app } => out::json(&accounts::list(&mut db.read().await?, app).await?)?,
            Self::Open { app, name } => {
                let mut tx = db.write().await?;
                let id = accounts::open(&mut tx, &*world, app, &name, config.moderation.accounts).await?;
                tx.commit().await?;
                out::line(format_args!("{id}"));
            }
            Self::Close { id, yes } => {
                anyhow::ensure!(
                    yes,
                    "everything under account {id} would be deleted for good; say --yes if that is meant"
                );
                closing.close(None, id, "operator").await?;
                out::line(format_args!(
                    "account {id} is gone; `assay account receipt {id}` prints what was deleted"
                ));
            }
            Self::Receipt { id: Some(id), .. } => {
                let found = closing.receipts().find(&mut db.read().await?, None, id).await?;
                out::json(&found.with_context(|| format!("there is no receipt for account {id}"))?)?;
            }
            Self::Receipt { id: None, .. } => out::json(&closing.receipts().key())?,
            Self::Invite { account, email, username, admin, scopes, .. } => {
                let email: Email = email.parse()?;
                let scopes = scopes.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
                let mut tx = db.write().await?;
                let account = accounts::show(&mut tx, account)
                    .await?
                    .with_context(|| format!("there is no account {account}"))?;
                let guest = Guest { email, username, admin, scopes };
                let id = doors.invite(&mut tx, &account, &guest).await?;
                tx.commit().await?;
                out::line(format_args!("{id}\n(the mail is sent as soon as a server works)"));
            }
        }
        Ok(())
    }
}
