//! `/accounts`: accounts and their members, profiles, contents, moderations and notifications.

mod accounts;
mod authorisation_matrix;
mod camera_moderation;
mod contents;
mod findings;
mod groups;
mod image_moderation;
mod invitations;
mod live_video_moderation;
mod members;
mod missing_models;
mod moderation_ends;
mod moderations;
mod notifications;
mod profiles;
mod retroactive_bans;
mod unusable_media;
mod video_moderation;

use crate::deliveries::deliver;
use axum::{body::Body, http::Request};
use base::{AccountId, Picture, PictureSize};
use db::sql;
use domain::image_analysis::sample_faces;
use futures_util::TryStreamExt as _;
use media::blobs::BlobPrefix;
use serde_json::{Value, json};
use testkit::{
    TestApp, TestResponse, edits, face_pictures,
    media_fixtures::{FileServer, png},
    proof_settings,
    stub_server::{self, CapturedRequest, StubServer},
};

/// What differs from run to run in a notification: moments of its job, and the last digits of what models measure.
const VOLATILE_IN_NOTIFICATIONS: &str =
    "**.created_at **.observed_at **.left **.top **.right **.bottom **.age_group";
/// The same in a face that was found.
const VOLATILE_IN_FOUND_FACES: &str = "**.face_left **.face_top **.face_right **.face_bottom **.age_group **.max_distance \
                                       **.model **.years **.years_low **.years_high **.quality **.score";

/// A server with one account, a key that may do everything, and a file server for the media of contents.
pub(crate) struct AccountFixture {
    pub(crate) app: TestApp,
    pub(crate) account: AccountId,
    pub(crate) key: String,
    pub(crate) files: FileServer,
}

impl AccountFixture {
    pub(crate) async fn start() -> Self {
        Self::of(TestApp::start().await).await
    }

    /// One whose server may fetch from the file server.
    pub(crate) async fn start_with_media() -> Self {
        Self::of(TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await).await
    }

    pub(crate) async fn of(app: TestApp) -> Self {
        let (account, key) = (app.open_account().await, app.api_key(&[]).await);
        Self { app, account, key, files: FileServer::start().await }
    }

    /// A path below the account.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("/accounts/{}{below}", self.account)
    }

    /// Calls an operation below the account with the key.
    pub(crate) async fn call(&self, method: &str, below: &str, body: Option<Value>) -> TestResponse {
        self.app.call_moderation(method, &self.path(below), &self.key, body).await
    }

    /// What an operation below the account answers, which must be a success.
    pub(crate) async fn get(&self, below: &str) -> Value {
        let answer = self.call("GET", below, None).await;
        assert!(answer.status.is_success(), "{below}: {} {}", answer.status, answer.json());
        answer.json()
    }

    /// Creates something; returns its id.
    pub(crate) async fn create(&self, below: &str, body: Value) -> String {
        created_id(&self.call("POST", below, Some(body)).await)
    }

    pub(crate) async fn count(&self, query: db::Query) -> i64 {
        self.app.api.db.read().await.unwrap().count(query).await.unwrap()
    }
}

/// Members, and the console that they sign in to.
impl AccountFixture {
    pub(crate) async fn invite(&self, body: Value) -> TestResponse {
        self.call("POST", "/invitations", Some(body)).await
    }

    /// Sends what is to be mailed, and reads the token for `what` from the last email.
    pub(crate) async fn mailed_token(&self, what: &str) -> String {
        self.app.run_due_jobs().await;
        token_in_email(self.app.sent_mails().last().expect("an email"), what)
    }

    /// Invites somebody, who accepts; returns their id and their cookie.
    pub(crate) async fn add_member(&self, email: &str, admin: bool, scopes: &[&str]) -> (String, String) {
        let invited = self.invite(json!({ "email": email, "admin": admin, "scopes": scopes })).await;
        assert_eq!(invited.status, 201, "{:?}", invited.body);
        let token = self.mailed_token("invite").await;
        let entered = self.post_signed_out("/console/session", json!({ "invitation": token })).await;
        assert_eq!(entered.status, 200, "{:?}", entered.body);
        (entered.json()["member"]["id"].as_str().unwrap().to_owned(), session_cookie(&entered))
    }

    /// The cookie of an administrator of another account of the same application.
    pub(crate) async fn member_elsewhere(&self, email: &str) -> String {
        let key = &self.key;
        let opened = self.app.call_moderation("POST", "/accounts", key, Some(json!({ "name": email }))).await;
        let invite = format!("/accounts/{}/invitations", created_id(&opened));
        let body = json!({ "email": email, "admin": true });
        assert_eq!(self.app.call_moderation("POST", &invite, key, Some(body)).await.status, 201);
        let token = self.mailed_token("invite").await;
        session_cookie(&self.post_signed_out("/console/session", json!({ "invitation": token })).await)
    }

