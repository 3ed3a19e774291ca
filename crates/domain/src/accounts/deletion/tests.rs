use super::*;
use crate::{
    accounts::{create, lock_shared},
    keyring::Keyring,
    tenancy::{
        Feature,
        applications::{self, NewApplication},
    },
};
use base::{SystemEnvironment, TestEnvironment};
use db::testing::TestDb;
use jobs::{LeaseError, Worker, enqueue_for_account};
use media::blobs::{BlobBackend, BlobKey, BlobKeySegment};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, watch};

struct Fixture {
    test: TestDb,
    world: Arc<dyn Environment>,
    blobs: BlobStore,
    receipts: ReceiptSigner,
    account: AccountId,
}

impl Fixture {
    async fn open(world: Arc<dyn Environment>) -> Self {
        let test = TestDb::open().await;
        let keyring = Keyring::parse(&"01".repeat(32)).unwrap();
        let blobs = BlobStore::open(&BlobBackend::Memory, keyring.derive("blobs"), world.clone()).unwrap();
        let mut tx = test.db.write().await.unwrap();
        let new = NewApplication {
            name: "Test",
            organisation: None,
            billing_source: None,
            features: &Feature::ALL,
        };
        let app = applications::create(&mut tx, &*world, &new).await.unwrap();
        let account = create(&mut tx, &*world, app, "Production", 100).await.unwrap();
        tx.commit().await.unwrap();
        Self { test, world, blobs, receipts: ReceiptSigner::new(&keyring), account }
    }

