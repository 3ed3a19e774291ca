//! Codes of an authenticator app (TOTP, RFC 6238): six digits, SHA-1, 30 seconds, one step of leeway on each side. Each
//! code counts once.

use super::CredentialHolder;
use crate::vault::Vault;
use aws_lc_rs::constant_time;
use base::{Environment, Secret};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;
use totp_rs::{Algorithm, TOTP};

const CODE_DIGITS: usize = 6;
const STEP_SECONDS: u64 = 30;
/// As RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// How many steps a clock may be off.
const LEEWAY_STEPS: u64 = 1;

/// Sets codes up, and verifies them; cheap to clone.
#[derive(Clone, Debug)]
pub struct TotpService {
    environment: Arc<dyn Environment>,
    vault: Vault,
    /// The name of this server in the app.
    issuer: Arc<str>,
}

/// What an authenticator app is set up with. It is shown once.
#[derive(Debug)]
pub struct TotpEnrolment {
    /// Base32, to be typed.
    pub secret: Secret<String>,
    /// `otpauth://…`, to be shown as a QR code.
    pub uri: Secret<String>,
}

/// Why codes were not set up.
#[derive(Debug, thiserror::Error)]
pub enum TotpError {
    /// They have an authenticator app already.
    #[error("codes are set up already; remove them first")]
    Enrolled,
    /// Nothing waits for a first code.
    #[error("codes are not being set up; begin again")]
    NotBegun,
    /// The code is wrong, too old, or was used.
    #[error("the code is wrong, or was used already; wait for the next one")]
    Code,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct TotpRow {
    sealed: Vec<u8>,
    is_confirmed: bool,
    last_step: i64,
}

impl TotpService {
    /// Codes of a server that apps list under the name `issuer`.
    pub fn new(environment: Arc<dyn Environment>, vault: Vault, issuer: &str) -> Self {
        // A colon would end the name in the address.
        Self { environment, vault, issuer: issuer.replace(':', " ").into() }
    }

