//! Reading ahead: a page is read as it arrives, while its person turns the document over or looks for the button. What was
//! read waits in memory for the task that asks for it, on the node where it arrived; any other node, and a task that comes
//! late, reads the page itself.

use super::Identities;
use base::{MediaId, SessionId};
use documents::reading::Side;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::OwnedMutexGuard;

/// For how long a page that was read is kept for its task.
const KEPT: Duration = Duration::from_mins(1);
/// Pages that are read or kept at once, at most.
const MOST: usize = 16;
/// Bytes of a page's pictures that are kept, at most; larger ones are read again.
const LARGEST: usize = 40 << 20;

/// Filled once the page is read; locked until then.
type Slot = Arc<tokio::sync::Mutex<Option<Vec<Side>>>>;

/// The pages that are being read, and those that wait for their task.
#[derive(Clone, Default)]
pub(super) struct Ahead(Arc<Mutex<HashMap<MediaId, (SessionId, Slot)>>>);

impl std::fmt::Debug for Ahead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ahead({} pages)", self.pages().len())
    }
}

impl Ahead {
    fn pages(&self) -> MutexGuard<'_, HashMap<MediaId, (SessionId, Slot)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a page that is about to be read; nothing where there are too many.
    fn claim(&self, session: SessionId, media: MediaId) -> Option<OwnedMutexGuard<Option<Vec<Side>>>> {
        let mut pages = self.pages();
        if pages.len() >= MOST {
            return None;
        }
        let slot = Slot::default();
        let mine = slot.clone().try_lock_owned().ok()?;
        pages.insert(media, (session, slot));
        Some(mine)
    }

    /// What was read of a page, once: waits for a reading that has begun.
    pub(super) async fn take(&self, media: MediaId) -> Option<Vec<Side>> {
        let (_, slot) = self.pages().remove(&media)?;
        slot.lock().await.take()
    }

    /// Forgets pages of a session; all of them where none is named.
    pub(super) fn forget(&self, session: SessionId, media: &[MediaId]) {
        let goes = |id: &MediaId, of: SessionId| of == session && (media.is_empty() || media.contains(id));
        self.pages().retain(|id, (of, _)| !goes(id, *of));
    }
}

impl Identities {
    /// Begins to read a page that has come, if there is room for it.
    pub(super) fn read_ahead(&self, session: SessionId, media: MediaId, bytes: Vec<u8>) {
        let Ok(place) = self.0.places.clone().try_acquire_owned() else { return };
        let Some(mut slot) = self.0.ahead.claim(session, media) else { return };
        let identities = self.clone();
        tokio::spawn(async move {
            match identities.sides(bytes).await {
                Ok(sides) => {
                    let bytes: usize = sides.iter().map(|side| side.page.rgb().len()).sum();
                    *slot = Some(sides).filter(|_| bytes <= LARGEST);
                }
                // The task meets the same, and says so.
                Err(error) => tracing::debug!(session.id = %session, "a page is not read ahead: {error}"),
            }
            drop((slot, place));
            tokio::time::sleep(KEPT).await;
            identities.0.ahead.forget(session, &[media]);
        });
    }
}
