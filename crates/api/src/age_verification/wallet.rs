//! Operations for wallets (OpenID4VP 1.0), under `/age/v1/wallet`: they fetch a request, and post an answer. Where wallets
//! are simulated (in the sandbox, and with `provider = "sandbox"`) there is one of this server's own, a page with buttons.

use super::{
    AgeApiError, NoStoreJson,
    auth::WalletCaller,
    body::{FormBody, RequestBody},
    error, no_store_json,
};
use crate::ApiState;
use axum::{
    body::Bytes,
    extract::{FromRequest, Request, State},
    http::{HeaderName, StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};
use domain::age_verification::{MAX_WALLET_NONCE_BYTES, WalletChoice};
use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

const NO_STORE_HEADER: (HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
/// The style sheet of the sandbox's wallet, inlined into the page.
const SANDBOX_WALLET_CSS: &str = include_str!("wallet.css");
/// Allows only the style above, by its SHA-256, no frames, and forms to this server, which then redirects to the age
/// page.
const CONTENT_SECURITY_POLICY_HEADER: (HeaderName, &str) = (
    header::CONTENT_SECURITY_POLICY,
    "default-src 'none'; style-src 'sha256-u6AtUPNVPyXYUp7gDGYl+uta/vcwuzAT3zGYwK9BC4I='; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// What a wallet sends to fetch a request. `wallet_metadata` is ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct WalletNonceForm {
    /// A nonce that the wallet expects in the request.
    #[schema(max_length = 512)]
    wallet_nonce: Option<String>,
}

/// A wallet's answer, passed on unparsed: only the verifier can read it.
pub(crate) struct WalletResponseForm(Bytes);

impl FromRequest<ApiState> for WalletResponseForm {
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        let body: RequestBody = RequestBody::from_request(request, api).await?;
        Ok(Self(body.into_bytes()))
    }
}

impl PartialSchema for WalletResponseForm {
    fn schema() -> RefOr<Schema> {
        let text = |words: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(words));
        ObjectBuilder::new()
            .description(Some("`response`; or `error` and, where the wallet knows it, `state`."))
            .property(
                "response",
                text("An encrypted token (`direct_post.jwt`, OpenID4VP 1.0, section 8.3.1)."),
            )
            .property("error", text("Why the wallet shows nothing (OpenID4VP 1.0, section 8.5)."))
            .property("state", text("The state of the request."))
            .into()
    }
}

impl ToSchema for WalletResponseForm {}

/// The reply to a wallet's answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WalletRedirect {
    /// Where the wallet sends its holder; absent if it is on another device than the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect_uri: Option<String>,
}

/// What the holder of the sandbox's wallet chooses.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxWalletForm {
    /// Their choice.
    choice: SandboxWalletChoice,
}

/// What the holder of the sandbox's wallet chooses.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxWalletChoice {
    /// To prove that they are old enough.
    Over,
    /// To prove that they are too young.
    Under,
    /// To present a credential without an age.
    Silent,
    /// To present a credential of an unknown issuer.
    Stranger,
    /// To present nothing.
    Refuse,
}

impl From<SandboxWalletChoice> for WalletChoice {
    fn from(choice: SandboxWalletChoice) -> Self {
        match choice {
            SandboxWalletChoice::Over => Self::Over,
            SandboxWalletChoice::Under => Self::Under,
            SandboxWalletChoice::Silent => Self::Silent,
            SandboxWalletChoice::Stranger => Self::Stranger,
            SandboxWalletChoice::Refuse => Self::Refuse,
        }
    }
}

/// Fetch a request.
#[utoipa::path(
    get, path = "/age/v1/wallet/{request}", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    responses(
        (status = 200, description = "The request object, signed.", body = String,
            content_type = "application/oauth-authz-req+jwt"),
        error::GetWalletRequestErrors,
    ),
)]
pub(crate) async fn get_wallet_request(
    State(api): State<ApiState>,
    wallet: WalletCaller,
) -> Result<Response, AgeApiError> {
    request_object(&api, &wallet, None).await
}

