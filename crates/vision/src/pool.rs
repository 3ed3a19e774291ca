//! The bounded inference pool: worker threads, each with its own models, and a queue in which every application gets its
//! turn. Work that would wait for longer than its limit, or that no longer fits into the queue, is refused at once.

use crate::{
    ModelInfo, ModelLoadError, VisionModels,
    job_queue::{
        IDLE_BEFORE_MEMORY_IS_RETURNED, IsForExpress, JobEnd, JobQueue, PoolBusyError, PoolStats,
        QueueLimits, TakenJob,
    },
};
use base::AppId;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread::JoinHandle,
    time::Instant,
};
use tokio::sync::oneshot;

/// How much nicer a pool's threads are than the process: what share of a busy core the system gives them.
#[derive(Clone, Copy, Debug)]
struct PoolNiceness {
    workers: i32,
    express: i32,
}

/// The most that the system knows.
const MAX_NICENESS: i32 = 19;

impl PoolNiceness {
    /// Workers get half as much of a busy core as the express worker and as threads that answer requests. So where every core has a
    /// worker, the express worker still gets a whole one, whatever their number; with equal shares it would get two thirds of
    /// one where there are two.
    const FOREGROUND: Self = Self { workers: 3, express: 0 };
    /// Workers get a tenth of what threads that answer requests get, and a fifth of what workers in the foreground get; the
    /// express worker gets three times as much as they.
    const BACKGROUND: Self = Self { workers: 10, express: 5 };
}

/// A job; returns what hands over its result, or nothing where nobody waits for it any more.
type PoolJob = Box<dyn FnOnce(&mut VisionModels) -> Option<HandOver> + Send>;

/// Hands the result of a job to whoever waits for it.
type HandOver = Box<dyn FnOnce()>;

/// A pool of workers. Dropping it waits for work that was accepted.
///
/// Every job belongs to an application, or to nobody in particular. Of the jobs that wait, one of whoever's work has taken
/// least time begins next, so that nobody waits for the whole queue of another. And where all workers are busy, one more, the
/// express worker, does that of one who has nothing running, without waiting for another's to end; the system divides the
/// cores among them.
pub struct InferencePool {
    queue: Arc<JobQueue<PoolJob>>,
    workers: Vec<JoinHandle<()>>,
    /// Where the express worker loads its models from; `None` where the workers' models were given, and there is no such worker.
    express_source: Option<PathBuf>,
    /// Started when it is first needed; where there is one application, it never is. `None` where the system gave no thread for it.
    express: OnceLock<Option<JoinHandle<()>>>,
    niceness: PoolNiceness,
    limits: QueueLimits,
    models: Vec<ModelInfo>,
}

/// The work was not finished: it panicked, or the pool was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was given up")]
pub struct PoolGoneError;

impl std::fmt::Debug for InferencePool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { workers, limits, models, .. } = self;
        write!(f, "InferencePool({} workers, {limits:?}, {} models)", workers.len(), models.len())
    }
}

impl InferencePool {
    /// Loads the models of the pack in `folder` once for each of `workers` (at least one).
    pub fn start(folder: &Path, workers: usize, limits: QueueLimits) -> Result<Self, ModelLoadError> {
        Self::load_and_spawn(folder, workers, limits, PoolNiceness::FOREGROUND)
    }

    /// A pool with one worker for each set of models.
    pub fn with_models(models: Vec<VisionModels>, limits: QueueLimits) -> Self {
        Self::spawn(models, limits, PoolNiceness::FOREGROUND, None)
    }

    /// Like [`Self::start`], but with workers of low priority, so that threads for which a request waits run first.
    pub fn start_background(
        folder: &Path,
        workers: usize,
        limits: QueueLimits,
    ) -> Result<Self, ModelLoadError> {
        Self::load_and_spawn(folder, workers, limits, PoolNiceness::BACKGROUND)
    }

    fn load_and_spawn(
        folder: &Path,
        workers: usize,
        limits: QueueLimits,
        niceness: PoolNiceness,
    ) -> Result<Self, ModelLoadError> {
        Ok(Self::spawn(load_for(folder, workers)?, limits, niceness, Some(folder.to_owned())))
    }

    fn spawn(
        worker_models: Vec<VisionModels>,
        limits: QueueLimits,
        niceness: PoolNiceness,
        express_source: Option<PathBuf>,
    ) -> Self {
        let models = worker_models.first().map(|vision| vision.models().to_vec()).unwrap_or_default();
        let queue = Arc::new(JobQueue::new(worker_models.len()));
        let workers = worker_models
            .into_iter()
            .map(|vision| {
                let queue = queue.clone();
                let next = |queue: &JobQueue<PoolJob>| {
                    queue.next(IDLE_BEFORE_MEMORY_IS_RETURNED, heap::return_freed_memory)
                };
                spawn_worker(niceness.workers, move || work_through(&queue, vision, next))
                    .expect("a thread starts")
            })
            .collect();
        Self { queue, workers, express_source, express: OnceLock::new(), niceness, limits, models }
    }

