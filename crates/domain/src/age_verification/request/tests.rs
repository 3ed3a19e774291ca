//! What a request resolves to, and what is refused.

use super::{super::session_config::DEFAULT_TTL_SECONDS, *};
use crate::{
    age_verification::policies::{AgePolicyBook, AgePolicySettings},
    age_verification::session_config::{AgeMethodConfig, AvailableMethods, StoredAgeResult, satisfies_rule},
    delivery::Outbox,
    vault::Vault,
};
use base::AppId;
use serde_json::{Value, json};

/// The application that asks.
fn app() -> AppId {
    AppId::from(Uuid::from_u128(1))
}

/// An application without an app of its own.
fn stranger() -> AppId {
    AppId::from(Uuid::from_u128(2))
}

/// Every method is available.
#[derive(Debug)]
struct All;

impl AvailableMethods for All {
    fn supports(&self, _: AgeMethod) -> bool {
        true
    }

    fn attests_signals_of(&self, _: AppId) -> bool {
        true
    }

    fn sub_methods(&self) -> Vec<String> {
        vec!["bank".to_owned()]
    }

    fn checks_verified_email(&self) -> bool {
        true
    }

    fn token_threshold(&self, threshold: i64) -> Option<u8> {
        [18, 21].into_iter().find(|age| i64::from(*age) >= threshold)
    }
}

/// A request with the `type`, `double_blind` and method blocks of `body`.
fn request(body: &Value) -> AgeSessionRequest {
    let methods = body.as_object().unwrap().iter().filter_map(|(name, terms)| {
        let method = AgeMethod::from_block_name(name, "svc")?;
        Some(AgeMethodRequest {
            method,
            name: name.clone(),
            terms: serde_json::from_value(terms.clone()).unwrap(),
        })
    });
    AgeSessionRequest {
        kind: body["type"].as_str().map(|kind| kind.parse().unwrap()),
        methods: methods.collect(),
        double_blind: body["double_blind"].as_bool(),
        ..AgeSessionRequest::default()
    }
}

fn resolve(
    request: AgeSessionRequest,
    available: &dyn AvailableMethods,
) -> Result<AgeSessionConfig, Vec<Violation>> {
    resolve_with(app(), request, available, None)
}

fn resolve_with(
    app: AppId,
    request: AgeSessionRequest,
    available: &dyn AvailableMethods,
    estimate_confidence: Option<f64>,
) -> Result<AgeSessionConfig, Vec<Violation>> {
    let keyring = crate::keyring::Keyring::parse(&"01".repeat(32)).unwrap();
    let fetcher = media::fetch::Fetcher::new(&media::fetch::EgressPolicy::default()).unwrap();
    let outbox = Outbox::new(fetcher, Vault::new(&keyring));
    let now = "2026-11-22T12:00:00Z".parse().unwrap();
    let policies = AgePolicyBook::open(&AgePolicySettings::default()).unwrap();
    let ttl = DEFAULT_TTL_SECONDS;
    let context =
        ValidationContext { app, available, outbox: &outbox, ttl, estimate_confidence, policies: &policies };
    request.resolve(now, context, Vec::new())
}

pub(in crate::age_verification) fn config(body: &Value) -> AgeSessionConfig {
    resolve(request(body), &All).unwrap()
}

/// What a request resolves to at a server with every method.
pub(in crate::age_verification) fn resolve_named(
    request: AgeSessionRequest,
) -> Result<AgeSessionConfig, Vec<Violation>> {
    resolve(request, &All)
}

/// The violations of a request that is refused, each as a sentence.
pub(in crate::age_verification) fn violations_of(
    resolved: Result<AgeSessionConfig, Vec<Violation>>,
) -> Vec<String> {
    resolved.unwrap_err().iter().map(ToString::to_string).collect()
}

fn violation_paths(request: AgeSessionRequest) -> Vec<String> {
    let violations = resolve(request, &All).unwrap_err();
    violations.into_iter().map(|violation| violation.path.into_owned()).collect()
}

