//! Age verification sessions (docs/adr/0006-age-verification.md): what a business asks for, how a person shows an
//! age, and what is told of it.
//!
//! [`request`] holds what is asked for to its rules, [`wanted`] is what was asked for, [`session`] is what is kept
//! ([`store`](Ages::of) says how), [`state_machine`] has every change of a state. [`attempts`] is what a person does, turn by turn; [`methods`] has the fourteen ways, and
//! [`judge`] holds what they find against what was asked for. `notify` tells the business. [`anonymity`] is the other side of
//! blind tokens, their issuer.

pub mod attempts;
mod blind_tokens;
mod config_section;
mod decision;
mod location;
mod methods;
mod providers;
pub mod request;
mod sandbox_response;
pub mod session;
pub mod session_config;
pub mod state_machine;
mod store;
pub mod types;
mod webhooks;

pub use age_methods::wallet::{MAX_WALLET_NONCE_BYTES, WalletChoice};
pub use age_methods::{
    blind_tokens::{TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey},
    form::{FormField, FormFieldKind, FormValues},
};
pub use blind_tokens::{BlindTokenSettings, IssuerMethod};
pub use location::{InvalidLocationError, Location};
pub use methods::{
    AttemptStep, CodeChannel, FollowDocumentSession, HeadMovement, IdentityProviderOption, InputProblem,
    KeepResultOutcome, TurnInput,
};
pub use providers::{MobileSettings, ProviderSettings, ProviderSettingsError};
pub use sandbox_response::SandboxResponse;
pub use store::purge;
pub use webhooks::{
    AgeResultNotice, AgeResultSignature, AgeWebhookFormat, RsaPublicJwk, WebhookSigningError,
};

use crate::{
    delivery::Outbox,
    document_verification::DocumentVerificationService,
    image_analysis::{self, ImageAnalyser},
    mail::Mailer,
    proof_of_age::issuer::ProofIssuer,
    secure_capture::SecureCapture,
    tenancy::{Feature, application_status},
    vault::Vault,
    violation::Violation,
};
use age_methods::passkey;
use base::{AgeSessionId, AppId, Environment, SignedDuration};
use blind_tokens::BlindTokens;
use db::{Db, DbError, FromRow, WriteTx, sql};
use jobs::Worker;
use media::fetch::Fetcher;
use providers::{LocalProviders, Providers};
use request::AgeSessionRequest;
use session::{AgeMethodVerdict, AgeSession};
use session_config::{AgeSessionConfig, AvailableMethods, ValidationContext};
use state_machine::InvalidTransitionError;
use std::sync::Arc;
use types::AgeMethod;
use webhooks::{AgeNotificationError, WebhookSigner};

/// How age verification sessions are run; the section `[ages]`, as `config_section.rs` reads it.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(from = "config_section::AgesSection")]
pub struct AgeVerificationSettings {
    /// Where this server is reached, without a trailing slash; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// The brand (`wire.brand`) in lower case; no setting of this section.
    #[serde(skip)]
    pub brand: String,
    /// How long the state and the result of a session are kept after its end; written in days.
    #[serde(rename = "keep_days", with = "base::settings::days")]
    pub session_retention: SignedDuration,
    /// How confident an age estimate must be to pass or to fail, 0.5 to 0.999. Below it, the next method is offered.
    #[serde(rename = "sure")]
    pub min_confidence: f64,
    /// How long a result can be stored under an end user's own key; written in days.
    #[serde(rename = "key_days", with = "base::settings::days")]
    pub stored_result_retention: SignedDuration,
    /// Whether end users who have proved their age are offered a proof of age to take along, if the relying party uses
    /// proofs of age.
    #[serde(rename = "proofs")]
    pub offers_proof_of_age: bool,
    /// The providers of the methods that need one. They stand beside the settings above in the configuration, and are
    /// never printed.
    #[serde(skip_serializing)]
    pub providers: ProviderSettings,
}

