//! Stored video, from a server on this machine to sampled pictures, beside ffmpeg alone on a file.

use crate::{
    clock::milliseconds,
    report::{Figure, Report},
    server::Place,
};
use anyhow::{Context as _, ensure};
use media::{
    fetch::Fetcher,
    video::{Ask, Settings, Videos},
};
use std::{
    hint::black_box,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};
use testkit::receiver::{self, Receiver, Reply};

/// Seconds of video.
const LENGTH: f64 = 30.0;

/// A photo of faces that moves about, with the noise of a camera: 1080p, 30 frames a second, about 4 Mbit/s.
fn make(photo: &Path, file: &Path) -> anyhow::Result<()> {
    let motion = "scale=2400:1350:force_original_aspect_ratio=increase,\
        crop=1920:1080:x='(iw-1920)/2*(1+sin(t*0.7))':y='(ih-1080)/2*(1+cos(t*0.5))',\
        noise=alls=6:allf=t,format=yuv420p";
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-v", "error", "-y", "-loop", "1", "-framerate", "30", "-i"])
        .arg(photo)
        .args(["-t", &LENGTH.to_string(), "-vf", motion, "-c:v", "libx264", "-preset", "faster"])
        .args(["-b:v", "4M", "-maxrate", "6M", "-bufsize", "8M", "-movflags", "+faststart"])
        .arg(file)
        .status()?;
    ensure!(made.success(), "ffmpeg makes the video");
    Ok(())
}

pub(crate) async fn measure(
    report: &mut Report,
    place: &Place,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let file = folder.join("video.mp4");
    make(&place.photos.join("sample1.jpg"), &file)?;
    let bytes = std::fs::read(&file)?;
    let server = Receiver::quiet(move |_| Reply::body("video/mp4", bytes.clone())).await;
    let videos = Videos::start(Fetcher::new(&receiver::policy())?, Settings::default()).await?;
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let mut frames = videos.open(&server.url("/video.mp4"), &Ask::default()).await?;
        let mut count = 0;
        while let Some(frame) = frames.next().await? {
            black_box(frame);
            count += 1;
        }
        ours.push(LENGTH * 1e3 / milliseconds(start.elapsed()));
        ensure!(count == (LENGTH * 2.0) as usize, "{count} samples");
        let start = Instant::now();
        let alone = Command::new("ffmpeg")
            .args(["-nostdin", "-v", "error", "-threads", "2", "-i"])
            .arg(&file)
            .args(["-an", "-vf", "fps=2", "-f", "null", "-"])
            .stdout(Stdio::null())
            .status()
            .context("ffmpeg runs")?;
        ensure!(alone.success(), "ffmpeg decodes the video");
        peer.push(LENGTH * 1e3 / milliseconds(start.elapsed()));
    }
    report.add(
        "seconds of 1080p30 video sampled twice a second, as pictures",
        Figure::rates(&ours),
        Some(("ffmpeg -vf fps=2 on a file, without taking its pictures", Figure::rates(&peer))),
        None,
        None,
    );
    Ok(())
}
