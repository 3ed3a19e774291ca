//! The request for a session, as it is sent.

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::ReceivedRequest, violations::PayloadViolations},
    http::json,
};
use base::{SignedDuration, Timestamp};
use domain::document_verification::{
    request::{
        DEFAULT_RESOURCES_TTL_SECONDS, DEFAULT_TOKEN_TTL_SECONDS, DocumentSessionRequest, InBranchOptions,
        MAX_REQUESTED_ITEMS, RequestedCheck, RequestedTask, RequiredDocument, SdkConfig, TOKEN_TTL_SECONDS,
        WebhookSubscription,
    },
    restrictions::{DocumentRestrictions, is_country_code},
    types::{
        CaptureMethods, ChipData, FilterType, IbvSupport, IdDocumentType, InclusionWord, LivenessType,
        ManualCheck, NotificationAuthType, NotificationTopic, RequestableCheckType, RequiredDocumentType,
        ResourceKind, SchemeType, TaskType, TrustFramework, VerificationCheckType,
    },
};
use std::collections::BTreeMap;
use utoipa::ToSchema;

const MAX_LIST_ITEMS: usize = 300;

/// What is asked for. Enumerated values are read in any case; null counts as absent.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CreateDocumentSessionRequest {
    /// Seconds that the end user has.
    #[schema(minimum = 60, maximum = 2_592_000, default = 600)]
    client_session_token_ttl: Option<i64>,
    /// When the end user must have finished, 60 seconds to 30 days ahead; not together with `client_session_token_ttl`.
    #[schema(format = DateTime)]
    session_deadline: Option<String>,
    /// Seconds that resources are kept.
    #[schema(minimum = 86_700, maximum = 31_536_000, default = 87_000)]
    resources_ttl: Option<i64>,
    /// Seconds that an import token is kept.
    #[schema(minimum = 1, maximum = 31_536_000)]
    ttl: Option<i64>,
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
    #[serde(default, deserialize_with = "json::object")]
    sdk_config: Option<SdkConfigRequest>,
}

/// Resources that are supplied in a branch.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IbvOptions {
    /// Whether they may be supplied there.
    #[serde(default, deserialize_with = "json::enum_value")]
    support: Option<IbvSupport>,
    /// The address of a page that explains it.
    #[schema(max_length = 2048)]
    guidance_url: Option<String>,
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
    /// required documents.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = RequestableCheckType, required = true)]
    kind: Option<RequestableCheckType>,
    #[serde(default, deserialize_with = "json::object")]
    config: Option<CheckConfig>,
    /// The documents that it applies to; `config` or its `issuing_authority_sub_check` may have it as well.
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
}

/// Whether the issuing authority is checked.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IssuingAuthorityConfig {
    #[schema(default = false)]
    requested: Option<bool>,
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
    /// What is read from a chip. The pages of this server read none.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "IGNORE")]
    chip_data: Option<ChipData>,
}

/// A document that is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DocumentRequest {
    /// The kind of document.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = RequiredDocumentType, required = true)]
    kind: Option<RequiredDocumentType>,
    /// The identity documents that are accepted; supplementary documents are not filtered.
    #[serde(default, deserialize_with = "json::object")]
    filter: Option<DocumentFilter>,
}

/// The identity documents that are accepted. At least one supported document must be left.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DocumentFilter {
    /// How the restrictions are combined.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    kind: Option<FilterType>,
    /// Whether documents are accepted whose text is not in Latin letters only.
    #[schema(default = false)]
    allow_non_latin_documents: Option<bool>,
    /// Whether expired documents are accepted.
    #[schema(default = false)]
    allow_expired_documents: Option<bool>,
    #[serde(default, deserialize_with = "json::object")]
    country_restriction: Option<CountryRestriction>,
    #[serde(default, deserialize_with = "json::object")]
    type_restriction: Option<TypeRestriction>,
}

