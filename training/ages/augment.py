"""What phones, light and people do to a picture of a face, on batches of crops and on any device.

Every function takes and returns pictures [n, 3, h, w] from 0 to 1; `some` draws which pictures of a batch it happens to.
"""

import math

import torch
import torch.nn.functional as F

LUMA = torch.tensor([16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
                     87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120,
                     101, 72, 92, 95, 98, 112, 100, 103, 99]).reshape(8, 8).float()  # ITU-T T.81, table K.1
CHROMA = torch.full((8, 8), 99.0)  # ITU-T T.81, table K.2
CHROMA[:4, :4] = torch.tensor([[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99.0]])
TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
K = torch.arange(8).float()
DCT = torch.cos((2 * K[None] + 1) * K[:, None] * math.pi / 16) / 2
DCT[0] /= math.sqrt(2)


class Draw:
    """Random numbers of a batch: one for each picture."""

    def __init__(self, count, device, generator):
        self.count, self.device, self.generator = count, device, generator

    def between(self, low, high):
        return low + (high - low) * torch.rand(self.count, device=self.device, generator=self.generator)

    def log_between(self, low, high):
        return torch.exp(self.between(math.log(low), math.log(high)))

    def gauss(self, deviation):
        return deviation * torch.randn(self.count, device=self.device, generator=self.generator)

    def chance(self, share):
        return self.between(0, 1) < share

    def noise(self, *shape):
        return torch.randn(*shape, device=self.device, generator=self.generator)


def some(pictures, share, generator, change, *others, into=None):
    """Applies `change(pictures, draw, ...)` to this share of the pictures, chosen at random. What it returns besides the pictures, a
    number for each picture or pixel, replaces what is less in `into`."""
    at = Draw(len(pictures), pictures.device, generator).chance(share).nonzero()[:, 0]
    if len(at):
        changed = change(pictures[at], Draw(len(at), pictures.device, generator), *(other[at] for other in others))
        if into is not None:
            changed, amount = changed
            into[at] = torch.maximum(into[at], amount)
        pictures[at] = changed.clamp(0, 1)
    return pictures


def views(draw, view, side):
    """Where in the stored crops, from -1 to 1, each pixel of what the net sees lies: [n, side, side, 2]. Leaning, shifted and scaled
    as boxes of the detector are; half of them mirrored."""
    angle, scale = draw.gauss(0.09), view * torch.exp(draw.gauss(0.06))
    across, mirrored = torch.exp(draw.gauss(0.03)), torch.where(draw.chance(0.5), -1.0, 1.0)
    sin, cos = torch.sin(angle) * scale, torch.cos(angle) * scale
    rows = [torch.stack([cos * across * mirrored, -sin, draw.gauss(0.03)], 1), torch.stack([sin * across * mirrored, cos, draw.gauss(0.03)], 1)]
    return F.affine_grid(torch.stack(rows, 1), [draw.count, 3, side, side], align_corners=False)


def plain_views(count, view, side, device="cpu"):
    """The same as the server cuts them."""
    matrix = torch.tensor([[view, 0, 0], [0, view, 0]], device=device)
    return F.affine_grid(matrix.expand(count, 2, 3), [count, 3, side, side], align_corners=False)


def outside(grid, photo):
    """Places of the pixels in the photo, from -1 to 1 [n, h, w, 2], and which of them lie outside of it."""
    places = torch.einsum("nij,nhwj->nhwi", photo[:, :, :2], grid) + photo[:, None, None, :, 2]
    return places, (places.abs() > 1).any(-1)


def reflected(draw, grid, photo):
    """The grid with what lies outside of the photo mirrored at its edge, or drawn from the edge."""
    places, beyond = outside(grid, photo)
    mirrored = 1 - ((places + 1) % 4 - 2).abs()
    mirrored = torch.where(draw.chance(0.6)[:, None, None, None], -mirrored, places.clamp(-1, 1))
    back = torch.linalg.inv(photo[:, :, :2])
    known = torch.einsum("nij,nhwj->nhwi", back, 0.98 * mirrored - photo[:, None, None, :, 2])
    return torch.where(beyond[..., None], known, grid)


def surrounded(pictures, draw, grid, photo):
    """A plain or blotched colour, or a piece of another picture, where the photo ends."""
    _, beyond = outside(grid, photo)
    colour = torch.stack([draw.between(0, 1) for _ in range(3)], 1)[:, :, None, None]
    blotches = F.interpolate(draw.noise(draw.count, 3, 4, 4), size=pictures.shape[-2:], mode="bilinear") * draw.between(0, 0.25)[:, None, None, None]
    other = pictures.roll(1, 0).flip(-2)
    instead = torch.where(draw.chance(0.4)[:, None, None, None], other, colour + blotches)
    return torch.where(beyond[:, None], instead, pictures)


