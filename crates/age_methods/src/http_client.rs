//! Calls to providers: what is sent is wiped, what comes back is bounded, and what goes wrong is told without addresses.

use crate::AgeMethodError;
use base::Secret;
use media::fetch::{BufferedResponse, Bytes, FetchRequest, Fetcher, HeaderName, HeaderValue, Method};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;
use zeroize::Zeroizing;

/// The most bytes of any provider's answer.
pub(crate) const MAX_RESPONSE_BYTES: u64 = 64 << 10;
/// The longest that any provider is waited for.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// The media type of forms.
pub(crate) const FORM_CONTENT_TYPE: &str = "application/x-www-form-urlencoded";
/// The header that says who calls.
pub(crate) const AUTHORIZATION: HeaderName = HeaderName::from_static("authorization");

/// A call with a body that is wiped when it has been sent.
pub(crate) fn post_call(body: Zeroizing<Vec<u8>>, content_type: &'static str) -> FetchRequest {
    let mut call = get_call();
    call.method = Method::POST;
    call.body = Bytes::from_owner(body);
    call.headers.insert("content-type", HeaderValue::from_static(content_type));
    call
}

/// A call without a body.
pub(crate) fn get_call() -> FetchRequest {
    let mut call = FetchRequest::get(MAX_RESPONSE_BYTES);
    call.timeout = CALL_TIMEOUT;
    call.headers.insert("accept", HeaderValue::from_static("application/json"));
    call
}

/// A body in JSON.
pub(crate) fn json_body(value: &impl Serialize) -> Zeroizing<Vec<u8>> {
    // Room for the whole, so that no piece is left behind where the vector grew out of it.
    let mut bytes = Zeroizing::new(Vec::with_capacity(8 << 10));
    serde_json::to_writer(&mut *bytes, value).expect("plain values with text for names");
    bytes
}

/// A body as forms are sent.
pub(crate) fn form_body(pairs: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
    let mut form = url::form_urlencoded::Serializer::new(String::with_capacity(8 << 10));
    form.extend_pairs(pairs);
    Zeroizing::new(form.finish().into_bytes())
}

/// A header whose value is a secret: no client prints it, and HTTP/2 keeps it out of its table.
pub(crate) fn secret_header(
    call: &mut FetchRequest,
    name: &HeaderName,
    value: &str,
) -> Result<(), AgeMethodError> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| AgeMethodError::unavailable(format!("the secret for {name} is no header value")))?;
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

/// Calls a provider. `who` is for the log, as "the registry".
pub(crate) async fn send(
    fetcher: &Fetcher,
    who: &str,
    url: &str,
    call: FetchRequest,
) -> Result<BufferedResponse, AgeMethodError> {
    fetcher.call(url, call).await.map_err(|error| AgeMethodError::Unavailable(format!("{who}: {error}")))
}

/// A provider's answer, read as JSON.
pub(crate) fn parse_json<T: DeserializeOwned>(
    who: &str,
    answered: &BufferedResponse,
) -> Result<T, AgeMethodError> {
    // The error's own words may quote the answer.
    serde_json::from_slice(&answered.body).map_err(|error| {
        AgeMethodError::Unavailable(format!("{who} answers in another form (column {})", error.column()))
    })
}

/// What is said of a status that nobody asked for.
pub(crate) fn unexpected_status(who: &str, answered: &BufferedResponse) -> AgeMethodError {
    AgeMethodError::Unavailable(format!("{who} answers {}", answered.status))
}
