//! The queue of a pool: who may queue a job, which begins next, and what was done.

use base::{AppId, FairQueue, RunningMean};
use std::{
    collections::HashMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long a pool has had nothing to do when it gives back the memory that its jobs have freed. The C library keeps the
/// buffers of the nets in a heap for each worker, up to 20 MB; using them again costs a worker a few milliseconds, once.
pub(crate) const IDLE_BEFORE_MEMORY_IS_RETURNED: Duration = Duration::from_secs(5);

/// What an owner is charged for a job that waits for its turn: all the same, because it is not known yet how long they take.
const TURN_CHARGE: Duration = Duration::from_secs(1);

/// The share of a queue's room, one in so many, that is kept for owners who have no job waiting.
const KEPT_ROOM_DIVISOR: usize = 8;

/// Whose job it is; `None` for nobody in particular.
pub(crate) type JobOwner = Option<AppId>;

/// How much work may wait in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Jobs that may wait, whatever they take: what bounds the memory of the queue.
    pub max_queued: usize,
    /// How long a job may have to wait, by the mean time that jobs take.
    pub max_wait: Duration,
}

impl QueueLimits {
    /// A limit on the number of jobs alone.
    pub fn by_count(max_queued: usize) -> Self {
        Self { max_queued, max_wait: Duration::MAX }
    }
}

/// Counters of a pool since its start, but for `queued` and `running`, which are of this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    pub queued: u64,
    pub running: u64,
    /// Finished, panicked work included.
    pub done: u64,
    /// Refused because the queue was full or the wait too long.
    pub refused: u64,
    pub panicked: u64,
    /// Time spent working, summed over all workers.
    pub busy_time: Duration,
}

/// The queue is full, or the wait would be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all workers are busy")]
pub struct PoolBusyError {
    /// How long to wait before trying again.
    pub retry_after: Duration,
}

/// Where the workers of a pool get their jobs. All but one of the workers, the express worker, take what is next.
#[derive(Debug)]
pub(crate) struct JobQueue<J> {
    /// Without the express worker.
    workers: usize,
    state: Mutex<JobQueueState<J>>,
    /// Signalled where one more job may begin, or the queue is closed.
    changed: Condvar,
    /// Signalled where there may be a job for the express worker, or the queue is closed.
    express_changed: Condvar,
}

#[derive(Debug)]
struct JobQueueState<J> {
    /// Jobs that the next free worker may begin.
    ready: FairQueue<JobOwner, QueuedJob<J>>,
    /// Jobs in turn that wait until fewer of them are ready or running.
    in_turn: FairQueue<JobOwner, J>,
    /// How many of those are ready or running, without the one below.
    admitted_in_turn: usize,
    /// Whether one more of them is, of an owner who had no job ready or running: the express worker could do it.
    is_one_more_admitted: bool,
    /// How many jobs of each owner are running.
    running_of: HashMap<JobOwner, usize>,
    /// Workers that have one of them, but for the express worker.
    busy_workers: usize,
    is_closed: bool,
    /// Whether there were jobs since freed memory was given back.
    has_freed_memory: bool,
    mean_job_time: RunningMean,
    /// But for what is of this moment.
    stats: PoolStats,
}

#[derive(Debug)]
struct QueuedJob<J> {
    job: J,
    admission: Admission,
}

/// What a job counts as once it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admission {
    /// It did not wait for its turn.
    AtOnce,
    /// It waited for its turn; there are at most as many of these as workers.
    InTurn,
    /// The one more.
    OneMore,
}

/// A job that a worker has taken.
#[derive(Debug)]
pub(crate) struct TakenJob<J> {
    pub(crate) job: J,
    pub(crate) ticket: JobTicket,
}

/// What the queue must be told again once the job has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobTicket {
    owner: JobOwner,
    /// The time that the owner was charged for it.
    charged: Duration,
    admission: Admission,
    is_express: bool,
}

/// How a job ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JobEnd {
    Done,
    /// Nobody waited for it any more.
    Skipped,
    Panicked,
}

/// Whether a job could be one for the express worker, should there be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct IsForExpress(pub(crate) bool);

