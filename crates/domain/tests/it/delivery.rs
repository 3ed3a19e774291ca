//! Deliveries to a server on this machine: success, retries, replay, leases, limits.

use base::{AppId, DeliveryId, Environment, SignedDuration, SystemEnvironment, TestEnvironment, Uuid};
use db::{sql, testing::TestDb};
use domain::{
    delivery::{
        self, DeliveryAttempt, DeliveryDispatcher, DeliveryFilter, DeliveryRecord, DeliveryReplayError,
        DeliverySettings, DeliveryState, Outbox, SuccessCriterion, WebhookMessage, WebhookMethod, secrets,
    },
    keyring::Keyring,
    tenancy::applications::{self, NewApplication},
    vault::Vault,
};
use media::fetch::{EgressPolicy, Fetcher};
use std::{sync::Arc, time::Duration};
use testkit::stub_server::{self, StubReply, StubServer};
use tokio::{sync::watch, task::JoinHandle};

struct Fixture {
    test: TestDb,
    env: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    app: AppId,
}

async fn application(test: &TestDb, env: &dyn Environment) -> AppId {
    let mut tx = test.db.write().await.unwrap();
    let new = NewApplication { name: "a", organisation: None, billing_source: None, features: &[] };
    let app = applications::create(&mut tx, env, &new).await.unwrap();
    tx.commit().await.unwrap();
    app
}

impl Fixture {
    async fn open() -> Self {
        Self::with(Arc::new(SystemEnvironment), &stub_server::egress_policy()).await
    }

    async fn with(env: Arc<dyn Environment>, policy: &EgressPolicy) -> Self {
        let test = TestDb::open().await;
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let outbox = Outbox::new(Fetcher::new(policy).unwrap(), vault.clone());
        let app = application(&test, &*env).await;
        Self { test, env, vault, outbox, app }
    }

