//! The rows of image analysis's error table that come before the image: one test for each row, in the order of the
//! table. Tests of a row are called what the row is called.

use crate::http::late_body;
use axum::{body::Body, http::Request};
use base::{AppId, Environment, Id as _, SignedDuration};
use db::sql;
use domain::tenancy::{
    applications, nonces,
    public_keys::{self, MAX_PUBLIC_KEYS, PrivateKeyFormat},
    signed_request::CanonicalRequest,
};
use futures_util::stream;
use serde_json::json;
use std::sync::Arc;
use testkit::{SignedCall, TestApp};

/// The shape of a refusal that names a limit.
#[tokio::test]
async fn a_refusal_has_what_was_measured_and_the_limit() {
    let app = TestApp::start().await;
    let old = (app.environment.now().as_second() - 301).to_string();
    assert_response_snapshot!(call().query("timestamp", &old).send(&app).await);
}

/// The shape of a refusal without a limit.
#[tokio::test]
async fn a_refusal_has_a_code_and_a_message() {
    let app = TestApp::start().await;
    assert_response_snapshot!(call().send(&app).await);
}

fn call() -> SignedCall {
    SignedCall::post("/ai/v1/age").json(&json!({}))
}

/// What an accepted signature gets: the missing image is the first thing that is wrong with `{}`.
const PASSED: &str = "400 IMAGE_NOT_PROVIDED";

#[tokio::test]
async fn a_signed_request_gets_as_far_as_its_body() {
    let app = TestApp::start().await;
    assert_eq!(call().send(&app).await.status_and_code(), PASSED);
}

#[tokio::test]
async fn invalid_x_svc_auth_id() {
    let app = TestApp::start().await;
    for id in [None, Some(""), Some("me"), Some("5e8e3a4c9a5c40008d7c0123456789ab")] {
        assert_eq!(
            call().auth_id(id).send(&app).await.status_and_code(),
            "401 INVALID_X_SVC_AUTH_ID",
            "{id:?}"
        );
    }
}

#[tokio::test]
async fn invalid_app_id() {
    let app = TestApp::start().await;
    let nil = call().auth_id(Some("00000000-0000-0000-0000-000000000000"));
    assert_eq!(nil.send(&app).await.status_and_code(), "400 INVALID_APP_ID");
}

#[tokio::test]
async fn app_not_found() {
    let app = TestApp::start().await;
    let nobody = AppId::new(&*app.environment).to_string();
    assert_eq!(call().auth_id(Some(&nobody)).send(&app).await.status_and_code(), "404 APP_NOT_FOUND");
}

#[tokio::test]
async fn disabled_app_state() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE applications SET state = 'DISABLED'")).await;
    assert_eq!(call().send(&app).await.status_and_code(), "403 DISABLED_APP_STATE");
}

#[tokio::test]
async fn invalid_public_key() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE public_keys SET revoked_at = $1", app.environment.now())).await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 INVALID_PUBLIC_KEY", "a revoked key is none");
    app.execute(sql!("UPDATE public_keys SET revoked_at = NULL, der = $1", Vec::<u8>::new())).await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 INVALID_PUBLIC_KEY");
}

#[tokio::test]
async fn invalid_org_id() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE applications SET organisation_id = NULL")).await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 INVALID_ORG_ID");
}

#[tokio::test]
async fn invalid_billing_source_id() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE applications SET billing_source_id = ''")).await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 INVALID_BILLING_SOURCE_ID");
}

#[tokio::test]
async fn org_not_found() {
    let app = TestApp::start().await;
    app.execute(sql!("DELETE FROM organisations")).await;
    assert_eq!(call().send(&app).await.status_and_code(), "404 ORG_NOT_FOUND");
}

#[tokio::test]
async fn invalid_svc_auth_digest() {
    let app = TestApp::start().await;
    for digest in [None, Some(""), Some("not base64!"), Some("QUJD=")] {
        assert_eq!(
            call().digest(digest).send(&app).await.status_and_code(),
            "401 INVALID_SVC_AUTH_DIGEST",
            "{digest:?}"
        );
    }
}

#[tokio::test]
async fn invalid_nonce() {
    let app = TestApp::start().await;
    assert_eq!(call().without("nonce").send(&app).await.status_and_code(), "401 INVALID_NONCE");
    assert_eq!(call().query("nonce", "1234").send(&app).await.status_and_code(), "401 INVALID_NONCE");
}

