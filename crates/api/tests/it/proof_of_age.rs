//! `/poa/v1`: every status, reason and combination.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use axum::{body::Body, http::Request};
use base::{Environment as _, SignedDuration};
use credentials::{
    issue::{self, AgeAttestation, IssuingKey},
    proof::StatusReference,
};
use domain::{
    delivery::{DeliveryDispatcher, DeliverySettings as Sending},
    proof_of_age::{self, ProofOfAgeSettings},
    tenancy::{ApplicationState, Feature, applications, tokens::TokenScope},
};
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use std::{io::Write as _, sync::Arc};
use testkit::{
    TestApp, TestResponse, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

const ALL: [TokenScope; 3] = TokenScope::ALL;

/// An issuer that the operator trusts, beside this server.
struct Issuer {
    id: String,
    key: IssuingKey,
}

impl Issuer {
    fn new(app_world: &dyn base::Environment, id: &str) -> Self {
        Self { id: id.to_owned(), key: IssuingKey::generate(app_world) }
    }

    fn entry(&self, more: &Value) -> Value {
        let mut entry =
            json!({ "id": self.id, "provider": "PASS", "formats": ["cwt", "jwt"], "keys": [self.key.jwk()] });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    }

    fn code(&self, app: &TestApp, status: Option<StatusReference>) -> String {
        let grant = AgeAttestation {
            issuer: self.id.clone(),
            age_over: vec![18, 21],
            holder: None,
            status,
            lifetime: SignedDuration::from_secs(60),
        };
        issue::issue_code(&self.key, &grant, app.world.now(), id(app)).unwrap()
    }
}

fn id(app: &TestApp) -> [u8; 16] {
    let mut id = [0; 16];
    app.world.fill_random(&mut id);
    id
}

/// A server that trusts these entries.
async fn trusting(entries: Value) -> (TestApp, tempfile::NamedTempFile) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(json!({ "issuers": entries }).to_string().as_bytes()).unwrap();
    let rules = ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), ..proof_settings() };
    (TestApp::start_with_egress(&stub_server::egress_policy(), rules).await, file)
}

fn query(app: &TestApp, value: &str) -> Value {
    let scanned_at = app.world.now().to_string();
    json!({ "qr": { "value": value, "scanned_at": scanned_at }, "terminal": { "id": "till-4", "store_id": "12" } })
}

async fn post(app: &TestApp, token: &str, body: &Value) -> TestResponse {
    post_with(app, &[("authorization", &format!("Bearer {token}"))], body.to_string()).await
}

async fn post_with(app: &TestApp, headers: &[(&str, &str)], body: String) -> TestResponse {
    let request = headers
        .iter()
        .fold(Request::post("/poa/v1/verify"), |request, (name, value)| request.header(*name, *value));
    app.send(request.body(Body::from(body)).unwrap()).await
}

async fn get(app: &TestApp, token: &str, id: &str) -> TestResponse {
    let request =
        Request::get(format!("/poa/v1/verify/{id}")).header("authorization", format!("Bearer {token}"));
    app.send(request.body(Body::empty()).unwrap()).await
}

fn reason(answer: &TestResponse) -> String {
    let json = answer.json();
    format!(
        "{} {} {}",
        answer.status.as_u16(),
        json["status"].as_str().unwrap_or("-"),
        json["failure"]["reason"].as_str().unwrap_or("-")
    )
}

#[tokio::test]
async fn a_code_of_our_own_is_proof_once() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    assert!(code.starts_with("POA1:") && code.len() <= 500, "{} characters", code.len());
    let answer = post(&app, &token, &query(&app, &code)).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let record = answer.json();
    assert_eq!(reason(&answer), "200 SUCCESS -");
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

    let again = post(&app, &token, &query(&app, &code)).await;
    assert_eq!(reason(&again), "200 FAILURE PRESENTATION_ALREADY_USED");
    for answer in [&answer, &again] {
        let kept = get(&app, &token, answer.json()["id"].as_str().unwrap()).await;
        assert_eq!((kept.status.as_u16(), kept.json()), (200, answer.json()));
    }
    app.world.advance(proof_of_age::RESULT_RETENTION);
    assert_eq!(get(&app, &token, record["id"].as_str().unwrap()).await.status.as_u16(), 404, "after 30 days");
}

