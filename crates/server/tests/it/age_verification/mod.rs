//! Age verification sessions from the business's first call to its last: people in a real browser, the page, the server.

mod log_leaks;
mod methods;
mod navigation;

use crate::{
    camera_films::{person, somebody},
    test_installation::{Server, TestInstallation, free_port, repository, text},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Whoever checks ages for blind tokens.
const ISSUER: &str = "Independent issuer";

/// A server at a name, which passkeys need, that writes down all that it logs; and the application that asks for ages there.
struct RelyingPartyFixture {
    place: TestInstallation,
    server: Server,
    app: String,
    token: String,
    /// Where films and lists lie, so that the server's own folder has what the server writes and nothing else.
    studio: TestInstallation,
}

/// A session, and where its page is.
struct Session {
    id: String,
    /// Where the interface is: `/api/v1`, or the sandbox's.
    api: String,
    /// The page's address up to the method.
    above: String,
    query: String,
}

impl Session {
    /// The page.
    fn page(&self) -> String {
        format!("{}?{}", self.above, self.query)
    }

    /// The page of one method.
    fn page_of(&self, block: &str) -> String {
        format!("{}/{block}?{}", self.above, self.query)
    }
}

impl RelyingPartyFixture {
    fn open() -> Self {
        let port = free_port();
        let named = format!("http://localhost:{port}");
        let studio = TestInstallation::new();
        let config = studio.path("assay.toml");
        let place = TestInstallation::new()
            .set("ASSAY_CONFIG", config.to_str().unwrap())
            .set("ASSAY__SERVER__PUBLIC_URL", &named)
            .set("ASSAY__LOG__FILTER", "debug")
            // Of Singpass the sandbox has one that knows nobody who is too young.
            .set("ASSAY__AGES__SINGPASS__PROVIDER", "sandbox")
            .set("ASSAY__AGES__SINGPASS__NAME", "Singpass")
            .set("ASSAY__AGES__SINGPASS__OUTCOME", "under");
        let listen = format!("127.0.0.1:{port}");
        // The operator issues blind tokens in the name of an application of their own.
        std::fs::write(&config, "").unwrap();
        drop(place.serve_at(&listen, Stdio::null()));
        let orgs: Value = serde_json::from_str(&place.ask(&["org", "list"])).unwrap();
        let issuer = place.ask(&["app", "create", "--org", orgs[0]["id"].as_str().unwrap(), ISSUER]);
        let tokens = format!(
            "[ages.credit_card]\nprovider = \"sandbox\"\n\
             [ages.double_anonymity]\napplication = \"{issuer}\"\nthresholds = [18]\n\
             methods = [{{ method = \"credit_card\" }}]\n"
        );
        std::fs::write(&config, tokens).unwrap();
        let log = std::fs::File::create(place.path("log")).unwrap();
        let server = place.serve_at(&listen, Stdio::from(log));
        let app = place.credentials()["sdk_id"].as_str().unwrap().to_owned();
        let token = place.ask(&["token", "create", "--app", &app, "--scope", "avs:sessions:create"]);
        Self { place, server, app, token, studio }
    }

    /// A call of the application: status and answer.
    fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut curl = Command::new("curl");
        curl.args(["-s", "-m", "600", "-X", method, "-w", "\n%{http_code}"]);
        curl.args([
            "-H",
            &format!("Authorization: Bearer {}", self.token),
            "-H",
            &format!("Svc-Sdk-Id: {}", self.app),
        ]);
        curl.args(["-H", "Content-Type: application/json"]);
        if !body.is_null() {
            curl.args(["-d", &body.to_string()]);
        }
        let output = curl.arg(format!("{}{path}", self.server.url)).output().unwrap();
        let answer = text(&output.stdout);
        let (body, status) = answer.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), serde_json::from_str(body).unwrap())
    }

    /// Opens a session in the sandbox.
    fn session(&self, payload: &Value) -> Session {
        self.session_at("/sandbox", payload)
    }

    /// Opens a session; `base` is empty or `/sandbox`.
    fn session_at(&self, base: &str, payload: &Value) -> Session {
        let api = format!("{base}/api/v1");
        let (status, made) = self.call("POST", &format!("{api}/sessions"), payload);
        assert_eq!(status, 200, "{payload}: {made}");
        let id = made["id"].as_str().unwrap().to_owned();
        let query = format!("sessionId={id}&sdkId={}", self.app);
        Session { above: format!("{}{base}/age", self.server.url), query, api, id }
    }

    /// What came of a session.
    #[track_caller]
    fn result(&self, session: &Session) -> Value {
        let (status, result) =
            self.call("GET", &format!("{}/sessions/{}/result", session.api, session.id), &Value::Null);
        assert_eq!(status, 200, "{result}");
        result
    }

    /// A face before the browser's camera.
    fn film(&self) -> PathBuf {
        person(&self.studio, "face", &somebody(&self.studio, 1, [1559, 335], 480, -27))
    }

    /// Sends people through their sessions, group by group, and looks after each at what came of it; what was done later is
    /// the last. Nothing may be wrong with any page.
    fn walk(
        &self,
        shots: &str,
        film: Option<&Path>,
        groups: &[Group],
        mut after: impl FnMut(&str, &[Value]),
    ) {
        let (list, web) = (self.studio.path("walks.json"), repository("web"));
        let groups: Vec<Value> =
            groups.iter().map(|group| json!({ "name": group.name, "walks": group.walks })).collect();
        std::fs::write(&list, json!(groups).to_string()).unwrap();
        let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots").join(shots);
        let _none_yet = std::fs::remove_dir_all(&shots);
        let mut npm = Command::new("npm");
        npm.args([
            "--prefix",
            web.to_str().unwrap(),
            "run",
            "--silent",
            "e2e:age",
            "--",
            list.to_str().unwrap(),
        ]);
        npm.env("SHOTS", &shots)
            .env("FILM", film.unwrap_or(Path::new("")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut npm = npm.spawn().unwrap();
        let mut go_on = npm.stdin.take().unwrap();
        let mut groups = 0;
        for line in BufReader::new(npm.stdout.take().unwrap()).lines() {
            let report: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let walked = report["walked"].as_array().unwrap();
            for walk in walked {
                assert_eq!(walk["wrong"], json!([]), "{walk}");
            }
            after(report["group"].as_str().unwrap(), walked);
            groups += 1;
            writeln!(go_on).unwrap();
        }
        let done = npm.wait_with_output().unwrap();
        assert!(done.status.success(), "after {groups} groups: {}", text(&done.stderr));
    }
}

/// People who go on beside each other.
struct Group {
    name: String,
    walks: Vec<Value>,
}

/// One person: what their screenshots are called, and what they do.
fn walk(name: &str, acts: impl Into<Value>) -> Value {
    json!({ "name": name, "acts": acts.into() })
}

/// What somebody does or sees, in the words of `web/tests/e2e/age.ts`.
fn act(kind: &str, more: &[&str]) -> Value {
    let mut act = vec![kind];
    act.extend(more);
    json!(act)
}

fn open(page: &str) -> Value {
    act("open", &[page])
}

/// Waits for a screen by its heading, and judges it.
fn see(heading: &str) -> Value {
    act("see", &[heading])
}

fn press(name: &str) -> Value {
    act("press", &[name])
}

/// Chooses a method.
fn way(name: &str) -> Value {
    act("way", &[name])
}

/// Fills in a form and sends it.
fn fill(fields: &[(&str, &str)]) -> Vec<Value> {
    let mut acts: Vec<Value> = fields.iter().map(|(label, words)| act("type", &[label, words])).collect();
    acts.push(press("Check"));
    acts
}
