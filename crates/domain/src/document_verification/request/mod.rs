//! What a relying party asks of a session, and what has to be supplied for it. [`validation`] has the rules that a
//! request must follow.

mod validation;

use super::{
    restrictions::{DocumentRestrictions, SupplementaryRestrictions},
    types::{
        BiometricConsentFlow, CaptureMethods, DarkMode, LivenessType, ManualCheck, NotificationAuthType,
        NotificationTopic, ResourceKind, ResourceSource, RetryCategory, SchemeType, TaskType, TrustFramework,
        VerificationCheckType, WatchlistCategory,
    },
};
use crate::time_left::whole_seconds_until;
use base::Timestamp;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Seconds that the end user has, by default.
pub const DEFAULT_TOKEN_TTL_SECONDS: i64 = 600;
/// Seconds that the end user may be given: up to 30 days.
pub const TOKEN_TTL_SECONDS: RangeInclusive<i64> = 60..=2_592_000;
/// Seconds that resources are kept, by default, unless the end user has nearly as long.
pub const DEFAULT_RESOURCES_TTL_SECONDS: i64 = 87_000;
/// Seconds that resources are kept beyond the end user's time, by default, at least.
const RESOURCES_GRACE_SECONDS: i64 = 3600;
/// Seconds that resources may be kept: up to 365 days.
pub const RESOURCES_TTL_SECONDS: RangeInclusive<i64> = 86_700..=31_536_000;
/// Checks of a session, at most; likewise its tasks, and its documents.
pub const MAX_REQUESTED_ITEMS: usize = 20;
/// Captures of a face after the first, by default.
const DEFAULT_FACE_RETRIES: i64 = 3;
/// Attempts to read a document after the first, by default.
const DEFAULT_DOCUMENT_RETRIES: i64 = 3;
/// Attempts after a document turned out to be another one than was said, by default.
const DEFAULT_RECLASSIFICATION_RETRIES: i64 = 2;

/// What a relying party asks for. Stored as JSON: new members need `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSessionRequest {
    /// When the end user must have finished.
    pub until: Timestamp,
    /// Seconds from the creation of the session after which what was supplied is destroyed.
    pub resources_ttl: i64,
    /// The relying party's own id of the end user, the same over sessions.
    pub user_tracking_id: Option<String>,
    /// Whether the session must not collect consent to the use of biometric data.
    pub block_biometric_consent: bool,
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
    /// The relying party's own id of the person whose identity it is.
    #[serde(default)]
    pub subject_id: Option<String>,
}

/// The purpose of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityScheme {
    /// `RTW` or `RTR`; a text for the same reason.
    #[serde(rename = "type")]
    pub kind: String,
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
    /// The documents that `issuing_authority` is about; without restrictions, all that the check is about.
    #[serde(default)]
    pub issuing_authority_filter: Option<DocumentRestrictions>,
    /// The documents that it is about; without restrictions, all.
    pub filter: Option<DocumentRestrictions>,
    /// For a liveness check: how the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// For a liveness check: captures after the first, 0 to 10.
    pub max_retries: i64,
    /// For a check of watchlists: what they are about.
    #[serde(default)]
    pub watchlist_categories: Vec<WatchlistCategory>,
}

/// A task to do with each document of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedTask {
    pub kind: TaskType,
    /// When a reviewer decides the text-data check that the task causes.
    pub manual_check: ManualCheck,
}

/// A document to supply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredDocument {
    /// An identity document or a supplementary one.
    pub kind: ResourceKind,
    /// Which identity documents are accepted.
    pub filter: DocumentRestrictions,
    /// Which supplementary documents are accepted.
    #[serde(default)]
    pub supplementary: SupplementaryRestrictions,
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
    /// The primary colour where the page is dark; `#rgb` or `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_colour_dark_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dark_mode: Option<DarkMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub biometric_consent_flow: Option<BiometricConsentFlow>,
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
    /// Attempts after the first, 0 to 10, by task and by [`RetryCategory`].
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
    /// Which identity documents are accepted.
    pub filter: DocumentRestrictions,
    /// Which supplementary documents are accepted.
    pub supplementary: SupplementaryRestrictions,
    /// How the face is shown; `None` for anything but liveness.
    pub liveness_type: Option<LivenessType>,
    /// Attempts that are allowed altogether, without those that end in a reclassification.
    pub attempts: i64,
    /// Attempts that may end in a reclassification and be followed by another; `None` where nothing is classified.
    pub reclassifications: Option<i64>,
}

impl DocumentSessionRequest {
    /// Addresses of the relying party's own pages and servers. Pages of their origins may show the session in a frame.
    pub(super) fn embedder_addresses(&self) -> Vec<String> {
        let SdkConfig { success_url, error_url, .. } = &self.sdk_config;
        let endpoint = self.notifications.as_ref().map(|subscription| subscription.endpoint.clone());
        [success_url.clone(), error_url.clone(), endpoint].into_iter().flatten().collect()
    }

