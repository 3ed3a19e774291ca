//! Credentials that a wallet presents to a verifier who asked for them (OpenID4VP 1.0, annex B): SD-JWT VC and mobile
//! documents.
//!
//! Unlike a code that is scanned, such a presentation answers one request: its holder signs the verifier's name and nonce,
//! and in a mobile document the verifier's encryption key and address as well. One without the holder's signature is
//! refused whatever the trust list says of its issuer, so an answer to one request is of no use for another.

use crate::ages::{Ages, OLDEST};
use crate::cbor;
use crate::digest::sha256;
use crate::issue::IssuingKey;
use crate::jws::base64url;
use crate::mdoc::Mdoc;
use crate::proof::{Failed, Format, StatusReference, Terms, Unsupported};
use crate::sd_jwt::SdJwt;
use crate::trust::{Issuer, TrustList};
use crate::x5c;
use base::Timestamp;
use ciborium::Value as Cbor;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Characters of one presentation that are read. One with a portrait has fewer.
pub const MAX_CHARACTERS: usize = 128 << 10;
/// Certificates of a verifier's chain.
const MAX_CHAIN: usize = 5;

/// A verifier's request, as far as what answers it is bound to it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The verifier's name with its prefix, as `x509_san_dns:age.example.com`.
    pub client_id: &'a str,
    /// The request's nonce.
    pub nonce: &'a str,
    /// Where the answer is posted.
    pub response_uri: &'a str,
    /// RFC 7638 thumbprint of the key that the answer is encrypted to.
    pub key_thumbprint: [u8; 32],
}

impl Request<'_> {
    /// `[null, null, ["OpenID4VPHandover", hash]]` (annex B.2.6.1), which the device of a mobile document signs.
    fn transcript(&self) -> Cbor {
        let text = |text: &str| Cbor::Text(text.to_owned());
        let info = Cbor::Array(vec![
            text(self.client_id),
            text(self.nonce),
            Cbor::Bytes(self.key_thumbprint.to_vec()),
            text(self.response_uri),
        ]);
        let hash = sha256(&[&cbor::encode(&info)]).to_vec();
        let handover = Cbor::Array(vec![text("OpenID4VPHandover"), Cbor::Bytes(hash)]);
        Cbor::Array(vec![Cbor::Null, Cbor::Null, handover])
    }
}

/// A presentation taken apart; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct Presentation(Kind);

#[derive(Clone, Debug)]
enum Kind {
    SdJwt(Box<SdJwt>),
    Mdoc(Mdoc),
}

impl Presentation {
    /// Reads an SD-JWT VC (`dc+sd-jwt`).
    pub fn sd_jwt(text: &str) -> Result<Self, Unsupported> {
        within(text)?;
        SdJwt::parse(text).map(|token| Self(Kind::SdJwt(Box::new(token))))
    }

    /// Reads the `DeviceResponse` of a mobile document (`mso_mdoc`), in base64url, as an answer to `request`.
    pub fn mdoc(text: &str, request: &Request<'_>) -> Result<Self, Unsupported> {
        within(text)?;
        let bytes =
            base64url(text).ok_or_else(|| Unsupported::new("the mobile document is not base64url"))?;
        let response = cbor::decode(&bytes)
            .map_err(|error| Unsupported::new(format!("the mobile document is CBOR that {error}")))?;
        Mdoc::answering(&response, request.transcript()).map(|mdoc| Self(Kind::Mdoc(mdoc)))
    }

    /// What kind of credential it is.
    pub fn format(&self) -> Format {
        match self.0 {
            Kind::SdJwt(_) => Format::SdJwtVc,
            Kind::Mdoc(_) => Format::Mdoc,
        }
    }
}

fn within(text: &str) -> Result<(), Unsupported> {
    if text.len() > MAX_CHARACTERS {
        return Err(Unsupported::new(format!("the presentation has more than {MAX_CHARACTERS} characters")));
    }
    Ok(())
}

/// What a credential says of its holder's age. It may hold the birthday, so it prints as nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Age {
    /// Thresholds, years, and whether each is reached; never one that is reached above one that is not.
    pub over: BTreeMap<u8, bool>,
    /// The age, years.
    pub years: Option<u8>,
    /// The birthday: `YYYY-MM-DD`.
    pub born: Option<String>,
}