/// Fetch a request that contains a nonce of the wallet.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = WalletNonceForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The request object, signed.", body = String,
            content_type = "application/oauth-authz-req+jwt"),
        error::WalletResponseErrors,
    ),
)]
pub(crate) async fn post_wallet_request(
    State(api): State<ApiState>,
    wallet: WalletCaller,
    FormBody(WalletNonceForm { wallet_nonce }): FormBody<WalletNonceForm>,
) -> Result<Response, AgeApiError> {
    if wallet_nonce.as_ref().is_some_and(|nonce| nonce.len() > MAX_WALLET_NONCE_BYTES) {
        let words = format!("at most {MAX_WALLET_NONCE_BYTES} characters are taken");
        return Err(AgeApiError::violation("wallet_nonce", words));
    }
    request_object(&api, &wallet, wallet_nonce.as_deref()).await
}

async fn request_object(
    api: &ApiState,
    wallet: &WalletCaller,
    nonce: Option<&str>,
) -> Result<Response, AgeApiError> {
    let object = api.age_verification.wallet_request_object(&wallet.request, wallet.sandbox, nonce).await?;
    let kind = (header::CONTENT_TYPE, "application/oauth-authz-req+jwt");
    Ok(([kind, NO_STORE_HEADER], object).into_response())
}

/// Answer a request.
///
/// Only the first readable answer counts.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}/response", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = WalletResponseForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "The answer was accepted.", body = WalletRedirect), error::WalletResponseErrors),
)]
pub(crate) async fn take_wallet_answer(
    State(api): State<ApiState>,
    wallet: WalletCaller,
    WalletResponseForm(answer): WalletResponseForm,
) -> Result<NoStoreJson<WalletRedirect>, AgeApiError> {
    let redirect_uri =
        api.age_verification.submit_wallet_response(&wallet.request, wallet.sandbox, &answer).await?;
    Ok(no_store_json(WalletRedirect { redirect_uri }))
}

/// Show the simulated wallet.
///
/// In the sandbox, and in production while the provider of `digital_id` is `sandbox`; elsewhere there is none.
#[utoipa::path(
    get, path = "/age/v1/wallet/{request}/sandbox", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    responses((status = 200, description = "A page with buttons.", body = String, content_type = "text/html"), error::SandboxWalletErrors),
)]
pub(crate) async fn see_sandbox_wallet(
    State(api): State<ApiState>,
    wallet: WalletCaller,
) -> Result<Response, AgeApiError> {
    if !api.age_verification.has_simulated_wallet(wallet.sandbox) {
        return Err(AgeApiError::session_not_found());
    }
    let page = html_page(
        "What should your wallet share?",
        "<p>This is a test. No real credential is shared.</p>\
         <form method=\"post\">\
         <button name=\"choice\" value=\"over\">Proof that you are old enough</button>\
         <button name=\"choice\" value=\"under\">Proof that you are too young</button>\
         <button name=\"choice\" value=\"silent\">A credential without an age</button>\
         <button name=\"choice\" value=\"stranger\">A credential from an unknown issuer</button>\
         <button name=\"choice\" value=\"refuse\">Nothing</button>\
         </form>",
    );
    Ok(page)
}

/// Answer with the simulated wallet.
///
/// In the sandbox, and in production while the provider of `digital_id` is `sandbox`; elsewhere there is none.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}/sandbox", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = SandboxWalletForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The request is answered; the session continues on the other device.", body = String, content_type = "text/html"),
        (status = 303, description = "The request is answered; the session continues on its page.",
            headers(("Location" = String, description = "Where the browser goes on."))),
        error::WalletResponseErrors,
    ),
)]
pub(crate) async fn use_sandbox_wallet(
    State(api): State<ApiState>,
    wallet: WalletCaller,
    FormBody(SandboxWalletForm { choice }): FormBody<SandboxWalletForm>,
) -> Result<Response, AgeApiError> {
    let WalletCaller { request, sandbox } = wallet;
    let answered = api.age_verification.respond_as_simulated_wallet(&request, sandbox, choice.into());
    Ok(match answered.await? {
        Some(address) => {
            (StatusCode::SEE_OTHER, [(header::LOCATION, address)], [NO_STORE_HEADER]).into_response()
        }
        None => {
            html_page("Done", "<p>Continue on the device where you started. You can close this page.</p>")
        }
    })
}

fn html_page(heading: &str, body: &str) -> Response {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{heading} - sandbox wallet</title><style>{SANDBOX_WALLET_CSS}</style>\
         <main><article><h1>{heading}</h1>{body}</article></main></html>"
    );
    ([NO_STORE_HEADER, CONTENT_SECURITY_POLICY_HEADER], Html(text)).into_response()
}
