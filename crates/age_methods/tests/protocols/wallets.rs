//! What credential issuers publish: rotating keys, and status lists of revoked credentials.

use crate::kit::Fixture;
use age_methods::wallet::{
    AgeQuery, ClientIdPrefix, PresentationRequest, RequestForm, WalletFailureReason, WalletFinding,
    WalletResponse, WalletSettings, WalletVerifier,
};
use aws_lc_rs::digest::{SHA256, digest};
use base::{Environment as _, Secret, SignedDuration};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use credentials::{issue::IssuingKey, jwe};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::stub_server::{StubReply, StubServer, certificate, private_key};

const SIGNED: RequestForm = RequestForm::Signed(ClientIdPrefix::X509SanDns);
const VCT: &str = "urn:eudi:pid:1";
/// A status list of two bytes, one bit per credential: index 0 is revoked, index 1 is not (the draft's example).
const LIST: &str = "eNrbuRgAAhcBXQ";
const REVOKED: u64 = 0;
const VALID: u64 = 1;

/// An issuer, and the keys that it currently publishes.
struct Issuer {
    receiver: StubServer,
    published: Arc<Mutex<Vec<IssuingKey>>>,
}

impl Issuer {
    async fn start(site: &Fixture, first: IssuingKey) -> Self {
        let published = Arc::new(Mutex::new(vec![first]));
        let (keys, now) = (published.clone(), site.still.clone());
        let receiver = StubServer::start(move |sent| {
            let keys = keys.lock().unwrap();
            if sent.uri.path() == "/keys" {
                let set = json!({ "keys": keys.iter().map(IssuingKey::jwk).collect::<Vec<_>>() });
                return StubReply::body("application/json", set.to_string());
            }
            let key = keys.last().unwrap();
            let uri = format!("https://{}/status", sent.uri.authority().unwrap());
            let now = now.now().as_second();
            let claims = json!({ "sub": uri, "iat": now, "exp": now + 3600, "ttl": 60, "status_list": { "bits": 1, "lst": LIST } });
            let header = json!({ "alg": "ES256", "typ": "statuslist+jwt", "kid": key.jwk()["kid"] });
            StubReply::body("application/statuslist+jwt", key.sign_jws(&header, &claims))
        })
        .await;
        Self { receiver, published }
    }

    fn verifier(&self, site: &Fixture, status_unavailable: &str) -> WalletVerifier {
        let entry = json!({
            "id": self.receiver.url("/issuer"), "provider": "THEIRS", "formats": ["sd-jwt-vc"], "vct": [VCT],
            "key_set_url": self.receiver.url("/keys"),
            "status_unavailable": status_unavailable,
        });
        let settings: WalletSettings = Fixture::settings(json!({
            "provider": "openid4vp",
            "trust_list": site.secret(&format!("{{\"issuers\":[{entry}]}}")),
            "certificate_file": site.secret(&certificate()),
            "key_file": site.secret(&private_key()),
        }));
        WalletVerifier::open(&settings, &site.fetcher, &site.environment, "https://localhost").unwrap()
    }

    /// A wallet's post with a credential that this key signed, at this index of the status list.
    fn post(
        &self,
        site: &Fixture,
        verifier: &WalletVerifier,
        request: &PresentationRequest,
        key: &IssuingKey,
        place: u64,
    ) -> Vec<u8> {
        let object = verifier.request_object(request, None).unwrap();
        let asked = BASE64URL.decode_to_vec(object.split('.').nth(1).unwrap()).unwrap();
        let asked: Value = serde_json::from_slice(&asked).unwrap();
        let now = site.still.now().as_second();
        let holder = IssuingKey::generate(&*site.environment);
        let claims = json!({
            "iss": self.receiver.url("/issuer"), "vct": VCT, "iat": now, "exp": now + 3600, "cnf": { "jwk": public(&holder) },
            "age_equal_or_over": { "18": true },
            "status": { "status_list": { "idx": place, "uri": self.receiver.url("/status") } },
        });
        let header = json!({ "alg": "ES256", "typ": "dc+sd-jwt", "kid": key.jwk()["kid"] });
        let shown = format!("{}~", key.sign_jws(&header, &claims));
        let hash = BASE64URL.encode_to_string(digest(&SHA256, shown.as_bytes()));
        let binding =
            json!({ "iat": now, "aud": asked["client_id"], "nonce": asked["nonce"], "sd_hash": hash });
        let bound = holder.sign_jws(&json!({ "alg": "ES256", "typ": "kb+jwt" }), &binding);
        let answer =
            json!({ "vp_token": { "identity": [format!("{shown}{bound}")] }, "state": asked["state"] });
        let to = &asked["client_metadata"]["jwks"]["keys"][0];
        let response =
            jwe::encrypt(answer.to_string().as_bytes(), to, "A128GCM", &*site.environment).unwrap();
        format!("response={response}").into_bytes()
    }

