//! Serves the files of a page, with headers that isolate it.

use axum::{
    Router,
    extract::Path,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::{borrow::Cow, sync::Arc};

/// A file of `web/dist`.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path in `web/dist`, with `/`.
    pub name: &'static str,
    pub kind: &'static str,
    /// Its entity tag, in quotes.
    pub etag: &'static str,
    pub bytes: &'static [u8],
    /// The contents as brotli (RFC 7932) and as gzip (RFC 1952), where that makes them clearly smaller.
    pub brotli: Option<&'static [u8]>,
    pub gzip: Option<&'static [u8]>,
}

/// A folder of `web/dist` that is served as a page.
#[derive(Clone, Debug)]
pub(crate) struct StaticPage {
    pub files: &'static [File],
    pub folder: &'static str,
    pub headers: &'static PageHeaders,
    /// The brand in the names of the interface's headers, if it is not the one that the page is built with.
    pub brand: Option<Arc<str>>,
}

/// The brand that a page is built with, to be replaced by another one.
const BRAND_META: &str = "name=\"brand\" content=\"Svc\"";

/// The headers of every answer of a page.
pub(crate) type PageHeaders = [(HeaderName, &'static str); 6];

const fn page_headers(
    content_policy: &'static str,
    resource_policy: &'static str,
    permissions: &'static str,
) -> PageHeaders {
    [
        (header::CONTENT_SECURITY_POLICY, content_policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), resource_policy),
        (HeaderName::from_static("permissions-policy"), permissions),
    ]
}

const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";
const CAMERA_PERMISSIONS: &str = "camera=(self), geolocation=(), microphone=()";

/// Nothing from other origins, nothing inline, no frames, no referrer; no camera, location or microphone.
pub(crate) static ISOLATED_HEADERS: PageHeaders =
    page_headers(CONTENT_POLICY, "same-origin", "camera=(), geolocation=(), microphone=()");

/// The same for a page with a camera that a relying party may show in a frame. The pages do not know the origins of
/// relying parties: who serves the page fills in those of its session.
pub(crate) static EMBEDDABLE_HEADERS: PageHeaders =
    page_headers(CONTENT_POLICY, "cross-origin", CAMERA_PERMISSIONS);

/// The same for a page that shows another of this server's pages in a frame.
pub(crate) static FRAMING_HEADERS: PageHeaders = page_headers(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
     manifest-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
    "cross-origin",
    CAMERA_PERMISSIONS,
);

/// Names under `assets/` contain a hash of their contents; the others are revalidated each time.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";
const CACHE_REVALIDATE: &str = "no-cache";

impl StaticPage {
    /// The routes of this page below a path that ends in `/`.
    pub(crate) fn routes_below(self, below: &str) -> Router {
        let page = self.clone();
        let index = move |headers: HeaderMap| async move { page.answer("index.html", &headers) };
        let file =
            move |Path(name): Path<String>, headers: HeaderMap| async move { self.answer(&name, &headers) };
        Router::new().route(below, get(index)).route(&format!("{below}{{*name}}"), get(file))
    }

    /// The routes of this page at a path that does not end in `/`, at every single name below it, and of its assets.
    /// Seen from the path itself, its files are one level further down, so its document there is `above.html`. Deeper
    /// paths, and names of versions such as `v1`, belong to the interface.
    pub(crate) fn routes_at(self, path: &str) -> Router {
        let (page, below, step) = (self.clone(), self.clone(), self.clone());
        let above = move |headers: HeaderMap| async move { page.answer("above.html", &headers) };
        let index = move |headers: HeaderMap| async move { below.answer("index.html", &headers) };
        let step = move |Path(name): Path<String>, headers: HeaderMap| async move {
            // A name that is not a step is answered with 404.
            step.answer(if is_step(&name) { "index.html" } else { "" }, &headers)
        };
        let asset = move |Path(name): Path<String>, headers: HeaderMap| async move {
            self.answer(&format!("assets/{name}"), &headers)
        };
        Router::new()
            .route(path, get(above))
            .route(&format!("{path}/"), get(index))
            .route(&format!("{path}/{{step}}"), get(step))
            .route(&format!("{path}/assets/{{name}}"), get(asset))
    }

    fn answer(&self, name: &str, asked: &HeaderMap) -> Response {
        if self.files.is_empty() {
            let sentence = "the pages were not there when this server was built: run `make setup`, then build it again\n";
            return self.plain(StatusCode::SERVICE_UNAVAILABLE, sentence);
        }
        let named = |file: &&File| {
            file.name.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/')) == Some(name)
        };
        let Some(file) = self.files.iter().find(named) else {
            return self.plain(StatusCode::NOT_FOUND, "there is no such page\n");
        };
        let keep = if name.starts_with("assets/") { CACHE_IMMUTABLE } else { CACHE_REVALIDATE };
        let Representation { etag, bytes, encoding } =
            self.branded(file).or_else(|| compressed(file, asked)).unwrap_or_else(|| Representation {
                etag: file.etag.to_owned(),
                bytes: Cow::Borrowed(file.bytes),
                encoding: None,
            });
        let known = [
            (header::ETAG, etag.clone()),
            (header::CACHE_CONTROL, keep.to_owned()),
            (header::VARY, header::ACCEPT_ENCODING.to_string()),
        ];
        if etag_matches(asked, &etag) {
            return (StatusCode::NOT_MODIFIED, self.headers.clone(), known).into_response();
        }
        let mut response =
            (self.headers.clone(), known, [(header::CONTENT_TYPE, file.kind)], bytes).into_response();
        if let Some(encoding) = encoding {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// An HTML document with the server's own brand; `None` if nothing is to be replaced.
    fn branded(&self, file: &'static File) -> Option<Representation> {
        let brand = self.brand.as_ref().filter(|_| file.kind.starts_with("text/html"))?;
        let text = str::from_utf8(file.bytes).ok().filter(|text| text.contains(BRAND_META))?;
        let text = text.replace(BRAND_META, &BRAND_META.replace("Svc", brand));
        Some(Representation {
            etag: tagged(file.etag, brand),
            bytes: Cow::Owned(text.into_bytes()),
            encoding: None,
        })
    }

    fn plain(&self, status: StatusCode, sentence: &'static str) -> Response {
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
        (status, self.headers.clone(), kind, sentence).into_response()
    }
}

/// A file as it is sent.
struct Representation {
    etag: String,
    bytes: Cow<'static, [u8]>,
    encoding: Option<&'static str>,
}

/// A file in the smallest encoding that the browser accepts and the file has.
fn compressed(file: &'static File, asked: &HeaderMap) -> Option<Representation> {
    let accepted = asked.get_all(header::ACCEPT_ENCODING);
    let accepts = |encoding| {
        accepted.iter().filter_map(|value| value.to_str().ok()).any(|list| accepts_encoding(list, encoding))
    };
    let (bytes, encoding) = [(file.brotli, "br"), (file.gzip, "gzip")]
        .into_iter()
        .find_map(|(bytes, encoding)| bytes.filter(|_| accepts(encoding)).map(|bytes| (bytes, encoding)))?;
    Some(Representation {
        etag: tagged(file.etag, encoding),
        bytes: Cow::Borrowed(bytes),
        encoding: Some(encoding),
    })
}

/// Whether a list of encodings names one without forbidding it (RFC 9110, section 12.5.3).
fn accepts_encoding(list: &str, encoding: &str) -> bool {
    list.split(',').any(|item| {
        let (name, weight) = item.split_once(';').unwrap_or((item, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
        name.trim().eq_ignore_ascii_case(encoding) && weight.is_some_and(|weight: f32| weight > 0.0)
    })
}

/// The entity tag of another form of the same file.
fn tagged(etag: &str, form: &str) -> String {
    format!("{}-{form}\"", etag.trim_end_matches('"'))
}

/// Whether a name may be a step of a page; one that looks like the version of an interface is not.
fn is_step(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let version = name.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    name.len() <= 40 && name.bytes().all(plain) && !version
}

/// Whether the browser has these contents already. Proxies that compress make tags weak, so weak tags count as well.
fn etag_matches(asked: &HeaderMap, etag: &str) -> bool {
    let tags = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    tags.flat_map(|list| list.split(',')).any(|tag| {
        let tag = tag.trim();
        tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag
    })
}
