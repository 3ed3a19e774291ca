//! JSON bodies, read into types. Unknown members are ignored, null counts as absent, and every member of a wrong type
//! is reported with its path.
//!
//! Request types declare their members as `Option`s: the rule that needs a member reports that it is missing, together
//! with everything else that is wrong.

use base::LimitViolation;
use domain::{UnknownVariantError, Violation};
use memchr::{memchr, memchr2};
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::Value;
use serde_path_to_error::{Path, Segment, Track};
use std::{borrow::Cow, marker::PhantomData, str::FromStr};

/// Longer messages would only repeat what was sent.
const MAX_MESSAGE_BYTES: usize = 200;
/// Used in place of a member's path for the body itself.
const BODY_PATH: &str = "the body";
/// Further members that are wrong are not reported.
pub(crate) const MAX_VIOLATIONS: usize = 50;
/// Values in a body: objects, lists, and what is in them. Each takes up to some hundred times the memory that its text takes,
/// and a thousand items with everything that they may have are a fifth of them.
const MAX_VALUES: usize = 100_000;

/// A body that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonError {
    /// It is not JSON.
    Syntax(&'static str),
    /// Members have a wrong type or value; at least one.
    Violations(Vec<Violation>),
}

/// Reads a body, whatever its Content-Type says. Every member of a wrong type is reported.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, JsonError> {
    let (read, violations) = parse_lenient(body)?;
    if violations.is_empty() { Ok(read) } else { Err(JsonError::Violations(violations)) }
}

/// Reads a body as far as it can be read: members of a wrong type are left out and reported. For payloads whose rules
/// are checked all the same, so that a caller learns everything at once.
pub(crate) fn parse_lenient<T: DeserializeOwned>(body: &[u8]) -> Result<(T, Vec<Violation>), JsonError> {
    // Every type is read from a `Value`, even if nothing is wrong: reading it from text first, and from a `Value` only
    // to find the other faults, would compile the code twice for each of a hundred types.
    read_lenient(parse_value(body)?)
}

/// Reads a body as it is, for [`read_lenient`].
pub(crate) fn parse_value(body: &[u8]) -> Result<Value, JsonError> {
    deserialize_body(body, |reader, _| Value::deserialize(reader))
}

/// As [`parse_lenient`], of a body that was read, or of a part of one.
pub(crate) fn read_lenient<T: DeserializeOwned>(mut value: Value) -> Result<(T, Vec<Violation>), JsonError> {
    let mut violations: Vec<Violation> = Vec::new();
    // Each time without the member that was wrong.
    loop {
        let mut track = Track::new();
        let read = object(serde_path_to_error::Deserializer::new(&value, &mut track));
        let path = track.path();
        let fault = match read {
            Ok(Some(read)) => return Ok((read, violations)),
            Ok(None) => object_expected(),
            Err(cause) => to_violation(&path, &cause),
        };
        // A member that was removed may now be reported as missing, but that is not another fault of the caller.
        if violations.iter().all(|known| known.path != fault.path) {
            violations.push(fault);
        }
        if violations.len() == MAX_VIOLATIONS || !prune(&mut value, &path) {
            return Err(JsonError::Violations(violations));
        }
    }
}

/// Reads a body without copying its texts. Only the first member of a wrong type is reported: for bodies with pictures.
pub(crate) fn parse_borrowed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, JsonError> {
    let read = deserialize_body(body, |reader, track| {
        object(serde_path_to_error::Deserializer::new(reader, track))
    })?;
    read.ok_or_else(|| JsonError::Violations(vec![object_expected()]))
}

type SliceDeserializer<'a> = serde_json::Deserializer<serde_json::de::SliceRead<'a>>;

