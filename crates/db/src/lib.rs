//! One SQL text for SQLite and PostgreSQL. Other crates write [`sql!`] and do not ask which engine is in use.
//!
//! - [`ReadTx`] reads one consistent state and cannot write; [`WriteTx`] can, and is rolled back unless it is committed.
//! - After an error a transaction of PostgreSQL can only be rolled back, one of SQLite can go on: treat both alike and drop
//!   the transaction after an `Err`. To try something, write `ON CONFLICT DO NOTHING` and look at the number of rows.
//! - Writers of SQLite run one after the other, those of PostgreSQL side by side: change a state with a guarded update
//!   (`… WHERE id = $1 AND state = $2`, one row expected), never by reading first.

#![warn(missing_docs)]

// The derived code refers to this crate by name, inside of it as well.
extern crate self as db;

mod audit_event;
mod engine;
mod migrate;
mod query;
#[doc(hidden)]
pub mod row;
mod schema_status;
mod scratch_schema;
mod sqlite_pool;
#[cfg(feature = "testing")]
pub mod testing;
mod timestamp;

pub use audit_event::{AuditEvent, RecordedEnd};
pub use db_derive::FromRow;
pub use engine::{
    AuditRecorder, Db, DbError, DbRow, Durability, Engine, PoolUsage, ReadTx, RecordedFuture, WriteTx,
};
pub use query::{Query, Value, ids_json};
pub use schema_status::SchemaStatus;
pub use scratch_schema::ScratchSchema;
pub use sqlx::FromRow;
pub use sqlx::types::Json;
pub use timestamp::{DbTimestamp, serialize_optional_timestamp};
