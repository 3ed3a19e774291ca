//! HEIF and AVIF (ISO/IEC 23008-12), which are not accepted for analysis: only the orientation is read, and the primary item,
//! which is what people see, is taken out for ffmpeg to decode. Properties of the item state the orientation; EXIF data in the
//! same file repeat it at best, and are not to be followed.

use base::PictureSize;

/// The EXIF orientations, by whether left and right change places first and by how many quarter turns to the right follow.
const ORIENTATIONS: [[u8; 4]; 2] = [[1, 6, 3, 8], [2, 7, 4, 5]];
/// Properties that are looked at: associations have 15 bits to name one.
const MAX_PROPERTIES: usize = 1 << 15;
/// Properties of an item that the file for ffmpeg may have: the numbers in it have 7 bits.
const MAX_DECODER_PROPERTIES: u8 = 0x7f;
/// The bytes of all of them together; what is large among them is an ICC profile.
const MAX_DECODER_PROPERTY_BYTES: usize = 16 << 20;

/// Items without data of their own. Before version 8.1, ffmpeg may take the first tile of a grid for all of it.
const DERIVED_ITEMS: [[u8; 4]; 5] = [*b"grid", *b"iovl", *b"iden", *b"tmap", *b"sato"];
/// Properties that an item may say a reader must know. Those that choose one of several layers are not among them.
const KNOWN_PROPERTIES: [[u8; 4]; 12] = [
    *b"ispe", *b"av1C", *b"hvcC", *b"colr", *b"pixi", *b"pasp", *b"clap", *b"irot", *b"imir", *b"clli",
    *b"mdcv", *b"cclv",
];
/// What a picture is to another one whose opacity it has (ISO/IEC 23008-12, 6.5.8; the others are those of HEVC and AVC).
const OPACITY_TYPES: [&[u8]; 3] = [
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    b"urn:mpeg:hevc:2015:auxid:1",
    b"urn:mpeg:avc:2015:auxid:1",
];
/// Properties that crop, turn and mirror, in the order in which MIAF (ISO/IEC 23000-22, 7.3.6.7) allows one of each.
const TRANSFORMATIONS: [[u8; 4]; 3] = [*b"clap", *b"irot", *b"imir"];

const DAMAGED: &str = "its primary item is missing, damaged or stated more than once";
const SEQUENCE: &str = "it is a sequence of pictures, of which one would be judged; send a still picture or, where videos are accepted, a video";
const ALTERNATIVES: &str = "it has alternatives to its primary item, of which one would be judged; send JPEG";
const DERIVED: &str = "its primary item is derived from others, as a grid of tiles is, and would not be decoded whole; send JPEG";
const UNKNOWN_CODEC: &str = "its primary item is coded neither with AV1 nor with HEVC; send JPEG";
const UNKNOWN_PROPERTY: &str =
    "its primary item has a property that a reader must know, and that is not known; send JPEG";
const TURNS: &str =
    "its rotation and mirroring are not in the order of MIAF, so viewers may turn it differently; send JPEG";
const TRANSPARENT: &str = "it has transparency, and what shows through it would not be judged; send PNG, or JPEG without transparency";
const SEVERAL_FRAMES: &str = "its primary item has several frames, of which one would be judged; send JPEG";

/// A picture's primary item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrimaryItem {
    /// A file in which the item is alone, as it is stored: neither cropped nor turned.
    pub(crate) file: Vec<u8>,
    /// The size that it states.
    pub(crate) size: PictureSize,
    /// Its ICC profile, if it has one.
    pub(crate) profile: Option<Vec<u8>>,
}

/// A property of an item.
struct Property<'a> {
    kind: &'a [u8; 4],
    content: &'a [u8],
    /// Whether a reader must know it.
    essential: bool,
}

