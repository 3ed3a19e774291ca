//! Secure capture: evidence that an image came from Assay's own capture module, in the browser session that asked for
//! it.
//!
//! The module generates a P-256 key pair that the browser does not export, requests a session token that names the
//! public half (`cnf`, RFC 7800), and signs a statement about the image with the private half. An image that is
//! injected past the module has no such statement. This cannot show that the camera itself is real; that is what
//! liveness is for.

use crate::keyring::Keyring;
use aws_lc_rs::{
    digest,
    signature::{ECDSA_P256_SHA256_FIXED, ParsedPublicKey},
};
use base::{AgeSessionId, AppId, Environment, Secret, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, WriteTx, sql};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};

/// The only supported version of the protocol.
pub const PROTOCOL_VERSION: &str = "1";

/// How long a session token is valid.
pub const SESSION_TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

const SESSION_TOKEN_AUDIENCE: &str = "secure-capture";

/// Issues session tokens, and verifies captures.
#[derive(Clone, Debug)]
pub struct SecureCapture {
    key: Secret<[u8; 32]>,
}

/// Why a capture is not trusted, in the order of the checks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecureCaptureError {
    /// All fields are missing.
    #[error("the secure field is empty")]
    Empty,
    #[error("secure.token is missing")]
    NoToken,
    #[error("secure.signature is missing")]
    NoSignature,
    #[error("secure.version is missing or is not \"{PROTOCOL_VERSION}\"")]
    NoVersion,
    #[error("secure.verification is missing")]
    NoVerification,
    /// The token was not issued by this server, was altered, or has expired.
    #[error("secure.token is invalid or has expired; ask for a new one")]
    InvalidToken,
    /// The signature is not one over the statement by the session's key.
    #[error("secure.signature does not match secure.verification")]
    InvalidSignature,
    /// The statement is about another image or another mode, or the token for another application or age session.
    #[error("the secure session is for another {0}")]
    Mismatch(&'static str),
    /// The capture was used before, for the same.
    #[error("the capture was used before; take another")]
    AlreadyUsed,
}

/// What the capture module sends with an image, as it is in the body.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct CaptureAttestation {
    /// [`PROTOCOL_VERSION`].
    pub version: Option<String>,
    /// The session token, from [`SecureCapture::issue_token`].
    pub token: Option<String>,
    /// Base64url of the ECDSA P-256 signature (IEEE P1363, 64 bytes) over the text of `verification`.
    pub signature: Option<String>,
    /// Base64url of the JSON `{"image": base64url(sha256(image bytes)), "multiframe": bool}`.
    pub verification: Option<String>,
}

/// What a capture must have been made for.
#[derive(Clone, Copy, Debug)]
pub struct CaptureScope {
    pub app: AppId,
    /// The age session that the token was asked for; `None` for image analysis, which has no sessions. A token for an age
    /// session counts nowhere else.
    pub session: Option<AgeSessionId>,
    /// Whether frames were taken with the image.
    pub multiframe: bool,
}

/// A capture that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedCapture {
    /// The id of its token, by which a second use is recognised.
    pub id: Uuid,
    /// Until when the token is valid.
    pub expires_at: Timestamp,
}

impl VerifiedCapture {
    /// Its use for `operation`: of this image, under this token.
    pub fn use_of(&self, image: &[u8], operation: &str) -> CaptureUse {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(self.id.as_bytes());
        context.update(digest::digest(&digest::SHA256, image).as_ref());
        context.update(operation.as_bytes());
        let hash = context.finish();
        let id = Uuid::from_slice(&hash.as_ref()[..16]).expect("sixteen bytes");
        CaptureUse { id, until: self.expires_at }
    }
}

/// The use of a capture, which counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureUse {
    /// The id under which it is recorded.
    pub id: Uuid,
    /// Until when it is remembered.
    pub until: Timestamp,
}

/// Records the use of a capture. Returns `false` if it was recorded before.
pub async fn record_use(db: &Db, captured: CaptureUse) -> Result<bool, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let first = record_use_within(&mut tx, captured).await?;
    tx.commit().await?;
    Ok(first)
}

/// The same within a transaction: the use counts if that is committed.
pub(crate) async fn record_use_within(tx: &mut WriteTx, captured: CaptureUse) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO used_capture_tokens (id, forget_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            captured.id,
            captured.until,
        ))
        .await?;
    Ok(rows == 1)
}

/// The public key in a request for a token is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("key is not base64url of an uncompressed P-256 point (65 bytes)")]
pub struct InvalidPointError;

#[derive(serde::Serialize, serde::Deserialize)]
struct CaptureTokenClaims {
    sub: AppId,
    aud: String,
    jti: Uuid,
    /// The age session that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<AgeSessionId>,
    iat: i64,
    exp: i64,
    cnf: Confirmation,
}

/// The session's public key as an uncompressed point, which is shorter than a JWK.
#[derive(serde::Serialize, serde::Deserialize)]
struct Confirmation {
    p256: String,
}

