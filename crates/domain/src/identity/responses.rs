//! What a sandbox answers: a response configuration of the session, or else of its application. The first item whose
//! filter fits counts; without any, everything approves.

use super::{
    Identities,
    change::NotDone,
    filter::type_word,
    report::{Detail, Recommendation, Report, SubCheck, recovery},
    session::{Check, Next, NextReason, Resource, Session},
    words::{Advice, CheckType, LivenessType, Outcome, Process, ResourceKind, TaskType, TryAgain, TryReason},
};
use crate::{
    members::{Members, Wrongs},
    violation::Violation,
};
use base::{AppId, SessionId};
use db::{DbError, FromRow, Read, sql};
use serde_json::{Map, Value, json};

/// Seconds that reports may be kept waiting, at most: an hour.
const LONGEST_DELAY: i64 = 3600;
/// Bytes of a configuration, at most.
const MOST_BYTES: usize = 256 << 10;
/// The lists of `check_reports`.
const LISTS: [CheckType; 7] = [
    CheckType::Authenticity,
    CheckType::TextData,
    CheckType::SupplementaryTextData,
    CheckType::FaceMatch,
    CheckType::FaceComparison,
    CheckType::Liveness,
    CheckType::Comparison,
];

/// A response configuration.
#[derive(Clone, Debug, Default)]
pub struct Responses {
    delay: i64,
    extractions: Vec<(TaskType, DocumentFilter, Next, Map<String, Value>)>,
    reports: Vec<(CheckType, Fits, Report, Map<String, Value>)>,
}

/// What an item is for.
#[derive(Clone, Debug)]
enum Fits {
    Document(DocumentFilter),
    /// A document that is not the first.
    Second(DocumentFilter),
    Liveness(Option<LivenessType>),
}

/// Countries and types; empty lists fit everything.
#[derive(Clone, Debug, Default)]
struct DocumentFilter {
    countries: Vec<String>,
    types: Vec<String>,
}

/// What a task comes to.
pub(super) struct Extraction {
    pub(super) next: Next,
    pub(super) fields: Value,
}

impl DocumentFilter {
    fn read(members: Option<Members<'_>>) -> Self {
        let Some(members) = members else { return Self::default() };
        let upper = |(_, text): (String, &str)| text.trim().to_ascii_uppercase();
        Self {
            countries: members.texts("country_codes").into_iter().map(upper).collect(),
            types: members.texts("document_types").into_iter().map(upper).collect(),
        }
    }

    fn fits(&self, resource: &Resource) -> bool {
        let kind = resource.document_type.map(|kind| type_word(kind).to_owned());
        let kind = kind.or_else(|| resource.other_type.clone());
        let among = |list: &[String], word: Option<&String>| {
            list.is_empty() || word.is_some_and(|word| list.contains(word))
        };
        among(&self.countries, resource.issuing_country.as_ref()) && among(&self.types, kind.as_ref())
    }
}

impl Responses {
    /// Reads a configuration; everything that is wrong with it is told at once.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Vec<Violation>> {
        let wrongs = Wrongs::default();
        let members = wrongs.members(body);
        let mut read = Self::default();
        let length = serde_json::to_vec(body).map_or(0, |bytes| bytes.len());
        if length > MOST_BYTES {
            members.refuse("", format!("it has {length} bytes, at most {MOST_BYTES} are taken"));
        }
        let reports = members.inner("check_reports");
        read.delay = members
            .within("async_report_delay", 0, LONGEST_DELAY)
            .or_else(|| reports.as_ref()?.within("async_report_delay", 0, LONGEST_DELAY))
            .unwrap_or(0);
        if let Some(tasks) = members.inner("task_results") {
            for kind in [TaskType::IdDocument, TaskType::SupplementaryDocument] {
                for item in tasks.items(kind.as_str()) {
                    let filter = DocumentFilter::read(item.inner("document_filter"));
                    let (next, fields) = extraction(&item);
                    read.extractions.push((kind, filter, next, fields));
                }
            }
        }
        if let Some(reports) = &reports {
            for kind in LISTS {
                for item in reports.items(kind.as_str()) {
                    let fits = match kind {
                        CheckType::Liveness => Fits::Liveness(item.word("liveness_type")),
                        CheckType::Comparison => {
                            Fits::Second(DocumentFilter::read(item.inner("secondary_document_filter")))
                        }
                        _ => Fits::Document(DocumentFilter::read(item.inner("document_filter"))),
                    };
                    let result = item.inner("result");
                    let fields = result.as_ref().and_then(|result| result.value("document_fields"));
                    let fields = fields.and_then(Value::as_object).cloned().unwrap_or_default();
                    if let Some(report) = report(&item, result.as_ref(), kind) {
                        read.reports.push((kind, fits, report, fields));
                    }
                }
            }
            // Nothing here asks third parties; what is said of them is held to its form.
            if let Some(item) = reports.inner("THIRD_PARTY_IDENTITY") {
                report(&item, item.inner("result").as_ref(), CheckType::Authenticity);
            }
        }
        wrongs.end()?;
        Ok(read)
    }

    /// What reading a document comes to.
    pub(super) fn extraction(&self, resource: &Resource) -> Extraction {
        let (task, check) = match resource.kind {
            ResourceKind::SupplementaryDocument => {
                (TaskType::SupplementaryDocument, CheckType::SupplementaryTextData)
            }
            _ => (TaskType::IdDocument, CheckType::TextData),
        };
        let item = self.extractions.iter().find(|(kind, filter, ..)| *kind == task && filter.fits(resource));
        let next = item.map_or_else(Next::progress, |(_, _, next, _)| next.clone());
        let mut fields = usual(resource);
        let of_check = self.reports.iter().find(|(kind, fits, ..)| {
            *kind == check && matches!(fits, Fits::Document(filter) if filter.fits(resource))
        });
        fields.extend(of_check.iter().flat_map(|(.., fields)| fields.clone()));
        fields.extend(item.iter().flat_map(|(.., fields)| fields.clone()));
        Extraction { next, fields: fields.into() }
    }

    /// What a check reports.
    pub(super) fn report(&self, session: &Session, check: &Check) -> Report {
        let used: Vec<&Resource> = check
            .resources_used
            .iter()
            .filter_map(|id| session.resources.iter().find(|resource| resource.id == *id))
            .collect();
        let fits = |fits: &Fits| match fits {
            // A face that is compared with another needs no document to be fitted.
            Fits::Document(filter) => match used.first() {
                Some(resource) if check.kind != CheckType::FaceComparison => filter.fits(resource),
                _ => true,
            },
            Fits::Second(filter) => used.get(1).is_none_or(|resource| filter.fits(resource)),
            Fits::Liveness(kind) => {
                kind.is_none() || used.iter().any(|resource| resource.liveness_type == *kind)
            }
        };
        let found = self.reports.iter().find(|(kind, known, ..)| *kind == check.kind && fits(known));
        found.map_or_else(|| template(check.kind), |(_, _, report, _)| report.clone())
    }
}

