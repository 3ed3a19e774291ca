//! Locations in which a session is blocked.

use crate::age_verification::{AgeSessionFixture, BASE, relying_party_call};
use api::{GeoLocator, GeoSettings};
use axum::{body::Body, extract::ConnectInfo, http::Request};
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc};
use testkit::{TestApp, TestResponse};

/// A string in `MaxMind`'s format: type 2, and its length.
fn text(text: &str) -> Vec<u8> {
    [&[(2 << 5) | text.len() as u8][..], text.as_bytes()].concat()
}

/// A number of two bytes, type 5. The build epoch has to be a longer one (type 9).
fn number(number: u16) -> Vec<u8> {
    [&[(5 << 5) | 2][..], &number.to_be_bytes()].concat()
}

/// A map, type 7.
fn map(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let members = members.iter().flat_map(|(name, value)| [text(name), value.clone()]);
    [vec![(7 << 5) | (members.clone().count() as u8 / 2)], members.collect::<Vec<_>>().concat()].concat()
}

/// An array, type 11.
fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [vec![items.len() as u8, 11 - 7], items.concat()].concat()
}

/// A database in which 203.0.113.0/24 is in these parts of a country, and nothing else is known.
fn addresses(country: &str, parts: &[&str]) -> Vec<u8> {
    let network = u32::from_be_bytes([203, 0, 113, 0]);
    let (nodes, bits) = (24_u32, 24);
    let tree = (0..bits).flat_map(|bit| {
        // Past the last node 16 bytes are skipped, then data begins.
        let next = if bit + 1 == bits { nodes + 16 } else { bit + 1 };
        let branch = |side: u32| if (network >> (31 - bit)) & 1 == side { next } else { nodes };
        [branch(0).to_be_bytes(), branch(1).to_be_bytes()].map(|record| record[1..].to_vec()).concat()
    });
    let parts: Vec<_> = parts.iter().map(|part| map(&[("iso_code", text(part))])).collect();
    let data = map(&[("country", map(&[("iso_code", text(country))])), ("subdivisions", list(&parts))]);
    let about = map(&[
        ("binary_format_major_version", number(2)),
        ("binary_format_minor_version", number(0)),
        ("build_epoch", vec![1, 9 - 7, 1]),
        ("database_type", text("Test-City")),
        ("description", map(&[])),
        ("ip_version", number(4)),
        ("languages", list(&[text("en")])),
        ("node_count", vec![(6 << 5) | 1, 24]),
        ("record_size", number(24)),
    ]);
    let marker = b"\xab\xcd\xefMaxMind.com".to_vec();
    [tree.collect(), vec![0; 16], data, marker, about].concat()
}

/// A server that locates callers.
async fn server(settings: &GeoSettings) -> TestApp {
    let places = Arc::new(GeoLocator::open(settings).unwrap());
    TestApp::start_with(|api| api.geo_locator = places).await
}

/// The same, with a session that is blocked in Utah and the United Kingdom.
async fn open(settings: &GeoSettings) -> (TestApp, AgeSessionFixture) {
    let app = server(settings).await;
    let session = AgeSessionFixture::create(
        &app,
        BASE,
        &json!({ "blocked_locations": ["us-ut", "GB"], "age_estimation": {} }),
    )
    .await;
    (app, session)
}

/// A call of the page, with headers, from an address. It consents where that is asked.
async fn call(
    app: &TestApp,
    session: &AgeSessionFixture,
    what: (&str, &str),
    headers: &[(&str, &str)],
    peer: &str,
) -> TestResponse {
    call_with(app, session, what, &json!({ "method": "AGE_ESTIMATION", "given": true }), headers, peer).await
}

/// The same with a body.
async fn call_with(
    app: &TestApp,
    session: &AgeSessionFixture,
    what: (&str, &str),
    body: &Value,
    headers: &[(&str, &str)],
    peer: &str,
) -> TestResponse {
    let mut request = Request::builder()
        .method(what.0)
        .uri(format!("/age/v1/sessions/{}{}", session.id, what.1))
        .header("svc-sdk-id", app.app.to_string())
        .header("Content-Type", "application/json")
        .extension(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 4711)));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// Whether a caller is blocked: the page says so, and nothing can be begun.
async fn is_blocked(
    app: &TestApp,
    session: &AgeSessionFixture,
    headers: &[(&str, &str)],
    peer: &str,
) -> bool {
    let view = call(app, session, ("GET", ""), headers, peer).await;
    assert_eq!(view.status_and_code(), "200");
    let blocked = view.json()["location_blocked"] == Value::Bool(true);
    let opened = call(app, session, ("POST", "/attempts"), headers, peer).await.status_and_code();
    let consent = call(app, session, ("POST", "/consent"), headers, peer).await.status_and_code();
    if blocked {
        assert_eq!([opened, consent], ["403 LOCATION_BLOCKED", "403 LOCATION_BLOCKED"]);
    } else {
        assert!(!opened.contains("LOCATION") && !consent.contains("LOCATION"), "{opened} {consent}");
    }
    blocked
}

