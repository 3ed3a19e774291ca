//! `social_security_number`, `us_florida_hb3`, `cpf`: a form is checked here, then a database of
//! identities is asked. Each question is counted first, in the session, so that leaving an attempt while the answer is
//! awaited makes no room for another.

use super::{
    AgeMethodHandler, AttemptContext, InputProblem, StepFuture, StepOutcome, StepPrompt, TurnInput,
    evaluate_answer, evaluate_error, not_configured, prompt_form, prompt_form_again, ready, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    attempt_budgets::{AttemptBudgets, Reservation},
    decision::AgeDecider,
    types::AgeFailureReason,
};
use age_methods::{
    AgeMethodError,
    form::{FormField, FormValues},
    registry::{CpfHolder, FloridaResident, RegistryProvider, RegistrySubject, SsnHolder},
};
use jiff::civil::Date;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct RegistryMethod {
    pub(super) registry: IdentityRegistry,
    pub(super) provider: Option<RegistryProvider>,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) budgets: Arc<AttemptBudgets>,
}

/// A database of identities, each with a form of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum IdentityRegistry {
    SocialSecurityNumber,
    UsFloridaHb3,
    Cpf,
}

impl AgeMethodHandler for RegistryMethod {
    fn is_available(&self) -> bool {
        self.provider.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        let has_questions_left = self.budgets.has_questions_left(context.session.questions_asked);
        ready(if has_questions_left { self.form() } else { undecided(AgeFailureReason::TooManyQuestions) })
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        _: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.ask_registry(context, input))
    }
}

impl RegistryMethod {
    fn form(&self) -> StepOutcome {
        prompt_form(self.registry.form())
    }

    async fn ask_registry(
        &self,
        context: AttemptContext<'_>,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(provider) = &self.provider else { return Ok(not_configured()) };
        let subject = match self.registry.read(input.require_fields()?, self.decider.today()) {
            Ok(subject) => subject,
            Err(error) => return Ok(evaluate_error(context, error, || self.form())),
        };
        let remaining = match self.budgets.reserve_question(context.session.id).await? {
            Reservation::Granted { remaining } => remaining,
            Reservation::TooSoon { .. } | Reservation::Exhausted { .. } => {
                return Ok(undecided(AgeFailureReason::TooManyQuestions));
            }
        };
        let answer = provider.ask(&subject, context.config.threshold_years()).await;
        // What the registry refuses was a question, whichever field it names.
        if remaining == 0 && matches!(answer, Err(AgeMethodError::Input { .. })) {
            return Ok(undecided(AgeFailureReason::TooManyQuestions));
        }
        Ok(match evaluate_answer(&self.decider, context, answer, || self.form()) {
            StepOutcome::Prompt(StepPrompt { problem: Some(problem), .. }) => {
                prompt_form_again(self.form(), InputProblem { remaining: Some(remaining), ..problem })
            }
            other => other,
        })
    }
}

impl IdentityRegistry {
    fn form(self) -> &'static [FormField] {
        match self {
            Self::SocialSecurityNumber => &SsnHolder::FORM,
            Self::UsFloridaHb3 => &FloridaResident::FORM,
            Self::Cpf => &CpfHolder::FORM,
        }
    }

    /// Whom a filled-in form is about.
    fn read(self, fields: &FormValues, today: Date) -> Result<RegistrySubject, AgeMethodError> {
        match self {
            Self::SocialSecurityNumber => {
                SsnHolder::read(fields, today).map(RegistrySubject::SocialSecurityNumber)
            }
            Self::UsFloridaHb3 => FloridaResident::read(fields, today).map(RegistrySubject::UsFloridaHb3),
            Self::Cpf => CpfHolder::read(fields, today).map(RegistrySubject::Cpf),
        }
    }
}
