//! The crate with real nets: on the pack in `models/pack` and the sample photos in the locked packages of
//! `models/node_modules`, which a clone has after `make setup` and `assay models import`.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod age;
mod challenge;
mod detect;
mod embed;
mod liveness;
mod liveness_net;
mod manifest;
mod orientation;
mod pool;
mod quality;
mod runtime;
mod second_model;
mod support;
mod tiled_detection;
mod track;
mod video_tile_scheduler;
