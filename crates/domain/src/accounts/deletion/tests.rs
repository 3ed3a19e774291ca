use super::*;
use crate::{
    accounts::{create, lock_shared},
    keyring::Keyring,
    tenancy::testing::create_application,
};
use base::{SystemEnvironment, TestEnvironment};
use db::testing::TestDb;
use futures_util::future::BoxFuture;
use jobs::{LeaseError, NewJob, Worker, enqueue};
use media::blobs::{BlobBackend, BlobKey, BlobKeySegment, BlobStore};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, watch};

struct Fixture {
    test: TestDb,
    environment: Arc<dyn Environment>,
    blobs: BlobStore,
    receipts: ReceiptSigner,
    account: AccountId,
}

impl Fixture {
    async fn open(environment: Arc<dyn Environment>) -> Self {
        let test = TestDb::open().await;
        let keyring = Keyring::parse(&"01".repeat(32)).unwrap();
        let blobs =
            BlobStore::open(&BlobBackend::Memory, keyring.derive("blobs"), environment.clone()).unwrap();
        let mut tx = test.db.write().await.unwrap();
        let app = create_application(&mut tx, &*environment).await;
        let account = create(&mut tx, &*environment, app, "Production", 100).await.unwrap();
        tx.commit().await.unwrap();
        Self { test, environment, blobs, receipts: ReceiptSigner::new(&keyring), account }
    }

    async fn with_fixed_clock() -> Self {
        Self::open(Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"))).await
    }

    /// The service with the tables of this subject alone; those of others are empty in these tests.
    fn deletion(&self, external: Vec<Arc<dyn ExternalAccountData>>) -> AccountDeletionService {
        let tables: [Arc<dyn AccountTables>; 2] = [Arc::new(PendingWorkTables), Arc::new(MemberTables)];
        let (db, environment) = (self.test.db.clone(), self.environment.clone());
        AccountDeletionService::new(db, environment, self.receipts.clone(), tables, external)
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

#[tokio::test]
async fn an_account_is_deleted_whole_and_the_receipt_counts_it() {
    let fixture = Fixture::with_fixed_clock().await;
    for name in ["a", "b", "c"] {
        fixture.put_blob(name).await;
    }
    let mut tx = fixture.test.db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&*fixture.environment, &Slow {}).of_account(fixture.account)).await.unwrap();
    tx.commit().await.unwrap();
    let deletion = fixture.deletion(vec![fixture.blobs()]);
    deletion.delete(None, fixture.account, "operator").await.unwrap();
    let receipt = fixture.receipt().await.unwrap();
    let what: Vec<_> = receipt.what.iter().map(|(kind, many)| format!("{kind} {many}")).collect();
    assert_eq!(what, ["blobs 3", "jobs 1"]);
    assert_eq!((&*receipt.by, receipt.account_id), ("operator", fixture.account));
    assert_eq!(deletion.find_orphans().await.unwrap(), []);
    assert!(fixture.blobs.tenants().await.unwrap().is_empty());
    let again = deletion.delete(None, fixture.account, "operator").await;
    assert!(matches!(again, Err(AccountDeletionError::Missing)), "{again:?}");
}

#[tokio::test]
async fn what_a_crash_interrupted_is_finished_and_counted_once() {
    let fixture = Fixture::with_fixed_clock().await;
    fixture.put_blob("a").await;
    fixture.put_blob("b").await;
    let failing = Arc::new(FailingBlobs { blobs: fixture.blobs.clone(), repaired: false.into() });
    let deletion = fixture.deletion(vec![failing.clone()]);
    let failed = deletion.delete(None, fixture.account, "member").await;
    assert!(matches!(failed, Err(AccountDeletionError::External { kind: "blobs", .. })), "{failed:?}");
    assert_eq!(fixture.receipt().await, None, "nothing is promised yet");
    let mut tx = fixture.test.db.write().await.unwrap();
    assert!(!lock_shared(&mut tx, fixture.account).await.unwrap(), "nobody can lock it any more");
    drop(tx);
    assert_eq!(
        deletion.find_orphans().await.unwrap()[0].place,
        "accounts",
        "the audit sees that the deletion has not ended"
    );
    failing.repaired.store(true, Ordering::SeqCst);
    deletion.run(fixture.account).await.unwrap();
    assert_eq!(fixture.receipt().await.unwrap().what["blobs"], 2, "counted before the first was deleted");
    assert_eq!(deletion.find_orphans().await.unwrap(), []);
}

#[tokio::test]
async fn two_processes_may_delete_it_at_once() {
    let fixture = Fixture::open(Arc::new(SystemEnvironment)).await;
    fixture.put_blob("a").await;
    let mut tx = fixture.test.db.write().await.unwrap();
    for _ in 0..20 {
        enqueue(&mut tx, NewJob::new(&*fixture.environment, &Slow {}).of_account(fixture.account))
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let deletion = fixture.deletion(vec![fixture.blobs()]);
    deletion.begin(None, fixture.account, "operator").await.unwrap();
    let (one, other) = tokio::join!(deletion.run(fixture.account), deletion.run(fixture.account));
    one.unwrap();
    other.unwrap();
    assert_eq!(fixture.receipt().await.unwrap().what["jobs"], 20);
}

#[tokio::test]
async fn a_job_that_runs_meanwhile_cannot_commit_afterwards() {
    let fixture = Fixture::open(Arc::new(SystemEnvironment)).await;
    let mut tx = fixture.test.db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&*fixture.environment, &Slow {}).of_account(fixture.account)).await.unwrap();
    tx.commit().await.unwrap();
    let (began, goes_on, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let lost = Arc::new(AtomicBool::new(false));
    let db = fixture.test.db.clone();
    let signals = (began.clone(), goes_on.clone(), ended.clone(), lost.clone());
    let worker = Worker::new(db.clone(), fixture.environment.clone()).register(move |_: Slow, lease| {
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
    fixture.deletion(vec![fixture.blobs()]).delete(None, fixture.account, "operator").await.unwrap();
    goes_on.notify_one();
    ended.notified().await;
    assert!(lost.load(Ordering::SeqCst), "its effect would have counted");
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn the_audit_names_data_without_an_owner() {
    let fixture = Fixture::with_fixed_clock().await;
    let nobody = AccountId::new(&*fixture.environment);
    let mut tx = fixture.test.db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&*fixture.environment, &Slow {}).of_account(nobody)).await.unwrap();
    tx.commit().await.unwrap();
    let key = BlobKey::new(nobody, BlobKeySegment::literal("photo"), BlobKeySegment::literal("a"));
    fixture.blobs.put(&key, b"bytes").await.unwrap();
    fixture.put_blob("mine").await;
    let found = fixture.deletion(vec![fixture.blobs()]).find_orphans().await.unwrap();
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

/// Blobs whose deletion fails after the first blob, until it is repaired.
#[derive(Debug)]
struct FailingBlobs {
    blobs: BlobStore,
    repaired: AtomicBool,
}

impl ExternalAccountData for FailingBlobs {
    fn kind(&self) -> &'static str {
        "blobs"
    }
    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        self.blobs.count(account)
    }
    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(async move {
            if self.repaired.load(Ordering::SeqCst) {
                return self.blobs.erase(account).await;
            }
            let one = BlobKey::new(account, BlobKeySegment::literal("photo"), BlobKeySegment::literal("a"));
            self.blobs.delete(&one).await?;
            Err("the storage failed".into())
        })
    }
    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        self.blobs.owners()
    }
}
