//! The issuer: an age is shown in a session of the operator's own application, which knows of no other session, and then
//! one blinded message is signed. Of the session a digest of that message is left until its time is over, so that an answer
//! that was lost can be had again; and a number beside the key.

use super::super::{
    Ages, BadProvider, NotDone, Session,
    request::{MethodRequest, MethodTerms, SessionRequest},
    wanted::Wanted,
    words::{AgeMethod, AgeSessionStatus, AgeSessionType, LivenessLevel},
};
use super::Anonymity;
use crate::{audit::sha256, violation::Violation};
use ::methods::{
    BadSettings,
    blind::{BadToken, TokenDirectory, published},
};
use base::{AgeSessionId, AppId};
use db::sql;

/// Seconds that a person has to show an age to the issuer.
const TTL: i64 = 900;
/// Bytes of the secret that a tab leads its session with.
const SECRET: usize = 16;

impl Ages {
    fn issuer(&self) -> Result<(&Anonymity, AppId), NotDone> {
        let issuer =
            self.anonymity().and_then(|anonymity| Some((anonymity, anonymity.settings.application?)));
        issuer.ok_or(NotDone::NoIssuer)
    }

    /// The public keys of this issuer, as RFC 9578 has them published.
    pub async fn token_directory(&self, sandbox: bool) -> Result<TokenDirectory, NotDone> {
        self.issuer()?;
        Ok(published(&self.own_keys(sandbox).await?, "sessions"))
    }

    /// Other servers' origins to which the issuer's page may hand what was signed.
    pub fn redeemers(&self) -> &[String] {
        self.anonymity().map_or(&[], |anonymity| &anonymity.settings.redeemers)
    }

    /// Makes a session in which an age is shown to this issuer; and the secret without which nothing is begun or signed in
    /// it. Whoever is sent to the session's address has not got that, and shows no age for whoever sent them.
    pub async fn begin_issuing(&self, sandbox: bool, years: i64) -> Result<(Session, String), NotDone> {
        let (anonymity, app) = self.issuer()?;
        let offered = &anonymity.settings.thresholds;
        let Some(years) = offered.iter().copied().find(|offered| i64::from(*offered) == years) else {
            let all: Vec<_> = offered.iter().map(u8::to_string).collect();
            return Err(NotDone::wrong("threshold", format!("it is one of {}", all.join(", "))));
        };
        self.business(app).await?;
        let wanted = self.ask_for_age(anonymity, sandbox, years).map_err(NotDone::Invalid)?;
        let mut session = Session::begin(&*self.0.world, app, sandbox, wanted);
        session.issues = Some(years);
        let mut secret = [0; SECRET];
        self.0.world.fill(&mut secret);
        let secret = base64_simd::URL_SAFE_NO_PAD.encode_to_string(secret);
        session.secret = Some(sha256(secret.as_bytes()));
        let mut tx = self.0.db.write().await?;
        self.insert(&mut tx, &session).await?;
        tx.commit().await?;
        Ok((session, secret))
    }

    /// What the issuer asks for: what any relying party can ask for, with nothing of anybody else in it.
    fn ask_for_age(&self, tokens: &Anonymity, sandbox: bool, years: u8) -> Result<Wanted, Vec<Violation>> {
        let named = tokens.settings.methods.iter();
        let named = named.filter_map(|way| {
            let method = AgeMethod::of_block(&way.method, &self.0.settings.brand)?;
            Some(MethodRequest { method, name: way.method.clone(), terms: way.terms.clone() })
        });
        let mut methods: Vec<_> = if tokens.settings.methods.is_empty() { usual() } else { named.collect() };
        for asked in &mut methods {
            asked.terms.threshold = Some(i64::from(years));
        }
        let request = SessionRequest {
            kind: Some(AgeSessionType::Over),
            ttl: Some(TTL),
            // The person waits for every check: the tab that is left takes the order with it.
            synchronous_checks: Some(true),
            methods,
            ..SessionRequest::default()
        };
        request.resolve(self.0.world.now(), self.offer(sandbox), Vec::new())
    }