#[tokio::test]
async fn each_defect_of_a_proof_has_its_reason() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let listed = Issuer::new(&world, "https://pass.example");
    let stranger = Issuer::new(&world, "https://stranger.example");
    let impostor = Issuer::new(&world, "https://pass.example");
    let (app, _file) = trusting(json!([listed.entry(&json!({}))])).await;
    let token = app.bearer_token(&ALL).await;
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
        let answer = post(&app, &token, &query(&app, &value)).await;
        assert_eq!(reason(&answer), expected, "{}", &value[..value.len().min(30)]);
    }
    let answer = post(&app, &token, &query(&app, &bent)).await;
    assert!(reason(&answer).starts_with("200 FAILURE"), "{}", reason(&answer));

    // Shown too long ago, or before its time.
    let stale = listed.code(&app, None);
    app.world.advance(SignedDuration::from_secs(36));
    assert_eq!(reason(&post(&app, &token, &query(&app, &stale)).await), "200 FAILURE PRESENTATION_EXPIRED");
    let mut early = query(&app, &listed.code(&app, None));
    early["qr"]["scanned_at"] = (app.world.now() - SignedDuration::from_secs(20)).to_string().into();
    assert_eq!(reason(&post(&app, &token, &early).await), "200 FAILURE PRESENTATION_EXPIRED");
    // A till whose clock is wrong.
    for seconds in [6, -121] {
        let mut off = query(&app, &listed.code(&app, None));
        off["qr"]["scanned_at"] = (app.world.now() + SignedDuration::from_secs(seconds)).to_string().into();
        assert_eq!(
            reason(&post(&app, &token, &off).await),
            "200 FAILURE PRESENTATION_EXPIRED",
            "{seconds} s"
        );
    }
    // Scanned in time, sent a little later, in another time zone.
    let mut later = query(&app, &listed.code(&app, None));
    later["qr"]["scanned_at"] = app.world.now().to_string().replace('Z', "+00:00").into();
    app.world.advance(SignedDuration::from_secs(110));
    assert_eq!(reason(&post(&app, &token, &later).await), "200 SUCCESS -");
}

#[tokio::test]
async fn alcohol_depends_on_the_place_and_the_provider() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&world, "https://pass.example");
    for (alcohol_age, allowed, expected) in
        [(18, true, true), (21, true, true), (25, true, false), (18, false, false)]
    {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let list = json!({ "issuers": [issuer.entry(&json!({ "valid_for_alcohol": allowed }))] });
        file.write_all(list.to_string().as_bytes()).unwrap();
        let rules =
            ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), alcohol_age, ..proof_settings() };
        let app = TestApp::start_with_egress(&stub_server::egress_policy(), rules).await;
        let token = app.bearer_token(&ALL).await;
        let record = post(&app, &token, &query(&app, &issuer.code(&app, None))).await.json();
        assert_eq!(record["result"]["age_over"], 21);
        assert_eq!(record["result"]["valid_for_alcohol"], expected, "from {alcohol_age}, {allowed}");
    }
}

#[tokio::test]
async fn what_is_malformed_is_400_and_what_cannot_be_used_422() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let token = app.bearer_token(&ALL).await;
    let with = |path: &str, value: Value| {
        let mut body = query(&app, "POA1:0");
        body["notification"] = json!({ "url": "https://example.com/hook" });
        *body.pointer_mut(path).unwrap() = value;
        body
    };
    let mut notified = query(&app, "POA1:0");
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
        let answer = post(&app, &token, &body).await;
        let said = answer.json();
        let line = format!("{} {}", answer.status.as_u16(), said["error"].as_str().unwrap_or_default());
        assert_eq!(line, expected, "{body:.300}");
        assert_eq!(said["status"], answer.status.as_u16());
        assert_eq!(said["id"].as_str(), Some(answer.header("x-request-id")));
        assert!(said["message"].as_str().unwrap().len() < 300, "no refusal echoes what was sent: {said}");
    }
    let long = post(&app, &token, &with("/qr/value", json!("A".repeat(5000)))).await.json();
    assert_eq!(
        (long["measured"].as_f64(), long["limit"].as_str()),
        (Some(5000.0), Some("at most 4296 characters"))
    );
    let torn = post_with(&app, &[("authorization", &format!("Bearer {token}"))], "{\"qr\":".to_owned()).await;
    assert_eq!((torn.status.as_u16(), torn.json()["error"].as_str()), (400, Some("MALFORMED_PAYLOAD")));
    let huge = post_with(&app, &[("authorization", &format!("Bearer {token}"))], " ".repeat(300_000)).await;
    assert_eq!((huge.status.as_u16(), huge.json()["error"].as_str()), (413, Some("PAYLOAD_TOO_LARGE")));
}

