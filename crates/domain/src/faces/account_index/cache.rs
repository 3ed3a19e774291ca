//! The open indexes: one for each account that was searched lately. Applications share them fairly: the one that has most of
//! them open makes room for the others.

use super::AccountIndex;
use base::{AccountId, AppId};
use std::{
    cmp::Reverse,
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
    by_account: HashMap<AccountId, OpenIndex>,
    uses: u64,
}

#[derive(Debug)]
struct OpenIndex {
    slot: IndexSlot,
    /// Whose account it is; `None` if the account was gone.
    app: Option<AppId>,
    /// The number of its last use.
    used: u64,
}

impl IndexCache {
    /// A cache of `capacity` indexes; there are more only while all of them are in use.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, open_indexes: Mutex::default() }
    }

    fn lock_indexes(&self) -> MutexGuard<'_, OpenIndexes> {
        self.open_indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of an account's index, if it is open or being opened.
    pub(super) fn open_slot(&self, account: AccountId) -> Option<IndexSlot> {
        self.lock_indexes().use_slot(account)
    }

    /// The slot of the index of an application's account. If there are too many, one that is not in use is closed: of those
    /// of the application that has most of them open, the least recently used. That happens here, under the lock, so that
    /// nobody opens its file before it is closed.
    pub(super) fn slot(&self, account: AccountId, app: Option<AppId>) -> IndexSlot {
        let mut open = self.lock_indexes();
        if let Some(slot) = open.use_slot(account) {
            return slot;
        }
        open.uses += 1;
        let (slot, used) = (IndexSlot::default(), open.uses);
        open.by_account.insert(account, OpenIndex { slot: slot.clone(), app, used });
        while open.by_account.len() > self.capacity {
            let Some(closed) = open.next_to_close() else { break };
            open.by_account.remove(&closed);
        }
        slot
    }

    /// Whether the index of an account is open, or being opened.
    pub(super) fn contains(&self, account: AccountId) -> bool {
        self.lock_indexes().by_account.contains_key(&account)
    }

    /// The accounts whose index is open, the least recently used first: going through them in this order leaves it as it is.
    pub(super) fn accounts(&self) -> Vec<AccountId> {
        let open = self.lock_indexes();
        let mut accounts: Vec<_> =
            open.by_account.iter().map(|(account, index)| (index.used, *account)).collect();
        accounts.sort_unstable();
        accounts.into_iter().map(|(_, account)| account).collect()
    }

    /// Forgets the index of an account, which is closed as soon as nobody uses it.
    pub(super) fn remove(&self, account: AccountId) {
        self.lock_indexes().by_account.remove(&account);
    }
}

impl OpenIndexes {
    /// The slot of an account, which is now the last that was used; `None` if there is none.
    fn use_slot(&mut self, account: AccountId) -> Option<IndexSlot> {
        let index = self.by_account.get_mut(&account)?;
        self.uses += 1;
        index.used = self.uses;
        Some(index.slot.clone())
    }

    /// The account whose index makes room for another; `None` if all are in use.
    fn next_to_close(&self) -> Option<AccountId> {
        let mut open_of = HashMap::<_, usize>::new();
        for index in self.by_account.values() {
            *open_of.entry(index.app).or_default() += 1;
        }
        let idle = self.by_account.iter().filter(|(_, index)| index.is_idle());
        let next = idle.max_by_key(|(_, index)| (open_of.get(&index.app), Reverse(index.used)));
        next.map(|(account, _)| *account)
    }
}

impl OpenIndex {
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.slot) == 1
            && self.slot.get().is_none_or(|index| Arc::strong_count(index) == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::IndexCache;
    use base::{AccountId, AppId, Uuid};

    fn app(number: u128) -> AppId {
        Uuid::from_u128(number).into()
    }

    fn account(number: u128) -> AccountId {
        Uuid::from_u128(number).into()
    }

    /// Which of these accounts have an open index.
    fn open<const N: usize>(cache: &IndexCache, accounts: [u128; N]) -> [bool; N] {
        accounts.map(|number| cache.contains(account(number)))
    }

    #[test]
    fn the_least_recently_used_index_makes_room() {
        let cache = IndexCache::new(2);
        for number in [1, 2] {
            cache.slot(account(number), Some(app(1)));
        }
        assert!(cache.open_slot(account(1)).is_some(), "it is used again");
        assert!(cache.open_slot(account(3)).is_none());
        cache.slot(account(3), Some(app(1)));
        assert_eq!(open(&cache, [1, 2, 3]), [true, false, true]);
        assert_eq!(cache.accounts(), [account(1), account(3)], "the least recently used first");
    }

    #[test]
    fn whoever_uses_many_accounts_makes_room_for_the_others() {
        let cache = IndexCache::new(4);
        for number in [10, 20] {
            cache.slot(account(number), Some(app(number)));
        }
        for number in 1..=100 {
            cache.slot(account(1000 + number), Some(app(1)));
        }
        assert_eq!(open(&cache, [10, 20]), [true, true], "those of the others stay open");
        assert_eq!(open(&cache, [1098, 1099, 1100]), [false, true, true]);
        // Two have as many: the least recently used goes, whosever it is.
        cache.slot(account(11), Some(app(10)));
        assert_eq!(open(&cache, [10, 11, 20, 1099, 1100]), [false, true, true, true, true]);
    }

    #[test]
    fn an_index_in_use_stays_open() {
        let cache = IndexCache::new(1);
        let used = cache.slot(account(1), Some(app(1)));
        let also_used = cache.slot(account(2), Some(app(1)));
        assert_eq!(open(&cache, [1, 2]), [true, true], "there is nothing to close");
        drop(used);
        cache.slot(account(3), Some(app(2)));
        assert_eq!(open(&cache, [1, 2, 3]), [false, true, true], "whoever has most makes room");
        drop(also_used);
        cache.slot(account(4), Some(app(2)));
        assert_eq!(open(&cache, [2, 3, 4]), [false, false, true]);
    }
}
