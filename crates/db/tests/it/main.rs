//! The database on both engines, and what is checked in every source of the workspace: statements, imports, names.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod contract;
mod names;
mod sources;
mod statements;