    async fn still() -> Self {
        Self::open(Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"))).await
    }

    fn closing(&self, outside: Vec<Arc<dyn ExternalAccountData>>) -> AccountDeletionService {
        AccountDeletionService::new(self.test.db.clone(), self.world.clone(), self.receipts.clone(), outside)
    }

    fn blobs(&self) -> Arc<dyn ExternalAccountData> {
        Arc::new(self.blobs.clone())
    }

    async fn put_blob(&self, name: &'static str) {
        let key = BlobKey::new(
            self.account,
            BlobKeySegment::literal("photo"),
            name.parse::<BlobKeySegment>().unwrap(),
        );
        self.blobs.put(&key, b"bytes").await.unwrap();
    }

    async fn receipt(&self) -> Option<DeletionReceipt> {
        let mut view = self.test.db.read().await.unwrap();
        self.receipts.find(&mut view, None, self.account).await.unwrap().map(|signed| signed.receipt)
    }
}

/// Whoever adds a table that has something of accounts in it adds it to `forget` and `orphans`.
#[tokio::test]
async fn every_table_that_knows_accounts_is_emptied_and_audited() {
    #[derive(FromRow)]
    struct Table {
        place: String,
    }
    let yard = Fixture::still().await;
    let mut tx = yard.test.db.write().await.unwrap();
    let tables: Vec<Table> = tx
        .fetch_all(sql!(
            sqlite: "SELECT DISTINCT m.name AS place FROM sqlite_master m JOIN pragma_table_info(m.name) c ON 1 = 1
                      WHERE m.type = 'table' AND c.name IN ('account_id', 'member_id', 'profile_id', 'content_id',
                            'moderation_id', 'notification_id', 'group_id', 'face_id', 'finding_id')
                      ORDER BY m.name",
            postgres: "SELECT DISTINCT CAST(table_name AS TEXT) AS place FROM information_schema.columns
                        WHERE table_schema = current_schema()
                          AND column_name IN ('account_id', 'member_id', 'profile_id', 'content_id',
                            'moderation_id', 'notification_id', 'group_id', 'face_id', 'finding_id')
                        ORDER BY place",
        ))
        .await
        .unwrap();
    let mut known: Vec<_> = tables.into_iter().map(|table| table.place).collect();
    // Receipts are what is meant to be left.
    known.retain(|table| table != "deletion_receipts");
    let mut emptied: Vec<_> = delete_account_rows(&mut tx, yard.account)
        .await
        .unwrap()
        .into_iter()
        .map(|(table, _)| table)
        .collect();
    let mut audited: Vec<_> =
        orphaned_rows(&mut tx).await.unwrap().into_iter().map(|(table, _)| table).collect();
    audited.retain(|table| *table != "accounts");
    emptied.sort_unstable();
    audited.sort_unstable();
    known.sort_unstable();
    assert_eq!(emptied, known, "a table is not emptied when an account is closed");
    assert_eq!(audited, known, "a table is not looked into by `assay audit orphans`");
}

#[tokio::test]
async fn an_account_is_closed_whole_and_the_receipt_counts_it() {
    let yard = Fixture::still().await;
    for name in ["a", "b", "c"] {
        yard.put_blob(name).await;
    }
    let mut tx = yard.test.db.write().await.unwrap();
    enqueue_for_account(&mut tx, &*yard.world, yard.account, &Slow {}, yard.world.now()).await.unwrap();
    tx.commit().await.unwrap();
    let closing = yard.closing(vec![yard.blobs()]);
    closing.delete(None, yard.account, "operator").await.unwrap();
    let receipt = yard.receipt().await.unwrap();
    let what: Vec<_> = receipt.what.iter().map(|(kind, many)| format!("{kind} {many}")).collect();
    assert_eq!(what, ["blobs 3", "jobs 1"]);
    assert_eq!((&*receipt.by, receipt.account_id), ("operator", yard.account));
    assert_eq!(closing.find_orphans().await.unwrap(), []);
    assert!(yard.blobs.tenants().await.unwrap().is_empty());
    let again = closing.delete(None, yard.account, "operator").await;
    assert!(matches!(again, Err(AccountDeletionError::Missing)), "{again:?}");
}

#[tokio::test]
async fn what_a_crash_interrupted_is_finished_and_counted_once() {
    let yard = Fixture::still().await;
    yard.put_blob("a").await;
    yard.put_blob("b").await;
    let broken = Arc::new(Broken { blobs: yard.blobs.clone(), mended: false.into() });
    let closing = yard.closing(vec![broken.clone()]);
    let failed = closing.delete(None, yard.account, "member").await;
    assert!(matches!(failed, Err(AccountDeletionError::External { kind: "blobs", .. })), "{failed:?}");
    assert_eq!(yard.receipt().await, None, "nothing is promised yet");
    let mut tx = yard.test.db.write().await.unwrap();
    assert!(!lock_shared(&mut tx, yard.account).await.unwrap(), "it is closed to everybody");
    drop(tx);
    assert_eq!(
        closing.find_orphans().await.unwrap()[0].place,
        "accounts",
        "the audit sees that it is not over"
    );
    broken.mended.store(true, Ordering::SeqCst);
    closing.run(yard.account).await.unwrap();
    assert_eq!(yard.receipt().await.unwrap().what["blobs"], 2, "counted before the first was deleted");
    assert_eq!(closing.find_orphans().await.unwrap(), []);
}

#[tokio::test]
async fn two_processes_may_close_it_at_once() {
    let yard = Fixture::open(Arc::new(SystemEnvironment)).await;
    yard.put_blob("a").await;
    let mut tx = yard.test.db.write().await.unwrap();
    for _ in 0..20 {
        enqueue_for_account(&mut tx, &*yard.world, yard.account, &Slow {}, yard.world.now()).await.unwrap();
    }
    tx.commit().await.unwrap();
    let closing = yard.closing(vec![yard.blobs()]);
    closing.begin(None, yard.account, "operator").await.unwrap();
    let (one, other) = tokio::join!(closing.run(yard.account), closing.run(yard.account));
    one.unwrap();
    other.unwrap();
    assert_eq!(yard.receipt().await.unwrap().what["jobs"], 20);
}

#[tokio::test]
async fn a_job_that_runs_meanwhile_cannot_write_afterwards() {
    let yard = Fixture::open(Arc::new(SystemEnvironment)).await;
    let mut tx = yard.test.db.write().await.unwrap();
    enqueue_for_account(&mut tx, &*yard.world, yard.account, &Slow {}, yard.world.now()).await.unwrap();
    tx.commit().await.unwrap();
    let (began, goes_on, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let lost = Arc::new(AtomicBool::new(false));
    let db = yard.test.db.clone();
    let signals = (began.clone(), goes_on.clone(), ended.clone(), lost.clone());
    let worker = Worker::new(db.clone(), yard.world.clone()).register(move |_: Slow, lease| {
        let (db, (began, goes_on, ended, lost)) = (db.clone(), signals.clone());
        async move {
            began.notify_one();
            goes_on.notified().await;
            let mut tx = db.write().await?;
            lost.store(matches!(lease.finish(&mut tx).await, Err(LeaseError::Lost)), Ordering::SeqCst);
            ended.notify_one();
            Ok(JobOutcome::Done)
        }
    });
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(worker.run(stopped));
    began.notified().await;
    yard.closing(vec![yard.blobs()]).delete(None, yard.account, "operator").await.unwrap();
    goes_on.notify_one();
    ended.notified().await;
    assert!(lost.load(Ordering::SeqCst), "its effect would have counted");
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn the_audit_names_what_belongs_to_nobody() {
    let yard = Fixture::still().await;
    let nobody = AccountId::new(&*yard.world);
    let mut tx = yard.test.db.write().await.unwrap();
    enqueue_for_account(&mut tx, &*yard.world, nobody, &Slow {}, yard.world.now()).await.unwrap();
    tx.commit().await.unwrap();
    let key = BlobKey::new(nobody, BlobKeySegment::literal("photo"), BlobKeySegment::literal("a"));
    yard.blobs.put(&key, b"bytes").await.unwrap();
    yard.put_blob("mine").await;
    let found = yard.closing(vec![yard.blobs()]).find_orphans().await.unwrap();
    let orphan = |place, number| Orphan { place, owner: nobody.to_string(), number };
    assert_eq!(found, [orphan("jobs", Some(1)), orphan("blobs", None)]);
}

/// A row that an older build queued must still be understood.
#[test]
fn old_payloads_still_parse() {
    let old = r#"{"account":"018f3c8e-0000-4000-8000-00000000000a"}"#;
    assert!(serde_json::from_str::<DeleteAccount>(old).is_ok());
}

#[derive(Debug, Serialize, Deserialize)]
struct Slow {}

impl Job for Slow {
    const KIND: &'static str = "slow";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;
}

/// Blobs whose place fails after the first was deleted, until it is mended.
#[derive(Debug)]
struct Broken {
    blobs: BlobStore,
    mended: AtomicBool,
}

impl ExternalAccountData for Broken {
    fn kind(&self) -> &'static str {
        "blobs"
    }
    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        self.blobs.count(account)
    }
    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(async move {
            if self.mended.load(Ordering::SeqCst) {
                return self.blobs.erase(account).await;
            }
            let one = BlobKey::new(account, BlobKeySegment::literal("photo"), BlobKeySegment::literal("a"));
            self.blobs.delete(&one).await?;
            Err("the place broke".into())
        })
    }
    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        self.blobs.owners()
    }
}
