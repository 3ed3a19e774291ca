//! What the policies of this program make of a session, who passes, and which files are refused.

use super::*;
use crate::age_verification::{
    decision::{decide_from_estimate, decide_from_evidence},
    request::{
        AgeMethodRequest, AgeMethodTerms, AgeSessionRequest,
        tests::{resolve_named, violations_of},
    },
    session::AgeMethodVerdict,
    session_config::{AgeMethodConfig, AgeSessionConfig},
    types::{AgeMethod, AgeSessionType},
};
use age_methods::{
    AgeAttribute,
    device_signal::{AgeBand, StatementSource},
};
use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    signature::{self, KeyPair as _},
};
use jiff::civil::{Date, date};
use std::{fmt::Write as _, sync::LazyLock};
use vision::AgeEstimate;

const TODAY: Date = date(2026, 11, 26);

fn book() -> AgePolicyBook {
    AgePolicyBook::open(&AgePolicySettings::default()).unwrap()
}

fn named(policy: &str) -> AgeSessionRequest {
    AgeSessionRequest { policy: Some(policy.to_owned()), ..AgeSessionRequest::default() }
}

#[test]
fn every_file_of_the_program_is_there_signed_and_readable() {
    let book = book();
    assert_eq!(book.refused().collect::<Vec<_>>(), []);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/policies");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    assert_eq!(book.policies().map(|policy| policy.id.clone()).collect::<Vec<_>>(), files);
    for region in ["EU", "GB", "AU", "BR", "US-LA", "US-TX", "US-UT", "US-FL", "US-CA"] {
        assert!(book.policies().any(|policy| policy.regions.iter().any(|one| one == region)), "{region}");
    }
}

/// The methods of the session that a policy makes, one a line, in order.
fn told(config: &AgeSessionConfig) -> String {
    let mut text = String::new();
    for block in &config.blocks {
        let mut terms = serde_json::to_value(block).unwrap();
        let members = terms.as_object_mut().unwrap();
        members.retain(|name, value| {
            !value.is_null()
                && !["method", "allowed", "says_threshold", "retry_enabled"].contains(&name.as_str())
        });
        writeln!(text, "{} {}", block.method.block_name(), serde_json::to_string(members).unwrap()).unwrap();
    }
    text
}

fn verdict(verdict: &AgeMethodVerdict) -> String {
    match verdict {
        AgeMethodVerdict::Passed { .. } => "passes".to_owned(),
        AgeMethodVerdict::Failed { code, .. } => format!("fails ({code})"),
        AgeMethodVerdict::Undecided { code } | AgeMethodVerdict::Broken { code } => {
            format!("undecided ({code})")
        }
    }
}

/// Who passes by a method: with an age of the threshold or a year less, as the method knows ages.
fn outcomes(config: &AgeSessionConfig, block: &AgeMethodConfig) -> String {
    let threshold = block.threshold;
    let years = |age: i64| u8::try_from(age).unwrap();
    match block.method {
        AgeMethod::AgeEstimation => {
            let estimated = |years: f32| {
                let estimate = AgeEstimate { years, st_dev: 6.0, low80: 0.0, high80: 0.0, spread: 0.0 };
                verdict(&decide_from_estimate(config, block, &estimate))
            };
            let (below, at) = (threshold as f32 - 0.1, threshold as f32);
            format!("an estimate of {below:.1} {}, of {at} {}", estimated(below), estimated(at))
        }
        AgeMethod::DeviceSignal => {
            let stated = |reached, not_reached| {
                let band = AgeBand { reached, not_reached, source: StatementSource::Checked };
                match band.side_of(years(threshold)) {
                    Some(side) => verdict(&decide_from_evidence(side, config, block, TODAY, None)),
                    None => "undecided (AGE_NOT_TOLD)".to_owned(),
                }
            };
            let at_least = block.assurance.unwrap();
            format!(
                "a band from {threshold} {}, a band up to {threshold} {}, a wider band {}; at least {at_least}",
                stated(Some(years(threshold)), None),
                stated(Some(0), Some(years(threshold))),
                stated(Some(13), Some(years(threshold + 3))),
            )
        }
        // A kept result is judged by the blocks of the others.
        AgeMethod::SvcKey => "what one of the others showed".to_owned(),
        _ => {
            let born = |age: i64, days: i64| {
                let birthday = TODAY.with().year(TODAY.year() - i16::try_from(age).unwrap()).build().unwrap();
                let born = birthday.checked_add(jiff::Span::new().days(days)).unwrap();
                verdict(&decide_from_evidence(AgeAttribute::DateOfBirth(born), config, block, TODAY, None))
            };
            let over = |reached| {
                let known = AgeAttribute::Over { years: years(threshold), reached };
                verdict(&decide_from_evidence(known, config, block, TODAY, None))
            };
            format!(
                "on the {threshold}th birthday {}, the day before {}; over {threshold}: yes {}, no {}",
                born(threshold, 0),
                born(threshold, 1),
                over(true),
                over(false),
            )
        }
    }
}

