//! The tools: tenants, keys, documents, the doctor.

use crate::test_installation::{TEST_TIMEOUT, TestInstallation, client, repository, text};
use db::{Db, sql};
use serde_json::{Value, json};
use std::{os::unix::fs::PermissionsExt as _, path::Path};

#[test]
fn tenants_and_keys_are_made_and_taken_away() {
    let place = TestInstallation::new();
    let server = place.serve();
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org, "--feature", "image-ai"]);
    let key_file = place.path("till.pem");
    place.ask(&["key", "generate", "--app", &app, "--out", key_file.to_str().unwrap()]);
    assert_eq!(std::fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = |file: &Path| std::fs::read_to_string(file).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(kept(&key_file), "-----BEGIN RSA PRIVATE KEY-----", "every client library reads that");
    let other = place.path("other.pem");
    place.ask(&["key", "generate", "--app", &app, "--out", other.to_str().unwrap(), "--format", "pkcs8"]);
    assert_eq!(kept(&other), "-----BEGIN PRIVATE KEY-----");
    let api_key = place.ask(&["key", "create", "--app", &app, "--name", "back office", "--administrator"]);

    let mine = json!({
        "base_url": server.url, "organisation_id": org, "sdk_id": app, "private_key_path": key_file,
        "api_key": api_key.lines().next().unwrap(),
    });
    let file = place.path("till.json");
    std::fs::write(&file, mine.to_string()).unwrap();
    let code = || {
        let output = place.run(&["call", "/ai/v1/age", "--credentials", file.to_str().unwrap()]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["error_code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(), "IMAGE_NOT_PROVIDED", "the signature is right, the body is empty");
    place.ask(&["org", "disable", &org]);
    assert_eq!(code(), "INVALID_ORG_STATUS");
    place.ask(&["org", "enable", &org]);
    place.ask(&["app", "disable", &app]);
    assert_eq!(code(), "DISABLED_APP_STATE");
    place.ask(&["app", "enable", &app]);
    place.ask(&["app", "features", &app]);
    assert_eq!(code(), "UNAUTHORIZED");
    for key in
        serde_json::from_str::<Value>(&place.ask(&["key", "list", "--app", &app])).unwrap()["public_keys"]
            .as_array()
            .unwrap()
    {
        place.ask(&["key", "revoke-public", "--app", &app, key["id"].as_str().unwrap()]);
    }
    assert_eq!(code(), "INVALID_PUBLIC_KEY");

    let listed: Value = serde_json::from_str(&place.ask(&["key", "list", "--app", &app])).unwrap();
    let id = listed["api_keys"][0]["id"].as_str().unwrap().to_owned();
    let rotated = place.ask(&["key", "rotate", "--app", &app, &id]);
    assert_ne!(rotated.lines().next(), api_key.lines().next());
    let all = place.ask(&["key", "list", "--app", &app]);
    assert!(!all.contains(rotated.lines().next().unwrap()), "a list shows no key");

    let nobody = place.run(&["app", "enable", "018f3c8e-0000-7000-8000-00000000000a"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(text(&nobody.stderr).starts_with("error: "), "{}", text(&nobody.stderr));
}

#[test]
fn the_limits_of_an_application_are_set_and_shown() {
    let place = TestInstallation::new();
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org]);
    let limits = |options: &[&str]| -> Value {
        serde_json::from_str(&place.ask(&[&["app", "limits", &app], options].concat())).unwrap()
    };
    let fresh = limits(&[]);
    assert_eq!(fresh["in_force"]["live_streams"], 100);
    assert_eq!(fresh["in_force"]["calls_per_minute"], Value::Null);
    assert_eq!(fresh["used"]["stored_bytes"], 0);
    let set = limits(&["--calls-per-minute", "600", "--live-streams", "none", "--recount"]);
    assert_eq!(set["own"]["calls_per_minute"], 600);
    assert_eq!(set["in_force"]["calls_per_minute"], 600);
    assert_eq!(set["in_force"]["live_streams"], Value::Null);
    let back = limits(&["--live-streams", "default"]);
    assert_eq!(
        (&back["own"]["live_streams"], &back["in_force"]["live_streams"]),
        (&Value::Null, &100.into())
    );
    assert_eq!(back["own"]["calls_per_minute"], 600, "what is not named stays");
    for wrong in ["0", "-1", "many"] {
        assert_ne!(
            place.run(&["app", "limits", &app, &format!("--running-jobs={wrong}")]).status.code(),
            Some(0)
        );
    }
    let nobody = place.run(&["app", "limits", "018f3c8e-0000-7000-8000-00000000000a"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(place.ask(&["audit", "export"]).contains("application.set-limits"));
}

#[test]
fn what_an_operator_does_is_recorded_and_the_record_is_whole() {
    let place = TestInstallation::new();
    let server = place.serve();
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org, "--feature", "image-ai"]);
    place.ask(&["key", "create", "--app", &app, "--administrator"]);
    let lines = place.ask(&["audit", "export"]);
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = records.iter().map(|record| record["record"]["kind"].as_str().unwrap()).collect();
    // Between them is what `--dev` makes.
    assert_eq!(kinds[0], "server.start");
    assert_eq!(kinds[kinds.len() - 3..], ["organisation.create", "application.create", "api-key.create"]);
    let made = &records[records.len() - 3]["record"];
    let actor = made["actor"].as_str().unwrap();
    assert!(actor.starts_with("operator:") && actor.contains('@'), "{actor}");
    assert_eq!(made["target"], org);
    assert_eq!(records[0]["record"]["details"]["settings"]["audit"]["keep_days"], 400);
    assert_eq!(records[3]["hash"].as_str().unwrap().len(), 64);

    // Each is chained to the one before: what `docs/RUNNING.md` says is enough to check an export.
    let mut before = "0".repeat(64);
    for line in lines.lines() {
        let (hash, text) = line.strip_prefix("{\"hash\":\"").unwrap().split_once("\",\"record\":").unwrap();
        let text = text.strip_suffix('}').unwrap();
        assert_eq!(domain::audit::sha256_hex(format!("{before}\n{text}").as_bytes()), hash);
        hash.clone_into(&mut before);
    }
    let chosen = place.ask(&["audit", "export", "--app", &app, "--kind", "api-key"]);
    assert_eq!(chosen.lines().count(), 1);

    let end = place.path("end.json");
    std::fs::write(&end, place.ask(&["audit", "end"])).unwrap();
    place.ask(&["org", "disable", &org]);
    let verify = || place.run(&["audit", "verify", "--kept-end", end.to_str().unwrap()]);
    assert!(text(&verify().stdout).contains("records, none changed"), "{}", text(&verify().stderr));
    let later = json!({ "seq": records.len() + 2, "hash": "0".repeat(64) });
    std::fs::write(&end, later.to_string()).unwrap();
    let cut_off = verify();
    assert_eq!(cut_off.status.code(), Some(1));
    assert!(text(&cut_off.stderr).contains("records were cut off"), "{}", text(&cut_off.stderr));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn a_command_whose_result_cannot_be_written_fails() {
    let place = TestInstallation::new();
    place.ask(&["org", "create", "Corner shop"]);
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for command in [&["audit", "export"][..], &["org", "list"]] {
        let output = place.command(command).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let said = text(&output.stderr);
        assert!(said.contains("the result could not be written"), "{command:?}: {said}");
    }

    // A reader that has seen enough.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = place.command(&["audit", "export"]).stdout(writer).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trail_that_does_not_verify_is_begun_anew_and_says_so() {
    let place = TestInstallation::new();
    place.ask(&["org", "create", "Corner shop"]);
    let former = place.path("former.jsonl");
    let begin = || place.run(&["audit", "begin", "--former", former.to_str().unwrap()]);
    let refused = begin();
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("the trail is whole"), "{}", text(&refused.stderr));
    assert!(!former.exists());

    let lines = place.ask(&["audit", "export"]);
    let database = Db::open(&format!("sqlite:{}", place.path("assay.db").display()), 2).unwrap();
    let mut tx = database.write().await.unwrap();
    tx.execute(sql!("UPDATE audit_chain SET signature = ''")).await.unwrap();
    tx.commit().await.unwrap();
    database.close().await;
    let broken = place.run(&["audit", "verify"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(text(&broken.stderr).contains("are not signed"), "{}", text(&broken.stderr));

    assert!(begin().status.success());
    let kept = std::fs::read_to_string(&former).unwrap();
    assert_eq!(kept.trim_end(), lines, "no record is lost");
    let record: Value = serde_json::from_str(&place.ask(&["audit", "export"])).unwrap();
    let (entry, details) = (&record["record"], &record["record"]["details"]);
    assert_eq!((&entry["seq"], &entry["kind"]), (&json!(1), &json!("audit-trail.begin")));
    assert!(entry["actor"].as_str().unwrap().starts_with("operator:"), "{entry}");
    assert_eq!(details["records"], kept.lines().count());
    assert_eq!(details["sha256"], domain::audit::sha256_hex(kept.as_bytes()));
    assert!(details["problem"].as_str().unwrap().contains("are not signed"), "{details}");

    let whole = place.ask(&["audit", "verify"]);
    let end = format!("1:{}", record["hash"].as_str().unwrap());
    assert_eq!(whole, format!("1 records, none changed, removed or moved; the end is {end}"));
    place.ask(&["audit", "verify", "--expect", &end]);
    let former_end: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let expected = format!("{}:{}", former_end["record"]["seq"], former_end["hash"].as_str().unwrap());
    let other = place.run(&["audit", "verify", "--expect", &expected]);
    assert_eq!(other.status.code(), Some(1), "the former trail is not taken for this one");
    assert_eq!(place.run(&["audit", "verify", "--expect", "1"]).status.code(), Some(2));
}

#[test]
fn jobs_can_be_looked_at_and_decided_about() {
    let place = TestInstallation::new();
    let server = place.serve();
    let jobs =
        || serde_json::from_str::<Value>(&place.ask(&["jobs", "list", "--kind", "purge-nonces"])).unwrap();
    let began = std::time::Instant::now();
    // The first round ran when the server started; the row stays for the next.
    while jobs()[0]["state"] != "WAITING" || jobs()[0]["attempts"] != 0 {
        assert!(began.elapsed() < TEST_TIMEOUT, "{}", jobs());
    }
    let id = jobs()[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.stop(), Some(0));
    assert!(place.ask(&["jobs", "show", &id]).contains("run_at"));
    place.ask(&["jobs", "retry", &id]);
    place.ask(&["jobs", "discard", &id]);
    assert_eq!(jobs(), json!([]));
    let gone = place.run(&["jobs", "show", &id]);
    assert_eq!((gone.status.code(), text(&gone.stderr).contains(&id)), (Some(1), true));
}

#[tokio::test]
async fn an_empty_installation_gets_its_first_operator() {
    let place = TestInstallation::new();
    let server = place.serve();
    let nobody: Value = serde_json::from_str(&place.ask(&["operator", "list"])).unwrap();
    assert_eq!(nobody, json!({ "operators": [], "invitations": [] }));
    let replaced = place.ask(&["init", "--email", "eve@example.com"]);
    let link = place.ask(&["init", "--email", "ada@example.com", "--name", "Ada"]);
    assert!(link.contains("/console/#operator-invite=") && link != replaced, "{link}");
    let listed: Value = serde_json::from_str(&place.ask(&["operator", "list"])).unwrap();
    let invited: Vec<_> = listed["invitations"].as_array().unwrap().iter().map(|one| &one["email"]).collect();
    assert_eq!(invited, ["ada@example.com"], "the later invitation replaces the earlier one");

    let token = link.trim().split_once("#operator-invite=").unwrap().1;
    let body = json!({ "operator_invitation": token }).to_string();
    let request = client().post(format!("{}/console/session", server.url)).header("X-Assay-Console", "1");
    let entered = request.body(body).send().await.unwrap().bytes().await.unwrap();
    let session: Value = serde_json::from_slice(&entered).unwrap();
    assert_eq!(session["operator"]["name"], "Ada", "{session}");
    assert_eq!(session["second_factor"], "enrolment-required");

    let again = place.run(&["init", "--email", "eve@example.com"]);
    assert_eq!(again.status.code(), Some(1), "there is one");
    assert!(text(&again.stderr).contains("assay operator invite"), "{}", text(&again.stderr));
    let id = session["operator"]["id"].as_str().unwrap();
    let last = place.run(&["operator", "disable", id]);
    assert_eq!(last.status.code(), Some(1), "nobody would be left");
    let invited = place.ask(&["operator", "invite", "--email", "max@example.com", "--role", "support"]);
    assert!(invited.contains("#operator-invite="), "{invited}");
    let unknown = place.run(&["operator", "invite", "--email", "max@example.com", "--role", "king"]);
    assert_eq!(unknown.status.code(), Some(1));
    let link = place.ask(&["operator", "sign-in-link", "--email", "ADA@example.com"]);
    assert!(link.contains("/console/#operator-sign-in="), "{link}");
    place.ask(&["operator", "grant", id, "--role", "administrator", "--scope", "audit:view"]);
    let listed: Value = serde_json::from_str(&place.ask(&["operator", "list"])).unwrap();
    assert_eq!(listed["operators"][0]["role"], "administrator");
}

#[test]
fn a_member_is_given_scopes_of_the_console() {
    let place = TestInstallation::new();
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org]);
    let account = place.ask(&["account", "open", "--app", &app, "Production"]);
    let grant = |scopes: &str| {
        let grant = ["account", "grant", "--account", &account, "--email", "ada@example.com"];
        place.run(&[&grant[..], &["--console-scopes", scopes]].concat())
    };
    let nobody = grant("documents:review");
    assert_eq!(nobody.status.code(), Some(1));
    assert!(text(&nobody.stderr).contains("has no member"), "{}", text(&nobody.stderr));
    assert_eq!(grant("documents:review,king").status.code(), Some(2), "no such scope");
}

#[test]
fn accounts_are_opened_and_closed_and_leave_a_receipt() {
    let place = TestInstallation::new();
    let server = place.serve();
    let app = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    let account = place.ask(&["account", "open", "--app", &app, "Production"]);
    let invite = ["account", "invite", "--account", &account, "--email", "ada@example.com", "--admin"];
    let said = place.ask(&[&invite[..], &["--dev"]].concat());
    let link = said.lines().nth(1).unwrap();
    assert!(link.starts_with(&format!("{}/console/#invite=", server.url)), "{said}");
    let began = std::time::Instant::now();
    let letter = loop {
        let letters = std::fs::read_dir(place.path("mail")).into_iter().flatten().next();
        match letters.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()) {
            Some(letter) if letter.contains("</html>") => break letter,
            _ => assert!(began.elapsed() < TEST_TIMEOUT, "the server sends what the command queued"),
        }
    };
    assert!(letter.replace("=\r\n", "").replace("=3D", "=").contains(link), "{link}: {letter}");

    let listed: Value = serde_json::from_str(&place.ask(&["account", "list"])).unwrap();
    assert_eq!((&listed[0]["name"], &listed[0]["state"]), (&json!("Production"), &json!("OPEN")));
    assert_eq!(place.run(&["account", "close", &account]).status.code(), Some(1), "it wants a yes");
    place.ask(&["account", "close", &account, "--yes"]);
    assert_eq!(place.ask(&["account", "list"]), "[]");
    let receipt: Value = serde_json::from_str(&place.ask(&["account", "receipt", &account])).unwrap();
    assert_eq!(
        (&receipt["receipt"]["by"], &receipt["receipt"]["what"]),
        (&json!("operator"), &json!({ "invitations": 1 }))
    );
    let key: Value = serde_json::from_str(&place.ask(&["account", "receipt", "--key"])).unwrap();
    assert_eq!(receipt["key"], key);

    assert_eq!(place.ask(&["audit", "orphans", "--json"]), "[]");
    let stray = place.path("blobs").join(&account).join("photo");
    std::fs::create_dir_all(&stray).unwrap();
    std::fs::write(stray.join("a"), b"bytes").unwrap();
    let found = place.run(&["audit", "orphans"]);
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stdout).contains(&account), "{}", text(&found.stdout));
}

