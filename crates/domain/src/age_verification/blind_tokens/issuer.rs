//! The issuer: an age is shown in a session of the operator's own application, which knows of no other session, and then
//! one blinded message is signed. Of the session a digest of that message is left until its time is over, so that an answer
//! that was lost can be had again; and a number beside the key.

use super::super::{
    AgeSession, AgeSessionError, AgeVerificationService, ProviderSettingsError,
    request::{AgeMethodRequest, AgeMethodTerms, AgeSessionRequest},
    session_config::AgeSessionConfig,
    types::{AgeMethod, AgeSessionStatus, AgeSessionType, LivenessLevel},
};
use super::BlindTokens;
use crate::{audit::sha256_hex, violation::Violation};
use age_methods::{
    InvalidSettingError,
    blind_tokens::{BlindTokenError, TokenDirectory, build_directory},
};
use base::{AgeSessionId, AppId};
use db::sql;

/// Seconds that a person has to show an age to the issuer.
const ISSUING_TTL_SECONDS: i64 = 900;
/// Bytes of the secret that a tab leads its session with.
const TAB_SECRET_BYTES: usize = 16;

impl AgeVerificationService {
    fn issuer(&self) -> Result<(&BlindTokens, AppId), AgeSessionError> {
        let issuer =
            self.blind_tokens().and_then(|anonymity| Some((anonymity, anonymity.settings.application?)));
        issuer.ok_or(AgeSessionError::IssuerNotConfigured)
    }

    /// The public keys of this issuer, as RFC 9578 has them published.
    pub async fn token_directory(&self, sandbox: bool) -> Result<TokenDirectory, AgeSessionError> {
        self.issuer()?;
        Ok(build_directory(&self.issuer_public_keys(sandbox).await?, "sessions"))
    }

    /// Other servers' origins to which the issuer's page may hand what was signed.
    pub fn redeemer_origins(&self) -> &[String] {
        self.blind_tokens().map_or(&[], |anonymity| &anonymity.settings.redeemers)
    }

    /// Makes a session in which an age is shown to this issuer; and the secret without which nothing is begun or signed in
    /// it. Whoever is sent to the session's address has not got that, and shows no age for whoever sent them.
    pub async fn create_issuing_session(
        &self,
        sandbox: bool,
        years: i64,
    ) -> Result<(AgeSession, String), AgeSessionError> {
        let (anonymity, app) = self.issuer()?;
        let offered = &anonymity.settings.thresholds;
        let Some(years) = offered.iter().copied().find(|offered| i64::from(*offered) == years) else {
            let all: Vec<_> = offered.iter().map(u8::to_string).collect();
            return Err(AgeSessionError::invalid("threshold", format!("it is one of {}", all.join(", "))));
        };
        self.relying_party(app).await?;
        let wanted = self
            .issuing_session_config(anonymity, sandbox, years)
            .map_err(AgeSessionError::InvalidRequest)?;
        let mut session = AgeSession::begin(&*self.0.world, app, sandbox, wanted);
        session.issues = Some(years);
        let mut secret = [0; TAB_SECRET_BYTES];
        self.0.world.fill_random(&mut secret);
        let secret = base64_simd::URL_SAFE_NO_PAD.encode_to_string(secret);
        session.secret = Some(sha256_hex(secret.as_bytes()));
        let mut tx = self.0.db.write().await?;
        self.insert_session(&mut tx, &session).await?;
        tx.commit().await?;
        Ok((session, secret))
    }

    /// What the issuer asks for: what any relying party can ask for, with nothing of anybody else in it.
    fn issuing_session_config(
        &self,
        tokens: &BlindTokens,
        sandbox: bool,
        years: u8,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let named = tokens.settings.methods.iter();
        let named = named.filter_map(|way| {
            let method = AgeMethod::from_block_name(&way.method, &self.0.settings.brand)?;
            Some(AgeMethodRequest { method, name: way.method.clone(), terms: way.terms.clone() })
        });
        let mut methods: Vec<_> =
            if tokens.settings.methods.is_empty() { default_issuing_methods() } else { named.collect() };
        for asked in &mut methods {
            asked.terms.threshold = Some(i64::from(years));
        }
        let request = AgeSessionRequest {
            kind: Some(AgeSessionType::Over),
            ttl: Some(ISSUING_TTL_SECONDS),
            // The person waits for every check: the tab that is left takes the order with it.
            synchronous_checks: Some(true),
            methods,
            ..AgeSessionRequest::default()
        };
        request.resolve(self.0.world.now(), self.validation_context(sandbox), Vec::new())
    }

