//! CBOR (RFC 8949) from outside: one strict parser in front of everything.
//!
//! Accepted is what a careful encoder writes: definite lengths, the shortest head for every number and length, map
//! keys that are numbers, text or bytes and occur once, nothing after the value. The number of items and of levels is
//! bounded. Because every head is the shortest, encoding a parsed value gives exactly the bytes that were read, which
//! digests and signatures over parts of a message rely on.

use ciborium::Value;
use std::collections::BTreeSet;

/// Levels of nested arrays, maps and tags at most.
const MAX_DEPTH: usize = 16;
/// Values in one message at most, map keys included.
const MAX_ITEMS: usize = 4096;

/// A map: pairs in the order of the message.
pub(crate) type CborMap = Vec<(Value, Value)>;

/// Why bytes are not accepted as CBOR; reads on from "CBOR that".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CborError {
    #[error("breaks off")]
    UnexpectedEnd,
    #[error("has bytes after its end")]
    Trailing,
    #[error("is nested too deeply")]
    TooDeep,
    #[error("has too many items")]
    TooMany,
    #[error("repeats a map key")]
    RepeatedKey,
    #[error("has a map key that is neither a number nor text nor bytes")]
    InvalidKey,
    #[error("is not in the shortest form with definite lengths")]
    NotShortest,
    #[error("has text that is not UTF-8")]
    NotText,
    #[error("has a value of a kind that is not known")]
    Unknown,
}

/// Decodes exactly one value.
pub(crate) fn decode(bytes: &[u8]) -> Result<Value, CborError> {
    let mut reader = CborReader { rest: bytes, items: 0 };
    let value = reader.value(0)?;
    if reader.rest.is_empty() { Ok(value) } else { Err(CborError::Trailing) }
}

/// Encodes a value, every head in its shortest form.
pub(crate) fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// The value under an integer key.
pub(crate) fn get_label(map: &[(Value, Value)], label: i64) -> Option<&Value> {
    let label = Value::Integer(label.into());
    map.iter().find(|(key, _)| *key == label).map(|(_, value)| value)
}

/// The value under a text key.
pub(crate) fn get_name<'a>(map: &'a [(Value, Value)], name: &str) -> Option<&'a Value> {
    map.iter().find(|(key, _)| key.as_text() == Some(name)).map(|(_, value)| value)
}

/// An integer, if it fits an `i64`.
pub(crate) fn as_i64(value: &Value) -> Option<i64> {
    value.as_integer().and_then(|number| i64::try_from(number).ok())
}

/// The bytes inside `#6.24(bstr)`, the way messages embed encoded CBOR.
pub(crate) fn unwrap_encoded_cbor(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Tag(24, inner) => inner.as_bytes().map(Vec::as_slice),
        _ => None,
    }
}

/// Wraps encoded CBOR into `#6.24(bstr)`.
pub(crate) fn wrap_encoded_cbor(encoded: Vec<u8>) -> Value {
    Value::Tag(24, Box::new(Value::Bytes(encoded)))
}

struct CborReader<'a> {
    rest: &'a [u8],
    items: usize,
}

