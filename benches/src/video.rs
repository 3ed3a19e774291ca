//! Stored video, from a server on this machine to sampled frames, compared with ffmpeg alone on a file.

use crate::{
    checkout_paths::CheckoutPaths,
    report::{BenchReport, MeasuredFigure},
};
use anyhow::{Context as _, ensure};
use measure::clock::milliseconds;
use media::{
    fetch::Fetcher,
    video::{ContentLoader, SamplingRequest, VideoSettings},
};
use std::{
    hint::black_box,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};
use testkit::stub_server::{self, StubReply, StubServer};

/// Length of the clip.
const CLIP_SECONDS: f64 = 30.0;

/// Makes a clip from a photo of faces that moves, with the noise of a camera: 1080p, 30 frames per second, about 4
/// Mbit/s.
fn make(photo: &Path, file: &Path) -> anyhow::Result<()> {
    let motion = "scale=2400:1350:force_original_aspect_ratio=increase,\
        crop=1920:1080:x='(iw-1920)/2*(1+sin(t*0.7))':y='(ih-1080)/2*(1+cos(t*0.5))',\
        noise=alls=6:allf=t,format=yuv420p";
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-v", "error", "-y", "-loop", "1", "-framerate", "30", "-i"])
        .arg(photo)
        .args(["-t", &CLIP_SECONDS.to_string(), "-vf", motion, "-c:v", "libx264", "-preset", "faster"])
        .args(["-b:v", "4M", "-maxrate", "6M", "-bufsize", "8M", "-movflags", "+faststart"])
        .arg(file)
        .status()?;
    ensure!(made.success(), "ffmpeg makes the video");
    Ok(())
}

pub(crate) async fn measure(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let file = folder.join("video.mp4");
    make(&place.photos.join("sample1.jpg"), &file)?;
    let bytes = std::fs::read(&file)?;
    let server = StubServer::start_unrecorded(move |_| StubReply::body("video/mp4", bytes.clone())).await;
    let videos =
        ContentLoader::start(Fetcher::new(&stub_server::egress_policy())?, VideoSettings::default()).await?;
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let mut frames = videos.open(&server.url("/video.mp4"), &SamplingRequest::default()).await?;
        let mut count = 0;
        while let Some(frame) = frames.next().await? {
            black_box(frame);
            count += 1;
        }
        ours.push(CLIP_SECONDS * 1e3 / milliseconds(start.elapsed()));
        ensure!(count == (CLIP_SECONDS * 2.0) as usize, "{count} samples");
        let start = Instant::now();
        let alone = Command::new("ffmpeg")
            .args(["-nostdin", "-v", "error", "-threads", "2", "-i"])
            .arg(&file)
            .args(["-an", "-vf", "fps=2", "-f", "null", "-"])
            .stdout(Stdio::null())
            .status()
            .context("ffmpeg runs")?;
        ensure!(alone.success(), "ffmpeg decodes the video");
        peer.push(CLIP_SECONDS * 1e3 / milliseconds(start.elapsed()));
    }
    report.add(
        "seconds of 1080p30 video sampled twice a second, as pictures",
        MeasuredFigure::rates(&ours),
        Some(("ffmpeg -vf fps=2 on a file, without taking its pictures", MeasuredFigure::rates(&peer))),
        None,
        None,
    );
    Ok(())
}
