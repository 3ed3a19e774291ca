//! Passwords: Argon2id with the parameters that OWASP recommends (19 MiB, two passes), sealed at rest. A few are
//! computed at a time, so that sign-ins cannot take all memory.

use super::CredentialHolder;
use crate::vault::Vault;
use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString},
};
use base::{Environment, Secret};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// The shortest password, in characters.
pub const MIN_PASSWORD_CHARS: usize = 12;
/// The longest password, in characters.
pub const MAX_PASSWORD_CHARS: usize = 200;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;
/// How many passwords are computed at once, by one process: they take 76 MiB.
const MAX_CONCURRENT_HASHES: usize = 4;
/// How long somebody waits for a slot, by default.
const SLOT_TIMEOUT: Duration = Duration::from_secs(3);

/// Sets passwords and verifies them; cheap to clone.
#[derive(Clone, Debug)]
pub struct PasswordService {
    environment: Arc<dyn Environment>,
    vault: Vault,
    slots: Arc<Semaphore>,
    /// What the password of somebody who has none is compared with.
    nobody: Arc<tokio::sync::OnceCell<String>>,
    /// How long somebody waits for a slot.
    slot_timeout: Duration,
}

/// Why a password was not set or verified.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// It is too short or too long; it has this many characters.
    #[error("a password has {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters, this one {0}")]
    Length(usize),
    /// Too many others are being verified.
    #[error("too many people sign in at the moment")]
    Busy,
    /// The hash cannot be computed.
    #[error("the password cannot be hashed")]
    Hash,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct PasswordRow {
    sealed: Vec<u8>,
}

impl PasswordService {
    /// Passwords that are sealed with `vault`.
    pub fn new(environment: Arc<dyn Environment>, vault: Vault) -> Self {
        let slots = Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES));
        Self { environment, vault, slots, nobody: Arc::default(), slot_timeout: SLOT_TIMEOUT }
    }

    /// The hash of a new password, to be stored by [`Self::store`].
    pub async fn hash(&self, password: &Secret<String>) -> Result<Secret<String>, PasswordError> {
        let length = password.expose().chars().count();
        if !(MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&length) {
            return Err(PasswordError::Length(length));
        }
        let mut salt = [0; SALT_BYTES];
        self.environment.fill_random(&mut salt);
        let password = password.clone();
        self.compute(move || hash_with(&password, salt)).await?.map(Secret::new).ok_or(PasswordError::Hash)
    }

    /// Stores the hash of a password; the one before is replaced.
    pub async fn store(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        hash: &Secret<String>,
    ) -> Result<(), DbError> {
        let sealed = self.vault.seal(&*self.environment, &aad(holder), hash.expose().as_bytes());
        tx.execute(sql!(
            "INSERT INTO passwords (holder_id, account_id, sealed, set_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (holder_id) DO UPDATE SET sealed = excluded.sealed, set_at = excluded.set_at",
            holder.id,
            holder.account,
            sealed,
            self.environment.now(),
        ))
        .await?;
        tx.audit(holder.event("password.set"));
        Ok(())
    }

    /// The stored hash of a holder's password; `None` if they have none.
    pub async fn load(
        &self,
        view: &mut ReadTx,
        holder: CredentialHolder,
    ) -> Result<Option<Secret<String>>, DbError> {
        let row: Option<PasswordRow> =
            view.fetch_optional(sql!("SELECT sealed FROM passwords WHERE holder_id = $1", holder.id)).await?;
        Ok(row.and_then(|row| self.open(holder, &row)))
    }

    /// Whether the holder's password still has this hash; until the transaction ends, nobody changes it.
    pub async fn is_current(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        hash: &Secret<String>,
    ) -> Result<bool, DbError> {
        let row: Option<PasswordRow> = tx
            .fetch_optional(sql!(
                sqlite: "SELECT sealed FROM passwords WHERE holder_id = $1",
                postgres: "SELECT sealed FROM passwords WHERE holder_id = $1 FOR UPDATE",
                holder.id,
            ))
            .await?;
        Ok(row.and_then(|row| self.open(holder, &row)).is_some_and(|stored| stored == *hash))
    }

    fn open(&self, holder: CredentialHolder, row: &PasswordRow) -> Option<Secret<String>> {
        let bytes = self.vault.open(&aad(holder), &row.sealed).ok()?;
        String::from_utf8(bytes).ok().map(Secret::new)
    }

    /// Whether the password has this hash. Without one, the same work is done for nothing, so that the time tells
    /// nobody who has a password.
    pub async fn verify(
        &self,
        hash: Option<Secret<String>>,
        password: &Secret<String>,
    ) -> Result<bool, PasswordError> {
        if password.expose().chars().count() > MAX_PASSWORD_CHARS {
            return Ok(false);
        }
        let is_known = hash.is_some();
        let hash = match hash {
            Some(hash) => hash,
            None => Secret::new(self.hash_of_nobody().await?),
        };
        let password = password.clone();
        let fits = self
            .compute(move || {
                let parsed = PasswordHash::new(hash.expose()).ok()?;
                argon2()?.verify_password(password.expose().as_bytes(), &parsed).ok()
            })
            .await?;
        Ok(fits.is_some() && is_known)
    }

    async fn hash_of_nobody(&self) -> Result<String, PasswordError> {
        let made = self.nobody.get_or_try_init(async || {
            let mut random = [0; 32];
            self.environment.fill_random(&mut random);
            let (password, mut salt) = (Secret::new(hex::encode(random)), [0; SALT_BYTES]);
            self.environment.fill_random(&mut salt);
            self.compute(move || hash_with(&password, salt)).await?.ok_or(PasswordError::Hash)
        });
        made.await.cloned()
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let slot = tokio::time::timeout(self.slot_timeout, self.slots.clone().acquire_owned()).await;
        let slot = slot.ok().and_then(Result::ok).ok_or(PasswordError::Busy)?;
        let computed = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        computed.await.map_err(|_| PasswordError::Hash)
    }
}

