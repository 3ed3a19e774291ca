//! `make bench`: Assay beside its peers, in one run; docs/PERFORMANCE.md explains each line.

mod ages;
mod bare;
mod call;
mod client;
mod clock;
mod decoders;
mod deliveries;
mod documents;
mod guard;
mod identity;
mod moderation;
mod nets;
mod overload;
mod peers;
mod photo;
mod proofs;
mod python;
mod report;
mod search;
mod server;
mod start;
mod video;

use anyhow::Context as _;
use bare::Bare;
use clap::{Parser, ValueEnum};
use photo::Photo;
use report::Report;
use server::{Place, Server};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use vision::Vision;

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
    #[arg(long = "only", value_enum)]
    only: Vec<Measure>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measure {
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
    Search,
    Video,
    Documents,
}

/// One thread for the client: it shares the cores with the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if cli.receive {
        deliveries::receive().await;
        return Ok(());
    }
    let wanted = |measure| cli.only.is_empty() || cli.only.contains(&measure);
    let rounds = cli.rounds.max(1);
    let root =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the checkout has a root")?;
    let place = Place::in_checkout(root)?;
    let folder = tempfile::tempdir()?;
    let photo = Arc::new(Photo::cut_out(&place, &mut Vision::load(&place.pack)?)?);
    let mut bare = Bare::open(&place, &photo.jpeg)?;

    let mut report = Report::new();
    if wanted(Measure::Decoders) {
        decoders::measure(&mut report, &photo.jpeg)?;
    }
    if wanted(Measure::Nets) {
        nets::measure(&mut report, &mut bare)?;
    }
    if wanted(Measure::Start) {
        start::measure(&mut report, &place, &photo, folder.path(), rounds).await?;
    }
    let settings: Vec<_> = cli.settings.iter().filter_map(|setting| setting.split_once('=')).collect();
    let (server, _) = Server::start(&place.server, &folder.path().join("data"), &settings).await?;
    if wanted(Measure::Call) {
        call::measure(&mut report, &place, &server, &photo, &mut bare, rounds).await?;
    }
    if wanted(Measure::Human) {
        peers::measure(&mut report, &place, &server, &photo, folder.path(), rounds).await?;
    }
    if wanted(Measure::Guard) {
        guard::measure(&mut report, &server, rounds).await?;
    }
    if wanted(Measure::Ages) {
        ages::measure(&mut report, &server, rounds).await?;
        ages::measure_page(&mut report, &server, root, rounds).await?;
    }
    drop(server);
    if wanted(Measure::Overload) {
        // One worker, so that a core is left for the client and for refusing.
        let settings = [("ASSAY__MODELS__WORKERS", "1")];
        let (server, _) = Server::start(&place.server, &folder.path().join("overload"), &settings).await?;
        overload::measure(&mut report, &server, &photo, 1).await?;
    }
    if wanted(Measure::Proofs) {
        proofs::measure(&mut report, rounds)?;
    }
    // Runtimes of their own, which cannot be started inside this one's thread.
    if wanted(Measure::Deliveries) {
        report = apart(report, folder.path(), deliveries::measure)?;
    }
    if wanted(Measure::Moderation) {
        report = apart(report, folder.path(), moderation::measure)?;
    }
    if wanted(Measure::Identity) {
        report = apart(report, folder.path(), identity::measure)?;
    }
    if wanted(Measure::Search) {
        search::measure(&mut report, &place, folder.path(), rounds)?;
    }
    if wanted(Measure::Video) {
        video::measure(&mut report, &place, folder.path(), rounds).await?;
    }
    if wanted(Measure::Documents) {
        documents::measure(&mut report, &place, folder.path())?;
    }
    if let Some(file) = &cli.json {
        report.write(file)?;
    }
    Ok(())
}

/// Measures in a thread of its own.
fn apart(
    mut report: Report,
    folder: &Path,
    measure: fn(&mut Report, &Path) -> anyhow::Result<()>,
) -> anyhow::Result<Report> {
    let folder = folder.to_owned();
    let measuring = std::thread::spawn(move || measure(&mut report, &folder).map(|()| report));
    measuring.join().map_err(|_| anyhow::anyhow!("measuring broke down"))?
}
