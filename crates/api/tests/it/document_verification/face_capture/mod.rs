//! A face that the relying party supplies.

mod add;
mod put_image;
