//! `make bench`: Assay compared with its peers, in one run; docs/PERFORMANCE.md explains each line.

mod age_verification;
mod bare_models;
mod baseline;
mod checkout_paths;
mod content_moderation;
mod decoders;
mod deliveries;
mod document_verification;
mod documents;
mod fairness;
mod human_peer;
mod image_analysis;
mod index_scan;
mod model_overhead;
mod overload;
mod peer_process;
mod proof_of_age;
mod report;
mod sample_photo;
mod search;
mod signed_requests;
mod startup;
mod video;

use anyhow::{Context as _, ensure};
use bare_models::BareModels;
use checkout_paths::CheckoutPaths;
use clap::{Parser, ValueEnum};
use measure::server_process::ServerProcess;
use report::BenchReport;
use sample_photo::SamplePhoto;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use vision::VisionModels;

/// Measure Assay beside its peers.
#[derive(Parser)]
struct Cli {
    /// Write everything to this file too, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Rounds; more of them help on a busy machine.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// A setting of the server, `ASSAY__SECTION__NAME=VALUE` (repeatable). Default: its own defaults.
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Be the receiver of deliveries; for the bench itself.
    #[arg(long, hide = true)]
    receive: bool,
    /// What to measure (repeatable). Default: everything.
    #[arg(long = "only", value_enum, conflicts_with = "short")]
    only: Vec<Benchmark>,
    /// Measure in a minute what has a bare peer on this machine, with few rounds: for every change.
    #[arg(long)]
    short: bool,
    /// Say what got slower than in this report of an earlier run, by the ratios to peers.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Fail where a ratio to a peer is this many times as bad as in the baseline. What seems so is measured again first.
    #[arg(long, value_name = "TIMES", requires = "baseline")]
    max_slowdown: Option<f64>,
    /// Measure nothing, and take this report instead.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "short", "json"])]
    measured: Option<PathBuf>,
}

/// How often [`Cli::max_slowdown`] is tried before it is believed that something got slower.
const MEASURING_ATTEMPTS: usize = 3;

/// Rounds of a short run.
const SHORT_ROUNDS: usize = 3;

/// What [`Cli::short`] measures.
const SHORT_BENCHMARKS: [Benchmark; 6] = [
    Benchmark::Nets,
    Benchmark::Call,
    Benchmark::Guard,
    Benchmark::Proofs,
    Benchmark::Deliveries,
    Benchmark::IndexScan,
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Benchmark {
    Decoders,
    Nets,
    Call,
    Human,
    Guard,
    Ages,
    Start,
    Overload,
    Proofs,
    Deliveries,
    Identity,
    Moderation,
    Fairness,
    IndexScan,
    Search,
    Video,
    Documents,
}

fn main() -> anyhow::Result<()> {
    vision::disable_runtime_telemetry()?;
    run()
}

/// One thread for the client: it shares the cores with the server.
#[tokio::main(flavor = "current_thread")]
async fn run() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if cli.receive {
        deliveries::receive().await;
        return Ok(());
    }
    let baseline = cli.baseline.as_deref().map(BenchReport::read).transpose()?;
    let mut slower = Vec::new();
    for _ in 0..MEASURING_ATTEMPTS {
        let report = match &cli.measured {
            Some(file) => BenchReport::read(file)?,
            None => measure(&cli).await?,
        };
        if let Some(file) = &cli.json {
            report.write(file)?;
        }
        let Some(baseline) = &baseline else { return Ok(()) };
        let compared = baseline::compare(baseline, &report)?;
        baseline::print(&compared);
        let max_slowdown = cli.max_slowdown.unwrap_or(f64::INFINITY);
        ensure!(cli.max_slowdown.is_none() || !compared.is_empty(), "nothing was compared");
        slower = compared.into_iter().filter(|row| row.slowdown > max_slowdown).map(|row| row.name).collect();
        if slower.is_empty() || cli.measured.is_some() {
            break;
        }
    }
    ensure!(slower.is_empty(), "slower than the baseline allows: {}", slower.join("; "));
    Ok(())
}

