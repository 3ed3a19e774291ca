//! Invitations.

pub(super) mod invite;
pub(super) mod list;
pub(super) mod revoke;
