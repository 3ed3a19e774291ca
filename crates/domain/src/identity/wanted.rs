//! What a session is asked for: the create payload, held to its rules.

use super::{
    filter::Filter,
    words::{
        AuthType, Branch, CaptureMethods, CheckType, ChipData, LivenessType, ManualCheck, ResourceKind,
        SourceType, TaskType, Topic,
    },
};
use crate::{
    delivery::Outbox,
    members::{Members, Wrongs},
    violation::Violation,
};
use base::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Seconds that a person has, unless asked otherwise.
const TOKEN_TTL: i64 = 600;
/// Seconds that a person has at least, and at most: a month.
const TOKEN_TTL_BOUNDS: (i64, i64) = (60, 2_592_000);
/// Seconds that resources are kept, unless asked otherwise; and at least, and at most: a year.
const RESOURCES_TTL: i64 = 87_000;
const RESOURCES_TTL_BOUNDS: (i64, i64) = (86_700, 31_536_000);
/// Items of a list of checks, tasks or documents.
const MOST: usize = 20;
/// Captures of a face after the first, unless asked otherwise.
const RETRIES: i64 = 3;
/// Attempts to read a document after the first, unless asked otherwise.
pub(super) const ATTEMPTS: i64 = 3;

/// A create payload that holds. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
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
    pub ibv_options: Option<BranchOptions>,
    /// Whom to tell.
    pub notifications: Option<Notifications>,
    /// What is checked.
    pub checks: Vec<WantedCheck>,
    /// What is read.
    pub tasks: Vec<WantedTask>,
    /// Which documents are asked for.
    pub documents: Vec<WantedDocument>,
    /// A scheme instead of the three lists.
    pub identity_profile: Option<Value>,
    /// How the page looks and goes.
    pub sdk_config: SdkConfig,
}

/// Resources in a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchOptions {
    /// Whether they may be supplied there.
    pub support: Option<Branch>,
    /// Where it is explained.
    pub guidance_url: Option<String>,
}

/// Whom to tell.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notifications {
    /// Where to, https.
    pub endpoint: String,
    /// Of what.
    pub topics: Vec<Topic>,
    /// What opens the receiver's door.
    pub auth_token: Option<String>,
    /// How.
    pub auth_type: AuthType,
}

// The token is a secret of the receiver's.
impl std::fmt::Debug for Notifications {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Notifications({:?})", self.topics)
    }
}

/// A check that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedCheck {
    /// Which.
    pub kind: CheckType,
    /// When a reviewer decides.
    pub manual_check: ManualCheck,
    /// Whether the issuing authority is looked at.
    pub issuing_authority: bool,
    /// Which documents it is about; all, where there is none.
    pub filter: Option<Filter>,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// Captures after the first.
    pub max_retries: i64,
}

/// A task that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedTask {
    /// Which.
    pub kind: TaskType,
    /// When a reviewer decides about what was read.
    pub manual_check: ManualCheck,
    /// What is read of a chip. No page of ours reads one.
    pub chip_data: ChipData,
}

/// A document that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedDocument {
    /// An identity document or a supplementary one.
    pub kind: ResourceKind,
    /// Which are taken.
    pub filter: Filter,
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
pub struct Needed {
    /// What.
    pub kind: ResourceKind,
    /// Who supplies it.
    pub source: SourceType,
    /// Which documents are taken.
    pub filter: Filter,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// How often it may be tried.
    pub attempts: i64,
}

