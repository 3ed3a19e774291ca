//! `GET /console/health`: the figures of this process and its database over the last hour.

mod exposition;
mod history;
mod sampling;

pub(crate) use history::{HealthHistory, SAMPLE_INTERVAL_SECONDS};

use super::{OperatorListErrors, permissions::HealthView, request::ConsoleCall};
use crate::{ApiState, content_moderation::ModerationApiError};
use axum::{Json, extract::State};
use base::Timestamp;
use history::Series;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Figures over the last hour, of the process that answered. Other processes have figures of their own; those of jobs,
/// deliveries and stored files are of the database that they share.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Health)]
pub(super) struct HealthBody {
    /// Seconds between two samples.
    interval_seconds: u64,
    /// When the samples were taken (RFC 3339), the oldest first; a process that has just started has few.
    #[schema(value_type = Vec<String>, max_items = 240)]
    at: Vec<Timestamp>,
    #[schema(max_items = 300)]
    series: Vec<HealthSeries>,
}

/// A figure over time.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct HealthSeries {
    /// What it is: `requests`, `latency`, `jobs`, `oldest_due_job`, `deliveries`, `oldest_due_delivery`, `delivery_attempts`,
    /// `stored_files`, `inference_queued`, `inference_running`, `inference_done`, `database_connections_used`,
    /// `database_connections_limit`, `memory` (resident) or `cpu`.
    #[schema(example = "latency")]
    name: &'static str,
    /// What it is measured in: `per second`, `seconds`, `bytes`, `cores`, `jobs`, `messages`, `images` or `connections`.
    #[schema(example = "seconds")]
    unit: &'static str,
    /// What it is of: `interface`, `status` (`2xx` to `5xx`), `quantile` (of latencies: `0.5`, `0.95`, `0.99`), `lane`, `state`,
    /// `outcome`.
    labels: BTreeMap<&'static str, String>,
    /// One for each sample; null where the figure is not known, as that of latencies while nobody asks anything.
    #[schema(max_items = 240)]
    values: Vec<Option<f64>>,
}

impl From<Series> for HealthSeries {
    fn from(Series { key, values }: Series) -> Self {
        Self { name: key.name, unit: key.unit, labels: key.labels.into_iter().collect(), values }
    }
}

/// See how the server was in the last hour. Needs `health:view`.
#[utoipa::path(
    get, path = "/console/health", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The figures.", body = HealthBody), OperatorListErrors),
)]
pub(super) async fn get_health(
    State(api): State<ApiState>,
    _call: ConsoleCall<HealthView>,
) -> Result<Json<HealthBody>, ModerationApiError> {
    let (at, series) = api.console_resources.health.read();
    let series = series.into_iter().map(HealthSeries::from).collect();
    Ok(Json(HealthBody { interval_seconds: SAMPLE_INTERVAL_SECONDS, at, series }))
}