/// A task's recommendation, and what was read.
fn extraction(item: &Members<'_>) -> (Next, Map<String, Value>) {
    let result = item.inner("result");
    let succeeded = is_success(item, "result_template")
        || result.as_ref().is_some_and(|result| is_success(result, "result_template"));
    let mut fields = Map::new();
    let read = result.as_ref().and_then(|result| result.inner("document_fields"));
    if let Some(given) = &read {
        for name in given.names() {
            fields.extend(given.value(name).map(|value| (name.to_owned(), value.clone())));
        }
    }
    let places = [read.as_ref(), result.as_ref(), Some(item)];
    for members in places.into_iter().flatten() {
        let Some(code) = members.text("detected_country") else { continue };
        if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_uppercase()) {
            members.refuse("detected_country", "it is three capital letters (ISO 3166-1 alpha-3)");
        }
        fields.insert("detected_country".to_owned(), code.into());
        break;
    }
    let recommendation = result.as_ref().and_then(|result| result.inner("recommendation"));
    let next = match recommendation.filter(|_| !succeeded) {
        None => Next::progress(),
        Some(given) => {
            let value: Option<TryAgain> = given.word("value");
            if value.is_none() && !given.has("value") {
                given.refuse("value", "it is required");
            }
            let reason = given.inner("reason").and_then(|reason| {
                let value: Option<TryReason> = reason.word("value");
                Some(NextReason { value: value?, detail: reason.string("detail") })
            });
            Next { value: value.unwrap_or(TryAgain::Progress), reason }
        }
    };
    (next, fields)
}

fn is_success(members: &Members<'_>, name: &str) -> bool {
    let Some(word) = members.text(name) else { return false };
    let success = word.eq_ignore_ascii_case("SUCCESS");
    if !success {
        members.refuse(name, "it is SUCCESS");
    }
    success
}

/// The report of an item. `None` where it was refused.
fn report(item: &Members<'_>, result: Option<&Members<'_>>, kind: CheckType) -> Option<Report> {
    let Some(result) = result else {
        item.refuse("result", "it is required");
        return None;
    };
    if is_success(result, "report_template") || is_success(item, "result_template") {
        return Some(template(kind));
    }
    let Some(given) = result.inner("report") else {
        if !result.has("report") {
            result.refuse("report", "it is required, or a report_template");
        }
        return None;
    };
    let advice = given.inner("recommendation");
    let Some(advice) = advice else {
        if !given.has("recommendation") {
            given.refuse("recommendation", "it is required");
        }
        return None;
    };
    let value: Option<Advice> = advice.word("value");
    if !advice.has("value") {
        advice.refuse("value", "it is required");
    }
    let value = value?;
    let (reason, mut suggestion) = (advice.string("reason"), advice.string("recovery_suggestion"));
    if value == Advice::Reject {
        for (name, there) in [("reason", reason.is_some()), ("recovery_suggestion", suggestion.is_some())] {
            if !there && !advice.has(name) {
                advice.refuse(name, "it is required with REJECT");
            }
        }
    }
    if suggestion.is_none() && value != Advice::Approve {
        suggestion = reason.as_deref().map(|reason| recovery(reason).to_owned());
    }
    let breakdown = given.items("breakdown").into_iter().filter_map(|sub| {
        let result: Option<Outcome> = sub.word("result");
        for name in ["sub_check", "result"] {
            if !sub.has(name) {
                sub.refuse(name, "it is required");
            }
        }
        let details = sub.items("details").into_iter().filter_map(|detail| {
            Some(Detail { name: detail.string("name")?, value: detail.string("value")? })
        });
        Some(SubCheck {
            sub_check: sub.string("sub_check")?,
            result: result?,
            details: details.collect(),
            process: sub.word("process").unwrap_or(Process::Automated),
        })
    });
    Some(Report {
        breakdown: breakdown.collect(),
        recommendation: Recommendation { value, reason, recovery_suggestion: suggestion },
    })
}

