//! Passkeys (WebAuthn level 3). They are discoverable and their authenticator verifies its user, so one counts as two
//! factors. They belong to the domain of the console's address.

use super::{CredentialHolder, SignInChallenges, challenges::OpenedChallenge};
use crate::vault::Vault;
use age_methods::{
    AgeMethodError,
    passkey::{
        PasskeyAuthenticationState, PasskeyRegistrationState, PasskeySettings, PasskeyVerificationError,
        Passkeys, StoredPasskey,
    },
};
use base::{AccountId, Environment, Id as _, PasskeyId, Secret, Timestamp, Uuid};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How many passkeys one holder may have.
pub const MAX_PASSKEYS: i64 = 20;
/// The longest name of a passkey, in characters.
pub const MAX_PASSKEY_NAME_CHARS: usize = 100;

const REGISTRATION_PURPOSE: &str = "registration of a passkey";
const SIGN_IN_PURPOSE: &str = "sign-in with a passkey";

/// Registers passkeys and signs in with them; cheap to clone.
#[derive(Clone, Debug)]
pub struct PasskeyService {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    challenges: SignInChallenges,
    /// `None`: the console's address has no domain that passkeys could belong to.
    relying_party: Option<Arc<Passkeys>>,
}

/// What a browser needs to use or make a passkey.
#[derive(Debug)]
pub struct PasskeyPrompt {
    /// Must be sent back with the answer, once, within ten minutes.
    pub challenge: Secret<String>,
    /// The options for `navigator.credentials.create` or `.get`, in the JSON form of the standard, under `publicKey`.
    pub options: Value,
}

/// A passkey as its holder sees it.
#[derive(Clone, Debug, FromRow)]
pub struct PasskeyRecord {
    pub id: PasskeyId,
    /// 1 to [`MAX_PASSKEY_NAME_CHARS`] characters.
    pub name: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// `None`: not yet.
    pub last_used_at: Option<db::DbTimestamp>,
}

/// Why a passkey was not made or does not sign anybody in.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyError {
    /// The console's address is neither https:// with a domain nor localhost.
    #[error("passkeys need a console at https:// and a domain, or at localhost")]
    NotAvailable,
    /// The challenge is unknown, too old, somebody else's, or was answered.
    #[error("the challenge is too old, or was answered already; begin again")]
    Challenge,
    /// The browser's answer does not count.
    #[error("{0}")]
    Refused(String),
    /// The counter of the passkey went back.
    #[error("the passkey's counter went back, so there may be a copy of it; remove it, and make another")]
    PossibleCopy,
    /// The name is empty or too long, or has control characters.
    #[error("a passkey's name has 1 to {MAX_PASSKEY_NAME_CHARS} characters and no control characters")]
    Name,
    /// They have as many as they may have.
    #[error("one person has at most {MAX_PASSKEYS} passkeys")]
    TooMany,
    /// Somebody registered it before.
    #[error("this passkey is registered already")]
    Duplicate,
    /// They have no such passkey.
    #[error("there is no such passkey")]
    Missing,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<AgeMethodError> for PasskeyError {
    fn from(error: AgeMethodError) -> Self {
        Self::Refused(error.to_string())
    }
}

#[derive(Serialize, Deserialize)]
struct RegistrationChallenge {
    holder: CredentialHolder,
    state: PasskeyRegistrationState,
}

#[derive(Debug, FromRow)]
struct StoredPasskeyRow {
    id: PasskeyId,
    account_id: Option<AccountId>,
    sealed: Vec<u8>,
}

/// An answer to [`PasskeyService::begin_sign_in`] that was right when it was verified. It may have been given twice.
#[derive(Debug)]
pub(crate) struct VerifiedPasskey {
    /// Who it is.
    pub(crate) holder: CredentialHolder,
    challenge: OpenedChallenge<PasskeyAuthenticationState>,
    /// As it is stored.
    row: StoredPasskeyRow,
    /// With its new counter.
    key: StoredPasskey,
}

