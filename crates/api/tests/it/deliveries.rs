//! Messages to the servers of relying parties.

use domain::delivery::{DeliveryDispatcher, DeliverySettings, Outbox};
use testkit::{
    TestApp,
    stub_server::{CapturedRequest, StubServer},
};
use tokio::{sync::watch, task::JoinHandle};

/// Delivers what is due, until it is told to stop.
pub(crate) struct BackgroundDispatcher {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl BackgroundDispatcher {
    pub(crate) fn start(app: &TestApp, outbox: &Outbox) -> Self {
        let (stop, stopped) = watch::channel(false);
        let dispatcher = DeliveryDispatcher::new(
            app.api.db.clone(),
            app.environment.clone(),
            outbox.clone(),
            DeliverySettings::default(),
        );
        Self { stop, task: tokio::spawn(dispatcher.run(stopped)) }
    }

    pub(crate) async fn stop(self) {
        self.stop.send(true).unwrap();
        self.task.await.unwrap();
    }
}

/// Delivers until a receiver was sent `many` messages; returns all that it was sent.
pub(crate) async fn deliver(
    app: &TestApp,
    outbox: &Outbox,
    receiver: &StubServer,
    many: usize,
) -> Vec<CapturedRequest> {
    let dispatcher = BackgroundDispatcher::start(app, outbox);
    let sent = receiver.wait_for(many).await;
    dispatcher.stop().await;
    sent
}
