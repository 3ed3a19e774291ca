//! A response configuration, as it is sent and as it is stored.

use crate::{
    document_verification::{DocumentApiError, auth::ReceivedRequest, violations::PayloadViolations},
    http::json,
};
use base::LimitViolation;
use domain::{
    Violation,
    document_verification::{
        report::{Recommendation, ReportDetail, SubCheck, VerificationReport, recovery_suggestion},
        sandbox_responses::{
            CheckResultTarget, DocumentMatcher, SandboxCheckResult, SandboxPortrait, SandboxResponseConfig,
            SandboxTaskResult, approving_report,
        },
        session::{TaskNextStep, TaskNextStepReason},
        types::{
            CheckAdvice, LivenessType, ResultTemplate, SubCheckProcess, SubCheckResult, TaskAdvice,
            TaskAdviceReason, TaskType, VerificationCheckType,
        },
    },
};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr, Schema, Type,
        schema::{AdditionalProperties, SchemaType},
    },
};

const MAX_CONFIG_BYTES: usize = 256 << 10;
/// Reports can be delayed by up to an hour.
const REPORT_DELAY_SECONDS: RangeInclusive<i64> = 0..=3600;
const MAX_ITEMS: usize = 300;

/// What a sandbox answers, at most 256 KiB. Enumerated values are read in any case; null counts as absent.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ResponseConfigRequest {
    #[serde(default, deserialize_with = "json::object")]
    task_results: Option<TaskResults>,
    #[serde(default, deserialize_with = "json::object")]
    check_reports: Option<CheckReports>,
    /// Seconds by which reports are delayed; `check_reports` may have it as well.
    #[schema(minimum = 0, maximum = 3600, default = 0)]
    async_report_delay: Option<i64>,
}

/// The results of tasks, by type.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct TaskResults {
    #[serde(rename = "ID_DOCUMENT_TEXT_DATA_EXTRACTION", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<TaskResultItem>>, max_items = 300)]
    id_documents: Option<Vec<Option<TaskResultItem>>>,
    #[serde(
        rename = "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION",
        default,
        deserialize_with = "json::sparse_objects"
    )]
    #[schema(value_type = Option<Vec<TaskResultItem>>, max_items = 300)]
    supplementary_documents: Option<Vec<Option<TaskResultItem>>>,
}

/// The result of a task for documents that match.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TaskResultItem {
    #[serde(default, deserialize_with = "json::object")]
    document_filter: Option<ResponseDocumentFilter>,
    /// Used instead of a recommendation.
    #[serde(default, deserialize_with = "json::enum_value")]
    result_template: Option<ResultTemplate>,
    /// The country that was read; `result` or its `document_fields` may have it as well.
    #[schema(pattern = "^[A-Z]{3}$", example = "NOR")]
    detected_country: Option<String>,
    #[serde(default, deserialize_with = "json::object")]
    result: Option<TaskResultBody>,
}

/// The result of a task.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct TaskResultBody {
    /// Used instead of a recommendation.
    #[serde(default, deserialize_with = "json::enum_value")]
    result_template: Option<ResultTemplate>,
    #[schema(pattern = "^[A-Z]{3}$")]
    detected_country: Option<String>,
    /// The data that was read, by field name; it is given out as it is.
    #[serde(default, deserialize_with = "json::object")]
    document_fields: Option<Map<String, Value>>,
    /// The portrait on an identity document.
    #[serde(default, deserialize_with = "json::object")]
    document_id_photo: Option<PortraitRequest>,
    #[serde(default, deserialize_with = "json::object")]
    recommendation: Option<TaskRecommendationRequest>,
}

/// A portrait, given out as it is.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct PortraitRequest {
    /// `image/jpeg` or `image/png`.
    #[schema(value_type = String, example = "image/jpeg")]
    content_type: Option<String>,
    /// The picture in base64.
    #[schema(value_type = String)]
    data: Option<String>,
}

/// What the end user is told to do.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TaskRecommendationRequest {
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = TaskAdvice, required = true)]
    value: Option<TaskAdvice>,
    #[serde(default, deserialize_with = "json::object")]
    reason: Option<TaskReasonRequest>,
}

/// Why to try again.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TaskReasonRequest {
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = TaskAdviceReason)]
    value: Option<TaskAdviceReason>,
    /// The details, in one word.
    #[schema(max_length = 2048, example = "GLARE")]
    detail: Option<String>,
}

