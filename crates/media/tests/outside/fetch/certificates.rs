//! Verification of certificates.

use super::{Authority, Receiver, Site, fails, get, receiver::self_signed};
use media::fetch::{
    EgressPolicy, EgressPolicyError, FetchError, FetchRequest, FetchTargetError, Fetcher, TrustedRoot,
};

const NAME: &str = "receiver.example.com";

fn unverified() -> FetchRequest {
    FetchRequest { verify_tls: false, ..get() }
}

#[tokio::test]
async fn a_certificate_must_be_right() {
    let site = Site::open().await;
    site.names.says(NAME, &["127.0.0.1"]);
    let strict = site.allowing(NAME);
    let lax = EgressPolicy { hosts: vec![NAME.to_owned()], unverified_tls: true, ..site.policy.clone() };
    let lax = Fetcher::new(&lax).unwrap();
    for (what, certificate) in [
        ("expired", site.authority.certify_for(&[NAME], 2019, 2020)),
        ("not yet valid", site.authority.certify_for(&[NAME], 4000, 4001)),
        ("another's", site.authority.certify(&["other.example.com", "127.0.0.1"])),
        ("self-signed", self_signed(&[NAME])),
        ("of an unknown authority", Authority::new().certify(&[NAME])),
    ] {
        let receiver = Receiver::listen("127.0.0.1:0", certificate).await;
        let error = fails(&strict, &receiver.at("/hunter2"), get()).await;
        assert!(matches!(&error, FetchError::Failed(why) if why.contains("certificate")), "{what}: {error}");
        let error = fails(&strict, &receiver.at("/hunter2"), unverified()).await;
        assert!(matches!(error, FetchError::Refused(FetchTargetError::UnverifiedTls)), "{what}: {error}");
        assert!(receiver.requests().is_empty(), "{what}: nothing was said to it");

        assert_eq!(lax.call(&receiver.at("/"), unverified()).await.unwrap().status, 200, "{what}");
        // The connection from the call before is still open, and must not be reused for a call that verifies the
        // certificate.
        fails(&lax, &receiver.at("/hunter2"), get()).await;
        assert_eq!(receiver.requests().len(), 1, "{what}");
    }
}

#[tokio::test]
async fn without_verification_addresses_are_checked_all_the_same() {
    let site = Site::open().await;
    let inside = Receiver::listen("127.0.0.1:0", self_signed(&["in.example.com"])).await;
    site.names.says("in.example.com", &["127.0.0.1"]);
    let policy = EgressPolicy { unverified_tls: true, ports: vec![inside.port()], ..site.policy.clone() };
    let fetcher = Fetcher::new(&policy).unwrap();
    for host in ["in.example.com", "127.0.0.1"] {
        let error = fails(&fetcher, &format!("https://{host}:{}/", inside.port()), unverified()).await;
        assert!(matches!(error, FetchError::Refused(FetchTargetError::NotPublic)), "{host} {error}");
    }
    assert_eq!(inside.accepted(), 0);
}

#[tokio::test]
async fn roots_may_lie_in_a_file() {
    let site = Site::open().await;
    let (_, receiver) = site.receiver().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roots.pem");
    // With two certificates in one file, the second is trusted as well.
    std::fs::write(&file, [Authority::new().pem(), site.authority.pem()].join("\n")).unwrap();
    let policy = EgressPolicy {
        hosts: vec![NAME.to_owned()],
        roots: vec![TrustedRoot::File(file.clone())],
        ..site.policy
    };
    let fetcher = Fetcher::new(&policy).unwrap();
    assert_eq!(fetcher.call(&receiver.at("/"), get()).await.unwrap().status, 200);

    std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----").unwrap();
    let damaged = Fetcher::new(&policy);
    assert!(matches!(damaged, Err(EgressPolicyError::Client(_) | EgressPolicyError::Root(_))), "{damaged:?}");
}
