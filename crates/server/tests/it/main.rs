//! The binary as its users meet it: started, called, stopped, asked for help.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod age_verification;
mod bench;
mod camera_films;
mod commands;
mod content_moderation;
mod crash_recovery;
mod document_verification;
mod evaluate;
mod examples;
mod holder_page;
mod keys;
mod read_document;
mod reference_page;
mod serve;
mod telemetry;
mod test_installation;
