//! Spans that are exported to a collector, which is a small one here, on this machine.

use crate::test_installation::{TEST_TIMEOUT, TestInstallation};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::{Span, span::SpanKind},
};
use prost::Message as _;
use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::Instant,
};

const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER_SPAN_ID: &str = "b7ad6b7169203331";

/// Takes spans as a collector does, and keeps them.
struct Collector {
    url: String,
    taken: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken = Arc::<Mutex<Vec<_>>>::default();
        let to = taken.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let to = to.clone();
                std::thread::spawn(move || serve(stream.unwrap(), &to));
            }
        });
        Self { url, taken }
    }

    /// All spans, once `complete` says that they are there.
    fn spans(&self, complete: impl Fn(&[Span]) -> bool) -> Vec<Span> {
        let began = Instant::now();
        loop {
            let taken = self.taken.lock().unwrap();
            let scopes =
                taken.iter().flat_map(|batch| &batch.resource_spans).flat_map(|one| &one.scope_spans);
            let spans: Vec<Span> = scopes.flat_map(|scope| scope.spans.clone()).collect();
            drop(taken);
            if complete(&spans) {
                return spans;
            }
            assert!(began.elapsed() < TEST_TIMEOUT, "these spans came: {spans:#?}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// Answers the requests of a connection.
fn serve(stream: TcpStream, taken: &Mutex<Vec<ExportTraceServiceRequest>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        assert!(lines[0].starts_with("post /v1/traces "), "{lines:?}");
        assert!(lines.contains(&"content-type: application/x-protobuf".to_owned()), "{lines:?}");
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        taken.lock().unwrap().push(ExportTraceServiceRequest::decode(&*body).unwrap());
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }
}

fn value<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a Value> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    found.value.as_ref()?.value.as_ref()
}

fn text<'a>(span: &'a Span, key: &str) -> &'a str {
    match value(&span.attributes, key) {
        Some(Value::StringValue(text)) => text,
        _ => "",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("text takes any text");
        digits
    })
}

#[test]
fn requests_and_jobs_are_exported_with_their_ids() {
    let collector = Collector::start();
    let place = TestInstallation::new()
        .set("ASSAY__LOG__OTLP_ENDPOINT", &collector.url)
        .set("ASSAY__LOG__SERVICE_NAME", "assay-of-a-test")
        // What is exported does not depend on what is logged.
        .set("ASSAY__LOG__FILTER", "warn");
    let server = place.serve();
    let credentials = place.credentials();
    let app = credentials["sdk_id"].as_str().unwrap();
    let account = place.ask(&["account", "open", "--app", app, "--name", "Account of a test"]);

    let path = format!("/accounts/{account}/contents/{}", base::Uuid::nil());
    let key = format!("Authorization: Bearer {}", credentials["api_key"].as_str().unwrap());
    let application = format!("Svc-Sdk-Id: {app}");
    let traceparent = format!("traceparent: 00-{TRACE_ID}-{CALLER_SPAN_ID}-01");
    let url = format!("{}{path}?token=never", server.url);
    let headers = ["-H", &key, "-H", &application, "-H", &traceparent];
    let called = Command::new("curl").args(["-s", "-w", "%{http_code}"]).args(headers).arg(&url).output();
    let answer = String::from_utf8(called.unwrap().stdout).unwrap();
    assert!(answer.ends_with("404"), "{answer}");
    place.ask(&["account", "invite", "--account", &account, "--email", "ada@example.com", "--dev"]);

    let is_request = |span: &Span| span.name == "GET /accounts/{accountId}/contents/{id}";
    let is_mail = |span: &Span| span.name == "job send-mail";
    // Before the stop, so that it is seen that they go out by themselves.
    let both = |spans: &[Span]| spans.iter().any(is_request) && spans.iter().any(is_mail);
    let spans = collector.spans(both);
    let request = spans.iter().find(|span| is_request(span)).unwrap();
    assert_eq!(request.kind(), SpanKind::Server);
    assert_eq!(
        (hex(&request.trace_id), hex(&request.parent_span_id)),
        (TRACE_ID.into(), CALLER_SPAN_ID.into())
    );
    assert_eq!(text(request, "app.id"), app);
    assert_eq!(text(request, "account.id"), account);
    assert_eq!(text(request, "content.id"), base::Uuid::nil().to_string());
    assert_eq!((text(request, "interface"), text(request, "operation")), ("moderation", "get_content"));
    assert_eq!(text(request, "http.request.method"), "GET");
    assert_eq!(value(&request.attributes, "http.response.status_code"), Some(&Value::IntValue(404)));
    assert!(
        !text(request, "request.id").is_empty() && !text(request, "error.type").is_empty(),
        "{request:?}"
    );

    let mail = spans.iter().find(|span| is_mail(span)).unwrap();
    assert_eq!(mail.kind(), SpanKind::Consumer);
    assert!(mail.parent_span_id.is_empty() && hex(&mail.trace_id) != TRACE_ID, "a trace of its own");
    assert_eq!(text(mail, "account.id"), account);
    assert_eq!((text(mail, "job.kind"), text(mail, "job.ended")), ("send-mail", "done"));
    assert_eq!(value(&mail.attributes, "job.attempt"), Some(&Value::IntValue(1)));
    assert!(!text(mail, "job.id").is_empty() && !text(mail, "mail.id").is_empty(), "{mail:?}");

    let taken = collector.taken.lock().unwrap().clone();
    let resource = taken[0].resource_spans[0].resource.as_ref().unwrap();
    let service = Value::StringValue("assay-of-a-test".to_owned());
    assert_eq!(value(&resource.attributes, "service.name"), Some(&service));
    let all = format!("{taken:?}");
    for secret in ["never", "ada@example.com", credentials["api_key"].as_str().unwrap()] {
        assert!(!all.contains(secret), "{secret} is exported");
    }

    // The last request before a stop is exported by it, long before the next batch would have been.
    let url = format!("{}/readyz", server.url);
    Command::new("curl")
        .args(["-s", "-H", "traceparent: 00-11111111111111111111111111111111-1111111111111111-01"])
        .arg(&url)
        .output()
        .unwrap();
    assert_eq!(server.stop(), Some(0));
    let is_last = |span: &Span| hex(&span.trace_id) == "1".repeat(32) && span.name == "GET /readyz";
    assert!(collector.spans(|_| true).iter().any(is_last));
}

#[test]
fn a_collector_that_is_down_costs_nothing_but_its_spans() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let place = TestInstallation::new().set("ASSAY__LOG__OTLP_ENDPOINT", &gone);
    let log = place.path("log");
    let server = place.serve_at("127.0.0.1:0", Stdio::from(std::fs::File::create(&log).unwrap()));
    server.until("/readyz", 200);
    assert_eq!(server.stop(), Some(0));
    let log = std::fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("spans cannot be exported").count(), 1, "{log}");

    let wrong = TestInstallation::new().set("ASSAY__LOG__OTLP_ENDPOINT", "http://me:secret@127.0.0.1:4318");
    let refused = wrong.run(&["serve", "--listen", "127.0.0.1:0"]);
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && words.contains("OTEL_EXPORTER_OTLP_HEADERS"), "{words}");
}
