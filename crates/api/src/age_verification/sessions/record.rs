//! A session, as its relying party reads it.

use super::methods::{
    DigitalIdRecord, DocScanRecord, DoubleAnonymityRecord, ElectronicIdRecord, KeyRecord, MethodRecord,
};
use crate::ApiState;
use base::{AgeSessionId, AppId, Timestamp, Uuid};
use domain::age_verification::{
    session::AgeSession,
    types::{AgeMethod, AgeSessionStatus, AgeSessionType},
};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A session: what was asked for, and how far it is. It has the blocks that the request had; without any, those of the
/// methods that are set up.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the members are the interface's")]
pub(crate) struct SessionRecord {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The application whose it is.
    #[schema(value_type = Uuid)]
    sdk_id: AppId,
    /// What it is to tell.
    #[serde(rename = "type")]
    kind: AgeSessionType,
    /// How far it is.
    status: AgeSessionStatus,
    /// When its time is over.
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
    #[schema(value_type = Option<String>, format = DateTime, required)]
    biometric_consent_given_at: Option<Timestamp>,
    /// Whether methods may be tried again.
    retry_enabled: bool,
    /// Whether it may go on after FAIL or ERROR.
    resume_enabled: bool,
    /// Whether the end user waits until every check has a result.
    synchronous_checks: bool,
    /// Whether nothing but a blind token answers it.
    double_blind: bool,
    /// Where the end user goes afterwards.
    #[schema(required)]
    callback: Option<CallbackRecord>,
    /// The same in short.
    #[schema(required)]
    callback_url: Option<String>,
    /// Receives the result of each attempt.
    #[schema(required)]
    notification_url: Option<String>,
    /// Where the end user goes who calls it off.
    #[schema(required)]
    cancel_url: Option<String>,
    /// The relying party's own page on what it does with data.
    #[schema(required)]
    privacy_policy: Option<String>,
    /// The relying party's terms.
    #[schema(required)]
    terms_and_conditions: Option<String>,
    /// The relying party's own word for the session.
    #[schema(required)]
    reference_id: Option<String>,
    /// The relying party's own word for the end user.
    #[schema(required)]
    account_id: Option<String>,
    /// The rule that a kept result must satisfy.
    #[schema(required)]
    rule_id: Option<Uuid>,
    /// From where it may not be used, as it was written, in capitals.
    blocked_locations: Vec<String>,
    /// The page in whose frame the session runs.
    #[schema(required)]
    target_origin_url: Option<String>,
    /// A photo of the face.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_estimation: Option<MethodRecord>,
    /// A wallet.
    #[serde(skip_serializing_if = "Option::is_none")]
    digital_id: Option<DigitalIdRecord>,
    /// An identity document.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc_scan: Option<DocScanRecord>,
    /// A credit card.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_card: Option<MethodRecord>,
    /// A mobile network's word.
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
    /// Singapore's identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    singpass: Option<MethodRecord>,
    /// A Brazilian taxpayer number.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpf: Option<MethodRecord>,
    /// A result under a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    svc_key: Option<KeyRecord>,
    /// A blind token.
    #[serde(skip_serializing_if = "Option::is_none")]
    double_anonymity: Option<DoubleAnonymityRecord>,
    /// After an attempt: the age where the type is AGE, else the threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    age: Option<NullableMember<i64>>,
    /// After an attempt: at which method.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<AgeMethod>,
    /// After an attempt: under what the method knows its evidence, where it has a name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    evidence_id: Option<NullableMember<String>>,
}

/// A member that is null where there is no value. Where there is no member, there is none of these.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct NullableMember<T>(Option<T>);

/// Where the end user goes afterwards.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallbackRecord {
    /// The address; the session's id is added to its query as `sessionId`.
    #[schema(required)]
    url: Option<String>,
    /// Whether they go there without pressing a button.
    auto: bool,
}

impl SessionRecord {
    fn of(session: &AgeSession) -> Self {
        let wanted = &session.wanted;
        let consent = session.consent.filter(|consent| consent.given);
        let callback = wanted.callback.as_ref();
        let outcome = session.outcome.as_ref();
        // What all blocks have, and what the five have beside it that have something of their own.
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
            status: session.state,
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
            age_estimation: block!(AgeEstimation),
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
            age: outcome.map(|outcome| NullableMember(outcome.age)),
            method: outcome.map(|outcome| outcome.method),
            evidence_id: outcome.map(|outcome| NullableMember(outcome.evidence_id.clone())),
        }
    }
}

/// A record in an answer: its block `svc_key` is called by the brand of this server.
#[derive(Debug)]
pub(crate) struct BrandedSessionRecord {
    record: SessionRecord,
    key_block: Cow<'static, str>,
}

impl BrandedSessionRecord {
    /// The record of a session.
    pub(super) fn of(api: &ApiState, session: &AgeSession) -> Self {
        let key_block = AgeMethod::SvcKey.branded_block_name(&api.age_verification.settings().brand);
        Self { record: SessionRecord::of(session), key_block }
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