impl Default for AgeVerificationSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            brand: "svc".to_owned(),
            session_retention: SignedDuration::from_hours(24 * 30),
            stored_result_retention: SignedDuration::from_hours(24 * 30),
            providers: ProviderSettings::default(),
            offers_proof_of_age: true,
            min_confidence: 0.95,
        }
    }
}

/// Whom a session belongs to, as its page says it.
#[derive(Clone, Debug)]
pub struct RelyingPartyProfile {
    /// What it is called.
    pub name: String,
    /// Whether it uses proofs of age.
    pub uses_proof_of_age: bool,
}

/// What age sessions are made of.
#[derive(Clone, Debug)]
pub struct AgeVerificationDependencies {
    /// The database.
    pub db: Db,
    /// Time and chance.
    pub world: Arc<dyn Environment>,
    /// Seals rows and continuations.
    pub vault: Vault,
    /// Where webhooks go through.
    pub outbox: Outbox,
    /// Estimates ages.
    pub estimator: ImageAnalyser,
    /// Vouches for pictures.
    pub secure_capture: SecureCapture,
    /// Reads documents.
    pub identities: DocumentVerificationService,
    /// Makes proofs for tills.
    pub issuer: ProofIssuer,
    /// Sends codes.
    pub mail: Mailer,
    /// Calls providers.
    pub fetcher: Fetcher,
    /// How results look to the servers that are told of them.
    pub webhooks: Arc<dyn AgeWebhookFormat>,
}

/// A session that breaks no rule and can be made.
#[derive(Debug)]
pub struct CreateAgeSession {
    app: AppId,
    sandbox: bool,
    config: AgeSessionConfig,
    /// What came of the address that the relying party has verified, once it was judged.
    email_verdict: Option<AgeMethodVerdict>,
}

impl CreateAgeSession {
    /// Whether a provider is to be asked about an address, which has its price.
    pub fn has_verified_email(&self) -> bool {
        self.config.email.is_some()
    }
}

/// A rule for kept results that can be made.
#[derive(Debug)]
pub struct CreateAgeRule {
    app: AppId,
    sandbox: bool,
    config: AgeSessionConfig,
}

/// Runs age verification sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct AgeVerificationService(Arc<AgeVerificationComponents>);

#[derive(Debug)]
struct AgeVerificationComponents {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    estimator: ImageAnalyser,
    secure_capture: SecureCapture,
    identities: DocumentVerificationService,
    issuer: ProofIssuer,
    mail: Mailer,
    signer: WebhookSigner,
    webhooks: Arc<dyn AgeWebhookFormat>,
    providers: Providers,
    sandbox_providers: Providers,
    blind_tokens: Option<Arc<BlindTokens>>,
    settings: AgeVerificationSettings,
}

