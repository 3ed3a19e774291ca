//! Servers that are slow, send wrong lengths, change their content or never end.

use super::{
    SamplingRequest, Site,
    host::Manner,
    make::{self, H264},
};
use media::video::{VideoError, VideoSettings};
use std::time::Duration;

fn fast() -> Vec<u8> {
    make::file(&format!("{} {H264} -movflags +faststart a.mp4", make::numbers("30", 8.0)))
}

/// Shorter timeouts than the defaults, so that a test need not wait long, but long enough for a busy machine.
fn hurried() -> VideoSettings {
    VideoSettings { slow_seconds: 5, slow_bytes: 8192, answer_seconds: 5, ..VideoSettings::default() }
}

#[tokio::test]
async fn a_server_that_drips_is_cut_off() {
    let site = Site::with(hurried()).await;
    let file = fast();
    site.host.put_as("drip.mp4", file.clone(), Manner::Dripping(0));
    let error = site.refused("drip.mp4").await;
    assert!(matches!(error, VideoError::TooSlow { seconds: 5, least: 8192, .. }), "{error}");
    assert!(error.is_transient());
    site.host.put_as("late.mp4", file.clone(), Manner::Dripping(file.len() / 2));
    let (_, ended) = site.samples("late.mp4", &SamplingRequest::default()).await;
    assert_eq!(ended.unwrap_err().code(), "CONTENT_TOO_SLOW");
    site.host.put_as("silent.mp4", "", Manner::Silent);
    assert_eq!(site.refused("silent.mp4").await.code(), "CONTENT_TOO_SLOW");
    let reached = site.videos.check_reachable(&site.host.at("silent.mp4")).await;
    assert_eq!(reached.unwrap_err().code(), "CONTENT_TOO_SLOW");
    // The next content is not affected.
    site.host.put("a.mp4", file);
    assert_eq!(site.all("a.mp4", &SamplingRequest::default()).await.len(), 16);
}

#[tokio::test]
async fn a_server_that_drips_in_many_small_answers_is_cut_off_as_well() {
    // Each answer takes less than the window, and all together come below the floor.
    let site = Site::with(VideoSettings { slow_bytes: 10_000_000, ..hurried() }).await;
    let mut playlist = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n".to_owned();
    for number in 0..30 {
        playlist.extend(["#EXTINF:1.0,\n", &format!("s{number}.ts\n")]);
        site.host.put_as(&format!("s{number}.ts"), vec![0x47; 1880], Manner::Dripping(0));
    }
    site.host.put("slow.m3u8", playlist + "#EXT-X-ENDLIST\n");
    assert_eq!(site.refused("slow.m3u8").await.code(), "CONTENT_TOO_SLOW");
}

#[tokio::test]
async fn a_stored_content_has_a_time_of_its_own() {
    let site = Site::with(VideoSettings { max_run_seconds: 7200, ..VideoSettings::default() }).await;
    assert_eq!(site.videos.ensure_in_time(Duration::from_hours(2)), Ok(()));
    let error = site.videos.ensure_in_time(Duration::from_secs(7201)).unwrap_err();
    assert_eq!(error.to_string(), "the content has taken 7201 seconds; at most 7200 are spent on one");
    assert_eq!((error.code(), error.is_transient()), ("CONTENT_TAKES_TOO_LONG", false));
}

#[tokio::test]
async fn a_server_that_lies_about_length_is_noticed() {
    let site = Site::open().await;
    let file = fast();
    site.host.put_as("a.mp4", &file[..file.len() / 2], Manner::Announcing(file.len() as u64 / 2));
    let (samples, ended) = site.samples("a.mp4", &SamplingRequest::default()).await;
    assert!(!samples.is_empty(), "what came before the end is looked at");
    let error = ended.unwrap_err();
    assert!(matches!(error, VideoError::BrokenOff { announced: Some(_), .. }), "{error}");
    assert_eq!(error.code(), "CONTENT_TRUNCATED");
}

#[tokio::test]
async fn a_body_without_end_has_one() {
    let site = Site::with(VideoSettings { max_bytes: 2_000_000, ..VideoSettings::default() }).await;
    site.host.put_as("endless.mp4", fast(), Manner::Endless);
    site.host.put_as("noise.mp4", vec![0; 100], Manner::Endless);
    let (_, ended) = site.samples("noise.mp4", &SamplingRequest::default()).await;
    assert_eq!(ended, Err(VideoError::TooLarge { limit: 2_000_000 }));
    // All its frames precede the rest; whether enough of the rest has arrived by then depends on timing.
    let (samples, ended) = site.samples("endless.mp4", &SamplingRequest::default()).await;
    match ended {
        Ok(()) => assert_eq!(samples.len(), 16),
        Err(error) => assert_eq!(error, VideoError::TooLarge { limit: 2_000_000 }),
    }
    site.host.put_as("huge.mp4", fast(), Manner::Announcing(5_000_000));
    assert_eq!(site.refused("huge.mp4").await, VideoError::TooLarge { limit: 2_000_000 });
}

#[tokio::test]
async fn a_server_that_mixes_up_parts_is_noticed() {
    let site = Site::open().await;
    let file = make::mp4("30", 8.0);
    for (manner, code) in [
        (Manner::Shifted, "CONTENT_UNRELIABLE"),
        (Manner::Changing, "CONTENT_CHANGED"),
        (Manner::Compressed, "CONTENT_UNRELIABLE"),
        (Manner::Failing(404), "CONTENT_UNREACHABLE"),
        (Manner::Failing(500), "CONTENT_UNREACHABLE"),
    ] {
        site.host.put_as("a.mp4", file.clone(), manner);
        let error = site.refused("a.mp4").await;
        assert_eq!(error.code(), code, "{error}");
    }
}
