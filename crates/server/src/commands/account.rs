//! `assay account …`

use super::NameArgs;
use crate::{config::Config, out};
use anyhow::Context as _;
use base::{AccountId, AppId, Timestamp};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::accounts::{
    self, ConsoleScope, EmailAddress, Scope,
    invitations::Invitee,
    members,
    roles::{self, ConsoleGrant, Giver},
};
use services::Services;

#[derive(Subcommand)]
pub(crate) enum AccountCommand {
    /// List moderation accounts as JSON.
    List {
        /// Only accounts of this application.
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
    /// Close an account and permanently delete everything in it.
    Close {
        /// The account.
        id: AccountId,
        /// Confirm that everything in it is to be deleted.
        #[arg(long)]
        yes: bool,
    },
    /// Print the signed receipt for the deletion of an account, as JSON.
    Receipt {
        /// The account.
        #[arg(required_unless_present = "key")]
        id: Option<AccountId>,
        /// Print the public key that receipts verify with (JWK) instead.
        #[arg(long, conflicts_with = "id")]
        key: bool,
    },
    /// Invite a member, such as the first administrator of an account: print the invitation's id and its link, and send
    /// the link by mail if a mail server is set up.
    Invite {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// Their mail address.
        #[arg(long)]
        email: String,
        /// Their display name. Default: the part before the @.
        #[arg(long)]
        username: Option<String>,
        /// Make them an administrator.
        #[arg(long)]
        admin: bool,
        /// What they may do (repeatable).
        #[arg(long = "scope", value_parser = PossibleValuesParser::new(Scope::VARIANTS))]
        scopes: Vec<String>,
        /// For a server that runs with --dev: if no mail server is set up, the mail is written to the folder `mail` in the
        /// data folder.
        #[arg(long)]
        dev: bool,
    },
    /// Set what a member may do in the console beyond the scopes of content moderation.
    Grant {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// The member's mail address.
        #[arg(long)]
        email: String,
        /// All that they may do, separated by commas; scopes that are left out are revoked.
        #[arg(
            long, required = true, value_delimiter = ',', num_args = 0..,
            value_parser = PossibleValuesParser::new(ConsoleScope::VARIANTS)
        )]
        console_scopes: Vec<String>,
    },
    /// Print a link that signs a member in once, for members who get no mail from this server.
    SignInLink {
        /// The account.
        #[arg(long)]
        account: AccountId,
        /// The member's mail address.
        #[arg(long)]
        email: String,
    },
}

impl AccountCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let dev = matches!(self, Self::Invite { dev: true, .. });
        let Services { db, environment, sign_in, account_deletion, .. } =
            config.open_services_for_tool(dev).await?;
        match self {
            Self::List { app } => out::json(&accounts::list(&mut db.read().await?, app).await?)?,
            Self::Open { app, name } => {
                let name = String::from(name);
                let mut tx = db.write().await?;
                let id = accounts::create(&mut tx, &*environment, app, &name, config.moderation.max_accounts)
                    .await?;
                tx.commit().await?;
                out::line(format_args!("{id}"));
            }
            Self::Close { id, yes } => {
                anyhow::ensure!(
                    yes,
                    "everything in account {id} would be deleted permanently; confirm with --yes"
                );
                account_deletion.delete(None, id, "operator").await?;
                out::line(format_args!(
                    "account {id} is deleted; `assay account receipt {id}` prints what was deleted"
                ));
            }
            Self::Receipt { id: Some(id), .. } => {
                let found = account_deletion.receipts().find(&mut db.read().await?, None, id).await?;
                out::json(&found.with_context(|| format!("there is no receipt for account {id}"))?)?;
            }
            Self::Receipt { id: None, .. } => out::json(&account_deletion.receipts().public_key())?,
            Self::Invite { account, email, username, admin, scopes, .. } => {
                let email: EmailAddress = email.parse()?;
                let scopes = scopes.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
                let mut tx = db.write().await?;
                let account = accounts::find_for_operator(&mut tx, account)
                    .await?
                    .with_context(|| format!("there is no account {account}"))?;
                let invitee = Invitee { email, username, admin, scopes };
                let invitation = sign_in.invite_with_link(&mut tx, &account, &invitee).await?;
                tx.commit().await?;
                out::line(format_args!("{}\n{}", invitation.id, invitation.link.expose()));
                let mail = if invitation.mailed {
                    "it is also sent by mail as soon as a server is running"
                } else {
                    "it is not sent by mail, because mail.host is not set: hand it over yourself"
                };
                out::remark(format_args!(
                    "the link works once, until {}; {mail}",
                    format_time(invitation.expires_at)
                ));
            }
            Self::Grant { account, email, console_scopes } => {
                let email: EmailAddress = email.parse()?;
                let console_scopes =
                    console_scopes.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
                let mut tx = db.write().await?;
                let found = members::find_by_address(&mut tx, account, email.normalised()).await?;
                let member = found.with_context(|| {
                    format!("account {account} has no member with the address {}", email.as_str())
                })?;
                let grant = ConsoleGrant { role: member.role_id, console_scopes };
                roles::set_grant(&mut tx, Giver::Operator, account, member.id, &grant).await?;
                tx.commit().await?;
                out::line(format_args!("member {} may do this from their next call on", member.id));
            }
            Self::SignInLink { account, email } => {
                let email: EmailAddress = email.parse()?;
                let mut tx = db.write().await?;
                let (link, expires_at) =
                    sign_in.create_sign_in_link(&mut tx, account, &email).await?.with_context(|| {
                        format!("account {account} has no member with the address {}", email.as_str())
                    })?;
                tx.commit().await?;
                out::line(format_args!("{}", link.expose()));
                out::remark(format_args!("the link works once, until {}", format_time(expires_at)));
            }
        }
        Ok(())
    }
}

fn format_time(at: Timestamp) -> String {
    at.strftime("%-d %B %Y, %H:%M UTC").to_string()
}
