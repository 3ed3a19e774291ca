//! How values of the configuration are read and written, for serde's `with` and `deserialize_with`. Out-of-range values are
//! brought into range where they are read, and times and sizes beyond any use are refused: a moment that lies so far away does not
//! exist, and whatever computes it would fail later. The rest of the program only sees values that hold.

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serializer, de};
use std::{fmt, str::FromStr, time::Duration};

/// The most milliseconds that can be set: a day.
const MAX_MILLISECONDS: u64 = 24 * 3600 * 1000;
/// The most bytes that can be set: a petabyte.
const MAX_BYTES: u64 = 1_000_000_000_000_000;
/// The most connections, and the most of anything else at once, that can be set: Linux lets a process open about as many files
/// (`fs.nr_open`), unless it is told otherwise.
const MAX_AT_ONCE: u64 = 1_000_000;

/// A duration that the configuration writes as a whole number of some unit.
pub trait DurationSetting: Copy {
    /// `count` units of `unit_seconds` seconds.
    fn from_count(count: u32, unit_seconds: u32) -> Self;

    /// How many whole units of `unit_seconds` seconds fit; 0 if the duration is negative.
    fn to_count(self, unit_seconds: u32) -> u64;
}

impl DurationSetting for SignedDuration {
    fn from_count(count: u32, unit_seconds: u32) -> Self {
        Self::from_secs(i64::from(count) * i64::from(unit_seconds))
    }

    fn to_count(self, unit_seconds: u32) -> u64 {
        u64::try_from(self.as_secs()).unwrap_or(0) / u64::from(unit_seconds)
    }
}

impl DurationSetting for Duration {
    fn from_count(count: u32, unit_seconds: u32) -> Self {
        Self::from_secs(u64::from(count) * u64::from(unit_seconds))
    }

    fn to_count(self, unit_seconds: u32) -> u64 {
        self.as_secs() / u64::from(unit_seconds)
    }
}

/// The count, unless it is more than `limit` or than `N` has.
fn bounded<N: TryFrom<u64>, E: de::Error>(count: u64, limit: u64, unit: &str) -> Result<N, E> {
    let fitting = Some(count).filter(|count| *count <= limit).and_then(|count| N::try_from(count).ok());
    fitting.ok_or_else(|| E::custom(format_args!("{count} {unit} are too many: at most {limit} can be set")))
}

macro_rules! duration_units {
    ($($(#[$doc:meta])* $unit:ident = $seconds:literal, at most $limit:literal;)*) => {$(
        $(#[$doc])*
        pub mod $unit {
            use super::{Deserialize as _, Deserializer, DurationSetting, Serializer, bounded};

            /// The most that can be set.
            pub(super) const MAX_COUNT: u32 = $limit;

            /// Reads the count as an integer.
            pub fn deserialize<'de, T: DurationSetting, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
                let count = u64::deserialize(from)?;
                bounded(count, MAX_COUNT.into(), stringify!($unit)).map(|count| T::from_count(count, $seconds))
            }

            /// Writes the count as an integer.
            pub fn serialize<T: DurationSetting, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_u64(value.to_count($seconds))
            }
        }
    )*};
}

duration_units! {
    /// Whole seconds, at most a year.
    seconds = 1, at most 31_536_000;
    /// Whole minutes, at most a year.
    minutes = 60, at most 525_600;
    /// Whole hours, at most a year.
    hours = 3600, at most 8_760;
    /// Whole days of 24 hours, at most a hundred years.
    days = 86400, at most 36_500;
}

/// Whole seconds, at least 1: 0 is read as 1.
pub mod positive_seconds {
    use super::{Deserializer, DurationSetting, seconds};

    /// Reads the count as an integer.
    pub fn deserialize<'de, T: DurationSetting, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let value: T = seconds::deserialize(from)?;
        Ok(if value.to_count(1) == 0 { T::from_count(1, 1) } else { value })
    }

    pub use seconds::serialize;
}

/// Reads a number of seconds that stays a number, at most a year.
pub fn number_of_seconds<'de, N: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    bounded(u64::deserialize(from)?, seconds::MAX_COUNT.into(), "seconds")
}

/// Reads a number of seconds with a fraction, at most a year; less than 0 is read as 0.
pub fn fractional_seconds<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let (number, limit) = (f64::deserialize(from)?, seconds::MAX_COUNT);
    // Fails for NaN.
    if number <= f64::from(limit) {
        Ok(number.max(0.0))
    } else {
        Err(de::Error::custom(format_args!("{number} seconds are too many: at most {limit} can be set")))
    }
}

