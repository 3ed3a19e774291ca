//! What a session is asked for, and what has to be supplied for it.

use super::{
    restrictions::{DocumentRestrictions, is_country_code},
    types::{
        CaptureMethods, ChipData, IbvSupport, LivenessType, ManualCheck, NotificationAuthType,
        NotificationTopic, ResourceKind, ResourceSource, SchemeType, TaskType, TrustFramework,
        VerificationCheckType,
    },
};
use crate::{delivery::Outbox, violation::Violation};
use base::Timestamp;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// How long the end user has, unless asked otherwise.
pub const DEFAULT_TOKEN_TTL_SECONDS: i64 = 600;
/// How long the end user may have: up to a month.
pub const TOKEN_TTL_SECONDS: RangeInclusive<i64> = 60..=2_592_000;
/// How long resources are kept, unless asked otherwise.
pub const DEFAULT_RESOURCES_TTL_SECONDS: i64 = 87_000;
/// How long resources may be kept: up to a year.
pub const RESOURCES_TTL_SECONDS: RangeInclusive<i64> = 86_700..=31_536_000;
/// How long an import token may be kept.
const IMPORT_TOKEN_TTL_SECONDS: RangeInclusive<i64> = 1..=31_536_000;
/// Checks, tasks or documents of one session, at most.
pub const MAX_REQUESTED_ITEMS: usize = 20;
/// Captures of a face after the first, unless asked otherwise.
const DEFAULT_FACE_RETRIES: i64 = 3;
/// Attempts to read a document after the first, unless asked otherwise.
const DEFAULT_DOCUMENT_RETRIES: i64 = 3;
/// Attempts after the first that may be asked for.
const RETRY_COUNT_RANGE: RangeInclusive<i64> = 0..=10;

/// What a relying party asks for. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSessionRequest {
    /// When the person must be through.
    pub until: Timestamp,
    /// Seconds that resources are kept.
    pub resources_ttl: i64,
    /// Seconds that an import token is kept.
    pub ttl: Option<i64>,
    /// Names one person over sessions.
    pub user_tracking_id: Option<String>,
    /// Whether no consent may be collected.
    pub block_biometric_consent: bool,
    /// Resources in a branch.
    pub ibv_options: Option<InBranchOptions>,
    /// Whom to tell.
    pub notifications: Option<WebhookSubscription>,
    /// What is checked.
    pub checks: Vec<RequestedCheck>,
    /// What is read.
    pub tasks: Vec<RequestedTask>,
    /// Which documents are asked for.
    pub documents: Vec<RequiredDocument>,
    /// The scheme that stood in the request instead of the three lists.
    pub identity_profile: Option<IdentityProfile>,
    /// How the page looks and goes.
    pub sdk_config: SdkConfig,
}

/// A scheme of identity checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityProfile {
    /// By whose rules. A text, as older rows have it in any case.
    pub trust_framework: String,
    /// What for.
    pub scheme: IdentityScheme,
}

/// What identity is checked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityScheme {
    /// Its word.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Resources in a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InBranchOptions {
    /// Whether they may be supplied there.
    pub support: Option<IbvSupport>,
    /// Where it is explained.
    pub guidance_url: Option<String>,
}

/// Whom to tell.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSubscription {
    /// Where to, https.
    pub endpoint: String,
    /// Of what.
    pub topics: Vec<NotificationTopic>,
    /// What opens the receiver's door.
    pub auth_token: Option<String>,
    /// How.
    pub auth_type: NotificationAuthType,
}

// The token is a secret of the receiver's.
impl std::fmt::Debug for WebhookSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Notifications({:?})", self.topics)
    }
}

/// A check that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedCheck {
    /// Which.
    pub kind: VerificationCheckType,
    /// When a reviewer decides.
    pub manual_check: ManualCheck,
    /// Whether the issuing authority is looked at.
    pub issuing_authority: bool,
    /// Which documents it is about; all, where there is none.
    pub filter: Option<DocumentRestrictions>,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// Captures after the first.
    pub max_retries: i64,
}

