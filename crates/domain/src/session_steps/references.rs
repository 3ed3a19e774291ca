//! By which references sessions are found: keyed hashes, so that the table names nobody, and those of two applications have
//! nothing in common.

use super::{RecordedSession, SessionKind};
use crate::vault::Vault;
use base::{AppId, Timestamp, Uuid};
use db::{DbError, FromRow, Query, ReadTx, WriteTx, sql};

/// Sessions that are looked at for one reference, the newest.
const MAX_SESSIONS_OF_REFERENCE: i64 = 200;

/// Remembers and finds the references that applications give to sessions, and to people; cheap to clone.
#[derive(Clone, Debug)]
pub struct SessionReferences {
    vault: Vault,
}

impl SessionReferences {
    /// `vault` is the server's.
    pub fn new(vault: Vault) -> Self {
        Self { vault }
    }

    fn hash(&self, app: AppId, reference: &str) -> Vec<u8> {
        let value = [Uuid::from(app).as_bytes().as_slice(), reference.as_bytes()].concat();
        self.vault.keyed_hash(b"session reference", &value).to_vec()
    }

    /// The statements that remember the references of a new session.
    pub(super) fn insertions(
        &self,
        session: &RecordedSession,
        references: &[Option<&str>],
        at: Timestamp,
    ) -> impl Iterator<Item = Query> {
        let (age, document) = session.columns();
        let given = references.iter().copied().flatten().filter(|text| !text.is_empty());
        given.map(move |reference| {
            sql!(
                "INSERT INTO session_references (hash, session_id, age_session_id, document_session_id, created_at)
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hash, session_id) DO NOTHING",
                self.hash(session.app, reference),
                session.id,
                age,
                document,
                at,
            )
        })
    }

    /// The sessions of an application with this reference, newest first.
    pub(crate) async fn find(
        &self,
        view: &mut ReadTx,
        app: AppId,
        reference: &str,
    ) -> Result<Vec<(SessionKind, Uuid)>, DbError> {
        #[derive(FromRow)]
        struct ReferenceRow {
            session_id: Uuid,
            is_age: bool,
        }
        let rows: Vec<ReferenceRow> = view
            .fetch_all(sql!(
                "SELECT session_id, age_session_id IS NOT NULL AS is_age FROM session_references
                  WHERE hash = $1 ORDER BY created_at DESC, session_id DESC LIMIT $2",
                self.hash(app, reference),
                MAX_SESSIONS_OF_REFERENCE,
            ))
            .await?;
        let kind = |is_age| if is_age { SessionKind::Age } else { SessionKind::Document };
        Ok(rows.into_iter().map(|row| (kind(row.is_age), row.session_id)).collect())
    }
}

/// Forgets the references of a session, whose data was destroyed.
pub(crate) async fn forget(tx: &mut WriteTx, session: Uuid) -> Result<(), DbError> {
    tx.execute(sql!("DELETE FROM session_references WHERE session_id = $1", session)).await.map(drop)
}
