//! Slots for work that takes much of something shared: how much of it is under way at once, and whose is next. Every
//! application has its turn.

use base::{AppId, FairQueue};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// What an application is charged for a slot until it is known how long it kept it.
const SLOT_CHARGE: Duration = Duration::from_secs(1);

/// Slots; cheap to clone. Of the applications that wait for one, it is given to the one that has had slots for the least time.
#[derive(Clone, Debug)]
pub(crate) struct FairSlots(Arc<Mutex<SlotsState>>);

#[derive(Debug)]
struct SlotsState {
    /// None while anybody waits.
    free: usize,
    waiting: FairQueue<AppId, oneshot::Sender<FairSlot>>,
}

/// A slot; dropping it gives it to whoever is next.
#[derive(Debug)]
pub(crate) struct FairSlot {
    /// `None` once it is given back.
    slots: Option<FairSlots>,
    app: AppId,
    since: Instant,
}

impl FairSlots {
    pub(crate) fn new(count: usize) -> Self {
        Self(Arc::new(Mutex::new(SlotsState { free: count, waiting: FairQueue::default() })))
    }

    /// Waits for a slot; `None` never happens while this borrows the slots. Who gives up waiting takes none.
    pub(crate) async fn acquire(&self, app: AppId) -> Option<FairSlot> {
        let (sender, slot) = oneshot::channel();
        self.lock().waiting.push(app, sender);
        self.give_out();
        slot.await.ok()
    }

    /// The same without waiting; `None` where every slot is taken.
    pub(crate) fn try_acquire(&self, app: AppId) -> Option<FairSlot> {
        let (sender, mut slot) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.free == 0 {
                return None;
            }
            state.waiting.push(app, sender);
        }
        self.give_out();
        slot.try_recv().ok()
    }

    /// Gives what is free to those who wait.
    fn give_out(&self) {
        while let Some((app, sender)) = self.next() {
            let slot = FairSlot { slots: Some(self.clone()), app, since: Instant::now() };
            if let Err(mut refused) = sender.send(slot) {
                refused.slots = None;
                self.lock().put_back(&refused);
            }
        }
    }

    /// Who is given a free slot, if there is one and somebody waits.
    fn next(&self) -> Option<(AppId, oneshot::Sender<FairSlot>)> {
        let mut state = self.lock();
        if state.free == 0 {
            return None;
        }
        let next = state.waiting.pop(SLOT_CHARGE)?;
        state.free -= 1;
        Some(next)
    }

    fn lock(&self) -> MutexGuard<'_, SlotsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotsState {
    fn put_back(&mut self, slot: &FairSlot) {
        self.free += 1;
        self.waiting.settle(slot.app, SLOT_CHARGE, slot.since.elapsed());
    }
}

impl Drop for FairSlot {
    fn drop(&mut self) {
        if let Some(slots) = self.slots.take() {
            slots.lock().put_back(self);
            slots.give_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FairSlots;
    use base::{AppId, Uuid};
    use futures_util::{FutureExt as _, poll};
    use std::{pin::pin, task::Poll};

    fn two_applications() -> [AppId; 2] {
        [1, 2].map(|number| Uuid::from_u128(number).into())
    }

    #[tokio::test]
    async fn a_newcomer_waits_for_one_slot_and_not_for_all_who_came_before() {
        let (slots, [one, other]) = (FairSlots::new(1), two_applications());
        let held = slots.acquire(one).await;
        assert!(held.is_some());
        assert!(slots.try_acquire(other).is_none(), "every slot is taken");
        let (mut second, mut third) = (pin!(slots.acquire(one)), pin!(slots.acquire(one)));
        let mut newcomer = pin!(slots.acquire(other));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        assert!(poll!(&mut newcomer).is_pending());
        drop(held);
        assert!(poll!(&mut second).is_pending());
        let Poll::Ready(given) = poll!(&mut newcomer) else { panic!("the newcomer is next") };
        drop(given);
        let Poll::Ready(given) = poll!(&mut second) else { panic!("then those who came first") };
        assert!(poll!(&mut third).is_pending());
        drop(given);
        assert!(poll!(&mut third).is_ready());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_keeps_no_slot() {
        let (slots, [one, other]) = (FairSlots::new(2), two_applications());
        let held = [slots.try_acquire(one), slots.try_acquire(one)];
        assert!(held.iter().all(Option::is_some));
        {
            let (mut early, mut late) = (Box::pin(slots.acquire(other)), Box::pin(slots.acquire(other)));
            assert!(poll!(&mut early).is_pending() && poll!(&mut late).is_pending());
            drop(early);
            drop(held);
            // The other one was given a slot, but nobody asks for it any more.
        }
        let again = [slots.acquire(one).now_or_never(), slots.acquire(other).now_or_never()];
        assert!(again.iter().all(|slot| matches!(slot, Some(Some(_)))), "both are free");
        assert!(slots.acquire(one).now_or_never().is_none());
    }
}
