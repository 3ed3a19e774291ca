//! Connections and transactions. No other file knows which engine is in use.

use crate::{
    AuditEvent, DbTimestamp, Query, RecordedEnd, SchemaStatus, Value, query,
    sqlite_pool::{PooledConnection, SqlitePool, SqliteTx},
};
use base::{Environment, SignedDuration, Timestamp};
use futures_util::TryStreamExt as _;
use sqlx::{
    Arguments as _, Executor as _, FromRow, Row as _, SqlSafeStr as _,
    postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow, PgSslMode},
    sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous},
};
use std::{
    net::IpAddr,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// A database engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// SQLite, embedded: one file.
    Sqlite,
    /// PostgreSQL: a server that several processes can share.
    Postgres,
}

/// A type that can be read from a row of either engine; derive [`FromRow`].
pub trait DbRow: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}
impl<T> DbRow for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// Why a database operation failed.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// A unique constraint or primary key has this value already.
    #[error("a unique constraint was violated")]
    Duplicate(#[source] sqlx::Error),
    /// The disk or the quota of the database is full.
    #[error("the database has no room left on its disk")]
    Full(#[source] sqlx::Error),
    /// No connection could be opened, or none was free in time.
    #[error("the database cannot be reached")]
    Unreachable(#[source] sqlx::Error),
    /// A migration is missing, was changed, or failed.
    #[error("the schema cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A newer build has changed the schema, in a way that this build cannot work with.
    #[error(
        "the database has schema {}. Builds that know schema {} or later can use it; this build knows schema {}: run the \
         newer build again, or restore the backup from before the migration", .0.database, .0.usable_from, .0.build
    )]
    SchemaTooNew(SchemaStatus),
    /// It names no database. Without the URL: it may hold a password.
    #[error(
        "it is neither postgres://…, nor sqlite:PATH, nor a path alone; write `sqlite:` before a path with quotes, `@`, `=` or \
         a colon"
    )]
    InvalidUrl,
    /// Any other error of the driver.
    #[error("the database failed")]
    Driver(#[source] sqlx::Error),
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(cause) if cause.is_unique_violation() => Self::Duplicate(error),
            // SQLITE_FULL, and disk_full of PostgreSQL.
            sqlx::Error::Database(cause) if matches!(cause.code().as_deref(), Some("13" | "53100")) => {
                Self::Full(error)
            }
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Tls(_) => Self::Unreachable(error),
            _ => Self::Driver(error),
        }
    }
}

/// Statements that run in one trip to SQLite. Each number of them is a text of its own, which is prepared and kept.
const MAX_STATEMENTS_PER_TRIP: usize = 16;

/// What a commit waits for, and so what it survives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// The disk: what is committed survives a power cut.
    Disk,
    /// The operating system: what is committed survives a crash of the process. It reaches the disk with the next commit
    /// that waits for the disk, or within a second; a power cut may lose that second.
    Process,
}

impl Durability {
    /// What has SQLite commit like this, and the same before a transaction begins. The level is a property of the connection, and
    /// there is one connection that writes: it is set each time, in the same trip to the connection's thread as what follows.
    fn sqlite_statements(self) -> [&'static str; 2] {
        match self {
            Self::Disk => ["PRAGMA synchronous = FULL", "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"],
            Self::Process => ["PRAGMA synchronous = NORMAL", "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"],
        }
    }
}

/// A database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Db(pub(crate) Pools, Arc<Notify>, Auditing);

/// Who acts in transactions that do not say otherwise, and who records what they do.
#[derive(Clone, Debug)]
struct Auditing {
    actor: Arc<str>,
    recorder: Option<Arc<dyn AuditRecorder>>,
}

impl Default for Auditing {
    fn default() -> Self {
        Self { actor: "system".into(), recorder: None }
    }
}

/// What [`AuditRecorder::record`] returns.
pub type RecordedFuture<'a> = Pin<Box<dyn Future<Output = Result<RecordedEnd, DbError>> + Send + 'a>>;

/// Writes the events of a transaction in the transaction itself, as the last thing before it is committed.
pub trait AuditRecorder: std::fmt::Debug + Send + Sync {
    /// Records what `actor` did. If this fails, nothing is committed.
    fn record<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        actor: Arc<str>,
        events: Vec<AuditEvent>,
    ) -> RecordedFuture<'a>;

    /// Learns that what it recorded was committed.
    fn committed(&self, end: &RecordedEnd);
}

