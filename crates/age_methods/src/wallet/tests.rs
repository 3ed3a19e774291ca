//! Requests and responses, with the sandbox's wallet and with hand-made posts.

use super::{
    AgeQuery, PresentationRequest, RequestForm, WalletChoice, WalletFailureReason, WalletFinding,
    WalletResponse, WalletSettings, WalletVerifier, is_scheme, response::evaluate_claims,
};
use base::{Environment, Secret, SignedDuration, TestEnvironment};
use credentials::{
    jwe,
    vp::{AgeAttributes, VerifiedPresentation},
};
use jiff::civil::date;
use media::fetch::{EgressPolicy, Fetcher};
use serde_json::{Value, json};
use std::sync::Arc;

const ADDRESS: &str = "https://age.example/sandbox/age/v1/wallet/x";

struct Site {
    environment: Arc<TestEnvironment>,
    verifier: WalletVerifier,
}

impl Site {
    fn new() -> Self {
        let environment = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
        let shared: Arc<dyn Environment> = environment.clone();
        let fetcher = Fetcher::new(&EgressPolicy::default()).unwrap();
        let verifier =
            WalletVerifier::open(&WalletSettings::Sandbox {}, &fetcher, &shared, "https://age.example")
                .unwrap();
        Self { environment, verifier }
    }

    fn request(&self, asked: AgeQuery) -> PresentationRequest {
        self.seeded(1, asked)
    }

    fn seeded(&self, seed: u8, asked: AgeQuery) -> PresentationRequest {
        self.verifier.request(&Secret::new([seed; 32]), ADDRESS.to_owned(), RequestForm::Unsigned, asked)
    }

    async fn found(&self, asked: AgeQuery, choice: WalletChoice) -> WalletFinding {
        let request = self.request(asked);
        let body = self.verifier.sandbox_response(&request, choice).unwrap();
        let posted = self.verifier.read_response(&request, &body).unwrap();
        self.verifier.judge_response(&request, posted).await
    }

    /// A form with a response that is encrypted to a request's key.
    fn encrypted(&self, request: &PresentationRequest, answer: &Value, enc: &str) -> Vec<u8> {
        let key = request.key.jwk("ECDH-ES");
        let token = jwe::encrypt(answer.to_string().as_bytes(), &key, enc, &*self.environment).unwrap();
        form(&[("response", &token)])
    }

    fn why(&self, request: &PresentationRequest, body: &[u8]) -> String {
        match self.verifier.read_response(request, body) {
            Ok(WalletResponse::Nothing(why)) => format!("{why:?}"),
            Ok(WalletResponse::Presented(kind, presented)) => format!("{kind} {}", presented.is_some()),
            Err(unreadable) => unreadable.to_string(),
        }
    }
}

fn form(pairs: &[(&str, &str)]) -> Vec<u8> {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish().into_bytes()
}

#[tokio::test]
async fn the_sandboxs_wallet_goes_the_way_of_every_other() {
    let site = Site::new();
    for (asked, choice, expected) in [
        (AgeQuery::Over(18), WalletChoice::Over, WalletFinding::Over { years: 18, reached: true }),
        (AgeQuery::Over(18), WalletChoice::Under, WalletFinding::Over { years: 18, reached: false }),
        (AgeQuery::Under(16), WalletChoice::Under, WalletFinding::Over { years: 16, reached: false }),
        (AgeQuery::Age, WalletChoice::Over, WalletFinding::Age(30)),
        (AgeQuery::Age, WalletChoice::Under, WalletFinding::Age(12)),
        (AgeQuery::Over(18), WalletChoice::Silent, WalletFinding::Nothing(WalletFailureReason::AgeNotTold)),
        (
            AgeQuery::Over(18),
            WalletChoice::Stranger,
            WalletFinding::Nothing(WalletFailureReason::UntrustedIssuer),
        ),
        (AgeQuery::Over(18), WalletChoice::Refuse, WalletFinding::Nothing(WalletFailureReason::Declined)),
    ] {
        assert_eq!(site.found(asked, choice).await, expected, "{asked:?} {choice:?}");
    }
}

