//! What binds a presentation to the request it answers, and what a verified one states.

use crate::age_attributes::AgeAttributes;
use crate::cbor;
use crate::digest::sha256;
use crate::jwe::DecryptionKey;
use crate::trust::TrustedIssuer;
use crate::verification::StatusReference;
use ciborium::Value as Cbor;
use std::sync::Arc;

/// The parts of a verifier's request that the holder's signature covers.
#[derive(Clone, Copy, Debug)]
pub struct PresentationBinding<'a> {
    /// The verifier's client id with its prefix, for example `x509_san_dns:age.example.com`.
    pub client_id: &'a str,
    /// The request's nonce.
    pub nonce: &'a str,
    /// Where the response is posted.
    pub response_uri: &'a str,
    /// RFC 7638 thumbprint of the key that the response is encrypted to; `None` if it is not encrypted.
    pub key_thumbprint: Option<[u8; 32]>,
    /// The verifier's ephemeral key, with which the device of a mobile document may authenticate the response instead of
    /// signing it; `None` if it has to sign.
    pub mac_key: Option<&'a Arc<DecryptionKey>>,
}

impl PresentationBinding<'_> {
    /// `[null, null, ["OpenID4VPHandover", hash]]` (OpenID4VP 1.0, annex B.2.6.1), which the device of a mobile
    /// document signs.
    pub(crate) fn session_transcript(&self) -> Cbor {
        let text = |text: &str| Cbor::Text(text.to_owned());
        let info = Cbor::Array(vec![
            text(self.client_id),
            text(self.nonce),
            self.key_thumbprint.map_or(Cbor::Null, |thumbprint| Cbor::Bytes(thumbprint.to_vec())),
            text(self.response_uri),
        ]);
        let hash = sha256(&[&cbor::encode(&info)]).to_vec();
        let handover = Cbor::Array(vec![text("OpenID4VPHandover"), Cbor::Bytes(hash)]);
        Cbor::Array(vec![Cbor::Null, Cbor::Null, handover])
    }
}

/// What a verified presentation states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPresentation {
    /// The issuer's id in the trust list.
    pub issuer: String,
    /// The credential's type: `vct` of an SD-JWT VC, the document type of a mobile document.
    pub credential_type: String,
    /// What it says of the holder's age.
    pub age: AgeAttributes,
    /// The highest threshold that the issuer is trusted for, in years. `None`: any.
    pub highest_age_over: Option<u8>,
    /// The status to look up before the presentation is accepted.
    pub status: Option<StatusReference>,
}

impl VerifiedPresentation {
    pub(crate) fn of(
        issuer: &TrustedIssuer,
        credential_type: &str,
        age: AgeAttributes,
        status: Option<StatusReference>,
    ) -> Self {
        Self {
            issuer: issuer.id().to_owned(),
            credential_type: credential_type.to_owned(),
            age,
            highest_age_over: issuer.highest_age_over(),
            status,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of OpenID4VP 1.0, annex B.2.6.1.
    #[test]
    fn the_transcript_is_that_of_the_standards_example() {
        let thumbprint = "4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047";
        let request = PresentationBinding {
            client_id: "x509_san_dns:example.com",
            nonce: "exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA",
            response_uri: "https://example.com/response",
            key_thumbprint: Some(hex::decode(thumbprint).unwrap().try_into().unwrap()),
            mac_key: None,
        };
        let handover = "048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac";
        let expected = format!("83f6f682714f70656e494434565048616e646f7665725820{handover}");
        assert_eq!(hex::encode(cbor::encode(&request.session_transcript())), expected);
    }
}