#[test]
fn members_come_into_the_console_by_links_where_no_mail_is_set_up() {
    let place = TestInstallation::new();
    let server = place.serve();
    let app = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    let account = place.ask(&["account", "open", "--app", &app, "--name", "Production"]);
    let whom = ["--account", &account, "--email", "Ada@example.com"];

    // Opens the session that a link begins; status and body.
    let enter = |link: &str| {
        let (console, what) = link.split_once("/console/#").unwrap();
        assert_eq!(console, server.url);
        let (name, token) = what.split_once('=').unwrap();
        let name = if name == "invite" { "invitation" } else { "link" };
        let arguments = ["-s", "-w", "\n%{http_code}", "-H", "X-Assay-Console: 1", "-d"];
        let mut curl = std::process::Command::new("curl");
        let asked = json!({ name: token }).to_string();
        let output = curl.args(arguments).arg(asked).arg(format!("{console}/console/session")).output();
        let said = text(&output.unwrap().stdout);
        let (body, status) = said.rsplit_once('\n').unwrap();
        (status.to_owned(), serde_json::from_str::<Value>(body).unwrap_or_default())
    };

    let early = place.run(&[&["account", "sign-in-link"], &whom[..]].concat());
    assert_eq!(early.status.code(), Some(1), "nobody is a member yet");
    assert!(text(&early.stderr).contains("Ada@example.com"), "{}", text(&early.stderr));

    let invited = place.run(&[&["account", "invite", "--admin"], &whom[..]].concat());
    assert!(invited.status.success() && text(&invited.stderr).contains("mail.host"), "{invited:?}");
    let invitation = text(&invited.stdout).lines().nth(1).unwrap().to_owned();
    let (status, body) = enter(&invitation);
    assert_eq!(
        (status.as_str(), &body["member"]["email"], &body["member"]["admin"]),
        ("200", &json!("Ada@example.com"), &json!(true)),
        "{body}"
    );
    assert_ne!(enter(&invitation).0, "200", "a link works once");

    let link = place.ask(&[&["account", "sign-in-link"], &whom[..]].concat());
    let (status, body) = enter(&link);
    assert_eq!((status.as_str(), &body["member"]["username"]), ("200", &json!("Ada")), "{body}");
    assert_ne!(enter(&link).0, "200", "a link works once");
    assert!(!place.path("mail").exists(), "no mail was queued");
}

