//! The kinds of files that contents may be, told by their first bytes. Only decoding tells whether a file is whole.

use crate::image_validation;

/// How many bytes of a file are looked at.
pub const SIGNATURE_BYTES: usize = 512;

/// Bytes of a packet of an MPEG transport stream.
const TS_PACKET_BYTES: usize = 188;
/// Of one with a time code before it, as cameras write them.
const TIMED_TS_PACKET_BYTES: usize = 192;

/// Where the signatures of formats of videos are, and what they are. Those of ISO base media files and of transport
/// streams take more than that.
const VIDEO_SIGNATURES: &[(usize, &[u8])] = &[
    // Matroska and WebM.
    (0, b"\x1a\x45\xdf\xa3"),
    (8, b"AVI "),
    (0, b"FLV\x01"),
    (0, b"GIF87a"),
    (0, b"GIF89a"),
    (0, b"OggS"),
    // ASF, as WMV files are.
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
    (0, b"DKIF"),
    // MXF.
    (0, b"\x06\x0e\x2b\x34"),
    // MPEG program streams; H.264, H.265 and MPEG video without a container.
    (0, b"\0\0\x01"),
    (0, b"\0\0\0\x01"),
    // QuickTime files that are older than file types.
    (4, b"moov"),
    (4, b"mdat"),
    (4, b"wide"),
    (4, b"free"),
    (4, b"skip"),
];

/// Whether a file begins like a picture of a format that can be decoded. At least [`SIGNATURE_BYTES`] bytes are needed, if
/// the file has as many.
pub fn is_picture(head: &[u8]) -> bool {
    image_validation::is_known_format(head)
}

/// Whether a file begins like a video of a format that can be decoded, as [`is_picture`] does of pictures. An animation is
/// both.
pub fn is_video(head: &[u8]) -> bool {
    let at = |offset: usize, magic: &[u8]| head.get(offset..).is_some_and(|rest| rest.starts_with(magic));
    let has_file_type = at(4, b"ftyp") && (!is_picture(head) || at(8, b"avis") || at(8, b"msf1"));
    let has_packets =
        |first: usize, size: usize| [0, 1].iter().all(|number| at(first + number * size, b"\x47"));
    has_file_type
        || has_packets(0, TS_PACKET_BYTES)
        || has_packets(4, TIMED_TS_PACKET_BYTES)
        || VIDEO_SIGNATURES.iter().any(|(offset, magic)| at(*offset, magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_videos_are_told_apart_by_their_first_bytes() {
        let transport_stream: Vec<u8> =
            (0..400).map(|at| if at % TS_PACKET_BYTES == 0 { 0x47 } else { 0 }).collect();
        for (head, picture, video) in [
            (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], true, false),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", true, false),
            (b"RIFF\0\0\0\0WEBPVP8 ", true, false),
            (b"GIF89a", true, true),
            (b"BM\0\0\0\0", true, false),
            (b"II*\0", true, false),
            (b"\0\0\0\x1cftypavif", true, false),
            (b"\0\0\0\x1cftypavis", true, true),
            (b"\0\0\0\x1cftypheic", true, false),
            (b"\0\0\0\x20ftypisom", false, true),
            (b"\0\0\0\x14ftypqt  ", false, true),
            (b"\x1a\x45\xdf\xa3\x01", false, true),
            (b"RIFF\0\0\0\0AVI LIST", false, true),
            (&transport_stream, false, true),
            (b"\0\0\0\x01\x67", false, true),
            (b"#EXTM3U\n", false, false),
            (b"<svg xmlns=", false, false),
            (b"%PDF-1.7", false, false),
            (b"RIFF\0\0\0\0WAVEfmt ", false, false),
            (b"PK\x03\x04", false, false),
            (b"", false, false),
        ] {
            let told = (is_picture(head), is_video(head));
            assert_eq!(told, (picture, video), "{:?}", head.escape_ascii().to_string());
        }
    }
}