/// The documents that an item applies to; an empty list matches everything.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct ResponseDocumentFilter {
    /// ISO 3166-1 alpha-3.
    #[schema(value_type = Option<Vec<String>>, max_items = 300)]
    country_codes: Option<Vec<Option<String>>>,
    /// Types of identity documents, or names of other ones.
    #[schema(value_type = Option<Vec<String>>, max_items = 300)]
    document_types: Option<Vec<Option<String>>>,
}

/// The reports of checks, by type.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct CheckReports {
    #[serde(rename = "ID_DOCUMENT_AUTHENTICITY", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    authenticity: Option<Vec<Option<CheckReportItem>>>,
    #[serde(rename = "ID_DOCUMENT_TEXT_DATA_CHECK", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    text_data: Option<Vec<Option<CheckReportItem>>>,
    #[serde(
        rename = "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK",
        default,
        deserialize_with = "json::sparse_objects"
    )]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    supplementary_text_data: Option<Vec<Option<CheckReportItem>>>,
    #[serde(rename = "ID_DOCUMENT_FACE_MATCH", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    face_match: Option<Vec<Option<CheckReportItem>>>,
    /// Older clients send one item instead of a list.
    #[serde(rename = "FACE_COMPARISON", default, deserialize_with = "json::sparse_objects_or_one")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    face_comparison: Option<Vec<Option<CheckReportItem>>>,
    #[serde(rename = "LIVENESS", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    liveness: Option<Vec<Option<CheckReportItem>>>,
    #[serde(rename = "ID_DOCUMENT_COMPARISON", default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    comparison: Option<Vec<Option<CheckReportItem>>>,
    #[serde(rename = "WATCHLIST_SCREENING", default, deserialize_with = "json::sparse_objects_or_one")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    watchlist: Option<Vec<Option<CheckReportItem>>>,
    /// A single item is read as well as a list.
    #[serde(rename = "THIRD_PARTY_IDENTITY", default, deserialize_with = "json::sparse_objects_or_one")]
    #[schema(value_type = Option<Vec<CheckReportItem>>, max_items = 300)]
    third_party_identity: Option<Vec<Option<CheckReportItem>>>,
    /// Seconds by which reports are delayed.
    #[schema(minimum = 0, maximum = 3600)]
    async_report_delay: Option<i64>,
}

/// The report of a check, for documents or captures that match.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CheckReportItem {
    /// The documents that it applies to.
    #[serde(default, deserialize_with = "json::object")]
    document_filter: Option<ResponseDocumentFilter>,
    /// The second documents that it applies to, for `ID_DOCUMENT_COMPARISON`.
    #[serde(default, deserialize_with = "json::object")]
    secondary_document_filter: Option<ResponseDocumentFilter>,
    /// The type that it applies to, for `LIVENESS`. Default: any.
    #[serde(default, deserialize_with = "json::enum_value")]
    liveness_type: Option<LivenessType>,
    /// Used instead of a report.
    #[serde(default, deserialize_with = "json::enum_value")]
    result_template: Option<ResultTemplate>,
    #[serde(default, deserialize_with = "json::object")]
    #[schema(value_type = CheckResultBody, required = true)]
    result: Option<CheckResultBody>,
}

/// The result of a check: a report or a template.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CheckResultBody {
    #[serde(default, deserialize_with = "json::enum_value")]
    report_template: Option<ResultTemplate>,
    #[serde(default, deserialize_with = "json::object")]
    report: Option<ReportRequest>,
    /// The data that was read, for checks of text data; it is given out as it is.
    #[serde(default, deserialize_with = "json::object")]
    document_fields: Option<Map<String, Value>>,
}

/// The report of a check.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReportRequest {
    /// Without it, `APPROVE` if no sub-check failed, and else `CONSIDER`.
    #[serde(default, deserialize_with = "json::object")]
    recommendation: Option<RecommendationRequest>,
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<SubCheckRequest>>, max_items = 300)]
    breakdown: Option<Vec<Option<SubCheckRequest>>>,
}

/// The recommendation of a report.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct RecommendationRequest {
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = CheckAdvice, required = true)]
    value: Option<CheckAdvice>,
    /// Required with `REJECT`.
    #[schema(max_length = 2048, example = "TAMPERED")]
    reason: Option<String>,
    /// Required with `REJECT`.
    #[schema(max_length = 2048, example = "USE_ANOTHER_DOCUMENT")]
    recovery_suggestion: Option<String>,
}

