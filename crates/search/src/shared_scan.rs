//! Scans that share their passes over memory.
//!
//! Chunks are read in a circle. A search that arrives while others are under way joins them at the chunk that comes next,
//! and leaves when it has seen every chunk once. So each chunk is read once for all searches that are there, and nobody
//! waits for a pass to end. The threads are those of the searches; a search that finds processors idle brings helpers.

use crate::{
    IndexError,
    code_chunk::ROWS_PER_CHUNK,
    load::{LiveCodes, SharedChunk},
    scan::{PreparedQuery, QueryScan, ScanFindings, scan_chunk},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Chunks for which a helper is worth the start of a thread: half a millisecond of reading.
const CHUNKS_PER_THREAD: usize = 4;

/// The searches of one index that are under way.
pub(crate) struct SharedScan {
    circle: Mutex<Circle>,
    /// A search was finished or began, or a thread left.
    changed: Condvar,
    max_threads: usize,
}

#[derive(Default)]
struct Circle {
    /// Searches that are under way, all over the same codes.
    active: Vec<Arc<ScanRequest>>,
    /// Searches over other codes than those.
    waiting: Vec<Arc<ScanRequest>>,
    /// The chunk that comes next.
    next: usize,
    /// Threads that are reading a chunk.
    reading: usize,
}

/// What a search asks of the codes.
pub(crate) struct ScanRequest {
    live: Arc<LiveCodes>,
    chunks: Vec<SharedChunk>,
    queries: Vec<PreparedQuery>,
    progress: Mutex<ScanProgress>,
}

struct ScanProgress {
    /// Chunks that no thread has taken yet.
    untaken: usize,
    /// Chunks that were not read to the end yet.
    unread: usize,
    /// By thread that read for it at the same time, for each query.
    findings: Vec<Vec<ScanFindings>>,
    panicked: bool,
}

impl ScanRequest {
    /// A request to compare these queries, which were prepared for `live`, with all of these chunks.
    pub(crate) fn new(live: Arc<LiveCodes>, chunks: Vec<SharedChunk>, queries: Vec<PreparedQuery>) -> Self {
        let count = chunks.len();
        let progress = ScanProgress { untaken: count, unread: count, findings: Vec::new(), panicked: false };
        Self { live, chunks, queries, progress: Mutex::new(progress) }
    }

    fn lock_progress(&self) -> MutexGuard<'_, ScanProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_finished(&self) -> bool {
        let progress = self.lock_progress();
        progress.unread == 0 || progress.panicked
    }

    fn has_untaken_chunks(&self) -> bool {
        let progress = self.lock_progress();
        progress.untaken > 0 && !progress.panicked
    }

    /// Findings to continue with: another thread's of an earlier chunk, or new ones.
    fn take_findings(&self) -> Vec<ScanFindings> {
        let known = self.lock_progress().findings.pop();
        known.unwrap_or_else(|| self.queries.iter().map(ScanFindings::new).collect())
    }

    /// What was found, by query.
    fn merge_findings(&self) -> Result<Vec<ScanFindings>, IndexError> {
        let mut progress = self.lock_progress();
        if progress.panicked {
            return Err(IndexError::Io(std::io::Error::other("a search that shared a scan panicked")));
        }
        let mut all: Vec<_> = self.queries.iter().map(ScanFindings::new).collect();
        for part in std::mem::take(&mut progress.findings) {
            for (all, part) in all.iter_mut().zip(part) {
                all.merge(part);
            }
        }
        Ok(all)
    }
}

impl SharedScan {
    /// No searches yet. As many threads read at a time as there are processors.
    pub(crate) fn new() -> Self {
        let max_threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { circle: Mutex::default(), changed: Condvar::new(), max_threads }
    }

