//! Document verification sessions: how long an end user waits for the front of a document to be read, and how many
//! sessions one machine can handle.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use anyhow::Context as _;
use axum::{body::Body, http::Request};
use measure::percentile;
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use testkit::{
    SignedCall, TestApp, TestResponse,
    specimens::{PhotoConditions, Specimen, SpecimenHolder, SpecimenKind, photograph},
};

/// Visits one after another.
const SEQUENTIAL_VISITS: usize = 40;
/// Visits that make up the crowd.
const CROWD_VISITS: usize = 100;
/// Time between the starts of two visits: fifty per minute.
const ARRIVAL_INTERVAL: Duration = Duration::from_millis(1200);
/// Longer than any visit takes, even if more arrive than can be served.
const VISIT_TIMEOUT: Duration = Duration::from_mins(10);

const BASE_PATH: &str = "/idverify/v1";
const JSON_CONTENT_TYPE: &str = "application/json";

struct DocumentSessionBench {
    app: TestApp,
    /// Photos of different passports and cards under ordinary conditions, each with its document type.
    documents: Vec<(&'static str, Vec<u8>)>,
    face: Vec<u8>,
}

/// How long one visit took, milliseconds.
struct VisitTimes {
    /// From sending the front of the document until its fields were in the session.
    front: f64,
    /// The whole session, until its checks had ended.
    whole: f64,
}

impl DocumentSessionBench {
    async fn open() -> Self {
        let papers = (0..20_u8).map(|number| {
            let holder = SpecimenHolder {
                portrait: number % 10,
                nationality: "SWE".to_owned(),
                ..SpecimenHolder::default()
            };
            let (word, kind) = if number % 2 == 0 {
                ("PASSPORT", SpecimenKind::Passport)
            } else {
                ("NATIONAL_ID", SpecimenKind::IdentityCard)
            };
            let specimen = Specimen::random(kind, u64::from(number)).issuer("SWE").holder(holder);
            (word, photograph(&specimen.front(), &PhotoConditions::random(u64::from(number) + 7)).jpeg)
        });
        Self { app: TestApp::start().await, documents: papers.collect(), face: testkit::face_jpeg().to_vec() }
    }

    /// A call by the end user.
    async fn ask(
        &self,
        token: &str,
        method: &str,
        path: String,
        body: Body,
        kind: &str,
    ) -> anyhow::Result<Value> {
        let request = Request::builder()
            .method(method)
            .uri(&path)
            .header("x-svc-auth-token", token)
            .header("content-type", kind)
            .body(body)?;
        let answer: TestResponse = self.app.send(request).await;
        anyhow::ensure!(answer.status.is_success(), "{path}: {}", answer.status_and_code());
        Ok(if answer.body.is_empty() { Value::Null } else { answer.json() })
    }

    /// Reads the session as the relying party does.
    async fn read(&self, id: &str) -> Value {
        let path = format!("{BASE_PATH}/sessions/{id}");
        let call = SignedCall::new("GET", &path).query("sdkId", &self.app.app.to_string()).auth_id(None);
        call.send(&self.app).await.json()
    }

