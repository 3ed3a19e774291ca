//! `/accounts`: contents, moderations of real media, notifications.

mod bad_media;
mod contents;
mod images;
mod live_videos;
mod notification_lists;
mod videos;

use base::AccountId;
use domain::delivery::{DeliveryDispatcher, DeliverySettings as Sending};
use serde_json::{Value, json};
use testkit::{
    TestApp, TestResponse,
    media_fixtures::FileServer,
    proof_settings,
    stub_server::{self, StubServer},
};

/// A server with one account, a key that may do everything, and media to moderate.
pub(crate) struct ModerationFixture {
    pub(crate) app: TestApp,
    pub(crate) account: AccountId,
    pub(crate) key: String,
    pub(crate) shelf: FileServer,
}

impl ModerationFixture {
    pub(crate) async fn set() -> Self {
        let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
        let (account, key) = (app.open_account().await, app.api_key(&[]).await);
        Self { app, account, key, shelf: FileServer::start().await }
    }

    /// Calls an operation below the account.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        let path = format!("/accounts/{}{path}", self.account);
        self.app.call_moderation(method, &path, &self.key, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, None).await;
        assert!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
        answer.json()
    }

    /// Creates something; returns its id.
    pub(crate) async fn make(&self, path: &str, body: Value) -> String {
        let answer = self.ask("POST", path, Some(body)).await;
        assert_eq!(answer.status.as_u16(), 201, "{path}: {}", answer.json());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn content(&self, url: &str, content_type: &str) -> String {
        self.make("/contents", json!({ "url": url, "type": content_type })).await
    }

    /// Starts a moderation of a content with these options; returns its id.
    pub(crate) async fn start(&self, content: &str, wishes: Value) -> String {
        let mut body = wishes;
        body["content_id"] = content.into();
        self.make("/moderations", body).await
    }

    /// Moderates a file to the end; returns the moderation's id.
    pub(crate) async fn moderate(&self, url: &str, content_type: &str, wishes: Value) -> String {
        let content = self.content(url, content_type).await;
        let id = self.start(&content, wishes).await;
        self.app.run_due_jobs().await;
        id
    }

    pub(crate) async fn state(&self, moderation: &str) -> Value {
        self.get(&format!("/moderations/{moderation}/details")).await["contents"].clone()
    }

    pub(crate) async fn report(&self, moderation: &str) -> Value {
        self.get(&format!("/moderations/{moderation}/report")).await
    }

    /// The reasons of a moderation's notifications, oldest first.
    pub(crate) async fn reasons(&self, moderation: &str) -> Vec<String> {
        let list = self.get(&format!("/moderations/{moderation}/notifications")).await;
        let reasons = list["notifications"].as_array().unwrap().iter().rev();
        reasons.map(|n| n["data"]["reasons"][0].as_str().unwrap().to_owned()).collect()
    }

    /// Enrols a picture of a face; returns the profile's id.
    pub(crate) async fn enrol(&self, picture: &base::Picture, name: &str) -> String {
        let profile = json!({
            "profile_type": 1, "display_name": name, "reference": name, "biometric_consent": "signed on paper",
            "face": api::base64(&testkit::media_fixtures::png(picture)),
        });
        self.make("/profiles", profile).await
    }

    /// Delivers until a receiver was sent `many` messages.
    pub(crate) async fn deliver(
        &self,
        receiver: &StubServer,
        many: usize,
    ) -> Vec<stub_server::CapturedRequest> {
        let outbox = self.app.api.content_moderation.outbox().clone();
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let sender = DeliveryDispatcher::new(
            self.app.api.db.clone(),
            self.app.world.clone(),
            outbox,
            Sending::default(),
        );
        let working = tokio::spawn(sender.run(stopped));
        let sent = receiver.wait_for(many).await;
        stop.send(true).unwrap();
        working.await.unwrap();
        sent
    }
}

/// The text of a member in every item of a list; `-` where it is absent.
pub(crate) fn all<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[member].as_str().unwrap_or("-")).collect()
}
