//! Content moderation on real servers: killed in the middle of a video, shown in a real browser, gone without a trace.

mod reviewer;

use crate::test_installation::{TEST_TIMEOUT, TestInstallation, client, free_port, repository, text};
use base::{Environment as _, SystemEnvironment};
use db::{sql, testing::TestDb};
use serde_json::{Value, json};
use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use testkit::{
    media_fixtures::{FileServer, MovingFace, face_clip, png},
    stub_server::{self, StubReply, StubServer},
};

/// Appearances in the film, one after the other, of two people in turn.
const APPEARANCES: usize = 12;
/// Kills of a run, at least.
const KILLS: usize = 6;

/// An installation with an account, whose servers are started and killed by the test.
struct Installation {
    place: TestInstallation,
    test: TestDb,
    port: u16,
    account: String,
    app: String,
    key: String,
    client: reqwest::Client,
}

/// Processes that share the work.
struct Processes(Vec<Child>);

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _gone = child.kill();
            let _reaped = child.wait();
        }
    }
}

impl Installation {
    async fn new() -> Self {
        let test = TestDb::open().await;
        let port = free_port();
        let place = TestInstallation::new().set("ASSAY__DATABASE__URL", &test.url);
        let config = place.path("assay.toml");
        let settings = format!(
            "[server]\npublic_url = \"http://127.0.0.1:{port}\"\n[egress]\nroots = [{:?}]\n[jobs]\nlease_seconds = 3\n",
            stub_server::certificate(),
        );
        std::fs::write(&config, settings).unwrap();
        let place = place.set("ASSAY_CONFIG", config.to_str().unwrap());
        // Made by --dev, which may call this machine.
        assert_eq!(place.serve().stop(), Some(0));
        let org = place.ask(&["org", "create", "Shop"]);
        let app = place.ask(&["app", "create", "Cameras", "--org", &org]);
        let key = place.ask(&["key", "create", "--app", &app, "--name", "all", "--administrator"]);
        let account = place.ask(&["account", "open", "--app", &app, "Corner shop"]);
        Self { place, test, port, account, app, key, client: client() }
    }

