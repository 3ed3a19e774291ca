//! Still pictures of all common formats, scaled down to the size at which they are examined.

use super::{VideoError, VideoSettings, decoder::fit_in_box, nut_demuxer::NutDemuxer};
use crate::{
    image_validation::{self, BlendedPicture, ColourConversion, ImageErrorCode, ImageHeader, ImageLimits},
    sandbox::process::SandboxedProcess,
};
use base::PictureSize;
use std::{path::Path, process::Stdio, time::Duration};
use tokio::io::{AsyncWriteExt as _, BufReader};

/// Demuxers for pictures, but for JPEG, TIFF, AVIF and HEIF; of an animated one, the first frame is read.
const PICTURE_DEMUXERS: &str = "png_pipe,apng,webp_pipe,gif,bmp_pipe,jpegxl_pipe,j2k_pipe";
/// Demuxers for AVIF and HEIF.
const ISO_MEDIA_DEMUXERS: &str = "mov,avif";
/// Pixels by which a side may differ from what a file states: ffmpeg and [`fit_in_box`] may round differently.
const MAX_SIZE_DIFFERENCE: u32 = 2;

/// Limits that only rule out what would take too much memory.
fn permissive_limits(settings: &VideoSettings) -> ImageLimits {
    ImageLimits {
        min_height: 1,
        max_height: u32::MAX,
        min_width: 1,
        max_width: u32::MAX,
        min_pixels: 1,
        max_pixels: settings.max_picture_pixels,
        min_coloured: 0.0,
        ..ImageLimits::default().relaxed()
    }
}

/// A still picture, as far as others than the thread that wants it have worked on it.
#[derive(Debug)]
pub struct StillPicture(Stage);

#[derive(Debug)]
enum Stage {
    /// Decoded and scaled by ffmpeg.
    Decoded(BlendedPicture),
    /// A JPEG or PNG that is small enough to be decoded here.
    Checked { bytes: Vec<u8>, header: Box<ImageHeader>, rules: Box<ImageLimits> },
}

impl StillPicture {
    /// The pixels, upright. Takes a processor some milliseconds, so the caller chooses the thread.
    pub fn decode(self) -> Result<BlendedPicture, VideoError> {
        match self.0 {
            Stage::Decoded(shown) => Ok(shown),
            Stage::Checked { bytes, header, rules } => {
                image_validation::decode_blended(&bytes, &header, &rules)
                    .map_err(|refusal| VideoError::NotAPicture(refusal.message.to_owned()))
            }
        }
    }
}

/// Opens a file. A JPEG or PNG that is small enough is checked and left to [`StillPicture::decode`], everything else is decoded by
/// ffmpeg.
pub(crate) async fn open(
    ffmpeg: &Path,
    bytes: Vec<u8>,
    settings: &VideoSettings,
) -> Result<StillPicture, VideoError> {
    let rules = permissive_limits(settings);
    let side = settings.picture_box_side;
    let decoded = match image_validation::inspect(&bytes, &rules) {
        Ok(header) if header.size.width.max(header.size.height) <= side => {
            let (header, rules) = (Box::new(header), Box::new(rules));
            return Ok(StillPicture(Stage::Checked { bytes, header, rules }));
        }
        Ok(header) => {
            let PictureSize { width, height } = header.size;
            let turns = image_validation::swaps_dimensions(header.orientation);
            let size = if turns { (height, width) } else { (width, height) };
            let conversion = image_validation::colour_conversion(&bytes);
            let scale = exact_scale_filter(size, side);
            let stored = decode_scaled(ffmpeg, bytes, scale, &conversion, settings).await?;
            stored.rotate_upright(header.orientation)
        }
        Err(refusal) => match refusal.code {
            ImageErrorCode::MaxPixels => {
                let pixels = refusal.measured.map_or(0.0, |measured| measured.measured);
                return Err(too_many_pixels(pixels.to_string(), settings));
            }
            ImageErrorCode::UnsupportedImageFormat
            | ImageErrorCode::ImageWrongChannels
            | ImageErrorCode::ImageGrayscaleNotSupported => {
                let orientation = image_validation::orientation(&bytes);
                let stored = if image_validation::is_iso_media(&bytes) {
                    decode_primary_item(ffmpeg, &bytes, settings).await?
                } else {
                    let conversion = image_validation::colour_conversion(&bytes);
                    decode_scaled(ffmpeg, bytes, bounded_scale_filter(side), &conversion, settings).await?
                };
                stored.rotate_upright(orientation)
            }
            _ => return Err(VideoError::NotAPicture(refusal.message.to_owned())),
        },
    };
    Ok(StillPicture(Stage::Decoded(decoded)))
}

fn too_many_pixels(measured: String, settings: &VideoSettings) -> VideoError {
    let limit = settings.max_picture_pixels.to_string();
    VideoError::TooManyPixels { what: "picture", measured, limit }
}

fn exact_scale_filter((width, height): (u32, u32), side: u32) -> String {
    let (width, height) = fit_in_box(width, height, side);
    format!("scale={width}:{height}")
}

fn bounded_scale_filter(side: u32) -> String {
    format!("scale='min(iw,{side})':'min(ih,{side})':force_original_aspect_ratio=decrease")
}

