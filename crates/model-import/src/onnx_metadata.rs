//! Reads the metadata of an ONNX file: the pairs of `ModelProto.metadata_props` (onnx.proto, field 14).

/// The value of a key; `None` where the file does not parse, is truncated, or has no such key.
pub(super) fn find_metadata(model: &[u8], key: &str) -> Option<Vec<u8>> {
    const METADATA_PROPS_FIELD: u64 = 14;
    let mut rest = model;
    while !rest.is_empty() {
        let (field, value) = next_field(&mut rest)?;
        if field == METADATA_PROPS_FIELD {
            let (mut pair, mut pair_key, mut pair_value) = (value?, None, None);
            while !pair.is_empty() {
                match next_field(&mut pair)? {
                    (1, value) => pair_key = value,
                    (2, value) => pair_value = value,
                    _ => {}
                }
            }
            if pair_key == Some(key.as_bytes()) {
                return pair_value.map(<[u8]>::to_vec);
            }
        }
    }
    None
}

/// Reads a field of a Protocol Buffers message: its number, and its bytes where it is length-delimited.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Option<&'a [u8]>)> {
    let tag = varint(rest)?;
    let value = match tag & 7 {
        0 => {
            varint(rest)?;
            None
        }
        1 => skip(rest, 8).map(|_| None)?,
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Some(skip(rest, length)?)
        }
        5 => skip(rest, 4).map(|_| None)?,
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn skip<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for at in 0..10 {
        let (&byte, left) = rest.split_first()?;
        *rest = left;
        value |= u64::from(byte & 0x7f).checked_shl(7 * at)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_and_a_truncated_file_has_none() {
        // Field 1 as a varint, then the pair "a" = "xyz".
        let model = [8, 150, 1, 114, 8, 10, 1, b'a', 18, 3, b'x', b'y', b'z'];
        assert_eq!(find_metadata(&model, "a").as_deref(), Some(b"xyz".as_slice()));
        assert_eq!(find_metadata(&model, "b"), None);
        for length in 0..model.len() {
            assert_eq!(find_metadata(&model[..length], "a"), None);
        }
    }
}
