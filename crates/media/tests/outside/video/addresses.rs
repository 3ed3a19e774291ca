//! Where contents may be, and where they may redirect to.

use super::{
    SamplingRequest, Site,
    host::Manner,
    make::{self, H264},
};
use media::{
    fetch::FetchTargetError,
    video::{ContentAddress, ContentMetadata, VideoError},
};

#[tokio::test]
async fn a_content_is_reached_or_not() {
    let site = Site::open().await;
    site.host.put("a.mp4", vec![7; 1000]);
    let reached = ContentMetadata { bytes: Some(1000), media_type: Some("video/mp4".to_owned()) };
    assert_eq!(site.videos.check_reachable(&site.host.at("a.mp4")).await, Ok(reached.clone()));
    for manner in [Manner::Whole, Manner::Elsewhere(site.host.at("a.mp4"))] {
        site.host.put_as("b.mp4", vec![7; 1000], manner);
        assert_eq!(site.videos.check_reachable(&site.host.at("b.mp4")).await, Ok(reached.clone()));
    }
    site.host.put_as("endless", vec![7], Manner::Endless);
    assert_eq!(
        site.videos.check_reachable(&site.host.at("endless")).await.map(|reached| reached.bytes),
        Ok(None)
    );
    site.host.put_as("huge", vec![7], Manner::Announcing(2_000_000_000));
    site.host.put_as("empty", Vec::new(), Manner::Whole);
    site.host.put_as("down", Vec::new(), Manner::Failing(503));
    for (path, code, passing) in [
        ("none", "CONTENT_UNREACHABLE", false),
        ("down", "CONTENT_UNREACHABLE", true),
        ("huge", "CONTENT_TOO_LARGE", false),
        ("empty", "CONTENT_EMPTY", false),
    ] {
        let error = super::told(site.videos.check_reachable(&site.host.at(path)).await.unwrap_err());
        assert_eq!((error.code(), error.is_transient()), (code, passing), "{path}: {error}");
    }
}

#[tokio::test]
async fn what_leads_inside_is_not_called() {
    let site = Site::open().await;
    let port = site.host.port();
    site.names.says("inside.example.com", &["127.0.0.1"]);
    let refused = |reason| Err(VideoError::Refused { place: ContentAddress::Content, reason });
    for (address, expected) in [
        (format!("http://videos.example.com:{port}/a"), refused(FetchTargetError::Scheme)),
        ("file:///etc/passwd".to_owned(), refused(FetchTargetError::Scheme)),
        (format!("https://127.0.0.1:{port}/a"), refused(FetchTargetError::NotPublic)),
        (format!("https://user@videos.example.com:{port}/a"), refused(FetchTargetError::User)),
        // What a name resolves to is not revealed.
        (
            "https://inside.example.com:8443/a".to_owned(),
            Err(VideoError::Unreachable(ContentAddress::Content)),
        ),
        (
            "https://nowhere.example.com:8443/a".to_owned(),
            Err(VideoError::Unreachable(ContentAddress::Content)),
        ),
    ] {
        let said = site.videos.open(&address, &SamplingRequest::default()).await.map(|_| ());
        let reached = site.videos.check_reachable(&address).await.map(|_| ());
        assert_eq!(said, expected, "{address}");
        assert_eq!(reached, said, "{address}");
    }
    assert!(site.host.asked().is_empty());
}

#[tokio::test]
async fn redirects_are_followed_where_they_may_lead() {
    let site = Site::open().await;
    site.host.put("a.mp4", make::mp4("30", 2.0));
    let to = |path: &str, to: String| site.host.put_as(path, Vec::new(), Manner::Elsewhere(to));
    to("1", "/2".to_owned());
    to("2", site.host.at("3"));
    to("3", "4?x=1".to_owned());
    to("4", format!("//videos.example.com:{}/5", site.host.port()));
    to("5", "a.mp4".to_owned());
    to("0", "1".to_owned());
    assert_eq!(site.all("1", &SamplingRequest::default()).await.len(), 4);
    assert_eq!(site.refused("0").await, VideoError::Redirects { limit: 5 });
    to("loop", "loop".to_owned());
    assert_eq!(site.refused("loop").await, VideoError::Redirects { limit: 5 });
    to("plain", format!("http://videos.example.com:{}/a.mp4", site.host.port()));
    to("file", "file:///etc/passwd".to_owned());
    for path in ["plain", "file"] {
        let error = site.refused(path).await;
        assert_eq!(
            error,
            VideoError::Refused { place: ContentAddress::Content, reason: FetchTargetError::Scheme },
            "{path}"
        );
    }
    to("inside", format!("https://127.0.0.1:{}/a.mp4", site.host.port()));
    let before = site.host.asked().len();
    assert_eq!(site.refused("inside").await, VideoError::Unreachable(ContentAddress::Content));
    assert_eq!(site.host.asked().len(), before + 1);
}

#[tokio::test]
async fn a_name_says_nothing_about_what_is_in_it() {
    let site = Site::open().await;
    site.host.put("photo.jpg", make::mp4("30", 2.0));
    site.host.put("a.mp4", make::file(&format!("{} {H264} a.mkv", make::numbers("30", 2.0))));
    for path in ["photo.jpg", "a.mp4"] {
        assert_eq!(site.all(path, &SamplingRequest::default()).await.len(), 4, "{path}");
    }
    site.host.put("text.mp4", "to whom it may concern ".repeat(1000));
    site.host.put("b.mp4", make::file("-f lavfi -i testsrc=s=64x64 -frames:v 1 a.png"));
    site.host.put("list.mp4", "ffconcat version 1.0\nfile a.mp4\n");
    for path in ["text.mp4", "b.mp4", "list.mp4"] {
        assert_eq!(site.refused(path).await, VideoError::NotAVideo, "{path}");
    }
}
