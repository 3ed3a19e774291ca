//! Taking samples: from the metrics of this process, from the database, and from the operating system.

use super::{
    exposition::{self, MetricSample},
    history::{OrderedBound, Reading, SeriesKey},
};
use crate::ApiState;
use db::DbError;
use domain::{cases::OpenCaseFigures, delivery, tenancy::limits};
use std::time::Duration;

/// How long the database may take for its figures.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(5);
/// Clock ticks of a second, as `/proc` counts them for every program (`USER_HZ`).
const TICKS_PER_SECOND: f64 = 100.0;

impl ApiState {
    /// Takes a sample of the figures that `/console/health` shows; to be called every [`super::SAMPLE_INTERVAL_SECONDS`].
    pub async fn record_health(&self) {
        self.image_analyser.report_metrics();
        let mut reading = Reading::default();
        for sample in exposition::parse(&self.metrics.render()) {
            read_metric(&mut reading, &sample);
        }
        let usage = self.db.pool_usage();
        reading
            .gauges
            .insert(SeriesKey::new("database_connections_used", "connections"), usage.in_use.into());
        reading
            .gauges
            .insert(SeriesKey::new("database_connections_limit", "connections"), usage.limit.into());
        if let Ok(free) = self.data_disk.free_bytes() {
            reading.gauges.insert(SeriesKey::new("disk_free", "bytes"), free as f64);
        }
        read_process(&mut reading);
        match tokio::time::timeout(DATABASE_TIMEOUT, self.read_database(&mut reading)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the sample of this moment has no figures of the database");
            }
            Err(_) => tracing::warn!("the database took too long for its figures of this moment"),
        }
        self.console_resources.health.record(self.environment.now(), reading);
    }

    async fn read_database(&self, reading: &mut Reading) -> Result<(), DbError> {
        let now = self.environment.now();
        let mut view = self.db.read().await?;
        let mut set = |key: SeriesKey, value: f64| reading.gauges.insert(key, value);
        for figures in jobs::lane_figures(&mut view, now).await? {
            let lane = figures.lane.as_str();
            let jobs = |state: &str| SeriesKey::new("jobs", "jobs").with("lane", lane).with("state", state);
            set(jobs("due"), figures.due as f64);
            set(jobs("running"), figures.running as f64);
            set(jobs("parked"), figures.parked as f64);
            let age = figures.oldest_due_at.map_or(0.0, |since| now.duration_since(since).as_secs_f64());
            set(SeriesKey::new("oldest_due_job", "seconds").with("lane", lane), age);
        }
        let queue = delivery::queue_figures(&mut view, now).await?;
        for (state, number) in [("waiting", queue.waiting), ("running", queue.running)] {
            set(SeriesKey::new("deliveries", "messages").with("state", state), number as f64);
        }
        let age = queue.oldest_due_at.map_or(0.0, |since| now.duration_since(since).as_secs_f64());
        set(SeriesKey::new("oldest_due_delivery", "seconds"), age);
        for OpenCaseFigures { kind, open, overdue } in self.cases.open_figures(&mut view).await? {
            let cases =
                |state: &str| SeriesKey::new("cases", "cases").with("kind", kind).with("state", state);
            set(cases("open"), open as f64);
            set(cases("overdue"), overdue as f64);
        }
        set(SeriesKey::new("stored_files", "bytes"), limits::total_stored_bytes(&mut view).await? as f64);
        Ok(())
    }
}

fn read_metric(reading: &mut Reading, sample: &MetricSample<'_>) {
    let interface = || interface_of(sample.label("route"));
    match sample.name {
        "assay_http_requests_total" => {
            let class = sample.label("status").chars().next().map(|digit| format!("{digit}xx"));
            let key = SeriesKey::new("requests", "per second").with("interface", interface());
            let key = key.with("status", class.unwrap_or_default());
            *reading.counters.entry(key).or_default() += sample.value;
        }
        "assay_http_request_seconds_bucket" => {
            let bound = sample.label("le");
            let bound = if bound == "+Inf" { Ok(f64::INFINITY) } else { bound.parse() };
            let key = SeriesKey::new("latency", "seconds").with("interface", interface());
            if let Ok(bound) = bound {
                let buckets = reading.histograms.entry(key).or_default();
                *buckets.entry(OrderedBound(bound)).or_default() += sample.value;
            }
        }
        "assay_delivery_attempts_total" => {
            let key = SeriesKey::new("delivery_attempts", "per second");
            *reading.counters.entry(key.with("outcome", sample.label("outcome"))).or_default() +=
                sample.value;
        }
        "assay_inference_done_total" => {
            reading.counters.insert(SeriesKey::new("inference_done", "per second"), sample.value);
        }
        "assay_inference_queued" => {
            reading.gauges.insert(SeriesKey::new("inference_queued", "images"), sample.value);
        }
        "assay_inference_running" => {
            reading.gauges.insert(SeriesKey::new("inference_running", "images"), sample.value);
        }
        _ => {}
    }
}

