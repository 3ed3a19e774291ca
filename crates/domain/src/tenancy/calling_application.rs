//! Who is calling: everything about an application that a signed request is checked against, in one statement.

use super::{ApplicationState, Feature, OrganisationStatus, application_status::ApplicationStatus};
use base::{AppId, OrgId, Uuid};
use db::{DbError, FromRow, ReadTx, sql};

/// An application that may call, as far as that can be said before its signature is looked at.
#[derive(Clone, Debug)]
pub struct CallingApplication {
    /// The application.
    pub app: AppId,
    /// Its public keys as DER, at least one, newest first; whether they are keys at all is told when verifying.
    pub keys: Vec<Vec<u8>>,
    /// Its organisation.
    pub organisation: OrgId,
    /// Whether that organisation is served.
    pub org_status: OrganisationStatus,
    /// The interfaces it may use.
    pub features: Vec<Feature>,
    /// Whether its timestamps need not be a wall clock.
    pub unclocked: bool,
}

/// Why an application may not call, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum CallingApplicationError {
    /// The id is missing or no UUID.
    #[error("the application id is missing or not a UUID")]
    NotAnId,
    /// The id is the empty (nil) UUID.
    #[error("the application id is empty")]
    EmptyId,
    /// There is no such application.
    #[error("there is no such application")]
    NotFound,
    /// The application is not enabled.
    #[error("the application is not enabled")]
    Disabled,
    /// It has no public key that was not revoked.
    #[error("the application has no public key")]
    NoKey,
    /// It was never assigned to an organisation.
    #[error("the application belongs to no organisation")]
    NoOrganisationId,
    /// It has no billing source.
    #[error("the application has no billing source")]
    NoBillingSource,
    /// Its organisation is gone.
    #[error("the application's organisation does not exist")]
    NoOrganisation,
    /// The database did not answer.
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

/// The application of that id, checked as far as state, keys and organisation go.
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
