//! `GET /ai/sm/v1/secure/{version}/token` and the capture module that calls it.

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base::AppId;
use domain::{
    audit::DecisionLog,
    keyring::Keyring,
    tenancy::{Feature, OrganisationStatus, applications, organisations},
};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp, TestResponse, face_base64, face_jpeg};

#[tokio::test]
async fn a_secure_token_is_issued() {
    let app = TestApp::start().await;
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let key = base64url(pair.public_key());
    let answer = app.get(&format!("/ai/sm/v1/secure/1/token?sdkId={}&key={key}", app.app)).await;
    assert_response_snapshot!(answer, "token");
}

#[tokio::test]
async fn the_capture_module_is_served() {
    let app = TestApp::start().await;
    assert_response_snapshot!(app.get("/ai/sm/v1/secure/1/capture.js").await);
}

fn base64url(bytes: impl AsRef<[u8]>) -> String {
    api::base64(bytes.as_ref()).replace('+', "-").replace('/', "_").replace('=', "")
}

/// What `secure` of a request would be, made as the capture module makes it.
pub(crate) async fn capture(app: &TestApp, image: &[u8], multiframe: bool) -> Value {
    capture_for(app, app.app, None, image, multiframe).await
}

/// The same on the page of an application, for an age session if there is one.
pub(crate) async fn capture_for(
    app: &TestApp,
    whose: AppId,
    session: Option<&str>,
    image: &[u8],
    multiframe: bool,
) -> Value {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let key = base64url(pair.public_key());
    let session = session.map(|id| format!("&sessionId={id}")).unwrap_or_default();
    let answer = app.get(&format!("/ai/sm/v1/secure/1/token?sdkId={whose}&key={key}{session}")).await;
    assert_eq!(answer.status_and_code(), "200");
    assert_eq!(answer.header("access-control-allow-origin"), "*", "any page of the business may ask");
    assert_eq!(answer.json()["expires_in"], 600);
    let statement =
        json!({ "image": base64url(digest::digest(&digest::SHA256, image)), "multiframe": multiframe });
    let verification = base64url(statement.to_string());
    let signature = pair.sign(&SystemRandom::new(), verification.as_bytes()).unwrap();
    json!({
        "version": "1",
        "token": answer.json()["token"],
        "signature": base64url(signature),
        "verification": verification,
    })
}

async fn analyse(app: &TestApp, secure: &Value, multiframe: bool) -> TestResponse {
    let call = SignedCall::post("/ai/v1/age")
        .json(&json!({ "img": face_base64(), "secure": secure }))
        .query("secure", "true");
    if multiframe { call.query("multiframe", "true").send(app).await } else { call.send(app).await }
}

#[tokio::test]
async fn a_captured_image_is_trusted_for_ten_minutes() {
    let app = TestApp::start().await;
    let secure = capture(&app, face_jpeg(), false).await;
    assert_eq!(analyse(&app, &secure, false).await.status_and_code(), "200");
    let several = capture(&app, face_jpeg(), true).await;
    assert_eq!(analyse(&app, &several, true).await.status_and_code(), "200");
    app.environment.advance(base::SignedDuration::from_mins(10));
    assert_eq!(analyse(&app, &secure, false).await.status_and_code(), "401 INVALID_SECURE_SESSION");
}

#[tokio::test]
async fn a_captured_image_counts_once_for_each_operation() {
    let app = TestApp::start().await;
    let secure = capture(&app, face_jpeg(), false).await;
    assert_eq!(analyse(&app, &secure, false).await.status_and_code(), "200");
    let again = analyse(&app, &secure, false).await;
    assert_eq!(again.status_and_code(), "400 UNTRUSTED_SECURE_SESSION");
    assert!(again.json()["error_message"].as_str().unwrap().contains("used before"), "{}", again.json());
    let liveness = SignedCall::post("/ai/v1/antispoofing")
        .json(&json!({ "img": face_base64(), "secure": secure }))
        .query("secure", "true");
    assert_eq!(liveness.send(&app).await.status_and_code(), "200", "the same image, for something else");
    // A request that was refused may be repeated.
    let other = capture(&app, face_jpeg(), false).await;
    assert_eq!(analyse(&app, &other, true).await.status_and_code(), "400 UNTRUSTED_SECURE_SESSION");
    assert_eq!(analyse(&app, &other, false).await.status_and_code(), "200");
}