/// Reads a number of milliseconds that stays a number, at most a day.
pub fn number_of_milliseconds<'de, N: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    bounded(u64::deserialize(from)?, MAX_MILLISECONDS, "milliseconds")
}

/// Reads a number of bytes, at most a petabyte.
pub fn number_of_bytes<'de, N: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    bounded(u64::deserialize(from)?, MAX_BYTES, "bytes")
}

/// Reads a number of bytes that need not be set, at most a petabyte.
pub fn optional_number_of_bytes<'de, N, D>(from: D) -> Result<Option<N>, D::Error>
where
    N: TryFrom<u64>,
    D: Deserializer<'de>,
{
    Option::<u64>::deserialize(from)?.map(|bytes| bounded(bytes, MAX_BYTES, "bytes")).transpose()
}

/// Reads a number of connections, at most a million; 0 is read as 1.
pub fn number_of_connections<'de, N: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    bounded(u64::deserialize(from)?.max(1), MAX_AT_ONCE, "connections")
}

/// Reads how much of something is done at once, at most a million; 0 is read as 1.
pub fn number_at_once<'de, N: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    bounded(u64::deserialize(from)?.max(1), MAX_AT_ONCE, "at once")
}

/// Reads a value as the narrower type `N`, whose range is that of the setting.
pub fn read_as<'de, N, T, D>(from: D) -> Result<T, D::Error>
where
    N: Deserialize<'de>,
    T: From<N>,
    D: Deserializer<'de>,
{
    N::deserialize(from).map(T::from)
}

/// Reads a boolean that may be written as a text, in a section that serde holds back until it knows its kind (`serde(tag)`).
/// The environment has nothing but texts, and only in other sections does the reader of the configuration convert them. The
/// words are those that it takes there.
pub fn boolean_or_text<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let parse = |text: &str| match text.to_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Some(true),
        "0" | "false" | "off" | "no" => Some(false),
        _ => None,
    };
    from.deserialize_any(ValueOrText { expected: "a boolean", parse })
}

/// Reads a whole number that may be written as a text, for the same sections.
pub fn number_or_text<'de, N, D>(from: D) -> Result<N, D::Error>
where
    N: Deserialize<'de> + FromStr,
    D: Deserializer<'de>,
{
    from.deserialize_any(ValueOrText { expected: "an integer", parse: |text| text.parse::<N>().ok() })
}

