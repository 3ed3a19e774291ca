//! Sign-in through the identity provider.

use super::{ConsoleAccess, ConsoleSignIn, ConsoleSignInError};
use crate::{
    authentication::{
        CredentialHolder, SignInMethod,
        oidc::{OidcRedirect, OidcSignIn, OidcSignInError},
        sessions::SessionClient,
    },
    operators,
};
use base::{AccountId, MemberId, Secret, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::collections::BTreeMap;

/// How many accounts one person is looked for in.
const MAX_MEMBERSHIPS: i64 = 50;

/// What became of a sign-in.
#[derive(Debug)]
pub enum ProviderSignIn {
    /// They are in.
    SignedIn(Box<ConsoleSignIn>),
    /// They work in several places, and choose one with this ticket.
    Choice(Secret<String>),
}

/// One of the places that somebody may choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInChoice {
    /// The id of the member or of the operator.
    pub id: Uuid,
    /// The name of a member's account; `None`: as an operator of the installation.
    pub account: Option<String>,
}

#[derive(FromRow)]
struct MembershipOfAddressRow {
    id: MemberId,
    account_id: AccountId,
}

#[derive(FromRow)]
struct AccountNameRow {
    name: String,
}

impl ConsoleAccess {
    fn provider(&self) -> Result<&OidcSignIn, ConsoleSignInError> {
        let missing =
            || ConsoleSignInError::Unavailable("no identity provider is set up: console.oidc".to_owned());
        self.oidc.as_ref().ok_or_else(missing)
    }

    /// Begins a sign-in through the identity provider, in a browser that has this session, if it has one.
    pub async fn begin_provider_sign_in(
        &self,
        session: Option<&str>,
    ) -> Result<OidcRedirect, ConsoleSignInError> {
        let provider = self.provider()?;
        let earlier = match session {
            Some(token) => self.sessions.find_earlier(token).await?,
            None => None,
        };
        Ok(provider.begin(earlier).await?)
    }

    /// Completes it with what the browser brought back. The session that the browser had when it began ends. Where there is a
    /// choice, the request that chooses has the cookie of that session, and ends it.
    pub async fn finish_provider_sign_in(
        &self,
        attempt: &str,
        returned: &BTreeMap<String, String>,
        client: &SessionClient,
    ) -> Result<ProviderSignIn, ConsoleSignInError> {
        let provider = self.provider()?;
        let (identity, earlier) = provider.finish(attempt, returned).await?;
        let email = identity.email.as_deref().ok_or(OidcSignInError::Unknown)?;
        let mut tx = self.db.write().await?;
        let mut holders = Vec::new();
        for holder in provider.bound_holders(&mut tx, &identity).await? {
            if works_here(&mut tx, holder).await? {
                holders.push(holder);
            }
        }
        let mut others = Vec::new();
        for holder in holders_of_address(&mut tx, email).await? {
            if holders.contains(&holder) {
                continue;
            }
            match provider.bind(&mut tx, holder, &identity).await {
                Ok(()) => holders.push(holder),
                Err(OidcSignInError::OtherSubject) => others.push(holder),
                Err(error) => return Err(error.into()),
            }
        }
        match (&holders[..], others.first()) {
            ([], Some(other)) => {
                drop(tx);
                self.record_failure(*other, SignInMethod::Oidc.as_str());
                Err(OidcSignInError::OtherSubject.into())
            }
            ([], None) => Err(OidcSignInError::Unknown.into()),
            ([holder], _) => {
                let signed_in = self.begin(tx, *holder, SignInMethod::Oidc, true, client).await?;
                if let Some(earlier) = earlier {
                    self.sessions.end_earlier(earlier).await?;
                }
                Ok(ProviderSignIn::SignedIn(Box::new(signed_in)))
            }
            (several, _) => {
                let ticket = provider.offer_choice(several);
                tx.commit().await?;
                Ok(ProviderSignIn::Choice(ticket))
            }
        }
    }

    /// The places that somebody may choose from.
    pub async fn choices(&self, ticket: &str) -> Result<Vec<SignInChoice>, ConsoleSignInError> {
        let holders = self.provider()?.offered(ticket).ok_or(OidcSignInError::Attempt)?;
        let mut view = self.db.read().await?;
        let mut choices = Vec::with_capacity(holders.len());
        for holder in holders {
            let name = match holder.account {
                None => None,
                Some(account) => {
                    let row: Option<AccountNameRow> = view
                        .fetch_optional(sql!(
                            "SELECT name FROM accounts WHERE id = $1 AND state = 'OPEN'",
                            account
                        ))
                        .await?;
                    let Some(row) = row else { continue };
                    Some(row.name)
                }
            };
            choices.push(SignInChoice { id: holder.id, account: name });
        }
        Ok(choices)
    }

    /// Signs in where somebody chose to, once for each ticket.
    pub async fn choose(
        &self,
        ticket: &str,
        id: Uuid,
        client: &SessionClient,
    ) -> Result<ConsoleSignIn, ConsoleSignInError> {
        let provider = self.provider()?;
        let offered = provider.offered(ticket).unwrap_or_default();
        let chosen = offered.into_iter().find(|holder| holder.id == id).ok_or(OidcSignInError::Attempt)?;
        let mut tx = self.db.write().await?;
        if !provider.choose(&mut tx, ticket, chosen).await? {
            return Err(OidcSignInError::Attempt.into());
        }
        self.begin(tx, chosen, SignInMethod::Oidc, true, client).await
    }
}

/// Everybody who can come in under an address, the operator first.
async fn holders_of_address(tx: &mut WriteTx, address: &str) -> Result<Vec<CredentialHolder>, DbError> {
    let operator = operators::find_by_address(tx, address).await?.filter(|operator| !operator.disabled);
    let members: Vec<MembershipOfAddressRow> = tx
        .fetch_all(sql!(
            "SELECT m.id, m.account_id FROM members m JOIN accounts a ON a.id = m.account_id
              WHERE m.address = $1 AND a.state = 'OPEN' ORDER BY a.name, a.id LIMIT $2",
            address,
            MAX_MEMBERSHIPS,
        ))
        .await?;
    let members = members.into_iter().map(|row| CredentialHolder::member(row.account_id, row.id));
    Ok(operator.map(|operator| CredentialHolder::operator(operator.id)).into_iter().chain(members).collect())
}

/// Whether the member or operator can still come in.
async fn works_here(view: &mut ReadTx, holder: CredentialHolder) -> Result<bool, DbError> {
    match holder.account {
        None => {
            let operator = operators::find(view, holder.id.into()).await?;
            Ok(operator.is_some_and(|operator| !operator.disabled))
        }
        Some(account) => {
            let members = view
                .count(sql!(
                    "SELECT count(*) FROM members m JOIN accounts a ON a.id = m.account_id
                      WHERE m.id = $1 AND m.account_id = $2 AND a.state = 'OPEN'",
                    holder.id,
                    account,
                ))
                .await?;
            Ok(members > 0)
        }
    }
}