#[test]
fn golden_sessions() {
    let mut text = String::new();
    for policy in book().policies() {
        let config = resolve_named(named(&policy.id)).unwrap();
        assert_eq!((config.kind, config.policy.as_deref()), (policy.kind, Some(policy.reference().as_str())));
        writeln!(text, "## {} {}\n{}", policy.reference(), config.kind, told(&config)).unwrap();
        for block in &config.blocks {
            writeln!(text, "{}: {}", block.method.block_name(), outcomes(&config, block)).unwrap();
        }
        text.push('\n');
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/age_verification/policies/golden.txt");
    if std::env::var_os("UPDATE_RECORDED").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let golden = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        golden == text,
        "the sessions that policies make are not those of golden.txt; UPDATE_RECORDED=1 writes it"
    );
}

#[test]
fn a_policy_is_named_with_or_without_its_version() {
    assert!(resolve_named(named("gb@1")).is_ok());
    let refusal = |policy: &str| violations_of(resolve_named(named(policy)));
    assert_eq!(refusal("gb@2"), ["policy: the policy `gb` is version 1 here"]);
    assert_eq!(refusal("gb@"), ["policy: the policy `gb` is version 1 here"]);
    let unknown = refusal("fr").remove(0);
    assert!(
        unknown.starts_with("policy: there is no policy `fr`; there are: au, au-social, br, eu, gb, us-"),
        "{unknown}"
    );
    let long = refusal(&"x".repeat(5000)).remove(0);
    assert!(long.len() < 600, "what is echoed is bounded: {}", long.len());
}

#[test]
fn beside_a_policy_a_request_narrows_and_decides_nothing() {
    let with = |methods: Vec<(AgeMethod, AgeMethodTerms)>| AgeSessionRequest {
        methods: methods
            .into_iter()
            .map(|(method, terms)| AgeMethodRequest { method, name: method.block_name().to_owned(), terms })
            .collect(),
        ..named("gb")
    };
    let terms = AgeMethodTerms {
        retry_enabled: Some(true),
        retry_limit: Some(2),
        preset_issuing_country: Some("GBR".to_owned()),
        ..AgeMethodTerms::default()
    };
    let without = AgeMethodTerms { allowed: Some(false), ..AgeMethodTerms::default() };
    let request = with(vec![
        (AgeMethod::DocScan, terms),
        (AgeMethod::Email, without.clone()),
        (AgeMethod::Cpf, without),
    ]);
    let config = resolve_named(request).unwrap();
    let block = config.method_config(AgeMethod::DocScan).unwrap();
    assert_eq!(
        (block.threshold, block.retry_limit, block.preset_issuing_country.as_deref()),
        (18, Some(2), Some("GBR"))
    );
    assert!(!config.method_config(AgeMethod::Email).unwrap().allowed);
    assert!(config.method_config(AgeMethod::Cpf).is_none());

    let weaker = AgeMethodTerms { threshold: Some(16), confidence: Some(0.6), ..AgeMethodTerms::default() };
    let request = AgeSessionRequest {
        kind: Some(AgeSessionType::Age),
        double_blind: Some(true),
        ..with(vec![(AgeMethod::AgeEstimation, weaker), (AgeMethod::Cpf, AgeMethodTerms::default())])
    };
    let leave_out = "the policy gb says what it is; leave it out, or leave the policy out";
    assert_eq!(
        violations_of(resolve_named(request)),
        [
            "type: it is AGE; the policy gb says OVER".to_owned(),
            "double_blind: the policy gb accepts no blind tokens".to_owned(),
            format!("age_estimation.threshold: {leave_out}"),
            format!("age_estimation.confidence: {leave_out}"),
            "cpf: the policy gb does not accept this method".to_owned(),
        ]
    );
}

/// A key pair on P-256, PEM: private, public.
static OWN_KEYS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let signing = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
    let pair = signature::EcdsaKeyPair::generate(signing).unwrap();
    let pem = |kind: &str, der: &[u8]| pem::encode(&pem::Pem::new(kind, der));
    let private = pair.to_pkcs8v1().unwrap();
    let public: PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
    [pem("PRIVATE KEY", private.as_ref()), pem("PUBLIC KEY", public.as_ref())]
});

const OWN_POLICY: &str = r#"
id = "shop"
version = 3
title = "Our shop"
regions = ["GB"]
type = "OVER"
checked = "2026-11-26"
note = "Ours."
[[sources]]
name = "House rule"
says = "Nobody under 21."
[[methods]]
method = "doc_scan"
threshold = 21
why = "We see the document."
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key.pem"), &OWN_KEYS[1]).unwrap();
        Self(folder)
    }

    fn put(&self, name: &str, text: &str) -> &Self {
        std::fs::write(self.0.path().join(name), text).unwrap();
        self
    }

    fn put_signed(&self, name: &str, text: &str) -> &Self {
        let signature = sign_policy(text.as_bytes(), OWN_KEYS[0].as_bytes()).unwrap();
        self.put(&format!("{name}.toml"), text).put(&format!("{name}.toml.jws"), &signature)
    }

    fn open(&self) -> Result<AgePolicyBook, InvalidSettingError> {
        let folder = Some(self.0.path().to_owned());
        AgePolicyBook::open(&AgePolicySettings { folder, key_file: Some(self.0.path().join("key.pem")) })
    }
}

