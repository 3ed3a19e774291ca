//! The log, one line for each fact, and the export of spans by OpenTelemetry. docs/LOGGING.md says what neither may contain.

use crate::{
    config::{LogConfig, LogFormat},
    panics,
};
use anyhow::Context as _;
use axum::{
    Router,
    extract::Request as ServedRequest,
    middleware::{self, Next},
    response::Response as ServedResponse,
};
use opentelemetry::{
    Context, KeyValue, Value,
    propagation::TextMapPropagator as _,
    trace::{SpanKind, Status, TracerProvider as _},
};
use opentelemetry_http::{Bytes, HeaderExtractor, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{
    Protocol, SpanExporter as OtlpExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider, SpanData, SpanExporter},
};
use std::{
    io::IsTerminal as _,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Layer, fmt, layer::SubscriberExt as _, registry::LookupSpan, util::SubscriberInitExt as _,
};

/// sqlx would log each statement; ours carry no values, but a thousand lines a second help nobody.
const QUIET_CRATES: &str = "sqlx=warn,ort=warn,hyper=warn";
/// How long the collector may take to accept spans. Meanwhile up to 2048 spans wait; further ones are dropped.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a stop waits for the last spans to be sent.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// What is read of the collector's answer.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// The process's log, and the export of its spans where that is set up.
#[derive(Debug)]
pub(crate) struct Telemetry {
    spans: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Installs both for the process; call it inside of the runtime.
    pub(crate) fn install(log: &LogConfig) -> anyhow::Result<Self> {
        let filter = filter(log)?;
        let spans = tracer_provider(log)?;
        let registry = tracing_subscriber::registry();
        match &spans {
            // The filter of the whole subscriber, which costs less than one of a layer.
            None => registry.with(filter).with(log_layer(log.format)).try_init(),
            Some(provider) => {
                let exported = tracing_opentelemetry::layer()
                    .with_tracer(provider.tracer(env!("CARGO_PKG_NAME")))
                    .with_location(false)
                    .with_threads(false)
                    .with_target(false)
                    .with_tracked_inactivity(false)
                    .with_error_records_to_exceptions(false)
                    .with_context_activation(false)
                    .with_filter(EnvFilter::new(format!("info,{QUIET_CRATES}")));
                registry.with(log_layer(log.format).with_filter(filter)).with(exported).try_init()
            }
        }
        .map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))?;
        panics::report_in_log();
        Ok(Self { spans })
    }

    /// Makes the spans of requests children of the span that the caller names in `traceparent` (W3C Trace Context).
    pub(crate) fn continue_traces(&self, router: Router) -> Router {
        if self.spans.is_some() { router.layer(middleware::from_fn(continue_trace)) } else { router }
    }

    /// Sends the spans that still wait.
    pub(crate) async fn shut_down(self) {
        let Some(spans) = self.spans else { return };
        let sent = tokio::task::spawn_blocking(move || spans.shutdown_with_timeout(SHUTDOWN_TIMEOUT)).await;
        if let Ok(Err(error)) = sent {
            tracing::warn!(error = &error as &dyn std::error::Error, "the last spans could not be exported");
        }
    }
}

/// Fails for settings with which no process starts; installs nothing.
pub(crate) fn check_settings(log: &LogConfig) -> anyhow::Result<()> {
    filter(log)?;
    collector_url(log)?;
    Ok(())
}

/// What is logged.
fn filter(log: &LogConfig) -> anyhow::Result<EnvFilter> {
    EnvFilter::try_new(format!("{},{QUIET_CRATES}", log.filter))
        .with_context(|| format!("log.filter {:?} is not understood", log.filter))
}

fn log_layer<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    // Colours are for terminals; a file or a journal would keep their codes.
    let lines = fmt::layer()
        .with_target(false)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    }
}

async fn continue_trace(request: ServedRequest, next: Next) -> ServedResponse {
    let headers = HeaderExtractor(request.headers());
    let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
    opentelemetry::trace::FutureExt::with_context(next.run(request), caller).await
}

/// Where spans are sent; `None` unless the operator has named a collector.
fn collector_url(log: &LogConfig) -> anyhow::Result<Option<String>> {
    let Some(endpoint) = &log.otlp_endpoint else { return Ok(None) };
    let ratio = log.sampling_ratio;
    anyhow::ensure!((0.0..=1.0).contains(&ratio), "log.sampling_ratio: {ratio} is not from 0 to 1");
    traces_url(endpoint).map(Some)
}

