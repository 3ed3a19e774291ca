//! The side of `digital_id` that wallets call: they fetch a request, and post an answer. [`methods`](super::methods)
//! has the side of the page.

use super::{
    AgeSessionError,
    attempts::{AttemptRunner, run_to_its_end},
    methods::{
        AgeMethodSets, AttemptContext, StepOutcome, WalletMethod, WalletOutcome, WalletProgress,
        WalletRequestState,
    },
    relying_party::RelyingPartyDirectory,
    session::{AgeMethodVerdict, AgeSession},
    store::AgeSessionStore,
    types::AgeMethod,
    webhooks::ResultNotifier,
};
use age_methods::wallet::WalletChoice;
use base::{AgeSessionId, Environment};
use serde_json::json;
use std::sync::Arc;

/// How often committing an outcome is tried: between two tries the page has taken a turn.
const MAX_COMMIT_ATTEMPTS: usize = 5;

#[derive(Debug)]
pub(super) struct WalletRequestService {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    relying_parties: RelyingPartyDirectory,
    methods: Arc<AgeMethodSets>,
    notifier: Arc<ResultNotifier>,
    attempts: Arc<AttemptRunner>,
}

impl WalletRequestService {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        relying_parties: RelyingPartyDirectory,
        methods: Arc<AgeMethodSets>,
        notifier: Arc<ResultNotifier>,
        attempts: Arc<AttemptRunner>,
    ) -> Self {
        Self { environment, sessions, relying_parties, methods, notifier, attempts }
    }

    /// The session of a request's address. `None` if this server did not seal the address.
    pub(super) fn session_id(&self, sealed: &str) -> Option<AgeSessionId> {
        // The state is sealed alike in production and in the sandbox.
        self.wallet(false).open_request_state(sealed).map(|state| state.session)
    }

    /// The request object that a wallet fetches, a signed JWT. `nonce` is what the wallet expects in it.
    pub(super) async fn request_object(
        &self,
        sealed: &str,
        sandbox: bool,
        nonce: Option<&str>,
    ) -> Result<String, AgeSessionError> {
        let (state, session) = self.open_request(sealed, sandbox).await?;
        let context = AttemptContext::find(&session, state.attempt, "")?;
        let request = self.wallet(sandbox).request_of(context, &state, sealed);
        let object = request.and_then(|(verifier, request)| verifier.request_object(&request, nonce));
        object.ok_or(AgeSessionError::SessionNotFound)
    }

    /// Takes the answer that a wallet posts; only the first readable one counts. Returns where the wallet sends its
    /// holder, if it is on the device that shows the page.
    pub(super) async fn submit_response(
        self: &Arc<Self>,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, AgeSessionError> {
        // In a task of its own: if the connection breaks, the call is dropped, but an answer that was taken must have
        // an outcome.
        let (service, sealed, body) = (self.clone(), sealed.to_owned(), body.to_vec());
        run_to_its_end(async move { service.process_response(&sealed, sandbox, &body).await }).await
    }

    /// Whether requests go to a simulated wallet: in the sandbox, and in production if the settings say so.
    pub(super) fn has_simulated_wallet(&self, sandbox: bool) -> bool {
        self.wallet(sandbox).is_simulated()
    }

    /// Answers a request with the simulated wallet. Refused where wallets are real.
    pub(super) async fn respond_as_simulated_wallet(
        self: &Arc<Self>,
        sealed: &str,
        sandbox: bool,
        choice: WalletChoice,
    ) -> Result<Option<String>, AgeSessionError> {
        if !self.has_simulated_wallet(sandbox) {
            return Err(AgeSessionError::SessionNotFound);
        }
        let (state, session) = self.open_request(sealed, sandbox).await?;
        let context = AttemptContext::find(&session, state.attempt, "")?;
        let request = self.wallet(sandbox).request_of(context, &state, sealed);
        let body = request.and_then(|(verifier, request)| verifier.sandbox_response(&request, choice));
        let body = body.ok_or(AgeSessionError::SessionNotFound)?;
        self.submit_response(sealed, sandbox, &body).await
    }

    async fn process_response(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, AgeSessionError> {
        self.notifier.prepare().await?;
        let (state, session) = self.open_request(sealed, sandbox).await?;
        let context = AttemptContext::find(&session, state.attempt, "")?;
        let wallet = self.wallet(sandbox);
        let (verifier, request) =
            wallet.request_of(context, &state, sealed).ok_or(AgeSessionError::SessionNotFound)?;
        // An answer that cannot be read was not made for this request, so the wallet may still answer.
        let response = verifier.read_response(&request, body);
        let response = response.map_err(|error| AgeSessionError::invalid("response", error.to_string()))?;

        let now = self.environment.now();
        self.update_progress(&state, |progress| {
            let evaluating = WalletProgress { evaluating_since: Some(now), ..progress };
            progress.accepts_response(now).then_some(evaluating)
        })
        .await?;
        let outcome = WalletOutcome::of(verifier.judge_response(&request, response).await);
        let passes = matches!(
            wallet.evaluate(context, outcome),
            StepOutcome::Prompt(_) | StepOutcome::Finished(AgeMethodVerdict::Passed { .. })
        );
        if state.same_device && passes {
            self.update_progress(&state, |progress| {
                let answered = WalletProgress { answered: true, ..progress };
                (progress.evaluating_since == Some(now)).then_some(answered)
            })
            .await?;
            return Ok(Some(wallet.return_url_with_code(context, outcome)));
        }
        self.commit_outcome(&state, wallet, outcome).await?;
        Ok(state.same_device.then(|| wallet.return_url(context)))
    }

    fn wallet(&self, sandbox: bool) -> &WalletMethod {
        self.methods.get(sandbox).wallet()
    }

    /// The request of an address, which must still wait for its answer.
    async fn open_request(
        &self,
        sealed: &str,
        sandbox: bool,
    ) -> Result<(WalletRequestState, AgeSession), AgeSessionError> {
        let state = self.wallet(sandbox).open_request_state(sealed);
        let state = state.ok_or(AgeSessionError::SessionNotFound)?;
        let session = self.sessions.get_in(state.session, sandbox).await?;
        // Refuses relying parties that are no longer served.
        self.relying_parties.find(session.app).await?;
        let now = self.environment.now();
        if !session.is_live(now) {
            return Err(AgeSessionError::Expired);
        }
        let attempt = session.attempt.as_ref().filter(|attempt| attempt.id == state.attempt);
        let accepts = attempt
            .filter(|attempt| attempt.method == AgeMethod::DigitalId)
            .is_some_and(|attempt| WalletProgress::of(attempt).accepts_response(now));
        if accepts { Ok((state, session)) } else { Err(AgeSessionError::StaleContinuation) }
    }

    /// Replaces the progress of an attempt; refused if `update` returns `None`.
    async fn update_progress(
        &self,
        state: &WalletRequestState,
        update: impl FnOnce(WalletProgress) -> Option<WalletProgress>,
    ) -> Result<(), AgeSessionError> {
        let (tx, mut locked) = self.sessions.lock_live(state.session).await?;
        let attempt = locked.session.attempt.as_mut().filter(|attempt| attempt.id == state.attempt);
        let attempt = attempt.ok_or(AgeSessionError::StaleContinuation)?;
        let progress = update(WalletProgress::of(attempt)).ok_or(AgeSessionError::StaleContinuation)?;
        attempt.state = json!(progress);
        self.sessions.commit(tx, locked).await?;
        Ok(())
    }

    /// Commits what follows from an answer. The page may take turns meanwhile, and must not make the answer lost.
    async fn commit_outcome(
        &self,
        state: &WalletRequestState,
        wallet: &WalletMethod,
        outcome: WalletOutcome,
    ) -> Result<(), AgeSessionError> {
        for _ in 0..MAX_COMMIT_ATTEMPTS {
            let session = self.sessions.get(state.session).await?;
            let context = AttemptContext::find(&session, state.attempt, "")?;
            let (turn, next) = (context.attempt.turn, wallet.evaluate(context, outcome));
            match self.attempts.commit_outcome(state.session, state.attempt, turn, next, "").await {
                Err(AgeSessionError::StaleContinuation) => {}
                committed => return committed.map(drop),
            }
        }
        Err(AgeSessionError::StaleContinuation)
    }
}
