//! `POST /accounts/{accountId}/profiles`

use crate::content_moderation::{
    AccountFixture, another_photo, created_id, face_base64, first_error, two_people,
};
use base::{Picture, PictureSize};
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::{edits, face_pictures, group_photo};

#[tokio::test]
async fn a_profile_is_enrolled() {
    let fixture = AccountFixture::start().await;
    let body =
        json!({ "display_name": "Ada", "biometric_consent": "form 7", "face": face_base64(two_people().0) });
    assert_response_snapshot!(fixture.call("POST", "/profiles", Some(body)).await);
}

#[tokio::test]
async fn a_picture_without_a_face_is_refused() {
    let fixture = AccountFixture::start().await;
    let grey = Picture::new(400, 400, vec![128; 480_000]).unwrap();
    let body = json!({ "biometric_consent": "form 7", "face": face_base64(&grey) });
    assert_response_snapshot!(fixture.call("POST", "/profiles", Some(body)).await);
}

#[tokio::test]
async fn an_enrolled_person_is_read_listed_and_found() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = two_people();
    let body = json!({
        "profile_type": 1, "display_name": "Ada", "reference": "u-1", "biometric_consent": "form 7",
        "consent_link": "https://example.com/consent/7", "id_verification": "v-9", "is_id_verified": true,
        "face": face_base64(ada),
    });
    let id = created_id(&fixture.call("POST", "/profiles", Some(body)).await);
    let seen = fixture.get(&format!("/profiles/{id}")).await;
    let face = seen["faces"][0].clone();
    assert!(face["quality"].as_f64().unwrap() > 0.05, "{face}");
    assert_eq!(
        seen,
        json!({
            "profile_id": id, "is_banned": false, "is_active": true, "active": true, "profile_type": 1,
            "display_name": "Ada", "reference": "u-1", "biometric_consent": "form 7",
            "consent_link": "https://example.com/consent/7", "id_verification": "v-9", "is_id_verified": true, "is_adult": false,
            "faces": [face], "groups": [],
            "created_at": "2026-01-16T14:40:00Z", "updated_at": "2026-01-16T14:40:00Z",
        })
    );
    let listed = json!([{
        "profile_id": id, "is_banned": false, "is_active": true, "active": true, "display_name": "Ada", "reference": "u-1",
    }]);
    assert_eq!(fixture.get("/profiles").await, json!({ "profiles": listed, "total_count": 1 }));

    let found = fixture
        .call("POST", "/profiles/search", Some(json!({ "face": face_base64(&another_photo(ada, 0)) })))
        .await
        .json();
    let hit = &found["profiles"][0];
    assert_eq!(
        (&hit["profile_id"], &hit["display_name"], &hit["reference"], &hit["is_banned"], &hit["face_id"]),
        (&json!(id), &json!("Ada"), &json!("u-1"), &json!(false), &face["id"])
    );
    assert!(hit["similarity"].as_f64().unwrap() > 0.55, "{hit}");
    assert!(fixture.search_by_face(bob).await.is_empty(), "somebody else is nobody we know");

    // A profile that looks like another is accepted, and both are found.
    let twin = fixture.enrol("Ada's twin", &another_photo(ada, 1)).await;
    let found = fixture.search_by_face(ada).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0] == id && found[1] == twin, "the nearest comes first");
    let one = fixture
        .call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada), "most": 1.0 })))
        .await;
    assert_eq!(one.json()["profiles"].as_array().unwrap().len(), 1);
    for most in [0, 51] {
        let bad = fixture
            .call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada), "most": most })))
            .await;
        assert_eq!(bad.status_and_code(), "400 INVALID_REQUEST");
    }
}

