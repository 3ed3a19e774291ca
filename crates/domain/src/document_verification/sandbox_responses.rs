//! The results of tasks and checks in a sandbox: they come from a response configuration of the session, or else of its
//! application. The first item that fits counts; where none does, everything approves.

use super::{
    DocumentWireFormat,
    checks::watchlist,
    error::DocumentSessionError,
    report::{SubCheck, VerificationReport},
    restrictions::document_type_name,
    session::{DocumentSession, SuppliedResource, TaskNextStep, VerificationCheck},
    store::DocumentSessionStore,
    types::{LivenessType, ResourceKind, TaskType, VerificationCheckType},
    unit_of_work::DocumentUnitOfWork,
};
use crate::vault::Vault;
use base::{AppId, DocumentSessionId, Environment};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A response configuration.
#[derive(Clone, Debug, Default)]
pub struct SandboxResponseConfig {
    /// Seconds from the end of the end user's part to the reports.
    pub report_delay_seconds: i64,
    /// Results of tasks; the first that fits counts.
    pub task_results: Vec<SandboxTaskResult>,
    /// Reports of checks; the first that fits counts.
    pub check_reports: Vec<SandboxCheckResult>,
}

/// The result of tasks of a type on certain documents.
#[derive(Clone, Debug)]
pub struct SandboxTaskResult {
    pub task: TaskType,
    /// The documents that it is for.
    pub filter: DocumentMatcher,
    /// What the end user should do.
    pub next: TaskNextStep,
    /// Fields that replace those of the default; without any, the default counts.
    pub fields: Map<String, Value>,
    /// The portrait on the document.
    pub portrait: Option<SandboxPortrait>,
}

/// A portrait that a sandbox gives out.
#[derive(Clone, PartialEq, Eq)]
pub struct SandboxPortrait {
    /// `image/jpeg` or `image/png`.
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for SandboxPortrait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SandboxPortrait({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

/// The report of checks of a type on certain resources.
#[derive(Clone, Debug)]
pub struct SandboxCheckResult {
    pub check: VerificationCheckType,
    /// The resources that it is for.
    pub applies_to: CheckResultTarget,
    pub report: VerificationReport,
    /// For a text-data check: fields of its document that replace those of the default.
    pub fields: Map<String, Value>,
}

/// The resources that a check's result is for.
#[derive(Clone, Debug)]
pub enum CheckResultTarget {
    /// Checks whose first resource is such a document.
    Document(DocumentMatcher),
    /// Checks whose second resource is such a document.
    SecondDocument(DocumentMatcher),
    /// Checks with a live face of this type, or with any.
    Liveness(Option<LivenessType>),
}

/// Chooses documents by country and type, in capital letters. An empty list chooses all.
#[derive(Clone, Debug, Default)]
pub struct DocumentMatcher {
    /// ISO 3166-1 alpha-3.
    pub countries: Vec<String>,
    /// Types of identity documents, or words that end users use for supplementary ones.
    pub types: Vec<String>,
}

/// The result of a task in a sandbox.
pub(super) struct SimulatedExtraction {
    pub(super) next: TaskNextStep,
    /// What was read, as JSON.
    pub(super) fields: Value,
    pub(super) portrait: Option<SandboxPortrait>,
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
    /// The result of reading a document.
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
        let of_check = self.check_reports.iter().find(|item| {
            let fits =
                matches!(&item.applies_to, CheckResultTarget::Document(filter) if filter.matches(resource));
            item.check == check && fits
        });
        let mut fields: Map<String, Value> = of_check.iter().flat_map(|item| item.fields.clone()).collect();
        fields.extend(of_task.iter().flat_map(|item| item.fields.clone()));
        // A country that is detected is told beside what is read, and replaces nothing of it.
        if fields.keys().all(|name| name == "detected_country") {
            let detected = std::mem::replace(&mut fields, default_fields(resource));
            fields.extend(detected);
        }
        let portrait = of_task.and_then(|item| item.portrait.clone());
        SimulatedExtraction { next, fields: fields.into(), portrait }
    }

    /// The report of a check.
    pub(super) fn report(&self, session: &DocumentSession, check: &VerificationCheck) -> VerificationReport {
        let used: Vec<&SuppliedResource> = check
            .resources_used
            .iter()
            .filter_map(|id| session.resources.iter().find(|resource| resource.id == *id))
            .collect();
        if used.is_empty() {
            // Nothing that was supplied falls under the check's filter.
            return VerificationReport::not_available("NO_DOCUMENT");
        }
        let fits = |applies_to: &CheckResultTarget| match applies_to {
            // A face comparison uses no document that could match.
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
        let mut report = found.map_or_else(|| approving_report(check.kind), |item| item.report.clone());
        if found.is_none() && check.kind == VerificationCheckType::Watchlist {
            let wanted = check.watchlist_categories.iter().map(|category| watchlist::sub_check(*category));
            let wanted: Vec<_> = wanted.collect();
            report.breakdown.retain(|sub_check| wanted.contains(&&*sub_check.sub_check));
        }
        if found.is_none() && check.issuing_authority {
            report.breakdown.push(SubCheck::new("issuing_authority", true, Vec::new()));
        }
        report
    }
}

/// The report of a check of which everything passes.
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
        VerificationCheckType::Watchlist => &["sanctions", "pep", "adverse_media"],
        VerificationCheckType::ThirdPartyIdentity => &["name_match", "dob_match", "address_match"],
    };
    VerificationReport::approve(names.iter().map(|name| SubCheck::new(name, true, Vec::new())).collect())
}

/// What is read of a document unless the configuration says otherwise: the data of no real person.
fn default_fields(resource: &SuppliedResource) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    add("full_name", "SANDBOX EXAMPLE".into());
    if resource.kind == ResourceKind::SupplementaryDocument {
        add("organisation", "Example Utilities".into());
        add("date_of_issue", "2025-06-01".into());
        let address = json!({
            "address_line1": "1 Example Street",
            "town_city": "Exampleton",
            "formatted_address": "1 Example Street\nExampleton",
        });
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

/// Stores response configurations and finds the one that counts for a session; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SandboxResponseStore {
    db: Db,
    env: Arc<dyn Environment>,
    vault: Vault,
    store: DocumentSessionStore,
    unit_of_work: DocumentUnitOfWork,
    wire_format: Arc<dyn DocumentWireFormat>,
}

impl SandboxResponseStore {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        vault: Vault,
        store: DocumentSessionStore,
        unit_of_work: DocumentUnitOfWork,
        wire_format: Arc<dyn DocumentWireFormat>,
    ) -> Self {
        Self { db, env, vault, store, unit_of_work, wire_format }
    }

