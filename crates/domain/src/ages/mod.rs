//! Age verification sessions (interface 3, part B; decisions, section 5): what a business asks for, how a person shows an
//! age, and what is told of it.
//!
//! [`request`] holds what is asked for to its rules, [`wanted`] is what was asked for, [`session`] is what is kept
//! ([`store`](Ages::of) says how), [`moves`] has every change of a state. [`flow`] is what a person does, turn by turn; [`methods`] has the fourteen ways, and
//! [`judge`] holds what they find against what was asked for. `notify` tells the business. [`anonymity`] is the other side of
//! blind tokens, their issuer.

mod anonymity;
pub mod flow;
mod judge;
mod location;
mod methods;
pub mod moves;
mod notify;
mod providers;
pub mod request;
mod responses;
pub mod session;
mod store;
pub mod wanted;
pub mod words;

pub use ::methods::wallet::{Choice as WalletChoice, LONGEST_NONCE as LONGEST_WALLET_NONCE};
pub use ::methods::{
    blind::{MEDIA_TYPE as TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey},
    fields::{Field as FormField, Fields as FormFields, Kind as FormFieldKind},
};
pub use anonymity::{Settings as Anonymous, Way};
pub use location::{Location, NoLocation};
pub use methods::{
    CodeChannel, FollowDocument, HeadMovement, IdentityProviderOption, InputProblem, Kept, Step, TurnInput,
};
pub use notify::{NotSigned, Notice, NoticeSignature, RsaPublicJwk, WebhookFormat};
pub use providers::{BadProvider, Mobile, Settings as ProviderSettings};
pub use responses::Response;
pub use store::purge;

use crate::{
    delivery::Outbox,
    estimate::{self, Estimator},
    identity::Identities,
    mail::Mail,
    proof::issuer::Issuer,
    secure_capture::SecureCapture,
    tenancy::{Feature, standing},
    vault::Vault,
    violation::Violation,
};
use ::methods::passkey;
use anonymity::Anonymity;
use base::{AgeSessionId, AppId, SignedDuration, World};
use db::{Db, DbError, FromRow, Tx, sql};
use jobs::Worker;
use media::fetch::Fetcher;
use moves::BadMove;
use notify::{Signer, TellError};
use providers::{Own, Providers};
use request::SessionRequest;
use session::{Session, Verdict};
use std::sync::Arc;
use wanted::{Has, Offer, Wanted};
use words::AgeMethod;

/// How sessions are run; the operator's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where this server is reached.
    pub public_url: String,
    /// The brand, in lower case.
    pub brand: String,
    /// How long a session is kept after its end: its state and what came of it.
    pub keep: SignedDuration,
    /// How long a result may be kept under a key.
    pub tokens: SignedDuration,
    /// Who answers for the methods that need somebody outside.
    pub providers: ProviderSettings,
    /// Whether a person who has shown to be old enough may take a proof of it along, for tills; where his business uses
    /// proofs of age.
    pub proofs: bool,
    /// How sure an estimate must be to pass or to fail, 0.5 to 1; what is less sure goes to the next method.
    pub sure: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            brand: "svc".to_owned(),
            keep: SignedDuration::from_hours(24 * 30),
            tokens: SignedDuration::from_hours(24 * 30),
            providers: ProviderSettings::default(),
            proofs: true,
            sure: 0.95,
        }
    }
}

/// Whom a session belongs to, as its page says it.
#[derive(Clone, Debug)]
pub struct Business {
    /// What it is called.
    pub name: String,
    /// Whether it uses proofs of age.
    pub proofs: bool,
}

/// What age sessions are made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The database.
    pub db: Db,
    /// Time and chance.
    pub world: Arc<dyn World>,
    /// Seals rows and continuations.
    pub vault: Vault,
    /// Where webhooks go through.
    pub outbox: Outbox,
    /// Estimates ages.
    pub estimator: Estimator,
    /// Vouches for pictures.
    pub secure_capture: SecureCapture,
    /// Reads documents.
    pub identities: Identities,
    /// Makes proofs for tills.
    pub issuer: Issuer,
    /// Sends codes.
    pub mail: Mail,
    /// Calls providers.
    pub fetcher: Fetcher,
    /// How results look to the servers that are told of them.
    pub webhooks: Arc<dyn WebhookFormat>,
}

/// A session that breaks no rule and can be made.
#[derive(Debug)]
pub struct CreateSession {
    app: AppId,
    sandbox: bool,
    wanted: Wanted,
    /// What came of the address that the relying party has verified, once it was judged.
    shown: Option<Verdict>,
}

impl CreateSession {
    /// Whether a provider is to be asked about an address, which has its price.
    pub fn has_verified_email(&self) -> bool {
        self.wanted.email.is_some()
    }
}

