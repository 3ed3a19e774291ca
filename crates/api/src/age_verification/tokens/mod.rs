//! The issuer of blind tokens (docs/ANONYMITY.md): its keys, the beginning of a session in which an age is shown to it, and
//! the one signature at its end. Nothing of a relying party's session comes here.

pub(super) mod begin;
pub(super) mod issue;
pub(super) mod keys;
