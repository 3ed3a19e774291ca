//! `assay org …`

use super::NameArgs;
use crate::{config::Config, out};
use base::{OrgId, SystemEnvironment};
use clap::Subcommand;
use domain::tenancy::{OrganisationStatus, organisations};

#[derive(Subcommand)]
pub(crate) enum OrgCommand {
    /// Create an organisation and print its id.
    Create {
        #[command(flatten)]
        name: NameArgs,
    },
    /// List all organisations as JSON.
    List,
    /// Accept the calls of an organisation's applications again.
    Enable {
        /// The organisation.
        id: OrgId,
    },
    /// Suspend an organisation: all calls of its applications are refused.
    Disable {
        /// The organisation.
        id: OrgId,
    },
    /// Delete an organisation. Its applications remain, and are refused until they are assigned to another.
    Delete {
        /// The organisation.
        id: OrgId,
    },
}

impl OrgCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        if let Self::List = self {
            return out::json(&organisations::list(&mut db.read().await?).await?);
        }
        let mut tx = db.write().await?;
        let message = match self {
            Self::List => String::new(),
            Self::Create { name } => {
                organisations::create(&mut tx, &SystemEnvironment, &String::from(name)).await?.to_string()
            }
            Self::Enable { id } => {
                organisations::set_status(&mut tx, id, OrganisationStatus::Active).await?;
                format!("organisation {id} is active")
            }
            Self::Disable { id } => {
                organisations::set_status(&mut tx, id, OrganisationStatus::Suspended).await?;
                format!("organisation {id} is suspended")
            }
            Self::Delete { id } => {
                organisations::delete(&mut tx, id).await?;
                format!("organisation {id} is deleted")
            }
        };
        tx.commit().await?;
        out::line(format_args!("{message}"));
        Ok(())
    }
}
