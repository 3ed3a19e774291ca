//! Decoder processes: each has limits, and ends when it is no longer wanted.

use super::{SamplingRequest, Site, at_rate, make};
use media::video::VideoError;
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, time::Duration};

/// The children of this process that were started with this frame rate. The parent is checked because the same tests
/// may be running from another folder.
fn decoders(rate: f64) -> Vec<i32> {
    let (word, parent) = (format!("*{rate}+"), format!("PPid:\t{}\n", std::process::id()));
    let entries =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let says = |pid: &i32, file: &str, words: &str| {
        fs::read_to_string(format!("/proc/{pid}/{file}")).is_ok_and(|text| text.contains(words))
    };
    entries.filter(|pid| says(pid, "cmdline", &word) && says(pid, "status", &parent)).collect()
}

async fn wait_until_gone(rate: f64) {
    for _ in 0..6000 {
        if decoders(rate).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("decoders stay: {:?}", decoders(rate));
}

/// A video that takes longer to decode than a test takes between two looks.
fn long() -> Vec<u8> {
    make::file(
        "-f lavfi -i testsrc=s=1280x720:r=10:d=60 -c:v libx264 -preset ultrafast -pix_fmt yuv420p a.mp4",
    )
}

#[tokio::test]
async fn nothing_stays_behind() {
    let site = Site::open().await;
    site.host.put("a.mp4", long());
    let mut frames = site.videos.open(&site.host.at("a.mp4"), &at_rate(9.17)).await.unwrap();
    frames.next().await.unwrap().unwrap();
    let [pid] = decoders(9.17)[..] else { panic!("one decoder runs") };
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    for (name, most) in [
        ("Max address space", (2_u64 << 30).to_string()),
        ("Max file size", "0".to_owned()),
        ("Max core file size", "0".to_owned()),
        ("Max open files", "64".to_owned()),
    ] {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line[name.len()..].split_whitespace().take(2).all(|word| word == most), "{line}");
    }
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert_eq!(environment.split_terminator('\0').count(), 2, "{environment}");
    drop(frames);
    wait_until_gone(9.17).await;
    assert_eq!(site.all("a.mp4", &SamplingRequest::default()).await.len(), 120, "the next one is unharmed");
}

#[tokio::test]
async fn whoever_is_slow_makes_the_decoder_wait() {
    let site = Site::open().await;
    site.host.put("a.mp4", long());
    let mut frames = site.videos.open(&site.host.at("a.mp4"), &at_rate(9.19)).await.unwrap();
    frames.next().await.unwrap().unwrap();
    let [pid] = decoders(9.19)[..] else { panic!("one decoder runs") };
    let kilobytes = |name: &str| -> u64 {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut count = 1;
    assert!(
        kilobytes("VmPeak:") < 2 << 20 && kilobytes("VmHWM:") < 400 << 10,
        "{} {}",
        kilobytes("VmPeak:"),
        kilobytes("VmHWM:")
    );
    while frames.next().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 551);
    assert_eq!(frames.next().await, Ok(None), "the end stays the end");
}

#[tokio::test]
async fn a_decoder_that_is_killed_is_missed() {
    let site = Site::open().await;
    site.host.put("a.mp4", long());
    let mut frames = site.videos.open(&site.host.at("a.mp4"), &at_rate(9.13)).await.unwrap();
    frames.next().await.unwrap().unwrap();
    let [pid] = decoders(9.13)[..] else { panic!("one decoder runs") };
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let error = loop {
        match frames.next().await {
            Ok(frame) => assert!(frame.is_some(), "that is not an end"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, VideoError::Killed(9));
    assert!(error.is_transient());
    wait_until_gone(9.13).await;
    assert_eq!(site.all("a.mp4", &SamplingRequest::default()).await.len(), 120);
}

/// Prints how fast a video is decoded; run with `--ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn the_speed_of_a_video() {
    let site = Site::open().await;
    site.host.put("a.mp4", long());
    for _ in 0..5 {
        let begun = std::time::Instant::now();
        let frames = site.all("a.mp4", &at_rate(10.0)).await.len();
        eprintln!("{frames} frames of 1280x720 in {:?}", begun.elapsed());
    }
}
