//! What a session is asked for: the create payload in either description, held to its rules. A rule for age tokens is a
//! payload too.

use super::{
    Location, NoLocation,
    words::{Authenticity, Kind, Level, Method, Says},
};
use crate::{
    delivery::Outbox,
    members::{Members, Wrongs},
    violation::Violation,
};
use base::{SignedDuration, Timestamp, Uuid};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Seconds that a session is valid, unless asked otherwise; at least, and at most: thirty days.
/// Seconds that a session lives unless its payload says otherwise.
pub(super) const TTL: i64 = 900;
const TTL_BOUNDS: (i64, i64) = (60, 2_592_000);
/// The age that is asked for, unless asked otherwise, years.
const THRESHOLD: i64 = 18;
/// Ages that can be asked for, and those that blind tokens are made for, years.
const THRESHOLDS: (i64, i64) = (1, 120);
const TOKEN_THRESHOLDS: (i64, i64) = (6, 100);
/// Attempts at a method where it may be tried again and no limit is set; and the most that can be set.
const ATTEMPTS: i64 = 3;
const MOST_ATTEMPTS: i64 = 10;
/// A credit card shows so many years, and no more.
const CARD_AGE: i64 = 18;
/// The longest account id, characters.
const ACCOUNT_ID: usize = 100;
/// Locations that may be blocked.
const MOST_LOCATIONS: usize = 300;

/// What the server has, as far as payloads depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Whether a method has a provider.
    pub has: &'a dyn Has,
    /// The brand in lower case: `svc_key` is called by it too.
    pub brand: &'a str,
    /// Where webhooks go through.
    pub outbox: &'a Outbox,
    /// Seconds that a session lives, or a result is good for a rule, where the payload says nothing.
    pub ttl: i64,
}

/// Tells which methods and providers there are.
pub trait Has: std::fmt::Debug + Send + Sync {
    /// Whether a method can be offered.
    fn method(&self, method: Method) -> bool;
    /// The ids of the `OpenID` Connect providers of `electronic_id`.
    fn sub_methods(&self) -> Vec<String>;
    /// Whether an address that a business has verified can be judged, which takes no mail.
    fn judges_email(&self) -> bool;
    /// The age that a blind token shows where this one is asked for, years; none where no token reaches it.
    fn token_age(&self, asked: i64) -> Option<u8>;
}

/// A create payload that holds. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the members are the payload's")]
pub struct Wanted {
    /// What is to be told.
    pub kind: Kind,
    /// The methods that the payload speaks of, in its order; every one that is set up where it speaks of none.
    pub blocks: Vec<Block>,
    /// When the session ends.
    pub until: Timestamp,
    /// Seconds of that; of a rule the greatest age of a token.
    pub ttl: i64,
    /// The business's own word for it, given back unchanged.
    pub reference_id: Option<String>,
    /// Where the person goes afterwards.
    pub callback: Option<Callback>,
    /// Whom to tell, https.
    pub notification_url: Option<String>,
    /// Whether consent to the use of biometric data is not asked for, because the business has it.
    pub block_biometric_consent: bool,
    /// The rule that an age token must satisfy.
    pub rule_id: Option<Uuid>,
    /// Where the person goes who calls it off.
    pub cancel_url: Option<String>,
    /// Where the business says what it does with data.
    pub privacy_policy: Option<String>,
    /// The business's terms.
    pub terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    pub retry_enabled: bool,
    /// Whether it may go on after it failed.
    pub resume_enabled: bool,
    /// From where it may not be used: ISO 3166-1 or ISO 3166-2.
    pub blocked_locations: Vec<Location>,
    /// Who is told by the page inside his frame.
    pub target_origin_url: Option<String>,
    /// Whether the person waits until every check has a result.
    pub synchronous_checks: bool,
    /// The business's own word for the person.
    pub account_id: Option<String>,
    /// Whether nothing but a blind token answers it.
    pub double_blind: bool,
    /// An address that the business has verified, to be judged when the session is made.
    #[serde(skip)]
    pub email: Option<VerifiedEmail>,
}

/// Where the person goes afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// The address; the session's id is added to its query.
    pub url: Option<String>,
    /// Whether he is sent there without a press of a button.
    pub auto: bool,
}

/// An address that the business has verified. It is judged at once and not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifiedEmail {
    /// The address.
    pub address: String,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The person's address on the network.
    pub ip: Option<String>,
}

// What it says of a person is nobody's business who reads a log.
impl std::fmt::Debug for VerifiedEmail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifiedEmail")
    }
}