/// Takes the primary item out of a file, so that a decoder has nothing else to choose: which one it takes, and which of two
/// boxes that contradict each other it follows, depends on its version. The error says why what people see may be something
/// else, or more, than this item.
pub(crate) fn primary_item(bytes: &[u8]) -> Result<PrimaryItem, &'static str> {
    if first_box(bytes, b"moov").is_some() {
        return Err(SEQUENCE);
    }
    let (meta, item) = meta_and_primary_item(bytes).ok_or(DAMAGED)?;
    let mut groups = boxes(meta).filter(|(kind, _)| *kind == b"grpl");
    if groups.any(|(_, content)| first_box(content, b"altr").is_some()) {
        return Err(ALTERNATIVES);
    }
    if has_opacity(meta) {
        return Err(TRANSPARENT);
    }
    let kind = item_type(meta, item).ok_or(DAMAGED)?;
    if DERIVED_ITEMS.contains(kind) {
        return Err(DERIVED);
    }
    let (brand, configuration) = match kind {
        b"av01" => (b"avif", b"av1C"),
        b"hvc1" => (b"heic", b"hvcC"),
        _ => return Err(UNKNOWN_CODEC),
    };
    let mut properties = item_properties(meta, item).ok_or(DAMAGED)?;
    if properties.iter().any(|property| property.essential && !KNOWN_PROPERTIES.contains(property.kind)) {
        return Err(UNKNOWN_PROPERTY);
    }
    let size = only_property(&properties, b"ispe").and_then(stated_size).ok_or(DAMAGED)?;
    let settings = only_property(&properties, configuration).ok_or(DAMAGED)?;
    let place = |property: &Property<'_>| TRANSFORMATIONS.iter().position(|kind| kind == property.kind);
    if !properties.iter().filter_map(place).is_sorted_by(|one, next| one < next) {
        return Err(TURNS);
    }
    let data = item_data(bytes, meta, item).ok_or(DAMAGED)?;
    let frames = if kind == b"av01" { av1_frames(&data) } else { hevc_frames(settings, &data) };
    match frames {
        Some(1) => {}
        Some(2..) => return Err(SEVERAL_FRAMES),
        Some(0) | None => return Err(DAMAGED),
    }
    properties.retain(|property| [b"ispe", configuration, b"colr", b"pixi"].contains(&property.kind));
    let file = file_of_one_item(brand, kind, &properties, &data).ok_or(DAMAGED)?;
    let mut colours = properties.iter().filter(|property| property.kind == b"colr");
    let profile = colours.find_map(|property| {
        let (kind, profile) = property.content.split_first_chunk::<4>()?;
        matches!(kind, b"prof" | b"rICC").then(|| profile.to_vec())
    });
    Ok(PrimaryItem { file, size, profile })
}

/// The EXIF orientation, 1 to 8, that the rotations and mirrorings of the primary item add up to.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    let properties = meta_and_primary_item(bytes).and_then(|(meta, item)| item_properties(meta, item));
    let (mut mirrored, mut turns) = (false, 0);
    for Property { kind, content, .. } in properties.unwrap_or_default() {
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

/// What describes the items, and the number of the primary one.
fn meta_and_primary_item(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let (_, _, meta) = full_box(only_box(bytes, b"meta")?)?;
    let (version, _, rest) = full_box(only_box(meta, b"pitm")?)?;
    let (item, _) = item_number(rest, version > 0)?;
    Some((meta, item))
}

/// An item's type.
fn item_type(meta: &[u8], item: u64) -> Option<&[u8; 4]> {
    let (version, _, rest) = full_box(only_box(meta, b"iinf")?)?;
    let (_, entries) = item_number(rest, version > 0)?;
    let mut types = boxes(entries).filter(|(kind, _)| *kind == b"infe").filter_map(|(_, content)| {
        let (version, _, rest) = full_box(content)?;
        let (number, rest) = item_number(rest, version > 2)?;
        // How it is protected comes first.
        let (kind, _) = rest.get(2..)?.split_first_chunk::<4>()?;
        (version > 1 && number == item).then_some(kind)
    });
    only(&mut types)
}

/// Whether any item is the opacity of another one. Which one it belongs to is not looked at: viewers may see that differently.
fn has_opacity(meta: &[u8]) -> bool {
    let properties = boxes(meta).filter(|(kind, _)| *kind == b"iprp");
    let stored = properties.flat_map(|(_, content)| boxes(content)).filter(|(kind, _)| *kind == b"ipco");
    let mut types = stored
        .flat_map(|(_, content)| boxes(content))
        .filter(|(kind, _)| *kind == b"auxC")
        .filter_map(|(_, content)| full_box(content));
    types.any(|(_, _, kind)| OPACITY_TYPES.iter().any(|opacity| kind.starts_with(opacity)))
}

/// An item's properties, in the order in which they apply.
fn item_properties(meta: &[u8], item: u64) -> Option<Vec<Property<'_>>> {
    let properties = only_box(meta, b"iprp")?;
    let stored: Vec<_> = boxes(only_box(properties, b"ipco")?).take(MAX_PROPERTIES).collect();
    let mut own = boxes(properties)
        .filter(|(kind, _)| *kind == b"ipma")
        .filter_map(|(_, content)| associations(content, item));
    let property = |(essential, number): (bool, usize)| {
        // Counted from 1; 0 names none.
        let &(kind, content) = stored.get(number.checked_sub(1)?)?;
        Some(Property { kind, content, essential })
    };
    Some(only(&mut own)?.into_iter().filter_map(property).collect())
}

