import assert from "node:assert/strict";
import { test } from "node:test";
import { adviseOnDocument, countEdges, type DocumentView, photoFaults } from "../../identity/document-guidance";
import { DwellTimer } from "../../shared/dwell-timer";
import type { Face } from "../../shared/face-detector";
import * as oval from "../../shared/face-guidance";
import { type Box, brightness, type GreyImage, sharpness, toGreyscale } from "../../shared/greyscale";

const [WIDTH, HEIGHT] = [320, 240];
const FRAME: Box = { left: 22, top: 33, width: 276, height: 174 };

/** A picture of which each pixel is made. */
function picture(of: (x: number, y: number) => number, width = WIDTH, height = HEIGHT): GreyImage {
  const data = Uint8Array.from({ length: width * height }, (_, at) => of(at % width, Math.floor(at / width)));
  return { width, height, data };
}

/** A light card on a dark table, moved and turned by so many pixels. */
function card(dx = 0, dy = 0, slant = 0, ground = 60, paper = 200): GreyImage {
  return picture((x, y) => {
    const [u, v] = [x - dx + (slant * (y - 120)) / 120, y - dy + (slant * (x - 160)) / 160];
    const on = u > FRAME.left && u < FRAME.left + FRAME.width && v > FRAME.top && v < FRAME.top + FRAME.height;
    return on ? paper : ground;
  });
}

/** Stripes whose edges are spread over so many pixels. */
function stripes(soft: number): GreyImage {
  return picture((x) => {
    const from = x % 24;
    const rise = Math.min(1, Math.max(0, (from - 4) / soft));
    const fall = Math.min(1, Math.max(0, (from - 16) / soft));
    return 60 + 140 * (rise - fall);
  });
}

function looking(grey: GreyImage, detail = stripes(1)): DocumentView {
  return { grey, frame: FRAME, detail };
}

test("colours become brightness", () => {
  const { data } = toGreyscale({
    width: 4,
    height: 1,
    data: [255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255],
  });
  assert.deepEqual([...data], [255, 76, 150, 29]);
});

test("a card that lies in the frame has four sides, near it and a little turned too", () => {
  for (const [dx, dy, slant] of [
    [0, 0, 0],
    [6, -5, 0],
    [-8, 4, 0],
    [0, 0, 4],
    [3, 3, -5],
  ] as const) {
    assert.equal(countEdges(card(dx, dy, slant), FRAME), 4, `${dx} ${dy} ${slant}`);
  }
  assert.equal(countEdges(card(0, 0, 0, 200, 90), FRAME), 4, "a dark one on a light table");
});

test("a table, noise, print and a card that lies elsewhere are no card in the frame", () => {
  let seed = 7;
  const noise = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return 90 + (seed % 60);
  };
  assert.ok(
    countEdges(
      picture(() => 120),
      FRAME,
    ) < 4,
  );
  assert.ok(countEdges(picture(noise), FRAME) < 4);
  assert.ok(countEdges(stripes(1), FRAME) < 4);
  assert.ok(countEdges(card(60, 0), FRAME) < 4);
  assert.ok(
    countEdges(
      picture((x) => (x < 60 ? 40 : 200)),
      FRAME,
    ) < 4,
  );
});

test("the most urgent advice comes first", () => {
  const good = looking(card());
  assert.equal(adviseOnDocument(looking(card(0, 0, 0, 10, 30)), undefined), "dark");
  assert.equal(adviseOnDocument(looking(picture(() => 255)), undefined), "bright");
  assert.equal(adviseOnDocument(looking(picture(() => 120)), undefined), "fit");
  const glare = card();
  for (let y = 90; y < 130; y += 1) {
    glare.data.fill(255, y * WIDTH + 140, y * WIDTH + 180);
  }
  assert.equal(adviseOnDocument(looking(glare), good), "glare");
  assert.equal(adviseOnDocument(good, undefined), "still", "nothing to compare with yet");
  assert.equal(adviseOnDocument(good, looking(card(8, 6, 0, 90, 170))), "still");
  assert.equal(adviseOnDocument(looking(card(), stripes(9)), good), "blurred");
  assert.equal(adviseOnDocument(good, good), "ready");
});

