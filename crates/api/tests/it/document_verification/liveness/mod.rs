//! Liveness captures.

mod add_static;
mod add_zoom;
pub(super) mod judged;
mod put_facemap;
mod put_static_frame;
mod put_zoom_frame;