/// A rule for kept results that can be made.
#[derive(Debug)]
pub struct CreateRule {
    app: AppId,
    sandbox: bool,
    wanted: Wanted,
}

/// Runs age verification sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct Ages(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    outbox: Outbox,
    estimator: Estimator,
    secure_capture: SecureCapture,
    identities: Identities,
    issuer: Issuer,
    mail: Mail,
    signer: Signer,
    webhooks: Arc<dyn WebhookFormat>,
    providers: Providers,
    sandbox: Providers,
    anonymity: Option<Arc<Anonymity>>,
    settings: Settings,
}

/// Why something was not done. The interface says how each looks.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// There is no such session.
    #[error("there is no such session")]
    NoSession,
    /// Its time is over.
    #[error("the session has expired")]
    Expired,
    /// The session's state allows it not, or not any more.
    #[error("{0}")]
    State(String),
    /// The answer is to a question that was answered, or replaced.
    #[error("the continuation was used, or is of another attempt; ask for the session and go on from there")]
    Stale,
    /// The person has to consent first.
    #[error("the method uses the person's face, and consent was not given")]
    NoConsent,
    /// The business is not served.
    #[error("the business that asked for this is not served")]
    NotServed,
    /// This server issues no blind tokens.
    #[error("this server issues no tokens")]
    NoIssuer,
    /// A key that signs tokens cannot be used.
    #[error("a key that signs tokens cannot be used: {0}")]
    NoKey(String),
    /// What was sent cannot be used.
    #[error("the request has {} members that cannot be used", .0.len())]
    Invalid(Vec<Violation>),
    /// The models did not answer.
    #[error(transparent)]
    Models(estimate::Refusal),
    /// A webhook cannot be signed.
    #[error(transparent)]
    NotSigned(#[from] NotSigned),
    /// The database did not do it.
    #[error(transparent)]
    Db(DbError),
}

impl From<BadMove> for NotDone {
    fn from(bad: BadMove) -> Self {
        Self::State(format!("the session is {}; that cannot be done in this state", bad.0))
    }
}

impl From<TellError> for NotDone {
    fn from(error: TellError) -> Self {
        match error {
            TellError::NotSigned(error) => Self::NotSigned(error),
            TellError::Db(error) => Self::Db(error),
        }
    }
}

impl From<Violation> for NotDone {
    fn from(invalid: Violation) -> Self {
        Self::Invalid(vec![invalid])
    }
}

impl NotDone {
    fn wrong(path: impl Into<String>, words: impl Into<String>) -> Self {
        crate::violation::violation(path.into(), words).into()
    }
}

impl Ages {
    /// Sessions of these parts.
    pub fn new(parts: Parts, settings: Settings) -> Result<Self, BadProvider> {
        let Parts {
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
        let signer = Signer::new(db.clone(), world.clone(), vault.clone());
        let passkeys = match &settings.providers.svc_key {
            Some(named) => {
                let opened = passkey::Passkeys::open(named);
                Some(opened.map_err(|cause| BadProvider { provider: "svc_key".to_owned(), cause })?)
            }
            None => passkeys(&settings.public_url),
        };
        let passkeys = passkeys.map(Arc::new);
        let anonymity = match &settings.providers.double_anonymity {
            Some(named) => {
                let opened = Anonymity::open(named, &settings.public_url, &fetcher, &world);
                Some(opened.map_err(|cause| BadProvider { provider: "double_anonymity".to_owned(), cause })?)
            }
            None => None,
        };
        let anonymity = anonymity.map(Arc::new);
        let public_url = settings.public_url.as_str();
        let open = |settings: &ProviderSettings, mail| {
            let own = Own { public_url, passkeys: passkeys.clone(), anonymity: anonymity.clone(), mail };
            Providers::open(settings, &fetcher, &world, own)
        };
        let providers = open(&settings.providers, mail.ready().is_ok())?;
        let sandbox = open(&ProviderSettings::sandbox(&settings.providers), true)?;
        let ages = Self(Arc::new(Inner {
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
            sandbox,
            anonymity,
            settings,
        }));
        ages.check_issuing()?;
        Ok(ages)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// What requests are held against.
    fn offer(&self, sandbox: bool) -> Offer<'_> {
        Offer { has: self.has(sandbox), outbox: &self.0.outbox, ttl: wanted::DEFAULT_TTL_SECONDS }
    }

    /// What requests for rules are held against: a result is good as long as it is kept, unless the rule says less.
    fn offer_for_rules(&self, sandbox: bool) -> Offer<'_> {
        Offer { ttl: self.0.settings.tokens.as_secs(), ..self.offer(sandbox) }
    }

    /// Which methods there are.
    pub fn has(&self, sandbox: bool) -> &dyn Has {
        if sandbox { &self.0.sandbox } else { &self.0.providers }
    }