/// Whether an item's properties must be known, and their numbers, in an `ipma` box; `None` where it names none for this item.
fn associations(content: &[u8], item: u64) -> Option<Vec<(bool, usize)>> {
    let (version, flags, rest) = full_box(content)?;
    // The highest bit of each says whether a reader must know the property.
    let (width, mask) = if flags & 1 == 1 { (2, 0x7fff) } else { (1, 0x7f) };
    let (items, mut rest) = number(rest, 4)?;
    for _ in 0..items {
        let (found, after) = item_number(rest, version > 0)?;
        let (&count, after) = after.split_first()?;
        let (own, after) = after.split_at_checked(usize::from(count) * width)?;
        if found == item {
            let numbers = own.chunks_exact(width).map(|bytes| {
                let value = bytes.iter().fold(0_usize, |value, &byte| (value << 8) | usize::from(byte));
                (value > mask, value & mask)
            });
            return Some(numbers.collect());
        }
        rest = after;
    }
    None
}

/// The one property of a type.
fn only_property<'a>(properties: &[Property<'a>], kind: &[u8]) -> Option<&'a [u8]> {
    only(&mut properties.iter().filter(|property| property.kind == kind).map(|property| property.content))
}

/// Width and height in an `ispe` property.
fn stated_size(content: &[u8]) -> Option<PictureSize> {
    let (_, _, rest) = full_box(content)?;
    let (width, rest) = number(rest, 4)?;
    let (height, _) = number(rest, 4)?;
    Some(PictureSize { width: width as u32, height: height as u32 })
}

/// An item's data, from all its extents.
fn item_data(bytes: &[u8], meta: &[u8], item: u64) -> Option<Vec<u8>> {
    let (version, _, rest) = full_box(only_box(meta, b"iloc")?)?;
    let (&[widths, more_widths], rest) = rest.split_first_chunk::<2>()?;
    let (offset_width, length_width) = (usize::from(widths >> 4), usize::from(widths & 15));
    let base_width = usize::from(more_widths >> 4);
    let index_width = if version > 0 { usize::from(more_widths & 15) } else { 0 };
    let extent_width = index_width + offset_width + length_width;
    let (items, mut rest) = item_number(rest, version > 1)?;
    let mut location = None;
    for _ in 0..items {
        let (found, after) = item_number(rest, version > 1)?;
        let (method, after) = number(after, if version > 0 { 2 } else { 0 })?;
        let (other_file, after) = number(after, 2)?;
        let (base, after) = number(after, base_width)?;
        let (extents, after) = number(after, 2)?;
        let (extents, after) = after.split_at_checked(extents as usize * extent_width)?;
        if found == item && location.replace((method & 15, other_file, base, extents)).is_some() {
            return None;
        }
        rest = after;
    }
    let (source, base, extents) = match location? {
        (0, 0, base, extents) => (bytes, base, extents),
        (1, 0, base, extents) => (only_box(meta, b"idat")?, base, extents),
        _ => return None,
    };
    // Without a length, an extent is all that the source has.
    if length_width == 0 {
        return None;
    }
    let mut data = Vec::new();
    for extent in extents.chunks_exact(extent_width) {
        let (_, rest) = number(extent, index_width)?;
        let (offset, rest) = number(rest, offset_width)?;
        let (length, _) = number(rest, length_width)?;
        let from = usize::try_from(base.checked_add(offset)?).ok()?;
        let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
        data.extend_from_slice(source.get(from..from.checked_add(length)?)?);
        // Extents that overlap could make much of little.
        if data.len() > bytes.len() {
            return None;
        }
    }
    (!data.is_empty()).then_some(data)
}

/// How many frames AV1 data have, each counted as often as there are sequence headers that it may be decoded with; `None`
/// where they are damaged.
fn av1_frames(mut data: &[u8]) -> Option<usize> {
    let (mut frames, mut sequences) = (0_usize, 0_usize);
    while let Some((&header, rest)) = data.split_first() {
        let rest = if header & 4 == 0 { rest } else { rest.get(1..)? };
        // Without a size, it ends with the data.
        let (size, rest) = if header & 2 == 0 { (rest.len(), rest) } else { leb128(rest)? };
        data = rest.get(size..)?;
        match header >> 3 {
            // A sequence header.
            1 => sequences += 1,
            // A frame's header, which may also show an earlier frame again, and a frame with its header.
            3 | 6 => frames += 1,
            // libaom reads on behind zeros, in which others see a last unit of a type to ignore. The highest bit is never set.
            0 | 16.. => return None,
            _ => {}
        }
    }
    Some(frames.saturating_mul(sequences.max(1)))
}

