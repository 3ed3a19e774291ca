//! Members of moderation accounts: invitations, sign-in, scopes and removal; and the closing of accounts.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use axum::{body::Body, http::Request};
use base::{AccountId, SignedDuration};
use db::sql;
use domain::{
    accounts::sign_in::{SignInService, SignInSettings},
    mail::{MailTransport, Mailer},
};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

/// A server, an account in it, and a key that may do everything.
struct MembersFixture {
    app: TestApp,
    account: AccountId,
    key: String,
}

impl MembersFixture {
    async fn open() -> Self {
        Self::with(TestApp::start().await).await
    }

    async fn with(app: TestApp) -> Self {
        let (account, key) = (app.open_account().await, app.api_key(&[]).await);
        Self { app, account, key }
    }

    fn path(&self, below: &str) -> String {
        format!("/accounts/{}{below}", self.account)
    }

    async fn ask(&self, method: &str, below: &str, body: Option<Value>) -> TestResponse {
        self.app.call_moderation(method, &self.path(below), &self.key, body).await
    }

    async fn invite(&self, body: Value) -> TestResponse {
        self.ask("POST", "/invitations", Some(body)).await
    }

    /// Sends the emails, and reads the token for `what` from the last one.
    async fn token(&self, what: &str) -> String {
        self.app.run_due_jobs().await;
        token(self.app.sent_mails().last().expect("a letter"), what)
    }

    /// Invites somebody, who accepts; returns their id and their cookie.
    async fn member(&self, email: &str, admin: bool, scopes: &[&str]) -> (String, String) {
        let invited = self.invite(json!({ "email": email, "admin": admin, "scopes": scopes })).await;
        assert_eq!(invited.status, 201, "{:?}", invited.body);
        let entered =
            self.knock("/console/session", json!({ "invitation": self.token("invite").await })).await;
        assert_eq!(entered.status, 200, "{:?}", entered.body);
        (entered.json()["member"]["id"].as_str().unwrap().to_owned(), cookie(&entered))
    }

