//! Deleting again what was deleted after a backup was made that has been restored. What it was is in an export of the audit
//! trail that was kept elsewhere (`assay audit export`). Rules for whoever deletes by hand do not hold here: what came before a
//! deletion, such as another administrator or another face, may be newer than the backup, and so not there.

use crate::{
    accounts::{
        self,
        deletion::{AccountDeletionError, AccountDeletionService},
        members,
    },
    age_verification,
    content_moderation::ContentModerationService,
    document_verification::{DocumentSessionError, DocumentVerificationService},
    faces::{FaceIndexError, FaceIndexService},
};
use base::{AccountId, Environment, Uuid};
use db::{Db, DbError, WriteTx};
use serde::Deserialize;
use std::sync::Arc;

/// The kinds of records that tell of an erasure.
pub const ERASURE_KINDS: [&str; 11] = [
    "account.close",
    "account.delete",
    "age-session.delete",
    "content.delete",
    "document-session.delete",
    "fraud-list.remove",
    "media.delete",
    "member.remove",
    "moderation.delete",
    "profile.delete",
    "profile.remove-face",
];

/// Deletes again; cheap to clone.
#[derive(Clone, Debug)]
pub struct ErasureReplay {
    pub db: Db,
    pub faces: FaceIndexService,
    pub content_moderation: ContentModerationService,
    pub document_verification: DocumentVerificationService,
    pub account_deletion: AccountDeletionService,
    pub environment: Arc<dyn Environment>,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// It tells of no erasure.
    OtherRecord,
    /// What it names is not there.
    Gone,
    /// What it names was there, and is deleted now.
    Deleted,
}

/// Why a record is not acted on.
#[derive(Debug, thiserror::Error)]
pub enum ErasureReplayError {
    #[error("it is not a line of `assay audit export`")]
    Malformed,
    #[error(transparent)]
    Account(#[from] AccountDeletionError),
    #[error(transparent)]
    Document(#[from] DocumentSessionError),
    #[error(transparent)]
    Faces(FaceIndexError),
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(Deserialize)]
struct ExportedLine {
    record: ErasureRecord,
}

#[derive(Deserialize)]
struct ErasureRecord {
    kind: String,
    account: Option<AccountId>,
    target: Option<String>,
    #[serde(default)]
    details: RecordDetails,
}

#[derive(Default, Deserialize)]
struct RecordDetails {
    // Of any type, as records of other kinds may have details of these names.
    face: Option<serde_json::Value>,
    session: Option<serde_json::Value>,
}

/// The id that a detail is.
fn id_in(detail: Option<&serde_json::Value>) -> Result<Uuid, ErasureReplayError> {
    let id = detail.and_then(serde_json::Value::as_str).and_then(|id| Uuid::parse_str(id).ok());
    id.ok_or(ErasureReplayError::Malformed)
}

impl ErasureReplay {
    /// Acts on a line of an export. Lines may come in any order, and more than once.
    pub async fn apply(&self, line: &str) -> Result<ReplayOutcome, ErasureReplayError> {
        let ExportedLine { record } =
            serde_json::from_str(line).map_err(|_| ErasureReplayError::Malformed)?;
        if !ERASURE_KINDS.contains(&record.kind.as_str()) {
            return Ok(ReplayOutcome::OtherRecord);
        }
        let id = record.target.as_deref().and_then(|id| Uuid::parse_str(id).ok());
        let id = id.ok_or(ErasureReplayError::Malformed)?;
        let deleted = match record.kind.as_str() {
            "account.close" | "account.delete" => {
                match self.account_deletion.delete(None, id.into(), "operator").await {
                    Ok(()) => true,
                    Err(AccountDeletionError::Missing) => false,
                    Err(error) => return Err(error.into()),
                }
            }
            "age-session.delete" => {
                age_verification::erase_again(&self.db, self.environment.now(), id.into()).await?
            }
            "document-session.delete" => self.document_verification.erase(id.into()).await?,
            "fraud-list.remove" => self.document_verification.remove_from_fraud_list(None, id.into()).await?,
            "media.delete" => {
                let session = id_in(record.details.session.as_ref())?;
                self.document_verification.redact_media_again(session.into(), id.into()).await?
            }
            _ => {
                let account = record.account.ok_or(ErasureReplayError::Malformed)?;
                self.delete_of_account(account, &record, id).await?
            }
        };
        Ok(if deleted { ReplayOutcome::Deleted } else { ReplayOutcome::Gone })
    }

    /// Deletes something of an account; returns whether it was there.
    async fn delete_of_account(
        &self,
        account: AccountId,
        record: &ErasureRecord,
        id: Uuid,
    ) -> Result<bool, ErasureReplayError> {
        let mut tx = self.db.write().await?;
        if record.kind == "member.remove" {
            if !members::remove_again(&mut tx, account, id.into()).await? {
                return Ok(false);
            }
            tx.commit().await?;
            return Ok(true);
        }
        if !accounts::lock_shared(&mut tx, account).await?
            || !self.delete_row(&mut tx, account, record, id).await?
        {
            return Ok(false);
        }
        tx.commit().await?;
        self.faces.apply_committed_changes(account).await;
        Ok(true)
    }

    async fn delete_row(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        record: &ErasureRecord,
        id: Uuid,
    ) -> Result<bool, ErasureReplayError> {
        let deleted = match record.kind.as_str() {
            "content.delete" => {
                return Ok(self.content_moderation.delete_content(tx, account, id.into()).await?);
            }
            "moderation.delete" => return Ok(self.content_moderation.delete(tx, account, id.into()).await?),
            "profile.delete" => self.faces.delete_profile(tx, account, id.into()).await,
            _ => {
                let face = id_in(record.details.face.as_ref())?;
                self.faces.remove_face_again(tx, account, id.into(), face.into()).await
            }
        };
        match deleted {
            Ok(()) => Ok(true),
            Err(FaceIndexError::Missing(_)) => Ok(false),
            Err(error) => Err(ErasureReplayError::Faces(error)),
        }
    }
}
