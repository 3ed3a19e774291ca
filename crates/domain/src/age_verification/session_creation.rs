//! How sessions and rules come into being: a request is prepared, which may ask a provider, and then created in the
//! caller's transaction.

use super::{
    AgeSessionError,
    decision::AgeDecider,
    methods::{self, AgeMethodSets},
    request::AgeSessionRequest,
    request_validator::RequestValidator,
    rules::AgeRuleStore,
    session::{AgeMethodVerdict, AgeSession},
    session_config::{AgeSessionConfig, VerifiedEmail},
    store::AgeSessionStore,
    types::AgeMethod,
    webhooks::ResultNotifier,
};
use crate::violation::Violation;
use age_methods::registry::EmailHolder;
use base::{AppId, Environment};
use db::WriteTx;
use std::sync::Arc;

/// A valid session that can be created.
#[derive(Debug)]
pub struct CreateAgeSession {
    app: AppId,
    sandbox: bool,
    config: AgeSessionConfig,
    /// The verdict on the address that the relying party has verified, once it was evaluated.
    email_verdict: Option<AgeMethodVerdict>,
}

impl CreateAgeSession {
    /// Whether a provider is to be asked about an address, which costs money.
    pub fn has_verified_email(&self) -> bool {
        self.config.email.is_some()
    }
}

/// A valid rule for stored results that can be created.
#[derive(Debug)]
pub struct CreateAgeRule {
    pub(super) app: AppId,
    pub(super) sandbox: bool,
    pub(super) config: AgeSessionConfig,
}

#[derive(Debug)]
pub(super) struct SessionCreator {
    pub(super) environment: Arc<dyn Environment>,
    pub(super) validator: Arc<RequestValidator>,
    pub(super) sessions: Arc<AgeSessionStore>,
    pub(super) rules: Arc<AgeRuleStore>,
    pub(super) methods: Arc<AgeMethodSets>,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) notifier: Arc<ResultNotifier>,
}

impl SessionCreator {
    pub(super) async fn prepare_session(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeSession, AgeSessionError> {
        let config = self.validator.session_config(app, sandbox, request, unread);
        let config = config.map_err(AgeSessionError::InvalidRequest)?;
        if let Some(id) = config.rule_id {
            let rule = self.rules.find(app, sandbox, id).await?;
            let rule = rule.ok_or_else(|| AgeSessionError::invalid("rule_id", "there is no such rule"))?;
            // Nothing that such a rule accepts would answer what the session asks.
            if !config.kind.is_answered_by(rule.kind) {
                return Err(AgeSessionError::invalid("rule_id", "the rule is for sessions of another type"));
            }
        }
        Ok(CreateAgeSession { app, sandbox, config, email_verdict: None })
    }

    pub(super) fn prepare_rule(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeRule, AgeSessionError> {
        let config = self.validator.rule_config(app, sandbox, request, unread);
        Ok(CreateAgeRule { app, sandbox, config: config.map_err(AgeSessionError::InvalidRequest)? })
    }

    /// Evaluates the address that the relying party has verified, if the request has one and it can be evaluated. The
    /// address is dropped in any case.
    pub(super) async fn check_verified_email(
        &self,
        command: &mut CreateAgeSession,
    ) -> Result<(), AgeSessionError> {
        let Some(VerifiedEmail { address, country, ip }) = command.config.email.take() else { return Ok(()) };
        let methods = self.methods.get(command.sandbox);
        let (Some(config), Some(registry)) =
            (command.config.verified_email_method(methods), methods.email_registry())
        else {
            return Ok(());
        };
        self.notifier.prepare().await?;
        let invalid =
            |_| AgeSessionError::invalid("email.data.verified_email", "it is not an e-mail address");
        let email = EmailHolder::parse(&address).map_err(invalid)?.with_location(country, ip);
        let verdict =
            methods::evaluate_verified_email(registry, &self.decider, &command.config, config, email).await;
        command.email_verdict = Some(verdict);
        Ok(())
    }

    /// Creates the session. If an address was evaluated, that is its first attempt, which has ended.
    pub(super) async fn create_session(
        &self,
        tx: &mut WriteTx,
        command: CreateAgeSession,
    ) -> Result<AgeSession, AgeSessionError> {
        let CreateAgeSession { app, sandbox, config, email_verdict } = command;
        let mut session = AgeSession::begin(&*self.environment, app, sandbox, config);
        if let Some(verdict) = email_verdict {
            // Its id is that of the evidence if the provider gave none.
            session.begin_attempt(&*self.environment, AgeMethod::Email)?;
            let (available, now) = (self.methods.get(sandbox), self.environment.now());
            let outcome = session.finish_attempt(AgeMethod::Email, verdict, available, now)?.clone();
            self.notifier.notify(tx, &mut session, &outcome).await?;
        }
        self.sessions.insert(tx, &session).await?;
        Ok(session)
    }
}