    /// Begins to set codes up; an earlier beginning is forgotten. `label` is the holder's name in the app.
    pub async fn begin(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        label: &str,
    ) -> Result<TotpEnrolment, TotpError> {
        if find(tx, holder).await?.is_some_and(|row| row.is_confirmed) {
            return Err(TotpError::Enrolled);
        }
        let mut secret = [0; SECRET_BYTES];
        self.environment.fill_random(&mut secret);
        let sealed = self.vault.seal(&*self.environment, &aad(holder), &secret);
        tx.execute(sql!(
            "INSERT INTO totp_secrets (holder_id, account_id, sealed, created_at, last_step) VALUES ($1, $2, $3, $4, 0)
             ON CONFLICT (holder_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at,
                                                   last_step = 0",
            holder.id,
            holder.account,
            sealed,
            self.environment.now(),
        ))
        .await?;
        let label = label.replace(':', " ");
        let codes = TOTP::new(
            Algorithm::SHA1,
            CODE_DIGITS,
            0,
            STEP_SECONDS,
            secret.to_vec(),
            Some(self.issuer.to_string()),
            label,
        );
        let codes = codes.expect("20 bytes, six digits and names without colons");
        Ok(TotpEnrolment {
            secret: Secret::new(codes.get_secret_base32()),
            uri: Secret::new(codes.get_url()),
        })
    }

    /// Completes it with a first code.
    pub async fn confirm(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        code: &str,
    ) -> Result<(), TotpError> {
        let row = find(tx, holder).await?.filter(|row| !row.is_confirmed).ok_or(TotpError::NotBegun)?;
        if !self.take(tx, holder, &row, code).await? {
            return Err(TotpError::Code);
        }
        tx.execute(sql!(
            "UPDATE totp_secrets SET confirmed_at = $2 WHERE holder_id = $1",
            holder.id,
            self.environment.now()
        ))
        .await?;
        tx.audit(holder.event("totp.add"));
        Ok(())
    }

    /// Whether this is a code of the holder that was not used yet; uses it up.
    pub async fn verify(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        code: &str,
    ) -> Result<bool, DbError> {
        match find(tx, holder).await?.filter(|row| row.is_confirmed) {
            Some(row) => self.take(tx, holder, &row, code).await,
            None => Ok(false),
        }
    }

    /// Removes the holder's codes; returns whether they had any.
    pub async fn remove(&self, tx: &mut WriteTx, holder: CredentialHolder) -> Result<bool, DbError> {
        let rows = tx.execute(sql!("DELETE FROM totp_secrets WHERE holder_id = $1", holder.id)).await?;
        if rows == 1 {
            tx.audit(holder.event("totp.remove"));
        }
        Ok(rows == 1)
    }

    async fn take(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        row: &TotpRow,
        code: &str,
    ) -> Result<bool, DbError> {
        let Ok(secret) = self.vault.open(&aad(holder), &row.sealed) else {
            tracing::error!("the secret of an authenticator app does not open");
            return Ok(false);
        };
        let Some(step) = matching_step(secret, self.environment.now().as_second(), code) else {
            return Ok(false);
        };
        if step <= row.last_step {
            return Ok(false);
        }
        // Not if another secret was set up since this one was read.
        let rows = tx
            .execute(sql!(
                "UPDATE totp_secrets SET last_step = $2 WHERE holder_id = $1 AND last_step < $2 AND sealed = $3",
                holder.id,
                step,
                row.sealed.clone(),
            ))
            .await?;
        Ok(rows == 1)
    }
}

/// What is stored of the holder's codes.
async fn find(view: &mut ReadTx, holder: CredentialHolder) -> Result<Option<TotpRow>, DbError> {
    view.fetch_optional(sql!(
        "SELECT sealed, confirmed_at IS NOT NULL AS is_confirmed, last_step FROM totp_secrets WHERE holder_id = $1",
        holder.id
    ))
    .await
}

/// The step whose code this is, of those that are near enough. Every candidate is compared in full, in constant time.
fn matching_step(secret: Vec<u8>, now_seconds: i64, code: &str) -> Option<i64> {
    let codes =
        TOTP::new_unchecked(Algorithm::SHA1, CODE_DIGITS, 0, STEP_SECONDS, secret, None, String::new());
    let now = u64::try_from(now_seconds).ok()? / STEP_SECONDS;
    let mut found = None;
    for step in now.saturating_sub(LEEWAY_STEPS)..=now + LEEWAY_STEPS {
        let expected = codes.generate(step * STEP_SECONDS);
        if constant_time::verify_slices_are_equal(expected.as_bytes(), code.as_bytes()).is_ok() {
            found = Some(step as i64);
        }
    }
    found
}

/// What a sealed secret is bound to.
fn aad(holder: CredentialHolder) -> Vec<u8> {
    format!("TOTP secret of {}", holder.id).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::Keyring;
    use base::TestEnvironment;
    use db::testing::TestDb;

    #[tokio::test]
    async fn a_code_counts_for_the_secret_that_it_was_compared_with() {
        let test = TestDb::open().await;
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let codes = TotpService::new(environment.clone(), vault, "Assay");
        let holder = CredentialHolder { id: environment.uuid_v7(), account: None };
        let set_up = async |tx: &mut WriteTx| {
            codes.begin(tx, holder, "ada").await.unwrap();
            let confirmed =
                sql!("UPDATE totp_secrets SET confirmed_at = created_at WHERE holder_id = $1", holder.id);
            tx.execute(confirmed).await.unwrap();
            find(tx, holder).await.unwrap().unwrap()
        };
        let code = |row: &TotpRow| {
            let secret = codes.vault.open(&aad(holder), &row.sealed).unwrap();
            TOTP::new_unchecked(Algorithm::SHA1, CODE_DIGITS, 0, STEP_SECONDS, secret, None, String::new())
                .generate(environment.now().as_second() as u64)
        };
        let mut tx = test.db.write().await.unwrap();
        let former = set_up(&mut tx).await;
        assert!(codes.remove(&mut tx, holder).await.unwrap());
        let present = set_up(&mut tx).await;
        assert!(!codes.take(&mut tx, holder, &former, &code(&former)).await.unwrap(), "it was replaced");
        assert!(codes.take(&mut tx, holder, &present, &code(&present)).await.unwrap());
        assert!(!codes.take(&mut tx, holder, &present, &code(&present)).await.unwrap(), "it was used");
    }

    /// The test values of RFC 6238, appendix B, cut to six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890".to_vec();
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")] {
            assert_eq!(matching_step(secret.clone(), seconds, code), Some(seconds / 30), "{seconds}");
            assert_eq!(matching_step(secret.clone(), seconds + 30, code), Some(seconds / 30), "a step late");
            assert_eq!(matching_step(secret.clone(), seconds + 60, code), None, "two steps late");
        }
        for wrong in ["", "0", "28708", "2870820", "287083", "２８７０８２"] {
            assert_eq!(matching_step(secret.clone(), 59, wrong), None, "{wrong}");
        }
        assert_eq!(matching_step(secret, -1, "287082"), None);
    }
}
