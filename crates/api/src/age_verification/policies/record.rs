//! A policy, as a relying party reads it.

use base::AppId;
use domain::age_verification::{
    policies::{AgePolicy, AgePolicyMethod, AgePolicyOrigin, AgePolicySource},
    session_config::AvailableMethods,
    types::AgeSessionType,
};
use serde::Serialize;
use utoipa::ToSchema;

/// A policy.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicyRecord {
    /// Its name, for `policy` of sessions.
    #[schema(example = "gb")]
    id: String,
    /// Counted up with each change; `gb@1` names this version only.
    #[schema(minimum = 1)]
    version: u32,
    /// What it is about.
    title: String,
    /// Where it applies: `EU`, or codes of ISO 3166-1 and 3166-2.
    regions: Vec<String>,
    /// What is asked about the age.
    #[serde(rename = "type")]
    kind: AgeSessionType,
    /// When its sources were last read.
    #[schema(format = Date, example = "2026-11-26")]
    checked: String,
    /// What it leaves open.
    note: String,
    /// Where its rules come from.
    sources: Vec<PolicySourceRecord>,
    /// The methods, in the order in which they are offered.
    methods: Vec<PolicyMethodRecord>,
    /// Whose it is.
    origin: AgePolicyOrigin,
}

/// A policy and its file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SignedPolicyRecord {
    #[serde(flatten)]
    policy: PolicyRecord,
    /// The file, as it was signed (TOML).
    text: String,
    /// Its signature: a JWS in compact form without the payload (RFC 7515, appendix F), ES256.
    signature: String,
}

/// A law or guidance.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicySourceRecord {
    /// Its name.
    name: String,
    /// What it asks for.
    says: String,
    /// Since when it applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = Date)]
    since: Option<String>,
}

/// A method that a policy accepts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicyMethodRecord {
    /// The name of its block.
    #[schema(example = "doc_scan")]
    method: &'static str,
    /// The age that is asked for, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, minimum = 1, maximum = 120)]
    threshold: Option<i64>,
    /// Why it is accepted on the terms in `text`.
    why: String,
    /// Whether this server offers it.
    available: bool,
}

impl PolicyRecord {
    /// `app` is the application that reads it.
    pub(super) fn of(policy: &AgePolicy, app: AppId, available: &dyn AvailableMethods) -> Self {
        let method = |AgePolicyMethod { method, terms, why }: &AgePolicyMethod| PolicyMethodRecord {
            method: method.block_name(),
            threshold: terms.threshold,
            why: why.clone(),
            available: available.supports_for(app, *method, terms.attestation),
        };
        Self {
            id: policy.id.clone(),
            version: policy.version,
            title: policy.title.clone(),
            regions: policy.regions.clone(),
            kind: policy.kind,
            checked: policy.checked.to_string(),
            note: policy.note.clone(),
            sources: policy.sources.iter().map(PolicySourceRecord::of).collect(),
            methods: policy.methods.iter().map(method).collect(),
            origin: policy.origin,
        }
    }
}

impl SignedPolicyRecord {
    pub(super) fn of(policy: &AgePolicy, app: AppId, available: &dyn AvailableMethods) -> Self {
        Self {
            policy: PolicyRecord::of(policy, app, available),
            text: policy.text.clone(),
            signature: policy.signature.clone(),
        }
    }
}

impl PolicySourceRecord {
    fn of(AgePolicySource { name, says, since }: &AgePolicySource) -> Self {
        Self { name: name.clone(), says: says.clone(), since: since.map(|day| day.to_string()) }
    }
}
