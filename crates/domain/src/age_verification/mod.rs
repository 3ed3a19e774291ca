//! Age verification sessions (docs/adr/0006-age-verification.md): what a relying party asks for, how an end user proves
//! an age, and what is reported about it.
//!
//! | File | |
//! |---|---|
//! | `service`, `wiring` | [`AgeVerificationService`], the front, which delegates to the others; how they are built |
//! | `request`, `request_validator`, `session_config` | a request, its validation, and the resulting configuration |
//! | `session`, `state_machine`, `types` | the model of a session, its state transitions, the closed sets of values |
//! | `step_recorder` | what happens in a session, for the console |
//! | `store`, `rules`, `stored_result_store` | the rows: sessions, rules for stored results, results under passkeys |
//! | `session_creation`, `attempts`, `attempt_budgets` | what creates a session, what an end user does in it, turn by turn, and how much of it |
//! | `policies` | signed files that say for a law which methods prove an age |
//! | `methods`, `providers` | the fifteen ways to prove an age, and the clients of the providers behind them |
//! | `decision` | what is known about an age against what was asked |
//! | `document_follow_up`, `wallet_requests` | what moves an attempt without its page: a job, and wallets |
//! | `appeals`, `appeal_store` | appeals of people who were refused |
//! | `webhooks`, `webhook_signer` | the report of each attempt to the relying party |
//! | `stored_results`, `proof_invitation` | what an end user may take along afterwards |
//! | `blind_tokens` | the issuer of blind tokens, and their redemption |
//! | `sandbox_response` | the outcome that a session of the sandbox is set to |
//! | `continuation`, `urls`, `relying_party`, `location`, `error` | what several of these use |
//!
//! Each part is a struct of its own that holds only what it needs.

mod appeal_store;
mod appeals;
mod attempt_budgets;
pub mod attempts;
mod blind_tokens;
mod config_section;
mod continuation;
mod decision;
mod document_follow_up;
mod error;
mod expiry;
mod location;
mod methods;
pub mod policies;
mod proof_invitation;
mod providers;
mod relying_party;
pub mod request;
mod request_validator;
mod rules;
mod sandbox_response;
mod service;
pub mod session;
pub mod session_config;
mod session_creation;
pub mod state_machine;
mod step_recorder;
mod store;
mod stored_result_store;
mod stored_results;
pub mod types;
mod urls;
mod wallet_requests;
mod webhook_signer;
mod webhooks;
mod wiring;

pub use age_methods::wallet::{MAX_WALLET_NONCE_BYTES, WalletChoice};
pub use age_methods::{
    blind_tokens::{TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey},
    device_signal::{DeviceAttestation, DeviceChallenge, DeviceStatement, PhonePlatform},
    form::{FormField, FormFieldKind, FormValues},
};
pub use appeals::{
    APPEAL_RETENTION, AgeAppeal, AgeAppealEvidence, AgeAppealRequest, MAX_APPEAL_STATEMENT_CHARS,
    PreparedAgeAppeal,
};
pub use attempt_budgets::AttemptLimits;
pub(crate) use blind_tokens::issuer_key_aad;
pub use blind_tokens::{BlindTokenSettings, IssuerMethod};
pub use document_follow_up::FollowDocumentSession;
pub use error::AgeSessionError;
pub use expiry::ExpireAgeSessions;
pub use location::{InvalidLocationError, Location, UnknownLocationError};
pub use methods::{AttemptStep, CodeChannel, HeadMovement, IdentityProviderOption, InputProblem, TurnInput};
pub use providers::{MobileSettings, ProviderSettings, ProviderSettingsError};
pub use relying_party::RelyingPartyProfile;
pub use sandbox_response::SandboxResponse;
pub use service::AgeVerificationService;
pub use session_creation::{CreateAgeRule, CreateAgeSession};
pub(crate) use store::lock_session;
pub use store::{erase_again, purge};
pub use stored_results::KeepResultOutcome;
pub(crate) use webhook_signer::webhook_key_aad;
pub use webhook_signer::{RsaPublicJwk, WEBHOOK_KEY_OVERLAP, WebhookSigningError};
pub use webhooks::{AgeResultNotice, AgeResultSignature, AgeWebhookFormat};
pub use wiring::AgeVerificationDependencies;

use base::SignedDuration;

/// How age verification sessions are run; the section `[ages]`, as `config_section.rs` reads it.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(from = "config_section::AgesSection")]
pub struct AgeVerificationSettings {
    /// Where this server is reached, without a trailing slash; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// The brand (`wire.brand`) in lower case; no setting of this section.
    #[serde(skip)]
    pub brand: String,
    /// How long the state and the result of a session are kept after it expires, also if it ended before; written in days.
    #[serde(rename = "keep_days", with = "base::settings::days")]
    pub session_retention: SignedDuration,
    /// How confident an age estimate must be to pass or to fail, 0.5 to 0.999, in sessions that do not say. `None`: it is
    /// compared with the threshold.
    #[serde(rename = "confidence")]
    pub estimate_confidence: Option<f64>,
    /// How long a result can be stored under an end user's own key; written in days.
    #[serde(rename = "key_days", with = "base::settings::days")]
    pub stored_result_retention: SignedDuration,
    /// For how long after a refusal an appeal can be made, zero: not at all; written in days.
    #[serde(rename = "appeal_days", with = "base::settings::days")]
    pub appeal_window: SignedDuration,
    /// Whether end users who have proved their age are offered a proof of age to take along, if the relying party uses
    /// proofs of age.
    #[serde(rename = "proofs")]
    pub offers_proof_of_age: bool,
    /// How many codes may be sent, and cards be asked about.
    pub limits: AttemptLimits,
    /// Where the operator's own policies are.
    pub policies: policies::AgePolicySettings,
    /// The providers of the methods that need one. They stand beside the settings above in the configuration, and are
    /// never printed.
    #[serde(skip_serializing)]
    pub providers: ProviderSettings,
}

impl Default for AgeVerificationSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            brand: "svc".to_owned(),
            session_retention: SignedDuration::from_hours(24 * 30),
            stored_result_retention: SignedDuration::from_hours(24 * 30),
            appeal_window: SignedDuration::from_hours(24 * 14),
            limits: AttemptLimits::default(),
            policies: policies::AgePolicySettings::default(),
            providers: ProviderSettings::default(),
            offers_proof_of_age: true,
            estimate_confidence: None,
        }
    }
}
