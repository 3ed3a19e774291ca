//! A stored video, from its beginning or its checkpoint to its end.

use super::{
    ModerationRun, RunStopError,
    effects::RunEffects,
    face_tracks::FaceTracks,
    frame_faces::{LooksWanted, frame_faces},
};
use crate::content_moderation::contents::ContentType;
use futures_util::StreamExt as _;
use media::video::{FrameStream, SamplingRequest};
use std::time::Duration;
use tokio::time::Instant;

/// How often a run that has nothing to report writes its checkpoint.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(5);
/// How often a run checks whether it must stop.
pub(super) const STOP_CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl ModerationRun {
    pub(super) async fn process_video(&self, tracks: &mut FaceTracks) -> Result<(), RunStopError> {
        let sampling = SamplingRequest {
            live: false,
            from_seconds: tracks.time,
            frames_per_second: self.runner.settings.frames_per_second,
        };
        let frames = self.runner.videos.open(self.source().await?, &sampling).await?;
        self.process_frames(tracks, frames).await?;
        self.finish(tracks).await
    }

    /// Processes all pictures that a decoder gives.
    pub(super) async fn process_frames(
        &self,
        tracks: &mut FaceTracks,
        frames: FrameStream,
    ) -> Result<(), RunStopError> {
        tracks.side = frames.probe().width.max(frames.probe().height);
        let (settings, is_live) =
            (&self.runner.settings, self.context.content_type == ContentType::LiveVideo);
        let wanted = LooksWanted::default();
        let mut detections = frame_faces(&self.analyser, settings, frames, is_live, wanted.clone());
        let mut effects = RunEffects::default();
        let (mut committed, mut checked) = (Instant::now(), Instant::now());
        loop {
            let wait = STOP_CHECK_INTERVAL.saturating_sub(checked.elapsed());
            let detected = tokio::select! {
                detected = detections.next() => detected,
                () = self.lease.stop_requested() => return Err(RunStopError::Handover),
                () = tokio::time::sleep(wait) => {
                    self.check_stop_requested().await?;
                    checked = Instant::now();
                    continue;
                }
            };
            let Some(detected) = detected else { return Ok(()) };
            wanted.set(self.ingest_frame(tracks, detected?, &mut effects).await?);
            if !effects.is_empty() || committed.elapsed() >= CHECKPOINT_INTERVAL {
                self.commit_effects(Some(tracks), std::mem::take(&mut effects)).await?;
                committed = Instant::now();
            }
            if checked.elapsed() >= STOP_CHECK_INTERVAL {
                self.check_stop_requested().await?;
                checked = Instant::now();
            }
        }
    }
}