/// The countries whose documents are accepted.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CountryRestriction {
    /// Whether the listed ones are accepted, or all others.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = InclusionWord, required = true)]
    inclusion: Option<InclusionWord>,
    /// ISO 3166-1 alpha-3, in any case. An empty list restricts nothing.
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
    /// An empty list restricts nothing.
    #[serde(default, deserialize_with = "json::enum_values")]
    #[schema(max_items = 300)]
    document_types: Option<Vec<IdDocumentType>>,
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

/// Attempts after the first, by a name that the relying party chooses.
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
    /// Attempts to read a document after the first, 0 to 10: by task, and by a name that you choose. For
    /// `ID_DOCUMENT_TEXT_DATA_EXTRACTION` the largest counts. Default: 3.
    #[schema(value_type = Option<BTreeMap<String, BTreeMap<String, i64>>>, example = json!({ "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 2 } }))]
    attempts_configuration: Option<BTreeMap<String, Option<AttemptCounts>>>,
    /// Whether the end user may continue on another device.
    #[schema(default = false)]
    allow_handoff: Option<bool>,
    /// The same, under the name that older clients send.
    enable_handoff: Option<bool>,
    /// Screens that are left out.
    #[schema(value_type = Option<Vec<String>>, max_items = 300, example = json!(["WELCOME", "FLOW_COMPLETION"]))]
    suppressed_screens: Option<Vec<Option<String>>>,
}

