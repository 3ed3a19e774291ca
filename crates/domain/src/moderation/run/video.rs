//! A stored video: from its start, or its checkpoint, to its end.

use super::{Effects, Halt, Moderations, Task, appearance::Appearances};
use crate::moderation::ModerationState;
use futures_util::StreamExt as _;
use media::video::{Ask, Frames};
use std::{
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;
use vision::Sweep;

/// A run that has nothing to say keeps how far it is this often.
const KEEP_EVERY: Duration = Duration::from_secs(5);
/// A run looks this often whether it is to stop.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(1);

impl Moderations {
    pub(super) async fn look_at_video(&self, task: &Task, seen: &mut Appearances) -> Result<(), Halt> {
        let ask = Ask { live: false, from: seen.time, rate: self.0.settings.rate };
        let frames = self.0.videos.open(&task.telling.url, &ask).await?;
        self.follow(task, seen, frames).await?;
        self.end(task, seen).await
    }

    /// Ends a run that saw everything there is.
    pub(super) async fn end(&self, task: &Task, seen: &mut Appearances) -> Result<(), Halt> {
        let mut effects = self.close(task, seen).await?;
        effects.end = Some((ModerationState::Done, None));
        self.keep(task, Some(seen), effects).await
    }

    /// Takes in all that a decoder gives, to its end. Several pictures are looked at side by side, and taken in in order.
    pub(super) async fn follow(
        &self,
        task: &Task,
        seen: &mut Appearances,
        frames: Frames,
    ) -> Result<(), Halt> {
        seen.side = frames.probe().width.max(frames.probe().height);
        // Pictures that are looked at side by side belong to different sweeps, so that none waits for another.
        let ahead = self.0.settings.ahead.max(1);
        let smallest = self.0.settings.smallest_face;
        let sweeps: Vec<_> = (0..ahead).map(|_| Arc::new(Mutex::new(Sweep::new(smallest)))).collect();
        let pictures = futures_util::stream::unfold(frames, |mut frames| async move {
            let next = frames.next().await.transpose()?;
            Some((next, frames))
        });
        let looks = pictures.zip(futures_util::stream::iter(sweeps.into_iter().cycle())).map(
            |(frame, sweep)| async move {
                match frame {
                    Ok(frame) => self.look(sweep, frame).await,
                    Err(error) => Err(error.into()),
                }
            },
        );
        let mut looks = pin!(looks.buffered(ahead));
        let mut effects = Effects::default();
        let (mut kept, mut checked) = (Instant::now(), Instant::now());
        loop {
            let wait = CHECK_EVERY.saturating_sub(checked.elapsed());
            let looked = tokio::select! {
                looked = looks.next() => looked,
                () = task.lease.stopping() => return Err(Halt::Moving),
                () = tokio::time::sleep(wait) => {
                    self.check(task).await?;
                    checked = Instant::now();
                    continue;
                }
            };
            let Some(looked) = looked else { return Ok(()) };
            self.take_in(task, seen, looked?, &mut effects).await?;
            if !effects.is_empty() || kept.elapsed() >= KEEP_EVERY {
                self.keep(task, Some(seen), std::mem::take(&mut effects)).await?;
                kept = Instant::now();
            }
            if checked.elapsed() >= CHECK_EVERY {
                self.check(task).await?;
                checked = Instant::now();
            }
        }
    }
}
