//! `GET /console/sign-in-methods`

use super::{ConsoleFixture, message, start_over_https_without_mail};
use crate::content_moderation::AccountFixture;
use domain::accounts::sign_in::SignInSettings;

#[tokio::test]
async fn the_ways_to_sign_in_are_told() {
    let fixture = ConsoleFixture::start().await;
    assert_response_snapshot!(fixture.get("", "/console/sign-in-methods").await);
}

#[tokio::test]
async fn an_address_without_a_domain_has_no_passkeys() {
    let fixture = ConsoleFixture::with(SignInSettings::for_public_url("http://127.0.0.1:8080")).await;
    assert_eq!(fixture.get("", "/console/sign-in-methods").await.json()["passkeys"], false);
    let begun = fixture.call("", "POST", "/console/sign-in/passkey", None).await;
    assert_eq!(begun.status_and_code(), "503 UNAVAILABLE");
    assert!(message(&begun).contains("https://"), "{}", message(&begun));
    let local = ConsoleFixture::with(SignInSettings::for_public_url("http://localhost:8080")).await;
    assert_eq!(local.get("", "/console/sign-in-methods").await.json()["passkeys"], true);
}

#[tokio::test]
async fn without_a_provider_there_is_no_sign_in_through_one() {
    let fixture = ConsoleFixture::start().await;
    let begun = fixture.call("", "POST", "/console/sign-in/oidc", None).await;
    assert_eq!(begun.status_and_code(), "503 UNAVAILABLE");
    assert!(message(&begun).contains("console.oidc"), "{}", message(&begun));
    let back = fixture.get("", "/console/oidc/callback?code=a&state=b").await;
    assert_eq!(back.header("location"), "/console/#sign-in-failed=refused");
}

#[tokio::test]
async fn only_pages_of_the_console_ask() {
    let fixture: AccountFixture = start_over_https_without_mail().await;
    assert_eq!(fixture.app.get("/console/sign-in-methods").await.status_and_code(), "401 UNAUTHORIZED");
}
