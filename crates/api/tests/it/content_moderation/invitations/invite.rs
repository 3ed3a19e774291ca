//! `POST /accounts/{accountId}/invitations`

use crate::content_moderation::{AccountFixture, session_cookie};
use axum::{body::Body, http::Request};
use db::sql;
use domain::tenancy::api_keys;
use serde_json::{Value, json};

#[tokio::test]
async fn a_member_is_invited() {
    let fixture = AccountFixture::start().await;
    let invited = fixture.invite(json!({ "email": "ada@example.com", "scopes": ["members:manage"] })).await;
    assert_response_snapshot!(invited);
}

#[tokio::test]
async fn an_invitation_with_several_faults_is_refused() {
    let fixture = AccountFixture::start().await;
    let invited = fixture.invite(json!({ "email": "a@b.de", "admin": "yes", "scopes": ["all"] })).await;
    assert_response_snapshot!(invited);
}

#[tokio::test]
async fn an_invitation_is_mailed_and_its_link_makes_a_member_once() {
    let fixture = AccountFixture::start().await;
    let invited = fixture.invite(json!({ "email": "Ada@Example.com", "admin": false })).await;
    assert_eq!(invited.status, 201);
    let id = invited.json()["id"].clone();
    let listed = fixture.call("GET", "/invitations", None).await.json();
    let expected = json!({ "invitations": [{
        "id": id, "email": "Ada@Example.com", "username": "Ada", "admin": false,
        "expires_at": "2026-01-23T14:40:00Z", "created_at": "2026-01-16T14:40:00Z",
    }] });
    assert_eq!(listed, expected);

    let token = fixture.mailed_token("invite").await;
    assert!(token.len() >= 43, "256 bits: {token}");
    let entered = fixture.post_signed_out("/console/session", json!({ "invitation": token })).await;
    assert_eq!(entered.status, 200, "{:?}", entered.body);
    let set = entered.header("set-cookie");
    assert!(set.starts_with("assay-session=") && set.contains("; HttpOnly; SameSite=Strict"), "{set}");
    assert!(!set.contains("Secure"), "over http a browser would drop it: {set}");
    assert_eq!(entered.json()["scopes"], json!([]));
    let again = fixture.post_signed_out("/console/session", json!({ "invitation": token })).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "once");

    let members = fixture.call("GET", "/members", None).await.json();
    let member = members["members"][0].clone();
    assert_eq!(
        (&member["email"], &member["username"], &member["admin"]),
        (&json!("Ada@Example.com"), &json!("Ada"), &json!(false))
    );
    let one = fixture.call("GET", &format!("/members/{}", member["id"].as_str().unwrap()), None).await;
    assert_eq!(one.json(), member);
    assert_eq!(fixture.call("GET", "/invitations", None).await.json(), json!({ "invitations": [] }));

    let who = fixture.call_console(&session_cookie(&entered), "GET", "/console/session", None).await.json();
    assert_eq!(who["member"], member);
    assert_eq!(who["account"]["id"], json!(fixture.account));
}

#[tokio::test]
async fn an_unusable_invitation_is_refused_with_the_property() {
    let fixture = AccountFixture::start().await;
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
        let answer = fixture.invite(body.clone()).await;
        assert_eq!(answer.status_and_code(), line, "{body}");
        assert_eq!(answer.json()["errors"][0]["property"], property, "{body}");
    }
    let limits = fixture.invite(json!({ "email": "a@b.de" })).await.json();
    assert_eq!(limits["errors"][0]["measured"], 6.0);
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM jobs")).await, 0, "no mail was promised");
    for good in ["a@b.com".to_owned(), format!("{}@{}.com", "a".repeat(60), "b".repeat(35))] {
        assert_eq!(fixture.invite(json!({ "email": good })).await.status, 201, "{good}");
    }
}

#[tokio::test]
async fn a_second_invitation_replaces_the_first_and_a_member_is_not_invited_again() {
    let fixture = AccountFixture::start().await;
    assert_eq!(fixture.invite(json!({ "email": "ada@example.com" })).await.status, 201);
    let first = fixture.mailed_token("invite").await;
    assert_eq!(fixture.invite(json!({ "email": "ADA@example.com" })).await.status, 201);
    let second = fixture.mailed_token("invite").await;
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "invitation": first })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    assert_eq!(
        fixture.call("GET", "/invitations", None).await.json()["invitations"].as_array().unwrap().len(),
        1
    );
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "invitation": second })).await.status,
        200
    );
    assert_eq!(fixture.invite(json!({ "email": "Ada@Example.com" })).await.status_and_code(), "409 CONFLICT");
}

