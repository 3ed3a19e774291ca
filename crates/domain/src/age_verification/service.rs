//! The front of age verification.

use super::{
    AgeAppeal, AgeAppealRequest, AgeSessionError, AgeVerificationSettings, PreparedAgeAppeal,
    ProviderSettingsError, RelyingPartyProfile, RsaPublicJwk, SandboxResponse, WebhookSigningError,
    attempts::{TurnResult, run_to_its_end},
    document_follow_up::FollowDocumentSession,
    expiry::ExpireAgeSessions,
    methods::TurnInput,
    policies::AgePolicyBook,
    request::AgeSessionRequest,
    session::AgeSession,
    session_config::AvailableMethods,
    session_creation::{CreateAgeRule, CreateAgeSession},
    stored_results::KeepResultOutcome,
    types::AgeMethod,
    wiring::{AgeVerificationDependencies, AgeVerificationParts},
};
use crate::violation::Violation;
use age_methods::{
    blind_tokens::TokenDirectory,
    device_signal::{DeviceChallenge, DeviceStatement},
    wallet::WalletChoice,
};
use base::{AgeAttemptId, AgeSessionId, AppId, SignedDuration, Uuid};
use db::{DbError, ReadTx, WriteTx};
use jobs::Worker;
use serde_json::Value;
use std::sync::Arc;

/// Runs age verification sessions; cheap to clone. Its methods delegate to the parts of this module.
#[derive(Clone, Debug)]
pub struct AgeVerificationService(Arc<AgeVerificationParts>);

impl AgeVerificationService {
    /// Refused if the settings of a provider or of the issuer of blind tokens cannot be used.
    pub fn new(
        parts: AgeVerificationDependencies,
        settings: AgeVerificationSettings,
    ) -> Result<Self, ProviderSettingsError> {
        AgeVerificationParts::wire(parts, settings).map(|parts| Self(Arc::new(parts)))
    }

    pub fn settings(&self) -> &AgeVerificationSettings {
        &self.0.settings
    }

    /// The methods that are configured, in production or in the sandbox.
    pub fn available_methods(&self, sandbox: bool) -> &dyn AvailableMethods {
        self.0.methods.get(sandbox)
    }

    /// The policies that sessions can name.
    pub fn policies(&self) -> &AgePolicyBook {
        &self.0.policies
    }

    /// Registers the jobs of age verification with a worker.
    #[must_use]
    pub fn register_jobs(&self, worker: Worker) -> Worker {
        let (follower, expirer) = (self.clone(), self.clone());
        worker
            .register(move |job: FollowDocumentSession, _| {
                let service = follower.clone();
                async move { service.0.document_follower.run(&job).await }
            })
            .register(move |_: ExpireAgeSessions, _| {
                let service = expirer.clone();
                async move { service.0.session_expirer.run().await }
            })
    }
}

