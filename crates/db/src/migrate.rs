//! One set of migrations for both engines, written with the type names of PostgreSQL.

use crate::{Db, DbError, SchemaStatus, engine::Pools};
use sqlx::{
    SqlSafeStr, SqlStr,
    migrate::{Migration, MigrationType, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::borrow::Cow;

/// Number, name and text of each migration, in order. A test compares the list with the folder.
pub(crate) const MIGRATIONS: &[MigrationFile] = &[
    (1, "tenancy", include_str!("../../../migrations/0001_tenancy.sql")),
    (2, "decisions", include_str!("../../../migrations/0002_decisions.sql")),
    (3, "jobs", include_str!("../../../migrations/0003_jobs.sql")),
    (4, "tokens", include_str!("../../../migrations/0004_tokens.sql")),
    (5, "deliveries", include_str!("../../../migrations/0005_deliveries.sql")),
    (6, "idempotency", include_str!("../../../migrations/0006_idempotency.sql")),
    (7, "proofs", include_str!("../../../migrations/0007_proofs.sql")),
    (8, "interruptions", include_str!("../../../migrations/0008_interruptions.sql")),
    (9, "accounts", include_str!("../../../migrations/0009_accounts.sql")),
    (10, "members", include_str!("../../../migrations/0010_members.sql")),
    (11, "faces", include_str!("../../../migrations/0011_faces.sql")),
    (12, "moderation", include_str!("../../../migrations/0012_moderation.sql")),
    (13, "identity", include_str!("../../../migrations/0013_identity.sql")),
    (14, "ages", include_str!("../../../migrations/0014_ages.sql")),
    (15, "anonymity", include_str!("../../../migrations/0015_anonymity.sql")),
    (16, "data_keys", include_str!("../../../migrations/0016_data_keys.sql")),
    (17, "erasure", include_str!("../../../migrations/0017_erasure.sql")),
    (18, "abuse", include_str!("../../../migrations/0018_abuse.sql")),
    (19, "fairness", include_str!("../../../migrations/0019_fairness.sql")),
    (20, "audit", include_str!("../../../migrations/0020_audit.sql")),
    (21, "limits", include_str!("../../../migrations/0021_limits.sql")),
    (22, "erasure_reach", include_str!("../../../migrations/0022_erasure_reach.sql")),
    (23, "dismissals", include_str!("../../../migrations/0023_dismissals.sql")),
    (24, "sealed_texts", include_str!("../../../migrations/0024_sealed_texts.sql")),
    (25, "outcomes", include_str!("../../../migrations/0025_outcomes.sql")),
    (26, "measurements", include_str!("../../../migrations/0026_measurements.sql")),
    (27, "bans", include_str!("../../../migrations/0027_bans.sql")),
    (28, "lookups", include_str!("../../../migrations/0028_lookups.sql")),
    (29, "content_uploads", include_str!("../../../migrations/0029_content_uploads.sql")),
    (30, "past_findings", include_str!("../../../migrations/0030_past_findings.sql")),
    (31, "age_session_expiry", include_str!("../../../migrations/0031_age_session_expiry.sql")),
    (32, "cameras_and_crowds", include_str!("../../../migrations/0032_cameras_and_crowds.sql")),
    (35, "fraud_lists", include_str!("../../../migrations/0035_fraud_lists.sql")),
    (36, "document_traces", include_str!("../../../migrations/0036_document_traces.sql")),
    (37, "console_scopes", include_str!("../../../migrations/0037_console_scopes.sql")),
    (38, "console_access", include_str!("../../../migrations/0038_console_access.sql")),
    (39, "cases", include_str!("../../../migrations/0039_cases.sql")),
    (40, "roles_and_approvals", include_str!("../../../migrations/0040_roles_and_approvals.sql")),
    (41, "finding_pictures", include_str!("../../../migrations/0041_finding_pictures.sql")),
    (42, "deliveries_by_time", include_str!("../../../migrations/0042_deliveries_by_time.sql")),
    (44, "session_steps", include_str!("../../../migrations/0044_session_steps.sql")),
    (45, "age_appeals", include_str!("../../../migrations/0045_age_appeals.sql")),
    (46, "request_log", include_str!("../../../migrations/0046_request_log.sql")),
    (47, "inviters", include_str!("../../../migrations/0047_inviters.sql")),
    (48, "unclocked_since", include_str!("../../../migrations/0048_unclocked_since.sql")),
    (49, "notification_measurements", include_str!("../../../migrations/0049_notification_measurements.sql")),
    (50, "pending_proofs", include_str!("../../../migrations/0050_pending_proofs.sql")),
];

/// Number, name and text of a migration.
type MigrationFile = (i64, &'static str, &'static str);

/// The first migration that says which builds can use the database after it.
const FIRST_VERSIONED_SCHEMA: i64 = 16;
/// How a migration says that: a line of its text.
const USABLE_FROM_MARK: &str = "-- usable-from:";

#[derive(crate::FromRow)]
struct AppliedMigration {
    version: i64,
}

#[derive(PartialEq, crate::FromRow)]
struct SchemaVersionRow {
    version: i64,
    usable_from: i64,
}

impl Db {
    /// Applies all pending migrations. Several processes may call it at once. A database that a newer build has migrated is
    /// left as it is: fails if this build cannot use it.
    pub async fn migrate(&self) -> Result<(), DbError> {
        self.migrate_to(MIGRATIONS).await
    }

    async fn migrate_to(&self, files: &'static [MigrationFile]) -> Result<(), DbError> {
        let status = self.schema_status_for(files).await?;
        if status.is_too_new() {
            return Err(DbError::SchemaTooNew(status));
        }
        if status.pending > 0 {
            // Before the migrations, each of which is committed by itself: an older build that looks in between is not to take
            // itself for shut out. A row of a migration that is not applied says nothing.
            if status.database >= FIRST_VERSIONED_SCHEMA {
                self.record_schema_versions(files).await?;
            }
            match &self.0 {
                Pools::Sqlite { writer, .. } => {
                    let migrator = migrator(files, |text| trusted_sql(to_sqlite(text)));
                    migrator.run(&mut *writer.acquire().await?).await?;
                }
                Pools::Postgres(pool) => {
                    // On a connection of its own, which is closed. Where a migration fails, the driver keeps the lock of
                    // migrations as long as the connection: whoever tries next, here or elsewhere, would wait for it.
                    let options = PgConnectOptions::clone(&pool.connect_options());
                    let own = PgPoolOptions::new()
                        .max_connections(1)
                        .acquire_timeout(pool.options().get_acquire_timeout())
                        .connect_lazy_with(options);
                    let migrated = migrator(files, SqlSafeStr::into_sql_str).run(&own).await;
                    own.close().await;
                    migrated?;
                }
            }
        }
        self.record_schema_versions(files).await
    }

    /// Stores which builds can use the database, for builds that are older than the migrations.
    async fn record_schema_versions(&self, files: &'static [MigrationFile]) -> Result<(), DbError> {
        let stored: Vec<SchemaVersionRow> = self
            .read_once()
            .await?
            .fetch_all(crate::sql!("SELECT version, usable_from FROM schema_versions"))
            .await?;
        let missing: Vec<SchemaVersionRow> = files
            .iter()
            .filter(|(version, ..)| *version >= FIRST_VERSIONED_SCHEMA)
            .map(|(version, _, text)| SchemaVersionRow {
                version: *version,
                usable_from: usable_from(*version, text),
            })
            // One that differs was stored before a migration that failed, and whose text has been mended since.
            .filter(|row| !stored.contains(row))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut tx = self.write().await?;
        for row in missing {
            tx.execute(crate::sql!(
                "INSERT INTO schema_versions (version, usable_from) VALUES ($1, $2)
                 ON CONFLICT (version) DO UPDATE SET usable_from = excluded.usable_from",
                row.version,
                row.usable_from,
            ))
            .await?;
        }
        tx.commit().await
    }

    /// Compares the schema of the database with that of this build.
    pub async fn schema_status(&self) -> Result<SchemaStatus, DbError> {
        self.schema_status_for(MIGRATIONS).await
    }

    async fn schema_status_for(&self, files: &'static [MigrationFile]) -> Result<SchemaStatus, DbError> {
        let applied =
            self.read_once().await?.fetch_all(crate::sql!("SELECT version FROM _sqlx_migrations")).await;
        let applied: Vec<AppliedMigration> = unless_missing_table(applied)?;
        let build = files.last().map_or(0, |(version, ..)| *version);
        let newer = applied.iter().map(|row| row.version).filter(|version| *version > build);
        let mut usable_from = 0;
        if newer.clone().next().is_some() {
            let stored = self
                .read_once()
                .await?
                .fetch_all(crate::sql!("SELECT version, usable_from FROM schema_versions"))
                .await;
            let stored: Vec<SchemaVersionRow> = unless_missing_table(stored)?;
            // A migration that says nothing, or whose process died before it was stored, needs its own build.
            let of = |version| {
                stored.iter().find(|row| row.version == version).map_or(version, |row| row.usable_from)
            };
            usable_from = newer.map(of).max().unwrap_or_default();
        }
        let is_applied = |version| applied.iter().any(|row| row.version == version);
        Ok(SchemaStatus {
            build,
            database: applied.iter().map(|row| row.version).max().unwrap_or_default(),
            usable_from,
            pending: files.iter().filter(|(version, ..)| !is_applied(*version)).count(),
        })
    }
}

/// The rows; none if the database has no such table yet.
fn unless_missing_table<T>(rows: Result<Vec<T>, DbError>) -> Result<Vec<T>, DbError> {
    match rows {
        Err(DbError::Driver(sqlx::Error::Database(error)))
            // undefined_table of PostgreSQL; SQLite has no code of its own for it.
            if error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table") =>
        {
            Ok(Vec::new())
        }
        rows => rows,
    }
}

/// The oldest schema that a build may know and still use the database after this migration: what its text says, or else its
/// own.
fn usable_from(version: i64, text: &str) -> i64 {
    let said = text.lines().find_map(|line| line.strip_prefix(USABLE_FROM_MARK));
    said.and_then(|number| number.trim().parse().ok()).unwrap_or(version)
}

fn migrator(files: &'static [MigrationFile], text: impl Fn(&'static str) -> SqlStr) -> Migrator {
    let migrations = files
        .iter()
        .map(|&(version, name, sql)| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, text(sql), false)
        })
        .collect();
    let mut migrator = Migrator::with_migrations(migrations);
    // Whether migrations of newer builds are in the way was looked at before.
    migrator.set_ignore_missing(true);
    migrator
}

