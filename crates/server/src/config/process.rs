//! The sections of the process itself: the HTTP server, the brand, decision records, leases, logs.

use api::Origin;
use base::SignedDuration;
use serde::{Deserialize, Serialize};
use std::{net::SocketAddr, time::Duration};

/// The HTTP server; the section `[server]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerConfig {
    /// Where callers reach this server; generated links start with it. `None`: `http://` and the listen address.
    pub(crate) public_url: Option<String>,
    /// The largest request body of image analysis, bytes.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub(crate) body_bytes: usize,
    /// How long a request's headers may take to arrive, and then its body, and how long a caller may take nothing of the
    /// answer until the connection counts as idle; written in seconds.
    #[serde(rename = "read_timeout_seconds", with = "base::settings::seconds")]
    pub(crate) read_timeout: Duration,
    /// Open connections, 1 to a million. For a further one the longest idle one is closed; if none is idle, it waits.
    #[serde(deserialize_with = "base::settings::number_of_connections")]
    pub(crate) connections: usize,
    /// How long a connection may stay open that is idle, once it has had a request; written in seconds.
    #[serde(rename = "idle_seconds", with = "base::settings::seconds")]
    pub(crate) idle_timeout: Duration,
    /// What the bodies of all requests may take of memory together, bytes; further ones are answered 503.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub(crate) body_memory_bytes: usize,
    /// Where metrics, readiness, reference and OpenAPI documents are served instead of the public address. `None`: there.
    pub(crate) admin_listen: Option<SocketAddr>,
    /// Origins whose pages may show the hosted pages in a frame, besides those that a session names.
    pub(crate) frame_origins: Vec<Origin>,
    /// Free disk space below which the server reports that it is not ready, bytes.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub(crate) min_free_bytes: u64,
}

impl Default for ServerConfig {
    fn default() -> Self {
        let api = api::ApiSettings::default();
        Self {
            public_url: None,
            body_bytes: api.max_image_body_bytes,
            read_timeout: api.body_timeout,
            connections: 4096,
            idle_timeout: Duration::from_mins(1),
            body_memory_bytes: 256 << 20,
            admin_listen: None,
            frame_origins: Vec::new(),
            min_free_bytes: 64 << 20,
        }
    }
}

/// The section `[wire]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireConfig {
    /// The word in `X-Svc-*` headers and error codes.
    pub(crate) brand: String,
}

impl Default for WireConfig {
    fn default() -> Self {
        Self { brand: "Svc".to_owned() }
    }
}

/// The section `[audit]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AuditConfig {
    /// Whether a signed record of each decision is kept, without the image.
    pub(crate) decisions: OnOff,
    /// How long the audit trail is kept: who did what; written in days.
    #[serde(rename = "keep_days", with = "base::settings::days")]
    pub(crate) retention: SignedDuration,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { decisions: OnOff::default(), retention: SignedDuration::from_hours(24 * 400) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnOff {
    On,
    #[default]
    Off,
}

impl AuditConfig {
    pub(crate) fn keeps_decisions(&self) -> bool {
        self.decisions == OnOff::On
    }
}

/// The section `[jobs]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct JobsConfig {
    /// How long jobs and deliveries are leased at a time; written in seconds, at least 1. What a process was doing when it
    /// died is taken over by another after this time.
    #[serde(rename = "lease_seconds", with = "base::settings::positive_seconds")]
    pub(crate) lease: SignedDuration,
}

impl Default for JobsConfig {
    fn default() -> Self {
        Self { lease: SignedDuration::from_mins(1) }
    }
}

/// The section `[log]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogConfig {
    /// `text` for people, `json` for machines.
    pub(crate) format: LogFormat,
    /// What is logged, in the syntax of `tracing`: `info`, `warn,api=debug`, …
    pub(crate) filter: String,
    /// The collector that spans are sent to, by OTLP as protobuf over HTTP: `http://127.0.0.1:4318`, to which `/v1/traces`
    /// is added. Default: none, and no spans are collected.
    pub(crate) otlp_endpoint: Option<String>,
    /// What this server is called in traces (`service.name`).
    pub(crate) service_name: String,
    /// The share of traces that is exported, 0 to 1, where the caller of a request has not decided it in `traceparent`.
    pub(crate) sampling_ratio: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            filter: "info".to_owned(),
            otlp_endpoint: None,
            service_name: "assay".to_owned(),
            sampling_ratio: 1.0,
        }
    }
}
