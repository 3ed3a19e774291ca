//! A peer: the `@vladmandic/human` package on its WASM backend, in another process (`benches/human.mjs`).

use crate::{
    checkout_paths::CheckoutPaths,
    image_analysis,
    peer_process::PeerProcess,
    report::{BenchReport, MeasuredFigure, line},
    sample_photo::SamplePhoto,
};
use anyhow::Context as _;
use measure::{clock, server_process::ServerProcess};
use std::{path::Path, time::Instant};

/// Photos that each side processes before it is the other's turn.
const PHOTOS_PER_TURN: usize = 5;

/// Our whole calls and the peer's decoding and models take turns on the same photo.
pub(crate) async fn measure(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    server: &ServerProcess,
    photo: &SamplePhoto,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let file = folder.join("photo.jpg");
    std::fs::write(&file, &photo.jpeg)?;
    let started = Instant::now();
    let mut human = PeerProcess::start_node(&place.peer.join("human.mjs"))?;
    let about = human.ask(&format!("setup {}", file.display()))?;
    let start = clock::milliseconds(started.elapsed());
    line(format_args!("peer: {about}"));
    let mut connection = server.connect().await?;
    for _ in 0..5 {
        human.ask("run")?;
        image_analysis::once(server, &mut connection, photo).await?;
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // Several photos per turn: after the other's turn, each side finds the processor's caches cold.
    for _ in 0..rounds {
        for _ in 0..PHOTOS_PER_TURN {
            let answer = human.ask("run")?;
            theirs.push(answer["ms"].as_f64().context("the peer tells its time")?);
        }
        for _ in 0..PHOTOS_PER_TURN {
            ours.push(image_analysis::once(server, &mut connection, photo).await?);
        }
    }
    let name = "human 3.3.6, WASM, decode and models alone";
    report.add(
        "whole call, wall clock",
        MeasuredFigure::times(&ours),
        Some((name, MeasuredFigure::times(&theirs))),
        None,
        None,
    );
    let resident = (
        MeasuredFigure::megabytes(&[clock::resident_megabytes(server.id())?]),
        MeasuredFigure::megabytes(&[clock::resident_megabytes(human.id())?]),
    );
    report.add("memory after these calls", resident.0, Some(("human 3.3.6, WASM", resident.1)), None, None);
    report.add("start of the peer, first photo included", MeasuredFigure::time(start), None, None, None);
    Ok(())
}
