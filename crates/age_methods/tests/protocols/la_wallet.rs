//! LA Wallet: a code for the app, and what the app answers, over the signed protocol.

use crate::kit::Fixture;
use age_methods::{
    AgeAttribute, AgeMethodError,
    la_wallet::{LaWalletAnswer, LaWalletProvider, LaWalletSettings},
};
use base::SignedDuration;
use jiff::civil::date;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::stub_server::{StubReply, StubServer};

async fn service(answer: &Arc<Mutex<Value>>) -> StubServer {
    let replies = answer.clone();
    StubServer::start(move |_| StubReply::body("application/json", replies.lock().unwrap().to_string())).await
}

fn open(site: &Fixture, url: &str) -> LaWalletProvider {
    let secret = format!("whsec_{}", base64_simd::STANDARD.encode_to_string([7; 32]));
    let settings = json!({ "provider": "signed", "url": url, "secret_file": site.secret(&secret) });
    LaWalletProvider::open(&Fixture::settings::<LaWalletSettings>(settings), &site.fetcher, &site.environment)
        .unwrap()
}

#[tokio::test]
async fn a_code_is_asked_for_and_its_answer_awaited() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new(json!({ "code": "4821", "reference": "r-1", "expires_in": 300 })));
    let stub = service(&answer).await;
    let provider = open(&site, &stub.url("/wallet"));
    let request = provider.begin(21, "").await.unwrap();
    assert_eq!((request.code.as_str(), request.reference.as_str()), ("4821", "r-1"));
    assert_eq!(request.until, site.environment.now() + SignedDuration::from_secs(300));
    let poll = |body: Value| {
        *answer.lock().unwrap() = body;
        provider.poll(&request, 21)
    };
    assert_eq!(poll(json!({ "result": "PENDING" })).await, Ok(LaWalletAnswer::Pending));
    assert_eq!(poll(json!({ "result": "DECLINED" })).await, Ok(LaWalletAnswer::Declined));
    let Ok(LaWalletAnswer::Found(found)) = poll(json!({ "result": "OVER", "evidence_id": "e-1" })).await
    else {
        panic!("evidence")
    };
    assert_eq!(
        (found.attribute, found.id.as_deref()),
        (AgeAttribute::Over { years: 21, reached: true }, Some("e-1"))
    );
    let born = poll(json!({ "result": "UNDER", "date_of_birth": "2010-05-06" })).await;
    assert!(
        matches!(born, Ok(LaWalletAnswer::Found(found)) if found.attribute == AgeAttribute::DateOfBirth(date(2010, 5, 6)))
    );
    assert!(matches!(poll(json!({ "result": "UNKNOWN" })).await, Err(AgeMethodError::Inconclusive(_))));
    for wrong in
        [json!({ "result": "SURE" }), json!({}), json!({ "result": "OVER", "date_of_birth": "2010-05-06" })]
    {
        assert!(matches!(poll(wrong.clone()).await, Err(AgeMethodError::Unavailable(_))), "{wrong}");
    }
    let asked: Vec<Value> =
        stub.captured().iter().map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect();
    assert_eq!(asked[0], json!({ "action": "begin", "method": "la_wallet", "threshold": 21 }));
    assert_eq!(
        asked[1],
        json!({ "action": "poll", "method": "la_wallet", "threshold": 21, "reference": "r-1" })
    );
    assert!(stub.captured()[0].header("webhook-signature").starts_with("v1,"));
}

#[tokio::test]
async fn a_code_that_nobody_can_type_is_none() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new(json!({})));
    let stub = service(&answer).await;
    let provider = open(&site, &stub.url("/wallet"));
    for wrong in [
        json!({ "code": "482", "reference": "r", "expires_in": 300 }),
        json!({ "code": "48<b>", "reference": "r", "expires_in": 300 }),
        json!({ "code": "4821", "reference": "", "expires_in": 300 }),
        json!({ "code": "4821", "reference": "r 1", "expires_in": 300 }),
        json!({ "code": "4821", "reference": "r", "expires_in": 5 }),
        json!({ "code": "4821", "reference": "r", "expires_in": 90_000 }),
        json!({ "reference": "r", "expires_in": 300 }),
    ] {
        *answer.lock().unwrap() = wrong.clone();
        assert!(matches!(provider.begin(18, "").await, Err(AgeMethodError::Unavailable(_))), "{wrong}");
    }
}