impl Wanted {
    /// Reads a create payload; everything that is wrong with it is told at once.
    pub fn read(body: &Map<String, Value>, now: Timestamp, outbox: &Outbox) -> Result<Self, Vec<Violation>> {
        let wrongs = Wrongs::default();
        let members = wrongs.members(body);
        let profile = members.inner("identity_profile_requirements");
        if profile.is_some() {
            for list in ["requested_checks", "requested_tasks", "required_documents"] {
                if members.value(list).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
                    members.refuse(list, "it may not be used together with identity_profile_requirements");
                }
            }
        }
        let mut wanted = Self {
            until: until(&members, now),
            resources_ttl: members
                .within("resources_ttl", RESOURCES_TTL_BOUNDS.0, RESOURCES_TTL_BOUNDS.1)
                .unwrap_or(RESOURCES_TTL),
            ttl: members.within("ttl", 1, RESOURCES_TTL_BOUNDS.1),
            user_tracking_id: members.string("user_tracking_id"),
            block_biometric_consent: members.flag("block_biometric_consent").unwrap_or(false),
            ibv_options: members.inner("ibv_options").map(|inner| BranchOptions {
                support: inner.word("support"),
                guidance_url: inner.string("guidance_url"),
            }),
            notifications: members.inner("notifications").and_then(|inner| notifications(&inner, outbox)),
            checks: several(&members, "requested_checks", check),
            tasks: several(&members, "requested_tasks", task),
            documents: several(&members, "required_documents", document),
            identity_profile: members.value("identity_profile_requirements").cloned(),
            sdk_config: members.inner("sdk_config").map(|inner| sdk_config(&inner)).unwrap_or_default(),
        };
        if let Some(profile) = profile {
            scheme(&profile, &mut wanted);
        }
        wanted.fit_together(&members);
        wrongs.end()?;
        Ok(wanted)
    }

    /// Checks that need something of others.
    fn fit_together(&self, members: &Members<'_>) {
        let has = |kind| self.checks.iter().any(|check| check.kind == kind);
        for (at, check) in self.checks.iter().enumerate() {
            if matches!(check.kind, CheckType::FaceMatch | CheckType::FaceComparison)
                && !has(CheckType::Liveness)
            {
                let words = format!("{} needs a check LIVENESS, whose face it compares", check.kind);
                members.refuse(&format!("requested_checks[{at}].type"), words);
            }
            let repeated = |other: &WantedCheck| {
                other.kind == check.kind
                    && other.filter == check.filter
                    && other.liveness_type == check.liveness_type
            };
            if self.checks.iter().take(at).any(repeated) {
                members.refuse(&format!("requested_checks[{at}]"), "the same check is asked for twice");
            }
            if check.kind == CheckType::Comparison && self.documents.len() < 2 {
                let words = "ID_DOCUMENT_COMPARISON needs two required_documents to compare";
                members.refuse(&format!("requested_checks[{at}].type"), words);
            }
        }
        for (at, task) in self.tasks.iter().enumerate() {
            if self.tasks.iter().take(at).any(|other| other.kind == task.kind) {
                members.refuse(&format!("requested_tasks[{at}]"), "the same task is asked for twice");
            }
        }
    }

    /// The task of a kind of document, where it is asked for.
    pub fn task(&self, kind: TaskType) -> Option<&WantedTask> {
        self.tasks.iter().find(|task| task.kind == kind)
    }

    /// What has to be supplied, in the order in which the page asks for it.
    pub fn needed(&self) -> Vec<Needed> {
        let has = |kind| self.checks.iter().find(|check| check.kind == kind);
        let attempts = self.attempts();
        let mut needed: Vec<Needed> = Vec::new();
        let plain = |kind, filter: &Filter| Needed {
            kind,
            source: SourceType::EndUser,
            filter: filter.clone(),
            liveness_type: None,
            attempts,
        };
        needed.extend(self.documents.iter().map(|document| plain(document.kind, &document.filter)));
        let asks_for = |kind| self.documents.iter().any(|document| document.kind == kind);
        let reads = |kind| self.tasks.iter().any(|task| task.kind == kind);
        let about_documents = has(CheckType::Authenticity).is_some() || has(CheckType::FaceMatch).is_some();
        if (about_documents || reads(TaskType::IdDocument)) && !asks_for(ResourceKind::IdDocument) {
            needed.insert(0, plain(ResourceKind::IdDocument, &Filter::default()));
        }
        if reads(TaskType::SupplementaryDocument) && !asks_for(ResourceKind::SupplementaryDocument) {
            needed.push(plain(ResourceKind::SupplementaryDocument, &Filter::default()));
        }
        if has(CheckType::FaceComparison).is_some() {
            needed.push(Needed {
                source: SourceType::RelyingBusiness,
                ..plain(ResourceKind::FaceCapture, &Filter::default())
            });
        }
        for check in self.checks.iter().filter(|check| check.kind == CheckType::Liveness) {
            needed.push(Needed {
                liveness_type: check.liveness_type,
                attempts: 1 + check.max_retries,
                ..plain(ResourceKind::Liveness, &Filter::default())
            });
        }
        needed
    }

    /// How often a document may be read.
    fn attempts(&self) -> i64 {
        let named = self.sdk_config.attempts_configuration.get(TaskType::IdDocument.as_str());
        1 + named.and_then(|named| named.values().copied().max()).unwrap_or(ATTEMPTS)
    }
}

fn several<T>(members: &Members<'_>, name: &str, read: impl Fn(&Members<'_>) -> Option<T>) -> Vec<T> {
    let items = members.items(name);
    if items.len() > MOST {
        members.refuse(name, format!("it has {} items, at most {MOST} are taken", items.len()));
        return Vec::new();
    }
    items.iter().filter_map(read).collect()
}