fn violation_paths_of(body: &Value) -> Vec<String> {
    violation_paths(request(body))
}

#[test]
fn without_a_block_every_method_is_requested() {
    let all = config(&json!({}));
    assert_eq!(all.blocks.len(), 15);
    assert_eq!((all.kind, all.ttl), (AgeSessionType::Over, 900));
    assert_eq!(all.usable_methods(app(), &All).count(), 15);
    assert_eq!(config(&json!({ "type": "AGE" })).usable_methods(app(), &All).count(), 5);
}

/// Every method but cards and blind tokens is available.
#[derive(Debug)]
struct Few;

impl AvailableMethods for Few {
    fn supports(&self, method: AgeMethod) -> bool {
        !matches!(method, AgeMethod::CreditCard | AgeMethod::DoubleAnonymity)
    }

    fn attests_signals_of(&self, app: AppId) -> bool {
        app != stranger()
    }

    fn sub_methods(&self) -> Vec<String> {
        Vec::new()
    }

    fn checks_verified_email(&self) -> bool {
        true
    }

    fn token_threshold(&self, _: i64) -> Option<u8> {
        None
    }
}

#[test]
fn without_a_block_no_unavailable_method_is_requested() {
    let blocks = |body: &Value| {
        let config = resolve(request(body), &Few).unwrap();
        config.blocks.iter().map(|block| block.method).collect::<Vec<_>>()
    };
    let all = blocks(&json!({}));
    assert_eq!(all.len(), 13);
    assert!(!all.contains(&AgeMethod::CreditCard) && !all.contains(&AgeMethod::DoubleAnonymity));
    // A block that the request names stays in the configuration, but its method is not offered.
    let named = json!({ "credit_card": {}, "mobile": {} });
    assert_eq!(blocks(&named), [AgeMethod::CreditCard, AgeMethod::Mobile]);
}

#[test]
fn without_an_app_of_the_application_only_a_signal_that_needs_no_attestation_counts() {
    let offers = |app: AppId, body: &Value| {
        let config = resolve_with(app, request(body), &Few, None).unwrap();
        let methods: Vec<_> = config.usable_methods(app, &Few).map(|block| block.method).collect();
        methods.contains(&AgeMethod::DeviceSignal)
    };
    let optional = json!({ "device_signal": { "attestation": "OPTIONAL" }, "mobile": {} });
    for (body, own, other) in [
        (json!({}), true, false),
        (json!({ "device_signal": {}, "mobile": {} }), true, false),
        (json!({ "device_signal": { "attestation": "REQUIRED" }, "mobile": {} }), true, false),
        (optional, true, true),
    ] {
        assert_eq!([app(), stranger()].map(|app| offers(app, &body)), [own, other], "{body}");
    }
    let alone = request(&json!({ "device_signal": {} }));
    let refused = violations_of(resolve_with(stranger(), alone, &Few, None));
    assert_eq!(refused, ["none of the methods is both allowed and set up at this server"]);
    // A session of an older build names the method, and ends when the others do.
    let config = resolve_with(app(), request(&json!({})), &Few, None).unwrap();
    assert!(config.blocks.iter().any(|block| block.method == AgeMethod::DeviceSignal));
    assert!(config.usable_methods(stranger(), &Few).all(|block| block.method != AgeMethod::DeviceSignal));
}

#[test]
fn with_blocks_only_their_methods_are_requested() {
    let two = config(&json!({ "age_estimation": { "threshold": 21 }, "doc_scan": { "allowed": false } }));
    let used: Vec<_> = two.usable_methods(app(), &All).map(|block| (block.method, block.threshold)).collect();
    assert_eq!(used, [(AgeMethod::AgeEstimation, 21)]);
}

