//! The one EXIF tag that matters: which way is up (CIPA DC-008, tag 0x0112).

/// Orientation 1 to 8 of a TIFF block, as it stands in a JPEG's APP1 (after `Exif\0\0`) or a PNG's `eXIf`. Anything
/// that is not as it should be reads as 1, upright: a wrong tag must not refuse a picture.
pub(super) fn orientation(tiff: &[u8]) -> u8 {
    read(tiff).unwrap_or(1)
}

/// Directories longer than this are not searched further; real ones have a few dozen entries.
const MAX_DIRECTORY_ENTRIES: usize = 512;

fn read(tiff: &[u8]) -> Option<u8> {
    let little = match tiff.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let long = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    };
    let directory = long(4)? as usize;
    let entries = usize::from(short(directory)?).min(MAX_DIRECTORY_ENTRIES);
    let found = (0..entries).map(|n| directory + 2 + n * 12).find(|&entry| short(entry) == Some(0x0112))?;
    // One SHORT, stored in the first bytes of the value field.
    let orientation = (short(found + 2)? == 3).then(|| short(found + 8)).flatten()?;
    u8::try_from(orientation).ok().filter(|orientation| (1..=8).contains(orientation))
}
