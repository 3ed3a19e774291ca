//! `assay init`

use crate::{config::Config, out};
use domain::authentication::EmailAddress;

/// Invite the first operator of this installation: print a link that makes its holder one, and send it by mail if a mail
/// server is set up. Refused once there is an operator.
#[derive(clap::Args)]
pub(crate) struct InitArgs {
    /// Their mail address.
    #[arg(long)]
    email: String,
    /// Their display name. Default: the part before the @.
    #[arg(long)]
    name: Option<String>,
    /// For a server that runs with --dev: if no mail server is set up, the mail is written to the folder `mail` in the
    /// data folder.
    #[arg(long)]
    dev: bool,
}

impl InitArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let email: EmailAddress = self.email.parse()?;
        let services = config.open_services_for_tool(self.dev).await?;
        let mut tx = services.db.write().await?;
        let invitation = services.console_access.operators().invite_first(&mut tx, email, self.name).await?;
        tx.commit().await?;
        out::line(format_args!("{}", invitation.link.expose()));
        super::operator::remark_link(invitation.expires_at, invitation.mailed);
        Ok(())
    }
}
