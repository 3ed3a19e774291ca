//! The session cookie of the console.

use crate::{console::start_over_https_without_mail, content_moderation::AccountFixture};
use axum::{body::Body, http::Request};
use base::SignedDuration;

#[tokio::test]
async fn a_session_works_only_with_the_consoles_header_and_until_it_is_ended() {
    let fixture = AccountFixture::start().await;
    let (_, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    let path = fixture.path("");
    let bare = Request::get(&path).header("Cookie", &cookie).body(Body::empty()).unwrap();
    assert_eq!(
        fixture.app.send(bare).await.status_and_code(),
        "401 UNAUTHORIZED",
        "a form of another site cannot send the header"
    );
    assert_eq!(fixture.call_console(&cookie, "GET", &path, None).await.status, 200);
    assert_eq!(
        fixture.call_console("assay-session=AAAA", "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    for path in ["/console/session", "/console/sign-in"] {
        let bare = Request::post(path).body(Body::from("{}")).unwrap();
        assert_eq!(fixture.app.send(bare).await.status_and_code(), "401 UNAUTHORIZED");
    }

    let left = fixture.call_console(&cookie, "DELETE", "/console/session", None).await;
    assert_eq!(left.status, 204);
    assert!(left.header("set-cookie").contains("Max-Age=0"), "{}", left.header("set-cookie"));
    assert_eq!(fixture.call_console(&cookie, "GET", &path, None).await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(fixture.call_console(&cookie, "DELETE", "/console/session", None).await.status, 204);
}

#[tokio::test]
async fn a_session_ends_after_twelve_idle_hours_or_a_week() {
    let fixture = AccountFixture::start().await;
    let (_, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    let path = fixture.path("");
    for _ in 0..15 {
        fixture.app.environment.advance(SignedDuration::from_hours(11));
        assert_eq!(fixture.call_console(&cookie, "GET", &path, None).await.status, 200);
    }
    fixture.app.environment.advance(SignedDuration::from_hours(4));
    assert_eq!(
        fixture.call_console(&cookie, "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "169 hours"
    );
    let (_, cookie) = fixture.add_member("eve@example.com", true, &[]).await;
    fixture.app.environment.advance(SignedDuration::from_hours(12));
    assert_eq!(
        fixture.call_console(&cookie, "GET", &path, None).await.status_and_code(),
        "401 UNAUTHORIZED",
        "unused"
    );
}

#[tokio::test]
async fn over_https_the_session_cookie_is_bound_to_its_host() {
    let fixture = start_over_https_without_mail().await;
    let left = fixture.call_console("", "DELETE", "/console/session", None).await;
    let set = left.header("set-cookie");
    assert!(
        set.starts_with("__Host-assay-session=;") && set.contains("; Secure") && set.contains("Path=/;"),
        "{set}"
    );
}