fn argon2() -> Option<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash_with(password: &Secret<String>, salt: [u8; SALT_BYTES]) -> Option<String> {
    let salt = SaltString::encode_b64(&salt).ok()?;
    Some(argon2()?.hash_password(password.expose().as_bytes(), &salt).ok()?.to_string())
}

/// What a sealed hash is bound to.
fn aad(holder: CredentialHolder) -> Vec<u8> {
    format!("password of {}", holder.id).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::Keyring;
    use base::TestEnvironment;

    #[tokio::test]
    async fn a_password_is_verified_with_the_parameters_of_owasp() {
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let passwords = PasswordService::new(environment, vault);
        let text = |text: &str| Secret::new(text.to_owned());
        let hash = passwords.hash(&text("correct horse battery")).await.unwrap();
        assert!(hash.expose().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.expose());
        assert!(passwords.verify(Some(hash.clone()), &text("correct horse battery")).await.unwrap());
        assert!(!passwords.verify(Some(hash.clone()), &text("correct horse batterz")).await.unwrap());
        assert!(!passwords.verify(Some(hash), &text(&"x".repeat(201))).await.unwrap());
        assert!(!passwords.verify(None, &text("correct horse battery")).await.unwrap(), "nobody's");
        assert!(matches!(passwords.hash(&text("short")).await, Err(PasswordError::Length(5))));
        assert!(matches!(passwords.hash(&text(&"x".repeat(201))).await, Err(PasswordError::Length(201))));
    }

    #[tokio::test]
    async fn as_many_passwords_are_computed_at_once_as_there_are_slots() {
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let mut passwords =
            PasswordService::new(Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z")), vault);
        passwords.slot_timeout = Duration::from_millis(1);
        let taken = passwords.slots.clone().acquire_many_owned(4).await.unwrap();
        let password = Secret::new("correct horse battery".to_owned());
        assert!(matches!(passwords.hash(&password).await, Err(PasswordError::Busy)));
        drop(taken);
        passwords.slot_timeout = SLOT_TIMEOUT;
        assert!(passwords.hash(&password).await.is_ok());
    }
}
