//! `X-Svc-Device-Meta`: what a client library tells about the device it runs on
//! (docs/adr/0002-signed-requests-and-tokens.md).

use super::json::object;
use domain::DeviceMetadata;

/// Base64 JSON of at most this many characters.
const MAX_HEADER_BYTES: usize = 8192;

/// Reads the header; `name` is what this server calls it. The error says what is wrong with it.
pub(crate) fn read_device_metadata(header: &[u8], name: &str) -> Result<DeviceMetadata, String> {
    let wrong = |words: String| format!("{name}: {words}");
    if header.len() > MAX_HEADER_BYTES {
        return Err(wrong(format!("{} characters, at most {MAX_HEADER_BYTES} are read", header.len())));
    }
    let json = base64_simd::STANDARD
        .decode_to_vec(header)
        .map_err(|_| wrong("this is not standard base64".to_owned()))?;
    let mut reader = serde_json::Deserializer::from_slice(&json);
    let mut track = serde_path_to_error::Track::new();
    let read = object(serde_path_to_error::Deserializer::new(&mut reader, &mut track)).map_err(|error| {
        let words = if error.is_data() { "text is expected" } else { "this is not JSON" };
        wrong(format!("{}: {words}", track.path()))
    })?;
    reader.end().map_err(|_| wrong("it goes on after its JSON".to_owned()))?;
    read.ok_or_else(|| wrong("an object is expected".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_text_and_unknown_ones_are_ignored() {
        let read = |json: &str| read_device_metadata(crate::base64(json.as_bytes()).as_bytes(), "X");
        let meta = read(r#"{"os_name":"Linux","screen":[1,2]}"#).unwrap();
        assert_eq!(meta, DeviceMetadata { os_name: Some("Linux".to_owned()), ..DeviceMetadata::default() });
        for wrong in [r#"{"os_name":7}"#, "[]", "[]x", "", "null", "{} x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read_device_metadata(b"{}", "X").is_err(), "plain JSON is not base64");
        assert!(read_device_metadata(&[b'A'; MAX_HEADER_BYTES + 4], "X").is_err());
    }
}
