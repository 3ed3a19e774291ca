//! A host name of its own for a mount: clients that were set up with `https://ai.example.com` need no path prefix.

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, Uri, header, uri::PathAndQuery},
};
use std::collections::BTreeMap;
use tower::{Layer as _, util::MapRequestLayer};

/// The five interfaces and the paths they are mounted at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interface {
    /// Content moderation.
    Moderation,
    /// Image AI.
    Ai,
    /// Proof of age.
    Proof,
    /// Document verification.
    Identity,
    /// Age sessions.
    Ages,
}

impl Interface {
    /// What a mount's paths begin with; the first is put before those that begin with none of them.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Moderation => &["/accounts", "/console"],
            Self::Ai => &["/ai/v1", "/ai/sm"],
            Self::Proof => &["/poa/v1", "/poa/holder", "/v1/oauth"],
            Self::Identity => &["/idverify/v1", "/sandbox/idverify/v1", "/v1/oauth"],
            // The page takes photos with the capture module, and has documents photographed on the page for documents, in a
            // frame, which asks its own interface: both only from where it came from itself.
            Self::Ages => &[
                "/api/v1",
                "/sandbox/api/v1",
                "/age",
                "/sandbox/age",
                "/v1/oauth",
                "/ai/sm/v1/secure",
                "/idverify/v1/web",
                "/idverify/v1/sessions",
                "/idverify/v1/supported-documents",
                "/sandbox/idverify/v1/web",
                "/sandbox/idverify/v1/sessions",
                "/sandbox/idverify/v1/supported-documents",
            ],
        }
    }
}

/// Host names, each of one mount. Other hosts serve all mounts.
#[derive(Clone, Debug, Default)]
pub struct VirtualHosts(BTreeMap<String, Interface>);

impl VirtualHosts {
    /// Gives a mount a host name (without a port).
    pub fn insert(&mut self, host: &str, mount: Interface) {
        self.0.insert(host.to_ascii_lowercase(), mount);
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Puts the hosts, and the sandbox, in front of the routes. A signature counts over any end of the path, so it holds either way.
    pub(crate) fn before(self, routes: Router) -> Router {
        // The sandbox has the routes of production, and is marked: it is unpacked after a host has named the mount.
        let mounted = MapRequestLayer::new(move |request| unpack_sandbox(self.mount(request))).layer(routes);
        Router::new().fallback_service(mounted)
    }

    fn mount(&self, mut request: Request) -> Request {
        let mount = named(request.uri(), request.headers()).and_then(|host| self.0.get(&host));
        if let Some(path) = mount.and_then(|mount| within(*mount, request.uri())) {
            let mut parts = std::mem::take(request.uri_mut()).into_parts();
            parts.path_and_query = Some(path);
            if let Ok(uri) = Uri::from_parts(parts) {
                *request.uri_mut() = uri;
            }
        }
        request
    }
}

/// Marks a request of a sandbox; holds the address as it came.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox(pub(crate) Uri);

/// What the sandboxes' paths begin with, in front of those of production, and what follows it where an interface is meant;
/// pages stay where they are.
pub(crate) const SANDBOX: &str = "/sandbox";
const SANDBOXES: [&str; 3] = ["/idverify/v1/", "/api/v1/", "/age/v1/"];
const PAGES: &str = "/idverify/v1/web";

/// Gives a request of a sandbox the path of production, and marks it.
fn unpack_sandbox(mut request: Request) -> Request {
    let is_page =
        |path: &str| path.strip_prefix(PAGES).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let inner = request.uri().path().strip_prefix(SANDBOX);
    let inner = inner.filter(|path| SANDBOXES.iter().any(|mount| path.starts_with(mount)) && !is_page(path));
    let Some(inner) = inner else { return request };
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(path) = format!("{inner}{query}").parse::<PathAndQuery>() else { return request };
    let original = request.uri().clone();
    let mut parts = original.clone().into_parts();
    parts.path_and_query = Some(path);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
        request.extensions_mut().insert(Sandbox(original));
    }
    request
}

/// The host a request is for, without its port.
fn named(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let host = uri.host().or_else(|| headers.get(header::HOST)?.to_str().ok()?.split(':').next());
    host.map(str::to_ascii_lowercase)
}

/// The full path of one that is relative to a mount; `None` where it is full already.
fn within(mount: Interface, uri: &Uri) -> Option<PathAndQuery> {
    let path = uri.path();
    let full = mount
        .prefixes()
        .iter()
        .any(|prefix| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    if full {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{path}{query}", mount.prefixes().first()?).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_of_age_sessions_has_what_their_page_needs() {
        for path in [
            "/age/doc_scan?sessionId=1",
            "/age/v1/sessions/1",
            "/ai/sm/v1/secure/1/token?sdkId=1",
            "/ai/sm/v1/secure/1/capture.js",
            "/idverify/v1/web/index.html",
            "/sandbox/idverify/v1/web/assets/index.js",
            "/idverify/v1/sessions/1/configuration",
            "/sandbox/idverify/v1/sessions/1/configuration",
            "/idverify/v1/supported-documents",
            "/v1/oauth/token",
        ] {
            assert_eq!(within(Interface::Ages, &path.parse().unwrap()), None, "{path}");
        }
        for (path, full) in [
            ("/sessions/1?a=b", "/api/v1/sessions/1?a=b"),
            ("/ai/v1/age", "/api/v1/ai/v1/age"),
            ("/idverify/v1/apps/1/response-config", "/api/v1/idverify/v1/apps/1/response-config"),
            ("/console/", "/api/v1/console/"),
        ] {
            assert_eq!(
                within(Interface::Ages, &path.parse().unwrap()),
                Some(full.parse().unwrap()),
                "{path}"
            );
        }
    }
}
