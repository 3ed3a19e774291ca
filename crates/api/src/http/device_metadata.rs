//! `X-Svc-Device-Meta`: what a client library tells about the device it runs on (decisions, section 1).

use super::json::object;
use serde::{Deserialize, Serialize};

/// Base64 JSON of at most this many characters.
const MAX_HEADER_BYTES: usize = 8192;

/// About the device. Every member is optional, and each one is text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(default)]
pub struct DeviceMetadata {
    /// The browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_name: Option<String>,
    /// The browser's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_version: Option<String>,
    /// The client library's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// Address of the person's device, as the integrator saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// The person's locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Who made the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manufacture_name: Option<String>,
    /// The device's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// The operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_name: Option<String>,
    /// The operating system's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
}

impl DeviceMetadata {
    /// Reads the header; `name` is what it is called here. What is wrong with it is told in words.
    pub(crate) fn read(header: &[u8], name: &str) -> Result<Self, String> {
        let wrong = |words: String| format!("{name}: {words}");
        if header.len() > MAX_HEADER_BYTES {
            return Err(wrong(format!("{} characters, at most {MAX_HEADER_BYTES} are read", header.len())));
        }
        let json = base64_simd::STANDARD
            .decode_to_vec(header)
            .map_err(|_| wrong("this is not standard base64".to_owned()))?;
        let mut reader = serde_json::Deserializer::from_slice(&json);
        let mut track = serde_path_to_error::Track::new();
        let read =
            object(serde_path_to_error::Deserializer::new(&mut reader, &mut track)).map_err(|error| {
                let words = if error.is_data() { "text is expected" } else { "this is not JSON" };
                wrong(format!("{}: {words}", track.path()))
            })?;
        reader.end().map_err(|_| wrong("it goes on after its JSON".to_owned()))?;
        read.ok_or_else(|| wrong("an object is expected".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_text_and_unknown_ones_are_ignored() {
        let read = |json: &str| DeviceMetadata::read(crate::base64(json.as_bytes()).as_bytes(), "X");
        let meta = read(r#"{"os_name":"Linux","screen":[1,2]}"#).unwrap();
        assert_eq!(meta, DeviceMetadata { os_name: Some("Linux".to_owned()), ..DeviceMetadata::default() });
        for wrong in [r#"{"os_name":7}"#, "[]", "[]x", "", "null", "{} x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(DeviceMetadata::read(b"{}", "X").is_err(), "plain JSON is not base64");
        assert!(DeviceMetadata::read(&[b'A'; MAX_HEADER_BYTES + 4], "X").is_err());
    }
}