/// Reads the whole text of a body.
fn deserialize_body<'a, T>(
    body: &'a [u8],
    read: impl FnOnce(&mut SliceDeserializer<'a>, &mut Track) -> serde_json::Result<T>,
) -> Result<T, JsonError> {
    let values = count_values(body);
    if values > MAX_VALUES {
        let limit = format!("at most {MAX_VALUES} values");
        let measured = LimitViolation::new(values as f64, limit, "send several requests");
        let message = format!("it has {values} values");
        return Err(JsonError::Violations(vec![Violation::with_limit(BODY_PATH, message, measured)]));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let mut track = Track::new();
    let read = read(&mut reader, &mut track).map_err(|cause| {
        if cause.is_data() {
            JsonError::Violations(vec![to_violation(&track.path(), &cause)])
        } else {
            JsonError::Syntax("the body is not valid JSON")
        }
    })?;
    reader.end().map_err(|_| JsonError::Syntax("the body goes on after its JSON"))?;
    if has_nul(body) {
        return Err(JsonError::Syntax("texts have no character U+0000"));
    }
    Ok(read)
}

/// How many values this JSON has, or more: texts are passed over, and each bracket or comma elsewhere begins one.
fn count_values(json: &[u8]) -> usize {
    let (mut count, mut rest) = (1, json);
    loop {
        let (before, text) = match memchr(b'"', rest) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &rest[..0]),
        };
        count += before.iter().filter(|byte| matches!(byte, b'[' | b'{' | b',')).count();
        // Where the text ends, if it does.
        rest = text;
        loop {
            match memchr2(b'"', b'\\', rest) {
                Some(at) if rest[at] == b'"' => {
                    rest = &rest[at + 1..];
                    break;
                }
                Some(at) => rest = rest.get(at + 2..).unwrap_or_default(),
                None => return count,
            }
        }
    }
}

fn object_expected() -> Violation {
    Violation::new(BODY_PATH, "an object is expected")
}

