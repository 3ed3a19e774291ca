//! `electronic_id` and `singpass`: the end user signs in at an identity provider (`OpenID` Connect). A login is one question
//! to the provider, which is counted in the session before its first request of its own: that which is pushed, or else that
//! which redeems the code. An address that the end user is sent to asks nobody yet.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, IdentityProviderOption, StepFuture, StepOutcome,
    StepPrompt, TurnInput, evaluate_answer, evaluate_error, not_configured, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    attempt_budgets::{AttemptBudgets, Reservation},
    decision::AgeDecider,
    types::AgeFailureReason,
};
use age_methods::oidc::{IdentityProvider, OidcLoginState};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Parameters of a provider's redirect that are read; further ones are ignored.
const MAX_RETURN_PARAMETERS: usize = 32;

#[derive(Debug)]
pub(super) struct OidcMethod {
    /// The providers to choose from; at most one for `singpass`.
    pub(super) providers: Vec<IdentityProvider>,
    /// Where a provider sends the end user back to.
    pub(super) return_url: String,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) budgets: Arc<AttemptBudgets>,
}

impl AgeMethodHandler for OidcMethod {
    fn is_available(&self) -> bool {
        !self.providers.is_empty()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        Box::pin(async move {
            // Nobody should sign in in vain.
            let has_questions_left = self.budgets.has_questions_left(context.session.questions_asked);
            match self.offered_providers(context).as_slice() {
                [] => Ok(not_configured()),
                _ if !has_questions_left => Ok(undecided(AgeFailureReason::TooManyQuestions)),
                [only] => self.redirect(context, only).await,
                several => Ok(prompt_choice(several)),
            }
        })
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.continue_login(context, continuation, input))
    }
}

impl OidcMethod {
    /// The providers that the session allows.
    fn offered_providers(&self, context: AttemptContext<'_>) -> Vec<&IdentityProvider> {
        let allowed = context.config.sub_methods.as_deref();
        let is_allowed =
            |provider: &&IdentityProvider| allowed.is_none_or(|ids| ids.iter().any(|id| id == provider.id()));
        self.providers.iter().filter(is_allowed).collect()
    }

    /// Goes on with a login that was begun, or begins one at the provider that was chosen.
    async fn continue_login(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let providers = self.offered_providers(context);
        let find = |id: &str| providers.iter().copied().find(|provider| provider.id() == id);
        if let Ok(login) = serde_json::from_value::<OidcLoginState>(continuation) {
            let Some(provider) = find(login.provider()) else { return Ok(not_configured()) };
            let returned = input.returned.as_ref();
            let returned =
                returned.ok_or_else(|| AgeSessionError::invalid("returned", "an object is expected"))?;
            let parameters: BTreeMap<String, String> = returned
                .iter()
                .take(MAX_RETURN_PARAMETERS)
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            // One that was pushed is counted already, and what brings no code of this login asks nobody.
            let asks = !provider.pushes_requests() && provider.brings_code(&login, &parameters);
            if asks && !self.reserve_login(context).await? {
                return Ok(undecided(AgeFailureReason::TooManyQuestions));
            }
            let answer = provider.finish(&login, &parameters, context.config.threshold_years()).await;
            return Ok(evaluate_answer(&self.decider, context, answer, || prompt_choice(&providers)));
        }
        match input.choice.as_deref().and_then(find) {
            Some(provider) => self.redirect(context, provider).await,
            None => Err(AgeSessionError::invalid("choice", "the id of one of the options is expected")),
        }
    }

    async fn redirect(
        &self,
        context: AttemptContext<'_>,
        provider: &IdentityProvider,
    ) -> Result<StepOutcome, AgeSessionError> {
        if provider.pushes_requests() && !self.reserve_login(context).await? {
            return Ok(undecided(AgeFailureReason::TooManyQuestions));
        }
        Ok(match provider.start(&self.return_url).await {
            Ok(login) => StepOutcome::Prompt(StepPrompt::new(
                AttemptStep::Redirect { url: login.url },
                json!(login.state),
            )),
            Err(error) => evaluate_error(context, error, not_configured),
        })
    }

    /// Counts a login that the provider is about to be asked about. `false`: the session's budget is used up.
    async fn reserve_login(&self, context: AttemptContext<'_>) -> Result<bool, AgeSessionError> {
        let reserved = self.budgets.reserve_question(context.session.id).await?;
        Ok(matches!(reserved, Reservation::Granted { .. }))
    }
}

fn prompt_choice(providers: &[&IdentityProvider]) -> StepOutcome {
    let option = |provider: &&IdentityProvider| IdentityProviderOption {
        id: provider.id().to_owned(),
        name: provider.name().to_owned(),
    };
    StepOutcome::Prompt(StepPrompt::new(
        AttemptStep::Choose { options: providers.iter().map(option).collect() },
        Value::Null,
    ))
}
