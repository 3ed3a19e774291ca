//! Signed calls that use no model: all of authentication, including the nonce's write, on SQLite with default settings.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use measure::{
    client, clock,
    server_process::ServerProcess,
    signed_calls::{send, send_in_turn, sign},
};
use std::sync::Arc;

const CONNECTIONS: usize = 32;
const CALLS_PER_ROUND: usize = 9_000;

pub(crate) async fn measure(
    report: &mut BenchReport,
    server: &ServerProcess,
    rounds: usize,
) -> anyhow::Result<()> {
    let plain: Arc<[Vec<u8>]> = vec![client::get("/healthz").into_bytes(); CALLS_PER_ROUND].into();
    send(server, sign(server, 500), CONNECTIONS, 400).await?;
    let (mut signed, mut latencies, mut cores, mut unsigned) = (vec![], vec![], vec![], vec![]);
    let mut alone = Vec::new();
    for _ in 0..rounds {
        let connection = server.connect().await?;
        alone.extend(send_in_turn(connection, sign(server, 200), 400).await?);
        let requests = sign(server, CALLS_PER_ROUND);
        let before = clock::process_cpu_milliseconds(server.id())?;
        let batch = send(server, requests, CONNECTIONS, 400).await?;
        cores.push((clock::process_cpu_milliseconds(server.id())? - before) / CALLS_PER_ROUND as f64);
        signed.push(batch.per_second);
        latencies.extend(batch.latencies);
        unsigned.push(send(server, plain.clone(), CONNECTIONS, 200).await?.per_second);
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
    report.add_latencies("the same, 32 at a time", &latencies);
    Ok(())
}