/// A number of AV1 with seven bits in each of at most eight bytes, and what follows it.
fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let last = bytes.iter().take(8).position(|byte| byte & 0x80 == 0)?;
    let (digits, rest) = bytes.split_at_checked(last + 1)?;
    let number = digits.iter().rev().fold(0_u64, |number, &byte| (number << 7) | u64::from(byte & 0x7f));
    Some((usize::try_from(number).ok()?, rest))
}

/// How many frames of the lowest layer HEVC data have; `None` where they or their settings, from an `hvcC` property, are
/// damaged.
fn hevc_frames(settings: &[u8], mut data: &[u8]) -> Option<usize> {
    // With another version than 1, ffmpeg may look for start codes instead of lengths.
    let &[1, .., lengths, _] = settings.first_chunk::<23>()? else { return None };
    let width = usize::from(lengths & 3) + 1;
    let mut frames = 0;
    while !data.is_empty() {
        let (length, rest) = number(data, width)?;
        let (unit, next) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        data = next;
        let &[first, second, ..] = unit else { return None };
        // The highest bit is never set. A unit has no start code in it; behind one, ffmpeg would begin another.
        if first & 0x80 != 0 || unit.windows(3).any(|bytes| bytes == b"\0\0\x01") {
            return None;
        }
        // Six bits are the type, of which those below 32 are slices, and six the layer; a slice begins by saying whether it is
        // the first of its frame.
        if first & 0x41 == 0 && second & 0xf8 == 0 {
            frames += usize::from(*unit.get(2)? >> 7);
        }
    }
    Some(frames)
}

