//! A database for each test: an SQLite file, or a database of its own on the PostgreSQL server that
//! `ASSAY_TEST_POSTGRES_URL` names, whose user may create databases.

use crate::{Db, DbError, Engine, engine::Pools};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::OnceCell;

/// A migrated, empty database, of which each test has a copy: applying every migration takes a third of a second.
static TEMPLATE: OnceCell<Template> = OnceCell::const_new();

/// Databases of tests that have ended. Whoever opens the next one drops them, because a test that ends may not wait.
static ENDED: Mutex<Vec<PostgresDatabase>> = Mutex::new(Vec::new());

/// A migrated, empty database. It is gone once this is dropped.
#[derive(Debug)]
pub struct TestDb {
    /// The open database.
    pub db: Db,
    /// Its URL, for a server that is started as a process of its own.
    pub url: String,
    _place: TestDbPlace,
}

#[derive(Debug)]
enum TestDbPlace {
    Folder { _folder: tempfile::TempDir },
    Server(PostgresDatabase),
}

enum Template {
    /// The bytes of the file.
    Sqlite(Vec<u8>),
    Postgres(PostgresDatabase),
}

#[derive(Clone, Debug)]
struct PostgresDatabase {
    server: String,
    name: String,
}

impl TestDb {
    /// Creates a migrated database.
    ///
    /// # Panics
    /// If the database cannot be created.
    pub async fn open() -> Self {
        let server = std::env::var("ASSAY_TEST_POSTGRES_URL").ok();
        let template = TEMPLATE.get_or_init(|| Template::make(server)).await;
        let (url, place) = match template {
            Template::Sqlite(bytes) => {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let file = folder.path().join("test.db");
                std::fs::write(&file, bytes).expect("the file is written");
                (sqlite_url(&file), TestDbPlace::Folder { _folder: folder })
            }
            Template::Postgres(template) => {
                let database = PostgresDatabase::create(&template.server, "test", Some(template)).await;
                (database.url(), TestDbPlace::Server(database))
            }
        };
        Self { db: Db::open(&url, 4).expect("a database url"), url, _place: place }
    }
}

impl Drop for TestDbPlace {
    fn drop(&mut self) {
        if let Self::Server(database) = self {
            ENDED.lock().unwrap_or_else(PoisonError::into_inner).push(database.clone());
        }
    }
}

impl Template {
    async fn make(server: Option<String>) -> Self {
        let migrate = async |url: &str| {
            let db = Db::open(url, 1).expect("a database url");
            db.migrate().await.expect("the migrations run");
            db.close().await;
        };
        if let Some(server) = server {
            let database = PostgresDatabase::create(&server, "template", None).await;
            migrate(&database.url()).await;
            return Self::Postgres(database);
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("template.db");
        migrate(&sqlite_url(&file)).await;
        let files = std::fs::read_dir(folder.path()).expect("the folder is read").count();
        assert_eq!(files, 1, "what was written is in the file, and not in its log");
        Self::Sqlite(std::fs::read(&file).expect("the file is read"))
    }
}

impl PostgresDatabase {
    /// Creates one on the server at `server`, a copy of `template` if there is one. Drops those of tests that have ended.
    async fn create(server: &str, prefix: &str, template: Option<&Self>) -> Self {
        let mut random = [0; 8];
        base::Environment::fill_random(&base::SystemEnvironment, &mut random);
        let name = format!("{prefix}_{:016x}", u64::from_le_bytes(random));
        let ended = std::mem::take(&mut *ENDED.lock().unwrap_or_else(PoisonError::into_inner));
        let statements = ended
            .into_iter()
            .map(|database| format!("DROP DATABASE {} WITH (FORCE)", database.name))
            .chain([match template {
                Some(Self { name: template, .. }) => format!("CREATE DATABASE {name} TEMPLATE {template}"),
                None => format!("CREATE DATABASE {name}"),
            }]);
        let mut connection = PgConnection::connect(server).await.expect("the test server answers");
        for statement in statements {
            #[expect(
                clippy::disallowed_methods,
                reason = "a database's name cannot be bound; these are letters, an underscore and hex digits"
            )]
            let text = AssertSqlSafe(statement);
            connection.execute(text).await.expect("the user may create and drop databases");
        }
        connection.close().await.expect("the connection ends");
        Self { server: server.to_owned(), name }
    }

    /// The address of the server, with this database in the place of its own.
    fn url(&self) -> String {
        let (address, options) = self.server.split_once('?').unwrap_or((&self.server, ""));
        let (host, _) = address.rsplit_once('/').expect("the address names a database");
        let joint = if options.is_empty() { "" } else { "?" };
        format!("{host}/{}{joint}{options}", self.name)
    }
}

fn sqlite_url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

impl TestDb {
    /// Waits until so many transactions wait for locks of others. On SQLite, which has one writer at a time, not at all.
    ///
    /// # Panics
    /// If the database does not answer, or they do not wait within ten seconds.
    pub async fn wait_until_blocked(&self, transactions: i64) {
        if self.db.engine() == Engine::Sqlite {
            return;
        }
        let begun = Instant::now();
        loop {
            let mut view = self.db.read_once().await.expect("a view");
            let blocked = view.count(crate::sql!(
                sqlite: "SELECT 0",
                postgres: "SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock'",
            ));
            if blocked.await.expect("a count") >= transactions {
                return;
            }
            drop(view);
            assert!(begun.elapsed() < Duration::from_secs(10), "fewer than {transactions} transactions wait");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

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
                let mut writer = writer.acquire().await.expect("a connection");
                let tables: Vec<(String, String)> = sqlx::query_as(
                    "SELECT m.name, group_concat('quote(\"' || c.name || '\")', ' || '' '' || ')
                       FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name",
                )
                .fetch_all(&mut *writer)
                .await
                .expect("the names of tables");
                for (table, values) in tables {
                    let text = AssertSqlSafe(format!("SELECT {values} FROM \"{table}\""));
                    let found: Vec<String> =
                        sqlx::query_scalar(text).fetch_all(&mut *writer).await.expect("rows");
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
                    let text =
                        AssertSqlSafe(format!("SELECT CAST(row_to_json(t) AS TEXT) FROM \"{table}\" t"));
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
        let text = AssertSqlSafe(text.to_owned()).into_sql_str();
        match &self.0 {
            Pools::Sqlite { writer, .. } => drop(writer.acquire().await?.prepare(text).await?),
            Pools::Postgres(pool) => drop(pool.acquire().await?.prepare(text).await?),
        }
        Ok(())
    }
}