    async fn found(
        &self,
        site: &Fixture,
        verifier: &WalletVerifier,
        key: &IssuingKey,
        place: u64,
    ) -> WalletFinding {
        let address = "https://localhost/age/v1/wallet/x".to_owned();
        let request = verifier.request(&Secret::new([1; 32]), address, SIGNED, AgeQuery::Over(18));
        let posted =
            verifier.read_response(&request, &self.post(site, verifier, &request, key, place)).unwrap();
        verifier.judge_response(&request, posted).await
    }
}

fn public(key: &IssuingKey) -> Value {
    let jwk = key.jwk();
    json!({ "kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"] })
}

fn again(key: &IssuingKey) -> IssuingKey {
    IssuingKey::from_pkcs8_der(key.to_pkcs8_der().expose()).unwrap()
}

const OVER: WalletFinding = WalletFinding::Over { years: 18, reached: true };

const ADDRESS: &str = "https://localhost/age/v1/wallet/x";

/// A verifier with further settings.
fn verifier(site: &Fixture, more: &Value) -> WalletVerifier {
    let mut settings = json!({
        "provider": "openid4vp",
        "trust_list": site.secret("{\"issuers\":[]}"),
        "certificate_file": site.secret(&certificate()),
        "key_file": site.secret(&private_key()),
    });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let settings: WalletSettings = Fixture::settings(settings);
    WalletVerifier::open(&settings, &site.fetcher, &site.environment, "https://localhost").unwrap()
}

/// The members of a request that a wallet fetches.
fn fetched(verifier: &WalletVerifier, request: &PresentationRequest) -> Value {
    let object = verifier.request_object(request, None).unwrap();
    let part = BASE64URL.decode_to_vec(object.split('.').nth(1).unwrap()).unwrap();
    serde_json::from_slice(&part).unwrap()
}

#[tokio::test]
async fn a_signed_request_names_this_server_by_its_host_or_by_its_certificate() {
    let site = Fixture::new();
    let leaf = pem_contents(&certificate());
    let hash = format!("x509_hash:{}", BASE64URL.encode_to_string(digest(&SHA256, &leaf)));
    let host = "x509_san_dns:localhost".to_owned();
    for (settings, expected) in [
        (json!({}), [("openid4vp", Some(&host))].to_vec()),
        (json!({ "client_id": "x509_hash" }), [("openid4vp", Some(&hash))].to_vec()),
        (
            json!({ "schemes": ["openid4vp", "haip-vp", "av"] }),
            [("openid4vp", Some(&host)), ("haip-vp", Some(&hash)), ("av", None)].to_vec(),
        ),
    ] {
        let verifier = verifier(&site, &settings);
        let schemes = verifier.schemes(AgeQuery::Over(18));
        assert_eq!(schemes.len(), expected.len());
        for ((scheme, form), (named, client_id)) in schemes.into_iter().zip(expected) {
            assert_eq!(scheme, named);
            let request =
                verifier.request(&Secret::new([1; 32]), ADDRESS.to_owned(), form, AgeQuery::Over(18));
            let Some(client_id) = client_id else {
                assert!(verifier.request_object(&request, None).is_none());
                continue;
            };
            let members = fetched(&verifier, &request);
            assert_eq!(members["client_id"], *client_id);
            assert_eq!(members["response_mode"], "direct_post.jwt");
            let device =
                &members["client_metadata"]["vp_formats_supported"]["mso_mdoc"]["deviceauth_alg_values"];
            assert!(device.as_array().unwrap().contains(&json!(-65537)), "{device}");
            let link = verifier.link(&request, scheme);
            let encoded: String = url::form_urlencoded::byte_serialize(client_id.as_bytes()).collect();
            assert!(link.starts_with(&format!("{scheme}://?client_id={encoded}&request_uri=")), "{link}");
        }
    }
}

