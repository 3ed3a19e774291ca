//! Who may pass. A handler that names no guard is open to the world.

pub(crate) mod bearer;
mod place;
mod rate;
mod signed;

pub(crate) use bearer::NoBearer;
pub use place::{BadPlaces, PlaceSettings, Places};
pub use rate::{Allowance, Rate};
pub use signed::Signed;
pub(crate) use signed::{NotProven, prove};
