use super::*;
use base::SignedDuration;
use domain::age_verification::{BlindTokenSettings, types::LivenessLevel};
use serde_json::Value;
use std::time::Duration;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/settings");

fn load(file: Option<PathBuf>) -> anyhow::Result<Config> {
    Config::load(&InstallationArgs { data_dir: "data".into(), config: file })
}

fn read(text: &str) -> anyhow::Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("assay.toml");
    std::fs::write(&file, text).unwrap();
    load(Some(file))
}

/// What `assay doctor --settings` prints.
fn printed(config: &Config) -> String {
    serde_json::to_string_pretty(config).unwrap() + "\n"
}

fn expected(file: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(file)).unwrap()
}

#[test]
fn the_defaults_are_those_that_are_promised() {
    assert_eq!(printed(&load(None).unwrap()), expected("defaults.json"));
    assert_eq!(printed(&Config::default()), expected("defaults.json"));
}

/// Units in the names of settings, one of the words between underscores.
const UNITS: [&str; 6] = ["days", "hours", "minutes", "seconds", "ms", "bytes"];

/// The paths of the settings that have the same value in both.
fn unchanged_settings(path: &str, default: &Value, changed: &Value) -> Vec<String> {
    match (default, changed) {
        (Value::Object(defaults), Value::Object(changes)) => defaults
            .iter()
            .flat_map(|(name, default)| {
                let changed = changes.get(name).unwrap_or(default);
                unchanged_settings(&format!("{path}.{name}"), default, changed)
            })
            .collect(),
        (default, changed) if default == changed => vec![path.to_owned()],
        _ => Vec::new(),
    }
}

#[test]
fn every_setting_of_a_file_is_read() {
    let config = load(Some(Path::new(FOLDER).join("changed.toml"))).unwrap();
    assert_eq!(printed(&config), expected("changed.json"));
    assert_eq!(config.data_dir, Path::new("data"));
    let parse = |file| serde_json::from_str(&expected(file)).unwrap();
    let unchanged = unchanged_settings("", &parse("defaults.json"), &parse("changed.json"));
    assert!(unchanged.is_empty(), "changed.toml leaves these as they are: {unchanged:?}");

    // Providers are never printed.
    let providers = &config.ages.providers;
    assert!(providers.credit_card.is_some() && providers.mobile.is_some() && providers.email.is_some());
    assert!(providers.social_security_number.is_some() && providers.us_florida_hb3.is_some());
    assert!(providers.la_wallet.is_some() && providers.cpf.is_some() && providers.singpass.is_some());
    assert!(providers.digital_id.is_some() && providers.svc_key.is_some());
    assert!(providers.double_anonymity.is_some());
    assert_eq!(providers.electronic_id.keys().collect::<Vec<_>>(), ["mybank"]);
    let identity = &config.identity;
    assert!(identity.issuing_authority.is_some() && identity.watchlist.is_some());
    assert!(identity.fraud_list.is_some() && identity.third_party_identity.is_some());
}

#[test]
fn a_file_overrides_only_what_it_names() {
    let config = read("[console]\nidle_hours = 1\n[ages]\nkey_days = 2").unwrap();
    assert_eq!(config.console.session_idle_timeout, SignedDuration::from_hours(1));
    assert_eq!(config.console.session_ttl, SignedDuration::from_hours(7 * 24));
    assert_eq!(config.ages.stored_result_retention, SignedDuration::from_hours(48));
    assert_eq!(config.ages.session_retention, SignedDuration::from_hours(30 * 24));
}

/// The settings that these variables make, beside the defaults.
fn from_variables(variables: &[(&str, &str)]) -> Config {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let source = environment_source().source(Some(variables.collect()));
    let settings = config::Config::builder().add_source(source).build().unwrap();
    settings.try_deserialize().unwrap()
}

/// Accounts and keys of others may look like numbers, and are not.
#[test]
fn a_text_from_the_environment_is_not_rewritten_as_a_number() {
    let texts = [
        ("ASSAY__STORAGE__S3__ACCESS_KEY", "00123e4"),
        ("ASSAY__STORAGE__S3__BUCKET", "007"),
        ("ASSAY__STORAGE__S3__REGION", "1.50"),
        ("ASSAY__STORAGE__S3__SECRET_KEY_FILE", "42"),
        ("ASSAY__CONSOLE__OIDC__ISSUER", "https://id.example.com"),
        ("ASSAY__CONSOLE__OIDC__CLIENT_ID", "000123"),
        ("ASSAY__CONSOLE__OIDC__CLIENT_SECRET_FILE", "/run/secrets/oidc"),
        ("ASSAY__MAIL__FROM", "True"),
        ("ASSAY__MAIL__USER", "+5"),
        ("ASSAY__WIRE__BRAND", "1e5"),
        ("ASSAY__LOG__SERVICE_NAME", "99999999999999999999"),
    ];
    let shown = serde_json::to_value(from_variables(&texts)).unwrap();
    for (name, text) in texts {
        let path = name.replace("ASSAY__", "/").replace("__", "/").to_ascii_lowercase();
        assert_eq!(shown.pointer(&path), Some(&Value::from(text)), "{name}");
    }

    let config = from_variables(&[
        ("ASSAY__DELIVERY__AT_ONCE", "7"),
        ("ASSAY__DELIVERY__PER_ENDPOINT", "07"),
        ("ASSAY__AGES__CONFIDENCE", "0.99"),
        ("ASSAY__LOG__SAMPLING_RATIO", "0.50"),
        ("ASSAY__MODELS__PRELOAD", "true"),
        ("ASSAY__STORAGE__S3__ALLOW_HTTP", "True"),
        ("ASSAY__STORAGE__S3__ACCESS_KEY", "AKIA"),
        ("ASSAY__STORAGE__S3__BUCKET", "assay"),
        ("ASSAY__STORAGE__S3__REGION", "eu-west-1"),
        ("ASSAY__STORAGE__S3__SECRET_KEY_FILE", "secret"),
    ]);
    assert_eq!((config.delivery.max_concurrent, config.delivery.max_concurrent_per_endpoint), (7, 7));
    assert_eq!((config.ages.estimate_confidence, config.log.sampling_ratio), (Some(0.99), 0.5));
    let shown = serde_json::to_value(&config).unwrap();
    assert_eq!(shown["models"]["preload"], true);
    assert_eq!(shown["storage"]["s3"]["allow_http"], true);
}

