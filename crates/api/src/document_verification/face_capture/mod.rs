//! Pictures of a face to compare with: the relying party's own, or the end user's.

pub(super) mod add;
pub(super) mod put_image;
