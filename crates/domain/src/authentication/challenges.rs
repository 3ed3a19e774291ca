//! What two requests of one sign-in share. It travels sealed with the browser, so that strangers who begin a sign-in
//! write nothing to the database; only an answer is written, so that each challenge counts once.

use crate::vault::Vault;
use base::{Environment, Id as _, Secret, SignInChallengeId, SignedDuration, Timestamp};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use db::{DbError, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// How long a challenge can be answered.
const CHALLENGE_TTL: SignedDuration = SignedDuration::from_mins(10);
/// The longest challenge that is looked at, in bytes.
const MAX_CHALLENGE_BYTES: usize = 16 << 10;

/// Makes challenges, and takes their answers once; cheap to clone.
#[derive(Clone, Debug)]
pub struct SignInChallenges {
    environment: Arc<dyn Environment>,
    vault: Vault,
}

#[derive(Serialize, Deserialize)]
struct SealedChallenge<T> {
    id: SignInChallengeId,
    expires_at: Timestamp,
    state: T,
}

/// A challenge that was opened, and has not been used yet.
#[derive(Debug)]
pub(super) struct OpenedChallenge<T> {
    pub(super) state: T,
    id: SignInChallengeId,
    expires_at: Timestamp,
}

impl SignInChallenges {
    /// Challenges that are sealed with `vault`.
    pub fn new(environment: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { environment, vault }
    }

    /// Seals a state for one purpose.
    pub(super) fn seal(&self, purpose: &str, state: &impl Serialize) -> Secret<String> {
        let environment = &*self.environment;
        let id = SignInChallengeId::new(environment);
        let sealed = SealedChallenge { id, expires_at: environment.now() + CHALLENGE_TTL, state };
        let plain = serde_json::to_vec(&sealed).expect("plain values with text for names");
        let sealed = self.vault.seal(environment, purpose.as_bytes(), &plain);
        Secret::new(BASE64URL.encode_to_string(sealed))
    }

    /// Opens what was sealed for this purpose, if it can still be answered.
    pub(super) fn open<T: DeserializeOwned>(&self, purpose: &str, text: &str) -> Option<OpenedChallenge<T>> {
        if text.len() > MAX_CHALLENGE_BYTES {
            return None;
        }
        let sealed = BASE64URL.decode_to_vec(text).ok()?;
        let plain = self.vault.open(purpose.as_bytes(), &sealed).ok()?;
        let SealedChallenge { id, expires_at, state } = serde_json::from_slice(&plain).ok()?;
        (expires_at > self.environment.now()).then_some(OpenedChallenge { state, id, expires_at })
    }
}

impl<T> OpenedChallenge<T> {
    /// Whether it has been answered already: before anything is written.
    pub(super) async fn was_used(&self, view: &mut ReadTx) -> Result<bool, DbError> {
        let used =
            view.count(sql!("SELECT count(*) FROM used_sign_in_challenges WHERE id = $1", self.id)).await?;
        Ok(used > 0)
    }

    /// Uses it up; returns whether this is the first time.
    pub(super) async fn use_up(&self, tx: &mut WriteTx) -> Result<bool, DbError> {
        let rows = tx
            .execute(sql!(
                "INSERT INTO used_sign_in_challenges (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                self.id,
                self.expires_at,
            ))
            .await?;
        Ok(rows == 1)
    }
}
