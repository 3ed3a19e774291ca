//! The jobs this build knows, and `assay work`, which runs them without serving.

use crate::{config::Config, serve::told_to_stop, telemetry};
use anyhow::Context as _;
use base::{SystemWorld, World};
use db::Db;
use domain::upkeep::{self, PurgeNonces};
use jobs::{Stopped, Worker};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// A worker that knows every kind of job.
fn worker(db: &Db, world: &Arc<dyn World>) -> Worker {
    let (of, at) = (db.clone(), world.clone());
    Worker::new(db.clone(), world.clone()).handle(move |job: PurgeNonces, _| {
        let (db, world) = (of.clone(), at.clone());
        async move { job.run(&db, &world).await }
    })
}

/// Queues what recurs, and works until told to stop.
pub(crate) async fn work(db: Db, world: Arc<dyn World>, stopped: Stopped) {
    if let Err(error) = upkeep::schedule(&db, &*world).await {
        tracing::error!(error = &error as &dyn std::error::Error, "housekeeping could not be queued");
    }
    let reporting = tokio::spawn(report(db.clone()));
    worker(&db, &world).work(stopped).await;
    reporting.abort();
}

async fn report(db: Db) {
    let mut tick = tokio::time::interval(Duration::from_secs(15));
    loop {
        tick.tick().await;
        if let Err(error) = jobs::report(&db).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "jobs cannot be counted");
        }
    }
}

/// `assay work`
pub(crate) async fn run(config: Config) -> anyhow::Result<()> {
    telemetry::install(&config.log)?;
    let db = config.open_database()?;
    db.migrate().await.context("the database is not ready")?;
    let (stop, stopped) = watch::channel(false);
    let worker = tokio::spawn(work(db.clone(), Arc::new(SystemWorld), stopped));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "working");
    told_to_stop().await;
    tracing::info!("stopping: no new jobs, running ones end");
    let _gone = stop.send(true);
    worker.await.context("the worker broke down")?;
    db.close().await;
    Ok(())
}