impl std::fmt::Debug for Age {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Age(***)")
    }
}

impl Age {
    /// What the claims of an SD-JWT VC say: `age_over_NN`, `age_equal_or_over`, `age_in_years`, `birthdate`.
    pub(crate) fn of_json(claims: &Map<String, Value>) -> Result<Self, Failed> {
        let born = claims.get("birthdate").or_else(|| claims.get("birth_date"));
        Ok(Self {
            over: Ages::of_json(claims)?.consistent()?,
            years: claims.get("age_in_years").map(|age| years(age.as_i64())).transpose()?,
            born: born.map(|born| day(born.as_str())).transpose()?,
        })
    }

    /// The threshold that decides whether `asked` is reached and lies nearest to it: one that is reached at `asked` or
    /// above, or one that is not, at `asked` or below.
    pub fn decides(&self, asked: u8) -> Option<(u8, bool)> {
        let reached = self.over.range(asked..).find(|(_, reached)| **reached);
        let missed = self.over.range(..=asked).rfind(|(_, reached)| !**reached);
        reached.or(missed).map(|(years, reached)| (*years, *reached))
    }
}

/// An age that people have.
pub(crate) fn years(number: Option<i64>) -> Result<u8, Failed> {
    let years = number.and_then(|years| u8::try_from(years).ok()).filter(|years| *years <= OLDEST);
    years.ok_or_else(|| Failed::unsupported("the credential has an age that is none"))
}

/// A day's ten characters; whether there is such a day is for the reader.
pub(crate) fn day(text: Option<&str>) -> Result<String, Failed> {
    let is_day =
        |text: &&str| text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let text = text.filter(is_day);
    text.map(str::to_owned).ok_or_else(|| Failed::unsupported("the credential has a birthday that is no day"))
}

/// What a presentation states that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The issuer's id in the trust list.
    pub issuer: String,
    /// The credential's type: `vct` of an SD-JWT VC, the document type of a mobile document.
    pub kind: String,
    /// What it says of the age.
    pub age: Age,
    /// The highest threshold that the issuer is believed for, years.
    pub highest: Option<u8>,
    /// The status that must be looked up before it is believed.
    pub status: Option<StatusReference>,
}

impl Stated {
    pub(crate) fn of(issuer: &Issuer, kind: &str, age: Age, status: Option<StatusReference>) -> Self {
        let highest = issuer.highest_age_over();
        Self { issuer: issuer.id().to_owned(), kind: kind.to_owned(), age, highest, status }
    }
}

impl TrustList {
    /// Judges a presentation as the answer to a request. What the list at [`Stated::status`] says, and that a request is
    /// answered once, is left to the caller.
    pub fn answer(
        &self,
        presentation: &Presentation,
        request: &Request<'_>,
        terms: &Terms,
    ) -> Result<Stated, Failed> {
        let format = presentation.format();
        match &presentation.0 {
            Kind::SdJwt(token) => {
                let issuer = match token.issuer() {
                    Some(id) => self.claimed(Some(id))?,
                    None => self.anchored(&token.token.chain, format, terms.now)?.0,
                };
                issuer.admit(format, terms.now)?;
                token.answer(issuer, request, terms)
            }
            Kind::Mdoc(mdoc) => {
                let (issuer, key) = self.anchored(mdoc.chain()?, format, terms.now)?;
                issuer.admit(format, terms.now)?;
                mdoc.answer(issuer, &key, terms)
            }
        }
    }
}

/// Why no requests can be signed with a key and its certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSigner {
    /// The key is no P-256 key in PEM.
    #[error("is no P-256 private key, PKCS#8 in PEM")]
    Key,
    /// The certificates cannot be read.
    #[error("holds no certificates in PEM, or more than {MAX_CHAIN}")]
    Chain,
    /// They are for another host.
    #[error("begins with a certificate that does not name the host of the server's public address")]
    Host,
    /// They are not valid now.
    #[error("begins with a certificate that is not valid now")]
    Time,
    /// They are for another key.
    #[error("begins with a certificate for another key")]
    OtherKey,
}

