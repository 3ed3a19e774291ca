//! How a policy fills in the request that names it.

use super::{AgePolicy, AgePolicyBook};
use crate::{
    age_verification::{
        request::{AgeMethodRequest, AgeMethodTerms, AgeSessionRequest},
        types::AgeMethod,
    },
    violation::Violation,
};

impl AgePolicyBook {
    /// Replaces the methods and the type of a request by those of the policy that it names, if it names one. Beside a
    /// policy a request may take methods away and say how a method is used, but not which ages and levels are enough.
    pub(in crate::age_verification) fn apply(
        &self,
        mut request: AgeSessionRequest,
    ) -> Result<AgeSessionRequest, Vec<Violation>> {
        let Some(named) = request.policy.take() else { return Ok(request) };
        let policy = self.find(&named).map_err(|error| vec![Violation::new("policy", error.to_string())])?;
        let violations = policy.contradictions(&request);
        if !violations.is_empty() {
            return Err(violations);
        }
        let methods = policy.methods.iter().map(|accepted| {
            let own = request.methods.iter().find(|asked| asked.method == accepted.method);
            let name = own.map_or(accepted.method.block_name(), |own| &own.name).to_owned();
            let own = own.map(|own| own.terms.clone()).unwrap_or_default();
            let terms = merged(own, &accepted.terms);
            AgeMethodRequest { method: accepted.method, name, terms }
        });
        request.methods = methods.collect();
        request.kind = Some(policy.kind);
        request.policy = Some(policy.reference());
        Ok(request)
    }
}

impl AgePolicy {
    /// Members of a request that say something else than this policy, by their paths.
    fn contradictions(&self, request: &AgeSessionRequest) -> Vec<Violation> {
        let mut found = Vec::new();
        let id = &self.id;
        if let Some(kind) = request.kind.filter(|kind| *kind != self.kind) {
            found.push(Violation::new("type", format!("it is {kind}; the policy {id} says {}", self.kind)));
        }
        let accepts = |method| self.methods.iter().any(|accepted| accepted.method == method);
        if request.double_blind == Some(true) && !accepts(AgeMethod::DoubleAnonymity) {
            found.push(Violation::new("double_blind", format!("the policy {id} accepts no blind tokens")));
        }
        for AgeMethodRequest { method, name, terms } in &request.methods {
            if !accepts(*method) && terms.allowed != Some(false) {
                found.push(Violation::new(
                    name.clone(),
                    format!("the policy {id} does not accept this method"),
                ));
            }
            for member in decisive_members(terms) {
                let words = format!("the policy {id} says what it is; leave it out, or leave the policy out");
                found.push(Violation::new(format!("{name}.{member}"), words));
            }
        }
        found
    }
}

/// The members of a block that decide what is enough, as far as they are set.
fn decisive_members(terms: &AgeMethodTerms) -> Vec<&'static str> {
    let members = [
        ("threshold", terms.threshold.is_some()),
        ("level", terms.level.is_some()),
        ("authenticity", terms.authenticity.is_some()),
        ("confidence", terms.confidence.is_some()),
        ("age_estimation_allowed", terms.age_estimation_allowed.is_some()),
        ("age_estimation_threshold", terms.age_estimation_threshold.is_some()),
        ("age_estimation_confidence", terms.age_estimation_confidence.is_some()),
        ("allow_non_latin_documents", terms.allow_non_latin_documents.is_some()),
        ("authentication", terms.authentication.is_some()),
        ("assurance", terms.assurance.is_some()),
        ("attestation", terms.attestation.is_some()),
    ];
    members.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
}

/// The policy's terms, with what a request may add.
fn merged(own: AgeMethodTerms, policy: &AgeMethodTerms) -> AgeMethodTerms {
    AgeMethodTerms {
        allowed: own.allowed,
        retry_enabled: own.retry_enabled,
        retry_limit: own.retry_limit,
        preset_issuing_country: own.preset_issuing_country,
        disable_mobile_hand_off: own.disable_mobile_hand_off,
        synchronous_checks: own.synchronous_checks,
        sub_methods: own.sub_methods,
        ..policy.clone()
    }
}