    /// One process; where several may share a database, one that serves and two that work.
    fn start(&self) -> Processes {
        let listen = format!("127.0.0.1:{}", self.port);
        let several = std::env::var_os("ASSAY_TEST_POSTGRES_URL").is_some();
        let serve: &[&str] = &["serve", "--dev", "--listen", &listen];
        let all: &[&[&str]] =
            if several { &[serve, &["work", "--dev"], &["work", "--dev"]] } else { &[serve] };
        let spawn = |arguments: &&[&str]| {
            self.place.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        Processes(all.iter().map(spawn).collect())
    }

    /// Asks until the server answers; status and body.
    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let mut last = String::new();
        let began = Instant::now();
        while began.elapsed() < TEST_TIMEOUT {
            let request =
                self.client.request(method.parse().unwrap(), &url).header("authorization", &self.key);
            let request = request.header("svc-sdk-id", &self.app).header("content-type", "application/json");
            let request = request.body(body.as_ref().map(Value::to_string).unwrap_or_default());
            match request.send().await {
                Ok(answer) if answer.status() != 503 => {
                    let status = answer.status().as_u16();
                    let text = answer.text().await.unwrap();
                    return (status, serde_json::from_str(&text).unwrap_or_default());
                }
                other => last = format!("{other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{path} was not answered for {TEST_TIMEOUT:?}: {last}");
    }

    fn path(&self, rest: &str) -> String {
        format!("/accounts/{}{rest}", self.account)
    }

    /// Asks for something below the account, which must be had.
    async fn have(&self, method: &str, rest: &str, body: Option<Value>) -> Value {
        let (status, answer) = self.ask(method, &self.path(rest), body).await;
        assert!((200..300).contains(&status), "{method} {rest}: {status} {answer}");
        answer
    }

    async fn make(&self, rest: &str, body: Value) -> String {
        self.have("POST", rest, Some(body)).await["id"].as_str().unwrap().to_owned()
    }

    async fn state(&self, moderation: &str) -> String {
        let details = self.have("GET", &format!("/moderations/{moderation}/details"), None).await;
        details["contents"]["state"].as_str().unwrap().to_owned()
    }

    /// How much a run has said. Not asked of the server, which may be dead.
    async fn told(&self) -> i64 {
        self.count_rows(sql!("SELECT count(*) FROM notifications")).await
    }

    async fn count_rows(&self, query: db::Query) -> i64 {
        self.test.db.read().await.unwrap().count(query).await.unwrap()
    }

    async fn open_cases(&self) -> i64 {
        self.count_rows(sql!("SELECT count(*) FROM cases WHERE state = 'OPEN'")).await
    }

    async fn settled_cases(&self) -> i64 {
        self.count_rows(sql!("SELECT count(*) FROM cases WHERE state = 'SETTLED'")).await
    }

    async fn opinions(&self) -> i64 {
        self.count_rows(sql!("SELECT count(*) FROM case_opinions")).await
    }

    async fn until_done(&self, moderation: &str) {
        let began = Instant::now();
        // Longer than for other things: this is a video, by a machine that may have much else to do.
        while began.elapsed() < 3 * TEST_TIMEOUT {
            match self.state(moderation).await.as_str() {
                "DONE" => return,
                "FAILED" => {
                    panic!("{}", self.have("GET", &format!("/moderations/{moderation}/details"), None).await)
                }
                _ => tokio::time::sleep(Duration::from_millis(250)).await,
            }
        }
        panic!("it is not done after {:?}", 3 * TEST_TIMEOUT);
    }

    /// The link for this in a mail, once it was written: its address, and the token in it.
    async fn link(&self, what: &str) -> (String, String) {
        let mark = format!("#{what}=");
        let began = Instant::now();
        while began.elapsed() < TEST_TIMEOUT {
            let mails = std::fs::read_dir(self.place.path("mail")).into_iter().flatten();
            let mails = mails.map(|mail| std::fs::read_to_string(mail.unwrap().path()).unwrap());
            let mails = mails.map(|mail| mail.replace("=\r\n", "").replace("=3D", "="));
            let links = mails.filter_map(|mail| {
                let link = mail[mail.find("http://")?..].split_whitespace().next()?;
                Some((link.to_owned(), link.split_once(&mark)?.1.to_owned()))
            });
            if let Some(link) = links.into_iter().next() {
                return link;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no mail came");
    }

    /// What the console's page asks for, without a browser.
    async fn console(&self, path: &str, body: Value) -> Value {
        let url = format!("http://127.0.0.1:{}/console/{path}", self.port);
        let request = self.client.post(url).header("x-assay-console", "1").body(body.to_string());
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default()
    }
}

/// Who is seen when, as a report says it.
fn appearances(report: &Value) -> Vec<u64> {
    let faces = report["face_check_results"].as_array().unwrap();
    let mut times: Vec<_> =
        faces.iter().map(|face| face["frame_time"].as_f64().unwrap().round() as u64).collect();
    times.sort_unstable();
    times
}

fn film() -> Vec<u8> {
    let parts: Vec<_> = (0..APPEARANCES)
        .map(|at| {
            let from = at as f64 * 4.0;
            let face = if at % 2 == 0 { 6 } else { 8 };
            MovingFace { face, during: (from, from + 2.0), x: "200+10*t".to_owned(), width: 420 }
        })
        .collect();
    face_clip(APPEARANCES as f64 * 4.0, &parts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_outlives_kills_is_shown_in_the_console_and_goes_with_its_account() {
    let installation = Installation::new().await;
    let shelf = FileServer::start().await;
    let tills = StubServer::start(|_| StubReply::status(200)).await;
    let url = shelf.put("film.mp4", film());
    let invited =
        ["account", "invite", "--account", &installation.account, "--email", "ada@example.com", "--admin"];
    installation.place.ask(&[&invited[..], &["--dev"]].concat());
    let mut processes = installation.start();
    let (_, invitation) = installation.link("invite").await;
    installation.ask("GET", &installation.path(""), None).await;
    let session = installation.console("session", json!({ "invitation": invitation })).await;
    let known = json!({
        "profile_type": 1, "display_name": "Known", "reference": "known", "biometric_consent": "signed on paper",
        "face": base64_simd::STANDARD.encode_to_string(png(&testkit::face_pictures()[8])),
    });
    installation.make("/profiles", known).await;
    let content = installation.make("/contents", json!({ "url": url, "type": "VIDEO" })).await;
    let wishes = json!({
        "content_id": content, "unknown_faces": true, "member_id": session["member"]["id"],
        "notifications": { "web_destinations": [tills.url("/hook")] },
    });
    let moderation = installation.make("/moderations", wishes).await;

    // Killed when something was said, and sometimes before.
    let mut kills = 0;
    while kills < KILLS {
        let told = installation.told().await;
        let mut chance = [0; 1];
        SystemEnvironment.fill_random(&mut chance);
        let patience = if chance[0] % 4 == 0 { 3 } else { 100 };
        for _ in 0..patience {
            if installation.told().await > told {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        drop(processes);
        kills += 1;
        processes = installation.start();
    }
    installation.until_done(&moderation).await;

    let report = installation.have("GET", &format!("/moderations/{moderation}/report"), None).await;
    let expected: Vec<_> = (0..APPEARANCES as u64).map(|at| at * 4).collect();
    let found = appearances(&report);
    assert_eq!(found.len(), APPEARANCES, "{found:?}");
    assert!(found.iter().zip(&expected).all(|(found, from)| (*from..=from + 2).contains(found)), "{found:?}");
    let list = installation.have("GET", &format!("/moderations/{moderation}/notifications"), None).await;
    let notifications = list["notifications"].as_array().unwrap().clone();
    let told = APPEARANCES / 2 + 1;
    assert_eq!(notifications.len(), told, "each time that the stranger was there, and the end: {list}");
    assert_eq!(notifications[0]["data"]["reasons"], json!(["DONE"]));
    tills.wait_for(told).await;
    let mut sent: Vec<_> = tills.captured().iter().map(|sent| sent.header("webhook-id").to_owned()).collect();
    sent.sort_unstable();
    sent.dedup();
    assert_eq!(sent.len(), told, "no message was posted twice");

    // What a member sees of it, and does, with the keyboard.
    installation.console("sign-in", json!({ "email": "ada@example.com" })).await;
    let (link, _) = installation.link("sign-in").await;
    let newest = notifications[1]["id"].as_str().unwrap();
    let seen = review(&link, newest, "that is the postman");
    assert_eq!(seen["wrong"], json!([]));
    let inbox = seen["inbox"].as_array().unwrap();
    assert_eq!(inbox.len(), told);
    let mine = seen["mine"].as_array().unwrap();
    assert_eq!(mine[2..], inbox[2..], "the moderation named this member");
    let end = inbox[0].as_str().unwrap();
    assert!(end.starts_with("Moderation done") && !end.contains("decided"), "nothing to decide: {end}");
    assert!(mine[1].as_str().unwrap().contains("False alarm"), "what was decided is shown: {}", mine[1]);
    let first = inbox[1].as_str().unwrap();
    assert!(
        first.contains("unknown face") && first.contains("s into the video") && first.contains(&url),
        "{first}"
    );
    let one = seen["one"][0].as_str().unwrap();
    assert!(one.contains("False alarm “that is the postman”"), "{one}");
    let detail = installation.have("GET", &format!("/notifications/{newest}"), None).await;
    assert_eq!((&detail["average_score"], &detail["total_revies"]), (&json!(0), &json!(1)), "{detail}");

    gone_without_a_trace(&installation, &content).await;
}

/// The console, driven by `web/tests/e2e/console.ts`.
fn review(link: &str, notification: &str, comment: &str) -> Value {
    let web = repository("web");
    let run = [
        "--prefix",
        web.to_str().unwrap(),
        "run",
        "--silent",
        "e2e:console",
        "--",
        link,
        notification,
        comment,
    ];
    let output = Command::new("npm").args(run).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

/// Closes the account while a video is being looked at, fetches the receipt, and looks for what was left.
async fn gone_without_a_trace(installation: &Installation, content: &str) {
    let busy =
        installation.make("/moderations", json!({ "content_id": content, "unknown_faces": true })).await;
    while installation.state(&busy).await == "QUEUED" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(installation.state(&busy).await, "RUNNING", "the account is closed under a run");
    let path = installation.path("");
    let (status, _) = installation.ask("DELETE", &path, None).await;
    assert_eq!(status, 204);
    let (status, answer) = installation.ask("GET", &path, None).await;
    assert_eq!(status, 404, "{answer}");
    let receipt = installation.place.ask(&["account", "receipt", &installation.account]);
    assert!(receipt.contains("notifications"), "{receipt}");
    let left = installation.place.ask(&["audit", "orphans"]);
    assert!(left.contains("othing"), "{left}");
    assert_eq!(installation.told().await, 0);
}
