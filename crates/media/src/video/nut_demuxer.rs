//! Demuxer for ffmpeg's output: raw pictures in NUT, a container that gives the size and time of each. Reads only what
//! ffmpeg writes for a single video stream; everything else is an error.

use base::Picture;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

const FILE_ID_STRING: &[u8] = b"nut/multimedia container\0";
const MAIN_STARTCODE: u64 = 0x4e4d_7a56_1f5f_04ad;
const STREAM_STARTCODE: u64 = 0x4e53_1140_5bf2_f9db;
const SYNCPOINT_STARTCODE: u64 = 0x4e4b_e4ad_eeca_4569;
/// Limit on a header, bytes.
const MAX_HEADER_BYTES: u64 = 64 << 10;

const FLAG_CODED_PTS: u64 = 8;
const FLAG_STREAM_ID: u64 = 16;
const FLAG_SIZE_MSB: u64 = 32;
const FLAG_CHECKSUM: u64 = 64;
const FLAG_RESERVED: u64 = 128;
const FLAG_SIDE_DATA: u64 = 256;
const FLAG_HEADER_INDEX: u64 = 1024;
const FLAG_MATCH_TIME: u64 = 2048;
const FLAG_CODED_FLAGS: u64 = 4096;
const FLAG_INVALID: u64 = 8192;

/// Why reading failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum NutError {
    #[error("the decoder's output cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("the decoder's output is not as expected: {0}")]
    Unexpected(&'static str),
}

/// What a frame code, the first byte of a frame, stands for.
#[derive(Clone, Copy, Default)]
struct FrameCode {
    flags: u64,
    pts_delta: i64,
    size_factor: u64,
    size_rest: u64,
    reserved: u64,
    header: u64,
}

#[derive(Default)]
struct NutLayout {
    codes: Vec<FrameCode>,
    /// Elision headers: first bytes that are left out of small frames.
    headers: Vec<Vec<u8>>,
    /// Seconds per tick: numerator and denominator.
    base: (u64, u64),
    shift: u32,
    width: u32,
    height: u32,
}

/// Reads pictures one after another.
pub(super) struct NutDemuxer<R> {
    from: R,
    layout: NutLayout,
    last: i64,
    max_bytes: u64,
}

impl<R: AsyncBufRead + Unpin> NutDemuxer<R> {
    /// `max_bytes` is the limit for one picture.
    pub(super) fn new(from: R, max_bytes: u64) -> Self {
        Self { from, layout: NutLayout::default(), last: 0, max_bytes }
    }

