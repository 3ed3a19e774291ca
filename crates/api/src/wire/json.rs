//! JSON bodies: unknown members are ignored, known ones are held to their type, and a refusal names the path.

use crate::ai::{Code, Problem};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{marker::PhantomData, str::FromStr};

/// Longer refusals would only echo what was sent.
const LONGEST: usize = 200;

/// A body that cannot be read. Each interface says so in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadBody {
    /// It is not JSON.
    Syntax(&'static str),
    /// A member has a wrong type or value: its path and what is wrong.
    Member(String),
}

/// Reads a body. The body is JSON whatever its Content-Type says.
pub(crate) fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, BadBody> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let mut track = serde_path_to_error::Track::new();
    let read = object(serde_path_to_error::Deserializer::new(&mut reader, &mut track));
    let read = read.map_err(|cause| {
        if !cause.is_data() {
            return BadBody::Syntax("the body is not valid JSON");
        }
        // Positions mean nothing to callers, and a value that is no scalar of ours may be as long as the body.
        let words = cause.to_string().replace("expected i64", "expected a whole number");
        let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
        let words = if words.len() > LONGEST { "a value of another type is expected" } else { words };
        let path = track.path().to_string();
        let place = if path == "." { "the body" } else { &path };
        BadBody::Member(format!("{place}: {words}"))
    })?;
    reader.end().map_err(|_| BadBody::Syntax("the body goes on after its JSON"))?;
    if has_nul(body) {
        return Err(BadBody::Syntax("texts have no character U+0000"));
    }
    read.ok_or_else(|| BadBody::Member("the body: an object is expected".to_owned()))
}

/// The names of an object's members, in the order in which they came. Only for bodies that [`parse`] has read.
pub(crate) fn names(body: &[u8]) -> Result<Vec<String>, BadBody> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = members.next_key()? {
                members.next_value::<serde::de::IgnoredAny>()?;
                names.push(name);
            }
            Ok(names)
        }
    }
    let names = serde_json::Deserializer::from_slice(body).deserialize_map(Names);
    names.map_err(|_| BadBody::Syntax("the body is not valid JSON"))
}

/// Whether a text in this JSON has the character U+0000, which JSON can only write as an escape. One of the databases
/// keeps no such text, and nobody types it.
fn has_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = rest.get(at + 1..).unwrap_or_default();
        if escape.starts_with(b"u0000") {
            return true;
        }
        // Whatever is escaped, a backslash for example, begins no escape.
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

/// Reads an object or null. What serde derives would take a list for one as well, member by member.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    from.deserialize_any(Object(PhantomData))
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Some)
    }
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

#[cfg(test)]
mod tests {
    use super::{BadBody, parse};

    #[test]
    fn a_text_with_a_nul_is_refused_and_one_that_only_writes_of_it_is_not() {
        #[derive(serde::Deserialize)]
        struct Named {
            name: String,
        }
        for bad in
            [r#"{"name": "a\u0000b"}"#, r#"{"name": "\\\u0000"}"#, r#"{"name": "b", "c": ["\n\u0000"]}"#]
        {
            assert!(matches!(parse::<Named>(bad.as_bytes()), Err(BadBody::Syntax(_))), "{bad}");
        }
        for good in [r#"{"name": "\\u0000"}"#, r#"{"name": "\u0001u0000\\"}"#, r#"{"name": "u0000"}"#] {
            assert!(
                parse::<Named>(good.as_bytes()).is_ok_and(|named| named.name.contains("u0000")),
                "{good}"
            );
        }
    }
}
