//! The tenants themselves.

use super::{OrganisationStatus, TenancyError, ensure_found, validate_name};
use base::{Environment, Id as _, OrgId, Timestamp};
use db::{FromRow, ReadTx, WriteTx, sql};

/// A tenant.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct Organisation {
    /// Its id.
    pub id: OrgId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// Whether its calls are answered.
    #[sqlx(try_from = "String")]
    pub status: OrganisationStatus,
    /// When it was created.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Creates an organisation, active at once.
pub async fn create(tx: &mut WriteTx, world: &dyn Environment, called: &str) -> Result<OrgId, TenancyError> {
    let id = OrgId::new(world);
    tx.execute(sql!(
        "INSERT INTO organisations (id, name, status, created_at) VALUES ($1, $2, $3, $4)",
        id,
        validate_name(called)?,
        OrganisationStatus::Active,
        world.now(),
    ))
    .await?;
    Ok(id)
}

/// All organisations, oldest first; for the operator.
pub async fn list(view: &mut ReadTx) -> Result<Vec<Organisation>, TenancyError> {
    Ok(view
        .fetch_all(sql!("SELECT id, name, status, created_at FROM organisations ORDER BY created_at, id"))
        .await?)
}

/// Suspends an organisation or lets it work again.
pub async fn set_status(tx: &mut WriteTx, id: OrgId, status: OrganisationStatus) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE organisations SET status = $2 WHERE id = $1", id, status)).await?;
    ensure_found(rows, format_args!("organisation {id}"))
}

/// Deletes an organisation. Its applications stay, and are told that their organisation is gone, until each is
/// assigned to another or deleted.
pub async fn delete(tx: &mut WriteTx, id: OrgId) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("DELETE FROM organisations WHERE id = $1", id)).await?;
    ensure_found(rows, format_args!("organisation {id}"))
}
