//! A database for each test: an SQLite file, or a schema of its own on the PostgreSQL server that
//! `ASSAY_TEST_POSTGRES_URL` names.

use crate::{Db, DbError, ScratchSchema, engine::Pools};
use sqlx::{Executor as _, SqlSafeStr as _};
use std::collections::BTreeSet;

/// A migrated, empty database. An SQLite file is deleted when it is dropped.
#[derive(Debug)]
pub struct TestDb {
    /// The open database.
    pub db: Db,
    /// Its URL, for a server that is started as a process of its own.
    pub url: String,
    _folder: tempfile::TempDir,
}

impl TestDb {
    /// Creates a database and migrates it.
    ///
    /// # Panics
    /// If the database cannot be created.
    pub async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match std::env::var("ASSAY_TEST_POSTGRES_URL") {
            Ok(server) => {
                ScratchSchema::create(&server, "test").await.expect("the test server answers").url()
            }
            Err(_) => format!("sqlite:{}", folder.path().join("test.db").display()),
        };
        let db = Db::open(&url, 4).expect("a database url");
        db.migrate().await.expect("the migrations run");
        Self { db, url, _folder: folder }
    }
}

impl TestDb {
    /// Every row of every table, as the name of the table and the row's values; bytes are hexadecimal digits.
    ///
    /// # Panics
    /// If the database does not answer.
    #[expect(
        clippy::disallowed_methods,
        reason = "the names of tables cannot be bound; they come from the database itself"
    )]
    pub async fn dump(&self) -> BTreeSet<String> {
        let mut rows = BTreeSet::new();
        match &self.db.0 {
            Pools::Sqlite { writer, .. } => {
                let tables: Vec<(String, String)> = sqlx::query_as(
                    "SELECT m.name, group_concat('quote(\"' || c.name || '\")', ' || '' '' || ')
                       FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name",
                )
                .fetch_all(writer)
                .await
                .expect("the names of tables");
                for (table, values) in tables {
                    let text = sqlx::AssertSqlSafe(format!("SELECT {values} FROM \"{table}\""));
                    let found: Vec<String> = sqlx::query_scalar(text).fetch_all(writer).await.expect("rows");
                    rows.extend(found.into_iter().map(|row| format!("{table} {row}")));
                }
            }
            Pools::Postgres(pool) => {
                let tables: Vec<String> = sqlx::query_scalar(
                    "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
                      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
                )
                .fetch_all(pool)
                .await
                .expect("the names of tables");
                for table in tables {
                    let text = sqlx::AssertSqlSafe(format!(
                        "SELECT CAST(row_to_json(t) AS TEXT) FROM \"{table}\" t"
                    ));
                    let found: Vec<String> = sqlx::query_scalar(text).fetch_all(pool).await.expect("rows");
                    rows.extend(found.into_iter().map(|row| format!("{table} {row}")));
                }
            }
        }
        rows
    }
}

impl Db {
    /// Records a migration of a newer build, which builds can use that know the schema `usable_from` or later. Nothing else
    /// of it is there.
    ///
    /// # Panics
    /// If the database does not answer.
    pub async fn record_newer_migration(&self, version: i64, usable_from: i64) {
        let mut tx = self.write().await.expect("a transaction");
        let migration = crate::sql!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES ($1, 'newer', $2, $3, 0)",
            version,
            true,
            vec![0_u8],
        );
        tx.execute(migration).await.expect("a row");
        let stored = crate::sql!(
            "INSERT INTO schema_versions (version, usable_from) VALUES ($1, $2)",
            version,
            usable_from,
        );
        tx.execute(stored).await.expect("a row");
        tx.commit().await.expect("a commit");
    }

    /// Has the engine prepare a statement, without running it.
    pub async fn prepare(&self, text: &str) -> Result<(), DbError> {
        #[expect(clippy::disallowed_methods, reason = "the statement is prepared, never run")]
        let text = sqlx::AssertSqlSafe(text.to_owned()).into_sql_str();
        match &self.0 {
            Pools::Sqlite { writer, .. } => drop(writer.acquire().await?.prepare(text).await?),
            Pools::Postgres(pool) => drop(pool.acquire().await?.prepare(text).await?),
        }
        Ok(())
    }
}