#[test]
fn every_violation_is_reported_with_its_path() {
    for ttl in [59, 2_592_001] {
        assert_eq!(
            violation_paths(AgeSessionRequest { ttl: Some(ttl), ..AgeSessionRequest::default() }),
            ["ttl"]
        );
    }
    let blocks = request(&json!({
        "age_estimation": { "threshold": 0, "retry_limit": 11 },
        "double_anonymity": { "threshold": 5 },
        "electronic_id": { "sub_methods": ["bank", "moon"] },
        "digital_id": { "threshold": 18, "age_estimation_threshold": 17 },
        "doc_scan": { "preset_issuing_country": "ZZZ" },
    }));
    let text = |text: &str| Some(text.to_owned());
    let mut paths = violation_paths(AgeSessionRequest {
        notification_url: text("http://a.example.com/x"),
        callback: Some(CallbackRequest { url: text("javascript://x"), auto: None }),
        callback_url: text("javascript://x"),
        cancel_url: text("nowhere"),
        privacy_policy: text(&format!("https://a.example.com/{}", "x".repeat(2048))),
        target_origin_url: text("ftp://x"),
        blocked_locations: vec!["GB".parse().unwrap(); 301],
        reference_id: text(&"x".repeat(2049)),
        account_id: text(&"x".repeat(101)),
        email: Some(EmailRequest { address: text("nobody"), country: text("G8"), ip: text("1.2.3") }),
        ..blocks
    });
    paths.sort();
    assert_eq!(
        paths,
        [
            "account_id",
            "age_estimation.retry_limit",
            "age_estimation.threshold",
            "blocked_locations",
            "callback.url",
            "cancel_url",
            "digital_id.age_estimation_threshold",
            "doc_scan.preset_issuing_country",
            "double_anonymity.threshold",
            "electronic_id.sub_methods[1]",
            "email.data.country_code",
            "email.data.ip_address",
            "email.data.verified_email",
            "notification_url",
            "privacy_policy",
            "reference_id",
            "target_origin_url",
        ]
    );
    let twice = request(&json!({ "mobile": {} })).methods;
    let twice =
        AgeSessionRequest { methods: [twice.clone(), twice].concat(), ..AgeSessionRequest::default() };
    assert_eq!(violation_paths(twice), ["mobile"]);
}

#[test]
fn people_are_sent_to_pages_and_applications_and_links_lead_to_pages() {
    let none: &[&str] = &[];
    let links: &[&str] = &["privacy_policy", "terms_and_conditions"];
    let all: &[&str] = &["callback.url", "cancel_url", "privacy_policy", "terms_and_conditions"];
    for (address, refused) in [
        ("https://shop.example/?of=you", none),
        ("http://shop.example/", none),
        ("myapp://age-done", links),
        ("filesystem://shop.example/x", all),
        ("https://ada@shop.example/", all),
    ] {
        let address = Some(address.to_owned());
        let asked = AgeSessionRequest {
            callback: Some(CallbackRequest { url: address.clone(), auto: Some(true) }),
            cancel_url: address.clone(),
            privacy_policy: address.clone(),
            terms_and_conditions: address.clone(),
            ..AgeSessionRequest::default()
        };
        let violations = resolve(asked, &All).err().unwrap_or_default();
        let paths: Vec<&str> = violations.iter().map(|violation| &*violation.path).collect();
        assert_eq!(paths, refused, "{address:?}");
    }
}

#[test]
fn a_session_that_could_offer_no_method_is_refused() {
    assert_eq!(violation_paths_of(&json!({ "type": "AGE", "credit_card": {} })), [""]);
    assert_eq!(violation_paths_of(&json!({ "mobile": { "allowed": false } })), [""]);
}

