//! The members of profiles, as they are sent.

use domain::Violation;
use serde::{Deserialize, Deserializer};

/// The bytes of a `face`.
pub(in crate::content_moderation) fn decode_picture(text: &str) -> Result<Vec<u8>, Violation> {
    media::image_validation::decode_base64(text)
        .map_err(|_| Violation::new("face", "it is a JPEG or PNG file in padded base64"))
}

/// A change to a text of a profile.
#[derive(Debug, Default)]
pub(super) enum TextUpdate {
    /// The member is absent: the text stays as it is.
    #[default]
    Unchanged,
    /// The new text; null removes it.
    Set(Option<String>),
}

impl<'de> Deserialize<'de> for TextUpdate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(Self::Set)
    }
}
