//! The members of profiles, as they are sent.

use domain::Violation;
use serde::{Deserialize, Deserializer};

/// The bytes of a `face`.
pub(super) fn picture(text: &str) -> Result<Vec<u8>, Violation> {
    media::gate::unbase64(text)
        .map_err(|_| Violation::new("face", "it is a JPEG or PNG file in padded base64"))
}

/// What becomes of a text of a profile.
#[derive(Debug, Default)]
pub(super) enum Change {
    /// The member is absent: it stays as it is.
    #[default]
    Stays,
    /// It becomes this; null takes it away.
    Becomes(Option<String>),
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(Self::Becomes)
    }
}
