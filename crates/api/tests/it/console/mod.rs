//! `/console`: sign-in of members, their sessions, and what they decide.

mod begin_session;
mod cases;
mod cookie;
mod end_session;
mod get_session;
mod sign_in;

use crate::content_moderation::AccountFixture;
use domain::{
    accounts::sign_in::{SignInService, SignInSettings},
    mail::{MailTransport, Mailer},
};
use testkit::TestApp;

/// A server whose pages are served over https, and which cannot send mail.
async fn start_over_https_without_mail() -> AccountFixture {
    let settings = SignInSettings::for_public_url("https://assay.example.com");
    let app = TestApp::start_with(|api| {
        let vault = api.vault.clone();
        let mail = Mailer::new(api.environment.clone(), vault.clone(), MailTransport::None, None).unwrap();
        api.sign_in = SignInService::new(api.db.clone(), api.environment.clone(), vault, mail, settings);
    })
    .await;
    AccountFixture::of(app).await
}
