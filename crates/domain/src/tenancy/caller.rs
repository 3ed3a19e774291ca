//! Who is calling: everything about an application that a signed request is checked against, in one statement.

use super::{AppState, Feature, OrgStatus, standing::Standing};
use base::{AppId, OrgId, Uuid};
use db::{DbError, FromRow, Read, sql};

/// An application that may call, as far as that can be said before its signature is looked at.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The application.
    pub app: AppId,
    /// Its public keys as DER, at least one, newest first; whether they are keys at all is told when verifying.
    pub keys: Vec<Vec<u8>>,
    /// Its organisation.
    pub organisation: OrgId,
    /// Whether that organisation is served.
    pub org_status: OrgStatus,
    /// The interfaces it may use.
    pub features: Vec<Feature>,
    /// Whether its timestamps need not be a wall clock.
    pub unclocked: bool,
}

/// Why an application may not call, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum NoCaller {
    /// The id is missing or no UUID.
    #[error("the application id is missing or not a UUID")]
    NotAnId,
    /// The id is the empty (nil) UUID.
    #[error("the application id is empty")]
    EmptyId,
    /// There is no such application.
    #[error("there is no such application")]
    NoApp,
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
struct Row {
    #[sqlx(flatten)]
    standing: Standing,
    organisation_id: Option<OrgId>,
    billing_source_id: Option<String>,
    unclocked: bool,
    der: Option<Vec<u8>>,
}

/// The application of that id, checked as far as state, keys and organisation go.
pub async fn identify(view: &mut Read, id: Option<&str>) -> Result<Caller, NoCaller> {
    let id = id
        .filter(|text| text.len() == 36)
        .and_then(|text| Uuid::try_parse(text).ok())
        .ok_or(NoCaller::NotAnId)?;
    if id.is_nil() {
        return Err(NoCaller::EmptyId);
    }
    let app = AppId::from(id);
    let mut rows: Vec<Row> = view
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
    let row = rows.into_iter().next().ok_or(NoCaller::NoApp)?;
    if row.standing.state != AppState::Enabled {
        return Err(NoCaller::Disabled);
    }
    if keys.iter().all(Vec::is_empty) {
        return Err(NoCaller::NoKey);
    }
    let organisation = row.organisation_id.ok_or(NoCaller::NoOrganisationId)?;
    if row.billing_source_id.is_none_or(|source| source.is_empty()) {
        return Err(NoCaller::NoBillingSource);
    }
    let org_status = row.standing.org_status().ok_or(NoCaller::NoOrganisation)?;
    Ok(Caller {
        app,
        keys,
        organisation,
        org_status,
        features: row.standing.features,
        unclocked: row.unclocked,
    })
}
