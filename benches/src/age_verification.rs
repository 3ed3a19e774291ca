//! Age sessions: how many a business with an API key can create and read per second, on SQLite with default settings;
//! and how soon an end user on a slow connection sees the page of a session.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use anyhow::{Context as _, ensure};
use measure::{
    client::{self, Connection},
    clock,
    server_process::ServerProcess,
};
use serde::Deserialize;
use std::{path::Path, process::Command, time::Instant};

const CONNECTIONS: usize = 32;
/// Sessions that each connection creates.
const SESSIONS_PER_CONNECTION: usize = 150;
const SESSIONS_PATH: &str = "/api/v1/sessions";
const SESSION_PAYLOAD: &str = r#"{"type":"OVER","ttl":900,"reference_id":"order 7","age_estimation":{"threshold":25,"retry_enabled":true},"doc_scan":{"threshold":18,"authenticity":"AUTO","level":"PASSIVE"},"callback":{"url":"https://shop.example.com/done","auto":true},"notification_url":"https://shop.example.com/ages"}"#;

pub(crate) async fn measure(
    report: &mut BenchReport,
    server: &ServerProcess,
    rounds: usize,
) -> anyhow::Result<()> {
    let (mut rates, mut cores, mut latencies, mut unsigned) = (vec![], vec![], vec![], vec![]);
    // The first call creates the keys that webhooks are signed with.
    AgeSessionClient::of(server).send(server.connect().await?, 1).await?;
    for _ in 0..rounds {
        let before = clock::process_cpu_milliseconds(server.id())?;
        let started = Instant::now();
        let mut people = tokio::task::JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (connection, requests) = (server.connect().await?, AgeSessionClient::of(server));
            people.spawn(async move { requests.send(connection, SESSIONS_PER_CONNECTION).await });
        }
        for met in people.join_all().await {
            latencies.extend(met?);
        }
        let sessions = (CONNECTIONS * SESSIONS_PER_CONNECTION) as f64;
        rates.push(sessions / started.elapsed().as_secs_f64());
        cores.push((clock::process_cpu_milliseconds(server.id())? - before) / sessions);

        let started = Instant::now();
        let mut connection = server.connect().await?;
        for _ in 0..2000 {
            ensure!(connection.get("/healthz").await?.status == 200);
        }
        unsigned.push(2000.0 / started.elapsed().as_secs_f64());
    }
    report.add(
        "age sessions created and read a second, 32 businesses at a time",
        MeasuredFigure::rates(&rates),
        Some(("GET /healthz of the same server, one at a time", MeasuredFigure::rates(&unsigned))),
        None,
        Some(Goal::AtLeast(500.0)),
    );
    report.add("the same, time on a core for each", MeasuredFigure::times(&cores), None, None, None);
    report.add_latencies("creating one in that crowd", &latencies);
    Ok(())
}

/// One visit, as `web/tests/e2e/paint-timing.ts` reports it.
#[derive(Deserialize)]
struct PageVisit {
    /// Milliseconds until something was painted, and until the page could be used.
    paint: f64,
    usable: f64,
    /// Size of the scripts as transferred and as executed, kilobytes.
    sent: f64,
    script: f64,
}

/// Visits the page of a session in Chromium, each time as a first visit.
pub(crate) async fn measure_page(
    report: &mut BenchReport,
    server: &ServerProcess,
    root: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut connection = server.connect().await?;
    let made = AgeSessionClient::of(server).create(&mut connection).await?;
    let (id, (app, _)) = (made["id"].as_str().context("a session has an id")?, server.caller.key());
    let address = format!("http://{}/age?sessionId={id}&sdkId={app}", server.address);
    let mut npm = Command::new("npm");
    npm.arg("--prefix").arg(root.join("web")).args(["run", "--silent", "bench:paint", "--", &address]);
    let output = npm.arg(rounds.to_string()).output().context("npm cannot be started")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let visits: Vec<PageVisit> = serde_json::from_slice(&output.stdout)?;
    let each = |part: fn(&PageVisit) -> f64| visits.iter().map(part).collect::<Vec<_>>();
    let goal = Some(Goal::AtMost(1000.0));
    report.add(
        "page of an age session on slow 4G, first paint",
        MeasuredFigure::times(&each(|one| one.paint)),
        None,
        None,
        goal,
    );
    let usable = MeasuredFigure::times(&each(|one| one.usable));
    report.add("the same, until a method can be chosen", usable, None, None, None);
    let script = MeasuredFigure::kilobytes(&each(|one| one.script));
    report.add("script before a method is chosen", script, None, None, Some(Goal::AtMost(150.0)));
    report.add("the same, as it is sent", MeasuredFigure::kilobytes(&each(|one| one.sent)), None, None, None);
    Ok(())
}

/// The requests of a business.
struct AgeSessionClient {
    /// The headers that authenticate the business.
    who: String,
}

impl AgeSessionClient {
    fn of(server: &ServerProcess) -> Self {
        let (id, key) = server.caller.key();
        Self { who: format!("host: bench\r\nsvc-sdk-id: {id}\r\nauthorization: Bearer {key}\r\n") }
    }

    async fn create(&self, connection: &mut Connection) -> anyhow::Result<serde_json::Value> {
        let Self { who } = self;
        let create = format!(
            "POST {SESSIONS_PATH} HTTP/1.1\r\n{who}content-type: application/json\r\ncontent-length: {}\r\n\r\n{SESSION_PAYLOAD}",
            SESSION_PAYLOAD.len()
        );
        ok(&connection.ask(create.as_bytes(), &[]).await?)
    }

    /// Creates sessions one after another and reads each; returns how long each took to create, milliseconds.
    async fn send(self, mut connection: Connection, sessions: usize) -> anyhow::Result<Vec<f64>> {
        let mut latencies = Vec::with_capacity(sessions);
        for _ in 0..sessions {
            let started = Instant::now();
            let made = self.create(&mut connection).await?;
            latencies.push(clock::milliseconds(started.elapsed()));
            let id = made["id"].as_str().context("a session has an id")?;
            let read = format!("GET {SESSIONS_PATH}/{id} HTTP/1.1\r\n{}\r\n", self.who);
            ensure!(ok(&connection.ask(read.as_bytes(), &[]).await?)?["id"] == made["id"]);
        }
        Ok(latencies)
    }
}

fn ok(answer: &client::HttpAnswer) -> anyhow::Result<serde_json::Value> {
    ensure!(answer.status == 200, "{} {}", answer.status, String::from_utf8_lossy(&answer.body));
    Ok(serde_json::from_slice(&answer.body)?)
}