#[tokio::test]
async fn a_header_of_the_proxy_names_the_location() {
    let (app, session) =
        open(&GeoSettings { location_header: Some("CF-IPCountry".to_owned()), ..GeoSettings::default() })
            .await;
    for (place, blocked) in [
        (Some("GB"), true),
        (Some("gb-eng"), true),
        (Some("US-UT"), true),
        (Some("US"), false),
        (Some("US-TX"), false),
        (Some("FR"), false),
        // An invalid location counts as unknown.
        (Some("XX1"), false),
        (None, false),
    ] {
        let headers: Vec<_> = place.map(|place| ("cf-ipcountry", place)).into_iter().collect();
        assert_eq!(is_blocked(&app, &session, &headers, "127.0.0.1").await, blocked, "{place:?}");
    }
    // A blocked end user can still take back consent, and cancel.
    let (headers, consent) = ([("cf-ipcountry", "GB")], ("POST", "/consent"));
    let taken_back =
        call_with(&app, &session, consent, &json!({ "given": false }), &headers, "127.0.0.1").await;
    assert_eq!(
        (taken_back.status_and_code(), &taken_back.json()["consent"]["given"]),
        ("200".to_owned(), &json!(false))
    );
    let cancelled = call(&app, &session, ("POST", "/cancel"), &headers, "127.0.0.1").await;
    assert_eq!(
        (cancelled.status_and_code(), &cancelled.json()["status"]),
        ("200".to_owned(), &json!("CANCELLED"))
    );
}

#[tokio::test]
async fn the_location_of_an_address_is_looked_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cities.mmdb");
    std::fs::write(&file, addresses("US", &["UT"])).unwrap();
    let settings = GeoSettings { geoip_database: Some(file), ..GeoSettings::default() };

    let (app, session) = open(&settings).await;
    assert!(is_blocked(&app, &session, &[], "203.0.113.7").await);
    assert!(is_blocked(&app, &session, &[], "::ffff:203.0.113.7").await);
    assert!(!is_blocked(&app, &session, &[], "203.0.114.7").await);
    assert!(!is_blocked(&app, &session, &[], "2001:db8::7").await);
    // A header that any caller can set is ignored.
    assert!(!is_blocked(&app, &session, &[("x-forwarded-for", "203.0.113.7")], "198.51.100.1").await);

    let settings = GeoSettings { address_header: Some("X-Forwarded-For".to_owned()), ..settings };
    let (app, session) = open(&settings).await;
    for (noted, blocked) in [
        ("203.0.113.7", true),
        ("198.51.100.1, 203.0.113.7", true),
        ("203.0.113.7:4711", true),
        // Only the last was written by the proxy.
        ("203.0.113.7, 198.51.100.1", false),
        ("nonsense", false),
    ] {
        assert_eq!(
            is_blocked(&app, &session, &[("x-forwarded-for", noted)], "203.0.113.7").await,
            blocked,
            "{noted}"
        );
    }
}

#[tokio::test]
async fn a_subdivision_within_a_subdivision_is_blocked_by_its_own_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cities.mmdb");
    std::fs::write(&file, addresses("GB", &["ENG", "KEN"])).unwrap();
    let app = server(&GeoSettings { geoip_database: Some(file), ..GeoSettings::default() }).await;
    for (code, blocked) in
        [("GB-KEN", true), ("gb-eng", true), ("gbr", true), ("GB-SRY", false), ("ES", false)]
    {
        let payload = json!({ "blocked_locations": [code], "age_estimation": {} });
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        let record = session.result(&app).await;
        assert_eq!(record["blocked_locations"], json!([code.to_ascii_uppercase()]));
        assert_eq!(is_blocked(&app, &session, &[], "203.0.113.7").await, blocked, "{code}");
    }
}

#[tokio::test]
async fn a_country_that_there_is_not_is_refused() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let payload = json!({ "blocked_locations": ["GB", "UK", "XK"], "age_estimation": {} });
    let refused = relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let words = "blocked_locations[1]: in ISO 3166-1 this country is GB";
    assert_eq!(refused.json()["error_message"], words);
}

#[test]
fn unusable_settings_are_named() {
    let bad = GeoLocator::open(&GeoSettings {
        location_header: Some("no header".to_owned()),
        ..GeoSettings::default()
    });
    assert_eq!(bad.unwrap_err().to_string(), "`no header` is not the name of a header");
    let missing =
        GeoSettings { geoip_database: Some("/nowhere/cities.mmdb".into()), ..GeoSettings::default() };
    let words = GeoLocator::open(&missing).unwrap_err().to_string();
    assert_eq!(words, "the database of addresses /nowhere/cities.mmdb cannot be read");
}
