//! Verifications for which the issuer must be called: revocation, new keys and references.

use crate::{
    deliveries::deliver,
    proof_of_age::{ALL_SCOPES, Issuer, fetch, outcome, scan, server_trusting, verify},
};
use base::{Environment as _, SignedDuration};
use credentials::proof::StatusReference;
use db::sql;
use domain::{
    proof_of_age::{self, ProofOfAgeService, ProofOfAgeSettings, SweepProofs},
    tenancy::limits::LimitSettings,
};
use media::fetch::Fetcher;
use serde_json::{Value, json};
use std::{
    io::Write as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use testkit::{
    TestApp, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

#[tokio::test]
async fn a_verification_is_pending_while_its_issuer_is_called() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "status_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let reference = StatusReference { uri: "https://localhost:1/status".to_owned(), index: 3 };
    let pending = verify(&app, &token, &scan(&app, &issuer.code(&app, Some(reference)))).await;
    assert_response_snapshot!(pending, "id");
}

/// A status list token for `uri` in which entry 7 is revoked.
fn status_list(issuer: &Issuer, app: &TestApp, uri: &str) -> String {
    let mut bits = vec![0_u8; 16];
    bits[0] |= 1 << 7;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&bits).unwrap();
    let list = base64_simd::URL_SAFE_NO_PAD.encode_to_string(encoder.finish().unwrap());
    let claims = json!({
        "iss": issuer.id, "sub": uri, "iat": app.environment.now().as_second(), "ttl": 600,
        "exp": app.environment.now().as_second() + 3600, "status_list": { "bits": 1, "lst": list },
    });
    issuer.jws("statuslist+jwt", &claims)
}

#[tokio::test]
async fn an_unknown_revocation_status_is_fetched_and_the_result_is_sent() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "status_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
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
    let mut asked = scan(&app, &code(3));
    asked["notification"] = json!({ "url": tills.url("/hook?till=4"), "headers": { "X-Till": "4" } });
    let pending = verify(&app, &token, &asked).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    assert_eq!(
        outcome(&verify(&app, &token, &asked).await),
        "200 FAILURE PRESENTATION_ALREADY_USED",
        "while it is pending"
    );
    let id = pending.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(outcome(&fetch(&app, &token, &id).await), "200 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, &id).await;
    assert_eq!(outcome(&result), "200 SUCCESS -");
    assert!(result.json()["result"]["checks"].as_array().unwrap().contains(&json!("NOT_REVOKED")));
    assert_eq!(issuers.captured().len(), 1);

    let sent = deliver(&app, app.api.proof_of_age.outbox(), &tills, 1).await.remove(0);
    assert_eq!((sent.method.as_str(), sent.uri.path_and_query().unwrap().as_str()), ("POST", "/hook?till=4"));
    assert_eq!(sent.header("x-till"), "4");
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        result.json(),
        "the notification is the record"
    );

    // The list is known now: the next codes are answered at once, and the revoked one is refused.
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &code(4))).await), "200 SUCCESS -");
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &code(7))).await), "200 FAILURE REVOKED");
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &code(9999))).await), "200 FAILURE REVOKED");
    assert_eq!(issuers.captured().len(), 1);

    // As a GET, the result is in the query; a fragment is none of it.
    app.environment.advance(SignedDuration::from_secs(601));
    *list.lock().unwrap() = status_list(&issuer, &app, &uri);
    let mut asked = scan(&app, &code(5));
    asked["notification"] = json!({ "url": tills.url("/hook?till=4#slip?"), "method": "GET" });
    let pending = verify(&app, &token, &asked).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let sent = deliver(&app, app.api.proof_of_age.outbox(), &tills, 2).await.remove(1);
    let id = pending.json()["id"].as_str().unwrap().to_owned();
    assert_eq!((sent.method.as_str(), sent.body.len()), ("GET", 0));
    assert_eq!(sent.uri.query(), Some(format!("till=4&id={id}&status=SUCCESS").as_str()));
}

