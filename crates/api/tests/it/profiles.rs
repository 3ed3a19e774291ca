//! Profiles, faces and groups on the wire, with real models.

use base::{AccountId, Picture};
use db::sql;
use domain::image_analysis::sample_faces;
use futures_util::TryStreamExt as _;
use image::{RgbImage, imageops};
use media::blobs::BlobPrefix;
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse, face_pictures, group_photo};

/// A server, an account in it, and a key that may do everything.
struct ProfilesFixture {
    app: TestApp,
    key: String,
    account: AccountId,
}

impl ProfilesFixture {
    async fn open() -> Self {
        let app = TestApp::start().await;
        let (key, account) = (app.api_key(&[]).await, app.open_account().await);
        Self { app, key, account }
    }

    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        let path = format!("/accounts/{}{path}", self.account);
        self.app.call_moderation(method, &path, &self.key, body).await
    }

    async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).await.json()
    }

    /// A profile with a face of this person.
    async fn enrol(&self, name: &str, face: &Picture) -> String {
        let body = json!({ "display_name": name, "biometric_consent": "form 7", "face": base64(face) });
        made(&self.ask("POST", "/profiles", Some(body)).await)
    }

    /// A profile without a face.
    async fn note(&self, name: &str) -> String {
        made(&self.ask("POST", "/profiles", Some(json!({ "display_name": name }))).await)
    }

    async fn add(&self, profile: &str, face: &Picture) -> TestResponse {
        self.ask("POST", &format!("/profiles/{profile}/faces"), Some(json!({ "face": base64(face) }))).await
    }

    /// The profiles that a search by this face finds.
    async fn find(&self, face: &Picture) -> Vec<String> {
        let found = self.ask("POST", "/profiles/search", Some(json!({ "face": base64(face) }))).await;
        assert_eq!(found.status_and_code(), "200", "{}", found.json());
        let profiles = found.json()["profiles"].as_array().unwrap().clone();
        profiles.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
    }

    async fn rows(&self) -> [i64; 4] {
        let mut view = self.app.api.db.read().await.unwrap();
        [
            view.count(sql!("SELECT count(*) FROM faces")).await.unwrap(),
            view.count(sql!("SELECT count(*) FROM face_leavings")).await.unwrap(),
            view.count(sql!("SELECT count(*) FROM negative_labels")).await.unwrap(),
            view.count(sql!("SELECT count(*) FROM group_profiles")).await.unwrap(),
        ]
    }

    async fn pictures(&self) -> usize {
        let listed = self.app.api.blobs.list(&BlobPrefix::tenant(self.account));
        listed.try_collect::<Vec<_>>().await.unwrap().len()
    }
}

fn made(answer: &TestResponse) -> String {
    assert_eq!(answer.status_and_code(), "201", "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn base64(picture: &Picture) -> String {
    api::base64(&sample_faces::encode_jpeg(picture, 92))
}

fn image(picture: &Picture) -> RgbImage {
    RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec()).unwrap()
}

fn picture(image: RgbImage) -> Picture {
    Picture::new(image.width(), image.height(), image.into_raw()).unwrap()
}

fn lit(face: &Picture, factor: f32) -> Picture {
    let bytes = face.rgb().iter().map(|&value| (f32::from(value) * factor).min(255.0) as u8).collect();
    Picture::new(face.width(), face.height(), bytes).unwrap()
}

/// Another picture of the same person: cut and lit in another way, a little smaller.
fn another(face: &Picture, number: u32) -> Picture {
    let (left, top) = (10 + 7 * number, 12 + 5 * number);
    let part = imageops::crop_imm(&image(face), left, top, 620, 690).to_image();
    let part = imageops::resize(&part, 560 - 4 * number, 620, imageops::FilterType::Triangle);
    lit(&picture(part), 0.86 + 0.02 * number as f32)
}

/// Two people who look into the camera.
fn two() -> (&'static Picture, &'static Picture) {
    (&face_pictures()[6], &face_pictures()[8])
}

/// One person in two photographs.
fn twice() -> (&'static Picture, &'static Picture) {
    (&face_pictures()[2], &face_pictures()[7])
}

fn errors(answer: &TestResponse) -> Value {
    answer.json()["errors"][0].clone()
}

