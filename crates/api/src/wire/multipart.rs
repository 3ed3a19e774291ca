//! `multipart/form-data` (RFC 7578), out of a body that was read whole: a signature is over the raw bytes, so nothing is
//! gained by reading it in pieces.

/// Parts of a body, at most.
const MOST_PARTS: usize = 16;
/// Bytes of a part's headers, at most.
const MOST_HEADERS: usize = 4096;
/// Characters of a boundary, at most (RFC 2046 §5.1.1).
const LONGEST_BOUNDARY: usize = 70;

/// A part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// Its name.
    pub(crate) name: String,
    /// The name of its file, where it has one.
    pub(crate) filename: Option<String>,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
}

/// The boundary that a content type names; nothing where it is not multipart.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameter(parameters, "boundary")?;
    (1..=LONGEST_BOUNDARY).contains(&boundary.len()).then_some(boundary)
}

/// A parameter of a header, quoted or not. A quoted one may hold semicolons.
fn parameter(text: &str, name: &str) -> Option<String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([';', ' ', '\t']);
        let (key, after) = rest.split_once('=')?;
        let (value, next) = if let Some(quoted) = after.strip_prefix('"') {
            let mut value = String::new();
            let mut chars = quoted.char_indices();
            let end = loop {
                match chars.next()? {
                    (at, '"') => break at + 1,
                    (_, '\\') => value.push(chars.next()?.1),
                    (_, other) => value.push(other),
                }
            };
            (value, &quoted[end..])
        } else {
            let end = after.find(';').unwrap_or(after.len());
            (after[..end].trim().to_owned(), &after[end..])
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = next;
    }
}

/// Takes a body apart.
pub(crate) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, &'static str> {
    let delimiter = format!("--{boundary}");
    let delimiter = delimiter.as_bytes();
    // What stands before the first delimiter counts for nothing.
    let mut rest = match body.strip_prefix(delimiter) {
        Some(rest) => rest,
        None => find(body, &[b"\r\n", delimiter].concat()).map(|(_, rest)| rest).ok_or("it has no part")?,
    };
    let between = [b"\r\n", delimiter].concat();
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        if parts.len() >= MOST_PARTS {
            return Err("it has too many parts");
        }
        // Blanks may follow a delimiter.
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        rest = rest[blanks..].strip_prefix(b"\r\n").ok_or("a boundary does not end its line")?;
        let (part, after) = find(rest, &between).ok_or("its last part does not end")?;
        parts.push(read(part)?);
        rest = after;
    }
}

/// What stands before a needle, and after it.
fn find<'a>(hay: &'a [u8], needle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let first = *needle.first()?;
    let mut from = 0;
    loop {
        let at = from + hay.get(from..)?.iter().position(|byte| *byte == first)?;
        if hay[at..].starts_with(needle) {
            return Some((&hay[..at], &hay[at + needle.len()..]));
        }
        from = at + 1;
    }
}

fn read(part: &[u8]) -> Result<Part<'_>, &'static str> {
    const END: &[u8] = b"\r\n\r\n";
    // A part without headers begins with an empty line; ours have a disposition.
    let head = &part[..part.len().min(MOST_HEADERS)];
    let (head, _) = find(head, END).ok_or("a part has no headers, or too long ones")?;
    let bytes = &part[head.len() + END.len()..];
    let head = std::str::from_utf8(head).map_err(|_| "the headers of a part are no text")?;
    let disposition = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    });
    let (kind, parameters) = disposition.and_then(|text| text.split_once(';')).ok_or("a part has no name")?;
    if !kind.trim().eq_ignore_ascii_case("form-data") {
        return Err("a part is no form-data");
    }
    let name = parameter(parameters, "name").ok_or("a part has no name")?;
    let filename = parameter(parameters, "filename").or_else(|| parameter(parameters, "filename*"));
    Ok(Part { name, filename, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        b"preamble\r\n--x y\r\nContent-Disposition: form-data; name=\"descriptor\"\r\n\r\n{}\r\n\
        --x y\r\ncontent-disposition: form-data; filename=\"a;b \\\"c.jpg\"; name=binary-content\r\n\
        Content-Type: image/jpeg\r\n\r\n\xff\xd8\r\n--x\r\n\r\n--x y--\r\nepilogue";

    #[test]
    fn parts_have_names_files_and_their_very_bytes() {
        let boundary = boundary("Multipart/Form-Data; charset=utf-8; boundary=\"x y\"").unwrap();
        let parts = parts(BODY, &boundary).unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].name.as_str(), parts[0].bytes), ("descriptor", &b"{}"[..]));
        assert_eq!(parts[1].filename.as_deref(), Some("a;b \"c.jpg"));
        assert_eq!((parts[1].name.as_str(), parts[1].bytes), ("binary-content", &b"\xff\xd8\r\n--x\r\n"[..]));
    }

    #[test]
    fn whatever_is_cut_off_is_refused_and_nothing_panics() {
        for cut in 0..BODY.len() {
            let read = parts(&BODY[..cut], "x y");
            let whole = BODY.windows(7).position(|window| window == b"--x y--").unwrap() + 7;
            assert_eq!(read.is_ok(), cut >= whole, "{cut}");
        }
        for bad in [
            "text/plain",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=x",
        ] {
            assert_eq!(boundary(bad), None, "{bad}");
        }
        let many = "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".repeat(40) + "--x--";
        assert!(parts(many.as_bytes(), "x").is_err());
    }
}
