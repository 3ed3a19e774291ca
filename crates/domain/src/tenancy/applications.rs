//! Applications: what signs, calls and is billed.

use super::{AppState, Feature, TenancyError, found, name};
use base::{AppId, Id as _, OrgId, Timestamp, World};
use db::{FromRow, Read, Tx, sql};

/// An application as its operator sees it.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct Application {
    /// Its id; on the wire the SDK ID.
    pub id: AppId,
    /// The organisation it belongs to, if it was assigned to one.
    pub organisation_id: Option<OrgId>,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// Whether its calls are answered.
    #[sqlx(try_from = "String")]
    pub state: AppState,
    /// Where its use is billed.
    pub billing_source_id: Option<String>,
    /// The interfaces it may use.
    #[sqlx(json)]
    pub features: Vec<Feature>,
    /// Whether timestamps that are no wall clock are accepted; see [`set_unclocked`].
    #[sqlx(rename = "unclocked")]
    pub accept_unclocked_timestamps: bool,
    /// When it was created.
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// What a new application starts with.
#[derive(Clone, Debug)]
pub struct NewApplication<'a> {
    /// 1 to 200 characters.
    pub name: &'a str,
    /// The organisation it belongs to; without one its calls are refused until it is assigned.
    pub organisation: Option<OrgId>,
    /// Where its use is billed; without it calls are refused.
    pub billing_source: Option<&'a str>,
    /// The interfaces it may use.
    pub features: &'a [Feature],
}

/// Creates an application, enabled, without keys.
pub async fn create(tx: &mut Tx, world: &dyn World, new: &NewApplication<'_>) -> Result<AppId, TenancyError> {
    if let Some(organisation) = new.organisation {
        let known = tx.count(sql!("SELECT count(*) FROM organisations WHERE id = $1", organisation)).await?;
        found(known as u64, format_args!("organisation {organisation}"))?;
    }
    let id = AppId::new(world);
    tx.execute(sql!(
        "INSERT INTO applications (id, organisation_id, name, state, billing_source_id, features, unclocked, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id,
        new.organisation,
        name(new.name)?,
        AppState::Enabled,
        new.billing_source,
        words(new.features),
        false,
        world.now(),
    ))
    .await?;
    Ok(id)
}

/// All applications, oldest first, of one organisation or of all; for the operator.
pub async fn list(view: &mut Read, organisation: Option<OrgId>) -> Result<Vec<Application>, TenancyError> {
    Ok(view
        .fetch_all(sql!(
            "SELECT id, organisation_id, name, state, billing_source_id, features, unclocked, created_at
               FROM applications WHERE (organisation_id = $1 OR $1 IS NULL)
              ORDER BY created_at, id",
            organisation,
        ))
        .await?)
}

/// Tells whether there is such an application; that there is none is an error that names it.
pub async fn known(view: &mut Read, id: AppId) -> Result<(), TenancyError> {
    let known = view.count(sql!("SELECT count(*) FROM applications WHERE id = $1", id)).await?;
    found(known as u64, format_args!("application {id}"))
}

/// Holds off other transactions that lock the same application, until this one ends: for what is counted or made once.
pub async fn lock(tx: &mut Tx, id: AppId) -> Result<(), db::DbError> {
    tx.execute(sql!("UPDATE applications SET name = name WHERE id = $1", id)).await.map(drop)
}

/// Enables or disables an application.
pub async fn set_state(tx: &mut Tx, id: AppId, state: AppState) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE applications SET state = $2 WHERE id = $1", id, state)).await?;
    found(rows, format_args!("application {id}"))
}

/// Gives an application to an organisation, with where its use is billed.
pub async fn assign(tx: &mut Tx, id: AppId, to: OrgId, billing_source: &str) -> Result<(), TenancyError> {
    let known = tx.count(sql!("SELECT count(*) FROM organisations WHERE id = $1", to)).await?;
    found(known as u64, format_args!("organisation {to}"))?;
    let rows = tx
        .execute(sql!(
            "UPDATE applications SET organisation_id = $2, billing_source_id = $3 WHERE id = $1",
            id,
            to,
            name(billing_source)?,
        ))
        .await?;
    found(rows, format_args!("application {id}"))
}

/// Sets the interfaces an application may use.
pub async fn set_features(tx: &mut Tx, id: AppId, features: &[Feature]) -> Result<(), TenancyError> {
    let rows =
        tx.execute(sql!("UPDATE applications SET features = $2 WHERE id = $1", id, words(features))).await?;
    found(rows, format_args!("application {id}"))
}

/// Accepts timestamps that are no wall clock (or stops to). One public client sends such; each nonce must then be kept
/// for [`super::nonces::UNCLOCKED_DAYS`] days, and a request older than that could be replayed.
pub async fn set_unclocked(tx: &mut Tx, id: AppId, accept: bool) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE applications SET unclocked = $2 WHERE id = $1", id, accept)).await?;
    found(rows, format_args!("application {id}"))
}

fn words(features: &[Feature]) -> serde_json::Value {
    features.iter().map(|feature| feature.as_str()).collect()
}