#[tokio::test]
async fn a_person_is_enrolled_seen_listed_and_found() {
    let desk = ProfilesFixture::open().await;
    let (ada, bob) = two();
    let body = json!({
        "profile_type": 1, "display_name": "Ada", "reference": "u-1", "biometric_consent": "form 7",
        "consent_link": "https://example.com/consent/7", "id_verification": "v-9", "is_id_verified": true,
        "face": base64(ada),
    });
    let id = made(&desk.ask("POST", "/profiles", Some(body)).await);
    let seen = desk.get(&format!("/profiles/{id}")).await;
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
    let listed = json!([{ "profile_id": id, "is_banned": false, "is_active": true, "active": true }]);
    assert_eq!(desk.get("/profiles").await, json!({ "profiles": listed }));

    let found =
        desk.ask("POST", "/profiles/search", Some(json!({ "face": base64(&another(ada, 0)) }))).await.json();
    let hit = &found["profiles"][0];
    assert_eq!(
        (&hit["profile_id"], &hit["display_name"], &hit["reference"], &hit["is_banned"], &hit["face_id"]),
        (&json!(id), &json!("Ada"), &json!("u-1"), &json!(false), &face["id"])
    );
    assert!(hit["similarity"].as_f64().unwrap() > 0.55, "{hit}");
    assert!(desk.find(bob).await.is_empty(), "somebody else is nobody we know");

    // A profile that looks like another is accepted, and both are found.
    let twin = desk.enrol("Ada's twin", &another(ada, 1)).await;
    let found = desk.find(ada).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0] == id && found[1] == twin, "the nearest comes first");
    let one = desk.ask("POST", "/profiles/search", Some(json!({ "face": base64(ada), "most": 1 }))).await;
    assert_eq!(one.json()["profiles"].as_array().unwrap().len(), 1);
    for most in [0, 51] {
        let bad =
            desk.ask("POST", "/profiles/search", Some(json!({ "face": base64(ada), "most": most }))).await;
        assert_eq!(bad.status_and_code(), "400 INVALID_REQUEST");
    }
}

#[tokio::test]
async fn pictures_that_cannot_be_used_are_refused_and_nothing_of_them_stays() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let small = imageops::resize(&image(ada), 150, 167, imageops::FilterType::Triangle);
    let blurred = imageops::blur(&image(ada), 10.0);
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
        (base64(&group_photo(1)), "the picture shows more than one face", true),
        (base64(&picture(small)), "the face is too small", true),
        (base64(&lit(ada, 0.12)), "there is too little light on the face", true),
        (base64(&lit(ada, 4.0)), "there is too much light on the face", true),
        (base64(&picture(blurred)), "the face is blurred", true),
        (base64(&face_pictures()[3]), "the face looks away", true),
        (api::base64(&bomb), "the image has too many pixels", true),
        (api::base64(&whole[..whole.len() / 2]), "", false),
        (api::base64(b"GIF89a\x01\0\x01\0\0\0\0;"), "", false),
        (api::base64(b"hello"), "the bytes are no picture", false),
    ];
    for (face, message, measured) in cases {
        let body = json!({ "display_name": "Ada", "biometric_consent": "form 7", "face": face });
        let refused = desk.ask("POST", "/profiles", Some(body)).await;
        let error = errors(&refused);
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
        assert_eq!(desk.ask("POST", "/profiles", Some(body)).await.status_and_code(), "400 INVALID_REQUEST");
    }
    assert_eq!((desk.rows().await, desk.pictures().await), ([0; 4], 0));
    assert_eq!(desk.get("/profiles").await, json!({ "profiles": [] }));
}

