//! The binary as its users meet it: started, called, stopped, asked for help.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ages;
mod commands;
mod documents;
mod evaluate;
mod examples;
mod films;
mod holder;
mod identity;
mod kill;
mod moderation;
mod place;
mod serve;
