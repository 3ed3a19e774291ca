//! The methods that call a provider, mostly with the providers of the sandbox.

use crate::age_verification::{
    AgeSessionFixture, AttemptTurn, BASE, SANDBOX, abuse::with_registry, relying_party_call,
};
use base::SignedDuration;
use domain::age_verification::{AgeVerificationSettings, AttemptLimits, ProviderSettings};
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
};
use testkit::{
    TestApp,
    stub_server::{StubReply, StubServer},
};

/// Opens a session with a form, and fills it in.
async fn fill(app: &TestApp, block: &str, fields: Value) -> (AgeSessionFixture, AttemptTurn) {
    let session = AgeSessionFixture::create(app, SANDBOX, &json!({ block: {} })).await;
    let opened = session.open_attempt(app, &block.to_ascii_uppercase()).await;
    let asked: Vec<_> =
        opened.step()["fields"].as_array().unwrap().iter().map(|field| field["name"].clone()).collect();
    assert!(fields.as_object().unwrap().keys().all(|name| asked.contains(&json!(name))), "{asked:?}");
    let turn = session.take_turn(app, &opened, json!({ "fields": fields })).await;
    (session, turn)
}

fn reason(turn: &AttemptTurn) -> &str {
    turn.0["session"]["result"]["reason"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn registries_judge_ages_by_number() {
    let app = TestApp::start().await;
    let person = |name: &str, number: &str| json!({ "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", name: number });
    for (block, name, over, under, unknown, away, wrong) in [
        (
            "social_security_number",
            "number",
            "219-09-1234",
            "219-09-1111",
            "219-09-2222",
            "219-09-3333",
            "000-12-3456",
        ),
        (
            "cpf",
            "cpf",
            "529.982.247-25",
            "111.444.777-35",
            "123.456.789-09",
            "987.654.321-00",
            "529.982.247-24",
        ),
    ] {
        for (number, status, why) in [
            (over, "COMPLETE", ""),
            (under, "FAIL", "UNDER_AGE"),
            (unknown, "FAIL", "NOT_FOUND"),
            (away, "ERROR", "PROVIDER_UNAVAILABLE"),
        ] {
            let (_, turn) = fill(&app, block, person(name, number)).await;
            assert_eq!((turn.status(), reason(&turn)), (status, why), "{block} {number}");
        }
        let (session, turn) = fill(&app, block, person(name, wrong)).await;
        assert_eq!(turn.0["problem"], json!({ "code": "INVALID", "field": name }), "{block}");
        let mended = session.take_turn(&app, &turn, json!({ "fields": person(name, over) })).await;
        assert_eq!(mended.status(), "COMPLETE");
        assert_eq!(session.result(&app).await["method"], block.to_ascii_uppercase());
    }
    let florida = |code: &str| json!({ "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "address": "1 Ocean Drive", "postal_code": code });
    for (code, status) in [("33101", "COMPLETE"), ("33111", "FAIL"), ("33222", "FAIL"), ("33333", "ERROR")] {
        assert_eq!(fill(&app, "us_florida_hb3", florida(code)).await.1.status(), status);
    }
    let (_, turn) = fill(&app, "us_florida_hb3", json!({ "full_name": "Ada Lovelace" })).await;
    assert_eq!(turn.0["problem"]["code"], "REQUIRED");
}

#[tokio::test]
async fn the_number_of_a_minor_is_evidence_about_nobody() {
    let status = Arc::new(AtomicU16::new(0));
    let replied = status.clone();
    let registry = StubServer::start(move |request| match request.uri.path() {
        "/token" => StubReply::body("application/json", r#"{"access_token":"t","expires_in":3600}"#),
        _ => StubReply::status(replied.load(Ordering::SeqCst)),
    })
    .await;
    let settings = |secret: &Path| {
        json!({
            "provider": "serpro", "consumer_key": "k", "consumer_secret_file": secret,
            "url": registry.url(""), "token_url": registry.url("/token"),
        })
    };
    let (app, _folder) = with_registry("cpf", settings, AttemptLimits::default()).await;
    for kind in ["OVER", "UNDER"] {
        // Under 18, and under 16; said by an adult of themselves, and by somebody who gives such a birthday.
        for (minor, born) in
            [(422, "1990-12-10"), (422, "2009-05-01"), (451, "1990-12-10"), (451, "2012-05-01")]
        {
            status.store(minor, Ordering::SeqCst);
            let payload = json!({ "type": kind, "cpf": {}, "doc_scan": {} });
            let session = AgeSessionFixture::create(&app, BASE, &payload).await;
            let opened = session.open_attempt(&app, "CPF").await;
            let person =
                json!({ "full_name": "Ada Lovelace", "date_of_birth": born, "cpf": "529.982.247-25" });
            let turn = session.take_turn(&app, &opened, json!({ "fields": person })).await;
            let came = (turn.status(), reason(&turn));
            assert_eq!(came, ("IN_PROGRESS", "NOT_FOUND"), "{kind} {minor} {born}: a document is left");
        }
    }
}

#[tokio::test]
async fn a_code_is_typed_into_la_wallet() {
    let app = TestApp::start().await;
    // The end of the business's own reference chooses what the app of the sandbox answers.
    for (reference, status, why) in [
        ("order 7", "COMPLETE", ""),
        ("order 1111", "FAIL", "UNDER_AGE"),
        ("order 2222", "FAIL", "NOT_FOUND"),
        ("order 3333", "ERROR", "PROVIDER_UNAVAILABLE"),
        ("order 4444", "FAIL", "DECLINED"),
    ] {
        let payload = json!({ "la_wallet": {}, "reference_id": reference });
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let opened = session.open_attempt(&app, "LA_WALLET").await;
        assert_eq!(opened.step(), &json!({ "kind": "app_code", "code": "4821", "poll_ms": 3000 }));
        let turn = session.take_turn(&app, &opened, json!({})).await;
        assert_eq!((turn.status(), reason(&turn)), (status, why), "{reference}");
    }
    // As long as the app says nothing, the same code is shown, for as long as it is valid.
    let payload = json!({ "la_wallet": {}, "reference_id": "order 5555" });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "LA_WALLET").await;
    let waiting = session.take_turn(&app, &opened, json!({})).await;
    assert_eq!((waiting.status(), waiting.step()), ("IN_PROGRESS", opened.step()));
    app.environment.advance(SignedDuration::from_mins(5));
    let late = session.take_turn(&app, &waiting, json!({})).await;
    assert_eq!((late.status(), reason(&late)), ("FAIL", "NOT_FOUND"));
    // By then the service may not know it any more.
    let payload = json!({ "la_wallet": {}, "reference_id": "order 3333" });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "LA_WALLET").await;
    app.environment.advance(SignedDuration::from_mins(5));
    let late = session.take_turn(&app, &opened, json!({})).await;
    assert_eq!((late.status(), reason(&late)), ("FAIL", "NOT_FOUND"));
    // The page may sleep while the code is typed.
    let payload = json!({ "la_wallet": {}, "reference_id": "order 7" });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "LA_WALLET").await;
    app.environment.advance(SignedDuration::from_mins(5));
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "COMPLETE");
}

#[tokio::test]
async fn a_credit_card_proves_eighteen() {
    let app = TestApp::start().await;
    let card = |number: &str| json!({ "number": number, "expiry": "12/30", "code": "123" });
    for (number, status, why) in [
        ("4242 4242 4242 4242", "COMPLETE", ""),
        ("4000 0000 0000 0002", "FAIL", "NOT_FOUND"),
        ("4000 0566 5566 5556", "FAIL", "NOT_FOUND"),
        ("4000 0000 0000 9995", "ERROR", "PROVIDER_UNAVAILABLE"),
    ] {
        let (_, turn) = fill(&app, "credit_card", card(number)).await;
        assert_eq!((turn.status(), reason(&turn)), (status, why), "{number}");
    }
    for (fields, field) in [
        (json!({ "number": "4242 4242 4242 4243", "expiry": "12/30", "code": "123" }), "number"),
        (json!({ "number": "4242 4242 4242 4242", "expiry": "12/25", "code": "123" }), "expiry"),
        (card("4000 0000 0000 0127"), "code"),
    ] {
        assert_eq!(fill(&app, "credit_card", fields).await.1.0["problem"]["field"], field);
    }
    // The bank wants a confirmation first.
    let (session, turn) = fill(&app, "credit_card", card("4000 0025 0000 3155")).await;
    assert_eq!(
        turn.step(),
        &json!({ "kind": "redirect", "url": "http://127.0.0.1:8080/sandbox/age/return" })
    );
    let back = session.take_turn(&app, &turn, json!({ "returned": {} })).await;
    assert_eq!(back.status(), "COMPLETE");
}

#[tokio::test]
async fn a_phone_number_is_confirmed_by_a_code_first() {
    let app = TestApp::start().await;
    let number = |number: &str| json!({ "phone": number });
    let (session, sent) = fill(&app, "mobile", number("+44 7700 900123")).await;
    let step = sent.step();
    assert_eq!(
        (&step["kind"], &step["channel"], &step["length"]),
        (&json!("code"), &json!("SMS"), &json!(6))
    );
    assert!(!step["sent_to"].as_str().unwrap().contains("7700"), "{step}");
    assert_eq!(step["resend_in"], 30);
    app.environment.advance(SignedDuration::from_secs(10));
    let soon = session.take_turn(&app, &sent, json!({ "resend": true })).await;
    assert_eq!(soon.0["problem"]["code"], "TOO_SOON");
    assert_eq!(soon.step()["resend_in"], 20, "what was waited counts");
    app.environment.advance(SignedDuration::from_secs(20));
    let again = session.take_turn(&app, &soon, json!({ "resend": true })).await;
    assert!(again.0["problem"].is_null());
    let wrong = session.take_turn(&app, &again, json!({ "code": "000000" })).await;
    assert_eq!(wrong.0["problem"], json!({ "code": "WRONG_CODE", "field": "code", "remaining": 4 }));
    let right = session.take_turn(&app, &wrong, json!({ "code": "123 456" })).await;
    assert_eq!(right.status(), "COMPLETE");

    for (phone, status) in [("+447700900000", "FAIL"), ("+447700908888", "FAIL"), ("+447700909999", "ERROR")]
    {
        let (session, sent) = fill(&app, "mobile", number(phone)).await;
        assert_eq!(
            session.take_turn(&app, &sent, json!({ "code": "123456" })).await.status(),
            status,
            "{phone}"
        );
    }
    assert_eq!(
        fill(&app, "mobile", number("+447700909998")).await.1.status(),
        "ERROR",
        "no message can be sent"
    );
    assert_eq!(fill(&app, "mobile", number("12")).await.1.0["problem"]["field"], "phone");
}

/// `provider = "sandbox"`, with which flows are tried in production.
#[tokio::test]
async fn a_simulated_sender_has_the_code_of_the_sandbox_in_production() {
    let sandbox = json!({ "provider": "sandbox" });
    let mobile = serde_json::from_value(json!({ "sender": sandbox, "operator": sandbox })).unwrap();
    let providers = ProviderSettings { mobile: Some(mobile), ..ProviderSettings::default() };
    let settings = AgeVerificationSettings { providers, ..AgeVerificationSettings::default() };
    let app = TestApp::start_with_age_settings(settings).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "mobile": {} })).await;
    let opened = session.open_attempt(&app, "MOBILE").await;
    let sent = session.take_turn(&app, &opened, json!({ "fields": { "phone": "+447700900123" } })).await;
    assert_eq!(sent.step()["kind"], "code", "{}", sent.0);
    let ended = session.take_turn(&app, &sent, json!({ "code": "123456" })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
}

