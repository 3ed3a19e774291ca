//! Ways to make a server call what it should not, and where each of them is stopped.

use super::{Receiver, SECRET, Site, get};
use media::fetch::{EgressPolicy, FetchError, FetchTargetError, Fetcher, MAX_ADDRESS_BYTES};

/// Addresses that are refused because of their text, before any name is resolved. At `{port}`, on every address of this
/// machine, a server listens that must not be reached; the policy allows the port.
const TEXTS: &[(&str, FetchTargetError)] = &[
    // Schemes, and text without one.
    ("http://example.com/", FetchTargetError::Scheme),
    ("http://127.0.0.1:{port}/", FetchTargetError::Scheme),
    ("ftp://example.com/", FetchTargetError::Scheme),
    ("file:///etc/passwd", FetchTargetError::Scheme),
    ("gopher://127.0.0.1:{port}/_GET%20/", FetchTargetError::Scheme),
    ("dict://127.0.0.1:{port}/", FetchTargetError::Scheme),
    ("ldap://127.0.0.1:{port}/", FetchTargetError::Scheme),
    ("unix:///run/docker.sock", FetchTargetError::Scheme),
    ("data:text/plain,hello", FetchTargetError::Scheme),
    ("javascript:alert(1)", FetchTargetError::Scheme),
    ("jar:https://example.com!/", FetchTargetError::Scheme),
    ("view-source:https://example.com/", FetchTargetError::Scheme),
    ("wss://example.com/", FetchTargetError::Scheme),
    ("httpſ://example.com/", FetchTargetError::Scheme),
    ("//127.0.0.1:{port}/", FetchTargetError::Scheme),
    ("127.0.0.1:{port}", FetchTargetError::Scheme),
    ("example.com", FetchTargetError::Scheme),
    ("/path", FetchTargetError::Scheme),
    ("", FetchTargetError::Scheme),
    ("https:", FetchTargetError::Scheme),
    ("https:127.0.0.1:{port}", FetchTargetError::Scheme),
    ("https:/127.0.0.1:{port}", FetchTargetError::Scheme),
    ("https://", FetchTargetError::Host),
    ("https:///127.0.0.1:{port}/", FetchTargetError::Host),
    ("https:////127.0.0.1:{port}/", FetchTargetError::Host),
    ("https://?example.com", FetchTargetError::Host),
    ("https://:{port}/", FetchTargetError::Host),
    // Characters that parsers drop, trim or convert.
    (" https://127.0.0.1:{port}/", FetchTargetError::Characters),
    ("https://127.0.0.1:{port}/\n", FetchTargetError::Characters),
    ("ht\ttps://127.0.0.1:{port}/", FetchTargetError::Characters),
    ("https://127.0.\r\n0.1:{port}/", FetchTargetError::Characters),
    ("https://example.com/\r\nHost: localhost", FetchTargetError::Characters),
    ("https://example.com/ HTTP/1.1", FetchTargetError::Characters),
    ("https://127.0.0.1\0.example.com/", FetchTargetError::Characters),
    ("https:\\\\127.0.0.1:{port}\\", FetchTargetError::Characters),
    ("https://example.com\\@127.0.0.1:{port}/", FetchTargetError::Characters),
    ("https://127.0.0.1:{port}\\@example.com/", FetchTargetError::Characters),
    // User names that hide the host.
    ("https://example.com@127.0.0.1:{port}/", FetchTargetError::User),
    ("https://example.com:443@127.0.0.1:{port}/", FetchTargetError::User),
    ("https://user:hunter2@example.com/", FetchTargetError::User),
    ("https://@127.0.0.1:{port}/", FetchTargetError::User),
    ("https://:@127.0.0.1:{port}/", FetchTargetError::User),
    ("https://a@b@127.0.0.1:{port}/", FetchTargetError::User),
    ("https://example.com%40127.0.0.1:{port}/", FetchTargetError::Host),
    ("https://127.0.0.1:{port}#@example.com/", FetchTargetError::NotPublic),
    ("https://127.0.0.1:{port}?@example.com/", FetchTargetError::NotPublic),
    ("https://127.0.0.1:{port}/@example.com/", FetchTargetError::NotPublic),
    // This machine's IPv4 address in every notation.
    ("https://127.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://127.0.0.1.:{port}/", FetchTargetError::NotPublic),
    ("https://127.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://127.1:{port}/", FetchTargetError::NotPublic),
    ("https://2130706433:{port}/", FetchTargetError::NotPublic),
    ("https://0x7f000001:{port}/", FetchTargetError::NotPublic),
    ("https://0X7F.1:{port}/", FetchTargetError::NotPublic),
    ("https://0x7f.0x0.0x0.0x1:{port}/", FetchTargetError::NotPublic),
    ("https://017700000001:{port}/", FetchTargetError::NotPublic),
    ("https://0177.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://0000000177.0.0.01:{port}/", FetchTargetError::NotPublic),
    ("https://0x7f.0.0.01:{port}/", FetchTargetError::NotPublic),
    ("https://127.0x1:{port}/", FetchTargetError::NotPublic),
    ("https://%31%32%37.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://127%2e0%2e0%2e1:{port}/", FetchTargetError::NotPublic),
    ("https://１２７.０.０.１:{port}/", FetchTargetError::NotPublic),
    ("https://①②⑦.⓪.⓪.①:{port}/", FetchTargetError::NotPublic),
    ("https://𝟏𝟐𝟕.𝟎.𝟎.𝟏:{port}/", FetchTargetError::NotPublic),
    ("https://127。0｡0．1:{port}/", FetchTargetError::NotPublic),
    ("https://127.0.0.\u{ad}1:{port}/", FetchTargetError::NotPublic),
    ("https://127.255.255.254:{port}/", FetchTargetError::NotPublic),
    ("https://0.0.0.0:{port}/", FetchTargetError::NotPublic),
    ("https://0:{port}/", FetchTargetError::NotPublic),
    ("https://0x0:{port}/", FetchTargetError::NotPublic),
    ("https://256.0.0.1:{port}/", FetchTargetError::Host),
    ("https://4294967296:{port}/", FetchTargetError::Host),
    ("https://0x17f000001:{port}/", FetchTargetError::Host),
    ("https://127.0.0.0.1:{port}/", FetchTargetError::Host),
    ("https://08.0.0.1:{port}/", FetchTargetError::Host),
    // Other IPv4 addresses that are not public.
    ("https://10.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://172.16.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://192.168.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://100.64.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://198.18.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://203.0.113.7:{port}/", FetchTargetError::NotPublic),
    ("https://224.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://240.0.0.1:{port}/", FetchTargetError::NotPublic),
    ("https://255.255.255.255:{port}/", FetchTargetError::NotPublic),
    // Cloud metadata services.
    ("https://169.254.169.254/latest/meta-data/", FetchTargetError::NotPublic),
    ("https://2852039166/", FetchTargetError::NotPublic),
    ("https://0xa9fea9fe/", FetchTargetError::NotPublic),
    ("https://0251.0376.0251.0376/", FetchTargetError::NotPublic),
    ("https://169.254.43518/", FetchTargetError::NotPublic),
    ("https://169.254.170.2/v2/credentials/", FetchTargetError::NotPublic),
    ("https://100.100.100.200/", FetchTargetError::NotPublic),
    ("https://192.0.0.192/", FetchTargetError::NotPublic),
    ("https://168.63.129.16/", FetchTargetError::NotPublic),
    ("https://[fd00:ec2::254]/", FetchTargetError::NotPublic),
    ("https://[::ffff:169.254.169.254]/", FetchTargetError::NotPublic),
    ("https://[::ffff:a9fe:a9fe]/", FetchTargetError::NotPublic),
    ("https://[64:ff9b::a9fe:a9fe]/", FetchTargetError::NotPublic),
    ("https://[2002:a9fe:a9fe::1]/", FetchTargetError::NotPublic),
    ("https://metadata.google.internal/", FetchTargetError::NotPublic),
    ("https://metadata/", FetchTargetError::NotPublic),
    ("https://instance-data.ec2.internal/", FetchTargetError::NotPublic),
    // IPv6.
    ("https://[::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[0:0:0:0:0:0:0:1]:{port}/", FetchTargetError::NotPublic),
    ("https://[0000::0001]:{port}/", FetchTargetError::NotPublic),
    ("https://[::]:{port}/", FetchTargetError::NotPublic),
    ("https://[::127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[::ffff:127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[::FFFF:7F00:1]:{port}/", FetchTargetError::NotPublic),
    ("https://[::ffff:0.0.0.0]:{port}/", FetchTargetError::NotPublic),
    ("https://[::ffff:0:127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[64:ff9b::127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[64:ff9b:1::127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[2002:7f00:1::]:{port}/", FetchTargetError::NotPublic),
    ("https://[2001:0:0:0:0:0:80ff:fffe]:{port}/", FetchTargetError::NotPublic),
    ("https://[2606:4700::5efe:127.0.0.1]:{port}/", FetchTargetError::NotPublic),
    ("https://[fe80::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[fc00::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[fec0::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[ff02::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[2001:db8::1]:{port}/", FetchTargetError::NotPublic),
    ("https://[::1%25lo]:{port}/", FetchTargetError::Host),
    ("https://[fe80::1%25eth0]:{port}/", FetchTargetError::Host),
    ("https://[fe80::1%eth0]:{port}/", FetchTargetError::Host),
    ("https://[::1:{port}/", FetchTargetError::Host),
    ("https://::1:{port}/", FetchTargetError::Host),
    ("https://[127.0.0.1]:{port}/", FetchTargetError::Host),
    ("https://[localhost]:{port}/", FetchTargetError::Host),
    ("https://[v1.127.0.0.1]:{port}/", FetchTargetError::Host),
    // Names that are internal by definition, and invalid names.
    ("https://localhost:{port}/", FetchTargetError::NotPublic),
    ("https://LocalHost.:{port}/", FetchTargetError::NotPublic),
    ("https://any.localhost:{port}/", FetchTargetError::NotPublic),
    ("https://local\u{ad}host:{port}/", FetchTargetError::NotPublic),
    ("https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/", FetchTargetError::NotPublic),
    ("https://ｌｏｃａｌｈｏｓｔ:{port}/", FetchTargetError::NotPublic),
    ("https://%6cocalhost:{port}/", FetchTargetError::NotPublic),
    ("https://localhost.localdomain:{port}/", FetchTargetError::NotPublic),
    ("https://intranet:{port}/", FetchTargetError::NotPublic),
    ("https://printer.local:{port}/", FetchTargetError::NotPublic),
    ("https://db.internal:{port}/", FetchTargetError::NotPublic),
    ("https://router.lan:{port}/", FetchTargetError::NotPublic),
    ("https://nas.home.arpa:{port}/", FetchTargetError::NotPublic),
    ("https://1.0.0.127.in-addr.arpa:{port}/", FetchTargetError::NotPublic),
    ("https://expyuzz4wqqyqhjn.onion:{port}/", FetchTargetError::NotPublic),
    ("https://a.test:{port}/", FetchTargetError::NotPublic),
    ("https://..:{port}/", FetchTargetError::Host),
    ("https://.localhost:{port}/", FetchTargetError::Host),
    ("https://localhost..:{port}/", FetchTargetError::Host),
    ("https://a..example.com:{port}/", FetchTargetError::Host),
    ("https://-$(id).example.com/", FetchTargetError::Host),
    ("https://a,127.0.0.1.example.com/", FetchTargetError::Host),
    ("https://*.example.com/", FetchTargetError::Host),
    ("https://xn--0.example.com/", FetchTargetError::Host),
    ("https://example.com%00.evil.example.net/", FetchTargetError::Host),
    ("https://example.com%2f@evil.example.net/", FetchTargetError::User),
    // Ports.
    ("https://example.com:22/", FetchTargetError::Port),
    ("https://example.com:25/", FetchTargetError::Port),
    ("https://example.com:80/", FetchTargetError::Port),
    ("https://example.com:6379/", FetchTargetError::Port),
    ("https://1.1.1.1:2375/", FetchTargetError::Port),
    ("https://[2606:4700::1111]:9200/", FetchTargetError::Port),
    ("https://example.com:0/", FetchTargetError::Port),
    ("https://example.com:65536/", FetchTargetError::Host),
    ("https://example.com:-1/", FetchTargetError::Host),
    ("https://example.com:443:{port}/", FetchTargetError::Host),
    ("https://example.com:４４３/", FetchTargetError::Host),
];

