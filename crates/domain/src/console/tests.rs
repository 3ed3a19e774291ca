//! Passwords that are changed while something else is done with the former one.

use super::{ConsoleAccess, ConsoleCaller, ConsoleSignInError, CredentialChangeError, PasswordSignIn};
use crate::{
    accounts::sign_in::{SignInService, SignInSettings},
    authentication::{EmailAddress, sessions::SessionClient},
    keyring::Keyring,
    mail::{MailTransport, Mailer},
    vault::Vault,
};
use base::{Environment, Secret, TestEnvironment};
use db::testing::TestDb;
use media::fetch::{EgressPolicy, Fetcher};
use std::sync::Arc;

const FORMER: &str = "correct horse battery";
const CHANGED: &str = "staple of another kind";

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

/// Ada, the first operator of an installation.
struct Ada {
    test: TestDb,
    access: ConsoleAccess,
    email: EmailAddress,
    caller: ConsoleCaller,
}

impl Ada {
    /// She has come in by her invitation, and has set a password.
    async fn start() -> Self {
        let test = TestDb::open().await;
        let environment: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let mail = Mailer::new(environment.clone(), vault.clone(), MailTransport::None, None).unwrap();
        let settings = SignInSettings::default();
        let sign_in = SignInService::new(test.db.clone(), environment.clone(), vault.clone(), mail, settings);
        let fetcher = Fetcher::new(&EgressPolicy::default()).unwrap();
        let access = ConsoleAccess::new(&sign_in, &test.db, &environment, &vault, &fetcher).unwrap();
        let email: EmailAddress = "ada@example.com".parse().unwrap();
        let mut tx = test.db.write().await.unwrap();
        let invited = access.operators.invite_first(&mut tx, email.clone(), None).await.unwrap();
        tx.commit().await.unwrap();
        let (_, token) = invited.link.expose().split_once("#operator-invite=").unwrap();
        let accepted = access.accept_operator_invitation(token, &SessionClient::default()).await.unwrap();
        access.set_password(&accepted.caller, &secret(FORMER)).await.unwrap();
        Self { test, access, email, caller: accepted.caller }
    }

    fn sends(&self, password: &str) -> PasswordSignIn {
        PasswordSignIn { email: self.email.clone(), password: secret(password), code: None }
    }

    /// Signs in, as on another device.
    async fn sign_in(&self, password: &str) -> Result<ConsoleCaller, ConsoleSignInError> {
        let signed_in =
            self.access.sign_in_by_password(&self.sends(password), &SessionClient::default()).await;
        Ok(signed_in?.caller)
    }
}

#[tokio::test]
async fn a_password_that_is_changed_while_it_is_verified_begins_no_session() {
    let ada = Ada::start().await;
    let sent = ada.sends(FORMER);
    let verified = ada.access.verify_password(&sent).await.unwrap();
    ada.access.set_password(&ada.caller, &secret(CHANGED)).await.unwrap();
    let begun = ada.access.begin_by_password(&verified, &sent, &SessionClient::default()).await;
    assert!(matches!(begun, Err(ConsoleSignInError::Refused(_))), "{begun:?}");

    let mut view = ada.test.db.read().await.unwrap();
    let open = ada.access.sessions.list(&mut view, ada.caller.holder()).await.unwrap();
    let open: Vec<_> = open.into_iter().map(|session| session.id).collect();
    assert_eq!(open, [ada.caller.session.id], "that of whoever has changed it");
    drop(view);
    ada.sign_in(CHANGED).await.unwrap();
}

#[tokio::test]
async fn a_session_that_is_ended_while_it_changes_the_password_does_not_change_it() {
    let ada = Ada::start().await;
    let other = ada.sign_in(FORMER).await.unwrap();
    ada.access.set_password(&ada.caller, &secret(CHANGED)).await.unwrap();
    // It was there when the call was let in.
    let refused = ada.access.set_password(&other, &secret(FORMER)).await;
    assert!(
        matches!(refused, Err(CredentialChangeError::SignIn(ConsoleSignInError::Refused(_)))),
        "{refused:?}"
    );
    ada.sign_in(CHANGED).await.unwrap();
}
