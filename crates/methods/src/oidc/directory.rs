//! Discovery documents and key sets of providers, kept for a while.

use super::WHO;
use crate::{BadSettings, Failure, calls, kept::Kept};
use base::{SignedDuration, World};
use media::fetch::Fetcher;
use openidconnect::{
    AdditionalProviderMetadata, AsyncHttpClient, DiscoveryError, HttpRequest, HttpResponse, IssuerUrl,
    ProviderMetadata,
    core::{
        CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClientAuthMethod, CoreGrantType, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm, CoreResponseMode, CoreResponseType,
        CoreSubjectIdentifierType,
    },
};
use serde::{Deserialize, Serialize};
use std::{pin::Pin, sync::Arc};

/// How long documents are kept.
const KEPT: SignedDuration = SignedDuration::from_mins(10);
/// How old they are at least before a token that fits no key has them read anew, so that forged tokens cannot have that
/// happen all the time.
const SETTLED: SignedDuration = SignedDuration::from_secs(30);
/// The most bytes of a document; key sets with certificates are long.
const MOST_BYTES: u64 = 256 << 10;

/// A provider's own description.
pub(super) type Metadata = ProviderMetadata<
    More,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// What is read of it beyond `OpenID` Connect Discovery.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct More {
    /// RFC 9126.
    pub pushed_authorization_request_endpoint: Option<String>,
    /// RFC 9207.
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for More {}

/// Where a provider's documents are had.
#[derive(Debug)]
pub(super) struct Directory {
    issuer: IssuerUrl,
    fetcher: Fetcher,
    world: Arc<dyn World>,
    kept: Kept<Arc<Metadata>>,
}

impl Directory {
    pub(super) fn new(issuer: &str, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        let issuer = IssuerUrl::new(issuer.to_owned());
        Ok(Self {
            issuer: issuer.map_err(|_| BadSettings::new("issuer", "is no address"))?,
            fetcher: fetcher.clone(),
            world: world.clone(),
            kept: Kept::new(world),
        })
    }

    /// The documents, at most ten minutes old.
    pub(super) async fn get(&self) -> Result<Arc<Metadata>, Failure> {
        self.kept.get(async || Ok((Arc::new(self.discover().await?), KEPT))).await
    }

    /// Newer documents than these, where these have been kept for half a minute or somebody else has got newer ones.
    pub(super) async fn renew(&self, old: &Arc<Metadata>) -> Result<Option<Arc<Metadata>>, Failure> {
        let now = self.world.now();
        let is_old =
            |kept: &Arc<Metadata>, since| Arc::ptr_eq(kept, old) && now.duration_since(since) >= SETTLED;
        self.kept.forget(is_old).await;
        let newest = self.get().await?;
        Ok(Some(newest).filter(|newest| !Arc::ptr_eq(newest, old)))
    }

    // Boxed, as the compiler cannot see through the library's futures whether they may go from thread to thread.
    fn discover(&self) -> Boxed<'_, Result<Metadata, Failure>> {
        Box::pin(async {
            let found = Metadata::discover_async(self.issuer.clone(), self).await;
            found.map_err(|error| match error {
                DiscoveryError::Request(Unreached(words)) => Failure::Unavailable(words),
                DiscoveryError::Response(status, ..) => {
                    Failure::Unavailable(format!("{WHO}'s documents cannot be read: it answers {status}"))
                }
                DiscoveryError::Validation(_) => {
                    Failure::unavailable("the identity provider is another issuer")
                }
                _ => Failure::unavailable("the identity provider's documents cannot be read"),
            })
        })
    }

    async fn fetch(&self, request: HttpRequest) -> Result<HttpResponse, Unreached> {
        let mut call = calls::get();
        call.most_bytes = MOST_BYTES;
        call.headers = request.headers().clone();
        let answered = calls::call(&self.fetcher, WHO, &request.uri().to_string(), call).await;
        let answered = answered.map_err(|failure| Unreached(failure.to_string()))?;
        let mut response = HttpResponse::new(answered.body);
        *response.status_mut() = openidconnect::http::StatusCode::from_u16(answered.status)
            .map_err(|_| Unreached(WHO.to_owned()))?;
        *response.headers_mut() = answered.headers;
        Ok(response)
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'c> AsyncHttpClient<'c> for Directory {
    type Error = Unreached;
    type Future = Boxed<'c, Result<HttpResponse, Unreached>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.fetch(request))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unreached(String);
