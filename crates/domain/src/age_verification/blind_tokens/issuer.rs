//! The issuer: an age is proved in a session of the operator's own application, which has nothing in common with any
//! other session, and then one blinded message is signed. Until the session expires, only a digest of that message is
//! left of how it went, so that a lost answer can be fetched again; and a count beside the key.

use super::{
    super::{
        AgeSessionError, ProviderSettingsError,
        relying_party::RelyingPartyDirectory,
        request::{AgeMethodRequest, AgeMethodTerms, AgeSessionRequest},
        request_validator::RequestValidator,
        session::AgeSession,
        session_config::{AgeSessionConfig, CREDIT_CARD_AGE_YEARS},
        store::AgeSessionStore,
        types::{AgeMethod, AgeSessionStatus, AgeSessionType, LivenessLevel},
    },
    BlindTokens, IssuerKeyStore,
};
use crate::{
    audit::sha256_hex,
    violation::{Violation, join_messages},
};
use age_methods::{
    InvalidSettingError,
    blind_tokens::{BlindTokenError, TokenDirectory, build_directory},
};
use base::{AgeSessionId, AppId, Environment};
use db::{Db, sql};
use std::sync::Arc;

/// How long an end user has to prove an age to the issuer, seconds.
const ISSUING_TTL_SECONDS: i64 = 900;
/// The size of the secret that binds a session to the tab that began it.
const TAB_SECRET_BYTES: usize = 16;

#[derive(Debug)]
pub(in crate::age_verification) struct TokenIssuer {
    pub(in crate::age_verification) db: Db,
    pub(in crate::age_verification) environment: Arc<dyn Environment>,
    pub(in crate::age_verification) blind_tokens: Option<Arc<BlindTokens>>,
    pub(in crate::age_verification) keys: Arc<IssuerKeyStore>,
    pub(in crate::age_verification) sessions: Arc<AgeSessionStore>,
    pub(in crate::age_verification) relying_parties: RelyingPartyDirectory,
    pub(in crate::age_verification) validator: Arc<RequestValidator>,
    /// After which the block `svc_key` may be named.
    pub(in crate::age_verification) brand: String,
}

impl TokenIssuer {
    /// The settings and the application of the issuer. Refused if this server does not issue tokens.
    fn settings(&self) -> Result<(&BlindTokens, AppId), AgeSessionError> {
        let settings = self
            .blind_tokens
            .as_deref()
            .and_then(|blind_tokens| Some((blind_tokens, blind_tokens.settings.application?)));
        settings.ok_or(AgeSessionError::IssuerNotConfigured)
    }

    /// The public keys of this issuer, in the form of RFC 9578, section 4.
    pub(in crate::age_verification) async fn token_directory(
        &self,
        sandbox: bool,
    ) -> Result<TokenDirectory, AgeSessionError> {
        let (blind_tokens, _) = self.settings()?;
        let keys = self.keys.public_keys(&blind_tokens.settings, sandbox).await?;
        Ok(build_directory(&keys, "sessions"))
    }

    /// The origins of other servers to whose pages the issuer's page may hand a token.
    pub(in crate::age_verification) fn redeemer_origins(&self) -> &[String] {
        self.blind_tokens.as_ref().map_or(&[], |blind_tokens| &blind_tokens.settings.redeemers)
    }

    /// Creates a session in which an age is proved to this issuer. Also returns the secret without which nothing can be
    /// begun or signed in it: a person who was sent to the session's address does not have it, and so cannot be made to
    /// prove an age for the sender.
    pub(in crate::age_verification) async fn create_session(
        &self,
        sandbox: bool,
        years: i64,
    ) -> Result<(AgeSession, String), AgeSessionError> {
        let (blind_tokens, app) = self.settings()?;
        let thresholds = &blind_tokens.settings.thresholds;
        let Some(years) = thresholds.iter().copied().find(|offered| i64::from(*offered) == years) else {
            let all: Vec<_> = thresholds.iter().map(u8::to_string).collect();
            return Err(AgeSessionError::invalid("threshold", format!("it is one of {}", all.join(", "))));
        };
        self.relying_parties.find(app).await?;
        let config = self
            .session_config(blind_tokens, app, sandbox, years)
            .map_err(AgeSessionError::InvalidRequest)?;
        let mut session = AgeSession::begin(&*self.environment, app, sandbox, config);
        session.issues = Some(years);
        let mut secret = [0; TAB_SECRET_BYTES];
        self.environment.fill_random(&mut secret);
        let secret = base64_simd::URL_SAFE_NO_PAD.encode_to_string(secret);
        session.secret = Some(sha256_hex(secret.as_bytes()));
        let mut tx = self.db.write().await?;
        self.sessions.insert(&mut tx, &session).await?;
        tx.commit().await?;
        Ok((session, secret))
    }