/// The interface that a route belongs to, named as its OpenAPI document is.
fn interface_of(route: &str) -> &'static str {
    let route = route.strip_prefix("/sandbox").unwrap_or(route);
    let mounts = [
        ("/accounts", "moderation"),
        ("/ai/", "ai"),
        ("/poa", "proof"),
        ("/idverify", "identity"),
        ("/api/v1", "ages"),
        ("/age/v1", "ages"),
        ("/console", "console"),
        ("/v1/oauth", "oauth"),
    ];
    mounts.into_iter().find(|(mount, _)| route.starts_with(mount)).map_or("other", |(_, name)| name)
}

/// Memory and processor time of this process, where the operating system says so.
fn read_process(reading: &mut Reading) {
    if let Some(bytes) = std::fs::read_to_string("/proc/self/status").ok().as_deref().and_then(resident_bytes)
    {
        reading.gauges.insert(SeriesKey::new("memory", "bytes"), bytes);
    }
    if let Some(seconds) = std::fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(cpu_seconds) {
        reading.counters.insert(SeriesKey::new("cpu", "cores"), seconds);
    }
}

/// The resident memory in a text of `/proc/self/status`.
fn resident_bytes(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// The processor time in a text of `/proc/self/stat`: of the program and of the system for it.
fn cpu_seconds(stat: &str) -> Option<f64> {
    // The name of the program, in parentheses, may have blanks and parentheses itself.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_of_the_process_is_read() {
        assert_eq!(resident_bytes("Name:\tassay\nVmRSS:\t    2048 kB\n"), Some(2_097_152.0));
        assert_eq!(resident_bytes("Name:\tassay\n"), None);
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1 0";
        assert_eq!(cpu_seconds(stat), Some(2.0));
        assert_eq!(cpu_seconds("7"), None);
        let mut reading = Reading::default();
        read_process(&mut reading);
        if cfg!(target_os = "linux") {
            assert!(reading.gauges.values().all(|bytes| *bytes > 1e6) && reading.gauges.len() == 1);
            assert_eq!(reading.counters.len(), 1);
        }
    }

    #[test]
    fn routes_belong_to_interfaces_and_are_added_up() {
        let text = "assay_http_requests_total{route=\"/accounts/{accountId}\",status=\"200\",code=\"\"} 3\n\
            assay_http_requests_total{route=\"/accounts\",status=\"201\",code=\"\"} 4\n\
            assay_http_requests_total{route=\"/sandbox/idverify/v1/sessions\",status=\"503\",code=\"X\"} 1\n\
            assay_http_request_seconds_bucket{route=\"/poa/v1/verify\",le=\"0.1\"} 2\n\
            assay_http_request_seconds_bucket{route=\"/poa/v1/verify\",le=\"+Inf\"} 5\n\
            assay_inference_queued 6\n";
        let mut reading = Reading::default();
        exposition::parse(text).for_each(|sample| read_metric(&mut reading, &sample));
        let counted: Vec<_> = reading
            .counters
            .iter()
            .map(|(key, value)| (key.labels[0].1.as_str(), key.labels[1].1.as_str(), *value))
            .collect();
        assert_eq!(counted, [("identity", "5xx", 1.0), ("moderation", "2xx", 7.0)]);
        let (key, buckets) = reading.histograms.first_key_value().unwrap();
        assert_eq!(
            (key.labels[0].1.as_str(), buckets.values().copied().collect::<Vec<_>>()),
            ("proof", vec![2.0, 5.0])
        );
        assert_eq!(reading.gauges.len(), 1);
    }
}
