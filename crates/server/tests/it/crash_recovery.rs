//! Processes that are killed at any moment, hundreds of times, under load: nothing that was promised is lost, and
//! nothing counts twice.
//!
//! Clients scan proofs whose issuer has to be asked, so each scan is a transaction that leaves a job, whose transaction
//! leaves a delivery. A client that got no answer repeats its request with the same key, as it should.

use crate::test_installation::{TEST_TIMEOUT, TestInstallation, client, free_port};
use base::{Environment as _, SignedDuration, SystemEnvironment, Timestamp};
use credentials::{
    issue::{self, AgeAttestation, IssuingKey},
    proof::StatusReference,
};
use db::{sql, testing::TestDb};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::PathBuf,
    process::{Child, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use testkit::stub_server::{self, StubReply, StubServer};

const KILLS: usize = 200;
const CLIENTS: usize = 4;
const ISSUER: &str = "https://pass.example";

struct Installation {
    place: TestInstallation,
    test: TestDb,
    port: u16,
    token: String,
    key: Arc<IssuingKey>,
}

/// A process that is killed, and started again.
struct Process {
    arguments: Vec<String>,
    child: Child,
}

impl Process {
    fn start(place: &TestInstallation, arguments: &[&str]) -> Self {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let child = Self::spawn(place, &arguments);
        Self { arguments, child }
    }

    fn spawn(place: &TestInstallation, arguments: &[String]) -> Child {
        let log = std::fs::File::create(Self::log(place, arguments)).unwrap();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        place.command(&arguments).stdout(Stdio::null()).stderr(log).spawn().unwrap()
    }

    /// What the last process with these arguments said.
    fn log(place: &TestInstallation, arguments: &[String]) -> PathBuf {
        place.path(&format!("{}.log", arguments[0]))
    }

    /// No process ends by itself: one that does would never come up again.
    fn assert_running(&mut self, place: &TestInstallation) {
        if let Some(status) = self.child.try_wait().unwrap() {
            let log = std::fs::read_to_string(Self::log(place, &self.arguments)).unwrap_or_default();
            panic!("{:?} ended by itself, {status}: {log}", self.arguments);
        }
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn kill_and_restart(&mut self, place: &TestInstallation) {
        self.kill();
        self.child = Self::spawn(place, &self.arguments);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Installation {
    /// An application that may verify, an issuer that is trusted, and receivers on this machine that may be called.
    async fn new() -> Self {
        let test = TestDb::open().await;
        let key = Arc::new(IssuingKey::generate(&SystemEnvironment));
        let port = free_port();
        // No models: nothing here needs them, and a start without them is quick.
        let place = TestInstallation::with_models("nowhere".into()).set("ASSAY__DATABASE__URL", &test.url);
        let (trust, config) = (place.path("trust.json"), place.path("assay.toml"));
        let entry = json!({
            "id": ISSUER, "provider": "PASS", "formats": ["cwt"], "keys": [key.jwk()], "status_hosts": ["localhost"],
        });
        std::fs::write(&trust, json!({ "issuers": [entry] }).to_string()).unwrap();
        let settings = format!(
            "[egress]\nroots = [{:?}]\n[proof]\ntrust_list = {:?}\n[jobs]\nlease_seconds = 2\n",
            stub_server::certificate(),
            trust.to_str().unwrap()
        );
        std::fs::write(&config, settings).unwrap();
        let place = place.set("ASSAY_CONFIG", config.to_str().unwrap());
        // Made by --dev, which may call this machine.
        assert_eq!(place.serve().stop(), Some(0));
        let org = place.ask(&["org", "create", "Shop"]);
        let app = place.ask(&["app", "create", "Tills", "--org", &org]);
        let token = place.ask(&["token", "create", "--app", &app, "--scope", "poa:verify"]);
        Self { place, test, port, token, key }
    }

    fn serve(&self, more: &[&str]) -> Process {
        let listen = format!("127.0.0.1:{}", self.port);
        Process::start(&self.place, &[&["serve", "--dev", "--listen", &listen], more].concat())
    }

    /// Has everything that waits for another attempt be tried now: what failed twice because of kills would take five
    /// minutes, in which nothing is learnt.
    async fn retry_at_once(&self) {
        let now = SystemEnvironment.now();
        let mut tx = self.test.db.write().await.unwrap();
        for waiting in [
            sql!("UPDATE deliveries SET next_at = $1 WHERE state = 'WAITING' AND next_at > $1", now),
            sql!(
                "UPDATE jobs SET run_at = $1 WHERE state = 'WAITING' AND kind = 'resolve-proof' AND run_at > $1",
                now
            ),
        ] {
            tx.execute(waiting).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    async fn count(&self, query: db::Query) -> i64 {
        self.test.db.read().await.unwrap().count(query).await.unwrap()
    }
}

/// What a till knows of its scans: their ids, by number.
type Scans = Arc<std::sync::Mutex<HashMap<usize, String>>>;

/// What came of sending a scan once.
enum ScanAnswer {
    /// It is taken: the verification's id.
    Pending(String),
    /// It came too late to be taken.
    Expired,
    /// The server died before it answered, or was not up.
    None,
}

struct Load {
    installation: Arc<Installation>,
    issuers: StubServer,
    tills: StubServer,
    scans: Scans,
    next: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

impl Load {
    async fn start(installation: Arc<Installation>) -> (Arc<Self>, Vec<tokio::task::JoinHandle<()>>) {
        let key = installation.key.clone();
        let issuers = StubServer::start(move |sent| {
            // HTTP/2 names the host in the address, HTTP/1.1 in a header.
            let host = sent.uri.authority().map_or(sent.header("host"), |authority| authority.as_str());
            let uri = format!("https://{host}{}", sent.uri.path());
            StubReply::body("application/statuslist+jwt", status_list(&key, &uri))
        })
        .await;
        let tills = StubServer::start(|_| StubReply::status(200)).await;
        let load = Arc::new(Self {
            installation,
            issuers,
            tills,
            scans: Scans::default(),
            next: Arc::default(),
            over: Arc::default(),
        });
        let clients = (0..CLIENTS).map(|_| tokio::spawn(load.clone().client())).collect();
        (load, clients)
    }

    /// Scans one proof after the other until it is over; each until it is answered.
    async fn client(self: Arc<Self>) {
        let client = client();
        while !self.over.load(Ordering::SeqCst) {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            let body = self.query(number);
            loop {
                match self.scan(&client, number, &body).await {
                    ScanAnswer::Pending(id) => {
                        self.scans.lock().unwrap().insert(number, id);
                        break;
                    }
                    ScanAnswer::Expired => break,
                    ScanAnswer::None => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        }
    }

    fn query(&self, number: usize) -> String {
        let mut id = [0; 16];
        SystemEnvironment.fill_random(&mut id);
        let grant = AgeAttestation {
            issuer: ISSUER.to_owned(),
            age_over: vec![18],
            holder: None,
            // A list of its own, so that none is known yet.
            status: Some(StatusReference { uri: self.issuers.url(&format!("/{number}")), index: 0 }),
            lifetime: SignedDuration::from_secs(60),
        };
        let now = SystemEnvironment.now();
        let code = issue::issue_code(&self.installation.key, &grant, now, id).unwrap();
        let hook = self.tills.url(&format!("/{number}"));
        json!({
            "qr": { "value": code, "scanned_at": now.to_string() }, "terminal": { "id": "till" },
            "notification": { "url": hook },
        })
        .to_string()
    }

    async fn scan(&self, client: &reqwest::Client, number: usize, body: &str) -> ScanAnswer {
        self.try_scan(client, number, body).await.unwrap_or(ScanAnswer::None)
    }

    async fn try_scan(&self, client: &reqwest::Client, number: usize, body: &str) -> Option<ScanAnswer> {
        let url = format!("http://127.0.0.1:{}/poa/v1/verify", self.installation.port);
        let sent = client
            .post(url)
            .bearer_auth(&self.installation.token)
            .header("idempotency-key", number.to_string())
            .body(body.to_owned())
            .send()
            .await
            .ok()?;
        let status = sent.status().as_u16();
        let text = sent.text().await.ok()?;
        if status == 503 {
            return None;
        }
        let record: Value = serde_json::from_str(&text).unwrap();
        // On a machine that is slow just now, a scan may be too old when a server takes it at last.
        if status == 200 && record["failure"]["reason"] == "PRESENTATION_EXPIRED" {
            return Some(ScanAnswer::Expired);
        }
        assert_eq!(status, 202, "{text}");
        Some(ScanAnswer::Pending(record["id"].as_str().unwrap().to_owned()))
    }

    /// Before every fourth kill, waits until the server has taken another scan, however slow the machine is just now; the
    /// other kills may meet it while it starts.
    async fn until_taken(&self, server: &mut Process, kills: usize) {
        let taken = || self.scans.lock().unwrap().len();
        let (before, began) = (taken(), Instant::now());
        while kills % 4 == 3 && taken() == before {
            server.assert_running(&self.installation.place);
            assert!(began.elapsed() < TEST_TIMEOUT, "the server takes no scan");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until everything is done, and counts.
    #[expect(clippy::print_stdout, reason = "the counts are worth a look with --nocapture")]
    async fn settle(&self) {
        let scans = self.scans.lock().unwrap().clone();
        let made = scans.len() as i64;
        let house = &self.installation;
        for round in 0.. {
            let pending = house.count(sql!("SELECT count(*) FROM proofs WHERE status = 'PENDING'")).await;
            let open = house.count(sql!("SELECT count(*) FROM deliveries WHERE state <> 'DELIVERED'")).await;
            if pending == 0 && open == 0 {
                break;
            }
            if round % 20 == 0 {
                house.retry_at_once().await;
            }
            if round == 12_000 {
                let jobs =
                    jobs::list(&mut house.test.db.read().await.unwrap(), None, Some("resolve-proof")).await;
                panic!("{pending} proofs and {open} deliveries are open after twenty minutes: {jobs:?}");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let told = self.tills.captured();
        let mut by_number: HashMap<usize, usize> = HashMap::new();
        for sent in &told {
            let record: Value = serde_json::from_slice(&sent.body).unwrap();
            let number: usize = sent.uri.path()[1..].parse().unwrap();
            assert_eq!(record["status"], "SUCCESS", "{record}");
            assert_eq!(scans.get(&number).map(String::as_str), record["id"].as_str(), "scan {number}");
            *by_number.entry(number).or_default() += 1;
        }
        assert_eq!(by_number.len(), scans.len(), "every verification was told of");
        let expired = house.count(sql!("SELECT count(*) FROM proofs WHERE status = 'FAILURE'")).await;
        let proofs = house.count(sql!("SELECT count(*) FROM proofs")).await;
        assert_eq!(proofs - expired, made, "no scan counts twice");
        assert_eq!(house.count(sql!("SELECT count(*) FROM proofs WHERE status = 'SUCCESS'")).await, made);
        // A use is forgotten once its code has expired, which takes some minutes.
        let uses = house.count(sql!("SELECT count(*) FROM used_presentations")).await;
        assert!((1..=made).contains(&uses), "{uses} uses of {made} codes");
        assert_eq!(house.count(sql!("SELECT count(*) FROM deliveries")).await, made, "one message for each");
        let left = house.count(sql!("SELECT count(*) FROM jobs WHERE kind = 'resolve-proof'")).await;
        assert_eq!(left, 0, "no job is left, and none was parked");
        let repeated = told.len() - scans.len();
        println!("{KILLS} kills: {made} scans, all told of, {repeated} repeats");
        assert!(made >= KILLS as i64 / 4, "there was load: {made} scans");
        // What was being sent at the moment of a kill is sent again, and nothing else: 64 at once to one endpoint.
        assert!(repeated <= KILLS * 64, "{repeated} repeats");
    }
}

/// A status list of one byte that says that all is well.
fn status_list(key: &IssuingKey, uri: &str) -> String {
    let now: Timestamp = SystemEnvironment.now();
    // One zero byte, as zlib writes it.
    let list = base64_simd::URL_SAFE_NO_PAD
        .encode_to_string([0x78, 0x01, 0x01, 0x01, 0x00, 0xfe, 0xff, 0x00, 0x00, 0x01, 0x00, 0x01]);
    let claims = json!({
        "iss": ISSUER, "sub": uri, "iat": now.as_second(), "exp": now.as_second() + 600,
        "status_list": { "bits": 1, "lst": list },
    });
    let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::ES256);
    header.typ = Some("statuslist+jwt".to_owned());
    header.kid = key.jwk()["kid"].as_str().map(str::to_owned);
    let signer = jsonwebtoken::EncodingKey::from_ec_der(key.to_pkcs8_der().expose());
    jsonwebtoken::encode(&header, &claims, &signer).unwrap()
}

/// A moment between the start of a process and long after it.
fn moment() -> Duration {
    let mut chance = [0; 2];
    SystemEnvironment.fill_random(&mut chance);
    Duration::from_millis(30 + u64::from(u16::from_le_bytes(chance)) % 300)
}

/// On whichever database the run is for: one process does everything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_hundreds_of_times_loses_nothing() {
    let installation = Arc::new(Installation::new().await);
    let mut server = installation.serve(&[]);
    let (load, clients) = Load::start(installation.clone()).await;
    for kills in 0..KILLS {
        load.until_taken(&mut server, kills).await;
        tokio::time::sleep(moment()).await;
        server.kill_and_restart(&installation.place);
    }
    load.over.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    load.settle().await;
}

/// Where several processes may share a database: one serves, two work, any of them is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_are_killed_hundreds_of_times_lose_nothing() {
    if std::env::var_os("ASSAY_TEST_POSTGRES_URL").is_none() {
        return;
    }
    let installation = Arc::new(Installation::new().await);
    let work = || Process::start(&installation.place, &["work", "--dev"]);
    let mut processes = [installation.serve(&["--no-work"]), work(), work()];
    let (load, clients) = Load::start(installation.clone()).await;
    for kills in 0..KILLS {
        load.until_taken(&mut processes[0], kills).await;
        tokio::time::sleep(moment()).await;
        // The one that serves less often: while it is down there is no load.
        let victim = [1, 2, 1, 2, 0][kills % 5];
        processes[victim].kill_and_restart(&installation.place);
    }
    load.over.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    load.settle().await;
}
