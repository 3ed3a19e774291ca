//! The open indexes: one for each account that was searched lately.

use super::AccountIndex;
use base::AccountId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::OnceCell;

/// The slot of one account's index; whoever asks for it first opens the index.
pub(super) type IndexSlot = Arc<OnceCell<Arc<AccountIndex>>>;

#[derive(Debug)]
pub(super) struct IndexCache {
    capacity: usize,
    open_indexes: Mutex<OpenIndexes>,
}

#[derive(Debug, Default)]
struct OpenIndexes {
    by_account: HashMap<AccountId, (IndexSlot, u64)>,
    uses: u64,
}

impl IndexCache {
    /// A cache of `capacity` indexes; there are more only while all of them are in use.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, open_indexes: Mutex::default() }
    }

    fn lock_indexes(&self) -> MutexGuard<'_, OpenIndexes> {
        self.open_indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of an account's index. If there are too many, the least recently used one that is not in use is closed: here,
    /// under the lock, so that nobody opens its file before it is closed.
    pub(super) fn slot(&self, account: AccountId) -> IndexSlot {
        let mut open = self.lock_indexes();
        open.uses += 1;
        let now = open.uses;
        let (slot, used) = open.by_account.entry(account).or_default();
        *used = now;
        let slot = slot.clone();
        while open.by_account.len() > self.capacity {
            let idle = |slot: &IndexSlot| {
                Arc::strong_count(slot) == 1 && slot.get().is_none_or(|index| Arc::strong_count(index) == 1)
            };
            let oldest = open
                .by_account
                .iter()
                .filter(|(_, (slot, _))| idle(slot))
                .min_by_key(|(_, (_, used))| *used)
                .map(|(account, _)| *account);
            let Some(oldest) = oldest else { break };
            open.by_account.remove(&oldest);
        }
        slot
    }

    /// Whether the index of an account is open, or being opened.
    pub(super) fn contains(&self, account: AccountId) -> bool {
        self.lock_indexes().by_account.contains_key(&account)
    }

    /// The accounts whose index is open.
    pub(super) fn accounts(&self) -> Vec<AccountId> {
        self.lock_indexes().by_account.keys().copied().collect()
    }

    /// Forgets the index of an account, which is closed as soon as nobody uses it.
    pub(super) fn remove(&self, account: AccountId) {
        self.lock_indexes().by_account.remove(&account);
    }
}
