//! Timestamps, stored so that both engines sort and compare them alike.

use base::Timestamp;
use jiff_sqlx::ToSqlx as _;
use sqlx::{Database, Decode, Encode, Postgres, Sqlite, Type, encode::IsNull, error::BoxDynError};

/// A timestamp as a column has it: `timestamptz` in PostgreSQL, whole microseconds since 1970 in SQLite.
///
/// A row reads one into a [`Timestamp`] with `#[sqlx(try_from = "db::DbTimestamp")]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DbTimestamp(pub Timestamp);

impl From<DbTimestamp> for Timestamp {
    fn from(at: DbTimestamp) -> Self {
        at.0
    }
}

/// Serialises an optional timestamp like a [`Timestamp`], for rows that are printed as they are.
pub fn serialize_optional_timestamp<S: serde::Serializer>(
    at: &Option<DbTimestamp>,
    to: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&at.map(|at| at.0), to)
}

impl Type<Postgres> for DbTimestamp {
    fn type_info() -> sqlx::postgres::PgTypeInfo {
        <jiff_sqlx::Timestamp as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for DbTimestamp {
    fn encode_by_ref(&self, out: &mut <Postgres as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <jiff_sqlx::Timestamp as Encode<Postgres>>::encode(self.0.to_sqlx(), out)
    }
}

impl<'r> Decode<'r, Postgres> for DbTimestamp {
    fn decode(value: <Postgres as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(<jiff_sqlx::Timestamp as Decode<Postgres>>::decode(value)?.to_jiff()))
    }
}

impl Type<Sqlite> for DbTimestamp {
    fn type_info() -> sqlx::sqlite::SqliteTypeInfo {
        <i64 as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for DbTimestamp {
    fn encode_by_ref(&self, out: &mut <Sqlite as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<Sqlite>>::encode(self.0.as_microsecond(), out)
    }
}

impl<'r> Decode<'r, Sqlite> for DbTimestamp {
    fn decode(value: <Sqlite as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(Timestamp::from_microsecond(<i64 as Decode<Sqlite>>::decode(value)?)?))
    }
}