    /// A request for nothing, with the default of every option.
    pub fn new(until: Timestamp) -> Self {
        Self {
            until,
            resources_ttl: DEFAULT_RESOURCES_TTL_SECONDS,
            user_tracking_id: None,
            block_biometric_consent: false,
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
    pub fn follow_scheme(
        &mut self,
        framework: TrustFramework,
        scheme: SchemeType,
        subject_id: Option<String>,
    ) {
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
            subject_id,
        });
    }

    /// Seconds that resources are kept, by default, where the end user has until then.
    pub fn default_resources_ttl(until: Timestamp, now: Timestamp) -> i64 {
        DEFAULT_RESOURCES_TTL_SECONDS.max(whole_seconds_until(until, now) + RESOURCES_GRACE_SECONDS)
    }

    /// Whether nothing is to be supplied, read or checked.
    pub fn asks_for_nothing(&self) -> bool {
        self.checks.is_empty() && self.tasks.is_empty() && self.documents.is_empty()
    }

    /// The task of this kind; `None` if it is not requested.
    pub fn task(&self, kind: TaskType) -> Option<&RequestedTask> {
        self.tasks.iter().find(|task| task.kind == kind)
    }

    /// What has to be supplied, in the order in which the page asks for it.
    pub fn requirement_specs(&self) -> Vec<RequirementSpec> {
        let has = |kind| self.checks.iter().find(|check| check.kind == kind);
        let mut needed: Vec<RequirementSpec> = Vec::new();
        let plain = |kind| {
            let task = TaskType::of(kind);
            let retries = |category, usual| task.map_or(usual, |task| self.retries(task, category, usual));
            RequirementSpec {
                kind,
                source: ResourceSource::EndUser,
                filter: DocumentRestrictions::default(),
                supplementary: SupplementaryRestrictions::default(),
                liveness_type: None,
                attempts: 1 + retries(RetryCategory::Generic, DEFAULT_DOCUMENT_RETRIES),
                reclassifications: task
                    .map(|_| retries(RetryCategory::Reclassification, DEFAULT_RECLASSIFICATION_RETRIES)),
            }
        };
        needed.extend(self.documents.iter().map(|document| RequirementSpec {
            filter: document.filter.clone(),
            supplementary: document.supplementary.clone(),
            ..plain(document.kind)
        }));
        let asks_for = |kind| self.documents.iter().any(|document| document.kind == kind);
        let reads = |kind| self.tasks.iter().any(|task| task.kind == kind);
        let about_documents = [
            VerificationCheckType::Authenticity,
            VerificationCheckType::FaceMatch,
            VerificationCheckType::Watchlist,
            VerificationCheckType::ThirdPartyIdentity,
        ]
        .into_iter()
        .any(|kind| has(kind).is_some());
        if (about_documents || reads(TaskType::IdDocument)) && !asks_for(ResourceKind::IdDocument) {
            needed.insert(0, plain(ResourceKind::IdDocument));
        }
        if reads(TaskType::SupplementaryDocument) && !asks_for(ResourceKind::SupplementaryDocument) {
            needed.push(plain(ResourceKind::SupplementaryDocument));
        }
        if has(VerificationCheckType::FaceComparison).is_some() {
            needed.push(RequirementSpec {
                source: ResourceSource::RelyingParty,
                ..plain(ResourceKind::FaceCapture)
            });
        }
        for check in self.checks.iter().filter(|check| check.kind == VerificationCheckType::Liveness) {
            needed.push(RequirementSpec {
                liveness_type: check.liveness_type,
                attempts: 1 + check.max_retries,
                ..plain(ResourceKind::Liveness)
            });
        }
        needed
    }

    /// How often a task may be repeated for a reason.
    fn retries(&self, task: TaskType, category: RetryCategory, usual: i64) -> i64 {
        let named = self.sdk_config.attempts_configuration.get(task.as_str());
        named.and_then(|named| named.get(category.as_str())).copied().unwrap_or(usual)
    }
}

impl RequestedCheck {
    /// A check with the default of every option.
    pub fn new(kind: VerificationCheckType) -> Self {
        Self {
            kind,
            manual_check: ManualCheck::Never,
            issuing_authority: false,
            issuing_authority_filter: None,
            filter: None,
            liveness_type: (kind == VerificationCheckType::Liveness).then_some(LivenessType::Static),
            max_retries: DEFAULT_FACE_RETRIES,
            watchlist_categories: match kind {
                VerificationCheckType::Watchlist => WatchlistCategory::ALL.to_vec(),
                _ => Vec::new(),
            },
        }
    }
}

impl RequestedTask {
    /// A task with the default of every option.
    pub fn new(kind: TaskType) -> Self {
        Self { kind, manual_check: ManualCheck::Never }
    }
}

impl RequiredDocument {
    /// Any document of a kind.
    pub fn new(kind: ResourceKind) -> Self {
        Self {
            kind,
            filter: DocumentRestrictions::default(),
            supplementary: SupplementaryRestrictions::default(),
        }
    }
}