#[tokio::test]
async fn an_unavailable_status_list_refuses_the_proof_unless_the_trust_list_says_otherwise() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuers = StubServer::start(|_| StubReply::status(500)).await;
    for (rule, expected) in [("refuse", "200 FAILURE REVOKED"), ("accept", "200 SUCCESS -")] {
        let issuer = Issuer::new(&environment, "https://pass.example");
        let entry = issuer.entry(&json!({ "status_hosts": ["localhost"], "status_unavailable": rule }));
        let (app, _file) = server_trusting(json!([entry])).await;
        let token = app.bearer_token(&ALL_SCOPES).await;
        let reference = StatusReference { uri: issuers.url("/status/1"), index: 1 };
        let pending = verify(&app, &token, &scan(&app, &issuer.code(&app, Some(reference)))).await;
        assert_eq!(outcome(&pending), "202 PENDING -");
        app.run_due_jobs().await;
        let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(outcome(&result), expected, "{rule}");
        let checks = result.json()["result"]["checks"].to_string();
        assert!(!checks.contains("NOT_REVOKED"), "{checks}");
    }
}

#[tokio::test]
async fn a_new_key_of_a_listed_issuer_is_fetched_once() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    let issuers = StubServer::start(move |_| StubReply::body("application/jwk-set+json", keys.clone())).await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &old.code(&app, None))).await), "200 SUCCESS -");
    let pending = verify(&app, &token, &scan(&app, &new.code(&app, None))).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    assert_eq!(outcome(&fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await), "200 SUCCESS -");
    assert_eq!(
        outcome(&verify(&app, &token, &scan(&app, &new.code(&app, None))).await),
        "200 SUCCESS -",
        "known by now"
    );
    assert_eq!(issuers.captured().len(), 1);

    // A key that is not published: the issuer is asked, then the code is refused. Three such codes cause at most one
    // more request.
    let impostor = Issuer::new(&environment, "https://pass.example");
    for _ in 0..3 {
        let pending = verify(&app, &token, &scan(&app, &impostor.code(&app, None))).await;
        app.run_due_jobs().await;
        let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(outcome(&result), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE");
    }
    assert!(issuers.captured().len() <= 2, "{} requests", issuers.captured().len());
}

/// A server with the keys of issuers, and with a status list, which is written once its address is known.
async fn publisher_of(issuers: &[&Issuer]) -> (StubServer, Arc<std::sync::Mutex<String>>) {
    let keys =
        json!({ "keys": issuers.iter().map(|issuer| issuer.key.jwk()).collect::<Vec<_>>() }).to_string();
    let list = Arc::new(std::sync::Mutex::new(String::new()));
    let served = list.clone();
    let server = StubServer::start(move |sent| match sent.uri.path() {
        "/keys" => StubReply::body("application/jwk-set+json", keys.clone()),
        _ => StubReply::body("application/statuslist+jwt", served.lock().unwrap().clone()),
    });
    (server.await, list)
}

#[tokio::test]
async fn a_status_list_that_is_signed_with_a_new_key_says_what_is_revoked() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    for (rule, index, expected) in [
        ("refuse", 3, "200 SUCCESS -"),
        ("refuse", 7, "200 FAILURE REVOKED"),
        ("accept", 3, "200 SUCCESS -"),
        ("accept", 7, "200 FAILURE REVOKED"),
    ] {
        let old = Issuer::new(&environment, "https://pass.example");
        let new = Issuer::new(&environment, "https://pass.example");
        let (issuers, list) = publisher_of(&[&old, &new]).await;
        let entry = old.entry(&json!({
            "key_set_url": issuers.url("/keys"), "status_hosts": ["localhost"], "status_unavailable": rule,
        }));
        let (app, _file) = server_trusting(json!([entry])).await;
        let token = app.bearer_token(&ALL_SCOPES).await;
        let uri = issuers.url("/status/1");
        *list.lock().unwrap() = status_list(&new, &app, &uri);

        let shown = old.code(&app, Some(StatusReference { uri, index }));
        let pending = verify(&app, &token, &scan(&app, &shown)).await;
        assert_eq!(outcome(&pending), "202 PENDING -", "{rule} {index}");
        app.run_due_jobs().await;
        let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(outcome(&result), expected, "{rule} {index}");
        let checks = result.json()["result"]["checks"].to_string();
        assert_eq!(checks.contains("NOT_REVOKED"), index == 3, "{rule} {index}: {checks}");
        let asked: Vec<_> = issuers.captured().iter().map(|one| one.uri.path().to_owned()).collect();
        assert_eq!(asked, ["/status/1", "/keys"], "the list itself is fetched once");
    }
}

