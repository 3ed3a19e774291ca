//! The relying party that a session belongs to.

use super::AgeSessionError;
use crate::tenancy::{Feature, application_status};
use base::AppId;
use db::{Db, FromRow, sql};

/// A relying party, as the pages of its sessions present it.
#[derive(Clone, Debug)]
pub struct RelyingPartyProfile {
    pub name: String,
    /// Whether its application may use proofs of age.
    pub uses_proof_of_age: bool,
}

/// Looks up relying parties.
#[derive(Clone, Debug)]
pub(super) struct RelyingPartyDirectory {
    db: Db,
}

impl RelyingPartyDirectory {
    pub(super) fn new(db: Db) -> Self {
        Self { db }
    }

    /// The relying party of an application. Refused with [`AgeSessionError::ApplicationNotServed`] if the application
    /// is not served or may not use age verification.
    pub(super) async fn find(&self, app: AppId) -> Result<RelyingPartyProfile, AgeSessionError> {
        #[derive(FromRow)]
        struct ApplicationRow {
            name: String,
        }
        let mut db = self.db.read().await?;
        let status = application_status::find(&mut db, app).await?;
        let status = status.filter(|status| status.allows(Feature::Ages));
        let status = status.ok_or(AgeSessionError::ApplicationNotServed)?;
        let row: Option<ApplicationRow> =
            db.fetch_optional(sql!("SELECT name FROM applications WHERE id = $1", app)).await?;
        let ApplicationRow { name } = row.ok_or(AgeSessionError::ApplicationNotServed)?;
        Ok(RelyingPartyProfile { name, uses_proof_of_age: status.allows(Feature::ProofOfAge) })
    }
}
