//! The request for a session, as it is sent.

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::ReceivedRequest, violations::PayloadViolations},
    http::json,
};
use base::{LimitViolation, SignedDuration, Timestamp};
use domain::document_verification::{
    request::{
        DEFAULT_TOKEN_TTL_SECONDS, DocumentSessionRequest, MAX_REQUESTED_ITEMS, RequestedCheck,
        RequestedTask, RequiredDocument, SdkConfig, TOKEN_TTL_SECONDS, WebhookSubscription,
    },
    restrictions::{
        DocumentRestrictions, DocumentSelection, MAX_DOCUMENT_TYPE_BYTES, SupplementaryRestrictions,
        is_country_code, is_document_type_word,
    },
    types::{
        BiometricConsentFlow, CaptureMethods, ChipData, DarkMode, FilterType, IbvSupport, Inclusion,
        InclusionWord, LivenessType, ManualCheck, NotificationAuthType, NotificationTopic,
        RequestableCheckType, RequiredDocumentType, ResourceKind, SchemeType, SupplementaryObjective,
        TaskType, TrustFramework, VerificationCheckType, WatchlistCategory,
    },
};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

const MAX_LIST_ITEMS: usize = 300;

/// What is asked for: at least a check, a task, a required document, or a scheme. Enumerated values are read in any case;
/// null counts as absent.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CreateDocumentSessionRequest {
    /// Seconds that the end user has.
    #[schema(minimum = 60, maximum = 2_592_000, default = 600)]
    client_session_token_ttl: Option<i64>,
    /// When the end user must have finished, 60 seconds to 30 days ahead; not together with `client_session_token_ttl`.
    #[schema(format = DateTime)]
    session_deadline: Option<String>,
    /// Seconds that resources are kept: at least as long as the end user has. Where the default would end less than an hour
    /// after their time, they are kept for an hour after it.
    #[schema(minimum = 86_700, maximum = 31_536_000, default = 87_000)]
    resources_ttl: Option<i64>,
    /// Identifies one person across sessions; must not contain personal data.
    #[schema(max_length = 2048)]
    user_tracking_id: Option<String>,
    /// Whether no biometric consent may be collected.
    #[schema(default = false)]
    block_biometric_consent: Option<bool>,
    #[serde(default, deserialize_with = "json::object")]
    ibv_options: Option<IbvOptions>,
    #[serde(default, deserialize_with = "json::object")]
    notifications: Option<NotificationConfig>,
    /// What is checked after the end user has finished.
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckRequest>>, max_items = 20)]
    requested_checks: Option<Vec<Option<CheckRequest>>>,
    /// What is read from documents while the end user waits.
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<TaskRequest>>, max_items = 20)]
    requested_tasks: Option<Vec<Option<TaskRequest>>>,
    /// Which documents are asked for.
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<DocumentRequest>>, max_items = 20)]
    required_documents: Option<Vec<Option<DocumentRequest>>>,
    #[serde(default, deserialize_with = "json::object")]
    identity_profile_requirements: Option<IdentityProfileRequirements>,
    /// Whose identity it is; with `identity_profile_requirements`.
    #[serde(default, deserialize_with = "json::object")]
    subject: Option<Subject>,
    #[serde(default, deserialize_with = "json::object")]
    sdk_config: Option<SdkConfigRequest>,
    // What follows is known to clients, and cannot be done here: it is refused by name.
    #[schema(ignore)]
    ttl: Option<Value>,
    #[schema(ignore)]
    import_token: Option<Value>,
    #[schema(ignore)]
    advanced_identity_profile_requirements: Option<Value>,
    #[schema(ignore)]
    ephemeral_media: Option<Value>,
    #[schema(ignore)]
    create_identity_profile_preview: Option<Value>,
    #[schema(ignore)]
    resources: Option<Value>,
}

/// Resources that are supplied in a branch: this server takes none.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IbvOptions {
    #[serde(default, deserialize_with = "json::enum_value")]
    support: Option<IbvSupport>,
    #[schema(ignore)]
    guidance_url: Option<Value>,
    #[schema(ignore)]
    user_price: Option<Value>,
}