#[expect(
    clippy::disallowed_methods,
    reason = "the text is a migration of this build, only its type names were changed"
)]
fn trusted_sql(text: String) -> SqlStr {
    sqlx::AssertSqlSafe(text).into_sql_str()
}

/// Type names of PostgreSQL, and those of SQLite's STRICT tables.
const SQLITE_TYPE_NAMES: [(&str, &str); 7] = [
    ("UUID", "BLOB"),
    ("JSONB", "TEXT"),
    ("BYTEA", "BLOB"),
    ("BIGINT", "INTEGER"),
    ("BOOLEAN", "INTEGER"),
    ("DOUBLE PRECISION", "REAL"),
    ("TIMESTAMPTZ", "INTEGER"),
];

/// Translates type names (whole words outside of strings and comments) and makes every table STRICT, so that a type name
/// without a translation fails at once.
fn to_sqlite(script: &str) -> String {
    let mut out = String::with_capacity(script.len() + 64);
    let mut in_string = false;
    for line in script.lines() {
        let code = line.split_once("--").map_or(line, |(code, _)| code);
        for (i, part) in code.split('\'').enumerate() {
            if i > 0 {
                in_string = !in_string;
                out.push('\'');
            }
            if in_string {
                out.push_str(part);
            } else {
                out.push_str(&translate_types(part));
            }
        }
        if !in_string && code.trim() == ");" {
            out.truncate(out.trim_end().len() - 1);
            out.push_str(" STRICT;");
        }
        out.push('\n');
    }
    out
}