/// A task that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedTask {
    /// Which.
    pub kind: TaskType,
    /// When a reviewer decides about what was read.
    pub manual_check: ManualCheck,
    /// What is read of a chip. No page of ours reads one.
    pub chip_data: ChipData,
}

/// A document that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredDocument {
    /// An identity document or a supplementary one.
    pub kind: ResourceKind,
    /// Which are taken.
    pub filter: DocumentRestrictions,
}

/// How the page looks and goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SdkConfig {
    /// Where pictures come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_capture_methods: Option<CaptureMethods>,
    /// A colour, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_colour: Option<String>,
    /// A colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary_colour: Option<String>,
    /// A colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_colour: Option<String>,
    /// The language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The country that is chosen at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset_issuing_country: Option<String>,
    /// Where the person goes afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_url: Option<String>,
    /// Where the person goes when it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_url: Option<String>,
    /// What the business says about privacy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy_policy_url: Option<String>,
    /// Attempts after the first, by task and by a name of the business's own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attempts_configuration: BTreeMap<String, BTreeMap<String, i64>>,
    /// Whether the person may go on with another device.
    pub allow_handoff: bool,
    /// Screens that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressed_screens: Vec<String>,
}

/// What a person must supply. Made from what is wanted, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementSpec {
    /// What.
    pub kind: ResourceKind,
    /// Who supplies it.
    pub source: ResourceSource,
    /// Which documents are taken.
    pub filter: DocumentRestrictions,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// How often it may be tried.
    pub attempts: i64,
}

impl DocumentSessionRequest {
    /// Asks for nothing yet, with everything else as it is where nobody says otherwise.
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

    /// Asks for the checks of a scheme, as far as they exist here, in place of whatever was listed.
    ///
    /// Right to work and to rent ask for a document that is genuine and for the face of its holder. Anything more (criminal
    /// records, addresses from registers) needs sources that this server does not have.
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

    /// Every rule that the request breaks, with the paths of the interface.
    pub(super) fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut found = Vec::new();
        found.extend(out_of_range("resources_ttl", self.resources_ttl, &RESOURCES_TTL_SECONDS));
        found.extend(self.ttl.and_then(|ttl| out_of_range("ttl", ttl, &IMPORT_TOKEN_TTL_SECONDS)));
        found.extend(self.notifications.iter().flat_map(|whom| whom.violations(outbox)));
        for (at, check) in self.checks.iter().enumerate() {
            let path = format!("requested_checks[{at}].config.max_retries");
            found.extend(out_of_range(path, check.max_retries, &RETRY_COUNT_RANGE));
        }
        found.extend(self.sdk_config.violations());
        found.extend(self.inconsistencies());
        found
    }

    /// Checks and tasks that need something of others, or repeat them.
    fn inconsistencies(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let has = |kind| self.checks.iter().any(|check| check.kind == kind);
        for (at, check) in self.checks.iter().enumerate() {
            let kind_path = format!("requested_checks[{at}].type");
            if matches!(check.kind, VerificationCheckType::FaceMatch | VerificationCheckType::FaceComparison)
                && !has(VerificationCheckType::Liveness)
            {
                let words = format!("{} needs a check LIVENESS, whose face it compares", check.kind);
                found.push(Violation::new(kind_path.clone(), words));
            }
            let repeated = |other: &RequestedCheck| {
                other.kind == check.kind
                    && other.filter == check.filter
                    && other.liveness_type == check.liveness_type
            };
            if self.checks.iter().take(at).any(repeated) {
                let words = "the same check is asked for twice";
                found.push(Violation::new(format!("requested_checks[{at}]"), words));
            }
            if check.kind == VerificationCheckType::Comparison && self.documents.len() < 2 {
                let words = "ID_DOCUMENT_COMPARISON needs two required_documents to compare";
                found.push(Violation::new(kind_path, words));
            }
        }
        for (at, task) in self.tasks.iter().enumerate() {
            if self.tasks.iter().take(at).any(|other| other.kind == task.kind) {
                let words = "the same task is asked for twice";
                found.push(Violation::new(format!("requested_tasks[{at}]"), words));
            }
        }
        found
    }

    /// The task of a kind of document, where it is asked for.
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

    /// How often a document may be read.
    fn document_attempts(&self) -> i64 {
        let named = self.sdk_config.attempts_configuration.get(TaskType::IdDocument.as_str());
        1 + named.and_then(|named| named.values().copied().max()).unwrap_or(DEFAULT_DOCUMENT_RETRIES)
    }
}