/// A method and how it may be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Which.
    pub method: Method,
    /// Whether it may be used.
    pub allowed: bool,
    /// The age that is asked for, years.
    pub threshold: i64,
    /// Whether the payload says so.
    #[serde(default)]
    pub says_threshold: bool,
    /// How it is made sure that a live person shows his face.
    pub level: Level,
    /// How it is made sure that a document is genuine.
    pub authenticity: Authenticity,
    /// Whether it may be tried again.
    pub retry_enabled: bool,
    /// How often it may be tried, where it may be tried again.
    pub retry_limit: Option<i64>,
    /// Of a wallet: whether an estimated age will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_allowed: Option<bool>,
    /// Of a wallet: the age that an estimate must show, years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_estimation_threshold: Option<i64>,
    /// Of a document: the country that the page begins with, ISO 3166-1 alpha-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset_issuing_country: Option<String>,
    /// Of a document: whether the page offers no phone to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_mobile_hand_off: Option<bool>,
    /// Of a document: whether the person waits for the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronous_checks: Option<bool>,
    /// Of a key: whether a person who has one must use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<bool>,
    /// Of an electronic identity: which providers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_methods: Option<Vec<String>>,
}

impl Block {
    /// A method with nothing said about it.
    fn usual(method: Method, retry_enabled: bool) -> Self {
        let authenticity = if method == Method::DocScan { Authenticity::Auto } else { Authenticity::Off };
        Self {
            method,
            allowed: true,
            threshold: THRESHOLD,
            says_threshold: false,
            level: Level::None,
            authenticity,
            retry_enabled,
            retry_limit: None,
            age_estimation_allowed: None,
            age_estimation_threshold: None,
            preset_issuing_country: None,
            disable_mobile_hand_off: None,
            synchronous_checks: None,
            authentication: None,
            sub_methods: None,
        }
    }

    /// How often it may be tried, where it may be tried again.
    pub fn limit(&self) -> i64 {
        self.retry_limit.unwrap_or(ATTEMPTS)
    }

    /// How often it may be tried.
    pub fn attempts(&self) -> i64 {
        if self.retry_enabled { self.limit() } else { 1 }
    }

    /// Whether the method uses a face.
    pub fn is_biometric(&self) -> bool {
        match self.method {
            Method::AgeEstimation => true,
            Method::DocScan => self.level != Level::None,
            _ => false,
        }
    }

    /// Whether the method can answer a session of this kind as this block asks.
    fn answers(&self, kind: Kind) -> bool {
        self.allowed
            && self.method.says().answers(kind)
            && (self.method != Method::CreditCard || self.threshold <= CARD_AGE)
    }
}

impl Wanted {
    /// Reads a create payload; everything that is wrong with it is told at once. `order` has the names of its members as
    /// they came.
    pub fn read(
        body: &Map<String, Value>,
        order: &[String],
        now: Timestamp,
        offer: Offer<'_>,
    ) -> Result<Self, Vec<Violation>> {
        let wrongs = Wrongs::default();
        let members = wrongs.members(body);
        let kind = members.word("type").unwrap_or(Kind::Over);
        let retry_enabled = members.flag("retry_enabled").unwrap_or(false);
        let double_blind = members.flag("double_blind").unwrap_or(false);
        let (least, most) = TTL_BOUNDS;
        let ttl = members.within("ttl", least, most).unwrap_or(offer.ttl);
        let mut blocks = blocks(&members, order, kind, retry_enabled, offer);
        // Where only a token will do, its block is all there is to say.
        if blocks.is_empty() && !double_blind {
            blocks = every(retry_enabled, offer.has);
        }
        let mut wanted = Self {
            kind,
            blocks,
            until: now + SignedDuration::from_secs(ttl),
            ttl,
            reference_id: members.string("reference_id"),
            callback: callback(&members),
            notification_url: webhook(&members, offer.outbox),
            block_biometric_consent: members.flag("block_biometric_consent").unwrap_or(false),
            rule_id: uuid(&members, "rule_id"),
            cancel_url: members.page("cancel_url"),
            privacy_policy: members.page("privacy_policy"),
            terms_and_conditions: members.page("terms_and_conditions"),
            retry_enabled,
            resume_enabled: members.flag("resume_enabled").unwrap_or(false),
            blocked_locations: locations(&members),
            target_origin_url: origin(&members),
            synchronous_checks: members.flag("synchronous_checks").unwrap_or(false),
            account_id: members.string("account_id"),
            double_blind,
            email: members
                .inner("email")
                .and_then(|email| email.inner("data"))
                .and_then(|data| email_data(&data)),
        };
        if let Some(id) = &wanted.account_id {
            let length = id.chars().count();
            if length > ACCOUNT_ID {
                members.refuse(
                    "account_id",
                    format!("it has {length} characters, at most {ACCOUNT_ID} are taken"),
                );
            }
        }
        wrongs.end()?;
        if wanted.double_blind {
            wanted.leave_tokens();
        }
        wanted.offer_something(offer)?;
        Ok(wanted)
    }

