//! `GET /readyz`: whether requests can be served, and what is missing if not.

use crate::Api;
use axum::{Json, extract::State, http::StatusCode};
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};

/// The disk under the data folder.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The data folder.
    pub folder: PathBuf,
    /// Bytes that must be free.
    pub min_free: u64,
}

impl Disk {
    /// Bytes free for us, if the system tells.
    pub fn free(&self) -> std::io::Result<u64> {
        let disk = rustix::fs::statvfs(&self.folder)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn has_room(&self) -> bool {
        match self.free() {
            Ok(free) if free >= self.min_free => true,
            Ok(free) => {
                tracing::warn!(free, needed = self.min_free, "not ready: the disk is full");
                false
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "not ready: the data folder cannot be seen"
                );
                false
            }
        }
    }
}

/// 200 when models and database answer and the disk has room, 503 otherwise; the body names each part. Causes stay in the log and with
/// `assay doctor`, because anyone may ask here.
pub(super) async fn readyz(State(api): State<Api>) -> (StatusCode, Json<Value>) {
    let database = tokio::time::timeout(Duration::from_secs(2), api.db.ping()).await;
    let database = match database {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "not ready: the database does not answer"
            );
            false
        }
        Err(_) => {
            tracing::warn!("not ready: the database takes longer than two seconds");
            false
        }
    };
    let models = api.estimator.models();
    if let Err(error) = &models {
        tracing::warn!(error = error as &dyn std::error::Error, "not ready: no models");
    }
    let disk = api.disk.has_room();
    let ready = database && disk && models.is_ok();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let models = match models {
        Ok(models) => json!({ "ready": true, "loaded": models }),
        Err(_) => json!({ "ready": false, "hint": "run `assay doctor` on the server" }),
    };
    let database = json!({ "ready": database, "engine": format!("{:?}", api.db.engine()).to_lowercase() });
    (
        status,
        Json(json!({ "ready": ready, "database": database, "disk": { "ready": disk }, "models": models })),
    )
}
