//! Makes clips of portraits with ffmpeg: 1080p at 30 pictures a second, H.264 with key frames up to 250 pictures apart.

use anyhow::{Context as _, ensure};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Length of each clip, seconds.
const CLIP_SECONDS: u32 = 30;
/// Length of a shot in the clip of cuts, seconds.
const SHOT_SECONDS: f64 = 1.5;

/// Where and when somebody visits: the start and the length in seconds, the place of the portrait's corner and its width in
/// pixels. Some stand beside the person who is there all the time, some are seen for no more than two pictures.
const VISITS: [(f64, f64, u32, u32, u32); 10] = [
    (1.3, 1.1, 60, 60, 260),
    (3.9, 1.6, 1500, 80, 220),
    (6.6, 2.5, 100, 620, 320),
    (9.8, 1.2, 1380, 560, 300),
    (12.2, 3.1, 1560, 300, 340),
    (15.4, 1.1, 40, 300, 240),
    (17.7, 2.0, 900, 40, 200),
    (20.9, 1.4, 420, 700, 280),
    (23.6, 1.1, 1600, 700, 280),
    (26.3, 2.2, 260, 120, 240),
];

/// Makes all clips of the portraits in `portraits`, in `folder`; returns their names and files.
pub(crate) fn make(portraits: &Path, folder: &Path) -> anyhow::Result<Vec<(&'static str, PathBuf)>> {
    let mut photos: Vec<PathBuf> = std::fs::read_dir(portraits)
        .with_context(|| format!("{} cannot be read", portraits.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<_>>()?;
    photos.retain(|file| file.extension().is_some_and(|end| end == "jpg"));
    photos.sort();
    let needed = (f64::from(CLIP_SECONDS) / SHOT_SECONDS) as usize;
    ensure!(photos.len() >= needed, "at least {needed} portraits (.jpg) are needed");
    let mut clips = Vec::new();
    for (name, filters, inputs) in [
        ("one person, noise", person(12), 1),
        ("one person, no noise", person(0), 1),
        ("visits, noise", visits(12), 1 + VISITS.len()),
        ("visits, no noise", visits(0), 1 + VISITS.len()),
        ("cuts, faces in one place", cuts(needed), needed),
    ] {
        let file = folder.join(format!("{}.mp4", name.replace([' ', ','], "_")));
        if !file.exists() {
            encode(&photos[..inputs], &filters, &file)?;
        }
        clips.push((name, file));
    }
    Ok(clips)
}

/// One person, 620 pixels wide, who moves from side to side.
fn person(noise: u32) -> String {
    let noise = if noise > 0 { format!(",noise=alls={noise}:allf=t") } else { String::new() };
    format!(
        "gradients=s=1920x1080:r=30:speed=0.02:seed=7{noise}[back];[0:v]scale=620:-2[person];\
         [back][person]overlay=x='650+500*sin(t/4)':y=200:eof_action=repeat"
    )
}

/// The same person, and others who are there for a moment.
fn visits(noise: u32) -> String {
    let mut filters = person(noise);
    filters.extend(VISITS.iter().enumerate().map(|(number, (from, length, x, y, width))| {
        let (input, to) = (number + 1, from + length);
        format!(
            "[before{number}];[{input}:v]scale={width}:-2[visitor{number}];[before{number}][visitor{number}]\
             overlay=x={x}:y={y}:eof_action=repeat:enable='between(t,{from},{to})'"
        )
    }));
    filters
}

/// A cut to somebody else every [`SHOT_SECONDS`], each in the middle of the same grey.
fn cuts(shots: usize) -> String {
    let mut filters = String::new();
    filters.extend((0..shots).map(|shot| {
        format!(
            "[{shot}:v]scale=700:1000:force_original_aspect_ratio=decrease,pad=1920:1080:(ow-iw)/2:(oh-ih)/2:gray,\
             setsar=1,loop=-1:1,fps=30,trim=duration={SHOT_SECONDS},setpts=PTS-STARTPTS[shot{shot}];"
        )
    }));
    filters.extend((0..shots).map(|shot| format!("[shot{shot}]")));
    filters + &format!("concat=n={shots}:v=1:a=0,noise=alls=6:allf=t")
}

fn encode(photos: &[PathBuf], filters: &str, file: &Path) -> anyhow::Result<()> {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-nostdin", "-v", "error", "-y"]).stdout(Stdio::null());
    for photo in photos {
        ffmpeg.arg("-i").arg(photo);
    }
    let made = ffmpeg
        .args(["-filter_complex", filters, "-t", &CLIP_SECONDS.to_string(), "-c:v", "libx264"])
        .args(["-preset", "veryfast", "-b:v", "4M", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(file)
        .status()
        .context("ffmpeg runs")?;
    ensure!(made.success(), "ffmpeg makes {}", file.display());
    Ok(())
}
