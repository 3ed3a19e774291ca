//! Sign-in through an identity provider: an independent one, npm's `oidc-provider`. Its packages are locked in
//! `crates/age_methods/tests/provider`.

use super::{CONSOLE, ConsoleFixture, message};
use crate::{
    captured_log::CapturedLog,
    content_moderation::{AccountFixture, session_cookie},
};
use age_methods::oidc::{ClaimsSource, SignInProviderSettings};
use axum::{body::Body, http::Request};
use base::SignedDuration;
use domain::{
    accounts::sign_in::SignInSettings,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};
use testkit::{TestApp, TestResponse, node, stub_server};

/// The provider's process, which also plays the browser of the person who signs in there.
struct Provider {
    node: Child,
    asks: ChildStdin,
    says: Lines<BufReader<ChildStdout>>,
    issuer: String,
    folder: tempfile::TempDir,
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _gone = self.node.kill();
        let _reaped = self.node.wait();
    }
}

impl Provider {
    fn start() -> Self {
        let mut node = node::program("crates/age_methods/tests/provider", "provider.mjs")
            // It warns that its development settings are not for production.
            .stderr(Stdio::null())
            .spawn()
            .expect("node is installed");
        let mut asks = node.stdin.take().unwrap();
        let mut says = BufReader::new(node.stdout.take().unwrap()).lines();
        let client = json!({
            "client_id": "console", "client_secret": "s3cret-of-the-console", "id_token_signed_response_alg": "ES256",
        });
        let run = json!({
            "certificate": stub_server::certificate(), "key": stub_server::private_key(),
            "redirect": format!("{CONSOLE}/console/oidc/callback"), "clients": [client],
        });
        writeln!(asks, "{run}").unwrap();
        let issuer = says.next().expect("it starts").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "s3cret-of-the-console").unwrap();
        Self { node, asks, says, issuer, folder }
    }

    /// A server that people sign in to through it.
    async fn console(&self, domains: &[&str]) -> ConsoleFixture {
        let oidc = SignInProviderSettings {
            issuer: self.issuer.clone(),
            client_id: "console".to_owned(),
            client_secret_file: self.folder.path().join("secret"),
            label: Some("Example ID".to_owned()),
            domains: domains.iter().map(|&domain| domain.to_owned()).collect(),
            claims_from: ClaimsSource::IdToken,
        };
        let settings = SignInSettings { oidc: Some(oidc), ..SignInSettings::for_public_url(CONSOLE) };
        let builder = TestApp::builder().egress(&stub_server::egress_policy()).console(settings);
        let app = builder.start().await;
        // The provider has the machine's clock.
        app.environment.advance(base::SystemEnvironment.now().duration_since(app.environment.now()));
        ConsoleFixture { app }
    }

    /// Sends somebody to an address; the path and query that they come back to.
    fn browse(&mut self, location: &str, who: &str) -> String {
        let who: String = form_urlencoded::byte_serialize(who.as_bytes()).collect();
        writeln!(self.asks, "{location}&login_hint={who}").unwrap();
        let end = self.says.next().expect("it still runs").unwrap();
        end.strip_prefix(CONSOLE).unwrap_or_else(|| panic!("{end}")).to_owned()
    }

    /// A whole sign-in.
    async fn enter(&mut self, fixture: &ConsoleFixture, who: &str) -> TestResponse {
        let (cookie, location) = begin(fixture).await;
        let back = self.browse(&location, who);
        come_back(fixture, &cookie, &back).await
    }
}

use base::Environment as _;

/// Begins a sign-in; the cookie of the attempt, and where to go.
async fn begin(fixture: &ConsoleFixture) -> (String, String) {
    let begun = fixture.call("", "POST", "/console/sign-in/oidc", None).await;
    assert_eq!(begun.status, 200, "{}", begun.json());
    (session_cookie(&begun), begun.json()["location"].as_str().unwrap().to_owned())
}