#[tokio::test]
async fn an_answer_to_one_request_is_none_to_another_or_later() {
    let site = Site::new();
    let (one, other) = (site.seeded(1, AgeQuery::Over(18)), site.seeded(2, AgeQuery::Over(18)));
    assert_ne!((&one.nonce, &one.state), (&other.nonce, &other.state));
    let body = site.verifier.sandbox_response(&one, WalletChoice::Over).unwrap();
    assert!(site.verifier.read_response(&other, &body).is_err(), "it is encrypted to another key");

    // The same presentation, encrypted anew to the other request.
    let opened = {
        let (_, token) = url::form_urlencoded::parse(&body).next().unwrap();
        jwe::decrypt(&token, &[&one.key], 1 << 20).unwrap()
    };
    let mut answer: Value = serde_json::from_slice(opened.payload.expose()).unwrap();
    answer["state"] = json!(other.state);
    let posted = site.verifier.read_response(&other, &site.encrypted(&other, &answer, "A256GCM")).unwrap();
    assert_eq!(
        site.verifier.judge_response(&other, posted).await,
        WalletFinding::Nothing(WalletFailureReason::NotAccepted)
    );

    let posted = site.verifier.read_response(&one, &body).unwrap();
    site.environment.advance(SignedDuration::from_mins(17));
    assert_eq!(
        site.verifier.judge_response(&one, posted).await,
        WalletFinding::Nothing(WalletFailureReason::CredentialExpired)
    );
}

#[test]
fn what_cannot_be_read_is_told_apart_from_what_says_nothing() {
    let site = Site::new();
    let request = site.request(AgeQuery::Over(18));
    let state = request.state.clone();
    for (error, why) in [
        ("access_denied", "Declined"),
        ("vp_formats_not_supported", "NoCredential"),
        ("invalid_request", "WalletError"),
        ("<script>", "WalletError"),
    ] {
        assert_eq!(site.why(&request, &form(&[("error", error), ("state", &state)])), why);
        let encrypted = site.encrypted(&request, &json!({ "error": error, "state": state }), "A128GCM");
        assert_eq!(site.why(&request, &encrypted), why);
    }
    let presented = |token: Value| {
        let answer = json!({ "vp_token": token, "state": state });
        site.why(&request, &site.encrypted(&request, &answer, "A128GCM"))
    };
    assert_eq!(presented(json!({})), "NoCredential");
    assert_eq!(presented(json!({ "other": ["x"] })), "NoCredential");
    assert_eq!(presented(json!({ "identity": ["x"] })), "identity false");
    assert_eq!(presented(json!({ "age": ["%%"] })), "age false");
    for bad in
        [json!("x"), json!({ "identity": "x" }), json!({ "identity": [] }), json!({ "age": ["x", "y"] })]
    {
        assert!(presented(bad).starts_with("the response has "));
    }

    let answer = json!({ "vp_token": {}, "state": state });
    for unreadable in [
        Vec::new(),
        form(&[("error", "access_denied"), ("state", "other")]),
        form(&[("error", "access_denied"), ("error", "access_denied")]),
        form(&[("response", "a.b.c.d.e")]),
        site.encrypted(&request, &json!({ "vp_token": {} }), "A128GCM"),
        site.encrypted(&request, &json!({ "vp_token": {}, "state": "other" }), "A128GCM"),
        site.encrypted(&request, &json!([]), "A128GCM"),
        site.encrypted(&site.seeded(2, AgeQuery::Age), &answer, "A128GCM"),
        vec![b'x'; (256 << 10) + 1],
    ] {
        assert!(site.verifier.read_response(&request, &unreadable).is_err());
    }
}