def cut(crops, grid):
    """Bytes [n, s, s, 3] sampled at the grid."""
    return F.grid_sample(crops.permute(0, 3, 1, 2).float() / 255, grid, align_corners=False)


def face_axes(grid, points):
    """Coordinates of each pixel in the face: `across` from the middle of the eyes and `down` to the mouth, both in units of the
    distance between eyes and mouth; and half the distance between the eyes. Points are from -1 to 1."""
    eyes, mouth = (points[:, 0] + points[:, 1]) / 2, points[:, 3]
    axis = mouth - eyes
    unit = axis.norm(dim=1).clamp(min=0.05)
    down = axis / unit[:, None]
    right = torch.stack([down[:, 1], -down[:, 0]], 1)
    offset = grid - eyes[:, None, None]
    along = lambda direction: (offset * direction[:, None, None]).sum(-1) / unit[:, None, None]
    half = ((points[:, 1] - points[:, 0]) * right).sum(1) / unit / 2
    return along(right), along(down), half


def each(values):
    return values[:, None, None]


def mask(pictures, draw, grid, points):
    """A mask over mouth and nose, over the mouth, or over the chin."""
    across, down, _ = face_axes(grid, points)
    upper = torch.where(draw.chance(0.75), draw.between(0.2, 0.55), draw.between(0.6, 1.3))
    edge = down - each(upper) - each(draw.between(-0.05, 0.25)) * across.abs()
    inside = 1 - (across / each(draw.between(0.9, 1.25))) ** 2 - ((down - 0.5) / each(draw.between(1.25, 1.6))) ** 2
    share = torch.sigmoid(edge / 0.03) * torch.sigmoid(inside / 0.06)
    pleats = 1 + each(draw.between(0, 0.15)) * torch.sin(down * each(draw.between(8, 25)))
    shade = pleats * (1 - each(draw.between(0, 0.35)) * across**2) * each(draw.between(0.6, 1.1))
    colour = torch.stack([draw.between(0.02, 1) for _ in range(3)], 1)
    pale = draw.chance(0.6)
    colour[pale] = 0.75 + 0.25 * colour[pale]
    return pictures * (1 - share[:, None]) + colour[:, :, None, None] * (shade * share)[:, None], share