#[tokio::test]
async fn codes_cannot_be_guessed_and_expire() {
    let app = TestApp::start().await;
    let address = json!({ "email": "ada@example.com" });
    let (session, sent) = fill(&app, "email", address.clone()).await;
    assert_eq!(sent.step()["channel"], "EMAIL");
    let mut turn = sent;
    for left in [4, 3, 2, 1] {
        turn = session.take_turn(&app, &turn, json!({ "code": "999999" })).await;
        assert_eq!(turn.0["problem"]["remaining"], left);
    }
    let over = session.take_turn(&app, &turn, json!({ "code": "999999" })).await;
    assert_eq!((over.status(), reason(&over)), ("FAIL", "WRONG_CODE"));

    let (session, sent) = fill(&app, "email", address).await;
    app.environment.advance(SignedDuration::from_secs(601));
    let late = session.take_turn(&app, &sent, json!({ "code": "123456" })).await;
    assert_eq!(late.0["problem"]["code"], "EXPIRED_CODE");
    let (session, sent) = fill(&app, "email", json!({ "email": "minor@example.com" })).await;
    assert_eq!(session.take_turn(&app, &sent, json!({ "code": "123456" })).await.status(), "FAIL");

    // A session sends at most five messages, whatever it opens, so that nobody's phone is flooded.
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "mobile": {} })).await;
    for _ in 0..5 {
        app.environment.advance(SignedDuration::from_secs(30));
        let opened = session.open_attempt(&app, "MOBILE").await;
        let sent = session.take_turn(&app, &opened, json!({ "fields": { "phone": "+447700900123" } })).await;
        assert_eq!(sent.step()["kind"], "code");
    }
    app.environment.advance(SignedDuration::from_secs(30));
    let opened = session.open_attempt(&app, "MOBILE").await;
    let refused = session.take_turn(&app, &opened, json!({ "fields": { "phone": "+447700900123" } })).await;
    assert_eq!((refused.status(), reason(&refused)), ("FAIL", "TOO_MANY_CODES"));
}

