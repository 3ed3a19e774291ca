//! A process without models: what needs them waits, and is not given up.

use crate::content_moderation::{AccountFixture, retroactive_bans};
use base::{SignedDuration, Uuid};
use db::sql;
use domain::{
    faces::SweepFindingsOfBan,
    image_analysis::{AnalysisRules, ImageAnalyser},
};
use jobs::Worker;
use std::time::{Duration, Instant};
use testkit::{TestApp, proof_settings, stub_server};
use tokio::sync::watch;

/// What [`AccountFixture::start_with_media`] starts, without models, and the place to load them into.
async fn start_without_models() -> (AccountFixture, ImageAnalyser) {
    let analyser = ImageAnalyser::new(AnalysisRules::default());
    let app = TestApp::builder()
        .egress(&stub_server::egress_policy())
        .proof_of_age(proof_settings())
        .image_analyser(analyser.clone())
        .start()
        .await;
    (AccountFixture::of(app).await, analyser)
}

#[tokio::test]
async fn a_moderation_and_the_sweep_of_a_ban_wait_for_models() {
    let (fixture, analyser) = start_without_models().await;
    let (_, moderation) = fixture.waiting_moderation().await;
    let nobody = Uuid::from_u128(1).into();
    let sweep = SweepFindingsOfBan { account: fixture.account, profile: nobody, after: None, examined: 0 };
    retroactive_bans::queue(&fixture, &sweep).await;
    let (api, environment) = (&fixture.app.api, &fixture.app.environment);
    let untried = async |due: bool| {
        let query = sql!(
            "SELECT count(*) FROM jobs WHERE lane = 'heavy' AND state = 'WAITING' AND attempts = 0 AND (run_at <= $1) = $2",
            api.environment.now(),
            due,
        );
        fixture.count(query).await
    };

    // It leaves them to processes that have models.
    let working = fixture.app.spawn_worker();
    tokio::time::sleep(Duration::from_secs(1)).await;
    working.stop().await;
    assert_eq!(untried(true).await, 2);

    // Where it is found out only once they were leased, they are put off.
    let worker = Worker::new(api.db.clone(), api.environment.clone());
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(api.content_moderation.register_jobs(worker).run(stopped));
    let began = Instant::now();
    while untried(false).await < 2 {
        assert!(began.elapsed() < Duration::from_mins(1), "{}", fixture.moderation_state(&moderation).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.send(true).unwrap();
    working.await.unwrap();
    assert_eq!(fixture.moderation_state(&moderation).await["state"], "QUEUED");

    environment.advance(SignedDuration::from_secs(5));
    analyser.load(&testkit::model_settings()).unwrap();
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.moderation_state(&moderation).await["state"], "DONE");
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM jobs")).await, 0);
}
