//! What an index must be, seen from outside.

mod changes;
mod exact;
mod file;
mod made;
