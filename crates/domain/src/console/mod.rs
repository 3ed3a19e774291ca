//! Who may come into the console: members of accounts and operators of the installation, by everything that they can sign
//! in with. It knows what [`crate::accounts`] and [`crate::operators`] know nothing of: the other.
//!
//! - this file: [`ConsoleAccess`], who is signed in, and sign-in by links and passkeys
//! - `password_sign_in`, `provider_sign_in`: the other two ways
//! - `second_factor`: presenting one, and changing what there is to sign in with
//! - `approvals`: what one operator asks for and another approves

pub mod approvals;
mod password_sign_in;
mod provider_sign_in;
mod second_factor;
#[cfg(test)]
mod tests;

pub use password_sign_in::PasswordSignIn;
pub use provider_sign_in::{ProviderSignIn, SignInChoice};
pub use second_factor::{CredentialChangeError, SecondFactorProof};

use crate::{
    accounts::{self, Account, AuthenticationError, Member, Principal, members, sign_in::SignInService},
    authentication::{
        CredentialHolder, SecondFactorPolicy, SignInChallenges, SignInMethod,
        attempts::{AttemptError, AttemptGuard},
        has_second_factor,
        oidc::{OidcSignIn, OidcSignInError},
        passkeys::{PasskeyError, PasskeyPrompt, PasskeyService},
        passwords::{PasswordError, PasswordService},
        sessions::{ConsoleSessions, NewSession, SessionClient, SessionRecord},
        totp::TotpService,
    },
    operators::{self, Operator, OperatorService},
    vault::Vault,
    wire_enum::wire_enum,
};
use age_methods::InvalidSettingError;
use base::{Environment, Secret};
use db::{Db, DbError, ReadTx, WriteTx};
use media::fetch::Fetcher;
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// The name of this server in authenticator apps.
const TOTP_ISSUER: &str = "Assay";

/// Signs people in to the console, and says who they are; cheap to clone.
#[derive(Clone, Debug)]
pub struct ConsoleAccess {
    db: Db,
    sign_in: SignInService,
    operators: OperatorService,
    sessions: ConsoleSessions,
    passkeys: PasskeyService,
    passwords: PasswordService,
    totp: TotpService,
    attempts: AttemptGuard,
    oidc: Option<OidcSignIn>,
    policy: SecondFactorPolicy,
}

/// Somebody who is signed in, whether or not a second factor is missing.
#[derive(Clone, Debug)]
pub struct ConsoleCaller {
    pub session: SessionRecord,
    pub person: ConsolePerson,
    pub second_factor: SecondFactorState,
}

/// Who somebody is.
#[derive(Clone, Debug)]
pub enum ConsolePerson {
    Member { principal: Box<Principal>, member: Member, account: Account },
    Operator(Operator),
}

wire_enum! {
    /// What a session has of a second factor.
    pub enum SecondFactorState {
        /// None was presented. They have none, and need none.
        NotRequired => "not-required",
        /// One was presented.
        Presented => "presented",
        /// One must be presented before anything else.
        Required => "required",
        /// One must be set up before anything else: a passkey, or codes.
        EnrolmentRequired => "enrolment-required",
    }
}

impl ConsoleCaller {
    /// Whose the session is.
    pub fn holder(&self) -> CredentialHolder {
        self.session.holder()
    }

    /// Whether they may do more than present or set up a second factor.
    pub fn is_complete(&self) -> bool {
        matches!(self.second_factor, SecondFactorState::NotRequired | SecondFactorState::Presented)
    }

    /// Their e-mail address.
    pub fn email(&self) -> &str {
        match &self.person {
            ConsolePerson::Member { member, .. } => &member.email,
            ConsolePerson::Operator(operator) => &operator.email,
        }
    }
}

/// Somebody who has just come in.
#[derive(Debug)]
pub struct ConsoleSignIn {
    /// The secret of the session, for the browser's cookie. It is known only now.
    pub token: Secret<String>,
    pub caller: ConsoleCaller,
}

/// Which ways of signing in there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInWays {
    /// Whether there has ever been an operator; until then `assay init` makes one.
    pub is_set_up: bool,
    pub passkeys: bool,
    /// Whether links can be sent by mail.
    pub mail_links: bool,
    /// What the button of the identity provider says.
    pub oidc_label: Option<String>,
}

