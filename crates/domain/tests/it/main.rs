//! Rules that reach outside: deliveries to real servers, tokens for real assertions. On whichever database the run is
//! for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod delivery;
mod faces;
mod mail;
mod tokens;