    /// What a page of the console sends before sign-in.
    pub(crate) async fn post_signed_out(&self, path: &str, body: Value) -> TestResponse {
        let request = Request::post(path).header("X-Assay-Console", "1");
        self.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// What a page of the console sends with a session.
    pub(crate) async fn call_console(
        &self,
        cookie: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let request = Request::builder().method(method).uri(path).header("X-Assay-Console", "1");
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.app.send(request.header("Cookie", cookie).body(body).unwrap()).await
    }
}

/// Profiles and their faces.
impl AccountFixture {
    /// A profile with a face of this person.
    pub(crate) async fn enrol(&self, name: &str, face: &Picture) -> String {
        let profile =
            json!({ "display_name": name, "biometric_consent": "form 7", "face": face_base64(face) });
        self.create("/profiles", profile).await
    }

    /// The same with a reference, and the very pixels of the picture.
    pub(crate) async fn enrol_with_reference(&self, picture: &Picture, name: &str) -> String {
        let profile = json!({
            "profile_type": 1, "display_name": name, "reference": name, "biometric_consent": "signed on paper",
            "face": api::base64(&png(picture)),
        });
        self.create("/profiles", profile).await
    }

    /// A profile without a face.
    pub(crate) async fn add_profile(&self, name: &str) -> String {
        self.create("/profiles", json!({ "display_name": name })).await
    }

    pub(crate) async fn add_face(&self, profile: &str, face: &Picture) -> TestResponse {
        let body = json!({ "face": face_base64(face) });
        self.call("POST", &format!("/profiles/{profile}/faces"), Some(body)).await
    }

    /// The profiles that a search by this face finds, nearest first.
    pub(crate) async fn search_by_face(&self, face: &Picture) -> Vec<String> {
        let found = self.call("POST", "/profiles/search", Some(json!({ "face": face_base64(face) }))).await;
        assert_eq!(found.status_and_code(), "200", "{}", found.json());
        let profiles = found.json()["profiles"].as_array().unwrap().clone();
        profiles.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
    }

    /// How many rows there are of faces, of faces still to be deleted, of rejected matches, and of profiles in groups.
    pub(crate) async fn row_counts(&self) -> [i64; 4] {
        [
            self.count(sql!("SELECT count(*) FROM faces")).await,
            self.count(sql!("SELECT count(*) FROM face_leavings")).await,
            self.count(sql!("SELECT count(*) FROM negative_labels")).await,
            self.count(sql!("SELECT count(*) FROM group_profiles")).await,
        ]
    }

    /// How many pictures of faces are stored.
    pub(crate) async fn picture_count(&self) -> usize {
        let listed = self.app.api.blobs.list(&BlobPrefix::tenant(self.account));
        listed.try_collect::<Vec<_>>().await.unwrap().len()
    }
}

/// Contents, moderations and notifications.
impl AccountFixture {
    /// Registers a content; returns its id.
    pub(crate) async fn content(&self, url: &str, content_type: &str) -> String {
        self.create("/contents", json!({ "url": url, "type": content_type })).await
    }

    /// Uploads a file.
    pub(crate) async fn upload(&self, media_type: &str, file: impl Into<Body>) -> TestResponse {
        self.upload_to(&self.account.to_string(), media_type, file).await
    }

    /// Uploads a file to some account, with the key of this one.
    pub(crate) async fn upload_to(
        &self,
        account: &str,
        media_type: &str,
        file: impl Into<Body>,
    ) -> TestResponse {
        let request = Request::post(format!("/accounts/{account}/uploads"))
            .header("Authorization", &self.key)
            .header(self.app.api.brand.sdk_id(), self.app.app.to_string())
            .header("Content-Type", media_type);
        self.app.send(request.body(file.into()).unwrap()).await
    }

    /// Registers a content with an uploaded file; returns its id.
    pub(crate) async fn uploaded_content(&self, media_type: &str, file: impl Into<Body>) -> String {
        let upload = created_id(&self.upload(media_type, file).await);
        let content_type = if media_type.starts_with("image/") { "IMAGE" } else { "VIDEO" };
        self.create("/contents", json!({ "upload_id": upload, "type": content_type })).await
    }

    /// Starts a moderation of a content with these options; returns its id.
    pub(crate) async fn start_moderation(&self, content: &str, options: Value) -> String {
        let mut body = options;
        body["content_id"] = content.into();
        self.create("/moderations", body).await
    }

    /// Moderates a file to the end; returns the moderation's id.
    pub(crate) async fn moderate(&self, url: &str, content_type: &str, options: Value) -> String {
        let content = self.content(url, content_type).await;
        let id = self.start_moderation(&content, options).await;
        self.app.run_due_jobs().await;
        id
    }

