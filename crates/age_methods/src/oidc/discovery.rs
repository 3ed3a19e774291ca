//! Discovery documents and key sets of providers, cached.

use super::PROVIDER_LABEL;
use crate::{AgeMethodError, InvalidSettingError, http_client, ttl_cache::TtlCache};
use base::{Environment, SignedDuration};
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

const METADATA_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Minimum age of the documents before a token that fails verification has them fetched again, so that forged tokens
/// cannot cause a fetch each time.
const MIN_REFRESH_INTERVAL: SignedDuration = SignedDuration::from_secs(30);
/// More than for other responses, because key sets with certificates are long.
const MAX_DOCUMENT_BYTES: u64 = 256 << 10;

/// A provider's discovery document and key set.
pub(super) type DiscoveryMetadata = ProviderMetadata<
    ExtraMetadata,
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

/// Members of the document beyond `OpenID` Connect Discovery.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ExtraMetadata {
    /// RFC 9126.
    pub pushed_authorization_request_endpoint: Option<String>,
    /// RFC 9207.
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for ExtraMetadata {}

/// Fetches and caches a provider's documents.
#[derive(Debug)]
pub(super) struct DiscoveryCache {
    issuer: IssuerUrl,
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
    cache: TtlCache<Arc<DiscoveryMetadata>>,
}

impl DiscoveryCache {
    pub(super) fn new(
        issuer: &str,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let issuer = IssuerUrl::new(issuer.to_owned());
        Ok(Self {
            issuer: issuer.map_err(|_| InvalidSettingError::new("issuer", "is not an address"))?,
            fetcher: fetcher.clone(),
            environment: environment.clone(),
            cache: TtlCache::new(environment),
        })
    }

    /// The documents, at most ten minutes old.
    pub(super) async fn get(&self) -> Result<Arc<DiscoveryMetadata>, AgeMethodError> {
        self.cache.get_or_fetch(async || Ok((Arc::new(self.discover().await?), METADATA_TTL))).await
    }

    /// Documents newer than `old`, or `None`. They are fetched if `old` is still cached and at least half a minute old.
    pub(super) async fn refresh(
        &self,
        old: &Arc<DiscoveryMetadata>,
    ) -> Result<Option<Arc<DiscoveryMetadata>>, AgeMethodError> {
        let now = self.environment.now();
        let is_old = |kept: &Arc<DiscoveryMetadata>, since| {
            Arc::ptr_eq(kept, old) && now.duration_since(since) >= MIN_REFRESH_INTERVAL
        };
        self.cache.invalidate_if(is_old).await;
        let newest = self.get().await?;
        Ok(Some(newest).filter(|newest| !Arc::ptr_eq(newest, old)))
    }

    // Boxed, because the compiler cannot prove that the library's futures are `Send`.
    fn discover(&self) -> BoxedFuture<'_, Result<DiscoveryMetadata, AgeMethodError>> {
        Box::pin(async {
            let found = DiscoveryMetadata::discover_async(self.issuer.clone(), self).await;
            found.map_err(|error| match error {
                DiscoveryError::Request(DiscoveryFetchError(words)) => AgeMethodError::Unavailable(words),
                DiscoveryError::Response(status, ..) => AgeMethodError::Unavailable(format!(
                    "{PROVIDER_LABEL}'s documents cannot be read: it answers {status}"
                )),
                DiscoveryError::Validation(_) => {
                    AgeMethodError::unavailable("the identity provider is another issuer")
                }
                _ => AgeMethodError::unavailable("the identity provider's documents cannot be read"),
            })
        })
    }

    async fn fetch(&self, request: HttpRequest) -> Result<HttpResponse, DiscoveryFetchError> {
        let mut call = http_client::get_call();
        call.max_bytes = MAX_DOCUMENT_BYTES;
        call.headers = request.headers().clone();
        let answered =
            http_client::send(&self.fetcher, PROVIDER_LABEL, &request.uri().to_string(), call).await;
        let answered = answered.map_err(|failure| DiscoveryFetchError(failure.to_string()))?;
        let mut response = HttpResponse::new(answered.body);
        *response.status_mut() = openidconnect::http::StatusCode::from_u16(answered.status)
            .map_err(|_| DiscoveryFetchError(PROVIDER_LABEL.to_owned()))?;
        *response.headers_mut() = answered.headers;
        Ok(response)
    }
}

type BoxedFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'c> AsyncHttpClient<'c> for DiscoveryCache {
    type Error = DiscoveryFetchError;
    type Future = BoxedFuture<'c, Result<HttpResponse, DiscoveryFetchError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.fetch(request))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct DiscoveryFetchError(String);