#[tokio::test]
async fn who_has_no_right_token_is_told_so() {
    let app = TestApp::start().await;
    let good = app.bearer_token(&[TokenScope::PoaVerify]).await;
    let other_scope = app.bearer_token(&[TokenScope::IdvSessions]).await;
    let body = query(&app, "POA1:0").to_string();
    let bearer = format!("Bearer {good}");
    let lower = format!("bearer {good}");
    for (headers, expected) in [
        (vec![], "401 INVALID_TOKEN"),
        (vec![("authorization", "Bearer nonsense")], "401 INVALID_TOKEN"),
        (vec![("authorization", "Basic YTpi")], "401 INVALID_TOKEN"),
        (vec![("authorization", good.as_str())], "401 INVALID_TOKEN"),
        (vec![("authorization", &bearer), ("authorisation", "Bearer other")], "401 INVALID_TOKEN"),
        (vec![("authorization", &bearer)], "200 "),
        (vec![("authorization", &lower)], "200 "),
        (vec![("Authorisation", &bearer)], "200 "),
        (vec![("authorization", &format!("Bearer {other_scope}"))], "403 INSUFFICIENT_SCOPE"),
    ] {
        let answer = post_with(&app, &headers, body.clone()).await;
        let line =
            format!("{} {}", answer.status.as_u16(), answer.json()["error"].as_str().unwrap_or_default());
        assert_eq!(line, expected, "{headers:?}");
        assert_eq!(answer.header("www-authenticate"), if answer.status == 401 { "Bearer" } else { "" });
    }
    let mut tx = app.api.db.write().await.unwrap();
    applications::set_features(&mut tx, app.app, &[Feature::ImageAi]).await.unwrap();
    tx.commit().await.unwrap();
    let answer = post_with(&app, &[("authorization", &bearer)], body).await;
    assert_eq!((answer.status.as_u16(), answer.json()["error"].as_str()), (403, Some("FEATURE_DISABLED")));
}

#[tokio::test]
async fn another_tenants_verification_answers_like_a_missing_one() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    let id = post(&app, &token, &query(&app, &code)).await.json()["id"].as_str().unwrap().to_owned();

    let mut tx = app.api.db.write().await.unwrap();
    let new = applications::NewApplication {
        name: "other",
        organisation: Some(app.org),
        billing_source: Some("b"),
        features: &Feature::ALL,
    };
    let other = applications::create(&mut tx, &*app.world, &new).await.unwrap();
    let theirs =
        domain::tenancy::tokens::create(&mut tx, &*app.world, other, "t", ALL.to_vec(), None).await.unwrap();
    tx.commit().await.unwrap();
    let strip = |answer: TestResponse| {
        let mut json = answer.json();
        json["id"] = Value::Null;
        (answer.status, json)
    };
    let foreign = strip(get(&app, theirs.token.expose(), &id).await);
    let missing = strip(get(&app, theirs.token.expose(), "AAAAAAAAAAAAAAAAAAAAAA").await);
    assert_eq!(foreign, missing);
    assert_eq!(foreign.0.as_u16(), 404);
    for odd in ["x", "..%2f..%2fetc", "%00", "%ff", &"%ff".repeat(22), &"A".repeat(5000)] {
        assert_eq!(get(&app, &token, odd).await.status.as_u16(), 404, "{odd:.20}");
    }
}

