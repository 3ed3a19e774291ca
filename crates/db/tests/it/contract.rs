//! What the seam promises, on whichever engine the run is for.

use base::{Timestamp, Uuid};
use db::{DbError, Durability, FromRow, sql, testing::TestDb};
use std::time::Duration;

#[derive(Debug, FromRow, PartialEq)]
struct Organisation {
    id: Uuid,
    name: String,
    status: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

fn insert(n: u128, name: &str, at: &str) -> db::Query {
    sql!(
        "INSERT INTO organisations (id, name, status, created_at) VALUES ($1, $2, $3, $4)",
        Uuid::from_u128(n),
        name,
        "ACTIVE",
        at.parse::<Timestamp>().unwrap(),
    )
}

#[tokio::test]
async fn rows_come_back_as_they_went_in_and_moments_sort() {
    let test = TestDb::open().await;
    let mut tx = test.db.write().await.unwrap();
    for (n, name, at) in [
        (1, "first", "2026-01-02T03:04:05.123456Z"),
        (2, "third", "2026-01-02T03:04:05.5Z"),
        (3, "zeroth", "2026-01-02T03:04:05Z"),
    ] {
        tx.execute(insert(n, name, at)).await.unwrap();
    }
    tx.commit().await.unwrap();

    let mut view = test.db.read().await.unwrap();
    let rows: Vec<Organisation> = view
        .fetch_all(sql!("SELECT id, name, status, created_at FROM organisations ORDER BY created_at"))
        .await
        .unwrap();
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["zeroth", "first", "third"]);
    assert_eq!(
        rows[1],
        Organisation {
            id: Uuid::from_u128(1),
            name: "first".into(),
            status: "ACTIVE".into(),
            created_at: "2026-01-02T03:04:05.123456Z".parse().unwrap(),
        }
    );
}

#[tokio::test]
async fn nothing_counts_before_the_commit_and_readers_do_not_wait() {
    let test = TestDb::open().await;
    let mut tx = test.db.write().await.unwrap();
    tx.execute(insert(1, "unseen", "2026-01-02T03:04:05Z")).await.unwrap();
    let mut view = test.db.read().await.unwrap();
    assert_eq!(view.count(sql!("SELECT count(*) FROM organisations")).await.unwrap(), 0);
    drop(tx);
    assert_eq!(
        test.db.read().await.unwrap().count(sql!("SELECT count(*) FROM organisations")).await.unwrap(),
        0,
        "dropped, so undone"
    );
}

