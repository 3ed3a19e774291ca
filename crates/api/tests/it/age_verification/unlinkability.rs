//! Issues many tokens, redeems them in another order, and collects everything that either side was sent, answered,
//! wrote into the database (opened with the server's own key) and logged. No value that distinguishes end users may be
//! on both sides: even with all of it, nobody can say which token was whose. Times are left out: docs/BLIND-TOKENS.md
//! says what they reveal. That the signatures themselves reveal nothing is tested in
//! `crates/age_methods/tests/protocols/tokens.rs`.

use crate::{
    age_verification::{
        AgeSessionFixture, SANDBOX,
        blind_tokens::{Browser, IssuerSession, encode, token_issuer},
    },
    captured_log::CapturedLog,
};
use base::SignedDuration;
use domain::age_verification::session::AgeSession;
use serde_json::json;
use std::collections::{BTreeSet, HashMap, HashSet};
use testkit::TestApp;
use tracing_subscriber::EnvFilter;

const END_USERS: usize = 24;

/// Shorter values (a status, a number of milliseconds) identify nobody.
const MIN_MATCH_BYTES: usize = 8;

/// Everything that one side has about one end user, in pieces.
#[derive(Default)]
struct ObservedValues(HashSet<Vec<u8>>);

impl ObservedValues {
    /// Adds a row of the database as a dump has it.
    fn row(&mut self, row: &str) {
        // PostgreSQL writes bytes as \x and hexadecimal digits.
        self.text(&row.replace("\\\\x", " "));
    }

    /// Splits a text into words, and adds them and what they decode to, as hexadecimal digits, base64 and ids.
    fn text(&mut self, text: &str) {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
        for word in text
            .split(|c: char| !part_of_word(c))
            .filter(|word| word.len() >= MIN_MATCH_BYTES && !is_moment(word))
        {
            self.0.insert(word.as_bytes().to_vec());
            let plain = word.trim_end_matches('=').replace('+', "-").replace('/', "_");
            let digits = word.replace('-', "");
            let decoded = [
                base64_simd::URL_SAFE_NO_PAD.decode_to_vec(&plain).ok(),
                (digits.len() % 2 == 0 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
                    .then(|| (0..digits.len() / 2).map(|at| byte(&digits, at)).collect()),
            ];
            for bytes in decoded.into_iter().flatten() {
                self.0.extend(bytes.windows(MIN_MATCH_BYTES).map(<[u8]>::to_vec));
                // Decoded bytes may be text again.
                if let Ok(inner) = String::from_utf8(bytes) {
                    self.text(&inner);
                }
            }
        }
    }
}

fn byte(digits: &str, at: usize) -> u8 {
    u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()
}

/// A date as texts have it, or Unix time in seconds or finer.
fn is_moment(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) || word.starts_with("2026-0")
}

/// Values that are on both sides, and on each distinguish some end users from others.
fn joins(issued: &[ObservedValues], redeemed: &[ObservedValues]) -> Vec<Vec<u8>> {
    let counted = |side: &[ObservedValues]| {
        let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
        for value in side.iter().flat_map(|seen| &seen.0) {
            *counts.entry(value.clone()).or_default() += 1;
        }
        // A value that everybody has distinguishes nobody: words, the issuer's key, the server's own ids.
        counts.retain(|_, count| *count < side.len());
        counts
    };
    let (issued, redeemed) = (counted(issued), counted(redeemed));
    issued.into_keys().filter(|value| redeemed.contains_key(value)).collect()
}

/// Observes what a server logs and writes.
struct Watch {
    log: CapturedLog,
    rows: BTreeSet<String>,
}

impl Watch {
    /// Adds what has happened since the last call.
    async fn note(&mut self, app: &TestApp, sessions: &[&str], seen: &mut ObservedValues) {
        let rows = app.dump().await;
        for row in rows.symmetric_difference(&self.rows) {
            seen.row(row);
        }
        self.rows = rows;
        seen.text(&self.log.take());
        // The contents of the rows, opened with the server's own key.
        for id in sessions {
            let (app_of, id) = (&app.api.age_verification, id.parse().unwrap());
            if let Ok((session, _)) = app_of.end_user_session(id, true).await {
                seen.text(&serde_json::to_string::<AgeSession>(&session).unwrap());
            }
        }
    }
}

