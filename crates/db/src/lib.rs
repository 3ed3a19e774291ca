//! One SQL text, two engines. Everyone else writes [`sql!`] and never asks which engine is running.
//!
//! - [`ReadTx`] is a consistent view and cannot write; [`WriteTx`] can, and counts only once committed.
//! - After an error PostgreSQL's transaction is dead and SQLite's is not: an `Err` ends the `Tx`. To "try", write
//!   `ON CONFLICT DO NOTHING` and look at the row count.
//! - SQLite's writers are serial, PostgreSQL's are not: change state with a guarded update
//!   (`… WHERE id = $1 AND state = $2`, expect one row), never by reading first.

#![warn(missing_docs)]

// What is derived names this crate, inside of it too.
extern crate self as db;

mod engine;
mod migrate;
mod query;
#[doc(hidden)]
pub mod row;
#[cfg(feature = "testing")]
pub mod testing;
mod timestamp;

pub use db_derive::FromRow;
pub use engine::{Db, DbError, DbRow, Durability, Engine, ReadTx, WriteTx};
pub use query::{Query, Value};
pub use sqlx::FromRow;
pub use sqlx::types::Json;
pub use timestamp::{DbTimestamp, serialize_optional_timestamp};
