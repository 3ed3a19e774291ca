//! HLS playlists (RFC 8216), rewritten with addresses of the relay: ffmpeg sees no other address, and no tag that is
//! not known here.

use super::VideoError;

pub(super) const MAX_PLAYLIST_BYTES: usize = 1 << 20;
/// Addresses in one playlist.
const MAX_PLAYLIST_ADDRESSES: usize = 10_000;
/// Tags without an address, which are passed on unchanged.
const TAGS_WITHOUT_ADDRESS: [&str; 11] = [
    "#EXT-X-VERSION:",
    "#EXT-X-TARGETDURATION:",
    "#EXT-X-MEDIA-SEQUENCE:",
    "#EXT-X-DISCONTINUITY-SEQUENCE:",
    "#EXT-X-PLAYLIST-TYPE:",
    "#EXT-X-PROGRAM-DATE-TIME:",
    "#EXT-X-BYTERANGE:",
    "#EXT-X-START:",
    "#EXT-X-DISCONTINUITY",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    "#EXT-X-ENDLIST",
];

/// What an address in a playlist refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceKind {
    Playlist,
    /// A segment, a key, or a media initialisation section; the text is the file name extension for it.
    Media(&'static str),
}

/// Whether a file is a playlist, judging by its first bytes.
pub(super) fn is_playlist(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#EXTM3U")
}

/// Rewrites a playlist. `admit` returns the relay's address for a reference, or why it is refused; `check` only says
/// whether it would be refused, for references that are left out.
pub(super) fn rewrite(
    text: &str,
    live: bool,
    box_side: u32,
    mut check: impl FnMut(&str) -> Result<(), VideoError>,
    mut admit: impl FnMut(&str, ReferenceKind) -> Result<String, VideoError>,
) -> Result<String, VideoError> {
    if has_hidden_line_ends(text) {
        return Err(VideoError::Playlist(
            "a line of it ends with a carriage return alone, or with a zero byte",
        ));
    }
    let mut count = 0;
    let mut count_address = || {
        count += 1;
        if count > MAX_PLAYLIST_ADDRESSES {
            return Err(VideoError::PlaylistTooLarge { what: "addresses", limit: MAX_PLAYLIST_ADDRESSES });
        }
        Ok(())
    };
    if text.lines().any(|line| line.starts_with("#EXT-X-STREAM-INF:")) {
        let mut check = |reference: &str| {
            count_address()?;
            check(reference)
        };
        return rewrite_best_variant(text, box_side, &mut check, &mut admit);
    }
    let mut admit = |reference: &str, kind| {
        count_address()?;
        admit(reference, kind)
    };
    let ending = if text.contains("#EXT-X-MAP:") { "m4s" } else { "ts" };
    let mut out = String::from("#EXTM3U\n");
    let (mut ends, mut segments) = (false, 0);
    for line in text.lines().map(str::trim_end) {
        if let Some(rest) = line.strip_prefix("#EXTINF:") {
            // The title is left out.
            out.push_str("#EXTINF:");
            out.push_str(rest.split(',').next().unwrap_or(rest));
            out.push(',');
        } else if let Some(list) = line.strip_prefix("#EXT-X-KEY:") {
            out.push_str(&rewrite_key(list, &mut admit)?);
        } else if let Some(list) = line.strip_prefix("#EXT-X-MAP:") {
            out.push_str(&rewrite_map(list, &mut admit)?);
        } else if line.starts_with('#') {
            if !TAGS_WITHOUT_ADDRESS.iter().any(|tag| line.starts_with(tag)) {
                continue;
            }
            ends |= line.starts_with("#EXT-X-ENDLIST");
            out.push_str(line);
        } else if line.is_empty() {
            continue;
        } else {
            segments += 1;
            out.push_str(&admit(line, ReferenceKind::Media(ending))?);
        }
        out.push('\n');
    }
    if !ends && !live {
        return Err(VideoError::NeverEnds);
    }
    if ends && segments == 0 {
        return Err(VideoError::Empty);
    }
    Ok(out)
}

/// Whether ffmpeg would see lines that [`str::lines`] does not: it also ends them at a carriage return alone and at a zero
/// byte, and would call an address that stands behind one.
fn has_hidden_line_ends(text: &str) -> bool {
    text.split("\r\n").any(|part| part.contains(['\r', '\0']))
}

