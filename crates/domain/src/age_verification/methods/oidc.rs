//! `electronic_id` and `singpass`: a provider of identities that the person signs in at.

use super::{
    AttemptContext, AttemptStep, IdentityProviderOption, StepOutcome, StepPrompt, TurnInput,
    evaluate_failure, not_configured,
};
use crate::age_verification::{AgeSessionError, AgeVerificationService, types::AgeMethod};
use age_methods::oidc::{IdentityProvider, OidcLoginState};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Parameters that a provider may send a person back with; further ones are not read.
const MAX_RETURN_PARAMETERS: usize = 32;

impl AgeVerificationService {
    fn identity_providers<'a>(&'a self, at: AttemptContext<'a>) -> Vec<&'a IdentityProvider> {
        let providers = self.providers(at);
        if at.block.method == AgeMethod::Singpass {
            return providers.singpass.iter().collect();
        }
        let asked = at.block.sub_methods.as_deref();
        let admitted =
            |provider: &&IdentityProvider| asked.is_none_or(|ids| ids.iter().any(|id| id == provider.id()));
        providers.electronic_id.iter().filter(admitted).collect()
    }

    pub(super) async fn open_oidc(&self, at: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        match self.identity_providers(at).as_slice() {
            [] => Ok(not_configured()),
            [only] => Ok(self.redirect_to_provider(at, only).await),
            several => Ok(prompt_provider_choice(several)),
        }
    }

    pub(super) async fn process_oidc_turn(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let providers = self.identity_providers(at);
        let found = |id: &str| providers.iter().copied().find(|provider| provider.id() == id);
        if let Ok(held) = serde_json::from_value::<OidcLoginState>(held) {
            let Some(provider) = found(held.provider()) else { return Ok(not_configured()) };
            let returned = input.returned.as_ref();
            let returned =
                returned.ok_or_else(|| AgeSessionError::invalid("returned", "an object is expected"))?;
            let parameters: BTreeMap<String, String> = returned
                .iter()
                .take(MAX_RETURN_PARAMETERS)
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let answer = provider.finish(&held, &parameters, at.threshold_years()).await;
            return Ok(self.evaluate_answer(at, answer, || prompt_provider_choice(&providers)));
        }
        match input.choice.as_deref().and_then(found) {
            Some(provider) => Ok(self.redirect_to_provider(at, provider).await),
            None => Err(AgeSessionError::invalid("choice", "it is the id of one of the options")),
        }
    }

    async fn redirect_to_provider(&self, at: AttemptContext<'_>, provider: &IdentityProvider) -> StepOutcome {
        match provider.start(&self.return_url(at)).await {
            Ok(started) => StepOutcome::Prompt(StepPrompt::new(
                AttemptStep::Redirect { url: started.url },
                json!(started.state),
            )),
            Err(failure) => evaluate_failure(at, failure, not_configured),
        }
    }
}

fn prompt_provider_choice(providers: &[&IdentityProvider]) -> StepOutcome {
    let option = |provider: &&IdentityProvider| IdentityProviderOption {
        id: provider.id().to_owned(),
        name: provider.name().to_owned(),
    };
    StepOutcome::Prompt(StepPrompt::new(
        AttemptStep::Choose { options: providers.iter().map(option).collect() },
        Value::Null,
    ))
}
