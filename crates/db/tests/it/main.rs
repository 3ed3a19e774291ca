//! The database's seam, and every statement of the workspace.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contract;
mod statements;
