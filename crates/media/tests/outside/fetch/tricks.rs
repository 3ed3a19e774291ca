//! Ways to have a server call what it should not, and where each of them ends.

use super::{Receiver, SECRET, Site, get};
use media::fetch::{FetchError, Fetcher, Policy, Refused};

/// Refused as text, before anybody is asked. `{port}` is where a server waits that must not be reached, on every address
/// of this machine; the policy allows the port.
const TEXTS: &[(&str, Refused)] = &[
    // Schemes, and what is none.
    ("http://example.com/", Refused::Scheme),
    ("http://127.0.0.1:{port}/", Refused::Scheme),
    ("ftp://example.com/", Refused::Scheme),
    ("file:///etc/passwd", Refused::Scheme),
    ("gopher://127.0.0.1:{port}/_GET%20/", Refused::Scheme),
    ("dict://127.0.0.1:{port}/", Refused::Scheme),
    ("ldap://127.0.0.1:{port}/", Refused::Scheme),
    ("unix:///run/docker.sock", Refused::Scheme),
    ("data:text/plain,hello", Refused::Scheme),
    ("javascript:alert(1)", Refused::Scheme),
    ("jar:https://example.com!/", Refused::Scheme),
    ("view-source:https://example.com/", Refused::Scheme),
    ("wss://example.com/", Refused::Scheme),
    ("httpſ://example.com/", Refused::Scheme),
    ("//127.0.0.1:{port}/", Refused::Scheme),
    ("127.0.0.1:{port}", Refused::Scheme),
    ("example.com", Refused::Scheme),
    ("/path", Refused::Scheme),
    ("", Refused::Scheme),
    ("https:", Refused::Scheme),
    ("https:127.0.0.1:{port}", Refused::Scheme),
    ("https:/127.0.0.1:{port}", Refused::Scheme),
    ("https://", Refused::Host),
    ("https:///127.0.0.1:{port}/", Refused::Host),
    ("https:////127.0.0.1:{port}/", Refused::Host),
    ("https://?example.com", Refused::Host),
    ("https://:{port}/", Refused::Host),
    // Characters that parsers drop, trim or turn.
    (" https://127.0.0.1:{port}/", Refused::Characters),
    ("https://127.0.0.1:{port}/\n", Refused::Characters),
    ("ht\ttps://127.0.0.1:{port}/", Refused::Characters),
    ("https://127.0.\r\n0.1:{port}/", Refused::Characters),
    ("https://example.com/\r\nHost: localhost", Refused::Characters),
    ("https://example.com/ HTTP/1.1", Refused::Characters),
    ("https://127.0.0.1\0.example.com/", Refused::Characters),
    ("https:\\\\127.0.0.1:{port}\\", Refused::Characters),
    ("https://example.com\\@127.0.0.1:{port}/", Refused::Characters),
    ("https://127.0.0.1:{port}\\@example.com/", Refused::Characters),
    // Users, to hide the host behind.
    ("https://example.com@127.0.0.1:{port}/", Refused::User),
    ("https://example.com:443@127.0.0.1:{port}/", Refused::User),
    ("https://user:hunter2@example.com/", Refused::User),
    ("https://@127.0.0.1:{port}/", Refused::User),
    ("https://:@127.0.0.1:{port}/", Refused::User),
    ("https://a@b@127.0.0.1:{port}/", Refused::User),
    ("https://example.com%40127.0.0.1:{port}/", Refused::Host),
    ("https://127.0.0.1:{port}#@example.com/", Refused::Inside),
    ("https://127.0.0.1:{port}?@example.com/", Refused::Inside),
    ("https://127.0.0.1:{port}/@example.com/", Refused::Inside),
    // This machine as IPv4, in every notation.
    ("https://127.0.0.1:{port}/", Refused::Inside),
    ("https://127.0.0.1.:{port}/", Refused::Inside),
    ("https://127.0.1:{port}/", Refused::Inside),
    ("https://127.1:{port}/", Refused::Inside),
    ("https://2130706433:{port}/", Refused::Inside),
    ("https://0x7f000001:{port}/", Refused::Inside),
    ("https://0X7F.1:{port}/", Refused::Inside),
    ("https://0x7f.0x0.0x0.0x1:{port}/", Refused::Inside),
    ("https://017700000001:{port}/", Refused::Inside),
    ("https://0177.0.0.1:{port}/", Refused::Inside),
    ("https://0000000177.0.0.01:{port}/", Refused::Inside),
    ("https://0x7f.0.0.01:{port}/", Refused::Inside),
    ("https://127.0x1:{port}/", Refused::Inside),
    ("https://%31%32%37.0.0.1:{port}/", Refused::Inside),
    ("https://127%2e0%2e0%2e1:{port}/", Refused::Inside),
    ("https://１２７.０.０.１:{port}/", Refused::Inside),
    ("https://①②⑦.⓪.⓪.①:{port}/", Refused::Inside),
    ("https://𝟏𝟐𝟕.𝟎.𝟎.𝟏:{port}/", Refused::Inside),
    ("https://127。0｡0．1:{port}/", Refused::Inside),
    ("https://127.0.0.\u{ad}1:{port}/", Refused::Inside),
    ("https://127.255.255.254:{port}/", Refused::Inside),
    ("https://0.0.0.0:{port}/", Refused::Inside),
    ("https://0:{port}/", Refused::Inside),
    ("https://0x0:{port}/", Refused::Inside),
    ("https://256.0.0.1:{port}/", Refused::Host),
    ("https://4294967296:{port}/", Refused::Host),
    ("https://0x17f000001:{port}/", Refused::Host),
    ("https://127.0.0.0.1:{port}/", Refused::Host),
    ("https://08.0.0.1:{port}/", Refused::Host),
    // Other IPv4 that is not public.
    ("https://10.0.0.1:{port}/", Refused::Inside),
    ("https://172.16.0.1:{port}/", Refused::Inside),
    ("https://192.168.0.1:{port}/", Refused::Inside),
    ("https://100.64.0.1:{port}/", Refused::Inside),
    ("https://198.18.0.1:{port}/", Refused::Inside),
    ("https://203.0.113.7:{port}/", Refused::Inside),
    ("https://224.0.0.1:{port}/", Refused::Inside),
    ("https://240.0.0.1:{port}/", Refused::Inside),
    ("https://255.255.255.255:{port}/", Refused::Inside),
    // Metadata of clouds.
    ("https://169.254.169.254/latest/meta-data/", Refused::Inside),
    ("https://2852039166/", Refused::Inside),
    ("https://0xa9fea9fe/", Refused::Inside),
    ("https://0251.0376.0251.0376/", Refused::Inside),
    ("https://169.254.43518/", Refused::Inside),
    ("https://169.254.170.2/v2/credentials/", Refused::Inside),
    ("https://100.100.100.200/", Refused::Inside),
    ("https://192.0.0.192/", Refused::Inside),
    ("https://168.63.129.16/", Refused::Inside),
    ("https://[fd00:ec2::254]/", Refused::Inside),
    ("https://[::ffff:169.254.169.254]/", Refused::Inside),
    ("https://[::ffff:a9fe:a9fe]/", Refused::Inside),
    ("https://[64:ff9b::a9fe:a9fe]/", Refused::Inside),
    ("https://[2002:a9fe:a9fe::1]/", Refused::Inside),
    ("https://metadata.google.internal/", Refused::Inside),
    ("https://metadata/", Refused::Inside),
    ("https://instance-data.ec2.internal/", Refused::Inside),
    // IPv6.
    ("https://[::1]:{port}/", Refused::Inside),
    ("https://[0:0:0:0:0:0:0:1]:{port}/", Refused::Inside),
    ("https://[0000::0001]:{port}/", Refused::Inside),
    ("https://[::]:{port}/", Refused::Inside),
    ("https://[::127.0.0.1]:{port}/", Refused::Inside),
    ("https://[::ffff:127.0.0.1]:{port}/", Refused::Inside),
    ("https://[::FFFF:7F00:1]:{port}/", Refused::Inside),
    ("https://[::ffff:0.0.0.0]:{port}/", Refused::Inside),
    ("https://[::ffff:0:127.0.0.1]:{port}/", Refused::Inside),
    ("https://[64:ff9b::127.0.0.1]:{port}/", Refused::Inside),
    ("https://[64:ff9b:1::127.0.0.1]:{port}/", Refused::Inside),
    ("https://[2002:7f00:1::]:{port}/", Refused::Inside),
    ("https://[2001:0:0:0:0:0:80ff:fffe]:{port}/", Refused::Inside),
    ("https://[2606:4700::5efe:127.0.0.1]:{port}/", Refused::Inside),
    ("https://[fe80::1]:{port}/", Refused::Inside),
    ("https://[fc00::1]:{port}/", Refused::Inside),
    ("https://[fec0::1]:{port}/", Refused::Inside),
    ("https://[ff02::1]:{port}/", Refused::Inside),
    ("https://[2001:db8::1]:{port}/", Refused::Inside),
    ("https://[::1%25lo]:{port}/", Refused::Host),
    ("https://[fe80::1%25eth0]:{port}/", Refused::Host),
    ("https://[fe80::1%eth0]:{port}/", Refused::Host),
    ("https://[::1:{port}/", Refused::Host),
    ("https://::1:{port}/", Refused::Host),
    ("https://[127.0.0.1]:{port}/", Refused::Host),
    ("https://[localhost]:{port}/", Refused::Host),
    ("https://[v1.127.0.0.1]:{port}/", Refused::Host),
    // Names that lead inside by themselves, and what is no name.
    ("https://localhost:{port}/", Refused::Inside),
    ("https://LocalHost.:{port}/", Refused::Inside),
    ("https://any.localhost:{port}/", Refused::Inside),
    ("https://local\u{ad}host:{port}/", Refused::Inside),
    ("https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/", Refused::Inside),
    ("https://ｌｏｃａｌｈｏｓｔ:{port}/", Refused::Inside),
    ("https://%6cocalhost:{port}/", Refused::Inside),
    ("https://localhost.localdomain:{port}/", Refused::Inside),
    ("https://intranet:{port}/", Refused::Inside),
    ("https://printer.local:{port}/", Refused::Inside),
    ("https://db.internal:{port}/", Refused::Inside),
    ("https://router.lan:{port}/", Refused::Inside),
    ("https://nas.home.arpa:{port}/", Refused::Inside),
    ("https://1.0.0.127.in-addr.arpa:{port}/", Refused::Inside),
    ("https://expyuzz4wqqyqhjn.onion:{port}/", Refused::Inside),
    ("https://a.test:{port}/", Refused::Inside),
    ("https://..:{port}/", Refused::Host),
    ("https://.localhost:{port}/", Refused::Host),
    ("https://localhost..:{port}/", Refused::Host),
    ("https://a..example.com:{port}/", Refused::Host),
    ("https://-$(id).example.com/", Refused::Host),
    ("https://a,127.0.0.1.example.com/", Refused::Host),
    ("https://*.example.com/", Refused::Host),
    ("https://xn--0.example.com/", Refused::Host),
    ("https://example.com%00.evil.example.net/", Refused::Host),
    ("https://example.com%2f@evil.example.net/", Refused::User),
    // Ports.
    ("https://example.com:22/", Refused::Port),
    ("https://example.com:25/", Refused::Port),
    ("https://example.com:80/", Refused::Port),
    ("https://example.com:6379/", Refused::Port),
    ("https://1.1.1.1:2375/", Refused::Port),
    ("https://[2606:4700::1111]:9200/", Refused::Port),
    ("https://example.com:0/", Refused::Port),
    ("https://example.com:65536/", Refused::Host),
    ("https://example.com:-1/", Refused::Host),
    ("https://example.com:443:{port}/", Refused::Host),
    ("https://example.com:４４３/", Refused::Host),
];

