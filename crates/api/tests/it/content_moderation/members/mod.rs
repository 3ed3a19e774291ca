//! Members and their rights.

mod demote;
mod get;
mod list;
mod own_scopes;
mod promote;
mod remove;
mod set_scopes;
