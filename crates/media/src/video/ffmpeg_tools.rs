//! Where ffmpeg is, and the arguments that every run has.

use super::{VideoError, VideoSettings, relay::ContentFeed};
use crate::sandbox::process::RelayEntrance;
use std::{
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::process::Command;

/// Demuxers for files. Those for formats that refer to further files are left out.
const FILE_DEMUXERS: &str =
    "mov,matroska,avi,flv,mpegts,mpeg,mpegvideo,m4v,h264,hevc,obu,ivf,ogg,asf,gif,mxf,aac,ac3,flac,mp3,wav";
/// Demuxers for playlists and their segments.
const PLAYLIST_DEMUXERS: &str = "hls,mpegts,mov,aac,ac3,mp3";

/// The ffmpeg that was found.
#[derive(Debug)]
pub(super) struct FfmpegTools {
    pub(super) ffmpeg: PathBuf,
    pub(super) ffprobe: PathBuf,
    pub(super) relay: RelayEntrance,
    /// The option that keeps timestamps unchanged, which was renamed in version 5.1.
    pub(super) keep_times: &'static str,
    /// Whether its HLS demuxer checks the file name extensions of segments; their names are the relay's.
    picky: bool,
    /// Whether it was built with RTSP.
    reads_streams: bool,
}

impl FfmpegTools {
    pub(super) async fn find(settings: &VideoSettings, relay: RelayEntrance) -> Result<Self, VideoError> {
        let ffmpeg = find_program(&settings.ffmpeg).ok_or(VideoError::Missing("ffmpeg"))?;
        let ffprobe = find_program(&settings.ffprobe).ok_or(VideoError::Missing("ffprobe"))?;
        let version = run_for_output(&ffmpeg, &["-version"]).await?;
        let number = version.split_whitespace().nth(2).unwrap_or_default();
        let mut parts = number.split(['.', '-']).map(|part| part.parse::<u32>().ok());
        let old =
            matches!((parts.next().flatten(), parts.next().flatten()), (Some(0..=4), _) | (Some(5), Some(0)));
        let picky = run_for_output(&ffmpeg, &["-hide_banner", "-h", "demuxer=hls"])
            .await?
            .contains("extension_picky");
        let rtsp = run_for_output(&ffmpeg, &["-hide_banner", "-h", "demuxer=rtsp"]).await?;
        let reads_streams = rtsp.contains("Demuxer rtsp");
        tracing::info!(version = number, "videos are decoded by ffmpeg");
        Ok(Self {
            ffmpeg,
            ffprobe,
            relay,
            keep_times: if old { "-vsync" } else { "-fps_mode" },
            picky,
            reads_streams,
        })
    }

    /// Fails if a content is a camera's and this ffmpeg was built without RTSP.
    pub(super) fn ensure_reads(&self, feed: &ContentFeed) -> Result<(), VideoError> {
        if self.reads_streams || !feed.is_stream() {
            return Ok(());
        }
        Err(VideoError::Missing("an ffmpeg with RTSP"))
    }

    /// Arguments for the HLS demuxer.
    pub(super) fn playlist_arguments(&self, feed: &ContentFeed) -> Vec<String> {
        let mut arguments = Vec::new();
        if feed.is_playlist() {
            if self.picky {
                arguments.extend(["-extension_picky", "0"]);
            }
            if feed.live {
                arguments.extend(["-live_start_index", "-1"]);
            }
        }
        arguments.into_iter().map(str::to_owned).collect()
    }
}

/// The first arguments of every run, which allow only connections to the relay, and only expected formats.
pub(super) fn common_arguments(feed: &ContentFeed) -> Vec<String> {
    let formats = match () {
        () if feed.is_stream() => "rtsp",
        () if feed.is_playlist() => PLAYLIST_DEMUXERS,
        () => FILE_DEMUXERS,
    };
    let arguments = [
        "-hide_banner",
        "-loglevel",
        "error",
        "-protocol_whitelist",
        "http,tcp,crypto",
        "-format_whitelist",
        formats,
    ];
    let mut arguments: Vec<String> = arguments.map(str::to_owned).into();
    if feed.is_stream() {
        arguments.extend(["-rtsp_transport", "tcp"].map(str::to_owned));
    }
    arguments
}

/// Finds a program by name or path.
pub(crate) fn find_program(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

async fn run_for_output(program: &Path, arguments: &[&str]) -> Result<String, VideoError> {
    let asked =
        Command::new(program).args(arguments).env_clear().stdin(Stdio::null()).kill_on_drop(true).output();
    let said = asked.await.map_err(|error| VideoError::Failed(error.to_string()))?;
    Ok(String::from_utf8_lossy(&said.stdout).into_owned())
}