#[test]
fn a_request_is_the_same_each_time_and_asks_for_the_least() {
    let site = Site::new();
    let (request, again) = (site.request(AgeQuery::Over(18)), site.request(AgeQuery::Over(18)));
    assert_eq!((&request.nonce, &request.state), (&again.nonce, &again.state));
    assert_eq!(request.key.thumbprint(), again.key.thumbprint());
    let members = site.verifier.request_claims(&request);
    assert_eq!(members["response_mode"], "direct_post.jwt");
    assert_eq!(members["client_id"], format!("redirect_uri:{ADDRESS}/response"));
    assert_eq!(members["client_metadata"]["jwks"]["keys"][0]["alg"], "ECDH-ES");
    assert!(members["client_metadata"]["jwks"]["keys"][0].get("d").is_none());
    assert!(site.verifier.request_object(&request, None).is_none(), "what has no key is not signed");

    let paths = |asked: AgeQuery, number: usize| -> Vec<String> {
        let query = super::dcql::query(asked, &["urn:eudi:pid:1".to_owned()], true);
        let claims = query["credentials"][number]["claims"].as_array().unwrap().clone();
        claims
            .iter()
            .map(|claim| claim["path"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(AgeQuery::Over(18), 0), ["age_over_18", "age_over_21"]);
    assert_eq!(paths(AgeQuery::Under(18), 0), ["age_over_18", "age_over_16"]);
    assert_eq!(
        paths(AgeQuery::Over(21), 1),
        ["21", "age_over_21", "age_in_years", "birthdate"],
        "the birthday comes last"
    );
    assert_eq!(paths(AgeQuery::Over(30), 2), ["age_over_30", "age_in_years", "birth_date"]);
    assert_eq!(paths(AgeQuery::Age, 0), ["age_in_years", "birthdate"]);
}

#[test]
fn an_age_is_read_from_the_best_that_was_said() {
    let today = date(2026, 11, 22);
    let stated = |over: &[(u8, bool)], years: Option<u8>, born: Option<&str>, highest: Option<u8>| {
        VerifiedPresentation {
            issuer: String::new(),
            credential_type: String::new(),
            age: AgeAttributes {
                thresholds: over.iter().copied().collect(),
                years,
                birth_date: born.map(str::to_owned),
            },
            highest_age_over: highest,
            status: None,
        }
    };
    let over = |is: bool| WalletFinding::Over { years: 18, reached: is };
    let untold = WalletFinding::Nothing(WalletFailureReason::AgeNotTold);
    for (stated, expected) in [
        (stated(&[(18, true)], None, None, None), over(true)),
        (stated(&[(21, true)], None, None, None), over(true)),
        (stated(&[(16, false)], None, None, None), over(false)),
        (stated(&[(16, true), (21, false)], None, None, None), untold.clone()),
        (stated(&[(16, true)], Some(17), None, None), over(false)),
        (stated(&[], Some(18), None, None), over(true)),
        (stated(&[], None, Some("2008-11-22"), None), over(true)),
        (stated(&[], None, Some("2008-11-23"), None), over(false)),
        (stated(&[], None, Some("2008-13-23"), None), untold.clone()),
        (stated(&[], None, Some("1708-01-01"), None), untold.clone()),
        (stated(&[], None, None, None), untold.clone()),
        // An issuer that may attest up to 16 cannot attest that someone is 18, but it can attest that they are not.
        (stated(&[(18, true)], None, None, Some(16)), untold.clone()),
        (stated(&[(18, false)], None, None, Some(16)), over(false)),
    ] {
        assert_eq!(evaluate_claims(&stated, AgeQuery::Over(18), today), expected, "{stated:?}");
        assert_eq!(evaluate_claims(&stated, AgeQuery::Under(18), today), expected);
    }
    assert_eq!(
        evaluate_claims(&stated(&[], None, Some("2000-01-01"), None), AgeQuery::Age, today),
        WalletFinding::Age(26)
    );
    assert_eq!(
        evaluate_claims(&stated(&[], Some(26), None, None), AgeQuery::Age, today),
        WalletFinding::Age(26)
    );
    assert_eq!(evaluate_claims(&stated(&[], Some(26), None, Some(21)), AgeQuery::Age, today), untold);
    assert_eq!(evaluate_claims(&stated(&[(18, true)], None, None, None), AgeQuery::Age, today), untold);
}

#[test]
fn wallets_are_called_by_schemes_of_their_own() {
    for scheme in ["openid4vp", "haip-vp", "av", "eudi-wallet", "https://wallet.example/authorize"] {
        assert!(is_scheme(scheme), "{scheme}");
    }
    for none in [
        "",
        "https",
        "javascript",
        "data",
        "openid4vp://",
        "Openid4vp",
        "http://wallet.example",
        "https://w.example/?a=b",
    ] {
        assert!(!is_scheme(none), "{none}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused_by_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let environment: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
    let fetcher = Fetcher::new(&EgressPolicy::default()).unwrap();
    let fault = |change: &dyn Fn(&mut Value), public_url: &str| {
        let mut settings = json!({
            "provider": "openid4vp", "trust_list": file("list", r#"{"issuers":[]}"#),
            "certificate_file": file("chain", "none"), "key_file": file("key", "none"),
        });
        change(&mut settings);
        let settings: WalletSettings = serde_json::from_value(settings).unwrap();
        WalletVerifier::open(&settings, &fetcher, &environment, public_url).unwrap_err().setting
    };
    let host = "https://age.example";
    assert_eq!(fault(&|_| {}, host), "key_file");
    assert_eq!(fault(&|_| {}, "http://127.0.0.1:8080"), "certificate_file");
    assert_eq!(fault(&|settings| settings["vct"] = json!([]), host), "vct");
    assert_eq!(fault(&|settings| settings["schemes"] = json!(["javascript"]), host), "schemes");
    assert_eq!(fault(&|settings| settings["trust_list"] = json!(file("bad", "[]")), host), "trust_list");
    assert_eq!(fault(&|settings| settings["trust_list"] = json!("/none"), host), "trust_list");
}
