//! Discovery documents and key sets of providers, kept for a while.

use super::WHO;
use crate::{BadSettings, Failure, calls};
use base::{SignedDuration, Timestamp, World};
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
use tokio::sync::Mutex;

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
    /// Held while they are asked for, so that many attempts ask once.
    kept: Mutex<Option<(Timestamp, Arc<Metadata>)>>,
}

impl Directory {
    pub(super) fn new(issuer: &str, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        let issuer = IssuerUrl::new(issuer.to_owned());
        Ok(Self {
            issuer: issuer.map_err(|_| BadSettings::new("issuer", "is no address"))?,
            fetcher: fetcher.clone(),
            world: world.clone(),
            kept: Mutex::new(None),
        })
    }

    /// The documents, at most ten minutes old.
    pub(super) async fn get(&self) -> Result<Arc<Metadata>, Failure> {
        let mut kept = self.kept.lock().await;
        let now = self.world.now();
        if let Some((since, metadata)) = kept.as_ref()
            && now.duration_since(*since) < KEPT
        {
            return Ok(metadata.clone());
        }
        let metadata = Arc::new(self.discover().await?);
        *kept = Some((now, metadata.clone()));
        Ok(metadata)
    }

    /// Newer documents than these, where these have been kept for half a minute or somebody else has got newer ones.
    pub(super) async fn renew(&self, old: &Arc<Metadata>) -> Result<Option<Arc<Metadata>>, Failure> {
        {
            let mut kept = self.kept.lock().await;
            match kept.as_ref() {
                Some((_, metadata)) if !Arc::ptr_eq(metadata, old) => return Ok(Some(metadata.clone())),
                Some((since, _)) if self.world.now().duration_since(*since) < SETTLED => return Ok(None),
                _ => *kept = None,
            }
        }
        self.get().await.map(Some)
    }

    async fn discover(&self) -> Result<Metadata, Failure> {
        let http = Http(self.fetcher.clone());
        let discovered = Metadata::discover_async(self.issuer.clone(), &http).await;
        discovered.map_err(|error| match error {
            DiscoveryError::Request(Unreached(words)) => Failure::Unavailable(words),
            DiscoveryError::Response(status, ..) => {
                Failure::Unavailable(format!("{WHO}'s documents cannot be read: it answers {status}"))
            }
            DiscoveryError::Validation(_) => Failure::unavailable("the identity provider is another issuer"),
            _ => Failure::unavailable("the identity provider's documents cannot be read"),
        })
    }
}

/// How the library reaches the provider: by the fetcher, and no other way.
struct Http(Fetcher);

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = Unreached;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Unreached>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(call(self.0.clone(), request))
    }
}

async fn call(fetcher: Fetcher, request: HttpRequest) -> Result<HttpResponse, Unreached> {
    let mut call = calls::get();
    call.most_bytes = MOST_BYTES;
    call.headers = request.headers().clone();
    let answered = calls::call(&fetcher, WHO, &request.uri().to_string(), call).await;
    let answered = answered.map_err(|failure| Unreached(failure.to_string()))?;
    let mut response = HttpResponse::new(answered.body);
    *response.status_mut() =
        openidconnect::http::StatusCode::from_u16(answered.status).map_err(|_| Unreached(WHO.to_owned()))?;
    *response.headers_mut() = answered.headers;
    Ok(response)
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unreached(String);
