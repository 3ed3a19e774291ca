//! Addresses of this server that are given to end users, providers and wallets.

use super::session::AgeSession;

/// Builds addresses below the server's public URL. Those of the sandbox have `/sandbox` before their path.
#[derive(Clone, Debug)]
pub(super) struct AgePageUrls {
    public_url: String,
}

impl AgePageUrls {
    pub(super) fn new(public_url: &str) -> Self {
        Self { public_url: public_url.to_owned() }
    }

    /// The page on which the end user goes through a session.
    pub(super) fn session_page(&self, session: &AgeSession) -> String {
        format!("{}/age?sessionId={}&sdkId={}", self.base(session.sandbox), session.id, session.app)
    }

    /// Where providers and wallets send the end user back to.
    pub(super) fn provider_return(&self, sandbox: bool) -> String {
        format!("{}/age/return", self.base(sandbox))
    }

    /// Where a wallet fetches a request; `sealed` is what the request needs, sealed.
    pub(super) fn wallet_request(&self, sandbox: bool, sealed: &str) -> String {
        format!("{}/age/v1/wallet/{sealed}", self.base(sandbox))
    }

    /// The page that stores a proof of age, opened with an invitation's code. The code is in the fragment, which
    /// browsers do not send to servers.
    pub(super) fn proof_holder_page(&self, code: &str) -> String {
        format!("{}/poa/holder/#{code}", self.public_url)
    }

    fn base(&self, sandbox: bool) -> String {
        format!("{}{}", self.public_url, if sandbox { "/sandbox" } else { "" })
    }
}