#[tokio::test]
async fn an_invitation_repeated_with_its_idempotency_key_is_made_once() {
    let fixture = AccountFixture::start().await;
    let call = async |body: Value| {
        let request = Request::post(fixture.path("/invitations"))
            .header("Authorization", &fixture.key)
            .header("Svc-Sdk-Id", fixture.app.app.to_string())
            .header("Idempotency-Key", "one");
        fixture.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let first = call(json!({ "email": "ada@example.com" })).await;
    let second = call(json!({ "email": "ada@example.com" })).await;
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert_eq!(
        call(json!({ "email": "eve@example.com" })).await.status_and_code(),
        "409 IDEMPOTENCY_KEY_REUSED"
    );
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM invitations")).await, 1);
    assert_eq!(
        fixture.count(sql!("SELECT count(*) FROM idempotent_answers WHERE account_id IS NOT NULL")).await,
        1
    );
}

/// Whoever is removed, or may invite nobody any more, must not have somebody wait at the door.
#[tokio::test]
async fn an_invitation_works_as_long_as_whoever_sent_it_could_still_send_it() {
    let fixture = AccountFixture::start().await;
    let (ada, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    fixture.add_member("zoe@example.com", true, &[]).await;
    let invite = async |email: &str, admin: bool| {
        let body = json!({ "email": email, "admin": admin, "scopes": ["contents:list"] });
        let invited = fixture.call_console(&cookie, "POST", &fixture.path("/invitations"), Some(body)).await;
        assert_eq!(invited.status, 201, "{}", invited.json());
        fixture.mailed_token("invite").await
    };
    let enter = async |token: &str| {
        fixture.post_signed_out("/console/session", json!({ "invitation": token })).await.status.as_u16()
    };
    let open = async || fixture.get("/invitations").await["invitations"].as_array().unwrap().len();
    let (as_administrator, plain) =
        (invite("eve@example.com", true).await, invite("max@example.com", false).await);
    assert_eq!(open().await, 2);

    assert_eq!(fixture.call("DELETE", &format!("/admin/{ada}"), None).await.status, 204);
    let member = format!("/members/{ada}");
    for (scopes, left) in [
        (json!([]), 0),
        // Not what she gave, and had.
        (json!(["members:manage"]), 0),
        (json!(["members:manage", "contents:list"]), 1),
    ] {
        let body = json!({ "scopes": scopes });
        assert_eq!(fixture.call("PUT", &member, Some(body)).await.status, 204, "{scopes}");
        assert_eq!(open().await, left, "{scopes}");
        assert_eq!(enter(&as_administrator).await, 401, "{scopes}");
        if left == 0 {
            assert_eq!(enter(&plain).await, 401, "{scopes}");
        }
    }
    assert_eq!(enter(&plain).await, 200);

    let last = invite("kim@example.com", false).await;
    assert_eq!(fixture.call("DELETE", &member, None).await.status, 204);
    assert_eq!(enter(&last).await, 401);
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM invitations")).await, 0, "they end with her");
}

#[tokio::test]
async fn an_invitation_ends_with_the_key_that_sent_it() {
    let fixture = AccountFixture::start().await;
    let (api, app) = (&fixture.app.api, fixture.app.app);
    let key = fixture.app.api_key(&["members:manage"]).await;
    let (path, body) = (fixture.path("/invitations"), json!({ "email": "ada@example.com" }));
    assert_eq!(fixture.app.call_moderation("POST", &path, &key, Some(body)).await.status, 201);
    let token = fixture.mailed_token("invite").await;
    let mut tx = api.db.write().await.unwrap();
    let keys = api_keys::list(&mut tx, app).await.unwrap();
    let sender = keys.iter().find(|key| key.scopes == ["members:manage"]).unwrap().id;
    api_keys::revoke(&mut tx, &*api.environment, app, sender).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(fixture.get("/invitations").await, json!({ "invitations": [] }));
    let refused = fixture.post_signed_out("/console/session", json!({ "invitation": token })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}
