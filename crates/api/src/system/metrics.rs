//! `GET /metrics`: counters for Prometheus.

use crate::Api;
use axum::{
    extract::State,
    http::{HeaderName, header},
};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};

/// The process's metrics, installed once.
#[derive(Clone)]
pub struct Metrics(Option<PrometheusHandle>);

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// Becomes the process's recorder.
    pub fn install() -> Result<Self, BuildError> {
        // Latencies as histograms with buckets, so that several nodes' figures can be added up.
        let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
        let handle = PrometheusBuilder::new().set_buckets(&seconds)?.install_recorder()?;
        Ok(Self(Some(handle)))
    }

    /// Records nothing; for tests that run several servers in one process.
    pub fn none() -> Self {
        Self(None)
    }

    /// Folds what was recorded into the histograms; to be called every few seconds.
    pub fn upkeep(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

pub(super) async fn scrape(State(api): State<Api>) -> ([(HeaderName, &'static str); 1], String) {
    api.estimator.report();
    let text = api.metrics.0.as_ref().map(PrometheusHandle::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
