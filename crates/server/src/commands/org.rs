//! `assay org …`

use super::Name;
use crate::{config::Config, out};
use base::{OrgId, SystemWorld};
use clap::Subcommand;
use domain::tenancy::{OrgStatus, organisations};

#[derive(Subcommand)]
pub(crate) enum Org {
    /// Create an organisation and print its id.
    Create {
        #[command(flatten)]
        name: Name,
    },
    /// List all organisations as JSON.
    List,
    /// Answer an organisation's calls again.
    Enable {
        /// The organisation.
        id: OrgId,
    },
    /// Suspend an organisation: all calls of its applications are refused.
    Disable {
        /// The organisation.
        id: OrgId,
    },
    /// Delete an organisation. Its applications stay, refused, until assigned to another.
    Delete {
        /// The organisation.
        id: OrgId,
    },
}

impl Org {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::database(config).await?;
        if let Self::List = self {
            return out::json(&organisations::list(&mut db.read().await?).await?);
        }
        let mut tx = db.write().await?;
        let said = match self {
            Self::List => String::new(),
            Self::Create { name } => {
                organisations::create(&mut tx, &SystemWorld, &String::from(name)).await?.to_string()
            }
            Self::Enable { id } => {
                organisations::set_status(&mut tx, id, OrgStatus::Active).await?;
                format!("organisation {id} is active")
            }
            Self::Disable { id } => {
                organisations::set_status(&mut tx, id, OrgStatus::Suspended).await?;
                format!("organisation {id} is suspended")
            }
            Self::Delete { id } => {
                organisations::delete(&mut tx, id).await?;
                format!("organisation {id} is deleted")
            }
        };
        tx.commit().await?;
        out::line(format_args!("{said}"));
        Ok(())
    }
}
