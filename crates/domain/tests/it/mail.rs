//! Mail on its way, by a mail server on this machine.

use base::{Environment, Secret, SignedDuration, TestEnvironment};
use db::{FromRow, sql, testing::TestDb};
use domain::{
    keyring::Keyring,
    mail::{EmailMessage, MailTransport, Mailer, SendMail, SmtpTls, SmtpTransport},
    vault::Vault,
};
use jobs::Worker;
use std::{net::SocketAddr, sync::Arc};
use testkit::{
    mail_server::{MailServerBehaviour, TestMailServer},
    stub_server,
};
use tokio::{sync::watch, task::JoinHandle};

struct Post {
    test: TestDb,
    world: Arc<TestEnvironment>,
    mail: Mailer,
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Post {
    async fn open(server: SocketAddr, tls: SmtpTls) -> Self {
        let world = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let test = TestDb::open().await;
        let login = (tls != SmtpTls::None).then(|| ("assay".to_owned(), Secret::new("pass word".to_owned())));
        let ca = stub_server::certificate();
        let smtp =
            SmtpTransport::new("127.0.0.1", Some(server.port()), tls, login, Some(ca.as_bytes())).unwrap();
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let from = Some("Assay <assay@example.com>");
        let mail = Mailer::new(world.clone(), vault, MailTransport::Smtp(smtp), from).unwrap();
        let sender = mail.clone();
        let worker = Worker::new(test.db.clone(), world.clone()).register(move |job: SendMail, lease| {
            let mail = sender.clone();
            async move { mail.send(&job, &lease).await }
        });
        let (stop, stopped) = watch::channel(false);
        Self { test, world, mail, stop, working: tokio::spawn(worker.run(stopped)) }
    }

    async fn post(&self, letter: &EmailMessage) {
        let mut tx = self.test.db.write().await.unwrap();
        let until = self.world.now() + SignedDuration::from_hours(24);
        self.mail.enqueue(&mut tx, None, letter, until).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Waits until the letter's job is as wanted: its state and error, nothing where it is done.
    async fn until(&self, wanted: impl Fn(&Option<Row>) -> bool) -> Option<Row> {
        for _ in 0..60_000 {
            let mut view = self.test.db.read().await.unwrap();
            let row: Option<Row> =
                view.fetch_optional(sql!("SELECT state, last_error FROM jobs")).await.unwrap();
            if wanted(&row) {
                return row;
            }
            drop(view);
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("it took longer than ten minutes");
    }

    async fn close(self) {
        self.stop.send(true).unwrap();
        self.working.await.unwrap();
    }
}

#[derive(Debug, FromRow)]
struct Row {
    state: String,
    last_error: Option<String>,
}

fn letter() -> EmailMessage {
    EmailMessage {
        to: "ada@example.org".to_owned(),
        subject: "Grüße aus Köln, and a subject that is so long that it does not fit into one line of a header any more".to_owned(),
        before: vec![".hidden\r\n.\r\n..\r\nQUIT".to_owned(), "x".repeat(2000)],
        links: vec![("Come <in> & \"see\"".to_owned(), "https://assay.example.com/console/#invite=a-b_c".to_owned())],
        after: vec!["– end –".to_owned()],
    }
}

#[tokio::test]
async fn a_letter_arrives_secured_and_whole() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let post = Post::open(server.address(), SmtpTls::StartTls).await;
    post.post(&letter()).await;
    let came = server.wait_for(1).await.remove(0);
    post.until(Option::is_none).await;
    assert_eq!(came.protocol_errors, Vec::<String>::new());
    assert!(came.over_tls);
    assert_eq!(came.login, Some(("assay".to_owned(), "pass word".to_owned())));
    assert_eq!(
        (came.from.as_str(), came.to.as_slice()),
        ("assay@example.com", &["ada@example.org".to_owned()][..])
    );

    let (headers, body) = came.text.split_once("\r\n\r\n").unwrap();
    assert!(headers.is_ascii(), "{headers}");
    let unfolded = headers.replace("\r\n ", " ");
    let mut names: Vec<_> = unfolded.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    names.sort_unstable();
    let expected =
        ["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"];
    assert_eq!(names, expected);
    for header in [
        "Date: Fri, 16 Jan 2026 14:40:00 +0000",
        "From: Assay <assay@example.com>",
        "To: ada@example.org",
        "Auto-Submitted: auto-generated",
    ] {
        assert!(unfolded.contains(header), "{header}: {unfolded}");
    }
    assert!(headers.lines().all(|line| line.len() <= 78), "{headers}");
    let body = body.replace("=\r\n", "").replace("=3D", "=");
    assert!(body.contains("https://assay.example.com/console/#invite=a-b_c"), "{body}");
    assert!(body.contains(".hidden\r\n.\r\n..\r\nQUIT"), "dots come back as they were: {body}");
    assert!(body.contains("Come &lt;in&gt; &amp; &quot;see&quot;</a>"), "{body}");
    assert!(body.contains("=E2=80=93 end =E2=80=93") || body.contains("– end –"), "{body}");
    post.close().await;
}

#[tokio::test]
async fn tls_from_the_first_byte_is_not_starttls() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let post = Post::open(server.address(), SmtpTls::Tls).await;
    post.post(&letter()).await;
    let waiting = post.until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert_eq!(waiting.state, "WAITING");
    assert_eq!(server.received().len(), 0);
    post.close().await;
}

#[tokio::test]
async fn nothing_travels_in_the_open_where_tls_is_required() {
    let server =
        TestMailServer::start(MailServerBehaviour { starttls: false, ..MailServerBehaviour::default() })
            .await;
    let post = Post::open(server.address(), SmtpTls::StartTls).await;
    post.post(&letter()).await;
    post.until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await;
    assert_eq!(server.received().len(), 0);
    post.close().await;

    let post = Post::open(server.address(), SmtpTls::None).await;
    post.post(&letter()).await;
    let came = server.wait_for(1).await.remove(0);
    assert_eq!(
        (came.over_tls, came.login, came.protocol_errors.len()),
        (false, None, 0),
        "on this machine it may"
    );
    post.close().await;
}

#[tokio::test]
async fn a_server_that_was_away_loses_nothing() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let address = server.address();
    drop(server);
    let post = Post::open(address, SmtpTls::StartTls).await;
    post.post(&letter()).await;
    let failed = post.until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert!(!format!("{failed:?}").contains("ada@"), "{failed:?}");
    let server = TestMailServer::start_at(address, MailServerBehaviour::default()).await;
    post.world.advance(SignedDuration::from_secs(3));
    assert_eq!(server.wait_for(1).await.len(), 1);
    post.until(Option::is_none).await;
    post.close().await;
}

