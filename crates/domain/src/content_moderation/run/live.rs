//! A live video: watched until somebody stops it, through restarts of this server and short outages of the stream.

use super::{
    ContentModerationService, ModerationRun, RunEffects, RunStopError, face_tracks::FaceTracks,
    video::STOP_CHECK_INTERVAL,
};
use crate::content_moderation::NotificationReason;
use media::video::SamplingRequest;
use std::time::Duration;
use tokio::time::Instant;

/// Waits between attempts to get a stream back, seconds; the last is repeated.
const RECONNECT_DELAYS_SECONDS: [u64; 5] = [1, 2, 4, 8, 15];

impl ContentModerationService {
    pub(super) async fn run_live_video(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
    ) -> Result<(), RunStopError> {
        let mut away = StreamOutage::default();
        loop {
            let before = seen.pictures;
            let ended = self.watch_once(task, seen).await;
            if seen.pictures > before {
                away = StreamOutage::default();
            }
            let error = match ended {
                Ok(StreamEnd::Finished) => {
                    return self.finish_run(task, seen).await;
                }
                Ok(StreamEnd::Interrupted) => None,
                Err(RunStopError::ContentUnavailable(error)) if error.is_transient() => Some(error),
                Err(halt) => return Err(halt),
            };
            let since = *away.since.get_or_insert_with(Instant::now);
            if since.elapsed() >= Duration::from_secs(self.0.settings.max_outage_seconds.into()) {
                // Whoever left without a word was heard to the end.
                let Some(error) = error else {
                    return self.finish_run(task, seen).await;
                };
                return Err(RunStopError::ContentUnavailable(error));
            }
            let wait = RECONNECT_DELAYS_SECONDS
                .get(away.attempts)
                .or(RECONNECT_DELAYS_SECONDS.last())
                .copied()
                .unwrap_or(1);
            away.attempts += 1;
            metrics::counter!("assay_live_outages_total").increment(1);
            self.sleep_unless_stopped(task, Duration::from_secs(wait)).await?;
        }
    }

    /// Watches until the stream breaks off.
    async fn watch_once(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
    ) -> Result<StreamEnd, RunStopError> {
        // Times go on across restarts and outages: seconds since the moderation was begun.
        let from = self.0.world.now().duration_since(task.began_at).as_secs_f64().max(seen.time);
        let ask = SamplingRequest {
            live: true,
            from_seconds: from,
            frames_per_second: self.0.settings.frames_per_second,
        };
        let frames = tokio::select! {
            frames = self.0.videos.open(&task.context.url, &ask) => frames?,
            halt = self.wait_for_stop(task) => return Err(halt),
        };
        let ends = frames.ends();
        // What is complete now was watched before; its last part is not shown again.
        if ends.is_announced() && seen.pictures > 0 {
            return Ok(StreamEnd::Finished);
        }
        if !seen.started {
            seen.started = true;
            let effects = RunEffects {
                notifications: vec![self.draft_action(NotificationReason::Started)],
                ..RunEffects::default()
            };
            self.commit_effects(task, Some(seen), effects).await?;
        }
        self.process_frames(task, seen, frames).await?;
        Ok(if ends.is_announced() { StreamEnd::Finished } else { StreamEnd::Interrupted })
    }

    /// Waits, unless the run is to stop.
    async fn sleep_unless_stopped(&self, task: &ModerationRun, wait: Duration) -> Result<(), RunStopError> {
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(()),
            halt = self.wait_for_stop(task) => Err(halt),
        }
    }

    /// Why the run is to stop, when it is.
    async fn wait_for_stop(&self, task: &ModerationRun) -> RunStopError {
        loop {
            if let Err(halt) = self.check_stop_requested(task).await {
                return halt;
            }
            tokio::select! {
                () = task.lease.stop_requested() => return RunStopError::Handover,
                () = tokio::time::sleep(STOP_CHECK_INTERVAL) => {}
            }
        }
    }
}

/// How watching ended.
enum StreamEnd {
    /// The stream said that it is over.
    Finished,
    /// It broke off, and may come back.
    Interrupted,
}

/// How long a stream has been away.
#[derive(Default)]
struct StreamOutage {
    since: Option<Instant>,
    attempts: usize,
}
