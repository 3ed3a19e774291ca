//! HLS: everything that a playlist refers to is fetched with the same checks as the playlist.

use super::{
    SamplingRequest, Site,
    host::Manner,
    make::{self, Folder, H264},
};
use media::{
    fetch::FetchTargetError,
    video::{ContentAddress, VideoError},
};
use tokio::net::TcpListener;

/// A playlist of numbered frames in segments of two seconds.
fn hls(options: &str) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path().join("key"), b"0123456789abcdef").unwrap();
    std::fs::write(folder.path().join("keys"), "secret.key\nkey\n").unwrap();
    make::ffmpeg(
        &folder,
        &format!(
            "{} {H264} -g 60 -keyint_min 60 -f hls -hls_time 2 -hls_playlist_type vod {options} a.m3u8",
            make::numbers("30", 10.0)
        ),
    );
    std::fs::copy(folder.path().join("key"), folder.path().join("secret.key")).unwrap();
    folder
}

#[tokio::test]
async fn playlists_are_followed() {
    let site = Site::open().await;
    for (name, options) in [
        ("ts", ""),
        ("fmp4", "-hls_segment_type fmp4"),
        ("aes", "-hls_key_info_file keys"),
        ("one", "-hls_flags single_file"),
    ] {
        site.host.put_all(name, &hls(options));
        site.host.put(&format!("{name}/all.m3u8"), "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"none.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=192x96\na.m3u8\n");
        for path in [format!("{name}/a.m3u8"), format!("{name}/all.m3u8")] {
            let samples = site.all(&path, &SamplingRequest::default()).await;
            assert_eq!(samples.len(), 20, "{path}");
            for frame in &samples {
                assert!(
                    (f64::from(make::number(&frame.picture)) / 30.0 - frame.time).abs() < 0.04,
                    "{path} at {}",
                    frame.time
                );
            }
            let rest = site
                .all(&path, &SamplingRequest { from_seconds: samples[12].time, ..SamplingRequest::default() })
                .await;
            assert_eq!(
                rest.iter().map(|frame| make::number(&frame.picture)).collect::<Vec<_>>(),
                samples[13..].iter().map(|frame| make::number(&frame.picture)).collect::<Vec<_>>(),
                "{path}"
            );
        }
    }
    assert!(!site.host.asked().contains(&"ts/none.m3u8".to_owned()));
}

#[tokio::test]
async fn playlists_lead_nowhere_else() {
    let site = Site::open().await;
    let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = canary.local_addr().unwrap().port();
    site.names.says("inside.example.com", &["127.0.0.1"]);
    site.host.put_all("ts", &hls(""));
    let refused = |reason| VideoError::Refused { place: ContentAddress::Part, reason };
    for (address, expected) in [
        (format!("http://127.0.0.1:{port}/a.ts"), refused(FetchTargetError::Scheme)),
        (format!("https://127.0.0.1:{port}/a.ts"), refused(FetchTargetError::NotPublic)),
        (format!("https://[::ffff:127.0.0.1]:{port}/a.ts"), refused(FetchTargetError::NotPublic)),
        ("file:///etc/passwd".to_owned(), refused(FetchTargetError::Scheme)),
        ("data:text/plain,hello".to_owned(), refused(FetchTargetError::Scheme)),
        ("concat:a.ts|b.ts".to_owned(), refused(FetchTargetError::Scheme)),
        ("crypto+file:///etc/passwd".to_owned(), refused(FetchTargetError::Scheme)),
        (
            "subfile,,start,0,end,9,,:/etc/passwd".to_owned(),
            VideoError::Status { place: ContentAddress::Part, status: 404 },
        ),
        ("https://inside.example.com:8443/a.ts".to_owned(), VideoError::Unreachable(ContentAddress::Part)),
    ] {
        let segment = format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na0.ts\n#EXTINF:2,\n{address}\n#EXT-X-ENDLIST\n"
        );
        let key = format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"{address}\"\n#EXTINF:2,\na0.ts\n#EXT-X-ENDLIST\n"
        );
        let map = format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"{address}\"\n#EXTINF:2,\na0.ts\n#EXT-X-ENDLIST\n"
        );
        let stream = format!("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{address}\n");
        for (what, playlist) in [("segment", segment), ("key", key), ("map", map), ("stream", stream)] {
            site.host.put("ts/evil.m3u8", playlist);
            let (_, ended) = site.samples("ts/evil.m3u8", &SamplingRequest::default()).await;
            assert_eq!(ended, Err(expected.clone()), "{what} at {address}");
        }
    }
    // A segment that is itself a playlist: ffmpeg would follow it.
    let inner = format!(
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n"
    );
    let tagged = [&b"ID3\x04\0\0\0\0\0\x04abcd"[..], inner.as_bytes()].concat();
    site.host
        .put("ts/evil.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhidden.ts\n#EXT-X-ENDLIST\n");
    for hidden in [inner.clone().into_bytes(), tagged.clone()] {
        site.host.put("ts/hidden.ts", hidden);
        assert_eq!(site.refused("ts/evil.m3u8").await.code(), "PLAYLIST_INVALID");
    }
    // It may be a part of a file, too.
    site.host.put("ts/hidden.ts", [vec![0; 376], inner.clone().into_bytes()].concat());
    let range = format!("#EXT-X-BYTERANGE:{}@376", inner.len());
    site.host.put(
        "ts/evil.m3u8",
        format!("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{range}\nhidden.ts\n#EXT-X-ENDLIST\n"),
    );
    assert_eq!(site.refused("ts/evil.m3u8").await.code(), "PLAYLIST_INVALID");
    site.host.put("tagged.mp4", tagged);
    assert_eq!(site.refused("tagged.mp4").await, VideoError::NotAVideo);
    let called = tokio::time::timeout(std::time::Duration::from_millis(100), canary.accept()).await;
    assert!(called.is_err(), "somebody inside was called");
}