def hidden(pictures, draw, grid, points):
    """Something before a part of the face: an ellipse or a rectangle of one colour, or of another picture."""
    across, down, _ = face_axes(grid, points)
    angle, high = draw.between(0, math.pi), draw.log_between(0.25, 0.9)
    wide = high * draw.log_between(0.4, 2.5)
    x, y = across - each(draw.gauss(0.6)), down - each(0.5 + draw.gauss(0.6))
    x, y = each(torch.cos(angle)) * x + each(torch.sin(angle)) * y, each(torch.cos(angle)) * y - each(torch.sin(angle)) * x
    power = each(torch.where(draw.chance(0.5), 2.0, 6.0))
    far = ((x / each(wide)).abs() ** power + (y / each(high)).abs() ** power) ** (1 / power)
    share = torch.sigmoid((1 - far) / each(draw.log_between(0.01, 0.08)))
    colour = torch.stack([draw.between(0.02, 1) for _ in range(3)], 1)[:, :, None, None]
    blotches = F.interpolate(draw.noise(draw.count, 3, 5, 5), size=pictures.shape[-2:], mode="bilinear") * draw.between(0, 0.2)[:, None, None, None]
    other = pictures.roll(1, 0).flip(-1).roll(pictures.shape[-1] // 3, -1)
    before = torch.where(draw.chance(0.5)[:, None, None, None], other, colour + blotches)
    return pictures * (1 - share[:, None]) + before * share[:, None], share


def glasses(pictures, draw, grid, points):
    """Frames, thin or thick; one in three with dark lenses, which alone count as covering."""
    across, down, half = face_axes(grid, points)
    wide, high = each(half * draw.between(0.7, 0.95)), each(half * draw.between(0.45, 0.8))
    round_ = each(torch.where(draw.chance(0.5), 2.0, 4.0))
    beside = (across.abs() - each(half)).abs() / wide
    lens = (beside**round_ + ((down - 0.06).abs() / high) ** round_) ** (1 / round_)
    thick = each(draw.log_between(0.04, 0.2))
    ring = torch.sigmoid((thick - (lens - 1).abs()) / 0.03)
    bridge = torch.sigmoid((thick / 5 - (down + 0.05).abs()) / 0.02) * torch.sigmoid((each(half) - wide - across.abs()) / 0.02)
    frame = torch.maximum(ring, bridge) * each(draw.between(0.6, 1))
    glass = torch.sigmoid((1 - lens) / 0.03)
    tint = torch.where(draw.chance(0.35), draw.between(0.5, 0.97), draw.between(0, 0.12))
    dark = glass * each(tint)
    colour = torch.stack([draw.between(0, 0.35) for _ in range(3)], 1)[:, :, None, None]
    return pictures * (1 - dark[:, None]) * (1 - frame[:, None]) + colour * frame[:, None], glass * each((tint > 0.7).float())


def light(pictures, draw):
    """Exposure, tone curve, white balance, contrast, colour."""
    four = lambda values: values[:, None, None, None]
    tint = torch.stack([torch.exp(draw.gauss(0.07)) for _ in range(3)], 1)[:, :, None, None]
    pictures = (pictures * tint * four(torch.exp(draw.gauss(0.2)))).clamp(1e-4, 1) ** four(torch.exp(draw.gauss(0.25)))
    grey = pictures.mean(1, keepdim=True)
    pictures = grey + (pictures - grey) * four(torch.where(draw.chance(0.06), 0.0, draw.between(0.6, 1.3)))
    middle = pictures.mean((2, 3), keepdim=True)
    return middle + (pictures - middle) * four(torch.exp(draw.gauss(0.15)))


def shadow(pictures, draw):
    """Less light on one side."""
    height, width = pictures.shape[-2:]
    angle = draw.between(0, 2 * math.pi)
    y, x = torch.meshgrid(torch.linspace(-1, 1, height, device=pictures.device), torch.linspace(-1, 1, width, device=pictures.device), indexing="ij")
    side = each(torch.cos(angle)) * x + each(torch.sin(angle)) * y + each(draw.between(-0.5, 0.5))
    return pictures * (1 - each(draw.between(0.2, 0.85)) * torch.sigmoid(side / each(draw.log_between(0.05, 0.6))))[:, None]


def blur(pictures, draw):
    """Out of focus, or moved: a Gaussian with two different deviations, in pixels of the net's input. Tells the larger one."""
    reach = torch.arange(-6.0, 7.0, device=pictures.device)
    y, x = torch.meshgrid(reach, reach, indexing="ij")
    angle, narrow = draw.between(0, math.pi), draw.log_between(0.3, 2.2)
    wide = torch.where(draw.chance(0.4), draw.log_between(0.8, 4.0), narrow)
    along, aside = each(torch.cos(angle)) * x + each(torch.sin(angle)) * y, each(torch.cos(angle)) * y - each(torch.sin(angle)) * x
    kernel = torch.exp(-((along / each(wide)) ** 2 + (aside / each(narrow)) ** 2) / 2)
    kernel = (kernel / kernel.sum((1, 2), keepdim=True)).repeat_interleave(3, 0)[:, None]
    n, _, height, width = pictures.shape
    padded = F.pad(pictures, [6] * 4, mode="replicate").reshape(1, 3 * n, height + 12, width + 12)
    return F.conv2d(padded, kernel, groups=3 * n).reshape(n, 3, height, width), torch.maximum(wide, narrow)


def small(pictures, draw):
    """A face with few pixels, enlarged; the same size for all of the batch. Tells the deviation of a Gaussian that is as wide."""
    side = int(draw.log_between(18, 64)[0])
    seen = F.interpolate(F.interpolate(pictures, size=side, mode="area"), size=pictures.shape[-2:], mode="bilinear")
    # A box and a triangle as wide as an enlarged pixel have variances of a twelfth and a sixth of it.
    return seen, torch.full_like(pictures[:, 0, 0, 0], 0.5 * pictures.shape[-1] / side)


def sensor_noise(pictures, draw):
    """Noise, partly coarser than a pixel, stronger where there is light. Tells its deviation at full light, 0 to 1."""
    n, _, height, width = pictures.shape
    fine, coarse = draw.noise(n, 3, height, width), draw.noise(n, 3, (height + 1) // 2, (width + 1) // 2)
    mixed = fine + F.interpolate(coarse, size=(height, width), mode="bilinear") * draw.between(0, 1.5)[:, None, None, None]
    deviation = draw.log_between(0.004, 0.09)
    return pictures + mixed * (deviation[:, None, None, None] * (0.4 + pictures.clamp(min=0).sqrt())), deviation


def jpeg(pictures, draw):
    """Compression (ITU-T T.81) with a quality of 8 to 95, the colours at half the resolution in half of the batches."""
    quality = draw.log_between(8, 95)
    factor = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    ycc = torch.einsum("ij,njhw->nihw", TO_YCC.to(pictures.device), pictures) * 255
    ycc[:, 0] -= 128
    halved = bool(draw.chance(0.5)[0])
    luma, chroma = ycc[:, :1], ycc[:, 1:]
    size = luma.shape[-2:]
    chroma = F.avg_pool2d(chroma, 2) if halved else chroma
    luma, chroma = quantised(luma, LUMA, factor), quantised(chroma, CHROMA, factor)
    chroma = F.interpolate(chroma, size=size, mode="bilinear") if halved else chroma
    ycc = torch.cat([luma + 128, chroma], 1) / 255
    return torch.einsum("ij,njhw->nihw", torch.linalg.inv(TO_YCC).to(pictures.device), ycc)


def quantised(planes, table, factor):
    n, channels, height, width = planes.shape
    padded = F.pad(planes, [0, -width % 8, 0, -height % 8], mode="replicate")
    blocks = padded.reshape(n, channels, padded.shape[2] // 8, 8, padded.shape[3] // 8, 8)
    dct = DCT.to(planes.device)
    step = (table.to(planes.device)[None] * factor[:, None, None]).clamp(1, 255)[:, None, None, :, None, :]
    values = torch.einsum("ka,ncyaxb,lb->ncykxl", dct, blocks, dct)
    values = torch.round(values / step) * step
    back = torch.einsum("ka,ncykxl,lb->ncyaxb", dct, values, dct)
    return back.reshape(padded.shape)[:, :, :height, :width]


# Half widths and heights of what must be seen, and its middle, in the units of `face_axes`; the eyes are half their distance aside.
MOUTH, NOSE, EYE = (0.45, 0.2, 1.0), (0.22, 0.22, 0.58), (0.22, 0.14, 0.0)


def covered(cover, grid, points):
    """Share of mouth, nose and eyes that something is before: [n, 3]; of the eyes, that of the eye that is seen less."""
    across, down, half = face_axes(grid, points)

    def share(middle, part):
        within = (((across - middle).abs() < part[0]) & ((down - part[2]).abs() < part[1])).float()
        return (cover * within).sum((1, 2)) / within.sum((1, 2)).clamp(min=1)

    eyes = torch.maximum(share(each(half), EYE), share(-each(half), EYE))
    return torch.stack([share(0, MOUTH), share(0, NOSE), eyes], 1)


def augmented(crops, points, photo, view, side, generator):
    """Bytes [n, s, s, 3], the six points of each face and the matrix to its photo, as pack.py has them, as the net sees them in
    training: [n, 3, side, side], -1 to 1; and what was done to them, which a net can learn to see [n, 5]: covered share of mouth, nose
    and eyes, blur (deviation, in hundredths of the side), noise (deviation, in hundredths of full light).

    Training photos often end where the face does, and photos of phones do not: so what the server would leave black is filled in
    most of them."""
    draw = Draw(len(crops), crops.device, generator)
    grid = views(draw, view, side)
    pictures = cut(crops, torch.where(draw.chance(0.4)[:, None, None, None], reflected(draw, grid, photo), grid))
    cover, blurred, noisy = torch.zeros_like(pictures[:, 0]), torch.zeros_like(pictures[:, 0, 0, 0]), torch.zeros_like(pictures[:, 0, 0, 0])
    some(pictures, 0.5, generator, surrounded, grid, photo)
    some(pictures, 0.10, generator, mask, grid, points, into=cover)
    some(pictures, 0.10, generator, glasses, grid, points, into=cover)
    some(pictures, 0.10, generator, hidden, grid, points, into=cover)
    some(pictures, 0.80, generator, light)
    some(pictures, 0.15, generator, shadow)
    some(pictures, 0.30, generator, blur, into=blurred)
    some(pictures, 0.10, generator, small, into=blurred)
    some(pictures, 0.30, generator, sensor_noise, into=noisy)
    some(pictures, 0.45, generator, jpeg)
    done = torch.cat([covered(cover, grid, points), 100 * blurred[:, None] / side, 100 * noisy[:, None]], 1)
    return pictures * 2 - 1, done


def plain(crops, view, side):
    """The same without any change."""
    return cut(crops, plain_views(len(crops), view, side, crops.device)) * 2 - 1
