//! `digital_id`: the wallet of the sandbox, and a wallet of third-party libraries that talks to this server over
//! loopback.

use crate::age_verification::{AgeSessionFixture, AttemptTurn, BASE, SANDBOX, stored_results::start_server};
use axum::{body::Body, http::Request};
use base::SignedDuration;
use domain::age_verification;
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use testkit::{TestApp, TestResponse, face_base64};

/// A session of the sandbox whose wallet is asked, and the step that its page shows.
async fn open_wallet_attempt(app: &TestApp) -> Value {
    let session = AgeSessionFixture::create(app, SANDBOX, &json!({ "digital_id": {} })).await;
    session.open_attempt(app, "DIGITAL_ID").await.step().clone()
}

#[tokio::test]
async fn the_wallet_of_the_sandbox_is_shown() {
    let app = TestApp::start().await;
    let step = open_wallet_attempt(&app).await;
    assert_response_snapshot!(app.get(path(step["url"].as_str().unwrap())).await);
}

#[tokio::test]
async fn the_wallet_of_the_sandbox_answers_on_another_device() {
    let app = TestApp::start().await;
    let step = open_wallet_attempt(&app).await;
    assert_response_snapshot!(choose(&app, &step["url"], "over").await);
}

#[tokio::test]
async fn the_wallet_of_the_sandbox_answers_on_this_device() {
    let app = TestApp::start().await;
    let step = open_wallet_attempt(&app).await;
    let done = choose(&app, &step["links"][0], "over").await;
    let code = done.header("location").split_once("&response_code=").unwrap().1.to_owned();
    assert_response_snapshot!(done, (code.as_str(), "response code"));
}

/// A server that asks wallets with a certificate of its own.
async fn wallet_verifier(folder: &Path) -> TestApp {
    let now: base::Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
    let made = wallet("setup", json!({ "now": now.as_second(), "host": HOST })).await;
    TestApp::start_with_age_settings(settings(folder, &made)).await
}

/// The path of the request that a wallet is shown.
async fn request_path(app: &TestApp) -> String {
    let session = AgeSessionFixture::create(app, BASE, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(app, "DIGITAL_ID").await;
    let (_, query) = opened.step()["url"].as_str().unwrap().split_once('?').unwrap();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    path(&parameters.find(|(name, _)| name == "request_uri").unwrap().1).to_owned()
}

/// The claims of a request object.
fn request_claims(object: &TestResponse) -> Value {
    let text = String::from_utf8(object.body.to_vec()).unwrap();
    let payload = text.split('.').nth(1).unwrap();
    serde_json::from_slice(&base64_simd::URL_SAFE_NO_PAD.decode_to_vec(payload).unwrap()).unwrap()
}

#[tokio::test]
async fn a_wallet_fetches_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let app = wallet_verifier(folder.path()).await;
    assert_response_snapshot!(app.get(&request_path(&app).await).await);
}

#[tokio::test]
async fn a_wallet_fetches_a_request_with_its_nonce() {
    let folder = tempfile::tempdir().unwrap();
    let app = wallet_verifier(folder.path()).await;
    let object = post(&app, &request_path(&app).await, "wallet_nonce=of-the-wallet").await;
    assert_response_snapshot!(object);
}

#[tokio::test]
async fn a_wallet_that_presents_nothing_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let app = wallet_verifier(folder.path()).await;
    let request = request_path(&app).await;
    let claims = request_claims(&app.get(&request).await);
    let refusal = format!("error=access_denied&state={}", claims["state"].as_str().unwrap());
    assert_response_snapshot!(post(&app, &format!("{request}/response"), &refusal).await);
}

const HOST: &str = "verifier.test";

fn reason(turn: &AttemptTurn) -> &str {
    turn.0["session"]["result"]["reason"].as_str().unwrap_or_default()
}

/// The path of an address of this server.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    &rest[rest.find('/').unwrap()..]
}

async fn post(app: &TestApp, path: &str, body: &str) -> TestResponse {
    let request = Request::post(path)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(Body::from(body.to_owned()));
    app.send(request.unwrap()).await
}

/// Answers with the sandbox's wallet.
pub(super) async fn choose(app: &TestApp, url: &Value, choice: &str) -> TestResponse {
    post(app, path(url.as_str().unwrap()), &format!("choice={choice}")).await
}