/// The use of a capture and the record of the decision are stored together or not at all.
#[tokio::test]
async fn a_capture_is_not_used_up_by_a_decision_that_cannot_be_recorded() {
    let keyring = Keyring::parse(&"5a".repeat(32)).unwrap();
    let app =
        TestApp::start_with(|api| api.decision_records = Some(DecisionLog::new(api.db.clone(), &keyring)))
            .await;
    let secure = capture(&app, face_jpeg(), false).await;
    app.execute(db::sql!("ALTER TABLE decisions RENAME TO decisions_that_are_away")).await;
    assert_eq!(analyse(&app, &secure, false).await.status_and_code(), "503 SERVICE_UNAVAILABLE");
    app.execute(db::sql!("ALTER TABLE decisions_that_are_away RENAME TO decisions")).await;
    assert_eq!(analyse(&app, &secure, false).await.status_and_code(), "200");
    let again = analyse(&app, &secure, false).await;
    assert_eq!(again.status_and_code(), "400 UNTRUSTED_SECURE_SESSION");
    let mut view = app.api.db.read().await.unwrap();
    assert_eq!(view.count(db::sql!("SELECT count(*) FROM decisions")).await.unwrap(), 1);
}

#[tokio::test]
async fn each_missing_part_of_a_secure_request_has_its_code() {
    let app = TestApp::start().await;
    let whole = capture(&app, face_jpeg(), false).await;
    for (part, code) in [
        ("token", "SECURE_SESSION_NOT_FOUND"),
        ("signature", "SECURE_SIGNATURE_NOT_FOUND"),
        ("version", "SECURE_VERSION_NOT_FOUND"),
        ("verification", "SECURE_VERIFICATION_NOT_FOUND"),
    ] {
        let mut secure = whole.clone();
        secure.as_object_mut().unwrap().remove(part);
        assert_eq!(analyse(&app, &secure, false).await.status_and_code(), format!("400 {code}"));
        secure[part] = "".into();
        assert_eq!(
            analyse(&app, &secure, false).await.status_and_code(),
            format!("400 {code}"),
            "empty is missing"
        );
    }
    for empty in [json!({}), json!(null)] {
        assert_eq!(analyse(&app, &empty, false).await.status_and_code(), "400 SECURE_REQUEST_IS_EMPTY");
    }
    let mut newer = whole;
    newer["version"] = "2".into();
    assert_eq!(analyse(&app, &newer, false).await.status_and_code(), "400 SECURE_VERSION_NOT_FOUND");
}

#[tokio::test]
async fn a_secure_request_whose_parts_do_not_match_is_not_trusted() {
    let app = TestApp::start().await;
    let secure = capture(&app, face_jpeg(), false).await;
    let mut forged = secure.clone();
    forged["signature"] = capture(&app, face_jpeg(), false).await["signature"].clone();
    assert_eq!(
        analyse(&app, &forged, false).await.status_and_code(),
        "400 INVALID_SECURE_SIGNATURE",
        "another session's key"
    );
    let mut changed = secure.clone();
    changed["token"] = format!("{}x", secure["token"].as_str().unwrap()).into();
    assert_eq!(analyse(&app, &changed, false).await.status_and_code(), "401 INVALID_SECURE_SESSION");
    let other = capture(&app, b"another image", false).await;
    assert_eq!(analyse(&app, &other, false).await.status_and_code(), "400 UNTRUSTED_SECURE_SESSION");
    assert_eq!(
        analyse(&app, &secure, true).await.status_and_code(),
        "400 UNTRUSTED_SECURE_SESSION",
        "one frame is not several"
    );
}

