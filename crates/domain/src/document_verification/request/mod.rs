//! What a relying party asks of a session, and what has to be supplied for it. [`validation`] has the rules that a
//! request must follow.

mod validation;

use super::{
    restrictions::DocumentRestrictions,
    types::{
        CaptureMethods, ChipData, IbvSupport, LivenessType, ManualCheck, NotificationAuthType,
        NotificationTopic, ResourceKind, ResourceSource, SchemeType, TaskType, TrustFramework,
        VerificationCheckType,
    },
};
use base::Timestamp;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Seconds that the end user has, by default.
pub const DEFAULT_TOKEN_TTL_SECONDS: i64 = 600;
/// Seconds that the end user may be given: up to 30 days.
pub const TOKEN_TTL_SECONDS: RangeInclusive<i64> = 60..=2_592_000;
/// Seconds that resources are kept, by default.
pub const DEFAULT_RESOURCES_TTL_SECONDS: i64 = 87_000;
/// Seconds that resources may be kept: up to 365 days.
pub const RESOURCES_TTL_SECONDS: RangeInclusive<i64> = 86_700..=31_536_000;
/// Checks of a session, at most; likewise its tasks, and its documents.
pub const MAX_REQUESTED_ITEMS: usize = 20;
/// Captures of a face after the first, by default.
const DEFAULT_FACE_RETRIES: i64 = 3;
/// Attempts to read a document after the first, by default.
const DEFAULT_DOCUMENT_RETRIES: i64 = 3;

/// What a relying party asks for. Stored as JSON: new members need `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSessionRequest {
    /// When the end user must have finished.
    pub until: Timestamp,
    /// Seconds from the creation of the session after which what was supplied is destroyed.
    pub resources_ttl: i64,
    /// Seconds that an import token is kept.
    pub ttl: Option<i64>,
    /// The relying party's own id of the end user, the same over sessions.
    pub user_tracking_id: Option<String>,
    /// Whether the session must not collect consent to the use of biometric data.
    pub block_biometric_consent: bool,
    pub ibv_options: Option<InBranchOptions>,
    pub notifications: Option<WebhookSubscription>,
    /// The checks to make.
    pub checks: Vec<RequestedCheck>,
    /// The documents to read while the end user waits, by kind.
    pub tasks: Vec<RequestedTask>,
    /// The documents to supply.
    pub documents: Vec<RequiredDocument>,
    /// The scheme that was named in the request instead of checks, tasks and documents.
    pub identity_profile: Option<IdentityProfile>,
    pub sdk_config: SdkConfig,
}

/// A scheme by whose rules an identity is verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityProfile {
    /// A text and not an enum, as older rows have it in upper or lower case.
    pub trust_framework: String,
    pub scheme: IdentityScheme,
}

/// The purpose of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityScheme {
    /// `RTW` or `RTR`; a text for the same reason.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Verification in a branch of the relying party's. It is stored and given back, and has no effect here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InBranchOptions {
    /// Whether resources may be supplied in a branch.
    pub support: Option<IbvSupport>,
    /// An address with instructions.
    pub guidance_url: Option<String>,
}

/// Where notifications are sent, and about what.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSubscription {
    /// An https address.
    pub endpoint: String,
    pub topics: Vec<NotificationTopic>,
    /// Credentials for the endpoint, sent in `Authorization`.
    pub auth_token: Option<String>,
    pub auth_type: NotificationAuthType,
}

// The token is a secret of the endpoint's and must not reach a log.
impl std::fmt::Debug for WebhookSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebhookSubscription({:?})", self.topics)
    }
}

/// A check to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedCheck {
    pub kind: VerificationCheckType,
    /// When a reviewer decides.
    pub manual_check: ManualCheck,
    /// Whether an authenticity check includes the sub-check `issuing_authority`.
    pub issuing_authority: bool,
    /// The documents that it is about; without restrictions, all.
    pub filter: Option<DocumentRestrictions>,
    /// For a liveness check: how the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// For a liveness check: captures after the first, 0 to 10.
    pub max_retries: i64,
}

/// A task to do with each document of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedTask {
    pub kind: TaskType,
    /// When a reviewer decides the text-data check that the task causes.
    pub manual_check: ManualCheck,
    /// Whether a document's chip is read. It is stored and has no effect, as the page cannot read chips.
    pub chip_data: ChipData,
}

/// A document to supply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredDocument {
    /// An identity document or a supplementary one.
    pub kind: ResourceKind,
    /// Which are accepted.
    pub filter: DocumentRestrictions,
}

/// How the page looks and behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SdkConfig {
    /// Whether files are accepted besides pictures of a camera.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_capture_methods: Option<CaptureMethods>,
    /// `#rgb` or `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_colour: Option<String>,
    /// `#rgb` or `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary_colour: Option<String>,
    /// `#rgb` or `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_colour: Option<String>,
    /// The language of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The country that is preselected, ISO 3166-1 alpha-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset_issuing_country: Option<String>,
    /// Where the end user is sent when they have finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_url: Option<String>,
    /// Where the end user is sent when they cannot go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_url: Option<String>,
    /// The relying party's privacy policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy_policy_url: Option<String>,
    /// Attempts after the first, 0 to 10, by task and by a category of the relying party's own; the highest of a task
    /// counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attempts_configuration: BTreeMap<String, BTreeMap<String, i64>>,
    /// Whether the end user may continue on another device.
    pub allow_handoff: bool,
    /// Names of screens that the page leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressed_screens: Vec<String>,
}

