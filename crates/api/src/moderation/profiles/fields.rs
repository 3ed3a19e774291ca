//! The members of profiles, as they are sent.

use super::super::Problem;
use domain::faces::Text;
use serde::{Deserialize, Deserializer};

/// The bytes of a `face`.
pub(super) fn picture(text: &str) -> Result<Vec<u8>, Problem> {
    media::gate::unbase64(text)
        .map_err(|_| Problem::violation("face", "it is a JPEG or PNG file in padded base64"))
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

/// Every text of a profile.
pub(super) const TEXTS: [Text; 5] =
    [Text::DisplayName, Text::Reference, Text::BiometricConsent, Text::ConsentLink, Text::IdVerification];
