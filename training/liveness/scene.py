"""Renders a picture as a camera takes it: of a person, or of a print, a display or a mask of a person held before it."""

from dataclasses import dataclass

import cv2
import numpy as np

import camera
import light as lit
import prints
import rooms
import screens
from seeded_random import SeededRandom

SPECIES = ("live", "print", "display", "replay", "mask")


@dataclass
class Person:
    """A prepared source photo (see sources.py)."""

    name: str
    kind: str
    picture: np.ndarray
    box: np.ndarray
    points: np.ndarray
    alpha: np.ndarray

    @property
    def side(self):
        return float(max(self.box[2] - self.box[0], self.box[3] - self.box[1]))

    @property
    def centre(self):
        return (self.box[:2] + self.box[2:]) / 2

    def margins(self):
        """Distance from the face's centre to each edge of the photo: left, top, right, bottom, in sides of the face."""
        height, width = self.picture.shape[:2]
        x, y = self.centre
        return np.array([x, y, width - x, height - y]) / self.side


@dataclass
class Shot:
    """A picture and the box of the face in it."""

    picture: np.ndarray
    box: np.ndarray
    species: str
    device: str
    camera: str


class PersonPool:
    """All people of one half, from whom shots are rendered. `sides` is the range of the longer side of a face's box, pixels."""

    def __init__(self, people, sides=(44, 190)):
        self.people = people
        self.sides = sides
        self.posed = [person for person in people if len(person.alpha)]
        self.photos = [person.picture for person in self.posed]
        # What attackers print and display: anybody but the people before a webcam.
        self.pictured = [person for person in people if person.kind != "webcam"]
        self.frames = np.stack([person.margins() for person in people])

    def shoot(self, species, seed, devices=None):
        """Renders one picture, which is determined by `seed`. `devices` restricts the printers or displays."""
        random = SeededRandom(SPECIES.index(species), seed)
        kind = camera.draw(random)
        if species == "live":
            person = random.pick(self.people)
            if person.kind == "webcam" or random.chance(0.06):
                return self._unprocessed(person, random)
            light, box, scale = self._before(person, random)
            device = "person"
        elif species == "mask":
            light, box, scale, device = self._mask(random, devices)
        else:
            light, box, scale, device = self._held_up(species, random, devices)
        if scale > 1:
            size = round(light.shape[1] / scale), round(light.shape[0] / scale)
            light = cv2.resize(light, size, interpolation=cv2.INTER_AREA)
            box = box / scale
        return Shot(camera.take(np.ascontiguousarray(light), kind, random), box, species, device, kind)

    def _unprocessed(self, person, random):
        """A photo without a simulated camera; it is only cropped, perhaps scaled, and compressed."""
        around = np.minimum(person.margins(), self._frame(random, False)) * person.side
        x, y = person.centre
        low = np.maximum(np.array([x, y]) - around[:2], 0).astype(int)
        high = (np.array([x, y]) + around[2:]).astype(int)
        picture = person.picture[low[1] : high[1], low[0] : high[0]]
        box = person.box - np.tile(low, 2)
        if random.chance(0.5):
            share = random.between(0.5, 1.0)
            picture = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
            box = box * share
        return Shot(lit.jpeg(np.ascontiguousarray(picture), random.between(70, 98)), box, "live", "person", person.kind)

    def _frame(self, random, widen):
        """Framing: distance from the face to each edge, drawn from the framings of all photos, tighter or wider."""
        around = random.pick(self.frames) * random.rng.uniform(0.55 if random.chance(0.3) else 0.85, 1.0, 4)
        if widen:
            bottom = around[3]
            around = random.rng.uniform(0.7, 2.0, 4)
            # The body of a live person ends where the photo does, so it must in half of the attacks as well.
            around[3] = bottom if random.chance(0.5) else around[3]
        # The widest crop shows no more than 1.5 sides; a selfie shows at least the whole face.
        return np.clip(around, 0.56, 1.5)

    def _before(self, person, random, largest=None):
        """A person before the camera: linear light, the face's box, and the pixels of light for one of the picture."""
        loose = len(person.alpha) and random.chance(0.55)
        around = self._frame(random, loose and random.chance(0.8))
        turn = random.gauss(5.0) if random.chance(0.7) else 0.0
        own = person.margins()
        if loose:
            around[3] = min(around[3], own[3] * 0.97)
        else:
            slack = abs(np.sin(np.radians(turn))) * 1.2
            around = np.maximum(np.minimum(around, own - slack), 0.5)
        face = random.log_between(self.sides[0], largest or self.sides[1])
        width, height = int(face * (around[0] + around[2])), int(face * (around[1] + around[3]))
        middle = np.array([around[0], around[1]]) * face
        to = _similar(person.centre, person.side, middle, face, turn, random.chance(0.5))
        light = _drawn(lit.linear(person.picture), to, face / person.side, (width, height))
        if loose:
            alpha = _drawn(person.alpha.astype(np.float32) / 255, to, face / person.side, (width, height))
            # A body that its photo cuts off at the side is cut off by the frame, too.
            back = rooms.room(height, width, random, self.photos)
            light = light * random.log_between(0.6, 1.6)
            light = back + (light - back) * np.clip(alpha, 0, 1)[..., None]
        light = _relit(light, middle, face, random)
        half = (person.box[2:] - person.box[:2]) / person.side * face / 2
        box = np.array([*(middle - half), *(middle + half)])
        self._points = _apply(to, person.points)
        return light, box, 1.0

    def _artwork(self, species, random):
        """The picture that an attacker prints or displays: bytes and the face's box."""
        person = random.pick(self.pictured)
        if random.chance(0.5):
            light, box, _ = self._before(person, random, max(self.sides[1], 240))
            picture = camera.take(light, random.pick(["webcam", "phone-old", "phone", "phone", "phone"]), random)
        else:
            picture, box = person.picture, person.box.astype(np.float64)
            if random.chance(0.5):
                picture = lit.jpeg(picture, random.between(50, 95))
        if species == "replay":
            picture, box = _frame_of_film(picture, box, random)
        return picture, box

    def _held_up(self, species, random, devices):
        picture, box = self._artwork(species, random)
        names = list(prints.PRINTERS if species == "print" else screens.SCREENS)
        device = random.pick([name for name in names if devices is None or name in devices])
        side = max(box[2] - box[0], box[3] - box[1])
        centre = (box[:2] + box[2:]) / 2
        tall, wide = picture.shape[:2]
        own = np.array([centre[0], centre[1], wide - centre[0], tall - centre[1]]) / side
        around = self._frame(random, random.chance(0.5))
        turn = random.gauss(6.0) if random.chance(0.8) else 0.0
        if random.chance(0.4):
            # So close that no edge of the sheet or display is visible.
            around = np.maximum(np.minimum(around, own * 0.93 - abs(np.sin(np.radians(turn)))), 0.5)
        face = random.log_between(*self.sides)
        # Fine structure is rendered larger, so that aliasing comes from the simulated sensor only.
        scale = 2.0 if face < 90 else 1.5 if face < 130 else 1.0
        face *= scale
        width, height = int(face * (around[0] + around[2])), int(face * (around[1] + around[3]))
        middle = np.array([around[0], around[1]]) * face
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        u, v, bend = _bent(x - middle[0], y - middle[1], face, turn, species == "print", random)
        # Positions on the sheet in pixels of light, with the centre of the artwork's face at 0, 0.
        share = face / side
        small = picture
        if share < 0.8:
            small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        grow = small.shape[1] / wide
        at_x, at_y = (u / share + centre[0]) * grow - 0.5, (v / share + centre[1]) * grow - 0.5
        art = cv2.remap(lit.linear(small), at_x.astype(np.float32), at_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        # Signed distance to the edge of the artwork in pixels of light; positive outside.
        reach = own * face
        out = np.maximum(np.maximum(-reach[0] - u, u - reach[2]), np.maximum(-reach[1] - v, v - reach[3]))
        if species == "print":
            light = self._sheet(art, (u, v), scale, device, out, bend, face, random)
        else:
            light = self._panel(art, (u, v), scale, device, out, face, species, random)
        if random.chance(0.45):
            _fingers(light, out, face, random)
        half = (box[2:] - box[:2]) / side * face / 2
        return light, np.array([*(middle - half), *(middle + half)]), scale, device

    def _sheet(self, art, at, scale, printer, out, bend, face, random):
        paper, glossy = prints.printed(art, at, scale, printer, random)
        rim = random.pick([0.0, random.between(0, 0.08), random.between(0.05, 0.3)]) * face
        edge = np.clip(out + 0.5, 0, 1)[..., None]
        blank = np.array([random.between(0.8, 0.95)] * 3, np.float32) * np.array([1, random.between(0.97, 1.0), random.between(0.9, 1.04)], np.float32)
        paper = paper + (blank - paper) * edge
        height, width = out.shape
        shade = 1 + random.between(0.1, 0.9) * bend
        shade = shade + np.linspace(-1, 1, width, dtype=np.float32)[None, :] * random.gauss(0.15)
        shade = shade + np.linspace(-1, 1, height, dtype=np.float32)[:, None] * random.gauss(0.15)
        paper = paper * np.clip(shade, 0.2, 2)[..., None]
        if glossy and random.chance(0.6):
            paper = paper + screens.reflections(height, width, random) * random.between(0.2, 1.0)
        room = rooms.room(height, width, random, self.photos) * random.between(0.6, 1.2)
        beyond = np.clip(out - rim + 0.5, 0, 1)
        shadow = lit.blurred(1 - beyond, random.between(0.01, 0.08) * face)
        room = room * (1 - random.between(0, 0.5) * shadow)[..., None]
        return paper + (room - paper) * beyond[..., None]

    def _panel(self, art, at, scale, screen, out, face, species, random):
        height, width = out.shape
        _, _, body = screens.SCREENS[screen]
        bars = random.pick([0.0, 0.0, random.between(0.02, 0.5)]) * face
        blank = random.pick([0.0, 0.0, 0.0, 0.95, 0.2])
        art = art + (blank - art) * np.clip(out + 0.5, 0, 1)[..., None]
        if species == "replay" and random.chance(0.4):
            _player(art, out, face, random)
        shown = screens.shown(art, at, scale, screen, random)
        shown = shown + screens.reflections(height, width, random) * random.between(0.1, 1.0)
        if random.chance(0.3):
            # Finger marks on the glass scatter light.
            haze = np.maximum(random.clouds(height, width, 0.3 * face, 3) - 0.8, 0) * random.between(0.005, 0.05)
            shown = shown + haze[..., None]
        rim = {"phone": (0.02, 0.12), "tablet": (0.08, 0.35), "laptop": (0.08, 0.5)}[body]
        rim = bars + random.between(*rim) * face
        case = random.pick([0.004, 0.01, 0.02, 0.5, 0.75]) * np.ones(3, np.float32)
        frame = np.empty_like(shown)
        frame[:] = case * random.between(0.6, 1.2)
        if case[0] < 0.1:
            frame += screens.reflections(height, width, random) * 0.5
        light = shown + (frame - shown) * np.clip(out - bars + 0.5, 0, 1)[..., None]
        # The camera exposes for the display, so the room is often dark.
        room = rooms.room(height, width, random, self.photos) * random.log_between(0.1, 1.2)
        return light + (room - light) * np.clip(out - rim + 0.5, 0, 1)[..., None]

    def _mask(self, random, devices):
        wearer, victim = random.pick(self.posed), random.pick(self.posed)
        light, box, _ = self._before(wearer, random, max(self.sides[1] - 40, 150))
        points = self._points
        names = [name for name in prints.PRINTERS if name != "laser-grey" and (devices is None or name in devices)]
        device = random.pick(names)
        scale = 2.0 if box[2] - box[0] < 80 else 1.5 if box[2] - box[0] < 150 else 1.0
        light = cv2.resize(light, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
        box, points = box * scale, points * scale
        height, width = light.shape[:2]
        face = max(box[2] - box[0], box[3] - box[1])
        size = random.between(0.98, 1.18)
        whole = random.chance(0.4)
        middle = (box[:2] + box[2:]) / 2 + random.rng.normal(0, 0.03 * face, 2)
        flip = (points[0, 0] > points[1, 0]) != (victim.points[0, 0] > victim.points[1, 0])
        to = _similar(victim.centre, victim.side, middle, face * size, random.gauss(5), flip)
        share = face * size / victim.side
        art = _drawn(lit.linear(victim.picture), to, share, (width, height))
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        # The sheet is bent around the head.
        u, v = (x - middle[0]) / face, (y - middle[1]) / face
        paper, glossy = prints.printed(art, (x, y), scale, device, random)
        paper = paper * (1 - random.between(0, 1.1) * u**2 + random.gauss(0.25) * u)[..., None]
        if glossy:
            paper = paper + screens.reflections(height, width, random) * random.between(0.1, 0.6)
        if whole:
            alpha = _drawn(victim.alpha.astype(np.float32) / 255, to, share, (width, height))
            alpha = np.where(v < random.between(0.55, 1.2), alpha, 0)
            rim = int(random.between(0, 0.05) * face) * 2 + 1
            cut = cv2.dilate(alpha, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (rim, rim)))
            paper = paper + (0.85 - paper) * np.clip(cut - alpha, 0, 1)[..., None]
        else:
            around = np.arctan2(v, u)
            wave = sum(random.gauss(0.02) * np.cos(k * around + random.between(0, 6)) for k in (2, 3, 5))
            radius = np.sqrt((u / random.between(0.46, 0.62)) ** 2 + (v / random.between(0.56, 0.78)) ** 2) + wave
            cut = np.clip((1 - radius) * 0.5 * face + 0.5, 0, 1)
        if random.chance(0.5):
            # Cut-out eye holes.
            for eye in points[:2]:
                rx, ry = random.between(0.07, 0.12) * face, random.between(0.035, 0.07) * face
                hole = np.sqrt(((x - eye[0]) / rx) ** 2 + ((y - eye[1]) / ry) ** 2)
                cut = cut * np.clip((hole - 1) * ry + 0.5, 0, 1)
        cut = cut.astype(np.float32)
        shadow = lit.blurred(cut, random.between(0.01, 0.05) * face)
        move = np.float32([[1, 0, random.gauss(0.03) * face], [0, 1, abs(random.gauss(0.03)) * face]])
        shadow = cv2.warpAffine(shadow, move, (width, height))
        bare = light * (1 - random.between(0.1, 0.7) * shadow)[..., None]
        level = max(float(np.median(lit.grey(light))), 0.02)
        paper = paper * random.log_between(0.7, 1.6) * np.clip(level / 0.25, 0.3, 1.5)
        return bare + (paper - bare) * cut[..., None], box, scale, device


def _similar(centre, side, middle, face, turn, mirror):
    """The similarity transform [2, 3] that maps `centre` to `middle` and the length `side` to `face`."""
    cos, sin = np.cos(np.radians(turn)) * face / side, np.sin(np.radians(turn)) * face / side
    linear = np.array([[cos, -sin], [sin, cos]])
    if mirror:
        linear = linear @ np.array([[-1, 0], [0, 1]])
    return np.hstack([linear, (np.asarray(middle) - linear @ np.asarray(centre))[:, None]])


def _apply(to, points):
    return points @ to[:, :2].T + to[:, 2]


def _drawn(light, to, share, size):
    """Warps `light` by a similarity transform; shrinks it with an area filter first, against aliasing."""
    if share < 0.8:
        light = cv2.resize(light, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        to = np.hstack([to[:, :2] / share, to[:, 2:]])
    return cv2.warpAffine(light, to, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _relit(light, middle, face, random):
    """Adds light from one side, as from a window, a lamp or a display near by."""
    if random.chance(0.35):
        return light
    height, width = light.shape[:2]
    x = (np.arange(width, dtype=np.float32)[None, :] - middle[0]) / face
    y = (np.arange(height, dtype=np.float32)[:, None] - middle[1]) / face
    angle, strength = random.between(0, 2 * np.pi), random.between(0, 0.8)
    fall = np.tanh(1.4 * (x * np.cos(angle) + y * np.sin(angle)))
    tint = np.array([np.exp(random.gauss(0.1)), 1, np.exp(random.gauss(0.1))], np.float32)
    return light * (1 + strength * fall[..., None] * tint).astype(np.float32)


def _bent(x, y, face, turn, paper, random):
    """Maps positions in the frame to positions on the sheet, both from the face's centre; and how the sheet's bend shades it."""
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    u, v = x * cos + y * sin, y * cos - x * sin
    depth = 1 + (random.gauss(0.05) * u + random.gauss(0.05) * v) / face
    u, v = u / depth, v / depth
    bend = np.zeros_like(u)
    if paper and random.chance(0.7):
        angle, length = random.between(0, np.pi), random.between(1.5, 6.0) * face
        phase, height = random.between(0, 2 * np.pi), random.between(0.0, 0.1)
        along = (u * np.cos(angle) + v * np.sin(angle)) * (2 * np.pi / length) + phase
        shift = height * face * (np.sin(along) - np.sin(phase))
        u, v = u + shift * np.cos(angle) * 0.5, v + shift * np.sin(angle) * 0.5
        bend = (np.cos(along) * height * 6).astype(np.float32)
        if random.chance(0.15):
            fold = u * np.sin(angle) + v * np.cos(angle) - random.gauss(0.5) * face
            bend = bend + random.between(-0.4, 0.4) * (fold > 0)
    return u.astype(np.float32), v.astype(np.float32), bend


def _frame_of_film(picture, box, random):
    """A frame of a video call or a clip: small, compressed, perhaps with motion."""
    side = max(box[2] - box[0], box[3] - box[1])
    share = min(1.0, random.log_between(60, 220) / side)
    film = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    if random.chance(0.5):
        move = np.float32([[1, 0, random.gauss(2.0)], [0, 1, random.gauss(1.0)]])
        later = cv2.warpAffine(film, move, film.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        film = cv2.addWeighted(film, 0.5, later, 0.5, 0)
    film = lit.jpeg(film, random.between(12, 55))
    if random.chance(0.5):
        film = cv2.GaussianBlur(film, (0, 0), random.between(0.4, 0.8))
    return film, box * share


def _fingers(light, out, face, random):
    """Fingers of the hand that holds the sheet or device, over its edge and lit like the rest."""
    edge = np.argwhere(np.abs(out) < 2)
    if len(edge) == 0:
        return
    skin = np.array([0.45, 0.26, 0.18], np.float32) * random.log_between(0.25, 1.5) * np.exp(random.gauss(0.1))
    y, x = edge[random.below(len(edge))]
    for _ in range(1 + random.below(4)):
        thick = random.between(0.05, 0.11) * face
        end = np.array([x, y]) + random.rng.normal(0, 0.12 * face, 2)
        start = end + random.rng.normal(0, 0.35 * face, 2)
        layer = np.zeros(light.shape[:2], np.float32)
        cv2.line(layer, tuple(int(c) for c in start), tuple(int(c) for c in end), 1.0, max(2, int(thick)), cv2.LINE_AA)
        shade = lit.blurred(layer, thick / 3)
        light += (skin * (0.5 + 0.6 * shade[..., None]) - light) * layer[..., None]


def _player(art, out, face, random):
    """Progress bar and buttons of a video player."""
    height, width = out.shape
    y = int(random.between(0.75, 0.97) * height)
    end = int(random.between(0.1, 0.9) * width)
    cv2.line(art, (0, y), (width, y), (0.5, 0.5, 0.5), max(1, int(0.015 * face)))
    cv2.line(art, (0, y), (end, y), random.pick([(0.9, 0.05, 0.05), (0.9, 0.9, 0.9), (0.05, 0.4, 0.9)]), max(1, int(0.02 * face)))
    if random.chance(0.3):
        cv2.circle(art, (int(random.between(0.1, 0.9) * width), y), max(2, int(0.06 * face)), (0.9, 0.9, 0.9), -1, cv2.LINE_AA)