/// Reduces a multivariant playlist to one variant, the largest that need not be scaled down; ffmpeg would fetch the
/// start of all of them.
fn rewrite_best_variant(
    text: &str,
    box_side: u32,
    check: &mut dyn FnMut(&str) -> Result<(), VideoError>,
    admit: &mut dyn FnMut(&str, ReferenceKind) -> Result<String, VideoError>,
) -> Result<String, VideoError> {
    let mut best: Option<(VariantRank, &str)> = None;
    let mut lines = text.lines().map(str::trim_end);
    while let Some(line) = lines.next() {
        let Some(list) = line.strip_prefix("#EXT-X-STREAM-INF:") else { continue };
        let Some(reference) = lines.by_ref().find(|line| !line.is_empty() && !line.starts_with('#')) else {
            break;
        };
        // Every variant must be allowed, including those that are not chosen. Only the chosen one is admitted, so that
        // the others take no memory.
        check(reference)?;
        let rank = VariantRank::of(list, box_side);
        if best.as_ref().is_none_or(|(before, _)| rank > *before) {
            best = Some((rank, reference));
        }
    }
    let (_, reference) = best.ok_or(VideoError::Playlist("it offers streams and names none"))?;
    let address = admit(reference, ReferenceKind::Playlist)?;
    Ok(format!("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{address}\n"))
}

/// Ranks variants; the most important criterion first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct VariantRank {
    has_pictures: bool,
    fits: bool,
    /// More is better; if it does not fit, fewer.
    pixels: i64,
    bandwidth: u64,
}

impl VariantRank {
    fn of(list: &str, box_side: u32) -> Self {
        let size = attribute(list, "RESOLUTION")
            .and_then(|text| text.split_once('x'))
            .and_then(|(width, height)| Some((width.parse::<u32>().ok()?, height.parse::<u32>().ok()?)));
        let bandwidth = attribute(list, "BANDWIDTH").and_then(|text| text.parse().ok()).unwrap_or_default();
        let fits = size.is_none_or(|(width, height)| width.max(height) <= box_side);
        let pixels = size.map_or(0, |(width, height)| i64::from(width) * i64::from(height));
        Self { has_pictures: size.is_some(), fits, pixels: if fits { pixels } else { -pixels }, bandwidth }
    }
}

fn rewrite_map(
    list: &str,
    admit: &mut dyn FnMut(&str, ReferenceKind) -> Result<String, VideoError>,
) -> Result<String, VideoError> {
    let reference = attribute(list, "URI").ok_or(VideoError::Playlist("a map has no address"))?;
    let address = admit(reference, ReferenceKind::Media("mp4"))?;
    let range = attribute(list, "BYTERANGE")
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'@'));
    let range = range.map_or_else(String::new, |text| format!(",BYTERANGE=\"{text}\""));
    Ok(format!("#EXT-X-MAP:URI=\"{address}\"{range}"))
}

