//! Each method that the sandbox has: passed, failed until nothing is left, broken, called off, and left until its time is
//! over; and of everything that was typed or shown the server has written nothing.

use super::{Group, ISSUER, RelyingPartyFixture, Session, act, fill, log_leaks, open, press, see, walk, way};
use log_leaks::LeakScan;
use serde_json::{Value, json};

/// Seconds of a session that nobody ends: enough to begin every method on a busy machine.
const SHORT: i64 = 180;
const CONFIRMED: &str = "Your age is confirmed";
const WALLET: &str = "What should your wallet share?";
/// What is offered, in a list.
const WAYS: &str = "[...document.querySelectorAll('.way')].map((one) => one.firstElementChild.textContent)";
const START: &str = "Show that you are 18 or over";

/// A method: what is on its screens, and what people do there.
struct Method {
    /// Its member in a payload, and the end of its address.
    block: &'static str,
    /// What it is called where it is offered.
    name: &'static str,
    /// What its first screen is called.
    heading: &'static str,
    /// What is done there to pass.
    passes: Vec<Value>,
    /// So that it says no; and what the payload asks for, where that makes the difference.
    fails: Vec<Value>,
    strict: Value,
    /// Where the sandbox has no provider that says no, the operator's own does.
    at: &'static str,
    /// So that the provider is away.
    breaks: Option<Vec<Value>>,
    /// What is done before somebody stops.
    begins: Vec<Value>,
}

