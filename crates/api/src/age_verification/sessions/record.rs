//! A session, as its relying party reads it.

use super::methods::{
    AgeEstimationRecord, DeviceSignalRecord, DigitalIdRecord, DocScanRecord, DoubleAnonymityRecord,
    ElectronicIdRecord, KeyRecord, MethodRecord,
};
use crate::ApiState;
use base::{AgeSessionId, AppId, Timestamp, Uuid};
use domain::age_verification::{
    session::AgeSession,
    types::{AgeMethod, AgeSessionStatus, AgeSessionType, AppAttestation, SignalAssurance},
};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A session: its configuration and its state. It has the blocks of the request; if the request had none, those of all
/// configured methods. Members without a value are left out.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the members are the interface's")]
pub(crate) struct SessionRecord {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The application that the session belongs to.
    #[schema(value_type = Uuid)]
    sdk_id: AppId,
    /// What is asked about the age.
    #[serde(rename = "type")]
    kind: AgeSessionType,
    /// The state of the session.
    status: AgeSessionStatus,
    /// When the session expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// Whether consent to the use of biometric data is asked for.
    biometric_consent_required: bool,
    /// When the end user gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime)]
    biometric_consent_given_at: Option<Timestamp>,
    /// Whether methods may be tried again.
    retry_enabled: bool,
    /// Whether the session may continue after FAIL or ERROR.
    resume_enabled: bool,
    /// Whether the end user waits until every check has a result.
    synchronous_checks: bool,
    /// Whether only a blind token is accepted.
    double_blind: bool,
    /// Where the end user goes afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CallbackRecord)]
    callback: Option<CallbackRecord>,
    /// The `url` of `callback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    callback_url: Option<String>,
    /// Receives the result of each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    notification_url: Option<String>,
    /// Where the end user goes after cancelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    cancel_url: Option<String>,
    /// The address of the relying party's privacy policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    privacy_policy: Option<String>,
    /// The address of the relying party's terms and conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    terms_and_conditions: Option<String>,
    /// The relying party's own reference for the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    reference_id: Option<String>,
    /// The relying party's own reference for the end user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    account_id: Option<String>,
    /// The rule that a stored result must satisfy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid)]
    rule_id: Option<Uuid>,
    /// Locations where the session may not be used, as in the request, in capitals.
    blocked_locations: Vec<String>,
    /// The origin of the page that shows the session in a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    target_origin_url: Option<String>,
    /// A photo of the face.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_estimation: Option<AgeEstimationRecord>,
    /// A wallet.
    #[serde(skip_serializing_if = "Option::is_none")]
    digital_id: Option<DigitalIdRecord>,
    /// An identity document.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc_scan: Option<DocScanRecord>,
    /// A credit card.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_card: Option<MethodRecord>,
    /// A mobile network's data.
    #[serde(skip_serializing_if = "Option::is_none")]
    mobile: Option<MethodRecord>,
    /// An e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<MethodRecord>,
    /// An electronic identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    electronic_id: Option<ElectronicIdRecord>,
    /// Louisiana's wallet.
    #[serde(skip_serializing_if = "Option::is_none")]
    la_wallet: Option<MethodRecord>,
    /// A social security number of the United States.
    #[serde(skip_serializing_if = "Option::is_none")]
    social_security_number: Option<MethodRecord>,
    /// What Florida's law HB 3 asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    us_florida_hb3: Option<MethodRecord>,
    /// Singapore's digital identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    singpass: Option<MethodRecord>,
    /// A Brazilian taxpayer number.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpf: Option<MethodRecord>,
    /// A result under a passkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    svc_key: Option<KeyRecord>,
    /// A blind token.
    #[serde(skip_serializing_if = "Option::is_none")]
    double_anonymity: Option<DoubleAnonymityRecord>,
    /// What a phone's system states about the age.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_signal: Option<DeviceSignalRecord>,
    /// The policy that the methods are of, and its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, example = "gb@1")]
    policy: Option<String>,
    /// After an attempt: the age where the type is AGE and it was found out; else the threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64)]
    age: Option<i64>,
    /// After an attempt: its method.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<AgeMethod>,
    /// After an attempt: the method's id of the evidence, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    evidence_id: Option<String>,
    /// After an attempt with a device signal: who stands behind the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = SignalAssurance)]
    assurance: Option<SignalAssurance>,
    /// After an attempt with a device signal: who vouches for the app that read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AppAttestation)]
    attestation: Option<AppAttestation>,
}

