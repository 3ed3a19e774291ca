//! `electronic_id` and `singpass`: a provider of identities that the person signs in at.

use super::{Ask, At, IdentityProviderOption, Next, Step, TurnInput, failed, not_set_up};
use crate::ages::{Ages, NotDone, words::AgeMethod};
use ::methods::oidc::{Held, Provider};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Parameters that a provider may send a person back with; further ones are not read.
const MOST: usize = 32;

impl Ages {
    fn identity_providers<'a>(&'a self, at: At<'a>) -> Vec<&'a Provider> {
        let providers = self.providers(at);
        if at.block.method == AgeMethod::Singpass {
            return providers.singpass.iter().collect();
        }
        let asked = at.block.sub_methods.as_deref();
        let admitted =
            |provider: &&Provider| asked.is_none_or(|ids| ids.iter().any(|id| id == provider.id()));
        providers.electronic_id.iter().filter(admitted).collect()
    }

    pub(super) async fn open_oidc(&self, at: At<'_>) -> Result<Next, NotDone> {
        match self.identity_providers(at).as_slice() {
            [] => Ok(not_set_up()),
            [only] => Ok(self.send_to(at, only).await),
            several => Ok(choose(several)),
        }
    }

    pub(super) async fn turn_oidc(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        let providers = self.identity_providers(at);
        let found = |id: &str| providers.iter().copied().find(|provider| provider.id() == id);
        if let Ok(held) = serde_json::from_value::<Held>(held) {
            let Some(provider) = found(held.provider()) else { return Ok(not_set_up()) };
            let returned = input.returned.as_ref();
            let returned = returned.ok_or_else(|| NotDone::wrong("returned", "an object is expected"))?;
            let parameters: BTreeMap<String, String> =
                returned.iter().take(MOST).map(|(name, value)| (name.clone(), value.clone())).collect();
            let answer = provider.finish(&held, &parameters, at.years()).await;
            return Ok(self.answered(at, answer, || choose(&providers)));
        }
        match input.choice.as_deref().and_then(found) {
            Some(provider) => Ok(self.send_to(at, provider).await),
            None => Err(NotDone::wrong("choice", "it is the id of one of the options")),
        }
    }

    async fn send_to(&self, at: At<'_>, provider: &Provider) -> Next {
        match provider.start(&self.return_address(at)).await {
            Ok(started) => Next::Ask(Ask::new(Step::Redirect { url: started.url }, json!(started.held))),
            Err(failure) => failed(at, failure, not_set_up),
        }
    }
}

fn choose(providers: &[&Provider]) -> Next {
    let option = |provider: &&Provider| IdentityProviderOption {
        id: provider.id().to_owned(),
        name: provider.name().to_owned(),
    };
    Next::Ask(Ask::new(Step::Choose { options: providers.iter().map(option).collect() }, Value::Null))
}