/// The person whose identity is verified.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Subject {
    /// The relying party's own id of them; `identity_profile` of the session has it again.
    #[schema(max_length = 2048)]
    subject_id: Option<String>,
}

/// Where notifications are sent, and what about.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NotificationConfig {
    /// The receiver: an https address on the public internet.
    #[schema(value_type = String, format = "uri", max_length = 2048)]
    endpoint: Option<String>,
    /// What to notify about.
    #[serde(default, deserialize_with = "json::enum_values")]
    #[schema(max_items = 300)]
    topics: Option<Vec<NotificationTopic>>,
    /// The credentials for `Authorization`: sent as base64 with `BASIC`, unchanged with `BEARER`. Printable ASCII.
    #[schema(max_length = 2048, pattern = "^[ -~]*$")]
    auth_token: Option<String>,
    /// How `auth_token` is sent.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "BASIC")]
    auth_type: Option<NotificationAuthType>,
}

/// A check that is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CheckRequest {
    /// The type. `ID_DOCUMENT_FACE_MATCH` and `FACE_COMPARISON` need `LIVENESS` as well, `ID_DOCUMENT_COMPARISON` two
    /// required documents. `WATCHLIST_SCREENING` and `THIRD_PARTY_IDENTITY` need a provider that the operator has set up, and
    /// so does `issuing_authority_sub_check`; they are refused where there is none.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = RequestableCheckType, required = true)]
    kind: Option<RequestableCheckType>,
    #[serde(default, deserialize_with = "json::object")]
    config: Option<CheckConfig>,
    /// The documents that it applies to, for `ID_DOCUMENT_AUTHENTICITY` and `ID_DOCUMENT_FACE_MATCH`; `config` may have it
    /// as well. If no check of the type applies to what is supplied, its report is `NOT_AVAILABLE`.
    #[serde(default, deserialize_with = "json::object")]
    filter: Option<DocumentFilter>,
}

/// How a check is made.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct CheckConfig {
    /// When a reviewer decides.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "NEVER")]
    manual_check: Option<ManualCheck>,
    #[serde(default, deserialize_with = "json::object")]
    issuing_authority_sub_check: Option<IssuingAuthorityConfig>,
    #[serde(default, deserialize_with = "json::object")]
    filter: Option<DocumentFilter>,
    /// How the face is captured, for `LIVENESS`.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "STATIC")]
    liveness_type: Option<LivenessType>,
    /// Captures of a face after the first, for `LIVENESS`.
    #[schema(minimum = 0, maximum = 10, default = 3)]
    max_retries: Option<i64>,
    /// What watchlists are searched for, for `WATCHLIST_SCREENING`. Default: every category.
    #[serde(default, deserialize_with = "json::enum_values")]
    #[schema(max_items = 300)]
    categories: Option<Vec<WatchlistCategory>>,
}

/// Whether the issuing authority is asked.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IssuingAuthorityConfig {
    #[schema(default = false)]
    requested: Option<bool>,
    /// The documents that the sub-check is made of; without it, all that the check is made of, also such as have expired.
    #[serde(default, deserialize_with = "json::object")]
    filter: Option<DocumentFilter>,
}

/// A task that is asked for; each kind once.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TaskRequest {
    /// The type.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = TaskType, required = true)]
    kind: Option<TaskType>,
    #[serde(default, deserialize_with = "json::object")]
    config: Option<TaskConfig>,
}

/// How a task is done.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct TaskConfig {
    /// When a reviewer decides about what was read.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "NEVER")]
    manual_check: Option<ManualCheck>,
    /// What is read from a chip: nothing.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "IGNORE")]
    chip_data: Option<ChipData>,
    #[schema(ignore)]
    create_expanded_document_fields: Option<Value>,
}