/// Why something was not done. The interface says how each looks.
#[derive(Debug, thiserror::Error)]
pub enum AgeSessionError {
    /// There is no such session.
    #[error("there is no such session")]
    SessionNotFound,
    /// Its time is over.
    #[error("the session has expired")]
    Expired,
    /// The session's state allows it not, or not any more.
    #[error("{0}")]
    InvalidState(String),
    /// The answer is to a question that was answered, or replaced.
    #[error("the continuation was used, or is of another attempt; ask for the session and go on from there")]
    StaleContinuation,
    /// The person has to consent first.
    #[error("the method uses the person's face, and consent was not given")]
    ConsentRequired,
    /// The business is not served.
    #[error("the business that asked for this is not served")]
    ApplicationNotServed,
    /// This server issues no blind tokens.
    #[error("this server issues no tokens")]
    IssuerNotConfigured,
    /// A key that signs tokens cannot be used.
    #[error("a key that signs tokens cannot be used: {0}")]
    UnusableIssuerKey(String),
    /// What was sent cannot be used.
    #[error("the request has {} members that cannot be used", .0.len())]
    InvalidRequest(Vec<Violation>),
    /// The models did not answer.
    #[error(transparent)]
    ImageAnalysis(image_analysis::AnalysisError),
    /// A webhook cannot be signed.
    #[error(transparent)]
    WebhookSigning(#[from] WebhookSigningError),
    /// The database did not do it.
    #[error(transparent)]
    Db(DbError),
}

impl From<InvalidTransitionError> for AgeSessionError {
    fn from(bad: InvalidTransitionError) -> Self {
        Self::InvalidState(format!("the session is {}; that cannot be done in this state", bad.0))
    }
}

impl From<AgeNotificationError> for AgeSessionError {
    fn from(error: AgeNotificationError) -> Self {
        match error {
            AgeNotificationError::Signing(error) => Self::WebhookSigning(error),
            AgeNotificationError::Db(error) => Self::Db(error),
        }
    }
}

impl From<Violation> for AgeSessionError {
    fn from(invalid: Violation) -> Self {
        Self::InvalidRequest(vec![invalid])
    }
}

impl AgeSessionError {
    fn invalid(path: impl Into<String>, words: impl Into<String>) -> Self {
        crate::violation::violation(path.into(), words).into()
    }
}

impl AgeVerificationService {
    /// Sessions of these parts.
    pub fn new(
        parts: AgeVerificationDependencies,
        settings: AgeVerificationSettings,
    ) -> Result<Self, ProviderSettingsError> {
        let AgeVerificationDependencies {
            db,
            world,
            vault,
            outbox,
            estimator,
            secure_capture,
            identities,
            issuer,
            mail,
            fetcher,
            webhooks,
        } = parts;
        let signer = WebhookSigner::new(db.clone(), world.clone(), vault.clone());
        let passkeys = match &settings.providers.svc_key {
            Some(named) => {
                let opened = passkey::Passkeys::open(named);
                Some(
                    opened
                        .map_err(|cause| ProviderSettingsError { provider: "svc_key".to_owned(), cause })?,
                )
            }
            None => default_passkeys(&settings.public_url),
        };
        let passkeys = passkeys.map(Arc::new);
        let anonymity = match &settings.providers.double_anonymity {
            Some(named) => {
                let opened = BlindTokens::open(named, &settings.public_url, &fetcher, &world);
                Some(opened.map_err(|cause| ProviderSettingsError {
                    provider: "double_anonymity".to_owned(),
                    cause,
                })?)
            }
            None => None,
        };
        let anonymity = anonymity.map(Arc::new);
        let public_url = settings.public_url.as_str();
        let open = |settings: &ProviderSettings, mail| {
            let own =
                LocalProviders { public_url, passkeys: passkeys.clone(), anonymity: anonymity.clone(), mail };
            Providers::open(settings, &fetcher, &world, own)
        };
        let providers = open(&settings.providers, mail.ensure_configured().is_ok())?;
        let sandbox = open(&ProviderSettings::sandbox(&settings.providers), true)?;
        let ages = Self(Arc::new(AgeVerificationComponents {
            db,
            world,
            vault,
            outbox,
            estimator,
            secure_capture,
            identities,
            issuer,
            mail,
            signer,
            webhooks,
            providers,
            sandbox_providers: sandbox,
            blind_tokens: anonymity,
            settings,
        }));
        ages.validate_issuer_settings()?;
        Ok(ages)
    }

    /// The settings.
    pub fn settings(&self) -> &AgeVerificationSettings {
        &self.0.settings
    }

    /// What requests are held against.
    fn validation_context(&self, sandbox: bool) -> ValidationContext<'_> {
        ValidationContext {
            available: self.available_methods(sandbox),
            outbox: &self.0.outbox,
            ttl: session_config::DEFAULT_TTL_SECONDS,
        }
    }

