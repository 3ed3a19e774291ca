mod vectors;

use crate::{
    File, router_with,
    serve::{EMBEDDABLE_HEADERS, FRAMING_HEADERS, ISOLATED_HEADERS, PageHeaders},
};
use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, header},
    routing::get as route,
};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

const UNCOMPRESSED: File = File { name: "", kind: "", etag: "", bytes: b"", brotli: None, gzip: None };

static MADE_UP: &[File] = &[
    File {
        name: "holder/assets/page-1234.js",
        kind: "text/javascript; charset=utf-8",
        etag: "\"1\"",
        bytes: b"let a",
        ..UNCOMPRESSED
    },
    File {
        name: "holder/index.html",
        kind: "text/html; charset=utf-8",
        etag: "\"2\"",
        bytes: b"<!doctype html>",
        ..UNCOMPRESSED
    },
    File {
        name: "identity/index.html",
        kind: "text/html; charset=utf-8",
        etag: "\"4\"",
        bytes: b"<!doctype html><p>",
        ..UNCOMPRESSED
    },
    File {
        name: "age/above.html",
        kind: "text/html; charset=utf-8",
        etag: "\"6\"",
        bytes: b"<!doctype html><p>above",
        ..UNCOMPRESSED
    },
    File {
        name: "age/index.html",
        kind: "text/html; charset=utf-8",
        etag: "\"7\"",
        bytes: b"<!doctype html><p>below",
        ..UNCOMPRESSED
    },
    File {
        name: "age/assets/page-5678.js",
        kind: "text/javascript; charset=utf-8",
        etag: "\"8\"",
        bytes: b"let c",
        ..UNCOMPRESSED
    },
    File {
        name: "other/secret.js",
        kind: "text/javascript; charset=utf-8",
        etag: "\"3\"",
        bytes: b"let b",
        ..UNCOMPRESSED
    },
];