#[tokio::test]
async fn a_nonce_is_accepted_once() {
    let app = TestApp::start().await;
    let nonce = app.environment.uuid_v7().to_string();
    assert_eq!(call().query("nonce", &nonce).send(&app).await.status_and_code(), PASSED);
    assert_eq!(call().query("nonce", &nonce).send(&app).await.status_and_code(), "401 INVALID_NONCE");
    assert_eq!(
        call().query("nonce", &nonce.to_uppercase()).send(&app).await.status_and_code(),
        "401 INVALID_NONCE"
    );
}

/// Of a client whose clock is ahead, the first use is forgotten when the timestamp is refused, and not before. Whoever has
/// captured the request begins it again in time, and sends its body later.
#[tokio::test]
async fn a_nonce_is_accepted_once_however_late_the_body_is() {
    let app = TestApp::start().await;
    let (nonce, timestamp) = (app.environment.uuid_v7(), app.environment.now().as_second() + 300);
    let query = format!("nonce={nonce}&timestamp={timestamp}");
    let message = CanonicalRequest { method: "POST", path: "/ai/v1/age", query: Some(&query), body: b"{}" };
    let digest = testkit::sign(&message);
    let send = async |body: Body| {
        let request = Request::builder()
            .method("POST")
            .uri(format!("/ai/v1/age?{query}"))
            .header(app.api.brand.auth_id(), app.app.to_string())
            .header(app.api.brand.auth_digest(), &digest)
            .body(body)
            .unwrap();
        app.send(request).await.status_and_code()
    };
    assert_eq!(send(Body::from("{}")).await, PASSED);
    app.environment.advance(SignedDuration::from_secs(599));
    assert_eq!(
        send(Body::from("{}")).await,
        "401 INVALID_NONCE",
        "it is remembered, and the timestamp is right"
    );
    let (environment, db) = (app.environment.clone(), app.api.db.clone());
    let late_body = async move {
        environment.advance(SignedDuration::from_secs(2));
        let environment: Arc<dyn Environment> = environment;
        assert_eq!(nonces::purge(&db, &environment).await.unwrap(), 1, "the first use is forgotten");
        Ok::<_, std::io::Error>("{}")
    };
    assert_eq!(send(Body::from_stream(stream::once(late_body))).await, "401 INVALID_TIMESTAMP");
}

/// Whoever has stolen a key has half a minute for each body that has begun.
#[tokio::test]
async fn a_key_that_is_revoked_while_the_body_arrives_signs_nothing() {
    let app = TestApp::start().await;
    let (nonce, timestamp) = (app.environment.uuid_v7(), app.environment.now().as_second());
    let query = format!("nonce={nonce}&timestamp={timestamp}");
    let message = CanonicalRequest { method: "POST", path: "/ai/v1/age", query: Some(&query), body: b"{}" };
    let digest = testkit::sign(&message);
    let revoked = sql!("UPDATE public_keys SET revoked_at = $1", app.environment.now());
    let request = Request::builder()
        .method("POST")
        .uri(format!("/ai/v1/age?{query}"))
        .header(app.api.brand.auth_id(), app.app.to_string())
        .header(app.api.brand.auth_digest(), &digest)
        .body(late_body(&app, "{}".to_owned(), 2, revoked))
        .unwrap();
    assert_eq!(app.send(request).await.status_and_code(), "400 INVALID_PUBLIC_KEY");
}

#[tokio::test]
async fn a_refused_signature_uses_up_no_nonce() {
    let app = TestApp::start().await;
    let nonce = app.environment.uuid_v7().to_string();
    let forged = call().query("nonce", &nonce).send_body("{ }");
    assert_eq!(forged.send(&app).await.status_and_code(), "401 INVALID_SIGNATURE");
    assert_eq!(call().query("nonce", &nonce).send(&app).await.status_and_code(), PASSED);
}

#[tokio::test]
async fn invalid_timestamp() {
    let app = TestApp::start().await;
    assert_eq!(call().without("timestamp").send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");
    assert_eq!(
        call().query("timestamp", "yesterday").send(&app).await.status_and_code(),
        "401 INVALID_TIMESTAMP"
    );
    let old = (app.environment.now().as_second() - 301).to_string();
    let answer = call().query("timestamp", &old).send(&app).await;
    assert_eq!(answer.status_and_code(), "401 INVALID_TIMESTAMP");
    assert_eq!(answer.json()["measured"], 301.0);
    assert_eq!(answer.json()["limit"], "at most 300 seconds");
}

#[tokio::test]
async fn an_application_may_be_allowed_any_timestamp() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE applications SET unclocked = $1", true)).await;
    assert_eq!(call().query("timestamp", "12345").send(&app).await.status_and_code(), PASSED);
}

