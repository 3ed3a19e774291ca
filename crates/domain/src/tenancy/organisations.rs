//! The tenants themselves.

use super::{OrgStatus, TenancyError, found, name};
use base::{Id as _, OrgId, Timestamp, World};
use db::{FromRow, Read, Tx, sql};

/// A tenant.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct Organisation {
    /// Its id.
    pub id: OrgId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// Whether its calls are answered.
    #[sqlx(try_from = "String")]
    pub status: OrgStatus,
    /// When it was created.
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// Creates an organisation, active at once.
pub async fn create(tx: &mut Tx, world: &dyn World, called: &str) -> Result<OrgId, TenancyError> {
    let id = OrgId::new(world);
    tx.execute(sql!(
        "INSERT INTO organisations (id, name, status, created_at) VALUES ($1, $2, $3, $4)",
        id,
        name(called)?,
        OrgStatus::Active,
        world.now(),
    ))
    .await?;
    Ok(id)
}

/// All organisations, oldest first; for the operator.
pub async fn list(view: &mut Read) -> Result<Vec<Organisation>, TenancyError> {
    Ok(view
        .fetch_all(sql!("SELECT id, name, status, created_at FROM organisations ORDER BY created_at, id"))
        .await?)
}

/// Suspends an organisation or lets it work again.
pub async fn set_status(tx: &mut Tx, id: OrgId, status: OrgStatus) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE organisations SET status = $2 WHERE id = $1", id, status)).await?;
    found(rows, format_args!("organisation {id}"))
}

/// Deletes an organisation. Its applications stay, and are told that their organisation is gone, until each is
/// assigned to another or deleted.
pub async fn delete(tx: &mut Tx, id: OrgId) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("DELETE FROM organisations WHERE id = $1", id)).await?;
    found(rows, format_args!("organisation {id}"))
}
