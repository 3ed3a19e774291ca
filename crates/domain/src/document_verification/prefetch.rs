//! The read-ahead cache: a page is read as it arrives, while the end user turns the document over or looks for the
//! button. The result waits in memory for the task that asks for it, on the node where the page arrived; any other
//! node, and a task that comes late, reads the page itself.

use super::vision_runner::DocumentReadError;
use base::{DocumentSessionId, MediaId};
use documents::reading::DocumentSide;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::OwnedMutexGuard;

/// How long a page that was read is kept for its task.
const PREFETCH_TTL: Duration = Duration::from_mins(1);
/// Pages that are being read or kept at once, at most.
const MAX_PREFETCHED_PAGES: usize = 16;
/// Bytes of a page's decoded pictures that are kept, at most; a larger page is read again by its task.
const MAX_PREFETCHED_BYTES: usize = 40 << 20;
/// Pages of a PDF file that is read ahead, at most: so many of A4 are within [`MAX_PREFETCHED_BYTES`]. A longer one would be read
/// twice.
pub(super) const MAX_PREFETCHED_PDF_PAGES: usize = 2;

/// Locked while the page is being read; filled when it was.
type PrefetchSlot = Arc<tokio::sync::Mutex<Option<Vec<DocumentSide>>>>;

/// Pages that are being read, and pages that wait for their task; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct PrefetchCache(Arc<Mutex<HashMap<MediaId, (DocumentSessionId, PrefetchSlot)>>>);

impl std::fmt::Debug for PrefetchCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrefetchCache({} pages)", self.pages().len())
    }
}

impl PrefetchCache {
    fn pages(&self) -> MutexGuard<'_, HashMap<MediaId, (DocumentSessionId, PrefetchSlot)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A locked slot for a page that is about to be read; `None` if the cache is full.
    fn reserve(
        &self,
        session: DocumentSessionId,
        media: MediaId,
    ) -> Option<OwnedMutexGuard<Option<Vec<DocumentSide>>>> {
        let mut pages = self.pages();
        if pages.len() >= MAX_PREFETCHED_PAGES {
            return None;
        }
        let slot = PrefetchSlot::default();
        let locked = slot.clone().try_lock_owned().ok()?;
        pages.insert(media, (session, slot));
        Some(locked)
    }

    /// Runs `read` in the background and keeps its result, if it has one, for [`Self::take`]; does nothing if the cache is full.
    pub(super) fn spawn(
        &self,
        session: DocumentSessionId,
        media: MediaId,
        read: impl Future<Output = Result<Option<Vec<DocumentSide>>, DocumentReadError>> + Send + 'static,
    ) {
        let Some(mut slot) = self.reserve(session, media) else { return };
        let cache = self.clone();
        tokio::spawn(async move {
            match read.await {
                Ok(sides) => {
                    let bytes = |sides: &[DocumentSide]| -> usize {
                        sides.iter().map(|side| side.page.rgb().len()).sum()
                    };
                    *slot = sides.filter(|sides| bytes(sides) <= MAX_PREFETCHED_BYTES);
                }
                // The task meets the same error and reports it.
                Err(error) => tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    session.id = %session,
                    "a page is not read ahead"
                ),
            }
            drop(slot);
            tokio::time::sleep(PREFETCH_TTL).await;
            cache.evict(session, &[media]);
        });
    }

    /// Removes and returns what was read of a page; waits if it is being read.
    pub(super) async fn take(&self, media: MediaId) -> Option<Vec<DocumentSide>> {
        let (_, slot) = self.pages().remove(&media)?;
        slot.lock().await.take()
    }

    /// Drops these pages of a session.
    pub(super) fn evict(&self, session: DocumentSessionId, media: &[MediaId]) {
        self.pages().retain(|id, (owner, _)| *owner != session || !media.contains(id));
    }

    /// Drops all pages of a session.
    pub(super) fn evict_session(&self, session: DocumentSessionId) {
        self.pages().retain(|_, (owner, _)| *owner != session);
    }
}
