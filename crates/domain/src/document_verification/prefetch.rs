//! Reading ahead: a page is read as it arrives, while its person turns the document over or looks for the button. What was
//! read waits in memory for the task that asks for it, on the node where it arrived; any other node, and a task that comes
//! late, reads the page itself.

use super::DocumentVerificationService;
use base::{DocumentSessionId, MediaId};
use documents::reading::DocumentSide;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::OwnedMutexGuard;

/// For how long a page that was read is kept for its task.
const PREFETCH_TTL: Duration = Duration::from_mins(1);
/// Pages that are read or kept at once, at most.
const MAX_PREFETCHED_PAGES: usize = 16;
/// Bytes of a page's pictures that are kept, at most; larger ones are read again.
const MAX_PREFETCHED_BYTES: usize = 40 << 20;

/// Filled once the page is read; locked until then.
type PrefetchSlot = Arc<tokio::sync::Mutex<Option<Vec<DocumentSide>>>>;

/// The pages that are being read, and those that wait for their task.
#[derive(Clone, Default)]
pub(super) struct PrefetchCache(Arc<Mutex<HashMap<MediaId, (DocumentSessionId, PrefetchSlot)>>>);

impl std::fmt::Debug for PrefetchCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ahead({} pages)", self.pages().len())
    }
}

impl PrefetchCache {
    fn pages(&self) -> MutexGuard<'_, HashMap<MediaId, (DocumentSessionId, PrefetchSlot)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a page that is about to be read; nothing where there are too many.
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
        let mine = slot.clone().try_lock_owned().ok()?;
        pages.insert(media, (session, slot));
        Some(mine)
    }

    /// What was read of a page, once: waits for a reading that has begun.
    pub(super) async fn take(&self, media: MediaId) -> Option<Vec<DocumentSide>> {
        let (_, slot) = self.pages().remove(&media)?;
        slot.lock().await.take()
    }

    /// Forgets pages of a session; all of them where none is named.
    pub(super) fn evict(&self, session: DocumentSessionId, media: &[MediaId]) {
        let goes =
            |id: &MediaId, of: DocumentSessionId| of == session && (media.is_empty() || media.contains(id));
        self.pages().retain(|id, (of, _)| !goes(id, *of));
    }
}

impl DocumentVerificationService {
    /// Begins to read a page that has come, if there is room for it.
    pub(super) fn prefetch_page(&self, session: DocumentSessionId, media: MediaId, bytes: Vec<u8>) {
        let Ok(place) = self.0.large_media_slots.clone().try_acquire_owned() else { return };
        let Some(mut slot) = self.0.prefetched.reserve(session, media) else { return };
        let identities = self.clone();
        tokio::spawn(async move {
            match identities.read_sides(bytes).await {
                Ok(sides) => {
                    let bytes: usize = sides.iter().map(|side| side.page.rgb().len()).sum();
                    *slot = Some(sides).filter(|_| bytes <= MAX_PREFETCHED_BYTES);
                }
                // The task meets the same, and says so.
                Err(error) => tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    session.id = %session,
                    "a page is not read ahead"
                ),
            }
            drop((slot, place));
            tokio::time::sleep(PREFETCH_TTL).await;
            identities.0.prefetched.evict(session, &[media]);
        });
    }
}
