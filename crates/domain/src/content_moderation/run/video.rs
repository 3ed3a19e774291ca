//! A stored video: from its start, or its checkpoint, to its end.

use super::{ContentModerationService, ModerationRun, RunEffects, RunStopError, face_tracks::FaceTracks};
use crate::content_moderation::ModerationState;
use futures_util::StreamExt as _;
use media::video::{FrameStream, SamplingRequest};
use std::{
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;
use vision::VideoTileScheduler;

/// A run that has nothing to say keeps how far it is this often.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(5);
/// A run looks this often whether it is to stop.
pub(super) const STOP_CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl ContentModerationService {
    pub(super) async fn run_video(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
    ) -> Result<(), RunStopError> {
        let ask = SamplingRequest {
            live: false,
            from_seconds: seen.time,
            frames_per_second: self.0.settings.frames_per_second,
        };
        let frames = self.0.videos.open(&task.context.url, &ask).await?;
        self.process_frames(task, seen, frames).await?;
        self.finish_run(task, seen).await
    }

    /// Ends a run that saw everything there is.
    pub(super) async fn finish_run(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
    ) -> Result<(), RunStopError> {
        let mut effects = self.close_tracks(task, seen).await?;
        effects.final_state = Some((ModerationState::Done, None));
        self.commit_effects(task, Some(seen), effects).await
    }

    /// Takes in all that a decoder gives, to its end. Several pictures are looked at side by side, and taken in in order.
    pub(super) async fn process_frames(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
        frames: FrameStream,
    ) -> Result<(), RunStopError> {
        seen.side = frames.probe().width.max(frames.probe().height);
        // Pictures that are looked at side by side belong to different sweeps, so that none waits for another.
        let ahead = self.0.settings.parallel_frames.max(1);
        let smallest = self.0.settings.min_face_pixels;
        let sweeps: Vec<_> =
            (0..ahead).map(|_| Arc::new(Mutex::new(VideoTileScheduler::new(smallest)))).collect();
        let pictures = futures_util::stream::unfold(frames, |mut frames| async move {
            let next = frames.next().await.transpose()?;
            Some((next, frames))
        });
        let looks = pictures.zip(futures_util::stream::iter(sweeps.into_iter().cycle())).map(
            |(frame, sweep)| async move {
                match frame {
                    Ok(frame) => self.detect_faces(sweep, frame).await,
                    Err(error) => Err(error.into()),
                }
            },
        );
        let mut looks = pin!(looks.buffered(ahead));
        let mut effects = RunEffects::default();
        let (mut kept, mut checked) = (Instant::now(), Instant::now());
        loop {
            let wait = STOP_CHECK_INTERVAL.saturating_sub(checked.elapsed());
            let looked = tokio::select! {
                looked = looks.next() => looked,
                () = task.lease.stop_requested() => return Err(RunStopError::Handover),
                () = tokio::time::sleep(wait) => {
                    self.check_stop_requested(task).await?;
                    checked = Instant::now();
                    continue;
                }
            };
            let Some(looked) = looked else { return Ok(()) };
            self.ingest_frame(task, seen, looked?, &mut effects).await?;
            if !effects.is_empty() || kept.elapsed() >= CHECKPOINT_INTERVAL {
                self.commit_effects(task, Some(seen), std::mem::take(&mut effects)).await?;
                kept = Instant::now();
            }
            if checked.elapsed() >= STOP_CHECK_INTERVAL {
                self.check_stop_requested(task).await?;
                checked = Instant::now();
            }
        }
    }
}
