//! Signed calls that use no model: all of authentication, including the nonce's write, on SQLite with default settings.

use crate::{
    client::{self, Connection},
    clock,
    report::{BenchReport, Goal, MeasuredFigure, percentile},
    server::ServerProcess,
};
use anyhow::ensure;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

const CALL_PATH: &str = "/ai/v1/age";
const CALL_BODY: &[u8] = b"{}";
const CONNECTIONS: usize = 32;
const CALLS_PER_ROUND: usize = 9_000;

/// The result of a batch of requests.
struct BatchResult {
    per_second: f64,
    latencies: Vec<f64>,
}

pub(crate) async fn measure(
    report: &mut BenchReport,
    server: &ServerProcess,
    rounds: usize,
) -> anyhow::Result<()> {
    let sign = |calls: usize| -> Arc<[Vec<u8>]> {
        (0..calls).map(|_| [&server.caller.sign(CALL_PATH, CALL_BODY), CALL_BODY].concat()).collect()
    };
    let plain: Arc<[Vec<u8>]> = vec![client::get("/healthz").into_bytes(); CALLS_PER_ROUND].into();
    send(server, sign(500), 400).await?;
    let (mut signed, mut latencies, mut cores, mut unsigned) = (vec![], vec![], vec![], vec![]);
    let mut alone = Vec::new();
    for _ in 0..rounds {
        let connection = server.connect().await?;
        alone.extend(work(connection, sign(200), Arc::default(), 400).await?);
        let requests = sign(CALLS_PER_ROUND);
        let before = clock::process_cpu_milliseconds(server.id())?;
        let batch = send(server, requests, 400).await?;
        cores.push((clock::process_cpu_milliseconds(server.id())? - before) / CALLS_PER_ROUND as f64);
        signed.push(batch.per_second);
        latencies.extend(batch.latencies);
        unsigned.push(send(server, plain.clone(), 200).await?.per_second);
    }
    report.add(
        "signed calls without a model",
        MeasuredFigure::rates(&signed),
        Some(("unsigned GET /healthz of the same server", MeasuredFigure::rates(&unsigned))),
        None,
        Some(Goal::AtLeast(3000.0)),
    );
    report.add("the same, time on a core for each", MeasuredFigure::times(&cores), None, None, None);
    report.add("the same, one at a time", MeasuredFigure::times(&alone), None, None, None);
    report.add(
        "the same, 32 at a time: p50",
        MeasuredFigure::time(percentile(&latencies, 0.5)),
        None,
        None,
        None,
    );
    report.add(
        "the same, 32 at a time: p99",
        MeasuredFigure::time(percentile(&latencies, 0.99)),
        None,
        None,
        None,
    );
    Ok(())
}

/// Sends every request once, over a fixed number of connections.
async fn send(server: &ServerProcess, requests: Arc<[Vec<u8>]>, status: u16) -> anyhow::Result<BatchResult> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(server.connect().await?);
    }
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let count = requests.len();
    let tasks: Vec<_> = connections
        .into_iter()
        .map(|connection| tokio::spawn(work(connection, requests.clone(), next.clone(), status)))
        .collect();
    let mut latencies = Vec::with_capacity(count);
    for task in tasks {
        latencies.extend(task.await??);
    }
    Ok(BatchResult { per_second: count as f64 / started.elapsed().as_secs_f64(), latencies })
}

async fn work(
    mut connection: Connection,
    requests: Arc<[Vec<u8>]>,
    next: Arc<AtomicUsize>,
    status: u16,
) -> anyhow::Result<Vec<f64>> {
    let mut latencies = Vec::new();
    while let Some(request) = requests.get(next.fetch_add(1, Relaxed)) {
        let started = Instant::now();
        let answer = connection.ask(request, &[]).await?;
        latencies.push(clock::milliseconds(started.elapsed()));
        let words = String::from_utf8_lossy(&answer.body);
        let right = answer.status == status && (status != 400 || words.contains("IMAGE_NOT_PROVIDED"));
        ensure!(right, "{} {words}", answer.status);
    }
    Ok(latencies)
}
