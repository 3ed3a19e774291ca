//! Members with a closed set of words, whose refusal has an error code of its own.

use super::{ImageAnalysisApiError, ImageAnalysisErrorCode};
use serde::{Deserialize, Deserializer};
use std::str::FromStr;

/// A word of a closed set: any JSON is read first, and checked afterwards.
#[derive(Debug, Default)]
pub(crate) enum EnumField<T> {
    /// Absent or null.
    #[default]
    Absent,
    /// One of the set.
    Known(T),
    /// Anything else.
    Unknown,
}

impl<'de, T: FromStr> Deserialize<'de> for EnumField<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(from)? {
            serde_json::Value::Null => Self::Absent,
            serde_json::Value::String(word) => word.parse().map_or(Self::Unknown, Self::Known),
            _ => Self::Unknown,
        })
    }
}

impl<T> EnumField<T> {
    /// The word, or `default` if none was sent, or a refusal with `code` that lists the accepted words.
    pub(super) fn resolve(
        self,
        default: T,
        code: ImageAnalysisErrorCode,
        name: &str,
        words: &[&str],
    ) -> Result<T, ImageAnalysisApiError> {
        match self {
            Self::Absent => Ok(default),
            Self::Known(word) => Ok(word),
            Self::Unknown => {
                Err(ImageAnalysisApiError::new(code, format!("{name} is one of {}", words.join(", "))))
            }
        }
    }
}
