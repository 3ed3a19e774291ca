//! Authentication and quotas.

mod late_bodies;
mod rate_limit;

pub(crate) use late_bodies::late_body;