#[tokio::test]
async fn a_repeat_with_the_same_key_is_answered_alike() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL).await;
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("idempotency-key", "scan-1")];
    let body = query(&app, &app.api.proof_issuer.issue_code(&[18]).await.unwrap()).to_string();
    let first = post_with(&app, &headers, body.clone()).await;
    assert_eq!(reason(&first), "200 SUCCESS -");
    for _ in 0..2 {
        let again = post_with(&app, &headers, body.clone()).await;
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(again.header("content-type"), "application/json");
    }
    let other = post_with(&app, &headers, query(&app, "POA1:1").to_string()).await;
    assert_eq!(
        (other.status.as_u16(), other.json()["error"].as_str()),
        (409, Some("IDEMPOTENCY_KEY_REUSED"))
    );
    let long = "k".repeat(256);
    let bad = post_with(&app, &[("authorization", &bearer), ("idempotency-key", &long)], body.clone()).await;
    assert_eq!(bad.status.as_u16(), 400);
    let bad = post_with(&app, &[("authorization", &bearer), ("idempotency-key", "clé")], body.clone()).await;
    assert_eq!(bad.status.as_u16(), 400, "a key that cannot be read is not ignored");
    // A day later the key is forgotten, and the proof is still used.
    app.world.advance(SignedDuration::from_hours(24));
    let later = post_with(&app, &headers, query(&app, "POA1:1").to_string()).await;
    assert_eq!(reason(&later), "200 FAILURE UNSUPPORTED_PAYLOAD");
}

#[tokio::test]
async fn of_many_tills_that_show_one_code_one_succeeds() {
    let app = Arc::new(TestApp::start().await);
    let token = app.bearer_token(&ALL).await;
    let body = query(&app, &app.api.proof_issuer.issue_code(&[18]).await.unwrap());
    let tills: Vec<_> = (0..20)
        .map(|_| {
            let (app, token, body) = (app.clone(), token.clone(), body.clone());
            tokio::spawn(async move { reason(&post(&app, &token, &body).await) })
        })
        .collect();
    let mut lines = Vec::new();
    for till in tills {
        lines.push(till.await.unwrap());
    }
    assert_eq!(lines.iter().filter(|line| *line == "200 SUCCESS -").count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "200 FAILURE PRESENTATION_ALREADY_USED").count(), 19);
}

/// A status list token for `uri` in which entry 7 is revoked.
fn status_list(issuer: &Issuer, app: &TestApp, uri: &str) -> String {
    let mut bits = vec![0_u8; 16];
    bits[0] |= 1 << 7;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&bits).unwrap();
    let list = base64_simd::URL_SAFE_NO_PAD.encode_to_string(encoder.finish().unwrap());
    let claims = json!({
        "iss": issuer.id, "sub": uri, "iat": app.world.now().as_second(), "ttl": 600,
        "exp": app.world.now().as_second() + 3600, "status_list": { "bits": 1, "lst": list },
    });
    let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::ES256);
    header.typ = Some("statuslist+jwt".to_owned());
    header.kid = issuer.key.jwk()["kid"].as_str().map(str::to_owned);
    let key = jsonwebtoken::EncodingKey::from_ec_der(issuer.key.to_pkcs8_der().expose());
    jsonwebtoken::encode(&header, &claims, &key).unwrap()
}

async fn deliver(app: &TestApp, receiver: &StubServer, many: usize) -> Vec<stub_server::CapturedRequest> {
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let sender = DeliveryDispatcher::new(
        app.api.db.clone(),
        app.world.clone(),
        app.api.proof_of_age.outbox().clone(),
        Sending::default(),
    );
    let working = tokio::spawn(sender.run(stopped));
    let sent = receiver.wait_for(many).await;
    stop.send(true).unwrap();
    working.await.unwrap();
    sent
}

