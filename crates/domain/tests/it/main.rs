//! Rules that involve other systems: deliveries and mail to real servers, tokens for real assertions, face indexes on
//! disk.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod delivery;
mod document_attacks;
mod faces;
mod mail;
mod tokens;
