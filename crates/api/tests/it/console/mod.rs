//! `/console`: sign-in of members and operators, their credentials and sessions, and what operators do.

mod approvals;
mod audit;
mod authorisation;
mod begin_session;
mod cases;
mod codes;
mod cookie;
mod deliveries;
mod end_session;
mod first_operator;
mod get_session;
mod health;
mod identity_provider;
mod integrator;
mod jobs;
mod member_roles;
mod operators;
mod passkeys;
mod providers;
mod second_factor;
mod sessions;
mod sign_in;
mod sign_in_methods;
mod staff;
mod tenants;
mod verification_sessions;

pub(crate) use verification_sessions::Integrator;

use crate::content_moderation::{AccountFixture, session_cookie, token_in_email};
use axum::{body::Body, http::Request};
use base::Environment as _;
use domain::{
    accounts::sign_in::{SignInService, SignInSettings},
    authentication::SecondFactorPolicy,
    mail::{MailTransport, Mailer},
    operators::{BuiltInRole, OperatorGrant, OperatorInvitee},
};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse, authenticator::Authenticator};
use totp_rs::TOTP;

/// Where the console of most tests is reached: passkeys need a domain.
const CONSOLE: &str = "https://assay.example.com";

/// A server whose pages are served over https, and which cannot send mail.
async fn start_over_https_without_mail() -> AccountFixture {
    let settings = SignInSettings::for_public_url(CONSOLE);
    let app = TestApp::start_with(|api| {
        let vault = api.vault.clone();
        let mail = Mailer::new(api.environment.clone(), vault.clone(), MailTransport::None, None).unwrap();
        api.sign_in = SignInService::new(api.db.clone(), api.environment.clone(), vault, mail, settings);
    })
    .await;
    AccountFixture::of(app).await
}

/// A server whose console is reached over https.
struct ConsoleFixture {
    app: TestApp,
}

impl ConsoleFixture {
    /// Operators need a second factor.
    async fn start() -> Self {
        Self::with(SignInSettings::for_public_url(CONSOLE)).await
    }

    async fn with_policy(second_factor: SecondFactorPolicy) -> Self {
        Self::with(SignInSettings { second_factor, ..SignInSettings::for_public_url(CONSOLE) }).await
    }

    async fn with(settings: SignInSettings) -> Self {
        Self { app: TestApp::builder().console(settings).start().await }
    }

    /// What a page of the console sends; without a session if the cookie is empty.
    async fn call(&self, cookie: &str, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.send(cookie, method, path, body).await
    }

