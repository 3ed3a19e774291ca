//! What a sandbox answers: a response configuration of the session, or else of its application. The first item whose
//! filter fits counts; without any, everything approves.

use super::{
    Identities,
    change::NotDone,
    filter::type_word,
    report::{Report, SubCheck},
    session::{Check, Next, Resource, Session},
    words::{CheckType, LivenessType, ResourceKind, TaskType},
};
use base::{AppId, SessionId};
use db::{DbError, FromRow, Read, sql};
use serde_json::{Map, Value, json};

/// A response configuration.
#[derive(Clone, Debug, Default)]
pub struct ResponseConfig {
    /// Seconds that reports are kept waiting.
    pub report_delay_seconds: i64,
    /// What tasks come to.
    pub task_results: Vec<TaskResult>,
    /// What checks report.
    pub check_reports: Vec<CheckResult>,
}

/// What a task comes to.
#[derive(Clone, Debug)]
pub struct TaskResult {
    /// Which task.
    pub task: TaskType,
    /// Of which documents.
    pub filter: DocumentMatch,
    /// What the person should do.
    pub next: Next,
    /// What was read, by the names of its fields.
    pub fields: Map<String, Value>,
}

/// What a check reports.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// Which check.
    pub check: CheckType,
    /// Of what.
    pub applies_to: AppliesTo,
    /// The report.
    pub report: Report,
    /// What was read of the document that a check of text data is about.
    pub fields: Map<String, Value>,
}

/// What a check's result is for.
#[derive(Clone, Debug)]
pub enum AppliesTo {
    /// The document that is checked.
    Document(DocumentMatch),
    /// A document that is not the first.
    SecondDocument(DocumentMatch),
    /// A face that is shown so, or any.
    Liveness(Option<LivenessType>),
}

/// Countries and types, in capital letters; empty lists fit everything.
#[derive(Clone, Debug, Default)]
pub struct DocumentMatch {
    /// ISO 3166-1 alpha-3.
    pub countries: Vec<String>,
    /// Types of documents, of supplementary ones any word.
    pub types: Vec<String>,
}

/// What a task comes to.
pub(super) struct Extraction {
    pub(super) next: Next,
    pub(super) fields: Value,
}

impl DocumentMatch {
    fn fits(&self, resource: &Resource) -> bool {
        let kind = resource.document_type.map(|kind| type_word(kind).to_owned());
        let kind = kind.or_else(|| resource.other_type.clone());
        let among = |list: &[String], word: Option<&String>| {
            list.is_empty() || word.is_some_and(|word| list.contains(word))
        };
        among(&self.countries, resource.issuing_country.as_ref()) && among(&self.types, kind.as_ref())
    }
}

impl ResponseConfig {
    /// What reading a document comes to.
    pub(super) fn extraction(&self, resource: &Resource) -> Extraction {
        let (task, check) = match resource.kind {
            ResourceKind::SupplementaryDocument => {
                (TaskType::SupplementaryDocument, CheckType::SupplementaryTextData)
            }
            _ => (TaskType::IdDocument, CheckType::TextData),
        };
        let of_task = self.task_results.iter().find(|item| item.task == task && item.filter.fits(resource));
        let next = of_task.map_or_else(Next::progress, |item| item.next.clone());
        let mut fields = usual(resource);
        let of_check = self.check_reports.iter().find(|item| {
            let fits = matches!(&item.applies_to, AppliesTo::Document(filter) if filter.fits(resource));
            item.check == check && fits
        });
        fields.extend(of_check.iter().flat_map(|item| item.fields.clone()));
        fields.extend(of_task.iter().flat_map(|item| item.fields.clone()));
        Extraction { next, fields: fields.into() }
    }

    /// What a check reports.
    pub(super) fn report(&self, session: &Session, check: &Check) -> Report {
        let used: Vec<&Resource> = check
            .resources_used
            .iter()
            .filter_map(|id| session.resources.iter().find(|resource| resource.id == *id))
            .collect();
        let fits = |applies_to: &AppliesTo| match applies_to {
            // A face that is compared with another needs no document to be fitted.
            AppliesTo::Document(filter) => match used.first() {
                Some(resource) if check.kind != CheckType::FaceComparison => filter.fits(resource),
                _ => true,
            },
            AppliesTo::SecondDocument(filter) => used.get(1).is_none_or(|resource| filter.fits(resource)),
            AppliesTo::Liveness(kind) => {
                kind.is_none() || used.iter().any(|resource| resource.liveness_type == *kind)
            }
        };
        let found = self.check_reports.iter().find(|item| item.check == check.kind && fits(&item.applies_to));
        found.map_or_else(|| success(check.kind), |item| item.report.clone())
    }
}

/// The report of a check that finds nothing wrong.
pub fn success(kind: CheckType) -> Report {
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
    pub(super) async fn responses_of(&self, session: &Session) -> Result<ResponseConfig, DbError> {
        let kept = if let Some(own) = &session.config {
            Some(own.clone())
        } else {
            let mut view = self.0.db.read().await?;
            self.app_responses(&mut view, session.app).await?
        };
        Ok(kept.map(|sent| self.0.format.response_config(&sent)).unwrap_or_default())
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
        Ok(self.responses_of(&held.session).await?.report_delay_seconds)
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

    /// Keeps a configuration of an application, as it was sent.
    pub async fn set_app_responses(&self, app: AppId, sent: &Value) -> Result<(), DbError> {
        let world = &*self.0.world;
        let plain = serde_json::to_vec(sent).expect("JSON is JSON");
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO identity_responses (app_id, sealed, updated_at) VALUES ($1, $2, $3)
             ON CONFLICT (app_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
            app,
            self.0.vault.seal(world, &place(app), &plain),
            world.now(),
        ))
        .await?;
        tx.commit().await
    }

    /// Keeps a configuration of a session, as it was sent.
    pub async fn set_responses(&self, id: SessionId, sent: Value) -> Result<(), NotDone> {
        self.change(id, |session, _, _| {
            session.config = Some(sent);
            Ok(())
        })
        .await
        .map(drop)
    }
}
