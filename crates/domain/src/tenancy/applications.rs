//! Applications: the tenants. An application has keys and features, signs, calls and is billed.

use super::{ApplicationState, Feature, TenancyError, ensure_found, organisations, validate_name};
use base::{AppId, Environment, Id as _, OrgId, Timestamp};
use db::{AuditEvent, FromRow, ReadTx, WriteTx, sql};

/// An application as operators see it.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct Application {
    /// On the wire: the SDK ID.
    pub id: AppId,
    /// `None`: not assigned to an organisation; its calls are refused.
    pub organisation_id: Option<OrgId>,
    /// 1 to 200 characters.
    pub name: String,
    #[sqlx(try_from = "String")]
    pub state: ApplicationState,
    /// Where its use is billed. `None`: its signed calls are refused.
    pub billing_source_id: Option<String>,
    #[sqlx(json)]
    pub features: Vec<Feature>,
    /// Whether timestamps that are not wall clock time are accepted; see [`set_unclocked`].
    #[sqlx(rename = "unclocked")]
    pub accept_unclocked_timestamps: bool,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// The settings of a new application.
#[derive(Clone, Debug)]
pub struct NewApplication<'a> {
    /// 1 to 200 characters.
    pub name: &'a str,
    /// Without an organisation, calls are refused until the application is assigned to one.
    pub organisation: Option<OrgId>,
    /// Where its use is billed; without it, signed calls are refused.
    pub billing_source: Option<&'a str>,
    pub features: &'a [Feature],
}

/// Creates an application: enabled, without keys.
pub async fn create(
    tx: &mut WriteTx,
    env: &dyn Environment,
    new: &NewApplication<'_>,
) -> Result<AppId, TenancyError> {
    if let Some(organisation) = new.organisation {
        organisations::ensure_exists(tx, organisation).await?;
    }
    let id = AppId::new(env);
    tx.execute(sql!(
        "INSERT INTO applications (id, organisation_id, name, state, billing_source_id, features, unclocked, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id,
        new.organisation,
        validate_name(new.name)?,
        ApplicationState::Enabled,
        new.billing_source,
        feature_names(new.features),
        false,
        env.now(),
    ))
    .await?;
    tx.audit(
        AuditEvent::new("application.create")
            .app(id)
            .target(id)
            .detail("name", new.name)
            .detail("features", feature_names(new.features)),
    );
    Ok(id)
}

/// The applications of one organisation, or of all, oldest first.
pub async fn list(view: &mut ReadTx, organisation: Option<OrgId>) -> Result<Vec<Application>, TenancyError> {
    Ok(view
        .fetch_all(sql!(
            "SELECT id, organisation_id, name, state, billing_source_id, features, unclocked, created_at
               FROM applications WHERE (organisation_id = $1 OR $1 IS NULL)
              ORDER BY created_at, id",
            organisation,
        ))
        .await?)
}

/// One application.
pub async fn find(view: &mut ReadTx, id: AppId) -> Result<Application, TenancyError> {
    let found = view
        .fetch_optional(sql!(
            "SELECT id, organisation_id, name, state, billing_source_id, features, unclocked, created_at
               FROM applications WHERE id = $1",
            id,
        ))
        .await?;
    found.ok_or_else(|| TenancyError::NotFound(format!("application {id}")))
}

/// `NotFound` if there is no such application.
pub async fn ensure_exists(view: &mut ReadTx, id: AppId) -> Result<(), TenancyError> {
    let known = view.count(sql!("SELECT count(*) FROM applications WHERE id = $1", id)).await?;
    ensure_found(known as u64, format_args!("application {id}"))
}

/// Makes other transactions that lock the same application wait until this one ends: for what is counted, or created
/// once.
pub async fn lock(tx: &mut WriteTx, id: AppId) -> Result<(), db::DbError> {
    tx.execute(sql!("UPDATE applications SET name = name WHERE id = $1", id)).await.map(drop)
}

/// Gives an application another name.
pub async fn rename(tx: &mut WriteTx, id: AppId, name: &str) -> Result<(), TenancyError> {
    let name = validate_name(name)?;
    let rows = tx.execute(sql!("UPDATE applications SET name = $2 WHERE id = $1", id, name)).await?;
    tx.audit(AuditEvent::new("application.rename").app(id).target(id).detail("name", name));
    ensure_found(rows, format_args!("application {id}"))
}

/// Enables or disables an application.
pub async fn set_state(tx: &mut WriteTx, id: AppId, state: ApplicationState) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE applications SET state = $2 WHERE id = $1", id, state)).await?;
    tx.audit(AuditEvent::new("application.set-state").app(id).target(id).detail("state", state.as_str()));
    ensure_found(rows, format_args!("application {id}"))
}

/// Assigns an application to an organisation, and sets where its use is billed.
pub async fn assign(
    tx: &mut WriteTx,
    id: AppId,
    to: OrgId,
    billing_source: &str,
) -> Result<(), TenancyError> {
    organisations::ensure_exists(tx, to).await?;
    let rows = tx
        .execute(sql!(
            "UPDATE applications SET organisation_id = $2, billing_source_id = $3 WHERE id = $1",
            id,
            to,
            validate_name(billing_source)?,
        ))
        .await?;
    tx.audit(AuditEvent::new("application.assign").app(id).target(id).detail("organisation", to.to_string()));
    ensure_found(rows, format_args!("application {id}"))
}

/// Sets the interfaces that an application may use.
pub async fn set_features(tx: &mut WriteTx, id: AppId, features: &[Feature]) -> Result<(), TenancyError> {
    let rows = tx
        .execute(sql!("UPDATE applications SET features = $2 WHERE id = $1", id, feature_names(features)))
        .await?;
    let features = feature_names(features);
    tx.audit(AuditEvent::new("application.set-features").app(id).target(id).detail("features", features));
    ensure_found(rows, format_args!("application {id}"))
}

/// Sets whether timestamps that are not wall clock time are accepted. One public client sends such timestamps. Each
/// nonce must then be kept for [`super::nonces::UNCLOCKED_NONCE_RETENTION_DAYS`] days, and a request older than that
/// could be replayed. Requests from before, whose nonces are forgotten, are recognised by their timestamps: see
/// [`super::signed_request::UnclockedPeriod`].
pub async fn set_unclocked(
    tx: &mut WriteTx,
    env: &dyn Environment,
    id: AppId,
    accept: bool,
) -> Result<(), TenancyError> {
    // Not kept where it is not accepted, and stored anew each time: an earlier build may allow it in between, and does not store
    // when.
    let rows = tx
        .execute(sql!(
            "UPDATE applications
                SET unclocked = $2, unclocked_since = $3
              WHERE id = $1",
            id,
            accept,
            accept.then(|| env.now()),
        ))
        .await?;
    tx.audit(AuditEvent::new("application.set-unclocked").app(id).target(id).detail("accept", accept));
    ensure_found(rows, format_args!("application {id}"))
}

fn feature_names(features: &[Feature]) -> serde_json::Value {
    features.iter().map(|feature| feature.as_str()).collect()
}
