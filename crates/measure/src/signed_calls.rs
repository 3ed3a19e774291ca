//! Signed calls that use no model: all of authentication, including the nonce's write.

use crate::{client::Connection, clock, server_process::ServerProcess};
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

/// The result of a batch of requests.
#[derive(Debug)]
pub struct BatchResult {
    /// Answers a second.
    pub per_second: f64,
    /// What each took, milliseconds.
    pub latencies: Vec<f64>,
}

/// So many requests without an image, signed and good for one use within five minutes; the answer is 400.
pub fn sign(server: &ServerProcess, calls: usize) -> Arc<[Vec<u8>]> {
    (0..calls).map(|_| [&server.caller.sign(CALL_PATH, CALL_BODY), CALL_BODY].concat()).collect()
}

/// Sends every request once, over so many connections.
pub async fn send(
    server: &ServerProcess,
    requests: Arc<[Vec<u8>]>,
    connections: usize,
    status: u16,
) -> anyhow::Result<BatchResult> {
    let mut opened = Vec::new();
    for _ in 0..connections {
        opened.push(server.connect().await?);
    }
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let count = requests.len();
    let tasks: Vec<_> = opened
        .into_iter()
        .map(|connection| tokio::spawn(send_each(connection, requests.clone(), next.clone(), status)))
        .collect();
    let mut latencies = Vec::with_capacity(count);
    for task in tasks {
        latencies.extend(task.await??);
    }
    Ok(BatchResult { per_second: count as f64 / started.elapsed().as_secs_f64(), latencies })
}

async fn send_each(
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

/// Sends every request once, one after another; returns what each took, milliseconds.
pub async fn send_in_turn(
    connection: Connection,
    requests: Arc<[Vec<u8>]>,
    status: u16,
) -> anyhow::Result<Vec<f64>> {
    send_each(connection, requests, Arc::default(), status).await
}