/// What collects spans and sends them; `None` without a collector.
fn tracer_provider(log: &LogConfig) -> anyhow::Result<Option<SdkTracerProvider>> {
    let Some(url) = collector_url(log)? else { return Ok(None) };
    let exporter = OtlpExporter::builder()
        .with_http()
        .with_http_client(CollectorClient::new()?)
        .with_endpoint(url)
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(EXPORT_TIMEOUT)
        .build()
        .context("spans cannot be exported to log.otlp_endpoint")?;
    let resource = Resource::builder()
        .with_service_name(log.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    // If the caller has decided whether its trace is recorded, that counts; the ratio is for all others.
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(log.sampling_ratio)));
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(ConventionalExporter(exporter))
        .with_sampler(sampler)
        .with_resource(resource)
        .build();
    Ok(Some(provider))
}

/// Where a collector takes traces.
fn traces_url(endpoint: &str) -> anyhow::Result<String> {
    // Without the value: it could hold a password.
    let wrong = "log.otlp_endpoint is not the address of a collector, such as http://127.0.0.1:4318";
    let url = reqwest::Url::parse(endpoint).context(wrong)?;
    let is_base =
        matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    anyhow::ensure!(is_base, wrong);
    anyhow::ensure!(
        url.username().is_empty() && url.password().is_none(),
        "log.otlp_endpoint holds a name or a password; give the collector's credentials in the environment, as \
         OTEL_EXPORTER_OTLP_HEADERS"
    );
    Ok(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
}

/// Posts spans to the collector. That is an address of the operator's own, so it is called directly, as the mail server is.
#[derive(Debug)]
struct CollectorClient {
    client: reqwest::Client,
    runtime: Handle,
    /// Whether the last call failed: an outage is logged once.
    is_failing: AtomicBool,
}

impl CollectorClient {
    fn new() -> anyhow::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "calls the operator's collector, which no caller names"
        )]
        let builder = reqwest::Client::builder();
        let client = builder.timeout(EXPORT_TIMEOUT).redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { client, runtime: Handle::current(), is_failing: AtomicBool::new(false) })
    }

    fn log_outage(&self, sent: &Result<Response<Bytes>, HttpError>) {
        let failed = !sent.as_ref().is_ok_and(|answer| answer.status().is_success());
        let was_failing = self.is_failing.swap(failed, Ordering::Relaxed);
        match sent {
            _ if failed == was_failing => {}
            Ok(_) if !failed => tracing::info!("spans are exported again"),
            Ok(answer) => tracing::warn!(
                http.status = answer.status().as_u16(),
                "spans cannot be exported; they are dropped while that lasts"
            ),
            Err(error) => {
                let error: &(dyn std::error::Error + 'static) = error.as_ref();
                tracing::warn!(error, "spans cannot be exported; they are dropped while that lasts");
            }
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        // The exporter has a thread of its own that knows no reactor, so the call is made on the server's runtime.
        let called = self.runtime.spawn(post(self.client.clone(), request)).await;
        let sent = called.unwrap_or_else(|stopped| Err(stopped.into()));
        self.log_outage(&sent);
        sent
    }
}

async fn post(client: reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request.try_into()?).await?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER_BYTES {
            return Err("the collector's answer has more than 64 KiB".into());
        }
    }
    let mut response = Response::new(body.into());
    *response.status_mut() = answer.status();
    *response.headers_mut() = std::mem::take(answer.headers_mut());
    Ok(response)
}

/// Gives spans the names, kinds and attributes of OpenTelemetry's semantic conventions before they are exported, so that the
/// log can keep its own, and nothing of it is done while a request is answered.
#[derive(Debug)]
struct ConventionalExporter<E>(E);

