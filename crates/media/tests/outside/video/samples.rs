//! Samples are the right frames at the right times.

use super::{
    SampledFrame, SamplingRequest, Site, at_rate,
    host::Manner,
    make::{self, H264, HEIGHT, WIDTH},
};

/// Checks that samples are the expected frames of a video with this frame rate.
fn check(samples: &[SampledFrame], fps: f64, rate: f64, seconds: f64) {
    let cells: Vec<_> = samples.iter().map(|frame| (frame.time * rate + 1e-3).floor() as i64).collect();
    let all: Vec<_> = (0..(seconds * rate.min(fps) - 1e-6).ceil() as i64).collect();
    if fps >= rate {
        assert_eq!(cells, all, "one for each part of the time, at {rate} of {fps} a second");
    } else {
        assert_eq!(cells.len(), all.len(), "each frame, where there are fewer than asked for");
    }
    for frame in samples {
        let shown = f64::from(make::number(&frame.picture)) / fps;
        assert!((frame.time - shown).abs() < 0.002, "frame of {shown} at {}", frame.time);
        assert_eq!((frame.picture.width(), frame.picture.height()), (WIDTH, HEIGHT));
    }
}

#[tokio::test]
async fn each_sample_is_the_frame_of_its_time() {
    let site = Site::open().await;
    for (fps, number, seconds) in [
        ("30", 30.0, 10.0),
        ("30000/1001", 29.97, 5.0),
        ("25", 25.0, 4.6),
        ("6", 6.0, 20.0),
        ("1", 1.0, 12.0),
    ] {
        site.host.put("a.mp4", make::mp4(fps, seconds));
        let fps = if number == 29.97 { 30000.0 / 1001.0 } else { number };
        for rate in [0.5, 2.0, 3.0] {
            check(&site.all("a.mp4", &at_rate(rate)).await, fps, rate, seconds);
        }
    }
}

#[tokio::test]
async fn containers_and_codecs_are_many() {
    let site = Site::open().await;
    let numbers = make::numbers("30", 6.0);
    for (name, how) in [
        ("fast.mp4", format!("{H264} -movflags +faststart")),
        ("pieces.mp4", format!("{H264} -movflags +frag_keyframe+empty_moov")),
        ("a.mkv", H264.to_owned()),
        ("a.mov", H264.to_owned()),
        ("a.ts", H264.to_owned()),
        ("a.flv", H264.to_owned()),
        (
            "a.webm",
            "-pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k -g 60".to_owned(),
        ),
        ("a.avi", "-pix_fmt yuv420p -c:v mpeg4 -bf 2 -q:v 3".to_owned()),
        ("a.mpg", "-pix_fmt yuv420p -c:v mpeg2video -bf 2 -q:v 3".to_owned()),
    ] {
        site.host.put(name, make::file(&format!("{numbers} {how} {name}")));
        let samples = site.all(name, &SamplingRequest::default()).await;
        if name == "a.avi" || name == "a.mpg" {
            // Their first frame is at the time of one frame, not at zero.
            assert!((12..=13).contains(&samples.len()), "{name}");
        } else {
            check(&samples, 30.0, 2.0, 6.0);
        }
        // From each checkpoint, exactly the rest is decoded.
        for at in [0, 4, 7, 11] {
            let ask = SamplingRequest { from_seconds: samples[at].time, ..SamplingRequest::default() };
            // From 0 is the whole video.
            let next = if ask.from_seconds > 0.0 { at + 1 } else { 0 };
            let rest = site.all(name, &ask).await;
            let times = |frames: &[SampledFrame]| {
                frames.iter().map(|frame| format!("{:.3}", frame.time)).collect::<Vec<_>>()
            };
            assert_eq!(times(&rest), times(&samples[next..]), "{name} from {}", samples[at].time);
        }
    }
}

#[tokio::test]
async fn times_of_frames_that_come_as_they_like_are_theirs() {
    let site = Site::open().await;
    // After every ten frames there is a pause of 0.7 seconds.
    let how =
        "-vf settb=1/90000,setpts='(N/30+0.7*floor(N/10))/TB' -fps_mode passthrough -enc_time_base 1:90000";
    let arguments = format!("{} {how} {H264} -video_track_timescale 90000 a.mp4", make::numbers("30", 4.0));
    site.host.put("a.mp4", make::file(&arguments));
    let samples = site.all("a.mp4", &SamplingRequest::default()).await;
    let time = |number: u32| f64::from(number) / 30.0 + 0.7 * f64::from(number / 10);
    let expected: std::collections::BTreeSet<_> =
        (0..120).map(|number| (time(number) * 2.0 + 1e-4) as i64).collect();
    assert_eq!(samples.len(), expected.len());
    for frame in samples {
        let number = make::number(&frame.picture);
        assert!((frame.time - time(number)).abs() < 0.001, "frame {number} at {}", frame.time);
    }
}

#[tokio::test]
async fn an_index_at_the_end_is_found_whatever_the_server_can() {
    let site = Site::open().await;
    let file = make::mp4("30", 5.0);
    assert!(file.windows(4).position(|word| word == b"moov") > Some(file.len() / 2));
    for manner in [Manner::Well, Manner::Whole] {
        site.host.put_as("a.mp4", file.clone(), manner);
        check(&site.all("a.mp4", &SamplingRequest::default()).await, 30.0, 2.0, 5.0);
    }
    // A file that is sent without its length must have its index at the start.
    let fast = make::file(&format!("{} {H264} -movflags +faststart a.mp4", make::numbers("30", 5.0)));
    site.host.put_as("a.mp4", fast, Manner::Unsized);
    check(&site.all("a.mp4", &SamplingRequest::default()).await, 30.0, 2.0, 5.0);
}