#[test]
fn names_and_applications_are_taken_as_arguments_and_as_options() {
    let place = TestInstallation::new();
    for form in [&["Corner shop"][..], &["--name", "Corner shop"]] {
        let org = place.ask(&[&["org", "create"], form].concat());
        let app = place.ask(&[&["app", "create", "--org", &org], form].concat());
        place.ask(&[&["account", "open", "--app", &app], form].concat());
        let secret = place.ask(&["deliveries", "secret", &app]);
        assert_eq!(place.ask(&["deliveries", "secret", "--app", &app]), secret);
    }
    let listed: Value = serde_json::from_str(&place.ask(&["account", "list"])).unwrap();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|account| &account["name"]).collect();
    assert_eq!(names, ["Corner shop"; 2]);
    for wrong in [&["org", "create"][..], &["org", "create", "one", "--name", "two"]] {
        assert_eq!(place.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn days_and_moments_outside_the_calendar_are_refused() {
    let place = TestInstallation::new();
    let app = "018f3c8e-0000-7000-8000-00000000000a";
    let check = |arguments: &[&str], expected: &str| {
        let refused = place.run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(text(&refused.stderr).contains(expected), "{arguments:?}: {}", text(&refused.stderr));
    };
    let token = ["token", "create", "--app", app, "--scope", "poa:verify"];
    check(&[&token[..], &["--days", "4294967295"]].concat(), "4294967295 is not in 1..=36500");
    let secret = ["deliveries", "secret", app, "--rotate", "--overlap-hours", "4294967295"];
    check(&secret, "4294967295 is not in 0..=8760");
    let expected = "it is not a moment from 1970 to 9999";
    check(&["deliveries", "list", "--from=-009999-01-02T02:00:00Z"], expected);
    check(&["audit", "export", "--to=0000-01-01T00:00:00Z"], expected);
}

#[test]
fn the_doctor_finds_nothing_wrong_where_nothing_is() {
    let place = TestInstallation::new();
    place.ask(&["migrate"]);
    let found = place.ask(&["doctor"]);
    for part in ["models", "database", "disk", "clock", "ffmpeg", "poppler", "experimental"] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let settings = place.ask(&["doctor", "--settings"]);
    assert!(settings.contains("max_clock_skew_seconds"), "{settings}");
}

/// What people type must not be readable on the way, and callers must be told apart.
#[test]
fn the_doctor_looks_at_the_public_address() {
    let said = |url: &str, header: Option<&str>| {
        let mut place = TestInstallation::new().set("ASSAY__SERVER__PUBLIC_URL", url);
        if let Some(header) = header {
            place = place.set("ASSAY__LOCATIONS__ADDRESS_HEADER", header);
        }
        let found = text(&place.run(&["doctor"]).stdout);
        let lines: Vec<_> = found
            .lines()
            .filter(|line| line.get(6..).is_some_and(|name| name.starts_with("address ")))
            .map(str::to_owned)
            .collect();
        lines.join("\n")
    };
    let plain = said("http://shop.example", None);
    assert!(plain.contains("BAD   address") && plain.contains("can be read on the way"), "{plain}");
    assert!(
        plain.contains("note  address") && plain.contains("locations.address_header is not set"),
        "{plain}"
    );
    let proxied = said("https://shop.example", Some("X-Forwarded-For"));
    assert!(proxied.starts_with("ok    address") && !proxied.contains("address_header"), "{proxied}");
    for local in ["http://localhost:8080", "http://[::1]:8080", "http://127.0.0.1"] {
        let found = said(local, None);
        assert!(found.starts_with("ok    address") && found.lines().count() == 1, "{local}: {found}");
    }
}

/// A database server on another machine must prove who it is, or the doctor says so.
#[test]
fn the_doctor_looks_at_the_tls_of_the_database() {
    for (query, mode) in
        [("?sslmode=require", Some("require")), ("?sslmode=disable", Some("disable")), ("", None)]
    {
        let url = format!("postgres://nobody@database.invalid/none{query}");
        let doctor = TestInstallation::new().set("ASSAY__DATABASE__URL", &url).run(&["doctor"]);
        let said = text(&doctor.stdout);
        assert_eq!(doctor.status.code(), Some(1), "it does not answer: {said}");
        let weak = mode.map(|mode| format!("BAD   database     sslmode={mode}: whoever is between"));
        assert_eq!(said.contains("sslmode="), weak.is_some(), "{said}");
        assert!(weak.is_none_or(|weak| said.contains(&weak)), "{said}");
    }
}

/// A server does not start with these, or does without a part of it.
#[test]
fn the_doctor_names_settings_that_cannot_be_used() {
    let place = TestInstallation::new();
    place.ask(&["migrate"]);
    let file = place.path("assay.toml");
    let doctor = |settings: &str| {
        std::fs::write(&file, settings).unwrap();
        place.command(&["doctor", "--config", file.to_str().unwrap()])
    };
    for (settings, expected) in [
        ("[mail]\nhost = \"mail.example.com\"", "mail.from"),
        ("[mail]\nfrom = \"nobody\"", "mail.from"),
        ("[proof]\ntrust_list_url = \"https://lists.example.com/a\"", "proof.trust_list_keys_file"),
        ("[proof]\ntrust_list_keys_file = \"/nowhere\"", "proof.trust_list_keys_file"),
        ("[proof]\ntrust_list = \"/nowhere\"", "proof.trust_list"),
        ("[wire]\nbrand = \"a b\"", "wire.brand"),
        // An address for examples (RFC 5737), which no machine has.
        ("[server]\nadmin_listen = \"192.0.2.1:9100\"", "server.admin_listen"),
        ("[log]\nfilter = \"api=loud\"", "log.filter"),
        ("[log]\notlp_endpoint = \"http://127.0.0.1:4318\"\nsampling_ratio = 2.0", "log.sampling_ratio"),
        (
            "[locations]\ngeoip = \"/nowhere\"",
            "`locations` cannot be used: the database of addresses /nowhere",
        ),
        ("[video]\nffmpeg = \"/nowhere\"", "video.ffmpeg"),
        ("[video]\nffprobe = \"/nowhere\"", "video.ffprobe"),
        (
            "[ages.credit_card]\nprovider = \"stripe\"\nsecret_file = \"/nowhere\"",
            "ages.credit_card.secret_file",
        ),
        ("[ages.policies]\nfolder = \"/nowhere\"\nkey_file = \"/nowhere\"", "ages.policies.key_file"),
        (
            "[console.oidc]\nissuer = \"https://id.example.com\"\nclient_id = \"console\"\n\
             client_secret_file = \"/nowhere\"",
            "console.oidc.client_secret_file",
        ),
        (
            "[storage.s3]\nbucket = \"assay\"\nregion = \"eu-west-1\"\naccess_key = \"AKIA\"\n\
             secret_key_file = \"/nowhere\"",
            "storage.s3.secret_key_file",
        ),
        // Not even root makes a folder there.
        ("[storage]\nfolder = \"/proc/assay\"", "storage.folder"),
        ("[storage]\nfolder = \"/etc/passwd\"", "storage.folder"),
    ] {
        // Without models, because loading them takes longest; that is told of as well.
        let output = doctor(settings).env("ASSAY__MODELS__FOLDER", "/nowhere").output().unwrap();
        let said = text(&output.stdout);
        let bad: Vec<_> = said.split("BAD   ").skip(1).filter(|told| !told.starts_with("models ")).collect();
        let [bad] = bad.as_slice() else { panic!("{settings}: {said}") };
        assert!(bad.lines().take(2).any(|line| line.contains(expected)), "{settings}: {said}");
    }
    let look = |settings: &str| {
        let output = doctor(settings).output().unwrap();
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = look("[wire]\nbrand = \"a b\"");
    assert_eq!(code, Some(1), "{said}");

    // A folder that a server would make is not made to find that out.
    let blobs = place.path("files/blobs");
    let (code, said) = look(&format!("[storage]\nfolder = {blobs:?}"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("a server starts with them") && !place.path("files").exists(), "{said}");
    let has_left = std::fs::read_dir(place.path(""))
        .unwrap()
        .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(".assay"));
    assert!(!has_left);

    // A list of somebody else's that is fetched is no reason to say that there is none.
    let example = std::fs::read_to_string(repository("docs/examples/trust-list.json")).unwrap();
    let mut list: Value = serde_json::from_str(&example).unwrap();
    let keys = place.path("keys.json");
    std::fs::write(&keys, json!({ "keys": list["issuers"][2]["keys"] }).to_string()).unwrap();
    let settings = "[proof]\ntrust_list_url = \"https://lists.example.com/a\"\ntrust_list_keys_file = ";
    let (code, said) = look(&format!("{settings}{keys:?}"));
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("fetched from https://lists.example.com/a") && !said.contains("only proofs"),
        "{said}"
    );

    // Nobody on a list that is over is trusted.
    let trust_list = place.path("trust-list.json");
    list["exp"] = json!(1_700_000_000);
    std::fs::write(&trust_list, list.to_string()).unwrap();
    let (code, said) = look(&format!("[proof]\ntrust_list = {trust_list:?}"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("has expired") && said.contains("proof.trust_list"), "{said}");
    let trusted = place.run(&["poa", "trust", "--config", file.to_str().unwrap()]);
    assert_eq!(trusted.status.code(), Some(1));
    assert!(text(&trusted.stderr).contains("expired at 2023-11-14"), "{}", text(&trusted.stderr));
    assert!(!text(&trusted.stdout).contains("GOV_EXAMPLE"), "{}", text(&trusted.stdout));
}

/// What the database says is told as it is, and a folder that cannot be looked into is not one without a database.
#[test]
fn the_doctor_says_why_a_database_does_not_answer() {
    let place = TestInstallation::new();
    std::fs::write(place.path("assay.db"), [b'x'; 4096]).unwrap();
    let foreign = text(&place.run(&["doctor"]).stdout);
    assert!(foreign.contains("file is not a database"), "{foreign}");

    let url = format!("sqlite:{}", place.path("assay.db/other.db").display());
    let doctor = place.command(&["doctor"]).env("ASSAY__DATABASE__URL", url).output().unwrap();
    let said = text(&doctor.stdout);
    assert_eq!(doctor.status.code(), Some(1), "{said}");
    assert!(said.contains("Not a directory") && !said.contains("assay migrate"), "{said}");
}

/// A slip in the address of a server is neither printed with its password nor taken for the name of a file.
#[test]
fn a_slip_in_the_url_of_the_database_is_refused_without_its_password() {
    let place = TestInstallation::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database.url");
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    for url in [
        "\"postgres://assay:swordfish@db/assay\"",
        "psql://assay:swordfish@db/assay",
        "postgres//assay:swordfish@db/assay",
        "host=db password=swordfish",
        "mysql:swordfish",
    ] {
        std::fs::write(&file, format!("{url}\n")).unwrap();
        for arguments in [&["org", "list"][..], &["serve", "--listen", "127.0.0.1:0"], &["doctor"]] {
            for (name, value) in
                [("ASSAY__DATABASE__URL", url), ("ASSAY__DATABASE__URL_FILE", file.to_str().unwrap())]
            {
                let mut command = place.command(arguments);
                let output = command.env(name, value).current_dir(folder.path()).output().unwrap();
                let said = text(&output.stdout) + &text(&output.stderr);
                assert_eq!(output.status.code(), Some(1), "{arguments:?} {name} {url}: {said}");
                assert!(said.contains("database.url is not the address of a database"), "{said}");
                assert!(!said.contains("swordfish"), "{arguments:?} {name} {url}: {said}");
                assert_eq!((files(folder.path()), files(&place.path(""))), (1, 0), "{arguments:?} {url}");
            }
        }
    }
}

/// A backup brings back who was deleted since; the exported audit trail has them deleted again.
#[test]
fn who_was_deleted_after_a_backup_is_deleted_again_when_it_was_restored() {
    let place = TestInstallation::new();
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app =
        place.ask(&["app", "create", "Till", "--org", org.lines().next().unwrap(), "--feature", "image-ai"]);
    let open = |name: &str| {
        let opened = place.ask(&["account", "open", "--app", app.lines().next().unwrap(), name]);
        opened.lines().next().unwrap().to_owned()
    };
    let (ada, bob) = (open("Ada"), open("Bob"));
    // Nothing has the database open; its log may still hold what is not in its file.
    let backup = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| {
        for name in ["assay.db", "assay.db-wal"] {
            let _ = std::fs::remove_file(to.join(name));
            if from.join(name).exists() {
                std::fs::copy(from.join(name), to.join(name)).unwrap();
            }
        }
    };
    copy(&place.path(""), backup.path());
    place.ask(&["account", "close", &ada, "--yes"]);
    let export = place.path("trail.jsonl");
    std::fs::write(&export, place.ask(&["audit", "export"])).unwrap();

    let _ = std::fs::remove_file(place.path("assay.db-shm"));
    copy(backup.path(), &place.path(""));
    assert!(place.ask(&["account", "list"]).contains(&ada));

    // What a timer leaves whose export failed, and what it writes once the backup is restored.
    let other = place.path("other.jsonl");
    let restored = place.ask(&["audit", "export"]);
    for (lines, expected) in [("", "has no record"), (&*restored, "is in the restored trail")] {
        std::fs::write(&other, lines).unwrap();
        let refused = place.run(&["audit", "replay-erasures", other.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(1), "{lines}");
        assert!(text(&refused.stdout).starts_with("0 deleted again"), "{}", text(&refused.stdout));
        assert!(text(&refused.stderr).contains(expected), "{}", text(&refused.stderr));
    }
    let guide = std::fs::read_to_string(repository("docs/RUNNING.md")).unwrap();
    let (_, guide) = guide.split_once("\n## Backups\n").unwrap();
    let (guide, _) = guide.split_once("\n## ").unwrap();
    for words in ["`assay.db-wal`", "`assay.db-shm`", "trail.new && mv"] {
        assert!(guide.contains(words), "docs/RUNNING.md says nothing of {words}");
    }

    let replay = || place.ask(&["audit", "replay-erasures", export.to_str().unwrap()]);
    let said = replay();
    assert!(said.contains("1 deleted again") && said.contains("0 failed"), "{said}");
    let listed = place.ask(&["account", "list"]);
    assert!(!listed.contains(&ada) && listed.contains(&bob), "{listed}");
    place.ask(&["audit", "orphans"]);
    assert!(replay().starts_with("0 deleted again"), "a second time nothing is left to do");

    std::fs::write(&export, "no record\n").unwrap();
    let wrong = place.run(&["audit", "replay-erasures", export.to_str().unwrap()]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        text(&wrong.stdout).contains("line 1: it is not a line of `assay audit export`"),
        "{}",
        text(&wrong.stdout)
    );
}

#[test]
fn the_doctor_makes_nothing() {
    let place = TestInstallation::new();
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
        // What SQLite keeps beside an open database goes when the last one closes it.
        names.retain(|name| {
            !name.to_string_lossy().ends_with("-shm") && !name.to_string_lossy().ends_with("-wal")
        });
        names.sort();
        names
    };
    let look = || {
        let output = place.run(&["doctor"]);
        (output.status.code(), text(&output.stdout))
    };
    // A folder that is not there, as after a slip in its name.
    let nowhere = place.path("nowhere");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_assay"));
    let output = command.args(["doctor", "--data-dir", nowhere.to_str().unwrap()]).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("{} does not exist", nowhere.display())), "{said}");
    assert!(!nowhere.exists(), "{said}");

    // A folder with nothing in it.
    let (code, said) = look();
    assert_eq!((code, files()), (Some(1), vec![]), "{said}");
    assert!(said.contains("assay.db") && said.contains("master.key"), "{said}");

    place.ask(&["migrate"]);
    let before = files();
    let (code, said) = look();
    let made: Vec<_> = files().into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!((code, made), (Some(0), vec![]), "{said}");
    assert!(said.contains("account invite") && !said.contains("--dev"), "{said}");

    // Beside a server of development the mails are where it writes them.
    let server = place.serve();
    assert_eq!(server.stop(), Some(0));
    let (code, said) = look();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(place.path("mail").to_str().unwrap()), "{said}");
}

