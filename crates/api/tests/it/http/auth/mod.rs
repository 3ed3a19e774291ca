//! Authentication and quotas.

mod rate_limit;
