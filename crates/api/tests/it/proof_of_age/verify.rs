//! `POST /poa/v1/verify`: every status and reason.

use crate::proof_of_age::{
    ALL_SCOPES, Issuer, fetch, outcome, scan, server_trusting, verify, verify_with_headers,
};
use base::{Environment as _, SignedDuration};
use domain::proof_of_age::{self, ProofOfAgeSettings};
use serde_json::{Value, json};
use std::{io::Write as _, sync::Arc};
use testkit::{TestApp, proof_settings, stub_server};

#[tokio::test]
async fn a_code_is_verified() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    assert_response_snapshot!(verify(&app, &token, &scan(&app, &code)).await, "id");
}

#[tokio::test]
async fn a_code_that_is_no_proof_fails() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_response_snapshot!(verify(&app, &token, &scan(&app, "0123456789012")).await, "id");
}

#[tokio::test]
async fn a_value_that_is_too_long_is_refused() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_response_snapshot!(verify(&app, &token, &scan(&app, &"A".repeat(5000))).await);
}

#[tokio::test]
async fn a_device_response_comes_with_the_session_of_its_terminal() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    // `[null, null, null]`, and a response of which nothing was released.
    let transcript = "g_b29g";
    let response = api::base64(b"\xa2gversionc1.0fstatus\x00");
    let send = async |value: &str, more: Value| {
        let mut query = scan(&app, value);
        query["qr"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        verify(&app, &token, &query).await
    };
    let nothing = send(&response, json!({ "session_transcript": transcript })).await;
    assert_eq!(outcome(&nothing), "200 FAILURE USER_DID_NOT_CONSENT");
    assert_eq!(nothing.json()["terminal"]["id"], scan(&app, "x")["terminal"]["id"]);
    let long = "A".repeat(100_000);
    let answer = send(&long, json!({ "session_transcript": transcript })).await;
    assert_eq!(outcome(&answer), "200 FAILURE UNSUPPORTED_PAYLOAD", "a response may be longer than a code");
    for (more, path) in [
        (json!({ "session_transcript": "%" }), "qr.session_transcript"),
        (json!({ "session_transcript": transcript, "reader_key": {} }), "qr.reader_key"),
        (json!({ "reader_key": {} }), "qr.reader_key"),
    ] {
        let refused = send(&response, more).await;
        assert_eq!(refused.status.as_u16(), 422);
        let words = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(words.starts_with(path), "{words}");
    }
    let refused = send(&"A".repeat(200_000), json!({ "session_transcript": transcript })).await;
    assert_eq!(refused.status.as_u16(), 422);
}

#[tokio::test]
async fn a_body_without_a_code_is_refused() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_response_snapshot!(verify(&app, &token, &json!({})).await);
}

#[tokio::test]
async fn a_code_of_this_server_proves_an_age_once() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    assert!(code.starts_with("POA1:") && code.len() <= 500, "{} characters", code.len());
    let answer = verify(&app, &token, &scan(&app, &code)).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let record = answer.json();
    assert_eq!(outcome(&answer), "200 SUCCESS -");
    assert_eq!(record["id"].as_str().unwrap().len(), 22);
    assert_eq!(
        (record["provider"].as_str(), record["timestamp"].as_str()),
        (Some("ASSAY"), Some("2026-01-16T14:40:00Z"))
    );
    assert_eq!(
        (record["result"]["age_over"].as_u64(), record["result"]["valid_for_alcohol"].as_bool()),
        (Some(18), Some(true))
    );
    let checks: Vec<_> =
        record["result"]["checks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(checks.contains(&"SIGNATURE_VERIFIED") && checks.contains(&"PROVIDER_TRUSTED"), "{checks:?}");
    assert!(record.get("failure").is_none());

    let again = verify(&app, &token, &scan(&app, &code)).await;
    assert_eq!(outcome(&again), "200 FAILURE PRESENTATION_ALREADY_USED");
    for answer in [&answer, &again] {
        let stored = fetch(&app, &token, answer.json()["id"].as_str().unwrap()).await;
        assert_eq!((stored.status.as_u16(), stored.json()), (200, answer.json()));
    }
    app.environment.advance(proof_of_age::RESULT_RETENTION);
    assert_eq!(
        fetch(&app, &token, record["id"].as_str().unwrap()).await.status.as_u16(),
        404,
        "after 30 days"
    );
}

