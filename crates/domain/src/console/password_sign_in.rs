//! Sign-in of operators with a password and, if they have set that up, a code.

use super::{ConsoleAccess, ConsoleSignIn, ConsoleSignInError};
use crate::{
    authentication::{
        CredentialHolder, EmailAddress, SignInMethod, attempts::AttemptSubject, sessions::SessionClient,
        summarise_credentials,
    },
    operators,
};
use base::Secret;

/// What somebody signs in with.
#[derive(Debug)]
pub struct PasswordSignIn {
    pub email: EmailAddress,
    pub password: Secret<String>,
    /// The code of their authenticator app, if they have one.
    pub code: Option<String>,
}

/// A password that was right when it was compared. Another one may have been set since.
#[derive(Debug)]
pub(super) struct VerifiedPassword {
    holder: CredentialHolder,
    hash: Secret<String>,
    subject: AttemptSubject,
}

impl ConsoleAccess {
    /// Signs in the operator with this address and password. What is wrong is not said, and takes as long for an address
    /// that nobody has.
    pub async fn sign_in_by_password(
        &self,
        sent: &PasswordSignIn,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let verified = self.verify_password(sent).await?;
        self.begin_by_password(&verified, sent, client).await
    }

    /// Counts the try, and compares the password. That takes a while, so no transaction is open meanwhile.
    pub(super) async fn verify_password(
        &self,
        sent: &PasswordSignIn,
    ) -> Result<VerifiedPassword, ConsoleSignInError> {
        let address = sent.email.normalised();
        let subject = self.attempts.subject("password", address);
        self.attempts.count(&subject).await?;
        let mut view = self.db.read().await?;
        let operator = operators::find_by_address(&mut view, address).await?;
        let holder = operator
            .filter(|operator| !operator.disabled)
            .map(|operator| CredentialHolder::operator(operator.id));
        let hash = match holder {
            Some(holder) => self.passwords.load(&mut view, holder).await?,
            None => None,
        };
        drop(view);
        let is_right = self.passwords.verify(hash.clone(), &sent.password).await?;
        match (holder, hash) {
            (Some(holder), Some(hash)) if is_right => Ok(VerifiedPassword { holder, hash, subject }),
            (holder, _) => {
                if let Some(holder) = holder {
                    self.record_failure(holder, SignInMethod::Password.as_str());
                }
                Err(wrong())
            }
        }
    }

    /// Begins the session of somebody whose password was right, unless it was changed meanwhile, which ended all sessions.
    pub(super) async fn begin_by_password(
        &self,
        verified: &VerifiedPassword,
        sent: &PasswordSignIn,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let VerifiedPassword { holder, hash, subject } = verified;
        let holder = *holder;
        let mut tx = self.db.write().await?;
        let mut is_right = self.passwords.is_current(&mut tx, holder, hash).await?;
        let has_totp = summarise_credentials(&mut tx, holder).await?.has_totp;
        if is_right && has_totp {
            let code = sent.code.as_deref().unwrap_or_default();
            is_right = self.totp.verify(&mut tx, holder, code).await?;
        }
        if !is_right {
            drop(tx);
            self.record_failure(holder, SignInMethod::Password.as_str());
            return Err(wrong());
        }
        self.attempts.clear(&mut tx, subject).await?;
        self.begin(tx, holder, SignInMethod::Password, has_totp, client).await
    }

    /// Records that somebody failed to sign in as a person who works here. Beside the request, so that its time does not
    /// tell who works here.
    pub(super) fn record_failure(&self, holder: CredentialHolder, method: &'static str) {
        let db = self.db.clone();
        tokio::spawn(async move {
            let recorded = async {
                let mut tx = db.write().await?;
                tx.audit(holder.event("sign-in.fail").detail("method", method));
                tx.commit().await
            };
            if let Err(error) = recorded.await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "a failed sign-in was not recorded");
            }
        });
    }
}

fn wrong() -> ConsoleSignInError {
    ConsoleSignInError::Refused("the address, the password or the code is wrong".to_owned())
}
