//! `GET /metrics`: counters for Prometheus.

use crate::ApiState;
use axum::{
    extract::{FromRef, State},
    http::{HeaderName, header},
};
use db::Db;
use domain::{cases::CaseService, image_analysis::ImageAnalyser};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};

/// The type of a metric, for its `# TYPE` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// Every metric of every crate, with the text of its `# HELP` line. docs/LOGGING.md has the labels.
const METRICS: [(MetricKind, &str, &str); 36] = [
    (
        MetricKind::Counter,
        "assay_bodies_refused_total",
        "Requests refused because the bodies of all took as much memory as they may",
    ),
    (
        MetricKind::Counter,
        "assay_budgets_exhausted_total",
        "Codes and cards refused because a budget was used up, by limit",
    ),
    (
        MetricKind::Counter,
        "assay_connections_evicted_total",
        "Idle connections closed to make room for others",
    ),
    (
        MetricKind::Counter,
        "assay_deliveries_repeated_total",
        "Attempts at deliveries whose lease had run out; the receiver may have the message twice",
    ),
    (MetricKind::Counter, "assay_delivery_attempts_total", "Attempts at deliveries, by outcome"),
    (
        MetricKind::Counter,
        "assay_delivery_endpoints_closed_total",
        "Times that an endpoint began to be left alone",
    ),
    (
        MetricKind::Counter,
        "assay_forwarded_headers_ignored_total",
        "Requests whose header with the caller's address was ignored because locations.address_header is not set",
    ),
    (MetricKind::Counter, "assay_http_requests_total", "Requests answered, by route, status and error code"),
    (MetricKind::Counter, "assay_inference_done_total", "Images that the models have looked at"),
    (MetricKind::Counter, "assay_inference_panics_total", "Panics while a model looked at an image"),
    (
        MetricKind::Counter,
        "assay_inference_refused_total",
        "Images refused because the queue for the models was full",
    ),
    (MetricKind::Counter, "assay_job_panics_total", "Panics in jobs and deliveries"),
    (MetricKind::Counter, "assay_job_runs_total", "Runs of jobs, by kind and how they ended"),
    (MetricKind::Counter, "assay_live_outages_total", "Times that a live video was away and asked for again"),
    (MetricKind::Counter, "assay_mails_sent_total", "Mails handed to the mail server"),
    (MetricKind::Counter, "assay_moderations_total", "Moderations that ended, by type of content and state"),
    (MetricKind::Counter, "assay_image_analyses_total", "Images sent for analysis, by operation and device"),
    (
        MetricKind::Counter,
        "assay_transaction_attempts_total",
        "Attempts with a Session-Id, by their number in it",
    ),
    (MetricKind::Counter, "assay_page_faults_total", "Errors that a person's page has reported"),
    (MetricKind::Counter, "assay_panics_total", "Panics while a request was answered; should stay 0"),
    (
        MetricKind::Counter,
        "assay_proofs_total",
        "Proofs of age verified, by status and reason; a pending one counts again when it is decided",
    ),
    (
        MetricKind::Counter,
        "assay_request_log_lost_total",
        "Requests of applications that were not noted, because too many waited or the database failed",
    ),
    (MetricKind::Gauge, "assay_cases_open", "Cases that wait for a reviewer, or are worked on, by kind"),
    (MetricKind::Gauge, "assay_cases_overdue", "Cases that should have been decided by now, by kind"),
    (MetricKind::Gauge, "assay_deliveries_pending", "Deliveries that are not over, by state"),
    (MetricKind::Gauge, "assay_delivery_endpoints_closed", "Endpoints that are left alone now"),
    (
        MetricKind::Gauge,
        "assay_inference_busy_seconds_total",
        "Seconds that models have been looking at images",
    ),
    (MetricKind::Gauge, "assay_inference_queued", "Images that wait for a model"),
    (MetricKind::Gauge, "assay_inference_running", "Images that a model looks at now"),
    (MetricKind::Gauge, "assay_jobs", "Jobs in the queue, by kind and state"),
    (MetricKind::Gauge, "assay_model_info", "1 for each loaded model, with its task, id and digest"),
    (MetricKind::Gauge, "assay_models_ready", "Whether the models are loaded: 1 or 0"),
    (MetricKind::Histogram, "assay_delivery_attempt_seconds", "Time that attempts at deliveries took"),
    (
        MetricKind::Histogram,
        "assay_delivery_lag_seconds",
        "Time from a message's queueing to its first attempt",
    ),
    (MetricKind::Histogram, "assay_http_request_seconds", "Time that answers took, by route"),
    (MetricKind::Histogram, "assay_job_seconds", "Time that runs of jobs took, by kind"),
];

