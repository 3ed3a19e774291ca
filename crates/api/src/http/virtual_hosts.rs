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
    ContentModeration,
    /// Image AI.
    ImageAnalysis,
    /// Proof of age.
    ProofOfAge,
    /// Document verification.
    DocumentVerification,
    /// Age sessions.
    AgeVerification,
}

impl Interface {
    /// What a mount's paths begin with; the first is put before those that begin with none of them.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::ContentModeration => &["/accounts", "/console"],
            Self::ImageAnalysis => &["/ai/v1", "/ai/sm"],
            Self::ProofOfAge => &["/poa/v1", "/poa/holder", "/v1/oauth"],
            Self::DocumentVerification => &["/idverify/v1", "/sandbox/idverify/v1", "/v1/oauth"],
            // The page takes photos with the capture module, and has documents photographed on the page for documents, in a
            // frame, which asks its own interface: both only from where it came from itself.
            Self::AgeVerification => &[
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
    pub(crate) fn wrap(self, routes: Router) -> Router {
        // The sandbox has the routes of production, and is marked: it is unpacked after a host has named the mount.
        let mounted =
            MapRequestLayer::new(move |request| strip_sandbox_prefix(self.rewrite_for_host(request)))
                .layer(routes);
        Router::new().fallback_service(mounted)
    }

    fn rewrite_for_host(&self, mut request: Request) -> Request {
        let mount = host_name(request.uri(), request.headers()).and_then(|host| self.0.get(&host));
        if let Some(path) = mount.and_then(|mount| full_path(*mount, request.uri())) {
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
pub(crate) struct SandboxUri(pub(crate) Uri);

/// What the sandboxes' paths begin with, in front of those of production, and what follows it where an interface is meant;
/// pages stay where they are.
pub(crate) const SANDBOX_PREFIX: &str = "/sandbox";
const SANDBOXED_PREFIXES: [&str; 3] = ["/idverify/v1/", "/api/v1/", "/age/v1/"];
const HOSTED_PAGE_PREFIX: &str = "/idverify/v1/web";

/// Gives a request of a sandbox the path of production, and marks it.
fn strip_sandbox_prefix(mut request: Request) -> Request {
    let is_page = |path: &str| {
        path.strip_prefix(HOSTED_PAGE_PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let inner = request.uri().path().strip_prefix(SANDBOX_PREFIX);
    let inner =
        inner.filter(|path| SANDBOXED_PREFIXES.iter().any(|mount| path.starts_with(mount)) && !is_page(path));
    let Some(inner) = inner else { return request };
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(path) = format!("{inner}{query}").parse::<PathAndQuery>() else { return request };
    let original = request.uri().clone();
    let mut parts = original.clone().into_parts();
    parts.path_and_query = Some(path);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
        request.extensions_mut().insert(SandboxUri(original));
    }
    request
}

/// The host a request is for, without its port.
fn host_name(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let host = uri.host().or_else(|| headers.get(header::HOST)?.to_str().ok()?.split(':').next());
    host.map(str::to_ascii_lowercase)
}

/// The full path of one that is relative to a mount; `None` where it is full already.
fn full_path(mount: Interface, uri: &Uri) -> Option<PathAndQuery> {
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
            assert_eq!(full_path(Interface::AgeVerification, &path.parse().unwrap()), None, "{path}");
        }
        for (path, full) in [
            ("/sessions/1?a=b", "/api/v1/sessions/1?a=b"),
            ("/ai/v1/age", "/api/v1/ai/v1/age"),
            ("/idverify/v1/apps/1/response-config", "/api/v1/idverify/v1/apps/1/response-config"),
            ("/console/", "/api/v1/console/"),
        ] {
            assert_eq!(
                full_path(Interface::AgeVerification, &path.parse().unwrap()),
                Some(full.parse().unwrap()),
                "{path}"
            );
        }
    }
}