/// A sub-check that the report lists.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SubCheckRequest {
    #[schema(value_type = String, max_length = 2048)]
    sub_check: Option<String>,
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = SubCheckResult, required = true)]
    result: Option<SubCheckResult>,
    #[serde(default, deserialize_with = "json::sparse_objects")]
    #[schema(value_type = Option<Vec<SubCheckDetailRequest>>, max_items = 300)]
    details: Option<Vec<Option<SubCheckDetailRequest>>>,
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "AUTOMATED")]
    process: Option<SubCheckProcess>,
}

/// A number or a reason. It is left out if it has no name or no value.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SubCheckDetailRequest {
    #[schema(value_type = String, max_length = 2048)]
    name: Option<String>,
    #[schema(value_type = String, max_length = 2048)]
    value: Option<String>,
}

/// A response configuration as it was sent, with whatever members it had.
#[derive(serde::Serialize)]
pub(crate) struct SentResponseConfig(pub(crate) Value);

impl Default for SentResponseConfig {
    fn default() -> Self {
        let empty = |name: &str| (name.to_owned(), Value::Object(Map::new()));
        Self(["check_reports", "task_results"].map(empty).into_iter().collect::<Map<_, _>>().into())
    }
}

impl PartialSchema for SentResponseConfig {
    fn schema() -> RefOr<Schema> {
        let words = "A response configuration as it was sent: as `ResponseConfigRequest`, with its words in the case that they \
             came in, and with whatever other members it had, but without nulls. Two empty objects where none was set.";
        let of = |kind| ObjectBuilder::new().schema_type(SchemaType::Type(kind));
        ObjectBuilder::new()
            .description(Some(words))
            .property("task_results", of(Type::Object))
            .property("check_reports", of(Type::Object))
            .property("async_report_delay", of(Type::Integer))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for SentResponseConfig {}

impl ResponseConfigRequest {
    /// Validates a configuration; a refusal lists everything that is wrong with it. It is stored as it was sent.
    pub(super) fn validate(received: &ReceivedRequest) -> Result<SentResponseConfig, DocumentApiError> {
        let (config, wrong) = received.parse_lenient::<Self>()?;
        let (sent, _) = received.parse_lenient::<Map<String, Value>>()?;
        let (sent, violations) = config.check(sent, wrong);
        violations.into_result()?;
        Ok(sent)
    }

    /// As [`Self::validate`], for a configuration that is a part of another request. The paths begin in it.
    pub(crate) fn validate_value(sent: Map<String, Value>) -> Result<SentResponseConfig, Vec<Violation>> {
        let (config, wrong) = json::read_lenient::<Self>(sent.clone().into())
            .map_err(|_| vec![Violation::new("", "it is not a response configuration")])?;
        let (sent, violations) = config.check(sent, wrong);
        let violations = violations.into_violations();
        if violations.is_empty() { Ok(sent) } else { Err(violations) }
    }

    fn check(
        self,
        sent: Map<String, Value>,
        wrong: Vec<Violation>,
    ) -> (SentResponseConfig, PayloadViolations) {
        let mut violations = PayloadViolations::new(wrong);
        self.into_config(&mut violations);
        let sent = without_nulls(sent.into());
        let length = serde_json::to_vec(&sent).map_or(0, |bytes| bytes.len());
        if length > MAX_CONFIG_BYTES {
            let words = format!("it has {length} bytes, at most {MAX_CONFIG_BYTES} are taken");
            let limit = format!("at most {MAX_CONFIG_BYTES} bytes");
            violations.add_limit("", words, LimitViolation::new(length as f64, limit, "leave some out"));
        }
        (SentResponseConfig(sent), violations)
    }

    /// Reads a stored configuration. It was validated when it was sent; parts that this version does not accept are
    /// left out.
    pub(in crate::document_verification) fn read_stored(sent: &Value) -> SandboxResponseConfig {
        let bytes = serde_json::to_vec(sent).unwrap_or_default();
        let read = json::parse_lenient::<Self>(&bytes).ok();
        read.map(|(config, _)| config.into_config(&mut PayloadViolations::default())).unwrap_or_default()
    }

    fn into_config(self, violations: &mut PayloadViolations) -> SandboxResponseConfig {
        let reports = self.check_reports.unwrap_or_default();
        for (path, seconds) in [
            ("async_report_delay", self.async_report_delay),
            ("check_reports.async_report_delay", reports.async_report_delay),
        ] {
            if let Some(seconds) = seconds.filter(|seconds| !REPORT_DELAY_SECONDS.contains(seconds)) {
                let (least, most) = (REPORT_DELAY_SECONDS.start(), REPORT_DELAY_SECONDS.end());
                let words = format!("it is {seconds}; a whole number from {least} to {most} is expected");
                let limit = format!("{least} to {most} seconds");
                let measured = LimitViolation::new(seconds as f64, limit, "choose another delay");
                violations.add_limit(path, words, measured);
            }
        }
        SandboxResponseConfig {
            report_delay_seconds: self.async_report_delay.or(reports.async_report_delay).unwrap_or(0),
            task_results: self.task_results.unwrap_or_default().into_results(violations),
            check_reports: reports.into_results(violations),
        }
    }
}

/// A value without what is null in it: null counts as absent, and is never answered.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members.map(|(name, value)| (name, without_nulls(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().filter(|item| !item.is_null()).map(without_nulls).collect(),
        value => value,
    }
}

