//! A live video, watched until it ends or somebody stops it, through restarts of this server and short outages of the
//! stream.

use super::{
    ModerationRun, RunStopError, effects::RunEffects, face_tracks::FaceTracks, video::STOP_CHECK_INTERVAL,
};
use crate::content_moderation::NotificationReason;
use media::video::{SamplingRequest, VideoError};
use std::time::Duration;
use tokio::time::Instant;

/// Waits between attempts to open a stream again, in seconds; the last one is repeated.
const RECONNECT_DELAYS_SECONDS: [u64; 5] = [1, 2, 4, 8, 15];

impl ModerationRun {
    pub(super) async fn watch_live_video(&self, tracks: &mut FaceTracks) -> Result<(), RunStopError> {
        let mut outage = StreamOutage::default();
        loop {
            let pictures_before = tracks.pictures;
            let ended = self.watch_once(tracks).await;
            if tracks.pictures > pictures_before {
                outage = StreamOutage::default();
            }
            let error = match ended {
                Ok(StreamEnd::Finished) => return self.finish(tracks).await,
                Ok(StreamEnd::Interrupted) => None,
                Err(RunStopError::ContentUnavailable(error)) if may_come_back(&error, tracks.started) => {
                    Some(error)
                }
                Err(stop) => return Err(stop),
            };
            let since = *outage.since.get_or_insert_with(Instant::now);
            if since.elapsed() >= Duration::from_secs(self.runner.settings.max_outage_seconds.into()) {
                // A stream that broke off without an error, and has not come back, has ended.
                let Some(error) = error else {
                    return self.finish(tracks).await;
                };
                return Err(RunStopError::ContentUnavailable(error));
            }
            let wait = RECONNECT_DELAYS_SECONDS
                .get(outage.attempts)
                .or(RECONNECT_DELAYS_SECONDS.last())
                .copied()
                .unwrap_or(1);
            outage.attempts += 1;
            metrics::counter!("assay_live_outages_total").increment(1);
            self.sleep_unless_stopped(Duration::from_secs(wait)).await?;
        }
    }

    /// Opens the stream and watches it until it ends or breaks off.
    async fn watch_once(&self, tracks: &mut FaceTracks) -> Result<StreamEnd, RunStopError> {
        // Positions go on across restarts and outages: they are seconds since the moderation began.
        let position = self.runner.environment.now().duration_since(self.began_at).as_secs_f64();
        let sampling = SamplingRequest {
            live: true,
            from_seconds: position.max(tracks.time),
            frames_per_second: self.runner.settings.frames_per_second,
        };
        let source = self.source().await?;
        let frames = tokio::select! {
            frames = self.runner.videos.open(source, &sampling) => frames?,
            stop = self.wait_for_stop() => return Err(stop),
        };
        let ends = frames.ends();
        // A stream that says now that it has ended was watched before; its last part is not processed again.
        if ends.is_announced() && tracks.pictures > 0 {
            return Ok(StreamEnd::Finished);
        }
        if !tracks.started {
            tracks.started = true;
            let effects = RunEffects {
                notifications: vec![self.runner.ender.draft_action(NotificationReason::Started)],
                ..RunEffects::default()
            };
            self.commit_effects(Some(tracks), effects).await?;
        }
        self.process_frames(tracks, frames).await?;
        Ok(if ends.is_announced() { StreamEnd::Finished } else { StreamEnd::Interrupted })
    }

    /// Waits; fails at once when the run must stop.
    async fn sleep_unless_stopped(&self, wait: Duration) -> Result<(), RunStopError> {
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(()),
            stop = self.wait_for_stop() => Err(stop),
        }
    }

    /// Waits until the run must stop; returns why.
    async fn wait_for_stop(&self) -> RunStopError {
        loop {
            if let Err(stop) = self.check_stop_requested().await {
                return stop;
            }
            tokio::select! {
                () = self.lease.stop_requested() => return RunStopError::Handover,
                () = tokio::time::sleep(STOP_CHECK_INTERVAL) => {}
            }
        }
    }
}

/// Whether a stream may come back after an error. Of one that was watched before, servers say that it is not there while its
/// publisher connects again, or answer with nothing, with a page or with half a playlist, and cameras that pause send sound
/// alone; whoever may not watch it is refused for good.
fn may_come_back(error: &VideoError, was_watched: bool) -> bool {
    match error {
        VideoError::Status { status, .. } if was_watched => !matches!(status, 401 | 403),
        VideoError::Empty
        | VideoError::NoIndex
        | VideoError::NotAVideo
        | VideoError::NoVideoStream(_)
        | VideoError::Playlist(_)
        | VideoError::Unreliable(_)
            if was_watched =>
        {
            true
        }
        other => other.is_transient(),
    }
}

/// How a stream ended.
enum StreamEnd {
    /// The stream says that it has ended.
    Finished,
    /// It broke off and may come back.
    Interrupted,
}

/// An outage of a stream.
#[derive(Default)]
struct StreamOutage {
    since: Option<Instant>,
    /// How often the stream was opened again in vain.
    attempts: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use media::video::ContentAddress;

    #[test]
    fn only_a_stream_that_was_watched_is_waited_for_without_pictures() {
        for error in [
            VideoError::Empty,
            VideoError::NoIndex,
            VideoError::NotAVideo,
            VideoError::NoVideoStream("audio".to_owned()),
            VideoError::Playlist("what it names as a playlist is none"),
            VideoError::Unreliable("it does not speak RTSP"),
        ] {
            assert!(may_come_back(&error, true) && !may_come_back(&error, false), "{error}");
        }
        for error in [
            VideoError::Encrypted("SAMPLE-AES".to_owned()),
            VideoError::Redirects { limit: 5 },
            VideoError::Status { place: ContentAddress::Content, status: 403 },
        ] {
            assert!(!may_come_back(&error, true), "{error}");
        }
    }
}