#[tokio::test]
async fn a_wallet_on_another_device_decides_the_attempt() {
    let app = TestApp::start().await;
    for (kind, choice, status, why) in [
        ("OVER", "over", "COMPLETE", ""),
        ("OVER", "under", "FAIL", "UNDER_AGE"),
        ("UNDER", "under", "COMPLETE", ""),
        ("UNDER", "over", "FAIL", "OVER_AGE"),
        ("OVER", "silent", "FAIL", "AGE_NOT_TOLD"),
        ("OVER", "stranger", "FAIL", "UNTRUSTED_ISSUER"),
        ("OVER", "refuse", "FAIL", "DECLINED"),
        ("AGE", "over", "COMPLETE", ""),
    ] {
        let session =
            AgeSessionFixture::create(&app, SANDBOX, &json!({ "type": kind, "digital_id": {} })).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        let step = opened.step();
        assert_eq!((&step["kind"], &step["poll_ms"]), (&json!("wallet"), &json!(1500)));
        let asked = session.take_turn(&app, &opened, json!({})).await;
        assert_eq!(asked.step(), step, "the code on the page stays as it is");

        let page = app.get(path(step["url"].as_str().unwrap())).await;
        assert_eq!(page.status_and_code(), "200");
        assert!(String::from_utf8_lossy(&page.body).contains("What should your wallet share?"));
        let done = choose(&app, &step["url"], choice).await;
        assert_eq!(done.status_and_code(), "200", "{choice}");
        let again = choose(&app, &step["url"], choice).await;
        assert_eq!(again.status_and_code(), "409 STALE_CONTINUATION", "one answer counts");

        let ended = session.take_turn(&app, &asked, json!({})).await;
        assert_eq!((ended.status(), reason(&ended)), (status, why), "{kind} {choice}");
        let result = session.result(&app).await;
        assert_eq!(result["method"], "DIGITAL_ID");
        assert_eq!(result["age"], if kind == "AGE" { 30 } else { 18 });
    }
}

/// Browsers ignore a style that the policy does not name.
#[tokio::test]
async fn the_sandbox_wallet_is_styled_and_its_policy_allows_nothing_else() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let url = &opened.step()["url"];
    let form = app.get(path(url.as_str().unwrap())).await;
    let done = choose(&app, url, "over").await;
    for page in [form, done] {
        let text = String::from_utf8_lossy(&page.body);
        let style = text.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        let hash = base64_simd::STANDARD.encode_to_string(Sha256::digest(style));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        assert_eq!(page.header("content-security-policy"), policy);
        assert!(!text.contains("style=") && !text.contains("<script"), "{text}");
    }
}

#[tokio::test]
async fn a_wallet_on_this_device_counts_only_in_the_browser_that_began() {
    let app = TestApp::start().await;
    let payload = json!({ "digital_id": { "retry_enabled": true }, "age_estimation": {} });
    let back_of =
        |turn: &AttemptTurn| format!("http://127.0.0.1:8080/sandbox/age/return?attempt={}", turn.attempt());
    let code_of = |answer: &TestResponse, turn: &AttemptTurn| {
        let code = answer.header("location").strip_prefix(&back_of(turn)).unwrap();
        code.strip_prefix("&response_code=").unwrap().to_owned()
    };
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let done = choose(&app, &opened.step()["links"][0], "over").await;
    assert_eq!(done.status, 303);
    let code = code_of(&done, &opened);
    assert_eq!(
        choose(&app, &opened.step()["links"][0], "under").await.status_and_code(),
        "409 STALE_CONTINUATION"
    );
    assert_eq!(
        choose(&app, &opened.step()["url"], "under").await.status_and_code(),
        "409 STALE_CONTINUATION"
    );

    // A page that only polls learns nothing: the person who followed the link may not be the one who began.
    let waits = session.take_turn(&app, &opened, json!({})).await;
    assert_eq!((waits.status(), &waits.step()["kind"]), ("IN_PROGRESS", &json!("wallet")));
    let other = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let others = other.open_attempt(&app, "DIGITAL_ID").await;
    let stranger = other.take_turn(&app, &others, json!({ "returned": { "response_code": code } })).await;
    assert_eq!((stranger.status(), &stranger.step()["kind"]), ("IN_PROGRESS", &json!("wallet")));

    let back = session.take_turn(&app, &waits, json!({ "returned": { "response_code": code } })).await;
    assert_eq!(back.status(), "COMPLETE", "{}", back.0);
    let mut again = json!({ "returned": { "response_code": code } });
    again["continuation"] = waits.0["continuation"].clone();
    let replayed =
        session.end_user_call(&app, "POST", &format!("/attempts/{}", waits.attempt()), Some(again)).await;
    assert_ne!(replayed.json()["step"]["kind"], "wallet");
    assert_eq!(session.result(&app).await["status"], "COMPLETE");

    // An answer that does not pass counts, whether or not anybody returns with it.
    for (choice, why) in [("under", "UNDER_AGE"), ("stranger", "UNTRUSTED_ISSUER"), ("refuse", "DECLINED")] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": {} })).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        let done = choose(&app, &opened.step()["links"][0], choice).await;
        assert_eq!(done.header("location"), back_of(&opened));
        let result = session.result(&app).await;
        assert_eq!((&result["status"], &result["digital_id"]["attempts"]), (&json!("FAIL"), &json!(1)));
        let back =
            session.take_turn(&app, &opened, json!({ "returned": { "attempt": opened.attempt() } })).await;
        assert_eq!((back.status(), reason(&back)), ("FAIL", why));
    }
}