    /// Has it answered by a blind token alone: for the age of its own block, or else for the strictest that is asked for.
    fn leave_tokens(&mut self) {
        // An address that the business knows is the person's name, whatever came of it.
        self.email = None;
        if self.block(Method::DoubleAnonymity).is_none() {
            let asked = self.blocks.iter().filter(|block| block.allowed).map(|block| block.threshold);
            let threshold = asked.max().unwrap_or(THRESHOLD);
            let usual = Block::usual(Method::DoubleAnonymity, self.retry_enabled);
            self.blocks.push(Block { threshold, ..usual });
        }
    }

    /// Leaves the methods that can be offered, or refuses a session that would offer none.
    fn offer_something(&mut self, offer: Offer<'_>) -> Result<(), Vec<Violation>> {
        let judged = self.email.is_some() && self.judged_email(offer.has).is_some();
        if judged || self.usable(offer.has).next().is_some() {
            return Ok(());
        }
        let words = if self.double_blind {
            "double_blind: this server has no blind token that could answer the session".to_owned()
        } else if self.blocks.iter().any(|block| block.allowed && offer.has.method(block.method)) {
            format!("none of the methods can answer a session of the type {}", self.kind)
        } else {
            "none of the methods is both allowed and set up at this server".to_owned()
        };
        Err(vec![crate::violation::violation("", words)])
    }

    /// The methods that can be used, in their order.
    pub fn usable<'a>(&'a self, has: &'a dyn Has) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(|block| {
            let token = block.method == Method::DoubleAnonymity;
            block.answers(self.kind)
                && has.method(block.method)
                && (token || !self.double_blind)
                && (!token || has.token_age(block.threshold).is_some())
        })
    }

    /// What an address that the business has verified is judged by, where it can be.
    pub(super) fn judged_email(&self, has: &dyn Has) -> Option<&Block> {
        self.block(Method::Email).filter(|block| block.answers(self.kind) && has.judges_email())
    }

    /// What is said about a method.
    pub fn block(&self, method: Method) -> Option<&Block> {
        self.blocks.iter().find(|block| block.method == method)
    }
}

/// The blocks of a payload, in its order.
fn blocks(members: &Members<'_>, order: &[String], kind: Kind, retry: bool, offer: Offer<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for name in order {
        let Some(method) = Method::of_block(name, offer.brand) else { continue };
        let Some(inner) = members.inner(name) else { continue };
        if blocks.iter().any(|known| known.method == method) {
            members.refuse(name, "this method is spoken of twice");
            continue;
        }
        blocks.push(block(&inner, method, kind, retry, offer));
    }
    blocks
}

/// Every method that is set up, with nothing said about it.
fn every(retry: bool, has: &dyn Has) -> Vec<Block> {
    let known = Method::ALL.into_iter().filter(|method| has.method(*method));
    known.map(|method| Block::usual(method, retry)).collect()
}

fn block(members: &Members<'_>, method: Method, kind: Kind, retry: bool, offer: Offer<'_>) -> Block {
    let usual = Block::usual(method, retry);
    let (least, most) = if method == Method::DoubleAnonymity { TOKEN_THRESHOLDS } else { THRESHOLDS };
    let mut block = Block {
        allowed: members.flag("allowed").unwrap_or(true),
        threshold: members.within("threshold", least, most).unwrap_or(THRESHOLD),
        says_threshold: members.has("threshold"),
        level: members.word("level").unwrap_or(usual.level),
        authenticity: members.word("authenticity").unwrap_or(usual.authenticity),
        retry_enabled: members.flag("retry_enabled").unwrap_or(retry),
        retry_limit: members.within("retry_limit", 1, MOST_ATTEMPTS),
        ..usual
    };
    match method {
        Method::DigitalId => wallet(members, &mut block, kind),
        Method::DocScan => {
            block.preset_issuing_country = country(members);
            block.disable_mobile_hand_off = members.flag("disable_mobile_hand_off");
            block.synchronous_checks = members.flag("synchronous_checks");
        }
        Method::SvcKey => block.authentication = members.flag("authentication"),
        Method::ElectronicId => {
            let known = offer.has.sub_methods();
            let asked = members.texts("sub_methods");
            for (path, id) in &asked {
                if !known.iter().any(|known| known == id) {
                    members
                        .refuse(path, format!("no such provider is set up; there are: {}", known.join(", ")));
                }
            }
            // None is every one, as where nothing is said.
            let named = !asked.is_empty();
            block.sub_methods = named.then(|| asked.iter().map(|(_, id)| (*id).to_owned()).collect());
        }
        _ => {}
    }
    block
}