/// A list that is signed with no key of its issuer must not make this server fetch the keys for each credential.
#[tokio::test]
async fn a_status_list_of_somebody_else_counts_as_unavailable() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let listed = Issuer::new(&environment, "https://pass.example");
    let impostor = Issuer::new(&environment, "https://pass.example");
    let (issuers, list) = publisher_of(&[&listed]).await;
    let entry = listed.entry(&json!({ "key_set_url": issuers.url("/keys"), "status_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let uri = issuers.url("/status/1");
    *list.lock().unwrap() = status_list(&impostor, &app, &uri);
    let shown = listed.code(&app, Some(StatusReference { uri, index: 3 }));
    let pending = verify(&app, &token, &scan(&app, &shown)).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 FAILURE REVOKED");
    let fetched = issuers.captured().iter().filter(|one| one.uri.path() == "/keys").count();
    assert!((1..=2).contains(&fetched), "once a minute: {fetched}");
}

#[tokio::test]
async fn a_reference_is_fetched_from_its_issuer_and_consent_is_awaited() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "reference_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let code = issuer.code(&app, None);
    let asked = AtomicUsize::new(0);
    let issuers = StubServer::start(move |sent| match sent.uri.path() {
        "/denied" => StubReply::status(403),
        "/broken" => StubReply::body("text/plain", "gibberish"),
        _ if asked.fetch_add(1, Ordering::SeqCst) < 2 => StubReply::status(202),
        _ => StubReply::body("text/plain", code.clone()),
    })
    .await;
    for (path, expected) in [
        ("/proof", "200 SUCCESS -"),
        ("/denied", "200 FAILURE USER_DID_NOT_CONSENT"),
        ("/broken", "200 FAILURE UNSUPPORTED_PAYLOAD"),
    ] {
        let pending = verify(&app, &token, &scan(&app, &issuers.url(path))).await;
        assert_eq!(outcome(&pending), "202 PENDING -", "{path}");
        app.run_due_jobs().await;
        let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(outcome(&result), expected, "{path}: {}", result.json());
    }
}

/// A mobile document or a credential with many claims is longer than a code can be.
#[tokio::test]
async fn a_proof_from_a_reference_may_be_longer_than_a_code() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "reference_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let now = app.environment.now().as_second();
    let claims = json!({
        "iss": issuer.id, "iat": now, "exp": now + 60, "jti": "proof 1", "age_over_18": true, "terms": "x".repeat(6000),
    });
    let proof = issuer.jws("JWT", &claims);
    assert_eq!(verify(&app, &token, &scan(&app, &proof)).await.status.as_u16(), 422, "it is no code");
    let issuers = StubServer::start(move |_| StubReply::body("application/jwt", proof.clone())).await;
    let pending = verify(&app, &token, &scan(&app, &issuers.url("/proof"))).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 SUCCESS -", "{}", result.json());
}