#[tokio::test]
async fn the_data_of_the_issuer_cannot_be_joined_with_those_of_the_session() {
    let app = token_issuer(&[18]).await;
    let log = CapturedLog::new();
    let filter = EnvFilter::new("info,api=trace,domain=trace,age_methods=trace");
    let subscriber =
        tracing_subscriber::fmt().json().with_env_filter(filter).with_writer(log.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let (mut issued, mut redeemed): (Vec<ObservedValues>, Vec<ObservedValues>) = Default::default();
    let mut watch = Watch { log, rows: app.dump().await };
    // The first session has the keys created, which all others share.
    let key = app.api_key(&[]).await;
    AgeSessionFixture::create_with_key(&app, key.clone(), SANDBOX, &json!({ "double_blind": true }))
        .await
        .open_attempt(&app, "DOUBLE_ANONYMITY")
        .await;
    watch.note(&app, &[], &mut ObservedValues::default()).await;
    // What was there before any end user tells none from another, whenever its row changes: that the relying party's key was used
    // is noted beside whatever happens then.
    let mut earlier = ObservedValues::default();
    watch.rows.iter().for_each(|row| earlier.row(row));

    // Each end user requests a token in a session of the relying party.
    let mut waiting = Vec::new();
    for person in 0..END_USERS {
        app.environment.advance(SignedDuration::from_secs(1));
        let mut seen = ObservedValues::default();
        let payload = json!({ "double_blind": true, "ttl": 86_400, "reference_id": format!("order-number-{person:04}") });
        let session = AgeSessionFixture::create_with_key(&app, key.clone(), SANDBOX, &payload).await;
        let turn = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
        seen.text(&turn.0.to_string());
        watch.note(&app, &[&session.id], &mut seen).await;
        let (browser, request) = Browser::for_step(&turn);
        waiting.push((session, turn, browser, request, seen));
    }
    // Each proves an age to the issuer, in another order.
    let order = |step: usize| (0..END_USERS).map(move |at| (at * step + 5) % END_USERS);
    let mut tokens = HashMap::new();
    for person in order(7) {
        app.environment.advance(SignedDuration::from_secs(1));
        let (_, _, browser, request, _) = &waiting[person];
        let mut seen = ObservedValues::default();
        let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
        seen.text(issuer_session.key());
        let form = issuer_session.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
        let fields = json!({
            "full_name": format!("Ada Lovelace the {person}."), "date_of_birth": "1990-12-10",
            "number": format!("219-09-{:04}", 4000 + person),
        });
        seen.text(&form.0.to_string());
        seen.text(&fields.to_string());
        let ended = issuer_session.take_turn(&app, &form, json!({ "fields": fields })).await;
        assert_eq!(ended.status(), "COMPLETE");
        watch.note(&app, &[issuer_session.id()], &mut seen).await;
        let answer = issuer_session.token(&app, request).await.json();
        seen.text(request);
        seen.text(&answer.to_string());
        // What is left of the session has the digest of the message.
        watch.note(&app, &[issuer_session.id()], &mut seen).await;
        tokens.insert(person, browser.finish(&answer["token_response"]));
        issued.push(seen);
    }
    // Each redeems the token, in yet another order.
    for person in order(11) {
        app.environment.advance(SignedDuration::from_secs(1));
        let (session, turn, _, _, seen) = &mut waiting[person];
        let token = encode(&tokens[&person]);
        let ended = session.take_turn(&app, turn, json!({ "token": token })).await;
        assert_eq!(ended.status(), "COMPLETE");
        seen.text(&token);
        seen.text(&ended.0.to_string());
        watch.note(&app, &[&session.id], seen).await;
        redeemed.push(std::mem::take(seen));
    }
    assert_eq!((issued.len(), redeemed.len()), (END_USERS, END_USERS));
    // Each side has much that distinguishes its end users.
    for side in [&issued, &redeemed] {
        assert!(side.iter().all(|seen| seen.0.len() > 2_000), "little was collected");
        assert!(!joins(side, side).is_empty());
    }
    let common: Vec<_> = joins(&issued, &redeemed)
        .into_iter()
        .filter(|value| !earlier.0.contains(value))
        .map(|value| String::from_utf8_lossy(&value).into_owned())
        .collect();
    assert!(common.is_empty(), "these stand on both sides: {common:?}");

    // The comparison would find a link, such as a signature on a token that was not blinded.
    let not_blinded = encode(&tokens[&3][98..]);
    issued[0].text(&format!("{{\"token_response\":\"{not_blinded}\"}}"));
    assert!(joins(&issued, &redeemed).len() > 200, "a signature has 249 windows");
}