#[tokio::test]
async fn a_snapshot_stays_as_it_was() {
    let test = TestDb::open().await;
    let count = || sql!("SELECT count(*) FROM organisations");
    let mut snapshot = test.db.read_snapshot().await.unwrap();
    assert_eq!(snapshot.count(count()).await.unwrap(), 0);
    let mut tx = test.db.write().await.unwrap();
    tx.execute(insert(1, "later", "2026-01-02T03:04:05Z")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(snapshot.count(count()).await.unwrap(), 0);
    assert_eq!(test.db.read_snapshot().await.unwrap().count(count()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let test = TestDb::open().await;
    for mut view in [test.db.read().await.unwrap(), test.db.read_snapshot().await.unwrap()] {
        let answer: Result<Vec<Organisation>, _> =
            view.fetch_all(sql!("DELETE FROM organisations RETURNING id, name, status, created_at")).await;
        assert!(answer.is_err(), "{answer:?}");
    }
}

/// Whoever waits for an answer may go away at any moment, also while a transaction begins.
#[tokio::test]
async fn a_beginning_that_is_given_up_leaves_nothing_behind() {
    let test = TestDb::open().await;
    let mut given_up = 0;
    for n in 0..400 {
        let patience = Duration::from_micros(n % 40 * 25);
        let begun = tokio::time::timeout(patience, test.db.read()).await;
        given_up += usize::from(begun.is_err());
        let begun = tokio::time::timeout(patience, test.db.write()).await;
        given_up += usize::from(begun.is_err());
        drop(begun);
        let mut tx = test.db.write().await.unwrap();
        tx.execute(insert(n.into(), "written", "2026-01-02T03:04:05Z")).await.unwrap();
        tx.commit().await.unwrap();
    }
    assert!(given_up > 0, "some were given up");
    let mut view = test.db.read().await.unwrap();
    assert_eq!(view.count(sql!("SELECT count(*) FROM organisations")).await.unwrap(), 400);
}

#[tokio::test]
async fn several_statements_run_in_order_up_to_the_first_that_fails() {
    let test = TestDb::open().await;
    let mut tx = test.db.write().await.unwrap();
    let rename =
        sql!("UPDATE organisations SET name = $2 WHERE name = $1 AND status <> '$1'", "first", "renamed");
    let at = "2026-01-02T03:04:05Z";
    let changed = tx.execute_all(vec![insert(1, "first", at), insert(2, "first", at), rename]).await.unwrap();
    assert_eq!(changed, [1, 1, 2]);
    assert_eq!(tx.count(sql!("SELECT count(*) FROM organisations WHERE name = 'renamed'")).await.unwrap(), 2);
    assert_eq!(tx.execute_all(Vec::new()).await.unwrap(), Vec::<u64>::new());
    tx.commit().await.unwrap();

    let mut tx = test.db.write().await.unwrap();
    let again =
        tx.execute_all(vec![insert(3, "third", at), insert(1, "again", at), insert(4, "fourth", at)]).await;
    assert!(matches!(again, Err(DbError::Duplicate(_))), "{again:?}");
    drop(tx);
    let mut view = test.db.read().await.unwrap();
    assert_eq!(
        view.count(sql!("SELECT count(*) FROM organisations")).await.unwrap(),
        2,
        "dropped, so undone"
    );
}

#[tokio::test]
async fn a_statement_alone_is_committed_as_a_whole_or_leaves_nothing() {
    #[derive(FromRow)]
    struct NameRow {
        name: String,
    }
    let test = TestDb::open().await;
    let insert = |ids: [u128; 2], name: &str| {
        sql!(
            "INSERT INTO organisations (id, name, status, created_at)
             VALUES ($1, $3, 'ACTIVE', $4), ($2, $3, 'ACTIVE', $4) RETURNING name",
            Uuid::from_u128(ids[0]),
            Uuid::from_u128(ids[1]),
            name,
            "2026-01-02T03:04:05Z".parse::<Timestamp>().unwrap(),
        )
    };
    let mut stored = 0;
    for durability in [Durability::Process, Durability::Disk] {
        let ids = [stored + 1, stored + 2];
        let rows: Vec<NameRow> = test.db.write_once(durability, insert(ids, "alone")).await.unwrap();
        assert_eq!(rows.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["alone"; 2]);
        stored += 2;
        let again: Result<Vec<NameRow>, _> =
            test.db.write_once(durability, insert([stored + 1, stored], "again")).await;
        assert!(matches!(again, Err(DbError::Duplicate(_))));
        let mut view = test.db.read_once().await.unwrap();
        let count = view.count(sql!("SELECT count(*) FROM organisations")).await.unwrap();
        assert_eq!(count, stored as i64, "the first row of the second statement is not there either");
    }
    let mut tx = test.db.write().await.expect("no transaction is left behind");
    tx.execute(sql!("UPDATE organisations SET name = 'later'")).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_second_row_of_the_same_key_is_named_a_duplicate() {
    let test = TestDb::open().await;
    let mut tx = test.db.write_with_durability(Durability::Process).await.unwrap();
    tx.execute(insert(1, "first", "2026-01-02T03:04:05Z")).await.unwrap();
    let second = tx.execute(insert(1, "second", "2026-01-02T03:04:05Z")).await;
    assert!(matches!(second, Err(DbError::Duplicate(_))), "{second:?}");
}

#[tokio::test]
async fn migrating_twice_changes_nothing() {
    let test = TestDb::open().await;
    test.db.migrate().await.unwrap();
    assert!(test.db.schema_status().await.unwrap().is_usable());
    test.db.ping().await.unwrap();
    test.db.flush().await.unwrap();
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_named_unreachable() {
    let db = db::Db::open("postgres://127.0.0.1:1/none", 2).unwrap();
    let answer = db.ping().await;
    assert!(matches!(answer, Err(DbError::Unreachable(_))), "{answer:?}");
}