struct PageResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl PageResponse {
    fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn ask(
    files: &'static [File],
    method: &str,
    path: &str,
    headers: &[(header::HeaderName, &str)],
) -> PageResponse {
    ask_of(router_with(files, "Svc"), method, path, headers).await
}

async fn ask_of(
    router: Router,
    method: &str,
    path: &str,
    headers: &[(header::HeaderName, &str)],
) -> PageResponse {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let response = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    PageResponse {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

async fn get(path: &str) -> PageResponse {
    ask(MADE_UP, "GET", path, &[]).await
}

#[tokio::test]
async fn the_page_is_asked_for_each_time_and_its_assets_once() {
    let page = get("/poa/holder/").await;
    assert_eq!((page.status, &*page.body), (StatusCode::OK, "<!doctype html>"));
    assert_eq!(page.header(header::CONTENT_TYPE), "text/html; charset=utf-8");
    assert_eq!(page.header(header::CACHE_CONTROL), "no-cache");

    // The pages ask by another address for what could not be fetched: browsers remember the failure of the first.
    for path in ["/poa/holder/assets/page-1234.js", "/poa/holder/assets/page-1234.js?again=1"] {
        let asset = get(path).await;
        assert_eq!((asset.status, &*asset.body), (StatusCode::OK, "let a"), "{path}");
        assert_eq!(asset.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable", "{path}");
    }
}

#[tokio::test]
async fn every_answer_keeps_to_itself() {
    for path in ["/poa/holder/", "/poa/holder/assets/page-1234.js", "/poa/holder/nothing"] {
        let answer = get(path).await;
        for (name, value) in &ISOLATED_HEADERS {
            assert_eq!(answer.header(name.clone()), *value, "{path}: {name}");
        }
    }
    let policy = get("/poa/holder/").await.header(header::CONTENT_SECURITY_POLICY).to_owned();
    let tried = include_str!("../../../web/tests/browser/holder-stand-in.ts");
    assert!(tried.contains(&format!("\"{policy}\"")), "the browser tests run under another policy");
}

#[tokio::test]
async fn the_page_of_a_session_may_use_the_camera_and_be_put_into_a_frame() {
    for base in ["/idverify/v1", "/sandbox/idverify/v1"] {
        for (path, status) in [("web/", 200), ("web/index.html", 200), ("web/nothing", 404)] {
            let answer = get(&format!("{base}/{path}")).await;
            assert_eq!(answer.status.as_u16(), status, "{base}/{path}");
            for (name, value) in &EMBEDDABLE_HEADERS {
                assert_eq!(answer.header(name.clone()), *value, "{path}: {name}");
            }
        }
    }
    assert_tried_under(&EMBEDDABLE_HEADERS, include_str!("../../../web/tests/browser/identity-stand-in.ts"));
}

/// Asserts that the browser tests' stand-in for the server sends these headers.
fn assert_tried_under(headers: &PageHeaders, tried: &str) {
    for (name, value) in headers {
        let sent = ["content-security-policy", "permissions-policy"].contains(&name.as_str());
        assert!(
            !sent || tried.contains(&format!("\"{value}\"")),
            "the browser tests run under another {name}"
        );
    }
}

#[tokio::test]
async fn the_page_of_age_sessions_is_at_its_name_at_each_method_and_where_providers_send_people_back() {
    for base in ["", "/sandbox"] {
        for (path, body) in [
            ("/age", "<!doctype html><p>above"),
            ("/age?sessionId=1&sdkId=2", "<!doctype html><p>above"),
            ("/age/", "<!doctype html><p>below"),
            ("/age/age_estimation?sessionId=1&sdkId=2", "<!doctype html><p>below"),
            ("/age/us_florida_hb3", "<!doctype html><p>below"),
            ("/age/return?code=3", "<!doctype html><p>below"),
            ("/age/assets/page-5678.js", "let c"),
            ("/age/assets/page-5678.js?again=1", "let c"),
        ] {
            let answer = get(&format!("{base}{path}")).await;
            assert_eq!((answer.status, &*answer.body), (StatusCode::OK, body), "{base}{path}");
            for (name, value) in &FRAMING_HEADERS {
                assert_eq!(answer.header(name.clone()), *value, "{path}: {name}");
            }
        }
        for path in [
            "/age/index.html",
            "/age/above.html",
            "/age/Email",
            "/age/%2e%2e",
            "/age/v1",
            "/age/v2",
            "/age/email/more",
            "/age/assets/nothing.js",
            "/age/assets/..%2Findex.html",
        ] {
            assert_eq!(get(&format!("{base}{path}")).await.status, StatusCode::NOT_FOUND, "{base}{path}");
        }
    }
    assert_tried_under(&FRAMING_HEADERS, include_str!("../../../web/tests/browser/age-stand-in.ts"));
}

#[tokio::test]
async fn the_page_of_age_sessions_leaves_the_interface_below_it_alone() {
    let router = || {
        let interface = Router::new().route("/age/v1/sessions/{id}", route(|| async { "the interface" }));
        router_with(MADE_UP, "Svc").merge(interface)
    };
    let answer = ask_of(router(), "GET", "/age/v1/sessions/1", &[]).await;
    assert_eq!((answer.status, &*answer.body), (StatusCode::OK, "the interface"));
    let refused = ask_of(router(), "POST", "/age/v1/sessions/1", &[]).await;
    assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
    let nothing = ask_of(router(), "GET", "/age/v1/nothing", &[]).await;
    assert_eq!(
        (nothing.status, &*nothing.body),
        (StatusCode::NOT_FOUND, ""),
        "the page does not answer there"
    );
}

#[tokio::test]
async fn the_page_of_a_session_knows_another_brand() {
    static NAMED: &[File] = &[File {
        name: "identity/index.html",
        kind: "text/html; charset=utf-8",
        etag: "\"5\"",
        bytes: b"<meta name=\"brand\" content=\"Svc\">",
        ..UNCOMPRESSED
    }];
    for (brand, content, etag) in [("Svc", "Svc", "\"5\""), ("Acme", "Acme", "\"5-Acme\"")] {
        let request = Request::builder().uri("/idverify/v1/web/index.html").body(Body::empty()).unwrap();
        let response = router_with(NAMED, brand).oneshot(request).await.unwrap();
        assert_eq!(response.headers()[header::ETAG], etag);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, format!("<meta name=\"brand\" content=\"{content}\">").as_bytes());
    }
    for built in
        [include_str!("../../../web/identity/index.html"), include_str!("../../../web/age/index.html")]
    {
        assert!(built.contains("name=\"brand\" content=\"Svc\""), "there is nothing to replace");
    }
}

#[tokio::test]
async fn what_the_browser_has_is_not_sent_again() {
    for tag in ["\"2\"", "W/\"2\"", "\"1\", \"2\"", "*"] {
        let answer = ask(MADE_UP, "GET", "/poa/holder/", &[(header::IF_NONE_MATCH, tag)]).await;
        assert_eq!((answer.status, &*answer.body), (StatusCode::NOT_MODIFIED, ""), "{tag}");
        assert_eq!(answer.header(header::ETAG), "\"2\"");
    }
    let answer = ask(MADE_UP, "GET", "/poa/holder/", &[(header::IF_NONE_MATCH, "\"1\"")]).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_browser_gets_the_smallest_encoding_that_it_accepts() {
    static COMPRESSED: &[File] = &[
        File {
            name: "holder/index.html",
            kind: "text/html; charset=utf-8",
            etag: "\"1\"",
            bytes: b"as it is",
            brotli: Some(b"brotli"),
            gzip: Some(b"gzip"),
        },
        File {
            name: "holder/assets/page-1234.js",
            kind: "text/javascript; charset=utf-8",
            etag: "\"2\"",
            bytes: b"short",
            ..UNCOMPRESSED
        },
    ];
    for (accepted, encoding, body, etag) in [
        ("gzip, deflate, br, zstd", "br", "brotli", "\"1-br\""),
        ("gzip, deflate", "gzip", "gzip", "\"1-gzip\""),
        ("GZIP;q=0.5, br; q=0", "gzip", "gzip", "\"1-gzip\""),
        ("br;q=0.000, gzip;q=0", "", "as it is", "\"1\""),
        ("identity", "", "as it is", "\"1\""),
        ("br;q=nonsense", "", "as it is", "\"1\""),
        ("brotli, gzipped", "", "as it is", "\"1\""),
        ("", "", "as it is", "\"1\""),
    ] {
        let asked = [(header::ACCEPT_ENCODING, accepted)];
        let answer = ask(COMPRESSED, "GET", "/poa/holder/", &asked).await;
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, body), "{accepted}");
        assert_eq!(answer.header(header::CONTENT_ENCODING), encoding, "{accepted}");
        assert_eq!(answer.header(header::ETAG), etag, "{accepted}");
        assert_eq!(answer.header(header::VARY), "accept-encoding", "{accepted}");
        assert_eq!(answer.header(header::CONTENT_LENGTH), body.len().to_string(), "{accepted}");
        let known = [(header::ACCEPT_ENCODING, accepted), (header::IF_NONE_MATCH, etag)];
        let known = ask(COMPRESSED, "GET", "/poa/holder/", &known).await;
        assert_eq!(known.status, StatusCode::NOT_MODIFIED, "{accepted}");
    }
    let asked = [(header::ACCEPT_ENCODING, "br, gzip")];
    let whole = ask(COMPRESSED, "GET", "/poa/holder/assets/page-1234.js", &asked).await;
    assert_eq!((&*whole.body, whole.header(header::CONTENT_ENCODING)), ("short", ""));
}

#[test]
fn programs_are_built_in_compressed() {
    let is_program = |file: &&File| file.kind.starts_with("text/javascript") && file.bytes.len() > 2000;
    for file in crate::BUILT_FILES.iter().filter(is_program) {
        let (Some(brotli), Some(gzip)) = (file.brotli, file.gzip) else { panic!("{}", file.name) };
        assert!(brotli.len() < gzip.len() && gzip.len() < file.bytes.len(), "{}", file.name);
    }
}

#[tokio::test]
async fn only_files_of_the_page_itself_are_found() {
    for path in [
        "nothing",
        "assets/",
        "assets",
        "holder/index.html",
        "../other/secret.js",
        "..%2Fother/secret.js",
        "%2e%2e/x",
    ] {
        assert_eq!(get(&format!("/poa/holder/{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(ask(MADE_UP, "POST", "/poa/holder/", &[]).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn the_address_without_its_slash_leads_on_and_the_head_is_like_the_whole() {
    let answer = get("/poa/holder").await;
    assert_eq!(
        (answer.status, answer.header(header::LOCATION)),
        (StatusCode::PERMANENT_REDIRECT, "/poa/holder/")
    );
    let head = ask(MADE_UP, "HEAD", "/poa/holder/", &[]).await;
    assert_eq!((head.status, &*head.body), (StatusCode::OK, ""));
    assert_eq!(head.header(header::CONTENT_LENGTH), "15");
}

#[tokio::test]
async fn a_server_built_without_pages_says_what_to_run() {
    for path in ["/poa/holder/", "/poa/holder/sw.js"] {
        let answer = ask(&[], "GET", path, &[]).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer.body.contains("make setup"), "{}", answer.body);
        assert_eq!(answer.header(header::CACHE_CONTROL), "no-store");
    }
}

#[tokio::test]
async fn the_pages_that_are_built_in_hang_together() {
    if !crate::are_built_in() {
        let is_required = std::env::var_os("ASSAY_REQUIRE_ALL_TESTS").is_some();
        assert!(!is_required, "this was built without pages: `make setup` builds them");
        return;
    }
    for (path, below, beside) in [
        ("/poa/holder/", "/poa/holder/", &["sw.js"][..]),
        ("/console/", "/console/", &[]),
        ("/idverify/v1/web/", "/idverify/v1/web/", &[]),
        ("/age", "/", &[]),
        ("/age/email", "/age/", &[]),
        ("/sandbox/age", "/sandbox/", &[]),
    ] {
        let page = ask(crate::BUILT_FILES, "GET", path, &[]).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let named = page.body.split('"').filter(|text| {
            text.starts_with("assets/") || text.starts_with("age/assets/") || text.ends_with(".webmanifest")
        });
        let named: Vec<_> = named.chain(beside.iter().copied()).collect();
        assert!(named.len() >= 3, "{path}: {named:?}");
        for name in named {
            let answer = ask(crate::BUILT_FILES, "GET", &format!("{below}{name}"), &[]).await;
            assert_eq!(answer.status, StatusCode::OK, "{below}{name}");
        }
        for forbidden in ["style=", " onclick", "http://", "https://", "{{"] {
            let body = page.body.replace("http://www.w3.org/2000/svg", "");
            assert!(!body.contains(forbidden), "{path}: {forbidden}");
        }
    }
}