/// A document that is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DocumentRequest {
    /// The kind of document.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = RequiredDocumentType, required = true)]
    kind: Option<RequiredDocumentType>,
    /// The identity documents that are accepted.
    #[serde(default, deserialize_with = "json::object")]
    filter: Option<DocumentFilter>,
    /// What a supplementary document is to prove.
    #[serde(default, deserialize_with = "json::object")]
    objective: Option<ObjectiveRequest>,
    /// The types of supplementary documents that are accepted, such as `UTILITY_BILL`: letters, digits and underscores.
    /// Without it, all.
    #[schema(value_type = Option<Vec<String>>, max_items = 300)]
    document_types: Option<Vec<Option<String>>>,
    /// The issuing countries of supplementary documents that are accepted, ISO 3166-1 alpha-3. Without it, all.
    #[schema(value_type = Option<Vec<String>>, max_items = 300)]
    country_codes: Option<Vec<Option<String>>>,
}

/// What a supplementary document is to prove.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ObjectiveRequest {
    /// With `PROOF_OF_ADDRESS`, a document without an address has to be tried again.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = SupplementaryObjective, required = true)]
    kind: Option<SupplementaryObjective>,
}

/// The identity documents that are accepted. At least one supported document must be left.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DocumentFilter {
    /// How the restrictions are combined.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    kind: Option<FilterType>,
    /// Whether documents are accepted whose text is not in Latin letters only. Without it, those are that have a machine readable
    /// zone.
    allow_non_latin_documents: Option<bool>,
    /// Whether expired documents are accepted.
    #[schema(default = false)]
    allow_expired_documents: Option<bool>,
    #[serde(default, deserialize_with = "json::object")]
    country_restriction: Option<CountryRestriction>,
    #[serde(default, deserialize_with = "json::object")]
    type_restriction: Option<TypeRestriction>,
    /// Whether `documents` are accepted, or all others; for `DOCUMENT_RESTRICTIONS`.
    #[serde(default, deserialize_with = "json::enum_value")]
    inclusion: Option<InclusionWord>,
    /// Combinations of countries and types, for `DOCUMENT_RESTRICTIONS`. An empty list restricts nothing.
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<DocumentSelectionRequest>>, max_items = 300)]
    documents: Option<Vec<Option<DocumentSelectionRequest>>>,
}

/// Documents of certain countries and certain types.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DocumentSelectionRequest {
    /// ISO 3166-1 alpha-3, in any case. Without it, all countries.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["GBR"]))]
    country_codes: Option<Vec<Option<String>>>,
    /// Without it, all types.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["PASSPORT"]))]
    document_types: Option<Vec<Option<String>>>,
}

/// The countries whose documents are accepted.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CountryRestriction {
    /// Whether the listed ones are accepted, or all others.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = InclusionWord, required = true)]
    inclusion: Option<InclusionWord>,
    /// ISO 3166-1 alpha-3, in any case. An empty list restricts nothing; no document is of a country that is not known.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["GBR", "SWE"]))]
    country_codes: Option<Vec<Option<String>>>,
}

/// The types of documents that are accepted.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TypeRestriction {
    /// Whether the listed ones are accepted, or all others.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = InclusionWord, required = true)]
    inclusion: Option<InclusionWord>,
    /// An empty list restricts nothing; no document is of a type that is not known.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["PASSPORT", "NATIONAL_ID"]))]
    document_types: Option<Vec<Option<String>>>,
}

/// A scheme, instead of the three lists; those of its checks that this server does not have are left out.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IdentityProfileRequirements {
    /// The framework whose rules apply.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = TrustFramework, required = true)]
    trust_framework: Option<TrustFramework>,
    #[serde(default, deserialize_with = "json::object")]
    #[schema(value_type = SchemeRequest, required = true)]
    scheme: Option<SchemeRequest>,
}

/// The purpose of the identity check.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct SchemeRequest {
    /// `RTW`: the right to work. `RTR`: the right to rent.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = SchemeType, required = true)]
    kind: Option<SchemeType>,
}

/// Attempts after the first, by reason.
type AttemptCounts = BTreeMap<String, Option<i64>>;