#[tokio::test]
async fn texts_have_bounds_and_a_face_needs_consent() {
    let desk = ProfilesFixture::open().await;
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
        let refused = desk.ask("POST", "/profiles", Some(json!({ property: value }))).await;
        let told = errors(&refused)["property"].clone();
        assert_eq!((refused.status_and_code().as_str(), told), ("400 INVALID_REQUEST", json!(property)));
    }
    let body = json!({ "face": base64(two().0) });
    let refused = desk.ask("POST", "/profiles", Some(body.clone())).await;
    assert_eq!(errors(&refused)["property"], json!("biometric_consent"));
    let id = desk.note("Ada").await;
    let refused = desk.ask("POST", &format!("/profiles/{id}/faces"), Some(body)).await;
    assert_eq!(errors(&refused)["property"], json!("biometric_consent"));
    assert_eq!(
        desk.app
            .call_moderation("POST", &format!("/accounts/{}/profiles", desk.account), &desk.key, None)
            .await
            .status_and_code(),
        "400 INVALID_REQUEST",
        "Content-Type is application/json"
    );
}

#[tokio::test]
async fn profiles_are_listed_newest_first_by_twenty() {
    let desk = ProfilesFixture::open().await;
    let mut made = Vec::new();
    for number in 0..21 {
        made.push(desk.note(&format!("Person {number}")).await);
        desk.app.world.advance(base::SignedDuration::from_secs(1));
    }
    let ids = |list: Value| -> Vec<String> {
        let list = list["profiles"].as_array().unwrap().clone();
        list.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
    };
    made.reverse();
    assert_eq!(ids(desk.get("/profiles").await), made[..20]);
    assert_eq!(ids(desk.get("/profiles?page=2").await), made[20..]);
    assert_eq!(desk.ask("GET", "/profiles?page=3", None).await.status_and_code(), "422 PAGE_OUT_OF_RANGE");
    assert_eq!(desk.ask("GET", "/profiles?page=0", None).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(desk.get("/groups").await, json!({ "groups": [] }));
    assert_eq!(desk.ask("GET", "/groups?page=2", None).await.status_and_code(), "422 PAGE_OUT_OF_RANGE");
}

#[tokio::test]
async fn a_profile_changes_member_by_member_and_type_2_is_never_found() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let id = desk.enrol("Ada", ada).await;
    let path = format!("/profiles/{id}");
    desk.app.world.advance(base::SignedDuration::from_secs(60));
    let change = json!({ "profile_type": 2, "reference": "u-2", "display_name": null });
    let changed = desk.ask("PATCH", &path, Some(change)).await.json();
    assert_eq!(
        [
            &changed["profile_type"],
            &changed["reference"],
            &changed["display_name"],
            &changed["biometric_consent"]
        ],
        [&json!(2), &json!("u-2"), &Value::Null, &json!("form 7")]
    );
    assert_eq!(changed["updated_at"], json!("2026-01-16T14:41:00Z"));
    assert!(desk.find(ada).await.is_empty());
    desk.ask("PATCH", &path, Some(json!({ "profile_type": 1 }))).await;
    assert_eq!(desk.find(ada).await, std::slice::from_ref(&id));
    let refused = desk.ask("PATCH", &path, Some(json!({ "biometric_consent": "" }))).await;
    assert_eq!(
        (refused.status_and_code().as_str(), errors(&refused)["property"].clone()),
        ("400 INVALID_REQUEST", json!("biometric_consent"))
    );
    let hidden = json!({ "profile_type": 2, "biometric_consent": "form 8", "face": base64(ada) });
    made(&desk.ask("POST", "/profiles", Some(hidden)).await);
    assert_eq!(desk.find(ada).await, [id]);
}

#[tokio::test]
async fn people_are_banned_and_that_is_taken_back() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let id = desk.enrol("Ada", ada).await;
    for (action, banned) in [("ban", true), ("ban", true), ("unban", false)] {
        assert_eq!(
            desk.ask("POST", &format!("/profiles/{id}/{action}"), None).await.status_and_code(),
            "204"
        );
        assert_eq!(desk.get(&format!("/profiles/{id}")).await["is_banned"], json!(banned));
        let found = desk.ask("POST", "/profiles/search", Some(json!({ "face": base64(ada) }))).await.json();
        assert_eq!(found["profiles"][0]["is_banned"], json!(banned));
    }
}

