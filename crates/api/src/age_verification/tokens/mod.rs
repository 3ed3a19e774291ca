//! The issuer of blind tokens (docs/BLIND-TOKENS.md): its keys, the start of a session in which an age is proved to it,
//! and the one signature at the end of that session. It receives nothing of the relying party's session.

pub(super) mod begin;
pub(super) mod issue;
pub(super) mod keys;