#[tokio::test]
async fn an_answer_of_a_wallet_counts_whatever_turns_the_page_takes() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let moved = session.take_turn(&app, &opened, json!({ "returned": {} })).await;
    assert_eq!(moved.step()["kind"], "wallet");
    assert_eq!(choose(&app, &opened.step()["url"], "over").await.status_and_code(), "200");
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
}

/// `provider = "sandbox"`, with which flows are tried in production.
#[tokio::test]
async fn a_simulated_wallet_answers_in_production() {
    let digital_id = serde_json::from_value(json!({ "provider": "sandbox" })).unwrap();
    let providers = age_verification::ProviderSettings {
        digital_id: Some(digital_id),
        ..age_verification::ProviderSettings::default()
    };
    let settings = age_verification::AgeVerificationSettings {
        providers,
        ..age_verification::AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let url = &opened.step()["url"];
    assert_eq!(app.get(path(url.as_str().unwrap())).await.status_and_code(), "200");
    assert_eq!(choose(&app, url, "over").await.status_and_code(), "200");
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
}

#[tokio::test]
async fn a_face_may_prove_the_age_if_the_wallet_does_not() {
    let app = TestApp::start().await;
    let block = json!({ "age_estimation_allowed": true, "age_estimation_threshold": 25 });
    for (choice, here) in [("refuse", false), ("silent", true)] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": block })).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        let turn = if here {
            let done = choose(&app, &opened.step()["links"][0], choice).await;
            let code = done.header("location").split_once("&response_code=").unwrap().1.to_owned();
            session.take_turn(&app, &opened, json!({ "returned": { "response_code": code } })).await
        } else {
            assert_eq!(choose(&app, &opened.step()["url"], choice).await.status_and_code(), "200");
            session.take_turn(&app, &opened, json!({})).await
        };
        assert_eq!((turn.status(), &turn.step()["kind"]), ("IN_PROGRESS", &json!("camera")), "{}", turn.0);
        let photo = json!({ "img": face_base64() });
        let mut unasked = photo.clone();
        unasked["continuation"] = turn.0["continuation"].clone();
        let refused = session
            .end_user_call(&app, "POST", &format!("/attempts/{}", turn.attempt()), Some(unasked))
            .await;
        assert_eq!(refused.status_and_code(), "409 CONSENT_REQUIRED");
        session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
        let ended = session.take_turn(&app, &turn, photo).await;
        assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
        let result = session.result(&app).await;
        assert_eq!((&result["method"], &result["age"]), (&json!("DIGITAL_ID"), &json!(18)));
    }
    // A credential that is not trusted does not count as silence; and without consent there is no age estimation
    // instead.
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": block })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    choose(&app, &opened.step()["url"], "stranger").await;
    assert_eq!(reason(&session.take_turn(&app, &opened, json!({})).await), "UNTRUSTED_ISSUER");
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": block })).await;
    session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": false }))).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    choose(&app, &opened.step()["url"], "refuse").await;
    assert_eq!(reason(&session.take_turn(&app, &opened, json!({})).await), "DECLINED");
}

#[tokio::test]
async fn a_face_instead_of_a_wallet_must_pass_a_threshold_of_its_own_and_its_result_is_not_kept() {
    let app = start_server(&EgressPolicy::default()).await;
    let show_face = async |threshold: i64, more: Value| {
        let mut payload = more;
        payload["block_biometric_consent"] = true.into();
        payload["digital_id"] = json!({
            "threshold": 18, "age_estimation_allowed": true, "age_estimation_threshold": threshold,
        });
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        assert_eq!(choose(&app, &opened.step()["url"], "silent").await.status_and_code(), "200");
        let asked = session.take_turn(&app, &opened, json!({})).await;
        assert_eq!(asked.step()["kind"], "camera", "{}", asked.0);
        session.take_turn(&app, &asked, json!({ "img": face_base64() })).await
    };
    let missed = show_face(35, json!({})).await;
    assert_eq!((missed.status(), reason(&missed)), ("FAIL", "UNDER_AGE"));
    let passed = show_face(25, json!({ "svc_key": {} })).await;
    assert_eq!((passed.status(), &passed.0["session"]["offers"]["key"]), ("COMPLETE", &json!(false)));
}

