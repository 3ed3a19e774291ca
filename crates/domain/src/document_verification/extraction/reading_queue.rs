//! The queue of documents that are to be read, and how long a person in it will probably wait.
//!
//! The order is that of the lane `documents`: whoever asked first is read first, whichever process reads.

use crate::document_verification::background_jobs::ReadDocument;
use base::{RunningMean, TaskId};
use db::{Db, DbError};
use jobs::QueuePosition;
use std::{sync::Arc, time::Duration};

/// What a document is taken to need until this process has read one.
const ASSUMED_READING_TIME: Duration = Duration::from_secs(2);

/// How many documents and faces a process has open at once: each takes much memory, and needs a worker anyway.
pub fn max_open_media() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Tells how long a document will wait; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct ReadingQueue {
    db: Db,
    /// What a job of the lane took from its start to its end.
    job_time: Arc<RunningMean>,
}

impl ReadingQueue {
    pub(in crate::document_verification) fn new(db: Db) -> Self {
        Self { db, job_time: Arc::default() }
    }

    /// Notes how long a job of the lane ran.
    pub(in crate::document_verification) fn note_job_time(&self, took: Duration) {
        self.job_time.note(took);
    }

    /// How long it will probably take until the document of a task is read; `None` if its job has ended.
    pub(in crate::document_verification) async fn expected_wait(
        &self,
        task: TaskId,
    ) -> Result<Option<Duration>, DbError> {
        let mut view = self.db.read().await?;
        let position = jobs::queue_position::<ReadDocument>(&mut view, &task.to_string()).await?;
        let job_time = self.job_time.get().unwrap_or(ASSUMED_READING_TIME);
        Ok(position.map(|position| expected_wait(position, job_time, max_open_media() as u64)))
    }
}

/// While `running` jobs run at once and each takes `job_time`, as many end in that time: so those ahead are done after
/// `ahead / running` of it. Where fewer run than one process can run (`slots`), the queue has only begun to form.
fn expected_wait(position: QueuePosition, job_time: Duration, slots: u64) -> Duration {
    let QueuePosition { is_running, ahead, running } = position;
    let at_once = running.max(slots.min(ahead)).max(1);
    let ahead = if is_running { 0.0 } else { ahead as f64 / at_once as f64 };
    job_time.mul_f64(1.0 + ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_with_those_ahead_and_shrinks_with_those_that_run_at_once() {
        let wait = |is_running, ahead, running| {
            let position = QueuePosition { is_running, ahead, running };
            expected_wait(position, Duration::from_secs(3), 4).as_secs_f64()
        };
        assert_eq!(wait(false, 0, 0), 3.0, "nobody else is there");
        assert_eq!(wait(true, 3, 4), 3.0, "it is being read");
        assert_eq!(wait(false, 40, 4), 33.0);
        assert_eq!(wait(false, 40, 8), 18.0, "two processes read");
        assert_eq!(wait(false, 40, 1), 33.0, "the others are about to begin");
    }
}