/// Signs requests in the name of a host (`x509_san_dns`).
#[derive(Debug)]
pub struct RequestSigner {
    key: IssuingKey,
    /// Base64 of DER, the signer's own first.
    chain: Vec<String>,
    until: Timestamp,
}

impl RequestSigner {
    /// Reads a key and the certificates that lead from it to a root that wallets know, the signer's own first and the root
    /// left out. The first must name `host`, and no pattern that it fits, and be valid now.
    pub fn open(chain_pem: &str, key_pem: &str, host: &str, now: Timestamp) -> Result<Self, BadSigner> {
        let key = IssuingKey::from_pkcs8_pem(key_pem).map_err(|_| BadSigner::Key)?;
        let chain = pem::parse_many(chain_pem).map_err(|_| BadSigner::Chain)?;
        let is_certificate = |one: &pem::Pem| one.tag() == "CERTIFICATE";
        if !(1..=MAX_CHAIN).contains(&chain.len()) || !chain.iter().all(is_certificate) {
            return Err(BadSigner::Chain);
        }
        let (spki, until) = x5c::key_of_host(chain[0].contents(), host, now)?;
        // A `SubjectPublicKeyInfo` of P-256 ends with the point.
        if !spki.ends_with(key.public_key()) {
            return Err(BadSigner::OtherKey);
        }
        let chain = chain.iter().map(|one| base64_simd::STANDARD.encode_to_string(one.contents()));
        Ok(Self { key, chain: chain.collect(), until })
    }

    /// Until when its certificate is valid.
    pub fn until(&self) -> Timestamp {
        self.until
    }

    /// A request object (RFC 9101) of these members.
    pub fn sign(&self, members: &Value) -> String {
        let header = json!({ "alg": "ES256", "typ": "oauth-authz-req+jwt", "x5c": self.chain });
        self.key.jws(&header, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of OpenID4VP 1.0, annex B.2.6.1.
    #[test]
    fn the_transcript_is_that_of_the_standards_example() {
        let thumbprint = "4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047";
        let request = Request {
            client_id: "x509_san_dns:example.com",
            nonce: "exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA",
            response_uri: "https://example.com/response",
            key_thumbprint: hex::decode(thumbprint).unwrap().try_into().unwrap(),
        };
        let handover = "048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac";
        let expected = format!("83f6f682714f70656e494434565048616e646f7665725820{handover}");
        assert_eq!(hex::encode(cbor::encode(&request.transcript())), expected);
    }

    #[test]
    fn the_nearest_threshold_that_decides_is_taken() {
        let age = |over: &[(u8, bool)]| Age { over: over.iter().copied().collect(), ..Age::default() };
        let all = age(&[(14, true), (16, true), (18, true), (21, false), (65, false)]);
        assert_eq!(all.decides(15), Some((16, true)));
        assert_eq!(all.decides(18), Some((18, true)));
        assert_eq!(all.decides(21), Some((21, false)));
        assert_eq!(all.decides(66), Some((65, false)));
        assert_eq!(all.decides(19), None);
        assert_eq!(age(&[]).decides(18), None);
    }

    #[test]
    fn every_wording_of_an_age_is_read_and_nonsense_is_not() {
        let of = |claims: Value| Age::of_json(claims.as_object().unwrap());
        let said = of(json!({
            "age_equal_or_over": { "18": true, "_sd": [] }, "age_over_21": false, "age_in_years": 19,
            "birthdate": "2007-02-03", "name": "x",
        }))
        .unwrap();
        assert_eq!(said.over, [(18, true), (21, false)].into());
        assert_eq!((said.years, said.born.as_deref()), (Some(19), Some("2007-02-03")));
        assert_eq!(format!("{said:?}"), "Age(***)");
        for nonsense in [
            json!({ "age_over_18": "yes" }),
            json!({ "age_over_18": false, "age_over_21": true }),
            json!({ "age_in_years": -1 }),
            json!({ "age_in_years": 151 }),
            json!({ "birthdate": "3 May 2007" }),
            json!({ "birthdate": 20_070_203 }),
        ] {
            assert!(of(nonsense.clone()).is_err(), "{nonsense}");
        }
    }
}