    /// What a session of the issuer asks for: what any relying party could ask for, with no reference to another
    /// session.
    fn session_config(
        &self,
        blind_tokens: &BlindTokens,
        app: AppId,
        sandbox: bool,
        years: u8,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let named = blind_tokens.settings.methods.iter().filter_map(|block| {
            let method = AgeMethod::from_block_name(&block.method, &self.brand)?;
            Some(AgeMethodRequest { method, name: block.method.clone(), terms: block.terms.clone() })
        });
        let mut methods: Vec<_> =
            if blind_tokens.settings.methods.is_empty() { default_methods() } else { named.collect() };
        // No card proves more. Where the operator wants tokens of a higher age from cards alone, that is refused below.
        let can_prove = |method: &AgeMethodRequest| {
            method.method != AgeMethod::CreditCard || i64::from(years) <= CREDIT_CARD_AGE_YEARS
        };
        if methods.iter().any(can_prove) {
            methods.retain(can_prove);
        }
        for method in &mut methods {
            method.terms.threshold = Some(i64::from(years));
        }
        let request = AgeSessionRequest {
            kind: Some(AgeSessionType::Over),
            ttl: Some(ISSUING_TTL_SECONDS),
            // The end user waits for every check, because the tab must stay open: it has the blinded message and the
            // secret.
            synchronous_checks: Some(true),
            methods,
            ..AgeSessionRequest::default()
        };
        self.validator.session_config(app, sandbox, request, Vec::new())
    }

    /// Refuses settings under which no session of the issuer could be created.
    pub(in crate::age_verification) fn validate_settings(&self) -> Result<(), ProviderSettingsError> {
        let Ok((blind_tokens, app)) = self.settings() else { return Ok(()) };
        let bad = |problem: String| {
            let cause = InvalidSettingError { setting: "methods", problem };
            ProviderSettingsError::new("double_anonymity", cause)
        };
        for block in &blind_tokens.settings.methods {
            match AgeMethod::from_block_name(&block.method, &self.brand) {
                None => return Err(bad(format!("there is no {}", block.method))),
                Some(AgeMethod::DoubleAnonymity) => {
                    return Err(bad("the issuer cannot ask for a token itself".to_owned()));
                }
                Some(_) => {}
            }
        }
        for years in &blind_tokens.settings.thresholds {
            self.session_config(blind_tokens, app, false, *years)
                .map_err(|violations| bad(format!("at {years} years: {}", join_messages(&violations))))?;
        }
        Ok(())
    }

    /// Signs a blinded message for an end user who has proved the age: a `TokenRequest` gives a `TokenResponse`. Until
    /// the session expires, the same message gets the same signature, because an answer may get lost; a different
    /// message is refused. Of the message only a digest is stored, and of the signature nothing.
    pub(in crate::age_verification) async fn issue(
        &self,
        id: AgeSessionId,
        secret: Option<&str>,
        request: &[u8],
    ) -> Result<Vec<u8>, AgeSessionError> {
        let session = self.sessions.find(id).await?.filter(|session| session.is_authorised_by(secret));
        let session = session.ok_or(AgeSessionError::SessionNotFound)?;
        let Some(years) = session.issues else {
            return Err(AgeSessionError::InvalidState("no token is issued in this session".to_owned()));
        };
        if session.state != AgeSessionStatus::Complete {
            return Err(AgeSessionError::InvalidState(format!(
                "the session is {}; a token is issued when it is COMPLETE",
                session.state
            )));
        }
        let digest = sha256_hex(request);
        let other_message =
            || AgeSessionError::InvalidState("another message was signed in this session".to_owned());
        if session.signed.as_ref().is_some_and(|signed| *signed != digest) {
            return Err(other_message());
        }
        let unusable = |error: BlindTokenError| AgeSessionError::invalid("token_request", error.to_string());
        let short_id = *request.get(2).ok_or_else(|| unusable(BlindTokenError::Malformed))?;
        let key = self.keys.signing_key(session.sandbox, years, short_id).await?;
        let key = key.ok_or_else(|| unusable(BlindTokenError::WrongKey))?;
        let (key_id, blinded) = (key.public().id().to_vec(), request.to_vec());
        let signed = tokio::task::spawn_blocking(move || key.issue(&blinded)).await;
        let signed = signed
            .map_err(|broken| AgeSessionError::UnusableIssuerKey(std::io::Error::from(broken).to_string()))?
            .map_err(unusable)?;

        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        // Of two concurrent requests the first counts; the signature of the other is dropped here.
        match &locked.session.signed {
            Some(first) if *first == digest => return Ok(signed),
            Some(_) => return Err(other_message()),
            None => locked.session.record_issued_token(digest),
        }
        self.sessions.save(&mut tx, &locked).await?;
        tx.execute(sql!("UPDATE age_issuer_keys SET issued = issued + 1 WHERE id = $1", key_id)).await?;
        tx.commit().await?;
        Ok(signed)
    }
}

/// Every method, in the usual order, except the two that show an earlier result. A photo must at least pass the passive
/// liveness check, because no relying party adds a check of its own.
fn default_methods() -> Vec<AgeMethodRequest> {
    let methods = AgeMethod::ALL.into_iter().filter(|method| {
        !matches!(method, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity | AgeMethod::DeviceSignal)
    });
    methods
        .map(|method| {
            let level = (method == AgeMethod::AgeEstimation).then_some(LivenessLevel::Passive);
            let terms = AgeMethodTerms { level, ..AgeMethodTerms::default() };
            AgeMethodRequest { method, name: method.block_name().to_owned(), terms }
        })
        .collect()
}