    async fn enqueue(&self, message: &WebhookMessage) -> DeliveryId {
        let mut tx = self.test.db.write().await.unwrap();
        let id = self.outbox.enqueue(&mut tx, &*self.env, self.app, "test", message).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    fn sender(&self) -> DeliveryDispatcher {
        DeliveryDispatcher::new(
            self.test.db.clone(),
            self.env.clone(),
            self.outbox.clone(),
            DeliverySettings::default(),
        )
    }

    fn work(&self) -> (watch::Sender<bool>, JoinHandle<()>) {
        let (stop, stopped) = watch::channel(false);
        (stop, tokio::spawn(self.sender().run(stopped)))
    }

    async fn show(&self, id: DeliveryId) -> DeliveryRecord {
        delivery::show(&mut self.test.db.read().await.unwrap(), None, id).await.unwrap().unwrap()
    }

    /// Waits until a delivery is in this state after this many attempts.
    async fn wait_until(&self, id: DeliveryId, state: DeliveryState, attempts: usize) -> DeliveryRecord {
        for _ in 0..60_000 {
            let record = self.show(id).await;
            if record.state == state && record.attempts.len() == attempts {
                return record;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?} is not {state} after {attempts} attempts", self.show(id).await);
    }
}

fn message(url: String) -> WebhookMessage {
    WebhookMessage {
        url,
        verb: WebhookMethod::Post,
        headers: vec![("x-shop".to_owned(), "12".to_owned())],
        body: r#"{"status":"SUCCESS"}"#.to_owned(),
        verify_tls: true,
        success: SuccessCriterion::Any2xx,
    }
}

#[tokio::test]
async fn a_message_arrives_signed_and_the_official_library_agrees() {
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let fixture = Fixture::open().await;
    let (stop, working) = fixture.work();
    let id = fixture.enqueue(&message(receiver.url("/hook?a=b"))).await;
    let sent = receiver.wait_for(1).await.remove(0);
    assert_eq!((sent.method.as_str(), sent.uri.path_and_query().unwrap().as_str()), ("POST", "/hook?a=b"));
    assert_eq!((sent.header("content-type"), sent.header("x-shop")), ("application/json", "12"));
    assert_eq!(sent.header("webhook-id"), id.to_string());

    let mut tx = fixture.test.db.write().await.unwrap();
    let first =
        secrets::list_or_create(&mut tx, &fixture.vault, &*fixture.env, fixture.app).await.unwrap().remove(0);
    let second = secrets::rotate(
        &mut tx,
        &fixture.vault,
        &*fixture.env,
        fixture.app,
        secrets::DEFAULT_ROTATION_OVERLAP,
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let oracle =
        |secret: &secrets::WebhookSecret| standardwebhooks::Webhook::new(secret.reveal().expose()).unwrap();
    oracle(&first).verify(&sent.body, &sent.headers).unwrap();
    assert!(oracle(&second).verify(&sent.body, &sent.headers).is_err(), "made later");
    oracle(&first).verify(b"{}", &sent.headers).unwrap_err();

    // Within seconds both secrets sign, so a receiver may have either.
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    fixture.enqueue(&message(receiver.url("/hook"))).await;
    let sent = receiver.wait_for(2).await.remove(1);
    oracle(&first).verify(&sent.body, &sent.headers).unwrap();
    oracle(&second).verify(&sent.body, &sent.headers).unwrap();

    let record = fixture.wait_until(id, DeliveryState::Delivered, 1).await;
    assert_eq!((record.attempts[0].status, record.attempts[0].error.as_deref()), (Some(204), None));
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn a_failed_delivery_is_retried_and_can_be_replayed_when_it_was_given_up() {
    let receiver = StubServer::start(|sent| match sent.uri.path() {
        "/gone" => StubReply::status(410),
        "/moved" => StubReply::status(302).header("location", "https://localhost/elsewhere"),
        _ => StubReply::status(500),
    })
    .await;
    // A receiver of its own: after a `Retry-After` the whole endpoint is left alone for a while.
    let busy = StubServer::start(|_| StubReply::status(429).header("retry-after", "3600")).await;
    let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let fixture = Fixture::with(env.clone(), &stub_server::egress_policy()).await;
    let (stop, working) = fixture.work();
    let gone = fixture.enqueue(&message(receiver.url("/gone"))).await;
    let moved = fixture.enqueue(&message(receiver.url("/moved"))).await;
    let busy = fixture.enqueue(&message(busy.url("/"))).await;
    let failing = fixture.enqueue(&message(receiver.url("/"))).await;

    let record = fixture.wait_until(gone, DeliveryState::Failed, 1).await;
    assert_eq!(record.attempts[0].status, Some(410));
    let record = fixture.wait_until(moved, DeliveryState::Waiting, 1).await;
    assert_eq!(record.attempts[0].status, Some(302), "a redirect is not followed");
    let wait = record.next_at.duration_since(env.now());
    assert!(wait >= SignedDuration::from_secs(5), "{wait:?}");
    let record = fixture.wait_until(busy, DeliveryState::Waiting, 1).await;
    assert_eq!(record.next_at.duration_since(env.now()), SignedDuration::from_hours(1));
    fixture.wait_until(failing, DeliveryState::Waiting, 1).await;

    let mut tx = fixture.test.db.write().await.unwrap();
    delivery::replay(&mut tx, &*env, None, gone).await.unwrap();
    tx.commit().await.unwrap();
    fixture.wait_until(gone, DeliveryState::Failed, 2).await;
    let mut tx = fixture.test.db.write().await.unwrap();
    let (from, to) = (env.now() - SignedDuration::from_secs(1), env.now() + SignedDuration::from_secs(1));
    let filter =
        DeliveryFilter { app: Some(fixture.app), from: Some(from), to: Some(to), ..Default::default() };
    assert_eq!(delivery::replay_matching(&mut tx, &*env, filter, 100).await.unwrap(), 1);
    tx.commit().await.unwrap();
    fixture.wait_until(gone, DeliveryState::Failed, 3).await;
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn messages_about_what_was_erased_say_nothing_any_more() {
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let fixture = Fixture::with(env.clone(), &stub_server::egress_policy()).await;
    let [ada, bob] = [Uuid::from_u128(7), Uuid::from_u128(8)];
    let enqueue = async |about: &[Uuid]| {
        let (owner, said) = ((fixture.app, None), message(receiver.url("/")));
        let mut tx = fixture.test.db.write().await.unwrap();
        let id = fixture.outbox.enqueue_about(&mut tx, &*env, owner, about, "test", &said).await.unwrap();
        tx.commit().await.unwrap();
        id
    };
    let size = async |id: DeliveryId| {
        let mut view = fixture.test.db.read().await.unwrap();
        view.count(db::sql!("SELECT CAST(length(sealed) AS BIGINT) FROM deliveries WHERE id = $1", id))
            .await
            .unwrap()
    };
    let sent = enqueue(&[ada]).await;
    let (stop, working) = fixture.work();
    fixture.wait_until(sent, DeliveryState::Delivered, 1).await;
    stop.send(true).unwrap();
    working.await.unwrap();
    let (waiting, others, sending) =
        (enqueue(&[bob, ada]).await, enqueue(&[bob]).await, enqueue(&[ada]).await);

    let mut tx = fixture.test.db.write().await.unwrap();
    tx.execute(db::sql!(
        "UPDATE deliveries SET state = 'RUNNING', worker = $2, leased_until = $3 WHERE id = $1",
        sending,
        Uuid::nil(),
        env.now(),
    ))
    .await
    .unwrap();
    delivery::erase_messages_about(&mut tx, &[ada], env.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!([size(sent).await, size(waiting).await, size(sending).await], [0; 3]);
    assert!(size(others).await > 0);
    assert_eq!(fixture.show(sent).await.state, DeliveryState::Delivered);
    let dropped = fixture.show(waiting).await;
    assert_eq!((dropped.state, dropped.ended_at.is_some()), (DeliveryState::Failed, true));

    // Nothing brings them back, and the one whose attempt never ended is given up.
    let mut tx = fixture.test.db.write().await.unwrap();
    for id in [sent, waiting] {
        let refused = delivery::replay(&mut tx, &*env, None, id).await.unwrap_err();
        assert!(matches!(refused, DeliveryReplayError::Erased(_)), "{refused}");
    }
    for state in [DeliveryState::Failed, DeliveryState::Delivered] {
        let filter = DeliveryFilter { app: Some(fixture.app), state: Some(state), ..Default::default() };
        assert_eq!(delivery::replay_matching(&mut tx, &*env, filter, 100).await.unwrap(), 0);
    }
    tx.commit().await.unwrap();
    env.advance(SignedDuration::from_secs(1));
    let (stop, working) = fixture.work();
    let given_up = fixture.wait_until(sending, DeliveryState::Failed, 1).await;
    assert!(given_up.attempts[0].error.as_ref().unwrap().contains("was erased"));
    fixture.wait_until(others, DeliveryState::Delivered, 1).await;
    stop.send(true).unwrap();
    working.await.unwrap();
    assert_eq!(receiver.captured().len(), 2, "of the first, and of the one that is about somebody else");
}

#[tokio::test]
async fn the_schedule_is_followed_to_its_end() {
    let receiver = StubServer::start(|_| StubReply::status(404)).await;
    let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let fixture = Fixture::with(env.clone(), &stub_server::egress_policy()).await;
    let (stop, working) = fixture.work();
    let began = env.now();
    let id = fixture.enqueue(&message(receiver.url("/"))).await;
    for attempt in 1..delivery::ATTEMPT_OFFSETS_SECONDS.len() {
        let record = fixture.wait_until(id, DeliveryState::Waiting, attempt).await;
        let at = record.next_at.duration_since(began).as_secs_f64();
        let (before, due) = (
            delivery::ATTEMPT_OFFSETS_SECONDS[attempt - 1] as f64,
            delivery::ATTEMPT_OFFSETS_SECONDS[attempt] as f64,
        );
        assert!((at - due).abs() <= (due - before) * 0.1 + 5.0, "attempt {attempt}: {at} s, not {due} s");
        env.advance(record.next_at.duration_since(env.now()));
    }
    let record = fixture.wait_until(id, DeliveryState::Failed, 10).await;
    assert_eq!(
        record.attempts.iter().filter_map(|attempt: &DeliveryAttempt| attempt.status).collect::<Vec<_>>(),
        [404; 10]
    );
    assert!(record.ended_at.is_some());
    let mut tx = fixture.test.db.write().await.unwrap();
    assert_eq!(tx.count(db::sql!("SELECT count(*) FROM deliveries")).await.unwrap(), 1);
    drop(tx);
    env.advance(SignedDuration::from_hours(31 * 24));
    let keep = SignedDuration::from_hours(30 * 24);
    assert_eq!(delivery::purge(&fixture.test.db, &*env, keep).await.unwrap(), 1);
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn a_dead_endpoint_does_not_slow_others_down() {
    let slow = StubServer::start(|_| StubReply::status(200).after(Duration::from_hours(1))).await;
    let quick = StubServer::start(|_| StubReply::status(200)).await;
    let fixture = Fixture::open().await;
    let mut tx = fixture.test.db.write().await.unwrap();
    for _ in 0..500 {
        fixture
            .outbox
            .enqueue(&mut tx, &*fixture.env, fixture.app, "test", &message(slow.url("/")))
            .await
            .unwrap();
    }
    for _ in 0..200 {
        fixture
            .outbox
            .enqueue(&mut tx, &*fixture.env, fixture.app, "test", &message(quick.url("/")))
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let (_stop, working) = fixture.work();
    quick.wait_for(200).await;
    assert!(
        slow.captured().len() < 100,
        "one that does not answer is not sent everything: {}",
        slow.captured().len()
    );
    working.abort();
}

#[tokio::test]
async fn a_message_leased_by_a_process_that_died_is_delivered_by_another() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let fixture = Fixture::open().await;
    let id = fixture.enqueue(&message(receiver.url("/"))).await;
    let mut tx = fixture.test.db.write().await.unwrap();
    tx.execute(db::sql!(
        "UPDATE deliveries SET state = 'RUNNING', tries = 1, worker = $1, leased_until = $2",
        fixture.env.uuid_v7(),
        fixture.env.now() + SignedDuration::from_millis(300),
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let settings = DeliverySettings { lease: SignedDuration::from_secs(2), ..DeliverySettings::default() };
    let sender = DeliveryDispatcher::new(
        fixture.test.db.clone(),
        fixture.env.clone(),
        fixture.outbox.clone(),
        settings,
    );
    tokio::spawn(sender.run(stopped));
    fixture.wait_until(id, DeliveryState::Delivered, 1).await;
}

/// As it is left if the connection is lost when the lease is committed: leased, and the dispatcher does not know of it.
#[tokio::test]
async fn a_message_that_a_dispatcher_was_not_told_of_is_delivered_when_its_lease_is_over() {
    let slow = StubServer::start(|_| StubReply::status(200).after(Duration::from_hours(1))).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let fixture = Fixture::open().await;
    let (_stop, stopped) = watch::channel(false);
    let settings = DeliverySettings {
        lease: SignedDuration::from_secs(4),
        timeout: Duration::from_hours(1),
        ..DeliverySettings::default()
    };
    let sender = DeliveryDispatcher::new(
        fixture.test.db.clone(),
        fixture.env.clone(),
        fixture.outbox.clone(),
        settings,
    );
    tokio::spawn(sender.run(stopped));
    let sending = fixture.enqueue(&message(slow.url("/"))).await;
    slow.wait_for(1).await;
    let first_lease_ends = fixture.env.now() + settings.lease;

    let mut tx = fixture.test.db.write().await.unwrap();
    let body = message(receiver.url("/"));
    let untold = fixture.outbox.enqueue(&mut tx, &*fixture.env, fixture.app, "test", &body).await.unwrap();
    tx.execute(sql!(
        "UPDATE deliveries SET state = 'RUNNING', tries = 1, leased_until = $2,
                worker = (SELECT worker FROM deliveries WHERE id = $3)
          WHERE id = $1",
        untold,
        fixture.env.now() + SignedDuration::from_secs(2),
        sending,
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
    fixture.wait_until(untold, DeliveryState::Delivered, 1).await;

    // What is being sent keeps its lease.
    let extended = async || {
        let mut view = fixture.test.db.read().await.unwrap();
        let leased = sql!(
            "SELECT count(*) FROM deliveries WHERE id = $1 AND state = 'RUNNING' AND leased_until > $2",
            sending,
            first_lease_ends,
        );
        view.count(leased).await.unwrap() == 1
    };
    while !extended().await {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(slow.captured().len(), 1, "and is not sent again");
}

#[tokio::test]
async fn a_forbidden_address_is_neither_queued_nor_called() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let strict = Fixture::with(Arc::new(SystemEnvironment), &EgressPolicy::default()).await;
    let mut tx = strict.test.db.write().await.unwrap();
    for url in [receiver.url("/"), "http://example.com/".to_owned(), "https://169.254.169.254/".to_owned()] {
        let refused = strict.outbox.enqueue(&mut tx, &*strict.env, strict.app, "test", &message(url)).await;
        assert!(matches!(refused, Err(delivery::OutboxError::Refused(_))), "{refused:?}");
    }
    drop(tx);
    // Queued while the policy allowed it, attempted when it no longer does.
    let lax = Outbox::new(Fetcher::new(&stub_server::egress_policy()).unwrap(), strict.vault.clone());
    let mut tx = strict.test.db.write().await.unwrap();
    let id =
        lax.enqueue(&mut tx, &*strict.env, strict.app, "test", &message(receiver.url("/"))).await.unwrap();
    tx.commit().await.unwrap();
    let (_stop, _working) = strict.work();
    let record = strict.wait_until(id, DeliveryState::Waiting, 1).await;
    assert!(record.attempts[0].error.as_deref().unwrap().starts_with("refused"), "{record:?}");
    assert!(receiver.captured().is_empty());
}

#[tokio::test]
async fn a_message_in_the_query_has_no_body() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let fixture = Fixture::open().await;
    let (_stop, _working) = fixture.work();
    let get = WebhookMessage {
        verb: WebhookMethod::Get,
        body: String::new(),
        ..message(receiver.url("/?id=1&status=SUCCESS"))
    };
    fixture.enqueue(&get).await;
    let sent = receiver.wait_for(1).await.remove(0);
    assert_eq!(
        (sent.method.as_str(), sent.uri.query(), sent.body.len()),
        ("GET", Some("id=1&status=SUCCESS"), 0)
    );
}

/// The URL, headers and body of a message contain tokens, and results about people.
#[tokio::test]
async fn a_message_is_not_stored_in_clear() {
    #[derive(db::FromRow)]
    struct Row {
        endpoint: String,
        sealed: Vec<u8>,
    }
    let fixture = Fixture::open().await;
    let id = fixture.enqueue(&message("https://localhost/secret-path?token=secret-token".to_owned())).await;
    let row: Row = fixture
        .test
        .db
        .read()
        .await
        .unwrap()
        .fetch_optional(db::sql!("SELECT endpoint, sealed FROM deliveries WHERE id = $1", id))
        .await
        .unwrap()
        .unwrap();
    assert!(!row.endpoint.contains("secret"), "{}", row.endpoint);
    for clear in ["secret-path", "secret-token", "SUCCESS", "x-shop"] {
        assert!(!row.sealed.windows(clear.len()).any(|window| window == clear.as_bytes()), "{clear}");
    }
}

/// Ten thousand hosts of one application, whose queue sorts before and is older, do not delay the message of another.
#[tokio::test]
async fn many_hosts_of_one_application_do_not_keep_another_waiting() {
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let fixture = Fixture::open().await;
    let (flood, quiet) = {
        let other = application(&fixture.test, &*fixture.env).await;
        if fixture.app < other { (fixture.app, other) } else { (other, fixture.app) }
    };
    let mut tx = fixture.test.db.write().await.unwrap();
    let elsewhere = message("https://127.0.0.1:1/".to_owned());
    let first = fixture.outbox.enqueue(&mut tx, &*fixture.env, flood, "test", &elsewhere).await.unwrap();
    // Copies of it for as many hosts, a few of them due, most of them later.
    tx.execute(sql!(
        sqlite: "WITH RECURSIVE hosts (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM hosts WHERE number < 10000)
                 INSERT INTO deliveries (id, app_id, topic, endpoint, sealed, state, tries, attempts, begun_at, next_at,
                                         created_at)
                 SELECT randomblob(16), app_id, topic, $2 || ' https://host' || number || '.example', sealed, state, tries,
                        attempts, begun_at, CASE WHEN number % 20 = 0 THEN next_at ELSE $3 END, created_at
                   FROM hosts, deliveries WHERE id = $1",
        postgres: "INSERT INTO deliveries (id, app_id, topic, endpoint, sealed, state, tries, attempts, begun_at, next_at,
                                           created_at)
                   SELECT gen_random_uuid(), app_id, topic, CAST($2 AS TEXT) || ' https://host' || number || '.example',
                          sealed, state, tries, attempts, begun_at,
                          CASE WHEN number % 20 = 0 THEN next_at ELSE $3 END, created_at
                     FROM generate_series(1, 10000) AS number, deliveries WHERE id = $1",
        first,
        flood.to_string(),
        fixture.env.now() + SignedDuration::from_hours(1),
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let (stop, working) = fixture.work();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut tx = fixture.test.db.write().await.unwrap();
    let body = message(receiver.url("/hook"));
    fixture.outbox.enqueue(&mut tx, &*fixture.env, quiet, "test", &body).await.unwrap();
    tx.commit().await.unwrap();
    let begun = std::time::Instant::now();
    receiver.wait_for(1).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    stop.send(true).unwrap();
    working.await.unwrap();
}
