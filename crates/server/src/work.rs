//! The jobs this build knows, and `assay work`, which runs them without serving.

use crate::{
    config::Config,
    house::House,
    serve::{load_models, once_the_database_answers, tend, told_to_stop},
    telemetry,
};
use anyhow::Context as _;
use domain::{
    accounts::{closing::CloseAccount, doors::SendLinks},
    delivery::{self, Sender},
    faces::{Faces, FacesError},
    mail::SendMail,
    proof::{RefreshTrust, ResolveProof},
    upkeep::{self, PurgeExpired, PurgeNonces},
};
use jobs::{Lane, Stopped, Worker};
use std::time::Duration;
use tokio::sync::watch;

/// A worker that knows every kind of job.
fn worker(house: &House) -> Worker {
    let House {
        db,
        world,
        proofs,
        mail,
        doors,
        closing,
        faces,
        moderations,
        identities,
        ages,
        keep_deliveries,
        ..
    } = house.clone();
    let (purged_db, purged_world) = (db.clone(), world.clone());
    let (resolving, refreshing) = (proofs.clone(), proofs);
    let (at_once, live_at_once) = house.moderations_at_once;
    let worker = Worker::new(db.clone(), world.clone())
        .lease(house.sender.lease)
        .slots(Lane::Heavy, at_once)
        .slots(Lane::Live, live_at_once)
        .handle(move |job: PurgeNonces, _| {
            let (db, world) = (db.clone(), world.clone());
            async move { job.run(&db, &world).await }
        })
        .handle(move |job: PurgeExpired, _| {
            let (db, world) = (purged_db.clone(), purged_world.clone());
            async move { job.run(&db, &*world, keep_deliveries).await }
        })
        .handle(move |job: ResolveProof, lease| {
            let proofs = resolving.clone();
            async move { proofs.resolve(&job, &lease).await }
        })
        .handle(move |_: RefreshTrust, _| {
            let proofs = refreshing.clone();
            async move { proofs.refresh_trust().await }
        })
        .handle(move |job: SendMail, lease| {
            let mail = mail.clone();
            async move { mail.send(&job, &lease).await }
        })
        .handle(move |job: SendLinks, lease| {
            let doors = doors.clone();
            async move { doors.send_links(&job, &lease).await }
        })
        .handle(move |job: CloseAccount, lease| {
            let closing = closing.clone();
            async move { closing.finish(&job, &lease).await }
        });
    ages.handle(identities.handle(moderations.handle(faces.handle(worker))))
}

/// Queues what recurs, then runs jobs and delivers until told to stop.
pub(crate) async fn work(house: House, stopped: Stopped) {
    if let Err(error) = upkeep::schedule(&house.db, &*house.world).await {
        tracing::error!(error = &error as &dyn std::error::Error, "housekeeping could not be queued");
    }
    let reporting = tokio::spawn(report(house.clone()));
    let renewing = tokio::spawn(renew(house.faces.clone()));
    let sender = Sender::new(house.db.clone(), house.world.clone(), house.outbox.clone(), house.sender);
    tokio::join!(worker(&house).work(stopped.clone()), sender.work(stopped));
    reporting.abort();
    renewing.abort();
}

/// Queues faces of another model to be embedded anew, as soon as the models are there.
async fn renew(faces: Faces) {
    loop {
        match faces.queue_reembedding().await {
            Ok(_) => return,
            Err(FacesError::NotReady(_)) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "faces could not be looked through");
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

async fn report(house: House) {
    let mut tick = tokio::time::interval(Duration::from_secs(15));
    loop {
        tick.tick().await;
        let (jobs, deliveries) = tokio::join!(jobs::report(&house.db), delivery::report(&house.db));
        if let Err(error) = jobs.and(deliveries) {
            tracing::warn!(error = &error as &dyn std::error::Error, "jobs and deliveries cannot be counted");
        }
    }
}

/// How `assay work` is called.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// For development: this machine may be called too, as with `assay serve --dev`.
    #[arg(long)]
    dev: bool,
}

/// `assay work`
pub(crate) async fn run(args: &Args, config: Config) -> anyhow::Result<()> {
    telemetry::install(&config.log)?;
    let house = House::open(&config, &config.public_url(), args.dev).await?;
    let db = house.db.clone();
    once_the_database_answers(async || Ok(db.migrate().await?)).await?;
    tokio::spawn(load_models(house.estimator.clone(), config.models()));
    tokio::spawn(tend(house.faces.clone()));
    let (stop, stopped) = watch::channel(false);
    let worker = tokio::spawn(work(house, stopped));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "working");
    told_to_stop().await;
    tracing::info!("stopping: no new jobs, running ones end");
    let _gone = stop.send(true);
    worker.await.context("the worker broke down")?;
    db.close().await;
    Ok(())
}