/// A file with one item; `None` where its properties are too many or too large.
fn file_of_one_item(brand: &[u8], kind: &[u8], properties: &[Property<'_>], data: &[u8]) -> Option<Vec<u8>> {
    let count = u8::try_from(properties.len()).ok().filter(|count| *count <= MAX_DECODER_PROPERTIES)?;
    let property_bytes: usize = properties.iter().map(|property| property.content.len()).sum();
    if property_bytes > MAX_DECODER_PROPERTY_BYTES {
        return None;
    }
    let length = u32::try_from(data.len()).ok()?;
    let stored: Vec<u8> =
        properties.iter().flat_map(|property| boxed(property.kind, property.content)).collect();
    let numbers: Vec<u8> = (1..=count).collect();
    let associations = [&[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, count][..], &numbers].concat();
    let entry = boxed(b"infe", &[&[2_u8, 0, 0, 0, 0, 1, 0, 0][..], kind, b"\0"].concat());
    let before = [
        boxed(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        boxed(b"pitm", &[0, 0, 0, 0, 0, 1]),
        boxed(b"iinf", &[&[0_u8, 0, 0, 0, 0, 1][..], &entry].concat()),
        boxed(b"iprp", &[boxed(b"ipco", &stored), boxed(b"ipma", &associations)].concat()),
    ]
    .concat();
    let file_type = boxed(b"ftyp", &[brand, &[0; 4], brand, b"mif1"].concat());
    let meta = |offset: usize| {
        // Offset and length have four bytes each, a base none; item 1 has one extent.
        let location = [0_u8, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1];
        let location = [&location[..], &(offset as u32).to_be_bytes(), &length.to_be_bytes()].concat();
        boxed(b"meta", &[&[0_u8; 4][..], &before, &boxed(b"iloc", &location)].concat())
    };
    let data_head = [length.checked_add(8)?.to_be_bytes(), *b"mdat"].concat();
    let offset = file_type.len() + meta(0).len() + data_head.len();
    Some([&file_type[..], &meta(offset), &data_head, data].concat())
}

/// A box of less than 4 GiB.
fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

/// An item's number, or how many there are, of 32 bits where it is wide and else of 16, and what follows it.
fn item_number(bytes: &[u8], wide: bool) -> Option<(u64, &[u8])> {
    number(bytes, if wide { 4 } else { 2 })
}

/// A number of so many bytes, and what follows it.
fn number(bytes: &[u8], width: usize) -> Option<(u64, &[u8])> {
    if width > 8 {
        return None;
    }
    let (digits, rest) = bytes.split_at_checked(width)?;
    Some((digits.iter().fold(0, |number, &byte| (number << 8) | u64::from(byte)), rest))
}

/// Version and lowest flags of a full box, and what follows them.
fn full_box(content: &[u8]) -> Option<(u8, u8, &[u8])> {
    let (&[version, _, _, flags], rest) = content.split_first_chunk::<4>()?;
    Some((version, flags, rest))
}

/// The only value there is; `None` where there are several, of which others may follow another.
fn only<T>(values: &mut impl Iterator<Item = T>) -> Option<T> {
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

/// The content of the only box of a type.
fn only_box<'a>(bytes: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    only(&mut boxes(bytes).filter_map(|(kind, content)| (kind == wanted).then_some(content)))
}

/// The content of the first box of a type.
fn first_box<'a>(bytes: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
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

    /// A box with the length in 64 bits.
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

    fn size_property(width: u32, height: u32) -> Vec<u8> {
        boxed(b"ispe", &[[0; 4], width.to_be_bytes(), height.to_be_bytes()].concat())
    }

    /// Settings of HEVC, of which the units' lengths have one byte more than this says.
    fn hevc_settings(lengths: u8) -> Vec<u8> {
        let mut settings = vec![0; 23];
        (settings[0], settings[21]) = (1, lengths);
        settings
    }

    /// One frame that ends with a number.
    fn coded(kind: &[u8], number: u8) -> Vec<u8> {
        if kind == b"hvc1" { vec![4, 2, 1, 0x80, number] } else { vec![0x32, 2, number, number] }
    }

    /// The same with items of these types, numbered from 1, each of which has one frame that ends with its number, and with
    /// further boxes beside them.
    fn file_of_items(
        kinds: &[&[u8; 4]],
        properties: &[Vec<u8>],
        associations: &[u8],
        more: &[u8],
    ) -> Vec<u8> {
        let items: Vec<_> = (1..).zip(kinds).map(|(number, kind)| (*kind, coded(*kind, number))).collect();
        file_of_data(&items, properties, associations, more)
    }

    /// The same with items of these types and data.
    fn file_of_data(
        items: &[(&[u8; 4], Vec<u8>)],
        properties: &[Vec<u8>],
        associations: &[u8],
        more: &[u8],
    ) -> Vec<u8> {
        let count = items.len() as u8;
        let (mut entries, mut locations) = (vec![0, 0, 0, 0, 0, count], vec![1, 0, 0, 0, 0x44, 0, 0, count]);
        let mut stored = Vec::<u8>::new();
        for (number, (kind, data)) in (1..=count).zip(items) {
            entries.extend(boxed(b"infe", &[&[2, 0, 0, 0, 0, number, 0, 0][..], *kind, b"\0"].concat()));
            locations.extend([0, number, 0, 1, 0, 0, 0, 1]);
            locations.extend([stored.len() as u32, data.len() as u32].map(u32::to_be_bytes).concat());
            stored.extend_from_slice(data);
        }
        let properties = [boxed(b"ipco", &properties.concat()), boxed(b"ipma", associations)].concat();
        let parts = [
            vec![0; 4],
            boxed(b"pitm", &[0, 0, 0, 0, 0, 2]),
            boxed(b"iinf", &entries),
            boxed(b"iprp", &properties),
            boxed(b"idat", &stored),
            boxed(b"iloc", &locations),
            more.to_vec(),
        ];
        [boxed(b"ftyp", b"avif\0\0\0\0"), boxed(b"meta", &parts.concat())].concat()
    }

    /// Associations of item 2 with all of these properties, of which it says that they must be known.
    fn all_of(stored: &[Vec<u8>]) -> Vec<u8> {
        let count = stored.len() as u8;
        let mut told = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 2, count];
        told.extend((1..=count).map(|number| 0x80 | number));
        told
    }

    /// Associations of item 2 with the first three properties, of which it says that the second and the third must be known.
    const FIRST_THREE: &[u8] = &[0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 3, 0x01, 0x82, 0x83];

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
            assert_eq!(orientation(&file(&stored, &all_of(&stored))), expected, "{stored:?}");
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

    #[test]
    fn the_primary_item_is_taken_out_alone() {
        for (kind, configuration, settings, brand) in
            [(b"av01", b"av1C", b"how".to_vec(), b"avif"), (b"hvc1", b"hvcC", hevc_settings(0), b"heic")]
        {
            let stored = [size_property(300, 200), boxed(configuration, &settings), rotation(3)];
            let whole = file_of_items(&[kind, kind, b"Exif"], &stored, FIRST_THREE, &boxed(b"iref", &[0; 4]));
            let alone = primary_item(&whole).unwrap();
            assert_eq!(alone.size, PictureSize { width: 300, height: 200 });
            assert!(alone.file[8..].starts_with(brand));
            let (meta, item) = meta_and_primary_item(&alone.file).unwrap();
            assert_eq!(item_type(meta, item), Some(kind));
            assert_eq!(item_type(meta, 2), None);
            assert_eq!(item_data(&alone.file, meta, item), Some(coded(kind, 2)));
            let passed_on = item_properties(meta, item).unwrap();
            let passed_on: Vec<_> =
                passed_on.iter().map(|property| (property.kind, property.content)).collect();
            assert_eq!(passed_on, [(b"ispe", &stored[0][8..]), (configuration, &settings[..])]);
            assert_eq!(primary_item(&alone.file).as_ref(), Ok(&alone));
        }
    }

    #[test]
    fn the_profile_is_that_of_the_primary_item() {
        let [own, other] = [b"profown", b"profoth"].map(|content| boxed(b"colr", content));
        let numbers = boxed(b"colr", b"nclx\0\x01\0\x0d\0\x06\x80");
        let profile = |colours: Vec<u8>| {
            let stored = [size_property(300, 200), boxed(b"av1C", b"how"), colours, other.clone()];
            primary_item(&file_of_items(&[b"av01", b"av01"], &stored, FIRST_THREE, &[])).unwrap().profile
        };
        assert_eq!(profile(own), Some(b"own".to_vec()));
        assert_eq!(profile(numbers), None);
    }

    #[test]
    fn a_file_of_which_people_may_see_something_else_or_more_is_refused() {
        let size = size_property(300, 200);
        let av1 = boxed(b"av1C", b"how");
        let stored = [size.clone(), av1.clone(), rotation(3)];
        let of_kind = |kind| file_of_items(&[b"av01", kind], &stored, FIRST_THREE, &[]);
        let with_properties =
            |stored: &[Vec<u8>]| file_of_items(&[b"av01", b"av01"], stored, FIRST_THREE, &[]);
        let with_more = |more: &[u8]| file_of_items(&[b"av01", b"av01"], &stored, FIRST_THREE, more);
        let plain = with_more(&[]);
        assert!(primary_item(&plain).is_ok());
        // Of an item that the primary one need not even know.
        let opacity = |kind: &[u8]| [&stored[..], &[boxed(b"auxC", &[&[0; 4][..], kind].concat())]].concat();
        let depth = opacity(b"urn:com:apple:photo:2018:aux:disparity\0");
        assert!(primary_item(&with_properties(&depth)).is_ok(), "what is no opacity does not matter");
        for kind in &DERIVED_ITEMS {
            assert_eq!(primary_item(&of_kind(kind)), Err(DERIVED), "{}", kind.escape_ascii());
        }
        let again = |kind: &[u8; 4]| {
            let (_, _, meta) = full_box(first_box(&plain, b"meta").unwrap()).unwrap();
            with_more(&boxed(kind, first_box(meta, kind).unwrap()))
        };
        let second_meta = boxed(b"meta", first_box(&plain, b"meta").unwrap());
        for (name, file, expected) in [
            ("another codec", of_kind(b"jpeg"), UNKNOWN_CODEC),
            ("a codec with another's settings", of_kind(b"hvc1"), DAMAGED),
            ("a sequence beside it", [&plain[..], &boxed(b"moov", &[])].concat(), SEQUENCE),
            ("an alternative", with_more(&boxed(b"grpl", &boxed(b"altr", &[0; 20]))), ALTERNATIVES),
            (
                "one of several layers",
                with_properties(&[size.clone(), av1.clone(), boxed(b"lsel", &[0, 1])]),
                UNKNOWN_PROPERTY,
            ),
            (
                "opacity",
                with_properties(&opacity(b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")),
                TRANSPARENT,
            ),
            (
                "opacity, as HEVC says it",
                with_properties(&opacity(b"urn:mpeg:hevc:2015:auxid:1\0")),
                TRANSPARENT,
            ),
            ("no size", with_properties(&[av1.clone(), rotation(1), rotation(1)]), DAMAGED),
            ("two sizes", with_properties(&[size.clone(), av1.clone(), size.clone()]), DAMAGED),
            ("no settings of the codec", with_properties(&[size, rotation(1), rotation(1)]), DAMAGED),
            ("no primary item", file_of_items(&[b"av01"], &stored, FIRST_THREE, &[]), DAMAGED),
            ("two primary items", again(b"pitm"), DAMAGED),
            ("two lists of items", again(b"iinf"), DAMAGED),
            ("two lists of places", again(b"iloc"), DAMAGED),
            ("two lists of properties", again(b"iprp"), DAMAGED),
            ("two descriptions", [&plain[..], &second_meta].concat(), DAMAGED),
            ("nothing", boxed(b"ftyp", b"avif\0\0\0\0"), DAMAGED),
        ] {
            assert_eq!(primary_item(&file), Err(expected), "{name}");
        }
    }

    #[test]
    fn an_item_whose_data_have_not_exactly_one_frame_is_refused() {
        let refused = |kind: &'static [u8; 4], settings: &[u8], data: &[u8]| {
            let configuration = if kind == b"hvc1" { b"hvcC" } else { b"av1C" };
            let stored = [size_property(300, 200), boxed(configuration, settings), rotation(3)];
            let items = [(kind, coded(kind, 1)), (kind, data.to_vec())];
            primary_item(&file_of_data(&items, &stored, FIRST_THREE, &[])).err()
        };
        let av1: [(&str, &[u8], _); 17] = [
            ("a delimiter, a sequence header and a frame", &[0x12, 0, 0x0a, 1, 7, 0x32, 1, 7], None),
            ("a frame in parts", &[0x1a, 1, 7, 0x22, 1, 7, 0x22, 1, 7], None),
            ("of a layer", &[0x36, 0, 1, 7], None),
            ("without a size", &[0x0a, 1, 7, 0x30, 7], None),
            ("a size of eight bytes", &[0x32, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 7], None),
            ("two frames", &[0x32, 1, 7, 0x32, 1, 7], Some(SEVERAL_FRAMES)),
            ("two frames of two layers", &[0x36, 0, 1, 7, 0x36, 8, 1, 7], Some(SEVERAL_FRAMES)),
            ("a frame shown again", &[0x32, 1, 7, 0x1a, 1, 7], Some(SEVERAL_FRAMES)),
            ("two stills", &[0x0a, 1, 7, 0x32, 1, 7, 0x0a, 1, 7, 0x32, 1, 7], Some(SEVERAL_FRAMES)),
            ("two sequence headers", &[0x0a, 1, 7, 0x0a, 1, 7, 0x32, 1, 7], Some(SEVERAL_FRAMES)),
            ("no frame", &[0x0a, 1, 7], Some(DAMAGED)),
            ("cut", &[0x32, 2, 7], Some(DAMAGED)),
            ("cut before the size", &[0x32], Some(DAMAGED)),
            ("cut before the layer", &[0x32, 1, 7, 0x14], Some(DAMAGED)),
            (
                "a size of nine bytes",
                &[0x32, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 7],
                Some(DAMAGED),
            ),
            ("a bit that is never set", &[0xb2, 1, 7], Some(DAMAGED)),
            ("a frame behind zeros", &[0x32, 1, 7, 0, 0x32, 1, 7], Some(DAMAGED)),
        ];
        for (name, data, expected) in av1 {
            assert_eq!(refused(b"av01", b"how", data), expected, "AV1, {name}");
        }
        let hevc: [(&str, &[u8], _); 13] = [
            ("a frame", &[3, 0x02, 1, 0x80], None),
            ("parameters and two slices", &[2, 0x40, 1, 3, 0x26, 1, 0x80, 3, 0x26, 1, 0], None),
            ("a second layer", &[3, 0x02, 1, 0x80, 3, 0x02, 9, 0x80], None),
            ("a layer of a high number", &[3, 0x02, 1, 0x80, 3, 0x03, 1, 0x80], None),
            ("two frames", &[3, 0x02, 1, 0x80, 3, 0x02, 1, 0x80], Some(SEVERAL_FRAMES)),
            ("no frame", &[2, 0x40, 1], Some(DAMAGED)),
            ("no first slice", &[3, 0x02, 1, 0], Some(DAMAGED)),
            ("cut", &[4, 0x02, 1, 0x80], Some(DAMAGED)),
            ("an empty unit", &[3, 0x02, 1, 0x80, 0], Some(DAMAGED)),
            ("a unit of one byte", &[3, 0x02, 1, 0x80, 1, 0x40], Some(DAMAGED)),
            ("a slice of two bytes", &[3, 0x02, 1, 0x80, 2, 0x02, 1], Some(DAMAGED)),
            ("a bit that is never set", &[3, 0x82, 1, 0x80], Some(DAMAGED)),
            ("a frame behind a start code", &[9, 0x02, 1, 0x80, 0, 0, 1, 0x02, 1, 0x80], Some(DAMAGED)),
        ];
        for (name, data, expected) in hevc {
            assert_eq!(refused(b"hvc1", &hevc_settings(0), data), expected, "HEVC, {name}");
        }
        let with_settings = |settings: &[u8]| refused(b"hvc1", settings, &[0, 0, 0, 3, 0x02, 1, 0x80]);
        assert_eq!(with_settings(&hevc_settings(3)), None);
        assert_eq!(with_settings(&hevc_settings(3)[..22]), Some(DAMAGED), "settings that are cut");
        let mut of_version_0 = hevc_settings(3);
        of_version_0[0] = 0;
        assert_eq!(with_settings(&of_version_0), Some(DAMAGED), "settings of another version");
    }

    #[test]
    fn rotations_and_mirrorings_in_another_order_than_that_of_miaf_are_refused() {
        let crop = || boxed(b"clap", &[0; 32]);
        for (turns, expected) in [
            (vec![crop(), rotation(1), mirroring(0)], None),
            (vec![rotation(1), mirroring(0)], None),
            (vec![crop(), mirroring(0)], None),
            (vec![mirroring(0), rotation(1)], Some(TURNS)),
            (vec![rotation(1), crop()], Some(TURNS)),
            (vec![mirroring(1), crop()], Some(TURNS)),
            (vec![rotation(1), rotation(1)], Some(TURNS)),
            (vec![mirroring(0), mirroring(1)], Some(TURNS)),
            (vec![crop(), crop()], Some(TURNS)),
        ] {
            let stored = [vec![size_property(300, 200), boxed(b"av1C", b"how")], turns].concat();
            let file = file_of_items(&[b"av01", b"av01"], &stored, &all_of(&stored), &[]);
            assert_eq!(primary_item(&file).err(), expected, "{stored:?}");
        }
    }

    #[test]
    fn data_are_where_the_file_says() {
        let bytes = b"abcdefgh";
        let data = |location: &[u8]| {
            let meta = [boxed(b"iloc", location), boxed(b"idat", b"xyz")].concat();
            item_data(bytes, &meta, 7)
        };
        // Version 0: two extents of the file, from a base.
        let mut location = [
            &[0_u8, 0, 0, 0, 0x44, 0x40, 0, 1, 0, 7, 0, 0, 0, 0, 0, 2, 0, 2][..],
            &[0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1],
        ]
        .concat();
        assert_eq!(data(&location).as_deref(), Some(&b"cdeg"[..]));
        for (at, value, name) in [
            (11, 1, "another file"),
            (15, 5, "beyond the end"),
            (17, 0, "no extents"),
            (25, 0, "an extent without a length"),
            (4, 0xf4, "offsets of 15 bytes"),
            (4, 0x40, "no lengths"),
        ] {
            let before = std::mem::replace(&mut location[at], value);
            assert_eq!(data(&location), None, "{name}");
            location[at] = before;
        }
        // Version 2: an extent of the data beside the descriptions, with an index that means nothing here.
        let mut location = [
            &[2_u8, 0, 0, 0, 0x44, 0x04, 0, 0, 0, 1, 0, 0, 0, 7, 0, 1, 0, 0, 0, 1][..],
            &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2],
        ]
        .concat();
        assert_eq!(data(&location).as_deref(), Some(&b"yz"[..]));
        location[15] = 2;
        assert_eq!(data(&location), None, "a part of another item");
        let twice = [0_u8, 0, 0, 0, 0x44, 0, 0, 2, 0, 7, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0];
        assert_eq!(data(&twice), None, "two places");
        let overlapping = [
            vec![0_u8, 0, 0, 0, 0x44, 0, 0, 1, 0, 7, 0, 0, 0xff, 0xff],
            [0_u8, 0, 0, 0, 0, 0, 0, 8].repeat(0xffff),
        ];
        assert_eq!(data(&overlapping.concat()), None, "more than there is");
    }

    #[test]
    fn a_damaged_file_is_refused_or_taken_as_it_says() {
        let stored = [size_property(300, 200), boxed(b"av1C", b"how"), rotation(3)];
        let whole = file_of_items(&[b"av01", b"av01"], &stored, FIRST_THREE, &[]);
        for length in 0..whole.len() {
            assert_eq!(primary_item(&whole[..length]), Err(DAMAGED), "the first {length} bytes");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                if let Ok(alone) = primary_item(&damaged) {
                    assert!(alone.file.len() <= 2 * whole.len(), "byte {at} is {value}");
                }
            }
        }
    }
}
