//! Presenting a second factor, and changing what there is to sign in with. Whoever has a second factor must have presented
//! it in this session before they change anything; whoever has none may set one up. A session in which one was set up or
//! presented gets a new secret.

use super::{ConsoleAccess, ConsoleCaller, ConsoleSignInError};
use crate::authentication::{
    CredentialSummary,
    passkeys::{PasskeyError, PasskeyPrompt},
    passwords::PasswordError,
    summarise_credentials,
    totp::{TotpEnrolment, TotpError},
};
use base::{PasskeyId, Secret};
use db::{DbError, WriteTx};
use serde_json::Value;

/// What somebody presents as a second factor.
#[derive(Debug)]
pub enum SecondFactorProof {
    /// The code of an authenticator app.
    Code(String),
    /// A passkey.
    Passkey {
        /// From [`ConsoleAccess::begin_passkey_sign_in`].
        challenge: String,
        /// The output of `PublicKeyCredential.toJSON()`.
        credential: Value,
    },
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum CredentialChangeError {
    /// They have a second factor, and have not presented it in this session.
    #[error("present your second factor first")]
    SecondFactorRequired,
    /// Members have no password.
    #[error("only operators have a password; members sign in by mail, passkey or identity provider")]
    OperatorsOnly,
    /// The passkey cannot be made or changed.
    #[error(transparent)]
    Passkey(#[from] PasskeyError),
    /// The codes cannot be set up.
    #[error(transparent)]
    Totp(#[from] TotpError),
    /// There were too many wrong codes, or the like.
    #[error(transparent)]
    SignIn(#[from] ConsoleSignInError),
    /// The password cannot be set.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl ConsoleAccess {
    /// Presents a second factor. Returns the new secret of the session.
    pub async fn present_second_factor(
        &self,
        caller: &ConsoleCaller,
        proof: &SecondFactorProof,
    ) -> Result<Secret<String>, ConsoleSignInError> {
        let holder = caller.holder();
        let wrong = |words: &str| ConsoleSignInError::Refused(words.to_owned());
        let mut tx = match proof {
            SecondFactorProof::Code(code) => {
                let subject = self.attempts.subject("code", &holder.id.to_string());
                self.attempts.count(&subject).await?;
                let mut tx = self.db.write().await?;
                if !self.totp.verify(&mut tx, holder, code).await? {
                    drop(tx);
                    self.record_failure(holder, "code");
                    return Err(wrong(&TotpError::Code.to_string()));
                }
                self.attempts.clear(&mut tx, &subject).await?;
                tx
            }
            SecondFactorProof::Passkey { challenge, credential } => {
                let verified = self.passkeys.verify_sign_in(challenge, credential).await?;
                if verified.holder != holder {
                    return Err(wrong("the passkey is somebody else's"));
                }
                let mut tx = self.db.write().await?;
                self.passkeys.finish_sign_in(&mut tx, &verified).await?;
                tx
            }
        };
        let token = self.sessions.elevate(&mut tx, &caller.session).await?;
        tx.commit().await?;
        token.ok_or_else(session_over)
    }

    /// What the caller has to sign in with.
    pub async fn credentials(&self, caller: &ConsoleCaller) -> Result<CredentialSummary, DbError> {
        summarise_credentials(&mut self.db.read().await?, caller.holder()).await
    }

    /// Begins to make a passkey.
    pub async fn begin_passkey_registration(
        &self,
        caller: &ConsoleCaller,
    ) -> Result<PasskeyPrompt, CredentialChangeError> {
        self.require_second_factor(caller).await?;
        let mut view = self.db.read().await?;
        Ok(self.passkeys.begin_registration(&mut view, caller.holder(), caller.email()).await?)
    }

    /// Completes it. Returns the passkey's id and the new secret of the session.
    pub async fn finish_passkey_registration(
        &self,
        caller: &ConsoleCaller,
        challenge: &str,
        credential: &Value,
        name: &str,
    ) -> Result<(PasskeyId, Option<Secret<String>>), CredentialChangeError> {
        let mut tx = self.begin_change(caller).await?;
        let holder = caller.holder();
        let id = self.passkeys.finish_registration(&mut tx, holder, challenge, credential, name).await?;
        let token = self.elevate_unless_done(&mut tx, caller).await?;
        tx.commit().await?;
        Ok((id, token))
    }

    /// Gives a passkey another name.
    pub async fn rename_passkey(
        &self,
        caller: &ConsoleCaller,
        id: PasskeyId,
        name: &str,
    ) -> Result<(), CredentialChangeError> {
        let mut tx = self.begin_change(caller).await?;
        self.passkeys.rename(&mut tx, caller.holder(), id, name).await?;
        Ok(tx.commit().await?)
    }

    /// Removes a passkey.
    pub async fn remove_passkey(
        &self,
        caller: &ConsoleCaller,
        id: PasskeyId,
    ) -> Result<(), CredentialChangeError> {
        let mut tx = self.begin_change(caller).await?;
        self.passkeys.remove(&mut tx, caller.holder(), id).await?;
        Ok(tx.commit().await?)
    }

    /// Begins to set codes up.
    pub async fn begin_totp(&self, caller: &ConsoleCaller) -> Result<TotpEnrolment, CredentialChangeError> {
        let mut tx = self.begin_change(caller).await?;
        let enrolment = self.totp.begin(&mut tx, caller.holder(), caller.email()).await?;
        tx.commit().await?;
        Ok(enrolment)
    }

    /// Completes it with a first code. Returns the new secret of the session.
    pub async fn confirm_totp(
        &self,
        caller: &ConsoleCaller,
        code: &str,
    ) -> Result<Option<Secret<String>>, CredentialChangeError> {
        let holder = caller.holder();
        let subject = self.attempts.subject("code", &holder.id.to_string());
        self.attempts.count(&subject).await.map_err(ConsoleSignInError::from)?;
        let mut tx = self.begin_change(caller).await?;
        self.totp.confirm(&mut tx, holder, code).await?;
        self.attempts.clear(&mut tx, &subject).await?;
        let token = self.elevate_unless_done(&mut tx, caller).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Removes the caller's codes; returns whether there were any.
    pub async fn remove_totp(&self, caller: &ConsoleCaller) -> Result<bool, CredentialChangeError> {
        let mut tx = self.begin_change(caller).await?;
        let removed = self.totp.remove(&mut tx, caller.holder()).await?;
        tx.commit().await?;
        Ok(removed)
    }

    /// Sets an operator's password, and ends their other sessions.
    pub async fn set_password(
        &self,
        caller: &ConsoleCaller,
        password: &Secret<String>,
    ) -> Result<(), CredentialChangeError> {
        let holder = caller.holder();
        if !holder.is_operator() {
            return Err(CredentialChangeError::OperatorsOnly);
        }
        self.require_second_factor(caller).await?;
        let hash = self.passwords.hash(password).await?;
        let mut tx = self.begin_change(caller).await?;
        self.passwords.store(&mut tx, holder, &hash).await?;
        // Once more: storing waits for whoever changes the password at this moment. They end this session, and are not overruled.
        self.ensure_open(&mut tx, caller).await?;
        self.sessions.end_all(&mut tx, holder, Some(caller.session.id)).await?;
        Ok(tx.commit().await?)
    }

    async fn begin_change(&self, caller: &ConsoleCaller) -> Result<WriteTx, CredentialChangeError> {
        let mut tx = self.db.write().await?;
        tx.set_actor(caller.holder().audit_actor());
        self.ensure_open(&mut tx, caller).await?;
        ensure_presented(caller, summarise_credentials(&mut tx, caller.holder()).await?)?;
        Ok(tx)
    }

    /// Refuses somebody whose session was ended since they were let in: what they leave to sign in with would outlast it.
    async fn ensure_open(
        &self,
        tx: &mut WriteTx,
        caller: &ConsoleCaller,
    ) -> Result<(), CredentialChangeError> {
        if self.sessions.is_open(tx, &caller.session).await? { Ok(()) } else { Err(session_over().into()) }
    }

    async fn require_second_factor(&self, caller: &ConsoleCaller) -> Result<(), CredentialChangeError> {
        ensure_presented(caller, self.credentials(caller).await?)
    }

    async fn elevate_unless_done(
        &self,
        tx: &mut WriteTx,
        caller: &ConsoleCaller,
    ) -> Result<Option<Secret<String>>, CredentialChangeError> {
        if caller.session.second_factor {
            return Ok(None);
        }
        Ok(Some(self.sessions.elevate(tx, &caller.session).await?.ok_or_else(session_over)?))
    }
}

fn session_over() -> ConsoleSignInError {
    ConsoleSignInError::Refused("the session is over; sign in again".to_owned())
}

/// Refuses somebody who has a second factor, and has not presented it.
fn ensure_presented(caller: &ConsoleCaller, has: CredentialSummary) -> Result<(), CredentialChangeError> {
    if has.has_second_factor() && !caller.session.second_factor {
        return Err(CredentialChangeError::SecondFactorRequired);
    }
    Ok(())
}