impl RequestedCheck {
    /// A check with everything else as it is where nobody says otherwise.
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
    /// A task with everything else as it is where nobody says otherwise.
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

impl WebhookSubscription {
    fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut found = Vec::new();
        let unfit = |token: &str| token.chars().any(|c| c.is_control() || !c.is_ascii());
        if self.auth_token.as_deref().is_some_and(unfit) {
            let words = "it has characters that no header can carry";
            found.push(Violation::new("notifications.auth_token", words));
        }
        if let Err(refused) = outbox.check_destination(&self.endpoint, true) {
            found.push(Violation::new("notifications.endpoint", refused.to_string()));
        }
        found
    }
}

impl SdkConfig {
    fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut refuse = |name: &str, words: String| {
            found.push(Violation::new(format!("sdk_config.{name}"), words));
        };
        for (name, colour) in [
            ("primary_colour", &self.primary_colour),
            ("secondary_colour", &self.secondary_colour),
            ("font_colour", &self.font_colour),
        ] {
            if colour.as_deref().is_some_and(|text| !is_colour(text)) {
                refuse(name, "it is no colour: # and three or six hexadecimal digits".to_owned());
            }
        }
        if self.locale.as_deref().is_some_and(|locale| locale.trim().is_empty()) {
            refuse("locale", "it is empty".to_owned());
        }
        if self.preset_issuing_country.as_deref().is_some_and(|code| !is_country_code(code)) {
            refuse("preset_issuing_country", "it is no ISO 3166-1 alpha-3 code".to_owned());
        }
        for (name, url) in [
            ("success_url", &self.success_url),
            ("error_url", &self.error_url),
            ("privacy_policy_url", &self.privacy_policy_url),
        ] {
            if url.as_deref().is_some_and(|url| !is_redirect_url(url)) {
                refuse(name, "it is no address that a person can be sent to".to_owned());
            }
        }
        for (task, counts) in &self.attempts_configuration {
            for (name, count) in counts {
                if let Some(broken) = out_of_range("", *count, &RETRY_COUNT_RANGE) {
                    refuse(&format!("attempts_configuration.{task}.{name}"), broken.message);
                }
            }
        }
        if self.attempts_configuration.len() > MAX_REQUESTED_ITEMS {
            refuse("attempts_configuration", format!("at most {MAX_REQUESTED_ITEMS} members are taken"));
        }
        found
    }
}

/// What is wrong with a number that lies outside of its limits.
fn out_of_range(path: impl Into<String>, number: i64, range: &RangeInclusive<i64>) -> Option<Violation> {
    let (least, most) = (range.start(), range.end());
    let words = format!("it is {number}; a whole number from {least} to {most} is expected");
    (!range.contains(&number)).then(|| Violation::new(path.into(), words))
}

/// Whether a text is `#` and three or six hexadecimal digits.
fn is_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Whether a person can be sent to an address: never to one that a browser would run. Applications on a phone have schemes of
/// their own.
fn is_redirect_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let fine = scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            && !["javascript", "data", "vbscript", "file", "blob"].contains(&scheme.as_str())
    });
    fine && !text.chars().any(char::is_control)
}
