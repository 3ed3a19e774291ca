//! Sign-in through the operator's own identity provider (`OpenID` Connect: authorisation code, PKCE, `state`, `nonce`). Who
//! comes in for the first time is found by the address that the provider has verified; from then on, by the provider's
//! own id of them.

use super::{CredentialHolder, SignInChallenges, sessions::EarlierSession};
use age_methods::{
    AgeMethodError, InvalidSettingError,
    oidc::{OidcLoginState, SignInIdentity, SignInProvider, SignInProviderSettings},
};
use base::{AccountId, Environment, Secret, Uuid};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

const ATTEMPT_PURPOSE: &str = "sign-in through an identity provider";
const CHOICE_PURPOSE: &str = "choice after an identity provider";

/// Signs in through an identity provider; cheap to clone.
#[derive(Clone, Debug)]
pub struct OidcSignIn {
    db: Db,
    environment: Arc<dyn Environment>,
    challenges: SignInChallenges,
    provider: Arc<SignInProvider>,
    redirect_uri: Arc<str>,
}

/// A sign-in that has begun.
#[derive(Debug)]
pub struct OidcRedirect {
    /// Where to send the person.
    pub url: String,
    /// For a cookie of the browser that begins it: what comes back must come with it.
    pub attempt: Secret<String>,
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum OidcSignInError {
    /// The attempt is unknown, too old, another browser's, or was completed.
    #[error("the sign-in is too old, or was completed already; begin again")]
    Attempt,
    /// The provider did not say who it is; in words without personal data.
    #[error("{0}")]
    Refused(String),
    /// The provider cannot be used now; in words for the log.
    #[error("{0}")]
    Unavailable(String),
    /// Nobody here has that address, or the provider has not verified it, or its domain is not allowed.
    #[error("nobody who works here has an address that the identity provider has verified")]
    Unknown,
    /// The provider knows somebody else under that address than before.
    #[error("the identity provider knows somebody else under this address than before")]
    OtherSubject,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<AgeMethodError> for OidcSignInError {
    fn from(error: AgeMethodError) -> Self {
        match error {
            AgeMethodError::Unavailable(words) => Self::Unavailable(words),
            error => Self::Refused(error.to_string()),
        }
    }
}

/// What is sealed for the browser while its person is at the provider.
#[derive(Serialize, Deserialize)]
struct SealedAttempt {
    // Flat, so that builds that know nothing of an earlier session can read it, too.
    #[serde(flatten)]
    login: OidcLoginState,
    #[serde(default)]
    earlier: Option<EarlierSession>,
}

/// Whom a provider knows a holder as.
#[derive(FromRow)]
struct SubjectRow {
    subject: String,
}

#[derive(FromRow)]
struct BoundHolderRow {
    holder_id: Uuid,
    account_id: Option<AccountId>,
}

impl OidcSignIn {
    /// Sign-in for a console at `public_url`. The provider is not called yet.
    pub fn open(
        settings: &SignInProviderSettings,
        db: Db,
        environment: Arc<dyn Environment>,
        challenges: SignInChallenges,
        fetcher: &Fetcher,
        public_url: &str,
    ) -> Result<Self, InvalidSettingError> {
        let provider = SignInProvider::open(settings, fetcher, &environment)?;
        let redirect_uri = format!("{public_url}/console/oidc/callback").into();
        Ok(Self { db, environment, challenges, provider: Arc::new(provider), redirect_uri })
    }

    /// What the button says.
    pub fn label(&self) -> &str {
        self.provider.label()
    }

    /// Begins a sign-in. `earlier` is the session that the browser has: it sends no cookie of it when it comes back, because
    /// that is `SameSite=Strict`.
    pub async fn begin(&self, earlier: Option<EarlierSession>) -> Result<OidcRedirect, OidcSignInError> {
        let started = self.provider.start(&self.redirect_uri).await?;
        let sealed = SealedAttempt { login: started.state, earlier };
        let attempt = self.challenges.seal(ATTEMPT_PURPOSE, &sealed);
        Ok(OidcRedirect { url: started.url, attempt })
    }

    /// Completes a sign-in: who the person is at the provider, and the session that the browser had when it began. Uses the
    /// attempt up, in a transaction of its own, before the provider is asked.
    pub async fn finish(
        &self,
        attempt: &str,
        returned: &BTreeMap<String, String>,
    ) -> Result<(SignInIdentity, Option<EarlierSession>), OidcSignInError> {
        let opened = self.challenges.open::<SealedAttempt>(ATTEMPT_PURPOSE, attempt);
        let opened = opened.ok_or(OidcSignInError::Attempt)?;
        if opened.was_used(&mut self.db.read().await?).await? {
            return Err(OidcSignInError::Attempt);
        }
        let mut tx = self.db.write().await?;
        if !opened.use_up(&mut tx).await? {
            return Err(OidcSignInError::Attempt);
        }
        tx.commit().await?;
        let SealedAttempt { login, earlier } = opened.state;
        Ok((self.provider.finish(&login, returned).await?, earlier))
    }

    /// Whom this identity is bound to already.
    pub async fn bound_holders(
        &self,
        view: &mut ReadTx,
        identity: &SignInIdentity,
    ) -> Result<Vec<CredentialHolder>, DbError> {
        let rows: Vec<BoundHolderRow> = view
            .fetch_all(sql!(
                "SELECT holder_id, account_id FROM oidc_subjects WHERE issuer = $1 AND subject = $2
                  ORDER BY created_at, holder_id LIMIT 100",
                self.provider.issuer(),
                identity.subject.as_str(),
            ))
            .await?;
        let holder = |row: BoundHolderRow| CredentialHolder { id: row.holder_id, account: row.account_id };
        Ok(rows.into_iter().map(holder).collect())
    }

    /// Binds a holder to an identity with their first sign-in; later ones must be of the same.
    pub async fn bind(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        identity: &SignInIdentity,
    ) -> Result<(), OidcSignInError> {
        let rows = tx
            .execute(sql!(
                "INSERT INTO oidc_subjects (holder_id, account_id, issuer, subject, created_at)
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                holder.id,
                holder.account,
                self.provider.issuer(),
                identity.subject.as_str(),
                self.environment.now(),
            ))
            .await?;
        if rows == 1 {
            tx.audit(holder.event("oidc-subject.bind"));
            return Ok(());
        }
        let known: Option<SubjectRow> = tx
            .fetch_optional(sql!(
                "SELECT subject FROM oidc_subjects WHERE holder_id = $1 AND issuer = $2",
                holder.id,
                self.provider.issuer(),
            ))
            .await?;
        match known {
            Some(known) if known.subject == identity.subject => Ok(()),
            _ => Err(OidcSignInError::OtherSubject),
        }
    }

    /// A ticket with which somebody whom the provider knows as several people here chooses one, once.
    pub(crate) fn offer_choice(&self, holders: &[CredentialHolder]) -> Secret<String> {
        self.challenges.seal(CHOICE_PURPOSE, &holders)
    }

    /// The people that a ticket offers.
    pub(crate) fn offered(&self, ticket: &str) -> Option<Vec<CredentialHolder>> {
        Some(self.challenges.open::<Vec<CredentialHolder>>(CHOICE_PURPOSE, ticket)?.state)
    }

    /// Takes one of the people that a ticket offers; returns whether it did, and uses the ticket up.
    pub(crate) async fn choose(
        &self,
        tx: &mut WriteTx,
        ticket: &str,
        chosen: CredentialHolder,
    ) -> Result<bool, DbError> {
        match self.challenges.open::<Vec<CredentialHolder>>(CHOICE_PURPOSE, ticket) {
            Some(opened) if opened.state.contains(&chosen) => opened.use_up(tx).await,
            _ => Ok(false),
        }
    }
}
