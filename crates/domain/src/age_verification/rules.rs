//! Rules for stored results, as `POST /api/v1/rules` makes them.

use super::{session_config::AgeSessionConfig, session_creation::CreateAgeRule};
use base::{AppId, Environment, Uuid};
use db::{Db, DbError, FromRow, Json, WriteTx, sql};
use std::sync::Arc;

/// Stores and finds rules. They hold no personal data and are not sealed.
#[derive(Debug)]
pub(super) struct AgeRuleStore {
    db: Db,
    environment: Arc<dyn Environment>,
}

impl AgeRuleStore {
    pub(super) fn new(db: Db, environment: Arc<dyn Environment>) -> Self {
        Self { db, environment }
    }

    /// Writes a new rule. Returns its id.
    pub(super) async fn insert(&self, tx: &mut WriteTx, command: CreateAgeRule) -> Result<Uuid, DbError> {
        let id = self.environment.uuid_v4();
        tx.execute(sql!(
            "INSERT INTO age_rules (id, app_id, sandbox, wanted, created_at) VALUES ($1, $2, $3, $4, $5)",
            id,
            command.app,
            command.sandbox,
            serde_json::to_value(command.config).expect("a configuration is JSON"),
            self.environment.now(),
        ))
        .await?;
        Ok(id)
    }

    /// A rule of an application.
    pub(super) async fn find(
        &self,
        app: AppId,
        sandbox: bool,
        id: Uuid,
    ) -> Result<Option<AgeSessionConfig>, DbError> {
        #[derive(FromRow)]
        struct RuleRow {
            wanted: Json<AgeSessionConfig>,
        }
        let mut db = self.db.read_once().await?;
        let rule: Option<RuleRow> = db
            .fetch_optional(sql!(
                "SELECT wanted FROM age_rules WHERE id = $1 AND app_id = $2 AND sandbox = $3",
                id,
                app,
                sandbox,
            ))
            .await?;
        Ok(rule.map(|rule| rule.wanted.0))
    }
}