/// Where the end user goes afterwards.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallbackRecord {
    /// The address; the session's id is added to its query as `sessionId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    url: Option<String>,
    /// Whether the page sends them there without a button.
    auto: bool,
}

impl SessionRecord {
    fn of(session: &AgeSession, now: Timestamp) -> Self {
        let wanted = &session.wanted;
        let consent = session.consent.filter(|consent| consent.given);
        let callback = wanted.callback.as_ref();
        let outcome = session.outcome.as_ref();
        let signal = outcome.and_then(|outcome| outcome.signal);
        // `MethodRecord` for blocks without members of their own; the others name their type.
        macro_rules! block {
            ($method:ident) => {
                block!($method, MethodRecord)
            };
            ($method:ident, $record:ident) => {
                wanted.method_config(AgeMethod::$method).map(|block| $record::of(session, block))
            };
        }
        Self {
            id: session.id,
            sdk_id: session.app,
            kind: wanted.kind,
            status: session.state_at(now),
            expires_at: wanted.until,
            created_at: session.created_at,
            updated_at: session.updated_at,
            biometric_consent_required: !wanted.block_biometric_consent,
            biometric_consent_given_at: consent.map(|consent| consent.at),
            retry_enabled: wanted.retry_enabled,
            resume_enabled: wanted.resume_enabled,
            synchronous_checks: wanted.synchronous_checks,
            double_blind: wanted.double_blind,
            callback: callback
                .map(|callback| CallbackRecord { url: callback.url.clone(), auto: callback.auto }),
            callback_url: callback.and_then(|callback| callback.url.clone()),
            notification_url: wanted.notification_url.clone(),
            cancel_url: wanted.cancel_url.clone(),
            privacy_policy: wanted.privacy_policy.clone(),
            terms_and_conditions: wanted.terms_and_conditions.clone(),
            reference_id: wanted.reference_id.clone(),
            account_id: wanted.account_id.clone(),
            rule_id: wanted.rule_id,
            blocked_locations: wanted.blocked_locations.iter().map(ToString::to_string).collect(),
            target_origin_url: wanted.target_origin_url.clone(),
            age_estimation: block!(AgeEstimation, AgeEstimationRecord),
            digital_id: block!(DigitalId, DigitalIdRecord),
            doc_scan: block!(DocScan, DocScanRecord),
            credit_card: block!(CreditCard),
            mobile: block!(Mobile),
            email: block!(Email),
            electronic_id: block!(ElectronicId, ElectronicIdRecord),
            la_wallet: block!(LaWallet),
            social_security_number: block!(SocialSecurityNumber),
            us_florida_hb3: block!(UsFloridaHb3),
            singpass: block!(Singpass),
            cpf: block!(Cpf),
            svc_key: block!(SvcKey, KeyRecord),
            double_anonymity: block!(DoubleAnonymity, DoubleAnonymityRecord),
            device_signal: block!(DeviceSignal, DeviceSignalRecord),
            policy: wanted.policy.clone(),
            age: outcome.and_then(|outcome| outcome.age),
            method: outcome.map(|outcome| outcome.method),
            evidence_id: outcome.and_then(|outcome| outcome.evidence_id.clone()),
            assurance: signal.map(|signal| signal.assurance),
            attestation: signal.map(|signal| signal.attestation),
        }
    }
}

/// A record as it is answered: its block `svc_key` is named after the brand of this server.
#[derive(Debug)]
pub(crate) struct BrandedSessionRecord {
    record: SessionRecord,
    key_block: Cow<'static, str>,
}

impl BrandedSessionRecord {
    pub(super) fn of(api: &ApiState, session: &AgeSession) -> Self {
        let key_block = AgeMethod::SvcKey.branded_block_name(&api.age_verification.settings().brand);
        Self { record: SessionRecord::of(session, api.environment.now()), key_block }
    }
}

impl Serialize for BrandedSessionRecord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let own = AgeMethod::SvcKey.block_name();
        if self.key_block == own {
            return self.record.serialize(to);
        }
        let mut record = serde_json::to_value(&self.record).map_err(serde::ser::Error::custom)?;
        if let Value::Object(members) = &mut record
            && let Some(block) = members.remove(own)
        {
            members.insert(self.key_block.clone().into_owned(), block);
        }
        record.serialize(to)
    }
}