impl TaskResults {
    fn into_results(self, violations: &mut PayloadViolations) -> Vec<SandboxTaskResult> {
        let mut results = Vec::new();
        for (task, items) in [
            (TaskType::IdDocument, self.id_documents),
            (TaskType::SupplementaryDocument, self.supplementary_documents),
        ] {
            let list = format!("task_results.{task}");
            for (at, item) in violations.list(&list, items, MAX_ITEMS).into_iter().enumerate() {
                let path = format!("{list}[{at}]");
                results.extend(item.map(|item| item.into_result(task, &path, violations)));
            }
        }
        results
    }
}

impl TaskResultItem {
    fn into_result(
        self,
        task: TaskType,
        path: &str,
        violations: &mut PayloadViolations,
    ) -> SandboxTaskResult {
        let filter = ResponseDocumentFilter::into_document_match(
            self.document_filter,
            &format!("{path}.document_filter"),
            violations,
        );
        let result = self.result.unwrap_or_default();
        let succeeded = self.result_template.or(result.result_template).is_some();
        let mut fields = result.document_fields.unwrap_or_default();
        fields.retain(|_, value| !value.is_null());
        let country =
            detected_country(path, &fields, result.detected_country, self.detected_country, violations);
        fields.extend(country.map(|country| ("detected_country".to_owned(), country.into())));
        let given = result.recommendation.filter(|_| !succeeded);
        let next = given.map(|given| given.into_next(&format!("{path}.result.recommendation"), violations));
        let portrait = result.document_id_photo.and_then(|photo| {
            let path = format!("{path}.result.document_id_photo");
            if task == TaskType::SupplementaryDocument {
                violations.add(&path, "supplementary documents have no portrait");
            }
            photo.into_portrait(&path, violations)
        });
        SandboxTaskResult {
            task,
            filter,
            next: next.unwrap_or_else(TaskNextStep::progress),
            fields,
            portrait,
        }
    }
}

impl PortraitRequest {
    /// `None` where it was refused.
    fn into_portrait(self, path: &str, violations: &mut PayloadViolations) -> Option<SandboxPortrait> {
        let content_type = violations.required(&format!("{path}.content_type"), self.content_type)?;
        let data = violations.required(&format!("{path}.data"), self.data)?;
        let content_type = match content_type.trim().to_ascii_lowercase().as_str() {
            "image/jpeg" | "image/jpg" => "image/jpeg",
            "image/png" => "image/png",
            _ => {
                violations.add(&format!("{path}.content_type"), "it is image/jpeg or image/png");
                return None;
            }
        };
        let Ok(bytes) = base64_simd::STANDARD.decode_to_vec(data.trim().as_bytes()) else {
            violations.add(&format!("{path}.data"), "it is not standard base64");
            return None;
        };
        if bytes.is_empty() {
            violations.add(&format!("{path}.data"), "it has no bytes");
            return None;
        }
        Some(SandboxPortrait { content_type, bytes })
    }
}