#[tokio::test]
async fn an_unknown_status_is_asked_for_and_the_result_is_sent() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&world, "https://pass.example");
    let entry = issuer.entry(&json!({ "status_hosts": ["localhost"] }));
    let (app, _file) = trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL).await;
    let list = Arc::new(std::sync::Mutex::new(String::new()));
    let served = list.clone();
    let issuers = StubServer::start(move |_| {
        StubReply::body("application/statuslist+jwt", served.lock().unwrap().clone())
    })
    .await;
    let uri = issuers.url("/status/1");
    *list.lock().unwrap() = status_list(&issuer, &app, &uri);
    let tills = StubServer::start(|_| StubReply::status(200)).await;

    let code = |index| issuer.code(&app, Some(StatusReference { uri: uri.clone(), index }));
    let mut asked = query(&app, &code(3));
    asked["notification"] = json!({ "url": tills.url("/hook?till=4"), "headers": { "X-Till": "4" } });
    let pending = post(&app, &token, &asked).await;
    assert_eq!(reason(&pending), "202 PENDING -");
    assert_eq!(
        reason(&post(&app, &token, &asked).await),
        "200 FAILURE PRESENTATION_ALREADY_USED",
        "while it is pending"
    );
    let id = pending.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(reason(&get(&app, &token, &id).await), "200 PENDING -");
    app.run_due_jobs().await;
    let result = get(&app, &token, &id).await;
    assert_eq!(reason(&result), "200 SUCCESS -");
    assert!(result.json()["result"]["checks"].as_array().unwrap().contains(&json!("NOT_REVOKED")));
    assert_eq!(issuers.captured().len(), 1);

    let sent = deliver(&app, &tills, 1).await.remove(0);
    assert_eq!((sent.method.as_str(), sent.uri.path_and_query().unwrap().as_str()), ("POST", "/hook?till=4"));
    assert_eq!(sent.header("x-till"), "4");
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        result.json(),
        "the notification is the record"
    );

    // The list is known now: the next codes are answered at once, and the revoked one is refused.
    assert_eq!(reason(&post(&app, &token, &query(&app, &code(4))).await), "200 SUCCESS -");
    assert_eq!(reason(&post(&app, &token, &query(&app, &code(7))).await), "200 FAILURE REVOKED");
    assert_eq!(reason(&post(&app, &token, &query(&app, &code(9999))).await), "200 FAILURE REVOKED");
    assert_eq!(issuers.captured().len(), 1);

    // As a GET, the result is in the query.
    app.world.advance(SignedDuration::from_secs(601));
    *list.lock().unwrap() = status_list(&issuer, &app, &uri);
    let mut asked = query(&app, &code(5));
    asked["notification"] = json!({ "url": tills.url("/hook?till=4"), "method": "GET" });
    let pending = post(&app, &token, &asked).await;
    assert_eq!(reason(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let sent = deliver(&app, &tills, 2).await.remove(1);
    let id = pending.json()["id"].as_str().unwrap().to_owned();
    assert_eq!((sent.method.as_str(), sent.body.len()), ("GET", 0));
    assert_eq!(sent.uri.query(), Some(format!("till=4&id={id}&status=SUCCESS").as_str()));
}

#[tokio::test]
async fn a_status_list_that_cannot_be_had_closes_unless_the_entry_says_otherwise() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuers = StubServer::start(|_| StubReply::status(500)).await;
    for (rule, expected) in [("refuse", "200 FAILURE REVOKED"), ("accept", "200 SUCCESS -")] {
        let issuer = Issuer::new(&world, "https://pass.example");
        let entry = issuer.entry(&json!({ "status_hosts": ["localhost"], "status_unavailable": rule }));
        let (app, _file) = trusting(json!([entry])).await;
        let token = app.bearer_token(&ALL).await;
        let reference = StatusReference { uri: issuers.url("/status/1"), index: 1 };
        let pending = post(&app, &token, &query(&app, &issuer.code(&app, Some(reference)))).await;
        assert_eq!(reason(&pending), "202 PENDING -");
        app.run_due_jobs().await;
        let result = get(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(reason(&result), expected, "{rule}");
        let checks = result.json()["result"]["checks"].to_string();
        assert!(!checks.contains("NOT_REVOKED"), "{checks}");
    }
}

#[tokio::test]
async fn a_new_key_of_a_listed_issuer_is_fetched_once() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&world, "https://pass.example");
    let new = Issuer::new(&world, "https://pass.example");
    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    let issuers = StubServer::start(move |_| StubReply::body("application/jwk-set+json", keys.clone())).await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL).await;
    assert_eq!(reason(&post(&app, &token, &query(&app, &old.code(&app, None))).await), "200 SUCCESS -");
    let pending = post(&app, &token, &query(&app, &new.code(&app, None))).await;
    assert_eq!(reason(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    assert_eq!(reason(&get(&app, &token, pending.json()["id"].as_str().unwrap()).await), "200 SUCCESS -");
    assert_eq!(
        reason(&post(&app, &token, &query(&app, &new.code(&app, None))).await),
        "200 SUCCESS -",
        "known by now"
    );
    assert_eq!(issuers.captured().len(), 1);

    // A key that is not published: the issuer is asked, then the code is refused. Three such codes cause at most one
    // more request.
    let impostor = Issuer::new(&world, "https://pass.example");
    for _ in 0..3 {
        let pending = post(&app, &token, &query(&app, &impostor.code(&app, None))).await;
        app.run_due_jobs().await;
        let result = get(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(reason(&result), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE");
    }
    assert!(issuers.captured().len() <= 2, "{} requests", issuers.captured().len());
}

#[tokio::test]
async fn a_reference_is_fetched_from_its_issuer_and_consent_is_awaited() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&world, "https://pass.example");
    let entry = issuer.entry(&json!({ "reference_hosts": ["localhost"] }));
    let (app, _file) = trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL).await;
    let code = issuer.code(&app, None);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let issuers = StubServer::start(move |sent| match sent.uri.path() {
        "/denied" => StubReply::status(403),
        "/broken" => StubReply::body("text/plain", "gibberish"),
        _ if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 => StubReply::status(202),
        _ => StubReply::body("text/plain", code.clone()),
    })
    .await;
    for (path, expected) in [
        ("/proof", "200 SUCCESS -"),
        ("/denied", "200 FAILURE USER_DID_NOT_CONSENT"),
        ("/broken", "200 FAILURE UNSUPPORTED_PAYLOAD"),
    ] {
        let pending = post(&app, &token, &query(&app, &issuers.url(path))).await;
        assert_eq!(reason(&pending), "202 PENDING -", "{path}");
        app.run_due_jobs().await;
        let result = get(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(reason(&result), expected, "{path}: {}", result.json());
    }
}

#[tokio::test]
async fn an_invitation_gives_credentials_for_a_holders_keys() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = app.world.now() + SignedDuration::from_hours(1);
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 1, until).await.unwrap();
    tx.commit().await.unwrap();
    let holders: Vec<_> = (0..3).map(|_| IssuingKey::generate(&*app.world)).collect();
    let point = |key: &IssuingKey| {
        let jwk = key.jwk();
        let part =
            |name: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap();
        base64_simd::URL_SAFE_NO_PAD.encode_to_string([vec![4], part("x"), part("y")].concat())
    };
    let redeem = async |code: &str, body: Value| {
        let request =
            Request::post("/poa/v1/holder/credentials").header("authorization", format!("Bearer {code}"));
        app.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let keys = json!({ "keys": holders.iter().map(point).collect::<Vec<_>>() });
    for (code, body, status) in [
        ("wrong", keys.clone(), 401),
        (code.expose().as_str(), json!({ "keys": [] }), 422),
        (code.expose().as_str(), json!({ "keys": vec!["x"; 121] }), 422),
        (code.expose().as_str(), json!({ "keys": ["x"] }), 422),
        (code.expose().as_str(), json!({}), 400),
    ] {
        assert_eq!(redeem(code, body).await.status.as_u16(), status);
    }
    let answer = redeem(code.expose(), keys.clone()).await;
    let batch = answer.json();
    assert_eq!((answer.status.as_u16(), batch["batches_left"].as_i64()), (200, Some(0)), "{batch}");
    assert_eq!(redeem(code.expose(), keys).await.status.as_u16(), 401, "used up");

    let token = app.bearer_token(&ALL).await;
    app.world.advance(SignedDuration::from_mins(50));
    for (credential, holder) in batch["credentials"].as_array().unwrap().iter().zip(&holders) {
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(credential.as_str().unwrap()).unwrap();
        let shown = issue::present(&bytes, holder, app.world.now()).unwrap();
        assert!(shown.len() <= 500, "{} characters", shown.len());
        let answer = post(&app, &token, &query(&app, &shown)).await;
        assert_eq!(reason(&answer), "200 SUCCESS -", "{}", answer.json());
        assert!(answer.json()["result"]["checks"].as_array().unwrap().contains(&json!("HOLDER_BOUND")));
        // A new presentation of the same credential counts as a repeat.
        let again = issue::present(&bytes, holder, app.world.now()).unwrap();
        assert_eq!(
            reason(&post(&app, &token, &query(&app, &again)).await),
            "200 FAILURE PRESENTATION_ALREADY_USED"
        );
        // It is worth nothing without the holder's signature.
        let thief = IssuingKey::generate(&*app.world);
        let stolen = issue::present(&bytes, &thief, app.world.now()).unwrap();
        assert!(reason(&post(&app, &token, &query(&app, &stolen)).await).starts_with("200 FAILURE"));
    }
    // A key that was rotated out still verifies what it signed.
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    let mut tx = app.api.db.write().await.unwrap();
    app.api.proof_issuer.rotate_signing_key(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(reason(&post(&app, &token, &query(&app, &code)).await), "200 SUCCESS -");
    let published = app.get("/poa/v1/issuer/keys").await.json();
    assert_eq!(published["keys"].as_array().unwrap().len(), 2);
    assert!(published["keys"][0].get("d").is_none(), "no private part");
}

/// Every combination of method, headers and TLS choice; a receiver with an untrusted certificate is notified only if
/// the caller asks for it and the operator allows it.
#[tokio::test]
async fn a_result_is_sent_in_every_way_that_can_be_asked_for() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&world, "https://pass.example");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let list = json!({ "issuers": [issuer.entry(&json!({ "status_hosts": ["localhost"] }))] });
    file.write_all(list.to_string().as_bytes()).unwrap();
    let rules = ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), ..proof_settings() };
    // The receivers' certificate is not trusted here.
    let lax = EgressPolicy { unverified_tls: true, ..EgressPolicy::default() }.with_loopback();
    let app = TestApp::start_with_egress(&lax, rules).await;
    let token = app.bearer_token(&ALL).await;
    let tills = StubServer::start(|_| StubReply::status(200)).await;
    let mut expected = Vec::new();
    for (number, (method, header, verify)) in [None, Some("POST"), Some("GET")]
        .into_iter()
        .flat_map(|method| [false, true].map(|header| (method, header)))
        .flat_map(|(method, header)| [None, Some(true), Some(false)].map(|verify| (method, header, verify)))
        .enumerate()
    {
        // Its issuer answers nothing, so each of them is a 202 and then a failure.
        let reference = StatusReference { uri: format!("https://localhost:1/{number}"), index: 0 };
        let mut asked = query(&app, &issuer.code(&app, Some(reference)));
        let mut notification = json!({ "url": tills.url(&format!("/{number}")) });
        if let Some(method) = method {
            notification["method"] = method.into();
        }
        if header {
            notification["headers"] = json!({ "X-Number": number.to_string() });
        }
        if let Some(verify) = verify {
            notification["verifyTls"] = verify.into();
        }
        asked["notification"] = notification;
        let pending = post(&app, &token, &asked).await;
        assert_eq!(reason(&pending), "202 PENDING -", "{asked:.300}");
        if verify == Some(false) {
            expected.push((number, method.unwrap_or("POST"), header, pending.json()["id"].clone()));
        }
    }
    app.run_due_jobs().await;
    let sent = deliver(&app, &tills, expected.len()).await;
    assert_eq!(sent.len(), expected.len(), "nobody else was told");
    for (number, method, header, id) in expected {
        let told = sent.iter().find(|told| told.uri.path() == format!("/{number}")).unwrap();
        assert_eq!(told.method.as_str(), method);
        assert_eq!(told.header("x-number"), if header { number.to_string() } else { String::new() });
        if method == "GET" {
            assert_eq!(
                told.uri.query(),
                Some(format!("id={}&status=FAILURE", id.as_str().unwrap()).as_str())
            );
        } else {
            assert_eq!(serde_json::from_slice::<Value>(&told.body).unwrap()["id"], id);
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_in_this_interfaces_words() {
    let app = TestApp::start().await;
    for request in [
        Request::get("/poa/v1/nothing"),
        Request::get("/poa/v1/verify/"),
        Request::put("/poa/v1/verify"),
        Request::delete("/poa/v1/verify/AAAAAAAAAAAAAAAAAAAAAA"),
    ] {
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        let said = answer.json();
        assert_eq!((answer.status.as_u16(), said["error"].as_str()), (404, Some("NOT_FOUND")), "{said}");
        assert_eq!(said["id"].as_str(), Some(answer.header("x-request-id")));
    }
}

#[tokio::test]
async fn an_excluded_issuer_is_one_entry_and_an_excluded_provider_all_of_its_entries() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let (first, second) =
        (Issuer::new(&world, "https://a.example"), Issuer::new(&world, "https://b.example"));
    let (app, _file) = trusting(json!([first.entry(&json!({})), second.entry(&json!({}))])).await;
    let token = app.bearer_token(&ALL).await;
    for (excluded, expected) in [
        ("https://a.example", ["200 FAILURE EXCLUDED_PROVIDER", "200 SUCCESS -"]),
        ("PASS", ["200 FAILURE EXCLUDED_PROVIDER"; 2]),
        ("OTHER", ["200 SUCCESS -"; 2]),
    ] {
        let mut tx = app.api.db.write().await.unwrap();
        proof_of_age::set_excluded_providers(&mut tx, app.app, &[excluded.to_owned()]).await.unwrap();
        tx.commit().await.unwrap();
        for (issuer, expected) in [&first, &second].into_iter().zip(expected) {
            assert_eq!(reason(&post(&app, &token, &query(&app, &issuer.code(&app, None))).await), expected);
        }
    }
}

/// Made-up keys must not make this server call an issuer that is down once for each of them.
#[tokio::test]
async fn an_issuer_that_is_down_is_asked_for_keys_once_a_minute() {
    let world = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let listed = Issuer::new(&world, "https://pass.example");
    let issuers = StubServer::start(|_| StubReply::status(500)).await;
    let entry = listed.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL).await;
    let made_up = || Issuer::new(&world, "https://pass.example").code(&app, None);
    let pending = post(&app, &token, &query(&app, &made_up())).await;
    assert_eq!(reason(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = get(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(reason(&result), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE");
    let asked = issuers.captured().len();
    assert!((2..=7).contains(&asked), "patiently, for the one that waits: {asked}");
    for _ in 0..5 {
        let refused = post(&app, &token, &query(&app, &made_up())).await;
        assert_eq!(reason(&refused), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE", "at once");
    }
    assert_eq!(issuers.captured().len(), asked);
    assert_eq!(reason(&post(&app, &token, &query(&app, &listed.code(&app, None))).await), "200 SUCCESS -");
}

#[tokio::test]
async fn an_invitation_that_is_taken_back_gives_nothing_more() {
    let app = TestApp::start().await;
    let until = app.world.now() + SignedDuration::from_hours(1);
    let mut tx = app.api.db.write().await.unwrap();
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 9, until).await.unwrap();
    assert!(
        app.api
            .proof_issuer
            .create_holder_grant(&mut tx, base::AppId::from(app.world.uuid_v7()), &[18], 9, until)
            .await
            .is_err()
    );
    tx.commit().await.unwrap();
    let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let keys = [base64_simd::URL_SAFE_NO_PAD.encode_to_string(key.public_key())];
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_ok());

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_err(), "its application is disabled");
    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Enabled).await.unwrap();
    assert!(app.api.proof_issuer.revoke_holder_grant(&mut tx, code.expose()).await.unwrap());
    assert!(!app.api.proof_issuer.revoke_holder_grant(&mut tx, code.expose()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_err());
}
