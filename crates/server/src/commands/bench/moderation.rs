//! Content moderation: a queue of images, and a stored video.

use super::{
    report::{Interface, SizingReport},
    stage::{ApiClient, Stage},
};
use anyhow::{Context as _, bail, ensure};
use domain::image_analysis::sample_faces;
use measure::{clock, drawing};
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Length of the clip.
const CLIP_SECONDS: f64 = 20.0;
/// Images whose time says how many are queued then.
const TRIAL_IMAGES: usize = 10;
const MAX_IMAGES: f64 = 2_000.0;
const MODERATION_TIMEOUT: Duration = Duration::from_mins(3);

/// An account, and who moderates in it.
struct Moderator {
    client: ApiClient,
    account: String,
}

impl Moderator {
    async fn new(stage: &Stage, name: &str) -> anyhow::Result<Self> {
        let mut client = stage.moderation_client().await?;
        let account = client.call("POST", "/accounts", &json!({ "name": name })).await?;
        Ok(Self { client, account: id(&account)? })
    }

    /// Starts a moderation of a file; returns its id.
    async fn start(&mut self, url: &str, kind: &str) -> anyhow::Result<String> {
        let path = format!("/accounts/{}/contents", self.account);
        let content = self.client.call("POST", &path, &json!({ "url": url, "type": kind })).await?;
        let path = format!("/accounts/{}/moderations", self.account);
        let wishes = json!({ "content_id": content["id"], "unknown_faces": true, "age_estimation": 18 });
        id(&self.client.call("POST", &path, &wishes).await?)
    }

    /// Waits for the end of a moderation, which must have succeeded.
    async fn wait_for(&mut self, moderation: &str) -> anyhow::Result<()> {
        let began = Instant::now();
        let path = format!("/accounts/{}/moderations/{moderation}/details", self.account);
        while began.elapsed() < MODERATION_TIMEOUT {
            let details = self.client.call("GET", &path, &Value::Null).await?;
            match details["contents"]["state"].as_str() {
                Some("DONE") => return Ok(()),
                Some("FAILED") | None => bail!("a moderation failed: {details}"),
                Some(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
        bail!("a moderation did not end in {} s", MODERATION_TIMEOUT.as_secs())
    }

    /// Moderates an image so many times; returns how many a second.
    async fn moderate(&mut self, url: &str, count: usize) -> anyhow::Result<f64> {
        let mut moderations = Vec::with_capacity(count);
        let began = Instant::now();
        for _ in 0..count {
            moderations.push(self.start(url, "IMAGE").await?);
        }
        // They end about in the order in which they were started.
        for moderation in &moderations {
            self.wait_for(moderation).await?;
        }
        Ok(count as f64 / began.elapsed().as_secs_f64())
    }
}

fn id(answer: &Value) -> anyhow::Result<String> {
    answer["id"].as_str().map(str::to_owned).context("an answer without an id")
}

pub(super) async fn images(stage: &Stage, report: &mut SizingReport, during: Duration) -> anyhow::Result<()> {
    let jpeg = sample_faces::encode_jpeg(&drawing::face(), 92);
    let url = stage.files()?.put("face.jpg", "image/jpeg", jpeg);
    let mut moderator = Moderator::new(stage, "Images").await?;
    let trial = moderator.moderate(&url, TRIAL_IMAGES).await?;
    let count = (trial * during.as_secs_f64()).clamp(TRIAL_IMAGES as f64, MAX_IMAGES) as usize;
    let rate = moderator.moderate(&url, count).await?;
    let what = "images with a face, queued, fetched and moderated";
    report.add(Interface::ContentModeration, what, rate, "1/s");
    Ok(())
}

pub(super) async fn video(stage: &Stage, report: &mut SizingReport) -> anyhow::Result<()> {
    let file = make_clip(stage.folder())?;
    let url = stage.files()?.put("clip.mp4", "video/mp4", std::fs::read(file)?);
    let server = stage.server()?;
    let mut moderator = Moderator::new(stage, "Video").await?;
    let before = clock::process_family_cpu_milliseconds(server.id())?;
    let began = Instant::now();
    let moderation = moderator.start(&url, "VIDEO").await?;
    moderator.wait_for(&moderation).await?;
    let took = began.elapsed().as_secs_f64();
    let processor = (clock::process_family_cpu_milliseconds(server.id())? - before) / 1e3;
    let of = Interface::ContentModeration;
    report.add(of, "stored video, 1080p at 30 pictures a second, one face", CLIP_SECONDS / took, "x");
    report.add(of, "  processor time of a minute of it", processor * 60.0 / CLIP_SECONDS, "s");
    Ok(())
}

/// A clip of a face that moves over a noisy background, made by ffmpeg.
fn make_clip(folder: &Path) -> anyhow::Result<std::path::PathBuf> {
    let (face, clip) = (folder.join("face.png"), folder.join("clip.mp4"));
    let picture = drawing::face();
    image::save_buffer(
        &face,
        picture.rgb(),
        picture.width(),
        picture.height(),
        image::ExtendedColorType::Rgb8,
    )?;
    let scene = "[0:v]noise=alls=12:allf=t[b];[1:v]scale=620:-2[f];\
        [b][f]overlay=x='650+500*sin(t/4)':y=200:eof_action=repeat";
    let mut made = Err(anyhow::anyhow!("no encoder was tried"));
    // Not every ffmpeg can write H.264.
    for encoder in [&["libx264", "-preset", "veryfast"][..], &["mpeg4"]] {
        let output = Command::new("ffmpeg")
            .args(["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i"])
            .arg("gradients=s=1920x1080:r=30:speed=0.02:seed=7")
            .arg("-i")
            .arg(&face)
            .args(["-filter_complex", scene, "-t", &CLIP_SECONDS.to_string(), "-c:v"])
            .args(encoder)
            .args(["-b:v", "4M", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .arg(&clip)
            .stdin(Stdio::null())
            .output()
            .context("ffmpeg cannot be run; video needs it (Debian: apt-get install ffmpeg)")?;
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        made = if output.status.success() {
            Ok(())
        } else {
            Err(anyhow::anyhow!("ffmpeg makes no clip: {told}"))
        };
        if made.is_ok() {
            break;
        }
    }
    made?;
    ensure!(clip.is_file(), "ffmpeg makes no clip");
    Ok(clip)
}