#[test]
fn an_operators_own_policy_is_signed_with_their_own_key() {
    let folder = Folder::new();
    let book = folder.put_signed("shop", OWN_POLICY).open().unwrap();
    let policy = book.find("shop@3").unwrap();
    assert_eq!((policy.origin, policy.methods[0].terms.threshold), (AgePolicyOrigin::Operator, Some(21)));
    assert!(book.find("gb").is_ok(), "those of the program are still there");
}

#[test]
fn a_file_that_is_not_signed_by_the_key_is_refused_by_its_name() {
    let reason = |folder: &Folder| match folder.open().unwrap().find("shop").unwrap_err() {
        PolicyLookupError::Refused { name, reason } => {
            assert_eq!(name, "shop");
            reason
        }
        other => panic!("{other}"),
    };
    let wrong = "the signature does not match the file and the key";
    let changed = Folder::new();
    changed.put_signed("shop", OWN_POLICY).put("shop.toml", &OWN_POLICY.replace("21", "18"));
    assert_eq!(reason(&changed), wrong);
    let unsigned = Folder::new();
    unsigned.put("shop.toml", OWN_POLICY);
    assert!(reason(&unsigned).contains("shop.toml.jws cannot be read"));
    // The signature of another file, by the right key; and the program's file under another name.
    let other = Folder::new();
    other.put_signed("other", &OWN_POLICY.replace("shop", "other"));
    let borrowed = std::fs::read_to_string(other.0.path().join("other.toml.jws")).unwrap();
    other.put("shop.toml", OWN_POLICY).put("shop.toml.jws", &borrowed);
    assert_eq!(reason(&other), wrong);
    let renamed = Folder::new();
    renamed.put_signed("shop", &OWN_POLICY.replace("shop", "other"));
    assert_eq!(reason(&renamed), "its id is `other`, the file's name is `shop`");

    let signed = sign_policy(OWN_POLICY.as_bytes(), OWN_KEYS[0].as_bytes()).unwrap();
    let (_, end) = signed.split_once("..").unwrap();
    let header = |json: &str| format!("{}..{end}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(json));
    for (text, words) in [
        ("", "the signature is not a detached JWS: header, two dots, signature"),
        (&signed.replace("..", "."), "the signature is not a detached JWS: header, two dots, signature"),
        (&"x".repeat(2000), "the signature is not a detached JWS: header, two dots, signature"),
        (
            &header(r#"{"alg":"none"}"#),
            "the signature has another algorithm than ES256, or a header parameter that is not known",
        ),
        (
            &header(r#"{"alg":"ES256","crit":["b64"],"b64":false}"#),
            "the signature has another algorithm than ES256, or a header parameter that is not known",
        ),
        (&header(r#"{"alg":"ES256"}"#), wrong),
        (&format!("{}..", signed.split_once("..").unwrap().0), wrong),
    ] {
        let folder = Folder::new();
        folder.put("shop.toml", OWN_POLICY).put("shop.toml.jws", text);
        assert_eq!(reason(&folder), words, "{text}");
    }
    assert!(PolicyKey::of_program().verify(OWN_POLICY.as_bytes(), &signed).is_err());
    assert_eq!(sign_policy(b"x", b"no key"), Err(PolicySignatureError::Key));
}

#[test]
fn a_file_that_says_nothing_usable_is_refused_with_the_reason() {
    let reason =
        |text: &str| AgePolicy::parse(text.as_bytes(), AgePolicyOrigin::Operator).unwrap_err().to_string();
    let with = |from: &str, to: &str| reason(&OWN_POLICY.replace(from, to));
    assert!(with("version = 3", "version = 3\nmore = 1").contains("unknown field `more`"));
    assert_eq!(with("version = 3", "version = 0"), "it has a version from 1, a title, regions and sources");
    assert_eq!(with("\"shop\"", "\"Shop!\""), "its id has 2 to 40 lower-case letters, digits and hyphens");
    assert_eq!(with("threshold = 21", ""), "doc_scan has no threshold");
    assert_eq!(
        with("threshold = 21", "threshold = 21\nretry_limit = 2"),
        "doc_scan.retry_limit is not a member that a policy sets"
    );
    assert_eq!(
        with("threshold = 21", "threshold = 0"),
        "doc_scan.threshold: it is 0; a whole number from 1 to 120 is expected"
    );
    assert_eq!(with("doc_scan", "handshake"), "there is no method `handshake`");
    assert_eq!(
        with("doc_scan", "credit_card"),
        "credit_card.threshold: it is 21; a credit card proves an age of 18 and no higher one"
    );
}