test("steep edges are sharp, spread ones are not, and without edges nothing is said", () => {
  const measured = [1, 2, 4, 8].map((soft) => sharpness(stripes(soft)) ?? 0);
  assert.deepEqual(
    measured,
    [...measured].sort((one, other) => other - one),
  );
  assert.ok((measured[0] ?? 0) > 0.9 && (measured[3] ?? 1) < 0.5, `${measured}`);
  assert.equal(sharpness(picture(() => 128)), undefined);
});

test("a photo's faults are named before it is sent", () => {
  const full = { width: 1600, height: 1200 };
  assert.deepEqual(photoFaults(full, card(), stripes(1)), []);
  assert.deepEqual(photoFaults({ width: 640, height: 480 }, card(), stripes(9)), ["small", "blurred"]);
  assert.deepEqual(
    photoFaults(
      full,
      picture(() => 20),
      stripes(1),
    ),
    ["dark"],
  );
  assert.deepEqual(
    photoFaults(
      full,
      picture(() => 255),
      stripes(1),
    ),
    ["bright"],
  );
});

test("one white pixel is no reflection", () => {
  const dot = card();
  dot.data[120 * WIDTH + 160] = 255;
  assert.equal(brightness(dot, FRAME).burnt, 0);
});

test("a picture is taken once it was right for a while, without a break", () => {
  const patience = new DwellTimer(500);
  assert.deepEqual(
    [
      [true, 0],
      [true, 400],
      [false, 450],
      [true, 460],
      [true, 900],
      [true, 960],
    ].map(([right, moment]) => patience.update(right as boolean, moment as number)),
    [false, false, false, false, false, true],
  );
});

const face = (width: number, more: Partial<Face> = {}): Face => {
  const height = width * 0.8;
  return { x: 0.5 - width / 2, y: 0.5 - height / 2, width, height, score: 0.9, ...more };
};

test("a face is led into the oval", () => {
  const grey = picture(() => 120, 120, 160);
  const look = (...faces: Face[]): oval.FaceView => ({ grey, faces });
  const told = (now: oval.FaceView, before = now) => oval.adviseOnFace(now, before, oval.PORTRAIT_WIDTH);
  assert.equal(told(look()), "find");
  assert.equal(told({ grey: picture(() => 10, 120, 160), faces: [] }), "dark");
  assert.equal(told(look(face(0.6), face(0.5, { x: 0 }))), "alone");
  assert.equal(told(look(face(0.6), face(0.2, { x: 0 }))), "ready", "somebody behind does not matter");
  assert.equal(told(look(face(0.2))), "closer");
  assert.equal(told(look(face(0.95))), "back");
  assert.equal(told(look(face(0.5, { x: 0.5 }))), "centre");
  assert.equal(told({ grey: picture(() => 250, 120, 160), faces: [face(0.6)] }), "bright");
  assert.equal(oval.adviseOnFace(look(face(0.6)), undefined, oval.PORTRAIT_WIDTH), "still");
});

test("seven pictures of an approach show a face that grows, the last ones near", () => {
  const approach = new oval.ApproachRecorder();
  const kept: number[] = [];
  for (let width = 0.3; !approach.done && width < 1; width += 0.01) {
    if (approach.add(width) === "keep") {
      kept.push(width);
    }
  }
  assert.equal(kept.length, oval.APPROACH_FRAMES);
  assert.equal(kept[0], 0.3);
  assert.ok((kept[6] ?? 0) >= oval.NEAR_WIDTH.min);
  assert.ok(kept.every((width, at) => at === 0 || width > (kept[at - 1] ?? 1)));
});

test("a jump is told from an approach, and begins anew", () => {
  const approach = new oval.ApproachRecorder();
  assert.deepEqual(
    [0.3, 0.31, 0.4, 0.7].map((width) => approach.add(width)),
    ["keep", "wait", "keep", "tooFast"],
  );
  assert.equal(approach.progress, 0);
});