/// Removes the value at a path, or else the nearest one around it that exists; `false` if only the body is left.
fn prune(value: &mut Value, path: &Path) -> bool {
    let keys: Vec<&Segment> =
        path.iter().filter(|segment| matches!(segment, Segment::Map { .. } | Segment::Seq { .. })).collect();
    for depth in (1..=keys.len()).rev() {
        let found = keys.iter().take(depth).try_fold(&mut *value, |at, segment| match segment {
            Segment::Map { key } => at.get_mut(key),
            Segment::Seq { index } => at.get_mut(index),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
        if let Some(found) = found.filter(|found| !found.is_null()) {
            *found = Value::Null;
            return true;
        }
    }
    false
}

/// What is wrong, and where. A missing member is reported with its own path.
fn to_violation(path: &Path, cause: &serde_json::Error) -> Violation {
    let path = dotted_path(path);
    let words = cause.to_string();
    let missing = words.strip_prefix("missing field `").and_then(|rest| rest.split_once('`'));
    match missing {
        Some((name, _)) if path == BODY_PATH => Violation::new(name.to_owned(), "it is required"),
        Some((name, _)) => Violation::new(format!("{path}.{name}"), "it is required"),
        None => Violation::new(path, plain_message(&words)),
    }
}

fn dotted_path(path: &Path) -> Cow<'static, str> {
    let path = path.to_string();
    if path == "." { Cow::Borrowed(BODY_PATH) } else { Cow::Owned(path) }
}

/// What is wrong with a member, in this project's words. Positions mean nothing to callers, and serde's message may
/// quote a value as long as the body.
fn plain_message(words: &str) -> String {
    let words = words.rsplit_once(" at line ").map_or(words, |(words, _)| words);
    let expected = words.starts_with("invalid type").then(|| words.rsplit_once("expected ")).flatten();
    let words = match expected.map(|(_, expected)| expected) {
        Some("a string" | "a borrowed string" | "str") => "a text is expected",
        Some("i64" | "i32" | "i16" | "i8" | "u64" | "u32" | "u16" | "u8" | "usize") => {
            "a whole number is expected"
        }
        Some("f64" | "f32") => "a number is expected",
        Some("a boolean") => "true or false is expected",
        Some("a sequence") => "a list is expected",
        Some("a map" | "an object") => "an object is expected",
        Some(expected) if expected.starts_with("struct ") => "an object is expected",
        _ => words,
    };
    if words.len() > MAX_MESSAGE_BYTES {
        return "a value of another type is expected".to_owned();
    }
    words.to_owned()
}

/// The names of an object's members, in the order in which they were sent. Only for bodies that were read before.
pub(crate) fn member_names(body: &[u8]) -> Result<Vec<String>, JsonError> {
    struct MemberNamesVisitor;
    impl<'de> Visitor<'de> for MemberNamesVisitor {
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
    let names = serde_json::Deserializer::from_slice(body).deserialize_map(MemberNamesVisitor);
    names.map_err(|_| JsonError::Syntax("the body is not valid JSON"))
}

/// Whether a text in this JSON has the character U+0000, which JSON can only write as an escape. One of the databases
/// cannot store it.
fn has_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = memchr(b'\\', rest) {
        let escape = rest.get(at + 1..).unwrap_or_default();
        if escape.starts_with(b"u0000") {
            return true;
        }
        // The escaped character, for example a backslash, does not begin an escape itself.
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

/// Reads an object or null. The implementation that serde derives would also accept a list of the members.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    from.deserialize_any(ObjectVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
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

/// Reads a list of objects or null, each as [`object`] does. A null in the list keeps its place, so that the paths of
/// the items after it stay right.
pub(crate) fn sparse_objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<Option<T>>>, D::Error> {
    struct ObjectItem<T>(Option<T>);
    impl<'de, T: Deserialize<'de>> Deserialize<'de> for ObjectItem<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            object(from).map(Self)
        }
    }
    let items = Option::<Vec<ObjectItem<T>>>::deserialize(from)?;
    Ok(items.map(|items| items.into_iter().map(|ObjectItem(item)| item).collect()))
}

/// The same, where one object stands for a list of one.
pub(crate) fn sparse_objects_or_one<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<Option<T>>>, D::Error> {
    struct ListOrOneVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListOrOneVisitor<T> {
        type Value = Option<Vec<Option<T>>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(members)).map(|one| Some(vec![Some(one)]))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
            sparse_objects(SeqAccessDeserializer::new(items))
        }
    }
    from.deserialize_any(ListOrOneVisitor(PhantomData))
}

/// Reads a word of a closed set, in any case, or null: `#[serde(default, deserialize_with = "json::enum_value")]`.
pub(crate) fn enum_value<'de, T: FromStr<Err = UnknownVariantError>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = Option::<Cow<'de, str>>::deserialize(from)?;
    text.map(|text| parse_enum(&text)).transpose()
}

/// Reads a list of such words, or null.
pub(crate) fn enum_values<'de, T: FromStr<Err = UnknownVariantError>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    struct EnumItem<T>(Option<T>);
    impl<'de, T: FromStr<Err = UnknownVariantError>> Deserialize<'de> for EnumItem<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            enum_value(from).map(Self)
        }
    }
    let items = Option::<Vec<EnumItem<T>>>::deserialize(from)?;
    Ok(items.map(|items| items.into_iter().filter_map(|EnumItem(item)| item).collect()))
}

/// Reads a whole number, written with a decimal point or without, or null.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let number = Option::<f64>::deserialize(from)?;
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
    let read = |number| whole(number).ok_or_else(|| serde::de::Error::custom("a whole number is expected"));
    number.map(read).transpose()
}

/// Reads a list of texts or null; null in the list is left out.
pub(crate) fn string_list<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let items = Option::<Vec<Option<String>>>::deserialize(from)?;
    Ok(items.map(|items| items.into_iter().flatten().collect()))
}

