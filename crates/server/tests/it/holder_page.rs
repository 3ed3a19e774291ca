//! The holder's page in a real browser, from the invitation to the till.

use crate::test_installation::{Server, TestInstallation, repository, text};
use base::Environment as _;
use serde_json::{Value, json};
use std::process::Command;

/// What the till of the application with this token learns of a code.
fn verify(server: &Server, token: &str, code: &str) -> Value {
    let scanned_at = base::SystemEnvironment.now().to_string();
    let query = json!({ "qr": { "value": code, "scanned_at": scanned_at }, "terminal": { "id": "till" } });
    let url = format!("{}/poa/v1/verify", server.url);
    let bearer = format!("Authorization: Bearer {token}");
    let sent = Command::new("curl").args(["-s", "-H", &bearer, "-d", &query.to_string(), &url]).output();
    serde_json::from_slice(&sent.unwrap().stdout).unwrap()
}

#[test]
fn a_holder_shows_his_page_and_the_till_believes_it_once() {
    let place = TestInstallation::with_models("nowhere".into());
    let server = place.serve();
    let credentials = place.credentials();
    let app = credentials["sdk_id"].as_str().unwrap();
    let invitation = place.ask(&["poa", "invite", "--app", app, "--age-over", "18"]);
    assert!(invitation.starts_with(&format!("{}/poa/holder/#", server.url)), "{invitation}");
    let web = repository("web");
    let scan = ["--prefix", web.to_str().unwrap(), "run", "--silent", "qr:decode", "--", &invitation];
    let scanned = Command::new("npm").args(scan).output().unwrap();
    let code = text(&scanned.stdout).trim().to_owned();
    assert!(code.starts_with("POA1:") && code.len() <= 500, "{code:?} {}", text(&scanned.stderr));

    let token = place.ask(&["token", "create", "--app", app, "--scope", "poa:verify"]);
    let verify = || verify(&server, &token, &code);
    let first = verify();
    assert_eq!((&first["status"], &first["result"]["age_over"]), (&json!("SUCCESS"), &json!(18)), "{first}");
    assert!(first["result"]["checks"].as_array().unwrap().contains(&json!("HOLDER_BOUND")), "{first}");
    assert_eq!(verify()["failure"]["reason"], "PRESENTATION_ALREADY_USED");
}

#[test]
fn a_code_of_the_command_line_is_drawn_and_believed() {
    let place = TestInstallation::with_models("nowhere".into());
    let _server = place.serve();
    let (png, svg) = (place.path("code.png"), place.path("code.svg"));
    let files = ["--png", png.to_str().unwrap(), "--svg", svg.to_str().unwrap()];
    let said = place.ask(&[&["poa", "issue", "--age-over", "18", "--age-over", "21"][..], &files].concat());
    assert!(said.contains("QR version") && said.contains("error correction M"), "{said}");
    assert!(
        std::fs::read(&png).unwrap().starts_with(b"\x89PNG")
            && std::fs::read(&svg).unwrap().starts_with(b"<svg")
    );
    let trusted: Value = serde_json::from_str(&place.ask(&["poa", "trust"])).unwrap();
    assert_eq!(trusted[0]["provider"], "ASSAY", "{trusted}");
    let refused = place.run(&["poa", "issue", "--age-over", "0"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("1 to 120"), "{}", text(&refused.stderr));
}

/// A server without `server.public_url` is reached where it listens, and the commands beside it must know where that is.
#[test]
fn commands_know_where_a_server_without_a_public_url_listens() {
    let place = TestInstallation::with_models("nowhere".into());
    let start = || {
        let server = place.serve_unready();
        server.until("/poa/v1/issuer/keys", 200);
        server
    };
    let ensure_link = |server: &Server| {
        let link = place.ask(&["init", "--email", "ada@example.com"]);
        assert!(link.starts_with(&format!("{}/console/#operator-invite=", server.url)), "{link}");
    };
    let server = start();
    ensure_link(&server);
    let org = place.ask(&["org", "create", "Corner shop"]);
    let app = place.ask(&["app", "create", "Till", "--org", &org]);
    let token = place.ask(&["token", "create", "--app", &app, "--scope", "poa:verify"]);
    let code = place.ask(&["poa", "issue", "--age-over", "18"]);
    let believed = verify(&server, &token, &code);
    assert_eq!(believed["status"], "SUCCESS", "{believed}");

    assert_eq!(server.stop(), Some(0));
    ensure_link(&start());
}
