//! Cards: Stripe's API, the signed protocol, the sandbox.

use crate::kit::{Fixture, sendable};
use age_methods::{
    AgeAttribute, AgeEvidence, AgeMethodError, InputFault,
    card::{CardCheckOutcome, CardProvider, PaymentCard, PendingCardCheck},
    form::FormValues,
};
use jiff::civil::date;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use testkit::stub_server::{CapturedRequest, StubReply, StubServer};

const RETURN: &str = "https://age.example.com/age/return";

fn card(number: &str) -> PaymentCard {
    let fields = FormValues::from([("number", number), ("expiry", "12/30"), ("code", "123")]);
    PaymentCard::read(&fields, date(2026, 11, 22)).unwrap()
}

fn stripe(site: &Fixture, receiver: &StubServer) -> CardProvider {
    let settings = json!({ "provider": "stripe", "url": receiver.url("/"), "secret_file": site.secret("sk_test_1\n"), "version": "2025-09-30.clover" });
    CardProvider::open(&Fixture::settings(settings), &site.fetcher, &site.environment).unwrap()
}

fn pairs(sent: &CapturedRequest) -> Vec<(String, String)> {
    url::form_urlencoded::parse(&sent.body).into_owned().collect()
}

fn answer(value: &Value) -> StubReply {
    StubReply::body("application/json", value.to_string())
}

/// A Stripe stand-in that knows one card and one setup intent.
async fn bank(funding: &'static str, intent: Value) -> StubServer {
    StubServer::start(move |sent| match sent.uri.path() {
        "/v1/payment_methods" => {
            answer(&json!({ "id": "pm_1", "card": { "funding": funding, "last4": "4242" } }))
        }
        "/v1/setup_intents" => answer(&intent),
        "/v1/setup_intents/seti_1" => answer(&json!({
            "id": "seti_1", "status": "succeeded", "next_action": null,
            "payment_method": { "id": "pm_1", "card": { "funding": funding } },
        })),
        _ => StubReply::status(404),
    })
    .await
}

#[tokio::test]
async fn a_credit_card_that_the_bank_lets_through_proves_eighteen() {
    let site = Fixture::new();
    let bank = bank("credit", json!({ "id": "seti_1", "status": "succeeded", "next_action": null })).await;
    let (provider, card) = (stripe(&site, &bank), card("4242 4242 4242 4242"));
    let checked = sendable(provider.check(&card, RETURN)).await;
    let evidence = AgeEvidence {
        attribute: AgeAttribute::Over { years: 18, reached: true },
        id: Some("seti_1".to_owned()),
    };
    assert_eq!(checked, Ok(CardCheckOutcome::Done(evidence)));

    let sent = bank.captured();
    let text = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    assert_eq!(
        pairs(&sent[0]),
        text(&[
            ("type", "card"),
            ("card[number]", "4242424242424242"),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ])
    );
    assert_eq!(
        pairs(&sent[1]),
        text(&[
            ("confirm", "true"),
            ("payment_method", "pm_1"),
            ("payment_method_types[]", "card"),
            ("usage", "on_session"),
            ("return_url", RETURN),
        ])
    );
    for sent in &sent {
        assert_eq!(sent.header("authorization"), "Bearer sk_test_1");
        assert_eq!(sent.header("content-type"), "application/x-www-form-urlencoded");
        assert_eq!(sent.header("stripe-version"), "2025-09-30.clover");
    }
    assert_ne!(sent[0].header("idempotency-key"), sent[1].header("idempotency-key"));
}