#[tokio::test]
async fn a_letter_that_is_refused_for_good_is_parked_without_its_address() {
    let server = TestMailServer::start(MailServerBehaviour {
        accept_reply: "550 no such user ada@example.org",
        ..MailServerBehaviour::default()
    })
    .await;
    let post = Post::open(server.address(), SmtpTls::StartTls).await;
    post.post(&letter()).await;
    let parked = post.until(|row| row.as_ref().is_some_and(|row| row.state == "PARKED")).await.unwrap();
    assert_eq!(parked.last_error.as_deref(), Some("the mail server answered 550"));
    post.close().await;

    let server = TestMailServer::start(MailServerBehaviour {
        accept_reply: "451 later",
        ..MailServerBehaviour::default()
    })
    .await;
    let post = Post::open(server.address(), SmtpTls::StartTls).await;
    post.post(&letter()).await;
    let waiting = post.until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert_eq!(
        (&*waiting.state, waiting.last_error.as_deref()),
        ("WAITING", Some("the mail server answered 451"))
    );
    post.close().await;
}

#[tokio::test]
async fn a_letter_whose_link_is_over_is_not_sent() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let address = server.address();
    drop(server);
    let post = Post::open(address, SmtpTls::StartTls).await;
    post.post(&letter()).await;
    post.until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await;
    post.world.advance(SignedDuration::from_hours(24));
    post.until(Option::is_none).await;
    post.close().await;
}
