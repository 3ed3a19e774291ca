//! What is changed while somebody signs in or does something else: their password, and whether they may come in.

use super::{ConsoleAccess, ConsoleCaller, ConsoleSignInError, CredentialChangeError, PasswordSignIn};
use crate::{
    accounts::sign_in::{SignInService, SignInSettings},
    authentication::{EmailAddress, sessions::SessionClient},
    keyring::Keyring,
    mail::{MailTransport, Mailer},
    operators::{self, BuiltInRole, IssuedOperatorInvitation, OperatorGrant, OperatorInvitee},
    vault::Vault,
};
use base::{Environment, OperatorId, PasskeyId, Secret, TestEnvironment, Uuid};
use db::{sql, testing::TestDb};
use media::fetch::{EgressPolicy, Fetcher};
use std::sync::Arc;

const FORMER: &str = "correct horse battery";
const CHANGED: &str = "staple of another kind";

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

/// Comes in by an invitation.
async fn accept(access: &ConsoleAccess, invited: &IssuedOperatorInvitation) -> ConsoleCaller {
    let (_, token) = invited.link.expose().split_once("#operator-invite=").unwrap();
    access.accept_operator_invitation(token, &SessionClient::default()).await.unwrap().caller
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
        let caller = accept(&access, &invited).await;
        access.set_password(&caller, &secret(FORMER)).await.unwrap();
        Self { test, access, email, caller }
    }

    fn id(&self) -> OperatorId {
        self.caller.holder().id.into()
    }

    /// Another administrator comes in: the last one cannot be disabled.
    async fn add_administrator(&self) {
        let invitee = OperatorInvitee {
            email: "eve@example.com".parse().unwrap(),
            name: None,
            grant: OperatorGrant::of_role(BuiltInRole::Administrator),
        };
        let mut tx = self.test.db.write().await.unwrap();
        let invited = self.access.operators.invite(&mut tx, None, &invitee).await.unwrap();
        tx.commit().await.unwrap();
        accept(&self.access, &invited).await;
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

/// What somebody leaves to sign in with outlasts the session in which they left it.
#[tokio::test]
async fn a_session_that_has_ended_changes_nothing_that_its_holder_signs_in_with() {
    let ada = Ada::start().await;
    let other = ada.sign_in(FORMER).await.unwrap();
    ada.access.set_password(&ada.caller, &secret(CHANGED)).await.unwrap();
    let passkey = PasskeyId::from(Uuid::from_u128(7));
    for refused in [
        ada.access.begin_totp(&other).await.map(drop),
        ada.access.confirm_totp(&other, "123456").await.map(drop),
        ada.access.remove_totp(&other).await.map(drop),
        ada.access.rename_passkey(&other, passkey, "Laptop").await,
        ada.access.remove_passkey(&other, passkey).await,
    ] {
        assert!(
            matches!(refused, Err(CredentialChangeError::SignIn(ConsoleSignInError::Refused(_)))),
            "{refused:?}"
        );
    }
    ada.access.begin_totp(&ada.caller).await.unwrap();
}

/// A session that survives the disabling would count again as soon as its holder is let in again.
#[tokio::test]
async fn whoever_is_disabled_while_they_sign_in_has_no_session() {
    let ada = Ada::start().await;
    ada.add_administrator().await;
    let (sent, client) = (ada.sends(FORMER), SessionClient::default());
    let verified = ada.access.verify_password(&sent).await.unwrap();
    let environment = ada.access.sessions.environment.clone();
    let mut tx = ada.test.db.write().await.unwrap();
    operators::set_disabled(&mut tx, &*environment, ada.id(), true).await.unwrap();
    let (begun, ()) = tokio::join!(ada.access.begin_by_password(&verified, &sent, &client), async {
        ada.test.wait_until_blocked(1).await;
        tx.commit().await.unwrap();
    });
    assert!(matches!(begun, Err(ConsoleSignInError::Refused(_))), "{begun:?}");
    let mut view = ada.test.db.read().await.unwrap();
    assert!(ada.access.sessions.list(&mut view, ada.caller.holder()).await.unwrap().is_empty());
}

/// A link that survives the disabling would work as soon as its operator is let in again.
#[tokio::test]
async fn whoever_is_disabled_while_a_link_is_made_for_them_has_no_link() {
    let ada = Ada::start().await;
    ada.add_administrator().await;
    let environment = ada.access.sessions.environment.clone();
    let mut tx = ada.test.db.write().await.unwrap();
    operators::set_disabled(&mut tx, &*environment, ada.id(), true).await.unwrap();
    let making = async {
        let mut tx = ada.test.db.write().await.unwrap();
        let made = ada.access.operators.create_sign_in_link(&mut tx, "ada@example.com", None).await.unwrap();
        tx.commit().await.unwrap();
        made
    };
    let (made, ()) = tokio::join!(making, async {
        ada.test.wait_until_blocked(1).await;
        tx.commit().await.unwrap();
    });
    assert!(made.is_none(), "{made:?}");
    let mut view = ada.test.db.read().await.unwrap();
    assert_eq!(view.count(sql!("SELECT count(*) FROM operator_sign_in_links")).await.unwrap(), 0);
}

/// On PostgreSQL, which would end one of two transactions that wait for each other.
#[tokio::test]
async fn a_link_is_used_while_its_operator_is_disabled_and_neither_waits_for_the_other() {
    let ada = Ada::start().await;
    let mut tx = ada.test.db.write().await.unwrap();
    let made = ada.access.operators.create_sign_in_link(&mut tx, "ada@example.com", None).await.unwrap();
    tx.commit().await.unwrap();
    let (_, link, _) = made.unwrap();
    let (_, token) = link.expose().split_once("#operator-sign-in=").unwrap();

    let now = ada.access.sessions.environment.now();
    let mut tx = ada.test.db.write().await.unwrap();
    let disabled = sql!("UPDATE operators SET disabled_at = $2 WHERE id = $1", ada.id(), now);
    tx.execute(disabled).await.unwrap();
    let client = SessionClient::default();
    let (begun, ()) = tokio::join!(ada.access.sign_in_by_operator_link(token, &client), async {
        ada.test.wait_until_blocked(1).await;
        let links = sql!("DELETE FROM operator_sign_in_links WHERE operator_id = $1", ada.id());
        assert_eq!(tx.execute(links).await.unwrap(), 1);
        tx.commit().await.unwrap();
    });
    assert!(matches!(begun, Err(ConsoleSignInError::Refused(_))), "{begun:?}");
}
