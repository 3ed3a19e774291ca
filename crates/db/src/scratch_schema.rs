//! A schema of its own on a PostgreSQL server, for work that must not touch what is there.

use crate::DbError;
use sqlx::{AssertSqlSafe, PgPool};

/// A new and empty schema.
#[derive(Clone, Debug)]
pub struct ScratchSchema {
    server: String,
    name: String,
}

impl ScratchSchema {
    /// Creates one on the server at `server` (`postgres://…`), whose name begins with `prefix`: letters and underscores.
    ///
    /// # Panics
    /// When `prefix` has other characters.
    pub async fn create(server: &str, prefix: &str) -> Result<Self, DbError> {
        assert!(prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "a prefix: {prefix}");
        let mut random = [0; 8];
        base::Environment::fill_random(&base::SystemEnvironment, &mut random);
        let name = format!("{prefix}_{:016x}", u64::from_le_bytes(random));
        let schema = Self { server: server.to_owned(), name };
        schema.run(&format!("CREATE SCHEMA {}", schema.name)).await?;
        Ok(schema)
    }

    /// The address of the server with this schema as its search path.
    pub fn url(&self) -> String {
        let joint = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{joint}options=-c%20search_path%3D{}", self.server, self.name)
    }

    /// Deletes the schema and everything in it.
    pub async fn drop(self) -> Result<(), DbError> {
        self.run(&format!("DROP SCHEMA {} CASCADE", self.name)).await
    }

    async fn run(&self, statement: &str) -> Result<(), DbError> {
        let pool = PgPool::connect(&self.server).await?;
        #[expect(
            clippy::disallowed_methods,
            reason = "a schema's name cannot be bound; this one is letters, underscores and hex digits"
        )]
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement).execute(&pool).await?;
        pool.close().await;
        Ok(())
    }
}