/// Two tills have scanned one code whose key has to be fetched, and the jobs that fetch it run late: minutes after the code could
/// be shown.
#[tokio::test]
async fn a_code_counts_once_however_late_its_verifications_are_decided() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    let issuers = StubServer::start(move |_| StubReply::body("application/jwk-set+json", keys.clone())).await;
    let (app, _file) =
        server_trusting(json!([old.entry(&json!({ "key_set_url": issuers.url("/keys") }))])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let scanned = scan(&app, &new.code(&app, None));
    let later = verify(&app, &token, &scanned).await;
    app.execute(sql!("UPDATE jobs SET state = 'PARKED' WHERE kind = 'resolve-proof'")).await;
    let first = verify(&app, &token, &scanned).await;
    assert_eq!([&first, &later].map(outcome), ["202 PENDING -", "202 PENDING -"]);

    app.environment.advance(SignedDuration::from_mins(10));
    app.run_due_jobs().await;
    assert_eq!(outcome(&fetch(&app, &token, first.json()["id"].as_str().unwrap()).await), "200 SUCCESS -");
    proof_of_age::purge(&app.api.db, &*app.environment).await.unwrap();
    app.execute(sql!("UPDATE jobs SET state = 'WAITING' WHERE kind = 'resolve-proof'")).await;
    app.run_due_jobs().await;
    let result = fetch(&app, &token, later.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 FAILURE PRESENTATION_ALREADY_USED");
}

#[tokio::test]
async fn a_verification_whose_job_is_given_up_is_a_failure_that_the_till_is_told() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "reference_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let tills = StubServer::start(|_| StubReply::status(200)).await;
    let scanned = |path: &str| {
        let mut asked = scan(&app, &format!("https://localhost:1{path}"));
        asked["notification"] = json!({ "url": tills.url(path) });
        asked
    };
    let [discarded, parked, waiting] = [
        verify(&app, &token, &scanned("/discarded")).await,
        verify(&app, &token, &scanned("/parked")).await,
        verify(&app, &token, &scanned("/waiting")).await,
    ]
    .map(|pending| pending.json()["id"].as_str().unwrap().to_owned());
    let sweep = async || app.api.proof_of_age.sweep(SweepProofs {}).await.unwrap();
    sweep().await;
    for id in [&discarded, &parked, &waiting] {
        assert_eq!(outcome(&fetch(&app, &token, id).await), "200 PENDING -", "its job is there");
    }

    app.execute(sql!("DELETE FROM jobs WHERE payload ->> 'proof' = $1", discarded.clone())).await;
    let parking = sql!("UPDATE jobs SET state = 'PARKED' WHERE payload ->> 'proof' = $1", parked.clone());
    app.execute(parking).await;
    for _ in 0..2 {
        sweep().await;
    }
    let told = deliver(&app, app.api.proof_of_age.outbox(), &tills, 2).await;
    for (id, path) in [(&discarded, "/discarded"), (&parked, "/parked")] {
        let result = fetch(&app, &token, id).await;
        assert_eq!(outcome(&result), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE");
        let told: Vec<_> = told.iter().filter(|sent| sent.uri.path() == path).collect();
        assert_eq!(told.len(), 1, "{path}");
        assert_eq!(serde_json::from_slice::<Value>(&told[0].body).unwrap(), result.json());
    }
    assert_eq!(outcome(&fetch(&app, &token, &waiting).await), "200 PENDING -");
    let sealed = sql!("SELECT count(*) FROM proofs WHERE sealed IS NOT NULL");
    assert_eq!(app.api.db.read().await.unwrap().count(sealed).await.unwrap(), 1, "what was scanned is gone");

    // An operator who runs the parked job after all changes nothing.
    let decided = fetch(&app, &token, &parked).await.json();
    app.execute(sql!("UPDATE jobs SET state = 'WAITING' WHERE state = 'PARKED'")).await;
    app.run_due_jobs().await;
    assert_eq!(fetch(&app, &token, &parked).await.json(), decided);
    let told = deliver(&app, app.api.proof_of_age.outbox(), &tills, 3).await;
    let paths: Vec<_> = told.iter().map(|sent| sent.uri.path()).collect();
    assert_eq!(paths.iter().filter(|path| **path == "/parked").count(), 1, "{paths:?}");
}

/// The attempts to get the status list go on for longer than a proof is fresh, and some issuers hand a proof out once.
#[tokio::test]
async fn a_proof_from_a_reference_is_fetched_once_and_judged_as_of_then() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    for (rule, handed_out, expected) in [
        ("accept", usize::MAX, "200 SUCCESS -"),
        ("accept", 1, "200 SUCCESS -"),
        ("refuse", 1, "200 FAILURE REVOKED"),
    ] {
        let issuer = Issuer::new(&environment, "https://pass.example");
        let code = Arc::new(std::sync::Mutex::new(String::new()));
        let (served, asked) = (code.clone(), AtomicUsize::new(0));
        let issuers = StubServer::start(move |sent| match sent.uri.path() {
            "/status/1" => StubReply::status(500),
            _ if asked.fetch_add(1, Ordering::SeqCst) < handed_out => {
                StubReply::body("text/plain", served.lock().unwrap().clone())
            }
            _ => StubReply::status(410),
        })
        .await;
        let entry = issuer.entry(&json!({
            "reference_hosts": ["localhost"], "status_hosts": ["localhost"], "status_unavailable": rule,
        }));
        let (app, _file) = server_trusting(json!([entry])).await;
        let token = app.bearer_token(&ALL_SCOPES).await;
        let status = StatusReference { uri: issuers.url("/status/1"), index: 3 };
        *code.lock().unwrap() = issuer.code(&app, Some(status));

        let pending = verify(&app, &token, &scan(&app, &issuers.url("/proof"))).await;
        assert_eq!(outcome(&pending), "202 PENDING -", "{rule} {handed_out}");
        app.run_due_jobs().await;
        let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
        assert_eq!(outcome(&result), expected, "{rule} {handed_out}: {}", result.json());
        let checks = result.json()["result"]["checks"].to_string();
        assert!(!checks.contains("NOT_REVOKED"), "{checks}");
        let fetched = issuers.captured().iter().filter(|one| one.uri.path() == "/proof").count();
        assert_eq!(fetched, 1, "{rule} {handed_out}");
    }
}