    /// Refuses settings under which no session to issue in could be made.
    pub(in crate::ages) fn check_issuing(&self) -> Result<(), BadProvider> {
        let Ok((anonymity, _)) = self.issuer() else { return Ok(()) };
        let bad = |problem: String| BadProvider {
            provider: "double_anonymity".to_owned(),
            cause: BadSettings { setting: "methods", problem },
        };
        for way in &anonymity.settings.methods {
            match AgeMethod::of_block(&way.method, &self.0.settings.brand) {
                None => return Err(bad(format!("there is no {}", way.method))),
                Some(AgeMethod::DoubleAnonymity) => {
                    return Err(bad("a token is not had for a token".to_owned()));
                }
                Some(_) => {}
            }
        }
        for years in &anonymity.settings.thresholds {
            self.ask_for_age(anonymity, false, *years).map_err(|wrongs| {
                let words: Vec<_> = wrongs.iter().map(ToString::to_string).collect();
                bad(format!("at {years} years: {}", words.join("; ")))
            })?;
        }
        Ok(())
    }

    /// Signs a blinded message for a person who has shown the age: a `TokenRequest` gives a `TokenResponse`. The same message
    /// is answered with the same signature as long as the session lasts, because an answer may be lost on its way; another
    /// one is not signed. Neither the message nor the signature is kept, but the message's digest.
    pub async fn issue(
        &self,
        id: AgeSessionId,
        secret: Option<&str>,
        request: &[u8],
    ) -> Result<Vec<u8>, NotDone> {
        let session = self.find(id).await?.filter(|session| session.is_led_by(secret));
        let session = session.ok_or(NotDone::NoSession)?;
        let Some(years) = session.issues else {
            return Err(NotDone::State("no token is issued in this session".to_owned()));
        };
        if session.state != AgeSessionStatus::Complete {
            return Err(NotDone::State(format!(
                "the session is {}; a token is issued when it is COMPLETE",
                session.state
            )));
        }
        let digest = sha256(request);
        let another = || NotDone::State("another message was signed in this session".to_owned());
        if session.signed.as_ref().is_some_and(|signed| *signed != digest) {
            return Err(another());
        }
        let unusable = |bad: BadToken| NotDone::wrong("token_request", bad.to_string());
        let short_id = *request.get(2).ok_or_else(|| unusable(BadToken::Form))?;
        let key = self.signing_key(session.sandbox, years, short_id).await?;
        let key = key.ok_or_else(|| unusable(BadToken::Key))?;
        let (name, blinded) = (key.public().id().to_vec(), request.to_vec());
        let signed = tokio::task::spawn_blocking(move || key.issue(&blinded)).await;
        let signed = signed.map_err(|error| NotDone::NoKey(error.to_string()))?.map_err(unusable)?;

        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        // Of two requests at once the first one counts; what was signed for another is forgotten here.
        match &held.session.signed {
            Some(first) if *first == digest => return Ok(signed),
            Some(_) => return Err(another()),
            None => held.session.be_signed(digest),
        }
        self.keep(&mut tx, &held).await?;
        tx.execute(sql!("UPDATE age_issuer_keys SET issued = issued + 1 WHERE id = $1", name)).await?;
        tx.commit().await?;
        Ok(signed)
    }
}

/// Every method, in its usual order, but the two that say what was shown elsewhere. A photo that is looked at by nobody
/// else is at least looked at for life.
fn usual() -> Vec<MethodRequest> {
    let ways = AgeMethod::ALL
        .into_iter()
        .filter(|one| !matches!(one, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity));
    ways.map(|method| {
        let level = (method == AgeMethod::AgeEstimation).then_some(LivenessLevel::Passive);
        let terms = MethodTerms { level, ..MethodTerms::default() };
        MethodRequest { method, name: method.block().to_owned(), terms }
    })
    .collect()
}
