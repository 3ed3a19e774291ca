//! Signed calls: without a model, and with all of image analysis.

use super::{
    report::{Interface, SizingReport},
    stage::{Stage, read_json},
};
use domain::image_analysis::sample_faces;
use measure::{
    clock, drawing, percentile,
    signed_calls::{self, send, send_in_turn},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// Callers at a time, of calls that need no model.
const CALLERS: usize = 32;
/// Calls whose time says how many are sent then.
const TRIAL_CALLS: usize = 400;
/// The most that are signed in advance.
const MAX_CALLS: usize = 30_000;
/// Calls with an image, one after another.
const CALLS_IN_TURN: usize = 30;
/// What the strict gate accepts.
const JPEG_QUALITY: u8 = 96;
/// The operation that needs most: the age and whether the face is live.
const ANALYSIS_PATH: &str = "/ai/v1/age-antispoofing";

/// Calls that touch no model: signature, nonce and database.
pub(super) async fn calls(stage: &Stage, report: &mut SizingReport, during: Duration) -> anyhow::Result<()> {
    let server = stage.server()?;
    let trial = send(server, signed_calls::sign(server, TRIAL_CALLS), CALLERS, 400).await?;
    let count = (trial.per_second * during.as_secs_f64()) as usize;
    let requests = signed_calls::sign(server, count.clamp(TRIAL_CALLS, MAX_CALLS));
    let batch = send(server, requests, CALLERS, 400).await?;
    report.add(
        Interface::Shared,
        format!("signed calls, {CALLERS} callers, no model"),
        batch.per_second,
        "1/s",
    );
    report.add(Interface::Shared, "  p95 of them", percentile(&batch.latencies, 0.95), "ms");
    Ok(())
}

/// Whole calls with a face of 720 x 800 pixels.
pub(super) async fn analysis(
    stage: &Stage,
    report: &mut SizingReport,
    during: Duration,
) -> anyhow::Result<()> {
    let server = stage.server()?;
    let jpeg = sample_faces::encode_jpeg(&drawing::face(), JPEG_QUALITY);
    let body = json!({ "img": api::base64(&jpeg) }).to_string().into_bytes();
    let request = || {
        let mut request = server.caller.sign(ANALYSIS_PATH, &body);
        request.extend_from_slice(&body);
        request
    };
    // The first calls load the models.
    let mut connection = server.connect().await?;
    for _ in 0..3 {
        read_json(&connection.ask(&request(), &[]).await?)?;
    }
    let requests: Arc<[Vec<u8>]> = (0..CALLS_IN_TURN).map(|_| request()).collect();
    let alone = send_in_turn(connection, requests, 200).await?;
    let workers = report.workers();
    let count = during.as_secs_f64() * 1e3 / percentile(&alone, 0.5) * workers as f64;
    let requests: Arc<[Vec<u8>]> =
        (0..(count as usize).clamp(CALLS_IN_TURN, MAX_CALLS)).map(|_| request()).collect();
    let (count, before) = (requests.len(), clock::process_cpu_milliseconds(server.id())?);
    let batch = send(server, requests, workers, 200).await?;
    let core = (clock::process_cpu_milliseconds(server.id())? - before) / count as f64;
    report.add(
        Interface::ImageAnalysis,
        format!("calls for age and liveness, {workers} callers"),
        batch.per_second,
        "1/s",
    );
    report.add(Interface::ImageAnalysis, "  p95 of them", percentile(&batch.latencies, 0.95), "ms");
    report.add(Interface::ImageAnalysis, "  one caller alone, median", percentile(&alone, 0.5), "ms");
    report.add(Interface::ImageAnalysis, "  one caller alone, p95", percentile(&alone, 0.95), "ms");
    report.add(Interface::ImageAnalysis, "  processor time of the server for each", core, "ms");
    Ok(())
}