/// For relying parties.
impl AgeVerificationService {
    /// Validates a request for a session. A refusal lists everything that is wrong, including `unread`, the members
    /// that could not be parsed.
    pub async fn prepare_session(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeSession, AgeSessionError> {
        self.0.creator.prepare_session(app, sandbox, request, unread).await
    }

    /// Validates a request for a rule, as [`Self::prepare_session`] does for a session.
    pub fn prepare_rule(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeRule, AgeSessionError> {
        self.0.creator.prepare_rule(app, sandbox, request, unread)
    }

    /// Asks the provider about the address that the relying party has verified, if the request has one. To be called
    /// before the transaction in which the session is created.
    pub async fn check_verified_email(&self, command: &mut CreateAgeSession) -> Result<(), AgeSessionError> {
        self.0.creator.check_verified_email(command).await
    }

    pub async fn create_session(
        &self,
        tx: &mut WriteTx,
        command: CreateAgeSession,
    ) -> Result<AgeSession, AgeSessionError> {
        self.0.creator.create_session(tx, command).await
    }

    /// Creates a rule for stored results. Returns its id.
    pub async fn create_rule(&self, tx: &mut WriteTx, command: CreateAgeRule) -> Result<Uuid, DbError> {
        self.0.rules.insert(tx, command).await
    }

    /// A session of an application.
    pub async fn get_session(
        &self,
        app: AppId,
        id: AgeSessionId,
        sandbox: bool,
    ) -> Result<AgeSession, AgeSessionError> {
        let session = self.0.sessions.get_in(id, sandbox).await?;
        if session.app == app { Ok(session) } else { Err(AgeSessionError::SessionNotFound) }
    }

    /// The address of the page on which the end user goes through a session.
    pub fn page_url(&self, session: &AgeSession) -> String {
        self.0.urls.session_page(session)
    }

    /// The public keys that webhooks are signed with, the oldest first.
    pub async fn webhook_public_keys(&self) -> Result<Vec<RsaPublicJwk>, WebhookSigningError> {
        self.0.notifier.public_keys().await
    }

    /// Replaces the key that signs webhooks, and returns the id of the new one, which signs at once. The former keys are
    /// published for `overlap` more; with none of it, they are forgotten.
    pub async fn rotate_webhook_key(&self, overlap: SignedDuration) -> Result<String, WebhookSigningError> {
        self.0.notifier.rotate_key(overlap).await
    }

    /// Ends the sessions that ran out before they had a result, and tells their relying parties, as [`ExpireAgeSessions`]
    /// does.
    pub async fn expire_sessions(&self) -> Result<(), AgeSessionError> {
        self.0.session_expirer.expire_all().await
    }

    /// Checks an appeal and reads its picture; to be called before the transaction of [`Self::create_appeal`].
    pub async fn prepare_appeal(
        &self,
        app: AppId,
        request: AgeAppealRequest,
    ) -> Result<PreparedAgeAppeal, AgeSessionError> {
        self.0.appeals.prepare(app, request).await
    }

    /// Makes an appeal for the person of a session.
    pub async fn create_appeal(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        prepared: PreparedAgeAppeal,
    ) -> Result<AgeAppeal, AgeSessionError> {
        self.0.appeals.create(tx, app, id, prepared).await
    }

    /// The appeal of a session, if there is one.
    pub async fn find_appeal(
        &self,
        view: &mut ReadTx,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<Option<AgeAppeal>, AgeSessionError> {
        self.0.appeals.find(view, app, id).await
    }

    /// The picture of an appeal, JPEG, as long as it is there.
    pub async fn appeal_picture(
        &self,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<Option<Vec<u8>>, AgeSessionError> {
        self.0.appeals.picture(app, id).await
    }

    /// Loads what signs the message about a decision; to be called before the transaction of [`Self::decide_appeal`].
    pub async fn prepare_decision(&self) -> Result<(), AgeSessionError> {
        Ok(self.0.notifier.prepare().await?)
    }

    /// Decides an appeal in the caller's transaction. `false`: there is nothing to decide any more.
    pub async fn decide_appeal(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        overturn: bool,
    ) -> Result<bool, AgeSessionError> {
        self.0.appeals.decide(tx, app, id, overturn).await
    }

    /// Cancels a session for its end user. `actor` is who does so, as the audit trail says.
    pub async fn cancel_session_as(
        &self,
        actor: String,
        id: AgeSessionId,
    ) -> Result<AgeSession, AgeSessionError> {
        self.0.attempts.cancel_session(id, Some(actor)).await
    }

    /// Erases a session in the caller's transaction, in whatever state it is. After the commit the caller deletes what its
    /// attempt has elsewhere ([`Self::discard_attempt`]).
    pub async fn erase_in(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<AgeSession, AgeSessionError> {
        self.0.sessions.erase(tx, app, id).await
    }

    /// Deletes the document session of the attempt that was under way when a session was erased, or when another attempt
    /// replaced it. `before` is the session as it was then.
    pub async fn discard_attempt(&self, before: &AgeSession) {
        self.0.methods.discard(before, before.attempt.clone()).await;
    }

    /// Puts the clock of a session of the sandbox forward, in the caller's transaction.
    pub async fn advance_clock(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        by: SignedDuration,
    ) -> Result<(), AgeSessionError> {
        self.0.sessions.advance_clock(tx, app, id, by).await
    }

    /// Sets the outcome of a session of the sandbox.
    pub async fn apply_sandbox_response(
        &self,
        id: AgeSessionId,
        response: &SandboxResponse,
    ) -> Result<AgeSession, AgeSessionError> {
        self.0.sandbox_responder.apply(id, response).await
    }
}

/// For the page.
impl AgeVerificationService {
    /// The session of a page, and its relying party.
    pub async fn end_user_session(
        &self,
        id: AgeSessionId,
        sandbox: bool,
    ) -> Result<(AgeSession, RelyingPartyProfile), AgeSessionError> {
        let session = self.0.sessions.get_in(id, sandbox).await?;
        let relying_party = self.relying_party(session.app).await?;
        Ok((session, relying_party))
    }

    /// Records that the end user opened the page of a session; the first time counts.
    pub async fn record_page_opened(&self, session: &AgeSession) -> Result<(), AgeSessionError> {
        Ok(self.0.sessions.record_page_opened(session).await?)
    }

    /// The relying party of an application; refused if it is not served.
    pub async fn relying_party(&self, app: AppId) -> Result<RelyingPartyProfile, AgeSessionError> {
        self.0.relying_parties.find(app).await
    }

    /// Records the end user's answer to the use of biometric data.
    pub async fn record_consent(&self, id: AgeSessionId, given: bool) -> Result<AgeSession, AgeSessionError> {
        self.0.attempts.record_consent(id, given).await
    }

    pub async fn cancel_session(&self, id: AgeSessionId) -> Result<AgeSession, AgeSessionError> {
        self.0.attempts.cancel_session(id, None).await
    }

    /// Opens a method. `locale` is the language of the page, BCP 47.
    pub async fn open_attempt(
        &self,
        id: AgeSessionId,
        method: AgeMethod,
        locale: &str,
    ) -> Result<TurnResult, AgeSessionError> {
        let (attempts, locale) = (self.0.attempts.clone(), locale.to_owned());
        run_to_its_end(async move { attempts.open_attempt(id, method, &locale).await }).await
    }

    /// Takes a turn. `continuation` is that of the step that `input` answers.
    pub async fn submit_turn(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        continuation: &str,
        input: TurnInput,
    ) -> Result<TurnResult, AgeSessionError> {
        let (attempts, continuation) = (self.0.attempts.clone(), continuation.to_owned());
        run_to_its_end(async move { attempts.submit_turn(id, attempt, &continuation, &input).await }).await
    }

    /// Whether the end user may store the result of the session under a passkey.
    pub fn offers_stored_result(&self, session: &AgeSession) -> bool {
        self.0.stored_results.is_offered(session)
    }

    /// Stores the result of a session. Without an `answer` (continuation and credential), the browser is asked to
    /// create a passkey first.
    pub async fn keep_result(
        &self,
        id: AgeSessionId,
        answer: Option<(&str, &Value)>,
    ) -> Result<KeepResultOutcome, AgeSessionError> {
        self.0.stored_results.store(id, answer).await
    }

    /// Begins to delete a stored result. Returns the options for the browser, which asks for a passkey, and a
    /// continuation.
    pub fn begin_forget_result(&self, _sandbox: bool) -> Result<(Value, String), AgeSessionError> {
        self.0.stored_results.begin_deletion()
    }

    /// Deletes the result under the passkey with which the browser answered. Returns whether there was one.
    pub async fn forget_result(
        &self,
        sandbox: bool,
        continuation: &str,
        credential: &Value,
    ) -> Result<bool, AgeSessionError> {
        self.0.stored_results.delete(sandbox, continuation, credential).await
    }

    /// Whether the end user may take a proof of age along.
    pub fn offers_proof(&self, session: &AgeSession, relying_party: &RelyingPartyProfile) -> bool {
        self.0.proof_invitations.is_offered(session, relying_party)
    }

    /// Invites the end user to the page that stores their proof. Returns its address.
    pub async fn create_proof_invitation(&self, id: AgeSessionId) -> Result<String, AgeSessionError> {
        self.0.proof_invitations.create(id).await
    }
}

/// For the apps of relying parties.
impl AgeVerificationService {
    /// Opens an attempt with a device signal in the caller's transaction. Returns what the app binds its statement to, and the
    /// session as it was before. After the commit the caller deletes what its attempt has elsewhere
    /// ([`Self::discard_attempt`]).
    pub async fn begin_device_signal(
        &self,
        tx: &mut WriteTx,
        id: AgeSessionId,
    ) -> Result<(DeviceChallenge, AgeSession), AgeSessionError> {
        self.0.attempts.begin_signal(tx, id).await
    }

    /// Ends that attempt with what the app sent.
    pub async fn submit_device_signal(
        &self,
        id: AgeSessionId,
        challenge: &str,
        sent: DeviceStatement,
    ) -> Result<AgeSession, AgeSessionError> {
        let (attempts, challenge) = (self.0.attempts.clone(), challenge.to_owned());
        run_to_its_end(async move { attempts.submit_signal(id, &challenge, &sent).await }).await
    }
}

/// For wallets. `sealed` is the last segment of the address of a request.
impl AgeVerificationService {
    /// The session of a request. `None` if this server did not seal the address.
    pub fn wallet_session_id(&self, sealed: &str) -> Option<AgeSessionId> {
        self.0.wallet_requests.session_id(sealed)
    }

    /// The request object, a signed JWT. `nonce` is what the wallet expects in it.
    pub async fn wallet_request_object(
        &self,
        sealed: &str,
        sandbox: bool,
        nonce: Option<&str>,
    ) -> Result<String, AgeSessionError> {
        self.0.wallet_requests.request_object(sealed, sandbox, nonce).await
    }

    /// Takes a wallet's answer. Returns where the wallet sends its holder, if it is on the device that shows the page.
    pub async fn submit_wallet_response(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, AgeSessionError> {
        self.0.wallet_requests.submit_response(sealed, sandbox, body).await
    }

    /// Whether requests go to a simulated wallet: in the sandbox, and in production if the settings say so.
    pub fn has_simulated_wallet(&self, sandbox: bool) -> bool {
        self.0.wallet_requests.has_simulated_wallet(sandbox)
    }

    /// Answers a request with the simulated wallet. Refused where wallets are real.
    pub async fn respond_as_simulated_wallet(
        &self,
        sealed: &str,
        sandbox: bool,
        choice: WalletChoice,
    ) -> Result<Option<String>, AgeSessionError> {
        self.0.wallet_requests.respond_as_simulated_wallet(sealed, sandbox, choice).await
    }
}

/// For the issuer of blind tokens.
impl AgeVerificationService {
    /// Ends the present period of all keys of this issuer; the next begins when it is needed. Former keys finish what was
    /// begun, and their tokens are accepted as long as they would have been; with `at_once`, neither. Returns how many keys
    /// were replaced.
    pub async fn rotate_blind_token_keys(&self, at_once: bool) -> Result<u64, AgeSessionError> {
        Ok(self.0.token_issuer.keys.rotate(at_once).await?)
    }

    /// The public keys of this issuer, in the form of RFC 9578, section 4.
    pub async fn token_directory(&self, sandbox: bool) -> Result<TokenDirectory, AgeSessionError> {
        self.0.token_issuer.token_directory(sandbox).await
    }

    /// The origins of other servers to whose pages the issuer's page may hand a token.
    pub fn redeemer_origins(&self) -> &[String] {
        self.0.token_issuer.redeemer_origins()
    }

    /// Creates a session in which an age (years) is proved to this issuer. Also returns the secret of the tab, without
    /// which nothing can be begun or signed in it.
    pub async fn create_issuing_session(
        &self,
        sandbox: bool,
        years: i64,
    ) -> Result<(AgeSession, String), AgeSessionError> {
        self.0.token_issuer.create_session(sandbox, years).await
    }

    /// Signs a blinded message for an end user who has proved the age: a `TokenRequest` gives a `TokenResponse` (RFC
    /// 9578).
    pub async fn issue_token(
        &self,
        id: AgeSessionId,
        secret: Option<&str>,
        request: &[u8],
    ) -> Result<Vec<u8>, AgeSessionError> {
        self.0.token_issuer.issue(id, secret, request).await
    }
}
