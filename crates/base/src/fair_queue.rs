//! A queue that several owners share: whose work has taken least time goes next, however much the others have queued.
//! Start-time fair queueing (Goyal, Vin and Cheng, 1996), with every owner's weight alike.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    time::Duration,
};

/// Items of several owners. Those of one owner leave in the order of arrival.
#[derive(Debug)]
pub struct FairQueue<O, T> {
    shares: HashMap<O, Share<T>>,
    /// The virtual time: the greatest start tag of an item that was taken. An owner that has been idle starts from here, so
    /// nobody saves up time.
    virtual_time: Duration,
    arrivals: u64,
    len: usize,
}

#[derive(Debug)]
struct Share<T> {
    /// The start tag of the owner's next item: what its items were charged so far, or the virtual time when it came back from
    /// being idle, whichever is later.
    start_tag: Duration,
    /// The virtual time when it came back from having nothing waiting: no refund takes the start tag below this, because whoever comes
    /// back is owed nothing for the time before.
    came_back_at: Duration,
    /// What its items have taken, counted from the start tag that it had when none of them was in service.
    service_received: Duration,
    /// Items that have left and are not settled.
    in_service: usize,
    /// Each with the number of its arrival.
    waiting: VecDeque<(u64, T)>,
}

impl<O, T> Default for FairQueue<O, T> {
    fn default() -> Self {
        Self { shares: HashMap::new(), virtual_time: Duration::ZERO, arrivals: 0, len: 0 }
    }
}

impl<O: Eq + Hash + Copy, T> FairQueue<O, T> {
    /// How many items wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Queues an item behind those of the same owner.
    pub fn push(&mut self, owner: O, item: T) {
        let share = self.shares.entry(owner).or_insert_with(|| Share {
            start_tag: Duration::ZERO,
            came_back_at: Duration::ZERO,
            service_received: Duration::ZERO,
            in_service: 0,
            waiting: VecDeque::new(),
        });
        if share.waiting.is_empty() {
            share.start_tag = share.start_tag.max(self.virtual_time);
            share.came_back_at = self.virtual_time;
            if share.in_service == 0 {
                share.service_received = share.start_tag;
            }
        }
        share.waiting.push_back((self.arrivals, item));
        self.arrivals += 1;
        self.len += 1;
    }

    /// Takes the next item, and charges its owner with the time that it is expected to take; of owners who have had as much, whose
    /// item came first. [`Self::settle`] must follow, and corrects the charge.
    pub fn pop(&mut self, expected: Duration) -> Option<(O, T)> {
        self.pop_of(expected, |_| true)
    }

    /// The same, of those owners alone who `may` be next.
    pub fn pop_of(&mut self, expected: Duration, may: impl Fn(&O) -> bool) -> Option<(O, T)> {
        let next = |(owner, share): (&O, &Share<T>)| {
            let (arrival, _) = share.waiting.front()?;
            may(owner).then_some((share.start_tag, *arrival, *owner))
        };
        let (start_tag, _, owner) =
            self.shares.iter().filter_map(next).min_by_key(|(tag, arrival, _)| (*tag, *arrival))?;
        let share = self.shares.get_mut(&owner)?;
        let (_, item) = share.waiting.pop_front()?;
        share.start_tag += expected;
        share.service_received += expected;
        share.in_service += 1;
        self.virtual_time = self.virtual_time.max(start_tag);
        self.len -= 1;
        // An owner at or below the virtual time would start there anyway, so it is forgotten.
        self.shares.retain(|_, share| {
            !share.waiting.is_empty() || share.in_service > 0 || share.start_tag > self.virtual_time
        });
        Some((owner, item))
    }

    /// Replaces what an owner was charged for an item by the time that it took.
    pub fn settle(&mut self, owner: O, charged: Duration, took: Duration) {
        if let Some(share) = self.shares.get_mut(&owner) {
            share.in_service = share.in_service.saturating_sub(1);
            share.service_received = (share.service_received + took).saturating_sub(charged);
            // What it was moved ahead by while this was in service has counted already.
            let refund = charged.saturating_sub(took);
            let least = share.service_received.max(share.came_back_at);
            share.start_tag = share.start_tag.saturating_sub(refund).max(least);
        }
    }

    /// Whether an item of this owner waits.
    pub fn has(&self, owner: O) -> bool {
        self.shares.get(&owner).is_some_and(|share| !share.waiting.is_empty())
    }

