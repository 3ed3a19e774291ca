//! A stored video: from its start, or its checkpoint, to its end.

use super::{Effects, Halt, Moderations, Task, appearance::Appearances};
use crate::moderation::State;
use futures_util::StreamExt as _;
use media::video::{Ask, Frames};
use std::{pin::pin, time::Duration};
use tokio::time::Instant;

/// A run that has nothing to say keeps how far it is this often.
const KEEP_EVERY: Duration = Duration::from_secs(5);
/// A run looks this often whether it is to stop.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(1);

impl Moderations {
    pub(super) async fn look_at_video(&self, task: &Task, seen: &mut Appearances) -> Result<(), Halt> {
        let ask = Ask { live: false, from: seen.time, rate: self.0.settings.rate };
        let frames = self.0.videos.open(&task.telling.url, &ask).await?;
        self.follow(task, seen, frames).await?;
        let mut effects = self.close(task, seen).await?;
        effects.end = Some((State::Done, None));
        self.keep(task, None, effects).await
    }

    /// Takes in all that a decoder gives, to its end. Several pictures are looked at side by side, and taken in in order.
    pub(super) async fn follow(
        &self,
        task: &Task,
        seen: &mut Appearances,
        frames: Frames,
    ) -> Result<(), Halt> {
        let first = seen.pictures;
        let pictures = futures_util::stream::unfold((frames, first), |(mut frames, number)| async move {
            let next = frames.next().await.transpose()?;
            Some(((number, next), (frames, number + 1)))
        });
        let looks = pictures.map(|(number, frame)| async move {
            match frame {
                Ok(frame) => self.look(number, frame).await,
                Err(error) => Err(error.into()),
            }
        });
        let mut looks = pin!(looks.buffered(self.0.settings.ahead.max(1)));
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