/// What a browser sends that the provider sends back: no header of ours.
async fn come_back(fixture: &ConsoleFixture, cookie: &str, back: &str) -> TestResponse {
    let request = Request::get(back).header("Cookie", cookie).body(Body::empty()).unwrap();
    fixture.app.send(request).await
}

/// The session that an answer sets, if it sets one.
fn session(answer: &TestResponse) -> Option<String> {
    let cookies = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let cookie = cookies.map(|value| value.split(';').next().unwrap_or_default());
    cookie.filter(|value| value.starts_with("__Host-assay-session=")).map(str::to_owned).next()
}

#[tokio::test]
async fn an_operator_comes_in_through_the_provider() {
    let mut provider = Provider::start();
    let fixture = provider.console(&[]).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let entered = provider.enter(&fixture, "ada").await;
    let cookie = session(&entered).expect("they are in");
    assert_response_snapshot!(entered);
    let session = fixture.get(&cookie, "/console/session").await.json();
    assert_eq!(session["operator"]["email"], "ada@example.com");
    assert_eq!(session["second_factor"], "presented", "the provider has seen to that");
    assert_eq!(fixture.get(&cookie, "/console/operators").await.status, 200);
}

#[tokio::test]
async fn signing_in_through_the_provider_begins() {
    let provider = Provider::start();
    let fixture = provider.console(&[]).await;
    let begun = fixture.call("", "POST", "/console/sign-in/oidc", None).await;
    let location = begun.json()["location"].as_str().unwrap().to_owned();
    for part in ["response_type=code", "code_challenge_method=S256", "scope=openid+email", "nonce=", "state="]
    {
        assert!(location.contains(part), "{location}");
    }
    assert!(begun.header("set-cookie").contains("SameSite=Lax"), "{}", begun.header("set-cookie"));
    assert_response_snapshot!(begun, "location");
    let methods = fixture.get("", "/console/sign-in-methods").await.json();
    assert_eq!(methods["identity_provider"], "Example ID");
}

#[tokio::test]
async fn nobody_comes_in_who_does_not_work_here() {
    let mut provider = Provider::start();
    let fixture = provider.console(&["example.com"]).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    fixture.add_operator("ada@other.example", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    for who in [
        // No operator or member, an address that was not verified, another domain, and somebody who says no.
        "stranger",
        "eve:unverified:ada@example.com",
        "eve:as:ada@other.example",
        "nobody",
    ] {
        let refused = provider.enter(&fixture, who).await;
        assert_eq!(refused.header("location"), "/console/#sign-in-failed=refused", "{who}");
        assert_eq!(session(&refused), None, "{who}");
    }
}

/// An address that somebody else has at the provider one day must not let them in.
#[tokio::test]
async fn whoever_came_in_once_must_be_the_same_person_later() {
    let mut provider = Provider::start();
    let fixture = provider.console(&[]).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    assert!(session(&provider.enter(&fixture, "ada").await).is_some());
    let refused = provider.enter(&fixture, "eve:as:ada@example.com").await;
    assert_eq!(refused.header("location"), "/console/#sign-in-failed=refused");
    fixture.wait_for_audit("sign-in.fail").await;
    assert!(session(&provider.enter(&fixture, "ada").await).is_some(), "Ada still does");
}

#[tokio::test]
async fn what_comes_back_counts_once_and_in_the_browser_that_began() {
    let mut provider = Provider::start();
    let fixture = provider.console(&[]).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let (ours, location) = begin(&fixture).await;
    let (others, _) = begin(&fixture).await;
    let back = provider.browse(&location, "ada");
    let refused = "/console/#sign-in-failed=refused";
    // An attacker's code in somebody's browser, which has no attempt, or another one.
    assert_eq!(come_back(&fixture, "", &back).await.header("location"), refused);
    assert_eq!(come_back(&fixture, &others, &back).await.header("location"), refused);
    assert_eq!(come_back(&fixture, &ours, &back).await.header("location"), "/console/");
    assert_eq!(come_back(&fixture, &ours, &back).await.header("location"), refused, "once");

    let (late, location) = begin(&fixture).await;
    let back = provider.browse(&location, "ada");
    fixture.app.environment.advance(SignedDuration::from_mins(10));
    assert_eq!(come_back(&fixture, &late, &back).await.header("location"), refused, "too late");
    for query in ["?error=access_denied", "", &format!("?code={}", "a".repeat(9000))] {
        let (cookie, _) = begin(&fixture).await;
        let back = format!("/console/oidc/callback{query}");
        assert_eq!(come_back(&fixture, &cookie, &back).await.header("location"), refused);
    }
}

/// The browser does not send its session's cookie when the provider sends it back, so the attempt remembers the session.
#[tokio::test]
async fn a_sign_in_through_the_provider_ends_the_session_that_the_browser_had() {
    let mut provider = Provider::start();
    let fixture = provider.console(&[]).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let (before, _) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Auditor)).await;
    let elsewhere = session_cookie(&fixture.enter_by_mail("eve@example.com").await);
    for (who, left) in [("stranger", 200_u16), ("ada", 401)] {
        let begun = fixture.call(&before, "POST", "/console/sign-in/oidc", None).await;
        let back = provider.browse(begun.json()["location"].as_str().unwrap(), who);
        let entered = come_back(&fixture, &session_cookie(&begun), &back).await;
        assert_eq!(session(&entered).is_some(), who == "ada");
        assert_eq!(fixture.get(&before, "/console/session").await.status, left, "{who}");
    }
    assert_eq!(fixture.get(&elsewhere, "/console/session").await.status, 200, "in another browser");
}