#[derive(Clone, Debug)]
pub(crate) enum Pools {
    Sqlite { readers: SqlitePool, writer: SqlitePool },
    Postgres(PgPool),
}

/// A transaction that reads one consistent state. It has no method that writes; in SQLite its connection is read-only too.
/// From [`Db::read_once`], each statement is a transaction by itself.
#[derive(Debug)]
pub struct ReadTx(EngineTx);

/// A transaction that reads and writes. It is rolled back unless [`Self::commit`] is called.
#[derive(Debug)]
pub struct WriteTx {
    view: ReadTx,
    notify: Arc<Notify>,
    notifies_on_commit: bool,
    auditing: Auditing,
    events: Vec<AuditEvent>,
}

impl std::ops::Deref for WriteTx {
    type Target = ReadTx;
    fn deref(&self) -> &ReadTx {
        &self.view
    }
}

impl std::ops::DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut ReadTx {
        &mut self.view
    }
}

/// A connection, and the transaction on it unless each statement is one by itself.
#[derive(Debug)]
enum EngineTx {
    Sqlite(SqliteTx),
    SqlitePerStatement(PooledConnection),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
    PostgresPerStatement(sqlx::pool::PoolConnection<sqlx::Postgres>),
}

/// The connection of an [`EngineTx`].
enum EngineConnection<'a> {
    Sqlite(&'a mut PooledConnection),
    Postgres(&'a mut PgConnection),
}

impl EngineTx {
    fn connection(&mut self) -> EngineConnection<'_> {
        match self {
            Self::Sqlite(tx) => EngineConnection::Sqlite(&mut tx.connection),
            Self::SqlitePerStatement(connection) => EngineConnection::Sqlite(connection),
            Self::Postgres(tx) => EngineConnection::Postgres(tx),
            Self::PostgresPerStatement(connection) => EngineConnection::Postgres(connection),
        }
    }

    async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(tx) => tx.commit().await,
            Self::Postgres(tx) => tx.commit().await,
            Self::SqlitePerStatement(_) | Self::PostgresPerStatement(_) => Ok(()),
        }
    }
}

macro_rules! arguments {
    ($values:expr, $args:ty) => {{
        let mut args = <$args>::default();
        for value in $values {
            match value {
                Value::Bool(v) => args.add(v),
                Value::I64(v) => args.add(v),
                Value::F64(v) => args.add(v),
                Value::Text(v) => args.add(v),
                Value::Bytes(v) => args.add(v),
                Value::Uuid(v) => args.add(v),
                Value::Time(v) => args.add(v.map(DbTimestamp)),
                Value::Json(v) => args.add(v.map(sqlx::types::Json)),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        args
    }};
}

/// What a statement returned, in the type of the engine's driver.
enum DriverResult<S, P> {
    Sqlite(S),
    Postgres(P),
}

/// Several statements as one that SQLite runs in one trip to the thread of its connection.
fn joined(
    queries: impl IntoIterator<Item = Query>,
) -> Result<sqlx::query::Query<'static, sqlx::Sqlite, SqliteArguments>, sqlx::Error> {
    let (text, values) = query::join_for_sqlite(queries);
    #[expect(
        clippy::disallowed_methods,
        reason = "literals of sql! one behind the other, each of which was prepared"
    )]
    let text = sqlx::AssertSqlSafe(text);
    Ok(sqlx::query_with(text, arguments!(values, SqliteArguments)))
}

/// Runs a statement with the named method of sqlx.
macro_rules! run {
    ($how:ident, $tx:expr, $query:expr) => {{
        let Query { sqlite, postgres, values } = $query;
        match $tx.connection() {
            EngineConnection::Sqlite(connection) => {
                let query = sqlx::query_with(sqlite, arguments!(values, SqliteArguments));
                let done = query.$how(&mut **connection).await;
                DriverResult::Sqlite(done.inspect_err(|error| connection.note(error))?)
            }
            EngineConnection::Postgres(connection) => {
                let query = sqlx::query_with(postgres, arguments!(values, PgArguments));
                DriverResult::Postgres(query.$how(connection).await?)
            }
        }
    }};
}