/// serde holds back a section with a `provider` until it knows which, and then converts nothing.
#[test]
fn the_section_of_a_provider_is_read_from_texts() {
    let config = from_variables(&[
        ("ASSAY__AGES__MOBILE__SENDER__PROVIDER", "sandbox"),
        ("ASSAY__AGES__MOBILE__OPERATOR__PROVIDER", "camara"),
        ("ASSAY__AGES__MOBILE__OPERATOR__URL", "https://api.operator.example/kyc-age-verification/v0.2"),
        ("ASSAY__AGES__MOBILE__OPERATOR__TOKEN_URL", "https://api.operator.example/token"),
        ("ASSAY__AGES__MOBILE__OPERATOR__CLIENT_ID", "123456"),
        ("ASSAY__AGES__MOBILE__OPERATOR__CLIENT_SECRET_FILE", "42"),
        ("ASSAY__AGES__MOBILE__OPERATOR__SCOPE", "true"),
        ("ASSAY__AGES__MOBILE__OPERATOR__VERIFIED_ONLY", "True"),
        ("ASSAY__AGES__SINGPASS__PROVIDER", "oidc"),
        ("ASSAY__AGES__SINGPASS__NAME", "1.50"),
        ("ASSAY__AGES__SINGPASS__ISSUER", "https://id.example.com"),
        ("ASSAY__AGES__SINGPASS__CLIENT_ID", "000123"),
        ("ASSAY__AGES__SINGPASS__DPOP", "true"),
        ("ASSAY__AGES__SINGPASS__PUSHED", "TRUE"),
        ("ASSAY__AGES__SINGPASS__ENCRYPTED", "1"),
        ("ASSAY__AGES__SINGPASS__PARAMETERS__MAX_AGE", "3600"),
        ("ASSAY__AGES__EMAIL__PROVIDER", "ip_quality_score"),
        ("ASSAY__AGES__EMAIL__API_KEY_FILE", "key"),
        ("ASSAY__AGES__EMAIL__ACCOUNT_AGE", "13"),
        ("ASSAY__AGES__CPF__PROVIDER", "signed"),
        ("ASSAY__AGES__CPF__URL", "https://cpf.example.com"),
        ("ASSAY__AGES__CPF__SECRET_FILE", "secret"),
        ("ASSAY__AGES__CPF__SIGNED_ANSWERS", "on"),
        ("ASSAY__AGES__DEVICE_SIGNAL__PROVIDER", "platforms"),
        ("ASSAY__AGES__DEVICE_SIGNAL__CHALLENGE_SECONDS", "120"),
    ]);
    let providers = format!("{:?}", config.ages.providers);
    for read in [
        r#"client_id: "123456""#,
        r#"client_secret_file: "42""#,
        r#"scope: "true""#,
        "verified_only: true",
        r#"name: "1.50""#,
        r#"client_id: "000123""#,
        "dpop: true",
        "pushed: true",
        "encrypted: true",
        r#""max_age": "3600""#,
        "account_age: 13",
        "signed_answers: true",
        "challenge_seconds: 120",
    ] {
        assert!(providers.contains(read), "{read}: {providers}");
    }
}

