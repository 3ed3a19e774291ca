//! The master key and the schema: what happens when they do not fit, and how keys are replaced.

use crate::test_installation::{Server, TEST_TIMEOUT, TestInstallation, text};
use db::Db;
use serde_json::{Value, json};
use std::{
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// What a command that must fail says.
#[track_caller]
fn refused(place: &TestInstallation, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

fn readiness(server: &Server, status: u16) -> Value {
    serde_json::from_str(&server.until("/readyz", status)).unwrap()
}

fn keys(place: &TestInstallation) -> Value {
    serde_json::from_str(&place.ask(&["keys", "list"])).unwrap()
}

/// Waits until the second master key has this state.
#[track_caller]
fn wait_for_former_key(place: &TestInstallation, state: &str) {
    let began = Instant::now();
    while keys(place)["master_keys"][1]["state"] != state {
        assert!(began.elapsed() < TEST_TIMEOUT, "{}", keys(place));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_lost_master_key_is_told_of_and_never_replaced() {
    let place = TestInstallation::new();
    assert_eq!(place.serve().stop(), Some(0));
    let (key, kept) = (place.path("master.key"), place.path("kept"));
    let fingerprint = keys(&place)["master_keys"][0]["master_key"].as_str().unwrap().to_owned();
    assert_eq!((fingerprint.len(), mode(&key), mode(&place.path("assay.db"))), (16, 0o600, 0o600));

    std::fs::rename(&key, &kept).unwrap();
    for command in [
        &["org", "create", "x"][..],
        &["jobs", "list"],
        &["keys", "list"],
        &["keys", "rotate"],
        &["poa", "keys"],
    ] {
        let said = refused(&place, command);
        assert!(said.contains("there is no master key") && said.contains(&fingerprint), "{said}");
        assert!(said.contains("restore the key from your backup"), "{said}");
    }
    let said = refused(&place, &["work", "--dev"]);
    assert!(said.contains("there is no master key"), "{said}");
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(text(&doctor.stdout).contains(&fingerprint), "{}", text(&doctor.stdout));
    assert!(!key.exists(), "nothing made a key");

    let log = std::fs::File::create(place.path("log")).unwrap();
    let server = place.serve_unready_with(&["--dev"], Stdio::from(log));
    let unready = readiness(&server, 503);
    assert_eq!(unready["database"]["ready"], true);
    let began = Instant::now();
    let hint = loop {
        match readiness(&server, 503)["master_key"].clone() {
            found if found["hint"].is_string() => break found,
            found => assert!(began.elapsed() < TEST_TIMEOUT, "{found}"),
        }
    };
    assert_eq!(hint, json!({ "ready": false, "hint": "run `assay doctor` on the server" }));
    // In the form of each interface.
    for (path, body) in [("/ai/v1/age", "SERVICE_UNAVAILABLE"), ("/poa/v1/verify", "SYSTEM_UNAVAILABLE")] {
        assert!(server.until(path, 503).contains(body), "{path}");
    }
    std::thread::sleep(std::time::Duration::from_secs(3));
    let log = std::fs::read_to_string(place.path("log")).unwrap();
    assert_eq!(log.matches("not started").count(), 1, "the log says it once: {log}");
    assert!(log.contains(&fingerprint), "{log}");

    // Another installation's key is none.
    std::fs::write(&key, "07".repeat(32)).unwrap();
    set_mode(&key, 0o600);
    let said = refused(&place, &["org", "list"]);
    assert!(said.contains("has master key") && said.contains(&fingerprint), "{said}");
    std::fs::rename(&kept, &key).unwrap();
    readiness(&server, 200);
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn an_exposed_key_is_refused_and_an_open_folder_is_noticed() {
    let place = TestInstallation::new();
    assert_eq!(place.serve().stop(), Some(0));
    let key = place.path("master.key");
    set_mode(&key, 0o644);
    for command in [&["serve", "--dev", "--listen", "127.0.0.1:0"][..], &["org", "list"]] {
        let said = refused(&place, command);
        assert!(said.contains(&format!("chmod 600 {}", key.display())) && said.contains("0644"), "{said}");
    }
    set_mode(&key, 0o600);
    set_mode(&place.path(""), 0o755);
    let doctor = place.ask(&["doctor"]);
    assert!(doctor.contains("chmod 700"), "{doctor}");
    assert!(!doctor.contains("chmod 600"), "a database of ours is for its owner alone: {doctor}");
    set_mode(&place.path("assay.db"), 0o644);
    let doctor = place.ask(&["doctor"]);
    assert!(doctor.contains("chmod 600") && doctor.contains("assay.db has mode 0644"), "{doctor}");
    let log = place.path("log");
    let server = place.serve_at("127.0.0.1:0", std::fs::File::create(&log).unwrap().into());
    assert_eq!(server.stop(), Some(0));
    let logged = std::fs::read_to_string(&log).unwrap();
    assert_eq!(logged.matches("others than its owner can look into this").count(), 2, "{logged}");
    assert!(logged.contains("0755") && logged.contains("0644"), "{logged}");
    set_mode(&place.path("assay.db"), 0o600);
    set_mode(&place.path(""), 0o700);
    assert!(!place.ask(&["doctor"]).contains("chmod"));
}

#[test]
fn development_and_production_do_not_mix() {
    let place = TestInstallation::new();
    place.ask(&["org", "create", "A customer"]);
    let said = refused(&place, &["serve", "--dev", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("not made by `assay serve --dev`") && said.contains("--data-dir"), "{said}");
    assert!(!place.path("dev-credentials.json").exists());
    let server = place.serve_unready();
    readiness(&server, 200);
    assert_eq!(server.stop(), Some(0));
    for command in [&["serve", "--dev", "--listen", "127.0.0.1:0"][..], &["work", "--dev"]] {
        assert!(refused(&place, command).contains("leave --dev out"));
    }

    let place = TestInstallation::new();
    assert_eq!(place.serve().stop(), Some(0));
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["work"]] {
        let said = refused(&place, command);
        assert!(said.contains("was made by `assay serve --dev`"), "{said}");
    }
    assert_eq!(place.serve().stop(), Some(0));
}

#[test]
fn the_master_key_is_rotated_while_the_server_runs() {
    let place = TestInstallation::new();
    let server = place.serve();
    let before = std::fs::read_to_string(place.path("master.key")).unwrap();
    let secret = place.ask(&["deliveries", "secret", place.credentials()["sdk_id"].as_str().unwrap()]);
    let list = keys(&place);
    assert_eq!(list["master_keys"].as_array().unwrap().len(), 1);
    assert!(list["processes"][0]["name"].as_str().unwrap().starts_with("serve on "), "{list}");
    let kinds: Vec<_> = list["signing_keys"].as_array().unwrap().iter().map(|key| &key["purpose"]).collect();
    assert!(kinds.contains(&&json!("proof-of-age")), "{list}");

    let said = place.ask(&["keys", "rotate"]);
    assert!(
        said.contains("→") && said.contains("still opens the data until") && said.contains("serve on "),
        "{said}"
    );
    let after = std::fs::read_to_string(place.path("master.key")).unwrap();
    assert_ne!(after, before);
    assert_eq!(mode(&place.path("master.key")), 0o600);
    wait_for_former_key(&place, "RETIRED");
    let list = place.ask(&["keys", "list"]);
    assert!(!list.contains(&before) && !list.contains(&after), "a list shows no key");
    assert_eq!(server.stop(), Some(0));

    let server = place.serve();
    readiness(&server, 200);
    let sdk_id = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    assert_eq!(place.ask(&["deliveries", "secret", &sdk_id]), secret, "what was sealed still opens");
    assert_eq!(server.stop(), Some(0));

    // Nobody is left to wait for: this command retires the former key itself. The new one is brought along.
    let brought = place.path("brought");
    std::fs::write(&brought, "3c".repeat(32)).unwrap();
    set_mode(&brought, 0o600);
    let said = place.ask(&["keys", "rotate", "master", "--new-key-file", brought.to_str().unwrap()]);
    assert!(said.contains("is retired"), "{said}");
    assert_eq!(std::fs::read_to_string(place.path("master.key")).unwrap(), "3c".repeat(32));
    let former = said.split(['→', ' ']).find(|word| word.len() == 16).unwrap().to_owned();
    std::fs::rename(place.path(&format!("master.key.{former}")), place.path("master.key")).unwrap();
    let said = refused(&place, &["org", "list"]);
    assert!(said.contains("was retired on"), "{said}");
}

#[test]
fn keys_that_sign_are_rotated() {
    let place = TestInstallation::new();
    let server = place.serve();
    server.until("/api/v1/webhook-keys", 200);
    // Whether a key signs, and whether it has an end.
    let of = |purpose: &str| -> Vec<(String, bool)> {
        let list = keys(&place);
        let keys = list["signing_keys"].as_array().unwrap().iter();
        keys.filter(|key| key["purpose"] == purpose)
            .map(|key| (key["state"].as_str().unwrap().to_owned(), key.get("until").is_some()))
            .collect()
    };
    let signing = ("SIGNING".to_owned(), false);
    // A former key for proofs of age goes on signing until every process has read the next one.
    for (purpose, former) in [("age-webhooks", "RETIRING"), ("proof-of-age", "SIGNING")] {
        assert_eq!(of(purpose), std::slice::from_ref(&signing), "{purpose}");
        place.ask(&["keys", "rotate", purpose]);
        assert_eq!(of(purpose), [signing.clone(), (former.to_owned(), true)], "{purpose}");
        place.ask(&["keys", "rotate", purpose, "--at-once"]);
        assert_eq!(of(purpose), std::slice::from_ref(&signing), "{purpose}");
    }
    assert!(place.ask(&["keys", "rotate", "blind-tokens"]).starts_with("0 keys"));
    assert!(refused(&place, &["keys", "rotate", "--at-once"]).contains("--at-once"));
}

#[test]
fn each_rotation_is_recorded_with_who_did_it() {
    let place = TestInstallation::new();
    place.ask(&["org", "create", "A customer"]);
    let records = || -> Vec<Value> {
        let lines = place.ask(&["audit", "export"]);
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["record"].take()).collect()
    };
    let mut before = records().len();
    for (key, kind) in [
        ("master", "master-key.rotate"),
        ("age-webhooks", "age-webhook-key.rotate"),
        ("proof-of-age", "issuing-key.rotate"),
        ("blind-tokens", "blind-token-key.rotate"),
    ] {
        place.ask(&["keys", "rotate", key]);
        let made = records().split_off(before);
        let kinds: Vec<_> = made.iter().map(|record| &record["kind"]).collect();
        assert_eq!(kinds, [kind], "{made:?}");
        assert!(made[0]["actor"].as_str().unwrap().starts_with("operator:"), "{made:?}");
        before += 1;
        if key == "master" {
            let list = keys(&place);
            assert_eq!(made[0]["target"], list["master_keys"][0]["master_key"]);
            assert_eq!(made[0]["details"]["former"], list["master_keys"][1]["master_key"]);
        }
    }
    assert!(place.ask(&["audit", "verify"]).starts_with(&format!("{before} records, none changed")));
}

#[test]
fn a_key_without_scopes_is_asked_for_by_name() {
    let place = TestInstallation::new();
    let org = place.ask(&["org", "create", "A customer"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org]);
    let create = ["key", "create", "--app", &app];
    for wrong in [&[][..], &["--administrator", "--scope", "profiles:view"]] {
        let output = place.run(&[&create[..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("--administrator"), "{}", text(&output.stderr));
    }
    place.ask(&[&create[..], &["--scope", "profiles:view"]].concat());
    place.ask(&[&create[..], &["--administrator"]].concat());
}

#[test]
fn the_key_may_be_in_a_variable_or_a_credential_and_in_one_place_only() {
    let digits = "4d".repeat(32);
    let place =
        TestInstallation::new().set("ASSAY__SECRETS__MASTER_KEY_VARIABLE", "THE_KEY").set("THE_KEY", &digits);
    assert_eq!(place.serve().stop(), Some(0));
    assert!(!place.path("master.key").exists());
    assert_eq!(keys(&place)["place"], "the environment variable THE_KEY");
    let said = refused(&place, &["keys", "rotate"]);
    assert!(said.contains("--new-key-file"), "{said}");
    let next = place.path("next");
    std::fs::write(&next, "5e".repeat(32)).unwrap();
    set_mode(&next, 0o600);
    let said = place.ask(&["keys", "rotate", "--new-key-file", next.to_str().unwrap()]);
    assert!(said.contains("now put the new key into the environment variable THE_KEY"), "{said}");
    let mut with_new_key = place.command(&["org", "list"]);
    assert!(with_new_key.env("THE_KEY", "5e".repeat(32)).output().unwrap().status.success());
    let mut without = place.command(&["org", "list"]);
    let output = without.env_remove("THE_KEY").output().unwrap();
    assert!(
        text(&output.stderr).contains("there is no master key in the environment variable"),
        "{output:?}"
    );

    let folder = tempfile::tempdir().unwrap();
    let credential = folder.path().join("assay-key");
    let place = TestInstallation::new()
        .set("ASSAY__SECRETS__MASTER_KEY_CREDENTIAL", "assay-key")
        .set("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap());
    let unready = place.serve_unready_with(&["--dev"], Stdio::null());
    let began = Instant::now();
    while !readiness(&unready, 503)["master_key"]["hint"].is_string() {
        assert!(began.elapsed() < TEST_TIMEOUT);
    }
    let doctor = place.run(&["doctor"]);
    assert!(text(&doctor.stdout).contains("credential assay-key"), "{}", text(&doctor.stdout));
    std::fs::write(&credential, digits).unwrap();
    readiness(&unready, 200);

    let place = TestInstallation::new()
        .set("ASSAY__SECRETS__MASTER_KEY_VARIABLE", "THE_KEY")
        .set("ASSAY__SECRETS__MASTER_KEY_CREDENTIAL", "assay-key");
    let said = refused(&place, &["org", "list"]);
    assert!(said.contains("names 2: master_key_variable, master_key_credential"), "{said}");
}

/// A token of software, made for a test.
struct SoftToken {
    folder: tempfile::TempDir,
}

impl SoftToken {
    const MODULE: &'static str = "/usr/lib/softhsm/libsofthsm2.so";

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tokens = folder.path().join("tokens");
        std::fs::create_dir(&tokens).unwrap();
        std::fs::write(
            folder.path().join("softhsm2.conf"),
            format!(
                "directories.tokendir = {}\nobjectstore.backend = file\nlog.level = ERROR\n",
                tokens.display()
            ),
        )
        .unwrap();
        std::fs::write(folder.path().join("pin"), "123456\n").unwrap();
        set_mode(&folder.path().join("pin"), 0o600);
        let token = Self { folder };
        let made = Command::new("softhsm2-util")
            .args(["--init-token", "--free", "--label", "assay", "--pin", "123456", "--so-pin", "654321"])
            .env("SOFTHSM2_CONF", token.path("softhsm2.conf"))
            .output()
            .expect("softhsm2 is installed: scripts/system-packages.sh tests");
        assert!(made.status.success(), "{}", text(&made.stderr));
        token
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn install(&self, place: TestInstallation) -> TestInstallation {
        place
            .set("SOFTHSM2_CONF", &self.path("softhsm2.conf"))
            .set("ASSAY__SECRETS__PKCS11__MODULE", Self::MODULE)
            .set("ASSAY__SECRETS__PKCS11__TOKEN", "assay")
            .set("ASSAY__SECRETS__PKCS11__KEY", "master")
            .set("ASSAY__SECRETS__PKCS11__PIN_FILE", &self.path("pin"))
    }
}

#[test]
fn the_master_key_may_be_in_a_token_and_never_leaves_it() {
    let token = SoftToken::new();
    let place = token.install(TestInstallation::new());
    let server = place.serve();
    readiness(&server, 200);
    assert!(!place.path("master.key").exists());
    let list = keys(&place);
    assert!(list["place"].as_str().unwrap().contains("the token \"assay\""), "{list}");
    let doctor = place.ask(&["doctor"]);
    assert!(doctor.contains("the token \"assay\""), "{doctor}");
    let sdk_id = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    let secret = place.ask(&["deliveries", "secret", &sdk_id]);

    // Another key of the same label, in the same token: no node needs anything new.
    place.ask(&["keys", "rotate"]);
    wait_for_former_key(&place, "RETIRED");
    assert_eq!(server.stop(), Some(0));
    let said = place.ask(&["keys", "rotate"]);
    assert!(said.contains("is retired"), "{said}");
    let server = place.serve();
    assert_eq!(place.ask(&["deliveries", "secret", &sdk_id]), secret);
    assert_eq!(server.stop(), Some(0));

    std::fs::write(token.path("pin"), "000000").unwrap();
    let said = refused(&place, &["org", "list"]);
    assert!(said.contains("secrets.pkcs11.pin_file"), "{said}");
    set_mode(Path::new(&token.path("pin")), 0o644);
    assert!(refused(&place, &["org", "list"]).contains("chmod 600"));
    set_mode(Path::new(&token.path("pin")), 0o600);
    std::fs::write(token.path("pin"), "123456").unwrap();
    let mut other = place.command(&["org", "list"]);
    let output = other.env("ASSAY__SECRETS__PKCS11__TOKEN", "other").output().unwrap();
    assert!(text(&output.stderr).contains("none has the label \"other\""), "{}", text(&output.stderr));
}

#[test]
fn a_master_key_moves_from_a_file_into_a_token() {
    let token = SoftToken::new();
    let place = TestInstallation::new().set("SOFTHSM2_CONF", &token.path("softhsm2.conf"));
    assert_eq!(place.serve().stop(), Some(0));
    let sdk_id = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    let secret = place.ask(&["deliveries", "secret", &sdk_id]);
    let config = place.path("token.toml");
    let settings = format!(
        "[secrets.pkcs11]\nmodule = {:?}\ntoken = \"assay\"\nkey = \"master\"\npin_file = {:?}\n",
        SoftToken::MODULE,
        token.path("pin")
    );
    std::fs::write(&config, settings).unwrap();
    let config = config.to_str().unwrap();
    let said = place.ask(&["keys", "rotate", "--new-config", config]);
    assert!(said.contains("is retired") && said.contains("new [secrets]"), "{said}");
    assert!(refused(&place, &["org", "list"]).contains("was retired on"));
    assert_eq!(place.ask(&["deliveries", "secret", &sdk_id, "--config", config]), secret);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_serves_a_newer_schema_only_if_that_says_so() {
    let place = TestInstallation::new();
    assert_eq!(place.serve().stop(), Some(0));
    let database = Db::open(&format!("sqlite:{}", place.path("assay.db").display()), 2).unwrap();
    let build = database.schema_status().await.unwrap().build;
    database.record_newer_migration(9_998, build).await;

    // Rolled back by one, to this build.
    let server = place.serve();
    let ready = readiness(&server, 200);
    assert_eq!(ready["schema"], json!({ "ready": true, "build": build, "database": 9_998 }));
    let face = place.path("face.jpg");
    std::fs::write(&face, testkit::face_jpeg()).unwrap();
    place.ask(&["call", "/ai/v1/age", "--img", face.to_str().unwrap()]);
    assert!(place.ask(&["doctor"]).contains("a newer build has migrated it to schema 9998"));

    // A step that this build cannot follow, while it serves.
    database.record_newer_migration(9_999, 9_999).await;
    let unready = readiness(&server, 503);
    assert_eq!(unready["schema"], json!({ "ready": false, "build": build, "database": 9_999 }));
    server.until("/ai/v1/age", 503);
    assert_eq!(server.stop(), Some(0));

    let log = std::fs::File::create(place.path("log")).unwrap();
    let server = place.serve_unready_with(&["--dev"], Stdio::from(log));
    let unready = readiness(&server, 503);
    assert_eq!(unready["schema"], json!({ "ready": false, "build": build, "database": 9_999 }));
    server.until("/ai/v1/age", 503);
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(server.stop(), Some(0));
    let log = std::fs::read_to_string(place.path("log")).unwrap();
    assert_eq!(log.matches("not started").count(), 1, "{log}");
    assert!(log.contains("schema 9999"), "{log}");
    for command in [&["org", "list"][..], &["work", "--dev"], &["migrate"]] {
        assert!(refused(&place, command).contains("schema 9999"));
    }
    let doctor = place.run(&["doctor"]);
    assert!(text(&doctor.stdout).contains("run the newer build again"), "{}", text(&doctor.stdout));
    database.close().await;
}

#[test]
fn the_memory_of_a_server_is_not_dumped() {
    let place = TestInstallation::new();
    let server = place.serve();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.process_id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let values: Vec<_> = core["Max core file size".len()..].split_whitespace().take(2).collect();
    assert_eq!(values, ["0", "0"], "{core}");
}
