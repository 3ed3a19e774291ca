//! `GET /readyz`: whether requests can be served, and what is missing if not.

use super::startup::{StartupState, StartupStatus};
use crate::ApiState;
use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use db::{Db, SchemaStatus};
use domain::image_analysis::ImageAnalyser;
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

/// What tells whether this server is ready; there before anything else is.
#[derive(Clone, Debug)]
pub struct ReadinessProbe {
    /// The database.
    pub db: Db,
    /// The models.
    pub image_analyser: ImageAnalyser,
    /// The disk that needs free space.
    pub data_disk: DataDisk,
    /// How far the start is.
    pub startup: StartupStatus,
}

impl FromRef<ApiState> for ReadinessProbe {
    fn from_ref(api: &ApiState) -> Self {
        Self {
            db: api.db.clone(),
            image_analyser: api.image_analyser.clone(),
            data_disk: api.data_disk.clone(),
            startup: api.startup.clone(),
        }
    }
}

/// Whether requests can be served, and each part that is needed for it.
#[derive(Serialize)]
pub(super) struct Readiness {
    /// Whether all parts are ready.
    ready: bool,
    database: DatabaseReadiness,
    schema: SchemaReadiness,
    master_key: MasterKeyReadiness,
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

/// Whether this build and the database fit together. A schema's number is that of its last migration.
#[derive(Serialize)]
struct SchemaReadiness {
    ready: bool,
    /// The schema that this build knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<i64>,
    /// The schema of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<i64>,
}

/// Whether the master key is the one that the database needs.
#[derive(Serialize)]
struct MasterKeyReadiness {
    ready: bool,
    /// What to do if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
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

/// What to do where only the log and a command may say more.
const DOCTOR_HINT: &str = "run `assay doctor` on the server";

/// 200 if models and database answer, build, schema and master key fit together and the disk has room; 503 otherwise. The
/// body names each part. Causes are only in the log and in `assay doctor`, because this endpoint is public.
pub(super) async fn readyz(State(probe): State<ReadinessProbe>) -> (StatusCode, Json<Readiness>) {
    let status = read_schema_status(&probe.db).await;
    let database = DatabaseReadiness {
        ready: status.is_some(),
        engine: format!("{:?}", probe.db.engine()).to_lowercase(),
    };
    let schema = SchemaReadiness {
        ready: status.is_some_and(|status| status.is_usable()),
        build: status.map(|status| status.build),
        database: status.map(|status| status.database),
    };
    let startup = probe.startup.get();
    let master_key = MasterKeyReadiness {
        ready: startup == StartupState::Ready,
        hint: (startup == StartupState::MasterKeyRefused).then_some(DOCTOR_HINT),
    };
    let disk = DiskReadiness { ready: probe.data_disk.has_room() };
    let models = match probe.image_analyser.models() {
        Ok(models) => ModelReadiness { ready: true, loaded: Some(models), hint: None },
        Err(error) => {
            tracing::warn!(error = &error as &dyn Error, "not ready: no models");
            ModelReadiness { ready: false, loaded: None, hint: Some(DOCTOR_HINT) }
        }
    };
    let children = ChildReadiness { ready: !media::sandbox::refuses_children() };
    if !children.ready {
        tracing::warn!("not ready: children.require_sandbox is set, and parts of the sandbox are missing");
    }
    let ready =
        database.ready && schema.ready && master_key.ready && disk.ready && models.ready && children.ready;
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, database, schema, master_key, disk, models, children }))
}

/// The schema of the database; `None` if it does not answer.
async fn read_schema_status(db: &Db) -> Option<SchemaStatus> {
    match tokio::time::timeout(DATABASE_TIMEOUT, db.schema_status()).await {
        Ok(Ok(status)) => Some(status),
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn Error, "not ready: the database does not answer");
            None
        }
        Err(_) => {
            tracing::warn!("not ready: the database takes longer than two seconds");
            None
        }
    }
}
