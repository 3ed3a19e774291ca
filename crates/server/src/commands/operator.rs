//! `assay operator …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{OperatorId, OperatorRoleId, Timestamp};
use clap::{Subcommand, builder::PossibleValuesParser};
use domain::{
    authentication::EmailAddress,
    operators::{self, BuiltInRole, Operator, OperatorGrant, OperatorInvitee, OperatorRole, OperatorScope},
};
use serde_json::{Value, json};
use services::Services;

#[derive(Subcommand)]
pub(crate) enum OperatorCommand {
    /// List operators and open invitations as JSON.
    List,
    /// Invite an operator: print the invitation's id and its link, and send the link by mail if a mail server is set up.
    Invite {
        /// Their mail address.
        #[arg(long)]
        email: String,
        /// Their display name. Default: the part before the @.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        grant: GrantArgs,
        /// For a server that runs with --dev: if no mail server is set up, the mail is written to the folder `mail` in the
        /// data folder.
        #[arg(long)]
        dev: bool,
    },
    /// Set what an operator may do.
    Grant {
        /// The operator.
        id: OperatorId,
        #[command(flatten)]
        grant: GrantArgs,
    },
    /// Let an operator in no more; their sessions end.
    Disable {
        /// The operator.
        id: OperatorId,
    },
    /// Let an operator in again.
    Enable {
        /// The operator.
        id: OperatorId,
    },
    /// Print a link that signs an operator in once, for one who gets no mail from this server.
    SignInLink {
        /// The operator's mail address.
        #[arg(long)]
        email: String,
    },
}

/// What somebody may do: the scopes of a role, and others besides.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub(crate) struct GrantArgs {
    /// A role: administrator, support, auditor, or the id of one of your own.
    #[arg(long)]
    role: Option<String>,
    /// What they may do besides (repeatable).
    #[arg(long = "scope", value_parser = PossibleValuesParser::new(OperatorScope::VARIANTS))]
    scopes: Vec<String>,
}

impl TryFrom<GrantArgs> for OperatorGrant {
    type Error = anyhow::Error;

    fn try_from(GrantArgs { role, scopes }: GrantArgs) -> anyhow::Result<Self> {
        let role = role.map(|word| parse_role(&word)).transpose()?;
        Ok(Self { role, scopes: scopes.iter().map(|word| word.parse()).collect::<Result<_, _>>()? })
    }
}

fn parse_role(word: &str) -> anyhow::Result<OperatorRole> {
    if let Ok(role) = word.parse::<BuiltInRole>() {
        return Ok(OperatorRole::BuiltIn(role));
    }
    let id: Result<OperatorRoleId, _> = word.parse();
    let words = || format!("{word} is neither {} nor the id of a role", BuiltInRole::VARIANTS.join(", "));
    id.map(OperatorRole::Custom).with_context(words)
}

impl OperatorCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let dev = matches!(self, Self::Invite { dev: true, .. });
        let Services { db, environment, console_access, .. } = config.open_services_for_tool(dev).await?;
        let service = console_access.operators();
        if let Self::List = self {
            let mut view = db.read().await?;
            let operators: Vec<_> = operators::list(&mut view).await?.iter().map(describe).collect();
            let invitations = service.invitations(&mut view).await?.into_iter().map(|invitation| {
                json!({
                    "id": invitation.id, "email": invitation.email, "name": invitation.name,
                    "expires_at": invitation.expires_at,
                })
            });
            let invitations: Vec<_> = invitations.collect();
            return out::json(&json!({ "operators": operators, "invitations": invitations }));
        }
        let mut tx = db.write().await?;
        match self {
            Self::List => {}
            Self::Invite { email, name, grant, .. } => {
                let invitee = OperatorInvitee { email: email.parse()?, name, grant: grant.try_into()? };
                let invitation = service.invite(&mut tx, None, &invitee).await?;
                tx.commit().await?;
                out::line(format_args!("{}\n{}", invitation.id, invitation.link.expose()));
                remark_link(invitation.expires_at, invitation.mailed);
            }
            Self::Grant { id, grant } => {
                operators::set_grant(&mut tx, None, id, &grant.try_into()?).await?;
                tx.commit().await?;
                out::line(format_args!("operator {id} may do this from their next call on"));
            }
            Self::Disable { id } => {
                operators::set_disabled(&mut tx, &*environment, id, true).await?;
                tx.commit().await?;
                out::line(format_args!("operator {id} is disabled"));
            }
            Self::Enable { id } => {
                operators::set_disabled(&mut tx, &*environment, id, false).await?;
                tx.commit().await?;
                out::line(format_args!("operator {id} is enabled"));
            }
            Self::SignInLink { email } => {
                let email: EmailAddress = email.parse()?;
                let link = service.create_sign_in_link(&mut tx, email.normalised(), None).await?;
                let (operator, link, expires_at) = link.with_context(|| {
                    format!("no operator who is enabled has the address {}", email.as_str())
                })?;
                tx.audit(db::AuditEvent::new("sign-in-link.create").target(operator.id));
                tx.commit().await?;
                out::line(format_args!("{}", link.expose()));
                out::remark(format_args!("the link works once, until {}", format_time(expires_at)));
            }
        }
        Ok(())
    }
}

fn describe(operator: &Operator) -> Value {
    let role = match operator.grant.role {
        Some(OperatorRole::BuiltIn(role)) => Value::from(role.as_str()),
        Some(OperatorRole::Custom(id)) => Value::from(id.to_string()),
        None => Value::Null,
    };
    json!({
        "id": operator.id, "email": operator.email, "name": operator.name, "role": role, "scopes": operator.scopes,
        "disabled": operator.disabled, "created_at": operator.created_at,
    })
}

/// Says how long the link of an invitation works, and whether it is sent.
pub(super) fn remark_link(expires_at: Timestamp, mailed: bool) {
    let mail = if mailed {
        "it is also sent by mail as soon as a server is running"
    } else {
        "it is not sent by mail, because mail.host is not set: hand it over yourself"
    };
    out::remark(format_args!("the link works once, until {}; {mail}", format_time(expires_at)));
}

fn format_time(at: Timestamp) -> String {
    at.strftime("%-d %B %Y, %H:%M UTC").to_string()
}