#[derive(serde::Deserialize)]
struct CaptureStatement {
    image: String,
    #[serde(default)]
    multiframe: bool,
}

impl SecureCapture {
    /// Nodes that share the master key accept each other's tokens.
    pub fn new(keyring: &Keyring) -> Self {
        Self { key: keyring.derive("secure capture session tokens") }
    }

    /// Issues a session token, for an age session if there is one. `point` is the public half of the browser's key:
    /// base64url of an uncompressed P-256 point.
    pub fn issue_token(
        &self,
        env: &dyn Environment,
        app: AppId,
        session: Option<AgeSessionId>,
        point: &str,
    ) -> Result<String, InvalidPointError> {
        parse_point(point).ok_or(InvalidPointError)?;
        let now = env.now();
        let claims = CaptureTokenClaims {
            sub: app,
            aud: SESSION_TOKEN_AUDIENCE.to_owned(),
            jti: env.uuid_v7(),
            sid: session,
            iat: now.as_second(),
            exp: (now + SESSION_TOKEN_LIFETIME).as_second(),
            cnf: Confirmation { p256: point.to_owned() },
        };
        let key = EncodingKey::from_secret(self.key.expose());
        Ok(jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key)
            .expect("claims serialise to JSON"))
    }

    /// Checks that `capture` attests exactly this image, and was made for `scope`. Whether it was used before is for the
    /// caller to check.
    pub fn verify(
        &self,
        env: &dyn Environment,
        scope: CaptureScope,
        capture: &CaptureAttestation,
        image: &[u8],
    ) -> Result<VerifiedCapture, SecureCaptureError> {
        fn non_empty(field: Option<&String>) -> Option<&str> {
            field.map(String::as_str).filter(|text| !text.is_empty())
        }
        if *capture == CaptureAttestation::default() {
            return Err(SecureCaptureError::Empty);
        }
        let token = non_empty(capture.token.as_ref()).ok_or(SecureCaptureError::NoToken)?;
        let signature = non_empty(capture.signature.as_ref()).ok_or(SecureCaptureError::NoSignature)?;
        non_empty(capture.version.as_ref())
            .filter(|&version| version == PROTOCOL_VERSION)
            .ok_or(SecureCaptureError::NoVersion)?;
        let verification =
            non_empty(capture.verification.as_ref()).ok_or(SecureCaptureError::NoVerification)?;

        let claims = self.verified_claims(env, token).ok_or(SecureCaptureError::InvalidToken)?;
        let key = parse_point(&claims.cnf.p256).ok_or(SecureCaptureError::InvalidToken)?;
        let signature = decode(signature).ok_or(SecureCaptureError::InvalidSignature)?;
        key.verify_sig(verification.as_bytes(), &signature)
            .map_err(|_| SecureCaptureError::InvalidSignature)?;

        if claims.sub != scope.app {
            return Err(SecureCaptureError::Mismatch("application"));
        }
        if claims.sid != scope.session {
            return Err(SecureCaptureError::Mismatch("session"));
        }
        let statement: CaptureStatement = decode(verification)
            .and_then(|json| serde_json::from_slice(&json).ok())
            .ok_or(SecureCaptureError::Mismatch("image"))?;
        let hash = digest::digest(&digest::SHA256, image);
        if decode(&statement.image).as_deref() != Some(hash.as_ref()) {
            return Err(SecureCaptureError::Mismatch("image"));
        }
        if statement.multiframe != scope.multiframe {
            return Err(SecureCaptureError::Mismatch("capture mode"));
        }
        let expires_at = Timestamp::from_second(claims.exp).map_err(|_| SecureCaptureError::InvalidToken)?;
        Ok(VerifiedCapture { id: claims.jti, expires_at })
    }

    fn verified_claims(&self, env: &dyn Environment, token: &str) -> Option<CaptureTokenClaims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[SESSION_TOKEN_AUDIENCE]);
        // Expiry is checked below, by our own clock.
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(self.key.expose());
        let claims = jsonwebtoken::decode::<CaptureTokenClaims>(token, &key, &validation).ok()?.claims;
        (env.now().as_second() < claims.exp).then_some(claims)
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.trim_end_matches('=')).ok()
}

