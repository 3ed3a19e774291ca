//! Messages that arrive, or do not.

use base::{AppId, DeliveryId, Environment, SignedDuration, SystemEnvironment, TestEnvironment};
use db::testing::TestDb;
use domain::{
    delivery::{
        self, DeliveryAttempt, DeliveryDispatcher, DeliveryRecord, DeliverySettings, DeliveryState, Outbox,
        SuccessCriterion, WebhookMessage, WebhookMethod, secrets,
    },
    keyring::Keyring,
    tenancy::applications::{self, NewApplication},
    vault::Vault,
};
use media::fetch::{EgressPolicy, Fetcher};
use std::{sync::Arc, time::Duration};
use testkit::stub_server::{self, StubReply, StubServer};
use tokio::{sync::watch, task::JoinHandle};

struct Post {
    test: TestDb,
    world: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    app: AppId,
}

impl Post {
    async fn open() -> Self {
        Self::with(Arc::new(SystemEnvironment), &stub_server::egress_policy()).await
    }

    async fn with(world: Arc<dyn Environment>, policy: &EgressPolicy) -> Self {
        let test = TestDb::open().await;
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let outbox = Outbox::new(Fetcher::new(policy).unwrap(), vault.clone());
        let mut tx = test.db.write().await.unwrap();
        let new = NewApplication { name: "a", organisation: None, billing_source: None, features: &[] };
        let app = applications::create(&mut tx, &*world, &new).await.unwrap();
        tx.commit().await.unwrap();
        Self { test, world, vault, outbox, app }
    }

