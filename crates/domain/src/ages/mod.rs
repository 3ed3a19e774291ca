//! Age verification sessions (interface 3, part B; decisions, section 5): what a business asks for, how a person shows an
//! age, and what is told of it.
//!
//! [`wanted`] holds the create payload to its rules, [`session`] is what is kept ([`store`](Ages::of) says how), [`moves`]
//! has every change of a state. [`flow`] is what a person does, turn by turn; [`methods`] has the fourteen ways, and
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
mod responses;
pub mod session;
mod store;
pub mod wanted;
pub mod words;

pub use ::methods::wallet::{Choice as WalletChoice, LONGEST_NONCE as LONGEST_WALLET_NONCE};
pub use anonymity::{Settings as Anonymous, Way};
pub use location::{Location, NoLocation};
pub use methods::{FollowDocument, Kept, Step};
pub use notify::NotSigned;
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
use session::{Session, Verdict};
use std::sync::Arc;
use wanted::{Has, Offer, Wanted};
use words::Method;

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
        let Parts { db, world, vault, outbox, estimator, secure_capture, identities, issuer, mail, fetcher } =
            parts;
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

    /// What payloads are read against.
    pub fn offer(&self, sandbox: bool) -> Offer<'_> {
        let (brand, outbox) = (self.0.settings.brand.as_str(), &self.0.outbox);
        Offer { has: self.has(sandbox), brand, outbox, ttl: wanted::TTL }
    }

    /// What payloads of rules are read against: a result is good as long as it is kept, unless the rule says less.
    pub fn offer_for_rules(&self, sandbox: bool) -> Offer<'_> {
        Offer { ttl: self.0.settings.tokens.as_secs(), ..self.offer(sandbox) }
    }

    /// Which methods there are.
    pub fn has(&self, sandbox: bool) -> &dyn Has {
        if sandbox { &self.0.sandbox } else { &self.0.providers }
    }

    /// The public keys that webhooks are signed with, a JWK set.
    pub async fn webhook_keys(&self) -> Result<serde_json::Value, NotSigned> {
        self.0.signer.key_set().await
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

    /// Makes a session. `shown` is what came of an address that the business has verified, where it sent one.
    pub async fn create(
        &self,
        tx: &mut Tx,
        app: AppId,
        sandbox: bool,
        wanted: Wanted,
        shown: Option<Verdict>,
    ) -> Result<Session, NotDone> {
        let mut session = Session::begin(&*self.0.world, app, sandbox, wanted);
        let outcome = match shown {
            Some(verdict) => {
                Some(session.judge(Method::Email, verdict, self.has(sandbox), self.0.world.now())?.clone())
            }
            None => None,
        };
        if let Some(outcome) = &outcome {
            self.tell(tx, &mut session, outcome).await?;
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

    /// Refuses a payload that names a rule which the application has not.
    pub async fn check_rule(&self, app: AppId, sandbox: bool, wanted: &Wanted) -> Result<(), NotDone> {
        let Some(id) = wanted.rule_id else { return Ok(()) };
        let rule = self.rule(&mut self.0.db.read().await?, app, sandbox, id).await?;
        rule.map(drop).ok_or_else(|| NotDone::wrong("rule_id", "there is no such rule"))
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
    use super::{wanted::Wanted, *};
    use serde_json::Value;

    /// Everything is set up.
    #[derive(Debug)]
    struct All;

    impl Has for All {
        fn method(&self, _: Method) -> bool {
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

    fn read(body: &Value) -> Result<Wanted, Vec<Violation>> {
        read_with(body, &All)
    }

    fn read_with(body: &Value, has: &dyn Has) -> Result<Wanted, Vec<Violation>> {
        let keyring = crate::keyring::Keyring::parse(&"01".repeat(32)).unwrap();
        let fetcher = media::fetch::Fetcher::new(&media::fetch::Policy::default()).unwrap();
        let outbox = Outbox::new(fetcher, Vault::new(&keyring));
        let body = body.as_object().unwrap();
        let order: Vec<String> = body.keys().cloned().collect();
        let now = "2026-11-22T12:00:00Z".parse().unwrap();
        Wanted::read(body, &order, now, Offer { has, brand: "svc", outbox: &outbox, ttl: wanted::TTL })
    }

    pub(super) fn wanted(body: &Value) -> Wanted {
        read(body).unwrap()
    }

    fn wrong(body: &Value) -> Vec<String> {
        read(body).unwrap_err().into_iter().map(|wrong| wrong.path.into_owned()).collect()
    }

    use serde_json::json;

    #[test]
    fn without_a_block_every_method_is_asked_for() {
        let all = wanted(&json!({}));
        assert_eq!(all.blocks.len(), 14);
        assert_eq!((all.kind, all.ttl), (words::Kind::Over, 900));
        assert_eq!(all.usable(&All).count(), 14);
        assert_eq!(wanted(&json!({ "type": "age" })).usable(&All).count(), 5);
    }

    /// Cards and blind tokens are not.
    #[derive(Debug)]
    struct Few;

    impl Has for Few {
        fn method(&self, method: Method) -> bool {
            !matches!(method, Method::CreditCard | Method::DoubleAnonymity)
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
            let wanted = read_with(body, &Few).unwrap();
            wanted.blocks.iter().map(|block| block.method).collect::<Vec<_>>()
        };
        let all = blocks(&json!({}));
        assert_eq!(all.len(), 12);
        assert!(!all.contains(&Method::CreditCard) && !all.contains(&Method::DoubleAnonymity));
        // What the payload speaks of stays, and is not offered.
        let named = json!({ "credit_card": {}, "mobile": {} });
        assert_eq!(blocks(&named), [Method::CreditCard, Method::Mobile]);
    }

    #[test]
    fn with_a_block_only_those_that_are_named() {
        let two = wanted(&json!({ "age_estimation": { "threshold": 21 }, "doc_scan": { "allowed": false } }));
        let used: Vec<_> = two.usable(&All).map(|block| (block.method, block.threshold)).collect();
        assert_eq!(used, [(Method::AgeEstimation, 21)]);
    }

    #[test]
    fn every_wrong_member_is_told_with_its_path() {
        assert_eq!(wrong(&json!({ "ttl": 59 })), ["ttl"]);
        assert_eq!(wrong(&json!({ "ttl": 2_592_001 })), ["ttl"]);
        assert_eq!(wrong(&json!({ "ttl": 60.5 })), ["ttl"]);
        assert_eq!(wrong(&json!({ "type": "EXACT" })), ["type"]);
        let body = json!({
            "age_estimation": { "allowed": "yes", "threshold": 0, "retry_limit": 11, "level": "HIGH" },
            "double_anonymity": { "threshold": 5 },
            "electronic_id": { "sub_methods": ["bank", "moon"] },
            "digital_id": { "threshold": 18, "age_estimation_threshold": 17 },
            "notification_url": "http://a.example.com/x",
            "callback": { "url": "javascript://x" },
            "target_origin_url": "ftp://x",
            "blocked_locations": ["GB", "US-UT", "Utah"],
            "account_id": "x".repeat(101),
            "rule_id": "1",
            "email": { "data": { "verified_email": "nobody" } },
        });
        let mut paths = wrong(&body);
        paths.sort();
        assert_eq!(
            paths,
            [
                "account_id",
                "age_estimation.allowed",
                "age_estimation.level",
                "age_estimation.retry_limit",
                "age_estimation.threshold",
                "blocked_locations[2]",
                "callback.url",
                "digital_id.age_estimation_threshold",
                "double_anonymity.threshold",
                "electronic_id.sub_methods[1]",
                "email.data.verified_email",
                "notification_url",
                "rule_id",
                "target_origin_url",
            ]
        );
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
        let token = |threshold| vec![(Method::DoubleAnonymity, threshold)];
        assert_eq!(used(&json!({ "double_blind": true })), token(18));
        assert_eq!(wanted(&json!({ "double_blind": true })).blocks.len(), 1);
        let strictest = json!({ "double_blind": true, "age_estimation": { "threshold": 21 }, "mobile": {}, "email": { "allowed": false, "threshold": 90 } });
        assert_eq!(used(&strictest), token(21));
        let own = json!({ "double_blind": true, "age_estimation": { "threshold": 21 }, "double_anonymity": { "threshold": 16 } });
        assert_eq!(used(&own), token(16));
        assert_eq!(used(&json!({ "double_blind": false, "mobile": {} })), [(Method::Mobile, 18)]);
        let email = json!({ "double_blind": true, "email": { "data": { "verified_email": "a@b.example" } } });
        assert_eq!(wanted(&email).email, None, "an address would say who it is");
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
        use words::{Authenticity, Kind, Level};
        let rule = wanted(&json!({
            "age_estimation": { "threshold": 18, "level": "PASSIVE" },
            "doc_scan": { "threshold": 21, "authenticity": "AUTO" },
        }));
        let held = Held {
            kind: Kind::Over,
            age: 18,
            method: Method::AgeEstimation,
            level: Level::Passive,
            authenticity: Authenticity::Off,
        };
        assert!(satisfies(&held, &rule));
        assert!(satisfies(&Held { age: 25, level: Level::Active, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { age: 17, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { level: Level::None, ..held.clone() }, &rule));
        assert!(!satisfies(&Held { method: Method::Mobile, ..held.clone() }, &rule));
        let document =
            Held { method: Method::DocScan, age: 21, authenticity: Authenticity::Auto, ..held.clone() };
        assert!(satisfies(&document, &rule));
        assert!(!satisfies(&Held { authenticity: Authenticity::Off, ..document }, &rule));
        assert!(!satisfies(&Held { kind: Kind::Under, ..held }, &rule));
    }
}