/// What cannot hold is brought into range.
#[test]
fn settings_out_of_range_are_brought_into_it() {
    let low = "[server]\nconnections = 0\n\
        [jobs]\nlease_seconds = 0\n\
        [delivery]\nat_once = 0\nper_endpoint = 0\ntimeout_seconds = 0\n\
        [moderation]\nsamples_per_second = 0\nsmallest_face = 1\nsettle_seconds = -1\nlive_at_once = 0\n\
        [ages]\nconfidence = 0.1";
    let config = read(low).unwrap();
    assert_eq!(config.server.connections, 1);
    assert_eq!(config.jobs.lease, SignedDuration::from_secs(1));
    assert_eq!((config.delivery.max_concurrent, config.delivery.max_concurrent_per_endpoint), (1, 1));
    assert_eq!(config.delivery.timeout, Duration::from_secs(1));
    let moderation = &config.moderation;
    assert_eq!((moderation.frames_per_second, moderation.min_face_pixels), (0.1, 10.0));
    assert_eq!((moderation.settle_seconds, moderation.max_concurrent_live_runs), (0.0, 1));
    assert_eq!(config.ages.estimate_confidence, Some(0.5));

    let high = "[moderation]\nsamples_per_second = 100\n[ages]\nconfidence = 1.0\n\
        [identity]\nwait_seconds = 60\nwithheld_countries = [\"prk\"]";
    let config = read(high).unwrap();
    assert_eq!(config.moderation.frames_per_second, 30.0);
    assert_eq!(config.ages.estimate_confidence, Some(0.999));
    assert_eq!(config.identity.task_wait_timeout, Duration::from_secs(25));
    assert_eq!(config.identity.withheld_countries, ["PRK"]);
}

#[test]
fn an_error_names_the_setting() {
    let errors = expected("errors.txt");
    let cases: Vec<_> = errors.trim_end().split("\n\n").collect();
    assert!(cases.len() > 20, "{}", cases.len());
    for case in cases {
        let (text, error) = case.split_once("\n=> ").unwrap();
        let refused = format!("{:#}", read(text).unwrap_err());
        // The path of the file is a temporary one.
        let refused = refused.rsplit_once(" in ").map_or(refused.as_str(), |(message, _)| message);
        assert_eq!(refused, format!("the configuration cannot be read: {error}"), "{text}");
    }
}

#[test]
fn a_time_or_size_beyond_any_use_is_refused() {
    let all: Value = serde_json::from_str(&expected("defaults.json")).unwrap();
    let has_unit = |path: &&str| {
        let name = path.rsplit('.').next().unwrap();
        name.split('_').any(|word| UNITS.contains(&word))
    };
    let paths = unchanged_settings("", &all, &all);
    let measured: Vec<_> = paths.iter().map(|path| &path[1..]).filter(has_unit).collect();
    assert!(measured.len() > 40, "{measured:?}");
    for path in measured {
        let (section, name) = path.rsplit_once('.').unwrap();
        let refused = read(&format!("[{section}]\n{name} = {}", i64::MAX));
        let refused = format!("{:#}", refused.expect_err(path));
        // Without the last digits, which a number with a fraction loses.
        let key = format!(" for key `{path}`");
        for words in ["922337203685477", " are too many: at most ", key.as_str()] {
            assert!(refused.contains(words), "{path}: {refused}");
        }
    }
}

/// The longest times that can be set lead to moments that can be stored.
#[test]
fn whatever_is_kept_for_the_longest_time_is_kept_until_a_moment() {
    let days = [
        ("audit", "keep_days"),
        ("delivery", "keep_days"),
        ("moderation", "keep_embeddings_days"),
        ("moderation", "keep_pictures_days"),
        ("identity", "keep_days"),
        ("identity", "duplicate_days"),
        ("ages", "keep_days"),
        ("ages", "key_days"),
        ("console", "session_days"),
        ("request_log", "days"),
    ];
    let lines: Vec<_> = days.iter().map(|(section, name)| format!("{section}.{name} = 36500\n")).collect();
    let kept = read(&lines.concat()).unwrap().retention().unwrap();
    let now: base::Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
    for time in [
        kept.deliveries,
        kept.document_sessions,
        kept.document_traces,
        kept.age_sessions,
        kept.stored_age_results,
        kept.found_embeddings,
        kept.found_pictures,
        kept.audit_records,
        kept.request_log.retention,
        kept.member_sessions,
    ] {
        assert_eq!(time, SignedDuration::from_hours(36_500 * 24));
        assert!(now.checked_sub(time).is_ok() && now.checked_add(time).is_ok());
    }
}

/// What the documents show an operator is read as they say.
#[test]
fn the_documents_settings_of_blind_tokens_are_read() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PROVIDERS.md");
    let document = std::fs::read_to_string(file).unwrap();
    let blocks = document.split("```toml\n").filter_map(|rest| rest.split("```").next());
    let settings = |text: &str| read(text).unwrap().ages.providers.double_anonymity.unwrap();
    let all: Vec<_> =
        blocks.filter(|text| text.starts_with("[ages.double_anonymity]")).map(settings).collect();
    let [own, elsewhere] = all.as_slice() else { panic!("{} blocks", all.len()) };
    assert_eq!((own.issuer.as_deref(), own.key_days), (None, 30));
    assert_eq!(own.thresholds, BlindTokenSettings::default().thresholds);
    let methods: Vec<_> = own.methods.iter().map(|way| way.method.as_str()).collect();
    assert_eq!(methods, ["doc_scan", "age_estimation"]);
    assert_eq!(own.methods[1].terms.level, Some(LivenessLevel::Passive));
    assert_eq!(
        (elsewhere.issuer.as_deref(), elsewhere.application),
        (Some("https://ages.example.org"), None)
    );
}
