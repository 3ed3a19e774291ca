//! Organisations, which applications belong to.

use super::{OrganisationStatus, TenancyError, ensure_found, validate_name};
use base::{Environment, Id as _, OrgId, Timestamp};
use db::{AuditEvent, FromRow, ReadTx, WriteTx, sql};

#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct Organisation {
    pub id: OrgId,
    /// 1 to 200 characters.
    pub name: String,
    #[sqlx(try_from = "String")]
    pub status: OrganisationStatus,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Creates an organisation; it is active.
pub async fn create(tx: &mut WriteTx, env: &dyn Environment, name: &str) -> Result<OrgId, TenancyError> {
    let id = OrgId::new(env);
    tx.execute(sql!(
        "INSERT INTO organisations (id, name, status, created_at) VALUES ($1, $2, $3, $4)",
        id,
        validate_name(name)?,
        OrganisationStatus::Active,
        env.now(),
    ))
    .await?;
    tx.audit(AuditEvent::new("organisation.create").target(id).detail("name", name));
    Ok(id)
}

/// All organisations, oldest first.
pub async fn list(view: &mut ReadTx) -> Result<Vec<Organisation>, TenancyError> {
    Ok(view
        .fetch_all(sql!("SELECT id, name, status, created_at FROM organisations ORDER BY created_at, id"))
        .await?)
}

/// `NotFound` if there is no such organisation.
pub async fn ensure_exists(view: &mut ReadTx, id: OrgId) -> Result<(), TenancyError> {
    let known = view.count(sql!("SELECT count(*) FROM organisations WHERE id = $1", id)).await?;
    ensure_found(known as u64, format_args!("organisation {id}"))
}

/// Gives an organisation another name.
pub async fn rename(tx: &mut WriteTx, id: OrgId, name: &str) -> Result<(), TenancyError> {
    let name = validate_name(name)?;
    let rows = tx.execute(sql!("UPDATE organisations SET name = $2 WHERE id = $1", id, name)).await?;
    tx.audit(AuditEvent::new("organisation.rename").target(id).detail("name", name));
    ensure_found(rows, format_args!("organisation {id}"))
}

/// Suspends or reactivates an organisation.
pub async fn set_status(tx: &mut WriteTx, id: OrgId, status: OrganisationStatus) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("UPDATE organisations SET status = $2 WHERE id = $1", id, status)).await?;
    tx.audit(AuditEvent::new("organisation.set-status").target(id).detail("status", status.as_str()));
    ensure_found(rows, format_args!("organisation {id}"))
}

/// Deletes an organisation. Its applications stay; their calls are refused with
/// [`NoOrganisation`](super::calling_application::CallingApplicationError::NoOrganisation) until they are assigned to
/// another.
pub async fn delete(tx: &mut WriteTx, id: OrgId) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("DELETE FROM organisations WHERE id = $1", id)).await?;
    tx.audit(AuditEvent::new("organisation.delete").target(id));
    ensure_found(rows, format_args!("organisation {id}"))
}
