//! Proofs of age made here, by JavaScript libraries and by the authors of the standards, and ways to damage them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod kit;

mod chains;
mod damage;
mod encrypted;
mod formats;
mod mdocs;
mod oracle;
mod own;
mod presented;
mod refusals;
mod statuses;
mod trust_lists;
mod vectors;
