//! JSON from outside: a repeated member name is an error, because two parsers could each take a different one.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses an object. `None` if anything but white space follows it.
pub(crate) fn parse_object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match parse_value(bytes)? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Parses any value. `None` if anything but white space follows it. The parser bounds nesting at 128 levels.
pub(crate) fn parse_value(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice::<StrictValue>(bytes).ok().map(|strict| strict.0)
}

/// A `NumericDate` (RFC 7519, section 2) in seconds, rounded down if it has a fraction.
pub(crate) fn parse_seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let seconds = value.as_f64()?;
        (seconds.abs() < 1e15).then_some(seconds.floor() as i64)
    })
}

struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("no number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(StrictValue(value)) = from.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, StrictValue(value))) = from.next_entry::<String, StrictValue>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is repeated"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_member_is_refused_wherever_it_stands() {
        assert!(parse_object(br#"{"a":1,"b":{"c":[1,2.5,null,true,"x"]}}"#).is_some());
        for bad in [&br#"{"a":1,"a":1}"#[..], br#"{"b":[{"a":1,"a":2}]}"#, br#"{"a":1} x"#, b"[1]", b""] {
            assert!(parse_object(bad).is_none());
        }
        assert!(parse_value("[".repeat(100_000).as_bytes()).is_none());
    }
}