impl<'a> CborReader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], CborError> {
        let length = usize::try_from(length).map_err(|_| CborError::UnexpectedEnd)?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(CborError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, width: u64) -> Result<u64, CborError> {
        Ok(self.take(width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The major type, the five bits of additional information, and the argument, which must be in its shortest form.
    fn head(&mut self) -> Result<(u8, u8, u64), CborError> {
        let first = self.number(1)? as u8;
        let (major, info) = (first >> 5, first & 0x1f);
        let argument = match info {
            0..24 => u64::from(info),
            24 => self.number(1)?,
            25 => self.number(2)?,
            26 => self.number(4)?,
            27 => self.number(8)?,
            _ => return Err(CborError::NotShortest),
        };
        // The argument of major type 7 is a float or a simple value, which has no shorter form.
        let least = match info {
            24 => 24,
            25 => 1 << 8,
            26 => 1 << 16,
            27 => 1 << 32,
            _ => 0,
        };
        if major != 7 && argument < least { Err(CborError::NotShortest) } else { Ok((major, info, argument)) }
    }

    fn value(&mut self, depth: usize) -> Result<Value, CborError> {
        self.items += 1;
        if self.items > MAX_ITEMS {
            return Err(CborError::TooMany);
        }
        if depth > MAX_DEPTH {
            return Err(CborError::TooDeep);
        }
        let (major, info, argument) = self.head()?;
        Ok(match major {
            0 => Value::Integer(argument.into()),
            1 => {
                let negative = -1 - i128::from(argument);
                Value::Integer(negative.try_into().map_err(|_| CborError::Unknown)?)
            }
            2 => Value::Bytes(self.take(argument)?.to_vec()),
            3 => {
                let text = std::str::from_utf8(self.take(argument)?).map_err(|_| CborError::NotText)?;
                Value::Text(text.to_owned())
            }
            4 => {
                let mut values = Vec::new();
                for _ in 0..argument {
                    values.push(self.value(depth + 1)?);
                }
                Value::Array(values)
            }
            5 => Value::Map(self.map(argument, depth)?),
            6 => Value::Tag(argument, Box::new(self.value(depth + 1)?)),
            _ => match info {
                20 => Value::Bool(false),
                21 => Value::Bool(true),
                // Some encoders write `undefined` (23) for an absent value; nothing here distinguishes it from `null`
                // (22).
                22 | 23 => Value::Null,
                26 => Value::Float(f64::from(f32::from_bits(argument as u32))),
                27 => Value::Float(f64::from_bits(argument)),
                _ => return Err(CborError::Unknown),
            },
        })
    }

    fn map(&mut self, pairs: u64, depth: usize) -> Result<CborMap, CborError> {
        let mut map = Vec::new();
        let mut seen = BTreeSet::new();
        for _ in 0..pairs {
            let before = self.rest;
            let key = self.value(depth + 1)?;
            if !(key.is_integer() || key.is_text() || key.is_bytes()) {
                return Err(CborError::InvalidKey);
            }
            // In the shortest form equal keys are equal bytes.
            if !seen.insert(&before[..before.len() - self.rest.len()]) {
                return Err(CborError::RepeatedKey);
            }
            map.push((key, self.value(depth + 1)?));
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(hex: &str) -> Result<Value, CborError> {
        decode(&hex::decode(hex).unwrap())
    }

    #[test]
    fn what_a_careful_encoder_writes_is_read_and_written_again() {
        for hex in [
            "00",
            "1903e8",
            "3903e7",
            "1bffffffffffffffff",
            "4401020304",
            "6449455446",
            "83010203",
            "a201020304",
            "a26161016162820203",
            "c074323031332d30332d32315432303a30343a30305a",
            "f4",
            "f6",
            "fb3ff199999999999a",
            "d818456449455446",
        ] {
            assert_eq!(hex::encode(encode(&read(hex).unwrap())), hex);
        }
        assert_eq!(read("f7"), Ok(Value::Null));
        assert_eq!(
            as_i64(&read("3bffffffffffffffff").unwrap()),
            None,
            "beyond i64: neither a time nor a label"
        );
    }

    #[test]
    fn anything_else_is_refused_for_its_own_reason() {
        let deep = format!("{}00", "81".repeat(MAX_DEPTH + 1));
        let wide = format!("991001{}", "00".repeat(4097));
        for (hex, reason) in [
            ("", CborError::UnexpectedEnd),
            ("1900", CborError::UnexpectedEnd),
            ("5affffffff00", CborError::UnexpectedEnd),
            ("9bffffffffffffffff", CborError::UnexpectedEnd),
            ("0000", CborError::Trailing),
            (&deep, CborError::TooDeep),
            (&wide, CborError::TooMany),
            ("a201020103", CborError::RepeatedKey),
            ("a2616101616102", CborError::RepeatedKey),
            ("a1f401", CborError::InvalidKey),
            ("1817", CborError::NotShortest),
            ("190001", CborError::NotShortest),
            ("9f00ff", CborError::NotShortest),
            ("bf0001ff", CborError::NotShortest),
            ("5f4100ff", CborError::NotShortest),
            ("61ff", CborError::NotText),
            ("f0", CborError::Unknown),
        ] {
            assert_eq!(read(hex), Err(reason), "{hex}");
        }
    }
}