/// Measures what the command line asks for.
async fn measure(cli: &Cli) -> anyhow::Result<BenchReport> {
    let chosen = if cli.short { SHORT_BENCHMARKS.as_slice() } else { &cli.only };
    let wanted = |measure| chosen.is_empty() || chosen.contains(&measure);
    let rounds = if cli.short { SHORT_ROUNDS } else { cli.rounds.max(1) };
    let root =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the checkout has a root")?;
    let place = CheckoutPaths::in_checkout(root)?;
    let folder = tempfile::tempdir()?;
    let photo = Arc::new(SamplePhoto::cut_out(&place, &mut VisionModels::load(&place.model_pack)?)?);
    let mut bare = BareModels::open(&place, &photo.jpeg)?;

    let mut report = BenchReport::new();
    if wanted(Benchmark::Decoders) {
        decoders::measure(&mut report, &photo.jpeg)?;
    }
    if wanted(Benchmark::Nets) {
        model_overhead::measure(&mut report, &mut bare)?;
    }
    if wanted(Benchmark::Start) {
        startup::measure(&mut report, &place, &photo, folder.path(), rounds).await?;
    }
    let settings: Vec<_> = cli.settings.iter().filter_map(|setting| setting.split_once('=')).collect();
    let (server, _) = ServerProcess::start(&place.server, &folder.path().join("data"), &settings).await?;
    if wanted(Benchmark::Call) {
        image_analysis::measure(&mut report, &place, &server, &photo, &mut bare, rounds).await?;
    }
    if wanted(Benchmark::Human) {
        human_peer::measure(&mut report, &place, &server, &photo, folder.path(), rounds).await?;
    }
    if wanted(Benchmark::Guard) {
        signed_requests::measure(&mut report, &server, rounds).await?;
    }
    if wanted(Benchmark::Ages) {
        age_verification::measure(&mut report, &server, rounds).await?;
        age_verification::measure_page(&mut report, &server, root, rounds).await?;
    }
    drop(server);
    if wanted(Benchmark::Overload) {
        // One worker, so that a core is left for the client and for refusals.
        let settings = [("ASSAY__MODELS__WORKERS", "1")];
        let (server, _) =
            ServerProcess::start(&place.server, &folder.path().join("overload"), &settings).await?;
        overload::measure(&mut report, &server, &photo, 1).await?;
    }
    if wanted(Benchmark::Proofs) {
        proof_of_age::measure(&mut report, rounds)?;
    }
    // These need runtimes of their own, which cannot be started inside this thread's runtime.
    if wanted(Benchmark::Deliveries) {
        report = measure_in_thread(report, folder.path(), move |report, folder| {
            deliveries::measure(report, folder, rounds)
        })?;
    }
    if wanted(Benchmark::Moderation) {
        report = measure_in_thread(report, folder.path(), content_moderation::measure)?;
    }
    if wanted(Benchmark::Fairness) {
        report = measure_in_thread(report, folder.path(), fairness::measure)?;
    }
    if wanted(Benchmark::Identity) {
        report = measure_in_thread(report, folder.path(), document_verification::measure)?;
    }
    if wanted(Benchmark::IndexScan) {
        index_scan::measure(&mut report, folder.path(), rounds)?;
    }
    if wanted(Benchmark::Search) {
        search::measure(&mut report, &place, folder.path(), rounds)?;
    }
    if wanted(Benchmark::Video) {
        video::measure(&mut report, &place, folder.path(), rounds).await?;
    }
    if wanted(Benchmark::Documents) {
        documents::measure(&mut report, &place, folder.path())?;
    }
    Ok(report)
}

/// Runs a measurement in another thread.
fn measure_in_thread(
    mut report: BenchReport,
    folder: &Path,
    measure: impl FnOnce(&mut BenchReport, &Path) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<BenchReport> {
    let folder = folder.to_owned();
    let measuring = std::thread::spawn(move || measure(&mut report, &folder).map(|()| report));
    measuring.join().map_err(|_| anyhow::anyhow!("measuring broke down"))?
}