impl ReadTx {
    /// The first row, if there is one.
    pub async fn fetch_optional<T: DbRow>(&mut self, query: Query) -> Result<Option<T>, DbError> {
        Ok(match self.first_row(query).await? {
            DriverResult::Sqlite(row) => row.map(|row| T::from_row(&row)).transpose()?,
            DriverResult::Postgres(row) => row.map(|row| T::from_row(&row)).transpose()?,
        })
    }

    /// All rows. The statement has a `LIMIT` of its own unless the number of rows is small by nature.
    pub async fn fetch_all<T: DbRow>(&mut self, query: Query) -> Result<Vec<T>, DbError> {
        Ok(match self.all_rows(query).await? {
            DriverResult::Sqlite(rows) => rows.iter().map(T::from_row).collect::<Result<_, _>>()?,
            DriverResult::Postgres(rows) => rows.iter().map(T::from_row).collect::<Result<_, _>>()?,
        })
    }

    /// The number that a `SELECT count(*)` returns.
    pub async fn count(&mut self, query: Query) -> Result<i64, DbError> {
        Ok(match run!(fetch_one, self.0, query) {
            DriverResult::Sqlite(row) => row.try_get(0)?,
            DriverResult::Postgres(row) => row.try_get(0)?,
        })
    }

    // Not generic, so that they are compiled once and not for each type of row.

    async fn first_row(
        &mut self,
        query: Query,
    ) -> Result<DriverResult<Option<SqliteRow>, Option<PgRow>>, DbError> {
        Ok(run!(fetch_optional, self.0, query))
    }

    async fn all_rows(&mut self, query: Query) -> Result<DriverResult<Vec<SqliteRow>, Vec<PgRow>>, DbError> {
        Ok(run!(fetch_all, self.0, query))
    }
}

impl WriteTx {
    /// Runs a statement; returns the number of rows that it changed.
    pub async fn execute(&mut self, query: Query) -> Result<u64, DbError> {
        Ok(match run!(execute, self.view.0, query) {
            DriverResult::Sqlite(done) => done.rows_affected(),
            DriverResult::Postgres(done) => done.rows_affected(),
        })
    }

