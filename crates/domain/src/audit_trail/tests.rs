use super::*;
use base::{AccountId, Id as _, SignedDuration, TestEnvironment};
use db::{Db, testing::TestDb};
use jobs::JobOutcome;

struct Fixture {
    test: TestDb,
    env: Arc<TestEnvironment>,
    trail: AuditTrail,
    db: Db,
}

async fn fixture() -> Fixture {
    let test = TestDb::open().await;
    let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let trail = AuditTrail::new(&Keyring::parse(&"01".repeat(32)).unwrap(), env.clone());
    let db = test.db.clone().with_recorder(Arc::new(trail.clone())).acting_as("operator:ada");
    let mut tx = test.db.write().await.unwrap();
    sign_beginning(&mut tx, &Keyring::parse(&"01".repeat(32)).unwrap()).await.unwrap();
    tx.commit().await.unwrap();
    Fixture { test, env, trail, db }
}

impl Fixture {
    /// Commits one record for each of `numbers`, a minute apart.
    async fn write(&self, numbers: std::ops::Range<i64>) {
        for number in numbers {
            let mut tx = self.db.write().await.unwrap();
            tx.audit(AuditEvent::new("thing.make").target(number));
            tx.commit().await.unwrap();
            self.env.advance(SignedDuration::from_mins(1));
        }
    }

    async fn verify(&self, kept: Option<&ChainEnd>) -> Result<u64, String> {
        let mut view = self.test.db.read_snapshot().await.unwrap();
        self.trail.verify(&mut view, kept).await.map_err(|error| error.to_string())
    }

    async fn end(&self) -> ChainEnd {
        self.trail.chain_end(&mut self.test.db.read().await.unwrap()).await.unwrap()
    }

    async fn records(&self, filter: &AuditFilter) -> Vec<String> {
        let mut found = Vec::new();
        let mut view = self.test.db.read().await.unwrap();
        self.trail.export(&mut view, filter, |record| found.push(record.record.clone())).await.unwrap();
        found
    }

    /// Begins a new trail; returns what was there before, and its records as they were kept.
    async fn begin_anew(&self) -> (FormerTrail, String) {
        let mut kept = String::new();
        let mut tx = self.db.write().await.unwrap();
        let keep = |line: &str| {
            kept.push_str(line);
            Ok(())
        };
        let former = self.trail.begin_anew(&mut tx, keep).await.unwrap();
        tx.commit().await.unwrap();
        (former, kept)
    }

