//! The examples of the documentation, run as they stand.

use crate::test_installation::{TEST_TIMEOUT, TestInstallation, repository, text};
use serde_json::{Value, json};
use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
    time::Duration,
};
use testkit::stub_server::{self, StubReply, StubServer};

/// Runs a program to its end with something to read.
fn filter(command: &mut Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// A delivery as the examples read it.
fn delivery(headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let head: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    format!("{}\n{body}", head.concat()).into_bytes()
}

/// Signs with Python's own library, so that a moment of one's choice can be signed.
fn sign(secret: &str, signed: &str) -> String {
    let program = "import base64, hashlib, hmac, sys\n\
                   key = base64.b64decode(sys.argv[1][len('whsec_'):])\n\
                   mac = hmac.new(key, sys.stdin.buffer.read(), hashlib.sha256).digest()\n\
                   print('v1,' + base64.b64encode(mac).decode())";
    let output = filter(Command::new("python3").args(["-c", program, secret]), signed.as_bytes());
    text(&output.stdout).trim().to_owned()
}

/// What an example says of a delivery, and whether it takes it.
fn judge(program: [&str; 2], secret: &str, input: &[u8]) -> (bool, String) {
    let script = repository("docs/examples").join(program[1]);
    let output = filter(Command::new(program[0]).arg(script).env("WEBHOOK_SECRET", secret), input);
    (output.status.success(), text(&[output.stdout, output.stderr].concat()).trim().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_tell_genuine_deliveries_from_others() {
    // An issuer who is asked and declines, and the application's own server, which is told so.
    let receiver =
        StubServer::start(|sent| StubReply::status(if sent.uri.path() == "/proof" { 403 } else { 204 }))
            .await;
    let place = TestInstallation::with_models("nowhere".into());
    let (trust, config) = (place.path("trust.json"), place.path("assay.toml"));
    let entry = json!({
        "id": "https://pass.example", "provider": "PASS", "formats": ["cwt"],
        "key_set_url": receiver.url("/keys"), "reference_hosts": ["localhost"],
    });
    std::fs::write(&trust, json!({ "issuers": [entry] }).to_string()).unwrap();
    let settings = format!(
        "[egress]\nroots = [{:?}]\n[proof]\ntrust_list = {:?}\n",
        stub_server::certificate(),
        trust.to_str().unwrap()
    );
    std::fs::write(&config, settings).unwrap();
    let place = place.set("ASSAY_CONFIG", config.to_str().unwrap());
    let server = place.serve();
    let app = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
    let token = place.ask(&["token", "create", "--app", &app, "--scope", "poa:verify"]);
    let first = place.ask(&["deliveries", "secret", &app]);
    let second = place.ask(&["deliveries", "secret", &app, "--rotate"]);
    assert_eq!(place.ask(&["deliveries", "secret", &app]), second);

    let query = json!({
        "qr": { "value": receiver.url("/proof"), "scanned_at": base::Environment::now(&base::SystemEnvironment).to_string() },
        "terminal": { "id": "till-1" },
        "notification": { "url": receiver.url("/hook"), "headers": { "X-Shop": "12" } },
    });
    let bearer = format!("Authorization: Bearer {token}");
    let url = format!("{}/poa/v1/verify", server.url);
    let output = filter(
        Command::new("curl").args(["-s", "-d", "@-", "-H", &bearer, &url]),
        query.to_string().as_bytes(),
    );
    let pending: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(pending["status"], "PENDING", "{pending}");
    let arrived = async {
        loop {
            match receiver.captured().into_iter().find(|sent| sent.uri.path() == "/hook") {
                Some(sent) => break sent,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let sent = tokio::time::timeout(TEST_TIMEOUT, arrived).await.unwrap();
    let body = text(&sent.body);
    let result: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&result["id"], &result["failure"]["reason"]),
        (&pending["id"], &json!("USER_DID_NOT_CONSENT")),
        "{result}"
    );
    assert_eq!(sent.header("x-shop"), "12");

    let (id, moment) = (sent.header("webhook-id"), sent.header("webhook-timestamp"));
    let signatures = sent.header("webhook-signature");
    assert_eq!(signatures.split(' ').count(), 2, "both secrets sign: {signatures}");
    let right = [("Webhook-Id", id), ("Webhook-Timestamp", moment), ("Webhook-Signature", signatures)];
    let with = |at: usize, value: &str| {
        let mut headers = right;
        headers[at].1 = value;
        delivery(&headers, &body)
    };
    let at = |seconds: i64| (moment.parse::<i64>().unwrap() + seconds).to_string();
    let signed_at = |moment: &str| {
        let signature = sign(&second, &format!("{id}.{moment}.{body}"));
        delivery(
            &[("webhook-id", id), ("webhook-timestamp", moment), ("webhook-signature", &signature)],
            &body,
        )
    };
    for program in [["python3", "receiver.py"], ["node", "receiver.mjs"]] {
        let good = delivery(&right, &body);
        for secret in [&first, &second] {
            assert_eq!(judge(program, secret, &good), (true, format!("genuine: {id}")), "{program:?}");
        }
        assert!(judge(program, &second, &signed_at(&at(-120))).0, "{program:?}: two minutes old");
        let stranger = "whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldA==".to_owned();
        for (secret, input, expected) in [
            (&stranger, good.clone(), "no signature is right"),
            (&second, delivery(&right, &body.replace("FAILURE", "SUCCESS")), "no signature is right"),
            (&second, with(0, "another"), "no signature is right"),
            (&second, with(1, &at(1)), "no signature is right"),
            (&second, with(2, &signatures.replace("v1,", "v2,")), "no signature is right"),
            (&second, with(2, "v1,"), "no signature is right"),
            (&second, with(2, "v1,AAAA v1a"), "no signature is right"),
            (&second, signed_at(&at(-3600)), "not signed within five minutes"),
            (&second, signed_at(&at(3600)), "not signed within five minutes"),
            (&second, delivery(&right[..2], &body), "webhook-signature is missing"),
            (&second, delivery(&right[1..], &body), "webhook-id is missing"),
        ] {
            let (taken, said) = judge(program, secret, &input);
            assert!(!taken && said.contains(expected), "{program:?}: {said}, not {expected}");
        }
    }
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn an_assertion_gives_a_token_and_the_token_a_verified_proof() {
    let place = TestInstallation::with_models("nowhere".into());
    let _server = place.serve();
    let code = place.run(&["poa", "issue", "--age-over", "18"]).stdout;
    let code = text(&code);
    let verify = || {
        let script = repository("docs/examples/token.mjs");
        let credentials = place.path("dev-credentials.json");
        Command::new("node").arg(script).arg(credentials).arg(code.trim_end_matches('\n')).output().unwrap()
    };
    // The README shows the answer to this very call.
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let shown = readme.lines().find(|line| line.starts_with(r#"{"id":"#)).unwrap();
    let shown: Value = serde_json::from_str(shown).unwrap();
    for expected in
        [json!(["SUCCESS", 18, true, null]), json!(["FAILURE", null, null, "PRESENTATION_ALREADY_USED"])]
    {
        let output = verify();
        let record: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let found = json!([
            record["status"],
            record["result"]["age_over"],
            record["result"]["valid_for_alcohol"],
            record["failure"]["reason"]
        ]);
        assert_eq!(found, expected, "{record}: {}", text(&output.stderr));
        if record["status"] == "SUCCESS" {
            for member in ["provider", "result", "terminal"] {
                assert_eq!(shown[member], record[member], "README.md shows another {member}");
            }
        }
    }
}

#[test]
fn the_trust_list_has_an_entry_of_each_format_that_is_taken() {
    let list = repository("docs/examples/trust-list.json");
    let place = TestInstallation::new().set("ASSAY__PROOF__TRUST_LIST", list.to_str().unwrap());
    let trusted: Value = serde_json::from_str(&place.ask(&["poa", "trust"])).unwrap();
    let formats: Vec<_> = trusted.as_array().unwrap().iter().map(|entry| entry["formats"].clone()).collect();
    assert_eq!(formats, [json!(["cwt"]), json!(["sd-jwt-vc"]), json!(["jwt"]), json!(["mdoc"])], "{trusted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_moderated() {
    let shelf = testkit::media_fixtures::FileServer::start().await;
    let place = TestInstallation::new();
    let config = place.path("assay.toml");
    std::fs::write(&config, format!("[egress]\nroots = [{:?}]\n", stub_server::certificate())).unwrap();
    let place = place.set("ASSAY_CONFIG", config.to_str().unwrap());
    let server = place.serve();
    let url = shelf.put("face.png", testkit::media_fixtures::png(&testkit::face_pictures()[6]));
    let script = repository("docs/examples/moderate.mjs");
    let credentials = place.path("dev-credentials.json");
    let run = |url: &str| Command::new("node").arg(&script).arg(&credentials).arg(url).output().unwrap();
    let output = run(&url);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["unknown_faces"], &report["url"]), (&json!(true), &json!(url)), "{report}");
    let refused = run(&shelf.url("nothing.png"));
    assert!(!refused.status.success() && text(&refused.stderr).contains("CONTENT_UNREACHABLE"));
    assert_eq!(place.ask(&["account", "list"]), "[]", "the example leaves nothing behind");
    drop(server);
}

#[test]
fn document_sessions_are_opened_by_clients_with_signers_of_their_own() {
    let place = TestInstallation::new();
    let server = place.serve();
    let face = place.path("face.jpg");
    let photo = repository("models/node_modules/@vladmandic/face-api/demo/sample1.jpg");
    place.ask(&["sample-face", face.to_str().unwrap(), "--from", photo.to_str().unwrap()]);
    let curl = |arguments: &[&str], path: &str| {
        let url = format!("{}/idverify/v1{path}", server.url);
        let output =
            Command::new("curl").args(["-s", "-w", "\n%{http_code}"]).args(arguments).arg(url).output();
        let said = text(&output.unwrap().stdout).trim().to_owned();
        let (body, status) = said.rsplit_once('\n').unwrap_or(("", &said));
        (status.to_owned(), body.to_owned())
    };
    for program in [["python3", "document_session.py"], ["node", "document-session.mjs"]] {
        let open = |more: &[&str]| -> Value {
            let script = repository("docs/examples").join(program[1]);
            let mut command = Command::new(program[0]);
            command.arg(script).arg(place.path("dev-credentials.json")).arg(&face).args(more);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{program:?}: {}", text(&output.stderr));
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let opened = open(&[]);
        assert_eq!(opened["state"], "ONGOING");
        let (page, parameters) = opened["page"].as_str().unwrap().split_once('?').unwrap();
        let token = parameters.rsplit_once("&sessionToken=").unwrap().1;
        let configuration = format!("/sessions/{}/configuration", opened["session"].as_str().unwrap());
        let (status, body) = curl(&["-H", &format!("x-svc-auth-token: {token}")], &configuration);
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status.as_str(), &body["session_id"]), ("200", &opened["session"]), "{body}");
        let (status, body) = curl(&[], page.split_once("/idverify/v1").unwrap().1);
        assert!(status == "200" && body.contains("<html"), "the page: {status}");

        let cancelled = open(&["--cancel"]);
        assert_eq!(cancelled["state"], "DELETED");
        let gone = format!("/sessions/{}/configuration", cancelled["session"].as_str().unwrap());
        assert_eq!(curl(&["-H", &format!("x-svc-auth-token: {token}")], &gone).0, "404");
    }
    // Some libraries ask for the list of documents without saying who they are.
    let (status, body) = curl(&[], "/supported-documents?includeNonLatin=true");
    let body: Value = serde_json::from_str(&body).unwrap();
    let countries = body["supported_countries"].as_array().map(Vec::len);
    assert!(status == "200" && countries > Some(100), "{status}: {countries:?}");
}

#[test]
fn age_sessions_are_opened_and_waited_for() {
    let place = TestInstallation::new();
    let server = place.serve();
    let credentials = place.credentials();
    let of = |name: &str| credentials[name].as_str().unwrap().to_owned();
    let curl = |arguments: &[&str], path: &str| {
        let url = format!("{}{path}", server.url);
        let keys =
            [format!("Authorization: Bearer {}", of("api_key")), format!("Svc-Sdk-Id: {}", of("sdk_id"))];
        let mut command = Command::new("curl");
        command.args(["-s", "-w", "\n%{http_code}", "-H", &keys[0], "-H", &keys[1]]).args(arguments).arg(url);
        let said = text(&command.output().unwrap().stdout);
        let (body, status) = said.rsplit_once('\n').unwrap();
        (status.to_owned(), body.to_owned())
    };
    let as_json = ["-H", "Content-Type: application/json", "-d"];
    for program in [["python3", "age_session.py"], ["node", "age-session.mjs"]] {
        let begin = |more: &[&str]| {
            let script = repository("docs/examples").join(program[1]);
            let mut command = Command::new(program[0]);
            command.arg(script).arg(place.path("dev-credentials.json")).args(more);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
            let page = lines.next().unwrap_or_else(|| panic!("{program:?} says nothing")).unwrap();
            let id = page.split(['=', '&']).nth(1).unwrap().to_owned();
            let (status, body) = curl(&[], page.strip_prefix(&server.url).unwrap());
            assert!(status == "200" && body.contains("<html"), "the page {page}: {status}");
            (child, lines, id)
        };

        // In the sandbox the session comes to what is asked of it.
        let (mut child, mut lines, id) = begin(&["--sandbox"]);
        let come_to = json!({ "status": "COMPLETE", "method": "AGE_ESTIMATION" }).to_string();
        let path = format!("/sandbox/api/v1/sessions/{id}/response-config");
        let (status, body) = curl(&[&["-X", "PUT"], &as_json[..], &[&come_to]].concat(), &path);
        assert_eq!(status, "200", "{body}");
        let came: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(came, json!({ "session": id, "status": "COMPLETE", "method": "AGE_ESTIMATION" }));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{program:?}");

        // Else it waits for the person, who stops here.
        let (mut child, mut lines, id) = begin(&[]);
        let path = format!("/age/v1/sessions/{id}/cancel");
        let (status, body) = curl(&[&["-X", "POST"], &as_json[..], &["{}"]].concat(), &path);
        assert_eq!(status, "200", "{body}");
        let came: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!((&came["session"], &came["status"]), (&json!(id), &json!("CANCELLED")));
        assert_eq!(child.wait().unwrap().code(), Some(1), "{program:?}");
    }
}
