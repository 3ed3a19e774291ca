//! Running jobs and deliveries: `assay work`, and the working half of `assay serve`.

use crate::{
    config::{Config, OpenInstallation},
    lifecycle::{
        load_models, record_start, refresh_face_indexes, report_exposed_paths, report_sandbox,
        shutdown_signal,
    },
    startup::{InstallationWatch, open_installation_or_fail},
    telemetry::Telemetry,
};
use anyhow::Context as _;
use base::Environment;
use db::Db;
use domain::{
    data_keys::InstallationUse,
    delivery,
    faces::{FaceIndexError, FaceIndexService},
    maintenance,
    master_key::MasterKeyProvider,
};
use jobs::ShutdownSignal;
use services::Services;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// How long after it broke down work is begun anew: less than a lease lasts, and seldom enough for the log.
const RESTART_DELAY: Duration = Duration::from_secs(5);

/// How `assay work` is called.
#[derive(clap::Args)]
pub(crate) struct WorkArgs {
    /// For development: allow calls to this machine, as `assay serve --dev` does. Refused for a database that --dev did not
    /// make.
    #[arg(long)]
    dev: bool,
}

/// `assay work`
pub(crate) async fn run(args: &WorkArgs, config: Config) -> anyhow::Result<()> {
    let telemetry = Telemetry::install(&config.log)?;
    let ended = work(args, &config).await;
    telemetry.shut_down().await;
    ended
}

async fn work(args: &WorkArgs, config: &Config) -> anyhow::Result<()> {
    let provider: Arc<dyn MasterKeyProvider> = config.master_key_provider()?.into();
    provider.load()?;
    let db = config.open_database()?;
    let purpose = if args.dev { InstallationUse::Development } else { InstallationUse::Production };
    let keyring = open_installation_or_fail(config, &db, &*provider, purpose).await?;
    let image_analyser = config.new_image_analyser();
    let blobs = config.blob_backend()?;
    let installation = OpenInstallation { db: db.clone(), keyring, blobs, image_analyser };
    let services = config.open_services(installation, &config.public_url(), args.dev).await?;
    let mut watch = InstallationWatch::start(db.clone(), provider, "work").await;
    record_start(&services.db, "work", config).await?;
    report_exposed_paths(config);
    tokio::spawn(report_sandbox(config.paths_readable_by_children()));
    tokio::spawn(load_models(services.image_analyser.clone(), config.model_settings()));
    tokio::spawn(refresh_face_indexes(services.faces.clone()));
    let (stop, stopped) = watch::channel(false);
    let worker = tokio::spawn(run_jobs(services, stopped));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "working");
    let usable = tokio::select! {
        () = shutdown_signal() => true,
        () = watch.until_unusable() => false,
    };
    tracing::info!("stopping: no new jobs, running ones end");
    let _no_worker = stop.send(true);
    worker.await.map_err(std::io::Error::from).context("the worker broke down")?;
    watch.end().await;
    db.close().await;
    anyhow::ensure!(usable, "the schema of the database was changed, and this build cannot use it");
    Ok(())
}

/// Queues the recurring jobs, then runs jobs and delivers messages until told to stop.
pub(crate) async fn run_jobs(services: Services, stopped: ShutdownSignal) {
    let housekeeping = tokio::spawn(queue_housekeeping(services.db.clone(), services.environment.clone()));
    let metrics = tokio::spawn(report_queue_metrics(services.db.clone()));
    let reembedding = tokio::spawn(queue_reembedding(services.faces.clone()));
    let work = || services.build_worker().run(stopped.clone());
    let deliver = || services.delivery_dispatcher().run(stopped.clone());
    tokio::join!(
        keep_running("jobs", RESTART_DELAY, work),
        keep_running("deliveries", RESTART_DELAY, deliver)
    );
    housekeeping.abort();
    metrics.abort();
    reembedding.abort();
}

/// Queues the recurring jobs. Should the database fail, tries again until it does not: nothing else queues them.
async fn queue_housekeeping(db: Db, environment: Arc<dyn Environment>) {
    while let Err(error) = maintenance::schedule_recurring_jobs(&db, &*environment).await {
        tracing::error!(error = &error as &dyn std::error::Error, "housekeeping could not be queued");
        tokio::time::sleep(RESTART_DELAY).await;
    }
}

/// Runs what ends only when it is told to stop. Should it break down, it is begun anew after a while: the process answers requests
/// all the same, and must not do so without its work being done.
async fn keep_running<F: Future<Output = ()> + Send + 'static>(
    what: &'static str,
    restart_delay: Duration,
    begin: impl Fn() -> F,
) {
    while let Err(broken) = tokio::spawn(begin()).await {
        // Without the message of a panic, which may quote what was being read.
        let error = std::io::Error::from(broken);
        tracing::error!(what, error = &error as &dyn std::error::Error, "work broke down and is begun anew");
        tokio::time::sleep(restart_delay).await;
    }
}

/// Queues faces that another model has embedded to be embedded again, as soon as the models are loaded.
async fn queue_reembedding(faces: FaceIndexService) {
    loop {
        match faces.queue_reembedding().await {
            Ok(_) => return,
            Err(FaceIndexError::NotReady(_)) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "faces could not be looked through");
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

async fn report_queue_metrics(db: Db) {
    let mut tick = tokio::time::interval(Duration::from_secs(15));
    loop {
        tick.tick().await;
        let (jobs, deliveries) = tokio::join!(jobs::report_metrics(&db), delivery::report_metrics(&db));
        if let Err(error) = jobs.and(deliveries) {
            tracing::warn!(error = &error as &dyn std::error::Error, "jobs and deliveries cannot be counted");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn work_that_breaks_down_is_begun_anew() {
        let begun = Arc::new(AtomicUsize::new(0));
        let begin = || {
            let begun = begun.clone();
            async move { assert!(begun.fetch_add(1, Ordering::Relaxed) >= 2, "it breaks down twice") }
        };
        keep_running("a test", Duration::ZERO, begin).await;
        assert_eq!(begun.load(Ordering::Relaxed), 3);
    }
}
