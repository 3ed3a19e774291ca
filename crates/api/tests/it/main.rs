//! The interfaces on the wire: whole requests, whole answers, real models, on whichever database the run is for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ages;
mod credentials;
mod documents;
mod identity;
mod images;
mod ladder;
mod limits;
mod matrix;
mod moderation;
mod operations;
mod people;
mod profiles;
mod proof;
mod secure;
mod system;
mod tokens;