    /// How many items would leave before one that this owner queues now, at most, if each took the same time.
    pub fn len_ahead_of(&self, owner: O) -> usize {
        let own = self.shares.get(&owner).map_or(0, |share| share.waiting.len());
        let others = self.shares.iter().filter(|(other, _)| **other != owner);
        own + others.map(|(_, share)| share.waiting.len().min(own + 1)).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::FairQueue;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn drain(queue: &mut FairQueue<char, u32>) -> String {
        let left = std::iter::from_fn(|| queue.pop(SECOND)).map(|(owner, number)| format!("{owner}{number}"));
        left.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_newcomer_waits_for_one_item_of_each_and_not_for_the_whole_queue() {
        let mut queue = FairQueue::default();
        for number in 0..4 {
            queue.push('a', number);
        }
        assert_eq!(queue.pop(SECOND), Some(('a', 0)));
        assert_eq!((queue.len_ahead_of('b'), queue.len_ahead_of('a')), (1, 3));
        queue.push('b', 0);
        queue.push('b', 1);
        assert_eq!((queue.len_ahead_of('c'), queue.len_ahead_of('b')), (2, 5));
        assert_eq!(queue.len(), 5);
        assert_eq!(drain(&mut queue), "b0 a1 b1 a2 a3", "of one owner in the order of arrival");
        assert_eq!(queue.pop(SECOND), None);
    }

    #[test]
    fn shares_are_of_time_and_not_of_items() {
        let mut queue = FairQueue::default();
        for number in 0..8 {
            queue.push('a', number);
            queue.push('b', number);
        }
        let (mut order, mut had) = (String::new(), [0, 0]);
        while had[0] < 6 {
            let (owner, _) = queue.pop(SECOND).expect("both have more");
            // Each of these takes three times as long as each of the other.
            let took = if owner == 'a' { 3 } else { 1 };
            queue.settle(owner, SECOND, SECOND * took);
            had[usize::from(owner == 'b')] += took;
            order.push(owner);
        }
        assert_eq!(order, "abbba");
    }

    #[test]
    fn nobody_saves_up_for_later_nor_gains_by_coming_back() {
        let mut queue = FairQueue::default();
        for number in 0..4 {
            queue.push('a', number);
        }
        for _ in 0..3 {
            queue.pop(SECOND);
        }
        for number in 0..3 {
            queue.push('b', number);
        }
        // It has waited for nothing so far, so it is owed nothing for the time before.
        assert_eq!(drain(&mut queue), "b0 a3 b1 b2");
        // Its start tag is a second after the virtual time, so it is behind an owner that had nothing.
        queue.push('b', 3);
        queue.push('c', 0);
        assert_eq!(drain(&mut queue), "c0 b3");
    }

    #[test]
    fn time_counts_that_is_known_only_after_others_had_their_turns() {
        let mut queue = FairQueue::default();
        queue.push('a', 0);
        queue.pop(SECOND);
        for number in 0..5 {
            queue.push('b', number);
            queue.pop(SECOND);
            queue.settle('b', SECOND, SECOND);
        }
        queue.settle('a', SECOND, 10 * SECOND);
        queue.push('a', 1);
        for number in 5..12 {
            queue.push('b', number);
        }
        assert_eq!(drain(&mut queue), "b5 b6 b7 b8 b9 a1 b10 b11");
    }

    #[test]
    fn nobody_is_charged_twice_for_the_time_of_a_running_item() {
        let mut queue = FairQueue::default();
        queue.push('a', 0);
        queue.pop(SECOND);
        for number in 0..30 {
            queue.push('b', number);
            queue.pop(SECOND);
            queue.settle('b', SECOND, SECOND);
        }
        // Comes back beside its own item, where others are by now, which is further than that item will take it.
        queue.push('a', 1);
        queue.settle('a', SECOND, 20 * SECOND);
        queue.push('b', 30);
        assert_eq!(drain(&mut queue), "a1 b30");
    }

    #[test]
    fn a_refund_for_before_an_owner_came_back_takes_it_before_nobody() {
        let mut queue = FairQueue::default();
        queue.push('a', 0);
        queue.pop(10 * SECOND);
        for number in 0..30 {
            queue.push('b', number);
            queue.pop(SECOND);
            queue.settle('b', SECOND, SECOND);
        }
        // Comes back beside its own item, whose charge it has outlived, and is refunded most of that.
        for number in 1..5 {
            queue.push('a', number);
        }
        queue.settle('a', 10 * SECOND, SECOND);
        for number in 30..33 {
            queue.push('b', number);
        }
        assert_eq!(drain(&mut queue), "a1 a2 b30 a3 b31 a4 b32");
        // A refund for what was charged since then counts as before.
        queue.push('c', 0);
        queue.push('d', 0);
        queue.push('c', 1);
        queue.push('d', 1);
        assert_eq!(queue.pop(10 * SECOND), Some(('c', 0)));
        queue.settle('c', 10 * SECOND, Duration::ZERO);
        assert_eq!(drain(&mut queue), "d0 c1 d1");
    }

    #[test]
    fn who_may_not_be_next_keeps_their_place() {
        let mut queue = FairQueue::default();
        queue.push('a', 0);
        queue.push('b', 0);
        assert_eq!(queue.pop_of(SECOND, |owner| *owner != 'a'), Some(('b', 0)));
        assert_eq!(queue.pop_of(SECOND, |owner| *owner != 'a'), None);
        assert_eq!(drain(&mut queue), "a0");
    }

    #[test]
    fn owners_with_nothing_left_are_forgotten() {
        let mut queue = FairQueue::default();
        for round in 0..1000 {
            queue.push(round, 0);
            queue.pop(Duration::ZERO);
            queue.settle(round, Duration::ZERO, Duration::ZERO);
        }
        assert!(queue.shares.len() <= 1, "{} are remembered", queue.shares.len());
    }
}