/// The end of the person's time: by seconds, or by a moment, not by both.
fn until(members: &Members<'_>, now: Timestamp) -> Timestamp {
    let (least, most) = TOKEN_TTL_BOUNDS;
    let usual = now + SignedDuration::from_secs(TOKEN_TTL);
    if members.has("session_deadline") {
        if members.has("client_session_token_ttl") {
            members.refuse("session_deadline", "it may not be used together with client_session_token_ttl");
            return usual;
        }
        let Some(text) = members.text("session_deadline") else { return usual };
        let Ok(deadline) = text.parse::<Timestamp>() else {
            members.refuse("session_deadline", "it is no RFC 3339 date-time");
            return usual;
        };
        let seconds = deadline.duration_since(now).as_secs();
        if !(least..=most).contains(&seconds) {
            let words = format!("it lies {seconds} seconds ahead; {least} to {most} are possible");
            members.refuse("session_deadline", words);
            return usual;
        }
        // What databases keep of a moment.
        return Timestamp::from_microsecond(deadline.as_microsecond()).unwrap_or(usual);
    }
    let seconds = members.within("client_session_token_ttl", least, most).unwrap_or(TOKEN_TTL);
    now + SignedDuration::from_secs(seconds)
}

fn notifications(members: &Members<'_>, outbox: &Outbox) -> Option<Notifications> {
    let topics = members.words("topics");
    let auth_type = members.word("auth_type").unwrap_or(AuthType::Basic);
    let auth_token = members.string("auth_token");
    if auth_token.as_deref().is_some_and(|token| token.chars().any(|c| c.is_control() || !c.is_ascii())) {
        members.refuse("auth_token", "it has characters that no header can carry");
    }
    let Some(endpoint) = members.string("endpoint") else {
        if !members.has("endpoint") {
            members.refuse("endpoint", "it is required");
        }
        return None;
    };
    if let Err(refused) = outbox.check(&endpoint, true) {
        members.refuse("endpoint", refused.to_string());
    }
    Some(Notifications { endpoint, topics, auth_token, auth_type })
}

/// `config.manual_check`; a word that only other services know is told as what it is.
fn manual_check(config: Option<&Members<'_>>) -> ManualCheck {
    let Some(config) = config else { return ManualCheck::Never };
    if config.text("manual_check").is_some_and(|word| word.eq_ignore_ascii_case("IBV")) {
        config.refuse("manual_check", "IBV is not permitted here; it is one of NEVER, FALLBACK, ALWAYS");
        return ManualCheck::Never;
    }
    config.word("manual_check").unwrap_or(ManualCheck::Never)
}

/// The type of an item, which must be one that can be asked for.
fn kind<T: Copy>(members: &Members<'_>, known: &[(&'static str, T)]) -> Option<T> {
    let words = || known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    let Some(word) = members.text("type") else {
        if !members.has("type") {
            members.refuse("type", format!("it is required: one of {}", words()));
        }
        return None;
    };
    let found = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.trim()));
    if found.is_none() {
        let word: String = word.chars().take(64).collect();
        members.refuse("type", format!("{word} cannot be asked for; it is one of {}", words()));
    }
    found.map(|(_, kind)| *kind)
}

fn check(members: &Members<'_>) -> Option<WantedCheck> {
    let known = [
        CheckType::Authenticity,
        CheckType::Liveness,
        CheckType::FaceMatch,
        CheckType::FaceComparison,
        CheckType::Comparison,
    ];
    let kind = kind(members, &known.map(|kind| (kind.as_str(), kind)))?;
    let config = members.inner("config");
    let config = config.as_ref();
    let authority = config.and_then(|config| config.inner("issuing_authority_sub_check"));
    // A filter stands beside the configuration, or beside the sub-check that it is for.
    let filter = members
        .inner("filter")
        .or_else(|| config?.inner("filter"))
        .or_else(|| authority.as_ref()?.inner("filter"));
    let liveness_type = match (kind, config) {
        (CheckType::Liveness, Some(config)) => {
            Some(config.word("liveness_type").unwrap_or(LivenessType::Static))
        }
        (CheckType::Liveness, None) => Some(LivenessType::Static),
        _ => None,
    };
    Some(WantedCheck {
        kind,
        manual_check: manual_check(config),
        issuing_authority: authority.and_then(|inner| inner.flag("requested")).unwrap_or(false),
        filter: filter.and_then(|filter| Filter::read(&filter)),
        liveness_type,
        max_retries: config.and_then(|config| config.within("max_retries", 0, 10)).unwrap_or(RETRIES),
    })
}

fn task(members: &Members<'_>) -> Option<WantedTask> {
    let known = [TaskType::IdDocument, TaskType::SupplementaryDocument];
    let kind = kind(members, &known.map(|kind| (kind.as_str(), kind)))?;
    let config = members.inner("config");
    Some(WantedTask {
        kind,
        manual_check: manual_check(config.as_ref()),
        chip_data: config.and_then(|config| config.word("chip_data")).unwrap_or(ChipData::Ignore),
    })
}