    /// The configuration that counts for a session.
    pub(super) async fn for_session(
        &self,
        session: &DocumentSession,
    ) -> Result<SandboxResponseConfig, DbError> {
        let sent = if let Some(own) = &session.config {
            Some(own.clone())
        } else {
            let mut db = self.db.read().await?;
            self.for_application(&mut db, session.app).await?
        };
        Ok(sent.map(|sent| self.wire_format.response_config(&sent)).unwrap_or_default())
    }

    /// Seconds that the checks of a session are delayed; 0 outside of a sandbox.
    pub(super) async fn report_delay_seconds(
        &self,
        id: DocumentSessionId,
    ) -> Result<i64, DocumentSessionError> {
        let stored = self.store.load(id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        if !stored.session.sandbox {
            return Ok(0);
        }
        Ok(self.for_session(&stored.session).await?.report_delay_seconds)
    }

    /// The configuration of an application, as it was sent.
    pub(super) async fn for_application(
        &self,
        db: &mut ReadTx,
        app: AppId,
    ) -> Result<Option<Value>, DbError> {
        #[derive(FromRow)]
        struct ResponseConfigRow {
            sealed: Vec<u8>,
        }
        let row: Option<ResponseConfigRow> =
            db.fetch_optional(sql!("SELECT sealed FROM identity_responses WHERE app_id = $1", app)).await?;
        let open = |row: ResponseConfigRow| self.vault.open(&response_config_aad(app), &row.sealed).ok();
        Ok(row.and_then(open).and_then(|plain| serde_json::from_slice(&plain).ok()))
    }

    /// Stores a configuration of an application, as it was sent.
    pub(super) async fn set_for_application(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        sent: &Value,
    ) -> Result<(), DbError> {
        let env = &*self.env;
        let plain = serde_json::to_vec(sent).expect("JSON is JSON");
        tx.execute(sql!(
            "INSERT INTO identity_responses (app_id, sealed, updated_at) VALUES ($1, $2, $3)
             ON CONFLICT (app_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
            app,
            self.vault.seal(env, &response_config_aad(app), &plain),
            env.now(),
        ))
        .await
        .map(drop)
    }

    /// Stores a configuration of a session, as it was sent.
    pub(super) async fn set_for_session(
        &self,
        id: DocumentSessionId,
        sent: Value,
    ) -> Result<(), DocumentSessionError> {
        self.unit_of_work
            .update(id, |session, _, _| {
                session.config = Some(sent);
                Ok(())
            })
            .await
            .map(drop)
    }
}
