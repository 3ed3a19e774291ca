//! More calls than the workers can handle: accepted calls stay as fast, the others are refused at once.

use crate::{
    image_analysis::CALL_PATH,
    report::{BenchReport, MeasuredFigure, MeasuredUnit},
    sample_photo::SamplePhoto,
};
use anyhow::{bail, ensure};
use measure::{client::Connection, clock, percentile, server_process::ServerProcess};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Mutex;

/// Loads, in multiples of the workers' capacity.
const LOAD_FACTORS: [f64; 3] = [1.0, 2.0, 8.0];
const LOAD_SECONDS: f64 = 4.0;

/// Connections that are not in use.
type IdleConnections = Arc<Mutex<Vec<Connection>>>;

pub(crate) async fn measure(
    report: &mut BenchReport,
    server: &ServerProcess,
    photo: &Arc<SamplePhoto>,
    workers: usize,
) -> anyhow::Result<()> {
    let capacity = capacity(server, photo, workers).await?;
    let typical = |value| MeasuredFigure { typical: value, best: value, unit: MeasuredUnit::PerSecond };
    report.add("overload: calls that the workers can do", typical(capacity), None, None, None);
    for load in LOAD_FACTORS {
        let (accepted, refused) = offer(server, photo, capacity * load).await?;
        let done = typical(accepted.len() as f64 / LOAD_SECONDS);
        report.add(&format!("overload x{load}: accepted"), done, None, None, None);
        for (what, times) in [("accepted", &accepted), ("refused (503, Retry-After)", &refused)] {
            if times.is_empty() {
                continue;
            }
            for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
                let name = format!("overload x{load}: {what}, {name} of {}", times.len());
                report.add(&name, MeasuredFigure::time(percentile(times, part)), None, None, None);
            }
        }
    }
    Ok(())
}

/// Calls per second when each worker always has one call to handle and none waits.
async fn capacity(server: &ServerProcess, photo: &Arc<SamplePhoto>, workers: usize) -> anyhow::Result<f64> {
    const CAPACITY_CALLS: usize = 40;
    let heads: Vec<_> =
        (0..workers * CAPACITY_CALLS).map(|_| server.caller.sign(CALL_PATH, &photo.body)).collect();
    let mut tasks = Vec::new();
    let started = Instant::now();
    for heads in heads.chunks(CAPACITY_CALLS) {
        let (mut connection, heads, photo) = (server.connect().await?, heads.to_vec(), photo.clone());
        tasks.push(tokio::spawn(async move {
            for head in heads {
                let answer = connection.ask(&head, &photo.body).await?;
                ensure!(answer.status == 200, "{} where one call a worker was sent", answer.status);
            }
            anyhow::Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok((workers * CAPACITY_CALLS) as f64 / started.elapsed().as_secs_f64())
}

/// Sends calls at a steady rate, whether or not earlier ones were answered; returns the times of accepted and of
/// refused calls, milliseconds.
async fn offer(
    server: &ServerProcess,
    photo: &Arc<SamplePhoto>,
    per_second: f64,
) -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
    let count = (per_second * LOAD_SECONDS) as usize;
    let heads: Vec<_> = (0..count).map(|_| server.caller.sign(CALL_PATH, &photo.body)).collect();
    let idle: IdleConnections = Arc::default();
    let address = server.address;
    let started = Instant::now();
    let mut tasks = Vec::with_capacity(count);
    for (number, head) in heads.into_iter().enumerate() {
        tokio::time::sleep_until((started + Duration::from_secs_f64(number as f64 / per_second)).into())
            .await;
        let (idle, photo) = (idle.clone(), photo.clone());
        tasks.push(tokio::spawn(async move {
            let free = idle.lock().await.pop();
            let mut connection = match free {
                Some(connection) => connection,
                None => Connection::open(address).await?,
            };
            let started = Instant::now();
            let answer = connection.ask(&head, &photo.body).await?;
            let took = clock::milliseconds(started.elapsed());
            idle.lock().await.push(connection);
            anyhow::Ok((answer, took))
        }));
    }
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for task in tasks {
        let (answer, took) = task.await??;
        match answer.status {
            200 => accepted.push(took),
            503 if answer.retry_after => refused.push(took),
            status => bail!("{status} {}", String::from_utf8_lossy(&answer.body)),
        }
    }
    Ok((accepted, refused))
}