    /// The next picture and its time in seconds; `None` at the end. An incomplete last picture counts as the end.
    pub(super) async fn next(&mut self) -> Result<Option<(f64, Picture)>, NutError> {
        match self.read().await {
            Err(NutError::Io(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            read => read,
        }
    }

    async fn read(&mut self) -> Result<Option<(f64, Picture)>, NutError> {
        loop {
            if self.from.fill_buf().await?.is_empty() {
                return Ok(None);
            }
            match self.from.read_u8().await? {
                b'n' => {
                    let mut rest = [0; FILE_ID_STRING.len() - 1];
                    self.from.read_exact(&mut rest).await?;
                    if rest != FILE_ID_STRING[1..] {
                        return Err(NutError::Unexpected("its beginning"));
                    }
                }
                b'N' => self.read_packet().await?,
                code => return self.read_frame(code).await.map(Some),
            }
        }
    }

    async fn read_packet(&mut self) -> Result<(), NutError> {
        let mut code = [b'N', 0, 0, 0, 0, 0, 0, 0];
        self.from.read_exact(&mut code[1..]).await?;
        let length = varint(&mut self.from).await?;
        if length > 4096 {
            self.from.read_u32().await?;
        }
        let code = u64::from_be_bytes(code);
        if !matches!(code, MAIN_STARTCODE | STREAM_STARTCODE | SYNCPOINT_STARTCODE) {
            let mut rest = (&mut self.from).take(length);
            tokio::io::copy_buf(&mut rest, &mut tokio::io::sink()).await?;
            return Ok(());
        }
        if length > MAX_HEADER_BYTES {
            return Err(NutError::Unexpected("a long header"));
        }
        let mut bytes = vec![0; length as usize];
        self.from.read_exact(&mut bytes).await?;
        let mut fields = HeaderFields(&bytes);
        let read = match code {
            MAIN_STARTCODE => self.layout.read_main(&mut fields),
            STREAM_STARTCODE => self.layout.read_stream(&mut fields),
            _ => fields.unsigned().map(|ticks| self.last = ticks as i64),
        };
        read.ok_or(NutError::Unexpected("a header"))
    }

    async fn read_frame(&mut self, code: u8) -> Result<(f64, Picture), NutError> {
        let code = *self
            .layout
            .codes
            .get(usize::from(code))
            .ok_or(NutError::Unexpected("a frame before the header"))?;
        let from = &mut self.from;
        let mut flags = code.flags;
        if flags & FLAG_CODED_FLAGS != 0 {
            flags ^= varint(from).await?;
        }
        if flags & (FLAG_INVALID | FLAG_SIDE_DATA) != 0 {
            return Err(NutError::Unexpected("a frame's flags"));
        }
        if flags & FLAG_STREAM_ID != 0 && varint(from).await? != 0 {
            return Err(NutError::Unexpected("a second stream"));
        }
        self.last = if flags & FLAG_CODED_PTS != 0 {
            self.layout.time(varint(from).await?, self.last)
        } else {
            self.last.wrapping_add(code.pts_delta)
        };
        let mut size = code.size_rest;
        if flags & FLAG_SIZE_MSB != 0 {
            size = varint(from).await?.saturating_mul(code.size_factor).saturating_add(size);
        }
        if flags & FLAG_MATCH_TIME != 0 {
            varint(from).await?;
        }
        let header = if flags & FLAG_HEADER_INDEX != 0 { varint(from).await? } else { code.header };
        let reserved = if flags & FLAG_RESERVED != 0 { varint(from).await? } else { code.reserved };
        for _ in 0..reserved {
            varint(from).await?;
        }
        if flags & FLAG_CHECKSUM != 0 {
            from.read_u32().await?;
        }
        let (width, height) = (self.layout.width, self.layout.height);
        if size != u64::from(width) * u64::from(height) * 3 || size > self.max_bytes {
            return Err(NutError::Unexpected("a picture's size"));
        }
        // ffmpeg uses elision headers only for frames of up to 4096 bytes.
        let header = if size > 4096 { None } else { self.layout.headers.get(header as usize) };
        let known = header.map_or(&[][..], Vec::as_slice);
        let mut rgb = Vec::with_capacity(size as usize);
        rgb.extend_from_slice(known.get(..size as usize).unwrap_or(known));
        let rest = size - rgb.len() as u64;
        if from.take(rest).read_to_end(&mut rgb).await? as u64 != rest {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        let picture = Picture::new(width, height, rgb).ok_or(NutError::Unexpected("an empty picture"))?;
        let (num, den) = self.layout.base;
        Ok((self.last as f64 * num as f64 / den as f64, picture))
    }
}

impl NutLayout {
    fn read_main(&mut self, fields: &mut HeaderFields<'_>) -> Option<()> {
        let (_version, streams) = (fields.unsigned()?, fields.unsigned()?);
        let (_distance, bases) = (fields.unsigned()?, fields.unsigned()?);
        if streams != 1 || bases != 1 {
            return None;
        }
        self.base = (fields.unsigned()?, fields.unsigned().filter(|den| *den > 0)?);
        self.codes.clear();
        let (mut pts_delta, mut factor, mut header) = (0, 1, 0);
        while self.codes.len() < 256 {
            let (flags, count) = (fields.unsigned()?, fields.unsigned()?);
            let mut number = 0;
            let mut field = |fields: &mut HeaderFields<'_>| {
                number += 1;
                (count >= number).then(|| fields.unsigned())
            };
            // The first and the seventh field are signed.
            if let Some(delta) = field(fields) {
                pts_delta = signed(delta?);
            }
            if let Some(read) = field(fields) {
                factor = read?;
            }
            if let Some(stream) = field(fields) {
                stream?;
            }
            let rest = field(fields).unwrap_or(Some(0))?;
            let reserved = field(fields).unwrap_or(Some(0))?;
            let codes = field(fields).unwrap_or(factor.checked_sub(rest))?;
            if let Some(matched) = field(fields) {
                matched?;
            }
            if let Some(read) = field(fields) {
                header = read?;
            }
            for _ in 8..count {
                fields.unsigned()?;
            }
            let mut made = 0;
            while made < codes && self.codes.len() < 256 {
                if self.codes.len() == usize::from(b'N') {
                    self.codes.push(FrameCode { flags: FLAG_INVALID, ..FrameCode::default() });
                    continue;
                }
                let size_rest = rest.checked_add(made)?;
                self.codes.push(FrameCode {
                    flags,
                    pts_delta,
                    size_factor: factor,
                    size_rest,
                    reserved,
                    header,
                });
                made += 1;
            }
        }
        let headers = fields.unsigned().unwrap_or_default();
        self.headers = vec![Vec::new()];
        for _ in 0..headers {
            let length = fields.unsigned()?;
            self.headers.push(fields.bytes(length)?.to_vec());
        }
        Some(())
    }

    fn read_stream(&mut self, fields: &mut HeaderFields<'_>) -> Option<()> {
        const VIDEO_STREAM_CLASS: u64 = 0;
        let (id, class) = (fields.unsigned()?, fields.unsigned()?);
        let length = fields.unsigned()?;
        if id != 0 || class != VIDEO_STREAM_CLASS || fields.bytes(length)? != b"RGB\x18" {
            return None;
        }
        let _base = fields.unsigned()?;
        self.shift = u32::try_from(fields.unsigned()?).ok().filter(|shift| *shift < 32)?;
        for _ in 0..3 {
            fields.unsigned()?;
        }
        let length = fields.unsigned()?;
        fields.bytes(length)?;
        self.width = fields.unsigned()?.try_into().ok()?;
        self.height = fields.unsigned()?.try_into().ok()?;
        Some(())
    }

    /// Decodes a time: either in full, or the low bits of one close to the last.
    fn time(&self, coded: u64, last: i64) -> i64 {
        let whole = 1_i64 << self.shift;
        let coded = coded as i64;
        if coded >= whole {
            return coded.wrapping_sub(whole);
        }
        let delta = last.wrapping_sub((whole - 1) / 2);
        (coded.wrapping_sub(delta) & (whole - 1)).wrapping_add(delta)
    }
}

fn signed(value: u64) -> i64 {
    let value = value.wrapping_add(1) as i64;
    if value & 1 == 1 { -(value >> 1) } else { value >> 1 }
}

async fn varint(from: &mut (impl AsyncBufRead + Unpin)) -> Result<u64, NutError> {
    let mut value = 0_u64;
    for _ in 0..10 {
        let byte = from.read_u8().await?;
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(NutError::Unexpected("a long number"))
}

/// Reads the fields of a header.
struct HeaderFields<'a>(&'a [u8]);

impl<'a> HeaderFields<'a> {
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for _ in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value = (value << 7) | u64::from(byte & 0x7f);
            if *byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }
}
