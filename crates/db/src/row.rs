//! Called by the code that `#[derive(FromRow)]` generates, and by nothing else.

use sqlx::{ColumnIndex, Decode, Row, Type, error::BoxDynError, types::Json};
pub use sqlx::{Error, FromRow, postgres::PgRow, sqlite::SqliteRow};

/// Reads a column.
pub fn column<'r, T, R>(row: &'r R, name: &str) -> Result<T, Error>
where
    R: Row,
    T: Decode<'r, R::Database> + Type<R::Database>,
    for<'n> &'n str: ColumnIndex<R>,
{
    row.try_get(name)
}

/// Reads a column as `From` and converts it.
pub fn converted<'r, From, T, R>(row: &'r R, name: &str) -> Result<T, Error>
where
    R: Row,
    From: Decode<'r, R::Database> + Type<R::Database>,
    T: TryFrom<From, Error: Into<BoxDynError>>,
    for<'n> &'n str: ColumnIndex<R>,
{
    let value: From = row.try_get(name)?;
    value
        .try_into()
        .map_err(|source: T::Error| Error::ColumnDecode { index: name.to_owned(), source: source.into() })
}

/// Reads a column's JSON into a type.
pub fn json<'r, T, R>(row: &'r R, name: &str) -> Result<T, Error>
where
    R: Row,
    Json<T>: Decode<'r, R::Database> + Type<R::Database>,
    for<'n> &'n str: ColumnIndex<R>,
{
    row.try_get(name).map(|Json(value)| value)
}