fn parse_point(text: &str) -> Option<ParsedPublicKey> {
    let point = decode(text).filter(|point| point.len() == 65)?;
    ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::{
        rand::SystemRandom,
        signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
    };
    use base::TestEnvironment;

    struct Browser {
        pair: EcdsaKeyPair,
        token: String,
    }

    fn encode(bytes: impl AsRef<[u8]>) -> String {
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
    }

    fn browser(server: &SecureCapture, env: &TestEnvironment, app: AppId) -> Browser {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let token = server.issue_token(env, app, None, &encode(pair.public_key())).unwrap();
        Browser { pair, token }
    }

    impl Browser {
        fn capture(&self, image: &[u8], multiframe: bool) -> CaptureAttestation {
            let hash = encode(digest::digest(&digest::SHA256, image));
            let verification = encode(format!(r#"{{"image":"{hash}","multiframe":{multiframe}}}"#));
            let signature = self.pair.sign(&SystemRandom::new(), verification.as_bytes()).unwrap();
            CaptureAttestation {
                version: Some("1".into()),
                token: Some(self.token.clone()),
                signature: Some(encode(signature)),
                verification: Some(verification),
            }
        }
    }

    #[test]
    fn only_the_captured_image_of_the_session_is_trusted() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let server = SecureCapture::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let (app, other) = (AppId::from(env.uuid_v7()), AppId::from(env.uuid_v7()));
        let browser = browser(&server, &env, app);
        let good = browser.capture(b"image", false);
        let check = |app, capture: &CaptureAttestation, image, multiframe| {
            let scope = CaptureScope { app, session: None, multiframe };
            server.verify(&env, scope, capture, image).map(drop)
        };

        assert_eq!(check(app, &good, b"image", false), Ok(()));
        assert_eq!(check(app, &good, b"other", false), Err(SecureCaptureError::Mismatch("image")));
        assert_eq!(check(app, &good, b"image", true), Err(SecureCaptureError::Mismatch("capture mode")));
        assert_eq!(check(other, &good, b"image", false), Err(SecureCaptureError::Mismatch("application")));

        let swapped = CaptureAttestation {
            verification: browser.capture(b"other", false).verification,
            ..good.clone()
        };
        assert_eq!(check(app, &swapped, b"other", false), Err(SecureCaptureError::InvalidSignature));

        for (missing, error) in [
            (CaptureAttestation::default(), SecureCaptureError::Empty),
            (CaptureAttestation { token: None, ..good.clone() }, SecureCaptureError::NoToken),
            (
                CaptureAttestation { signature: Some(String::new()), ..good.clone() },
                SecureCaptureError::NoSignature,
            ),
            (CaptureAttestation { version: Some("2".into()), ..good.clone() }, SecureCaptureError::NoVersion),
            (CaptureAttestation { verification: None, ..good.clone() }, SecureCaptureError::NoVerification),
            (
                CaptureAttestation { token: Some("a.b.c".into()), ..good.clone() },
                SecureCaptureError::InvalidToken,
            ),
        ] {
            assert_eq!(check(app, &missing, b"image", false), Err(error));
        }

        env.advance(SESSION_TOKEN_LIFETIME);
        assert_eq!(
            check(app, &good, b"image", false),
            Err(SecureCaptureError::InvalidToken),
            "ten minutes are over"
        );
    }

    #[test]
    fn a_token_for_an_age_session_counts_in_that_session_alone() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let server = SecureCapture::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let app = AppId::from(env.uuid_v7());
        let [session, other] = [(); 2].map(|()| AgeSessionId::from(env.uuid_v7()));
        let mut browser = browser(&server, &env, app);
        let unbound = browser.capture(b"image", false);
        browser.token =
            server.issue_token(&env, app, Some(session), &encode(browser.pair.public_key())).unwrap();
        let bound = browser.capture(b"image", false);
        let check = |session, capture| {
            let scope = CaptureScope { app, session, multiframe: false };
            server.verify(&env, scope, capture, b"image").map(|verified| verified.expires_at)
        };
        assert_eq!(check(Some(session), &bound), Ok(env.now() + SESSION_TOKEN_LIFETIME));
        assert_eq!(check(None, &unbound), Ok(env.now() + SESSION_TOKEN_LIFETIME));
        for (wrong, capture) in [(Some(other), &bound), (None, &bound), (Some(session), &unbound)] {
            assert_eq!(check(wrong, capture), Err(SecureCaptureError::Mismatch("session")));
        }
    }

    #[test]
    fn a_token_of_another_server_or_without_a_signature_is_refused() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let [ours, theirs] =
            ["01", "02"].map(|key| SecureCapture::new(&Keyring::parse(&key.repeat(32)).unwrap()));
        let app = AppId::from(env.uuid_v7());
        let mut foreign = browser(&theirs, &env, app).capture(b"image", false);
        let scope = CaptureScope { app, session: None, multiframe: false };
        assert_eq!(ours.verify(&env, scope, &foreign, b"image"), Err(SecureCaptureError::InvalidToken));

        // `alg: none` with our own claims.
        let token = foreign.token.take().unwrap();
        let claims = token.split('.').nth(1).unwrap().to_owned();
        foreign.token = Some(format!("{}.{claims}.", encode(r#"{"alg":"none","typ":"JWT"}"#)));
        assert_eq!(ours.verify(&env, scope, &foreign, b"image"), Err(SecureCaptureError::InvalidToken));
    }

    #[test]
    fn a_session_needs_a_point_of_the_curve() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let server = SecureCapture::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        for bad in ["", "AAAA", &encode([4; 65]), &encode([0; 64])] {
            assert_eq!(
                server.issue_token(&env, AppId::from(env.uuid_v7()), None, bad),
                Err(InvalidPointError),
                "{bad}"
            );
        }
    }
}