#[tokio::test]
async fn no_other_card_proves_anything_and_no_bank_is_troubled_for_it() {
    let site = Fixture::new();
    for funding in ["debit", "prepaid", "unknown", "Credit"] {
        let bank = bank(funding, json!({ "id": "seti_1", "status": "succeeded" })).await;
        let checked = stripe(&site, &bank).check(&card("4242 4242 4242 4242"), RETURN).await;
        assert_eq!(
            checked,
            Err(AgeMethodError::Inconclusive("the card is not a credit card".to_owned())),
            "{funding}"
        );
        assert_eq!(bank.captured().len(), 1);
        let held: PendingCardCheck = serde_json::from_str(r#"{"setup_intent":"seti_1"}"#).unwrap();
        let resumed = stripe(&site, &bank).resume(&held).await;
        assert_eq!(
            resumed,
            Err(AgeMethodError::Inconclusive("the card is not a credit card".to_owned())),
            "{funding}"
        );
    }
}

#[tokio::test]
async fn a_bank_may_ask_the_holder_first() {
    let site = Fixture::new();
    let to = "https://hooks.example.com/3d_secure_2/authenticate?a=b";
    let waits = json!({ "id": "seti_1", "status": "requires_action", "next_action": { "type": "redirect_to_url", "redirect_to_url": { "url": to } } });
    let bank = bank("credit", waits).await;
    let provider = stripe(&site, &bank);
    let Ok(CardCheckOutcome::Redirect { url, held }) =
        provider.check(&card("4242 4242 4242 4242"), RETURN).await
    else {
        panic!("the bank wants to ask")
    };
    assert_eq!(url, to);
    let held = serde_json::from_str(&serde_json::to_string(&held).unwrap()).unwrap();
    let evidence = provider.resume(&held).await.unwrap();
    assert_eq!(evidence.attribute, AgeAttribute::Over { years: 18, reached: true });
    let asked = bank.captured().pop().unwrap();
    assert_eq!(
        asked.uri.path_and_query().unwrap().as_str(),
        "/v1/setup_intents/seti_1?expand[]=payment_method"
    );

    for forged in ["", "../payment_methods", "seti_1?x", "seti_1/cancel"] {
        let held = serde_json::from_value(json!({ "setup_intent": forged })).unwrap();
        assert!(matches!(provider.resume(&held).await, Err(AgeMethodError::Unavailable(_))), "{forged}");
    }
}

#[tokio::test]
async fn what_the_holder_may_mend_is_told_apart() {
    let site = Fixture::new();
    for (status, kind, code, expected) in [
        (
            402,
            "card_error",
            "incorrect_number",
            AgeMethodError::Input { field: "number", fault: InputFault::Invalid },
        ),
        (
            402,
            "card_error",
            "invalid_expiry_year",
            AgeMethodError::Input { field: "expiry", fault: InputFault::Invalid },
        ),
        (
            402,
            "card_error",
            "incorrect_cvc",
            AgeMethodError::Input { field: "code", fault: InputFault::Invalid },
        ),
        (
            402,
            "card_error",
            "card_declined",
            AgeMethodError::Inconclusive("the bank declined the card".to_owned()),
        ),
        (
            402,
            "card_error",
            "processing_error",
            AgeMethodError::Unavailable("the bank cannot be asked".to_owned()),
        ),
        (
            400,
            "invalid_request_error",
            "",
            AgeMethodError::Unavailable("the card provider answers 400".to_owned()),
        ),
        (401, "", "", AgeMethodError::Unavailable("the card provider answers 401".to_owned())),
        (429, "", "", AgeMethodError::Unavailable("the card provider answers 429".to_owned())),
    ] {
        let body = json!({ "error": { "type": kind, "code": code, "message": "4242424242424242 is wrong" } });
        let bank = StubServer::start(move |_| answer(&body).with_status(status)).await;
        assert_eq!(stripe(&site, &bank).check(&card("4242 4242 4242 4242"), RETURN).await, Err(expected));
    }
    for (status, known) in [("requires_payment_method", true), ("canceled", true), ("processing", false)] {
        let bank = bank("credit", json!({ "id": "seti_1", "status": status })).await;
        let failure = stripe(&site, &bank).check(&card("4242 4242 4242 4242"), RETURN).await.unwrap_err();
        assert_eq!(matches!(failure, AgeMethodError::Inconclusive(_)), known, "{status}: {failure}");
    }
}

#[tokio::test]
async fn an_answer_that_got_lost_is_asked_for_again_under_the_same_key() {
    let site = Fixture::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let bank = StubServer::start(move |sent| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            // Larger than any response may be, so the first call fails.
            return StubReply::body("application/json", vec![b' '; 100_000]);
        }
        match sent.uri.path() {
            "/v1/payment_methods" => answer(&json!({ "id": "pm_1", "card": { "funding": "credit" } })),
            _ => answer(&json!({ "id": "seti_1", "status": "succeeded" })),
        }
    })
    .await;
    assert!(stripe(&site, &bank).check(&card("4242 4242 4242 4242"), RETURN).await.is_ok());
    let sent = bank.captured();
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[0].header("idempotency-key"), sent[1].header("idempotency-key"));
}

#[tokio::test]
async fn a_card_is_asked_about_by_the_signed_protocol_too() {
    let site = Fixture::new();
    let open = |receiver: &StubServer| {
        let secret = site.secret(&format!("whsec_{}", "A".repeat(32)));
        let settings = json!({ "provider": "signed", "url": receiver.url("/"), "secret_file": secret });
        CardProvider::open(&Fixture::settings(settings), &site.fetcher, &site.environment).unwrap()
    };
    let over = StubServer::start(|_| answer(&json!({ "result": "OVER", "evidence_id": "c-1" }))).await;
    let checked = open(&over).check(&card("4242 4242 4242 4242"), RETURN).await;
    let evidence = AgeEvidence {
        attribute: AgeAttribute::Over { years: 18, reached: true },
        id: Some("c-1".to_owned()),
    };
    assert_eq!(checked, Ok(CardCheckOutcome::Done(evidence)));
    assert_eq!(
        serde_json::from_slice::<Value>(&over.captured()[0].body).unwrap(),
        json!({
            "method": "credit_card", "threshold": 18,
            "subject": { "number": "4242424242424242", "expiry_month": 12, "expiry_year": 2030, "code": "123" },
        })
    );
    let under = StubServer::start(|_| answer(&json!({ "result": "UNDER" }))).await;
    let checked = open(&under).check(&card("4242 4242 4242 4242"), RETURN).await;
    assert_eq!(checked, Err(AgeMethodError::Inconclusive("the card is not a credit card".to_owned())));
}

#[tokio::test]
async fn the_sandbox_knows_the_numbers_of_the_trade() {
    let site = Fixture::new();
    let provider = CardProvider::open(
        &Fixture::settings(json!({ "provider": "sandbox" })),
        &site.fetcher,
        &site.environment,
    )
    .unwrap();
    let check = async |number: &str| provider.check(&card(number), RETURN).await;
    assert!(matches!(check("4242 4242 4242 4242").await, Ok(CardCheckOutcome::Done(_))));
    assert!(matches!(check("4000 0000 0000 0002").await, Err(AgeMethodError::Inconclusive(_))));
    assert!(matches!(check("4000 0566 5566 5556").await, Err(AgeMethodError::Inconclusive(_))));
    assert!(matches!(check("4000 0000 0000 0127").await, Err(AgeMethodError::Input { field: "code", .. })));
    assert!(matches!(check("4000 0000 0000 9995").await, Err(AgeMethodError::Unavailable(_))));
    let Ok(CardCheckOutcome::Redirect { url, held }) = check("4000 0025 0000 3155").await else {
        panic!("it asks")
    };
    assert_eq!(url, RETURN);
    assert!(provider.resume(&held).await.is_ok());
}