/// Counters that have no labels, and so one series each.
const COUNTERS_WITHOUT_LABELS: [&str; 14] = [
    "assay_bodies_refused_total",
    "assay_connections_evicted_total",
    "assay_deliveries_repeated_total",
    "assay_delivery_endpoints_closed_total",
    "assay_forwarded_headers_ignored_total",
    "assay_inference_done_total",
    "assay_inference_panics_total",
    "assay_inference_refused_total",
    "assay_job_panics_total",
    "assay_live_outages_total",
    "assay_mails_sent_total",
    "assay_page_faults_total",
    "assay_panics_total",
    "assay_request_log_lost_total",
];

/// Registers the help text of each metric with the process's recorder, and begins the counters without labels at 0: Prometheus
/// sees no increase in one that appears as 1, and nothing in a sum of one that is not there.
fn register_metrics() {
    for (kind, name, help) in METRICS {
        match kind {
            MetricKind::Counter => metrics::describe_counter!(name, help),
            MetricKind::Gauge => metrics::describe_gauge!(name, help),
            MetricKind::Histogram => metrics::describe_histogram!(name, help),
        }
    }
    for name in COUNTERS_WITHOUT_LABELS {
        metrics::counter!(name).increment(0);
    }
}

/// The process's metrics, installed once.
#[derive(Clone)]
pub struct MetricsRecorder(Option<PrometheusHandle>);

impl std::fmt::Debug for MetricsRecorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

impl MetricsRecorder {
    /// Installs the process's recorder.
    pub fn install() -> Result<Self, BuildError> {
        // Latencies as histograms with buckets, so that several nodes' figures can be added up.
        let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
        let handle = PrometheusBuilder::new().set_buckets(&seconds)?.install_recorder()?;
        register_metrics();
        Ok(Self(Some(handle)))
    }

    /// Records nothing; for tests that run several servers in one process.
    pub fn disabled() -> Self {
        Self(None)
    }