fn parse_enum<T: FromStr<Err = UnknownVariantError>, E: serde::de::Error>(text: &str) -> Result<T, E> {
    let unknown =
        |unknown: UnknownVariantError| E::custom(format!("it is one of {}", unknown.expected.join(", ")));
    text.trim().to_ascii_uppercase().parse().map_err(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Named {
        name: Option<String>,
        #[serde(default, deserialize_with = "object")]
        inner: Option<Inner>,
        #[serde(default, deserialize_with = "sparse_objects")]
        list: Option<Vec<Option<Inner>>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        count: Option<i64>,
        on: Option<bool>,
        #[serde(default, deserialize_with = "string_list")]
        texts: Option<Vec<String>>,
    }

    #[test]
    fn a_text_with_a_nul_is_refused_and_one_that_only_writes_of_it_is_not() {
        for bad in
            [r#"{"name": "a\u0000b"}"#, r#"{"name": "\\\u0000"}"#, r#"{"name": "b", "c": ["\n\u0000"]}"#]
        {
            assert!(matches!(parse::<Named>(bad.as_bytes()), Err(JsonError::Syntax(_))), "{bad}");
        }
        for good in [r#"{"name": "\\u0000"}"#, r#"{"name": "\u0001u0000\\"}"#, r#"{"name": "u0000"}"#] {
            let read = parse::<Named>(good.as_bytes()).unwrap().name;
            assert!(read.is_some_and(|name| name.contains("u0000")), "{good}");
        }
    }

    #[test]
    fn values_are_counted_before_they_take_memory() {
        for (json, values) in [
            ("", 1),
            ("7", 1),
            (r#""a,[{\"," "#, 1),
            (r#"{"a": [1, 2, {"b,\\": "{\"["}], "c": null}"#, 7),
            (r#"{"unended, [ \"#, 2),
        ] {
            assert_eq!(count_values(json.as_bytes()), values, "{json}");
        }
        let body = |count: usize| format!(r#"{{"unknown":[{}0]}}"#, r#"{"":0},"#.repeat(count / 2));
        assert!(parse::<Named>(body(MAX_VALUES - 4).as_bytes()).is_ok());
        let Err(JsonError::Violations(told)) = parse::<Named>(body(MAX_VALUES).as_bytes()) else {
            panic!("it has too many values")
        };
        assert_eq!(told[0].to_string(), "the body: it has 100003 values");
    }

    #[test]
    fn every_member_of_a_wrong_type_is_told_and_the_rest_is_read() {
        let body = br#"{"name": 7, "inner": {"count": "x", "on": 1, "texts": ["a", 2, "c"]},
            "list": [{"count": 1}, [], {"on": null, "count": 2.5}], "unknown": []}"#;
        let (read, violations) = parse_lenient::<Named>(body).unwrap();
        let told: Vec<_> = violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "inner.count: a whole number is expected",
                "inner.on: true or false is expected",
                "inner.texts[1]: a text is expected",
                "list[1]: an object is expected",
                "list[2].count: a whole number is expected",
                "name: a text is expected",
            ]
        );
        assert_eq!(read.name, None);
        assert_eq!(read.list.map(|list| list.iter().flatten().count()), Some(2));
        assert!(matches!(parse::<Named>(body), Err(JsonError::Violations(all)) if all.len() == 6));
    }

    #[test]
    fn a_body_that_is_no_object_is_told_so() {
        for bad in ["[]", "null", "7", "\"x\""] {
            let Err(JsonError::Violations(told)) = parse::<Named>(bad.as_bytes()) else { panic!("{bad}") };
            assert_eq!(told, [Violation::new(BODY_PATH, "an object is expected")], "{bad}");
        }
        for bad in ["", "{", "{} {}", "{\"name\": \"a\" \"b\"}"] {
            assert!(matches!(parse::<Named>(bad.as_bytes()), Err(JsonError::Syntax(_))), "{bad}");
        }
    }
}