/// The addresses of `trick.example.com` that must be refused at the connection.
const LEADS: &[&[&str]] = &[
    &["127.0.0.1"],
    &["127.9.9.9"],
    &["0.0.0.0"],
    &["10.0.0.1"],
    &["172.31.255.255"],
    &["192.168.1.1"],
    &["100.64.0.1"],
    &["169.254.169.254"],
    &["100.100.100.200"],
    &["168.63.129.16"],
    &["224.0.0.251"],
    &["255.255.255.255"],
    &["::1"],
    &["::"],
    &["::ffff:127.0.0.1"],
    &["::127.0.0.1"],
    &["64:ff9b::127.0.0.1"],
    &["2002:7f00:1::1"],
    &["2001::1"],
    &["fe80::1"],
    &["fd00:ec2::254"],
    &["fc00::1"],
    &["ff02::1"],
    // A public address does not make up for an internal one, in whatever order.
    &["1.1.1.1", "127.0.0.1"],
    &["127.0.0.1", "1.1.1.1"],
    &["1.1.1.1", "::1"],
    &["2606:4700::1111", "127.0.0.1"],
    &["1.1.1.1", "2606:4700::1111", "::ffff:127.0.0.1"],
];

#[tokio::test]
async fn no_trick_reaches_what_lies_inside() {
    let site = Site::open().await;
    let trick = "trick.example.com";
    let tls = || site.authority.certify(&[trick, "127.0.0.1"]);
    // All addresses of this machine; without IPv6, all IPv4 addresses.
    let inside = match Receiver::try_listen("[::]:0", tls()).await {
        Ok(inside) => inside,
        Err(_) => Receiver::listen("0.0.0.0:0", tls()).await,
    };
    let port = inside.port();
    let policy = EgressPolicy { ports: vec![443, port], ..site.policy.clone() };
    let fetcher = Fetcher::new(&policy).unwrap();
    let mut tried = 0;

    for (text, why) in TEXTS {
        let address = text.replace("{port}", &port.to_string());
        assert_eq!(fetcher.parse_target(&address).map(drop), Err(*why), "{address:?} as text");
        refused(&fetcher, &address, *why).await;
        tried += 1;
    }
    let long = format!("https://example.com/{}", "a".repeat(MAX_ADDRESS_BYTES));
    refused(&fetcher, &long, FetchTargetError::TooLong).await;

    let mut at_connection = async |fetcher: &Fetcher, host: &str, what: &str| {
        let address = format!("https://{host}:{port}/{SECRET}?{SECRET}");
        assert!(fetcher.parse_target(&address).is_ok(), "{what}: as text there is nothing wrong with it");
        let admitted = fetcher.resolve_target(&address).await;
        assert!(
            matches!(admitted, Err(FetchError::Refused(FetchTargetError::NotPublic))),
            "{what}: {admitted:?}"
        );
        refused(fetcher, &address, FetchTargetError::NotPublic).await;
        tried += 1;
    };
    for addresses in LEADS {
        site.names.says(trick, addresses);
        at_connection(&fetcher, trick, &format!("{addresses:?}")).await;
    }
    // Responses that are too long for UDP are requested again over TCP; the internal address comes last.
    let mut many = vec!["1.1.1.1"; 500];
    many.push("127.0.0.1");
    site.names.says(trick, &many);
    at_connection(&fetcher, trick, "500 right addresses and a wrong one").await;
    assert!(site.names.asked_over_tcp() > 0);
    // Other spellings of the name, and names that contain the address.
    site.names.says(trick, &["127.0.0.1"]);
    for host in ["TRICK.Example.Com", "trick.example.com.", "trick。example。com", "%74rick.example.com"] {
        at_connection(&fetcher, host, host).await;
    }
    for name in
        ["127.0.0.1.example.com", "7f000001.example.com", "_a.example.com", "xn--bcher-kva.example.com"]
    {
        site.names.says(name, &["127.0.0.1"]);
        at_connection(&fetcher, name, name).await;
    }
    // CNAME records.
    site.names.says("inside.example.net", &["10.1.1.1", "127.0.0.1"]);
    site.names.says("metadata.google.internal", &["169.254.169.254"]);
    site.names.says("localhost", &["127.0.0.1"]);
    for of in ["inside.example.net", "metadata.google.internal", "localhost"] {
        for with_addresses in [true, false] {
            site.names.says_alias("alias.example.com", of, with_addresses);
            at_connection(&fetcher, "alias.example.com", &format!("alias of {of}, {with_addresses}")).await;
            site.names.says_alias("alias2.example.com", "alias.example.com", with_addresses);
            at_connection(&fetcher, "alias2.example.com", &format!("alias of an alias of {of}")).await;
        }
    }
    // A listed host may resolve to an internal address, but not to a metadata service; similar names may not.
    let listing = EgressPolicy { hosts: vec!["listed.example.com".to_owned()], ..policy.clone() };
    let listing = Fetcher::new(&listing).unwrap();
    for (name, leads) in [
        ("listed.example.com", "169.254.169.254"),
        ("listed.example.com", "fd00:ec2::254"),
        ("sub.listed.example.com", "127.0.0.1"),
        ("notlisted.example.com", "127.0.0.1"),
        ("listed.example.com.example.net", "127.0.0.1"),
    ] {
        site.names.says(name, &[leads]);
        at_connection(&listing, name, name).await;
    }

    assert!(tried >= 200, "{tried} tricks");
    // Connections are accepted in order: if this is the first that was accepted, there was none before.
    let allowing = Fetcher::new(&policy.with_loopback()).unwrap();
    let reached = allowing.call(&format!("https://127.0.0.1:{port}/"), get()).await.unwrap();
    assert_eq!((reached.status, inside.accepted()), (200, 1), "somebody inside was reached");
}

async fn refused(fetcher: &Fetcher, address: &str, why: FetchTargetError) {
    let error = super::fails(fetcher, address, get()).await;
    assert!(matches!(error, FetchError::Refused(refused) if refused == why), "{address:?}: {error}");
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_not_called_either() {
    let site = Site::open().await;
    let fetcher = Fetcher::new(&site.policy).unwrap();
    let address = format!("https://nobody.example.com/{SECRET}");
    let error = super::fails(&fetcher, &address, get()).await;
    assert!(matches!(error, FetchError::Failed(_)), "{error}");
    let error = fetcher.resolve_target(&address).await.unwrap_err();
    assert!(matches!(error, FetchError::Failed(_)), "{error}");
    assert!(fetcher.parse_target(&address).is_ok());
}