impl PasskeyService {
    /// Passkeys of a console at `public_url`.
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        challenges: SignInChallenges,
        public_url: &str,
    ) -> Self {
        let relying_party = open_relying_party(public_url).map(Arc::new);
        Self { db, environment, vault, challenges, relying_party }
    }

    /// Whether passkeys can be used here.
    pub fn is_available(&self) -> bool {
        self.relying_party.is_some()
    }

    fn relying_party(&self) -> Result<&Passkeys, PasskeyError> {
        self.relying_party.as_deref().ok_or(PasskeyError::NotAvailable)
    }

    /// Begins a registration. `label` is the holder's name in their own list of passkeys.
    pub async fn begin_registration(
        &self,
        view: &mut ReadTx,
        holder: CredentialHolder,
        label: &str,
    ) -> Result<PasskeyPrompt, PasskeyError> {
        #[derive(FromRow)]
        struct CredentialIdRow {
            credential_id: Vec<u8>,
        }
        let relying_party = self.relying_party()?;
        let known: Vec<CredentialIdRow> = view
            .fetch_all(sql!(
                "SELECT credential_id FROM passkeys WHERE holder_id = $1 ORDER BY id LIMIT 100",
                holder.id
            ))
            .await?;
        if known.len() as i64 >= MAX_PASSKEYS {
            return Err(PasskeyError::TooMany);
        }
        let known = known.into_iter().map(|row| row.credential_id).collect();
        let (options, state) = relying_party.start_registration_excluding(holder.id, label, known)?;
        let challenge = self.challenges.seal(REGISTRATION_PURPOSE, &RegistrationChallenge { holder, state });
        Ok(PasskeyPrompt { challenge, options })
    }

    /// Completes a registration that the same holder began. `credential` is the output of
    /// `PublicKeyCredential.toJSON()`.
    pub async fn finish_registration(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        challenge: &str,
        credential: &Value,
        name: &str,
    ) -> Result<PasskeyId, PasskeyError> {
        let relying_party = self.relying_party()?;
        let name = validate_name(name)?;
        let opened = self.challenges.open::<RegistrationChallenge>(REGISTRATION_PURPOSE, challenge);
        let opened = opened.filter(|opened| opened.state.holder == holder).ok_or(PasskeyError::Challenge)?;
        let key = relying_party.finish_registration(&opened.state.state, credential)?;
        if !opened.use_up(tx).await? {
            return Err(PasskeyError::Challenge);
        }
        let count = tx.count(sql!("SELECT count(*) FROM passkeys WHERE holder_id = $1", holder.id)).await?;
        if count >= MAX_PASSKEYS {
            return Err(PasskeyError::TooMany);
        }
        let id = PasskeyId::new(&*self.environment);
        let rows = tx
            .execute(sql!(
                "INSERT INTO passkeys (id, holder_id, account_id, credential_id, sealed, name, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                id,
                holder.id,
                holder.account,
                key.id().to_vec(),
                self.seal(id, holder.id, &key),
                name,
                self.environment.now(),
            ))
            .await?;
        if rows == 0 {
            return Err(PasskeyError::Duplicate);
        }
        tx.audit(holder.event("passkey.add").detail("passkey", id.to_string()));
        Ok(id)
    }

    /// Begins a sign-in with any passkey of this server. Nothing is stored.
    pub fn begin_sign_in(&self) -> Result<PasskeyPrompt, PasskeyError> {
        let (options, state) = self.relying_party()?.start_authentication()?;
        Ok(PasskeyPrompt { challenge: self.challenges.seal(SIGN_IN_PURPOSE, &state), options })
    }

    /// Verifies the answer to [`Self::begin_sign_in`]. Nothing is written yet.
    pub(crate) async fn verify_sign_in(
        &self,
        challenge: &str,
        credential: &Value,
    ) -> Result<VerifiedPasskey, PasskeyError> {
        let relying_party = self.relying_party()?;
        let opened = self.challenges.open::<PasskeyAuthenticationState>(SIGN_IN_PURPOSE, challenge);
        let opened = opened.ok_or(PasskeyError::Challenge)?;
        let claimed = relying_party.identify(credential)?;
        // Strangers who guess must not hold the one writer that SQLite has, so everything is verified first.
        let mut view = self.db.read().await?;
        let row: Option<StoredPasskeyRow> = view
            .fetch_optional(sql!(
                "SELECT id, account_id, sealed FROM passkeys WHERE credential_id = $1 AND holder_id = $2",
                claimed.id,
                claimed.holder,
            ))
            .await?;
        let unknown = || PasskeyError::Refused("nobody here has this passkey".to_owned());
        let row = row.ok_or_else(unknown)?;
        let holder = CredentialHolder { id: claimed.holder, account: row.account_id };
        let mut key = self.unseal(&row, holder.id).ok_or_else(unknown)?;
        if opened.was_used(&mut view).await? {
            return Err(PasskeyError::Challenge);
        }
        drop(view);
        match relying_party.verify(&opened.state, credential, &mut key) {
            Ok(_) => {}
            Err(PasskeyVerificationError::CounterWentBack) => {
                self.record_possible_copy(holder, row.id).await?;
                return Err(PasskeyError::PossibleCopy);
            }
            Err(PasskeyVerificationError::Other(error)) => return Err(error.into()),
        }
        Ok(VerifiedPasskey { holder, challenge: opened, row, key })
    }

    /// Uses the challenge of an answer up, in the transaction in which the holder's session is begun or raised.
    pub(crate) async fn finish_sign_in(
        &self,
        tx: &mut WriteTx,
        verified: &VerifiedPasskey,
    ) -> Result<(), PasskeyError> {
        let VerifiedPasskey { holder, challenge, row, key } = verified;
        if !challenge.use_up(tx).await? {
            return Err(PasskeyError::Challenge);
        }
        // Whoever used the same passkey meanwhile has moved the counter that was compared.
        let rows = tx
            .execute(sql!(
                "UPDATE passkeys SET sealed = $3, last_used_at = $4 WHERE id = $1 AND sealed = $2",
                row.id,
                row.sealed.clone(),
                self.seal(row.id, holder.id, key),
                self.environment.now(),
            ))
            .await?;
        if rows == 0 { Err(PasskeyError::Challenge) } else { Ok(()) }
    }

    async fn record_possible_copy(&self, holder: CredentialHolder, id: PasskeyId) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.set_actor(holder.audit_actor());
        tx.audit(holder.event("passkey.possible-copy").detail("passkey", id.to_string()));
        tx.commit().await
    }

    /// The holder's passkeys, oldest first.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        holder: CredentialHolder,
    ) -> Result<Vec<PasskeyRecord>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, name, created_at, last_used_at FROM passkeys WHERE holder_id = $1
              ORDER BY created_at, id LIMIT 100",
            holder.id,
        ))
        .await
    }

    /// Gives a passkey another name.
    pub async fn rename(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        id: PasskeyId,
        name: &str,
    ) -> Result<(), PasskeyError> {
        let rows = tx
            .execute(sql!(
                "UPDATE passkeys SET name = $3 WHERE id = $1 AND holder_id = $2",
                id,
                holder.id,
                validate_name(name)?
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(PasskeyError::Missing) }
    }

    /// Removes a passkey.
    pub async fn remove(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        id: PasskeyId,
    ) -> Result<(), PasskeyError> {
        let rows =
            tx.execute(sql!("DELETE FROM passkeys WHERE id = $1 AND holder_id = $2", id, holder.id)).await?;
        if rows == 0 {
            return Err(PasskeyError::Missing);
        }
        tx.audit(holder.event("passkey.remove").detail("passkey", id.to_string()));
        Ok(())
    }

    fn seal(&self, id: PasskeyId, holder: Uuid, key: &StoredPasskey) -> Vec<u8> {
        let plain = serde_json::to_vec(key).expect("plain values with text for names");
        self.vault.seal(&*self.environment, &aad(id, holder), &plain)
    }

    fn unseal(&self, row: &StoredPasskeyRow, holder: Uuid) -> Option<StoredPasskey> {
        let plain = self.vault.open(&aad(row.id, holder), &row.sealed).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

fn validate_name(name: &str) -> Result<&str, PasskeyError> {
    let name = name.trim();
    let fits = (1..=MAX_PASSKEY_NAME_CHARS).contains(&name.chars().count());
    if fits && !name.contains(char::is_control) { Ok(name) } else { Err(PasskeyError::Name) }
}

/// What a sealed passkey is bound to.
fn aad(id: PasskeyId, holder: Uuid) -> Vec<u8> {
    format!("passkey {id} of {holder}").into_bytes()
}

/// The relying party of a console at this address: its domain, and its origin alone.
fn open_relying_party(public_url: &str) -> Option<Passkeys> {
    let (scheme, rest) = public_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let host = authority.split(':').next()?.to_ascii_lowercase();
    // An address without a name has no domain.
    if authority.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    let settings = PasskeySettings {
        rp_id: host,
        origins: vec![format!("{scheme}://{authority}")],
        name: "Assay".to_owned(),
    };
    Passkeys::open(&settings).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_https_and_a_domain_or_localhost() {
        let is_possible = |url: &str| open_relying_party(url).is_some();
        for url in ["https://assay.example.com", "https://assay.example.com:8443", "http://localhost:8080"] {
            assert!(is_possible(url), "{url}");
        }
        for url in [
            "http://assay.example.com",
            "http://127.0.0.1:8080",
            "https://192.0.2.1",
            "https://[::1]:8080",
            "",
        ] {
            assert!(!is_possible(url), "{url}");
        }
    }
}