#[tokio::test]
async fn a_secure_token_is_issued_to_known_applications_and_valid_keys_only() {
    let app = TestApp::start().await;
    let path =
        |version: &str, id: &str, key: &str| format!("/ai/sm/v1/secure/{version}/token?sdkId={id}&key={key}");
    let id = app.app.to_string();
    let key = base64url(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap().public_key());
    assert_eq!(app.get(&path("2", &id, &key)).await.status_and_code(), "400 SECURE_VERSION_NOT_FOUND");
    assert_eq!(app.get(&path("1", "me", &key)).await.status_and_code(), "401 INVALID_X_SVC_AUTH_ID");
    assert_eq!(
        app.get(&path("1", &testkit::unknown_app_id(&*app.environment), &key)).await.status_and_code(),
        "404 APP_NOT_FOUND"
    );
    assert_eq!(app.get(&path("1", &id, "AAAA")).await.status_and_code(), "400 INVALID_REQUEST_BODY");
    for feature in [Feature::ImageAi, Feature::Ages] {
        for (status, line) in
            [(OrganisationStatus::Suspended, "403 INVALID_ORG_STATUS"), (OrganisationStatus::Active, "200")]
        {
            let mut tx = app.api.db.write().await.unwrap();
            applications::set_features(&mut tx, app.app, &[feature]).await.unwrap();
            organisations::set_status(&mut tx, app.org, status).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(
                app.get(&path("1", &id, &key)).await.status_and_code(),
                line,
                "{feature:?} {status:?}"
            );
        }
    }
    let module = app.get("/ai/sm/v1/secure/1/capture.js").await;
    assert!(module.header("content-type").starts_with("text/javascript"));
}

/// A browser shows a page of another origin only what this header allows.
#[tokio::test]
async fn pages_of_any_origin_can_read_why_they_get_no_secure_token() {
    let app = TestApp::start().await;
    let key = base64url(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap().public_key());
    let token = format!("/ai/sm/v1/secure/1/token?sdkId={}&key={key}", app.app);
    let refused = async |path: &str, line: &str| {
        let answer = app.get(path).await;
        assert_eq!(answer.status_and_code(), line, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "*", "{path}");
    };
    refused("/ai/sm/v1/secure/1/token?sdkId=me", "401 INVALID_X_SVC_AUTH_ID").await;
    refused(&token.replace(&key, "AAAA"), "400 INVALID_REQUEST_BODY").await;
    refused("/ai/sm/v1/secure/2/capture.js", "400 SECURE_VERSION_NOT_FOUND").await;
    let mut tx = app.api.db.write().await.unwrap();
    organisations::set_status(&mut tx, app.org, OrganisationStatus::Suspended).await.unwrap();
    tx.commit().await.unwrap();
    refused(&token, "403 INVALID_ORG_STATUS").await;
    app.execute(db::sql!("ALTER TABLE applications RENAME TO applications_that_are_away")).await;
    refused(&token, "503 SERVICE_UNAVAILABLE").await;
    app.execute(db::sql!("ALTER TABLE applications_that_are_away RENAME TO applications")).await;
    assert_eq!(app.get("/ai/v1/nothing").await.header("access-control-allow-origin"), "", "nothing else is");
}

/// The module itself, run by Node, whose WebCrypto is the browser's.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_trusts_what_the_capture_module_makes() {
    let app = TestApp::start().await;
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/secure-capture.js");
    let script = format!(
        "import {{ SecureCapture }} from {module:?};
         import {{ readFileSync }} from 'node:fs';
         let token;
         globalThis.fetch = async (url) => {{
           process.stdout.write(new URL(url).search + '\\n');
           token = readFileSync(0, 'utf8');
           return {{ ok: true, json: async () => JSON.parse(token) }};
         }};
         const session = await SecureCapture.start({{ baseUrl: 'http://assay.test', sdkId: '{}' }});
         const sealed = await session.seal(readFileSync(process.argv[1]));
         process.stdout.write(JSON.stringify(sealed) + '\\n');",
        app.app
    );
    let mut image = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut image, face_jpeg()).unwrap();
    let mut node = std::process::Command::new("node")
        .args(["--input-type=module", "-e", &script])
        .arg(image.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("Node is installed (`make setup`)");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(node.stdout.take().unwrap()));
    let query = lines.next().unwrap().unwrap();
    let token = app.get(&format!("/ai/sm/v1/secure/1/token{query}")).await;
    assert_eq!(token.status_and_code(), "200");
    std::io::Write::write_all(&mut node.stdin.take().unwrap(), &token.body).unwrap();
    let sealed: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert!(node.wait().unwrap().success());

    let answer = SignedCall::post("/ai/v1/age").json(&sealed).query("secure", "true").send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
}
