//! `multipart/form-data` (RFC 7578), parsed from a body that was read whole: signatures cover the raw bytes, so reading
//! it in pieces would gain nothing.

use axum::body::Bytes;
use multer::{Error, Multipart};

const MAX_PARTS: usize = 16;
/// Characters of a boundary, at most (RFC 2046 §5.1.1).
const MAX_BOUNDARY_BYTES: usize = 70;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormPart {
    /// Its name; empty if it has none.
    pub(crate) name: String,
    pub(crate) filename: Option<String>,
    pub(crate) bytes: Bytes,
}

/// The boundary that a content type names; `None` if it is not `multipart/form-data`.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    multer::parse_boundary(content_type).ok().filter(|text| (1..=MAX_BOUNDARY_BYTES).contains(&text.len()))
}

/// Splits a body into its parts; the error says what is wrong with it.
pub(crate) async fn parse_parts(body: Bytes, boundary: &str) -> Result<Vec<FormPart>, &'static str> {
    let whole = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut form = Multipart::new(whole, boundary);
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|error| describe_error(&error))? {
        if parts.len() >= MAX_PARTS {
            return Err("it has too many parts");
        }
        let name = field.name().unwrap_or_default().to_owned();
        let filename = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(|error| describe_error(&error))?;
        parts.push(FormPart { name, filename, bytes });
    }
    Ok(parts)
}

/// The message for the caller; it repeats nothing that was sent.
fn describe_error(error: &Error) -> &'static str {
    match error {
        Error::IncompleteFieldData { .. } => "a part does not end",
        Error::IncompleteHeaders | Error::ReadHeaderFailed(_) => "the headers of a part cannot be read",
        Error::DecodeHeaderName { .. } | Error::DecodeHeaderValue { .. } => {
            "a part has a header that is not text"
        }
        Error::IncompleteStream => "it ends before its last boundary",
        _ => "it is not multipart/form-data as RFC 7578 has it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        b"preamble\r\n--x y\r\nContent-Disposition: form-data; name=\"descriptor\"\r\n\r\n{}\r\n\
        --x y\r\ncontent-disposition: form-data; filename=\"a;b \\\"c.jpg\"; name=binary-content\r\n\
        Content-Type: image/jpeg\r\n\r\n\xff\xd8\r\n--x\r\n\r\n--x y--\r\nepilogue";

    #[tokio::test]
    async fn parts_have_names_files_and_their_very_bytes() {
        let boundary = boundary("Multipart/Form-Data; charset=utf-8; boundary=\"x y\"").unwrap();
        let parts = parse_parts(Bytes::from_static(BODY), &boundary).await.unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].name.as_str(), &parts[0].bytes[..]), ("descriptor", &b"{}"[..]));
        assert_eq!(parts[1].filename.as_deref(), Some("a;b \"c.jpg"));
        assert_eq!(
            (parts[1].name.as_str(), &parts[1].bytes[..]),
            ("binary-content", &b"\xff\xd8\r\n--x\r\n"[..])
        );
    }

    #[tokio::test]
    async fn whatever_is_cut_off_is_refused_and_nothing_panics() {
        let whole = BODY.windows(7).position(|window| window == b"--x y--").unwrap() + 7;
        for cut in 0..BODY.len() {
            let read = parse_parts(Bytes::from_static(&BODY[..cut]), "x y").await;
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
        assert!(parse_parts(Bytes::from(many), "x").await.is_err());
    }
}