    /// A moderation of an image with one unknown face that waits for a worker: the content and the moderation.
    pub(crate) async fn waiting_moderation(&self) -> (String, String) {
        self.image_moderation(json!({})).await
    }

    /// The same with more options, run to its end.
    pub(crate) async fn finished_moderation(&self, options: Value) -> (String, String) {
        let ids = self.image_moderation(options).await;
        self.app.run_due_jobs().await;
        ids
    }

    async fn image_moderation(&self, mut options: Value) -> (String, String) {
        options["unknown_faces"] = true.into();
        let content = self.content(&self.files.put("face.png", png(&face_pictures()[6])), "IMAGE").await;
        let moderation = self.start_moderation(&content, options).await;
        (content, moderation)
    }

    /// A moderation's notifications about faces, newest first.
    pub(crate) async fn face_notifications(&self, moderation: &str) -> Vec<Value> {
        let list = self.get(&format!("/moderations/{moderation}/notifications")).await;
        let all = list["notifications"].as_array().unwrap();
        all.iter().filter(|notification| notification["type"] == "FACE").cloned().collect()
    }

    /// The id of a moderation's newest notification about a face.
    pub(crate) async fn first_notification(&self, moderation: &str) -> String {
        self.face_notifications(moderation).await[0]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn moderation_state(&self, moderation: &str) -> Value {
        self.get(&format!("/moderations/{moderation}/details")).await["contents"].clone()
    }

    pub(crate) async fn report(&self, moderation: &str) -> Value {
        self.get(&format!("/moderations/{moderation}/report")).await
    }

    /// The reasons of a moderation's notifications about faces, oldest first.
    pub(crate) async fn reasons(&self, moderation: &str) -> Vec<String> {
        let faces = self.face_notifications(moderation).await;
        faces.iter().rev().map(|n| n["data"]["reasons"][0].as_str().unwrap().to_owned()).collect()
    }

    /// The reasons of all of a moderation's notifications, oldest first.
    pub(crate) async fn all_reasons(&self, moderation: &str) -> Vec<String> {
        let list = self.get(&format!("/moderations/{moderation}/notifications")).await;
        let all = list["notifications"].as_array().unwrap().iter().rev();
        all.map(|n| n["data"]["reasons"][0].as_str().unwrap().to_owned()).collect()
    }

    /// Delivers until a receiver was sent `many` messages.
    pub(crate) async fn deliver(&self, receiver: &StubServer, many: usize) -> Vec<CapturedRequest> {
        deliver(&self.app, self.app.api.content_moderation.outbox(), receiver, many).await
    }
}

/// The id in the answer to a creation.
#[track_caller]
pub(crate) fn created_id(answer: &TestResponse) -> String {
    assert_eq!(answer.status_and_code(), "201", "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

/// The first of the errors in a refusal.
pub(crate) fn first_error(answer: &TestResponse) -> Value {
    answer.json()["errors"][0].clone()
}

/// The text of a member in every item of a list; `-` where it is absent.
pub(crate) fn text_members<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[member].as_str().unwrap_or("-")).collect()
}

/// The text after `#what=` in an email, whose lines may be wrapped.
pub(crate) fn token_in_email(email: &str, what: &str) -> String {
    let text = email.replace("=\r\n", "").replace("=3D", "=");
    let token = text.split(&format!("/console/#{what}=")).nth(1).expect("a link").chars();
    token.take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

/// The cookie that an answer sets.
pub(crate) fn session_cookie(entered: &TestResponse) -> String {
    entered.header("set-cookie").split(';').next().unwrap().to_owned()
}

/// A picture of a face as requests have it.
pub(crate) fn face_base64(picture: &Picture) -> String {
    api::base64(&sample_faces::encode_jpeg(picture, 92))
}

/// Another picture of the same person: cut and lit in another way, a little smaller.
pub(crate) fn another_photo(face: &Picture, number: u32) -> Picture {
    let (left, top) = (10 + 7 * number, 12 + 5 * number);
    let part = edits::cropped(face, left, top, PictureSize { width: 620, height: 690 });
    let part = edits::resized(&part, PictureSize { width: 560 - 4 * number, height: 620 });
    edits::with_brightness(&part, 0.86 + 0.02 * number as f32)
}

/// Two people who look into the camera.
pub(crate) fn two_people() -> (&'static Picture, &'static Picture) {
    (&face_pictures()[6], &face_pictures()[8])
}

/// One person in two photographs.
pub(crate) fn same_person_twice() -> (&'static Picture, &'static Picture) {
    (&face_pictures()[2], &face_pictures()[7])
}
