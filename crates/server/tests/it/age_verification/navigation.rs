//! What is around the methods: a result that is kept under a passkey, another device, a refusal of consent, the ways back to
//! the business, a page around the page, languages; and age estimation with the real models.

use super::{Group, RelyingPartyFixture, Session, act, fill, open, press, see, walk, way};
use crate::test_installation::repository;
use serde_json::{Value, json};

const CONFIRMED: &str = "Your age is confirmed";
const START: &str = "Show that you are 18 or over";
const FORGET: &str = "Forget what is kept under your passkey (opens in a new tab)";

/// A form with an e-mail address, and the code.
fn by_email(address: &str) -> Vec<Value> {
    let mut acts = vec![see("Your email address")];
    acts.extend(fill(&[("Email address", address)]));
    acts.extend([see("Type the code"), act("type", &["Code", "123456"]), press("Continue")]);
    acts
}

/// Somebody keeps a result, shows it again, lets it be forgotten, and has nothing to show any more.
fn with_a_passkey(shop: &RelyingPartyFixture) -> (Value, [Session; 3]) {
    let keep = shop.session(&json!({ "email": {}, "svc_key": {} }));
    let again = shop.session(&json!({ "email": {}, "svc_key": { "authentication": true } }));
    let none =
        json!({ "svc_key": { "retry_enabled": true, "retry_limit": 2 }, "email": { "allowed": false } });
    let none = shop.session(&none);
    let forget = format!("{}/sandbox/age/keys", shop.server.url);
    let mut acts = vec![act("authenticator", &[]), open(&keep.page()), see(START), way("Email address")];
    acts.extend(by_email("ada@haystack.example"));
    acts.extend([
        see(CONFIRMED),
        press("Keep this proof on this device"),
        act("says", &["It is kept. Next time your passkey shows it."]),
        see(CONFIRMED),
        open(&again.page()),
        see(START),
        act("note", &["link", &format!("[...document.querySelectorAll('.links a')].find((one) => one.textContent === '{FORGET}').href")]),
        way("Passkey"),
        see("Use your passkey"),
        press("Use the passkey"),
        see(CONFIRMED),
        open(&forget),
        see("Forget what is kept"),
        press("Forget it"),
        see("It is forgotten"),
        open(&forget),
        press("Forget it"),
        see("Nothing was kept"),
        open(&none.page_of("svc_key")),
        see("Use your passkey"),
        press("Use the passkey"),
        see("Try it again"),
        way("Passkey"),
        press("Use the passkey"),
        see("Your age was not confirmed"),
    ]);
    (walk("passkey", acts), [keep, again, none])
}

/// Keys that are asked for in every language; the first has no device that could answer.
fn in_other_languages(shop: &RelyingPartyFixture) -> Vec<Value> {
    let forget = format!("{}/age/keys", shop.server.url);
    let headings = [
        ("de", "Aufbewahrtes vergessen lassen"),
        ("fr", "Faire oublier ce qui est conservé"),
        ("es", "Olvidar lo guardado"),
        ("pl", "Usuwanie zachowanego wyniku"),
        ("ar", "حذف ما هو محفوظ"),
    ];
    let walks = headings.into_iter().map(|(language, heading)| {
        let acts = vec![act("dark", &[]), open(&forget), see(heading)];
        json!({ "name": format!("forget-{language}"), "acts": acts, "language": language })
    });
    walks.collect()
}