    /// What requests for rules are held against: a result is good as long as it is kept, unless the rule says less.
    fn rule_validation_context(&self, sandbox: bool) -> ValidationContext<'_> {
        ValidationContext {
            ttl: self.0.settings.stored_result_retention.as_secs(),
            ..self.validation_context(sandbox)
        }
    }

    /// Which methods there are.
    pub fn available_methods(&self, sandbox: bool) -> &dyn AvailableMethods {
        if sandbox { &self.0.sandbox_providers } else { &self.0.providers }
    }

    /// The public keys that webhooks are signed with.
    pub async fn webhook_public_keys(&self) -> Result<Vec<RsaPublicJwk>, WebhookSigningError> {
        self.0.signer.public_keys().await
    }

    /// A worker that knows the jobs of sessions, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let following = self.clone();
        worker.register(move |job: FollowDocumentSession, _| {
            let ages = following.clone();
            async move { ages.follow_document(&job).await }
        })
    }

    /// Holds a request for a session against every rule. `unread` is what could not be read of it: it is told together with
    /// what breaks a rule.
    pub async fn prepare_session(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeSession, AgeSessionError> {
        let wanted = request.resolve(self.0.world.now(), self.validation_context(sandbox), unread);
        let wanted = wanted.map_err(AgeSessionError::InvalidRequest)?;
        if let Some(id) = wanted.rule_id {
            let rule = self.find_rule(&mut self.0.db.read().await?, app, sandbox, id).await?;
            rule.ok_or_else(|| AgeSessionError::invalid("rule_id", "there is no such rule"))?;
        }
        Ok(CreateAgeSession { app, sandbox, config: wanted, email_verdict: None })
    }

    /// Holds a request for a rule against every rule of requests.
    pub fn prepare_rule(
        &self,
        app: AppId,
        sandbox: bool,
        request: AgeSessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateAgeRule, AgeSessionError> {
        let wanted = request.resolve(self.0.world.now(), self.rule_validation_context(sandbox), unread);
        Ok(CreateAgeRule { app, sandbox, config: wanted.map_err(AgeSessionError::InvalidRequest)? })
    }

    /// Makes a session.
    pub async fn create_session(
        &self,
        tx: &mut WriteTx,
        command: CreateAgeSession,
    ) -> Result<AgeSession, AgeSessionError> {
        let CreateAgeSession { app, sandbox, config: wanted, email_verdict: shown } = command;
        let mut session = AgeSession::begin(&*self.0.world, app, sandbox, wanted);
        if let Some(verdict) = shown {
            let (has, now) = (self.available_methods(sandbox), self.0.world.now());
            let outcome = session.finish_attempt(AgeMethod::Email, verdict, has, now)?.clone();
            self.notify_relying_party(tx, &mut session, &outcome).await?;
        }
        self.insert_session(tx, &session).await?;
        Ok(session)
    }

    /// The address of the page on which the end user goes through a session.
    pub fn page_url(&self, session: &AgeSession) -> String {
        let sandbox = if session.sandbox { "/sandbox" } else { "" };
        let base = &self.0.settings.public_url;
        format!("{base}{sandbox}/age?sessionId={}&sdkId={}", session.id, session.app)
    }

    /// A session of an application.
    pub async fn get_session(
        &self,
        app: AppId,
        id: AgeSessionId,
        sandbox: bool,
    ) -> Result<AgeSession, AgeSessionError> {
        let session = self.find_session(id).await?;
        session
            .filter(|session| session.app == app && session.sandbox == sandbox)
            .ok_or(AgeSessionError::SessionNotFound)
    }

    /// The day it is, in UTC.
    fn today(&self) -> jiff::civil::Date {
        self.0.world.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// What the business is called to whom a session belongs, where it is served.
    pub async fn relying_party(&self, app: AppId) -> Result<RelyingPartyProfile, AgeSessionError> {
        #[derive(FromRow)]
        struct ApplicationRow {
            name: String,
        }
        let mut view = self.0.db.read().await?;
        let standing =
            application_status::find(&mut view, app).await?.filter(|standing| standing.allows(Feature::Ages));
        let standing = standing.ok_or(AgeSessionError::ApplicationNotServed)?;
        let row: Option<ApplicationRow> =
            view.fetch_optional(sql!("SELECT name FROM applications WHERE id = $1", app)).await?;
        let ApplicationRow { name } = row.ok_or(AgeSessionError::ApplicationNotServed)?;
        Ok(RelyingPartyProfile { name, uses_proof_of_age: standing.allows(Feature::ProofOfAge) })
    }
}

/// Passkeys of the server's own name. Browsers want https and a name for them, or localhost; elsewhere there are none.
fn default_passkeys(public_url: &str) -> Option<passkey::Passkeys> {
    let (scheme, rest) = public_url.split_once("://")?;
    let host = rest.split(['/', ':']).next()?;
    let origin = rest.split('/').next()?;
    passkey::Passkeys::open(&passkey::PasskeySettings {
        rp_id: host.to_owned(),
        origins: vec![format!("{scheme}://{origin}")],
        name: host.to_owned(),
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::{
        request::{AgeMethodRequest, CallbackRequest, EmailRequest},
        session_config::AgeSessionConfig,
        types::{AgeSessionType, AuthenticityLevel, LivenessLevel},
        *,
    };
    use serde_json::{Value, json};

    /// Everything is set up.
    #[derive(Debug)]
    struct All;

    impl AvailableMethods for All {
        fn supports(&self, _: AgeMethod) -> bool {
            true
        }

        fn sub_methods(&self) -> Vec<String> {
            vec!["bank".to_owned()]
        }

        fn checks_verified_email(&self) -> bool {
            true
        }

        fn token_threshold(&self, asked: i64) -> Option<u8> {
            [18, 21].into_iter().find(|age| i64::from(*age) >= asked)
        }
    }

    /// A request with a type, `double_blind`, and blocks of methods.
    fn request(body: &Value) -> AgeSessionRequest {
        let methods = body.as_object().unwrap().iter().filter_map(|(name, terms)| {
            let method = AgeMethod::from_block_name(name, "svc")?;
            Some(AgeMethodRequest {
                method,
                name: name.clone(),
                terms: serde_json::from_value(terms.clone()).unwrap(),
            })
        });
        AgeSessionRequest {
            kind: body["type"].as_str().map(|kind| kind.parse().unwrap()),
            methods: methods.collect(),
            double_blind: body["double_blind"].as_bool(),
            ..AgeSessionRequest::default()
        }
    }

    fn resolve(
        request: AgeSessionRequest,
        has: &dyn AvailableMethods,
    ) -> Result<AgeSessionConfig, Vec<Violation>> {
        let keyring = crate::keyring::Keyring::parse(&"01".repeat(32)).unwrap();
        let fetcher = media::fetch::Fetcher::new(&media::fetch::EgressPolicy::default()).unwrap();
        let outbox = Outbox::new(fetcher, Vault::new(&keyring));
        let now = "2026-11-22T12:00:00Z".parse().unwrap();
        let offer =
            ValidationContext { available: has, outbox: &outbox, ttl: session_config::DEFAULT_TTL_SECONDS };
        request.resolve(now, offer, Vec::new())
    }

    pub(super) fn wanted(body: &Value) -> AgeSessionConfig {
        resolve(request(body), &All).unwrap()
    }

    fn refused(request: AgeSessionRequest) -> Vec<String> {
        resolve(request, &All).unwrap_err().into_iter().map(|wrong| wrong.path.into_owned()).collect()
    }

    fn wrong(body: &Value) -> Vec<String> {
        refused(request(body))
    }

    #[test]
    fn without_a_block_every_method_is_asked_for() {
        let all = wanted(&json!({}));
        assert_eq!(all.blocks.len(), 14);
        assert_eq!((all.kind, all.ttl), (AgeSessionType::Over, 900));
        assert_eq!(all.usable_methods(&All).count(), 14);
        assert_eq!(wanted(&json!({ "type": "AGE" })).usable_methods(&All).count(), 5);
    }

    /// Cards and blind tokens are not.
    #[derive(Debug)]
    struct Few;

    impl AvailableMethods for Few {
        fn supports(&self, method: AgeMethod) -> bool {
            !matches!(method, AgeMethod::CreditCard | AgeMethod::DoubleAnonymity)
        }

        fn sub_methods(&self) -> Vec<String> {
            Vec::new()
        }

        fn checks_verified_email(&self) -> bool {
            true
        }

        fn token_threshold(&self, _: i64) -> Option<u8> {
            None
        }
    }

    #[test]
    fn without_a_block_nothing_is_asked_for_that_is_not_set_up() {
        let blocks = |body: &Value| {
            let wanted = resolve(request(body), &Few).unwrap();
            wanted.blocks.iter().map(|block| block.method).collect::<Vec<_>>()
        };
        let all = blocks(&json!({}));
        assert_eq!(all.len(), 12);
        assert!(!all.contains(&AgeMethod::CreditCard) && !all.contains(&AgeMethod::DoubleAnonymity));
        // What the payload speaks of stays, and is not offered.
        let named = json!({ "credit_card": {}, "mobile": {} });
        assert_eq!(blocks(&named), [AgeMethod::CreditCard, AgeMethod::Mobile]);
    }

    #[test]
    fn with_a_block_only_those_that_are_named() {
        let two = wanted(&json!({ "age_estimation": { "threshold": 21 }, "doc_scan": { "allowed": false } }));
        let used: Vec<_> = two.usable_methods(&All).map(|block| (block.method, block.threshold)).collect();
        assert_eq!(used, [(AgeMethod::AgeEstimation, 21)]);
    }

    #[test]
    fn every_broken_rule_is_told_with_its_path() {
        for ttl in [59, 2_592_001] {
            assert_eq!(
                refused(AgeSessionRequest { ttl: Some(ttl), ..AgeSessionRequest::default() }),
                ["ttl"]
            );
        }
        let blocks = request(&json!({
            "age_estimation": { "threshold": 0, "retry_limit": 11 },
            "double_anonymity": { "threshold": 5 },
            "electronic_id": { "sub_methods": ["bank", "moon"] },
            "digital_id": { "threshold": 18, "age_estimation_threshold": 17 },
            "doc_scan": { "preset_issuing_country": "ZZZ" },
        }));
        let text = |text: &str| Some(text.to_owned());
        let mut paths = refused(AgeSessionRequest {
            notification_url: text("http://a.example.com/x"),
            callback: Some(CallbackRequest { url: text("javascript://x"), auto: None }),
            callback_url: text("javascript://x"),
            cancel_url: text("nowhere"),
            privacy_policy: text(&format!("https://a.example.com/{}", "x".repeat(2048))),
            target_origin_url: text("ftp://x"),
            blocked_locations: vec!["GB".parse().unwrap(); 301],
            reference_id: text(&"x".repeat(2049)),
            account_id: text(&"x".repeat(101)),
            email: Some(EmailRequest { address: text("nobody"), country: text("G8"), ip: text("1.2.3") }),
            ..blocks
        });
        paths.sort();
        assert_eq!(
            paths,
            [
                "account_id",
                "age_estimation.retry_limit",
                "age_estimation.threshold",
                "blocked_locations",
                "callback.url",
                "cancel_url",
                "digital_id.age_estimation_threshold",
                "doc_scan.preset_issuing_country",
                "double_anonymity.threshold",
                "electronic_id.sub_methods[1]",
                "email.data.country_code",
                "email.data.ip_address",
                "email.data.verified_email",
                "notification_url",
                "privacy_policy",
                "reference_id",
                "target_origin_url",
            ]
        );
        let twice = request(&json!({ "mobile": {} })).methods;
        let twice =
            AgeSessionRequest { methods: [twice.clone(), twice].concat(), ..AgeSessionRequest::default() };
        assert_eq!(refused(twice), ["mobile"]);
    }

    #[test]
    fn a_session_that_would_offer_nothing_is_refused() {
        assert_eq!(wrong(&json!({ "type": "AGE", "credit_card": {} })), [""]);
        assert_eq!(
            wrong(&json!({ "credit_card": { "threshold": 21 } })),
            [""],
            "a card shows 18 and no more"
        );
        assert_eq!(wrong(&json!({ "mobile": { "allowed": false } })), [""]);
    }

    #[test]
    fn double_blind_leaves_tokens_alone() {
        let used = |body: &Value| {
            let wanted = wanted(body);
            wanted.usable_methods(&All).map(|block| (block.method, block.threshold)).collect::<Vec<_>>()
        };
        let token = |threshold| vec![(AgeMethod::DoubleAnonymity, threshold)];
        assert_eq!(used(&json!({ "double_blind": true })), token(18));
        assert_eq!(wanted(&json!({ "double_blind": true })).blocks.len(), 1);
        let strictest = json!({ "double_blind": true, "age_estimation": { "threshold": 21 }, "mobile": {}, "email": { "allowed": false, "threshold": 90 } });
        assert_eq!(used(&strictest), token(21));
        let own = json!({ "double_blind": true, "age_estimation": { "threshold": 21 }, "double_anonymity": { "threshold": 16 } });
        assert_eq!(used(&own), token(16));
        assert_eq!(used(&json!({ "double_blind": false, "mobile": {} })), [(AgeMethod::Mobile, 18)]);
        let address = EmailRequest { address: Some("a@b.example".to_owned()), ..EmailRequest::default() };
        let email = AgeSessionRequest { email: Some(address), ..request(&json!({ "email": {} })) };
        assert!(resolve(email.clone(), &All).unwrap().email.is_some());
        let email = resolve(AgeSessionRequest { double_blind: Some(true), ..email }, &All).unwrap().email;
        assert_eq!(email, None, "an address would say who it is");
        for refused in [
            json!({ "double_blind": true, "type": "UNDER" }),
            json!({ "double_blind": true, "type": "AGE" }),
            json!({ "double_blind": true, "double_anonymity": { "allowed": false } }),
            json!({ "double_blind": true, "age_estimation": { "threshold": 25 } }),
            json!({ "double_anonymity": { "threshold": 22 } }),
        ] {
            assert_eq!(wrong(&refused), [""], "{refused}");
        }
    }

    #[test]
    fn a_token_satisfies_a_rule_in_method_threshold_and_levels() {
        use session_config::{StoredAgeResult, satisfies_rule};
        let rule = wanted(&json!({
            "age_estimation": { "threshold": 18, "level": "PASSIVE" },
            "doc_scan": { "threshold": 21, "authenticity": "AUTO" },
        }));
        let held = StoredAgeResult {
            kind: AgeSessionType::Over,
            age: 18,
            method: AgeMethod::AgeEstimation,
            level: LivenessLevel::Passive,
            authenticity: AuthenticityLevel::Off,
        };
        assert!(satisfies_rule(&held, &rule));
        assert!(satisfies_rule(
            &StoredAgeResult { age: 25, level: LivenessLevel::Active, ..held.clone() },
            &rule
        ));
        assert!(!satisfies_rule(&StoredAgeResult { age: 17, ..held.clone() }, &rule));
        assert!(!satisfies_rule(&StoredAgeResult { level: LivenessLevel::None, ..held.clone() }, &rule));
        assert!(!satisfies_rule(&StoredAgeResult { method: AgeMethod::Mobile, ..held.clone() }, &rule));
        let document = StoredAgeResult {
            method: AgeMethod::DocScan,
            age: 21,
            authenticity: AuthenticityLevel::Auto,
            ..held.clone()
        };
        assert!(satisfies_rule(&document, &rule));
        assert!(!satisfies_rule(
            &StoredAgeResult { authenticity: AuthenticityLevel::Off, ..document },
            &rule
        ));
        assert!(!satisfies_rule(&StoredAgeResult { kind: AgeSessionType::Under, ..held }, &rule));
    }
}