/// What a wallet's block has beside the rest: an estimated age is less sure than a certified one, so it must lie on the
/// safe side of what is asked for.
fn wallet(members: &Members<'_>, block: &mut Block, kind: Kind) {
    block.age_estimation_allowed = members.flag("age_estimation_allowed");
    let (least, most) = THRESHOLDS;
    block.age_estimation_threshold = members.within("age_estimation_threshold", least, most);
    let (Some(estimated), asked) = (block.age_estimation_threshold, block.threshold) else { return };
    let unsafe_side = match kind {
        Kind::Over => estimated < asked,
        Kind::Under => estimated > asked,
        Kind::Age => false,
    };
    if unsafe_side {
        let side = if kind == Kind::Over { "at least" } else { "at most" };
        members.refuse(
            "age_estimation_threshold",
            format!("it is {estimated}; {side} the threshold of {asked} is expected"),
        );
    }
}

fn country(members: &Members<'_>) -> Option<String> {
    let code = members.text("preset_issuing_country")?.to_ascii_uppercase();
    if code.len() == 3 && documents::countries::find_iso(&code).is_some() {
        return Some(code);
    }
    members.refuse("preset_issuing_country", "it is no ISO 3166-1 alpha-3 code");
    None
}

fn callback(members: &Members<'_>) -> Option<Callback> {
    match members.inner("callback") {
        Some(inner) => Some(Callback { url: inner.page("url"), auto: inner.flag("auto").unwrap_or(false) }),
        None => members.page("callback_url").map(|url| Callback { url: Some(url), auto: false }),
    }
}

fn webhook(members: &Members<'_>, outbox: &Outbox) -> Option<String> {
    let url = members.text("notification_url")?;
    if !url.starts_with("https:") {
        members.refuse("notification_url", "it begins with https:");
        return None;
    }
    outbox
        .check(url, true)
        .map_err(|refused| members.refuse("notification_url", refused.to_string()))
        .ok()?;
    Some(url.to_owned())
}

/// The page that may be told what happens. Only its origin counts.
fn origin(members: &Members<'_>) -> Option<String> {
    let url = members.text("target_origin_url")?;
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let fine = host.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['));
    if fine && !url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Some(url.to_owned());
    }
    members.refuse("target_origin_url", "it begins with https:// or http:// and a host");
    None
}

fn locations(members: &Members<'_>) -> Vec<Location> {
    let asked = members.texts("blocked_locations");
    if asked.len() > MOST_LOCATIONS {
        members.refuse(
            "blocked_locations",
            format!("it has {} items, at most {MOST_LOCATIONS} are taken", asked.len()),
        );
    }
    let read = |(path, text): (String, &str)| {
        text.parse().map_err(|bad: NoLocation| members.refuse(&path, bad.to_string())).ok()
    };
    asked.into_iter().filter_map(read).collect()
}

fn uuid(members: &Members<'_>, name: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(members.text(name)?);
    id.map_err(|_| members.refuse(name, "it is no UUID")).ok()
}

fn email_data(members: &Members<'_>) -> Option<VerifiedEmail> {
    let Some(address) = members.string("verified_email") else {
        if !members.has("verified_email") {
            members.refuse("verified_email", "it is required");
        }
        return None;
    };
    let fine = address.len() <= 254
        && address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
        && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    if !fine {
        members.refuse("verified_email", "it is no e-mail address");
    }
    let country = members.string("country_code").map(|code| code.to_ascii_uppercase());
    if country.as_deref().is_some_and(|code| code.len() != 2 || !code.bytes().all(|b| b.is_ascii_uppercase()))
    {
        members.refuse("country_code", "it is no ISO 3166-1 alpha-2 code");
    }
    let ip = members.string("ip_address");
    if ip.as_deref().is_some_and(|ip| ip.parse::<std::net::IpAddr>().is_err()) {
        members.refuse("ip_address", "it is no IP address");
    }
    Some(VerifiedEmail { address, country, ip })
}

/// Whether what a token rests on is enough for what is asked: the method is among those asked for, and neither its
/// threshold nor its levels are less.
pub fn satisfies(held: &Held, wanted: &Wanted) -> bool {
    let Some(block) = wanted.block(held.method).filter(|block| block.allowed) else { return false };
    let enough = wanted.kind.is_told_by(held.kind)
        && match wanted.kind {
            Kind::Over => held.age >= block.threshold,
            Kind::Under => held.age <= block.threshold,
            Kind::Age => true,
        };
    let level = |level: Level| level as u8;
    let genuine = |authenticity: Authenticity| authenticity as u8;
    enough
        && level(held.level) >= level(block.level)
        && genuine(held.authenticity) >= genuine(block.authenticity)
        && (held.method.says() != Says::Over || wanted.kind == Kind::Over)
}

/// What a kept result says, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// What it tells.
    pub kind: Kind,
    /// The age, or the threshold that was shown, years.
    pub age: i64,
    /// How.
    pub method: Method,
    /// How sure the face was.
    pub level: Level,
    /// How sure the document was.
    pub authenticity: Authenticity,
}