/// Reads a value as it is, or from a text.
struct ValueOrText<T> {
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for ValueOrText<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
        T::deserialize(de::value::BoolDeserializer::new(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        T::deserialize(de::value::I64Deserializer::new(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        T::deserialize(de::value::U64Deserializer::new(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        T::deserialize(de::value::F64Deserializer::new(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_type(de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use serde::de::{
        IntoDeserializer as _,
        value::{BoolDeserializer, Error, F64Deserializer, StrDeserializer, U64Deserializer},
    };

    fn count(count: u64) -> U64Deserializer<Error> {
        count.into_deserializer()
    }

    fn text(text: &str) -> StrDeserializer<'_, Error> {
        text.into_deserializer()
    }

    fn fraction(number: f64) -> F64Deserializer<Error> {
        number.into_deserializer()
    }

    #[test]
    fn the_longest_time_of_each_unit_leads_to_a_moment() {
        let longest: [Result<SignedDuration, Error>; 4] = [
            seconds::deserialize(count(31_536_000)),
            minutes::deserialize(count(525_600)),
            hours::deserialize(count(8_760)),
            days::deserialize(count(36_500)),
        ];
        let [year, same, too, century] = longest.map(Result::unwrap);
        assert_eq!((year, same, too), (SignedDuration::from_hours(365 * 24), year, year));
        assert_eq!(century, 100 * year);
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        assert!(now.checked_sub(century).is_ok() && now.checked_add(century).is_ok());
        assert_eq!(days::deserialize(count(36_500)), Ok(century.unsigned_abs()));
    }

    #[test]
    fn a_time_or_size_beyond_any_use_is_refused_with_the_limit() {
        let refused = |read: Result<SignedDuration, Error>| read.unwrap_err().to_string();
        let words = "3000000 days are too many: at most 36500 can be set";
        assert_eq!(refused(days::deserialize(count(3_000_000))), words);
        let words = "8761 hours are too many: at most 8760 can be set";
        assert_eq!(refused(hours::deserialize(count(8_761))), words);
        let words = "525601 minutes are too many: at most 525600 can be set";
        assert_eq!(refused(minutes::deserialize(count(525_601))), words);
        let words = "31536001 seconds are too many: at most 31536000 can be set";
        assert_eq!(refused(seconds::deserialize(count(31_536_001))), words);
        assert_eq!(refused(positive_seconds::deserialize(count(31_536_001))), words);
        assert!(seconds::deserialize::<Duration, _>(count(u64::MAX)).is_err());

        let refused = |read: Result<u64, Error>| read.unwrap_err().to_string();
        assert_eq!(refused(number_of_seconds(count(31_536_001))), words);
        assert_eq!(number_of_seconds(count(31_536_000)), Ok(31_536_000_u32));
        let words = "86400001 milliseconds are too many: at most 86400000 can be set";
        assert_eq!(refused(number_of_milliseconds(count(86_400_001))), words);
        assert_eq!(number_of_milliseconds(count(86_400_000)), Ok(86_400_000_u64));
        let words = "1000000000000001 bytes are too many: at most 1000000000000000 can be set";
        assert_eq!(refused(number_of_bytes(count(1_000_000_000_000_001))), words);
        assert_eq!(number_of_bytes(count(1_000_000_000_000_000)), Ok(1_000_000_000_000_000_u64));
        // What the type has no room for is no smaller number.
        assert!(number_of_bytes::<u16, _>(count(65_536)).is_err());
    }

    #[test]
    fn connections_and_what_is_done_at_once_are_from_1_to_a_million() {
        let read = |number: u64| -> [(Result<usize, Error>, &str); 2] {
            [
                (number_of_connections(count(number)), "connections"),
                (number_at_once(count(number)), "at once"),
            ]
        };
        for (number, expected) in [(0, 1), (1, 1), (1_000_000, 1_000_000)] {
            assert!(read(number).iter().all(|(read, _)| *read == Ok(expected)), "{number}");
        }
        for number in [1_000_001, 1 << 61, u64::MAX] {
            for (refused, unit) in read(number) {
                let words = format!("{number} {unit} are too many: at most 1000000 can be set");
                assert_eq!(refused.unwrap_err().to_string(), words);
            }
        }
    }

    #[test]
    fn a_time_with_a_fraction_is_a_number_from_0_to_a_year() {
        assert_eq!(fractional_seconds(fraction(31_536_000.0)), Ok(31_536_000.0));
        assert_eq!(fractional_seconds(fraction(-1.0)), Ok(0.0));
        let refused = |number: f64| fractional_seconds(fraction(number)).unwrap_err().to_string();
        assert_eq!(refused(31_536_000.5), "31536000.5 seconds are too many: at most 31536000 can be set");
        for number in [f64::NAN, f64::INFINITY] {
            assert!(refused(number).contains("seconds are too many"), "{number}");
        }
    }

    #[test]
    fn a_boolean_or_a_number_is_read_from_a_text_as_well() {
        for (words, value) in [(["1", "True", "on", "YES"], true), (["0", "FALSE", "off", "no"], false)] {
            assert_eq!(boolean_or_text(BoolDeserializer::<Error>::new(value)), Ok(value));
            for word in words {
                assert_eq!(boolean_or_text(text(word)), Ok(value), "{word}");
            }
        }
        let refused = boolean_or_text(text("maybe")).unwrap_err().to_string();
        assert_eq!(refused, "invalid type: string \"maybe\", expected a boolean");
        let refused = boolean_or_text(count(1)).unwrap_err().to_string();
        assert_eq!(refused, "invalid type: integer `1`, expected a boolean");

        assert_eq!(number_or_text(count(18)), Ok(18_u8));
        assert_eq!(number_or_text(text("018")), Ok(18_u32));
        let refused = |read: Result<u8, Error>| read.unwrap_err().to_string();
        assert_eq!(refused(number_or_text(count(256))), "invalid value: integer `256`, expected u8");
        for number in ["256", "-1", "1e2", "18.0", ""] {
            let words = format!("invalid type: string {number:?}, expected an integer");
            assert_eq!(refused(number_or_text(text(number))), words);
        }
        assert!(number_or_text::<u8, _>(fraction(18.0)).is_err());
    }
}
