//! What `#[derive(FromRow)]` writes calls of. Nobody else calls them.

use sqlx::{ColumnIndex, Decode, Row, Type, error::BoxDynError, types::Json};
pub use sqlx::{Error, FromRow, postgres::PgRow, sqlite::SqliteRow};

/// A column's value.
pub fn column<'r, T, R>(row: &'r R, name: &str) -> Result<T, Error>
where
    R: Row,
    T: Decode<'r, R::Database> + Type<R::Database>,
    for<'n> &'n str: ColumnIndex<R>,
{
    row.try_get(name)
}

/// What becomes of a column's value.
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

/// What the JSON in a column says.
pub fn json<'r, T, R>(row: &'r R, name: &str) -> Result<T, Error>
where
    R: Row,
    Json<T>: Decode<'r, R::Database> + Type<R::Database>,
    for<'n> &'n str: ColumnIndex<R>,
{
    row.try_get(name).map(|Json(value)| value)
}
