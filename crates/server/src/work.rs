//! The jobs this build knows, and `assay work`, which runs them without serving.

use crate::{
    config::Config,
    serve::{load_models, refresh_face_indexes, retry_until_database_answers, shutdown_signal},
    services::Services,
    telemetry::Telemetry,
};
use anyhow::Context as _;
use domain::{
    accounts::{deletion::DeleteAccount, sign_in::SendSignInLinks},
    delivery::{self, DeliveryDispatcher},
    faces::{FaceIndexError, FaceIndexService},
    mail::SendMail,
    maintenance::{self, PurgeExpired, PurgeNonces},
    proof_of_age::{RefreshTrust, ResolveProof},
};
use jobs::{Lane, ShutdownSignal, Worker};
use std::time::Duration;
use tokio::sync::watch;

/// A worker that knows every kind of job.
fn build_worker(house: &Services) -> Worker {
    let Services {
        db,
        world,
        proof_of_age: proofs,
        mail,
        sign_in: doors,
        account_deletion: closing,
        face_index: faces,
        content_moderation: moderations,
        document_verification: identities,
        age_verification: ages,
        delivery_retention: keep_deliveries,
        ..
    } = house.clone();
    let (purged_db, purged_world) = (db.clone(), world.clone());
    let (resolving, refreshing) = (proofs.clone(), proofs);
    let (at_once, live_at_once) = house.moderations_at_once;
    let worker = Worker::new(db.clone(), world.clone())
        .lease_duration(house.delivery_settings.lease)
        .slots(Lane::Heavy, at_once)
        .slots(Lane::Live, live_at_once)
        .register(move |job: PurgeNonces, _| {
            let (db, world) = (db.clone(), world.clone());
            async move { job.run(&db, &world).await }
        })
        .register(move |job: PurgeExpired, _| {
            let (db, world) = (purged_db.clone(), purged_world.clone());
            async move { job.run(&db, &*world, keep_deliveries).await }
        })
        .register(move |job: ResolveProof, lease| {
            let proofs = resolving.clone();
            async move { proofs.resolve(&job, &lease).await }
        })
        .register(move |_: RefreshTrust, _| {
            let proofs = refreshing.clone();
            async move { proofs.refresh_trust().await }
        })
        .register(move |job: SendMail, lease| {
            let mail = mail.clone();
            async move { mail.send(&job, &lease).await }
        })
        .register(move |job: SendSignInLinks, lease| {
            let doors = doors.clone();
            async move { doors.send_sign_in_links(&job, &lease).await }
        })
        .register(move |job: DeleteAccount, lease| {
            let closing = closing.clone();
            async move { closing.resume(&job, &lease).await }
        });
    ages.handle(identities.register_jobs(moderations.handle(faces.handle(worker))))
}

/// Queues what recurs, then runs jobs and delivers until told to stop.
pub(crate) async fn run_jobs(house: Services, stopped: ShutdownSignal) {
    if let Err(error) = maintenance::schedule_recurring_jobs(&house.db, &*house.world).await {
        tracing::error!(error = &error as &dyn std::error::Error, "housekeeping could not be queued");
    }
    let reporting = tokio::spawn(report_queue_metrics(house.clone()));
    let renewing = tokio::spawn(queue_reembedding(house.face_index.clone()));
    let sender = DeliveryDispatcher::new(
        house.db.clone(),
        house.world.clone(),
        house.outbox.clone(),
        house.delivery_settings,
    );
    tokio::join!(build_worker(&house).run(stopped.clone()), sender.run(stopped));
    reporting.abort();
    renewing.abort();
}

/// Queues faces of another model to be embedded anew, as soon as the models are there.
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

async fn report_queue_metrics(house: Services) {
    let mut tick = tokio::time::interval(Duration::from_secs(15));
    loop {
        tick.tick().await;
        let (jobs, deliveries) =
            tokio::join!(jobs::report_metrics(&house.db), delivery::report_metrics(&house.db));
        if let Err(error) = jobs.and(deliveries) {
            tracing::warn!(error = &error as &dyn std::error::Error, "jobs and deliveries cannot be counted");
        }
    }
}

/// How `assay work` is called.
#[derive(clap::Args)]
pub(crate) struct WorkArgs {
    /// For development: this machine may be called too, as with `assay serve --dev`.
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
    let house = Services::open(config, &config.public_url(), args.dev).await?;
    let db = house.db.clone();
    retry_until_database_answers(async || Ok(db.migrate().await?)).await?;
    tokio::spawn(load_models(house.image_analyser.clone(), config.model_settings()));
    tokio::spawn(refresh_face_indexes(house.face_index.clone()));
    let (stop, stopped) = watch::channel(false);
    let worker = tokio::spawn(run_jobs(house, stopped));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "working");
    shutdown_signal().await;
    tracing::info!("stopping: no new jobs, running ones end");
    let _gone = stop.send(true);
    worker.await.context("the worker broke down")?;
    db.close().await;
    Ok(())
}