    /// The public keys that webhooks are signed with.
    pub async fn webhook_keys(&self) -> Result<Vec<RsaPublicJwk>, NotSigned> {
        self.0.signer.public_keys().await
    }

    /// A worker that knows the jobs of sessions, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let following = self.clone();
        worker.handle(move |job: FollowDocument, _| {
            let ages = following.clone();
            async move { ages.follow_document(&job).await }
        })
    }

    /// Holds a request for a session against every rule. `unread` is what could not be read of it: it is told together with
    /// what breaks a rule.
    pub async fn prepare(
        &self,
        app: AppId,
        sandbox: bool,
        request: SessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateSession, NotDone> {
        let wanted = request.resolve(self.0.world.now(), self.offer(sandbox), unread);
        let wanted = wanted.map_err(NotDone::Invalid)?;
        if let Some(id) = wanted.rule_id {
            let rule = self.rule(&mut self.0.db.read().await?, app, sandbox, id).await?;
            rule.ok_or_else(|| NotDone::wrong("rule_id", "there is no such rule"))?;
        }
        Ok(CreateSession { app, sandbox, wanted, shown: None })
    }

    /// Holds a request for a rule against every rule of requests.
    pub fn prepare_rule(
        &self,
        app: AppId,
        sandbox: bool,
        request: SessionRequest,
        unread: Vec<Violation>,
    ) -> Result<CreateRule, NotDone> {
        let wanted = request.resolve(self.0.world.now(), self.offer_for_rules(sandbox), unread);
        Ok(CreateRule { app, sandbox, wanted: wanted.map_err(NotDone::Invalid)? })
    }

    /// Makes a session.
    pub async fn create(&self, tx: &mut Tx, command: CreateSession) -> Result<Session, NotDone> {
        let CreateSession { app, sandbox, wanted, shown } = command;
        let mut session = Session::begin(&*self.0.world, app, sandbox, wanted);
        if let Some(verdict) = shown {
            let (has, now) = (self.has(sandbox), self.0.world.now());
            let outcome = session.judge(AgeMethod::Email, verdict, has, now)?.clone();
            self.tell(tx, &mut session, &outcome).await?;
        }
        self.insert(tx, &session).await?;
        Ok(session)
    }

    /// The address of the page on which the end user goes through a session.
    pub fn page_url(&self, session: &Session) -> String {
        let sandbox = if session.sandbox { "/sandbox" } else { "" };
        let base = &self.0.settings.public_url;
        format!("{base}{sandbox}/age?sessionId={}&sdkId={}", session.id, session.app)
    }

    /// A session of an application.
    pub async fn of(&self, app: AppId, id: AgeSessionId, sandbox: bool) -> Result<Session, NotDone> {
        let session = self.find(id).await?;
        session.filter(|session| session.app == app && session.sandbox == sandbox).ok_or(NotDone::NoSession)
    }

    /// The day it is, in UTC.
    fn today(&self) -> jiff::civil::Date {
        self.0.world.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// What the business is called to whom a session belongs, where it is served.
    pub async fn business(&self, app: AppId) -> Result<Business, NotDone> {
        #[derive(FromRow)]
        struct Row {
            name: String,
        }
        let mut view = self.0.db.read().await?;
        let standing = standing::of(&mut view, app).await?.filter(|standing| standing.may(Feature::Ages));
        let standing = standing.ok_or(NotDone::NotServed)?;
        let row: Option<Row> =
            view.fetch_optional(sql!("SELECT name FROM applications WHERE id = $1", app)).await?;
        let Row { name } = row.ok_or(NotDone::NotServed)?;
        Ok(Business { name, proofs: standing.may(Feature::ProofOfAge) })
    }
}

/// Passkeys of the server's own name. Browsers want https and a name for them, or localhost; elsewhere there are none.
fn passkeys(public_url: &str) -> Option<passkey::Passkeys> {
    let (scheme, rest) = public_url.split_once("://")?;
    let host = rest.split(['/', ':']).next()?;
    let origin = rest.split('/').next()?;
    passkey::Passkeys::open(&passkey::Settings {
        rp_id: host.to_owned(),
        origins: vec![format!("{scheme}://{origin}")],
        name: host.to_owned(),
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::{
        request::{CallbackRequest, EmailRequest, MethodRequest},
        wanted::Wanted,
        words::{AgeSessionType, AuthenticityLevel, LivenessLevel},
        *,
    };
    use serde_json::{Value, json};

    /// Everything is set up.
    #[derive(Debug)]
    struct All;

    impl Has for All {
        fn method(&self, _: AgeMethod) -> bool {
            true
        }

        fn sub_methods(&self) -> Vec<String> {
            vec!["bank".to_owned()]
        }

        fn judges_email(&self) -> bool {
            true
        }

        fn token_age(&self, asked: i64) -> Option<u8> {
            [18, 21].into_iter().find(|age| i64::from(*age) >= asked)
        }
    }

    /// A request with a type, `double_blind`, and blocks of methods.
    fn request(body: &Value) -> SessionRequest {
        let methods = body.as_object().unwrap().iter().filter_map(|(name, terms)| {
            let method = AgeMethod::of_block(name, "svc")?;
            Some(MethodRequest {
                method,
                name: name.clone(),
                terms: serde_json::from_value(terms.clone()).unwrap(),
            })
        });
        SessionRequest {
            kind: body["type"].as_str().map(|kind| kind.parse().unwrap()),
            methods: methods.collect(),
            double_blind: body["double_blind"].as_bool(),
            ..SessionRequest::default()
        }
    }

    fn resolve(request: SessionRequest, has: &dyn Has) -> Result<Wanted, Vec<Violation>> {
        let keyring = crate::keyring::Keyring::parse(&"01".repeat(32)).unwrap();
        let fetcher = media::fetch::Fetcher::new(&media::fetch::Policy::default()).unwrap();
        let outbox = Outbox::new(fetcher, Vault::new(&keyring));
        let now = "2026-11-22T12:00:00Z".parse().unwrap();
        let offer = Offer { has, outbox: &outbox, ttl: wanted::DEFAULT_TTL_SECONDS };
        request.resolve(now, offer, Vec::new())
    }

    pub(super) fn wanted(body: &Value) -> Wanted {
        resolve(request(body), &All).unwrap()
    }

    fn refused(request: SessionRequest) -> Vec<String> {
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
        assert_eq!(all.usable(&All).count(), 14);
        assert_eq!(wanted(&json!({ "type": "AGE" })).usable(&All).count(), 5);
    }

    /// Cards and blind tokens are not.
    #[derive(Debug)]
    struct Few;

    impl Has for Few {
        fn method(&self, method: AgeMethod) -> bool {
            !matches!(method, AgeMethod::CreditCard | AgeMethod::DoubleAnonymity)
        }

        fn sub_methods(&self) -> Vec<String> {
            Vec::new()
        }

        fn judges_email(&self) -> bool {
            true
        }

        fn token_age(&self, _: i64) -> Option<u8> {
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
        let used: Vec<_> = two.usable(&All).map(|block| (block.method, block.threshold)).collect();
        assert_eq!(used, [(AgeMethod::AgeEstimation, 21)]);
    }

    #[test]
    fn every_broken_rule_is_told_with_its_path() {
        for ttl in [59, 2_592_001] {
            assert_eq!(refused(SessionRequest { ttl: Some(ttl), ..SessionRequest::default() }), ["ttl"]);
        }
        let blocks = request(&json!({
            "age_estimation": { "threshold": 0, "retry_limit": 11 },
            "double_anonymity": { "threshold": 5 },
            "electronic_id": { "sub_methods": ["bank", "moon"] },
            "digital_id": { "threshold": 18, "age_estimation_threshold": 17 },
            "doc_scan": { "preset_issuing_country": "ZZZ" },
        }));
        let text = |text: &str| Some(text.to_owned());
        let mut paths = refused(SessionRequest {
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
        let twice = SessionRequest { methods: [twice.clone(), twice].concat(), ..SessionRequest::default() };
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
            wanted.usable(&All).map(|block| (block.method, block.threshold)).collect::<Vec<_>>()
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
        let email = SessionRequest { email: Some(address), ..request(&json!({ "email": {} })) };
        assert!(resolve(email.clone(), &All).unwrap().email.is_some());
        let email = resolve(SessionRequest { double_blind: Some(true), ..email }, &All).unwrap().email;
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
        use wanted::{Held, satisfies};
        let rule = wanted(&json!({
            "age_estimation": { "threshold": 18, "level": "PASSIVE" },
            "doc_scan": { "threshold": 21, "authenticity": "AUTO" },
        }));
        let held = Held {
            kind: AgeSessionType::Over,
            age: 18,
            method: AgeMethod::AgeEstimation,
            level: LivenessLevel::Passive,
            authenticity: AuthenticityLevel::Off,
        };
        assert!(satisfies(&held, &rule));
        assert!(satisfies(&Held { age: 25, level: LivenessLevel::Active, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { age: 17, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { level: LivenessLevel::None, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { method: AgeMethod::Mobile, ..held.clone() }, &rule));
        let document = Held {
            method: AgeMethod::DocScan,
            age: 21,
            authenticity: AuthenticityLevel::Auto,
            ..held.clone()
        };
        assert!(satisfies(&document, &rule));
        assert!(!satisfies(&Held { authenticity: AuthenticityLevel::Off, ..document }, &rule));
        assert!(!satisfies(&Held { kind: AgeSessionType::Under, ..held }, &rule));
    }
}
