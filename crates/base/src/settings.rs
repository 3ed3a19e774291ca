//! How values of the configuration are read and written, for serde's `with` and `deserialize_with`. Out-of-range values are
//! brought into range where they are read, so the rest of the program only sees values that hold.

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serializer};
use std::time::Duration;

/// A duration that the configuration writes as a whole number of some unit.
pub trait DurationSetting: Copy {
    /// The integer that is read; its range is the range of the setting.
    type Count: for<'de> Deserialize<'de>;

    /// `count` units of `unit_seconds` seconds.
    fn from_count(count: Self::Count, unit_seconds: u32) -> Self;

    /// How many whole units of `unit_seconds` seconds fit; 0 if the duration is negative.
    fn to_count(self, unit_seconds: u32) -> u64;
}

impl DurationSetting for SignedDuration {
    type Count = u32;

    fn from_count(count: u32, unit_seconds: u32) -> Self {
        Self::from_secs(i64::from(count) * i64::from(unit_seconds))
    }

    fn to_count(self, unit_seconds: u32) -> u64 {
        u64::try_from(self.as_secs()).unwrap_or(0) / u64::from(unit_seconds)
    }
}

impl DurationSetting for Duration {
    type Count = u64;

    fn from_count(count: u64, unit_seconds: u32) -> Self {
        Self::from_secs(count.saturating_mul(u64::from(unit_seconds)))
    }

    fn to_count(self, unit_seconds: u32) -> u64 {
        self.as_secs() / u64::from(unit_seconds)
    }
}

macro_rules! duration_units {
    ($($(#[$doc:meta])* $unit:ident = $seconds:literal;)*) => {$(
        $(#[$doc])*
        pub mod $unit {
            use super::{Deserialize as _, Deserializer, DurationSetting, Serializer};

            /// Reads the count as an integer.
            pub fn deserialize<'de, T: DurationSetting, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
                T::Count::deserialize(from).map(|count| T::from_count(count, $seconds))
            }

            /// Writes the count as an integer.
            pub fn serialize<T: DurationSetting, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_u64(value.to_count($seconds))
            }
        }
    )*};
}

duration_units! {
    /// Whole seconds.
    seconds = 1;
    /// Whole minutes.
    minutes = 60;
    /// Whole hours.
    hours = 3600;
    /// Whole days of 24 hours.
    days = 86400;
}

/// Whole seconds, at least 1: 0 is read as 1.
pub mod positive_seconds {
    use super::{Deserializer, DurationSetting, seconds};

    /// Reads the count as an integer.
    pub fn deserialize<'de, T: DurationSetting, D: Deserializer<'de>>(from: D) -> Result<T, D::Error>
    where
        T::Count: From<u8>,
    {
        let value: T = seconds::deserialize(from)?;
        Ok(if value.to_count(1) == 0 { T::from_count(1.into(), 1) } else { value })
    }

    pub use seconds::serialize;
}

/// Reads a number of at least 1: 0 is read as 1.
pub fn at_least_one<'de, N, D>(from: D) -> Result<N, D::Error>
where
    N: Deserialize<'de> + Ord + From<u8>,
    D: Deserializer<'de>,
{
    N::deserialize(from).map(|number| number.max(1.into()))
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
