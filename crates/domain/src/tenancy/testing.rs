//! What unit tests of the rows of an application begin with.

use super::{
    Feature,
    applications::{self, NewApplication},
};
use crate::{keyring::Keyring, vault::Vault};
use base::{AppId, Environment, TestEnvironment};
use db::{WriteTx, testing::TestDb};
use std::{sync::Arc, time::Duration};

/// Longer than it takes to get as far as a lock that another transaction holds.
pub(crate) const LOCK_WAITING_TIME: Duration = Duration::from_millis(300);

/// A database with an application, where the clock stands still.
pub(crate) struct TestApplication {
    pub(crate) test: TestDb,
    pub(crate) environment: Arc<TestEnvironment>,
    pub(crate) vault: Vault,
    pub(crate) app: AppId,
}

impl TestApplication {
    pub(crate) async fn open() -> Self {
        let test = TestDb::open().await;
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let mut tx = test.db.write().await.unwrap();
        let app = create_application(&mut tx, &*environment).await;
        tx.commit().await.unwrap();
        Self { test, environment, vault, app }
    }
}

/// Creates an application that may use every interface.
pub(crate) async fn create_application(tx: &mut WriteTx, env: &dyn Environment) -> AppId {
    let new =
        NewApplication { name: "Test", organisation: None, billing_source: None, features: &Feature::ALL };
    applications::create(tx, env, &new).await.unwrap()
}