#[tokio::test]
async fn each_defect_of_a_proof_has_its_reason() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let listed = Issuer::new(&environment, "https://pass.example");
    let stranger = Issuer::new(&environment, "https://stranger.example");
    let impostor = Issuer::new(&environment, "https://pass.example");
    let (app, _file) = server_trusting(json!([listed.entry(&json!({}))])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let mut tx = app.api.db.write().await.unwrap();
    proof_of_age::set_excluded_providers(&mut tx, app.app, &["ASSAY".to_owned()]).await.unwrap();
    tx.commit().await.unwrap();

    let good = listed.code(&app, None);
    let mut bent = good.clone();
    bent.replace_range(bent.len() - 1.., if bent.ends_with('0') { "1" } else { "0" });
    for (value, expected) in [
        (stranger.code(&app, None), "200 FAILURE UNKNOWN_PROVIDER"),
        (impostor.code(&app, None), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE"),
        (app.api.proof_issuer.issue_code(&[18]).await.unwrap(), "200 FAILURE EXCLUDED_PROVIDER"),
        ("https://elsewhere.example/proof/1".to_owned(), "200 FAILURE UNKNOWN_PROVIDER"),
        ("mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgg".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("mDL:owBjMS4w".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("openid4vp://?request_uri=https%3A%2F%2Fa.example".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("av://x".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("haip://x".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("POA1:%%%".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        ("0123456789012".to_owned(), "200 FAILURE UNSUPPORTED_PAYLOAD"),
        (good.clone(), "200 SUCCESS -"),
    ] {
        let answer = verify(&app, &token, &scan(&app, &value)).await;
        assert_eq!(outcome(&answer), expected, "{}", &value[..value.len().min(30)]);
    }
    let answer = verify(&app, &token, &scan(&app, &bent)).await;
    assert!(outcome(&answer).starts_with("200 FAILURE"), "{}", outcome(&answer));

    // Shown too long ago, or before its time.
    let stale = listed.code(&app, None);
    app.environment.advance(SignedDuration::from_secs(36));
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &stale)).await), "200 FAILURE PRESENTATION_EXPIRED");
    let mut early = scan(&app, &listed.code(&app, None));
    early["qr"]["scanned_at"] = (app.environment.now() - SignedDuration::from_secs(20)).to_string().into();
    assert_eq!(outcome(&verify(&app, &token, &early).await), "200 FAILURE PRESENTATION_EXPIRED");
    // A till whose clock is wrong.
    for seconds in [6, -121] {
        let mut off = scan(&app, &listed.code(&app, None));
        off["qr"]["scanned_at"] =
            (app.environment.now() + SignedDuration::from_secs(seconds)).to_string().into();
        assert_eq!(
            outcome(&verify(&app, &token, &off).await),
            "200 FAILURE PRESENTATION_EXPIRED",
            "{seconds} s"
        );
    }
    // Scanned in time, sent a little later, in another time zone.
    let mut later = scan(&app, &listed.code(&app, None));
    later["qr"]["scanned_at"] = app.environment.now().to_string().replace('Z', "+00:00").into();
    app.environment.advance(SignedDuration::from_secs(110));
    assert_eq!(outcome(&verify(&app, &token, &later).await), "200 SUCCESS -");
}

#[tokio::test]
async fn valid_for_alcohol_depends_on_the_place_and_the_provider() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    for (alcohol_age, allowed, expected) in
        [(18, true, true), (21, true, true), (25, true, false), (18, false, false)]
    {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let list = json!({ "issuers": [issuer.entry(&json!({ "valid_for_alcohol": allowed }))] });
        file.write_all(list.to_string().as_bytes()).unwrap();
        let rules =
            ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), alcohol_age, ..proof_settings() };
        let app = TestApp::start_with_egress(&stub_server::egress_policy(), rules).await;
        let token = app.bearer_token(&ALL_SCOPES).await;
        let record = verify(&app, &token, &scan(&app, &issuer.code(&app, None))).await.json();
        assert_eq!(record["result"]["age_over"], 21);
        assert_eq!(record["result"]["valid_for_alcohol"], expected, "from {alcohol_age}, {allowed}");
    }
}

