//! The whole crate on what a clone has after `make setup` and the import of the models: the locked packages in
//! `models/node_modules` with their sample photos, and the pack made from them.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod age;
mod challenge;
mod detect;
mod embed;
mod find;
mod liveness;
mod liveness_net;
mod manifest;
mod pool;
mod quality;
mod runtime;
mod second_model;
mod stage;
mod sweep;
mod track;
mod turned;
