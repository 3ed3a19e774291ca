//! `device_signal`: the business's app sends what the phone's system states about an age, through the business's server.
//! No page can do that, so an attempt is opened and answered by the business.

use super::{AgeMethodHandler, AttemptContext, StepFuture, TurnInput};
use crate::age_verification::{
    AgeSessionError,
    decision::AgeDecider,
    session::{AgeMethodVerdict, SignalProvenance},
    types::{AgeFailureReason, AgeSessionType, AppAttestation, AttestationRequirement, SignalAssurance},
};
use age_methods::{
    AgeAttribute,
    device_signal::{
        AppVoucher, DeviceChallenge, DeviceFinding, DeviceSignalError, DeviceSignalVerifier, DeviceStatement,
        StatementSource,
    },
};
use base::AppId;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
pub(in crate::age_verification) struct DeviceSignalMethod {
    pub(super) verifier: Option<DeviceSignalVerifier>,
    pub(super) decider: Arc<AgeDecider>,
}

impl AgeMethodHandler for DeviceSignalMethod {
    fn is_available(&self) -> bool {
        self.verifier.is_some()
    }

    fn open<'a>(&'a self, _: AttemptContext<'a>) -> StepFuture<'a> {
        Box::pin(std::future::ready(Err(page_cannot())))
    }

    fn process_turn<'a>(&'a self, _: AttemptContext<'a>, _: Value, _: &'a TurnInput) -> StepFuture<'a> {
        Box::pin(std::future::ready(Err(page_cannot())))
    }
}

/// Why a page gets no such attempt.
pub(in crate::age_verification) fn page_cannot() -> AgeSessionError {
    AgeSessionError::invalid("method", "only the business's app can use it, through the business's server")
}

impl DeviceSignalMethod {
    /// Whether a platform can vouch for an app in the sessions of an application.
    pub(super) fn is_attested_for(&self, app: AppId) -> bool {
        self.verifier.as_ref().is_some_and(|verifier| verifier.counts_for(&app.to_string()))
    }

    pub(in crate::age_verification) fn new_challenge(&self) -> Option<DeviceChallenge> {
        self.verifier.as_ref().map(DeviceSignalVerifier::new_challenge)
    }

    /// The verdict on what an app sent, and who stands behind it. Refused if it cannot be read.
    pub(in crate::age_verification) fn judge(
        &self,
        context: AttemptContext<'_>,
        challenge: &DeviceChallenge,
        sent: &DeviceStatement,
    ) -> Result<(AgeMethodVerdict, Option<SignalProvenance>), AgeSessionError> {
        let undecided = |code| Ok((AgeMethodVerdict::Undecided { code }, None));
        let Some(verifier) = &self.verifier else {
            return Ok((AgeMethodVerdict::Broken { code: AgeFailureReason::NotConfigured }, None));
        };
        let application = context.session.app.to_string();
        let DeviceFinding { band, voucher } = match verifier.verify(&application, challenge, sent) {
            Ok(finding) => finding,
            Err(DeviceSignalError::Malformed { member, problem }) => {
                return Err(AgeSessionError::invalid(member, problem));
            }
            Err(DeviceSignalError::Declined) => return undecided(AgeFailureReason::Declined),
            Err(DeviceSignalError::Unknown) => return undecided(AgeFailureReason::AgeNotTold),
            Err(DeviceSignalError::NotAttested(message)) => {
                tracing::debug!(error = message, "an attestation of an app is not accepted");
                return undecided(AgeFailureReason::NotAttested);
            }
        };
        let (session, config) = (&context.session.wanted, context.config);
        let provenance =
            SignalProvenance { assurance: assurance(band.source), attestation: attested_by(voucher) };
        let undecided = |code| Ok((AgeMethodVerdict::Undecided { code }, Some(provenance)));
        if voucher.is_none() && config.attestation != Some(AttestationRequirement::Optional) {
            return undecided(AgeFailureReason::NotAttested);
        }
        // The variants are declared from the weakest to the strongest.
        if (provenance.assurance as u8) < config.assurance.unwrap_or(SignalAssurance::Checked) as u8 {
            return undecided(AgeFailureReason::SignalTooWeak);
        }
        let side: Option<AgeAttribute> = band.side_of(config.threshold_years());
        let Some(side) = side.filter(|_| session.kind != AgeSessionType::Age) else {
            return undecided(AgeFailureReason::AgeNotTold);
        };
        let evidence = Some(self.decider.new_evidence_id());
        Ok((self.decider.decide_from_evidence(side, session, config, evidence), Some(provenance)))
    }
}

fn assurance(source: StatementSource) -> SignalAssurance {
    match source {
        StatementSource::SelfDeclared => SignalAssurance::SelfDeclared,
        StatementSource::GuardianDeclared => SignalAssurance::GuardianDeclared,
        StatementSource::Checked => SignalAssurance::Checked,
    }
}

fn attested_by(voucher: Option<AppVoucher>) -> AppAttestation {
    match voucher {
        None => AppAttestation::None,
        Some(AppVoucher::PlayIntegrity) => AppAttestation::PlayIntegrity,
        Some(AppVoucher::AppAttest) => AppAttestation::AppAttest,
        Some(AppVoucher::Sandbox) => AppAttestation::Sandbox,
    }
}