#[tokio::test]
async fn a_profile_has_ten_faces_of_one_person() {
    let desk = ProfilesFixture::open().await;
    let (ada, bob) = two();
    let id = desk.enrol("Ada", ada).await;
    let refused = desk.add(&id, bob).await;
    let error = errors(&refused);
    assert_eq!(
        (refused.status_and_code().as_str(), &error["property"]),
        ("422 FACE_REFUSED", &json!("face"))
    );
    assert!(error["measured"].as_f64().unwrap() > 0.5, "{error}");
    assert_eq!((desk.rows().await[0], desk.pictures().await), (1, 1), "the stranger's picture is not kept");
    let (one, again) = twice();
    let person = desk.enrol("Eve", one).await;
    made(&desk.add(&person, again).await);
    assert_eq!(desk.ask("DELETE", &format!("/profiles/{person}"), None).await.status_and_code(), "204");
    for number in 0..9 {
        made(&desk.add(&id, &another(ada, number)).await);
    }
    let full = desk.add(&id, &another(ada, 9)).await;
    assert_eq!(full.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(errors(&full)["measured"], json!(10.0));
    let seen = desk.get(&format!("/profiles/{id}")).await;
    assert_eq!((seen["faces"].as_array().unwrap().len(), desk.pictures().await), (10, 10));
    assert_eq!(desk.find(ada).await, std::slice::from_ref(&id), "a person is found once");

    let face = seen["faces"][0]["id"].as_str().unwrap();
    let path = format!("/profiles/{id}/faces/{face}");
    assert_eq!(desk.ask("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(desk.ask("DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!((desk.rows().await[..2].to_vec(), desk.pictures().await), (vec![9, 0], 9));
}

#[tokio::test]
async fn what_is_deleted_is_gone_when_that_is_answered() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let id = desk.enrol("Ada", ada).await;
    made(&desk.add(&id, &another(ada, 0)).await);
    let group = made(&desk.ask("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let member = json!({ "profile_id": id });
    assert_eq!(
        desk.ask("POST", &format!("/groups/{group}"), Some(member.clone())).await.status_and_code(),
        "204"
    );
    assert_eq!(desk.pictures().await, 2);

    let path = format!("/profiles/{id}");
    assert_eq!(desk.ask("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!((desk.rows().await, desk.pictures().await), ([0; 4], 0));
    assert!(desk.find(ada).await.is_empty());
    let left = desk.get(&path).await;
    assert_eq!(
        [
            &left["active"],
            &left["is_active"],
            &left["is_banned"],
            &left["display_name"],
            &left["biometric_consent"]
        ],
        [&json!(false), &json!(false), &json!(false), &Value::Null, &Value::Null]
    );
    assert_eq!((&left["faces"], &left["groups"]), (&json!([]), &json!([])));
    assert_eq!(desk.get("/profiles").await["profiles"][0]["active"], json!(false));
    let mut view = desk.app.api.db.read().await.unwrap();
    let texts = view.count(sql!("SELECT count(*) FROM profiles WHERE details IS NOT NULL")).await.unwrap();
    assert_eq!(texts, 0);
    for (method, path, body) in [
        ("DELETE", path.clone(), None),
        ("PATCH", path.clone(), Some(json!({ "display_name": "Eve" }))),
        ("POST", format!("{path}/faces"), Some(json!({ "face": base64(ada) }))),
        ("POST", format!("{path}/ban"), None),
        ("POST", format!("{path}/unban"), None),
        ("POST", format!("/groups/{group}"), Some(member)),
    ] {
        assert_eq!(desk.ask(method, &path, body).await.status_and_code(), "404 NOT_FOUND", "{method} {path}");
    }
}

#[tokio::test]
async fn profiles_are_grouped() {
    let desk = ProfilesFixture::open().await;
    let id = desk.note("Ada").await;
    let group = made(&desk.ask("POST", "/groups", Some(json!({ "label": " Staff " }))).await);
    let same = desk.ask("POST", "/groups", Some(json!({ "label": "Staff" }))).await;
    assert_eq!(same.status_and_code(), "409 CONFLICT");
    for label in [json!(""), json!("x".repeat(101)), Value::Null] {
        let bad = desk.ask("POST", "/groups", Some(json!({ "label": label }))).await;
        assert_eq!(bad.status_and_code(), "400 INVALID_REQUEST");
    }
    let groups = json!([{ "id": group, "label": "Staff" }]);
    assert_eq!(desk.get("/groups").await, json!({ "groups": groups }));
    let at = format!("/groups/{group}");
    for _ in 0..2 {
        assert_eq!(desk.ask("POST", &at, Some(json!({ "profile_id": id }))).await.status_and_code(), "204");
    }
    assert_eq!(desk.ask("POST", &at, Some(json!({}))).await.status_and_code(), "400 INVALID_REQUEST");
    let nobody = json!({ "profile_id": "018f3c8e-0000-4000-8000-00000000000a" });
    assert_eq!(desk.ask("POST", &at, Some(nobody)).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(desk.get(&format!("/profiles/{id}")).await["groups"], groups);
    let member = format!("{at}/profiles/{id}");
    assert_eq!(desk.ask("DELETE", &member, None).await.status_and_code(), "204");
    assert_eq!(desk.ask("DELETE", &member, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(desk.ask("POST", &at, Some(json!({ "profile_id": id }))).await.status_and_code(), "204");
    assert_eq!(desk.ask("DELETE", &at, None).await.status_and_code(), "204");
    assert_eq!(desk.ask("DELETE", &at, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(desk.get(&format!("/profiles/{id}")).await["groups"], json!([]));
}

#[tokio::test]
async fn accounts_know_nothing_of_each_other() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let id = desk.enrol("Ada", ada).await;
    let group = made(&desk.ask("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let seen = desk.get(&format!("/profiles/{id}")).await;
    let face = seen["faces"][0]["id"].as_str().unwrap().to_owned();
    let other = ProfilesFixture { account: desk.app.open_account().await, ..desk };
    assert!(other.find(ada).await.is_empty());
    assert_eq!(other.get("/profiles").await, json!({ "profiles": [] }));
    let own = other.note("Bob").await;
    for (method, path, body) in [
        ("GET", format!("/profiles/{id}"), None),
        ("PATCH", format!("/profiles/{id}"), Some(json!({}))),
        ("DELETE", format!("/profiles/{id}"), None),
        ("POST", format!("/profiles/{id}/ban"), None),
        ("POST", format!("/profiles/{id}/faces"), Some(json!({ "face": base64(ada) }))),
        ("DELETE", format!("/profiles/{id}/faces/{face}"), None),
        ("DELETE", format!("/profiles/{own}/faces/{face}"), None),
        ("POST", format!("/groups/{group}"), Some(json!({ "profile_id": own }))),
        ("DELETE", format!("/groups/{group}"), None),
        ("GET", "/profiles/nonsense".to_owned(), None),
    ] {
        assert_eq!(
            other.ask(method, &path, body).await.status_and_code(),
            "404 NOT_FOUND",
            "{method} {path}"
        );
    }
    let mine = made(&other.ask("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let foreign = other.ask("POST", &format!("/groups/{mine}"), Some(json!({ "profile_id": id }))).await;
    assert_eq!(foreign.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_repeat_enrols_nobody_twice() {
    let desk = ProfilesFixture::open().await;
    let (ada, _) = two();
    let body = json!({ "biometric_consent": "form 7", "face": base64(ada) });
    let send = async |path: &str, body: &Value, once: &str| {
        let request = axum::http::Request::post(format!("/accounts/{}{path}", desk.account))
            .header("Authorization", &desk.key)
            .header("Svc-Sdk-Id", desk.app.app.to_string())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", once);
        desk.app.send(request.body(body.to_string().into()).unwrap()).await
    };
    let first = send("/profiles", &body, "a").await;
    assert_eq!(first.status_and_code(), "201");
    assert_eq!(first.body, send("/profiles", &body, "a").await.body);
    assert_eq!((desk.rows().await, desk.pictures().await), ([1, 0, 0, 0], 1), "the repeat's picture is gone");
    let other = send("/profiles", &json!({ "display_name": "Eve" }), "a").await;
    assert_eq!(other.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");

    let path = format!("/profiles/{}/faces", first.json()["id"].as_str().unwrap());
    let face = json!({ "face": base64(&another(ada, 0)) });
    let added = send(&path, &face, "b").await;
    assert_eq!((added.status_and_code().as_str(), &added.body), ("201", &send(&path, &face, "b").await.body));
    assert_eq!((desk.rows().await, desk.pictures().await), ([2, 0, 0, 0], 2));
}