impl<J> JobQueue<J> {
    pub(crate) fn new(workers: usize) -> Self {
        let state = JobQueueState {
            ready: FairQueue::default(),
            in_turn: FairQueue::default(),
            admitted_in_turn: 0,
            is_one_more_admitted: false,
            running_of: HashMap::new(),
            busy_workers: 0,
            is_closed: false,
            has_freed_memory: false,
            mean_job_time: RunningMean::default(),
            stats: PoolStats::default(),
        };
        Self {
            workers: workers.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
            express_changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, JobQueueState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job. Refused where it would have to wait for longer than it may, or there is no room.
    pub(crate) fn push(
        &self,
        owner: JobOwner,
        job: J,
        limits: QueueLimits,
    ) -> Result<IsForExpress, PoolBusyError> {
        let mut state = self.lock();
        let QueueLimits { max_queued, max_wait } = limits;
        let free_workers = self.workers - state.busy_workers;
        let wait = state.expected_wait(owner, free_workers, self.workers);
        let kept = if state.ready.has(owner) { max_queued / KEPT_ROOM_DIVISOR } else { 0 };
        if wait > max_wait || state.ready.len() >= (max_queued - kept).saturating_add(free_workers) {
            state.stats.refused += 1;
            // When there will be room again.
            let seconds = wait.saturating_sub(max_wait).as_secs_f64().ceil().max(1.0);
            return Err(PoolBusyError { retry_after: Duration::from_secs(seconds as u64) });
        }
        Ok(self.make_ready(&mut state, owner, QueuedJob { job, admission: Admission::AtOnce }))
    }

    /// Queues a job that waits for its turn for as long as it takes: no more of such jobs are ready or running than there are
    /// workers, and one more where its owner has nothing ready or running.
    pub(crate) fn push_in_turn(&self, owner: JobOwner, job: J) -> IsForExpress {
        let mut state = self.lock();
        state.in_turn.push(owner, job);
        self.admit_in_turn(&mut state)
    }

    fn admit_in_turn(&self, state: &mut JobQueueState<J>) -> IsForExpress {
        let mut is_for_express = false;
        while let Some((owner, job)) = state.admit(self.workers) {
            is_for_express |= self.make_ready(state, owner, job).0;
        }
        IsForExpress(is_for_express)
    }

    fn make_ready(&self, state: &mut JobQueueState<J>, owner: JobOwner, job: QueuedJob<J>) -> IsForExpress {
        state.ready.push(owner, job);
        if state.busy_workers < self.workers {
            self.changed.notify_one();
            return IsForExpress(false);
        }
        self.express_changed.notify_one();
        IsForExpress(!state.running_of.contains_key(&owner))
    }

    /// Waits for a job; calls `return_memory` where that takes longer than `patience` after another job. `None` once there will be
    /// no more.
    pub(crate) fn next(&self, patience: Duration, return_memory: impl Fn()) -> Option<TakenJob<J>> {
        let mut state = self.lock();
        loop {
            if let Some(taken) = state.take(false) {
                // What is left may have waited for this worker to be busy.
                if !state.ready.is_empty() {
                    self.express_changed.notify_one();
                }
                return Some(taken);
            }
            if state.is_closed {
                return None;
            }
            if state.has_freed_memory {
                let waited = self.changed.wait_timeout(state, patience);
                let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                state = after;
                let is_idle = timeout.timed_out() && state.ready.is_empty();
                // Workers that wait time out together; one of them gives back what all have freed.
                if is_idle && std::mem::take(&mut state.has_freed_memory) {
                    drop(state);
                    return_memory();
                    state = self.lock();
                }
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Waits until all workers are busy and there is a job of somebody who has none running. `None` once there will be no more.
    pub(crate) fn next_express(&self) -> Option<TakenJob<J>> {
        let mut state = self.lock();
        while !state.is_closed {
            if state.busy_workers >= self.workers
                && let Some(taken) = state.take(true)
            {
                return Some(taken);
            }
            state = self.express_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Takes note of a job that has ended.
    pub(crate) fn finish(&self, ticket: JobTicket, end: JobEnd, took: Duration) {
        let JobTicket { owner, charged, admission, is_express } = ticket;
        let mut state = self.lock();
        state.busy_workers -= usize::from(!is_express);
        if let Some(running) = state.running_of.get_mut(&owner) {
            *running -= 1;
            if *running == 0 {
                state.running_of.remove(&owner);
            }
        }
        state.stats.done += 1;
        state.stats.busy_time += took;
        match end {
            JobEnd::Done => state.mean_job_time.note(took),
            JobEnd::Skipped => (),
            JobEnd::Panicked => state.stats.panicked += 1,
        }
        state.ready.settle(owner, charged, took);
        match admission {
            Admission::AtOnce => (),
            Admission::InTurn => state.admitted_in_turn -= 1,
            Admission::OneMore => state.is_one_more_admitted = false,
        }
        if admission != Admission::AtOnce {
            state.in_turn.settle(owner, TURN_CHARGE, TURN_CHARGE);
        }
        let _is_there_if_needed = self.admit_in_turn(&mut state);
    }

    /// Says that no job will come any more; those that are queued are still done.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
        self.express_changed.notify_all();
    }

    pub(crate) fn stats(&self) -> PoolStats {
        let state = self.lock();
        let running: usize = state.running_of.values().sum();
        PoolStats { queued: state.ready.len() as u64, running: running as u64, ..state.stats }
    }
}

impl<J> JobQueueState<J> {
    /// A job in turn that may be made ready.
    fn admit(&mut self, workers: usize) -> Option<(JobOwner, QueuedJob<J>)> {
        if self.admitted_in_turn < workers
            && let Some((owner, job)) = self.in_turn.pop(TURN_CHARGE)
        {
            self.admitted_in_turn += 1;
            return Some((owner, QueuedJob { job, admission: Admission::InTurn }));
        }
        if self.is_one_more_admitted {
            return None;
        }
        let (ready, running_of) = (&self.ready, &self.running_of);
        let has_none = |owner: &JobOwner| !running_of.contains_key(owner) && !ready.has(*owner);
        let (owner, job) = self.in_turn.pop_of(TURN_CHARGE, has_none)?;
        self.is_one_more_admitted = true;
        Some((owner, QueuedJob { job, admission: Admission::OneMore }))
    }

    /// The job that is next; for the express worker, of those owners alone who have none running.
    fn take(&mut self, is_express: bool) -> Option<TakenJob<J>> {
        let charged = self.mean_job_time.get().unwrap_or_default();
        let running_of = &self.running_of;
        let may = |owner: &JobOwner| !is_express || !running_of.contains_key(owner);
        let (owner, QueuedJob { job, admission }) = self.ready.pop_of(charged, may)?;
        *self.running_of.entry(owner).or_default() += 1;
        self.busy_workers += usize::from(!is_express);
        self.has_freed_memory = true;
        Some(TakenJob { job, ticket: JobTicket { owner, charged, admission, is_express } })
    }

    /// How long a job that this owner queues now will probably wait: the time that the jobs before it take, without the express
    /// worker.
    fn expected_wait(&self, owner: JobOwner, free_workers: usize, workers: usize) -> Duration {
        // A worker that is free takes the job at once.
        let jobs_ahead = (self.ready.len_ahead_of(owner) + 1).saturating_sub(free_workers);
        let mean = self.mean_job_time.get().unwrap_or_default();
        mean.saturating_mul(u32::try_from(jobs_ahead).unwrap_or(u32::MAX)) / workers as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{IsForExpress, JobEnd, JobOwner, JobQueue, QueueLimits, TakenJob};
    use base::Uuid;
    use std::{cell::Cell, time::Duration};

    const LIMITS: QueueLimits = QueueLimits { max_queued: 10, max_wait: Duration::MAX };
    const LONG: Duration = Duration::from_mins(10);

    fn two_owners() -> [JobOwner; 2] {
        [1, 2].map(|number| Some(Uuid::from_u128(number).into()))
    }

    fn next<J>(queue: &JobQueue<J>) -> TakenJob<J> {
        queue.next(LONG, || ()).expect("the queue is open")
    }

    #[test]
    fn memory_is_given_back_once_where_nothing_is_to_do_after_a_job() {
        let queue = JobQueue::new(1);
        let send = || queue.push(None, (), LIMITS).expect("there is room");
        let returned = |patience| {
            let count = Cell::new(0);
            let taken = queue.next(patience, || count.set(count.get() + 1)).expect("a job came");
            queue.finish(taken.ticket, JobEnd::Done, Duration::ZERO);
            count.get()
        };
        let late = || {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(200));
                    let _nobody_is_passed_over = send();
                });
                returned(Duration::from_millis(20))
            })
        };
        assert_eq!(late(), 0, "there was no job before");
        assert_eq!(late(), 1, "nothing was to do for longer than it waits");
        assert_eq!(send(), IsForExpress(false));
        assert_eq!(returned(LONG), 0, "the next came at once");
        queue.close();
        assert!(queue.next(LONG, || ()).is_none(), "there will be no more");
    }

    #[test]
    fn the_express_worker_is_for_whoever_has_nothing_running_while_all_others_are_busy() {
        let (queue, [one, other]) = (JobQueue::new(1), two_owners());
        assert_eq!(queue.push(one, "first", LIMITS), Ok(IsForExpress(false)), "a worker is free");
        let first = next(&queue);
        assert_eq!(queue.push(one, "second", LIMITS), Ok(IsForExpress(false)), "it has one running");
        assert_eq!(queue.push(other, "other", LIMITS), Ok(IsForExpress(true)));
        let express = queue.next_express().expect("the queue is open");
        assert_eq!((first.job, express.job), ("first", "other"));
        assert_eq!((queue.stats().queued, queue.stats().running), (1, 2));
        // The worker is busy, and whoever waits has a job running.
        assert_eq!(queue.push(other, "more", LIMITS), Ok(IsForExpress(false)));
        queue.finish(express.ticket, JobEnd::Done, Duration::from_secs(1));
        assert_eq!(queue.next_express().expect("the queue is open").job, "more");
        queue.finish(first.ticket, JobEnd::Done, Duration::from_secs(1));
        assert_eq!(next(&queue).job, "second");
        queue.close();
        assert!(queue.next_express().is_none());
    }

    #[test]
    fn nobody_fills_the_room_of_those_who_have_nothing_waiting() {
        let (queue, [one, other]) = (JobQueue::new(1), two_owners());
        let limits = QueueLimits { max_queued: 16, ..LIMITS };
        assert_eq!(queue.push(one, 0, limits), Ok(IsForExpress(false)));
        let _running = next(&queue);
        let accepted = (0..20).map_while(|job| queue.push(one, job, limits).ok()).count();
        assert_eq!(accepted, 14, "an eighth is kept");
        assert_eq!(queue.push(other, 0, limits), Ok(IsForExpress(true)));
        assert!(queue.push(other, 1, limits).is_err());
        assert_eq!(queue.push(None, 0, limits), Ok(IsForExpress(true)));
        let third = Some(Uuid::from_u128(3).into());
        assert!(queue.push(third, 0, limits).is_err(), "16 wait");
    }

    #[test]
    fn of_jobs_in_turn_as_many_are_ready_as_there_are_workers() {
        let (queue, [one, other]) = (JobQueue::new(1), two_owners());
        for job in ["first", "second"] {
            assert_eq!(queue.push_in_turn(one, job), IsForExpress(false));
        }
        assert_eq!(queue.push_in_turn(one, "third"), IsForExpress(false));
        for job in ["first", "second", "third"] {
            assert_eq!(queue.stats().queued, 1);
            let taken = next(&queue);
            assert_eq!(taken.job, job);
            queue.finish(taken.ticket, JobEnd::Done, Duration::from_secs(1));
        }
        assert_eq!(queue.push_in_turn(other, "other"), IsForExpress(false));
        assert_eq!(next(&queue).job, "other");
        assert_eq!((queue.stats().queued, queue.stats().done), (0, 3));
    }

    #[test]
    fn jobs_in_turn_of_one_owner_do_not_keep_the_express_worker_from_another() {
        let (queue, [one, other]) = (JobQueue::new(1), two_owners());
        for job in ["first", "second"] {
            let _a_worker_is_free = queue.push_in_turn(one, job);
        }
        let first = next(&queue);
        assert_eq!(first.job, "first");
        assert_eq!(queue.push_in_turn(other, "other"), IsForExpress(true));
        assert_eq!(queue.push_in_turn(other, "more"), IsForExpress(false), "it has one ready");
        let third = Some(Uuid::from_u128(3).into());
        assert_eq!(queue.push_in_turn(third, "third"), IsForExpress(false), "there is one express worker");
        let express = queue.next_express().expect("the queue is open");
        assert_eq!((express.job, queue.stats().queued), ("other", 0));
        queue.finish(express.ticket, JobEnd::Done, Duration::from_secs(1));
        let express = queue.next_express().expect("the queue is open");
        assert_eq!(express.job, "third", "others had their turn");
        queue.finish(first.ticket, JobEnd::Done, Duration::from_secs(1));
        assert_eq!(next(&queue).job, "second");
        assert_eq!(queue.stats().queued, 0, "one runs for each worker");
        queue.finish(express.ticket, JobEnd::Done, Duration::from_secs(1));
        assert_eq!(queue.next_express().expect("the queue is open").job, "more");
    }
}
