//! Requests and answers of the verifier, with the sandbox's wallet and with hand-made posts.

use super::{Asked, Choice, Finding, Posted, Request, Settings, Verifier, Why, answer::found, is_scheme};
use base::{Secret, SignedDuration, StillWorld, World};
use credentials::{
    jwe,
    vp::{Age, Stated},
};
use jiff::civil::date;
use media::fetch::{Fetcher, Policy};
use serde_json::{Value, json};
use std::sync::Arc;

const ADDRESS: &str = "https://age.example/sandbox/age/v1/wallet/x";

struct Site {
    world: Arc<StillWorld>,
    verifier: Verifier,
}

impl Site {
    fn new() -> Self {
        let world = Arc::new(StillWorld::at("2026-11-22T12:00:00Z"));
        let shared: Arc<dyn World> = world.clone();
        let fetcher = Fetcher::new(&Policy::default()).unwrap();
        let verifier =
            Verifier::open(&Settings::Sandbox {}, &fetcher, &shared, "https://age.example").unwrap();
        Self { world, verifier }
    }

    fn request(&self, asked: Asked) -> Request {
        self.seeded(1, asked)
    }

    fn seeded(&self, seed: u8, asked: Asked) -> Request {
        self.verifier.request(&Secret::new([seed; 32]), ADDRESS.to_owned(), true, asked)
    }

    async fn found(&self, asked: Asked, choice: Choice) -> Finding {
        let request = self.request(asked);
        let body = self.verifier.sandbox_posts(&request, choice).unwrap();
        let posted = self.verifier.read(&request, &body).unwrap();
        self.verifier.judge(&request, posted).await
    }

    /// A form with an answer that is encrypted to a request's key.
    fn encrypted(&self, request: &Request, answer: &Value, enc: &str) -> Vec<u8> {
        let key = request.key.jwk("ECDH-ES");
        let token = jwe::encrypt(answer.to_string().as_bytes(), &key, enc, &*self.world).unwrap();
        form(&[("response", &token)])
    }

    fn why(&self, request: &Request, body: &[u8]) -> String {
        match self.verifier.read(request, body) {
            Ok(Posted::Nothing(why)) => format!("{why:?}"),
            Ok(Posted::Presented(kind, presented)) => format!("{kind} {}", presented.is_some()),
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
        (Asked::Over(18), Choice::Over, Finding::Over { years: 18, is: true }),
        (Asked::Over(18), Choice::Under, Finding::Over { years: 18, is: false }),
        (Asked::Under(16), Choice::Under, Finding::Over { years: 16, is: false }),
        (Asked::Age, Choice::Over, Finding::Age(30)),
        (Asked::Age, Choice::Under, Finding::Age(12)),
        (Asked::Over(18), Choice::Silent, Finding::Nothing(Why::AgeNotTold)),
        (Asked::Over(18), Choice::Stranger, Finding::Nothing(Why::UntrustedIssuer)),
        (Asked::Over(18), Choice::Refuse, Finding::Nothing(Why::Declined)),
    ] {
        assert_eq!(site.found(asked, choice).await, expected, "{asked:?} {choice:?}");
    }
}

#[tokio::test]
async fn an_answer_to_one_request_is_none_to_another_or_later() {
    let site = Site::new();
    let (one, other) = (site.seeded(1, Asked::Over(18)), site.seeded(2, Asked::Over(18)));
    assert_ne!((&one.nonce, &one.state), (&other.nonce, &other.state));
    let body = site.verifier.sandbox_posts(&one, Choice::Over).unwrap();
    assert!(site.verifier.read(&other, &body).is_err(), "it is encrypted to another key");

    // The same presentation, encrypted anew to the other request.
    let opened = {
        let (_, token) = url::form_urlencoded::parse(&body).next().unwrap();
        jwe::decrypt(&token, &[&one.key], 1 << 20).unwrap()
    };
    let mut answer: Value = serde_json::from_slice(opened.payload.expose()).unwrap();
    answer["state"] = json!(other.state);
    let posted = site.verifier.read(&other, &site.encrypted(&other, &answer, "A256GCM")).unwrap();
    assert_eq!(site.verifier.judge(&other, posted).await, Finding::Nothing(Why::NotAccepted));

    let posted = site.verifier.read(&one, &body).unwrap();
    site.world.advance(SignedDuration::from_mins(17));
    assert_eq!(site.verifier.judge(&one, posted).await, Finding::Nothing(Why::CredentialExpired));
}

#[test]
fn what_cannot_be_read_is_told_apart_from_what_says_nothing() {
    let site = Site::new();
    let request = site.request(Asked::Over(18));
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
        site.encrypted(&site.seeded(2, Asked::Age), &answer, "A128GCM"),
        vec![b'x'; (256 << 10) + 1],
    ] {
        assert!(site.verifier.read(&request, &unreadable).is_err());
    }
}

