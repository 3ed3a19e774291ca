//! Live streams: reading starts at their newest part, and never falls behind.

use super::{
    SamplingRequest, Site,
    make::{self, Folder, H264},
};
use media::video::{VideoError, VideoSettings};
use std::time::Duration;

fn live() -> SamplingRequest {
    SamplingRequest { live: true, ..SamplingRequest::default() }
}

/// Segments of one second each, for a playlist.
fn parts(seconds: f64) -> Folder {
    let folder = Folder::new();
    make::ffmpeg(
        &folder,
        &format!(
            "{} {H264} -g 30 -keyint_min 30 -f hls -hls_time 1 -hls_list_size 0 a.m3u8",
            make::numbers("30", seconds)
        ),
    );
    folder
}

fn playlist(first: usize, end: usize) -> String {
    let parts: Vec<_> = (first..end).map(|part| format!("#EXTINF:1.0,\na{part}.ts\n")).collect();
    let parts = parts.concat();
    format!("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:{first}\n{parts}")
}

#[tokio::test]
async fn a_live_playlist_is_entered_at_its_end_and_followed() {
    let site = Site::with(VideoSettings { stall_seconds: 8, ..VideoSettings::default() }).await;
    site.host.put_all("live", &parts(20.0));
    site.host.put("live/a.m3u8", playlist(0, 5));
    let mut frames = site
        .videos
        .open(&site.host.at("live/a.m3u8"), &SamplingRequest { from_seconds: 100.0, ..live() })
        .await
        .unwrap();
    let first = frames.next().await.unwrap().unwrap();
    assert!(make::number(&first.picture) >= 90, "frame {}", make::number(&first.picture));
    assert!((100.0..102.0).contains(&first.time), "{}", first.time);
    site.host.put("live/a.m3u8", playlist(4, 9));
    let mut last = first.time;
    while last < 103.0 {
        let frame = frames.next().await.unwrap().unwrap();
        assert!(frame.time > last);
        last = frame.time;
    }
    // The stream vanishes, as streams do.
    site.host.remove("live/a.m3u8");
    let ended = loop {
        match frames.next().await {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert!(
        ended.as_ref().is_none_or(|error| matches!(error, VideoError::Status { .. }) || error.is_transient()),
        "{ended:?}"
    );
}

#[tokio::test]
async fn a_slow_look_drops_frames_and_queues_none() {
    let site = Site::open().await;
    site.host.put("a.ts", make::file(&format!("{} {H264} a.ts", make::numbers("30", 30.0))));
    let mut frames = site
        .videos
        .open(&site.host.at("a.ts"), &SamplingRequest { frames_per_second: 10.0, ..live() })
        .await
        .unwrap();
    let first = frames.next().await.unwrap().unwrap();
    while frames.dropped() < 10 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let next = frames.next().await.unwrap().unwrap();
    assert!(next.time - first.time > 1.0, "the newest comes first: {} after {}", next.time, first.time);
}

#[tokio::test]
async fn a_live_playlist_leads_nowhere_else_either() {
    let site = Site::open().await;
    site.host.put("a.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n");
    let error = site.videos.open(&site.host.at("a.m3u8"), &live()).await.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "CONTENT_REFUSED");
}