/// What has to be supplied, as it follows from a request when the session is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementSpec {
    pub kind: ResourceKind,
    /// Who supplies it.
    pub source: ResourceSource,
    /// Which documents are accepted.
    pub filter: DocumentRestrictions,
    /// How the face is shown; `None` for anything but liveness.
    pub liveness_type: Option<LivenessType>,
    /// Attempts that are allowed altogether.
    pub attempts: i64,
}

impl DocumentSessionRequest {
    /// Addresses of the relying party's own pages and servers. Pages of their origins may show the session in a frame.
    pub fn embedder_addresses(&self) -> Vec<String> {
        let SdkConfig { success_url, error_url, .. } = &self.sdk_config;
        let endpoint = self.notifications.as_ref().map(|subscription| subscription.endpoint.clone());
        [success_url.clone(), error_url.clone(), endpoint].into_iter().flatten().collect()
    }

    /// A request for nothing, with the default of every option.
    pub fn new(until: Timestamp) -> Self {
        Self {
            until,
            resources_ttl: DEFAULT_RESOURCES_TTL_SECONDS,
            ttl: None,
            user_tracking_id: None,
            block_biometric_consent: false,
            ibv_options: None,
            notifications: None,
            checks: Vec::new(),
            tasks: Vec::new(),
            documents: Vec::new(),
            identity_profile: None,
            sdk_config: SdkConfig::default(),
        }
    }

    /// Replaces checks, tasks and documents by those of a scheme, as far as this server has them.
    ///
    /// Right to work and right to rent ask for a genuine document and for the face of its holder. Anything more
    /// (criminal records, addresses from registers) needs sources that this server does not have.
    pub fn follow_scheme(&mut self, framework: TrustFramework, scheme: SchemeType) {
        let check =
            |kind| RequestedCheck { manual_check: ManualCheck::Fallback, ..RequestedCheck::new(kind) };
        self.checks = [
            VerificationCheckType::Authenticity,
            VerificationCheckType::Liveness,
            VerificationCheckType::FaceMatch,
        ]
        .map(check)
        .into();
        let task = RequestedTask::new(TaskType::IdDocument);
        self.tasks = vec![RequestedTask { manual_check: ManualCheck::Fallback, ..task }];
        self.documents = vec![RequiredDocument::new(ResourceKind::IdDocument)];
        self.identity_profile = Some(IdentityProfile {
            trust_framework: framework.to_string(),
            scheme: IdentityScheme { kind: scheme.to_string() },
        });
    }

    /// The task of this kind; `None` if it is not requested.
    pub fn task(&self, kind: TaskType) -> Option<&RequestedTask> {
        self.tasks.iter().find(|task| task.kind == kind)
    }

    /// What has to be supplied, in the order in which the page asks for it.
    pub fn requirement_specs(&self) -> Vec<RequirementSpec> {
        let has = |kind| self.checks.iter().find(|check| check.kind == kind);
        let attempts = self.document_attempts();
        let mut needed: Vec<RequirementSpec> = Vec::new();
        let plain = |kind, filter: &DocumentRestrictions| RequirementSpec {
            kind,
            source: ResourceSource::EndUser,
            filter: filter.clone(),
            liveness_type: None,
            attempts,
        };
        needed.extend(self.documents.iter().map(|document| plain(document.kind, &document.filter)));
        let asks_for = |kind| self.documents.iter().any(|document| document.kind == kind);
        let reads = |kind| self.tasks.iter().any(|task| task.kind == kind);
        let about_documents = has(VerificationCheckType::Authenticity).is_some()
            || has(VerificationCheckType::FaceMatch).is_some();
        if (about_documents || reads(TaskType::IdDocument)) && !asks_for(ResourceKind::IdDocument) {
            needed.insert(0, plain(ResourceKind::IdDocument, &DocumentRestrictions::default()));
        }
        if reads(TaskType::SupplementaryDocument) && !asks_for(ResourceKind::SupplementaryDocument) {
            needed.push(plain(ResourceKind::SupplementaryDocument, &DocumentRestrictions::default()));
        }
        if has(VerificationCheckType::FaceComparison).is_some() {
            needed.push(RequirementSpec {
                source: ResourceSource::RelyingParty,
                ..plain(ResourceKind::FaceCapture, &DocumentRestrictions::default())
            });
        }
        for check in self.checks.iter().filter(|check| check.kind == VerificationCheckType::Liveness) {
            needed.push(RequirementSpec {
                liveness_type: check.liveness_type,
                attempts: 1 + check.max_retries,
                ..plain(ResourceKind::Liveness, &DocumentRestrictions::default())
            });
        }
        needed
    }

    /// How often a document may be read altogether.
    fn document_attempts(&self) -> i64 {
        let named = self.sdk_config.attempts_configuration.get(TaskType::IdDocument.as_str());
        1 + named.and_then(|named| named.values().copied().max()).unwrap_or(DEFAULT_DOCUMENT_RETRIES)
    }
}

impl RequestedCheck {
    /// A check with the default of every option.
    pub fn new(kind: VerificationCheckType) -> Self {
        Self {
            kind,
            manual_check: ManualCheck::Never,
            issuing_authority: false,
            filter: None,
            liveness_type: (kind == VerificationCheckType::Liveness).then_some(LivenessType::Static),
            max_retries: DEFAULT_FACE_RETRIES,
        }
    }
}

impl RequestedTask {
    /// A task with the default of every option.
    pub fn new(kind: TaskType) -> Self {
        Self { kind, manual_check: ManualCheck::Never, chip_data: ChipData::Ignore }
    }
}

impl RequiredDocument {
    /// Any document of a kind.
    pub fn new(kind: ResourceKind) -> Self {
        Self { kind, filter: DocumentRestrictions::default() }
    }
}
