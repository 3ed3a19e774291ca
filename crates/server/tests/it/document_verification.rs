//! Document verification sessions from the business's first call to its last: people in a real browser, with films in the
//! place of their cameras, the page, the server and the models.

use crate::{
    camera_films::{distant, document, person, somebody},
    test_installation::{TEST_TIMEOUT, TestInstallation, repository, text},
};
use jiff::civil::date;
use serde_json::{Value, json};
use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};
use testkit::{
    specimens::{Specimen, SpecimenHolder, SpecimenPage},
    spoof::{self, DataHalf, FaceBox, PresentationSpecies, SourcePortrait},
};

/// A screen that the net refuses. It lets others through, as docs/ACCURACY.md says.
const SCREEN: (PresentationSpecies, u64) = (PresentationSpecies::ScreenTablet, 1);

/// The application's own side: every call signed with its key.
struct Business<'a>(&'a TestInstallation);

struct Session {
    id: String,
    page: String,
}

impl Business<'_> {
    /// Opens a session for a document, a living face and whether they are of one person.
    fn open(&self, seconds: u32, sdk: &Value) -> Session {
        let checks = json!([
            { "type": "ID_DOCUMENT_AUTHENTICITY" },
            { "type": "LIVENESS", "config": { "liveness_type": "STATIC" } },
            { "type": "ID_DOCUMENT_FACE_MATCH" },
        ]);
        let tasks = json!([{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }]);
        self.ask(seconds, &checks, &tasks, sdk)
    }

    /// Opens a session for these checks and tasks.
    fn ask(&self, seconds: u32, checks: &Value, tasks: &Value, sdk: &Value) -> Session {
        self.ask_for_documents(seconds, checks, tasks, &json!([]), sdk)
    }

    /// Opens a session for these checks, tasks and documents.
    fn ask_for_documents(
        &self,
        seconds: u32,
        checks: &Value,
        tasks: &Value,
        documents: &Value,
        sdk: &Value,
    ) -> Session {
        let payload = [
            format!("client_session_token_ttl={seconds}"),
            format!("requested_checks={checks}"),
            format!("requested_tasks={tasks}"),
            format!("required_documents={documents}"),
            format!("sdk_config={sdk}"),
        ];
        let members: Vec<&str> = payload.iter().flat_map(|member| ["--set", member]).collect();
        let made = self.0.ask(&[&["call", "/idverify/v1/sessions"], &members[..]].concat());
        let made: Value = serde_json::from_str(&made).unwrap();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let (id, token) = (text("session_id"), text("client_session_token"));
        let base = self.0.credentials()["base_url"].as_str().unwrap().to_owned();
        let page = format!("{base}/idverify/v1/web/index.html?sessionID={id}&sessionToken={token}");
        Session { id, page }
    }

    fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.0.ask(&["call", "-X", "GET", &format!("/idverify/v1/sessions/{path}")]))
            .unwrap()
    }

    /// The session, once it is in this state.
    fn until(&self, session: &Session, state: &str) -> Value {
        let began = Instant::now();
        loop {
            let read = self.get(&session.id);
            if read["state"] == state {
                return read;
            }
            assert!(began.elapsed() < TEST_TIMEOUT, "it is not {state}: {read}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// What the check of a kind recommends, and why.
fn advice(session: &Value, kind: &str) -> (String, String) {
    let checks = session["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["type"] == kind).unwrap_or(&Value::Null);
    let word = |name: &str| check["report"]["recommendation"][name].as_str().unwrap_or_default().to_owned();
    (word("value"), word("reason"))
}

/// What of a session's checks is not approved.
fn disapproved(session: &Value) -> Vec<(String, String, String)> {
    let kinds =
        ["ID_DOCUMENT_AUTHENTICITY", "ID_DOCUMENT_TEXT_DATA_CHECK", "LIVENESS", "ID_DOCUMENT_FACE_MATCH"];
    let all = kinds.map(|kind| (kind.to_owned(), advice(session, kind)));
    all.into_iter()
        .filter(|(_, (value, _))| value != "APPROVE")
        .map(|(kind, (value, reason))| (kind, value, reason))
        .collect()
}

/// Sends people through their sessions, and answers what each saw.
fn walk(place: &TestInstallation, walks: &[Value]) -> Vec<Value> {
    let (list, web) = (place.path("walks.json"), repository("web"));
    std::fs::write(&list, json!(walks).to_string()).unwrap();
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots/identity");
    let _none_yet = std::fs::remove_dir_all(&shots);
    let mut npm = Command::new("npm");
    npm.args([
        "--prefix",
        web.to_str().unwrap(),
        "run",
        "--silent",
        "e2e:identity",
        "--",
        list.to_str().unwrap(),
    ]);
    let done = npm.env("SHOTS", &shots).output().unwrap();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    std::fs::write(shots.join("seen.json"), &done.stdout).unwrap();
    serde_json::from_slice(&done.stdout).unwrap()
}

/// What was seen at a step, where anything was.
fn at<'a>(walk: &'a Value, heading: &str) -> Option<&'a Value> {
    walk["steps"].as_array().unwrap().iter().find(|step| step["heading"] == heading)
}

/// That a flat photo that came nearer, guided by the page, was refused as often as it may be tried, and told so.
#[track_caller]
fn assert_flat_photo_refused(read: &Value, walk: &Value) {
    let refused = ("REJECT".to_owned(), "LIVENESS_NOT_PROVEN".to_owned());
    assert_eq!(advice(read, "LIVENESS"), refused, "{walk}\n{read}");
    let captures = read["resources"]["liveness_capture"].as_array().unwrap();
    assert_eq!(captures.len(), 2, "{read}");
    for capture in captures {
        let shown = |frame: &&Value| frame["media"]["id"].is_string();
        let frames = capture["frames"].as_array().map_or(0, |frames| frames.iter().filter(shown).count());
        assert_eq!((&capture["liveness_type"], frames), (&json!("ZOOM"), 7), "{capture}");
        assert!(capture["facemap"]["media"]["id"].is_string(), "{capture}");
    }
    assert!(walk.to_string().contains("Now come slowly nearer"), "the page guided them: {walk}");
    assert!(at(walk, "Please take it again").is_some(), "{walk}");
    assert!(walk["ended"]["words"].as_str().unwrap().ends_with("Code 5002"), "{walk}");
}

/// That the holder and the passport of the walk were read.
#[track_caller]
fn assert_fields(fields: &Value) {
    for (name, value) in [
        ("full_name", "ANNA MARIA EXEMPEL"),
        ("document_number", "L898902C3"),
        ("date_of_birth", "1990-08-12"),
        ("expiration_date", "2031-03-14"),
    ] {
        assert_eq!(fields[name], value, "{fields}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one server and one browser for all of them")]
fn people_go_through_their_sessions_in_a_browser() {
    let place = TestInstallation::new();
    let server = place.serve();
    let business = Business(&place);
    // The person of this one never comes; its time ends while the others go through theirs.
    let late = business.open(60, &json!({}));

    // The holder is on two of the sample photos: one is in her documents, on the other she looks into the camera.
    let holder = SpecimenHolder {
        nationality: "SWE".to_owned(),
        portrait: 5,
        born: date(1990, 8, 12),
        ..SpecimenHolder::default()
    };
    let passport = Specimen::passport().issuer("SWE").holder(holder.clone());
    let expired = passport.clone().issued(date(2014, 3, 15)).expires(date(2024, 3, 14));
    let card = Specimen::identity_card().issuer("SWE").holder(holder);
    let letter = place.path("bill.pdf");
    std::fs::write(&letter, Specimen::utility_bill().pdf().unwrap()).unwrap();
    let [valid, old, front, back] = std::thread::scope(|scope| {
        let place = &place;
        let draw = |name: &'static str, page: SpecimenPage| scope.spawn(move || document(place, name, &page));
        [
            draw("passport", passport.front()),
            draw("expired", expired.front()),
            draw("card-front", card.front()),
            draw("card-back", card.back().unwrap()),
        ]
        .map(|film| film.join().unwrap())
    });
    let her = somebody(&place, 1, [1559, 335], 480, -27);
    let stranger = person(&place, "stranger", &somebody(&place, 1, [500, 480], 480, 0));
    let shown = SourcePortrait {
        name: "holder".to_owned(),
        face: FaceBox { left: 200.0, top: 270.0, right: 660.0, bottom: 735.0 },
        picture: her.clone(),
    };
    let screen =
        person(&place, "screen", &spoof::shoot(&shown, SCREEN.0, DataHalf::Fit, SCREEN.1).unwrap().picture);
    let far = distant(&place, "far", &her);
    let her = person(&place, "holder", &her);

    let thanks = format!("{}/thanks", server.url);
    let approved = business.open(3600, &json!({ "success_url": thanks }));
    let [outdated, other, displayed] = [(); 3].map(|()| business.open(3600, &json!({})));
    let sorry = format!("{}/sorry?of=them", server.url);
    let stopped = business.open(3600, &json!({ "error_url": sorry }));
    let zoom = json!([{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM", "max_retries": 1 } }]);
    let zoomed = business.ask(3600, &zoom, &json!([]), &json!({}));
    let lettered = business.ask_for_documents(
        3600,
        &json!([{ "type": "LIVENESS" }]),
        &json!([{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }]),
        &json!([{
            "type": "SUPPLEMENTARY_DOCUMENT", "objective": { "type": "PROOF_OF_ADDRESS" },
            "document_types": ["UTILITY_BILL", "PHONE_BILL"], "country_codes": ["GBR", "SWE", "DEU"],
        }]),
        &json!({ "biometric_consent_flow": "JUST_IN_TIME", "dark_mode": "ON" }),
    );
    let with = |name: &str, session: &Session, front: &Path, face: &Path| {
        json!({
            "name": name, "address": session.page, "country": "SWE", "type": "PASSPORT",
            "films": { "front": front, "back": back, "face": face },
        })
    };
    let and = |mut walk: Value, name: &str, value: Value| {
        walk[name] = value;
        walk
    };
    let walked = walk(
        &place,
        &[
            and(with("approved", &approved, &valid, &her), "leaves", json!(true)),
            with("expired", &outdated, &old, &her),
            and(with("stranger", &other, &front, &stranger), "type", json!("NATIONAL_ID")),
            with("screen", &displayed, &valid, &screen),
            and(and(with("stopped", &stopped, &valid, &her), "stop", json!("camera")), "leaves", json!(true)),
            json!({ "name": "nearer", "address": zoomed.page, "films": { "face": far }, "approaches": true }),
            json!({
                "name": "letter", "address": lettered.page, "country": "DEU", "type": "UTILITY_BILL",
                "file": letter, "films": { "face": her }, "viewport": { "width": 320, "height": 568 },
            }),
            json!({ "name": "late", "address": late.page }),
        ],
    );
    for walk in &walked {
        assert_eq!(walk["wrong"], json!([]), "{walk}");
    }
    let [first, second, third, fourth, fifth, sixth, seventh, last]: [Value; 8] = walked.try_into().unwrap();

    let read = business.until(&approved, "COMPLETED");
    assert_eq!(disapproved(&read), [], "{first}\n{read}");
    assert_eq!((&first["ended"]["heading"], &first["left"]), (&json!("Done, thank you"), &json!(thanks)));
    let document = &read["resources"]["id_documents"][0];
    assert_eq!(document["pages"][0]["capture_method"], "CAMERA", "{document}");
    let fields = document["document_fields"]["media"]["id"].as_str().unwrap();
    let fields = business.get(&format!("{}/media/{fields}/content", approved.id));
    assert_fields(&fields);

    let found =
        |check: &str, value: &str, reason: &str| [(check.to_owned(), value.to_owned(), reason.to_owned())];
    let read = business.until(&outdated, "COMPLETED");
    let old = found("ID_DOCUMENT_AUTHENTICITY", "REJECT", "EXPIRED_DOCUMENT");
    assert_eq!(disapproved(&read), old, "{second}\n{read}");

    let read = business.until(&other, "COMPLETED");
    let foreign = found("ID_DOCUMENT_FACE_MATCH", "REJECT", "DIFFERENT_PERSON");
    assert_eq!(disapproved(&read), foreign, "{third}\n{read}");
    assert!(at(&third, "Front").is_some() && at(&third, "Back").is_some(), "{third}");
    assert_eq!(read["resources"]["id_documents"][0]["pages"].as_array().map(Vec::len), Some(2), "{read}");

    let read = business.until(&displayed, "COMPLETED");
    let lifeless = found("LIVENESS", "REJECT", "LIVENESS_NOT_PROVEN");
    assert_eq!(disapproved(&read), lifeless, "{fourth}\n{read}");
    assert!(fourth["ended"]["words"].as_str().unwrap().ends_with("Code 5002"), "{fourth}");

    let read = business.get(&stopped.id);
    assert_eq!((&read["state"], &read["checks"]), (&json!("ONGOING"), &json!([])), "{read}");
    assert_eq!(fifth["left"], format!("{sorry}&eventCode=1000"), "{fifth}");

    assert_flat_photo_refused(&business.until(&zoomed, "COMPLETED"), &sixth);

    let read = business.until(&lettered, "COMPLETED");
    let chosen = &read["resources"]["supplementary_documents"][0];
    assert_eq!(
        (&chosen["document_type"], &chosen["issuing_country"]),
        (&json!("UTILITY_BILL"), &json!("DEU"))
    );
    assert!(at(&seventh, "Which letter or bill do you have?").is_some(), "{seventh}");
    assert!(at(&seventh, "May your face be compared?").is_some(), "{seventh}");
    let (text, _) = advice(&read, "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK");
    assert_eq!(
        (text.as_str(), advice(&read, "LIVENESS").0.as_str()),
        ("APPROVE", "APPROVE"),
        "{seventh}\n{read}"
    );
    let fields = chosen["document_fields"]["media"]["id"].as_str().unwrap();
    let fields = business.get(&format!("{}/media/{fields}/content", lettered.id));
    assert!(fields["structured_postal_address"]["formatted_address"].is_string(), "{fields}");

    business.until(&late, "EXPIRED");
    assert_eq!(last["ended"]["heading"], "Time is up", "{last}");
    assert!(last["ended"]["words"].as_str().unwrap().ends_with("Code 2002"), "{last}");
}