#[test]
fn a_request_is_the_same_each_time_and_asks_for_the_least() {
    let site = Site::new();
    let (request, again) = (site.request(Asked::Over(18)), site.request(Asked::Over(18)));
    assert_eq!((&request.nonce, &request.state), (&again.nonce, &again.state));
    assert_eq!(request.key.thumbprint(), again.key.thumbprint());
    let members = site.verifier.members(&request);
    assert_eq!(members["response_mode"], "direct_post.jwt");
    assert_eq!(members["client_id"], format!("redirect_uri:{ADDRESS}/response"));
    assert_eq!(members["client_metadata"]["jwks"]["keys"][0]["alg"], "ECDH-ES");
    assert!(members["client_metadata"]["jwks"]["keys"][0].get("d").is_none());
    assert!(site.verifier.object(&request, None).is_none(), "what has no key is not signed");

    let paths = |asked: Asked, number: usize| -> Vec<String> {
        let query = super::query::query(asked, &["urn:eudi:pid:1".to_owned()], true);
        let claims = query["credentials"][number]["claims"].as_array().unwrap().clone();
        claims
            .iter()
            .map(|claim| claim["path"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(Asked::Over(18), 0), ["age_over_18", "age_over_21"]);
    assert_eq!(paths(Asked::Under(18), 0), ["age_over_18", "age_over_16"]);
    assert_eq!(
        paths(Asked::Over(21), 1),
        ["21", "age_over_21", "age_in_years", "birthdate"],
        "the birthday comes last"
    );
    assert_eq!(paths(Asked::Over(30), 2), ["age_over_30", "age_in_years", "birth_date"]);
    assert_eq!(paths(Asked::Age, 0), ["age_in_years", "birthdate"]);
}

#[test]
fn an_age_is_read_from_the_best_that_was_said() {
    let today = date(2026, 11, 22);
    let stated = |over: &[(u8, bool)], years: Option<u8>, born: Option<&str>, highest: Option<u8>| Stated {
        issuer: String::new(),
        kind: String::new(),
        age: Age { over: over.iter().copied().collect(), years, born: born.map(str::to_owned) },
        highest,
        status: None,
    };
    let over = |is: bool| Finding::Over { years: 18, is };
    let untold = Finding::Nothing(Why::AgeNotTold);
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
        // An issuer that is believed up to sixteen cannot say that somebody is eighteen, but that he is not.
        (stated(&[(18, true)], None, None, Some(16)), untold.clone()),
        (stated(&[(18, false)], None, None, Some(16)), over(false)),
    ] {
        assert_eq!(found(&stated, Asked::Over(18), today), expected, "{stated:?}");
        assert_eq!(found(&stated, Asked::Under(18), today), expected);
    }
    assert_eq!(found(&stated(&[], None, Some("2000-01-01"), None), Asked::Age, today), Finding::Age(26));
    assert_eq!(found(&stated(&[], Some(26), None, None), Asked::Age, today), Finding::Age(26));
    assert_eq!(found(&stated(&[], Some(26), None, Some(21)), Asked::Age, today), untold);
    assert_eq!(found(&stated(&[(18, true)], None, None, None), Asked::Age, today), untold);
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
    let world: Arc<dyn World> = Arc::new(StillWorld::at("2026-11-22T12:00:00Z"));
    let fetcher = Fetcher::new(&Policy::default()).unwrap();
    let fault = |change: &dyn Fn(&mut Value), public_url: &str| {
        let mut settings = json!({
            "provider": "openid4vp", "trust_list": file("list", r#"{"issuers":[]}"#),
            "certificate_file": file("chain", "none"), "key_file": file("key", "none"),
        });
        change(&mut settings);
        let settings: Settings = serde_json::from_value(settings).unwrap();
        Verifier::open(&settings, &fetcher, &world, public_url).unwrap_err().setting
    };
    let host = "https://age.example";
    assert_eq!(fault(&|_| {}, host), "key_file");
    assert_eq!(fault(&|_| {}, "http://127.0.0.1:8080"), "certificate_file");
    assert_eq!(fault(&|settings| settings["vct"] = json!([]), host), "vct");
    assert_eq!(fault(&|settings| settings["schemes"] = json!(["javascript"]), host), "schemes");
    assert_eq!(fault(&|settings| settings["trust_list"] = json!(file("bad", "[]")), host), "trust_list");
    assert_eq!(fault(&|settings| settings["trust_list"] = json!("/none"), host), "trust_list");
}