#[tokio::test]
async fn an_email_address_verified_by_the_relying_party_is_judged_at_once() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for (address, status, method) in [
        ("ada@example.com", "COMPLETE", json!("EMAIL")),
        ("minor@example.com", "FAIL", json!("EMAIL")),
        ("unknown@example.com", "IN_PROGRESS", json!("EMAIL")),
    ] {
        let data = json!({ "verified_email": address, "country_code": "gb", "ip_address": "192.0.2.1" });
        let payload = json!({ "email": { "data": data }, "age_estimation": {} });
        let made =
            relying_party_call(&app, &key, "POST", &format!("{SANDBOX}/sessions"), Some(payload)).await;
        assert_eq!(
            (made.status_and_code(), &made.json()["status"]),
            ("200".to_owned(), &json!(status)),
            "{address}"
        );
        let path = format!("{SANDBOX}/sessions/{}/result", made.json()["id"].as_str().unwrap());
        let result = relying_party_call(&app, &key, "GET", &path, None).await;
        assert_eq!(result.json()["method"], method);
        assert!(result.json()["evidence_id"].is_string(), "{}", result.json());
        assert!(!result.json().to_string().contains(address));
    }
}

#[tokio::test]
async fn identity_providers_send_end_users_back() {
    let app = TestApp::start().await;
    let go = async |payload: Value, method: &str, choice: Option<&str>| {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let mut turn = session.open_attempt(&app, method).await;
        if let Some(choice) = choice {
            assert_eq!(turn.step()["kind"], "choose");
            turn = session.take_turn(&app, &turn, json!({ "choice": choice })).await;
        }
        let url = turn.step()["url"].as_str().unwrap().to_owned();
        assert!(url.starts_with("http://127.0.0.1:8080/sandbox/age/return?state="), "{url}");
        let mut returned = serde_json::Map::new();
        for pair in url.split_once('?').unwrap().1.split('&') {
            let (name, value) = pair.split_once('=').unwrap();
            returned.insert(name.to_owned(), value.into());
        }
        (session, turn, returned)
    };
    for (choice, status) in
        [("over", "COMPLETE"), ("under", "FAIL"), ("declined", "FAIL"), ("unavailable", "ERROR")]
    {
        let (session, turn, returned) =
            go(json!({ "electronic_id": {} }), "ELECTRONIC_ID", Some(choice)).await;
        let ended = session.take_turn(&app, &turn, json!({ "returned": returned })).await;
        assert_eq!(ended.status(), status, "{choice}");
    }
    let narrowed = json!({ "electronic_id": { "sub_methods": ["over"] } });
    let (session, turn, mut returned) = go(narrowed, "ELECTRONIC_ID", None).await;
    returned.insert("state".to_owned(), "another".into());
    let crossed = session.take_turn(&app, &turn, json!({ "returned": returned })).await;
    assert_eq!(crossed.status(), "FAIL", "what comes back belongs to another attempt");
    let (session, turn, returned) = go(json!({ "singpass": {} }), "SINGPASS", None).await;
    assert_eq!(session.take_turn(&app, &turn, json!({ "returned": returned })).await.status(), "COMPLETE");
}