impl Method {
    /// One whose provider is never away, and of which nothing is begun before somebody stops.
    fn plain(
        block: &'static str,
        [name, heading]: [&'static str; 2],
        passes: Vec<Value>,
        fails: Vec<Value>,
    ) -> Self {
        let (strict, begins) = (json!({}), Vec::new());
        Self { block, name, heading, passes, fails, strict, at: "/sandbox", breaks: None, begins }
    }

    /// One whose first screen is a form, which is sent with these fields.
    fn form(
        block: &'static str,
        [name, heading]: [&'static str; 2],
        fields: &[(&'static str, &'static str)],
        [label, passes, fails, breaks]: [&'static str; 4],
    ) -> Self {
        let filled = |words| fill(&[fields, &[(label, words)]].concat());
        let begins = fields.iter().map(|(label, words)| act("type", &[label, words])).collect();
        Self {
            block,
            name,
            heading,
            passes: filled(passes),
            fails: filled(fails),
            breaks: Some(filled(breaks)),
            begins,
            strict: json!({}),
            at: "/sandbox",
        }
    }

    /// The same where a code is sent first.
    fn code(
        block: &'static str,
        names: [&'static str; 2],
        label: &'static str,
        [passes, fails, breaks]: [&'static str; 3],
    ) -> Self {
        let mut method = Self::form(block, names, &[], [label, passes, fails, breaks]);
        method.begins = method.passes.clone();
        method.begins.extend([see("Type the code"), act("type", &["Code", "123 45"])]);
        for acts in
            [Some(&mut method.passes), Some(&mut method.fails), method.breaks.as_mut()].into_iter().flatten()
        {
            acts.extend([see("Type the code"), act("type", &["Code", "123456"]), press("Continue")]);
        }
        method
    }
}

/// Everybody is 30 in a sandbox's pictures and documents, so what fails is asked for more.
fn strict() -> Value {
    json!({ "threshold": 90 })
}

fn methods(host: &str) -> Vec<Method> {
    let person = [("Full name", "Ada Nadelöhr"), ("Date of birth", "1990-12-10")];
    let address = [&person[..], &[("Street and number, city", "17 Needle Lane, Miami")]].concat();
    let card = [("Valid until", "12/30"), ("Security code", "737")];
    let look = vec![press("Open the camera"), act("picture", &[])];
    let sign_in = |name: &str| {
        let go = format!("Go on to {host}");
        vec![press(name), press("Continue"), see("You sign in elsewhere"), press(&go)]
    };
    let go = vec![press(&format!("Go on to {host}"))];
    let wallet_here =
        vec![press("Open the wallet on this device"), see(WALLET), press("Proof that you are too young")];
    let document = vec![act("document", &["SWE", "PASSPORT"])];
    vec![
        Method {
            strict: strict(),
            ..Method::plain("age_estimation", ["Age from your face", "Now your face"], look.clone(), look)
        },
        Method {
            strict: strict(),
            ..Method::plain(
                "doc_scan",
                ["Identity document", "Show your document"],
                document.clone(),
                document,
            )
        },
        Method::form(
            "credit_card",
            ["Credit card", "Your credit card"],
            &card,
            ["Card number", "4242 4242 4242 4242", "4000 0000 0000 0002", "4000 0000 0000 9995"],
        ),
        Method::code(
            "mobile",
            ["Mobile phone number", "Your mobile phone"],
            "Mobile phone number",
            ["+44 7700 900123", "+44 7700 900000", "+44 7700 909999"],
        ),
        Method::code(
            "email",
            ["Email address", "Your email address"],
            "Email address",
            ["needle.ada@haystack.example", "minor@haystack.example", "unavailable@haystack.example"],
        ),
        Method {
            breaks: Some(sign_in("Is away")),
            begins: vec![press("Says no"), press("Continue"), see("You sign in elsewhere")],
            ..Method::plain(
                "electronic_id",
                ["Bank or electronic ID", "Who shall confirm your age?"],
                sign_in("Old enough"),
                sign_in("Too young"),
            )
        },
        Method { at: "", ..Method::plain("singpass", ["Singpass", "You sign in elsewhere"], go.clone(), go) },
        Method::form(
            "social_security_number",
            ["Social security number", "Your social security number"],
            &person,
            ["Social security number", "219-09-1234", "219-09-1111", "219-09-3333"],
        ),
        Method::form(
            "us_florida_hb3",
            ["Name and address", "Your name and address"],
            &address,
            ["Postal code", "33101", "33111", "33333"],
        ),
        // The app answers by itself; the reference of the session says what.
        Method {
            breaks: Some(Vec::new()),
            ..Method::plain(
                "la_wallet",
                ["LA Wallet", "Type the code into LA Wallet"],
                vec![act("says", &["4821"])],
                Vec::new(),
            )
        },
        Method::form(
            "cpf",
            ["CPF", "Your CPF"],
            &person,
            ["CPF number", "529.982.247-25", "111.444.777-35", "987.654.321-00"],
        ),
        Method::plain(
            "digital_id",
            ["Digital wallet", "Use your wallet"],
            with_a_phone("Proof that you are old enough"),
            wallet_here,
        ),
        Method::plain(
            "double_anonymity",
            ["Anonymous proof", "Get an anonymous proof"],
            at_the_issuer("4242 4242 4242 4242", "Your proof is ready"),
            [at_the_issuer("4000 0000 0000 0002", "Your age was not confirmed"), nothing_came().into()]
                .concat(),
        ),
    ]
}

/// What the holder of a wallet on another device does.
fn with_a_phone(choice: &str) -> Vec<Value> {
    vec![act("phone", &[&json!([see(WALLET), press(choice), see("Done")]).to_string()])]
}

/// The way through the issuer of blind tokens, in a tab of its own: an age is shown there with a card.
fn at_the_issuer(number: &str, end: &str) -> Vec<Value> {
    let mut acts = vec![see(START), press("Go on"), act("says", &[ISSUER]), see(START), way("Credit card")];
    acts.push(see("Your credit card"));
    acts.extend(fill(&[("Card number", number), ("Valid until", "12/30"), ("Security code", "737")]));
    acts.push(see(end));
    vec![act("tab", &[&json!(acts).to_string()])]
}

/// What is done where nothing came of the issuer's tab: nobody but the person ends it.
fn nothing_came() -> [Value; 2] {
    [act("says", &["Nothing came of it in the other tab."]), press("I cannot show it there")]
}

/// A session and what must have come of it.
type Expected = (Session, &'static str);

/// The payload of a session that offers one method.
fn payload(block: &str, more: &Value, members: &Value) -> Value {
    let mut payload = members.clone();
    payload[block] = more.clone();
    payload
}

/// The people of a method, beside each other; and what their sessions must come to.
fn people(shop: &RelyingPartyFixture, method: &Method) -> (Group, Vec<Expected>) {
    let Method { block, name, heading, .. } = *method;
    let mut walks = Vec::new();
    let mut expected = Vec::new();
    let told = json!({ "block_biometric_consent": true });
    let mut one = |name: &str, session: Session, acts: Vec<Value>, status| {
        walks.push(walk(&format!("{block}-{name}"), acts));
        expected.push((session, status));
    };

    // Whoever passes comes by the choice of methods, and is asked before a face is looked at.
    let session = shop.session(&payload(block, &json!({}), &json!({})));
    let mut acts = vec![open(&session.page()), see(START), way(name)];
    if block == "age_estimation" {
        acts.extend([see("May your face be measured?"), press("I agree")]);
    }
    acts.push(see(heading));
    acts.extend(method.passes.clone());
    acts.push(see(CONFIRMED));
    one("passes", session, acts, "COMPLETE");

    let mut twice = method.strict.clone();
    // Between two codes there is a pause of half a minute, which opening the method again does not shorten.
    let has_pause = method.fails.contains(&see("Type the code"));
    twice["retry_limit"] = json!(if has_pause { 1 } else { 2 });
    let with_reference = |mut members: Value, reference: &str| {
        if block == "la_wallet" {
            members["reference_id"] = json!(reference);
        }
        members
    };
    let again = json!({ "retry_enabled": true, "block_biometric_consent": true });
    let again = with_reference(again, "order 1111");
    let session = shop.session_at(method.at, &payload(block, &twice, &again));
    let mut acts = vec![open(&session.page_of(block)), see(heading)];
    acts.extend(method.fails.clone());
    if !has_pause {
        acts.extend([see("Try it again"), way(name), see(heading)]);
        acts.extend(method.fails.clone());
    }
    acts.push(see("Your age was not confirmed"));
    one("fails", session, acts, "FAIL");

    if let Some(breaks) = &method.breaks {
        let told = with_reference(told.clone(), "order 3333");
        let session = shop.session(&payload(block, &json!({}), &told));
        let mut acts = vec![open(&session.page_of(block)), see(heading)];
        acts.extend(breaks.clone());
        acts.push(see("It did not work"));
        one("breaks", session, acts, "ERROR");
    }

    let session = shop.session(&payload(block, &json!({}), &with_reference(told, "order 5555")));
    let mut acts = vec![open(&session.page_of(block)), see(heading)];
    acts.extend(method.begins.clone());
    acts.extend([act("stop", &[]), see("Stopped")]);
    one("stops", session, acts, "CANCELLED");

    for (name, session, acts, status) in oddities(shop, block) {
        one(name, session, acts, status);
    }
    (Group { name: block.to_owned(), walks }, expected)
}

/// A session with this block alone, and the way to its page.
fn begun(shop: &RelyingPartyFixture, block: &str, more: &Value) -> (Session, Vec<Value>) {
    let session = shop.session(&payload(block, more, &json!({})));
    let acts = vec![open(&session.page_of(block))];
    (session, acts)
}

/// What it is called, the session, what is done, and what must have come of it.
type Oddity = (&'static str, Session, Vec<Value>, &'static str);

/// What methods have of their own.
fn oddities(shop: &RelyingPartyFixture, block: &str) -> Vec<Oddity> {
    let host = shop.server.url.trim_start_matches("http://");
    let begun = |more: &Value| begun(shop, block, more);
    let card = |number| fill(&[("Card number", number), ("Valid until", "12/30"), ("Security code", "737")]);
    match block {
        // The bank asks first; before, the code was mistyped, which can be mended.
        "credit_card" => {
            let (session, mut acts) = begun(&json!({}));
            acts.push(see("Your credit card"));
            acts.extend(card("4000 0000 0000 0127"));
            acts.extend([act("says", &["This cannot be right"]), see("Your credit card")]);
            acts.extend(card("4000 0025 0000 3155"));
            acts.extend([see("You sign in elsewhere"), press(&format!("Go on to {host}")), see(CONFIRMED)]);
            vec![("bank", session, acts, "COMPLETE")]
        }
        // Wrong codes until no more are taken.
        "mobile" => {
            let (session, mut acts) = begun(&json!({}));
            acts.push(see("Your mobile phone"));
            acts.extend(fill(&[("Mobile phone number", "+44 7700 900456")]));
            for left in ["4", "3", "2", "1"] {
                acts.extend([
                    act("type", &["Code", "987 654"]),
                    press("Continue"),
                    act("says", &[&format!("Attempts left: {left}")]),
                    see("Type the code"),
                ]);
            }
            acts.extend([
                act("type", &["Code", "987654"]),
                press("Continue"),
                see("Your age was not confirmed"),
            ]);
            vec![("guesses", session, acts, "FAIL")]
        }
        // Nobody touches anything but the keyboard.
        "email" => {
            let session = shop.session(&payload(block, &json!({}), &json!({})));
            let acts = vec![
                open(&session.page()),
                see(START),
                act("reach", &["Email addressA code is sent to you, and the address is looked up."]),
                act("key", &["Enter"]),
                see("Your email address"),
                act("reach", &["Email address"]),
                act("insert", &["needle.bea@haystack.example"]),
                act("key", &["Enter"]),
                see("Type the code"),
                act("reach", &["Code"]),
                act("insert", &["123456"]),
                act("key", &["Enter"]),
                see(CONFIRMED),
            ];
            vec![("keyboard", session, acts, "COMPLETE")]
        }
        // Who says no at the provider comes back all the same.
        "electronic_id" => {
            let (session, mut acts) = begun(&json!({}));
            acts.extend([
                see("Who shall confirm your age?"),
                press("Says no"),
                press("Continue"),
                press(&format!("Go on to {host}")),
                see("Your age was not confirmed"),
            ]);
            vec![("declines", session, acts, "FAIL")]
        }
        _ => oddities_beside(shop, block),
    }
}

/// The same of methods that go on beside the page: on a phone, in another tab.
fn oddities_beside(shop: &RelyingPartyFixture, block: &str) -> Vec<Oddity> {
    let begun = |more: &Value| begun(shop, block, more);
    match block {
        // A credential of an issuer whom nobody knows; and a face, where the wallet does not tell.
        "digital_id" => {
            let (session, mut acts) = begun(&json!({}));
            acts.push(see("Use your wallet"));
            acts.extend(with_a_phone("A credential from an unknown issuer"));
            acts.push(see("Your age was not confirmed"));
            let stranger = ("stranger", session, acts, "FAIL");
            let instead = json!({ "age_estimation_allowed": true, "age_estimation_threshold": 25 });
            let (session, mut acts) = begun(&instead);
            acts.push(see("Use your wallet"));
            acts.extend(with_a_phone("A credential without an age"));
            acts.extend([
                see("May your face be measured?"),
                press("I agree"),
                press("Open the camera"),
                act("picture", &[]),
                see(CONFIRMED),
            ]);
            vec![stranger, ("instead", session, acts, "COMPLETE")]
        }
        // Where a second anonymisation is asked for nothing else is offered; and who stops at the issuer has no token.
        "double_anonymity" => {
            let session = shop.session(&json!({ "double_blind": true, "email": {}, "mobile": {} }));
            let mut acts = vec![open(&session.page()), see(START), act("note", &["ways", WAYS])];
            acts.push(way("Anonymous proof"));
            acts.extend(at_the_issuer("4242 4242 4242 4242", "Your proof is ready"));
            acts.push(see(CONFIRMED));
            let blind = ("blind", session, acts, "COMPLETE");
            let (session, mut acts) = begun(&json!({}));
            let there =
                json!([see(START), press("Go on"), way("Credit card"), act("stop", &[]), see("Stopped")]);
            acts.extend([see("Get an anonymous proof"), act("tab", &[&there.to_string()])]);
            acts.extend(nothing_came());
            acts.push(see("Your age was not confirmed"));
            vec![blind, ("nothing", session, acts, "FAIL")]
        }
        _ => Vec::new(),
    }
}

/// People who leave what they began alone until its time is over.
fn latecomers(shop: &RelyingPartyFixture, methods: &[Method]) -> (Group, Vec<Session>) {
    let walks_and_sessions = methods.iter().map(|method| {
        let mut short = json!({ "ttl": SHORT, "block_biometric_consent": true });
        if method.block == "la_wallet" {
            // The app does not answer.
            short["reference_id"] = json!("order 5555");
        }
        let session = shop.session(&payload(method.block, &json!({}), &short));
        let mut acts = vec![open(&session.page_of(method.block)), act("says", &[method.heading])];
        acts.extend(method.begins.clone());
        let name = format!("{}-late", method.block);
        let later = [see("Time is up")];
        (json!({ "name": name, "acts": acts, "later": later }), session)
    });
    let (walks, sessions) = walks_and_sessions.unzip();
    (Group { name: "late".to_owned(), walks }, sessions)
}

/// What is typed in these acts, here or beside.
fn typed(acts: &[Value], traces: &mut LeakScan) {
    for act in acts {
        let last = act.as_array().and_then(|act| act.last()).and_then(Value::as_str).unwrap_or_default();
        match act[0].as_str() {
            Some("type" | "insert") => traces.typed(last),
            Some("phone" | "tab") => typed(&serde_json::from_str::<Vec<Value>>(last).unwrap(), traces),
            _ => {}
        }
    }
}

#[test]
fn every_method_is_gone_through_in_a_browser() {
    let shop = RelyingPartyFixture::open();
    let film = shop.film();
    let methods = methods(shop.server.url.trim_start_matches("http://"));
    let (people, mut expected): (Vec<Group>, Vec<_>) =
        methods.iter().map(|method| people(&shop, method)).unzip();
    let (late, left) = latecomers(&shop, &methods);
    let groups: Vec<Group> = std::iter::once(late).chain(people).collect();
    let mut all = LeakScan::default();
    expected.reverse();
    let folder = shop.place.path("");
    shop.walk("ages", Some(&film), &groups, |name, walked| {
        let mut traces = LeakScan::default();
        let walks = groups.iter().filter(|group| group.name == name).flat_map(|group| &group.walks);
        for walk in walks {
            typed(walk["acts"].as_array().unwrap(), &mut traces);
        }
        for picture in walked.iter().flat_map(|walk| walk["pictures"].as_array().unwrap()) {
            traces.shown(picture.as_str().unwrap());
        }
        if name == "age_estimation" || name == "doc_scan" {
            assert!(
                walked.iter().all(|walk| walk["name"].as_str().unwrap().ends_with("stops")
                    || !walk["pictures"].as_array().unwrap().is_empty()),
                "{walked:?}"
            );
        }
        if name == "double_anonymity" {
            let blind = walked.iter().find(|walk| walk["name"] == "double_anonymity-blind").unwrap();
            assert_eq!(blind["noted"]["ways"], json!(["Anonymous proof"]));
        }
        if name == "digital_id" {
            // What a wallet's credential is and says.
            traces.typed("urn:assay:sandbox:age");
            traces.typed("age_over_18");
        }
        traces.assert_none_in(&folder);
        all.and(traces);
        if name != "late" && name != "later" {
            for (session, status) in expected.pop().unwrap() {
                let result = shop.result(&session);
                assert_eq!(result["status"], status, "{name}: {result}");
                let block = &result[name];
                let ended = i32::from(status != "CANCELLED");
                let attempts =
                    if block["retry_enabled"] == true { &block["retry_limit"] } else { &json!(ended) };
                assert_eq!(block["attempts"], *attempts, "{result}");
            }
        }
    });
    assert!(expected.is_empty());
    all.assert_none_in(&folder);
    for session in left {
        let result = shop.result(&session);
        assert_eq!(result["status"], "EXPIRED", "{result}");
        let read = shop.call("GET", &format!("{}/sessions/{}", session.api, session.id), &Value::Null);
        assert_eq!((read.0, &read.1["error_code"]), (410, &json!("SESSION_EXPIRED")));
    }
    // What is searched is what the server writes.
    assert!(log_leaks::is_in(&folder, &shop.app) && log_leaks::is_in(&folder, "/attempts/{attemptId}"));
}
