//! What wallets do (OpenID4VP 1.0), under `/age/v1/wallet`: they fetch a request, and post an answer. In the sandbox there is
//! a wallet of this server's own, a page with buttons.

use super::{Code, Problem, caller::Wallet, error};
use crate::Api;
use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};
use domain::ages::{LONGEST_WALLET_NONCE as LONGEST_NONCE, WalletChoice as Choice};
use serde_json::{Value, json};

const NO_STORE: (HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
/// The style of the sandbox's wallet, which stands inside the page.
const STYLE: &str = include_str!("wallet.css");
/// Nothing from anywhere but the style above, named by its SHA-256; no frames; forms may be sent here, and lead back to the
/// age page.
const POLICY: (HeaderName, &str) = (
    header::CONTENT_SECURITY_POLICY,
    "default-src 'none'; style-src 'sha256-u6AtUPNVPyXYUp7gDGYl+uta/vcwuzAT3zGYwK9BC4I='; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// Fetch a request.
#[utoipa::path(
    get, path = "/age/v1/wallet/{request}", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    responses(
        (status = 200, description = "The request object, signed.", body = String,
            content_type = "application/oauth-authz-req+jwt"),
        error::Fetching,
    ),
)]
pub(crate) async fn get_wallet_request(State(api): State<Api>, wallet: Wallet) -> Result<Response, Problem> {
    object(&api, &wallet, None).await
}

/// Fetch a request with a nonce of the wallet's own in it.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded",
        description = "`wallet_nonce`, at most 512 characters; `wallet_metadata` is not looked at."),
    responses(
        (status = 200, description = "The request object, signed.", body = String,
            content_type = "application/oauth-authz-req+jwt"),
        error::Answering,
    ),
)]
pub(crate) async fn post_wallet_request(State(api): State<Api>, wallet: Wallet) -> Result<Response, Problem> {
    let nonce = field(&wallet, "wallet_nonce");
    if nonce.as_ref().is_some_and(|nonce| nonce.len() > LONGEST_NONCE) {
        let words = format!("wallet_nonce: at most {LONGEST_NONCE} characters are taken");
        return Err(Problem::new(Code::InvalidRequest, words));
    }
    object(&api, &wallet, nonce.as_deref()).await
}

async fn object(api: &Api, wallet: &Wallet, nonce: Option<&str>) -> Result<Response, Problem> {
    let object = api.ages.wallet_request(&wallet.request, wallet.sandbox, nonce).await?;
    let kind = (header::CONTENT_TYPE, "application/oauth-authz-req+jwt");
    Ok(([kind, NO_STORE], object).into_response())
}

/// Answer a request. The first answer that can be read counts, and no other.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}/response", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded",
        description = "`response`, an encrypted token (`direct_post.jwt`); or `error` and `state`."),
    responses(
        (status = 200, description = "It is taken; `redirect_uri` is where the wallet sends its holder.", body = Value),
        error::Answering,
    ),
)]
pub(crate) async fn take_wallet_answer(
    State(api): State<Api>,
    wallet: Wallet,
) -> Result<([(HeaderName, &'static str); 1], Json<Value>), Problem> {
    let back = api.ages.wallet_answer(&wallet.request, wallet.sandbox, &wallet.body).await?;
    let told = back.map_or_else(|| json!({}), |address| json!({ "redirect_uri": address }));
    Ok(([NO_STORE], Json(told)))
}

/// The sandbox's wallet.
#[utoipa::path(
    get, path = "/age/v1/wallet/{request}/sandbox", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    responses((status = 200, description = "A page with buttons.", body = String, content_type = "text/html"), error::Showing),
)]
pub(crate) async fn see_sandbox_wallet(wallet: Wallet) -> Result<Response, Problem> {
    if !wallet.sandbox {
        return Err(Problem::no_session());
    }
    let page = page(
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

/// Do something with the sandbox's wallet.
#[utoipa::path(
    post, path = "/age/v1/wallet/{request}/sandbox", tag = "wallet",
    params(("request" = String, Path, description = "The end of the address that the wallet was shown.")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded",
        description = "`choice`: `over`, `under`, `silent`, `stranger` or `refuse`."),
    responses(
        (status = 200, description = "It is done; the other device goes on.", body = String, content_type = "text/html"),
        (status = 303, description = "It is done, and goes on at the page."),
        error::Answering,
    ),
)]
pub(crate) async fn use_sandbox_wallet(State(api): State<Api>, wallet: Wallet) -> Result<Response, Problem> {
    if !wallet.sandbox {
        return Err(Problem::no_session());
    }
    let choice = field(&wallet, "choice").as_deref().and_then(Choice::of);
    let choice = choice.ok_or_else(|| {
        let words = Choice::ALL.map(|(_, word)| word).join(", ");
        Problem::new(Code::InvalidRequest, format!("choice: it is one of {words}"))
    })?;
    Ok(match api.ages.sandbox_wallet(&wallet.request, choice).await? {
        Some(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)], [NO_STORE]).into_response(),
        None => page("Done", "<p>Continue on the device where you started. You can close this page.</p>"),
    })
}

/// A field of a form that was sent; none where it was sent twice.
fn field(wallet: &Wallet, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(&wallet.body).filter(|(field, _)| field == name);
    let value = values.next()?.1.into_owned();
    values.next().is_none().then_some(value)
}

fn page(heading: &str, body: &str) -> Response {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{heading} - sandbox wallet</title><style>{STYLE}</style>\
         <main><article><h1>{heading}</h1>{body}</article></main></html>"
    );
    ([NO_STORE, POLICY], Html(text)).into_response()
}
