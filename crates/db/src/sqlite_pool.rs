//! Connections to SQLite, for which there is nothing to do when they come back. The driver's own pool asks a connection that comes back
//! whether it still answers, and hands it out again only then: for each use one more trip to the connection's thread, which costs
//! more than most statements, and for which the next to write waits as well.

use deadpool::managed::{
    self, Metrics, Object, PoolError, QueueMode, RecycleError, RecycleResult, TimeoutType,
};
use sqlx::{
    Connection as _, SqlSafeStr as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteTransactionManager},
};
// The driver's own transactions are for connections of its own pool.
use sqlx_core::transaction::TransactionManager as _;
use std::{
    ops::{Deref, DerefMut},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// After these errors of SQLite (`NOMEM`, `INTERRUPT`, `IOERR`, `FULL`) the transaction may be over: "Response To Errors Within A
/// Transaction" of its documentation. The driver does not ask, and would count it as open for good.
const ERRORS_THAT_MAY_ROLL_BACK: [i32; 4] = [7, 9, 10, 13];
/// How often [`SqlitePool::close`] looks whether connections that are in use have come back.
const CLOSING_INTERVAL: Duration = Duration::from_millis(5);

/// At most so many connections to one file, each opened when it is first needed; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct SqlitePool(managed::Pool<SqliteOpener>);

#[derive(Debug)]
pub(crate) struct SqliteOpener {
    options: SqliteConnectOptions,
    is_closed: AtomicBool,
}

/// A connection, until it is dropped; then others may have it.
#[derive(Debug)]
pub(crate) struct PooledConnection(Object<SqliteOpener>);

/// A connection of the pool, and whether nobody may have it again: its thread has ended, or its transaction is in doubt.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connection: SqliteConnection,
    is_broken: bool,
}

impl managed::Manager for SqliteOpener {
    type Type = OpenConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<OpenConnection, sqlx::Error> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(sqlx::Error::PoolClosed);
        }
        let connection = SqliteConnection::connect_with(&self.options).await?;
        Ok(OpenConnection { connection, is_broken: false })
    }

    async fn recycle(&self, open: &mut OpenConnection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        if open.is_broken { Err(RecycleError::Backend(sqlx::Error::WorkerCrashed)) } else { Ok(()) }
    }
}

impl SqlitePool {
    /// A pool of at most `size` connections. Whoever waits longer than `wait` for one gets an error.
    pub(crate) fn new(options: SqliteConnectOptions, size: u32, wait: Duration) -> Self {
        let connections = managed::Pool::builder(SqliteOpener { options, is_closed: AtomicBool::default() })
            .max_size(size as usize)
            .wait_timeout(Some(wait))
            // So that those that few need become idle.
            .queue_mode(QueueMode::Lifo)
            .runtime(deadpool::Runtime::Tokio1)
            .build()
            .expect("there is a runtime for the timeout");
        Self(connections)
    }

    pub(crate) fn file(&self) -> &Path {
        self.0.manager().options.get_filename()
    }

    pub(crate) async fn acquire(&self) -> Result<PooledConnection, sqlx::Error> {
        self.0.get().await.map(PooledConnection).map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(TimeoutType::Wait | TimeoutType::Create | TimeoutType::Recycle) => {
                sqlx::Error::PoolTimedOut
            }
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
                sqlx::Error::PoolClosed
            }
        })
    }

    /// Begins a transaction with the given statement.
    pub(crate) async fn begin_with(&self, statement: &'static str) -> Result<SqliteTx, sqlx::Error> {
        loop {
            match self.try_begin_with(statement).await {
                // By the driver's count a transaction is open that SQLite has ended. Nobody gets that connection again, so this
                // happens at most once for each.
                Err(sqlx::Error::InvalidSavePointStatement) => {}
                begun => return begun,
            }
        }
    }

    async fn try_begin_with(&self, statement: &'static str) -> Result<SqliteTx, sqlx::Error> {
        let mut connection = self.acquire().await?;
        let begun = SqliteTransactionManager::begin(&mut connection, Some(statement.into_sql_str())).await;
        begun.inspect_err(|error| connection.note(error))?;
        Ok(SqliteTx { connection, is_open: true })
    }

    /// How many connections are in use, and how many there may be.
    pub(crate) fn usage(&self) -> (u32, u32) {
        let status = self.0.status();
        let count = |connections: usize| u32::try_from(connections).unwrap_or(u32::MAX);
        (count(status.size.saturating_sub(status.available)), count(status.max_size))
    }

    /// Closes connections that nobody has used for so long.
    pub(crate) fn close_idle(&self, idle: Duration) {
        self.0.retain(|_, metrics| metrics.last_used() < idle);
    }

    /// Closes all connections, once they are back. No further ones are opened.
    pub(crate) async fn close(&self) {
        self.0.manager().is_closed.store(true, Ordering::Release);
        while self.0.status().size > 0 {
            match self.0.get().await {
                Ok(connection) => drop(Object::take(connection).connection.close().await),
                Err(_) => tokio::time::sleep(CLOSING_INTERVAL).await,
            }
        }
        self.0.close();
    }
}

