//! DNS rebinding: names that resolve to another address when they are used.

use super::{Receiver, Site, fails, get};
use media::fetch::{EgressPolicy, FetchError, FetchTargetError, Fetcher};

#[tokio::test]
async fn a_name_that_led_outside_when_it_was_stored_is_asked_anew() {
    let site = Site::open().await;
    let inside = Receiver::listen("127.0.0.1:0", site.authority.certify(&["turn.example.com"])).await;
    let policy = EgressPolicy { ports: vec![inside.port()], ..site.policy.clone() };
    let fetcher = Fetcher::new(&policy).unwrap();
    site.names.says_in_turn("turn.example.com", &[&["1.1.1.1"], &["127.0.0.1"]]);
    let address = format!("https://turn.example.com:{}/", inside.port());

    let stored = fetcher.resolve_target(&address).await.unwrap();
    let error = fails(&fetcher, stored.as_str(), get()).await;
    assert!(matches!(error, FetchError::Refused(FetchTargetError::NotPublic)), "{error}");
    assert_eq!(inside.accepted(), 0);
}

#[tokio::test]
async fn a_name_that_led_to_an_allowed_network_is_asked_anew_at_each_connection() {
    let site = Site::open().await;
    let names = ["turn.example.com"];
    let allowed = Receiver::listen("127.0.0.2:0", site.authority.certify(&names)).await;
    let at = format!("127.0.0.1:{}", allowed.port());
    let inside = Receiver::listen(&at, site.authority.certify(&names)).await;
    let networks = vec!["127.0.0.2/32".parse().unwrap()];
    let policy = EgressPolicy { networks, ports: vec![allowed.port()], ..site.policy.clone() };
    let fetcher = Fetcher::new(&policy).unwrap();
    site.names.says_in_turn("turn.example.com", &[&["127.0.0.2"], &["127.0.0.1"]]);
    let address = |path: &str| format!("https://turn.example.com:{}{path}", allowed.port());

    assert_eq!(fetcher.call(&address("/"), get()).await.unwrap().body, b"hello");
    // The kept connection was checked when it was made: what the name resolves to now does not matter.
    assert_eq!(fetcher.call(&address("/"), get()).await.unwrap().body, b"hello");
    // This response closes it, so that the next call makes a new connection.
    fails(&fetcher, &address("/broken-off"), get()).await;
    assert_eq!(allowed.accepted(), 1);

    let error = fails(&fetcher, &address("/"), get()).await;
    assert!(matches!(error, FetchError::Refused(FetchTargetError::NotPublic)), "{error}");
    assert_eq!((allowed.accepted(), inside.accepted()), (1, 0));
}

#[tokio::test]
async fn what_was_allowed_when_it_was_stored_may_not_be_when_it_is_used() {
    let site = Site::open().await;
    let (fetcher, receiver) = site.receiver().await;
    let literal = EgressPolicy { networks: vec!["127.0.0.0/8".parse().unwrap()], ..site.policy.clone() };
    let by_name = fetcher.parse_target(&receiver.at("/")).unwrap();
    let by_number =
        Fetcher::new(&literal).unwrap().parse_target(&format!("https://127.1:{}/", receiver.port())).unwrap();

    let strict = Fetcher::new(&EgressPolicy { ports: vec![receiver.port()], ..site.policy.clone() }).unwrap();
    for stored in [by_name, by_number] {
        let error = fails(&strict, stored.as_str(), get()).await;
        assert!(matches!(error, FetchError::Refused(FetchTargetError::NotPublic)), "{stored:?} {error}");
    }
    let narrow = EgressPolicy { ports: vec![443], ..site.policy.clone() };
    let error = fails(&Fetcher::new(&narrow).unwrap(), "https://out.example.com:8443/", get()).await;
    assert!(matches!(error, FetchError::Refused(FetchTargetError::Port)), "{error}");
    assert_eq!(receiver.accepted(), 0);
}

#[tokio::test]
async fn a_listed_network_is_called_by_number_and_by_name() {
    let site = Site::open().await;
    let certificate = site.authority.certify(&["127.0.0.1", "inside.example.com"]);
    let receiver = Receiver::listen("127.0.0.1:0", certificate).await;
    site.names.says("inside.example.com", &["127.0.0.1"]);
    let policy = site.policy.clone().with_loopback();
    let fetcher = Fetcher::new(&policy).unwrap();
    let address = |host: &str| format!("https://{host}:{}/", receiver.port());
    for host in ["127.0.0.1", "2130706433"] {
        assert_eq!(fetcher.call(&address(host), get()).await.unwrap().body, b"hello", "{host}");
    }
    let error = fails(&fetcher, &address("inside.example.com"), get()).await;
    assert!(
        matches!(error, FetchError::Refused(FetchTargetError::Port)),
        "a name tells nothing of its network: {error}"
    );
    let fetcher = Fetcher::new(&EgressPolicy { ports: vec![receiver.port()], ..policy.clone() }).unwrap();
    for host in ["inside.example.com", "INSIDE.example.com."] {
        assert_eq!(fetcher.call(&address(host), get()).await.unwrap().body, b"hello", "{host}");
    }
    let refused_networks = vec!["127.0.0.1/32".parse().unwrap(), "::1/128".parse().unwrap()];
    let refusing =
        Fetcher::new(&EgressPolicy { refused_networks, ports: vec![receiver.port()], ..policy }).unwrap();
    for host in ["127.0.0.1", "inside.example.com", "localhost", "[::ffff:127.0.0.1]"] {
        let error = fails(&refusing, &address(host), get()).await;
        assert!(matches!(error, FetchError::Refused(FetchTargetError::NotPublic)), "{host} {error}");
    }
    assert_eq!(receiver.accepted(), 2, "one connection for each of the two hosts, kept");
}
