//! The indexes that are open: one for each account that was searched lately.

use super::gallery::Gallery;
use base::AccountId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::OnceCell;

/// A place for an index, filled by whoever comes first.
pub(super) type Place = Arc<OnceCell<Arc<Gallery>>>;

#[derive(Debug)]
pub(super) struct Shelf {
    most: usize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    by_account: HashMap<AccountId, (Place, u64)>,
    uses: u64,
}

impl Shelf {
    /// A shelf that holds `most` indexes, and more only while they are in use.
    pub(super) fn new(most: usize) -> Self {
        Self { most, places: Mutex::default() }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of an account's index. Where there are too many, the one that was used longest ago and that nobody holds
    /// is closed: here, under the lock, so that nobody opens its file before it is.
    pub(super) fn place(&self, account: AccountId) -> Place {
        let mut places = self.places();
        places.uses += 1;
        let now = places.uses;
        let (place, used) = places.by_account.entry(account).or_default();
        *used = now;
        let place = place.clone();
        while places.by_account.len() > self.most {
            let idle = |place: &Place| {
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

    /// Accounts whose index is open.
    pub(super) fn accounts(&self) -> Vec<AccountId> {
        self.places().by_account.keys().copied().collect()
    }

    /// Lets go of an account's index.
    pub(super) fn remove(&self, account: AccountId) {
        self.places().by_account.remove(&account);
    }
}