fn document(members: &Members<'_>) -> Option<WantedDocument> {
    let known = [ResourceKind::IdDocument, ResourceKind::SupplementaryDocument];
    let kind = kind(members, &known.map(|kind| (kind.as_str(), kind)))?;
    let filter = match members.inner("filter") {
        // What supplementary documents are is not in the catalogue, so no filter of it can leave one out.
        Some(filter) if kind == ResourceKind::IdDocument => Filter::read(&filter)?,
        _ => Filter::default(),
    };
    Some(WantedDocument { kind, filter })
}

/// A colour: `#` and three or six hexadecimal digits.
fn colour(members: &Members<'_>, name: &str) -> Option<String> {
    let text = members.text(name)?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Some(text.to_owned());
    }
    members.refuse(name, "it is no colour: # and three or six hexadecimal digits");
    None
}

fn sdk_config(members: &Members<'_>) -> SdkConfig {
    let locale = members.string("locale");
    if locale.as_deref().is_some_and(|locale| locale.trim().is_empty()) {
        members.refuse("locale", "it is empty");
    }
    let country = members.text("preset_issuing_country").map(str::to_ascii_uppercase);
    if country.as_deref().is_some_and(|code| documents::countries::find_iso(code).is_none()) {
        members.refuse("preset_issuing_country", "it is no ISO 3166-1 alpha-3 code");
    }
    let mut attempts_configuration = BTreeMap::new();
    if let Some(inner) = members.inner("attempts_configuration") {
        for task in inner.names() {
            let Some(counts) = inner.inner(task) else { continue };
            let counts =
                counts.names().filter_map(|name| Some((name.to_owned(), counts.within(name, 0, 10)?)));
            attempts_configuration.insert(task.to_owned(), counts.collect());
        }
        if attempts_configuration.len() > MOST {
            members.refuse("attempts_configuration", format!("at most {MOST} members are taken"));
        }
    }
    let screens = members.texts("suppressed_screens").into_iter().map(|(_, screen)| screen.to_owned());
    SdkConfig {
        allowed_capture_methods: members.word("allowed_capture_methods"),
        primary_colour: colour(members, "primary_colour"),
        secondary_colour: colour(members, "secondary_colour"),
        font_colour: colour(members, "font_colour"),
        locale,
        preset_issuing_country: country,
        success_url: members.page("success_url"),
        error_url: members.page("error_url"),
        privacy_policy_url: members.page("privacy_policy_url"),
        attempts_configuration,
        allow_handoff: members
            .flag("allow_handoff")
            .or_else(|| members.flag("enable_handoff"))
            .unwrap_or(false),
        suppressed_screens: screens.collect(),
    }
}

/// A scheme instead of the three lists: evaluated as far as the checks of it exist here.
fn scheme(members: &Members<'_>, wanted: &mut Wanted) {
    let framework = members.text("trust_framework").map(str::to_ascii_uppercase);
    let scheme = members.inner("scheme");
    let kind = scheme.as_ref().and_then(|scheme| scheme.text("type")).map(str::to_ascii_uppercase);
    match framework.as_deref() {
        Some("UK_TFIDA") => {}
        Some(other) => {
            let other: String = other.chars().take(64).collect();
            members.refuse("trust_framework", format!("{other} is not known here; UK_TFIDA is"));
        }
        None => members.refuse("trust_framework", "it is required"),
    }
    // Right to work and to rent ask for a document that is genuine and for the face of its holder. Anything more (criminal
    // records, addresses from registers) needs sources that this server does not have.
    match kind.as_deref() {
        Some("RTW" | "RTR") => {}
        Some(other) => {
            let other: String = other.chars().take(64).collect();
            let path = "scheme.type";
            members.refuse(
                path,
                format!("{other} asks for checks that this server does not have; RTW and RTR work"),
            );
        }
        None => members.refuse("scheme.type", "it is required"),
    }
    let plain = |kind, liveness_type| WantedCheck {
        kind,
        manual_check: ManualCheck::Fallback,
        issuing_authority: false,
        filter: None,
        liveness_type,
        max_retries: RETRIES,
    };
    wanted.checks = vec![
        plain(CheckType::Authenticity, None),
        plain(CheckType::Liveness, Some(LivenessType::Static)),
        plain(CheckType::FaceMatch, None),
    ];
    wanted.tasks = vec![WantedTask {
        kind: TaskType::IdDocument,
        manual_check: ManualCheck::Fallback,
        chip_data: ChipData::Ignore,
    }];
    wanted.documents = vec![WantedDocument { kind: ResourceKind::IdDocument, filter: Filter::default() }];
}