#[tokio::test]
async fn whoever_works_in_several_places_chooses_one() {
    let mut provider = Provider::start();
    let account = AccountFixture::of(provider.console(&[]).await.app).await;
    let (member, _) = account.add_member("ada@example.com", false, &[]).await;
    let fixture = ConsoleFixture { app: account.app };
    let (_, body) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let operator = body["operator"]["id"].as_str().unwrap();
    let back = provider.enter(&fixture, "ada").await;
    assert_eq!(session(&back), None);
    let ticket = back.header("location").strip_prefix("/console/#choose=").unwrap().to_owned();
    let choices = fixture.post("", "/console/sign-in/choices", json!({ "ticket": ticket })).await;
    let places: Vec<Value> = choices.json()["places"].as_array().unwrap().clone();
    assert_eq!(places[0]["id"], operator);
    assert_eq!(places[1]["id"], member.as_str());
    assert_response_snapshot!(choices, (&places[1]["account"], "account name"));

    let choice = |id: &str| json!({ "choice": { "ticket": ticket, "id": id } });
    let nobody = fixture.enter(choice("018f3c8e-0000-4000-8000-00000000000a")).await;
    assert_eq!(nobody.status_and_code(), "401 UNAUTHORIZED");
    let entered = fixture.enter(choice(&member)).await;
    assert_eq!(entered.json()["member"]["id"], member.as_str(), "{}", entered.json());
    let again = fixture.enter(choice(operator)).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "a ticket is for one choice");
}

#[tokio::test]
async fn a_provider_that_is_away_is_told_of_and_why_is_in_the_log_alone() {
    let provider = Provider::start();
    let fixture = provider.console(&[]).await;
    drop(provider);
    let log = CapturedLog::new();
    let lines = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let _logging = tracing::subscriber::set_default(lines);
    let begun = fixture.call("", "POST", "/console/sign-in/oidc", None).await;
    assert_eq!(begun.status_and_code(), "503 UNAVAILABLE");
    assert_eq!(
        message(&begun),
        "signing in through the identity provider is not possible now; try again later, or sign in another way"
    );
    let logged = log.take();
    assert!(logged.contains("the identity provider is unavailable"), "{logged}");
    assert!(logged.contains("the call failed"), "{logged}");
}
