//! What an index must be, seen from outside.

mod changes;
mod codes;
mod exact;
mod file;
mod made;
mod shared;
