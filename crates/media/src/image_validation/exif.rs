//! The one EXIF tag that is used: the orientation (CIPA DC-008, tag 0x0112).

/// The orientation, 1 to 8, in a TIFF block as found in a JPEG's APP1 segment (after `Exif\0\0`), a PNG's `eXIf` or a WebP's
/// `EXIF` chunk, or in a TIFF file, whose first directory is that of its first picture. Anything malformed reads as 1, upright:
/// a wrong tag must not make a picture refused.
pub(super) fn orientation(tiff: &[u8]) -> u8 {
    read(tiff).unwrap_or(1)
}

/// The same of a chunk in which some programs put the prefix that only JPEG has.
pub(super) fn orientation_after_prefix(chunk: &[u8]) -> u8 {
    orientation(chunk.strip_prefix(b"Exif\0\0").unwrap_or(chunk))
}

/// Entries of a directory that are searched; real directories have a few dozen.
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