    /// An end user supplies the front of a document and a face; waits for the checks.
    async fn visit(&self, number: usize) -> anyhow::Result<VisitTimes> {
        let began = Instant::now();
        let payload = json!({
            "requested_checks": [
                { "type": "ID_DOCUMENT_AUTHENTICITY" },
                { "type": "LIVENESS", "config": { "liveness_type": "STATIC" } },
                { "type": "ID_DOCUMENT_FACE_MATCH" },
            ],
            "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        });
        let call = SignedCall::new("POST", &format!("{BASE_PATH}/sessions"))
            .query("sdkId", &self.app.app.to_string());
        let made = call.auth_id(None).json(&payload).send(&self.app).await.json();
        let id = made["session_id"].as_str().context("a session")?;
        let token = made["client_session_token"].as_str().context("a token")?;
        let path = |rest: &str| format!("{BASE_PATH}/sessions/{id}{rest}");
        let empty = || Body::from("{}");
        let (kind, photo) = &self.documents[number % self.documents.len()];
        let new = json!({ "document_type": kind, "issuing_country": "SWE" }).to_string();
        let begun = self
            .ask(token, "POST", path("/resources/id-documents"), Body::from(new), JSON_CONTENT_TYPE)
            .await?;
        let document = format!("/resources/id-documents/{}", begun["id"].as_str().context("a document")?);
        let sent = Instant::now();
        self.ask(token, "PUT", path(&format!("{document}/pages/1")), form(photo), FORM_CONTENT_TYPE).await?;
        while self
            .ask(token, "PUT", path(&format!("{document}/text-extraction")), empty(), JSON_CONTENT_TYPE)
            .await?["state"]
            != "DONE"
        {
            anyhow::ensure!(sent.elapsed() < VISIT_TIMEOUT, "a document is not read");
        }
        let front = sent.elapsed().as_secs_f64() * 1000.0;

        self.ask(token, "POST", path("/biometric-consent"), empty(), JSON_CONTENT_TYPE).await?;
        let begun =
            self.ask(token, "POST", path("/resources/liveness/static"), empty(), JSON_CONTENT_TYPE).await?;
        let capture = format!("/resources/liveness/static/{}", begun["id"].as_str().context("a capture")?);
        self.ask(token, "PUT", path(&format!("{capture}/frames/1")), form(&self.face), FORM_CONTENT_TYPE)
            .await?;
        let ended =
            self.ask(token, "DELETE", path("/client-session-token"), empty(), JSON_CONTENT_TYPE).await;
        // A photo that cannot be read well enough would have to be retaken; this visit ends instead.
        if ended.is_ok() {
            while self.read(id).await["state"] != "COMPLETED" {
                anyhow::ensure!(began.elapsed() < VISIT_TIMEOUT, "a session does not end");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(VisitTimes { front, whole: began.elapsed().as_secs_f64() * 1000.0 })
    }
}

const FORM_CONTENT_TYPE: &str = "multipart/form-data; boundary=bench";

fn form(file: &[u8]) -> Body {
    let mut body =
        b"--bench\r\nContent-Disposition: form-data; name=\"binary-content\"; filename=\"p.jpg\"\r\n\
        Content-Type: image/jpeg\r\n\r\n"
            .to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--bench--\r\n");
    Body::from(body)
}

pub(crate) fn measure(report: &mut BenchReport, _: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let stage = Arc::new(DocumentSessionBench::open().await);
        let working = stage.app.spawn_worker();
        // The first visit loads the document reader.
        stage.visit(0).await?;

        let mut fronts = Vec::new();
        for number in 0..SEQUENTIAL_VISITS {
            fronts.push(stage.visit(number).await?.front);
        }
        report.add(
            "front of a document sent until its fields are in the session, one person at a time: p95",
            MeasuredFigure::time(percentile(&fronts, 0.95)),
            Some(("the median", MeasuredFigure::time(percentile(&fronts, 0.5)))),
            None,
            Some(Goal::AtMost(2000.0)),
        );

        let began = tokio::time::Instant::now();
        let mut people = tokio::task::JoinSet::new();
        for number in 0..CROWD_VISITS {
            tokio::time::sleep_until(began + ARRIVAL_INTERVAL * number as u32).await;
            let stage = stage.clone();
            people.spawn(async move { stage.visit(number).await });
        }
        let met: Vec<VisitTimes> = people.join_all().await.into_iter().collect::<anyhow::Result<_>>()?;
        let minutes = began.elapsed().as_secs_f64() / 60.0;
        let fronts: Vec<f64> = met.iter().map(|met| met.front).collect();
        let wholes: Vec<f64> = met.iter().map(|met| met.whole).collect();
        report.add(
            "the same, while fifty sessions a minute come: p95",
            MeasuredFigure::time(percentile(&fronts, 0.95)),
            Some(("the median", MeasuredFigure::time(percentile(&fronts, 0.5)))),
            None,
            Some(Goal::AtMost(2000.0)),
        );
        report.add(
            "a whole session in that crowd, until its checks have ended: p95",
            MeasuredFigure::time(percentile(&wholes, 0.95)),
            Some(("the median", MeasuredFigure::time(percentile(&wholes, 0.5)))),
            None,
            None,
        );
        report.add(
            "sessions ended a minute, when fifty come",
            MeasuredFigure::rates(&[CROWD_VISITS as f64 / minutes]),
            None,
            None,
            Some(Goal::AtLeast(50.0 * 0.95)),
        );
        working.stop().await;
        Ok(())
    })
}
