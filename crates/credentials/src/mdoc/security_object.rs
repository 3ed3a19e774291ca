//! What the issuer of a mobile document signs: the security object, and the digests of the elements.

use crate::cbor;
use crate::cwt;
use crate::validity::ValidityTimes;
use crate::verification::StatusReference;
use aws_lc_rs::digest::{Algorithm, SHA256, SHA384, SHA512};
use base::Timestamp;
use ciborium::Value;

/// The mobile security object (ISO 18013-5, 9.1.2.4): what the issuer signs.
#[derive(Clone, Debug)]
pub(super) struct Mso {
    pub(super) doc_type: String,
    pub(super) algorithm: &'static Algorithm,
    pub(super) digests: Value,
    pub(super) device_key: Option<Value>,
    /// `signed`, `validFrom`, `validUntil`.
    pub(super) times: ValidityTimes,
    /// `Err`: named in a form that is not known here.
    pub(super) status: Result<Option<StatusReference>, ()>,
}

/// One released element, and its encoding, which the issuer's digest covers.
#[derive(Clone, Debug)]
pub(super) struct IssuerSignedItem {
    pub(super) name_space: String,
    pub(super) digest_id: i64,
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) encoded: Vec<u8>,
}

impl Mso {
    pub(super) fn parse(payload: &[u8]) -> Option<Self> {
        let wrapped = cbor::decode(payload).ok()?;
        let mso = cbor::decode(cbor::unwrap_encoded_cbor(&wrapped)?).ok()?;
        let mso = mso.as_map()?;
        if !cbor::get_name(mso, "version")?.as_text()?.starts_with("1.") {
            return None;
        }
        let validity = cbor::get_name(mso, "validityInfo")?.as_map()?;
        let time = |name| parse_tdate(cbor::get_name(validity, name)?);
        let key = cbor::get_name(mso, "deviceKeyInfo").and_then(Value::as_map);
        Some(Self {
            doc_type: cbor::get_name(mso, "docType")?.as_text()?.to_owned(),
            algorithm: match cbor::get_name(mso, "digestAlgorithm")?.as_text()? {
                "SHA-256" => &SHA256,
                "SHA-384" => &SHA384,
                "SHA-512" => &SHA512,
                _ => return None,
            },
            digests: cbor::get_name(mso, "valueDigests").filter(|digests| digests.is_map())?.clone(),
            device_key: key.and_then(|key| cbor::get_name(key, "deviceKey")).cloned(),
            times: ValidityTimes {
                iat: Some(time("signed")?),
                nbf: Some(time("validFrom")?),
                exp: Some(time("validUntil")?),
            },
            status: cwt::parse_status_reference(cbor::get_name(mso, "status")),
        })
    }

    /// The issuer's digest of a released element.
    pub(super) fn digest(&self, item: &IssuerSignedItem) -> Option<&[u8]> {
        let digests = cbor::get_name(self.digests.as_map()?, &item.name_space)?.as_map()?;
        cbor::get_label(digests, item.digest_id)?.as_bytes().map(Vec::as_slice)
    }
}

impl IssuerSignedItem {
    pub(super) fn parse(name_space: &str, element: &Value) -> Option<Self> {
        let item = cbor::decode(cbor::unwrap_encoded_cbor(element)?).ok()?;
        let item = item.as_map()?;
        // The salt keeps elements from being guessed from their digests; ISO 18013-5 asks for at least 16 bytes.
        cbor::get_name(item, "random")?.as_bytes().filter(|random| random.len() >= 16)?;
        Some(Self {
            name_space: name_space.to_owned(),
            digest_id: cbor::as_i64(cbor::get_name(item, "digestID")?)?,
            name: cbor::get_name(item, "elementIdentifier")?.as_text()?.to_owned(),
            value: cbor::get_name(item, "elementValue")?.clone(),
            encoded: cbor::encode(element),
        })
    }
}

/// `tdate`: an RFC 3339 time under tag 0, as seconds since the Unix epoch.
fn parse_tdate(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Tag(0, text) => text.as_text()?,
        _ => return None,
    };
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}