impl<E: SpanExporter> SpanExporter for ConventionalExporter<E> {
    fn export(&self, mut batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        batch.iter_mut().for_each(apply_conventions);
        self.0.export(batch)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.0.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

fn apply_conventions(span: &mut SpanData) {
    match &*span.name {
        "request" => {
            span.span_kind = SpanKind::Server;
            // What the log says in its line is an attribute of the span.
            if let Some(at) = span.events.events.iter().position(|event| event.name == "answered") {
                let answered = span.events.events.remove(at);
                let of_request =
                    |said: &KeyValue| !["level", "target", "took.ms"].contains(&said.key.as_str());
                span.attributes.extend(answered.attributes.into_iter().filter(of_request));
            }
            span.attributes.iter_mut().for_each(rename);
            let method = text_of(span, "http.request.method").unwrap_or_default();
            let name = match text_of(span, "http.route") {
                Some(route) if route != "unmatched" => format!("{method} {route}"),
                _ => method.to_owned(),
            };
            if matches!(value_of(span, "http.response.status_code"), Some(Value::I64(500..))) {
                mark_failed(span);
            }
            span.name = name.into();
        }
        "job" => {
            span.span_kind = SpanKind::Consumer;
            let name = format!("job {}", text_of(span, "job.kind").unwrap_or_default());
            if matches!(text_of(span, "job.ended"), Some("failed" | "parked")) {
                mark_failed(span);
            }
            span.name = name.into();
        }
        "delivery" => {
            span.span_kind = SpanKind::Client;
            span.attributes.iter_mut().for_each(rename);
            if text_of(span, "outcome") != Some("delivered") {
                mark_failed(span);
            }
        }
        _ => {}
    }
}

/// Renames an attribute to what the conventions call it.
fn rename(attribute: &mut KeyValue) {
    let key = match attribute.key.as_str() {
        "http.method" => "http.request.method",
        "http.status" => "http.response.status_code",
        "error.code" => "error.type",
        _ => return,
    };
    attribute.key = key.into();
    // The layer writes unsigned numbers as texts.
    if let Value::String(text) = &attribute.value
        && key == "http.response.status_code"
        && let Ok(status) = text.as_str().parse()
    {
        attribute.value = Value::I64(status);
    }
}

fn value_of<'a>(span: &'a SpanData, key: &str) -> Option<&'a Value> {
    span.attributes.iter().find(|attribute| attribute.key.as_str() == key).map(|found| &found.value)
}

fn text_of<'a>(span: &'a SpanData, key: &str) -> Option<&'a str> {
    match value_of(span, key)? {
        Value::String(text) => Some(text.as_str()),
        _ => None,
    }
}

fn mark_failed(span: &mut SpanData) {
    if span.status == Status::Unset {
        span.status = Status::error("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::{Delimiter, TokenStream, TokenTree};
    use std::{fs, path::Path};

    /// The macros of `tracing` that write a line.
    const MACROS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

    /// Every line that a source logs with a value inside of its message, and how many lines it logs.
    fn interpolated(code: TokenStream, wrong: &mut Vec<String>) -> usize {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let mut lines = 0;
        for (index, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let before = |steps: usize| index.checked_sub(steps).map(|at| tokens[at].to_string());
            let is_line = group.delimiter() == Delimiter::Parenthesis
                && before(1).as_deref() == Some("!")
                && before(2).is_some_and(|name| MACROS.contains(&name.as_str()));
            if is_line {
                lines += 1;
                for part in group.stream() {
                    if let TokenTree::Literal(text) = part
                        && text.to_string().contains('{')
                    {
                        wrong.push(format!("{}: {text}", text.span().start().line));
                    }
                }
            }
            lines += interpolated(group.stream(), wrong);
        }
        lines
    }

    fn scan(folder: &Path, wrong: &mut Vec<String>) -> usize {
        let Ok(entries) = fs::read_dir(folder) else { return 0 };
        let mut lines = 0;
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                lines += scan(&path, wrong);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let code: TokenStream = fs::read_to_string(&path).unwrap().parse().expect("the file is Rust");
                let mut found = Vec::new();
                lines += interpolated(code, &mut found);
                wrong.extend(found.into_iter().map(|place| format!("{}:{place}", path.display())));
            }
        }
        lines
    }

    #[test]
    fn messages_are_constant_and_values_are_fields() {
        let (mut lines, mut wrong) = (0, Vec::new());
        for part in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap() {
            lines += scan(&part.unwrap().path().join("src"), &mut wrong);
        }
        assert!(lines > 50, "the scan finds the lines that are logged, not {lines}");
        assert!(wrong.is_empty(), "make these fields:\n{}", wrong.join("\n"));

        let bad = "fn f() { tracing::warn!(session.id = %id, \"it is lost: {error}\"); info!(\"{}\", 1); }";
        let mut found = Vec::new();
        assert_eq!(interpolated(bad.parse().unwrap(), &mut found), 2);
        assert_eq!(found, ["1: \"it is lost: {error}\"", "1: \"{}\""]);
    }

    #[test]
    fn a_collector_is_an_address_without_a_password() {
        assert_eq!(traces_url("http://127.0.0.1:4318").unwrap(), "http://127.0.0.1:4318/v1/traces");
        assert_eq!(traces_url("https://otel.example/in/").unwrap(), "https://otel.example/in/v1/traces");
        for wrong in [
            "",
            "127.0.0.1:4318",
            "grpc://otel.example",
            "https://otel.example/?a=b",
            "https://me:pw@otel.example",
        ] {
            assert!(traces_url(wrong).is_err(), "{wrong}");
        }
    }
}