/// Verifies proofs as another process of the same installation does, whose trust list is read when it needs it.
fn another_process(app: &TestApp, trust_list: &Path) -> ProofOfAgeService {
    let rules = ProofOfAgeSettings { trust_list: Some(trust_list.to_owned()), ..proof_settings() };
    ProofOfAgeService::new(
        app.api.db.clone(),
        app.environment.clone(),
        app.api.vault.clone(),
        app.api.outbox.clone(),
        Fetcher::new(&stub_server::egress_policy()).unwrap(),
        rules,
        LimitSettings::default(),
        Arc::new(api::WebhookFormatter),
    )
}

#[tokio::test]
async fn keys_that_another_process_has_fetched_count_at_once() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let (issuers, _list) = publisher_of(&[&new]).await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (mut app, file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    // One process answers, another one runs the jobs.
    app.api.proof_of_age = another_process(&app, file.path());
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &old.code(&app, None))).await), "200 SUCCESS -");
    let pending = verify(&app, &token, &scan(&app, &new.code(&app, None))).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    assert_eq!(outcome(&fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await), "200 SUCCESS -");
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &new.code(&app, None))).await), "200 SUCCESS -");
    assert_eq!(issuers.captured().len(), 1);
}

#[tokio::test]
async fn a_verification_that_is_pending_sees_keys_that_another_process_has_fetched() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    let code = Arc::new(std::sync::Mutex::new(String::new()));
    let served = code.clone();
    let issuers = StubServer::start(move |sent| match sent.uri.path() {
        "/keys" => StubReply::body("application/jwk-set+json", keys.clone()),
        _ => StubReply::body("text/plain", served.lock().unwrap().clone()),
    })
    .await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys"), "reference_hosts": ["localhost"] }));
    let (mut app, file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let answering = app.api.proof_of_age.clone();
    app.api.proof_of_age = another_process(&app, file.path());
    // Its list is read before the other one fetches the key.
    app.api.proof_of_age.trusted_issuers().await.unwrap();
    answering.refresh_trust().await.unwrap();

    *code.lock().unwrap() = new.code(&app, None);
    let pending = verify(&app, &token, &scan(&app, &issuers.url("/proof"))).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 SUCCESS -", "{}", result.json());
    let asked: Vec<_> = issuers.captured().iter().map(|one| one.uri.path().to_owned()).collect();
    assert_eq!(asked, ["/keys", "/proof"], "the keys are fetched once");
}

