//! `GET /readyz`: whether requests can be served, and what is missing if not.

use crate::ApiState;
use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use std::{error::Error, path::PathBuf, time::Duration};
use vision::ModelInfo;

const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// The disk under the data folder.
#[derive(Clone, Debug)]
pub struct DataDisk {
    /// The data folder.
    pub folder: PathBuf,
    /// Bytes that must be free.
    pub min_free_bytes: u64,
}

impl DataDisk {
    /// Bytes that a process without privileges can still write.
    pub fn free_bytes(&self) -> std::io::Result<u64> {
        let disk = rustix::fs::statvfs(&self.folder)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn has_room(&self) -> bool {
        match self.free_bytes() {
            Ok(free) if free >= self.min_free_bytes => true,
            Ok(free) => {
                tracing::warn!(free, needed = self.min_free_bytes, "not ready: the disk is full");
                false
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn Error, "not ready: the data folder cannot be seen");
                false
            }
        }
    }
}

/// Whether requests can be served, and each part that is needed for it.
#[derive(Serialize)]
pub(super) struct Readiness {
    /// Whether all parts are ready.
    ready: bool,
    database: DatabaseReadiness,
    disk: DiskReadiness,
    models: ModelReadiness,
    children: ChildReadiness,
}

/// Whether programs that read videos and documents may be started.
#[derive(Serialize)]
struct ChildReadiness {
    ready: bool,
}

/// Whether the database answers.
#[derive(Serialize)]
struct DatabaseReadiness {
    ready: bool,
    /// `sqlite` or `postgres`.
    engine: String,
}

/// Whether the disk has room.
#[derive(Serialize)]
struct DiskReadiness {
    ready: bool,
}

/// Whether there are models.
#[derive(Serialize)]
struct ModelReadiness {
    ready: bool,
    /// The models in use, which are loaded at the start or for the first image.
    #[serde(skip_serializing_if = "Option::is_none")]
    loaded: Option<Vec<ModelInfo>>,
    /// What to do if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// 200 if models and database answer and the disk has room, 503 otherwise; the body names each part. Causes are only in
/// the log and in `assay doctor`, because this endpoint is public.
pub(super) async fn readyz(State(api): State<ApiState>) -> (StatusCode, Json<Readiness>) {
    let database = DatabaseReadiness {
        ready: database_answers(&api).await,
        engine: format!("{:?}", api.db.engine()).to_lowercase(),
    };
    let disk = DiskReadiness { ready: api.data_disk.has_room() };
    let models = match api.image_analyser.models() {
        Ok(models) => ModelReadiness { ready: true, loaded: Some(models), hint: None },
        Err(error) => {
            tracing::warn!(error = &error as &dyn Error, "not ready: no models");
            let hint = Some("run `assay doctor` on the server");
            ModelReadiness { ready: false, loaded: None, hint }
        }
    };
    let children = ChildReadiness { ready: !media::sandbox::refuses_children() };
    if !children.ready {
        tracing::warn!("not ready: children.require_sandbox is set, and parts of the sandbox are missing");
    }
    let ready = database.ready && disk.ready && models.ready && children.ready;
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, database, disk, models, children }))
}

async fn database_answers(api: &ApiState) -> bool {
    match tokio::time::timeout(DATABASE_TIMEOUT, api.db.ping()).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn Error, "not ready: the database does not answer");
            false
        }
        Err(_) => {
            tracing::warn!("not ready: the database takes longer than two seconds");
            false
        }
    }
}