#[test]
fn documents_are_those_of_the_repository() {
    let place = TestInstallation::new();
    for name in ["moderation", "ai", "proof", "identity", "ages"] {
        let kept = std::fs::read_to_string(repository("openapi").join(format!("{name}.json"))).unwrap();
        let read = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(read(&place.ask(&["openapi", name])), read(&kept), "{name}");
    }
    assert!(place.ask(&["--version"]).starts_with("assay "));
}

#[test]
fn the_practice_statement_of_a_bare_server_is_the_one_in_the_documents() {
    let undated = |text: &str| {
        let lines = text.lines().map(|line| {
            if line.starts_with("Generated on ") { &line["Generated on 2026-01-01".len()..] } else { line }
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let made = TestInstallation::new().ask(&["practice-statement"]);
    let document = std::fs::read_to_string("../../docs/PRACTICE.md").unwrap_or_default();
    if std::env::var_os("UPDATE_PRACTICE").is_some() {
        std::fs::write("../../docs/PRACTICE.md", made.clone() + "\n").unwrap();
    } else {
        assert_eq!(undated(&made), undated(&document), "run the tests with UPDATE_PRACTICE=1");
    }

    let settings = [
        ("ASSAY__AGES__KEEP_DAYS", "7"),
        ("ASSAY__AGES__APPEAL_DAYS", "0"),
        ("ASSAY__AGES__CONFIDENCE", "0.99"),
        ("ASSAY__LOCATIONS__HEADER", "X-Country"),
    ];
    let mut place = TestInstallation::new().set("ASSAY__SERVER__PUBLIC_URL", "https://ages.test");
    for (name, value) in settings {
        place = place.set(name, value);
    }
    let other = place.ask(&["practice-statement", "--operator", "Ages Ltd", "--contact", "ages@ages.test"]);
    for words in [
        "| Ages Ltd |",
        "| ages@ages.test |",
        "encrypted, 7 days",
        "99.0 %",
        "country is looked up",
        "reached over https",
        "`svc_key`",
    ] {
        assert!(other.contains(words), "{words}:\n{other}");
    }
    assert!(!other.contains("is not https") && made.contains("is not https"));
    assert!(!other.contains("ask for an appeal") && made.contains("Within 14 days of the refusal"));
}

#[test]
fn the_sample_face_is_of_somebody_who_is_let_pass() {
    let place = TestInstallation::new();
    let _server = place.serve();
    let face = place.path("face.jpg");
    let face = face.to_str().unwrap();
    let cut = place.command(&["sample-face", face]).current_dir(repository("")).output().unwrap();
    assert!(cut.status.success(), "{}", text(&cut.stderr));
    let call = |path: &str, more: &[&str]| {
        let said = place.ask(&[&["call", path, "--img", face], more].concat());
        serde_json::from_str::<Value>(&said).unwrap()
    };
    // As sure as an age session wants to be.
    let age = call("/ai/v1/age", &[]);
    let (years, st_dev) = (age["age"].as_f64().unwrap(), age["st_dev"].as_f64().unwrap());
    assert!(years - 1.65 * st_dev >= 18.0, "{age}");
    let live = call("/ai/v1/antispoofing", &["--set", "level_of_assurance=high"]);
    assert_eq!(live, json!({ "prediction": "real" }));
}

/// The commands that a help lists.
fn listed_commands(help: &str) -> Vec<&str> {
    let (_, listed) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").collect()
}

#[test]
fn every_command_helps_and_is_in_the_documents() {
    let place = TestInstallation::new();
    let folder = std::fs::read_dir(repository("docs")).unwrap().map(|file| file.unwrap().path());
    let files = folder.filter(|file| file.extension().is_some_and(|kind| kind == "md"));
    let files = files.chain(["README.md", "SECURITY.md"].map(repository));
    let documents: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let mut count = 0;
    let mut check = |command: &[&str]| {
        let help = place.ask(&[command, &["--help"]].concat());
        assert!(help.contains("Usage: assay"), "{command:?}: {help}");
        if listed_commands(&help).is_empty() {
            let name = format!("assay {}", command.join(" "));
            assert!(documents.contains(&name), "no document names `{name}`");
            count += 1;
        }
        help
    };
    let help = check(&[]);
    for group in listed_commands(&help) {
        let help = check(&[group]);
        for command in listed_commands(&help) {
            check(&[group, command]);
        }
    }
    assert!(count > 60, "{count}");

    let help = place.ask(&["key", "add-public", "--help"]);
    assert!(help.contains("P-256"), "{help}");
}

#[test]
fn a_setting_nobody_knows_is_an_error_that_names_it() {
    let place = TestInstallation::new();
    let file = place.path("assay.toml");
    std::fs::write(&file, "[server]\nbody_byte = 3\n").unwrap();
    let refused = place.run(&["doctor", "--config", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("body_byte"), "{}", text(&refused.stderr));
}

#[test]
fn state_files_of_other_liveness_nets_are_refused_by_name_and_nothing_is_changed() {
    let place = TestInstallation::new();
    let folder = place.path("checkout/resources/anti_spoof_models");
    std::fs::create_dir_all(&folder).unwrap();
    let from = place.path("checkout");
    let add = || {
        let output = place.run(&["models", "add-minifasnet", "--from", from.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    };
    let missing = add();
    assert!(missing.contains("2.7_80x80_MiniFASNetV2.pth cannot be read"), "{missing}");
    for name in ["2.7_80x80_MiniFASNetV2.pth", "4_0_0_80x80_MiniFASNetV1SE.pth"] {
        std::fs::write(folder.join(name), "weights of somebody else").unwrap();
    }
    let other = add();
    assert!(other.contains("2.7_80x80_MiniFASNetV2.pth has SHA-256"), "{other}");
    let served: Value = serde_json::from_str(&place.ask(&["models", "list"])).unwrap();
    assert_eq!(served["use"]["liveness"], "liveness-net-1");

    // Addresses inside go through the guarded way out, which refuses them.
    let inside = place.run(&["models", "add-minifasnet", "--from", "https://127.0.0.1/checkout"]);
    assert_eq!(inside.status.code(), Some(1));
    let words = text(&inside.stderr);
    assert!(
        words.contains("https://127.0.0.1/checkout/resources") && words.contains("cannot be fetched"),
        "{words}"
    );
}
