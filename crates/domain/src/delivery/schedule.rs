//! When a message is tried again.

use base::{SignedDuration, Timestamp};

/// Moments of the attempts, seconds after the first: docs/adr/0008-outbound-delivery.md.
pub const ATTEMPT_OFFSETS_SECONDS: [i64; 10] =
    [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// By what share of the wait before it a moment is moved at most, so that what failed together does not come back
/// together.
const JITTER_SHARE: f64 = 0.1;

/// The moment of the next attempt after `tries` attempts that began at `begun`; `None` when there were enough.
///
/// A receiver may ask for more patience (`Retry-After`, RFC 9110 section 10.2.3); it gets it, up to the end of the
/// schedule. `chance` is 0 to 1.
pub(super) fn next_attempt_at(
    begun: Timestamp,
    tries: i64,
    now: Timestamp,
    patience: Option<SignedDuration>,
    chance: f64,
) -> Option<Timestamp> {
    let index = usize::try_from(tries).ok()?;
    let (before, at) =
        (*ATTEMPT_OFFSETS_SECONDS.get(index.checked_sub(1)?)?, *ATTEMPT_OFFSETS_SECONDS.get(index)?);
    let wait = (at - before) as f64;
    let moved = wait * JITTER_SHARE * (2.0 * chance.clamp(0.0, 1.0) - 1.0);
    let regular = begun + SignedDuration::from_millis(((at as f64 + moved) * 1000.0) as i64);
    let last = begun + SignedDuration::from_secs(ATTEMPT_OFFSETS_SECONDS[ATTEMPT_OFFSETS_SECONDS.len() - 1]);
    // Where an outage held attempts up, the rest of them still keep their distance.
    let soonest = now + SignedDuration::from_secs(ATTEMPT_OFFSETS_SECONDS[1].min(at - before));
    let asked = patience.map_or(soonest, |patience| (now + patience).min(last));
    Some(regular.max(asked).max(soonest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_768_574_400 + seconds).unwrap()
    }

    #[test]
    fn attempts_come_at_the_documented_moments_and_end() {
        for tries in 1..10 {
            let due = ATTEMPT_OFFSETS_SECONDS[tries as usize];
            assert_eq!(
                next_attempt_at(
                    after(0),
                    tries,
                    after(ATTEMPT_OFFSETS_SECONDS[tries as usize - 1]),
                    None,
                    0.5
                ),
                Some(after(due))
            );
        }
        assert_eq!(next_attempt_at(after(0), 10, after(86_400), None, 0.5), None);
        assert_eq!(next_attempt_at(after(0), 0, after(0), None, 0.5), None, "the first is no further one");
    }

    #[test]
    fn chance_moves_a_moment_by_a_tenth_of_its_wait() {
        assert_eq!(
            next_attempt_at(after(0), 2, after(5), None, 0.0),
            Some(after(300) - SignedDuration::from_millis(29_500))
        );
        assert_eq!(
            next_attempt_at(after(0), 2, after(5), None, 1.0),
            Some(after(300) + SignedDuration::from_millis(29_500))
        );
    }

    #[test]
    fn a_receiver_gets_the_patience_it_asks_for_within_the_day() {
        let patience = |seconds| Some(SignedDuration::from_secs(seconds));
        assert_eq!(next_attempt_at(after(0), 1, after(0), patience(120), 0.5), Some(after(120)));
        assert_eq!(
            next_attempt_at(after(0), 1, after(0), patience(1), 0.5),
            Some(after(5)),
            "never sooner than the schedule"
        );
        assert_eq!(next_attempt_at(after(0), 1, after(0), patience(1_000_000), 0.5), Some(after(86_400)));
    }

    #[test]
    fn what_an_outage_held_up_does_not_come_all_at_once() {
        assert_eq!(next_attempt_at(after(0), 2, after(40_000), None, 0.5), Some(after(40_005)));
    }
}