/// Everything approves.
fn template(kind: CheckType) -> Report {
    let names: &[&str] = match kind {
        CheckType::Authenticity => &["document_in_date", "mrz_validation", "physical_document_captured"],
        CheckType::TextData | CheckType::SupplementaryTextData => &["text_data_readable"],
        CheckType::Liveness => &["liveness_auth"],
        CheckType::FaceMatch | CheckType::FaceComparison => &["ai_face_match"],
        CheckType::Comparison => &["name_match", "dob_match"],
    };
    Report::approve(names.iter().map(|name| SubCheck::new(name, true, Vec::new())).collect())
}

/// What is read of a document that no configuration speaks of: nobody's data.
fn usual(resource: &Resource) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    add("full_name", "SANDBOX EXAMPLE".into());
    if resource.kind == ResourceKind::SupplementaryDocument {
        add("organisation", "Example Utilities".into());
        add("date_of_issue", "2025-06-01".into());
        let address = json!({ "address_line1": "1 Example Street", "town_city": "Exampleton", "formatted_address": "1 Example Street\nExampleton" });
        add("structured_postal_address", address);
        return fields;
    }
    add("given_names", "SANDBOX".into());
    add("family_name", "EXAMPLE".into());
    add("date_of_birth", "1990-01-01".into());
    add("document_number", "S00000001".into());
    add("expiration_date", "2035-01-01".into());
    if let Some(kind) = resource.document_type {
        add("document_type", type_word(kind).into());
    }
    if let Some(country) = &resource.issuing_country {
        add("issuing_country", country.as_str().into());
        add("nationality", country.as_str().into());
    }
    fields
}

fn place(app: AppId) -> Vec<u8> {
    format!("identity responses {app}").into_bytes()
}

impl Identities {
    /// What a session's sandbox answers.
    pub(super) async fn responses_of(&self, session: &Session) -> Result<Responses, DbError> {
        let kept = if let Some(own) = &session.config {
            Some(own.clone())
        } else {
            let mut view = self.0.db.read().await?;
            self.app_responses(&mut view, session.app).await?
        };
        // It was held to its form when it came.
        let read = kept.as_ref().and_then(Value::as_object).and_then(|map| Responses::read(map).ok());
        Ok(read.unwrap_or_default())
    }

    /// Seconds that reports of a session are kept waiting.
    pub(super) async fn sandbox_delay(&self, id: SessionId) -> Result<i64, NotDone> {
        let held = {
            let mut view = self.0.db.read().await?;
            self.find_any(&mut view, id).await?.ok_or(NotDone::NoSession)?
        };
        if !held.session.sandbox {
            return Ok(0);
        }
        Ok(self.responses_of(&held.session).await?.delay)
    }

    /// The configuration of an application, as it came.
    pub async fn app_responses(&self, view: &mut Read, app: AppId) -> Result<Option<Value>, DbError> {
        #[derive(FromRow)]
        struct Row {
            sealed: Vec<u8>,
        }
        let row: Option<Row> =
            view.fetch_optional(sql!("SELECT sealed FROM identity_responses WHERE app_id = $1", app)).await?;
        let open = |row: Row| self.0.vault.open(&place(app), &row.sealed).ok();
        Ok(row.and_then(open).and_then(|plain| serde_json::from_slice(&plain).ok()))
    }

    /// Keeps a configuration of an application.
    pub async fn set_app_responses(&self, app: AppId, body: &Map<String, Value>) -> Result<(), NotDone> {
        Responses::read(body).map_err(NotDone::Invalid)?;
        let world = &*self.0.world;
        let plain = serde_json::to_vec(body).expect("JSON is JSON");
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO identity_responses (app_id, sealed, updated_at) VALUES ($1, $2, $3)
             ON CONFLICT (app_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
            app,
            self.0.vault.seal(world, &place(app), &plain),
            world.now(),
        ))
        .await?;
        Ok(tx.commit().await?)
    }

    /// Keeps a configuration of a session.
    pub async fn set_responses(&self, id: SessionId, body: Map<String, Value>) -> Result<(), NotDone> {
        Responses::read(&body).map_err(NotDone::Invalid)?;
        self.change(id, |session, _, _| {
            session.config = Some(body.into());
            Ok(())
        })
        .await
        .map(drop)
    }
}