#[tokio::test]
async fn a_malformed_body_is_400_and_an_unusable_value_422() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let with = |path: &str, value: Value| {
        let mut body = scan(&app, "POA1:0");
        body["notification"] = json!({ "url": "https://example.com/hook" });
        *body.pointer_mut(path).unwrap() = value;
        body
    };
    let mut notified = scan(&app, "POA1:0");
    notified["notification"] = json!({ "url": "https://example.com/hook" });
    let headers = |headers: Value| {
        let mut body = notified.clone();
        body["notification"]["headers"] = headers;
        body
    };
    let member = |name: &str, value: Value| {
        let mut body = notified.clone();
        body["notification"][name] = value;
        body
    };
    for (body, expected) in [
        (json!([]), "400 MALFORMED_PAYLOAD"),
        (json!({}), "400 MALFORMED_PAYLOAD"),
        (with("/qr", Value::Null), "400 MALFORMED_PAYLOAD"),
        (with("/qr/value", Value::Null), "400 MALFORMED_PAYLOAD"),
        (with("/qr/value", json!(7)), "400 MALFORMED_PAYLOAD"),
        (with("/terminal", Value::Null), "400 MALFORMED_PAYLOAD"),
        (with("/terminal/id", Value::Null), "400 MALFORMED_PAYLOAD"),
        (with("/notification/url", Value::Null), "400 MALFORMED_PAYLOAD"),
        (with("/notification", json!([])), "400 MALFORMED_PAYLOAD"),
        (member("verifyTls", json!("no")), "400 MALFORMED_PAYLOAD"),
        (headers(json!({ "a": 1 })), "400 MALFORMED_PAYLOAD"),
        (with("/qr/value", json!("")), "422 UNPROCESSABLE_ENTRY"),
        (with("/qr/value", json!("A".repeat(4297))), "422 UNPROCESSABLE_ENTRY"),
        (with("/qr/scanned_at", json!("yesterday")), "422 UNPROCESSABLE_ENTRY"),
        (with("/qr/scanned_at", json!("2026-01-16T14:40:00")), "422 UNPROCESSABLE_ENTRY"),
        (with("/terminal/id", json!(" ")), "422 UNPROCESSABLE_ENTRY"),
        (with("/terminal/id", json!("x".repeat(201))), "422 UNPROCESSABLE_ENTRY"),
        (with("/terminal/store_id", json!("x".repeat(201))), "422 UNPROCESSABLE_ENTRY"),
        (with("/notification/url", json!("http://example.com/")), "422 UNPROCESSABLE_ENTRY"),
        (with("/notification/url", json!("https://10.0.0.1/")), "422 UNPROCESSABLE_ENTRY"),
        (with("/notification/url", json!("https://user@example.com/")), "422 UNPROCESSABLE_ENTRY"),
        (with("/notification/url", json!("not an address")), "422 UNPROCESSABLE_ENTRY"),
        (member("method", json!("PUT")), "422 UNPROCESSABLE_ENTRY"),
        (member("verifyTls", json!(false)), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "Host": "a" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "content-length": "1" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "Connection": "close" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "Transfer-Encoding": "chunked" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "webhook-signature": "v1,x" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "a\r\nb": "c" })), "422 UNPROCESSABLE_ENTRY"),
        (headers(json!({ "a": "b\r\nc: d" })), "422 UNPROCESSABLE_ENTRY"),
        (
            headers(
                (0..33).map(|n| (format!("x-{n}"), json!("1"))).collect::<serde_json::Map<_, _>>().into(),
            ),
            "422 UNPROCESSABLE_ENTRY",
        ),
        (headers(json!({ "a": "x".repeat(4097) })), "422 UNPROCESSABLE_ENTRY"),
    ] {
        let answer = verify(&app, &token, &body).await;
        let refusal = answer.json();
        let line = format!("{} {}", answer.status.as_u16(), refusal["error"].as_str().unwrap_or_default());
        assert_eq!(line, expected, "{body:.300}");
        assert_eq!(refusal["status"], answer.status.as_u16());
        assert_eq!(refusal["id"].as_str(), Some(answer.header("x-request-id")));
        assert!(
            refusal["message"].as_str().unwrap().len() < 300,
            "no refusal echoes what was sent: {refusal}"
        );
    }
    // An address has room for the result that a GET adds to it.
    let mut body = notified.clone();
    body["notification"]["url"] = format!("https://example.com/{}", "x".repeat(4070)).into();
    assert_eq!(outcome(&verify(&app, &token, &body).await), "200 FAILURE UNSUPPORTED_PAYLOAD");
    body["notification"]["method"] = "GET".into();
    let refused = verify(&app, &token, &body).await;
    assert_eq!(
        (refused.status.as_u16(), refused.json()["error"].as_str()),
        (422, Some("UNPROCESSABLE_ENTRY"))
    );
    assert!(
        refused.json()["message"].as_str().unwrap().starts_with("notification.url: "),
        "{:?}",
        refused.body
    );
    let long = verify(&app, &token, &with("/qr/value", json!("A".repeat(5000)))).await.json();
    assert_eq!(
        (long["measured"].as_f64(), long["limit"].as_str()),
        (Some(5000.0), Some("at most 4296 characters"))
    );
    let torn =
        verify_with_headers(&app, &[("authorization", &format!("Bearer {token}"))], "{\"qr\":".to_owned())
            .await;
    assert_eq!((torn.status.as_u16(), torn.json()["error"].as_str()), (400, Some("MALFORMED_PAYLOAD")));
    let huge =
        verify_with_headers(&app, &[("authorization", &format!("Bearer {token}"))], " ".repeat(300_000))
            .await;
    assert_eq!((huge.status.as_u16(), huge.json()["error"].as_str()), (413, Some("PAYLOAD_TOO_LARGE")));
}