#[tokio::test]
async fn nothing_an_end_user_typed_is_kept() {
    #[derive(db::FromRow)]
    struct Row {
        id: base::AgeSessionId,
    }
    let app = TestApp::start().await;
    fill(&app, "credit_card", json!({ "number": "4242 4242 4242 4242", "expiry": "12/30", "code": "737" }))
        .await;
    let (session, sent) = fill(&app, "email", json!({ "email": "needle@example.com" })).await;
    session.take_turn(&app, &sent, json!({ "code": "123456" })).await;
    let person =
        json!({ "full_name": "Needle Haystack", "date_of_birth": "1990-12-10", "number": "219-09-1234" });
    fill(&app, "social_security_number", person).await;
    let (_, held) = fill(&app, "mobile", json!({ "phone": "+44 7700 900123" })).await;
    // The continuation, which the page holds, reveals nothing either.
    let continuation = held.0["continuation"].as_str().unwrap();
    let carried = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).unwrap();
    let needles = ["4242424242424242", "needle", "Needle", "219091234", "7700900123", "1990-12-10"];
    let is_in =
        |bytes: &[u8], needle: &str| bytes.windows(needle.len()).any(|part| part == needle.as_bytes());
    for needle in needles {
        assert!(!is_in(&carried, needle), "{needle}");
    }
    // Nor do the rows, opened with the server's own keys.
    let sessions =
        app.api.db.read().await.unwrap().count(db::sql!("SELECT count(*) FROM age_sessions")).await;
    assert_eq!(sessions.unwrap(), 4);
    let mut view = app.api.db.read().await.unwrap();
    let rows: Vec<Row> = view.fetch_all(db::sql!("SELECT id FROM age_sessions")).await.unwrap();
    drop(view);
    for Row { id } in rows {
        let session = app.api.age_verification.get_session(app.app, id, true).await.unwrap();
        let plain = serde_json::to_vec(&session).unwrap();
        for needle in needles {
            assert!(!is_in(&plain, needle), "{needle}");
        }
    }
    assert!(app.sent_mails().is_empty(), "a sandbox sends nothing");
}

#[tokio::test]
async fn a_method_without_a_provider_is_not_offered() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    let offered: Vec<_> =
        view["methods"].as_array().unwrap().iter().map(|one| one["method"].clone()).collect();
    assert_eq!(offered, [json!("AGE_ESTIMATION"), json!("DOC_SCAN")]);
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({})).await;
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(view["methods"].as_array().unwrap().len(), 13);
}
