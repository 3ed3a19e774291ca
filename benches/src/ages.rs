//! Age sessions: how many a second are created and read again, by a business with its API key, on SQLite with default settings.

use crate::{
    client::{self, Connection},
    clock,
    report::{Figure, Goal, Report, share},
    server::Server,
};
use anyhow::{Context as _, ensure};
use std::time::Instant;

const CONNECTIONS: usize = 32;
/// Sessions of each connection.
const SESSIONS: usize = 150;
const PATH: &str = "/api/v1/sessions";
const PAYLOAD: &str = r#"{"type":"OVER","ttl":900,"reference_id":"order 7","age_estimation":{"threshold":25,"retry_enabled":true},"doc_scan":{"threshold":18,"authenticity":"AUTO","level":"PASSIVE"},"callback":{"url":"https://shop.test/done","auto":true},"notification_url":"https://shop.test/ages"}"#;

pub(crate) async fn measure(report: &mut Report, server: &Server, rounds: usize) -> anyhow::Result<()> {
    let (mut rates, mut cores, mut latencies, mut unsigned) = (vec![], vec![], vec![], vec![]);
    // The first call makes the keys that webhooks are signed with.
    Requests::of(server).send(server.connect().await?, 1).await?;
    for _ in 0..rounds {
        let before = clock::of_process(server.id())?;
        let started = Instant::now();
        let mut people = tokio::task::JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (connection, requests) = (server.connect().await?, Requests::of(server));
            people.spawn(async move { requests.send(connection, SESSIONS).await });
        }
        for met in people.join_all().await {
            latencies.extend(met?);
        }
        let sessions = (CONNECTIONS * SESSIONS) as f64;
        rates.push(sessions / started.elapsed().as_secs_f64());
        cores.push((clock::of_process(server.id())? - before) / sessions);

        let started = Instant::now();
        let mut connection = server.connect().await?;
        for _ in 0..2000 {
            ensure!(connection.get("/healthz").await?.status == 200);
        }
        unsigned.push(2000.0 / started.elapsed().as_secs_f64());
    }
    report.add(
        "age sessions created and read a second, 32 businesses at a time",
        Figure::rates(&rates),
        Some(("GET /healthz of the same server, one at a time", Figure::rates(&unsigned))),
        None,
        Some(Goal::AtLeast(500.0)),
    );
    report.add("the same, time on a core for each", Figure::times(&cores), None, None, None);
    report.add("creating one in that crowd: p50", Figure::time(share(&latencies, 0.5)), None, None, None);
    report.add("creating one in that crowd: p99", Figure::time(share(&latencies, 0.99)), None, None, None);
    Ok(())
}

/// What a business sends.
struct Requests {
    /// The headers that say who asks.
    who: String,
}

impl Requests {
    fn of(server: &Server) -> Self {
        let (id, key) = server.caller.key();
        Self { who: format!("host: bench\r\nsvc-sdk-id: {id}\r\nauthorization: Bearer {key}\r\n") }
    }

    /// Creates sessions one after another and reads each; how long creating took, milliseconds.
    async fn send(self, mut connection: Connection, sessions: usize) -> anyhow::Result<Vec<f64>> {
        let Self { who } = self;
        let create = format!(
            "POST {PATH} HTTP/1.1\r\n{who}content-type: application/json\r\ncontent-length: {}\r\n\r\n{PAYLOAD}",
            PAYLOAD.len()
        );
        let mut latencies = Vec::with_capacity(sessions);
        for _ in 0..sessions {
            let started = Instant::now();
            let made = ok(&connection.ask(create.as_bytes(), &[]).await?)?;
            latencies.push(clock::milliseconds(started.elapsed()));
            let id = made["id"].as_str().context("a session has an id")?;
            let read = format!("GET {PATH}/{id} HTTP/1.1\r\n{who}\r\n");
            ensure!(ok(&connection.ask(read.as_bytes(), &[]).await?)?["id"] == made["id"]);
        }
        Ok(latencies)
    }
}

fn ok(answer: &client::Answer) -> anyhow::Result<serde_json::Value> {
    ensure!(answer.status == 200, "{} {}", answer.status, String::from_utf8_lossy(&answer.body));
    Ok(serde_json::from_slice(&answer.body)?)
}