#[test]
fn double_blind_accepts_only_tokens() {
    let used = |body: &Value| {
        let config = config(body);
        config.usable_methods(app(), &All).map(|block| (block.method, block.threshold)).collect::<Vec<_>>()
    };
    let token = |threshold| vec![(AgeMethod::DoubleAnonymity, threshold)];
    assert_eq!(used(&json!({ "double_blind": true })), token(18));
    assert_eq!(config(&json!({ "double_blind": true })).blocks.len(), 1);
    let strictest = json!({
        "double_blind": true,
        "age_estimation": { "threshold": 21 },
        "mobile": {},
        "email": { "allowed": false, "threshold": 90 },
    });
    assert_eq!(used(&strictest), token(21));
    let own = json!({
        "double_blind": true,
        "age_estimation": { "threshold": 21 },
        "double_anonymity": { "threshold": 16 },
    });
    assert_eq!(used(&own), token(16));
    assert_eq!(used(&json!({ "double_blind": false, "mobile": {} })), [(AgeMethod::Mobile, 18)]);
    let address = EmailRequest { address: Some("a@b.example".to_owned()), ..EmailRequest::default() };
    let email = AgeSessionRequest { email: Some(address), ..request(&json!({ "email": {} })) };
    assert!(resolve(email.clone(), &All).unwrap().email.is_some());
    let email = resolve(AgeSessionRequest { double_blind: Some(true), ..email }, &All).unwrap().email;
    assert_eq!(email, None, "an address would identify the end user");
    for refused in [
        json!({ "double_blind": true, "type": "UNDER" }),
        json!({ "double_blind": true, "type": "AGE" }),
        json!({ "double_blind": true, "double_anonymity": { "allowed": false } }),
        json!({ "double_blind": true, "age_estimation": { "threshold": 25 } }),
        json!({ "double_anonymity": { "threshold": 22 } }),
    ] {
        assert_eq!(violation_paths_of(&refused), [""], "{refused}");
    }
}

#[test]
fn an_estimate_is_compared_unless_a_confidence_is_asked_for() {
    let of = |body: &Value, method| config(body).method_config(method).unwrap().confidence_in_estimates();
    assert_eq!(of(&json!({}), AgeMethod::AgeEstimation), None);
    let block = json!({ "age_estimation": { "confidence": 0.9 }, "doc_scan": {} });
    assert_eq!(of(&block, AgeMethod::AgeEstimation), Some(0.9));
    assert_eq!(of(&block, AgeMethod::DocScan), None);
    let wallet = json!({ "digital_id": { "age_estimation_confidence": 0.8, "confidence": 0.9 } });
    assert_eq!(of(&wallet, AgeMethod::DigitalId), Some(0.8));

    for outside in [0.49, 1.0, -1.0] {
        assert_eq!(
            violation_paths_of(&json!({ "age_estimation": { "confidence": outside } })),
            ["age_estimation.confidence"]
        );
    }
    assert_eq!(
        violation_paths_of(&json!({ "digital_id": { "age_estimation_confidence": 2 } })),
        ["digital_id.age_estimation_confidence"]
    );
    assert_eq!(
        violation_paths_of(&json!({ "type": "AGE", "age_estimation": { "confidence": 0.9 } })),
        ["age_estimation.confidence"]
    );

    // The operator's own confidence applies where the payload names none.
    let of = |body: &Value| {
        let config = resolve_with(app(), request(body), &All, Some(0.95)).unwrap();
        let of = |method| config.method_config(method).and_then(AgeMethodConfig::confidence_in_estimates);
        (of(AgeMethod::AgeEstimation), of(AgeMethod::DigitalId), of(AgeMethod::DocScan))
    };
    assert_eq!(of(&json!({})), (Some(0.95), Some(0.95), None));
    assert_eq!(
        of(&json!({ "age_estimation": { "confidence": 0.5 }, "digital_id": {} })),
        (Some(0.5), Some(0.95), None)
    );
    // A session of the type AGE compares an estimate with nothing.
    for asks_for_an_age in
        [json!({ "type": "AGE", "age_estimation": {}, "digital_id": {} }), json!({ "type": "AGE" })]
    {
        assert_eq!(of(&asks_for_an_age), (None, None, None), "{asks_for_an_age}");
    }
}

