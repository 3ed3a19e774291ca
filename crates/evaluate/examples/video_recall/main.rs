//! Measures what moderation finds in stored videos when it looks at the pictures that show something new, beside looking at
//! every picture, and what both cost: `video_recall <pack> <folder of portraits> <folder for clips> [<clip> ...]`.
//!
//! Clips are made of the portraits; further ones can be named. An appearance counts as found if one overlaps it in time whose
//! embedding is close enough to be the same person's. `AGE_LIMIT` is the age that is asked about (40): of those who look
//! younger when every picture is looked at, nobody may look older.

mod clips;
mod file_server;
mod strangers;

use anyhow::Context as _;
use base::SystemEnvironment;
use domain::{
    content_moderation::{
        ContentModerationSettings, VideoAppearance, VideoAppearances, VideoLooks, find_appearances,
    },
    image_analysis::{AnalysisRules, ImageAnalyser, ModelPoolSettings},
};
use file_server::FileServer;
use media::{
    fetch::Fetcher,
    video::{ContentLoader, VideoSettings},
};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};
use vision::{QueueLimits, embedding_distance, track::TrackingRules};

/// Kernel clock ticks in a second of processor time: `USER_HZ`, which is 100 on all of Linux's architectures.
const TICKS_PER_SECOND: f64 = 100.0;
/// By how much two appearances may miss each other and still be the same, seconds: the distance of two samples.
const SAMPLE_SECONDS: f64 = 0.5;

/// What a run cost.
#[derive(Clone, Copy)]
struct RunCost {
    /// Processor time of this program and of the processes that it ran, seconds.
    processor: f64,
    /// Seconds on the clock.
    elapsed: f64,
}

fn main() -> anyhow::Result<()> {
    vision::disable_runtime_telemetry()?;
    // Decoders are this executable, started again.
    media::sandbox::run_if_asked();
    measure_recall()
}

#[tokio::main]
async fn measure_recall() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [pack, portraits, folder, more @ ..] = &arguments[..] else {
        anyhow::bail!("usage: video_recall <pack> <folder of portraits> <folder for clips> [<clip> ...]");
    };
    let age_limit = std::env::var("AGE_LIMIT").ok().map_or(Ok(40), |years| years.parse::<u8>())?;
    let mut clips: Vec<(String, PathBuf)> =
        clips::make(portraits, folder)?.into_iter().map(|(name, file)| (name.to_owned(), file)).collect();
    for clip in more {
        let name = clip.file_stem().context("a file")?.to_string_lossy().into_owned();
        clips.push((name, clip.clone()));
    }
    let names = || (0..).map(|number| format!("{number}.mp4"));
    let files: HashMap<String, Vec<u8>> = names()
        .zip(&clips)
        .map(|(name, (_, file))| Ok((name, std::fs::read(file)?)))
        .collect::<anyhow::Result<_>>()?;
    let server = FileServer::start(files).await?;
    let analyser = ImageAnalyser::new(AnalysisRules::default());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = QueueLimits::by_count(8);
    analyser.load(&ModelPoolSettings { folder: pack.clone(), workers, queue, preload: true })?;
    let fetcher = Fetcher::new(&server.egress_policy())?;
    let mut table = Table::begin(age_limit);
    for (name, (title, file)) in names().zip(&clips) {
        let url = server.url(&name);
        let mut runs = Vec::new();
        for looks in [VideoLooks::Full, VideoLooks::Adaptive] {
            let videos = ContentLoader::start(fetcher.clone(), VideoSettings::default()).await?;
            let settings = ContentModerationSettings { looks, ..ContentModerationSettings::default() };
            // The models are loaded, and ffmpeg is found, before the clock starts.
            analyser.run_in_background(|_| ()).await?;
            videos.probe(&url, false).await?;
            let (processor, start) = (processor_seconds()?, Instant::now());
            let found =
                find_appearances(&videos, &analyser, &SystemEnvironment, &settings, &url, Some(age_limit))
                    .await?;
            let elapsed = start.elapsed().as_secs_f64();
            runs.push((found, RunCost { processor: processor_seconds()? - processor, elapsed }));
        }
        let [full, adaptive] = &runs[..] else { unreachable!("there are two ways") };
        let dropping = ffmpeg_alone(file, &[], &["-vf", "fps=2"])?;
        let key_frames = ffmpeg_alone(file, &["-skip_frame", "nokey"], &["-fps_mode", "passthrough"])?;
        table.add(title, full, adaptive, dropping, key_frames);
    }
    table.end();
    print_strangers(&strangers::similarities(pack, portraits)?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn print_strangers(similarities: &[f32]) {
    let at = |share: f64| similarities.get((similarities.len() as f64 * share) as usize);
    let [median, most] = [at(0.5), similarities.last()].map(|value| value.copied().unwrap_or(f32::NAN));
    println!(
        "Similarity of two people in {} ordered pairs of portraits: median {median:.2}, at most {most:.2}",
        similarities.len()
    );
}

/// Processor time of ffmpeg alone, on two threads, which decodes a file and drops its pictures; seconds.
fn ffmpeg_alone(file: &Path, before: &[&str], after: &[&str]) -> anyhow::Result<f64> {
    let start = processor_seconds()?;
    let decoded = Command::new("ffmpeg")
        .args(["-nostdin", "-v", "error", "-threads", "2"])
        .args(before)
        .arg("-i")
        .arg(file)
        .args(["-an"])
        .args(after)
        .args(["-f", "null", "-"])
        .stdout(Stdio::null())
        .status()?;
    anyhow::ensure!(decoded.success(), "ffmpeg decodes {}", file.display());
    Ok(processor_seconds()? - start)
}

/// Processor time of this program and of the processes that it waited for, seconds.
fn processor_seconds() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("a name in brackets")?;
    // proc_pid_stat(5): utime, stime, cutime and cstime are the fields 14 to 17; the first one here is the third.
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse::<u64>);
    Ok(ticks.sum::<Result<u64, _>>()? as f64 / TICKS_PER_SECOND)
}