/// The country that was read: from the fields, or else from the result, or else from the item.
fn detected_country(
    path: &str,
    fields: &Map<String, Value>,
    of_result: Option<String>,
    of_item: Option<String>,
    violations: &mut PayloadViolations,
) -> Option<String> {
    let of_fields = match fields.get("detected_country") {
        Some(Value::String(code)) => Some(code.clone()),
        None => None,
        Some(_) => {
            violations.add(&format!("{path}.result.document_fields.detected_country"), "a text is expected");
            None
        }
    };
    let (code, path) = [
        (of_fields, format!("{path}.result.document_fields.detected_country")),
        (of_result, format!("{path}.result.detected_country")),
        (of_item, format!("{path}.detected_country")),
    ]
    .into_iter()
    .find_map(|(code, path)| Some((code?, path)))?;
    if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_uppercase()) {
        violations.add(&path, "it is three capital letters (ISO 3166-1 alpha-3)");
    }
    Some(code)
}

impl TaskRecommendationRequest {
    fn into_next(self, path: &str, violations: &mut PayloadViolations) -> TaskNextStep {
        let value = violations.required(&format!("{path}.value"), self.value);
        let reason = self.reason.and_then(|reason| {
            let detail = violations.text(&format!("{path}.reason.detail"), reason.detail);
            Some(TaskNextStepReason { value: reason.value?, detail })
        });
        TaskNextStep { value: value.unwrap_or(TaskAdvice::Progress), reason }
    }
}

impl ResponseDocumentFilter {
    fn into_document_match(
        filter: Option<Self>,
        path: &str,
        violations: &mut PayloadViolations,
    ) -> DocumentMatcher {
        let Self { country_codes, document_types } = filter.unwrap_or_default();
        let mut upper = |name: &str, words| {
            let words = violations.texts(&format!("{path}.{name}"), words, MAX_ITEMS);
            words.iter().map(|word| word.trim().to_ascii_uppercase()).collect()
        };
        DocumentMatcher {
            countries: upper("country_codes", country_codes),
            types: upper("document_types", document_types),
        }
    }
}

impl CheckReports {
    fn into_results(self, violations: &mut PayloadViolations) -> Vec<SandboxCheckResult> {
        let mut results = Vec::new();
        for (check, items) in [
            (VerificationCheckType::Authenticity, self.authenticity),
            (VerificationCheckType::TextData, self.text_data),
            (VerificationCheckType::SupplementaryTextData, self.supplementary_text_data),
            (VerificationCheckType::FaceMatch, self.face_match),
            (VerificationCheckType::FaceComparison, self.face_comparison),
            (VerificationCheckType::Liveness, self.liveness),
            (VerificationCheckType::Comparison, self.comparison),
            (VerificationCheckType::Watchlist, self.watchlist),
            (VerificationCheckType::ThirdPartyIdentity, self.third_party_identity),
        ] {
            let list = format!("check_reports.{check}");
            for (at, item) in violations.list(&list, items, MAX_ITEMS).into_iter().enumerate() {
                let path = format!("{list}[{at}]");
                results.extend(item.and_then(|item| item.into_result(check, &path, violations)));
            }
        }
        results
    }
}

impl CheckReportItem {
    /// `None` where it was refused.
    fn into_result(
        self,
        check: VerificationCheckType,
        path: &str,
        violations: &mut PayloadViolations,
    ) -> Option<SandboxCheckResult> {
        let mut fit = |name: &str, filter| {
            ResponseDocumentFilter::into_document_match(filter, &format!("{path}.{name}"), violations)
        };
        let applies_to = match check {
            VerificationCheckType::Liveness => CheckResultTarget::Liveness(self.liveness_type),
            VerificationCheckType::Comparison => CheckResultTarget::SecondDocument(fit(
                "secondary_document_filter",
                self.secondary_document_filter,
            )),
            _ => CheckResultTarget::Document(fit("document_filter", self.document_filter)),
        };
        let result = violations.required(&format!("{path}.result"), self.result)?;
        let report = if self.result_template.or(result.report_template).is_some() {
            approving_report(check)
        } else {
            let words = "it is required, or a report_template";
            let path = format!("{path}.result.report");
            let Some(report) = result.report else {
                violations.add(&path, words);
                return None;
            };
            report.into_report(&path, violations)?
        };
        Some(SandboxCheckResult {
            check,
            applies_to,
            report,
            fields: result.document_fields.unwrap_or_default(),
        })
    }
}

