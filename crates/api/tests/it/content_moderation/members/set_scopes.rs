//! `PUT /accounts/{accountId}/members/{memberId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn the_scopes_of_a_member_are_set() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &[]).await;
    let set = json!({ "scopes": ["contents:list"] });
    assert_response_snapshot!(fixture.call("PUT", &format!("/members/{id}"), Some(set)).await);
}

#[tokio::test]
async fn a_member_may_do_what_their_scopes_say_and_only_in_their_own_account() {
    let fixture = AccountFixture::start().await;
    let (id, cookie) = fixture.add_member("ada@example.com", false, &["members:manage"]).await;
    let (own, other) =
        (fixture.path("/members"), format!("/accounts/{}/members", fixture.app.open_account().await));
    assert_eq!(fixture.call_console(&cookie, "GET", &own, None).await.status, 200);
    let foreign = fixture.call_console(&cookie, "GET", &other, None).await;
    let missing = fixture
        .call_console(&cookie, "GET", "/accounts/018f3c8e-0000-4000-8000-00000000000a/members", None)
        .await;
    assert_eq!((foreign.status, foreign.body), (missing.status, missing.body));
    assert_eq!(missing.status, 404);
    assert_eq!(
        fixture
            .call_console(&cookie, "POST", "/accounts", Some(json!({ "name": "Mine" })))
            .await
            .status_and_code(),
        "401 UNAUTHORIZED"
    );

    let scopes = fixture.call_console(&cookie, "GET", &fixture.path("/scopes"), None).await.json();
    assert_eq!(scopes["granted"], json!(["members:manage"]));
    let set = json!({ "scopes": ["notifications:view", "contents:list", "notifications:view"] });
    assert_eq!(fixture.call("PUT", &format!("/members/{id}"), Some(set)).await.status, 204);
    let scopes = fixture.call_console(&cookie, "GET", &fixture.path("/scopes"), None).await.json();
    assert_eq!(scopes["granted"], json!(["contents:list", "notifications:view"]));
    assert_eq!(
        fixture.call_console(&cookie, "GET", &own, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "from the next call on"
    );

    for (body, property) in [
        (json!({}), "scopes"),
        (json!({ "scopes": ["contents:list", "x"] }), "scopes[1]"),
        (json!({ "scopes": [1] }), "scopes[0]"),
        (json!({ "scopes": "contents:list" }), "scopes"),
    ] {
        let refused = fixture.call("PUT", &format!("/members/{id}"), Some(body)).await;
        assert_eq!(
            (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
            ("400 INVALID_REQUEST", &json!(property))
        );
    }
    let every: Vec<_> = domain::accounts::Scope::VARIANTS.to_vec();
    let all = fixture.call("GET", "/scopes", None).await.json();
    assert_eq!(all["granted"], json!(every), "a key without scopes may everything");
    assert_eq!(all["scopes"], json!(every));
}

#[tokio::test]
async fn nobody_gives_what_they_do_not_have() {
    let fixture = AccountFixture::start().await;
    let (own, cookie) =
        fixture.add_member("ada@example.com", false, &["members:manage", "contents:list"]).await;
    let (other, _) = fixture.add_member("eve@example.com", false, &["profiles:manage"]).await;
    let narrow = fixture.app.api_key(&["members:manage"]).await;
    let by_member = async |method: &str, below: &str, body| {
        fixture.call_console(&cookie, method, &fixture.path(below), Some(body)).await
    };
    let by_key = async |method: &str, below: &str, body| {
        fixture.app.call_moderation(method, &fixture.path(below), &narrow, Some(body)).await
    };

    let wanted = json!({ "scopes": ["members:manage", "contents:list", "profiles:manage"] });
    let refused = by_member("PUT", &format!("/members/{own}"), wanted.clone()).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "to themselves");
    assert!(refused.json()["message"].as_str().unwrap().contains("profiles:manage"), "{}", refused.json());
    assert_eq!(
        by_key("PUT", &format!("/members/{own}"), wanted).await.status,
        401,
        "a key no more than a member"
    );
    for (email, scopes, by_key_too) in [
        ("new@example.com", json!(["profiles:manage"]), 401),
        ("new@example.com", json!(["contents:list"]), 401),
        ("new@example.com", json!(["members:manage"]), 201),
    ] {
        let body = json!({ "email": email, "scopes": scopes });
        let expected = if scopes == json!(["profiles:manage"]) { 401 } else { 201 };
        assert_eq!(by_member("POST", "/invitations", body.clone()).await.status, expected, "{scopes}");
        assert_eq!(by_key("POST", "/invitations", body).await.status, by_key_too, "{scopes}");
    }
    // What another member has already may stay, be added to and be taken.
    for scopes in [json!(["profiles:manage", "contents:list"]), json!(["profiles:manage"]), json!([])] {
        let set = by_member("PUT", &format!("/members/{other}"), json!({ "scopes": scopes })).await;
        assert_eq!(set.status, 204, "{scopes}");
    }
    let again =
        by_member("PUT", &format!("/members/{other}"), json!({ "scopes": ["profiles:manage"] })).await;
    assert_eq!(again.status, 401, "it is theirs no more");
    let by_administrator = fixture
        .call("PUT", &format!("/members/{other}"), Some(json!({ "scopes": ["profiles:manage"] })))
        .await;
    assert_eq!(by_administrator.status, 204);
}
