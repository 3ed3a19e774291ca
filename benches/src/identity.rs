//! Document verification sessions: how long a person waits for the front of a document, and how many sessions a machine takes.

use crate::report::{Figure, Goal, Report, share};
use anyhow::Context as _;
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use testkit::{
    Answer, Call, TestApp,
    specimens::{Conditions, Holder, Kind, Specimen, photograph},
};

/// People who come one after another.
const ALONE: usize = 40;
/// People who come in the minutes of the crowd.
const CROWD: usize = 100;
/// One comes each so often: fifty a minute.
const EVERY: Duration = Duration::from_millis(1200);
/// Longer than this nobody waits, even where more come than can be served.
const PATIENCE: Duration = Duration::from_mins(10);

const BASE: &str = "/idverify/v1";
const JSON: &str = "application/json";

struct Stage {
    app: TestApp,
    /// Photographs of different passports and cards under ordinary conditions, with what they are.
    papers: Vec<(&'static str, Vec<u8>)>,
    face: Vec<u8>,
}

/// What one person met, milliseconds.
struct Met {
    /// From sending the front of the document until its fields were in the session.
    front: f64,
    /// The whole session, until its checks had ended.
    whole: f64,
}

impl Stage {
    async fn set() -> Self {
        let papers = (0..20_u8).map(|number| {
            let holder = Holder { portrait: number % 10, nationality: "SWE".to_owned(), ..Holder::default() };
            let (word, kind) = if number % 2 == 0 {
                ("PASSPORT", Kind::Passport)
            } else {
                ("NATIONAL_ID", Kind::IdentityCard)
            };
            let specimen = Specimen::random(kind, u64::from(number)).issuer("SWE").holder(holder);
            (word, photograph(&specimen.front(), &Conditions::random(u64::from(number) + 7)).jpeg)
        });
        Self { app: TestApp::start().await, papers: papers.collect(), face: testkit::face().to_vec() }
    }

    /// A call of the person.
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
        let answer: Answer = self.app.send(request).await;
        anyhow::ensure!(answer.status.is_success(), "{path}: {}", answer.line());
        Ok(if answer.body.is_empty() { Value::Null } else { answer.json() })
    }

    /// The session as its business reads it.
    async fn read(&self, id: &str) -> Value {
        let path = format!("{BASE}/sessions/{id}");
        let call = Call::new("GET", &path).query("sdkId", &self.app.app.to_string()).auth_id(None);
        call.send(&self.app).await.json()
    }

    /// A person supplies the front of a document and a face; the checks are awaited.
    async fn visit(&self, number: usize) -> anyhow::Result<Met> {
        let began = Instant::now();
        let payload = json!({
            "requested_checks": [
                { "type": "ID_DOCUMENT_AUTHENTICITY" },
                { "type": "LIVENESS", "config": { "liveness_type": "STATIC" } },
                { "type": "ID_DOCUMENT_FACE_MATCH" },
            ],
            "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        });
        let call = Call::new("POST", &format!("{BASE}/sessions")).query("sdkId", &self.app.app.to_string());
        let made = call.auth_id(None).json(&payload).send(&self.app).await.json();
        let id = made["session_id"].as_str().context("a session")?;
        let token = made["client_session_token"].as_str().context("a token")?;
        let path = |rest: &str| format!("{BASE}/sessions/{id}{rest}");
        let empty = || Body::from("{}");
        let (kind, photo) = &self.papers[number % self.papers.len()];
        let new = json!({ "document_type": kind, "issuing_country": "SWE" }).to_string();
        let begun = self.ask(token, "POST", path("/resources/id-documents"), Body::from(new), JSON).await?;
        let document = format!("/resources/id-documents/{}", begun["id"].as_str().context("a document")?);
        let sent = Instant::now();
        self.ask(token, "PUT", path(&format!("{document}/pages/1")), form(photo), FORM).await?;
        while self.ask(token, "PUT", path(&format!("{document}/text-extraction")), empty(), JSON).await?["state"]
            != "DONE"
        {
            anyhow::ensure!(sent.elapsed() < PATIENCE, "a document is not read");
        }
        let front = sent.elapsed().as_secs_f64() * 1000.0;

        let begun = self.ask(token, "POST", path("/resources/liveness/static"), empty(), JSON).await?;
        let capture = format!("/resources/liveness/static/{}", begun["id"].as_str().context("a capture")?);
        self.ask(token, "PUT", path(&format!("{capture}/frames/1")), form(&self.face), FORM).await?;
        let ended = self.ask(token, "DELETE", path("/client-session-token"), empty(), JSON).await;
        // What cannot be read well enough has to be taken again; that person goes.
        if ended.is_ok() {
            while self.read(id).await["state"] != "COMPLETED" {
                anyhow::ensure!(began.elapsed() < PATIENCE, "a session does not end");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(Met { front, whole: began.elapsed().as_secs_f64() * 1000.0 })
    }
}

const FORM: &str = "multipart/form-data; boundary=bench";

fn form(file: &[u8]) -> Body {
    let mut body =
        b"--bench\r\nContent-Disposition: form-data; name=\"binary-content\"; filename=\"p.jpg\"\r\n\
        Content-Type: image/jpeg\r\n\r\n"
            .to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--bench--\r\n");
    Body::from(body)
}

pub(crate) fn measure(report: &mut Report, _: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let stage = Arc::new(Stage::set().await);
        let working = stage.app.keep_working();
        // The first one loads the reader.
        stage.visit(0).await?;

        let mut fronts = Vec::new();
        for number in 0..ALONE {
            fronts.push(stage.visit(number).await?.front);
        }
        report.add(
            "front of a document sent until its fields are in the session, one person at a time: p95",
            Figure::time(share(&fronts, 0.95)),
            Some(("the median", Figure::time(share(&fronts, 0.5)))),
            None,
            Some(Goal::AtMost(2000.0)),
        );

        let began = tokio::time::Instant::now();
        let mut people = tokio::task::JoinSet::new();
        for number in 0..CROWD {
            tokio::time::sleep_until(began + EVERY * number as u32).await;
            let stage = stage.clone();
            people.spawn(async move { stage.visit(number).await });
        }
        let met: Vec<Met> = people.join_all().await.into_iter().collect::<anyhow::Result<_>>()?;
        let minutes = began.elapsed().as_secs_f64() / 60.0;
        let fronts: Vec<f64> = met.iter().map(|met| met.front).collect();
        let wholes: Vec<f64> = met.iter().map(|met| met.whole).collect();
        report.add(
            "the same, while fifty sessions a minute come: p95",
            Figure::time(share(&fronts, 0.95)),
            Some(("the median", Figure::time(share(&fronts, 0.5)))),
            None,
            Some(Goal::AtMost(2000.0)),
        );
        report.add(
            "a whole session in that crowd, until its checks have ended: p95",
            Figure::time(share(&wholes, 0.95)),
            Some(("the median", Figure::time(share(&wholes, 0.5)))),
            None,
            None,
        );
        report.add(
            "sessions ended a minute, when fifty come",
            Figure::rates(&[CROWD as f64 / minutes]),
            None,
            None,
            Some(Goal::AtLeast(50.0 * 0.95)),
        );
        working.stop().await;
        Ok(())
    })
}
