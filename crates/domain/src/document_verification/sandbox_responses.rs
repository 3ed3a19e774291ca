//! What a sandbox answers: a response configuration of the session, or else of its application. The first item whose
//! filter fits counts; without any, everything approves.

use super::{
    DocumentVerificationService,
    report::{SubCheck, VerificationReport},
    restrictions::document_type_name,
    session::{DocumentSession, SuppliedResource, TaskNextStep, VerificationCheck},
    types::{LivenessType, ResourceKind, TaskType, VerificationCheckType},
    unit_of_work::DocumentSessionError,
};
use base::{AppId, DocumentSessionId};
use db::{DbError, FromRow, ReadTx, sql};
use serde_json::{Map, Value, json};

/// A response configuration.
#[derive(Clone, Debug, Default)]
pub struct SandboxResponseConfig {
    /// Seconds that reports are kept waiting.
    pub report_delay_seconds: i64,
    /// What tasks come to.
    pub task_results: Vec<SandboxTaskResult>,
    /// What checks report.
    pub check_reports: Vec<SandboxCheckResult>,
}

/// What a task comes to.
#[derive(Clone, Debug)]
pub struct SandboxTaskResult {
    /// Which task.
    pub task: TaskType,
    /// Of which documents.
    pub filter: DocumentMatcher,
    /// What the person should do.
    pub next: TaskNextStep,
    /// What was read, by the names of its fields.
    pub fields: Map<String, Value>,
}

/// What a check reports.
#[derive(Clone, Debug)]
pub struct SandboxCheckResult {
    /// Which check.
    pub check: VerificationCheckType,
    /// Of what.
    pub applies_to: CheckResultTarget,
    /// The report.
    pub report: VerificationReport,
    /// What was read of the document that a check of text data is about.
    pub fields: Map<String, Value>,
}

/// What a check's result is for.
#[derive(Clone, Debug)]
pub enum CheckResultTarget {
    /// The document that is checked.
    Document(DocumentMatcher),
    /// A document that is not the first.
    SecondDocument(DocumentMatcher),
    /// A face that is shown so, or any.
    Liveness(Option<LivenessType>),
}

/// Countries and types, in capital letters; empty lists fit everything.
#[derive(Clone, Debug, Default)]
pub struct DocumentMatcher {
    /// ISO 3166-1 alpha-3.
    pub countries: Vec<String>,
    /// Types of documents, of supplementary ones any word.
    pub types: Vec<String>,
}

/// What a task comes to.
pub(super) struct SimulatedExtraction {
    pub(super) next: TaskNextStep,
    pub(super) fields: Value,
}

impl DocumentMatcher {
    fn matches(&self, resource: &SuppliedResource) -> bool {
        let kind = resource.document_type.map(|kind| document_type_name(kind).to_owned());
        let kind = kind.or_else(|| resource.other_type.clone());
        let among = |list: &[String], word: Option<&String>| {
            list.is_empty() || word.is_some_and(|word| list.contains(word))
        };
        among(&self.countries, resource.issuing_country.as_ref()) && among(&self.types, kind.as_ref())
    }
}

impl SandboxResponseConfig {
    /// What reading a document comes to.
    pub(super) fn extraction(&self, resource: &SuppliedResource) -> SimulatedExtraction {
        let (task, check) = match resource.kind {
            ResourceKind::SupplementaryDocument => {
                (TaskType::SupplementaryDocument, VerificationCheckType::SupplementaryTextData)
            }
            _ => (TaskType::IdDocument, VerificationCheckType::TextData),
        };
        let of_task =
            self.task_results.iter().find(|item| item.task == task && item.filter.matches(resource));
        let next = of_task.map_or_else(TaskNextStep::progress, |item| item.next.clone());
        let mut fields = default_fields(resource);
        let of_check = self.check_reports.iter().find(|item| {
            let fits =
                matches!(&item.applies_to, CheckResultTarget::Document(filter) if filter.matches(resource));
            item.check == check && fits
        });
        fields.extend(of_check.iter().flat_map(|item| item.fields.clone()));
        fields.extend(of_task.iter().flat_map(|item| item.fields.clone()));
        SimulatedExtraction { next, fields: fields.into() }
    }

