//! The retry schedule of deliveries: when each attempt to deliver a webhook is made.

use base::{SignedDuration, Timestamp};

/// When each attempt is made, in seconds after the first (docs/adr/0008-outbound-delivery.md).
pub const ATTEMPT_OFFSETS_SECONDS: [i64; 10] =
    [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Jitter: by what share of the wait before it an attempt is moved at most, so that messages that failed together do
/// not come back together.
const JITTER_SHARE: f64 = 0.1;

/// When the next attempt is made, after `tries` attempts of a schedule that began at `begun`. `None`: the schedule has
/// ended.
///
/// A longer wait that the receiver asked for (`Retry-After`, RFC 9110, section 10.2.3) is respected, up to the end of
/// the schedule. `random` is from 0 to 1.
pub(super) fn next_attempt_at(
    begun: Timestamp,
    tries: i64,
    now: Timestamp,
    retry_after: Option<SignedDuration>,
    random: f64,
) -> Option<Timestamp> {
    let index = usize::try_from(tries).ok()?;
    let (before, at) =
        (*ATTEMPT_OFFSETS_SECONDS.get(index.checked_sub(1)?)?, *ATTEMPT_OFFSETS_SECONDS.get(index)?);
    let wait = (at - before) as f64;
    let jitter = wait * JITTER_SHARE * (2.0 * random.clamp(0.0, 1.0) - 1.0);
    let regular = begun + SignedDuration::from_millis(((at as f64 + jitter) * 1000.0) as i64);
    let last = begun + SignedDuration::from_secs(ATTEMPT_OFFSETS_SECONDS[ATTEMPT_OFFSETS_SECONDS.len() - 1]);
    // If an outage delayed attempts, the remaining ones still keep their distance.
    let earliest = now + SignedDuration::from_secs(ATTEMPT_OFFSETS_SECONDS[1].min(at - before));
    // Shortened before it is added: a receiver may name a date beyond all that a timestamp can be.
    let requested = retry_after.map_or(earliest, |wait| now + wait.min(last.duration_since(now)));
    Some(regular.max(requested).max(earliest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_768_574_400 + seconds).unwrap()
    }

    #[test]
    fn attempts_are_made_at_the_documented_times_and_end() {
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
        assert_eq!(
            next_attempt_at(after(0), 0, after(0), None, 0.5),
            None,
            "the first attempt is not a repeat"
        );
    }

    #[test]
    fn jitter_is_a_tenth_of_the_wait() {
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
    fn retry_after_is_respected_within_the_day() {
        let retry_after = |seconds| Some(SignedDuration::from_secs(seconds));
        assert_eq!(next_attempt_at(after(0), 1, after(0), retry_after(120), 0.5), Some(after(120)));
        assert_eq!(
            next_attempt_at(after(0), 1, after(0), retry_after(1), 0.5),
            Some(after(5)),
            "never sooner than the schedule"
        );
        for far in [1_000_000, Timestamp::MAX.as_second() - after(0).as_second(), i64::MAX] {
            assert_eq!(next_attempt_at(after(0), 1, after(5), retry_after(far), 0.5), Some(after(86_400)));
        }
    }

    #[test]
    fn attempts_delayed_by_an_outage_do_not_come_all_at_once() {
        assert_eq!(next_attempt_at(after(0), 2, after(40_000), None, 0.5), Some(after(40_005)));
    }
}