fn translate_types(code: &str) -> String {
    SQLITE_TYPE_NAMES.iter().fold(code.to_owned(), |text, (from, to)| {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(from) {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = at + from.len();
            let whole = !rest[..at].ends_with(word) && !rest[end..].starts_with(word);
            out.push_str(&rest[..at]);
            out.push_str(if whole { to } else { from });
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_file_of_the_folder_is_listed_in_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let listed: Vec<_> = MIGRATIONS.iter().map(|(n, name, _)| format!("{n:04}_{name}.sql")).collect();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_migration_says_which_builds_can_use_the_database_after_it() {
        for (version, name, text) in MIGRATIONS.iter().filter(|(version, ..)| *version >= 16) {
            let from = usable_from(*version, text);
            assert!(text.starts_with(USABLE_FROM_MARK), "{name} begins with `{USABLE_FROM_MARK} N`");
            assert!((FIRST_VERSIONED_SCHEMA..=*version).contains(&from), "{name}: {from}");
        }
        assert_eq!(usable_from(18, "-- usable-from: 17\nCREATE"), 17);
        assert_eq!(usable_from(18, "CREATE"), 18, "one that says nothing needs its own build");
    }

    /// The list of this build, and one migration more, as the next build has it.
    fn with_next(text: &'static str) -> (&'static [MigrationFile], i64) {
        let next = MIGRATIONS.last().unwrap().0 + 1;
        let list: Vec<MigrationFile> = MIGRATIONS.iter().copied().chain([(next, "next", text)]).collect();
        (list.leak(), next)
    }

    #[tokio::test]
    async fn a_build_can_be_rolled_back_by_one_if_the_newer_schema_says_so() {
        let test = crate::testing::TestDb::open().await;
        let last = MIGRATIONS.last().unwrap().0;
        let text = format!("-- usable-from: {last}\nCREATE TABLE expansion (\n    id UUID NOT NULL\n);\n");
        let (newer, next) = with_next(text.leak());
        test.db.migrate_to(newer).await.unwrap();

        let status = test.db.schema_status().await.unwrap();
        assert_eq!(
            status,
            SchemaStatus { build: last, database: next, usable_from: last, pending: 0 },
            "the older build sees it and can use it"
        );
        assert!(status.is_usable());
        test.db.migrate().await.unwrap();
        let mut tx = test.db.write().await.unwrap();
        tx.execute(crate::sql!("DELETE FROM jobs")).await.unwrap();
        tx.commit().await.unwrap();
        // And forward again.
        test.db.migrate_to(newer).await.unwrap();
        assert_eq!(test.db.schema_status_for(newer).await.unwrap().pending, 0);
    }

    /// An older build that serves beside the one that migrates may look at any moment, and does not come back if it was shut out.
    #[tokio::test]
    async fn an_older_build_can_go_on_between_two_migrations() {
        let test = crate::testing::TestDb::open().await;
        let last = MIGRATIONS.last().unwrap().0;
        let text = format!("-- usable-from: {last}\nCREATE TABLE expansion (\n    id UUID NOT NULL\n);\n");
        let (newer, next) = with_next(text.leak());
        let broken: Vec<MigrationFile> =
            newer.iter().copied().chain([(next + 1, "broken", "CREATE TABLE expansion;\n")]).collect();
        let broken = test.db.migrate_to(broken.leak()).await.unwrap_err();
        assert!(matches!(broken, DbError::Migration(_)), "{broken:?}");
        let status = test.db.schema_status().await.unwrap();
        assert_eq!(status, SchemaStatus { build: last, database: next, usable_from: last, pending: 0 });
        assert!(status.is_usable());

        // The row of the one that failed is replaced when its text is mended. The process in which it failed still runs, as a server
        // does that waits.
        let db = Db::open(&test.url, 2).unwrap();
        let text: &'static str =
            format!("-- usable-from: {last}\nCREATE TABLE another (\n    id UUID NOT NULL\n);\n").leak();
        let mended: Vec<MigrationFile> = newer.iter().copied().chain([(next + 1, "mended", text)]).collect();
        let migrated = tokio::time::timeout(Duration::from_secs(30), db.migrate_to(mended.leak())).await;
        migrated.expect("nobody keeps the lock of migrations").unwrap();
        let status = db.schema_status().await.unwrap();
        assert_eq!((status.database, status.usable_from), (next + 1, last));
    }

    #[tokio::test]
    async fn a_build_refuses_a_newer_schema_that_does_not_say_so() {
        let test = crate::testing::TestDb::open().await;
        let last = MIGRATIONS.last().unwrap().0;
        let (newer, next) = with_next("CREATE TABLE contraction (\n    id UUID NOT NULL\n);\n");
        test.db.migrate_to(newer).await.unwrap();
        let status = test.db.schema_status().await.unwrap();
        assert_eq!(status, SchemaStatus { build: last, database: next, usable_from: next, pending: 0 });
        assert!(!status.is_usable() && status.is_too_new());
        let refused = test.db.migrate().await.unwrap_err();
        assert!(matches!(refused, DbError::SchemaTooNew(found) if found == status), "{refused:?}");
        assert!(refused.to_string().contains(&format!("schema {next}")), "{refused}");
    }

    #[tokio::test]
    async fn an_older_schema_is_not_usable_until_it_is_migrated() {
        let test = crate::testing::TestDb::open().await;
        let (newer, next) =
            with_next("-- usable-from: 16\nCREATE TABLE expansion (\n    id UUID NOT NULL\n);\n");
        let status = test.db.schema_status_for(newer).await.unwrap();
        assert_eq!((status.build, status.database, status.pending), (next, next - 1, 1));
        assert!(!status.is_usable() && !status.is_too_new());
    }

    #[test]
    fn only_whole_type_words_outside_strings_and_comments_are_translated() {
        let script = "CREATE TABLE t ( -- a UUID\n    UUIDS UUID NOT NULL DEFAULT 'UUID',\n    weight DOUBLE PRECISION\n);\n";
        assert_eq!(
            to_sqlite(script),
            "CREATE TABLE t ( \n    UUIDS BLOB NOT NULL DEFAULT 'UUID',\n    weight REAL\n) STRICT;\n"
        );
    }
}