#[test]
fn a_stored_result_satisfies_a_rule_by_method_age_and_levels() {
    let rule = config(&json!({
        "age_estimation": { "threshold": 18, "level": "PASSIVE" },
        "doc_scan": { "threshold": 21, "authenticity": "AUTO" },
    }));
    let result = StoredAgeResult {
        kind: AgeSessionType::Over,
        age: 18,
        method: AgeMethod::AgeEstimation,
        level: LivenessLevel::Passive,
        authenticity: AuthenticityLevel::Off,
        confidence: None,
    };
    assert!(satisfies_rule(&result, &rule));
    let strict = config(&json!({ "age_estimation": { "level": "PASSIVE", "confidence": 0.9 } }));
    assert!(!satisfies_rule(&result, &strict));
    assert!(!satisfies_rule(&StoredAgeResult { confidence: Some(0.8), ..result.clone() }, &strict));
    assert!(satisfies_rule(&StoredAgeResult { confidence: Some(0.9), ..result.clone() }, &strict));
    // Of an age that was only asked for, rows of older builds name a confidence that nothing had to reach.
    let age = StoredAgeResult { kind: AgeSessionType::Age, age: 30, ..result.clone() };
    assert!(!satisfies_rule(&StoredAgeResult { confidence: Some(0.95), ..age.clone() }, &strict));
    let mut old = config(&json!({ "type": "AGE", "age_estimation": { "level": "PASSIVE" } }));
    old.blocks[0].confidence = Some(0.95);
    assert!(satisfies_rule(&age, &old));
    assert!(satisfies_rule(
        &StoredAgeResult { age: 25, level: LivenessLevel::Active, ..result.clone() },
        &rule
    ));
    assert!(!satisfies_rule(&StoredAgeResult { age: 17, ..result.clone() }, &rule));
    assert!(!satisfies_rule(&StoredAgeResult { level: LivenessLevel::None, ..result.clone() }, &rule));
    assert!(!satisfies_rule(&StoredAgeResult { method: AgeMethod::Mobile, ..result.clone() }, &rule));
    let document = StoredAgeResult {
        method: AgeMethod::DocScan,
        age: 21,
        authenticity: AuthenticityLevel::Auto,
        ..result.clone()
    };
    assert!(satisfies_rule(&document, &rule));
    assert!(!satisfies_rule(&StoredAgeResult { authenticity: AuthenticityLevel::Off, ..document }, &rule));
    assert!(!satisfies_rule(&StoredAgeResult { kind: AgeSessionType::Under, ..result }, &rule));
}

#[test]
fn what_a_method_cannot_do_is_refused_by_name() {
    let words = |body: &Value| violations_of(resolve(request(body), &All));
    let card = json!({ "credit_card": { "threshold": 21 }, "doc_scan": {} });
    let proves = "credit_card.threshold: it is 21; a credit card proves an age of 18 and no higher one";
    assert_eq!(words(&card), [proves]);
    for fine in [
        json!({ "credit_card": { "threshold": 18 } }),
        json!({ "credit_card": { "threshold": 21, "allowed": false }, "doc_scan": {} }),
        json!({ "credit_card": { "threshold": 21 }, "double_blind": true }),
        json!({ "mobile": { "level": "NONE", "authenticity": "OFF" } }),
        json!({
            "age_estimation": { "level": "ACTIVE", "authenticity": "AUTO" },
            "doc_scan": { "level": "PASSIVE", "authenticity": "MANUAL" },
        }),
    ] {
        assert!(resolve(request(&fine), &All).is_ok(), "{fine}");
    }
    let levels = json!({ "mobile": { "level": "PASSIVE" }, "email": { "authenticity": "AUTO" } });
    assert_eq!(
        words(&levels),
        [
            "email.authenticity: it is AUTO; this method reads no document, so it is OFF",
            "mobile.level: it is PASSIVE; this method takes no photo of a face, so it is NONE",
        ]
    );
}
