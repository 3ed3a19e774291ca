//! How long somebody still has.

use base::Timestamp;

/// Seconds from `now` until `until`, rounded up; 0 afterwards. A page that counts them down never ends before the server does.
pub(crate) fn whole_seconds_until(until: Timestamp, now: Timestamp) -> i64 {
    let left = until.duration_since(now);
    (left.as_secs() + i64::from(left.subsec_nanos() > 0)).max(0)
}

#[cfg(test)]
mod tests {
    use super::whole_seconds_until;
    use base::{SignedDuration, Timestamp};

    #[test]
    fn a_part_of_a_second_is_a_second() {
        let now = Timestamp::UNIX_EPOCH;
        for (left_ms, seconds) in [
            (60_000, 60),
            (59_999, 60),
            (59_001, 60),
            (59_000, 59),
            (1, 1),
            (0, 0),
            (-1, 0),
            (-1000, 0),
            (-90_000, 0),
        ] {
            assert_eq!(
                whole_seconds_until(now + SignedDuration::from_millis(left_ms), now),
                seconds,
                "{left_ms}"
            );
        }
    }
}