    /// What a check reports.
    pub(super) fn report(&self, session: &DocumentSession, check: &VerificationCheck) -> VerificationReport {
        let used: Vec<&SuppliedResource> = check
            .resources_used
            .iter()
            .filter_map(|id| session.resources.iter().find(|resource| resource.id == *id))
            .collect();
        let fits = |applies_to: &CheckResultTarget| match applies_to {
            // A face that is compared with another needs no document to be fitted.
            CheckResultTarget::Document(filter) => match used.first() {
                Some(resource) if check.kind != VerificationCheckType::FaceComparison => {
                    filter.matches(resource)
                }
                _ => true,
            },
            CheckResultTarget::SecondDocument(filter) => {
                used.get(1).is_none_or(|resource| filter.matches(resource))
            }
            CheckResultTarget::Liveness(kind) => {
                kind.is_none() || used.iter().any(|resource| resource.liveness_type == *kind)
            }
        };
        let found = self.check_reports.iter().find(|item| item.check == check.kind && fits(&item.applies_to));
        found.map_or_else(|| approving_report(check.kind), |item| item.report.clone())
    }
}

/// The report of a check that finds nothing wrong.
pub fn approving_report(kind: VerificationCheckType) -> VerificationReport {
    let names: &[&str] = match kind {
        VerificationCheckType::Authenticity => {
            &["document_in_date", "mrz_validation", "physical_document_captured"]
        }
        VerificationCheckType::TextData | VerificationCheckType::SupplementaryTextData => {
            &["text_data_readable"]
        }
        VerificationCheckType::Liveness => &["liveness_auth"],
        VerificationCheckType::FaceMatch | VerificationCheckType::FaceComparison => &["ai_face_match"],
        VerificationCheckType::Comparison => &["name_match", "dob_match"],
    };
    VerificationReport::approve(names.iter().map(|name| SubCheck::new(name, true, Vec::new())).collect())
}

/// What is read of a document that no configuration speaks of: nobody's data.
fn default_fields(resource: &SuppliedResource) -> Map<String, Value> {
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
        add("document_type", document_type_name(kind).into());
    }
    if let Some(country) = &resource.issuing_country {
        add("issuing_country", country.as_str().into());
        add("nationality", country.as_str().into());
    }
    fields
}

fn response_config_aad(app: AppId) -> Vec<u8> {
    format!("identity responses {app}").into_bytes()
}

impl DocumentVerificationService {
    /// What a session's sandbox answers.
    pub(super) async fn response_config(
        &self,
        session: &DocumentSession,
    ) -> Result<SandboxResponseConfig, DbError> {
        let kept = if let Some(own) = &session.config {
            Some(own.clone())
        } else {
            let mut view = self.0.db.read().await?;
            self.app_response_config(&mut view, session.app).await?
        };
        Ok(kept.map(|sent| self.0.wire_format.response_config(&sent)).unwrap_or_default())
    }

    /// Seconds that reports of a session are kept waiting.
    pub(super) async fn sandbox_delay(&self, id: DocumentSessionId) -> Result<i64, DocumentSessionError> {
        let held = {
            let mut view = self.0.db.read().await?;
            self.find_unscoped(&mut view, id).await?.ok_or(DocumentSessionError::SessionNotFound)?
        };
        if !held.session.sandbox {
            return Ok(0);
        }
        Ok(self.response_config(&held.session).await?.report_delay_seconds)
    }

    /// The configuration of an application, as it came.
    pub async fn app_response_config(&self, view: &mut ReadTx, app: AppId) -> Result<Option<Value>, DbError> {
        #[derive(FromRow)]
        struct ResponseConfigRow {
            sealed: Vec<u8>,
        }
        let row: Option<ResponseConfigRow> =
            view.fetch_optional(sql!("SELECT sealed FROM identity_responses WHERE app_id = $1", app)).await?;
        let open = |row: ResponseConfigRow| self.0.vault.open(&response_config_aad(app), &row.sealed).ok();
        Ok(row.and_then(open).and_then(|plain| serde_json::from_slice(&plain).ok()))
    }

    /// Keeps a configuration of an application, as it was sent.
    pub async fn set_app_response_config(&self, app: AppId, sent: &Value) -> Result<(), DbError> {
        let world = &*self.0.world;
        let plain = serde_json::to_vec(sent).expect("JSON is JSON");
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO identity_responses (app_id, sealed, updated_at) VALUES ($1, $2, $3)
             ON CONFLICT (app_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
            app,
            self.0.vault.seal(world, &response_config_aad(app), &plain),
            world.now(),
        ))
        .await?;
        tx.commit().await
    }

    /// Keeps a configuration of a session, as it was sent.
    pub async fn set_session_response_config(
        &self,
        id: DocumentSessionId,
        sent: Value,
    ) -> Result<(), DocumentSessionError> {
        self.update_session(id, |session, _, _| {
            session.config = Some(sent);
            Ok(())
        })
        .await
        .map(drop)
    }
}
