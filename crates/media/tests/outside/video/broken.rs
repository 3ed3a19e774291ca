//! Files that are damaged or not videos: each error says what is wrong.

use super::{
    SamplingRequest, Site, at_rate,
    make::{self, H264},
};
use media::video::{VideoError, VideoSettings};

#[tokio::test]
async fn a_file_that_breaks_off_gives_what_it_has_and_says_so() {
    let site = Site::open().await;
    let numbers = make::numbers("30", 8.0);
    for name in ["a.mp4", "a.mkv"] {
        let file = make::file(&format!("{numbers} {H264} -movflags +faststart {name}"));
        site.host.put(name, &file[..file.len() / 2]);
        let (samples, ended) = site.samples(name, &SamplingRequest::default()).await;
        assert!((4..14).contains(&samples.len()), "{name}: {} samples", samples.len());
        for frame in &samples[..samples.len() - 1] {
            assert!((f64::from(make::number(&frame.picture)) / 30.0 - frame.time).abs() < 0.002, "{name}");
        }
        let error = ended.expect_err(name);
        assert!(matches!(error, VideoError::CutOff { .. }), "{name}: {error}");
        assert_eq!((error.code(), error.is_transient()), ("CONTENT_TRUNCATED", false));
    }
    let file = make::mp4("30", 4.0);
    site.host.put("b.mp4", &file[..file.len() - 500]);
    assert_eq!(site.refused("b.mp4").await, VideoError::NoIndex);
}

#[tokio::test]
async fn what_has_no_pictures_is_told_apart() {
    let site = Site::open().await;
    site.host.put("sound.m4a", make::file("-f lavfi -i sine=d=1 a.m4a"));
    assert_eq!(site.refused("sound.m4a").await, VideoError::NoVideoStream("sound".to_owned()));
    let cover = "-f lavfi -i sine=d=1 -f lavfi -i testsrc=s=64x64:r=1:d=1 -map 0 -map 1 -c:v mjpeg -disposition:v attached_pic a.mp3";
    site.host.put("song.mp3", make::file(cover));
    let error = site.refused("song.mp3").await;
    assert_eq!(error, VideoError::NoVideoStream("sound and a cover".to_owned()));
    assert_eq!(error.to_string(), "the content has no video, only sound and a cover");
    site.host.put("empty.mp4", "");
    assert_eq!(site.refused("empty.mp4").await, VideoError::Empty);
    let mut noise = make::mp4("30", 1.0);
    noise.iter_mut().skip(40).step_by(3).for_each(|byte| *byte ^= 0x5a);
    site.host.put("noise.mp4", noise);
    let error = site.refused("noise.mp4").await;
    assert!(
        matches!(error, VideoError::NotAVideo | VideoError::NoIndex | VideoError::Damaged { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn very_large_and_very_short_ones_have_an_answer() {
    let site = Site::open().await;
    site.host.put(
        "wide.mp4",
        make::file(
            "-f lavfi -i color=s=8400x64:r=1:d=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p a.mp4",
        ),
    );
    let error = site.refused("wide.mp4").await;
    assert_eq!(error.to_string(), "the video has 8400 x 64 pixels; at most 8192 x 8192 are decoded");
    site.host.put("one.mp4", make::mp4("30", 0.02));
    let samples = site.all("one.mp4", &SamplingRequest::default()).await;
    assert_eq!((samples.len(), samples[0].time), (1, 0.0));
    site.host.put("one.gif", make::file("-f lavfi -i testsrc=s=64x64 -frames:v 1 a.gif"));
    assert_eq!(site.all("one.gif", &SamplingRequest::default()).await.len(), 1);
    // A raw stream without timestamps.
    site.host.put("a.h264", make::file(&format!("{} {H264} a.h264", make::numbers("25", 2.0))));
    assert_eq!(site.all("a.h264", &SamplingRequest::default()).await.len(), 4);
}

#[tokio::test]
async fn ten_hours_are_sampled_and_thirteen_are_too_many() {
    let site = Site::open().await;
    let slow = |hours: u32| {
        make::file(&format!(
            "-f lavfi -i color=s=64x64:r=1/60:d={} -c:v libx264 -preset ultrafast -pix_fmt yuv420p a.mp4",
            hours * 3600
        ))
    };
    site.host.put("ten.mp4", slow(10));
    let samples = site.all("ten.mp4", &SamplingRequest::default()).await;
    assert_eq!((samples.len(), samples[599].time), (600, 35_940.0));
    let late = SamplingRequest { from_seconds: 35_000.0, ..SamplingRequest::default() };
    assert_eq!(site.all("ten.mp4", &late).await[0].time, 35_040.0);
    site.host.put("thirteen.mp4", slow(13));
    let error = site.refused("thirteen.mp4").await;
    assert_eq!(error.to_string(), "the video is 46800 seconds long; at most 43200 are moderated");
}

#[tokio::test]
async fn a_decoder_has_no_more_memory_than_it_is_given() {
    let site = Site::with(VideoSettings { decoder_bytes: 64 << 20, ..VideoSettings::default() }).await;
    site.host.put("a.mp4", make::mp4("30", 1.0));
    let error = site.refused("a.mp4").await;
    assert!(matches!(error.code(), "DECODER_LIMIT" | "DECODER_FAILED" | "NOT_A_VIDEO"), "{error}");
}

#[tokio::test]
async fn damage_in_the_middle_costs_no_more_than_itself() {
    let site = Site::open().await;
    let mut file = make::file(&format!("{} {H264} a.ts", make::numbers("30", 10.0)));
    let middle = file.len() / 2;
    file[middle..middle + 2000].fill(0xa5);
    site.host.put("a.ts", file);
    let samples = site.all("a.ts", &at_rate(1.0)).await;
    assert!(samples.len() >= 8, "{}", samples.len());
    assert!(samples.last().unwrap().time >= 8.9);
}
