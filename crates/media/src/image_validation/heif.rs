//! HEIF and AVIF (ISO/IEC 23008-12), which are not accepted for analysis: only the orientation is read. Properties of the picture
//! state it; EXIF data in the same file repeat it at best, and are not to be followed.

/// The EXIF orientations, by whether left and right change places first and by how many quarter turns to the right follow.
const ORIENTATIONS: [[u8; 4]; 2] = [[1, 6, 3, 8], [2, 7, 4, 5]];
/// Properties that are looked at: associations have 15 bits to name one.
const MAX_PROPERTIES: usize = 1 << 15;

/// The EXIF orientation, 1 to 8, that the rotations and mirrorings of the primary item add up to.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    let (mut mirrored, mut turns) = (false, 0);
    for (kind, content) in primary_item_properties(bytes).unwrap_or_default() {
        let value = content.first().copied().unwrap_or_default();
        match kind {
            // Quarter turns to the left.
            b"irot" => turns += 4 - (value & 3),
            // 1: left and right change places; 0: top and bottom, which is half a turn more.
            b"imir" => {
                mirrored = !mirrored;
                turns = if value & 1 == 1 { 4 - turns } else { 6 - turns };
            }
            _ => {}
        }
        turns %= 4;
    }
    ORIENTATIONS[usize::from(mirrored)][usize::from(turns)]
}

/// Types and contents of the primary item's properties, in the order in which they apply.
fn primary_item_properties(bytes: &[u8]) -> Option<Vec<(&[u8; 4], &[u8])>> {
    let (_, _, meta) = full_box(first_box(bytes, b"meta")?)?;
    let (version, _, number) = full_box(first_box(meta, b"pitm")?)?;
    let (primary, _) = item_number(number, version > 0)?;
    let properties = first_box(meta, b"iprp")?;
    let stored: Vec<_> = boxes(first_box(properties, b"ipco")?).take(MAX_PROPERTIES).collect();
    let own = boxes(properties)
        .filter(|(kind, _)| *kind == b"ipma")
        .find_map(|(_, content)| associations(content, primary))?;
    // Counted from 1; 0 names none.
    Some(own.into_iter().filter_map(|number| stored.get(number.checked_sub(1)?).copied()).collect())
}

/// The numbers of an item's properties in an `ipma` box; `None` where it names none for this item.
fn associations(content: &[u8], item: u32) -> Option<Vec<usize>> {
    let (version, flags, rest) = full_box(content)?;
    // The highest bit of each says whether a reader must know the property.
    let (width, mask) = if flags & 1 == 1 { (2, 0x7fff) } else { (1, 0x7f) };
    let (items, mut rest) = rest.split_first_chunk::<4>()?;
    for _ in 0..u32::from_be_bytes(*items) {
        let (number, after) = item_number(rest, version > 0)?;
        let (&count, after) = after.split_first()?;
        let (own, after) = after.split_at_checked(usize::from(count) * width)?;
        if number == item {
            let numbers = own.chunks_exact(width).map(|bytes| {
                bytes.iter().fold(0_usize, |number, &byte| (number << 8) | usize::from(byte)) & mask
            });
            return Some(numbers.collect());
        }
        rest = after;
    }
    None
}

/// An item's number, of 32 bits where it is wide and else of 16, and what follows it.
fn item_number(bytes: &[u8], wide: bool) -> Option<(u32, &[u8])> {
    if wide {
        let (number, rest) = bytes.split_first_chunk::<4>()?;
        Some((u32::from_be_bytes(*number), rest))
    } else {
        let (number, rest) = bytes.split_first_chunk::<2>()?;
        Some((u32::from(u16::from_be_bytes(*number)), rest))
    }
}

/// Version and lowest flags of a full box, and what follows them.
fn full_box(content: &[u8]) -> Option<(u8, u8, &[u8])> {
    let (&[version, _, _, flags], rest) = content.split_first_chunk::<4>()?;
    Some((version, flags, rest))
}

/// The content of the first box of a type.
fn first_box<'a>(bytes: &'a [u8], wanted: &[u8; 4]) -> Option<&'a [u8]> {
    boxes(bytes).find_map(|(kind, content)| (kind == wanted).then_some(content))
}

/// Types and contents of successive boxes, up to one that breaks off.
fn boxes(bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (kind, content, next) = split_box(rest)?;
        rest = next;
        Some((kind, content))
    })
}