    async fn send(&self, cookie: &str, method: &str, path: &str, body: Body) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path).header("X-Assay-Console", "1");
        if !cookie.is_empty() {
            request = request.header("Cookie", cookie);
        }
        self.app.send(request.body(body).unwrap()).await
    }

    async fn get(&self, cookie: &str, path: &str) -> TestResponse {
        self.call(cookie, "GET", path, None).await
    }

    async fn post(&self, cookie: &str, path: &str, body: Value) -> TestResponse {
        self.call(cookie, "POST", path, Some(body)).await
    }

    /// Begins a session with this; the answer.
    async fn enter(&self, credential: Value) -> TestResponse {
        self.post("", "/console/session", credential).await
    }

    /// The token of an invitation for the first operator.
    async fn invite_first(&self) -> String {
        let mut tx = self.app.api.db.write().await.unwrap();
        let operators = self.app.api.console_access.operators();
        let invited =
            operators.invite_first(&mut tx, "ada@example.com".parse().unwrap(), None).await.unwrap();
        tx.commit().await.unwrap();
        invited.link.expose().split_once("#operator-invite=").unwrap().1.to_owned()
    }

    /// An operator who has just accepted their invitation; their cookie, and the body of their session.
    async fn add_operator(&self, email: &str, grant: OperatorGrant) -> (String, Value) {
        let mut tx = self.app.api.db.write().await.unwrap();
        let invitee = OperatorInvitee { email: email.parse().unwrap(), name: None, grant };
        let operators = self.app.api.console_access.operators();
        let invited = operators.invite(&mut tx, None, &invitee).await.unwrap();
        tx.commit().await.unwrap();
        // The mail with it is sent, so that it is not taken for a later one.
        self.app.run_due_jobs().await;
        let token = invited.link.expose().split_once("#operator-invite=").unwrap().1.to_owned();
        let entered = self.enter(json!({ "operator_invitation": token })).await;
        assert_eq!(entered.status, 200, "{}", entered.json());
        (session_cookie(&entered), entered.json())
    }

    /// An operator with a passkey, who may do everything that the role may; their cookie.
    async fn operator(&self, email: &str, role: BuiltInRole) -> (String, Authenticator) {
        let (cookie, _) = self.add_operator(email, OperatorGrant::of_role(role)).await;
        self.enrol_passkey(&cookie).await
    }

    /// Makes a passkey; the new cookie.
    async fn enrol_passkey(&self, cookie: &str) -> (String, Authenticator) {
        let mut device = Authenticator::new(CONSOLE);
        let begun = self.call(cookie, "POST", "/console/passkeys/challenge", None).await;
        assert_eq!(begun.status, 200, "{}", begun.json());
        let credential = device.create(&begun.json()["options"]);
        let body =
            json!({ "challenge": begun.json()["challenge"], "credential": credential, "name": "Laptop" });
        let added = self.post(cookie, "/console/passkeys", body).await;
        assert_eq!(added.status, 201, "{}", added.json());
        let cookie =
            if added.header("set-cookie").is_empty() { cookie.to_owned() } else { session_cookie(&added) };
        (cookie, device)
    }

    /// The answer of a passkey to a fresh challenge, as requests have it.
    async fn passkey_answer(&self, device: &mut Authenticator) -> Value {
        let begun = self.call("", "POST", "/console/sign-in/passkey", None).await.json();
        json!({ "challenge": begun["challenge"], "credential": device.get(&begun["options"]) })
    }

    /// Sets codes up; the app, and the new cookie.
    async fn enrol_codes(&self, cookie: &str) -> (String, TOTP) {
        let begun = self.call(cookie, "POST", "/console/totp", None).await;
        assert_eq!(begun.status, 200, "{}", begun.json());
        let app = TOTP::from_url(begun.json()["uri"].as_str().unwrap()).unwrap();
        let code = self.code(&app);
        let confirmed = self.post(cookie, "/console/totp/confirmation", json!({ "code": code })).await;
        assert_eq!(confirmed.status, 204, "{}", confirmed.json());
        let cookie = if confirmed.header("set-cookie").is_empty() {
            cookie.to_owned()
        } else {
            session_cookie(&confirmed)
        };
        (cookie, app)
    }

    /// The code of the moment.
    fn code(&self, app: &TOTP) -> String {
        app.generate(self.app.environment.now().as_second() as u64)
    }

    /// Sends what is to be mailed, and reads the token for `what` from the last email.
    async fn mailed_token(&self, what: &str) -> String {
        self.app.run_due_jobs().await;
        token_in_email(self.app.sent_mails().last().expect("an email"), what)
    }

    /// Asks for a sign-in link, and signs an operator in by it.
    async fn enter_by_mail(&self, email: &str) -> TestResponse {
        let asked = self.post("", "/console/sign-in", json!({ "email": email })).await;
        assert_eq!(asked.status, 202);
        let link = self.mailed_token("operator-sign-in").await;
        self.enter(json!({ "operator_link": link })).await
    }

    /// The kinds of the records in the audit trail, oldest first.
    async fn audited(&self) -> Vec<String> {
        #[derive(db::FromRow)]
        struct RecordRow {
            record: String,
        }
        let mut view = self.app.api.db.read().await.unwrap();
        let rows: Vec<RecordRow> =
            view.fetch_all(db::sql!("SELECT record FROM audit_records ORDER BY seq")).await.unwrap();
        let kind = |row: RecordRow| serde_json::from_str::<Value>(&row.record).unwrap()["kind"].clone();
        rows.into_iter().map(|row| kind(row).as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until an event is recorded beside a request.
    async fn wait_for_audit(&self, kind: &str) {
        for _ in 0..500 {
            if self.audited().await.iter().any(|recorded| recorded == kind) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{kind} was not recorded: {:?}", self.audited().await);
    }
}

/// What an answer says, if it is a refusal.
fn message(answer: &TestResponse) -> String {
    answer.json()["message"].as_str().unwrap_or_default().to_owned()
}