    /// Runs statements one after the other; returns how many rows each changed. The first that fails is the last to run.
    ///
    /// SQLite runs them all in one trip to the thread of its connection: such a trip costs more than most statements.
    pub async fn execute_all(&mut self, queries: Vec<Query>) -> Result<Vec<u64>, DbError> {
        let mut changed = Vec::with_capacity(queries.len());
        let EngineConnection::Sqlite(connection) = self.view.0.connection() else {
            for query in queries {
                changed.push(self.execute(query).await?);
            }
            return Ok(changed);
        };
        let mut queries = queries.into_iter().peekable();
        while queries.peek().is_some() {
            let trip = joined(queries.by_ref().take(MAX_STATEMENTS_PER_TRIP))?;
            let mut results = connection.execute_many(trip);
            let failed = loop {
                match results.try_next().await {
                    Ok(Some(done)) => changed.push(done.rows_affected()),
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            drop(results);
            if let Some(error) = failed {
                connection.note(&error);
                return Err(error.into());
            }
        }
        Ok(changed)
    }

    /// Makes the commit wake everyone in this process who waits in [`Db::notified`].
    pub fn notify_on_commit(&mut self) {
        self.notifies_on_commit = true;
    }

    /// Who acts in this transaction: `KIND:ID`.
    pub fn set_actor(&mut self, actor: impl Into<Arc<str>>) {
        self.auditing.actor = actor.into();
    }

    /// Has an event recorded when this transaction is committed. Without a recorder ([`Db::with_recorder`]) it is not.
    pub fn audit(&mut self, event: AuditEvent) {
        self.events.push(event);
    }

    /// Commits everything since [`Db::write`], with the record of its events.
    pub async fn commit(mut self) -> Result<(), DbError> {
        let Auditing { actor, recorder } = self.auditing.clone();
        let events = std::mem::take(&mut self.events);
        let recorded = match recorder.filter(|_| !events.is_empty()) {
            Some(recorder) => Some((recorder.record(&mut self, actor, events).await?, recorder)),
            None => None,
        };
        self.view.0.commit().await?;
        if let Some((end, recorder)) = recorded {
            recorder.committed(&end);
        }
        if self.notifies_on_commit {
            self.notify.notify_waiters();
        }
        Ok(())
    }
}

/// Begins a transaction, and does not stop half way if the caller gives up: the driver would put the connection back into
/// the pool without a rollback, and whoever has it next would be inside the previous transaction.
async fn begin_whole(
    pool: &PgPool,
    statement: &'static str,
) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, sqlx::Error> {
    let pool = pool.clone();
    // If nobody waits for it any more, it is dropped when it has begun, which rolls it back.
    let begun = tokio::spawn(async move { pool.begin_with(statement.into_sql_str()).await });
    match begun.await {
        Ok(begun) => begun,
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        // The runtime is being shut down.
        Err(_) => Err(sqlx::Error::PoolClosed),
    }
}

/// What a URL names: on which engine, and where.
enum DatabaseUrl<'a> {
    Postgres(&'a str),
    /// The path, and the options after a `?`.
    Sqlite(&'a str),
}

impl<'a> DatabaseUrl<'a> {
    /// A slip in the URL of a server must not be taken for the path of a file: it would be made, and its name, which has a
    /// password, printed.
    fn parse(url: &'a str) -> Result<Self, DbError> {
        if let Some((scheme, rest)) = url.split_once(':') {
            if ["postgres", "postgresql"].iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                return Ok(Self::Postgres(url));
            }
            if scheme.eq_ignore_ascii_case("sqlite") {
                return Ok(Self::Sqlite(rest));
            }
            let is_path = scheme.is_empty() || scheme.contains('/');
            if !is_path {
                return Err(DbError::InvalidUrl);
            }
        }
        let path = url.split_once('?').map_or(url, |(path, _)| path);
        if path.is_empty() || path.contains(['"', '\'', '@', '=']) {
            return Err(DbError::InvalidUrl);
        }
        Ok(Self::Sqlite(url))
    }
}

/// The options of a URL. Where neither it nor `PGSSLMODE` says how a server on another machine is to prove who it is, it
/// must do so in full.
fn postgres_options(url: &str) -> Result<PgConnectOptions, DbError> {
    let options: PgConnectOptions = url.parse()?;
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let is_said = query.split('&').any(|pair| pair.starts_with("sslmode=") || pair.starts_with("ssl-mode="))
        || std::env::var_os("PGSSLMODE").is_some();
    Ok(if is_said || is_local(&options) { options } else { options.ssl_mode(PgSslMode::VerifyFull) })
}

/// How far a clock is ahead that was read between two moments of another.
fn offset_between(asked: Timestamp, there: Timestamp, answered: Timestamp) -> SignedDuration {
    if there < asked {
        there.duration_since(asked)
    } else if there > answered {
        there.duration_since(answered)
    } else {
        SignedDuration::ZERO
    }
}

/// Whether a server is on this machine, so that nobody is between.
fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    options.get_socket().is_some()
        || host.starts_with('/')
        || host.eq_ignore_ascii_case("localhost")
        || address.is_some_and(|address| address.is_loopback())
}

/// How far the connections of a process are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUsage {
    /// Connections that are in use now.
    pub in_use: u32,
    /// Connections that there may be.
    pub limit: u32,
}

impl Db {
    /// Opens `sqlite:PATH`, or a path alone, which is created if it is missing, or `postgres://…`. Unless that says otherwise
    /// (`sslmode`), a server on another machine must prove by its certificate that it is the one that is named. Connections are
    /// made when they are first used, so a server can start before its database; see [`Self::ping`]. `connections` is the size
    /// of the pool.
    pub fn open(url: &str, connections: u32) -> Result<Self, DbError> {
        let wait = Duration::from_secs(5);
        let file = match DatabaseUrl::parse(url)? {
            DatabaseUrl::Sqlite(file) => file,
            DatabaseUrl::Postgres(url) => {
                let pool = PgPoolOptions::new()
                    .max_connections(connections.max(2))
                    .acquire_timeout(wait)
                    .connect_lazy_with(postgres_options(url)?);
                return Ok(Self(Pools::Postgres(pool), Arc::default(), Auditing::default()));
            }
        };
        let options = format!("sqlite:{file}")
            .parse::<SqliteConnectOptions>()?
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            // What is deleted is overwritten with zeros, and not merely forgotten.
            .pragma("secure_delete", "on")
            // Enough for all statements that are run often: preparing one costs more than running most.
            .statement_cache_capacity(500)
            .busy_timeout(wait);
        let writer = SqlitePool::new(options.clone(), 1, wait);
        let readers = SqlitePool::new(options.pragma("query_only", "on"), connections.max(2), wait);
        Ok(Self(Pools::Sqlite { readers, writer }, Arc::default(), Auditing::default()))
    }