/// A server that publishes what the test writes.
async fn publisher_of_text() -> (StubServer, Arc<std::sync::Mutex<String>>) {
    let text = Arc::new(std::sync::Mutex::new(String::new()));
    let served = text.clone();
    let server =
        StubServer::start(move |_| StubReply::body("application/json", served.lock().unwrap().clone()));
    (server.await, text)
}

#[tokio::test]
async fn the_hourly_fetch_of_keys_counts_at_once_unless_it_gets_something_else() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let (issuers, published) = publisher_of_text().await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &old.code(&app, None))).await), "200 SUCCESS -");

    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    for (text, expected) in [
        (keys.as_str(), "200 SUCCESS -"),
        ("<html>Under maintenance</html>", "200 SUCCESS -"),
        (r#"{"keys":[]}"#, "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE"),
    ] {
        *published.lock().unwrap() = text.to_owned();
        app.api.proof_of_age.refresh_trust().await.unwrap();
        let answer = verify(&app, &token, &scan(&app, &new.code(&app, None))).await;
        assert_eq!(outcome(&answer), expected, "{text}");
    }
}

#[tokio::test]
async fn a_new_key_is_awaited_while_its_issuer_answers_with_something_else() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let old = Issuer::new(&environment, "https://pass.example");
    let new = Issuer::new(&environment, "https://pass.example");
    let keys = json!({ "keys": [new.key.jwk()] }).to_string();
    let asked = AtomicUsize::new(0);
    let issuers = StubServer::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => StubReply::body("text/html", "<html>Under maintenance</html>"),
        _ => StubReply::body("application/jwk-set+json", keys.clone()),
    })
    .await;
    let entry = old.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let pending = verify(&app, &token, &scan(&app, &new.code(&app, None))).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 SUCCESS -", "{}", result.json());
    assert_eq!(issuers.captured().len(), 2);
}

/// Made-up keys must not make this server call an issuer that is down once for each of them.
#[tokio::test]
async fn an_issuer_that_is_down_is_asked_for_its_keys_once_a_minute() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let listed = Issuer::new(&environment, "https://pass.example");
    let issuers = StubServer::start(|_| StubReply::status(500)).await;
    let entry = listed.entry(&json!({ "key_set_url": issuers.url("/keys") }));
    let (app, _file) = server_trusting(json!([entry])).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let made_up = || Issuer::new(&environment, "https://pass.example").code(&app, None);
    let pending = verify(&app, &token, &scan(&app, &made_up())).await;
    assert_eq!(outcome(&pending), "202 PENDING -");
    app.run_due_jobs().await;
    let result = fetch(&app, &token, pending.json()["id"].as_str().unwrap()).await;
    assert_eq!(outcome(&result), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE");
    let asked = issuers.captured().len();
    assert!((2..=7).contains(&asked), "patiently, for the one that waits: {asked}");
    for _ in 0..5 {
        let refused = verify(&app, &token, &scan(&app, &made_up())).await;
        assert_eq!(outcome(&refused), "200 FAILURE UNABLE_TO_VERIFY_SIGNATURE", "at once");
    }
    assert_eq!(issuers.captured().len(), asked);
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &listed.code(&app, None))).await), "200 SUCCESS -");
}
