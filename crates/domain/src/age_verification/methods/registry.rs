//! `social_security_number`, `us_florida_hb3`, `la_wallet`, `cpf`: a form that is checked here, then a database of
//! identities.

use super::{AttemptContext, StepOutcome, TurnInput, evaluate_failure, not_configured, prompt_form};
use crate::age_verification::{AgeSessionError, AgeVerificationService, types::AgeMethod};
use age_methods::registry::{CpfHolder, FloridaResident, LouisianaLicenceHolder, RegistrySubject, SsnHolder};

pub(super) fn form(method: AgeMethod) -> StepOutcome {
    prompt_form(match method {
        AgeMethod::SocialSecurityNumber => &SsnHolder::FORM,
        AgeMethod::UsFloridaHb3 => &FloridaResident::FORM,
        AgeMethod::LaWallet => &LouisianaLicenceHolder::FORM,
        _ => &CpfHolder::FORM,
    })
}

impl AgeVerificationService {
    pub(super) async fn ask_registry(
        &self,
        at: AttemptContext<'_>,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let (method, today) = (at.block.method, self.today());
        let Some(provider) = self.providers(at).registries.get(method.block_name()) else {
            return Ok(not_configured());
        };
        let fields = input.require_fields()?;
        let subject = match method {
            AgeMethod::SocialSecurityNumber => {
                SsnHolder::read(fields, today).map(RegistrySubject::SocialSecurityNumber)
            }
            AgeMethod::UsFloridaHb3 => {
                FloridaResident::read(fields, today).map(RegistrySubject::UsFloridaHb3)
            }
            AgeMethod::LaWallet => LouisianaLicenceHolder::read(fields, today).map(RegistrySubject::LaWallet),
            _ => CpfHolder::read(fields, today).map(RegistrySubject::Cpf),
        };
        let subject = match subject {
            Ok(subject) => subject,
            Err(failure) => return Ok(evaluate_failure(at, failure, || form(method))),
        };
        let answer = provider.ask(&subject, at.threshold_years()).await;
        Ok(self.evaluate_answer(at, answer, || form(method)))
    }
}