/// How the page looks and behaves.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SdkConfigRequest {
    /// How pictures of documents may be captured.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "CAMERA_AND_UPLOAD")]
    allowed_capture_methods: Option<CaptureMethods>,
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$", example = "#2d6cdf")]
    primary_colour: Option<String>,
    /// The primary colour where the page is dark.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    primary_colour_dark_mode: Option<String>,
    /// Whether the page is dark.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "AUTO")]
    dark_mode: Option<DarkMode>,
    /// When the page asks for consent to the use of biometric data.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "EARLY")]
    biometric_consent_flow: Option<BiometricConsentFlow>,
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    secondary_colour: Option<String>,
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    font_colour: Option<String>,
    /// The language (BCP 47).
    #[schema(min_length = 1, max_length = 2048, example = "en-GB")]
    locale: Option<String>,
    /// The country that the page preselects, ISO 3166-1 alpha-3.
    #[schema(pattern = "^[A-Za-z]{3}$", example = "GBR")]
    preset_issuing_country: Option<String>,
    /// Where the end user goes afterwards.
    #[schema(max_length = 2048, format = "uri")]
    success_url: Option<String>,
    /// Where the end user goes after a failure.
    #[schema(max_length = 2048, format = "uri")]
    error_url: Option<String>,
    /// The address of the relying party's privacy policy.
    #[schema(max_length = 2048, format = "uri")]
    privacy_policy_url: Option<String>,
    /// Attempts to read a document after the first, 0 to 10: by task, and by reason. `RECLASSIFICATION` (default: 2) counts
    /// those after a document that was another one than was said, or is not accepted; `GENERIC` (default: 3) all others.
    #[schema(value_type = Option<BTreeMap<String, BTreeMap<String, i64>>>, example = json!({ "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 2, "RECLASSIFICATION": 1 } }))]
    attempts_configuration: Option<BTreeMap<String, Option<AttemptCounts>>>,
    /// Whether the end user may continue on another device.
    #[schema(default = false)]
    allow_handoff: Option<bool>,
    /// The same, under the name that older clients send.
    enable_handoff: Option<bool>,
    /// Screens that are left out.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["WELCOME", "FLOW_COMPLETION"]))]
    suppressed_screens: Option<Vec<Option<String>>>,
    #[schema(ignore)]
    brand_id: Option<Value>,
}

/// Why a member is refused that this server has nothing for.
const NOT_SUPPORTED: &str = "this server does not support it";

impl CreateDocumentSessionRequest {
    /// Reads and validates a payload; a refusal lists everything that is wrong with it. What this server has no provider for
    /// is refused, but not in a sandbox.
    pub(super) fn read(
        api: &ApiState,
        received: &ReceivedRequest,
        sandbox: bool,
    ) -> Result<DocumentSessionRequest, DocumentApiError> {
        let (payload, wrong) = received.parse_lenient::<Self>()?;
        let mut violations = PayloadViolations::new(wrong);
        let places = [
            (
                "requested_checks",
                usable_positions(payload.requested_checks.as_deref(), |check| check.kind.is_some()),
            ),
            (
                "requested_tasks",
                usable_positions(payload.requested_tasks.as_deref(), |task| task.kind.is_some()),
            ),
        ];
        let request = payload.into_request(api.environment.now(), &mut violations);
        for mut found in api.document_verification.violations(&request, sandbox) {
            let sent = places.iter().find_map(|(list, places)| original_path(&found.path, list, places));
            found.path = sent.map_or(found.path, Into::into);
            violations.extend([found]);
        }
        if violations.is_empty() && request.asks_for_nothing() {
            let words = "nothing is asked for; name checks, tasks, required_documents or identity_profile_requirements";
            violations.add("requested_checks", words);
        }
        violations.into_result()?;
        Ok(request)
    }