impl ReportRequest {
    /// `None` where it was refused.
    fn into_report(self, path: &str, violations: &mut PayloadViolations) -> Option<VerificationReport> {
        let at = format!("{path}.recommendation");
        let is_left_out = self.recommendation.is_none();
        let given = self.recommendation.and_then(|given| given.into_recommendation(&at, violations));
        let list = format!("{path}.breakdown");
        let mut breakdown = Vec::new();
        for (at, sub) in violations.list(&list, self.breakdown, MAX_ITEMS).into_iter().enumerate() {
            let path = format!("{list}[{at}]");
            breakdown.extend(sub.and_then(|sub| sub.into_sub_check(&path, violations)));
        }
        let failed = breakdown.iter().find(|sub: &&SubCheck| sub.result == SubCheckResult::Fail);
        let implied = failed.map_or_else(Recommendation::approve, |failed| {
            Recommendation::with_reason(CheckAdvice::Consider, &failed.sub_check)
        });
        let recommendation = if is_left_out { Some(implied) } else { given };
        Some(VerificationReport { breakdown, recommendation: recommendation? })
    }
}

impl RecommendationRequest {
    /// `None` where it was refused.
    fn into_recommendation(self, path: &str, violations: &mut PayloadViolations) -> Option<Recommendation> {
        let value = violations.required(&format!("{path}.value"), self.value)?;
        let mut text = |name: &str, text: Option<String>| {
            let path = format!("{path}.{name}");
            if value == CheckAdvice::Reject && text.is_none() {
                violations.add(&path, "it is required with REJECT");
            }
            violations.text(&path, text)
        };
        let reason = text("reason", self.reason);
        let mut suggestion = text("recovery_suggestion", self.recovery_suggestion);
        if suggestion.is_none() && value != CheckAdvice::Approve {
            suggestion = reason.as_deref().map(|reason| recovery_suggestion(reason).to_owned());
        }
        Some(Recommendation { value, reason, recovery_suggestion: suggestion })
    }
}

impl SubCheckRequest {
    /// `None` where it was refused.
    fn into_sub_check(self, path: &str, violations: &mut PayloadViolations) -> Option<SubCheck> {
        let name = violations.required(&format!("{path}.sub_check"), self.sub_check);
        let name = violations.text(&format!("{path}.sub_check"), name);
        let result = violations.required(&format!("{path}.result"), self.result);
        let list = format!("{path}.details");
        let details = violations.list(&list, self.details, MAX_ITEMS).into_iter().enumerate();
        let details = details.filter_map(|(at, detail)| {
            let detail = detail?;
            let name = violations.text(&format!("{list}[{at}].name"), detail.name)?;
            let value = violations.text(&format!("{list}[{at}].value"), detail.value)?;
            Some(ReportDetail { name, value })
        });
        let details = details.collect();
        Some(SubCheck {
            sub_check: name?,
            result: result?,
            details,
            process: self.process.unwrap_or(SubCheckProcess::Automated),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_kept_is_read_though_a_part_of_it_is_taken_no_more() {
        let kept = ResponseConfigRequest::read_stored(&json!({
            "async_report_delay": 30,
            "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [
                { "result": { "document_fields": { "full_name": "A", "note": null }, "detected_country": "NOR" } },
            ] },
            "check_reports": {
                "ID_DOCUMENT_TEXT_DATA_CHECK": [{ "result": { "report_template": "success", "document_fields": 7 } }],
                "LIVENESS": [7, { "liveness_type": "zoom", "result_template": "SUCCESS", "result": {} }],
            },
        }));
        assert_eq!((kept.report_delay_seconds, kept.task_results.len()), (30, 1));
        let fields = Value::from(kept.task_results[0].fields.clone());
        assert_eq!(fields, json!({ "full_name": "A", "detected_country": "NOR" }));
        let checks: Vec<_> = kept.check_reports.iter().map(|item| item.check).collect();
        assert_eq!(checks, [VerificationCheckType::TextData, VerificationCheckType::Liveness]);
        assert!(
            kept.check_reports.iter().all(|item| item.report.recommendation.value == CheckAdvice::Approve)
        );
        assert!(matches!(
            kept.check_reports[1].applies_to,
            CheckResultTarget::Liveness(Some(LivenessType::Zoom))
        ));
        assert_eq!(ResponseConfigRequest::read_stored(&json!(7)).check_reports.len(), 0);
    }
}