    /// The same database, whose transactions have their events recorded.
    #[must_use]
    pub fn with_recorder(self, recorder: Arc<dyn AuditRecorder>) -> Self {
        Self(self.0, self.1, Auditing { recorder: Some(recorder), ..self.2 })
    }

    /// The same database, in whose transactions `actor` acts unless they say otherwise.
    #[must_use]
    pub fn acting_as(self, actor: impl Into<Arc<str>>) -> Self {
        Self(self.0, self.1, Auditing { actor: actor.into(), ..self.2 })
    }

    /// The file of an SQLite database, which may not exist before the first use; `None` for PostgreSQL.
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        match &self.0 {
            Pools::Sqlite { readers, .. } => Some(readers.file().to_owned()),
            Pools::Postgres(_) => None,
        }
    }

    /// What the driver demands of the connection to a server on another machine, as `sslmode` names it; `None` if the
    /// database is on this machine.
    pub fn remote_ssl_mode(&self) -> Option<&'static str> {
        let Pools::Postgres(pool) = &self.0 else { return None };
        let options = pool.connect_options();
        (!is_local(&options)).then(|| match options.get_ssl_mode() {
            PgSslMode::Disable => "disable",
            PgSslMode::Allow => "allow",
            PgSslMode::Prefer => "prefer",
            PgSslMode::Require => "require",
            PgSslMode::VerifyCa => "verify-ca",
            PgSslMode::VerifyFull => "verify-full",
        })
    }

    /// Which engine this database runs on.
    pub fn engine(&self) -> Engine {
        match self.0 {
            Pools::Sqlite { .. } => Engine::Sqlite,
            Pools::Postgres(_) => Engine::Postgres,
        }
    }

    /// Begins a transaction that reads. On PostgreSQL each of its statements sees what is committed by then; where several must
    /// see the same, there is [`Self::read_snapshot`].
    pub async fn read(&self) -> Result<ReadTx, DbError> {
        self.begin_reading("BEGIN READ ONLY").await
    }

    /// Begins a transaction that reads, all of whose statements see the state that the first of them has seen. The server
    /// keeps that state for as long, so it is for what needs it.
    pub async fn read_snapshot(&self) -> Result<ReadTx, DbError> {
        self.begin_reading("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await
    }

    /// SQLite has one way to read, and it sees one state.
    async fn begin_reading(&self, on_postgres: &'static str) -> Result<ReadTx, DbError> {
        Ok(ReadTx(match &self.0 {
            Pools::Sqlite { readers, .. } => EngineTx::Sqlite(readers.begin_with("BEGIN").await?),
            Pools::Postgres(pool) => EngineTx::Postgres(begin_whole(pool, on_postgres).await?),
        }))
    }

    /// For one statement, which sees one consistent state by itself, or for several that need not see the same: to begin and end a
    /// transaction around them would cost two more trips to the database. Each further statement may see a later state.
    pub async fn read_once(&self) -> Result<ReadTx, DbError> {
        Ok(ReadTx(match &self.0 {
            Pools::Sqlite { readers, .. } => EngineTx::SqlitePerStatement(readers.acquire().await?),
            Pools::Postgres(pool) => EngineTx::PostgresPerStatement(pool.acquire().await?),
        }))
    }

    /// Begins a transaction that writes and whose commit waits for the disk. In SQLite there is one at a time.
    pub async fn write(&self) -> Result<WriteTx, DbError> {
        self.write_with_durability(Durability::Disk).await
    }

    /// Begins a transaction that writes, and says what its commit waits for.
    pub async fn write_with_durability(&self, durability: Durability) -> Result<WriteTx, DbError> {
        let view = ReadTx(match &self.0 {
            Pools::Sqlite { writer, .. } => {
                let [_, begin] = durability.sqlite_statements();
                EngineTx::Sqlite(writer.begin_with(begin).await?)
            }
            Pools::Postgres(pool) => {
                let mut tx = begin_whole(pool, "BEGIN").await?;
                if durability == Durability::Process {
                    sqlx::query("SET LOCAL synchronous_commit = off").execute(&mut *tx).await?;
                }
                EngineTx::Postgres(tx)
            }
        });
        Ok(WriteTx {
            view,
            notify: self.1.clone(),
            notifies_on_commit: false,
            auditing: self.2.clone(),
            events: Vec::new(),
        })
    }

    /// Runs one statement that writes, and that is a transaction by itself; returns its rows. What [`WriteTx::audit`] and
    /// [`WriteTx::notify_on_commit`] are for is not for it.
    ///
    /// SQLite begins, runs and commits it in one trip to the connection's thread.
    pub async fn write_once<T: DbRow>(
        &self,
        durability: Durability,
        statement: Query,
    ) -> Result<Vec<T>, DbError> {
        let Pools::Sqlite { writer, .. } = &self.0 else {
            let mut tx = self.write_with_durability(durability).await?;
            let rows = tx.fetch_all(statement).await?;
            tx.commit().await?;
            return Ok(rows);
        };
        let [level, _] = durability.sqlite_statements();
        let mut connection = writer.acquire().await?;
        let done = joined([Query::new(level, ""), statement])?.fetch_all(&mut *connection).await;
        let rows = done.inspect_err(|error| connection.note(error))?;
        Ok(rows.iter().map(T::from_row).collect::<Result<_, _>>()?)
    }

    /// Closes connections to SQLite that nobody has used for so long. PostgreSQL's are closed by the driver.
    pub fn close_idle_connections(&self, idle: Duration) {
        if let Pools::Sqlite { readers, writer } = &self.0 {
            readers.close_idle(idle);
            writer.close_idle(idle);
        }
    }

    /// Waits until a transaction of this process is committed that called [`WriteTx::notify_on_commit`]. Commits between
    /// this call and the first poll of the future count.
    pub fn notified(&self) -> impl Future<Output = ()> + Send + use<> {
        self.1.clone().notified_owned()
    }

    /// How many connections are in use now, of all pools.
    pub fn pool_usage(&self) -> PoolUsage {
        match &self.0 {
            Pools::Sqlite { readers, writer } => {
                let (reading, may_read) = readers.usage();
                let (writing, may_write) = writer.usage();
                PoolUsage { in_use: reading + writing, limit: may_read + may_write }
            }
            Pools::Postgres(pool) => {
                let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
                let in_use = pool.size().saturating_sub(idle);
                PoolUsage { in_use, limit: pool.options().get_max_connections() }
            }
        }
    }

    /// Reads from the database, to find out whether it answers.
    pub async fn ping(&self) -> Result<(), DbError> {
        self.read()
            .await?
            .count(crate::sql!("SELECT count(*) FROM organisations WHERE id = $1", base::Uuid::nil()))
            .await?;
        Ok(())
    }

    /// How far the clock of a database server is ahead of this process's; negative if it is behind, `None` for SQLite, which
    /// has no clock of its own. What the question itself took is not counted.
    pub async fn clock_offset(
        &self,
        environment: &dyn Environment,
    ) -> Result<Option<SignedDuration>, DbError> {
        let Pools::Postgres(pool) = &self.0 else { return Ok(None) };
        let mut connection = pool.acquire().await?;
        let asked = environment.now();
        let row = sqlx::query("SELECT clock_timestamp()").fetch_one(&mut *connection).await?;
        let answered = environment.now();
        let there: DbTimestamp = row.try_get(0)?;
        Ok(Some(offset_between(asked, there.0, answered)))
    }

    /// Writes to the disk what was committed with [`Durability::Process`].
    pub async fn flush(&self) -> Result<(), DbError> {
        if let Pools::Sqlite { writer, .. } = &self.0 {
            let mut connection = writer.acquire().await?;
            sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut *connection).await?;
        }
        // PostgreSQL's WAL writer does so by itself, within three times wal_writer_delay (0.6 s by default).
        Ok(())
    }

    /// Removes from the database's files what transactions have deleted. Returns false if that has to be tried again,
    /// because something still reads an older state.
    ///
    /// - SQLite overwrites deleted rows itself (`secure_delete`); here its log is copied into the database and cut to
    ///   nothing.
    /// - PostgreSQL: `rewrite` is run, a `VACUUM (FULL)` of a small table, which writes it anew, without its dead rows; but with
    ///   those that a transaction may still see, which is why older ones are waited for. Dead rows of all other tables remain
    ///   until autovacuum and later rows overwrite them, and everything remains in the log until its segments are recycled.
    pub async fn clean_files(&self, rewrite: &'static str) -> Result<bool, DbError> {
        match &self.0 {
            Pools::Sqlite { writer, .. } => {
                let mut connection = writer.acquire().await?;
                // Requests that write wait meanwhile, so readers get little time to end.
                sqlx::query("PRAGMA busy_timeout = 200").execute(&mut *connection).await?;
                let cut = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *connection).await;
                sqlx::query("PRAGMA busy_timeout = 5000").execute(&mut *connection).await?;
                Ok(cut?.try_get::<i64, _>(0)? == 0)
            }
            Pools::Postgres(pool) => {
                let mut connection = pool.acquire().await?;
                if !older_transactions_end(&mut connection).await? {
                    return Ok(false);
                }
                sqlx::query("SET lock_timeout = '2s'").execute(&mut *connection).await?;
                let rewritten = sqlx::query(rewrite).execute(&mut *connection).await;
                sqlx::query("RESET lock_timeout").execute(&mut *connection).await?;
                match rewritten {
                    Ok(_) => Ok(true),
                    // lock_not_available
                    Err(sqlx::Error::Database(cause)) if cause.code().as_deref() == Some("55P03") => {
                        Ok(false)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Closes all connections, once the transactions that use them have ended.
    pub async fn close(&self) {
        match &self.0 {
            Pools::Sqlite { readers, writer } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

/// How long transactions that began earlier get to end before a table is rewritten, and how often it is asked whether they have.
const OLDER_TRANSACTIONS_TIMEOUT: Duration = Duration::from_secs(2);
const OLDER_TRANSACTIONS_INTERVAL: Duration = Duration::from_millis(50);

/// Waits until no transaction is left that may see rows which were deleted before this call: none that writes and began
/// earlier, no reader whose snapshot is older, no replica that asks for old rows. Returns false if some stay.
async fn older_transactions_end(connection: &mut PgConnection) -> Result<bool, DbError> {
    // A transaction of its own: all numbers that are given later are greater.
    let now: String =
        sqlx::query_scalar("SELECT CAST(pg_current_xact_id() AS TEXT)").fetch_one(&mut *connection).await?;
    let deadline = Instant::now() + OLDER_TRANSACTIONS_TIMEOUT;
    loop {
        // Writers first: a snapshot that is taken when none of the older ones is left is not older itself.
        let writers_ended: bool = sqlx::query_scalar(
            "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= CAST(CAST($1 AS TEXT) AS XID8)",
        )
        .bind(&now)
        .fetch_one(&mut *connection)
        .await?;
        let readers_ended: bool = sqlx::query_scalar(
            "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity
                                 WHERE pid <> pg_backend_pid()
                                   AND age(backend_xmin) > age(CAST(CAST(CAST($1 AS TEXT) AS XID8) AS XID)))
                AND NOT EXISTS (SELECT 1 FROM pg_replication_slots
                                 WHERE age(xmin) > age(CAST(CAST(CAST($1 AS TEXT) AS XID8) AS XID)))",
        )
        .bind(&now)
        .fetch_one(&mut *connection)
        .await?;
        if writers_ended && readers_ended {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(OLDER_TRANSACTIONS_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transaction that began before a deletion may still see what was deleted, and then so does whoever reads the file.
    #[tokio::test]
    async fn a_table_is_not_clean_while_somebody_may_still_see_what_was_deleted() {
        let test = crate::testing::TestDb::open().await;
        if test.db.engine() != Engine::Postgres {
            return;
        }
        let mut older = test.db.write().await.unwrap();
        older.execute(crate::sql!("UPDATE erasure_progress SET erased = erased WHERE id = 1")).await.unwrap();
        let began = Instant::now();
        assert!(!test.db.clean_files("VACUUM (FULL) erasure_keys").await.unwrap());
        assert!(began.elapsed() >= OLDER_TRANSACTIONS_TIMEOUT);
        older.commit().await.unwrap();
        // Tests beside this one have transactions of their own, which end soon.
        while !test.db.clean_files("VACUUM (FULL) erasure_keys").await.unwrap() {
            assert!(began.elapsed() < Duration::from_mins(2), "they do not end");
        }
    }

    #[tokio::test]
    async fn clocks_are_compared_with_the_server_s() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let [asked, answered] = [at("2026-01-16T14:40:00Z"), at("2026-01-16T14:40:02Z")];
        for (there, seconds) in [("14:39:50Z", -10), ("14:40:01Z", 0), ("14:40:02Z", 0), ("14:40:13Z", 11)] {
            let there = at(&format!("2026-01-16T{there}"));
            assert_eq!(offset_between(asked, there, answered), SignedDuration::from_secs(seconds));
        }
        let test = crate::testing::TestDb::open().await;
        let now = base::SystemEnvironment.now();
        let slow = base::TestEnvironment::at(&(now - SignedDuration::from_hours(1)).to_string());
        let offset = test.db.clock_offset(&slow).await.unwrap();
        match test.db.engine() {
            Engine::Sqlite => assert_eq!(offset, None),
            Engine::Postgres => {
                let off = offset.unwrap().as_secs();
                assert!((3599..3660).contains(&off), "{off}");
                let exact = test.db.clock_offset(&base::SystemEnvironment).await.unwrap();
                assert_eq!(exact, Some(SignedDuration::ZERO));
            }
        }
    }

    #[tokio::test]
    async fn a_server_on_another_machine_must_prove_who_it_is() {
        for (url, mode) in [
            ("postgres://a@db.example/assay", Some("verify-full")),
            ("postgres://a@192.0.2.1:5433/assay?application_name=sslmode", Some("verify-full")),
            ("postgresql://a@db.example/assay?sslrootcert=/etc/ca.pem", Some("verify-full")),
            ("postgres://a@db.example/assay?sslmode=require", Some("require")),
            ("postgres://a@db.example/assay?ssl-mode=disable", Some("disable")),
            ("postgres://a@localhost/assay", None),
            ("postgres://a@127.0.0.1/assay", None),
            ("postgres://a@[::1]:5432/assay", None),
            ("postgres:///assay?host=/var/run/postgresql", None),
        ] {
            assert_eq!(Db::open(url, 2).unwrap().remote_ssl_mode(), mode, "{url}");
        }
        assert_eq!(Db::open("sqlite:none.db", 2).unwrap().remote_ssl_mode(), None);
    }

    #[tokio::test]
    async fn a_slip_in_a_url_is_no_path_and_is_not_quoted() {
        for url in [
            "\"postgres://assay:swordfish@db/assay\"",
            "'postgres://assay:swordfish@db/assay'",
            " postgres://assay:swordfish@db/assay",
            "psql://assay:swordfish@db/assay",
            "postgres//assay:swordfish@db/assay",
            "assay:swordfish@db/assay",
            "host=db user=assay password=swordfish",
            "mysql:swordfish",
            "file:swordfish",
            "",
            "?mode=rw",
        ] {
            let refused = Db::open(url, 2).unwrap_err();
            assert!(matches!(refused, DbError::InvalidUrl), "{url}: {refused:?}");
            assert!(!refused.to_string().contains("swordfish"), "{refused}");
        }
        // What is a path after all is told how to say so.
        for path in ["/srv/a@b.db", "/srv/a=b.db", "it's.db", "a:b/c.db"] {
            let refused = Db::open(path, 2).unwrap_err().to_string();
            assert!(refused.contains("write `sqlite:` before a path with quotes"), "{path}: {refused}");
            assert_eq!(Db::open(&format!("sqlite:{path}"), 2).unwrap().sqlite_file(), Some(path.into()));
        }
        for (url, file) in [
            ("sqlite:none.db", "none.db"),
            ("SQLite:/srv/none.db", "/srv/none.db"),
            ("sqlite:///srv/a=b@c:d.db", "/srv/a=b@c:d.db"),
            ("none.db", "none.db"),
            ("./a:b.db", "./a:b.db"),
            ("/srv/none.db?mode=rwc", "/srv/none.db"),
        ] {
            assert_eq!(Db::open(url, 2).unwrap().sqlite_file(), Some(file.into()), "{url}");
        }
        for url in ["POSTGRES://a@db.example/assay", "PostgreSQL://a@db.example/assay"] {
            assert_eq!(Db::open(url, 2).unwrap().remote_ssl_mode(), Some("verify-full"), "{url}");
        }
    }
}
