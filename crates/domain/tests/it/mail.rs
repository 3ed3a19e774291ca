//! Mail, sent through a mail server on this machine.

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

struct Fixture {
    test: TestDb,
    env: Arc<TestEnvironment>,
    mail: Mailer,
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Fixture {
    async fn open(server: SocketAddr, tls: SmtpTls) -> Self {
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let test = TestDb::open().await;
        let login = (tls != SmtpTls::None).then(|| ("assay".to_owned(), Secret::new("pass word".to_owned())));
        let ca = stub_server::certificate();
        let smtp =
            SmtpTransport::new("127.0.0.1", Some(server.port()), tls, login, Some(ca.as_bytes())).unwrap();
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let from = Some("Assay <assay@example.com>");
        let mail = Mailer::new(env.clone(), vault, MailTransport::Smtp(smtp), from).unwrap();
        let sender = mail.clone();
        let worker = Worker::new(test.db.clone(), env.clone()).register(move |job: SendMail, lease| {
            let mail = sender.clone();
            async move { mail.send(&job, &lease).await }
        });
        let (stop, stopped) = watch::channel(false);
        Self { test, env, mail, stop, working: tokio::spawn(worker.run(stopped)) }
    }

    async fn enqueue(&self, mail: &EmailMessage) {
        let mut tx = self.test.db.write().await.unwrap();
        let until = self.env.now() + SignedDuration::from_hours(24);
        self.mail.enqueue(&mut tx, None, mail, until).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Waits until the mail's job satisfies a condition: its state and error, or `None` once it is done.
    async fn wait_until(&self, condition: impl Fn(&Option<Row>) -> bool) -> Option<Row> {
        for _ in 0..60_000 {
            let mut view = self.test.db.read().await.unwrap();
            let row: Option<Row> =
                view.fetch_optional(sql!("SELECT state, last_error FROM jobs")).await.unwrap();
            if condition(&row) {
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

fn sample_mail() -> EmailMessage {
    EmailMessage {
        to: "ada@example.org".to_owned(),
        subject: "Grüße aus Köln, and a subject that is so long that it does not fit into one line of a header any more".to_owned(),
        before: vec![".hidden\r\n.\r\n..\r\nQUIT".to_owned(), "x".repeat(2000)],
        links: vec![("Come <in> & \"see\"".to_owned(), "https://assay.example.com/console/#invite=a-b_c".to_owned())],
        after: vec!["– end –".to_owned()],
    }
}

#[tokio::test]
async fn a_mail_arrives_complete_over_tls() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let fixture = Fixture::open(server.address(), SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    let came = server.wait_for(1).await.remove(0);
    fixture.wait_until(Option::is_none).await;
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
    fixture.close().await;
}

#[tokio::test]
async fn implicit_tls_is_not_starttls() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let fixture = Fixture::open(server.address(), SmtpTls::Tls).await;
    fixture.enqueue(&sample_mail()).await;
    let waiting =
        fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert_eq!(waiting.state, "WAITING");
    assert_eq!(server.received().len(), 0);
    fixture.close().await;
}

#[tokio::test]
async fn nothing_is_sent_in_plaintext_where_tls_is_required() {
    let server =
        TestMailServer::start(MailServerBehaviour { starttls: false, ..MailServerBehaviour::default() })
            .await;
    let fixture = Fixture::open(server.address(), SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await;
    assert_eq!(server.received().len(), 0);
    fixture.close().await;

    let fixture = Fixture::open(server.address(), SmtpTls::None).await;
    fixture.enqueue(&sample_mail()).await;
    let came = server.wait_for(1).await.remove(0);
    assert_eq!(
        (came.over_tls, came.login, came.protocol_errors.len()),
        (false, None, 0),
        "on this machine it may"
    );
    fixture.close().await;
}

#[tokio::test]
async fn nothing_is_lost_while_the_mail_server_is_unavailable() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let address = server.address();
    drop(server);
    let fixture = Fixture::open(address, SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    let failed =
        fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert!(!format!("{failed:?}").contains("ada@"), "{failed:?}");
    let server = TestMailServer::start_at(address, MailServerBehaviour::default()).await;
    fixture.env.advance(SignedDuration::from_secs(3));
    assert_eq!(server.wait_for(1).await.len(), 1);
    fixture.wait_until(Option::is_none).await;
    fixture.close().await;
}

#[tokio::test]
async fn a_mail_that_is_refused_for_good_is_parked_without_its_address() {
    let server = TestMailServer::start(MailServerBehaviour {
        accept_reply: "550 no such user ada@example.org",
        ..MailServerBehaviour::default()
    })
    .await;
    let fixture = Fixture::open(server.address(), SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    let parked =
        fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.state == "PARKED")).await.unwrap();
    assert_eq!(parked.last_error.as_deref(), Some("the mail server answered 550"));
    fixture.close().await;

    let server = TestMailServer::start(MailServerBehaviour {
        accept_reply: "451 later",
        ..MailServerBehaviour::default()
    })
    .await;
    let fixture = Fixture::open(server.address(), SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    let waiting =
        fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await.unwrap();
    assert_eq!(
        (&*waiting.state, waiting.last_error.as_deref()),
        ("WAITING", Some("the mail server answered 451"))
    );
    fixture.close().await;
}

#[tokio::test]
async fn a_mail_whose_link_has_expired_is_not_sent() {
    let server = TestMailServer::start(MailServerBehaviour::default()).await;
    let address = server.address();
    drop(server);
    let fixture = Fixture::open(address, SmtpTls::StartTls).await;
    fixture.enqueue(&sample_mail()).await;
    fixture.wait_until(|row| row.as_ref().is_some_and(|row| row.last_error.is_some())).await;
    fixture.env.advance(SignedDuration::from_hours(24));
    fixture.wait_until(Option::is_none).await;
    fixture.close().await;
}