#[tokio::test]
async fn unusable_pictures_of_faces_are_refused_and_nothing_of_them_is_kept() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let small = edits::resized(ada, PictureSize { width: 150, height: 167 });
    let grey = Picture::new(400, 400, vec![128; 480_000]).unwrap();
    let whole = sample_faces::encode_jpeg(ada, 92);
    // A PNG's header that asks for 3.6 thousand million pixels.
    let bomb = {
        let mut png = Vec::new();
        let encoder = png::Encoder::new(&mut png, 60_000, 60_000);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, b"\x78\x9c\x03\0\0\0\0\x01").unwrap();
        drop(writer);
        png
    };
    let cases = [
        (api::base64(&sample_faces::encode_jpeg(&grey, 92)), "no face is found in the picture", true),
        (face_base64(&group_photo(1)), "the picture shows more than one face", true),
        (face_base64(&small), "the face is too small", true),
        (face_base64(&edits::with_brightness(ada, 0.12)), "there is too little light on the face", true),
        (face_base64(&edits::with_brightness(ada, 4.0)), "there is too much light on the face", true),
        (face_base64(&edits::blurred(ada, 10.0)), "the face is blurred", true),
        (face_base64(&face_pictures()[3]), "the face looks away", true),
        (api::base64(&bomb), "the image has too many pixels", true),
        (api::base64(&whole[..whole.len() / 2]), "", false),
        (api::base64(b"GIF89a\x01\0\x01\0\0\0\0;"), "", false),
        (api::base64(b"hello"), "the bytes are not a picture", false),
    ];
    for (face, message, measured) in cases {
        let body = json!({ "display_name": "Ada", "biometric_consent": "form 7", "face": face });
        let refused = fixture.call("POST", "/profiles", Some(body)).await;
        let error = first_error(&refused);
        assert_eq!(
            (refused.status_and_code().as_str(), &error["property"]),
            ("422 FACE_REFUSED", &json!("face")),
            "{message}: {error}"
        );
        assert!(error["message"].as_str().unwrap().contains(message), "{message}: {error}");
        assert_eq!(
            error["measured"].is_number() && error["limit"].is_string(),
            measured,
            "{message}: {error}"
        );
    }
    for face in [json!("not base64!"), json!("")] {
        let body = json!({ "biometric_consent": "form 7", "face": face });
        assert_eq!(
            fixture.call("POST", "/profiles", Some(body)).await.status_and_code(),
            "400 INVALID_REQUEST"
        );
    }
    assert_eq!((fixture.row_counts().await, fixture.picture_count().await), ([0; 4], 0));
    assert_eq!(fixture.get("/profiles").await, json!({ "profiles": [], "total_count": 0 }));
}

#[tokio::test]
async fn the_texts_of_a_profile_have_bounds_and_a_face_needs_consent() {
    let fixture = AccountFixture::start().await;
    for (property, value) in [
        ("display_name", json!("x".repeat(201))),
        ("reference", json!("x".repeat(201))),
        ("biometric_consent", json!("x".repeat(501))),
        ("consent_link", json!("ftp://example.com")),
        ("id_verification", json!("a\u{1}b")),
        ("is_id_verified", json!("yes")),
        ("profile_type", json!(3)),
        ("display_name", json!(7)),
    ] {
        let refused = fixture.call("POST", "/profiles", Some(json!({ property: value }))).await;
        let reported = first_error(&refused)["property"].clone();
        assert_eq!((refused.status_and_code().as_str(), reported), ("400 INVALID_REQUEST", json!(property)));
    }
    let body = json!({ "face": face_base64(two_people().0) });
    let refused = fixture.call("POST", "/profiles", Some(body.clone())).await;
    assert_eq!(first_error(&refused)["property"], json!("biometric_consent"));
    let id = fixture.add_profile("Ada").await;
    let refused = fixture.call("POST", &format!("/profiles/{id}/faces"), Some(body)).await;
    assert_eq!(first_error(&refused)["property"], json!("biometric_consent"));
    assert_eq!(
        fixture
            .app
            .call_moderation("POST", &format!("/accounts/{}/profiles", fixture.account), &fixture.key, None)
            .await
            .status_and_code(),
        "400 INVALID_REQUEST",
        "Content-Type is application/json"
    );
}

#[tokio::test]
async fn a_profile_repeated_with_its_idempotency_key_is_enrolled_once() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let body = json!({ "biometric_consent": "form 7", "face": face_base64(ada) });
    let send = async |path: &str, body: &Value, once: &str| {
        let request = axum::http::Request::post(format!("/accounts/{}{path}", fixture.account))
            .header("Authorization", &fixture.key)
            .header("Svc-Sdk-Id", fixture.app.app.to_string())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", once);
        fixture.app.send(request.body(body.to_string().into()).unwrap()).await
    };
    let first = send("/profiles", &body, "a").await;
    assert_eq!(first.status_and_code(), "201");
    assert_eq!(first.body, send("/profiles", &body, "a").await.body);
    assert_eq!(
        (fixture.row_counts().await, fixture.picture_count().await),
        ([1, 0, 0, 0], 1),
        "the repeat's picture is gone"
    );
    let other = send("/profiles", &json!({ "display_name": "Eve" }), "a").await;
    assert_eq!(other.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");

    let path = format!("/profiles/{}/faces", first.json()["id"].as_str().unwrap());
    let face = json!({ "face": face_base64(&another_photo(ada, 0)) });
    let added = send(&path, &face, "b").await;
    assert_eq!((added.status_and_code().as_str(), &added.body), ("201", &send(&path, &face, "b").await.body));
    assert_eq!((fixture.row_counts().await, fixture.picture_count().await), ([2, 0, 0, 0], 2));
}
