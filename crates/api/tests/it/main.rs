//! The interfaces on the wire: whole requests, whole answers, real models, on whichever database the run is for.

mod documents;
mod images;
mod ladder;
mod operations;
mod secure;
mod system;