/// Whether `other` shows the person of `appearance` at that time.
fn is_same(appearance: &VideoAppearance, other: &VideoAppearance) -> bool {
    let (track, found) = (&appearance.track, &other.track);
    let overlaps = found.from <= track.to + SAMPLE_SECONDS && found.to >= track.from - SAMPLE_SECONDS;
    let close = track
        .embedding()
        .zip(found.embedding())
        .is_some_and(|(one, another)| embedding_distance(&one, &another) <= TrackingRules::default().same);
    overlaps && close
}

/// The figures of all clips, printed as they come.
struct Table {
    age_limit: u8,
    appearances: usize,
    found: usize,
    young: usize,
    young_found: usize,
}

impl Table {
    #[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
    fn begin(age_limit: u8) -> Self {
        println!(
            "| clip | pictures | looks | appearances | found | below {age_limit} | found | processor seconds a minute: full | \
             adaptive | ffmpeg, 2 a second | ffmpeg, key frames | times real time: full | adaptive |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        Self { age_limit, appearances: 0, found: 0, young: 0, young_found: 0 }
    }

    #[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
    fn add(
        &mut self,
        title: &str,
        (full, full_cost): &(VideoAppearances, RunCost),
        (adaptive, adaptive_cost): &(VideoAppearances, RunCost),
        dropping: f64,
        key_frames: f64,
    ) {
        let seconds = full.pictures as f64 * SAMPLE_SECONDS;
        let is_young = |appearance: &VideoAppearance| {
            appearance.years.is_some_and(|years| years < f32::from(self.age_limit))
        };
        let find = |appearance: &VideoAppearance, young: bool| {
            let mut others = adaptive.appearances.iter().filter(|other| is_same(appearance, other));
            others.any(|other| !young || is_young(other))
        };
        let found = full.appearances.iter().filter(|appearance| find(appearance, false)).count();
        let young: Vec<_> = full.appearances.iter().filter(|appearance| is_young(appearance)).collect();
        let young_found = young.iter().filter(|appearance| find(appearance, true)).count();
        let young = young.len();
        println!(
            "| {title} | {} | {} | {} | {found} | {young} | {young_found} | {:.1} | {:.1} | {:.1} | {:.2} | {:.1} | {:.1} |",
            full.pictures,
            adaptive.looks,
            full.appearances.len(),
            full_cost.processor * 60.0 / seconds,
            adaptive_cost.processor * 60.0 / seconds,
            dropping * 60.0 / seconds,
            key_frames * 60.0 / seconds,
            seconds / full_cost.elapsed,
            seconds / adaptive_cost.elapsed,
        );
        self.appearances += full.appearances.len();
        self.found += found;
        self.young += young;
        self.young_found += young_found;
    }

    #[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
    fn end(&self) {
        let Self { appearances, found, young, young_found, age_limit } = self;
        println!(
            "\n{found} of {appearances} appearances found, {young_found} of {young} who look younger than {age_limit}"
        );
    }
}