    async fn post(&self, message: &WebhookMessage) -> DeliveryId {
        let mut tx = self.test.db.write().await.unwrap();
        let id = self.outbox.enqueue(&mut tx, &*self.world, self.app, "test", message).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    fn sender(&self) -> DeliveryDispatcher {
        DeliveryDispatcher::new(
            self.test.db.clone(),
            self.world.clone(),
            self.outbox.clone(),
            DeliverySettings::default(),
        )
    }

    fn work(&self) -> (watch::Sender<bool>, JoinHandle<()>) {
        let (stop, stopped) = watch::channel(false);
        (stop, tokio::spawn(self.sender().run(stopped)))
    }

    async fn show(&self, id: DeliveryId) -> DeliveryRecord {
        delivery::show(&mut self.test.db.read().await.unwrap(), id).await.unwrap().unwrap()
    }

    /// Waits until a delivery is in this state, after so many attempts.
    async fn until(&self, id: DeliveryId, state: DeliveryState, attempts: usize) -> DeliveryRecord {
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
    let post = Post::open().await;
    let (stop, working) = post.work();
    let id = post.post(&message(receiver.url("/hook?a=b"))).await;
    let sent = receiver.wait_for(1).await.remove(0);
    assert_eq!((sent.method.as_str(), sent.uri.path_and_query().unwrap().as_str()), ("POST", "/hook?a=b"));
    assert_eq!((sent.header("content-type"), sent.header("x-shop")), ("application/json", "12"));
    assert_eq!(sent.header("webhook-id"), id.to_string());

    let mut tx = post.test.db.write().await.unwrap();
    let first =
        secrets::list_or_create(&mut tx, &post.vault, &*post.world, post.app).await.unwrap().remove(0);
    let second =
        secrets::rotate(&mut tx, &post.vault, &*post.world, post.app, secrets::DEFAULT_ROTATION_OVERLAP)
            .await
            .unwrap();
    tx.commit().await.unwrap();
    let oracle =
        |secret: &secrets::WebhookSecret| standardwebhooks::Webhook::new(secret.reveal().expose()).unwrap();
    oracle(&first).verify(&sent.body, &sent.headers).unwrap();
    assert!(oracle(&second).verify(&sent.body, &sent.headers).is_err(), "made later");
    oracle(&first).verify(b"{}", &sent.headers).unwrap_err();

    // Within seconds both secrets sign, so a receiver may hold either.
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    post.post(&message(receiver.url("/hook"))).await;
    let sent = receiver.wait_for(2).await.remove(1);
    oracle(&first).verify(&sent.body, &sent.headers).unwrap();
    oracle(&second).verify(&sent.body, &sent.headers).unwrap();

    let record = post.until(id, DeliveryState::Delivered, 1).await;
    assert_eq!((record.attempts[0].status, record.attempts[0].error.as_deref()), (Some(204), None));
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn what_fails_is_tried_again_and_can_be_replayed_when_it_was_given_up() {
    let receiver = StubServer::start(|sent| match sent.uri.path() {
        "/gone" => StubReply::status(410),
        "/moved" => StubReply::status(302).header("location", "https://localhost/elsewhere"),
        _ => StubReply::status(500),
    })
    .await;
    // Of its own: whoever asks for patience is left alone altogether for a while.
    let busy = StubServer::start(|_| StubReply::status(429).header("retry-after", "3600")).await;
    let world = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let post = Post::with(world.clone(), &stub_server::egress_policy()).await;
    let (stop, working) = post.work();
    let gone = post.post(&message(receiver.url("/gone"))).await;
    let moved = post.post(&message(receiver.url("/moved"))).await;
    let busy = post.post(&message(busy.url("/"))).await;
    let failing = post.post(&message(receiver.url("/"))).await;

    let record = post.until(gone, DeliveryState::Failed, 1).await;
    assert_eq!(record.attempts[0].status, Some(410));
    let record = post.until(moved, DeliveryState::Waiting, 1).await;
    assert_eq!(record.attempts[0].status, Some(302), "a redirect is not followed");
    let wait = record.next_at.duration_since(world.now());
    assert!(wait >= SignedDuration::from_secs(5), "{wait:?}");
    let record = post.until(busy, DeliveryState::Waiting, 1).await;
    assert_eq!(record.next_at.duration_since(world.now()), SignedDuration::from_hours(1));
    post.until(failing, DeliveryState::Waiting, 1).await;

    let mut tx = post.test.db.write().await.unwrap();
    delivery::replay(&mut tx, &*world, gone).await.unwrap();
    tx.commit().await.unwrap();
    post.until(gone, DeliveryState::Failed, 2).await;
    let mut tx = post.test.db.write().await.unwrap();
    let (from, to) = (world.now() - SignedDuration::from_secs(1), world.now() + SignedDuration::from_secs(1));
    assert_eq!(delivery::replay_range(&mut tx, &*world, post.app, None, from, to).await.unwrap(), 1);
    tx.commit().await.unwrap();
    post.until(gone, DeliveryState::Failed, 3).await;
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn the_schedule_is_kept_to_the_end_of_the_day() {
    let receiver = StubServer::start(|_| StubReply::status(404)).await;
    let world = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let post = Post::with(world.clone(), &stub_server::egress_policy()).await;
    let (stop, working) = post.work();
    let began = world.now();
    let id = post.post(&message(receiver.url("/"))).await;
    for attempt in 1..delivery::ATTEMPT_OFFSETS_SECONDS.len() {
        let record = post.until(id, DeliveryState::Waiting, attempt).await;
        let at = record.next_at.duration_since(began).as_secs_f64();
        let (before, due) = (
            delivery::ATTEMPT_OFFSETS_SECONDS[attempt - 1] as f64,
            delivery::ATTEMPT_OFFSETS_SECONDS[attempt] as f64,
        );
        assert!((at - due).abs() <= (due - before) * 0.1 + 5.0, "attempt {attempt}: {at} s, not {due} s");
        world.advance(record.next_at.duration_since(world.now()));
    }
    let record = post.until(id, DeliveryState::Failed, 10).await;
    assert_eq!(
        record.attempts.iter().filter_map(|attempt: &DeliveryAttempt| attempt.status).collect::<Vec<_>>(),
        [404; 10]
    );
    assert!(record.ended_at.is_some());
    let mut tx = post.test.db.write().await.unwrap();
    assert_eq!(tx.count(db::sql!("SELECT count(*) FROM deliveries")).await.unwrap(), 1);
    drop(tx);
    world.advance(SignedDuration::from_hours(31 * 24));
    let keep = SignedDuration::from_hours(30 * 24);
    assert_eq!(delivery::purge(&post.test.db, &*world, keep).await.unwrap(), 1);
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn a_dead_endpoint_slows_no_other() {
    let slow = StubServer::start(|_| StubReply::status(200).after(Duration::from_hours(1))).await;
    let quick = StubServer::start(|_| StubReply::status(200)).await;
    let post = Post::open().await;
    let mut tx = post.test.db.write().await.unwrap();
    for _ in 0..500 {
        post.outbox.enqueue(&mut tx, &*post.world, post.app, "test", &message(slow.url("/"))).await.unwrap();
    }
    for _ in 0..200 {
        post.outbox.enqueue(&mut tx, &*post.world, post.app, "test", &message(quick.url("/"))).await.unwrap();
    }
    tx.commit().await.unwrap();
    let (_stop, working) = post.work();
    quick.wait_for(200).await;
    assert!(
        slow.captured().len() < 100,
        "one that does not answer is not sent everything: {}",
        slow.captured().len()
    );
    working.abort();
}

#[tokio::test]
async fn what_was_leased_by_a_process_that_died_is_delivered_by_another() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let post = Post::open().await;
    let id = post.post(&message(receiver.url("/"))).await;
    let mut tx = post.test.db.write().await.unwrap();
    tx.execute(db::sql!(
        "UPDATE deliveries SET state = 'RUNNING', tries = 1, worker = $1, leased_until = $2",
        post.world.uuid_v7(),
        post.world.now() + SignedDuration::from_millis(300),
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let settings = DeliverySettings { lease: SignedDuration::from_secs(2), ..DeliverySettings::default() };
    let sender =
        DeliveryDispatcher::new(post.test.db.clone(), post.world.clone(), post.outbox.clone(), settings);
    tokio::spawn(sender.run(stopped));
    post.until(id, DeliveryState::Delivered, 1).await;
}

#[tokio::test]
async fn what_the_policy_forbids_is_not_queued_and_not_called_when_it_forbids_it_later() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let strict = Post::with(Arc::new(SystemEnvironment), &EgressPolicy::default()).await;
    let mut tx = strict.test.db.write().await.unwrap();
    for url in [receiver.url("/"), "http://example.com/".to_owned(), "https://169.254.169.254/".to_owned()] {
        let refused = strict.outbox.enqueue(&mut tx, &*strict.world, strict.app, "test", &message(url)).await;
        assert!(matches!(refused, Err(delivery::OutboxError::Refused(_))), "{refused:?}");
    }
    drop(tx);
    // Queued while the operator allowed it, tried when they no longer do.
    let lax = Outbox::new(Fetcher::new(&stub_server::egress_policy()).unwrap(), strict.vault.clone());
    let mut tx = strict.test.db.write().await.unwrap();
    let id =
        lax.enqueue(&mut tx, &*strict.world, strict.app, "test", &message(receiver.url("/"))).await.unwrap();
    tx.commit().await.unwrap();
    let (_stop, _working) = strict.work();
    let record = strict.until(id, DeliveryState::Waiting, 1).await;
    assert!(record.attempts[0].error.as_deref().unwrap().starts_with("refused"), "{record:?}");
    assert!(receiver.captured().is_empty());
}

#[tokio::test]
async fn a_message_in_the_query_has_no_body() {
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let post = Post::open().await;
    let (_stop, _working) = post.work();
    let get = WebhookMessage {
        verb: WebhookMethod::Get,
        body: String::new(),
        ..message(receiver.url("/?id=1&status=SUCCESS"))
    };
    post.post(&get).await;
    let sent = receiver.wait_for(1).await.remove(0);
    assert_eq!(
        (sent.method.as_str(), sent.uri.query(), sent.body.len()),
        ("GET", Some("id=1&status=SUCCESS"), 0)
    );
}

/// The address, headers and body of a message carry tokens and results about people.
#[tokio::test]
async fn nothing_of_a_message_stands_in_the_database_in_clear() {
    #[derive(db::FromRow)]
    struct Row {
        endpoint: String,
        sealed: Vec<u8>,
    }
    let post = Post::open().await;
    let id = post.post(&message("https://localhost/secret-path?token=secret-token".to_owned())).await;
    let row: Row = post
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
