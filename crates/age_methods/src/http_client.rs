//! Calls to providers: request bodies are wiped, responses are limited in size, and errors contain no URLs.

use crate::AgeMethodError;
use base::Secret;
use media::fetch::{BufferedResponse, Bytes, FetchRequest, Fetcher, HeaderName, HeaderValue, Method};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;
use zeroize::Zeroizing;

/// Larger responses of providers are refused.
pub(crate) const MAX_RESPONSE_BYTES: u64 = 64 << 10;
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) const FORM_CONTENT_TYPE: &str = "application/x-www-form-urlencoded";
pub(crate) const AUTHORIZATION: HeaderName = HeaderName::from_static("authorization");

/// A POST request whose body is wiped after sending.
pub(crate) fn post_call(body: Zeroizing<Vec<u8>>, content_type: &'static str) -> FetchRequest {
    let mut call = get_call();
    call.method = Method::POST;
    call.body = Bytes::from_owner(body);
    call.headers.insert("content-type", HeaderValue::from_static(content_type));
    call
}

/// A GET request for JSON, with the limits above.
pub(crate) fn get_call() -> FetchRequest {
    let mut call = FetchRequest::get(MAX_RESPONSE_BYTES);
    call.timeout = CALL_TIMEOUT;
    call.headers.insert("accept", HeaderValue::from_static("application/json"));
    call
}

/// A JSON body that is wiped when dropped.
pub(crate) fn json_body(value: &impl Serialize) -> Zeroizing<Vec<u8>> {
    // Large enough for any body: growing the vector would leave unwiped copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(8 << 10));
    serde_json::to_writer(&mut *bytes, value).expect("plain values with text for names");
    bytes
}

/// A form body that is wiped when dropped.
pub(crate) fn form_body(pairs: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
    let mut form = url::form_urlencoded::Serializer::new(String::with_capacity(8 << 10));
    form.extend_pairs(pairs);
    Zeroizing::new(form.finish().into_bytes())
}

/// Adds a header with a secret value: it is never printed, and HTTP/2 keeps it out of its compression table.
pub(crate) fn secret_header(
    call: &mut FetchRequest,
    name: &HeaderName,
    value: &str,
) -> Result<(), AgeMethodError> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| AgeMethodError::unavailable(format!("the secret for {name} is not a header value")))?;
    value.set_sensitive(true);
    call.headers.insert(name, value);
    Ok(())
}

/// The value of `Authorization` for a client and its secret, each encoded as in forms (RFC 6749, section 2.3.1).
pub(crate) fn basic_auth(client: &str, secret: &Secret<String>) -> Zeroizing<String> {
    let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let secret = Zeroizing::new(encode(secret.expose()));
    let pair = Zeroizing::new(format!("{}:{}", encode(client), *secret));
    Zeroizing::new(format!("Basic {}", base64_simd::STANDARD.encode_to_string(pair.as_bytes())))
}

/// Calls a provider. `who` names it in errors, such as "the registry".
pub(crate) async fn send(
    fetcher: &Fetcher,
    who: &str,
    url: &str,
    call: FetchRequest,
) -> Result<BufferedResponse, AgeMethodError> {
    fetcher.call(url, call).await.map_err(|error| AgeMethodError::Unavailable(format!("{who}: {error}")))
}

/// Parses a provider's response as JSON.
pub(crate) fn parse_json<T: DeserializeOwned>(
    who: &str,
    answered: &BufferedResponse,
) -> Result<T, AgeMethodError> {
    // Serde's own message is left out, because it may quote the response.
    serde_json::from_slice(&answered.body).map_err(|error| {
        AgeMethodError::Unavailable(format!("{who} answers in another form (column {})", error.column()))
    })
}

pub(crate) fn unexpected_status(who: &str, answered: &BufferedResponse) -> AgeMethodError {
    AgeMethodError::Unavailable(format!("{who} answers {}", answered.status))
}
