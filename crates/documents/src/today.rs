//! The day it is.

use jiff::{Timestamp, civil::Date, tz::Offset};

/// The day it is, which is not the same everywhere. A document does not say by whose calendar its dates are meant, so a date
/// speaks against it only where it does so all over the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    /// In UTC: of ages, which a day does not change.
    pub utc: Date,
    /// Where days begin last, at UTC-12: what was valid until the day before has expired everywhere.
    pub earliest: Date,
    /// Where days begin first, at UTC+14: what is dated later lies ahead everywhere.
    pub latest: Date,
}

impl Today {
    pub fn at(now: Timestamp) -> Self {
        let day_at = |hours: i8| Offset::constant(hours).to_datetime(now).date();
        Self { utc: day_at(0), earliest: day_at(-12), latest: day_at(14) }
    }
}

impl From<Date> for Today {
    /// The same day everywhere: for a reading that is not of now.
    fn from(day: Date) -> Self {
        Self { utc: day, earliest: day, latest: day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_day_lasts_longer_than_in_utc_and_begins_before() {
        let at = |text: &str| Today::at(text.parse().expect("a time"));
        let (yesterday, day, tomorrow) = (date(2026, 11, 20), date(2026, 11, 21), date(2026, 11, 22));
        for (now, earliest, latest) in [
            ("2026-11-21T00:30:00Z", yesterday, day),
            ("2026-11-21T09:59:59Z", yesterday, day),
            ("2026-11-21T10:00:00Z", yesterday, tomorrow),
            ("2026-11-21T12:00:00Z", day, tomorrow),
            ("2026-11-21T23:59:59Z", day, tomorrow),
        ] {
            assert_eq!(at(now), Today { utc: day, earliest, latest }, "{now}");
        }
    }
}