/// A filter whose picture has twice the height: above as a black page shows it, and below how opaque it is. Colours are weighted
/// by their opacity before they are scaled: what is not seen must not lighten or darken its neighbours.
fn opacity_below(scale: &str) -> String {
    format!(
        "format=gbrap,premultiply=inplace=1,{scale},format=gbrap,split[shown][rest];\
         [shown]format=rgb24[black];[rest]alphaextract,format=rgb24[opacity];[black][opacity]vstack"
    )
}

/// Decodes the primary item of an AVIF or HEIF file, whole and as it is stored, which is no less than what people see of it.
async fn decode_primary_item(
    ffmpeg: &Path,
    bytes: &[u8],
    settings: &VideoSettings,
) -> Result<BlendedPicture, VideoError> {
    let item =
        image_validation::primary_item(bytes).map_err(|why| VideoError::NotAPicture(why.to_owned()))?;
    let side = settings.picture_box_side;
    let conversion =
        item.profile.map_or(ColourConversion::None, |profile| ColourConversion::from_icc(&profile, false));
    let scale = bounded_scale_filter(side);
    let decoded = decode_scaled(ffmpeg, item.file, scale, &conversion, settings).await?;
    let (width, height) = fit_in_box(item.size.width, item.size.height, side);
    let stored = decoded.on_white.size();
    let most = stored.width.abs_diff(width).max(stored.height.abs_diff(height));
    if most > MAX_SIZE_DIFFERENCE {
        let PictureSize { width, height } = item.size;
        let why =
            format!("it states a size of {width} x {height} pixels, which its primary item does not have");
        return Err(VideoError::NotAPicture(why));
    }
    Ok(decoded)
}

async fn decode_scaled(
    ffmpeg: &Path,
    bytes: Vec<u8>,
    scale: String,
    conversion: &ColourConversion,
    settings: &VideoSettings,
) -> Result<BlendedPicture, VideoError> {
    // JPEG knows no transparency, and a primary item that has some is refused.
    let is_opaque = image_validation::is_jpeg(&bytes) || image_validation::is_iso_media(&bytes);
    let (filter, stacked) = if is_opaque { (scale, 1) } else { (opacity_below(&scale), 2) };
    let most = u64::from(settings.picture_box_side).pow(2) * 3 * stacked;
    let pixels = settings.max_picture_pixels.to_string();
    let length = bytes.len().to_string();
    // Left to judge anew what a file is, ffmpeg takes a JPEG with a video in its comment for that video, which nobody sees who
    // looks at the JPEG.
    let kind = if image_validation::is_tiff(&bytes) {
        // A TIFF does not declare where it ends.
        ["-f", "tiff_pipe", "-frame_size", &length]
    } else if image_validation::is_jpeg(&bytes) {
        ["-f", "jpeg_pipe", "-threads", "1"]
    } else if image_validation::is_iso_media(&bytes) {
        ["-format_whitelist", ISO_MEDIA_DEMUXERS, "-threads", "1"]
    } else {
        ["-format_whitelist", PICTURE_DEMUXERS, "-threads", "1"]
    };
    let before = ["-hide_banner", "-loglevel", "error", "-protocol_whitelist", "pipe"];
    let input = ["-filter_threads", "1", "-max_pixels", &pixels, "-noautorotate", "-i", "pipe:0"];
    let output =
        ["-an", "-sn", "-dn", "-frames:v", "1", "-vf", &filter, "-c:v", "rawvideo", "-pix_fmt", "rgb24"];
    let end = ["-write_index", "0", "-f", "nut", "pipe:1"];
    let arguments = [&before[..], &kind, &input, &output, &end].concat();
    let arguments: Vec<_> = arguments.into_iter().map(str::to_owned).collect();
    let mut child =
        SandboxedProcess::start(ffmpeg, &arguments, Stdio::piped(), settings.limits(None)).await?;
    let mut pictures = NutDemuxer::new(BufReader::with_capacity(256 << 10, child.stdout()?), most);
    let stdin = child.stdin();
    let writing = tokio::spawn(async move {
        // ffmpeg may have read enough before the end of the file.
        if let Some(mut stdin) = stdin {
            let _enough = stdin.write_all(&bytes).await;
        }
    });
    let within = Duration::from_secs(settings.stall_seconds);
    let read = tokio::time::timeout(within, pictures.next()).await;
    writing.abort();
    let read = read.map_err(|_| VideoError::Stalled { seconds: settings.stall_seconds })?;
    if let Ok(Some((_, picture))) = read {
        let shown = if is_opaque {
            Some(BlendedPicture::opaque(conversion.apply(picture)))
        } else {
            BlendedPicture::from_black_over_opacity(picture, conversion)
        };
        return shown.ok_or_else(|| VideoError::Failed("a decoded picture has no opacity".to_owned()));
    }
    let (_, said) = child.wait().await?;
    if said.contains("max_pixels") || said.contains("Picture size") {
        return Err(too_many_pixels("too many".to_owned(), settings));
    }
    Err(VideoError::NotAPicture("its data is damaged, or of a kind that is not known".to_owned()))
}
