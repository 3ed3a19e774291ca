//! How soon a server is ready, and how much memory it uses.

use crate::{
    checkout_paths::CheckoutPaths,
    image_analysis,
    report::{BenchReport, Goal, MeasuredFigure},
    sample_photo::SamplePhoto,
};
use measure::{clock, server_process::ServerProcess};
use std::path::Path;

const READY_GOAL: Option<Goal> = Some(Goal::AtMost(3000.0));
const MEMORY_GOAL: Option<Goal> = Some(Goal::AtMost(300.0));
const CALLS_BEFORE_MEASURING: usize = 200;

pub(crate) async fn measure(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    photo: &SamplePhoto,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut first = Vec::new();
    for number in 0..rounds {
        first
            .push(ServerProcess::start(&place.server, &folder.join(format!("first-{number}")), &[]).await?.1);
    }
    report.add("ready, in an empty folder", MeasuredFigure::times(&first), None, None, READY_GOAL);

    let known = folder.join("first-0");
    let (mut again, mut at_rest, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (server, took) = ServerProcess::start(&place.server, &known, &[]).await?;
        again.push(took);
        at_rest.push(clock::resident_megabytes(server.id())?);
        if after.is_empty() {
            // Two at a time, so that every worker has run.
            let (mut one, mut other) = (server.connect().await?, server.connect().await?);
            for _ in 0..CALLS_BEFORE_MEASURING / 2 {
                let pair = tokio::join!(
                    image_analysis::once(&server, &mut one, photo),
                    image_analysis::once(&server, &mut other, photo)
                );
                pair.0.and(pair.1)?;
            }
            after.push(clock::resident_megabytes(server.id())?);
        }
    }
    report.add("ready, in a folder that is there", MeasuredFigure::times(&again), None, None, READY_GOAL);
    report.add("memory when ready", MeasuredFigure::megabytes(&at_rest), None, None, MEMORY_GOAL);
    report.add("memory after 200 calls", MeasuredFigure::megabytes(&after), None, None, MEMORY_GOAL);
    Ok(())
}