#[tokio::test]
async fn an_encrypted_playlist_in_a_playlist_calls_nobody() {
    let site = Site::open().await;
    let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = canary.local_addr().unwrap().port();
    let folder = Folder::new();
    std::fs::write(
        folder.path().join("inner"),
        format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n"
        ),
    )
    .unwrap();
    let encrypted = std::process::Command::new("openssl")
        .args([
            "enc",
            "-aes-128-cbc",
            "-nosalt",
            "-K",
            &hex::encode("0123456789abcdef"),
            "-iv",
            &"0".repeat(32),
            "-in",
            "inner",
            "-out",
            "inner.ts",
        ])
        .current_dir(folder.path())
        .status();
    assert!(encrypted.unwrap().success());
    site.host.put_all("", &folder);
    site.host.put("key", "0123456789abcdef");
    site.host.put_all("e", &folder);
    site.host.put("e/key", "0123456789abcdef");
    site.host.put("e/a.m3u8", format!("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x{}\n#EXTINF:2,\ninner.ts\n#EXT-X-ENDLIST\n", "0".repeat(32)));
    site.refused("e/a.m3u8").await;
    assert!(site.host.asked().contains(&"e/inner.ts".to_owned()), "{:?}", site.host.asked());
    let called = tokio::time::timeout(std::time::Duration::from_millis(100), canary.accept()).await;
    assert!(called.is_err(), "somebody inside was called");
}

#[tokio::test]
async fn playlists_have_ends_and_limits() {
    let site = Site::open().await;
    let stream = |to: &str| format!("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{to}\n");
    site.host.put("loop.m3u8", stream("loop.m3u8"));
    site.host.put("ping.m3u8", stream("pong.m3u8"));
    site.host.put("pong.m3u8", stream("ping.m3u8"));
    for number in 0..9 {
        site.host.put(&format!("deep{number}.m3u8"), stream(&format!("deep{}.m3u8", number + 1)));
    }
    for path in ["loop.m3u8", "ping.m3u8", "deep0.m3u8"] {
        let error = site.refused(path).await;
        assert!(matches!(error.code(), "PLAYLIST_INVALID" | "NOT_A_VIDEO"), "{path}: {error}");
    }
    assert!(site.host.asked().len() < 40, "{}", site.host.asked().len());
    site.host.put("long.m3u8", format!("#EXTM3U\n{}", "#EXTINF:1,\na.ts\n".repeat(10_001)));
    site.host.put("big.m3u8", format!("#EXTM3U\n{}", "# nothing\n".repeat(200_000)));
    site.host.put("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n");
    site.host.put("gone.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\ngone.ts\n#EXT-X-ENDLIST\n");
    site.host.put_as("slow.ts", "", Manner::Failing(503));
    site.host.put(
        "drm.m3u8",
        "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\"\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n",
    );
    for (path, code) in [
        ("long.m3u8", "PLAYLIST_INVALID"),
        ("big.m3u8", "PLAYLIST_INVALID"),
        ("live.m3u8", "CONTENT_NEVER_ENDS"),
        ("gone.m3u8", "CONTENT_UNREACHABLE"),
        ("drm.m3u8", "CONTENT_ENCRYPTED"),
    ] {
        assert_eq!(site.refused(path).await.code(), code, "{path}");
    }
}
