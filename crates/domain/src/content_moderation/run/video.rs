//! A stored video, from its beginning or its checkpoint to its end.

use super::{
    ModerationRun, RunStopError,
    effects::RunEffects,
    face_tracks::{FaceTracks, detect_faces},
};
use futures_util::StreamExt as _;
use media::video::{FrameStream, SamplingRequest};
use std::{
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;
use vision::VideoTileScheduler;

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
        let frames = self.runner.videos.open(&self.context.url, &sampling).await?;
        self.process_frames(tracks, frames).await?;
        self.finish(tracks).await
    }

    /// Processes all pictures that a decoder gives. Faces are detected in several pictures in parallel; the results are
    /// taken in order.
    pub(super) async fn process_frames(
        &self,
        tracks: &mut FaceTracks,
        frames: FrameStream,
    ) -> Result<(), RunStopError> {
        tracks.side = frames.probe().width.max(frames.probe().height);
        // Pictures that are processed in parallel have tile schedulers of their own, so that none waits for another.
        let parallel = self.runner.settings.parallel_frames.max(1);
        let min_face_pixels = self.runner.settings.min_face_pixels;
        let schedulers: Vec<_> =
            (0..parallel).map(|_| Arc::new(Mutex::new(VideoTileScheduler::new(min_face_pixels)))).collect();
        let pictures = futures_util::stream::unfold(frames, |mut frames| async move {
            let next = frames.next().await.transpose()?;
            Some((next, frames))
        });
        let analyser = &self.runner.analyser;
        let detections = pictures.zip(futures_util::stream::iter(schedulers.into_iter().cycle())).map(
            |(frame, scheduler)| async move {
                match frame {
                    Ok(frame) => detect_faces(analyser, scheduler, frame).await,
                    Err(error) => Err(error.into()),
                }
            },
        );
        let mut detections = pin!(detections.buffered(parallel));
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
            self.ingest_frame(tracks, detected?, &mut effects).await?;
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