    fn into_request(self, now: Timestamp, violations: &mut PayloadViolations) -> DocumentSessionRequest {
        let until = parse_deadline(self.client_session_token_ttl, self.session_deadline, now, violations);
        let profile = self.identity_profile_requirements;
        if profile.is_some() {
            for (list, is_empty) in [
                ("requested_checks", self.requested_checks.as_deref().unwrap_or_default().is_empty()),
                ("requested_tasks", self.requested_tasks.as_deref().unwrap_or_default().is_empty()),
                ("required_documents", self.required_documents.as_deref().unwrap_or_default().is_empty()),
            ] {
                if !is_empty {
                    let words = "it may not be used together with identity_profile_requirements";
                    violations.add(list, words);
                }
            }
        }
        for (path, value, words) in [
            ("ttl", self.ttl, "it is the life of an import token, and this server makes none"),
            ("import_token", self.import_token, "this server makes no import tokens"),
            (
                "advanced_identity_profile_requirements",
                self.advanced_identity_profile_requirements,
                "this server verifies no advanced profiles; identity_profile_requirements takes UK_TFIDA with RTW or RTR",
            ),
            ("ephemeral_media", self.ephemeral_media, "this server keeps media for resources_ttl"),
            ("create_identity_profile_preview", self.create_identity_profile_preview, NOT_SUPPORTED),
            ("resources", self.resources, "the relying party supplies no resources with the request"),
        ] {
            violations.refuse(path, value.as_ref(), words);
        }
        let subject_id = self.subject.and_then(|subject| subject.subject_id);
        let subject_id =
            violations.text("subject.subject_id", subject_id).filter(|subject_id| !subject_id.is_empty());
        if subject_id.is_some() && profile.is_none() {
            violations.add("subject", "it is used together with identity_profile_requirements only");
        }
        if let Some(options) = self.ibv_options {
            let words = "nothing is supplied in a branch";
            violations.refuse("ibv_options.guidance_url", options.guidance_url.as_ref(), words);
            violations.refuse("ibv_options.user_price", options.user_price.as_ref(), words);
            // All that can be said is what is so anyway.
            let (None | Some(IbvSupport::NotAllowed)) = options.support;
        }
        let mut request = DocumentSessionRequest {
            resources_ttl: self
                .resources_ttl
                .unwrap_or_else(|| DocumentSessionRequest::default_resources_ttl(until, now)),
            user_tracking_id: violations.text("user_tracking_id", self.user_tracking_id),
            block_biometric_consent: self.block_biometric_consent.unwrap_or(false),
            notifications: self.notifications.and_then(|whom| whom.into_notifications(violations)),
            checks: convert_items(
                "requested_checks",
                self.requested_checks,
                violations,
                CheckRequest::into_check,
            ),
            tasks: convert_items("requested_tasks", self.requested_tasks, violations, TaskRequest::into_task),
            documents: convert_items(
                "required_documents",
                self.required_documents,
                violations,
                DocumentRequest::into_document,
            ),
            sdk_config: self.sdk_config.map(|config| config.into_config(violations)).unwrap_or_default(),
            ..DocumentSessionRequest::new(until)
        };
        if let Some(profile) = profile {
            let path = "identity_profile_requirements";
            let framework = violations.required(&format!("{path}.trust_framework"), profile.trust_framework);
            let scheme = profile.scheme.unwrap_or_default().kind;
            let scheme = violations.required(&format!("{path}.scheme.type"), scheme);
            if let (Some(framework), Some(scheme)) = (framework, scheme) {
                request.follow_scheme(framework, scheme, subject_id);
            }
        }
        request
    }
}

/// The positions of the items of a list that can be used.
fn usable_positions<W>(items: Option<&[Option<W>]>, is_usable: impl Fn(&W) -> bool) -> Vec<usize> {
    let items = items.unwrap_or_default().iter().enumerate();
    items.filter(|(_, item)| item.as_ref().is_some_and(&is_usable)).map(|(at, _)| at).collect()
}

