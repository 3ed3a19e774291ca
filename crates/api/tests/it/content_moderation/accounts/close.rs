//! `DELETE /accounts/{accountId}`

use crate::content_moderation::{AccountFixture, created_id};
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};

#[tokio::test]
async fn an_account_is_closed() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.call("DELETE", "", None).await);
}

#[tokio::test]
async fn a_closed_account_leaves_nothing_but_a_deletion_receipt() {
    let fixture = AccountFixture::start().await;
    let (_, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    fixture.invite(json!({ "email": "eve@example.com" })).await;
    fixture.post_signed_out("/console/sign-in", json!({ "email": "ada@example.com" })).await;
    let gone = fixture.call("DELETE", "", None).await;
    assert_eq!((gone.status.as_u16(), gone.body.len()), (204, 0), "{:?}", gone.body);
    assert_eq!(gone.header("location"), fixture.path("/deletion-receipt"));
    for (method, below) in [("GET", ""), ("DELETE", ""), ("GET", "/members"), ("GET", "/scopes")] {
        assert_eq!(
            fixture.call(method, below, None).await.status_and_code(),
            "404 NOT_FOUND",
            "{method} {below}"
        );
    }
    assert_eq!(
        fixture.call_console(&cookie, "GET", &fixture.path(""), None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.app.sent_mails().len(), 1, "neither invitation nor link is sent any more");
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);

    let signed = fixture.call("GET", "/deletion-receipt", None).await.json();
    let receipt = &signed["receipt"];
    assert_eq!(receipt["account_id"], json!(fixture.account));
    assert_eq!(receipt["what"], json!({ "console_sessions": 1, "invitations": 1, "jobs": 1, "members": 1 }));
    assert!(receipt["requested_at"].as_str().unwrap().starts_with("2026-01-16T14:40:"));
    assert!(receipt["by"].as_str().unwrap().starts_with("api key "));
    let (text, signature) = signed["jws"].as_str().unwrap().rsplit_once('.').unwrap();
    let decode = |text: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).unwrap();
    let key = UnparsedPublicKey::new(&ED25519, decode(signed["key"]["x"].as_str().unwrap()));
    assert_eq!(key.verify(text.as_bytes(), &decode(signature)), Ok(()));
    let claims: Value = serde_json::from_slice(&decode(text.split('.').nth(1).unwrap())).unwrap();
    assert_eq!(&claims, receipt);
    assert!(!signed.to_string().contains("example.com"), "it names nobody");

    let narrow = fixture.app.api_key(&["members:manage"]).await;
    let path = fixture.path("/deletion-receipt");
    assert_eq!(
        fixture.app.call_moderation("GET", &path, &narrow, None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    let open = format!("/accounts/{}/deletion-receipt", fixture.app.open_account().await);
    assert_eq!(
        fixture.app.call_moderation("GET", &open, &fixture.key, None).await.status_and_code(),
        "404 NOT_FOUND"
    );
}

/// A closed account's name is overwritten, with one that no open account has.
#[tokio::test]
async fn an_account_is_closed_whatever_another_one_is_called() {
    let fixture = AccountFixture::start().await;
    // Blanks around a name are taken off.
    let body = json!({ "name": format!(" closed {}", fixture.account) });
    let opened = fixture.app.call_moderation("POST", "/accounts", &fixture.key, Some(body)).await;
    let other = format!("/accounts/{}", created_id(&opened));
    let closed = fixture.call("DELETE", "", None).await;
    assert_eq!(closed.status_and_code(), "204", "{}", closed.json());
    assert_eq!(fixture.call("GET", "", None).await.status_and_code(), "404 NOT_FOUND");
    let found = fixture.app.call_moderation("GET", &other, &fixture.key, None).await.json();
    assert_eq!(found["name"], format!("closed {}", fixture.account));
}
