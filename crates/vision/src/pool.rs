//! The bounded inference pool: worker threads, each with its own models, and a short queue. Work that does not fit is
//! refused at once, so that accepted work is done without long waiting.

use crate::{EmbeddingSpace, ModelInfo, ModelLoadError, VisionModels};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// Niceness of background workers: on a busy core they get about a tenth of the time of an ordinary thread.
const BACKGROUND_NICENESS: i32 = 10;

type PoolJob = Box<dyn FnOnce(&mut VisionModels) + Send>;

/// A pool of workers. Dropping it waits for work that was accepted.
#[derive(Debug)]
pub struct InferencePool {
    sender: Option<SyncSender<PoolJob>>,
    workers: Vec<JoinHandle<()>>,
    models: Vec<ModelInfo>,
    space: EmbeddingSpace,
    counters: Arc<PoolCounters>,
}

#[derive(Debug, Default)]
struct PoolCounters {
    accepted: AtomicU64,
    started: AtomicU64,
    done: AtomicU64,
    refused: AtomicU64,
    panicked: AtomicU64,
    busy_microseconds: AtomicU64,
}

/// Counters of a pool since its start, but for `queued` and `running`, which are of this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStats {
    pub queued: u64,
    pub running: u64,
    /// Finished, panicked work included.
    pub done: u64,
    /// Refused because the queue was full.
    pub refused: u64,
    pub panicked: u64,
    /// Time spent working, summed over all workers.
    pub busy_time: Duration,
}

/// The queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all workers are busy")]
pub struct PoolBusyError {
    /// How long to wait before trying again.
    pub retry_after: Duration,
}

/// The work was not finished: it panicked, or the pool was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was given up")]
pub struct PoolGoneError;

impl InferencePool {
    /// Loads the models of the pack in `folder` once for each of `workers` (at least one); up to `queue` jobs may wait.
    pub fn start(folder: &Path, workers: usize, queue: usize) -> Result<Self, ModelLoadError> {
        let models =
            (0..workers.max(1)).map(|_| VisionModels::load(folder)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::with_models(models, queue))
    }

    /// A pool with one worker for each set of models.
    pub fn with_models(models: Vec<VisionModels>, queue: usize) -> Self {
        Self::spawn(models, queue, 0)
    }

    /// Like [`Self::start`], but with workers of low priority, so that threads for which a request waits run first.
    /// Linux only: elsewhere the priority of a single thread cannot be set this way, and the workers have the ordinary
    /// one.
    pub fn start_background(folder: &Path, workers: usize, queue: usize) -> Result<Self, ModelLoadError> {
        let models =
            (0..workers.max(1)).map(|_| VisionModels::load(folder)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::spawn(models, queue, BACKGROUND_NICENESS))
    }

    fn spawn(worker_models: Vec<VisionModels>, queue: usize, nice: i32) -> Self {
        let models = worker_models.first().map(|vision| vision.models().to_vec()).unwrap_or_default();
        let space = worker_models.first().map(|vision| vision.embedding_space().clone()).unwrap_or_default();
        let (sender, receiver) = sync_channel(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let counters = Arc::new(PoolCounters::default());
        let workers = worker_models
            .into_iter()
            .map(|vision| {
                let (receiver, counters) = (receiver.clone(), counters.clone());
                std::thread::spawn(move || {
                    // On Linux this affects the calling thread only.
                    if nice != 0 && cfg!(target_os = "linux") {
                        let _refused = rustix::process::setpriority_process(None, nice);
                    }
                    run_worker(vision, &receiver, &counters);
                })
            })
            .collect();
        Self { sender: Some(sender), workers, models, space, counters }
    }

    /// Queues a job; the future resolves when a worker has done it.
    pub fn run<T, F>(
        &self,
        job: F,
    ) -> Result<impl Future<Output = Result<T, PoolGoneError>> + Send + use<T, F>, PoolBusyError>
    where
        T: Send + 'static,
        F: FnOnce(&mut VisionModels) -> T + Send + 'static,
    {
        let (result_sender, result) = oneshot::channel();
        let work: PoolJob = Box::new(move |vision| {
            // Skipped where the caller has dropped the future while the job was queued.
            if !result_sender.is_closed() {
                let _dropped = result_sender.send(job(vision));
            }
        });
        let sent = self.sender.as_ref().map(|sender| sender.try_send(work));
        match sent {
            Some(Ok(())) => {
                self.counters.accepted.fetch_add(1, Relaxed);
                Ok(async move { result.await.map_err(|_| PoolGoneError) })
            }
            Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) | None => {
                self.counters.refused.fetch_add(1, Relaxed);
                Err(PoolBusyError { retry_after: Duration::from_secs(1) })
            }
        }
    }

    /// The models that each worker has loaded.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }

    /// The space of the workers' embeddings; the default one for a pool without workers.
    pub fn embedding_space(&self) -> &EmbeddingSpace {
        &self.space
    }

    pub fn stats(&self) -> PoolStats {
        let PoolCounters { accepted, started, done, refused, panicked, busy_microseconds } = &*self.counters;
        let (done, started) = (done.load(Relaxed), started.load(Relaxed));
        PoolStats {
            queued: accepted.load(Relaxed).saturating_sub(started),
            running: started.saturating_sub(done),
            done,
            refused: refused.load(Relaxed),
            panicked: panicked.load(Relaxed),
            busy_time: Duration::from_micros(busy_microseconds.load(Relaxed)),
        }
    }
}

impl Drop for InferencePool {
    fn drop(&mut self) {
        self.sender = None;
        for worker in self.workers.drain(..) {
            let _panicked = worker.join();
        }
    }
}

fn run_worker(mut vision: VisionModels, receiver: &Mutex<Receiver<PoolJob>>, counters: &PoolCounters) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        counters.started.fetch_add(1, Relaxed);
        let start = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| work(&mut vision))).is_err() {
            counters.panicked.fetch_add(1, Relaxed);
        }
        counters.busy_microseconds.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
        counters.done.fetch_add(1, Relaxed);
    }
}