/// The path of a list's item as it was sent: the domain gets only items that can be used, and counts those.
fn original_path(path: &str, list: &str, places: &[usize]) -> Option<String> {
    let (at, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    let at = places.get(at.parse::<usize>().ok()?)?;
    Some(format!("{list}[{at}]{rest}"))
}

/// Converts the items of a list, each with its path; those that cannot be used are reported and left out.
fn convert_items<W, T>(
    name: &str,
    items: Option<Vec<Option<W>>>,
    violations: &mut PayloadViolations,
    convert: impl Fn(W, &str, &mut PayloadViolations) -> Option<T>,
) -> Vec<T> {
    let items = violations.list(name, items, MAX_REQUESTED_ITEMS).into_iter().enumerate();
    items.filter_map(|(at, item)| convert(item?, &format!("{name}[{at}]"), violations)).collect()
}

/// When the session expires: given in seconds, or as a moment, but not both.
fn parse_deadline(
    ttl: Option<i64>,
    deadline: Option<String>,
    now: Timestamp,
    violations: &mut PayloadViolations,
) -> Timestamp {
    let (least, most) = (TOKEN_TTL_SECONDS.start(), TOKEN_TTL_SECONDS.end());
    let after = |seconds| now + SignedDuration::from_secs(seconds);
    let usual = after(DEFAULT_TOKEN_TTL_SECONDS);
    let exceeded = |seconds: i64| {
        LimitViolation::new(seconds as f64, format!("{least} to {most} seconds"), "choose another time")
    };
    let path = "session_deadline";
    let Some(deadline) = violations.text(path, deadline) else {
        let seconds = ttl.unwrap_or(DEFAULT_TOKEN_TTL_SECONDS);
        if TOKEN_TTL_SECONDS.contains(&seconds) {
            return after(seconds);
        }
        let words = format!("it is {seconds}; a whole number from {least} to {most} is expected");
        violations.add_limit("client_session_token_ttl", words, exceeded(seconds));
        return usual;
    };
    if ttl.is_some() {
        violations.add(path, "it may not be used together with client_session_token_ttl");
        return usual;
    }
    let Ok(deadline) = deadline.parse::<Timestamp>() else {
        violations.add(path, "it is not an RFC 3339 date-time");
        return usual;
    };
    let seconds = deadline.duration_since(now).as_secs();
    if !TOKEN_TTL_SECONDS.contains(&seconds) {
        let words = format!("it lies {seconds} seconds ahead; {least} to {most} are possible");
        violations.add_limit(path, words, exceeded(seconds));
        return usual;
    }
    // Databases store microseconds.
    Timestamp::from_microsecond(deadline.as_microsecond()).unwrap_or(usual)
}

impl NotificationConfig {
    fn into_notifications(self, violations: &mut PayloadViolations) -> Option<WebhookSubscription> {
        let auth_token = violations.text("notifications.auth_token", self.auth_token);
        let topics = violations.list("notifications.topics", self.topics, MAX_LIST_ITEMS);
        let endpoint = violations.required("notifications.endpoint", self.endpoint);
        let endpoint = violations.text("notifications.endpoint", endpoint)?;
        Some(WebhookSubscription {
            endpoint,
            topics,
            auth_token,
            auth_type: self.auth_type.unwrap_or(NotificationAuthType::Basic),
        })
    }
}

impl CheckRequest {
    fn into_check(self, path: &str, violations: &mut PayloadViolations) -> Option<RequestedCheck> {
        let config = self.config.unwrap_or_default();
        let authority = config.issuing_authority_sub_check;
        let issuing_authority = authority.as_ref().and_then(|inner| inner.requested).unwrap_or(false);
        let mut read = |filter: Option<DocumentFilter>, name: &str| {
            filter.map(|filter| filter.into_filter(&format!("{path}.{name}"), violations))
        };
        // The filter of the check may be beside its configuration, or in it.
        let (beside, within) = (read(self.filter, "filter"), read(config.filter, "config.filter"));
        let of_sub_check = authority.and_then(|inner| inner.filter);
        let of_sub_check = read(of_sub_check, "config.issuing_authority_sub_check.filter");
        if beside.is_some() && within.is_some() && beside != within {
            violations
                .add(&format!("{path}.config.filter"), "it is another one than the filter beside config");
        }
        let filter = beside.or(within);
        let kind: VerificationCheckType = violations.required(&format!("{path}.type"), self.kind)?.into();
        let usual = RequestedCheck::new(kind);
        let is_liveness = kind == VerificationCheckType::Liveness;
        let mut categories =
            violations.list(&format!("{path}.config.categories"), config.categories, MAX_LIST_ITEMS);
        categories.sort_by_key(|category| *category as u8);
        categories.dedup();
        Some(RequestedCheck {
            manual_check: config.manual_check.unwrap_or(usual.manual_check),
            issuing_authority,
            issuing_authority_filter: of_sub_check,
            filter,
            liveness_type: config.liveness_type.filter(|_| is_liveness).or(usual.liveness_type),
            max_retries: config.max_retries.unwrap_or(usual.max_retries),
            watchlist_categories: if categories.is_empty() { usual.watchlist_categories } else { categories },
            kind,
        })
    }
}

impl TaskRequest {
    fn into_task(self, path: &str, violations: &mut PayloadViolations) -> Option<RequestedTask> {
        let kind = violations.required(&format!("{path}.type"), self.kind)?;
        let (config, usual) = (self.config.unwrap_or_default(), RequestedTask::new(kind));
        // All that can be said is what is so anyway.
        let (None | Some(ChipData::Ignore)) = config.chip_data;
        let expanded = config.create_expanded_document_fields.as_ref();
        violations.refuse(&format!("{path}.config.create_expanded_document_fields"), expanded, NOT_SUPPORTED);
        Some(RequestedTask { kind, manual_check: config.manual_check.unwrap_or(usual.manual_check) })
    }
}

impl DocumentRequest {
    fn into_document(self, path: &str, violations: &mut PayloadViolations) -> Option<RequiredDocument> {
        let kind: ResourceKind = violations.required(&format!("{path}.type"), self.kind)?.into();
        let filter = self.filter.map(|filter| filter.into_filter(&format!("{path}.filter"), violations));
        let filter = filter.unwrap_or_default();
        let supplementary =
            read_supplementary(self.objective, self.document_types, self.country_codes, path, violations);
        let usual = RequiredDocument::new(kind);
        if kind == ResourceKind::SupplementaryDocument {
            if filter != usual.filter {
                let words = "supplementary documents are restricted by document_types and country_codes";
                violations.add(&format!("{path}.filter"), words);
            }
            return Some(RequiredDocument { supplementary, ..usual });
        }
        for (name, is_given) in [
            ("objective", supplementary.objective.is_some()),
            ("document_types", !supplementary.types.is_empty()),
            ("country_codes", !supplementary.countries.is_empty()),
        ] {
            if is_given {
                violations.add(&format!("{path}.{name}"), "identity documents are restricted by filter");
            }
        }
        Some(RequiredDocument { filter, ..usual })
    }
}

/// What supplementary documents are accepted.
fn read_supplementary(
    objective: Option<ObjectiveRequest>,
    types: Option<Vec<Option<String>>>,
    countries: Option<Vec<Option<String>>>,
    path: &str,
    violations: &mut PayloadViolations,
) -> SupplementaryRestrictions {
    let objective = objective
        .and_then(|objective| violations.required(&format!("{path}.objective.type"), objective.kind));
    let types = violations.words(&format!("{path}.document_types"), types, MAX_LIST_ITEMS);
    for (at, word) in types.iter().enumerate() {
        if !is_document_type_word(word) {
            let words = format!("it has at most {MAX_DOCUMENT_TYPE_BYTES} letters, digits and underscores");
            violations.add(&format!("{path}.document_types[{at}]"), words);
        }
    }
    let countries = violations.words(&format!("{path}.country_codes"), countries, MAX_LIST_ITEMS);
    let known: Vec<String> = countries.iter().filter(|code| is_country_code(code)).cloned().collect();
    if known.is_empty() && !countries.is_empty() {
        violations.add(&format!("{path}.country_codes"), "it has no ISO 3166-1 alpha-3 code");
    }
    SupplementaryRestrictions { objective, types, countries: known }
}

impl DocumentFilter {
    fn into_filter(self, path: &str, violations: &mut PayloadViolations) -> DocumentRestrictions {
        let is_combined = self.kind == Some(FilterType::DocumentRestrictions);
        for (name, is_given, fits) in [
            ("country_restriction", self.country_restriction.is_some(), !is_combined),
            ("type_restriction", self.type_restriction.is_some(), !is_combined),
            ("documents", self.documents.as_ref().is_some_and(|list| !list.is_empty()), is_combined),
        ] {
            if is_given && !fits {
                let kind = self.kind.unwrap_or(FilterType::OrthogonalRestrictions);
                violations.add(&format!("{path}.{name}"), format!("it has no meaning with the type {kind}"));
            }
        }
        let documents = DocumentSelectionRequest::all(self.documents, path, violations);
        let documents = (!documents.is_empty()).then_some(documents).and_then(|documents| {
            let inclusion = violations.required(&format!("{path}.inclusion"), self.inclusion)?;
            Some((Inclusion::from(inclusion), documents))
        });
        let countries = self.country_restriction.and_then(|restriction| {
            let path = format!("{path}.country_restriction");
            let inclusion = violations.required(&format!("{path}.inclusion"), restriction.inclusion)?;
            let codes =
                violations.words(&format!("{path}.country_codes"), restriction.country_codes, MAX_LIST_ITEMS);
            (!codes.is_empty()).then_some((inclusion.into(), codes))
        });
        let types = self.type_restriction.and_then(|restriction| {
            let path = format!("{path}.type_restriction");
            let inclusion = violations.required(&format!("{path}.inclusion"), restriction.inclusion)?;
            let types = violations.words(
                &format!("{path}.document_types"),
                restriction.document_types,
                MAX_LIST_ITEMS,
            );
            (!types.is_empty()).then_some((inclusion.into(), types))
        });
        let filter = DocumentRestrictions {
            allow_non_latin: self.allow_non_latin_documents == Some(true),
            latin_print_only: self.allow_non_latin_documents == Some(false),
            machine_readable_only: false,
            allow_expired: self.allow_expired_documents.unwrap_or(false),
            countries,
            types,
            documents,
        };
        if filter.is_unsatisfiable() {
            violations.add(path, "it leaves no document that is supported");
        }
        filter
    }
}

impl DocumentSelectionRequest {
    fn all(
        list: Option<Vec<Option<Self>>>,
        path: &str,
        violations: &mut PayloadViolations,
    ) -> Vec<DocumentSelection> {
        let path = format!("{path}.documents");
        let list = violations.list(&path, list, MAX_LIST_ITEMS).into_iter().enumerate();
        let list = list.filter_map(|(at, selection)| {
            let Self { country_codes, document_types } = selection?;
            let mut words =
                |name: &str, words| violations.words(&format!("{path}[{at}].{name}"), words, MAX_LIST_ITEMS);
            Some(DocumentSelection {
                countries: words("country_codes", country_codes),
                types: words("document_types", document_types),
            })
        });
        list.collect()
    }
}

impl SdkConfigRequest {
    fn into_config(self, violations: &mut PayloadViolations) -> SdkConfig {
        violations.refuse("sdk_config.brand_id", self.brand_id.as_ref(), "this server has no brands");
        let mut text = |name: &str, text| violations.text(&format!("sdk_config.{name}"), text);
        let attempts =
            self.attempts_configuration.unwrap_or_default().into_iter().filter_map(|(task, counts)| {
                let counts = counts?.into_iter();
                let counts =
                    counts.filter_map(|(name, count)| Some((name.trim().to_ascii_uppercase(), count?)));
                Some((task.trim().to_ascii_uppercase(), counts.collect()))
            });
        SdkConfig {
            allowed_capture_methods: self.allowed_capture_methods,
            primary_colour: text("primary_colour", self.primary_colour),
            primary_colour_dark_mode: text("primary_colour_dark_mode", self.primary_colour_dark_mode),
            dark_mode: self.dark_mode,
            biometric_consent_flow: self.biometric_consent_flow,
            secondary_colour: text("secondary_colour", self.secondary_colour),
            font_colour: text("font_colour", self.font_colour),
            locale: text("locale", self.locale),
            preset_issuing_country: text("preset_issuing_country", self.preset_issuing_country)
                .map(|code| code.to_ascii_uppercase()),
            success_url: text("success_url", self.success_url),
            error_url: text("error_url", self.error_url),
            privacy_policy_url: text("privacy_policy_url", self.privacy_policy_url),
            attempts_configuration: attempts.collect(),
            allow_handoff: self.allow_handoff.or(self.enable_handoff).unwrap_or(false),
            suppressed_screens: violations.texts(
                "sdk_config.suppressed_screens",
                self.suppressed_screens,
                MAX_LIST_ITEMS,
            ),
        }
    }
}
