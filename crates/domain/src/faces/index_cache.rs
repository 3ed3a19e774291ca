//! The indexes that are open: one for each account that was searched lately.

use super::account_index::AccountIndex;
use base::AccountId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::OnceCell;

/// A place for an index, filled by whoever comes first.
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
    /// A shelf that holds `most` indexes, and more only while they are in use.
    pub(super) fn new(most: usize) -> Self {
        Self { capacity: most, open_indexes: Mutex::default() }
    }

    fn lock_indexes(&self) -> MutexGuard<'_, OpenIndexes> {
        self.open_indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of an account's index. Where there are too many, the one that was used longest ago and that nobody holds
    /// is closed: here, under the lock, so that nobody opens its file before it is.
    pub(super) fn slot(&self, account: AccountId) -> IndexSlot {
        let mut places = self.lock_indexes();
        places.uses += 1;
        let now = places.uses;
        let (place, used) = places.by_account.entry(account).or_default();
        *used = now;
        let place = place.clone();
        while places.by_account.len() > self.capacity {
            let idle = |place: &IndexSlot| {
                Arc::strong_count(place) == 1
                    && place.get().is_none_or(|gallery| Arc::strong_count(gallery) == 1)
            };
            let oldest = places
                .by_account
                .iter()
                .filter(|(_, (place, _))| idle(place))
                .min_by_key(|(_, (_, used))| *used)
                .map(|(account, _)| *account);
            let Some(oldest) = oldest else { break };
            places.by_account.remove(&oldest);
        }
        place
    }

    /// Whether an account's index is open, or being opened.
    pub(super) fn contains(&self, account: AccountId) -> bool {
        self.lock_indexes().by_account.contains_key(&account)
    }

    /// Accounts whose index is open.
    pub(super) fn accounts(&self) -> Vec<AccountId> {
        self.lock_indexes().by_account.keys().copied().collect()
    }

    /// Lets go of an account's index.
    pub(super) fn remove(&self, account: AccountId) {
        self.lock_indexes().by_account.remove(&account);
    }
}