    /// Refuses settings under which no session to issue in could be made.
    pub(in crate::age_verification) fn validate_issuer_settings(&self) -> Result<(), ProviderSettingsError> {
        let Ok((anonymity, _)) = self.issuer() else { return Ok(()) };
        let bad = |problem: String| ProviderSettingsError {
            provider: "double_anonymity".to_owned(),
            cause: InvalidSettingError { setting: "methods", problem },
        };
        for way in &anonymity.settings.methods {
            match AgeMethod::from_block_name(&way.method, &self.0.settings.brand) {
                None => return Err(bad(format!("there is no {}", way.method))),
                Some(AgeMethod::DoubleAnonymity) => {
                    return Err(bad("a token is not had for a token".to_owned()));
                }
                Some(_) => {}
            }
        }
        for years in &anonymity.settings.thresholds {
            self.issuing_session_config(anonymity, false, *years).map_err(|wrongs| {
                let words: Vec<_> = wrongs.iter().map(ToString::to_string).collect();
                bad(format!("at {years} years: {}", words.join("; ")))
            })?;
        }
        Ok(())
    }

    /// Signs a blinded message for a person who has shown the age: a `TokenRequest` gives a `TokenResponse`. The same message
    /// is answered with the same signature as long as the session lasts, because an answer may be lost on its way; another
    /// one is not signed. Neither the message nor the signature is kept, but the message's digest.
    pub async fn issue_token(
        &self,
        id: AgeSessionId,
        secret: Option<&str>,
        request: &[u8],
    ) -> Result<Vec<u8>, AgeSessionError> {
        let session = self.find_session(id).await?.filter(|session| session.is_authorised_by(secret));
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
        let another =
            || AgeSessionError::InvalidState("another message was signed in this session".to_owned());
        if session.signed.as_ref().is_some_and(|signed| *signed != digest) {
            return Err(another());
        }
        let unusable = |bad: BlindTokenError| AgeSessionError::invalid("token_request", bad.to_string());
        let short_id = *request.get(2).ok_or_else(|| unusable(BlindTokenError::Malformed))?;
        let key = self.signing_key(session.sandbox, years, short_id).await?;
        let key = key.ok_or_else(|| unusable(BlindTokenError::WrongKey))?;
        let (name, blinded) = (key.public().id().to_vec(), request.to_vec());
        let signed = tokio::task::spawn_blocking(move || key.issue(&blinded)).await;
        let signed = signed
            .map_err(|error| AgeSessionError::UnusableIssuerKey(error.to_string()))?
            .map_err(unusable)?;

        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        // Of two requests at once the first one counts; what was signed for another is forgotten here.
        match &held.session.signed {
            Some(first) if *first == digest => return Ok(signed),
            Some(_) => return Err(another()),
            None => held.session.record_issued_token(digest),
        }
        self.save_session(&mut tx, &held).await?;
        tx.execute(sql!("UPDATE age_issuer_keys SET issued = issued + 1 WHERE id = $1", name)).await?;
        tx.commit().await?;
        Ok(signed)
    }
}

/// Every method, in its usual order, but the two that say what was shown elsewhere. A photo that is looked at by nobody
/// else is at least looked at for life.
fn default_issuing_methods() -> Vec<AgeMethodRequest> {
    let ways = AgeMethod::ALL
        .into_iter()
        .filter(|one| !matches!(one, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity));
    ways.map(|method| {
        let level = (method == AgeMethod::AgeEstimation).then_some(LivenessLevel::Passive);
        let terms = AgeMethodTerms { level, ..AgeMethodTerms::default() };
        AgeMethodRequest { method, name: method.block_name().to_owned(), terms }
    })
    .collect()
}