#[tokio::test]
async fn unknown_wallet_addresses_and_unreadable_answers_are_refused() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let page = path(opened.step()["url"].as_str().unwrap()).to_owned();
    let request = page.strip_suffix("/sandbox").unwrap();
    let answer = format!("{request}/response");

    assert_eq!(post(&app, &answer, "").await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(post(&app, &answer, "response=a.b.c.d.e").await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        post(&app, &answer, "error=access_denied&state=other").await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    let large = format!("response={}", "x".repeat(300 << 10));
    assert_eq!(post(&app, &answer, &large).await.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    assert_eq!(post(&app, &page, "choice=fly").await.status_and_code(), "400 INVALID_REQUEST");

    // An address is valid only as a whole, and only in its sandbox.
    let production = request.strip_prefix("/sandbox").unwrap();
    for path in [
        production.to_owned(),
        format!("{production}/response"),
        format!("{production}/sandbox"),
        format!("{request}x"),
        request[..request.len() - 1].to_owned(),
        "/sandbox/age/v1/wallet/x".to_owned(),
    ] {
        assert_eq!(
            post(&app, &path, "choice=over").await.status_and_code(),
            "404 SESSION_NOT_FOUND",
            "{path}"
        );
    }
    // None of this used up the attempt's only answer; another attempt replaces it.
    session.open_attempt(&app, "DIGITAL_ID").await;
    assert_eq!(choose(&app, &opened.step()["url"], "over").await.status_and_code(), "409 STALE_CONTINUATION");
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    app.environment.advance(SignedDuration::from_mins(16));
    assert_eq!(choose(&app, &opened.step()["url"], "over").await.status_and_code(), "410 SESSION_EXPIRED");
}

/// Runs a command of the wallet.
async fn wallet(command: &'static str, input: Value) -> Value {
    let ask = move || testkit::node::run_once("crates/api/tests/wallet", "wallet.mjs", command, &input);
    tokio::task::spawn_blocking(ask).await.unwrap()
}

fn settings(folder: &Path, made: &Value) -> age_verification::AgeVerificationSettings {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let verifier = &made["verifier"];
    let digital_id = json!({
        "provider": "openid4vp",
        "trust_list": file("trust.json", &json!({ "issuers": made["entries"] }).to_string()),
        "certificate_file": file("chain.pem", verifier["chain"].as_str().unwrap()),
        "key_file": file("key.pem", verifier["key"].as_str().unwrap()),
        "schemes": ["openid4vp", "haip-vp", "av"],
    });
    age_verification::AgeVerificationSettings {
        public_url: format!("https://{HOST}"),
        providers: age_verification::ProviderSettings {
            digital_id: Some(serde_json::from_value(digital_id).unwrap()),
            ..age_verification::ProviderSettings::default()
        },
        ..age_verification::AgeVerificationSettings::default()
    }
}

#[tokio::test]
async fn a_wallet_of_third_party_libraries_presents_every_kind_of_credential_on_sqlite() {
    let now: base::Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
    let now = now.as_second();
    let made = wallet("setup", json!({ "now": now, "host": HOST })).await;
    let folder = tempfile::tempdir().unwrap();
    let app = TestApp::start_with_age_settings(settings(folder.path(), &made)).await;
    let origin = app.listen().await;
    let key = made["verifier"]["root"].clone();
    let input = |link: &str, held: &str| {
        json!({
            "link": link, "held": made["wallets"][held], "origin": origin, "host": HOST, "root": key, "now": now,
            "enc": if held == "identity" { "A256GCM" } else { "A128GCM" },
        })
    };

    for (held, kind, by, status, shown) in [
        ("age", "OVER", "post", "COMPLETE", json!([["eu.europa.ec.av.1", "age_over_18"]])),
        ("young", "OVER", "get", "FAIL", json!([["eu.europa.ec.av.1", "age_over_18"]])),
        ("young", "UNDER", "post", "COMPLETE", json!([["eu.europa.ec.av.1", "age_over_18"]])),
        ("licence", "OVER", "get", "COMPLETE", json!([["org.iso.18013.5.1", "age_over_18"]])),
        ("identity", "OVER", "post", "COMPLETE", json!([["age_equal_or_over", "18"]])),
        ("identity", "OVER", "get", "COMPLETE", json!([["age_equal_or_over", "18"]])),
        ("birthday", "AGE", "post", "COMPLETE", json!([["birthdate"]])),
        ("stranger", "OVER", "post", "FAIL", json!([["age_equal_or_over", "18"]])),
    ] {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ "type": kind, "digital_id": {} })).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        let url = opened.step()["url"].as_str().unwrap();
        assert!(url.starts_with("openid4vp://?client_id=x509_san_dns%3Averifier.test&"), "{url}");
        let link = if by == "get" { url.replace("&request_uri_method=post", "") } else { url.to_owned() };
        let presented = wallet("present", input(&link, held)).await;
        assert_eq!(
            presented["prefix"], "x509_san_dns",
            "the wallet believed the request's certificate: {presented}"
        );
        assert_eq!((&presented["version"], &presented["signed"]), (&json!(100), &json!(true)));
        assert_eq!((&presented["status"], &presented["answer"]), (&json!(200), &json!({})), "{held}");
        assert_eq!(presented["paths"], shown, "no more than what tells");
        assert_eq!(presented["again"], 409, "the same answer a second time");
        let ended = session.take_turn(&app, &opened, json!({})).await;
        assert_eq!(ended.status(), status, "{held} {kind} {by}: {}", reason(&ended));
        let result = session.result(&app).await;
        let age = if kind == "AGE" { 35 } else { 18 };
        assert_eq!(result["age"], age, "{held} {kind}");
        if held == "stranger" {
            assert_eq!(reason(&ended), "UNTRUSTED_ISSUER");
        }
        // Nothing of the credential is kept in the session.
        let stored =
            app.api.age_verification.get_session(app.app, session.id.parse().unwrap(), false).await.unwrap();
        let stored = serde_json::to_string(&stored).unwrap();
        for needle in ["1990-02-03", "Ava", "pid.example", "age_over_18", "eu.europa.ec"] {
            assert!(!stored.contains(needle), "{needle}");
        }
    }

    // On the same device: opened by a link, back with a code. An unsigned request is contained in its link.
    for (number, scheme, prefix) in [(0, "openid4vp:", "x509_san_dns"), (2, "av:", "redirect_uri")] {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ "digital_id": {} })).await;
        let opened = session.open_attempt(&app, "DIGITAL_ID").await;
        let link = opened.step()["links"][number].as_str().unwrap();
        assert!(link.starts_with(scheme), "{link}");
        let presented = wallet("present", input(link, "age")).await;
        assert_eq!(presented["prefix"], prefix, "{presented}");
        let back = presented["answer"]["redirect_uri"].as_str().unwrap();
        let at = format!("https://verifier.test/age/return?attempt={}&response_code=", opened.attempt());
        let code = back.strip_prefix(&at).unwrap();
        assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "IN_PROGRESS");
        let ended = session.take_turn(&app, &opened, json!({ "returned": { "response_code": code } })).await;
        assert_eq!(ended.status(), "COMPLETE");
    }

    let session = AgeSessionFixture::create(&app, BASE, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let mut refusing = input(opened.step()["url"].as_str().unwrap(), "age");
    refusing["refuse"] = json!(true);
    assert_eq!(wallet("present", refusing).await["status"], 200);
    assert_eq!(reason(&session.take_turn(&app, &opened, json!({})).await), "DECLINED");

    // The request object has the wallet's nonce.
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "digital_id": {} })).await;
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let (_, query) = opened.step()["url"].as_str().unwrap().split_once('?').unwrap();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let request = parameters.find(|(name, _)| name == "request_uri").unwrap().1.into_owned();
    let object = post(&app, path(&request), "wallet_nonce=of-the-wallet&wallet_metadata=%7B%7D").await;
    assert_eq!(object.header("content-type"), "application/oauth-authz-req+jwt");
    assert_eq!(object.header("cache-control"), "no-store");
    let text = String::from_utf8(object.body.to_vec()).unwrap();
    let payload = text.split('.').nth(1).unwrap();
    let payload: Value =
        serde_json::from_slice(&base64_simd::URL_SAFE_NO_PAD.decode_to_vec(payload).unwrap()).unwrap();
    assert_eq!(payload["wallet_nonce"], "of-the-wallet");
    assert_eq!(payload["response_mode"], "direct_post.jwt");
    let long = format!("wallet_nonce={}", "x".repeat(513));
    assert_eq!(post(&app, path(&request), &long).await.status_and_code(), "400 INVALID_REQUEST");
    let simulated = format!("{}/sandbox", path(&request));
    assert!(app.get(&simulated).await.status_and_code().starts_with("404"));
    assert!(post(&app, &simulated, "choice=over").await.status_and_code().starts_with("404"));
}