#[test]
fn a_result_is_kept_shown_and_forgotten_in_a_browser() {
    let shop = RelyingPartyFixture::open();
    let (passkey, [keep, again, none]) = with_a_passkey(&shop);
    let stopped = shop.session(&json!({ "svc_key": {} }));
    let alone = shop.session(&json!({ "svc_key": {} }));
    let short = shop.session(&json!({ "svc_key": {}, "ttl": 60 }));
    let mut walks = vec![
        passkey,
        walk(
            "passkey-stops",
            vec![
                open(&stopped.page_of("svc_key")),
                see("Use your passkey"),
                act("stop", &[]),
                see("Stopped"),
            ],
        ),
        // There is no device, so the browser refuses.
        walk(
            "passkey-alone",
            vec![
                open(&alone.page_of("svc_key")),
                see("Use your passkey"),
                act(
                    "evaluate",
                    &[
                        "navigator.credentials.get = async () => { throw new DOMException('', 'NotAllowedError') }",
                    ],
                ),
                press("Use the passkey"),
                act("says", &["No passkey was used."]),
                see("Use your passkey"),
            ],
        ),
        json!({ "name": "passkey-late", "acts": [open(&short.page_of("svc_key")), see("Use your passkey")],
            "later": [see("Time is up")] }),
    ];
    walks.extend(in_other_languages(&shop));
    let groups = [Group { name: "keys".to_owned(), walks }];
    shop.walk("ages-keys", None, &groups, |name, walked| {
        if name == "keys" {
            let link = format!("{}/sandbox/age/keys", shop.server.url);
            assert_eq!(walked[0]["noted"]["link"], link, "{walked:?}");
        }
    });
    for (session, status, method) in
        [(&keep, "COMPLETE", "EMAIL"), (&again, "COMPLETE", "SVC_KEY"), (&none, "FAIL", "SVC_KEY")]
    {
        let result = shop.result(session);
        assert_eq!((&result["status"], &result["method"]), (&json!(status), &json!(method)), "{result}");
    }
    for (session, status) in [(&stopped, "CANCELLED"), (&alone, "IN_PROGRESS"), (&short, "EXPIRED")] {
        assert_eq!(shop.result(session)["status"], status);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one browser, and what each of ten people does in it")]
fn sessions_are_handed_over_embedded_and_left_again_in_a_browser() {
    let shop = RelyingPartyFixture::open();
    let film = shop.film();
    let url = &shop.server.url;
    let thanks = format!("{url}/thanks?order=7");
    let email = |more: &Value| {
        let mut payload = json!({ "email": {} });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        shop.session(&payload)
    };
    let [pressed, taken] =
        [false, true].map(|auto| email(&json!({ "callback": { "url": thanks, "auto": auto } })));
    let back = |session: &Session| act("arrives", &[&format!("{thanks}&sessionId={}", session.id)]);
    let mut by_button = vec![open(&pressed.page_of("email"))];
    by_button.extend(by_email("ada@haystack.example"));
    by_button.extend([see(CONFIRMED), press("Go on"), back(&pressed)]);
    let mut by_itself = vec![open(&taken.page_of("email"))];
    by_itself.extend(by_email("ada@haystack.example"));
    // The page is left after a few seconds, however long this machine takes to look at it.
    let showed = |text| act("showed", &[text]);
    by_itself.extend([showed(CONFIRMED), showed("You are taken back in"), back(&taken)]);

    let sorry = format!("{url}/sorry");
    let cancelled = email(&json!({ "cancel_url": sorry }));
    let calls_off = vec![open(&cancelled.page()), see(START), act("stop", &[]), act("arrives", &[&sorry])];

    let handed = email(&json!({}));
    let mut on_the_phone = vec![see(START), way("Email address")];
    on_the_phone.extend(by_email("ada@haystack.example"));
    on_the_phone.extend([see(CONFIRMED), act("says", &["Go on at your computer"])]);
    let hands_over = vec![
        act("wide", &[]),
        open(&handed.page()),
        press("Continue on your phone"),
        act("note", &["code", "document.querySelector('svg.code path').getAttribute('d').length"]),
        see("Go on with your phone"),
        act("phone", &[&json!(on_the_phone).to_string()]),
        see(CONFIRMED),
        act("says", &["You finished on another device"]),
    ];

    let declined = shop.session(&json!({ "age_estimation": {}, "email": {} }));
    let mut declines = vec![
        open(&declined.page()),
        way("Age from your face"),
        see("May your face be measured?"),
        press("No, choose another way"),
        act("says", &["Ways that measure your face are left out"]),
        see(START),
        way("Email address"),
    ];
    declines.extend(by_email("ada@haystack.example"));
    declines.push(see(CONFIRMED));
    let only = shop.session(&json!({ "age_estimation": {} }));
    let keeps_declining = vec![
        open(&only.page_of("age_estimation")),
        see("May your face be measured?"),
        press("No, choose another way"),
        see("No other way is left"),
    ];

    let framed = email(&json!({ "target_origin_url": format!("{url}/shop") }));
    // The page around the frame is the example of the documentation.
    let document = std::fs::read_to_string(repository("docs/AGE-VERIFICATION.md")).unwrap();
    let example = document.split("```html\n").nth(1).unwrap().split("```").next().unwrap();
    let named = "https://assay.example.com/age?sessionId=…&sdkId=…";
    assert_eq!(example.matches(named).count(), 1, "{example}");
    let around = json!(example.replace(named, &framed.page_of("email")));
    let frame = format!(
        "{{ document.write({around}); document.close(); window.heard = [];
            addEventListener('message', ({{ data, origin }}) => origin === '{url}' && heard.push(data)); }}"
    );
    let inside = "document.querySelector('iframe').contentDocument";
    let send = |field: &str| {
        let form = format!("{inside}.querySelector('form')");
        [
            act(
                "note",
                &[
                    "form",
                    &format!("{inside}?.querySelector('[autocomplete={field}]') !== null && {form} !== null"),
                ],
            ),
            act(
                "evaluate",
                &[&format!(
                    "{form}.querySelector('input').value = '{}'; {form}.requestSubmit()",
                    if field == "email" { "ada@haystack.example" } else { "123456" }
                )],
            ),
        ]
    };
    let [type_address, send_address] = send("email");
    let [type_code, send_code] = send("one-time-code");
    let embeds = vec![
        act("host", &[&format!("{url}/a-business")]),
        act("evaluate", &[&frame]),
        type_address,
        send_address,
        type_code,
        send_code,
        act("note", &["heard", "heard.some(({ status }) => status === 'COMPLETE') && heard"]),
        act("note", &["said", "document.querySelector('#said').textContent"]),
    ];

    let german = email(&json!({}));
    let in_german = json!({
        "name": "german", "language": "de-AT",
        "acts": [act("dark", &[]), open(&german.page()), see("Zeigen Sie, dass Sie mindestens 18 sind")],
    });
    let arabic = email(&json!({}));
    let in_arabic = json!({
        "name": "arabic",
        "acts": [act("dark", &[]), open(&format!("{}&locale=ar", arabic.page())),
            act("note", &["direction", "document.querySelector('.way') && getComputedStyle(document.body).direction"])],
    });

    // Not in the sandbox: the models look at the face.
    let real = shop.session_at("", &json!({ "type": "AGE", "age_estimation": { "level": "PASSIVE" } }));
    let shows_a_face = vec![
        open(&real.page()),
        see("Show how old you are"),
        way("Age from your face"),
        press("I agree"),
        press("Open the camera"),
        act("picture", &[]),
        see(CONFIRMED),
    ];
    let groups = [Group {
        name: "around".to_owned(),
        walks: vec![
            walk("button", by_button),
            walk("by-itself", by_itself),
            walk("calls-off", calls_off),
            walk("hands-over", hands_over),
            walk("declines", declines),
            walk("declines-all", keeps_declining),
            walk("embeds", embeds),
            in_german,
            in_arabic,
            walk("face", shows_a_face),
        ],
    }];
    shop.walk("ages-around", Some(&film), &groups, |name, walked| {
        if name != "around" {
            return;
        }
        let of = |name: &str| walked.iter().find(|walk| walk["name"] == name).unwrap();
        assert_eq!(
            of("hands-over")["noted"]["phone"],
            json!([START, "Your email address", "Type the code", CONFIRMED])
        );
        assert_eq!(of("arabic")["noted"]["direction"], "rtl");
        let heard = of("embeds")["noted"]["heard"].as_array().unwrap();
        let states: Vec<_> = heard.iter().map(|one| (one["type"].as_str(), one["status"].as_str())).collect();
        let told = |status| (Some("age-session"), Some(status));
        assert_eq!(states, [told("PENDING"), told("IN_PROGRESS"), told("COMPLETE")], "{heard:?}");
        assert!(heard.iter().all(|one| one["sessionId"] == framed.id));
        assert_eq!(of("embeds")["noted"]["said"], "Thank you.");
    });
    for session in [&pressed, &taken, &handed, &declined, &framed, &real] {
        assert_eq!(shop.result(session)["status"], "COMPLETE");
    }
    assert_eq!(shop.result(&cancelled)["status"], "CANCELLED");
    assert_eq!(shop.result(&only)["status"], "PENDING");
    let result = shop.result(&real);
    assert!(result["age"].as_i64().is_some_and(|age| (15..60).contains(&age)), "{result}");
    assert!(result["biometric_consent_given_at"].is_string());
}