fn rewrite_key(
    list: &str,
    admit: &mut dyn FnMut(&str, ReferenceKind) -> Result<String, VideoError>,
) -> Result<String, VideoError> {
    let method = attribute(list, "METHOD").unwrap_or_default();
    let format = attribute(list, "KEYFORMAT").unwrap_or("identity");
    match method {
        "NONE" => Ok("#EXT-X-KEY:METHOD=NONE".to_owned()),
        "AES-128" if format == "identity" => {
            let reference = attribute(list, "URI").ok_or(VideoError::Playlist("a key has no address"))?;
            let address = admit(reference, ReferenceKind::Media("key"))?;
            let start =
                attribute(list, "IV").filter(|text| text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            let start = start.map_or_else(String::new, |text| format!(",IV={text}"));
            Ok(format!("#EXT-X-KEY:METHOD=AES-128,URI=\"{address}\"{start}"))
        }
        other => Err(VideoError::Encrypted(
            other.chars().filter(|char| char.is_ascii_alphanumeric() || *char == '-').take(20).collect(),
        )),
    }
}

/// The value of an attribute in an attribute list, without quotes.
fn attribute<'a>(mut list: &'a str, name: &str) -> Option<&'a str> {
    loop {
        let (key, rest) = list.split_once('=')?;
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_once(',').map_or((rest, ""), |(value, _)| (value, &rest[value.len()..])),
        };
        if key.trim() == name {
            return Some(value);
        }
        list = rest.strip_prefix(',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rewritten playlist, the references that were admitted, and those that were only checked.
    fn rewritten(text: &str, live: bool) -> (Result<String, VideoError>, Vec<String>, Vec<String>) {
        let (mut seen, mut checked) = (Vec::new(), Vec::new());
        let check = |reference: &str| {
            checked.push(reference.to_owned());
            Ok(())
        };
        let out = rewrite(text, live, 1920, check, |reference, kind| {
            seen.push(reference.to_owned());
            let ending = match kind {
                ReferenceKind::Playlist => "m3u8",
                ReferenceKind::Media(ending) => ending,
            };
            Ok(format!("http://relay/{}.{ending}", seen.len()))
        });
        (out, seen, checked)
    }

    fn stream(size: &str, name: &str) -> String {
        format!("#EXT-X-STREAM-INF:CODECS=\"a,b\",RESOLUTION={size},BANDWIDTH=5\n{name}\n")
    }

    #[test]
    fn every_address_is_the_relay_s_and_unknown_tags_are_gone() {
        let text = "#EXTM3U\n#EXT-X-VERSION:6\r\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"k?a=1,2\",IV=0x0A\n\
            #EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"10@0\"\n#EXT-X-PART:URI=\"file:///etc/passwd\"\n# a comment\n#EXTINF:4.0,a title http://evil/\n\
            one.m4s\n\n#EXT-X-DISCONTINUITY\n#EXTINF:2,\n//other/two.m4s\n#EXT-X-ENDLIST\n";
        let (out, seen, _) = rewritten(text, false);
        assert_eq!(seen, ["k?a=1,2", "init.mp4", "one.m4s", "//other/two.m4s"]);
        assert_eq!(
            out.unwrap(),
            "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"http://relay/1.key\",IV=0x0A\n\
             #EXT-X-MAP:URI=\"http://relay/2.mp4\",BYTERANGE=\"10@0\"\n#EXTINF:4.0,\nhttp://relay/3.m4s\n\
             #EXT-X-DISCONTINUITY\n#EXTINF:2,\nhttp://relay/4.m4s\n#EXT-X-ENDLIST\n"
        );
    }

    #[test]
    fn one_stream_of_several_is_taken() {
        let offers = [
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900\nsound.m3u8\n",
            &stream("640x360", "a"),
            &stream("1920x1080", "b"),
            &stream("3840x2160", "c"),
        ]
        .concat();
        let (out, seen, checked) = rewritten(&offers, false);
        assert!(out.unwrap().ends_with("\nhttp://relay/1.m3u8\n"));
        assert_eq!(seen, ["b"], "the others are not stored");
        assert_eq!(checked, ["sound.m3u8", "a", "b", "c"]);
        let large = ["#EXTM3U\n", &stream("7680x4320", "a"), &stream("3840x2160", "b")].concat();
        assert_eq!(rewritten(&large, false).1, ["b"]);
        assert!(matches!(
            rewritten("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", false).0,
            Err(VideoError::Playlist(_))
        ));
    }

    #[test]
    fn a_stream_that_is_not_taken_must_be_allowed_too() {
        let offers = ["#EXTM3U\n", &stream("1920x1080", "a"), &stream("640x360", "b")].concat();
        let refused = VideoError::Playlist("b is refused");
        let check = |reference: &str| if reference == "b" { Err(refused.clone()) } else { Ok(()) };
        let mut admitted = 0;
        let out = rewrite(&offers, false, 1920, check, |_, _| {
            admitted += 1;
            Ok("http://relay/1.m3u8".to_owned())
        });
        assert_eq!((out, admitted), (Err(refused), 0));
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        let goes_on = "#EXTM3U\n#EXTINF:1,\na.ts\n";
        assert_eq!(rewritten(goes_on, false).0, Err(VideoError::NeverEnds));
        assert!(rewritten(goes_on, true).0.is_ok());
        assert_eq!(rewritten("#EXTM3U\n#EXT-X-ENDLIST\n", false).0, Err(VideoError::Empty));
        for hidden in [
            "#EXT-X-VERSION:3\rhttp://10.0.0.1/x\n",
            "#EXT-X-VERSION:3\0http://10.0.0.1/x\n",
            "#EXT-X-VERSION:3\r\r\n",
            "#EXTINF:4\rhttp://10.0.0.1/x,\na.ts\n",
            "#EXTINF:4,\na.ts\rhttp://10.0.0.1/x\n",
            "#EXT-X-STREAM-INF:BANDWIDTH=1\rhttp://10.0.0.1/x\na.m3u8\n",
        ] {
            let (out, seen, _) = rewritten(&format!("#EXTM3U\n{hidden}"), true);
            assert!(matches!(out, Err(VideoError::Playlist(_))), "{hidden:?}: {out:?}");
            assert!(seen.is_empty(), "{hidden:?}: {seen:?}");
        }
        let drm = "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"\na.ts\n";
        assert_eq!(rewritten(drm, true).0, Err(VideoError::Encrypted("SAMPLE-AES".to_owned())));
        let many = format!("#EXTM3U\n{}", "a\n".repeat(10_001));
        assert_eq!(
            rewritten(&many, true).0,
            Err(VideoError::PlaylistTooLarge { what: "addresses", limit: 10_000 })
        );
        let streams = |count| format!("#EXTM3U\n{}", stream("640x360", "a").repeat(count));
        assert!(rewritten(&streams(10_000), true).0.is_ok());
        assert_eq!(
            rewritten(&streams(10_001), true).0,
            Err(VideoError::PlaylistTooLarge { what: "addresses", limit: 10_000 })
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_stumble(text in "(#EXT-X-KEY:|#EXT-X-MAP:|#EXT-X-STREAM-INF:|#EXTINF:|URI=|\"|,|=|\n|\r|\r\n|[a-zä]){0,40}") {
            let (out, seen, checked) = rewritten(&text, true);
            prop_assert!(checked.is_empty() || seen.len() == 1, "{seen:?} of {checked:?}");
            let out = out.unwrap_or_default();
            for line in out.split(['\r', '\n']).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                prop_assert!(line.starts_with("http://relay/"), "{line} of {seen:?}");
            }
        }
    }
}
