//! Everything about an application that a signed request is checked against, read in one statement.

use super::{ApplicationState, Feature, OrganisationStatus, application_status::ApplicationStatus};
use base::{AppId, OrgId, Uuid};
use db::{DbError, FromRow, ReadTx, sql};

/// An application that passed all checks that come before its signature.
#[derive(Clone, Debug)]
pub struct CallingApplication {
    pub app: AppId,
    /// Its public keys in DER, at least one, newest first. They are parsed only when a signature is verified.
    pub keys: Vec<Vec<u8>>,
    pub organisation: OrgId,
    pub org_status: OrganisationStatus,
    pub features: Vec<Feature>,
    /// Whether its timestamps need not be wall clock time; see [`super::applications::set_unclocked`].
    pub unclocked: bool,
}

/// Why an application may not call, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum CallingApplicationError {
    #[error("the application id is missing or not a UUID")]
    NotAnId,
    /// The id is the nil UUID.
    #[error("the application id is empty")]
    EmptyId,
    #[error("there is no such application")]
    NotFound,
    #[error("the application is not enabled")]
    Disabled,
    /// It has no public key, or all were revoked.
    #[error("the application has no public key")]
    NoKey,
    #[error("the application belongs to no organisation")]
    NoOrganisationId,
    #[error("the application has no billing source")]
    NoBillingSource,
    /// Its organisation was deleted.
    #[error("the application's organisation does not exist")]
    NoOrganisation,
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct CallingApplicationRow {
    #[sqlx(flatten)]
    status: ApplicationStatus,
    organisation_id: Option<OrgId>,
    billing_source_id: Option<String>,
    unclocked: bool,
    der: Option<Vec<u8>>,
}

/// The application with this id, its state, keys, billing source and organisation checked in that order.
pub async fn identify(
    view: &mut ReadTx,
    id: Option<&str>,
) -> Result<CallingApplication, CallingApplicationError> {
    let id = id
        .filter(|text| text.len() == 36)
        .and_then(|text| Uuid::try_parse(text).ok())
        .ok_or(CallingApplicationError::NotAnId)?;
    if id.is_nil() {
        return Err(CallingApplicationError::EmptyId);
    }
    let app = AppId::from(id);
    let mut rows: Vec<CallingApplicationRow> = view
        .fetch_all(sql!(
            "SELECT a.state, a.organisation_id, a.billing_source_id, a.features, a.unclocked,
                    o.status AS org_status, k.der
               FROM applications a
               LEFT JOIN organisations o ON o.id = a.organisation_id
               LEFT JOIN public_keys k ON k.app_id = a.id AND k.revoked_at IS NULL
              WHERE a.id = $1
              ORDER BY k.created_at DESC LIMIT 20",
            app,
        ))
        .await?;
    let keys: Vec<Vec<u8>> = rows.iter_mut().filter_map(|row| row.der.take()).collect();
    let row = rows.into_iter().next().ok_or(CallingApplicationError::NotFound)?;
    if row.status.state != ApplicationState::Enabled {
        return Err(CallingApplicationError::Disabled);
    }
    if keys.iter().all(Vec::is_empty) {
        return Err(CallingApplicationError::NoKey);
    }
    let organisation = row.organisation_id.ok_or(CallingApplicationError::NoOrganisationId)?;
    if row.billing_source_id.is_none_or(|source| source.is_empty()) {
        return Err(CallingApplicationError::NoBillingSource);
    }
    let org_status = row.status.org_status().ok_or(CallingApplicationError::NoOrganisation)?;
    Ok(CallingApplication {
        app,
        keys,
        organisation,
        org_status,
        features: row.status.features,
        unclocked: row.unclocked,
    })
}
