//! Validates requests against what this server offers.

use super::{
    methods::AgeMethodSets,
    policies::AgePolicyBook,
    request::AgeSessionRequest,
    session_config::{AgeSessionConfig, DEFAULT_TTL_SECONDS, ValidationContext},
};
use crate::{delivery::Outbox, violation::Violation};
use base::{AppId, Environment, SignedDuration};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct RequestValidator {
    environment: Arc<dyn Environment>,
    methods: Arc<AgeMethodSets>,
    outbox: Outbox,
    stored_result_retention: SignedDuration,
    estimate_confidence: Option<f64>,
    policies: Arc<AgePolicyBook>,
}

impl RequestValidator {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        methods: Arc<AgeMethodSets>,
        outbox: Outbox,
        stored_result_retention: SignedDuration,
        estimate_confidence: Option<f64>,
        policies: Arc<AgePolicyBook>,
    ) -> Self {
        Self { environment, methods, outbox, stored_result_retention, estimate_confidence, policies }
    }

    /// The configuration of a session. `unread` are the members of the request that could not be parsed.
    pub(super) fn session_config(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        request.resolve(self.environment.now(), self.context(app, sandbox, DEFAULT_TTL_SECONDS), unread)
    }

    /// The configuration of a rule for stored results. Unless the rule says otherwise, a result may be as old as
    /// results are kept.
    pub(super) fn rule_config(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let context = self.context(app, sandbox, self.stored_result_retention.as_secs());
        request.resolve(self.environment.now(), context, unread)
    }

    /// `ttl` is the default of the request's member, seconds.
    fn context(&self, app: AppId, sandbox: bool, ttl: i64) -> ValidationContext<'_> {
        ValidationContext {
            app,
            available: self.methods.get(sandbox),
            outbox: &self.outbox,
            ttl,
            estimate_confidence: self.estimate_confidence,
            policies: &self.policies,
        }
    }
}