#[tokio::test]
async fn a_scan_repeated_with_its_idempotency_key_gets_the_same_answer() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("idempotency-key", "scan-1")];
    let body = scan(&app, &app.api.proof_issuer.issue_code(&[18]).await.unwrap()).to_string();
    let first = verify_with_headers(&app, &headers, body.clone()).await;
    assert_eq!(outcome(&first), "200 SUCCESS -");
    for _ in 0..2 {
        let again = verify_with_headers(&app, &headers, body.clone()).await;
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(again.header("content-type"), "application/json");
    }
    let other = verify_with_headers(&app, &headers, scan(&app, "POA1:1").to_string()).await;
    assert_eq!(
        (other.status.as_u16(), other.json()["error"].as_str()),
        (409, Some("IDEMPOTENCY_KEY_REUSED"))
    );
    let long = "k".repeat(256);
    let bad =
        verify_with_headers(&app, &[("authorization", &bearer), ("idempotency-key", &long)], body.clone())
            .await;
    assert_eq!(bad.status.as_u16(), 400);
    let bad =
        verify_with_headers(&app, &[("authorization", &bearer), ("idempotency-key", "clé")], body.clone())
            .await;
    assert_eq!(bad.status.as_u16(), 400, "a key that cannot be read is not ignored");
    // A day later the key is forgotten, and the proof is still used.
    app.environment.advance(SignedDuration::from_hours(24));
    let later = verify_with_headers(&app, &headers, scan(&app, "POA1:1").to_string()).await;
    assert_eq!(outcome(&later), "200 FAILURE UNSUPPORTED_PAYLOAD");
}

#[tokio::test]
async fn of_many_tills_that_scan_one_code_one_succeeds() {
    let app = Arc::new(TestApp::start().await);
    let token = app.bearer_token(&ALL_SCOPES).await;
    let body = scan(&app, &app.api.proof_issuer.issue_code(&[18]).await.unwrap());
    let tills: Vec<_> = (0..20)
        .map(|_| {
            let (app, token, body) = (app.clone(), token.clone(), body.clone());
            tokio::spawn(async move { outcome(&verify(&app, &token, &body).await) })
        })
        .collect();
    let mut lines = Vec::new();
    for till in tills {
        lines.push(till.await.unwrap());
    }
    assert_eq!(lines.iter().filter(|line| *line == "200 SUCCESS -").count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "200 FAILURE PRESENTATION_ALREADY_USED").count(), 19);
}

/// Its holder has no other one, so its use is not remembered for as long as it is valid, nor for as long as it takes to delete it.
#[tokio::test]
async fn a_credential_without_its_holders_signature_counts_again_as_soon_as_its_use_is_over() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "formats": ["sd-jwt-vc"], "unbound": true }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let now = app.environment.now().as_second();
    let claims = json!({
        "iss": "https://pass.example", "vct": "urn:example:age", "iat": now, "exp": now + 86_400, "age_over_18": true,
    });
    let shown = format!("{}~", issuer.jws("dc+sd-jwt", &claims));
    // 30 seconds, in which a signed one may be scanned, and 125 more.
    for (seconds, expected) in [
        (0, "200 SUCCESS -"),
        (154, "200 FAILURE PRESENTATION_ALREADY_USED"),
        (1, "200 SUCCESS -"),
        (1, "200 FAILURE PRESENTATION_ALREADY_USED"),
    ] {
        app.environment.advance(SignedDuration::from_secs(seconds));
        assert_eq!(outcome(&verify(&app, &token, &scan(&app, &shown)).await), expected, "{seconds} s later");
    }
}

#[tokio::test]
async fn an_excluded_issuer_is_one_entry_of_the_trust_list_and_an_excluded_provider_all_of_its_entries() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let (first, second) =
        (Issuer::new(&environment, "https://a.example"), Issuer::new(&environment, "https://b.example"));
    let (app, _file) = server_trusting(json!([first.entry(&json!({})), second.entry(&json!({}))])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    for (excluded, expected) in [
        ("https://a.example", ["200 FAILURE EXCLUDED_PROVIDER", "200 SUCCESS -"]),
        ("PASS", ["200 FAILURE EXCLUDED_PROVIDER"; 2]),
        ("OTHER", ["200 SUCCESS -"; 2]),
    ] {
        let mut tx = app.api.db.write().await.unwrap();
        proof_of_age::set_excluded_providers(&mut tx, app.app, &[excluded.to_owned()]).await.unwrap();
        tx.commit().await.unwrap();
        for (issuer, expected) in [&first, &second].into_iter().zip(expected) {
            assert_eq!(outcome(&verify(&app, &token, &scan(&app, &issuer.code(&app, None))).await), expected);
        }
    }
}