    /// The metrics as text; nothing if none are recorded.
    pub(crate) fn render(&self) -> String {
        self.0.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Moves recorded values into the histograms; to be called every few seconds.
    pub fn run_upkeep(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

/// Where metrics come from.
#[derive(Clone, Debug)]
pub(super) struct MetricsSource {
    pub(super) recorder: MetricsRecorder,
    pub(super) image_analyser: ImageAnalyser,
    /// The cases and where they are; `None` while the server starts.
    pub(super) cases: Option<(Db, CaseService)>,
}

impl FromRef<ApiState> for MetricsSource {
    fn from_ref(api: &ApiState) -> Self {
        Self {
            recorder: api.metrics.clone(),
            image_analyser: api.image_analyser.clone(),
            cases: Some((api.db.clone(), api.cases.clone())),
        }
    }
}

pub(super) async fn scrape(State(source): State<MetricsSource>) -> ([(HeaderName, &'static str); 1], String) {
    source.image_analyser.report_metrics();
    // Figures of the database are left as they were if it does not answer: the others are needed then.
    if let Some((db, cases)) = &source.cases
        && let Ok(mut view) = db.read().await
        && let Err(error) = cases.report_metrics(&mut view).await
    {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(error, "cases were not counted");
    }
    let text = source.recorder.render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::SystemEnvironment;
    use db::{sql, testing::TestDb};
    use domain::data_keys::rotation::RetireMasterKey;
    use std::{collections::BTreeSet, fs, path::Path};

    /// The macros that record, and what they make of a name.
    const MACROS: [(&str, MetricKind); 3] = [
        ("counter!(\"", MetricKind::Counter),
        ("gauge!(\"", MetricKind::Gauge),
        ("histogram!(\"", MetricKind::Histogram),
    ];

    /// Passes on the text of each file of every crate.
    fn read_sources(each: &mut dyn FnMut(&str)) {
        for part in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap() {
            read_folder(&part.unwrap().path().join("src"), each);
        }
    }

    fn read_folder(folder: &Path, each: &mut dyn FnMut(&str)) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_folder(&path, each);
            } else if path.extension().is_some_and(|end| end == "rs") {
                each(&fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn every_metric_has_help_and_nothing_else_has() {
        let mut found = Vec::new();
        read_sources(&mut |text| {
            for (words, kind) in MACROS {
                let names = text.split(words).skip(1).filter_map(|rest| rest.split('"').next());
                found.extend(
                    names.filter(|name| name.starts_with("assay_")).map(|name| (kind, name.to_owned())),
                );
            }
        });
        found.sort_by(|(_, one), (_, other)| one.cmp(other));
        found.dedup();
        let mut described: Vec<_> = METRICS.map(|(kind, name, _)| (kind, name.to_owned())).into();
        described.sort_by(|(_, one), (_, other)| one.cmp(other));
        assert_eq!(found, described);

        let recorder = PrometheusBuilder::new().build_recorder();
        let text = metrics::with_local_recorder(&recorder, || {
            register_metrics();
            for (kind, name, _) in METRICS {
                match kind {
                    MetricKind::Counter => metrics::counter!(name).increment(1),
                    MetricKind::Gauge => metrics::gauge!(name).set(1.0),
                    MetricKind::Histogram => metrics::histogram!(name).record(1.0),
                }
            }
            recorder.handle().render()
        });
        for (_, name, help) in METRICS {
            assert!(text.contains(&format!("# HELP {name} {help}\n# TYPE {name} ")), "{name}: {text}");
        }
    }

    #[test]
    fn counters_without_labels_begin_at_0_and_those_of_alerts_are_among_them() {
        let mut found = BTreeSet::new();
        read_sources(&mut |text| {
            let calls = text.split("counter!(\"").skip(1).filter_map(|rest| rest.split_once('"'));
            let unlabelled = calls.filter(|(_, rest)| rest.starts_with(')')).map(|(name, _)| name);
            found.extend(unlabelled.filter(|name| name.starts_with("assay_")).map(str::to_owned));
        });
        assert!(found.iter().eq(COUNTERS_WITHOUT_LABELS), "{found:?}");

        let recorder = PrometheusBuilder::new().build_recorder();
        let text = metrics::with_local_recorder(&recorder, || {
            register_metrics();
            recorder.handle().render()
        });
        let watched: Vec<_> = named(&monitoring("alerts.yml")).intersection(&found).cloned().collect();
        assert!(watched.len() >= 6, "{watched:?}");
        for name in watched {
            assert!(text.lines().any(|line| line == format!("{name} 0")), "{name}: {text}");
        }
    }

    /// Otherwise the alert on parked jobs would go on until the restart.
    #[tokio::test]
    async fn jobs_that_are_gone_are_no_longer_counted() {
        let test = TestDb::open().await;
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let counted = async |state: &str| {
            jobs::report_metrics(&test.db).await.unwrap();
            let text = recorder.handle().render();
            let name = format!("assay_jobs{{kind=\"retire-master-key\",state=\"{state}\"}} ");
            text.lines().find_map(|line| line.strip_prefix(&*name)?.parse::<u32>().ok())
        };
        let mut tx = test.db.write().await.unwrap();
        jobs::enqueue(&mut tx, jobs::NewJob::new(&SystemEnvironment, &RetireMasterKey {})).await.unwrap();
        tx.execute(sql!("UPDATE jobs SET state = 'PARKED'")).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!((counted("PARKED").await, counted("WAITING").await), (Some(1), None));
        for (step, expected) in [
            (sql!("UPDATE jobs SET state = 'WAITING'"), (Some(0), Some(1))),
            (sql!("DELETE FROM jobs"), (Some(0), Some(0))),
        ] {
            let mut tx = test.db.write().await.unwrap();
            tx.execute(step).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!((counted("PARKED").await, counted("WAITING").await), expected);
        }
    }

    /// The metrics that a text names, without what Prometheus adds to the names of histograms.
    fn named(text: &str) -> BTreeSet<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = text.split(|c| !is_part(c)).filter(|word| word.starts_with("assay_"));
        words.map(|word| word.strip_suffix("_bucket").unwrap_or(word).to_owned()).collect()
    }

    /// A file of the folder `monitoring`.
    fn monitoring(name: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../monitoring").join(name)).unwrap()
    }

    #[test]
    fn the_dashboard_shows_every_metric_and_alerts_name_no_other() {
        let dashboard = monitoring("grafana-dashboard.json");
        let _: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
        let known: BTreeSet<String> = METRICS.iter().map(|(_, name, _)| (*name).to_owned()).collect();
        assert_eq!(named(&dashboard), known);
        let alerts = named(&monitoring("alerts.yml"));
        assert!(alerts.len() >= 8 && alerts.is_subset(&known), "{alerts:?}");
    }
}
