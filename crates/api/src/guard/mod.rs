//! Who may pass. A handler that names no guard is open to the world.

mod rate;
mod signed;

pub use rate::{Allowance, Rate};
pub use signed::Signed;
