//! Notifications of results.

use crate::{
    deliveries::deliver,
    proof_of_age::{ALL_SCOPES, Issuer, outcome, scan, verify},
};
use credentials::proof::StatusReference;
use domain::proof_of_age::ProofOfAgeSettings;
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use std::io::Write as _;
use testkit::{
    TestApp, proof_settings,
    stub_server::{StubReply, StubServer},
};

/// Every combination of method, headers and TLS choice; a receiver with an untrusted certificate is notified only if
/// the caller asks for it and the operator allows it.
#[tokio::test]
async fn a_result_is_sent_with_every_combination_of_method_headers_and_tls() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let list = json!({ "issuers": [issuer.entry(&json!({ "status_hosts": ["localhost"] }))] });
    file.write_all(list.to_string().as_bytes()).unwrap();
    let rules = ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), ..proof_settings() };
    // The receivers' certificate is not trusted here.
    let lax = EgressPolicy { unverified_tls: true, ..EgressPolicy::default() }.with_loopback();
    let app = TestApp::start_with_egress(&lax, rules).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let tills = StubServer::start(|_| StubReply::status(200)).await;
    let mut expected = Vec::new();
    for (number, (method, header, verify_tls)) in [None, Some("POST"), Some("GET")]
        .into_iter()
        .flat_map(|method| [false, true].map(|header| (method, header)))
        .flat_map(|(method, header)| {
            [None, Some(true), Some(false)].map(|verify_tls| (method, header, verify_tls))
        })
        .enumerate()
    {
        // Its issuer answers nothing, so each of them is a 202 and then a failure.
        let reference = StatusReference { uri: format!("https://localhost:1/{number}"), index: 0 };
        let mut asked = scan(&app, &issuer.code(&app, Some(reference)));
        let mut notification = json!({ "url": tills.url(&format!("/{number}")) });
        if let Some(method) = method {
            notification["method"] = method.into();
        }
        if header {
            notification["headers"] = json!({ "X-Number": number.to_string() });
        }
        if let Some(verify_tls) = verify_tls {
            notification["verifyTls"] = verify_tls.into();
        }
        asked["notification"] = notification;
        let pending = verify(&app, &token, &asked).await;
        assert_eq!(outcome(&pending), "202 PENDING -", "{asked:.300}");
        if verify_tls == Some(false) {
            expected.push((number, method.unwrap_or("POST"), header, pending.json()["id"].clone()));
        }
    }
    app.run_due_jobs().await;
    let sent = deliver(&app, app.api.proof_of_age.outbox(), &tills, expected.len()).await;
    assert_eq!(sent.len(), expected.len(), "nobody else was told");
    for (number, method, header, id) in expected {
        let notification_sent = sent
            .iter()
            .find(|notification_sent| notification_sent.uri.path() == format!("/{number}"))
            .unwrap();
        assert_eq!(notification_sent.method.as_str(), method);
        assert_eq!(
            notification_sent.header("x-number"),
            if header { number.to_string() } else { String::new() }
        );
        if method == "GET" {
            assert_eq!(
                notification_sent.uri.query(),
                Some(format!("id={}&status=FAILURE", id.as_str().unwrap()).as_str())
            );
        } else {
            assert_eq!(serde_json::from_slice::<Value>(&notification_sent.body).unwrap()["id"], id);
        }
    }
}