#[tokio::test]
async fn pictures_stand_upright() {
    let site = Site::open().await;
    // White on the left, black on the right.
    let flat = make::file(
        "-f lavfi -i color=white:s=160x90:r=10:d=1 -vf drawbox=x=80:w=80:h=90:color=black:t=fill -c:v libx264 -pix_fmt yuv420p a.mp4",
    );
    // The display matrix, in which phones record how they were held: 16.16 fixed point. The movie's comes first, the
    // track's second.
    let (one, less) = (0x1_0000_u32, 0xffff_0000);
    let matrix = |[a, b, c, d]: [u32; 4]| [a, b, 0, c, d, 0].map(u32::to_be_bytes).concat();
    let at = flat
        .windows(24)
        .enumerate()
        .filter(|(_, bytes)| *bytes == matrix([one, 0, 0, one]))
        .nth(1)
        .unwrap()
        .0;
    for (turned, size, white) in [
        ([0, one, less, 0], (90, 160), (45, 8)),
        ([less, 0, 0, less], (160, 90), (152, 45)),
        ([0, less, one, 0], (90, 160), (45, 152)),
    ] {
        let mut file = flat.clone();
        file[at..at + 24].copy_from_slice(&matrix(turned));
        site.host.put("a.mp4", file);
        let frame = site.all("a.mp4", &SamplingRequest::default()).await.remove(0);
        let picture = frame.picture;
        assert_eq!((picture.width(), picture.height()), size);
        assert!(picture.pixel(white.0, white.1)[0] > 200, "{size:?}: where white is");
        let other = (i64::from(size.0) - 1 - white.0, i64::from(size.1) - 1 - white.1);
        assert!(picture.pixel(other.0, other.1)[0] < 50, "{size:?}: where black is");
    }
}

#[tokio::test]
async fn a_long_video_is_entered_where_it_was_left() {
    let site = Site::open().await;
    for (name, how) in [
        ("a.mp4", H264),
        ("a.mkv", H264),
        ("a.ts", H264),
        // Key frames so far apart that seeking ends up after the right position.
        ("far.ts", "-pix_fmt yuv420p -c:v libx264 -preset veryfast -bf 3 -g 600 -sc_threshold 0"),
        ("a.flv", H264),
        ("a.avi", "-pix_fmt yuv420p -c:v mpeg4 -bf 2 -q:v 3"),
        ("a.mpg", "-pix_fmt yuv420p -c:v mpeg2video -bf 2 -q:v 3"),
    ] {
        site.host.put(name, make::file(&format!("{} {how} {name}", make::numbers("30", 32.0))));
        let samples = site.all(name, &SamplingRequest::default()).await;
        assert!((64..=65).contains(&samples.len()), "{name}: {}", samples.len());
        for at in [30, 55, 63] {
            let rest = site
                .all(name, &SamplingRequest { from_seconds: samples[at].time, ..SamplingRequest::default() })
                .await;
            let shown = |frames: &[SampledFrame]| {
                frames.iter().map(|frame| make::number(&frame.picture)).collect::<Vec<_>>()
            };
            assert_eq!(shown(&rest), shown(&samples[at + 1..]), "{name} from {}", samples[at].time);
        }
    }
}

#[tokio::test]
async fn sizes_are_as_shown_and_bounded() {
    let site = Site::open().await;
    let made = |size: &str, filter: &str| {
        make::file(&format!(
            "-f lavfi -i testsrc=s={size}:r=5:d=1 -vf {filter} -pix_fmt yuv420p -c:v libx264 -preset ultrafast a.mp4"
        ))
    };
    for (file, size) in [
        (made("160x90", "setsar=2"), (320, 90)),
        (made("160x90", "setsar=1/2"), (80, 90)),
        (made("2560x1440", "null"), (1920, 1080)),
        (made("1080x2400", "null"), (864, 1920)),
        (made("7680x4320", "null"), (1920, 1080)),
        (made("2x2", "null"), (2, 2)),
    ] {
        site.host.put("a.mp4", file);
        let samples = site.all("a.mp4", &SamplingRequest::default()).await;
        assert_eq!(samples.len(), 2);
        assert_eq!((samples[0].picture.width(), samples[0].picture.height()), size);
    }
}

#[tokio::test]
async fn frames_that_nothing_is_made_of_hide_nothing() {
    let site = Site::open().await;
    // One key frame, and frames that all refer to it alone: with disposable frames skipped, only one would be decoded.
    let how = "-pix_fmt yuv420p -c:v libx264 -preset ultrafast -bf 16 -b_strategy 0 -g 600 -x264-params b-pyramid=none:keyint=600:scenecut=0:bframes=16";
    site.host.put("a.mp4", make::file(&format!("{} {how} a.mp4", make::numbers("20", 10.0))));
    check(&site.all("a.mp4", &at_rate(4.0)).await, 20.0, 4.0, 10.0);
}