    /// Carries out a request, together with those of other threads. Returns what was found, by query.
    pub(crate) fn run(&self, request: ScanRequest) -> Result<Vec<ScanFindings>, IndexError> {
        let request = Arc::new(request);
        let mut circle = self.lock_circle();
        let same_codes = circle.active.first().is_none_or(|it| Arc::ptr_eq(&it.live, &request.live));
        if same_codes { &mut circle.active } else { &mut circle.waiting }.push(Arc::clone(&request));
        let idle = self.max_threads.saturating_sub(circle.reading + 1);
        drop(circle);
        self.changed.notify_all();
        let helpers = idle.min((request.chunks.len() / CHUNKS_PER_THREAD).saturating_sub(1));
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| self.read_until_finished(&request));
            }
            self.read_until_finished(&request);
        });
        request.merge_findings()
    }

    /// Reads chunks, for this request and those that are under way with it.
    fn read_until_finished(&self, request: &ScanRequest) {
        let mut circle = self.lock_circle();
        while !request.is_finished() {
            let turn = if circle.reading < self.max_threads { circle.take_turn() } else { None };
            let Some((chunk, requests)) = turn else {
                circle = self.changed.wait(circle).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            circle.reading += 1;
            drop(circle);
            let turn = Turn { scan: self, requests, read: false };
            turn.read(chunk);
            circle = self.lock_circle();
        }
        drop(circle);
        // Others may be waiting to take this thread's place.
        self.changed.notify_all();
    }

    fn lock_circle(&self) -> MutexGuard<'_, Circle> {
        self.circle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circle {
    /// The next chunk that somebody has not seen, and all who have not. `None` if others are reading the last ones.
    fn take_turn(&mut self) -> Option<(usize, Vec<Arc<ScanRequest>>)> {
        self.active.retain(|it| it.has_untaken_chunks());
        if self.active.is_empty() {
            let live = Arc::clone(&self.waiting.first()?.live);
            self.active = self.waiting.extract_if(.., |it| Arc::ptr_eq(&it.live, &live)).collect();
            self.active.retain(|it| it.has_untaken_chunks());
        }
        let count = self.active.iter().map(|it| it.chunks.len()).max()?;
        // A search with fewer chunks than others sees each of them once in a round, too.
        let chunk = if self.next < count { self.next } else { 0 };
        self.next = chunk + 1;
        let requests: Vec<_> = self.active.iter().filter(|it| chunk < it.chunks.len()).cloned().collect();
        for request in &requests {
            request.lock_progress().untaken -= 1;
        }
        Some((chunk, requests))
    }
}

/// A chunk that is being read for some requests.
struct Turn<'a> {
    scan: &'a SharedScan,
    requests: Vec<Arc<ScanRequest>>,
    read: bool,
}

impl Turn<'_> {
    fn read(mut self, chunk: usize) {
        let mut findings: Vec<_> = self.requests.iter().map(|it| it.take_findings().into_iter()).collect();
        let mut scans: Vec<_> = self
            .requests
            .iter()
            .zip(&mut findings)
            .flat_map(|(request, findings)| request.queries.iter().zip(findings))
            .map(|(query, findings)| QueryScan { query, findings })
            .collect();
        if let Some(rows) = self.requests.first().map(|it| &it.chunks[chunk]) {
            let rows = rows.read().unwrap_or_else(PoisonError::into_inner);
            scan_chunk(&mut scans, &rows, chunk * ROWS_PER_CHUNK);
        }
        let mut scans = scans.into_iter().map(|scan| scan.findings);
        for request in &self.requests {
            let findings = scans.by_ref().take(request.queries.len()).collect();
            let mut progress = request.lock_progress();
            progress.findings.push(findings);
            progress.unread -= 1;
        }
        self.read = true;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut finished = false;
        for request in &self.requests {
            let mut progress = request.lock_progress();
            // A filter panicked, or a scan; nobody may wait for it.
            progress.panicked |= !self.read;
            finished |= progress.panicked || progress.unread == 0;
        }
        self.scan.lock_circle().reading -= 1;
        if finished {
            self.scan.changed.notify_all();
        }
    }
}