    /// What a page of the console sends before sign-in.
    async fn knock(&self, path: &str, body: Value) -> TestResponse {
        let request = Request::post(path).header("X-Assay-Console", "1");
        self.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// What a page of the console sends with a session.
    async fn console(&self, cookie: &str, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        let request = Request::builder().method(method).uri(path).header("X-Assay-Console", "1");
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.app.send(request.header("Cookie", cookie).body(body).unwrap()).await
    }

    async fn count(&self, query: db::Query) -> i64 {
        self.app.api.db.read().await.unwrap().count(query).await.unwrap()
    }
}

/// The text after `#what=` in an email, whose lines may be wrapped.
fn token(letter: &str, what: &str) -> String {
    let text = letter.replace("=\r\n", "").replace("=3D", "=");
    let token = text.split(&format!("/console/#{what}=")).nth(1).expect("a link").chars();
    token.take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

fn cookie(entered: &TestResponse) -> String {
    entered.header("set-cookie").split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn who_is_invited_gets_a_mail_whose_link_makes_him_a_member_once() {
    let desk = MembersFixture::open().await;
    let invited = desk.invite(json!({ "email": "Ada@Example.com", "admin": false })).await;
    assert_eq!(invited.status, 201);
    let id = invited.json()["id"].clone();
    let listed = desk.ask("GET", "/invitations", None).await.json();
    let expected = json!({ "invitations": [{
        "id": id, "email": "Ada@Example.com", "username": "Ada", "admin": false,
        "expires_at": "2026-01-23T14:40:00Z", "created_at": "2026-01-16T14:40:00Z",
    }] });
    assert_eq!(listed, expected);

    let token = desk.token("invite").await;
    assert!(token.len() >= 43, "256 bits: {token}");
    let entered = desk.knock("/console/session", json!({ "invitation": token })).await;
    assert_eq!(entered.status, 200, "{:?}", entered.body);
    let set = entered.header("set-cookie");
    assert!(set.starts_with("assay-session=") && set.contains("; HttpOnly; SameSite=Strict"), "{set}");
    assert!(!set.contains("Secure"), "over http a browser would drop it: {set}");
    assert_eq!(entered.json()["scopes"], json!([]));
    let again = desk.knock("/console/session", json!({ "invitation": token })).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "once");

    let members = desk.ask("GET", "/members", None).await.json();
    let member = members["members"][0].clone();
    assert_eq!(
        (&member["email"], &member["username"], &member["admin"]),
        (&json!("Ada@Example.com"), &json!("Ada"), &json!(false))
    );
    let one = desk.ask("GET", &format!("/members/{}", member["id"].as_str().unwrap()), None).await;
    assert_eq!(one.json(), member);
    assert_eq!(desk.ask("GET", "/invitations", None).await.json(), json!({ "invitations": [] }));

    let who = desk.console(&cookie(&entered), "GET", "/console/session", None).await.json();
    assert_eq!(who["member"], member);
    assert_eq!(who["account"]["id"], json!(desk.account));
}

#[tokio::test]
async fn an_invitation_is_refused_in_words_that_name_the_member() {
    let desk = MembersFixture::open().await;
    for (body, line, property) in [
        (json!({}), "400 INVALID_REQUEST", "email"),
        (json!({ "email": "a@b.de" }), "400 INVALID_REQUEST", "email"),
        (json!({ "email": format!("{}@example.com", "a".repeat(89)) }), "400 INVALID_REQUEST", "email"),
        (json!({ "email": "ada@example.com\r\nBcc: eve@example.com" }), "400 INVALID_REQUEST", "email"),
        (json!({ "email": "ada@example.com", "admin": "yes" }), "400 INVALID_REQUEST", "admin"),
        (json!({ "email": "ada@example.com", "username": "" }), "400 INVALID_REQUEST", "username"),
        (
            json!({ "email": "ada@example.com", "scopes": ["members:manage", "reports:view", "all"] }),
            "400 INVALID_REQUEST",
            "scopes[2]",
        ),
    ] {
        let answer = desk.invite(body.clone()).await;
        assert_eq!(answer.status_and_code(), line, "{body}");
        assert_eq!(answer.json()["errors"][0]["property"], property, "{body}");
    }
    let limits = desk.invite(json!({ "email": "a@b.de" })).await.json();
    assert_eq!(limits["errors"][0]["measured"], 6.0);
    assert_eq!(desk.count(sql!("SELECT count(*) FROM jobs")).await, 0, "no mail was promised");
    for good in ["a@b.com".to_owned(), format!("{}@{}.com", "a".repeat(60), "b".repeat(35))] {
        assert_eq!(desk.invite(json!({ "email": good })).await.status, 201, "{good}");
    }
}

#[tokio::test]
async fn a_second_invitation_replaces_the_first_and_a_member_is_not_invited() {
    let desk = MembersFixture::open().await;
    assert_eq!(desk.invite(json!({ "email": "ada@example.com" })).await.status, 201);
    let first = desk.token("invite").await;
    assert_eq!(desk.invite(json!({ "email": "ADA@example.com" })).await.status, 201);
    let second = desk.token("invite").await;
    assert_eq!(
        desk.knock("/console/session", json!({ "invitation": first })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    assert_eq!(
        desk.ask("GET", "/invitations", None).await.json()["invitations"].as_array().unwrap().len(),
        1
    );
    assert_eq!(desk.knock("/console/session", json!({ "invitation": second })).await.status, 200);
    assert_eq!(desk.invite(json!({ "email": "Ada@Example.com" })).await.status_and_code(), "409 CONFLICT");
}

#[tokio::test]
async fn an_invitation_ends_after_a_week_or_when_it_is_taken_back() {
    let desk = MembersFixture::open().await;
    let id = desk.invite(json!({ "email": "ada@example.com" })).await.json()["id"].clone();
    let token = desk.token("invite").await;
    let path = format!("/invitations/{}", id.as_str().unwrap());
    assert_eq!(desk.ask("DELETE", &path, None).await.status, 204);
    assert_eq!(desk.ask("DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(
        desk.knock("/console/session", json!({ "invitation": token })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );

    desk.invite(json!({ "email": "ada@example.com" })).await;
    let token = desk.token("invite").await;
    desk.app.world.advance(SignedDuration::from_hours(7 * 24));
    assert_eq!(
        desk.knock("/console/session", json!({ "invitation": token })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    assert_eq!(desk.ask("GET", "/invitations", None).await.json(), json!({ "invitations": [] }));
}

#[tokio::test]
async fn a_member_does_what_his_scopes_say_in_his_own_account_alone() {
    let desk = MembersFixture::open().await;
    let (id, cookie) = desk.member("ada@example.com", false, &["members:manage"]).await;
    let (own, other) =
        (desk.path("/members"), format!("/accounts/{}/members", desk.app.open_account().await));
    assert_eq!(desk.console(&cookie, "GET", &own, None).await.status, 200);
    let foreign = desk.console(&cookie, "GET", &other, None).await;
    let missing =
        desk.console(&cookie, "GET", "/accounts/018f3c8e-0000-4000-8000-00000000000a/members", None).await;
    assert_eq!((foreign.status, foreign.body), (missing.status, missing.body));
    assert_eq!(missing.status, 404);
    assert_eq!(
        desk.console(&cookie, "POST", "/accounts", Some(json!({ "name": "Mine" }))).await.status_and_code(),
        "401 UNAUTHORIZED"
    );

    let scopes = desk.console(&cookie, "GET", &desk.path("/scopes"), None).await.json();
    assert_eq!(scopes, json!({ "scopes": ["members:manage"] }));
    let set = json!({ "scopes": ["notifications:view", "contents:list", "notifications:view"] });
    assert_eq!(desk.ask("PUT", &format!("/members/{id}"), Some(set)).await.status, 204);
    let scopes = desk.console(&cookie, "GET", &desk.path("/scopes"), None).await.json();
    assert_eq!(scopes, json!({ "scopes": ["contents:list", "notifications:view"] }));
    assert_eq!(
        desk.console(&cookie, "GET", &own, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "from the next call on"
    );

    for (body, property) in [
        (json!({}), "scopes"),
        (json!({ "scopes": ["contents:list", "x"] }), "scopes[1]"),
        (json!({ "scopes": [1] }), "scopes[0]"),
        (json!({ "scopes": "contents:list" }), "scopes"),
    ] {
        let refused = desk.ask("PUT", &format!("/members/{id}"), Some(body)).await;
        assert_eq!(
            (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
            ("400 INVALID_REQUEST", &json!(property))
        );
    }
    let every: Vec<_> = domain::accounts::Scope::VARIANTS.to_vec();
    let all = desk.ask("GET", "/scopes", None).await.json();
    assert_eq!(all, json!({ "scopes": every }), "a key without scopes may everything");
}

#[tokio::test]
async fn a_session_is_the_consoles_alone() {
    let desk = MembersFixture::open().await;
    let (_, cookie) = desk.member("ada@example.com", true, &[]).await;
    let path = desk.path("");
    let bare = Request::get(&path).header("Cookie", &cookie).body(Body::empty()).unwrap();
    assert_eq!(
        desk.app.send(bare).await.status_and_code(),
        "401 UNAUTHORIZED",
        "a form of another site cannot send the header"
    );
    assert_eq!(desk.console(&cookie, "GET", &path, None).await.status, 200);
    assert_eq!(
        desk.console("assay-session=AAAA", "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    for path in ["/console/session", "/console/sign-in"] {
        let bare = Request::post(path).body(Body::from("{}")).unwrap();
        assert_eq!(desk.app.send(bare).await.status_and_code(), "401 UNAUTHORIZED");
    }

    let left = desk.console(&cookie, "DELETE", "/console/session", None).await;
    assert_eq!(left.status, 204);
    assert!(left.header("set-cookie").contains("Max-Age=0"), "{}", left.header("set-cookie"));
    assert_eq!(desk.console(&cookie, "GET", &path, None).await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(desk.console(&cookie, "DELETE", "/console/session", None).await.status, 204);
}

#[tokio::test]
async fn a_session_goes_on_while_it_is_used_and_ends_after_a_week() {
    let desk = MembersFixture::open().await;
    let (_, cookie) = desk.member("ada@example.com", true, &[]).await;
    let path = desk.path("");
    for _ in 0..15 {
        desk.app.world.advance(SignedDuration::from_hours(11));
        assert_eq!(desk.console(&cookie, "GET", &path, None).await.status, 200);
    }
    desk.app.world.advance(SignedDuration::from_hours(4));
    assert_eq!(
        desk.console(&cookie, "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "169 hours"
    );
    let (_, cookie) = desk.member("eve@example.com", true, &[]).await;
    desk.app.world.advance(SignedDuration::from_hours(12));
    assert_eq!(
        desk.console(&cookie, "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "unused"
    );
}

#[tokio::test]
async fn over_https_the_cookie_is_kept_to_this_host() {
    let rules = SignInSettings::for_public_url("https://assay.example.com");
    let app = TestApp::start_with(|api| {
        let vault = api.vault.clone();
        let mail = Mailer::new(api.environment.clone(), vault.clone(), MailTransport::None, None).unwrap();
        api.sign_in = SignInService::new(api.db.clone(), api.environment.clone(), vault, mail, rules);
    })
    .await;
    let desk = MembersFixture::with(app).await;
    let left = desk.console("", "DELETE", "/console/session", None).await;
    let set = left.header("set-cookie");
    assert!(
        set.starts_with("__Host-assay-session=;") && set.contains("; Secure") && set.contains("Path=/;"),
        "{set}"
    );

    let unable = desk.invite(json!({ "email": "ada@example.com" })).await;
    assert_eq!(unable.status_and_code(), "503 UNAVAILABLE");
    assert!(unable.json()["message"].as_str().unwrap().contains("mail.host"));
    let stored =
        desk.count(sql!("SELECT (SELECT count(*) FROM invitations) + (SELECT count(*) FROM jobs)")).await;
    assert_eq!(stored, 0, "refused before anything was stored");
    let asked = desk.knock("/console/sign-in", json!({ "email": "ada@example.com" })).await;
    assert_eq!(asked.status_and_code(), "503 UNAVAILABLE");
}

#[tokio::test]
async fn a_member_signs_in_again_by_a_link_that_works_once_and_not_for_long() {
    let desk = MembersFixture::open().await;
    let (id, _) = desk.member("ada@example.com", false, &[]).await;
    let before = desk.app.sent_mails().len();
    let asked = async |email: &str| {
        let answer = desk.knock("/console/sign-in", json!({ "email": email })).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (202, 0), "{email}");
        desk.app.run_due_jobs().await;
        desk.app.sent_mails().len() - before
    };
    assert_eq!(asked("nobody@example.com").await, 0, "nobody is told who is a member");
    assert_eq!(asked("ADA@example.com").await, 1);
    let link = desk.token("sign-in").await;
    let entered = desk.knock("/console/session", json!({ "link": link })).await;
    assert_eq!(entered.json()["member"]["id"], id.as_str());
    assert_eq!(
        desk.knock("/console/session", json!({ "link": link })).await.status_and_code(),
        "401 UNAUTHORIZED",
        "once"
    );

    assert_eq!(asked("ada@example.com").await, 2);
    let link = desk.token("sign-in").await;
    desk.app.world.advance(SignedDuration::from_mins(15));
    assert_eq!(
        desk.knock("/console/session", json!({ "link": link })).await.status_and_code(),
        "401 UNAUTHORIZED",
        "too old"
    );
    for many in [3, 4, 5, 5, 5] {
        assert_eq!(asked("ada@example.com").await, many, "five in an hour");
    }
    desk.app.world.advance(SignedDuration::from_hours(1));
    assert_eq!(asked("ada@example.com").await, 6);
    assert_eq!(
        desk.knock("/console/sign-in", json!({ "email": "none" })).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    assert_eq!(desk.knock("/console/session", json!({})).await.status_and_code(), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn all_together_ask_for_so_many_links_and_no_more() {
    let few = std::num::NonZeroU32::new(2).unwrap();
    let app = TestApp::start_with(|api| {
        api.sign_in_rate_limit = std::sync::Arc::new(api::RateLimit::new(few, few));
    })
    .await;
    let desk = MembersFixture::with(app).await;
    for email in ["a@example.com", "b@example.com"] {
        assert_eq!(desk.knock("/console/sign-in", json!({ "email": email })).await.status, 202);
    }
    let empty = desk.knock("/console/sign-in", json!({ "email": "c@example.com" })).await;
    assert_eq!(empty.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(!empty.header("retry-after").is_empty());
}

#[tokio::test]
async fn the_last_administrator_stays_one() {
    let desk = MembersFixture::open().await;
    let (ada, _) = desk.member("ada@example.com", true, &[]).await;
    let (eve, _) = desk.member("eve@example.com", false, &["members:manage"]).await;
    assert_eq!(
        desk.ask("DELETE", &format!("/admin/{ada}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(
        desk.ask("DELETE", &format!("/members/{ada}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(desk.ask("DELETE", &format!("/admin/{eve}"), None).await.status, 204, "she is none");

    let promoted = desk.ask("POST", "/admin", Some(json!({ "member_id": eve }))).await;
    assert_eq!((promoted.status.as_u16(), &promoted.json()["admin"]), (200, &json!(true)));
    assert_eq!(desk.ask("DELETE", &format!("/admin/{ada}"), None).await.status, 204);
    assert_eq!(desk.ask("GET", &format!("/members/{ada}"), None).await.json()["admin"], json!(false));
    assert_eq!(
        desk.ask("DELETE", &format!("/members/{eve}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(desk.ask("DELETE", &format!("/members/{ada}"), None).await.status, 204);
    assert_eq!(desk.ask("DELETE", &format!("/members/{ada}"), None).await.status_and_code(), "404 NOT_FOUND");

    for body in [json!({}), json!({ "member_id": "x" })] {
        assert_eq!(desk.ask("POST", "/admin", Some(body)).await.status_and_code(), "400 INVALID_REQUEST");
    }
    assert_eq!(
        desk.ask("POST", "/admin", Some(json!({ "member_id": ada }))).await.status_and_code(),
        "404 NOT_FOUND"
    );
}

#[tokio::test]
async fn two_administrators_cannot_take_the_right_from_each_other_at_once() {
    for _ in 0..5 {
        let desk = MembersFixture::open().await;
        let (ada, adas) = desk.member("ada@example.com", true, &[]).await;
        let (eve, eves) = desk.member("eve@example.com", true, &[]).await;
        let (eves_path, adas_path) =
            (desk.path(&format!("/admin/{eve}")), desk.path(&format!("/members/{ada}")));
        let (one, other) = tokio::join!(
            desk.console(&adas, "DELETE", &eves_path, None),
            desk.console(&eves, "DELETE", &adas_path, None),
        );
        let mut lines = [one.status_and_code(), other.status_and_code()];
        lines.sort();
        assert_eq!(lines[0], "204", "{lines:?}");
        assert!(["401 UNAUTHORIZED", "409 LAST_ADMINISTRATOR"].contains(&&*lines[1]), "{lines:?}");
        assert_eq!(desk.count(sql!("SELECT count(*) FROM members WHERE admin = TRUE")).await, 1);
    }
}

#[tokio::test]
async fn only_administrators_make_and_remove_administrators() {
    let desk = MembersFixture::open().await;
    let (ada, _) = desk.member("ada@example.com", true, &[]).await;
    let (_, _second) = desk.member("second@example.com", true, &[]).await;
    let (eve, eves) = desk.member("eve@example.com", false, &["members:manage"]).await;
    let ask = async |method: &str, below: &str, body| {
        desk.console(&eves, method, &desk.path(below), body).await.status_and_code()
    };
    assert_eq!(ask("POST", "/admin", Some(json!({ "member_id": eve }))).await, "401 UNAUTHORIZED");
    assert_eq!(ask("DELETE", &format!("/admin/{ada}"), None).await, "401 UNAUTHORIZED");
    assert_eq!(ask("DELETE", &format!("/members/{ada}"), None).await, "401 UNAUTHORIZED");
    assert_eq!(ask("DELETE", "", None).await, "401 UNAUTHORIZED");
    let admin = json!({ "email": "mallory@example.com", "admin": true });
    assert_eq!(ask("POST", "/invitations", Some(admin)).await, "401 UNAUTHORIZED");
    assert_eq!(ask("POST", "/invitations", Some(json!({ "email": "bob@example.com" }))).await, "201");
    let key = desk.app.api_key(&["members:manage", "admin"]).await;
    let promoted =
        desk.app.call_moderation("POST", &desk.path("/admin"), &key, Some(json!({ "member_id": eve }))).await;
    assert_eq!(promoted.status, 200, "a key with the word admin is one");
}

#[tokio::test]
async fn who_is_removed_is_out_at_once() {
    let desk = MembersFixture::open().await;
    let (id, cookie) = desk.member("ada@example.com", false, &["members:manage"]).await;
    assert_eq!(desk.console(&cookie, "GET", &desk.path("/members"), None).await.status, 200);
    assert_eq!(desk.ask("DELETE", &format!("/members/{id}"), None).await.status, 204);
    assert_eq!(
        desk.console(&cookie, "GET", &desk.path("/members"), None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    let left = sql!("SELECT (SELECT count(*) FROM member_sessions) + (SELECT count(*) FROM sign_in_links)");
    assert_eq!(desk.count(left).await, 0);
    assert_eq!(
        desk.invite(json!({ "email": "ada@example.com" })).await.status,
        201,
        "they may be invited again"
    );
}

#[tokio::test]
async fn an_invitation_that_is_repeated_with_its_key_is_one() {
    let desk = MembersFixture::open().await;
    let ask = async |body: Value| {
        let request = Request::post(desk.path("/invitations"))
            .header("Authorization", &desk.key)
            .header("Svc-Sdk-Id", desk.app.app.to_string())
            .header("Idempotency-Key", "one");
        desk.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let first = ask(json!({ "email": "ada@example.com" })).await;
    let second = ask(json!({ "email": "ada@example.com" })).await;
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert_eq!(
        ask(json!({ "email": "eve@example.com" })).await.status_and_code(),
        "409 IDEMPOTENCY_KEY_REUSED"
    );
    assert_eq!(desk.count(sql!("SELECT count(*) FROM invitations")).await, 1);
    assert_eq!(
        desk.count(sql!("SELECT count(*) FROM idempotent_answers WHERE account_id IS NOT NULL")).await,
        1
    );
}

#[tokio::test]
async fn a_closed_account_leaves_nothing_but_a_receipt() {
    let desk = MembersFixture::open().await;
    let (_, cookie) = desk.member("ada@example.com", true, &[]).await;
    desk.invite(json!({ "email": "eve@example.com" })).await;
    desk.knock("/console/sign-in", json!({ "email": "ada@example.com" })).await;
    let gone = desk.ask("DELETE", "", None).await;
    assert_eq!((gone.status.as_u16(), gone.body.len()), (204, 0), "{:?}", gone.body);
    assert_eq!(gone.header("location"), desk.path("/deletion-receipt"));
    for (method, below) in [("GET", ""), ("DELETE", ""), ("GET", "/members"), ("GET", "/scopes")] {
        assert_eq!(
            desk.ask(method, below, None).await.status_and_code(),
            "404 NOT_FOUND",
            "{method} {below}"
        );
    }
    assert_eq!(
        desk.console(&cookie, "GET", &desk.path(""), None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    desk.app.run_due_jobs().await;
    assert_eq!(desk.app.sent_mails().len(), 1, "neither invitation nor link is sent any more");
    assert_eq!(desk.app.api.account_deletion.find_orphans().await.unwrap(), []);

    let signed = desk.ask("GET", "/deletion-receipt", None).await.json();
    let receipt = &signed["receipt"];
    assert_eq!(receipt["account_id"], json!(desk.account));
    assert_eq!(receipt["what"], json!({ "invitations": 1, "jobs": 1, "member_sessions": 1, "members": 1 }));
    assert!(receipt["requested_at"].as_str().unwrap().starts_with("2026-01-16T14:40:"));
    assert!(receipt["by"].as_str().unwrap().starts_with("api key "));
    let (text, signature) = signed["jws"].as_str().unwrap().rsplit_once('.').unwrap();
    let decode = |text: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).unwrap();
    let key = UnparsedPublicKey::new(&ED25519, decode(signed["key"]["x"].as_str().unwrap()));
    assert_eq!(key.verify(text.as_bytes(), &decode(signature)), Ok(()));
    let said: Value = serde_json::from_slice(&decode(text.split('.').nth(1).unwrap())).unwrap();
    assert_eq!(&said, receipt);
    assert!(!signed.to_string().contains("example.com"), "it names nobody");

    let narrow = desk.app.api_key(&["members:manage"]).await;
    let path = desk.path("/deletion-receipt");
    assert_eq!(
        desk.app.call_moderation("GET", &path, &narrow, None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    let open = format!("/accounts/{}/deletion-receipt", desk.app.open_account().await);
    assert_eq!(
        desk.app.call_moderation("GET", &open, &desk.key, None).await.status_and_code(),
        "404 NOT_FOUND"
    );
}
