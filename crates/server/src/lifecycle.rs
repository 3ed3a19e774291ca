//! What `assay serve` and `assay work` have in common: upkeep of the process, and the signal to
//! stop.

use crate::{config::Config, operator::operator};
use anyhow::Context as _;
use db::{AuditEvent, Db};
use domain::{
    faces::FaceIndexService,
    image_analysis::{ImageAnalyser, ModelPoolSettings},
};
use std::{path::PathBuf, time::Duration};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::MissedTickBehavior,
};

/// Records that a process starts, and with which settings. They contain no secrets: those are in files of their own.
pub(crate) async fn record_start(db: &Db, command: &'static str, config: &Config) -> anyhow::Result<()> {
    let mut tx = db.write().await?;
    let event = AuditEvent::new("server.start").target(command);
    tx.audit(
        event
            .detail("version", env!("CARGO_PKG_VERSION"))
            .detail("settings", serde_json::to_value(config).context("the settings")?),
    );
    tx.set_actor(operator());
    Ok(tx.commit().await?)
}

/// Says which folder or file of the installation others than its owner may look into.
pub(crate) fn report_exposed_paths(config: &Config) {
    for (path, mode) in config.exposed_paths() {
        tracing::warn!(
            path = %path.display(), mode = format!("{mode:04o}"),
            "others than its owner can look into this; take their rights away (chmod go=)"
        );
    }
}

/// Says what this machine lacks of the sandbox for ffmpeg and poppler, and what it cannot protect.
pub(crate) async fn report_sandbox(readable: Vec<(PathBuf, PathBuf)>) {
    for (private, path) in readable {
        tracing::warn!(
            private = %private.display(), path = %path.display(),
            "children that read untrusted files can read what they must not; move it"
        );
    }
    match media::sandbox::probe().await {
        Ok(missing) if missing.is_empty() => {
            tracing::info!("children are confined by every part of the sandbox");
        }
        Ok(missing) => {
            for lacking in missing {
                tracing::warn!(part = %lacking.part, reason = lacking.reason, "children lack a part of the sandbox");
            }
            if media::sandbox::refuses_children() {
                tracing::error!(
                    "no children are started, because children.require_sandbox is set; run `assay doctor`"
                );
            }
        }
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "children cannot be started");
        }
    }
}

/// Loads the models, and tries again every few seconds until that succeeds: they may be imported while the server runs.
pub(crate) async fn load_models(analyser: ImageAnalyser, settings: ModelPoolSettings) {
    loop {
        let (analyser, settings) = (analyser.clone(), settings.clone());
        let folder = settings.folder.clone();
        match tokio::task::spawn_blocking(move || analyser.load(&settings)).await {
            Ok(Ok(())) => {
                tracing::info!(folder = %folder.display(), "models loaded");
                return;
            }
            Ok(Err(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, folder = %folder.display(), "no models; run `assay doctor`");
            }
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "loading the models broke down");
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// Keeps the face indexes of this process up to date while nobody searches them.
pub(crate) async fn refresh_face_indexes(faces: FaceIndexService) {
    let mut tick = tokio::time::interval(Duration::from_mins(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = faces.maintain_indexes().await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "indexes of faces are left as they are"
            );
        }
    }
}

/// Completes when the process gets SIGTERM or SIGINT.
pub(crate) async fn shutdown_signal() {
    let (terminate, interrupt) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    match (terminate, interrupt) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
        _ => std::future::pending().await,
    }
}
