//! Members and their rights.

mod demote;
mod get;
mod list;
mod promote;
mod remove;
mod scopes;
mod set_scopes;