/// A signature holds for good, and the nonce of a request is forgotten once its timestamp is refused.
#[tokio::test]
async fn what_was_sent_before_any_timestamp_was_allowed_is_not_accepted_again() {
    let app = TestApp::start().await;
    let request = || {
        let (nonce, timestamp) = (app.environment.uuid_v7(), app.environment.now().as_second());
        call().query("nonce", &nonce.to_string()).query("timestamp", &timestamp.to_string())
    };
    let allow = async |accept: bool| {
        let mut tx = app.api.db.write().await.unwrap();
        applications::set_unclocked(&mut tx, &*app.environment, app.app, accept).await.unwrap();
        tx.commit().await.unwrap();
    };
    let forget_nonces = async || {
        app.environment.advance(SignedDuration::from_mins(11));
        let environment: Arc<dyn Environment> = app.environment.clone();
        nonces::purge(&app.api.db, &environment).await.unwrap()
    };
    let first = request();
    assert_eq!(first.send(&app).await.status_and_code(), PASSED);
    assert_eq!(forget_nonces().await, 1);
    allow(true).await;
    assert_eq!(first.send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");
    app.environment.advance(SignedDuration::from_mins(6));
    let later = request();
    assert_eq!(later.send(&app).await.status_and_code(), PASSED);
    assert_eq!(forget_nonces().await, 0);
    assert_eq!(later.send(&app).await.status_and_code(), "401 INVALID_NONCE", "those are kept from now on");

    // What is sent while it is not allowed is forgotten again.
    allow(false).await;
    let second = request();
    assert_eq!(second.send(&app).await.status_and_code(), PASSED);
    assert_eq!(forget_nonces().await, 1);
    // Nor where an earlier build allows it next, which does not store when.
    app.execute(sql!("UPDATE applications SET unclocked = $1", true)).await;
    app.environment.advance(SignedDuration::from_mins(6));
    assert_eq!(second.send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");
    allow(false).await;
    allow(true).await;
    app.environment.advance(SignedDuration::from_hours(24));
    for sent in [&first, &second] {
        assert_eq!(sent.send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");
    }
    assert_eq!(request().send(&app).await.status_and_code(), PASSED);
    assert_eq!(call().query("timestamp", "12345").send(&app).await.status_and_code(), PASSED);

    // An earlier build has switched it off and on again, and the command is run once more.
    app.execute(sql!("UPDATE applications SET unclocked = $1", false)).await;
    let third = request();
    assert_eq!(third.send(&app).await.status_and_code(), PASSED);
    assert_eq!(forget_nonces().await, 1);
    app.execute(sql!("UPDATE applications SET unclocked = $1", true)).await;
    allow(true).await;
    app.environment.advance(SignedDuration::from_mins(6));
    assert_eq!(third.send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");

    // Earlier builds did not store when it was allowed.
    app.execute(sql!("UPDATE applications SET unclocked_since = NULL")).await;
    for sent in [&first, &second] {
        assert_eq!(sent.send(&app).await.status_and_code(), "401 INVALID_TIMESTAMP");
    }
    assert_eq!(request().send(&app).await.status_and_code(), PASSED);
}

#[tokio::test]
async fn every_public_key_of_an_application_counts_and_one_too_many_is_refused() {
    let app = TestApp::start().await;
    let (_private, other) = public_keys::generate_rsa_key_pair(PrivateKeyFormat::Pkcs8);
    let mut tx = app.api.db.write().await.unwrap();
    let mut newest = None;
    for _ in 1..MAX_PUBLIC_KEYS {
        app.environment.advance(SignedDuration::from_secs(1));
        newest = Some(public_keys::add(&mut tx, &*app.environment, app.app, other.clone()).await.unwrap());
    }
    let refused = public_keys::add(&mut tx, &*app.environment, app.app, other.clone()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the application has 20 public keys; at most 20 are taken; revoke one first"
    );
    tx.commit().await.unwrap();
    assert_eq!(call().send(&app).await.status_and_code(), PASSED, "signed with the oldest key");

    let mut tx = app.api.db.write().await.unwrap();
    public_keys::revoke(&mut tx, &*app.environment, app.app, newest.unwrap()).await.unwrap();
    public_keys::add(&mut tx, &*app.environment, app.app, other).await.unwrap();
    tx.commit().await.unwrap();
}

/// Earlier versions took any number, and the holder of each key may call with it.
#[tokio::test]
async fn public_keys_that_were_too_many_already_count() {
    let app = TestApp::start().await;
    let (_private, other) = public_keys::generate_rsa_key_pair(PrivateKeyFormat::Pkcs8);
    for _ in 0..MAX_PUBLIC_KEYS {
        app.environment.advance(SignedDuration::from_secs(1));
        app.execute(sql!(
            "INSERT INTO public_keys (id, app_id, der, created_at) VALUES ($1, $2, $3, $4)",
            app.environment.uuid_v4(),
            app.app,
            other.clone(),
            app.environment.now(),
        ))
        .await;
    }
    assert_eq!(call().send(&app).await.status_and_code(), PASSED, "signed with the oldest key");
}

#[tokio::test]
async fn invalid_public_key_encoding() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE public_keys SET der = $1", b"-----BEGIN PUBLIC KEY-----".to_vec())).await;
    assert_eq!(call().send(&app).await.status_and_code(), "401 INVALID_PUBLIC_KEY_ENCODING");
}

#[tokio::test]
async fn unsupported_algorithm() {
    use aws_lc_rs::{
        encoding::{AsDer as _, PublicKeyX509Der},
        signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
    };
    let app = TestApp::start().await;
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let der: PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
    app.execute(sql!("UPDATE public_keys SET der = $1", der.as_ref().to_vec())).await;
    assert_eq!(call().send(&app).await.status_and_code(), "401 UNSUPPORTED_ALGORITHM");
}

#[tokio::test]
async fn invalid_signature() {
    let app = TestApp::start().await;
    assert_eq!(call().send_body(r#"{"img":""}"#).send(&app).await.status_and_code(), "401 INVALID_SIGNATURE");
    assert_eq!(
        call().sign_path("/ai/v1/antispoofing").send(&app).await.status_and_code(),
        "401 INVALID_SIGNATURE"
    );
    assert_eq!(call().digest(Some("QUJD")).send(&app).await.status_and_code(), "401 INVALID_SIGNATURE");
}

#[tokio::test]
async fn a_client_may_sign_the_path_below_its_base_address() {
    let app = TestApp::start().await;
    for path in ["/v1/age", "/age"] {
        assert_eq!(call().sign_path(path).send(&app).await.status_and_code(), PASSED, "{path}");
    }
}

#[tokio::test]
async fn invalid_org_status() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE organisations SET status = 'SUSPENDED'")).await;
    assert_eq!(call().send(&app).await.status_and_code(), "403 INVALID_ORG_STATUS");
}

#[tokio::test]
async fn unauthorized() {
    let app = TestApp::start().await;
    app.execute(sql!("UPDATE applications SET features = $1", json!(["proof-of-age"]))).await;
    let answer = SignedCall::post("/ai/v1/age").json(&json!({ "img": "AAAA" })).send(&app).await;
    assert_eq!(answer.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn payload_too_large() {
    let app = TestApp::start().await;
    let answer = call().body(vec![b' '; 2_097_153]).header("content-length", "2097153").send(&app).await;
    assert_eq!(answer.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    assert_eq!(answer.json()["limit"], "at most 2097152 bytes");
    let unannounced = call().body(vec![b' '; 2_097_153]).send(&app).await;
    assert_eq!(unannounced.status_and_code(), "413 PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn invalid_body_encoding() {
    let app = TestApp::start().await;
    for body in ["", "{", "img", "{} {}", "\"\u{0}\""] {
        let answer = SignedCall::post("/ai/v1/age").body(body).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_BODY_ENCODING", "{body:?}");
    }
    assert_eq!(
        call().body(vec![b'"', 0xff, b'"']).send(&app).await.status_and_code(),
        "400 INVALID_BODY_ENCODING"
    );
}

#[tokio::test]
async fn invalid_request_body_names_the_path() {
    let app = TestApp::start().await;
    for (path, body, names) in [
        ("/ai/v1/age", json!([]), "an object"),
        ("/ai/v1/age", json!(null), "an object"),
        ("/ai/v1/age", json!(["AAAA"]), "an object"),
        ("/ai/v1/age", json!({ "metadata": ["mobile"] }), "metadata"),
        ("/ai/v1/age-verify", json!({ "threshold": "1".repeat(100_000) }), "threshold"),
        ("/ai/v1/age", json!({ "img": 7 }), "img"),
        ("/ai/v1/age", json!({ "metadata": "mobile" }), "metadata"),
        ("/ai/v1/age", json!({ "secure": { "token": 7 } }), "secure.token"),
        ("/ai/v1/age-verify", json!({}), "threshold"),
        ("/ai/v1/age-verify", json!({ "threshold": "18" }), "threshold"),
        ("/ai/v1/age-verify", json!({ "threshold": 18.5 }), "threshold"),
        ("/ai/v1/age-verify", json!({ "threshold": 0 }), "threshold"),
        ("/ai/v1/age-verify", json!({ "threshold": 121 }), "threshold"),
        ("/ai/v1/age-verify", json!({ "threshold": 18, "operator": "ABOVE" }), "operator"),
        ("/ai/v1/age-antispoofing-verify", json!({}), "threshold"),
    ] {
        let answer = SignedCall::post(path).json(&body).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST_BODY", "{body}");
        let words = answer.json()["error_message"].as_str().unwrap().to_owned();
        assert!(words.contains(names) && words.len() < 300, "{words}");
    }
    let switch = SignedCall::post("/ai/v1/age").json(&json!({})).query("explain", "maybe").send(&app).await;
    assert_eq!(switch.status_and_code(), "400 INVALID_REQUEST_BODY");
    let multiframe =
        SignedCall::post("/ai/v1/age").json(&json!({})).query("multiframe", "true").send(&app).await;
    assert_eq!(multiframe.status_and_code(), "400 INVALID_REQUEST_BODY");
    for (switch, words) in
        [("secure", "true&secure=true"), ("secure", "true&%73ecure=false"), ("explain", "true&explain=")]
    {
        let repeated = SignedCall::post("/ai/v1/age").json(&json!({})).query(switch, words).send(&app).await;
        assert_eq!(repeated.status_and_code(), "400 INVALID_REQUEST_BODY", "{words}");
        assert!(repeated.json()["error_message"].as_str().unwrap().contains(switch), "{words}");
    }
}

#[tokio::test]
async fn a_threshold_is_a_whole_number_however_it_is_written() {
    let app = TestApp::start().await;
    for path in ["/ai/v1/age-verify", "/ai/v1/age-antispoofing-verify"] {
        for threshold in ["18", "18.0", "1.8e1"] {
            let body = format!("{{\"threshold\":{threshold}}}");
            let answer = SignedCall::post(path).body(body).send(&app).await;
            assert_eq!(answer.status_and_code(), PASSED, "{path} {threshold}");
        }
    }
}

#[tokio::test]
async fn invalid_level_of_assurance() {
    let app = TestApp::start().await;
    for path in ["/ai/v1/antispoofing", "/ai/v1/age-antispoofing", "/ai/v1/self-checkout/age-antispoofing"] {
        for level in [json!("highest"), json!(3), json!("HIGH")] {
            let call = SignedCall::post(path)
                .json(&json!({ "level_of_assurance": level }))
                .header("terminal-id", "till 7");
            assert_eq!(
                call.send(&app).await.status_and_code(),
                "400 INVALID_LEVEL_OF_ASSURANCE",
                "{path} {level}"
            );
        }
    }
}

#[tokio::test]
async fn invalid_img_validation_level() {
    let app = TestApp::start().await;
    let answer =
        SignedCall::post("/ai/v1/age").json(&json!({ "img_validation_level": "medium" })).send(&app).await;
    assert_eq!(answer.status_and_code(), "400 INVALID_IMG_VALIDATION_LEVEL");
    let relaxed = SignedCall::post("/ai/v1/antispoofing")
        .json(&json!({ "img_validation_level": "low" }))
        .send(&app)
        .await;
    assert_eq!(
        relaxed.status_and_code(),
        "400 INVALID_IMG_VALIDATION_LEVEL",
        "no relaxed mode where liveness is asked for"
    );
}

#[tokio::test]
async fn invalid_metadata_device() {
    let app = TestApp::start().await;
    for device in [json!("toaster"), json!(7), json!("")] {
        let answer = SignedCall::post("/ai/v1/age")
            .json(&json!({ "metadata": { "device": device } }))
            .send(&app)
            .await;
        assert_eq!(answer.status_and_code(), "404 INVALID_METADATA_DEVICE", "{device}");
    }
    for device in [json!("mobile"), json!("laptop"), json!("unknown"), json!(null)] {
        let answer = SignedCall::post("/ai/v1/age")
            .json(&json!({ "metadata": { "device": device } }))
            .send(&app)
            .await;
        assert_eq!(answer.status_and_code(), PASSED, "{device}");
    }
}

#[tokio::test]
async fn invalid_endpoint() {
    let app = TestApp::start().await;
    assert_eq!(
        SignedCall::post("/ai/v1/shoe-size").send(&app).await.status_and_code(),
        "404 INVALID_ENDPOINT"
    );
    assert_eq!(
        app.get("/ai/v1/age").await.status_and_code(),
        "404 INVALID_ENDPOINT",
        "the method is part of an endpoint"
    );
}

#[tokio::test]
async fn image_not_provided() {
    let app = TestApp::start().await;
    for body in [json!({}), json!({ "img": "" }), json!({ "img": null })] {
        assert_eq!(
            SignedCall::post("/ai/v1/age").json(&body).send(&app).await.status_and_code(),
            "400 IMAGE_NOT_PROVIDED"
        );
    }
}

#[tokio::test]
async fn every_row_of_the_error_table_has_its_documented_status() {
    let table = "APP_NOT_FOUND 404, INVALID_X_SVC_AUTH_ID 401, INVALID_APP_ID 400, INVALID_PUBLIC_KEY 400, \
        DISABLED_APP_STATE 403, INVALID_ORG_ID 400, INVALID_BILLING_SOURCE_ID 400, ORG_NOT_FOUND 404, \
        INVALID_SVC_AUTH_DIGEST 401, INVALID_NONCE 401, INVALID_TIMESTAMP 401, INVALID_PUBLIC_KEY_ENCODING 401, \
        UNSUPPORTED_ALGORITHM 401, INVALID_SIGNATURE 401, INVALID_ORG_STATUS 403, INVALID_METADATA_DEVICE 404, \
        INVALID_BODY_ENCODING 400, INVALID_ENDPOINT 404, PAYLOAD_TOO_LARGE 413, IMAGE_NOT_PROVIDED 400, \
        INVALID_B64_IMAGE 400, UNSUPPORTED_IMAGE_FORMAT 400, IMAGE_SIZE_TOO_BIG 400, IMAGE_SIZE_TOO_SMALL 400, \
        MIN_HEIGHT 400, MAX_HEIGHT 400, MIN_WIDTH 400, MAX_WIDTH 400, MIN_PIXELS 400, MAX_PIXELS 400, \
        IMAGE_WRONG_CHANNELS 400, IMAGE_GRAYSCALE_NOT_SUPPORTED 400, SERVICE_UNAVAILABLE 503, FACE_NOT_FOUND 400, \
        MULTIPLE_FACES 400, FACE_BOX_TOO_SMALL 400, FACE_TO_IMAGE_RATIO_TOO_LOW 400, \
        FACE_TO_IMAGE_RATIO_TOO_HIGH 400, INSUFFICIENT_AREA_AROUND_THE_FACE 400, IMAGE_TOO_BRIGHT 400, \
        IMAGE_TOO_DARK 400, INVALID_LEVEL_OF_ASSURANCE 400, INVALID_REQUEST_BODY 400, \
        INVALID_IMG_VALIDATION_LEVEL 400, UNAUTHORIZED 401, FAIL_PREDICTION 500, UNSPECIFIED_ERROR 500, \
        SECURE_REQUEST_IS_EMPTY 400, SECURE_SESSION_NOT_FOUND 400, SECURE_SIGNATURE_NOT_FOUND 400, \
        SECURE_VERSION_NOT_FOUND 400, INVALID_SECURE_SIGNATURE 400, SECURE_VERIFICATION_NOT_FOUND 400, \
        UNTRUSTED_SECURE_SESSION 400, INVALID_SECURE_SESSION 401, \
        TOO_MANY_REQUESTS 429";
    let ours: Vec<_> = api::image_analysis::ImageAnalysisErrorCode::ALL
        .iter()
        .map(|code| format!("{} {}", code.as_str(), code.status().as_u16()))
        .collect();
    assert_eq!(ours.join(", "), table);
}
