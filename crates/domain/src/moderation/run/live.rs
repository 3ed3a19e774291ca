//! A live video: watched until somebody stops it, through restarts of this server and short outages of the stream.

use super::{Effects, Halt, Moderations, Task, appearance::Appearances, video::CHECK_EVERY};
use crate::moderation::NotificationReason;
use media::video::Ask;
use std::time::Duration;
use tokio::time::Instant;

/// Waits between attempts to get a stream back, seconds; the last is repeated.
const WAITS: [u64; 5] = [1, 2, 4, 8, 15];

impl Moderations {
    pub(super) async fn watch(&self, task: &Task, seen: &mut Appearances) -> Result<(), Halt> {
        let mut away = Away::default();
        loop {
            let before = seen.pictures;
            let ended = self.watch_once(task, seen).await;
            if seen.pictures > before {
                away = Away::default();
            }
            let error = match ended {
                Ok(Watched::Over) => {
                    return self.end(task, seen).await;
                }
                Ok(Watched::Away) => None,
                Err(Halt::Content(error)) if error.is_passing() => Some(error),
                Err(halt) => return Err(halt),
            };
            let since = *away.since.get_or_insert_with(Instant::now);
            if since.elapsed() >= Duration::from_secs(self.0.settings.outage.into()) {
                // Whoever left without a word was heard to the end.
                let Some(error) = error else {
                    return self.end(task, seen).await;
                };
                return Err(Halt::Content(error));
            }
            let wait = WAITS.get(away.attempts).or(WAITS.last()).copied().unwrap_or(1);
            away.attempts += 1;
            metrics::counter!("assay_live_outages_total").increment(1);
            self.rest(task, Duration::from_secs(wait)).await?;
        }
    }

    /// Watches until the stream breaks off.
    async fn watch_once(&self, task: &Task, seen: &mut Appearances) -> Result<Watched, Halt> {
        // Times go on across restarts and outages: seconds since the moderation was begun.
        let from = self.0.world.now().duration_since(task.began).as_secs_f64().max(seen.time);
        let ask = Ask { live: true, from, rate: self.0.settings.rate };
        let frames = tokio::select! {
            frames = self.0.videos.open(&task.telling.url, &ask) => frames?,
            halt = self.halted(task) => return Err(halt),
        };
        let ends = frames.ends();
        // What is complete now was watched before; its last part is not shown again.
        if ends.said() && seen.pictures > 0 {
            return Ok(Watched::Over);
        }
        if !seen.started {
            seen.started = true;
            let effects =
                Effects { news: vec![self.action(NotificationReason::Started)], ..Effects::default() };
            self.keep(task, Some(seen), effects).await?;
        }
        self.follow(task, seen, frames).await?;
        Ok(if ends.said() { Watched::Over } else { Watched::Away })
    }

    /// Waits, unless the run is to stop.
    async fn rest(&self, task: &Task, wait: Duration) -> Result<(), Halt> {
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(()),
            halt = self.halted(task) => Err(halt),
        }
    }

    /// Why the run is to stop, when it is.
    async fn halted(&self, task: &Task) -> Halt {
        loop {
            if let Err(halt) = self.check(task).await {
                return halt;
            }
            tokio::select! {
                () = task.lease.stopping() => return Halt::Moving,
                () = tokio::time::sleep(CHECK_EVERY) => {}
            }
        }
    }
}

/// How watching ended.
enum Watched {
    /// The stream said that it is over.
    Over,
    /// It broke off, and may come back.
    Away,
}

/// How long a stream has been away.
#[derive(Default)]
struct Away {
    since: Option<Instant>,
    attempts: usize,
}
