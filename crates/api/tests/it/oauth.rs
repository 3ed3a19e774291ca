//! `POST /v1/oauth/token`: the form, and refusals in OAuth's own words.

use axum::{body::Body, http::Request};
use base::Environment as _;
use domain::tenancy::{signed_request::HttpRequestSigner, tokens::TokenScope};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn a_token_is_issued() {
    let app = TestApp::start().await;
    let assertion = assertion(&app, testkit::signer());
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", TYPE),
        ("client_assertion", &assertion),
        ("scope", "poa%3Averify"),
    ];
    assert_response_snapshot!(ask(&app, form(&fields)).await, "access_token");
}

#[tokio::test]
async fn a_form_without_a_grant_type_is_refused() {
    let app = TestApp::start().await;
    assert_response_snapshot!(ask(&app, String::new()).await);
}

#[tokio::test]
async fn an_unverifiable_assertion_is_refused() {
    let app = TestApp::start().await;
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", TYPE),
        ("client_assertion", "a.b.c"),
    ];
    assert_response_snapshot!(ask(&app, form(&fields)).await);
}

const TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

async fn ask(app: &TestApp, form: String) -> TestResponse {
    let request =
        Request::post("/v1/oauth/token").header("content-type", "application/x-www-form-urlencoded");
    app.send(request.body(Body::from(form)).unwrap()).await
}

fn form(fields: &[(&str, &str)]) -> String {
    fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

fn assertion(app: &TestApp, signer: &HttpRequestSigner) -> String {
    let encode = |value: Value| base64_simd::URL_SAFE_NO_PAD.encode_to_string(value.to_string());
    let me = format!("sdk:{}", app.app);
    let claims = json!({
        "iss": me, "sub": me, "aud": "http://127.0.0.1:8080/v1/oauth/token", "jti": app.environment.uuid_v7(),
        "exp": app.environment.now().as_second() + 60,
    });
    let input = format!("{}.{}", encode(json!({ "alg": "RS256", "typ": "JWT" })), encode(claims));
    let signature = signer.sign_bytes(input.as_bytes());
    format!("{input}.{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(signature))
}

#[tokio::test]
async fn an_issued_token_is_accepted_by_the_interface() {
    let app = TestApp::start().await;
    let good = assertion(&app, testkit::signer());
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", TYPE),
        ("client_assertion", &good),
        ("scope", "poa%3Averify"),
    ];
    let answer = ask(&app, form(&fields)).await;
    let body = answer.json();
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"), "{body}");
    assert_eq!((answer.header("cache-control"), answer.header("pragma")), ("no-store", "no-cache"));
    assert_eq!((body["token_type"].as_str(), body["expires_in"].as_i64()), (Some("Bearer"), Some(2700)));
    assert_eq!(body["scope"].as_str(), Some(TokenScope::PoaVerify.as_str()));
    let token = body["access_token"].as_str().unwrap();
    let request = Request::get("/poa/v1/verify/AAAAAAAAAAAAAAAAAAAAAA")
        .header("authorization", format!("Bearer {token}"));
    let opened = app.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(opened.status.as_u16(), 404, "past the guard, to where nothing is");

    let again = ask(&app, form(&fields)).await;
    assert_eq!(
        (again.status.as_u16(), again.json()["error"].as_str()),
        (401, Some("invalid_client")),
        "used twice"
    );
}

#[tokio::test]
async fn refusals_have_the_codes_of_oauth() {
    let app = TestApp::start().await;
    let good = assertion(&app, testkit::signer());
    let (grant, kind, jwt) = (
        ("grant_type", "client_credentials"),
        ("client_assertion_type", TYPE),
        ("client_assertion", good.as_str()),
    );
    for (fields, expected) in [
        (vec![], "400 invalid_request"),
        (vec![grant], "400 invalid_request"),
        (vec![kind, jwt], "400 invalid_request"),
        (vec![grant, kind], "400 invalid_request"),
        (vec![grant, grant, kind, jwt], "400 invalid_request"),
        (vec![grant, ("client_assertion_type", "saml"), jwt], "400 invalid_request"),
        (vec![("grant_type", "password"), kind, jwt], "400 unsupported_grant_type"),
        (vec![grant, kind, ("client_assertion", "a.b.c")], "401 invalid_client"),
        (vec![grant, kind, jwt, ("scope", "everything")], "400 invalid_scope"),
    ] {
        let answer = ask(&app, form(&fields)).await;
        let body = answer.json();
        assert_eq!(
            format!("{} {}", answer.status.as_u16(), body["error"].as_str().unwrap_or_default()),
            expected
        );
        assert!(!body["error_description"].as_str().unwrap().is_empty());
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    let long = ask(&app, "a".repeat(70_000)).await;
    assert_eq!((long.status.as_u16(), long.json()["error"].as_str()), (413, Some("invalid_request")));
}