/// Why nobody came in.
#[derive(Debug, thiserror::Error)]
pub enum ConsoleSignInError {
    /// What was presented does not count; the words tell nobody what about it was wrong.
    #[error("{0}")]
    Refused(String),
    /// There were too many wrong ones.
    #[error("{words}")]
    TooMany {
        /// How many there were.
        words: String,
        /// Until when nothing is judged.
        wait: Duration,
    },
    /// This way is not set up here, or cannot be used now.
    #[error("{0}")]
    Unavailable(String),
    /// The identity provider cannot be used now; in words for the log, because they name what could not be reached.
    #[error("{0}")]
    ProviderUnavailable(String),
    /// They are signed in, and may do nothing.
    #[error(transparent)]
    Authentication(AuthenticationError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<AuthenticationError> for ConsoleSignInError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Db(error) => Self::Db(error),
            error => Self::Authentication(error),
        }
    }
}

impl From<PasskeyError> for ConsoleSignInError {
    fn from(error: PasskeyError) -> Self {
        match error {
            PasskeyError::Db(error) => Self::Db(error),
            PasskeyError::NotAvailable => Self::Unavailable(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<AttemptError> for ConsoleSignInError {
    fn from(error: AttemptError) -> Self {
        let words = error.to_string();
        match error {
            AttemptError::TooMany { wait, .. } => Self::TooMany { words, wait },
            AttemptError::Db(error) => Self::Db(error),
        }
    }
}

impl From<PasswordError> for ConsoleSignInError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Db(error) => Self::Db(error),
            PasswordError::Length(_) => Self::Refused(error.to_string()),
            error => Self::Unavailable(error.to_string()),
        }
    }
}

impl From<OidcSignInError> for ConsoleSignInError {
    fn from(error: OidcSignInError) -> Self {
        match error {
            OidcSignInError::Db(error) => Self::Db(error),
            OidcSignInError::Unavailable(words) => Self::ProviderUnavailable(words),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl ConsoleAccess {
    /// Signs in by the settings of `sign_in`, which it is the front of. The identity provider is not called yet.
    pub fn new(
        sign_in: &SignInService,
        db: &Db,
        environment: &Arc<dyn Environment>,
        vault: &Vault,
        fetcher: &Fetcher,
    ) -> Result<Self, InvalidSettingError> {
        let settings = sign_in.settings();
        let (db, environment, vault) = (db.clone(), environment.clone(), vault.clone());
        let challenges = SignInChallenges::new(environment.clone(), vault.clone());
        let oidc = settings.oidc.as_ref().map(|provider| {
            let url = &settings.public_url;
            OidcSignIn::open(provider, db.clone(), environment.clone(), challenges.clone(), fetcher, url)
        });
        Ok(Self {
            operators: sign_in.operators().clone(),
            sessions: sign_in.sessions().clone(),
            policy: settings.second_factor,
            oidc: oidc.transpose()?,
            passkeys: PasskeyService::new(
                db.clone(),
                environment.clone(),
                vault.clone(),
                challenges,
                &settings.public_url,
            ),
            passwords: PasswordService::new(environment.clone(), vault.clone()),
            totp: TotpService::new(environment.clone(), vault.clone(), TOTP_ISSUER),
            attempts: AttemptGuard::new(db.clone(), environment, vault),
            sign_in: sign_in.clone(),
            db,
        })
    }

    /// Sessions of everybody.
    pub fn sessions(&self) -> &ConsoleSessions {
        &self.sessions
    }

    /// Invitations and links of operators.
    pub fn operators(&self) -> &OperatorService {
        &self.operators
    }

    /// Passkeys of everybody.
    pub fn passkeys(&self) -> &PasskeyService {
        &self.passkeys
    }

    /// Which ways of signing in there are.
    pub async fn ways(&self, view: &mut ReadTx) -> Result<SignInWays, DbError> {
        Ok(SignInWays {
            is_set_up: operators::is_set_up(view).await?,
            passkeys: self.passkeys.is_available(),
            mail_links: self.sign_in.can_send_mail(),
            oidc_label: self.oidc.as_ref().map(|oidc| oidc.label().to_owned()),
        })
    }

    /// Whose session this is, with the scopes that they have now.
    pub async fn authenticate(&self, token: &str) -> Result<ConsoleCaller, AuthenticationError> {
        let session = self.sessions.find(token).await?.ok_or(AuthenticationError::SessionExpired)?;
        let holder = session.holder();
        let person = if let Some(account) = holder.account {
            let principal = self.sign_in.principal_of_session(&session).await?;
            let mut view = self.db.read().await?;
            let member = members::find(&mut view, account, holder.id.into()).await?;
            let account = accounts::find(&mut view, &principal, account).await?;
            let (Some(member), Some(account)) = (member, account) else {
                return Err(AuthenticationError::SessionExpired);
            };
            ConsolePerson::Member { principal: Box::new(principal), member, account }
        } else {
            let operator = operators::find(&mut self.db.read().await?, holder.id.into()).await?;
            let operator = operator.filter(|operator| !operator.disabled);
            ConsolePerson::Operator(operator.ok_or(AuthenticationError::SessionExpired)?)
        };
        let second_factor = self.second_factor_state(&session).await?;
        Ok(ConsoleCaller { session, person, second_factor })
    }

    async fn second_factor_state(&self, session: &SessionRecord) -> Result<SecondFactorState, DbError> {
        if session.second_factor {
            return Ok(SecondFactorState::Presented);
        }
        let holder = session.holder();
        Ok(if has_second_factor(&mut self.db.read().await?, holder).await? {
            SecondFactorState::Required
        } else if self.policy.applies_to(holder) {
            SecondFactorState::EnrolmentRequired
        } else {
            SecondFactorState::NotRequired
        })
    }

    /// Accepts an invitation to an account, once: makes the member and signs them in.
    pub async fn accept_member_invitation(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let begun = self.sign_in.accept_invitation(token, client).await.map_err(link_error)?;
        self.signed_in(begun.session).await
    }

    /// Signs in the member whose sign-in link this is. It works once.
    pub async fn sign_in_by_member_link(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let begun = self.sign_in.sign_in_by_link(token, client).await.map_err(link_error)?;
        self.signed_in(begun.session).await
    }

    /// Accepts an invitation to be an operator, once: makes the operator and signs them in.
    pub async fn accept_operator_invitation(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        // Strangers who guess must not hold the one writer that SQLite has.
        if !self.operators.is_invited(&mut self.db.read().await?, token).await? {
            return Err(used_link());
        }
        let mut tx = self.db.write().await?;
        let operator = self.operators.accept(&mut tx, token).await?.ok_or_else(used_link)?;
        let holder = CredentialHolder::operator(operator.id);
        self.begin(tx, holder, SignInMethod::Invitation, false, client).await
    }

    /// Signs in the operator whose sign-in link this is. It works once.
    pub async fn sign_in_by_operator_link(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        if !self.operators.is_sign_in_link(&mut self.db.read().await?, token).await? {
            return Err(used_link());
        }
        let mut tx = self.db.write().await?;
        let operator = self.operators.use_sign_in_link(&mut tx, token).await?.ok_or_else(used_link)?;
        self.begin(tx, CredentialHolder::operator(operator.id), SignInMethod::MailLink, false, client).await
    }

    /// Begins a sign-in with any passkey of this server. Nothing is stored.
    pub fn begin_passkey_sign_in(&self) -> Result<PasskeyPrompt, ConsoleSignInError> {
        Ok(self.passkeys.begin_sign_in()?)
    }

    /// Signs in whoever has the passkey.
    pub async fn sign_in_by_passkey(
        &self,
        challenge: &str,
        credential: &Value,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let verified = self.passkeys.verify_sign_in(challenge, credential).await?;
        let mut tx = self.db.write().await?;
        // The account before the passkey, as whoever removes a member locks them.
        if let Some(account) = verified.holder.account
            && !accounts::lock_shared(&mut tx, account).await?
        {
            return Err(no_access());
        }
        self.passkeys.finish_sign_in(&mut tx, &verified).await?;
        self.begin(tx, verified.holder, SignInMethod::Passkey, true, client).await
    }

    /// Ends a session; nothing happens if there is none.
    pub async fn sign_out(&self, token: &str) -> Result<(), DbError> {
        self.sessions.end(token).await
    }

    /// Begins the session of somebody who has proved who they are, and commits.
    async fn begin(
        &self,
        mut tx: WriteTx,
        holder: CredentialHolder,
        method: SignInMethod,
        second_factor: bool,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let token = if holder.is_operator() {
            if !operators::lock_enabled(&mut tx, holder.id.into()).await? {
                return Err(no_access());
            }
            let begun =
                self.sessions.begin(&mut tx, &NewSession { holder, method, second_factor, client }).await?;
            tx.commit().await?;
            begun.token
        } else {
            let begun = self.sign_in.begin_member_session(tx, holder, method, client).await?;
            begun.ok_or_else(no_access)?.session
        };
        self.signed_in(token).await
    }

    async fn signed_in(&self, token: Secret<String>) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let caller = self.authenticate(token.expose()).await?;
        Ok(ConsoleSignIn { token, caller })
    }
}

fn no_access() -> ConsoleSignInError {
    ConsoleSignInError::Refused("this person no longer has access".to_owned())
}

fn used_link() -> ConsoleSignInError {
    ConsoleSignInError::Refused(accounts::sign_in::SignInError::Link.to_string())
}

fn link_error(error: accounts::sign_in::SignInError) -> ConsoleSignInError {
    match error {
        accounts::sign_in::SignInError::Link => used_link(),
        accounts::sign_in::SignInError::Db(error) => error.into(),
    }
}
