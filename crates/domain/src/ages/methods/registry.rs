//! `social_security_number`, `us_florida_hb3`, `la_wallet`, `cpf`: a form that is checked here, then a database of
//! identities.

use super::{At, Next, ask_form, failed, not_set_up, typed};
use crate::ages::{Ages, NotDone, words::Method};
use ::methods::registry::{LaWallet, SocialSecurityNumber, Subject, Taxpayer, UsFloridaHb3};
use serde_json::{Map, Value};

pub(super) fn form(method: Method) -> Next {
    ask_form(match method {
        Method::SocialSecurityNumber => &SocialSecurityNumber::FORM,
        Method::UsFloridaHb3 => &UsFloridaHb3::FORM,
        Method::LaWallet => &LaWallet::FORM,
        _ => &Taxpayer::FORM,
    })
}

impl Ages {
    pub(super) async fn ask_registry(&self, at: At<'_>, input: &Map<String, Value>) -> Result<Next, NotDone> {
        let (method, today) = (at.block.method, self.today());
        let Some(provider) = self.providers(at).registries.get(method.block()) else {
            return Ok(not_set_up());
        };
        let fields = typed(input)?;
        let subject = match method {
            Method::SocialSecurityNumber => {
                SocialSecurityNumber::read(&fields, today).map(Subject::SocialSecurityNumber)
            }
            Method::UsFloridaHb3 => UsFloridaHb3::read(&fields, today).map(Subject::UsFloridaHb3),
            Method::LaWallet => LaWallet::read(&fields, today).map(Subject::LaWallet),
            _ => Taxpayer::read(&fields, today).map(Subject::Cpf),
        };
        let subject = match subject {
            Ok(subject) => subject,
            Err(failure) => return Ok(failed(at, failure, || form(method))),
        };
        let answer = provider.ask(&subject, at.years()).await;
        Ok(self.answered(at, answer, || form(method)))
    }
}
