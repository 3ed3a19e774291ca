//! Who may pass. A handler that names no guard is open to the world.

mod signed;

pub use signed::Signed;
