//! Virtual hosts: an interface can have a host name of its own, so that clients that were configured with
//! `https://ai.example.com` need no path prefix.

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
    /// Image analysis.
    ImageAnalysis,
    /// Proof of age.
    ProofOfAge,
    /// Document verification.
    DocumentVerification,
    /// Age verification.
    AgeVerification,
}

impl Interface {
    /// The prefixes of an interface's paths; the first is put before paths that begin with none of them.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::ContentModeration => &["/accounts", "/console"],
            Self::ImageAnalysis => &["/ai/v1", "/ai/sm"],
            Self::ProofOfAge => &["/poa/v1", "/poa/holder", "/v1/oauth"],
            Self::DocumentVerification => &["/idverify/v1", "/sandbox/idverify/v1", "/v1/oauth"],
            // The hosted page loads the capture module, and shows the page of document verification in a frame, which
            // calls its own interface: all from the page's own origin.
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

/// Host names that each serve one interface. Other hosts serve all of them.
#[derive(Clone, Debug, Default)]
pub struct VirtualHosts(BTreeMap<String, Interface>);

/// A host name for each interface that has one of its own; the section `[hosts]`. On that host the interface's paths
/// need no prefix, and nothing else is served.
#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct VirtualHostSettings {
    /// Content moderation.
    pub moderation: Option<String>,
    /// Image analysis.
    pub ai: Option<String>,
    /// Proof of age.
    pub proof: Option<String>,
    /// Document verification.
    pub identity: Option<String>,
    /// Age verification.
    pub ages: Option<String>,
}

impl From<&VirtualHostSettings> for VirtualHosts {
    fn from(settings: &VirtualHostSettings) -> Self {
        let VirtualHostSettings { moderation, ai, proof, identity, ages } = settings;
        let mut hosts = Self::default();
        for (host, interface) in [
            (moderation, Interface::ContentModeration),
            (ai, Interface::ImageAnalysis),
            (proof, Interface::ProofOfAge),
            (identity, Interface::DocumentVerification),
            (ages, Interface::AgeVerification),
        ] {
            if let Some(host) = host {
                hosts.insert(host, interface);
            }
        }
        hosts
    }
}

impl VirtualHosts {
    /// Gives an interface a host name (without a port).
    pub fn insert(&mut self, host: &str, mount: Interface) {
        self.0.insert(host.to_ascii_lowercase(), mount);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Puts the rules for hosts and for the sandbox before the routes. Signatures are accepted over any suffix of the
    /// path, so they hold with and without a prefix.
    pub(crate) fn wrap(self, routes: Router) -> Router {
        // The sandbox has the routes of production; its requests are marked. The host comes first, because it may add a
        // prefix.
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

/// Marks a request of a sandbox; has the address as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct SandboxUri(pub(crate) Uri);

/// The prefix of the sandbox's paths, before those of production. It is removed only before an interface's path
/// (`SANDBOXED_PREFIXES`); hosted pages keep it.
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

/// The full path of one that is relative to an interface; `None` if it is full already.
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