impl PooledConnection {
    /// Learns that a statement failed; a connection whose thread has ended, or whose transaction is in doubt, is not used again.
    pub(crate) fn note(&mut self, error: &sqlx::Error) {
        self.0.is_broken |= match error {
            sqlx::Error::WorkerCrashed | sqlx::Error::InvalidSavePointStatement => true,
            sqlx::Error::Database(error) => {
                primary_code(&**error).is_some_and(|code| ERRORS_THAT_MAY_ROLL_BACK.contains(&code))
            }
            _ => false,
        };
    }
}

/// The result code of SQLite without what an extended one adds to it.
fn primary_code(error: &dyn sqlx::error::DatabaseError) -> Option<i32> {
    let extended: i32 = error.code()?.parse().ok()?;
    Some(extended & 0xff)
}

impl Deref for PooledConnection {
    type Target = SqliteConnection;
    fn deref(&self) -> &SqliteConnection {
        &self.0.connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.0.connection
    }
}

/// A transaction, rolled back unless it is committed.
#[derive(Debug)]
pub(crate) struct SqliteTx {
    pub(crate) connection: PooledConnection,
    is_open: bool,
}

impl SqliteTx {
    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        let committed = SqliteTransactionManager::commit(&mut self.connection).await;
        // Whether SQLite has rolled back what it could not commit, the driver does not know either.
        self.connection.0.is_broken |= committed.is_err();
        self.is_open = committed.is_err();
        committed
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        if self.is_open {
            // Its thread does this before whatever the next to have the connection asks of it.
            SqliteTransactionManager::start_rollback(&mut self.connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Executor as _;

    struct TestPool {
        pool: SqlitePool,
        _folder: tempfile::TempDir,
    }

    async fn pool(size: u32) -> TestPool {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("test.db"))
            .create_if_missing(true)
            .busy_timeout(Duration::ZERO);
        let pool = SqlitePool::new(options, size, Duration::from_millis(50));
        pool.acquire().await.unwrap().execute("CREATE TABLE things (name TEXT)").await.unwrap();
        TestPool { pool, _folder: folder }
    }

    async fn count(pool: &SqlitePool) -> i64 {
        let mut connection = pool.acquire().await.unwrap();
        sqlx::query_scalar("SELECT count(*) FROM things").fetch_one(&mut *connection).await.unwrap()
    }

    #[tokio::test]
    async fn a_transaction_that_is_dropped_is_rolled_back_before_the_connection_is_used_again() {
        let TestPool { pool, _folder } = pool(1).await;
        for _ in 0..100 {
            let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
            tx.connection.execute("INSERT INTO things VALUES ('lost')").await.unwrap();
            drop(tx);
            let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.expect("no transaction is open");
            tx.connection.execute("INSERT INTO things VALUES ('kept')").await.unwrap();
            tx.commit().await.unwrap();
        }
        assert_eq!(count(&pool).await, 100);
    }

    #[tokio::test]
    async fn a_caller_who_gives_up_at_any_point_leaves_no_transaction_behind() {
        let TestPool { pool, _folder } = pool(1).await;
        for microseconds in 0..300 {
            let working = async {
                let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
                tx.connection.execute("INSERT INTO things VALUES ('once'), ('twice')").await?;
                tx.commit().await
            };
            let _gave_up = tokio::time::timeout(Duration::from_micros(2 * microseconds), working).await;
            assert_eq!(count(&pool).await % 2, 0, "half of it is there");
            let tx = pool.begin_with("BEGIN IMMEDIATE").await.expect("no transaction is open");
            tx.commit().await.unwrap();
        }
    }

    #[tokio::test]
    async fn who_waits_too_long_is_told_and_what_comes_back_is_had_at_once() {
        let TestPool { pool, _folder } = pool(2).await;
        let both = (pool.acquire().await.unwrap(), pool.acquire().await.unwrap());
        assert_eq!(pool.usage(), (2, 2));
        assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolTimedOut)));
        drop(both);
        assert_eq!(pool.usage(), (0, 2));
        pool.acquire().await.unwrap();
    }

    #[tokio::test]
    async fn a_connection_whose_thread_has_ended_is_replaced() {
        let TestPool { pool, _folder } = pool(1).await;
        let mut connection = pool.acquire().await.unwrap();
        connection.execute("CREATE TEMP TABLE of_this_connection (name TEXT)").await.unwrap();
        connection.note(&sqlx::Error::RowNotFound);
        drop(connection);
        let of_this = "SELECT * FROM of_this_connection";
        let mut same = pool.acquire().await.unwrap();
        same.execute(of_this).await.expect("any other error is no reason");
        same.note(&sqlx::Error::WorkerCrashed);
        drop(same);
        pool.acquire().await.unwrap().execute(of_this).await.expect_err("it is another one");
    }

    /// A transaction that fails because the file must not grow any more, as on a full disk.
    async fn tx_without_room(pool: &SqlitePool) -> (SqliteTx, sqlx::Error) {
        let mut tx = pool.begin_with("PRAGMA max_page_count = 1; BEGIN IMMEDIATE").await.unwrap();
        let statement = "INSERT INTO things VALUES (hex(zeroblob(1000000)))";
        let error = tx.connection.execute(statement).await.expect_err("there is no room");
        (tx, error)
    }

    #[tokio::test]
    async fn after_a_full_disk_there_are_transactions_again() {
        let TestPool { pool, _folder } = pool(1).await;
        for is_noted in [true, false] {
            let (mut tx, error) = tx_without_room(&pool).await;
            assert_eq!(primary_code(error.as_database_error().unwrap()), Some(13), "{error}");
            if is_noted {
                tx.connection.note(&error);
            }
            drop(tx);
            let mut tx =
                pool.begin_with("BEGIN IMMEDIATE").await.expect("a connection without a transaction");
            tx.connection.execute("INSERT INTO things VALUES ('kept')").await.unwrap();
            tx.commit().await.unwrap();
        }
        assert_eq!(count(&pool).await, 2);
    }

    #[tokio::test]
    async fn a_commit_that_fails_leaves_nothing_to_whoever_comes_next() {
        let TestPool { pool, _folder } = pool(1).await;
        let (tx, _) = tx_without_room(&pool).await;
        tx.commit().await.expect_err("SQLite has rolled it back");
        pool.begin_with("BEGIN IMMEDIATE").await.unwrap().commit().await.unwrap();

        let tables = "CREATE TABLE parents (id INTEGER PRIMARY KEY);
            CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)";
        pool.acquire().await.unwrap().execute(tables).await.unwrap();
        let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
        tx.connection.execute("INSERT INTO children VALUES (1)").await.unwrap();
        tx.commit().await.expect_err("there is no such parent; the transaction stays open");
        pool.begin_with("BEGIN IMMEDIATE").await.unwrap().commit().await.unwrap();
    }

    #[tokio::test]
    async fn idle_connections_are_closed_and_opened_again() {
        let TestPool { pool, _folder } = pool(2).await;
        let used = pool.acquire().await.unwrap();
        drop(pool.acquire().await.unwrap());
        pool.close_idle(Duration::from_mins(10));
        assert_eq!(pool.0.status().size, 2);
        pool.close_idle(Duration::ZERO);
        assert_eq!(pool.0.status().size, 1, "the one in use stays");
        drop(used);
        assert_eq!(count(&pool).await, 0);
    }

    #[tokio::test]
    async fn closing_waits_for_transactions_and_opens_nothing_anew() {
        let TestPool { pool, _folder } = pool(2).await;
        let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let closing = tokio::spawn({
            let pool = pool.clone();
            async move { pool.close().await }
        });
        tokio::time::sleep(CLOSING_INTERVAL * 4).await;
        assert!(!closing.is_finished());
        assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolClosed)));
        tx.connection.execute("INSERT INTO things VALUES ('late')").await.unwrap();
        tx.commit().await.unwrap();
        closing.await.unwrap();
        assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolClosed)));
    }
}
