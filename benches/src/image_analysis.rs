//! A whole `/ai/v1/age-antispoofing` call over HTTP, compared with the bare sum of decoding and model time.

use crate::{
    bare_models::{BareModels, PartTimes},
    checkout_paths::CheckoutPaths,
    report::{BenchReport, Goal, MeasuredFigure},
    sample_photo::SamplePhoto,
};
use anyhow::ensure;
use domain::image_analysis::{
    AnalysisRequest, AnalysisRules, ImageAnalyser, LivenessAssurance, ModelPoolSettings,
};
use measure::{client::Connection, clock, percentile, server_process::ServerProcess};
use std::time::Instant;
use vision::QueueLimits;

pub(crate) const CALL_PATH: &str = "/ai/v1/age-antispoofing";
const CALLS_PER_ROUND: usize = 20;

/// One signed call; returns the milliseconds from the first byte sent to the last byte read.
pub(crate) async fn once(
    server: &ServerProcess,
    connection: &mut Connection,
    photo: &SamplePhoto,
) -> anyhow::Result<f64> {
    send(server, connection, &photo.body, 200).await
}

async fn send(
    server: &ServerProcess,
    connection: &mut Connection,
    body: &[u8],
    status: u16,
) -> anyhow::Result<f64> {
    let head = server.caller.sign(CALL_PATH, body);
    let started = Instant::now();
    let answer = connection.ask(&head, body).await?;
    let took = clock::milliseconds(started.elapsed());
    ensure!(answer.status == status, "{} {}", answer.status, String::from_utf8_lossy(&answer.body));
    Ok(took)
}

/// Calls and bare runs take turns, so that other processes disturb both alike.
pub(crate) async fn measure(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    server: &ServerProcess,
    photo: &SamplePhoto,
    bare: &mut BareModels,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut connection = server.connect().await?;
    let no_photo = base64_simd::STANDARD.encode_to_string(vec![0; photo.jpeg.len()]);
    let no_photo = format!("{{\"img\":\"{no_photo}\"}}").into_bytes();
    let (mut refusals, mut inner) = (Vec::new(), Vec::new());
    let estimator = ImageAnalyser::new(AnalysisRules::default());
    estimator.load(&ModelPoolSettings {
        folder: place.model_pack.clone(),
        workers: 1,
        queue: QueueLimits::by_count(1),
        preload: true,
    })?;
    for _ in 0..10 {
        once(server, &mut connection, photo).await?;
        bare.run()?;
    }
    let (mut calls, mut bares): (Vec<f64>, Vec<PartTimes>) = (Vec::new(), Vec::new());
    let (mut call_cores, mut bare_cores) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let before = clock::process_cpu_milliseconds(server.id())?;
        for _ in 0..CALLS_PER_ROUND {
            calls.push(once(server, &mut connection, photo).await?);
        }
        // Work that a call leaves after its response, such as a log line or a write to disk, counts too.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        call_cores.push((clock::process_cpu_milliseconds(server.id())? - before) / CALLS_PER_ROUND as f64);
        for _ in 0..CALLS_PER_ROUND {
            let ask = AnalysisRequest {
                image: photo.jpeg.clone(),
                relaxed: false,
                age: true,
                liveness: Some(LivenessAssurance::Medium),
                sharpness: false,
            };
            let started = Instant::now();
            estimator.analyse(ask).await?;
            inner.push(clock::milliseconds(started.elapsed()));
        }
        for _ in 0..CALLS_PER_ROUND {
            refusals.push(send(server, &mut connection, &no_photo, 400).await?);
        }
        let before = clock::thread_cpu_milliseconds()?;
        for _ in 0..CALLS_PER_ROUND {
            bares.push(bare.run()?);
        }
        bare_cores.push((clock::thread_cpu_milliseconds()? - before) / CALLS_PER_ROUND as f64);
    }
    let of = |part: fn(&PartTimes) -> f64| MeasuredFigure::times(&bares.iter().map(part).collect::<Vec<_>>());
    for (name, part) in [
        ("bare: decode (image crate)", of(|parts| parts.decode)),
        ("bare: face net", of(|parts| parts.detect)),
        ("bare: age net, two crops", of(|parts| parts.age)),
        ("bare: quality", of(|parts| parts.quality)),
        ("bare: liveness", of(|parts| parts.liveness)),
    ] {
        report.add(name, part, None, None, None);
    }
    let name = "the call's image without HTTP and guard, wall clock";
    report.add(name, MeasuredFigure::times(&inner), None, None, None);
    let name = "a call as large whose image is none, wall clock";
    report.add(name, MeasuredFigure::times(&refusals), None, None, None);
    let goal = Some(Goal::RatioAtMost(1.15));
    let sum = of(PartTimes::sum);
    report.add("whole call, wall clock", MeasuredFigure::times(&calls), Some(("bare sum", sum)), None, goal);
    // Compared round by round, because other processes disturb both sides of a round alike.
    let ratios: Vec<f64> = call_cores.iter().zip(&bare_cores).map(|(ours, bare)| ours / bare).collect();
    report.add(
        "whole call, time on a core",
        MeasuredFigure::times(&call_cores),
        Some(("bare sum", MeasuredFigure::times(&bare_cores))),
        Some(percentile(&ratios, 0.5)),
        goal,
    );
    Ok(())
}