/// What the name server says of `trick.example.com`, where that must be refused at the connection.
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
    // One right address makes no wrong one better, wherever it stands.
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
    // All addresses of this machine; without IPv6, those that are left.
    let inside = match Receiver::try_listen("[::]:0", tls()).await {
        Ok(inside) => inside,
        Err(_) => Receiver::listen("0.0.0.0:0", tls()).await,
    };
    let port = inside.port();
    let policy = Policy { ports: vec![443, port], ..site.policy.clone() };
    let fetcher = Fetcher::new(&policy).unwrap();
    let mut tried = 0;

    for (text, why) in TEXTS {
        let address = text.replace("{port}", &port.to_string());
        assert_eq!(fetcher.target(&address).map(drop), Err(*why), "{address:?} as text");
        refused(&fetcher, &address, *why).await;
        tried += 1;
    }
    let long = format!("https://example.com/{}", "a".repeat(2048));
    refused(&fetcher, &long, Refused::TooLong).await;

    let mut at_connection = async |fetcher: &Fetcher, host: &str, what: &str| {
        let address = format!("https://{host}:{port}/{SECRET}?{SECRET}");
        assert!(fetcher.target(&address).is_ok(), "{what}: as text there is nothing wrong with it");
        let admitted = fetcher.admit(&address).await;
        assert!(matches!(admitted, Err(FetchError::Refused(Refused::Inside))), "{what}: {admitted:?}");
        refused(fetcher, &address, Refused::Inside).await;
        tried += 1;
    };
    for addresses in LEADS {
        site.names.says(trick, addresses);
        at_connection(&fetcher, trick, &format!("{addresses:?}")).await;
    }
    // Answers too long for UDP, asked for again over TCP, with the wrong address last.
    let mut many = vec!["1.1.1.1"; 500];
    many.push("127.0.0.1");
    site.names.says(trick, &many);
    at_connection(&fetcher, trick, "500 right addresses and a wrong one").await;
    assert!(site.names.asked_over_tcp() > 0);
    // Other spellings of a name, and names with the address in them.
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
    // Aliases.
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
    // A listed host leads inside, but to no metadata; its neighbours lead nowhere but outside.
    let listing = Policy { hosts: vec!["listed.example.com".to_owned()], ..policy.clone() };
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
    // Connections wait in line to be accepted: where this one is the first, none came before.
    let allowing = Fetcher::new(&policy.with_this_machine()).unwrap();
    let reached = allowing.call(&format!("https://127.0.0.1:{port}/"), get()).await.unwrap();
    assert_eq!((reached.status, inside.accepted()), (200, 1), "somebody inside was reached");
}

async fn refused(fetcher: &Fetcher, address: &str, why: Refused) {
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
    let error = fetcher.admit(&address).await.unwrap_err();
    assert!(matches!(error, FetchError::Failed(_)), "{error}");
    assert!(fetcher.target(&address).is_ok());
}
