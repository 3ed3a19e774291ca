//! Applications beside the one that every test has.

use base::AppId;
use domain::tenancy::{
    Feature, api_keys,
    applications::{self, NewApplication},
};
use testkit::TestApp;

/// Another application, and an API key that may do everything there.
pub(crate) async fn other_application(app: &TestApp) -> (AppId, String) {
    let mut tx = app.api.db.write().await.unwrap();
    let new = NewApplication {
        name: "Stranger",
        organisation: Some(app.org),
        billing_source: Some("test"),
        features: &Feature::ALL,
    };
    let id = applications::create(&mut tx, &*app.environment, &new).await.unwrap();
    let (_, key) = api_keys::create(&mut tx, &*app.environment, id, "theirs", &[]).await.unwrap();
    tx.commit().await.unwrap();
    (id, key.expose().clone())
}
