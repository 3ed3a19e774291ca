//! JSON bodies: unknown members are ignored, known ones are held to their type, and a refusal names the path.

use crate::ai::{Code, Problem};
use serde::{Deserialize, Deserializer};
use std::str::FromStr;

/// Reads a body. The body is JSON whatever its Content-Type says.
pub(crate) fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        if cause.is_data() {
            // serde's words name types and positions, never values beyond a scalar; positions mean nothing to callers.
            let words = cause.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            Problem::new(Code::InvalidRequestBody, format!("{path}: {words}"))
        } else {
            Problem::new(Code::InvalidBodyEncoding, "the body is not valid JSON")
        }
    })?;
    reader.end().map_err(|_| Problem::new(Code::InvalidBodyEncoding, "the body goes on after its JSON"))?;
    Ok(read)
}

/// A word of a closed set, whose refusal has a code of its own: any JSON is read, and judged afterwards.
#[derive(Debug, Default)]
pub(crate) enum Word<T> {
    /// Absent or null.
    #[default]
    Absent,
    /// One of the set.
    Known(T),
    /// Anything else.
    Unknown,
}

impl<'de, T: FromStr> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(from)? {
            serde_json::Value::Null => Self::Absent,
            serde_json::Value::String(word) => word.parse().map_or(Self::Unknown, Self::Known),
            _ => Self::Unknown,
        })
    }
}

impl<T> Word<T> {
    /// The word, or `default` when none was given, or a refusal with `code` that lists what would have been right.
    pub(crate) fn or(self, default: T, code: Code, name: &str, words: &[&str]) -> Result<T, Problem> {
        match self {
            Self::Absent => Ok(default),
            Self::Known(word) => Ok(word),
            Self::Unknown => Err(Problem::new(code, format!("{name} is one of {}", words.join(", ")))),
        }
    }
}
