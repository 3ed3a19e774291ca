//! `assay account …`

use super::NameArgs;
use crate::{config::Config, out, services::Services};
use anyhow::Context as _;
use base::{AccountId, AppId, Timestamp};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::accounts::{self, EmailAddress, Scope, invitations::Invitee};

#[derive(Subcommand)]
pub(crate) enum AccountCommand {
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
        #[command(flatten)]
        name: NameArgs,
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
    /// Invite somebody, the first administrator of an account for example: print the invitation's id and its link, and
    /// send the link by mail where a mail server is set up.
    Invite {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// Their address.
        #[arg(long)]
        email: String,
        /// What they will be called. Default: the part before the @.
        #[arg(long)]
        username: Option<String>,
        /// Make them an administrator.
        #[arg(long)]
        admin: bool,
        /// What they may do (repeatable).
        #[arg(long = "scope", value_parser = PossibleValuesParser::new(Scope::VARIANTS))]
        scopes: Vec<String>,
        /// For a server that runs with --dev: where no mail server is set up, it writes the mail to the folder `mail` in
        /// the data folder.
        #[arg(long)]
        dev: bool,
    },
    /// Print a link that signs a member in, once; for members who cannot get mail from this server.
    SignInLink {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// The member's address.
        #[arg(long)]
        email: String,
    },
}

impl AccountCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let dev = matches!(self, Self::Invite { dev: true, .. });
        let Services { db, world, sign_in: doors, account_deletion: closing, .. } =
            Services::open(config, &config.public_url(), dev).await?;
        db.migrate().await?;
        match self {
            Self::List { app } => out::json(&accounts::list(&mut db.read().await?, app).await?)?,
            Self::Open { app, name } => {
                let name = String::from(name);
                let mut tx = db.write().await?;
                let id = accounts::create(&mut tx, &*world, app, &name, config.moderation.accounts).await?;
                tx.commit().await?;
                out::line(format_args!("{id}"));
            }
            Self::Close { id, yes } => {
                anyhow::ensure!(
                    yes,
                    "everything under account {id} would be deleted for good; say --yes if that is meant"
                );
                closing.delete(None, id, "operator").await?;
                out::line(format_args!(
                    "account {id} is gone; `assay account receipt {id}` prints what was deleted"
                ));
            }
            Self::Receipt { id: Some(id), .. } => {
                let found = closing.receipts().find(&mut db.read().await?, None, id).await?;
                out::json(&found.with_context(|| format!("there is no receipt for account {id}"))?)?;
            }
            Self::Receipt { id: None, .. } => out::json(&closing.receipts().public_key())?,
            Self::Invite { account, email, username, admin, scopes, .. } => {
                let email: EmailAddress = email.parse()?;
                let scopes = scopes.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
                let mut tx = db.write().await?;
                let account = accounts::find_for_operator(&mut tx, account)
                    .await?
                    .with_context(|| format!("there is no account {account}"))?;
                let guest = Invitee { email, username, admin, scopes };
                let made = doors.invite_with_link(&mut tx, &account, &guest).await?;
                tx.commit().await?;
                out::line(format_args!("{}\n{}", made.id, made.link.expose()));
                let mail = if made.mailed {
                    "a mail with it is sent as soon as a server runs"
                } else {
                    "no mail is sent, as mail.host is not set: hand it over yourself"
                };
                out::remark(format_args!("the link works once, until {}; {mail}", moment(made.expires_at)));
            }
            Self::SignInLink { account, email } => {
                let email: EmailAddress = email.parse()?;
                let mut tx = db.write().await?;
                let (link, expires_at) =
                    doors.create_sign_in_link(&mut tx, account, &email).await?.with_context(|| {
                        format!("account {account} has no member with the address {}", email.as_str())
                    })?;
                tx.commit().await?;
                out::line(format_args!("{}", link.expose()));
                out::remark(format_args!("the link works once, until {}", moment(expires_at)));
            }
        }
        Ok(())
    }
}

fn moment(at: Timestamp) -> String {
    at.strftime("%-d %B %Y, %H:%M UTC").to_string()
}
