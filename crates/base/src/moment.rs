//! Moments that come from outside.

use jiff::Timestamp;

/// What is expected where [`parse_moment`] and [`storable_moment`] refuse.
pub const MOMENT_WORDS: &str = "a moment from 1970 to 9999, as RFC 3339 writes it";

/// Reads a moment as RFC 3339 writes it; `None` for any other text, and for a moment that is not [storable](storable_moment).
pub fn parse_moment(text: &str) -> Option<Timestamp> {
    text.parse().ok().and_then(storable_moment)
}

/// The moment, unless it is before 1970. PostgreSQL stores none before 4713 BC, and nothing that is asked for or stored is as
/// old as 1970. At the other end a [`Timestamp`] goes no further than 30 December 9999.
pub fn storable_moment(moment: Timestamp) -> Option<Timestamp> {
    (moment >= Timestamp::UNIX_EPOCH).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_from_1970_to_9999() {
        for text in ["1970-01-01T00:00:00Z", "2026-01-16T15:40:00+01:00", "9999-12-30T00:00:00Z"] {
            assert_eq!(parse_moment(text), text.parse().ok(), "{text}");
            assert!(parse_moment(text).is_some(), "{text}");
        }
        for text in [
            "",
            "2026-01-16",
            "-009999-01-02T02:00:00Z",
            "0000-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999999999Z",
            "1970-01-01T00:00:00+01:00",
            "9999-12-31T00:00:00Z",
        ] {
            assert_eq!(parse_moment(text), None, "{text}");
        }
    }
}