/// Age verification profile of the European Union, annex A.5.
#[tokio::test]
async fn an_age_verification_wallet_gets_its_request_by_value_and_posts_its_answer_as_it_is() {
    let site = Fixture::new();
    let verifier = verifier(&site, &json!({ "schemes": ["av"] }));
    let request = verifier.request(
        &Secret::new([1; 32]),
        ADDRESS.to_owned(),
        RequestForm::Unsigned,
        AgeQuery::Over(18),
    );
    let link = verifier.link(&request, "av");
    let (scheme, query) = link.split_once("://?").unwrap();
    let members: std::collections::BTreeMap<String, String> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    assert_eq!(scheme, "av");
    assert_eq!(members["response_mode"], "direct_post");
    assert_eq!(members["response_type"], "vp_token");
    assert_eq!(members["client_id"], format!("redirect_uri:{ADDRESS}/response"));
    assert_eq!(members["response_uri"], format!("{ADDRESS}/response"));
    assert!(!members.contains_key("request_uri"));
    let metadata: Value = serde_json::from_str(&members["client_metadata"]).unwrap();
    assert!(
        metadata.get("jwks").is_none() && metadata.get("encrypted_response_enc_values_supported").is_none()
    );
    let device = &metadata["vp_formats_supported"]["mso_mdoc"]["deviceauth_alg_values"];
    assert!(!device.as_array().unwrap().contains(&json!(-65537)), "there is no key for a MAC: {device}");

    let post = |pairs: &[(&str, &str)]| {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        verifier.read_response(&request, body.as_bytes())
    };
    let state = members["state"].as_str();
    let presented = post(&[("vp_token", r#"{"age":["AAAA"]}"#), ("state", state)]).unwrap();
    assert!(matches!(presented, WalletResponse::Presented("age", None)), "{presented:?}");
    let nothing = post(&[("vp_token", "{}"), ("state", state)]).unwrap();
    assert!(matches!(nothing, WalletResponse::Nothing(WalletFailureReason::NoCredential)));
    let declined = post(&[("error", "access_denied"), ("state", state)]).unwrap();
    assert!(matches!(declined, WalletResponse::Nothing(WalletFailureReason::Declined)));
    for unreadable in [
        &[("vp_token", "{}"), ("state", "other")][..],
        &[("vp_token", "{}")],
        &[("vp_token", "x"), ("state", state)],
        &[("state", state)],
        &[("response", "a.b.c.d.e"), ("state", state)],
    ] {
        assert!(post(unreadable).is_err(), "{unreadable:?}");
    }
}

/// The first certificate of a file, DER.
fn pem_contents(text: &str) -> Vec<u8> {
    let body = text.split("-----BEGIN CERTIFICATE-----").nth(1).unwrap();
    let body: String = body.split("-----END").next().unwrap().split_whitespace().collect();
    base64_simd::STANDARD.decode_to_vec(body).unwrap()
}

#[tokio::test]
async fn a_list_signed_with_a_published_key_takes_credentials_back() {
    for policy in ["refuse", "accept"] {
        let site = Fixture::new();
        let key = IssuingKey::generate(&*site.environment);
        let issuer = Issuer::start(&site, again(&key)).await;
        let verifier = issuer.verifier(&site, policy);
        assert_eq!(issuer.found(&site, &verifier, &key, VALID).await, OVER, "{policy}");
        let revoked = WalletFinding::Nothing(WalletFailureReason::CredentialRevoked);
        assert_eq!(issuer.found(&site, &verifier, &key, REVOKED).await, revoked, "{policy}");
    }
}

#[tokio::test]
async fn keys_that_an_issuer_changed_are_asked_for_anew_and_unknown_ones_are_none() {
    let site = Fixture::new();
    let [first, second, stranger] = [(); 3].map(|()| IssuingKey::generate(&*site.environment));
    let issuer = Issuer::start(&site, again(&first)).await;
    let verifier = issuer.verifier(&site, "refuse");
    assert_eq!(issuer.found(&site, &verifier, &first, VALID).await, OVER);
    let asked = || issuer.receiver.captured().iter().filter(|sent| sent.uri.path() == "/keys").count();
    assert_eq!(asked(), 1);

    // A stranger's key is not reported as the issuer's fault, and does not make this server fetch the keys each time.
    let nothing = WalletFinding::Nothing(WalletFailureReason::NotAccepted);
    for _ in 0..3 {
        assert_eq!(issuer.found(&site, &verifier, &stranger, VALID).await, nothing);
    }
    assert_eq!(asked(), 1);

    issuer.published.lock().unwrap().push(again(&second));
    assert_eq!(issuer.found(&site, &verifier, &second, VALID).await, nothing, "they were asked for just now");
    site.still.advance(SignedDuration::from_secs(31));
    assert_eq!(issuer.found(&site, &verifier, &second, VALID).await, OVER);
    assert_eq!(asked(), 2);
}
