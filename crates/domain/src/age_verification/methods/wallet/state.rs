//! What is remembered of a wallet request: in its address, in the attempt, and in the page.

use crate::age_verification::{continuation::ContinuationVault, session::MethodAttempt};
use age_methods::wallet::{ClientIdPrefix, RequestForm};
use base::{AgeAttemptId, AgeSessionId, Secret, SignedDuration, Timestamp, Uuid};
use serde::{Deserialize, Serialize};

/// How long the evaluation of an answer may take; issuers are asked meanwhile. After that the process that did it is
/// taken for dead, and another answer is accepted.
const EVALUATION_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
/// What the state in the address of a request is sealed for.
const REQUEST_AAD: &[u8] = b"request to a wallet";
/// Flags of a request that is unsigned, and of one that names this server by its certificate's hash.
const UNSIGNED_FLAG: u8 = 2;
const CERTIFICATE_HASH_FLAG: u8 = 4;
/// Longer sealed text is not opened.
pub(super) const MAX_SEALED_CHARS: usize = 1024;

/// How far an attempt is: its [`MethodAttempt::state`]. The serialised names must stay.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::age_verification) struct WalletProgress {
    /// Since when a wallet's answer is being evaluated.
    #[serde(rename = "taken")]
    pub(in crate::age_verification) evaluating_since: Option<Timestamp>,
    /// Whether a wallet has answered.
    pub(in crate::age_verification) answered: bool,
    /// Whether a photo of the face is asked for instead.
    pub(in crate::age_verification) estimating: bool,
}

impl WalletProgress {
    pub(in crate::age_verification) fn of(attempt: &MethodAttempt) -> Self {
        serde_json::from_value(attempt.state.clone()).unwrap_or_default()
    }

    /// Whether a wallet may answer.
    pub(in crate::age_verification) fn accepts_response(self, now: Timestamp) -> bool {
        let timed_out = |since| now.duration_since(since) > EVALUATION_TIMEOUT;
        !self.answered && self.evaluating_since.is_none_or(timed_out)
    }
}

/// The addresses that the page shows. They travel through the page, so that they are the same at each poll.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WalletLinks {
    /// For a QR code.
    pub(super) url: String,
    /// For this device, one for each scheme.
    pub(super) links: Vec<String>,
}

/// What the address of a request contains, sealed.
pub(in crate::age_verification) struct WalletRequestState {
    pub(in crate::age_verification) session: AgeSessionId,
    pub(in crate::age_verification) attempt: AgeAttemptId,
    /// Whether the wallet is on the device that shows the page.
    pub(in crate::age_verification) same_device: bool,
    /// How the request is made.
    pub(super) form: RequestForm,
    /// Everything else in the request is derived from this.
    pub(super) seed: Secret<[u8; 32]>,
}

impl WalletRequestState {
    /// Seals 65 bytes, so that the QR code stays small.
    pub(super) fn seal(&self, vault: &ContinuationVault) -> String {
        let mut plain = Vec::with_capacity(65);
        for id in [Uuid::from(self.session), Uuid::from(self.attempt)] {
            plain.extend_from_slice(id.as_bytes());
        }
        let form = match self.form {
            RequestForm::Unsigned => UNSIGNED_FLAG,
            RequestForm::Signed(ClientIdPrefix::X509SanDns) => 0,
            RequestForm::Signed(ClientIdPrefix::X509Hash) => CERTIFICATE_HASH_FLAG,
        };
        plain.push(u8::from(self.same_device) | form);
        plain.extend_from_slice(self.seed.expose());
        let plain = Secret::new(plain);
        vault.seal_bytes(REQUEST_AAD, plain.expose())
    }

    pub(super) fn open(vault: &ContinuationVault, sealed: &str) -> Option<Self> {
        let sealed = Some(sealed).filter(|text| text.len() <= MAX_SEALED_CHARS)?;
        let plain = Secret::new(vault.open_bytes(REQUEST_AAD, sealed)?);
        let (session, rest) = plain.expose().split_first_chunk::<16>()?;
        let (attempt, rest) = rest.split_first_chunk::<16>()?;
        let (flags, seed) = rest.split_first()?;
        Some(Self {
            session: Uuid::from_bytes(*session).into(),
            attempt: Uuid::from_bytes(*attempt).into(),
            same_device: flags & 1 != 0,
            form: match flags & (UNSIGNED_FLAG | CERTIFICATE_HASH_FLAG) {
                UNSIGNED_FLAG => RequestForm::Unsigned,
                CERTIFICATE_HASH_FLAG => RequestForm::Signed(ClientIdPrefix::X509Hash),
                _ => RequestForm::Signed(ClientIdPrefix::X509SanDns),
            },
            seed: Secret::new(seed.try_into().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_whose_evaluation_never_ended_makes_room_for_another() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let evaluating = WalletProgress { evaluating_since: Some(now), ..WalletProgress::default() };
        assert!(WalletProgress::default().accepts_response(now));
        assert!(!evaluating.accepts_response(now));
        assert!(!evaluating.accepts_response(now + EVALUATION_TIMEOUT));
        assert!(evaluating.accepts_response(now + EVALUATION_TIMEOUT + SignedDuration::from_secs(1)));
        let answered = WalletProgress { answered: true, ..evaluating };
        assert!(!answered.accepts_response(now + SignedDuration::from_hours(1)));
        // The form of builds that did not record the time.
        let old: WalletProgress =
            serde_json::from_value(json!({ "answered": true, "estimating": false })).unwrap();
        assert!(!old.accepts_response(now));
    }
}
