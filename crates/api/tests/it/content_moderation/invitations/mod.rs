//! Invitations.

mod invite;
mod list;
mod revoke;
