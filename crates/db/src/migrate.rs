//! One set of migrations for both engines, written with the type names of PostgreSQL.

use crate::{Db, DbError, engine::Pools};
use sqlx::{
    SqlSafeStr, SqlStr,
    migrate::{Migration, MigrationType, Migrator},
};
use std::borrow::Cow;

/// Number, name and text of each migration, in order. A test compares the list with the folder.
pub(crate) const MIGRATIONS: &[(i64, &str, &str)] = &[
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
    (18, "abuse", include_str!("../../../migrations/0018_abuse.sql")),
];

impl Db {
    /// Applies all pending migrations. Several processes may call it at once.
    pub async fn migrate(&self) -> Result<(), DbError> {
        match &self.0 {
            Pools::Sqlite { writer, .. } => migrator(|text| trusted_sql(to_sqlite(text))).run(writer).await?,
            Pools::Postgres(pool) => migrator(SqlSafeStr::into_sql_str).run(pool).await?,
        }
        Ok(())
    }

    /// The number of migrations in this build that have not been applied to the database.
    pub async fn pending_migrations(&self) -> Result<usize, DbError> {
        #[derive(crate::FromRow)]
        struct AppliedMigration {
            version: i64,
        }
        let mut view = self.read().await?;
        let applied: Vec<AppliedMigration> =
            match view.fetch_all(crate::sql!("SELECT version FROM _sqlx_migrations")).await {
                Ok(rows) => rows,
                // A new database has no such table yet.
                Err(DbError::Driver(sqlx::Error::Database(_))) => Vec::new(),
                Err(other) => return Err(other),
            };
        Ok(MIGRATIONS
            .iter()
            .filter(|(version, ..)| !applied.iter().any(|row| row.version == *version))
            .count())
    }
}

fn migrator(text: impl Fn(&'static str) -> SqlStr) -> Migrator {
    let migrations = MIGRATIONS
        .iter()
        .map(|&(version, name, sql)| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, text(sql), false)
        })
        .collect();
    Migrator::with_migrations(migrations)
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
    fn only_whole_type_words_outside_strings_and_comments_are_translated() {
        let script = "CREATE TABLE t ( -- a UUID\n    UUIDS UUID NOT NULL DEFAULT 'UUID',\n    weight DOUBLE PRECISION\n);\n";
        assert_eq!(
            to_sqlite(script),
            "CREATE TABLE t ( \n    UUIDS BLOB NOT NULL DEFAULT 'UUID',\n    weight REAL\n) STRICT;\n"
        );
    }
}
