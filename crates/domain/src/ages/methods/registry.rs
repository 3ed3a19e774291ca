//! `social_security_number`, `us_florida_hb3`, `la_wallet`, `cpf`: a form that is checked here, then a database of
//! identities.

use super::{At, Next, TurnInput, ask_form, failed, not_set_up};
use crate::ages::{Ages, NotDone, words::AgeMethod};
use ::methods::registry::{LaWallet, SocialSecurityNumber, Subject, Taxpayer, UsFloridaHb3};

pub(super) fn form(method: AgeMethod) -> Next {
    ask_form(match method {
        AgeMethod::SocialSecurityNumber => &SocialSecurityNumber::FORM,
        AgeMethod::UsFloridaHb3 => &UsFloridaHb3::FORM,
        AgeMethod::LaWallet => &LaWallet::FORM,
        _ => &Taxpayer::FORM,
    })
}

impl Ages {
    pub(super) async fn ask_registry(&self, at: At<'_>, input: &TurnInput) -> Result<Next, NotDone> {
        let (method, today) = (at.block.method, self.today());
        let Some(provider) = self.providers(at).registries.get(method.block()) else {
            return Ok(not_set_up());
        };
        let fields = input.typed()?;
        let subject = match method {
            AgeMethod::SocialSecurityNumber => {
                SocialSecurityNumber::read(fields, today).map(Subject::SocialSecurityNumber)
            }
            AgeMethod::UsFloridaHb3 => UsFloridaHb3::read(fields, today).map(Subject::UsFloridaHb3),
            AgeMethod::LaWallet => LaWallet::read(fields, today).map(Subject::LaWallet),
            _ => Taxpayer::read(fields, today).map(Subject::Cpf),
        };
        let subject = match subject {
            Ok(subject) => subject,
            Err(failure) => return Ok(failed(at, failure, || form(method))),
        };
        let answer = provider.ask(&subject, at.years()).await;
        Ok(self.answered(at, answer, || form(method)))
    }
}