/// A box's type and content, and what follows it (ISO/IEC 14496-12).
fn split_box(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    // The length counts itself and the type.
    let (length, rest) = match u32::from_be_bytes(*length) {
        // It ends with what it is in.
        0 => return Some((kind, rest, <&[u8]>::default())),
        // The length follows, with 64 bits.
        1 => {
            let (length, rest) = rest.split_first_chunk::<8>()?;
            (u64::from_be_bytes(*length).checked_sub(16)?, rest)
        }
        length => (u64::from(length).checked_sub(8)?, rest),
    };
    let (content, next) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((kind, content, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
    }

    /// The same with the length in 64 bits.
    fn long_boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [&1_u32.to_be_bytes()[..], kind, &(content.len() as u64 + 16).to_be_bytes(), content].concat()
    }

    fn rotation(turns_to_the_left: u8) -> Vec<u8> {
        boxed(b"irot", &[turns_to_the_left])
    }

    fn mirroring(axis: u8) -> Vec<u8> {
        boxed(b"imir", &[axis])
    }

    /// A file with these properties, which the content of its `ipma` box gives to items. The primary item is 2.
    fn file(properties: &[Vec<u8>], associations: &[u8]) -> Vec<u8> {
        let properties = [boxed(b"ipco", &properties.concat()), boxed(b"ipma", associations)].concat();
        let primary = boxed(b"pitm", &[0, 0, 0, 0, 0, 2]);
        let meta = [&[0_u8; 4][..], &primary, &long_boxed(b"iprp", &properties)].concat();
        [boxed(b"ftyp", b"avif\0\0\0\0"), boxed(b"free", b"meta"), boxed(b"meta", &meta)].concat()
    }

    #[test]
    fn rotations_and_mirrorings_apply_in_their_order() {
        let cases = [
            (vec![], 1),
            (vec![rotation(0)], 1),
            (vec![rotation(1)], 8),
            (vec![rotation(2)], 3),
            (vec![rotation(3)], 6),
            (vec![mirroring(0)], 4),
            (vec![mirroring(1)], 2),
            (vec![rotation(1), mirroring(0)], 5),
            (vec![rotation(1), mirroring(1)], 7),
            (vec![rotation(2), mirroring(0)], 2),
            (vec![rotation(2), mirroring(1)], 4),
            (vec![rotation(3), mirroring(0)], 7),
            (vec![rotation(3), mirroring(1)], 5),
            (vec![mirroring(0), rotation(1)], 7),
            (vec![mirroring(1), rotation(1)], 5),
            (vec![rotation(1), rotation(1)], 3),
            (vec![mirroring(1), mirroring(0)], 3),
        ];
        for (stored, expected) in cases {
            let count = stored.len() as u8;
            let mut told = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 2, count];
            told.extend((1..=count).map(|number| 0x80 | number));
            assert_eq!(orientation(&file(&stored, &told)), expected, "{stored:?}");
        }
    }

    #[test]
    fn properties_are_those_of_the_primary_item() {
        let stored = [boxed(b"ispe", &[0; 12]), rotation(1), rotation(3)];
        // Two items: the first has properties 1 and 2, the second 1 and 3.
        let narrow = [0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 2, 0x01, 0x82, 0, 2, 2, 0x01, 0x83];
        assert_eq!(orientation(&file(&stored, &narrow)), 6);
        // Numbers of 32 bits for the items, and of 15 for the properties.
        let wide = [1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 1, 0x80, 2, 0, 0, 0, 2, 2, 0, 1, 0x80, 3];
        assert_eq!(orientation(&file(&stored, &wide)), 6);
        let of_another = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0x01, 0x82];
        assert_eq!(orientation(&file(&stored, &of_another)), 1);
        let of_none_and_beyond = [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 3, 0x80, 0x84, 0xff];
        assert_eq!(orientation(&file(&stored, &of_none_and_beyond)), 1);
    }

    #[test]
    fn a_file_that_is_cut_or_damaged_is_taken_as_upright_or_as_it_says() {
        let whole = file(&[rotation(3)], &[0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 1, 0x81]);
        assert_eq!(orientation(&whole), 6);
        for length in 0..whole.len() {
            assert_eq!(orientation(&whole[..length]), 1, "the first {length} bytes");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                assert!((1..=8).contains(&orientation(&damaged)), "byte {at} is {value}");
            }
        }
    }
}