    /// Queues a job of `owner`; the future resolves when a worker has done it. Refused at once where the queue is full or the job
    /// would probably wait for longer than allowed.
    pub fn run<T, F>(
        &self,
        owner: Option<AppId>,
        job: F,
    ) -> Result<impl Future<Output = Result<T, PoolGoneError>> + Send + use<T, F>, PoolBusyError>
    where
        T: Send + 'static,
        F: FnOnce(&mut VisionModels) -> T + Send + 'static,
    {
        let (work, result) = package(job);
        let IsForExpress(is_for_express) = self.queue.push(owner, work, self.limits)?;
        if is_for_express {
            self.start_express();
        }
        Ok(async move { result.await.map_err(|_| PoolGoneError) })
    }

    /// Runs a job that waits instead of being refused, however long that takes. At most as many of these jobs as there are
    /// workers are ready or running at once, so that a caller of [`Self::run`] finds no more of them ahead; the rest wait, and
    /// owners take turns. One more is let through for an owner that has nothing else, for the express worker.
    pub async fn run_in_turn<T: Send + 'static>(
        &self,
        owner: Option<AppId>,
        job: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, PoolGoneError> {
        let (work, result) = package(job);
        let IsForExpress(is_for_express) = self.queue.push_in_turn(owner, work);
        if is_for_express {
            self.start_express();
        }
        result.await.map_err(|_| PoolGoneError)
    }

    /// Starts the express worker if there is none yet. It takes a moment to load its models; until then, and where it cannot, its
    /// jobs are done by the others.
    fn start_express(&self) {
        let Some(folder) = &self.express_source else { return };
        self.express.get_or_init(|| {
            let (folder, queue) = (folder.clone(), self.queue.clone());
            let run = move || {
                if let Ok(vision) = VisionModels::load_without_embedding(&folder) {
                    work_through(&queue, vision, JobQueue::next_express);
                }
            };
            // A caller starts it, who must not fail for want of a thread.
            spawn_worker(self.niceness.express, run).ok()
        });
    }

    /// The models that each worker has loaded.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }

    pub fn stats(&self) -> PoolStats {
        self.queue.stats()
    }
}

impl Drop for InferencePool {
    fn drop(&mut self) {
        self.queue.close();
        for worker in self.workers.drain(..).chain(self.express.take().flatten()) {
            let _panicked = worker.join();
        }
    }
}

/// The models of so many workers, at least one. They share what does not change.
fn load_for(folder: &Path, workers: usize) -> Result<Vec<VisionModels>, ModelLoadError> {
    let models = (0..workers.max(1)).map(|_| VisionModels::load_without_embedding(folder)).collect();
    heap::return_freed_memory();
    models
}

/// A job as the queue takes it, and where its result arrives.
fn package<T: Send + 'static>(
    job: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
) -> (PoolJob, oneshot::Receiver<T>) {
    let (result_sender, result) = oneshot::channel();
    let work: PoolJob = Box::new(move |vision| {
        // Skipped where the caller has dropped the future while the job was queued.
        if result_sender.is_closed() {
            return None;
        }
        let result = job(vision);
        Some(Box::new(move || {
            let _dropped = result_sender.send(result);
        }))
    });
    (work, result)
}

/// Starts the thread of a worker, which is nicer by so much than the calling one. Its niceness is set on Linux only: elsewhere that
/// of a single thread cannot be set this way.
fn spawn_worker(niceness: i32, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    let run = move || {
        // On Linux this affects the calling thread only.
        if niceness != 0 && cfg!(target_os = "linux") {
            let _refused = rustix::process::getpriority_process(None).and_then(|inherited| {
                rustix::process::setpriority_process(None, (inherited + niceness).min(MAX_NICENESS))
            });
        }
        run();
    };
    std::thread::Builder::new().name("inference".to_owned()).spawn(run)
}

/// Does jobs until `next` gives none.
fn work_through(
    queue: &JobQueue<PoolJob>,
    mut vision: VisionModels,
    next: impl Fn(&JobQueue<PoolJob>) -> Option<TakenJob<PoolJob>>,
) {
    while let Some(TakenJob { job, ticket }) = next(queue) {
        let start = Instant::now();
        let (end, hand_over) = match catch_unwind(AssertUnwindSafe(|| job(&mut vision))) {
            Ok(Some(hand_over)) => (JobEnd::Done, Some(hand_over)),
            Ok(None) => (JobEnd::Skipped, None),
            Err(_) => (JobEnd::Panicked, None),
        };
        queue.finish(ticket, end, start.elapsed());
        // Not before: whoever asks again at once must find this worker free, and not be refused because of the job that has ended.
        if let Some(hand_over) = hand_over {
            hand_over();
        }
    }
}
