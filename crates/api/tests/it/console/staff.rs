//! Operators and members beside each other, on a server that may call stand-ins on this machine.

use super::CONSOLE;
use crate::content_moderation::{AccountFixture, session_cookie};
use api::ApiState;
use base::{AppId, MemberId};
use domain::{
    accounts::{
        ConsoleScope,
        roles::{self, ConsoleGrant, Giver},
        sign_in::SignInSettings,
    },
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant, OperatorInvitee},
};
use serde_json::{Value, json};
use testkit::{TestApp, TestAppBuilder, TestResponse, stub_server};

/// A server with an account, to which operators and members come who need no second factor.
pub(super) struct Staff {
    pub(super) fixture: AccountFixture,
}

impl Staff {
    pub(super) async fn start() -> Self {
        Self::with(|builder| builder).await
    }

    pub(super) async fn with(change: impl FnOnce(TestAppBuilder) -> TestAppBuilder) -> Self {
        let builder = TestApp::builder().console(Self::settings()).egress(&stub_server::egress_policy());
        Self { fixture: AccountFixture::of(change(builder).start().await).await }
    }

    /// One in which something was changed of what the operations see.
    pub(super) async fn with_state(change: impl FnOnce(&mut ApiState)) -> Self {
        let app = TestApp::builder().console(Self::settings()).start_with(change).await;
        Self { fixture: AccountFixture::of(app).await }
    }

    /// Nobody needs a second factor.
    pub(super) fn settings() -> SignInSettings {
        let second_factor = SecondFactorPolicy::Off;
        SignInSettings { second_factor, ..SignInSettings::for_public_url(CONSOLE) }
    }

    pub(super) fn app(&self) -> &TestApp {
        &self.fixture.app
    }

    /// The application of the account.
    pub(super) fn application(&self) -> AppId {
        self.fixture.app.app
    }

    /// An operator of a role; their cookie.
    pub(super) async fn operator(&self, role: BuiltInRole) -> String {
        self.operator_with(OperatorGrant::of_role(role)).await
    }

    /// An operator with a grant; their cookie.
    pub(super) async fn operator_with(&self, grant: OperatorGrant) -> String {
        let mut tx = self.app().api.db.write().await.unwrap();
        let email = format!("operator-{}@example.com", base::Environment::uuid_v4(&*self.app().environment));
        let invitee = OperatorInvitee { email: email.parse().unwrap(), name: None, grant };
        let invited =
            self.app().api.console_access.operators().invite(&mut tx, None, &invitee).await.unwrap();
        tx.commit().await.unwrap();
        // The mail with it is sent, so that it is not taken for a later one.
        self.app().run_due_jobs().await;
        let token = invited.link.expose().split_once("#operator-invite=").unwrap().1.to_owned();
        let entered = json!({ "operator_invitation": token });
        session_cookie(&self.fixture.post_signed_out("/console/session", entered).await)
    }

    /// A member of the account with these scopes of the console and no others; their cookie.
    pub(super) async fn member(&self, console_scopes: &[ConsoleScope]) -> String {
        let email = format!("member-{}@example.com", base::Environment::uuid_v4(&*self.app().environment));
        let (member, cookie) = self.fixture.add_member(&email, false, &[]).await;
        let member: MemberId = member.parse().unwrap();
        let grant = ConsoleGrant { role: None, console_scopes: console_scopes.to_vec() };
        let mut tx = self.app().api.db.write().await.unwrap();
        roles::set_grant(&mut tx, Giver::Operator, self.fixture.account, member, &grant).await.unwrap();
        tx.commit().await.unwrap();
        cookie
    }

    /// What a page of the console sends.
    pub(super) async fn call(
        &self,
        cookie: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        self.fixture.call_console(cookie, method, path, body).await
    }

    pub(super) async fn get(&self, cookie: &str, path: &str) -> TestResponse {
        self.call(cookie, "GET", path, None).await
    }

    pub(super) async fn post(&self, cookie: &str, path: &str, body: Value) -> TestResponse {
        self.call(cookie, "POST", path, Some(body)).await
    }

    /// Refuses everybody who has none of the scopes that an operation needs: operators and members.
    pub(super) async fn assert_refused_without_scope(&self, calls: &[(&str, &str)]) {
        let nobody = [self.operator_with(OperatorGrant::default()).await, self.member(&[]).await];
        for cookie in nobody {
            for (method, path) in calls {
                let refused = self.call(&cookie, method, path, Some(json!({}))).await;
                assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
            }
        }
    }
}
