//! The members of profiles, as they are sent.

use super::super::Problem;
use domain::faces::Text;
use serde::{Deserialize, Deserializer};

/// The bytes of a `face`.
pub(super) fn picture(text: &str) -> Result<Vec<u8>, Problem> {
    media::gate::unbase64(text)
        .map_err(|_| Problem::wrong("face", "it is a JPEG or PNG file in padded base64"))
}

/// Tells a member that is null, and so taken away, from one that is absent, and so left alone.
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Every text of a profile.
pub(super) const TEXTS: [Text; 5] =
    [Text::DisplayName, Text::Reference, Text::BiometricConsent, Text::ConsentLink, Text::IdVerification];