    /// What somebody does who can write to the database, but does not have the master key.
    async fn tamper(&self, query: db::Query) {
        let mut tx = self.test.db.write().await.unwrap();
        assert!(tx.execute(query).await.unwrap() > 0);
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_record_is_committed_with_what_it_records_and_only_then() {
    let fixture = fixture().await;
    let account = AccountId::new(&*fixture.env);
    let mut tx = fixture.db.write().await.unwrap();
    tx.audit(AuditEvent::new("thing.make").account(account).target("a").detail("size", 3));
    tx.set_actor("member:1");
    tx.commit().await.unwrap();
    let mut refused = fixture.db.write().await.unwrap();
    refused.audit(AuditEvent::new("thing.break"));
    drop(refused);
    assert_eq!(
        fixture.records(&AuditFilter::default()).await,
        [format!(
            r#"{{"seq":1,"at":"2026-01-16T14:40:00Z","kind":"thing.make","actor":"member:1","account":"{account}","target":"a","details":{{"size":3}}}}"#
        )]
    );
    assert_eq!(fixture.verify(None).await, Ok(1));
}

#[tokio::test]
async fn an_empty_trail_is_whole() {
    let fixture = fixture().await;
    assert_eq!(fixture.verify(None).await, Ok(0));
    assert_eq!(fixture.end().await.seq, 0);
}

#[tokio::test]
async fn whatever_is_changed_is_noticed() {
    let changed = "record 2 was changed, or another was put in its place";
    let unsigned = "the ends of the chain are not signed with this server's master key";
    let cases = [
        (sql!("UPDATE audit_records SET record = replace(record, 'ada', 'eve') WHERE seq = 2"), changed),
        (sql!("UPDATE audit_records SET hash = 'aa' WHERE seq = 2"), changed),
        (
            sql!(
                "UPDATE audit_records SET made_at = (SELECT made_at FROM audit_records WHERE seq = 1) WHERE seq = 2"
            ),
            "record 2 is found by another time than the one that it has",
        ),
        (sql!("UPDATE audit_records SET seq = -1 WHERE seq = 2"), "record 1 is missing; after it comes -1"),
        (sql!("DELETE FROM audit_records WHERE seq = 2"), "record 2 is missing; after it comes 3"),
        (sql!("DELETE FROM audit_records WHERE seq = 1"), "record 1 is missing; after it comes 2"),
        (sql!("DELETE FROM audit_records WHERE seq >= 3"), "record 3 is missing"),
        (sql!("DELETE FROM audit_records"), "record 1 is missing"),
        (sql!("UPDATE audit_chain SET last_seq = 3"), unsigned),
        (sql!("UPDATE audit_chain SET purged_seq = 1"), unsigned),
        (sql!("UPDATE audit_chain SET signature = ''"), unsigned),
        (sql!("UPDATE audit_chain SET last_seq = 0, signature = ''"), unsigned),
        (sql!("DELETE FROM audit_chain"), "the ends of the chain are gone; nothing can be verified"),
        (
            sql!(
                "INSERT INTO audit_records (seq, made_at, record, hash) SELECT 5, made_at, record, hash FROM audit_records WHERE seq = 4"
            ),
            "record 5 comes after the signed end of the chain",
        ),
    ];
    for (tampering, said) in cases {
        let fixture = fixture().await;
        fixture.write(1..5).await;
        assert_eq!(fixture.verify(None).await, Ok(4));
        fixture.tamper(tampering).await;
        assert_eq!(fixture.verify(None).await, Err(said.to_owned()));
    }
}

/// The first state of the schema is not signed, and that of a trail that has not begun is.
#[tokio::test]
async fn a_trail_that_is_put_back_into_its_first_state_is_noticed() {
    let fixture = fixture().await;
    fixture.write(1..5).await;
    fixture.tamper(sql!("DELETE FROM audit_records")).await;
    let ChainRow { last_seq, last_hash, purged_seq, purged_hash, signature } = ChainRow::before_first();
    fixture
        .tamper(sql!(
            "UPDATE audit_chain SET last_seq = $1, last_hash = $2, purged_seq = $3, purged_hash = $4, signature = $5",
            last_seq,
            last_hash,
            purged_seq,
            purged_hash,
            signature,
        ))
        .await;
    assert!(
        fixture
            .verify(None)
            .await
            .unwrap_err()
            .contains("the trail is empty and its beginning is not signed")
    );
    fixture.write(5..7).await;
    assert!(fixture.verify(None).await.unwrap_err().contains("not signed"), "nor is it signed afterwards");
}

#[tokio::test]
async fn a_new_trail_says_what_it_took_the_place_of() {
    let fixture = fixture().await;
    fixture.write(1..4).await;
    let mut tx = fixture.db.write().await.unwrap();
    let refused = fixture.trail.begin_anew(&mut tx, |_| Ok(())).await;
    assert!(matches!(refused, Err(BeginTrailError::Whole)), "{refused:?}");
    drop(tx);
    let kept_end = fixture.end().await;
    fixture.tamper(sql!("DELETE FROM audit_records WHERE seq = 2")).await;
    // One that no list by time would show.
    let long_ago: Timestamp = "1969-07-20T20:17:40Z".parse().unwrap();
    fixture.tamper(sql!("UPDATE audit_records SET made_at = $1 WHERE seq = 3", long_ago)).await;

    let failing = |_: &str| Err(std::io::Error::from(std::io::ErrorKind::StorageFull));
    let mut tx = fixture.db.write().await.unwrap();
    let failed = fixture.trail.begin_anew(&mut tx, failing).await;
    assert!(matches!(failed, Err(BeginTrailError::Keep(_))), "{failed:?}");
    drop(tx);
    assert!(fixture.verify(None).await.unwrap_err().contains("record 2 is missing"), "nothing was removed");

    let (former, kept) = fixture.begin_anew().await;
    assert_eq!((former.records, kept.lines().count()), (2, 2), "{kept}");
    assert_eq!(former.end, kept_end);
    assert_eq!(former.sha256, crate::audit::sha256_hex(kept.as_bytes()));
    assert_eq!(former.problem, "record 2 is missing; after it comes 3");
    assert_eq!(fixture.verify(None).await, Ok(1));
    let records = fixture.records(&AuditFilter::default()).await;
    assert!(records[0].contains(r#""seq":1,"#) && records[0].contains("audit-trail.begin"), "{records:?}");
    assert!(records[0].contains(&former.sha256) && records[0].contains(&kept_end.hash), "{records:?}");
    assert!(fixture.verify(Some(&kept_end)).await.unwrap_err().contains("records were cut off"));
    fixture.write(1..4).await;
    assert_eq!(fixture.verify(None).await, Ok(4));
    assert!(fixture.verify(Some(&kept_end)).await.unwrap_err().contains("record 3 is not the one"));
}

#[tokio::test]
async fn a_new_trail_begins_where_the_ends_were_deleted() {
    let fixture = fixture().await;
    fixture.write(1..4).await;
    fixture.tamper(sql!("DELETE FROM audit_chain")).await;
    let (former, _) = fixture.begin_anew().await;
    assert_eq!((former.records, former.end.seq), (3, 0));
    assert_eq!(former.problem, "the ends of the chain are gone; nothing can be verified");
    fixture.write(4..6).await;
    assert_eq!(fixture.verify(None).await, Ok(3));
}

/// How old a record is says the record, whose hash is chained.
#[tokio::test]
async fn what_is_made_to_look_old_is_not_purged() {
    let fixture = fixture().await;
    fixture.write(0..4).await;
    let before = fixture.env.now() - SignedDuration::from_hours(24);
    let long_ago = before - SignedDuration::from_hours(24);
    fixture.tamper(sql!("UPDATE audit_records SET made_at = $1 WHERE seq <= 2", long_ago)).await;
    assert_eq!(fixture.trail.purge(&fixture.db, before).await.unwrap(), 0);
    assert_eq!(
        fixture.verify(None).await.unwrap_err(),
        "record 1 is found by another time than the one that it has"
    );

    // Nor is a record that was given another text, although its time is over.
    let fixture = self::fixture().await;
    fixture.write(0..4).await;
    fixture
        .tamper(sql!("UPDATE audit_records SET record = replace(record, 'ada', 'eve') WHERE seq = 2"))
        .await;
    assert_eq!(fixture.trail.purge(&fixture.db, fixture.env.now()).await.unwrap(), 0);
    let mut view = fixture.test.db.read().await.unwrap();
    assert_eq!(view.count(sql!("SELECT count(*) FROM audit_records")).await.unwrap(), 4, "all are there");
}

/// What is left before the signed beginning is not removed with what is purged: verification tells of it.
#[tokio::test]
async fn a_purge_leaves_what_was_put_before_the_beginning() {
    let fixture = fixture().await;
    fixture.write(0..6).await;
    let later = fixture.env.now() + SignedDuration::from_hours(1);
    assert_eq!(
        fixture.trail.purge(&fixture.db, fixture.env.now() - SignedDuration::from_mins(3)).await.unwrap(),
        3
    );
    fixture
        .tamper(sql!(
            "INSERT INTO audit_records (seq, made_at, record, hash)
             SELECT 2, made_at, record, hash FROM audit_records WHERE seq = 4"
        ))
        .await;
    assert_eq!(
        fixture.trail.purge(&fixture.db, later).await.unwrap(),
        4,
        "the other three, and that of the purge"
    );
    assert_eq!(fixture.verify(None).await.unwrap_err(), "record 8 is missing; after it comes 2");
}

#[tokio::test]
async fn records_that_change_places_are_noticed() {
    let fixture = fixture().await;
    fixture.write(1..4).await;
    fixture.tamper(sql!("UPDATE audit_records SET seq = 12 WHERE seq = 2")).await;
    fixture.tamper(sql!("UPDATE audit_records SET seq = 2 WHERE seq = 3")).await;
    fixture.tamper(sql!("UPDATE audit_records SET seq = 3 WHERE seq = 12")).await;
    assert!(fixture.verify(None).await.unwrap_err().contains("record 2 was changed"));
}

/// A chain that is hashed anew from a changed record on does not have the signed end, and is not given one by what this
/// server records or deletes afterwards.
#[tokio::test]
async fn hashing_anew_does_not_help() {
    let fixture = fixture().await;
    fixture.write(1..3).await;
    let mut records = Vec::new();
    let mut view = fixture.test.db.read().await.unwrap();
    let all = AuditFilter::default();
    fixture.trail.export(&mut view, &all, |record| records.push(record.clone())).await.unwrap();
    drop(view);
    let forged = records[1].record.replace("ada", "eve");
    let hash = chained_hash(&records[0].hash, &forged);
    fixture
        .tamper(sql!("UPDATE audit_records SET record = $1, hash = $2 WHERE seq = 2", forged, hash.clone()))
        .await;
    assert!(fixture.verify(None).await.unwrap_err().contains("record 2 was changed"));
    fixture.tamper(sql!("UPDATE audit_chain SET last_hash = $1", hash)).await;
    assert!(fixture.verify(None).await.unwrap_err().contains("not signed"));
    fixture.write(3..5).await;
    assert!(fixture.verify(None).await.unwrap_err().contains("not signed"));
    assert_eq!(fixture.trail.purge(&fixture.db, fixture.env.now()).await.unwrap(), 0);
    assert_eq!(fixture.records(&all).await.len(), 4, "all are there");
    assert!(fixture.verify(None).await.unwrap_err().contains("not signed"));
}

/// Both tables as they were is a chain of its own; an end that was kept elsewhere tells.
#[tokio::test]
async fn an_older_database_is_told_by_an_end_that_was_kept() {
    let fixture = fixture().await;
    fixture.write(1..3).await;
    let early = fixture.end().await;
    let mut view = fixture.test.db.read().await.unwrap();
    let before: ChainRow = view
        .fetch_optional(sql!(
            "SELECT last_seq, last_hash, purged_seq, purged_hash, signature FROM audit_chain"
        ))
        .await
        .unwrap()
        .unwrap();
    drop(view);
    fixture.write(3..5).await;
    let late = fixture.end().await;
    assert_eq!((fixture.verify(Some(&early)).await, fixture.verify(Some(&late)).await), (Ok(4), Ok(4)));

    fixture.tamper(sql!("DELETE FROM audit_records WHERE seq > 2")).await;
    let ChainRow { last_seq, last_hash, signature, .. } = before;
    fixture
        .tamper(sql!(
            "UPDATE audit_chain SET last_seq = $1, last_hash = $2, signature = $3",
            last_seq,
            last_hash,
            signature
        ))
        .await;
    assert_eq!(fixture.verify(None).await, Ok(2), "by itself it looks whole");
    assert!(fixture.verify(Some(&late)).await.unwrap_err().contains("records were cut off"));
    fixture.write(13..15).await;
    assert!(fixture.verify(Some(&late)).await.unwrap_err().contains("record 4 is not the one"));
    assert_eq!(fixture.verify(Some(&early)).await, Ok(4));
}

#[tokio::test]
async fn what_is_left_after_a_purge_still_verifies() {
    let fixture = fixture().await;
    fixture.write(0..10).await;
    let kept = fixture.end().await;
    let retention = SignedDuration::from_mins(4);
    let outcome =
        PurgeAuditTrail {}.run(&fixture.db, &fixture.trail, &*fixture.env, retention).await.unwrap();
    assert_eq!(outcome, JobOutcome::Again("2026-01-16T20:50:00Z".parse().unwrap()));
    let left = fixture.records(&AuditFilter::default()).await;
    assert_eq!(left.len(), 5, "four, and that of the purge: {left:?}");
    assert!(
        left[4].contains(r#""kind":"audit-trail.purge""#) && left[4].contains(r#""records":6"#),
        "{left:?}"
    );
    assert_eq!(fixture.verify(Some(&kept)).await, Ok(5));
    fixture.write(20..22).await;
    assert_eq!(fixture.verify(None).await, Ok(7));
    fixture.tamper(sql!("DELETE FROM audit_records WHERE seq = 7")).await;
    assert_eq!(fixture.verify(None).await, Err("record 7 is missing; after it comes 8".to_owned()));
}

#[tokio::test]
async fn what_is_recorded_during_a_verification_is_not_taken_for_a_forgery() {
    let fixture = fixture().await;
    fixture.write(1..4).await;
    let mut view = fixture.test.db.read_snapshot().await.unwrap();
    let end = fixture.trail.chain_end(&mut view).await.unwrap();
    fixture.write(4..6).await;
    assert_eq!(fixture.trail.verify(&mut view, Some(&end)).await.unwrap(), 3, "those of its state");
    assert_eq!(fixture.verify(Some(&end)).await, Ok(5));
}

#[tokio::test]
async fn another_master_key_does_not_vouch_for_it() {
    let fixture = fixture().await;
    fixture.write(1..2).await;
    let other = AuditTrail::new(&Keyring::parse(&"02".repeat(32)).unwrap(), fixture.env.clone());
    let mut view = fixture.test.db.read().await.unwrap();
    assert!(other.verify(&mut view, None).await.unwrap_err().to_string().contains("not signed"));
}

#[tokio::test]
async fn writers_queue() {
    let fixture = fixture().await;
    let writers = (0..8).map(|writer| {
        let db = fixture.db.clone().acting_as(format!("operator:{writer}"));
        tokio::spawn(async move {
            for number in 0..10 {
                let mut tx = db.write().await.unwrap();
                tx.audit(AuditEvent::new("thing.make").target(number));
                tx.audit(AuditEvent::new("thing.use").target(number));
                tx.commit().await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(fixture.verify(None).await, Ok(160));
}

#[tokio::test]
async fn records_are_chosen_by_time_actor_and_kind() {
    let fixture = fixture().await;
    fixture.write(1..4).await;
    let mut tx = fixture.db.clone().acting_as("operator:adam").write().await.unwrap();
    tx.audit(AuditEvent::new("things.make"));
    tx.commit().await.unwrap();
    let count = async |filter: AuditFilter| fixture.records(&filter).await.len();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(count(AuditFilter { actor: text("operator:ada"), ..AuditFilter::default() }).await, 3);
    assert_eq!(count(AuditFilter { actor: text("operator"), ..AuditFilter::default() }).await, 4);
    assert_eq!(count(AuditFilter { kind: text("thing"), ..AuditFilter::default() }).await, 3);
    assert_eq!(count(AuditFilter { kind: text("thing.use"), ..AuditFilter::default() }).await, 0);
    let from = "2026-01-16T14:41:00Z".parse().ok();
    let to = "2026-01-16T14:42:00Z".parse().ok();
    assert_eq!(count(AuditFilter { from, to, ..AuditFilter::default() }).await, 1);
    assert_eq!(count(AuditFilter { target: text("nothing"), ..AuditFilter::default() }).await, 0);
    let account = Some(AccountId::new(&*fixture.env));
    assert_eq!(count(AuditFilter { account, ..AuditFilter::default() }).await, 0);
}

#[tokio::test]
async fn a_list_goes_back_page_by_page() {
    let fixture = fixture().await;
    fixture.write(1..6).await;
    let mut view = fixture.test.db.read().await.unwrap();
    let (filter, mut before, mut found) = (AuditFilter::default(), None, Vec::new());
    loop {
        let page = fixture.trail.list(&mut view, &filter, before, 2).await.unwrap();
        assert!(page.records.len() <= 2);
        found.extend(page.records.iter().map(|record| record.seq));
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(found, [5, 4, 3, 2, 1]);
    drop(view);

    // What is no record any more is shown to whoever may see all, and to nobody who may see a part.
    fixture.tamper(sql!("UPDATE audit_records SET record = 'x' WHERE seq = 3")).await;
    let mut view = fixture.test.db.read().await.unwrap();
    let all = fixture.trail.list(&mut view, &filter, None, 9).await.unwrap().records;
    assert_eq!(all.iter().filter(|record| record.entry().is_none()).count(), 1);
    let part = AuditFilter { account: Some(AccountId::new(&*fixture.env)), ..AuditFilter::default() };
    assert_eq!(fixture.trail.list(&mut view, &part, None, 9).await.unwrap().records.len(), 0);
}