impl CreateDocumentSessionRequest {
    /// Reads and validates a payload; a refusal lists everything that is wrong with it.
    pub(super) fn read(
        api: &ApiState,
        received: &ReceivedRequest,
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
        for mut found in api.document_verification.violations(&request) {
            let sent = places.iter().find_map(|(list, places)| original_path(&found.path, list, places));
            found.path = sent.map_or(found.path, Into::into);
            violations.extend([found]);
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
        let mut request = DocumentSessionRequest {
            resources_ttl: self.resources_ttl.unwrap_or(DEFAULT_RESOURCES_TTL_SECONDS),
            ttl: self.ttl,
            user_tracking_id: violations.text("user_tracking_id", self.user_tracking_id),
            block_biometric_consent: self.block_biometric_consent.unwrap_or(false),
            ibv_options: self.ibv_options.map(|options| options.into_options(violations)),
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
                request.follow_scheme(framework, scheme);
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
    let path = "session_deadline";
    let Some(deadline) = violations.text(path, deadline) else {
        let seconds = ttl.unwrap_or(DEFAULT_TOKEN_TTL_SECONDS);
        if TOKEN_TTL_SECONDS.contains(&seconds) {
            return after(seconds);
        }
        let words = format!("it is {seconds}; a whole number from {least} to {most} is expected");
        violations.add("client_session_token_ttl", words);
        return usual;
    };
    if ttl.is_some() {
        violations.add(path, "it may not be used together with client_session_token_ttl");
        return usual;
    }
    let Ok(deadline) = deadline.parse::<Timestamp>() else {
        violations.add(path, "it is no RFC 3339 date-time");
        return usual;
    };
    let seconds = deadline.duration_since(now).as_secs();
    if !TOKEN_TTL_SECONDS.contains(&seconds) {
        violations.add(path, format!("it lies {seconds} seconds ahead; {least} to {most} are possible"));
        return usual;
    }
    // Databases store microseconds.
    Timestamp::from_microsecond(deadline.as_microsecond()).unwrap_or(usual)
}

impl IbvOptions {
    fn into_options(self, violations: &mut PayloadViolations) -> InBranchOptions {
        let guidance_url = violations.text("ibv_options.guidance_url", self.guidance_url);
        InBranchOptions { support: self.support, guidance_url }
    }
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
        // A filter may be beside the configuration, in it, or in the sub-check that it is for.
        let filter = [
            (self.filter, "filter"),
            (config.filter, "config.filter"),
            (authority.and_then(|inner| inner.filter), "config.issuing_authority_sub_check.filter"),
        ];
        let filter = filter.into_iter().find_map(|(filter, name)| Some((filter?, format!("{path}.{name}"))));
        let filter = filter.map(|(filter, path)| filter.into_filter(&path, violations));
        let kind: VerificationCheckType = violations.required(&format!("{path}.type"), self.kind)?.into();
        let usual = RequestedCheck::new(kind);
        let is_liveness = kind == VerificationCheckType::Liveness;
        Some(RequestedCheck {
            manual_check: config.manual_check.unwrap_or(usual.manual_check),
            issuing_authority,
            filter,
            liveness_type: config.liveness_type.filter(|_| is_liveness).or(usual.liveness_type),
            max_retries: config.max_retries.unwrap_or(usual.max_retries),
            kind,
        })
    }
}

impl TaskRequest {
    fn into_task(self, path: &str, violations: &mut PayloadViolations) -> Option<RequestedTask> {
        let kind = violations.required(&format!("{path}.type"), self.kind)?;
        let (config, usual) = (self.config.unwrap_or_default(), RequestedTask::new(kind));
        Some(RequestedTask {
            kind,
            manual_check: config.manual_check.unwrap_or(usual.manual_check),
            chip_data: config.chip_data.unwrap_or(usual.chip_data),
        })
    }
}

impl DocumentRequest {
    fn into_document(self, path: &str, violations: &mut PayloadViolations) -> Option<RequiredDocument> {
        let kind: ResourceKind = violations.required(&format!("{path}.type"), self.kind)?.into();
        // The catalogue has no supplementary documents, so no filter can exclude one.
        let filter = self.filter.filter(|_| kind == ResourceKind::IdDocument);
        let filter = filter.map(|filter| filter.into_filter(&format!("{path}.filter"), violations));
        Some(RequiredDocument { kind, filter: filter.unwrap_or_default() })
    }
}

impl DocumentFilter {
    fn into_filter(self, path: &str, violations: &mut PayloadViolations) -> DocumentRestrictions {
        // The only way to combine restrictions.
        let FilterType::OrthogonalRestrictions = self.kind.unwrap_or(FilterType::OrthogonalRestrictions);
        let countries = self.country_restriction.and_then(|restriction| {
            let path = format!("{path}.country_restriction");
            let inclusion = violations.required(&format!("{path}.inclusion"), restriction.inclusion)?;
            let path = format!("{path}.country_codes");
            let codes =
                violations.list(&path, restriction.country_codes, MAX_LIST_ITEMS).into_iter().enumerate();
            let codes = codes.filter_map(|(at, code)| {
                let path = format!("{path}[{at}]");
                let code = violations.text(&path, code)?.trim().to_ascii_uppercase();
                if !is_country_code(&code) {
                    violations.add(&path, "it is no ISO 3166-1 alpha-3 code");
                }
                Some(code)
            });
            let codes: Vec<_> = codes.collect();
            (!codes.is_empty()).then_some((inclusion.into(), codes))
        });
        let types = self.type_restriction.and_then(|restriction| {
            let path = format!("{path}.type_restriction");
            let inclusion = violations.required(&format!("{path}.inclusion"), restriction.inclusion)?;
            let types = violations.list(
                &format!("{path}.document_types"),
                restriction.document_types,
                MAX_LIST_ITEMS,
            );
            let types: Vec<_> = types.into_iter().map(Into::into).collect();
            (!types.is_empty()).then_some((inclusion.into(), types))
        });
        let filter = DocumentRestrictions {
            allow_non_latin: self.allow_non_latin_documents.unwrap_or(false),
            allow_expired: self.allow_expired_documents.unwrap_or(false),
            countries,
            types,
        };
        if filter.is_unsatisfiable() {
            violations.add(path, "it leaves no document that is supported");
        }
        filter
    }
}

impl SdkConfigRequest {
    fn into_config(self, violations: &mut PayloadViolations) -> SdkConfig {
        let mut text = |name: &str, text| violations.text(&format!("sdk_config.{name}"), text);
        let attempts =
            self.attempts_configuration.unwrap_or_default().into_iter().filter_map(|(task, counts)| {
                let counts = counts?.into_iter().filter_map(|(name, count)| Some((name, count?)));
                Some((task, counts.collect()))
            });
        SdkConfig {
            allowed_capture_methods: self.allowed_capture_methods,
            primary_colour: text("primary_colour", self.primary_colour),
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
