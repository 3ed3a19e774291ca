// The net for faces, on a photo of the models' packages: what it finds must be where the face is.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { DETECTOR_INPUT_PX, FaceDetector } from "../../shared/face-detector";

const PHOTO = "../models/node_modules/@vladmandic/face-api/demo/sample3.jpg";

/** A part of the photo as the net wants it. */
function part(crop: string): Uint8ClampedArray {
  const how = [
    "-vf",
    `crop=${crop},scale=${DETECTOR_INPUT_PX}:${DETECTOR_INPUT_PX}`,
    "-frames:v",
    "1",
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgba",
    "-",
  ];
  return new Uint8ClampedArray(execFileSync("ffmpeg", ["-v", "error", "-i", PHOTO, ...how]));
}

test("the face of a photo is found where it is, and none where there is none", () => {
  const name = readdirSync("dist/identity/assets").find((file) => file.endsWith(".bin")) ?? "";
  const file = readFileSync(`dist/identity/assets/${name}`);
  const net = new FaceDetector(Uint8Array.from(file).buffer);
  // A woman, whose eyes lie at (1158, 320) of the photo, in the middle of a square of 700.
  const [face, ...others] = net.detect(part("700:700:808:0"));
  assert.ok(face && face.score > 0.5, JSON.stringify(face));
  assert.ok(
    face.x < 0.5 && face.x + face.width > 0.5 && face.y < 0.457 && face.y + face.height > 0.457,
    JSON.stringify(face),
  );
  assert.ok(face.width > 0.25 && face.width < 0.7);
  assert.ok(others.every(({ score }) => score < face.score));
  assert.deepEqual(net.detect(part("300:300:0:1000")), [], "a sofa");
});
