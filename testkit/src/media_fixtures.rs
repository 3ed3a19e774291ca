//! Media for moderations: pictures and video clips of the sample faces, and a server that serves them.

use crate::stub_server::{CapturedRequest, StubReply, StubServer};
use base::Picture;
use std::{
    collections::HashMap,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

/// Serves files over https, whole and in ranges.
#[derive(Debug)]
pub struct FileServer {
    server: StubServer,
    files: SharedFiles,
}

type SharedFiles = Arc<Mutex<HashMap<String, Arc<Vec<u8>>>>>;

impl FileServer {
    /// Starts without files.
    pub async fn start() -> Self {
        let files = SharedFiles::default();
        let served = files.clone();
        let server = StubServer::start(move |request| {
            answer(&served, request).unwrap_or_else(|| StubReply::status(404))
        })
        .await;
        Self { server, files }
    }

    /// Adds or replaces a file; returns its address.
    ///
    /// # Panics
    /// Never: nobody panics while holding the files.
    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) -> String {
        let path = format!("/{name}");
        let url = self.server.url(&path);
        self.files.lock().expect("nobody panics while holding it").insert(path, Arc::new(bytes.into()));
        url
    }

    /// Removes a file.
    ///
    /// # Panics
    /// Never: nobody panics while holding the files.
    pub fn remove(&self, name: &str) {
        self.files.lock().expect("nobody panics while holding it").remove(&format!("/{name}"));
    }

    /// How many requests were answered so far, also with 404.
    pub fn request_count(&self) -> usize {
        self.server.captured().len()
    }

    /// How many requests for a file were answered so far, also with 404.
    pub fn requests_for(&self, name: &str) -> usize {
        let path = format!("/{name}");
        self.server.captured().iter().filter(|request| request.uri.path() == path).count()
    }

    /// The address of a name, whether or not there is such a file.
    pub fn url(&self, name: &str) -> String {
        self.server.url(&format!("/{name}"))
    }
}

/// The reply to a request; `None` where there is no such file.
fn answer(files: &SharedFiles, request: &CapturedRequest) -> Option<StubReply> {
    let file = files.lock().expect("nobody panics while holding it").get(request.uri.path()).cloned()?;
    let content_type = match Path::new(request.uri.path()).extension().and_then(|end| end.to_str()) {
        Some("m3u8") => "application/vnd.apple.mpegurl",
        Some("mp4") => "video/mp4",
        Some("jpg") => "image/jpeg",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    };
    let range = request.header("range").strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let Some((from, to)) = range else {
        return Some(StubReply::body(content_type, file.to_vec()).header("accept-ranges", "bytes"));
    };
    let last = file.len().saturating_sub(1);
    let from: usize = from.parse().unwrap_or(0);
    let to = to.parse().unwrap_or(last).min(last);
    Some(match file.get(from..=to) {
        Some(part) => StubReply::body(content_type, part.to_vec())
            .with_status(206)
            .header("accept-ranges", "bytes")
            .header("content-range", &format!("bytes {from}-{to}/{}", file.len())),
        None => StubReply::status(416).header("content-range", &format!("bytes */{}", file.len())),
    })
}

/// A face that is shown in a clip.
#[derive(Clone, Debug)]
pub struct MovingFace {
    /// An index into [`crate::face_pictures`].
    pub face: usize,
    /// When it appears and disappears, seconds from the start.
    pub during: (f64, f64),
    /// The position of its left edge in pixels, as an expression of ffmpeg with `t` in seconds: `100+40*t`.
    pub x: String,
    /// The width of its picture in pixels; the face itself takes two fifths of that.
    pub width: u32,
}

/// An MP4 of 1280 x 720 pixels at 25 frames a second: faces before a moving background.
///
/// # Panics
/// When ffmpeg fails.
pub fn face_clip(seconds: f64, faces: &[MovingFace]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("clip.mp4");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-f", "lavfi", "-i"]);
    // Drawn small and enlarged: at its full size the background alone would take most of the time.
    command.arg(format!(
        "gradients=s=160x90:r=25:d={seconds}:speed=0.02:c0=gray:c1=darkslategray:seed=7,scale=1280:720:flags=fast_bilinear"
    ));
    let mut graph = Vec::new();
    let mut last = "0:v".to_owned();
    for (at, shown) in faces.iter().enumerate() {
        let file = folder.path().join(format!("{at}.png"));
        std::fs::write(&file, png(&crate::face_pictures()[shown.face])).expect("a file");
        command.arg("-i").arg(&file);
        let (number, MovingFace { x, width, during: (from, to), .. }) = (at + 1, shown);
        graph.push(format!(
            "[{number}:v]scale={width}:-2[f{number}];[{last}][f{number}]overlay=x='{x}':y=60:enable='between(t,{from},{to})':eof_action=repeat[v{number}]"
        ));
        last = format!("v{number}");
    }
    if !faces.is_empty() {
        command.args(["-filter_complex", &graph.join(";"), "-map", &format!("[{last}]")]);
    }
    command.args([
        "-t",
        &seconds.to_string(),
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        "-pix_fmt",
        "yuv420p",
    ]);
    command.args(["-g", "25", "-movflags", "+faststart"]).arg(&out);
    let done = command.stdin(Stdio::null()).output().expect("ffmpeg is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(out).expect("a clip")
}

/// An MP4 of 1280 x 720 pixels that shows a picture as many times as `slides` says, each for `seconds` as one frame.
///
/// # Panics
/// When ffmpeg fails.
pub fn slide_show(picture: &Picture, slides: u32, seconds: u32) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    for slide in 0..slides {
        std::fs::write(folder.path().join(format!("{slide}.png")), png(picture)).expect("a file");
    }
    let out = folder.path().join("slides.mp4");
    let done = Command::new("ffmpeg")
        .args(["-v", "error", "-framerate", &format!("1/{seconds}"), "-i"])
        .arg(folder.path().join("%d.png"))
        .args(["-vf", "scale=1280:720:force_original_aspect_ratio=decrease,pad=1280:720:-1:-1"])
        .args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"])
        .arg(&out)
        .stdin(Stdio::null())
        .output()
        .expect("ffmpeg is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(out).expect("a clip")
}

/// The segments of a film, of one second each if it has a key frame in each, as playlists name them.
///
/// # Panics
/// When ffmpeg fails.
pub fn segments(film: &[u8]) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("film.mp4"), folder.path().join("s%03d.ts"));
    std::fs::write(&file, film).expect("a file");
    let cut = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(&file)
        .args(["-c", "copy", "-f", "segment", "-segment_time", "1", "-break_non_keyframes", "0"])
        .arg(&out)
        .status();
    assert!(cut.expect("ffmpeg is installed").success());
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    let mut names: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
    names.retain(|name| name.extension().is_some_and(|end| end == "ts"));
    names.sort();
    names.iter().map(|name| std::fs::read(name).expect("a segment")).collect()
}

/// A picture as PNG.
pub fn png(picture: &Picture) -> Vec<u8> {
    pixels::encode_png(picture)
}
