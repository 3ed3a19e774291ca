// Pictures that a stand-in shows with cases: drawn by ffmpeg out of the photo that the tests' films are made of.

import { execFileSync } from "node:child_process";
import { PHOTO } from "./camera-film";

/** A square around the face in the middle of the photo. */
const FACE_SQUARE = { left: 998, top: 205, side: 320 };
/** The picture that the face is in: a third of the photo; and where the face is in that, as the server has it. */
export const FRAME = { width: 640, height: 450, edges: [68, 439, 175, 333] };

const made = new Map<string, Buffer>();

function draw(name: string, graph: string): Buffer {
  const known = made.get(name);
  if (known) {
    return known;
  }
  const out = ["-frames:v", "1", "-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "3", "-"];
  const drawn = execFileSync("ffmpeg", ["-v", "error", "-i", PHOTO, "-filter_complex", graph, ...out], {
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 8_000_000,
  });
  made.set(name, drawn);
  return drawn;
}

/** A square around the face, larger by `margin` pixels on each side. */
function faceCrop(margin: number, size: number): string {
  const { left, top, side } = FACE_SQUARE;
  return `crop=${side + 2 * margin}:${side + 2 * margin}:${left - margin}:${top - margin},scale=${size}:${size}`;
}

/** A picture by its name in a case: "face", "frame", "strip-1", "page-1", "portrait", "selfie". */
export function casePicture(name: string): Buffer {
  const strip = /^strip-(\d)$/.exec(name);
  if (strip) {
    return draw(name, faceCrop(8 * Number(strip[1]), 112));
  }
  switch (name) {
    case "frame":
      return draw(name, `scale=${FRAME.width}:${FRAME.height}`);
    case "enrolled-1":
    case "enrolled-2":
      return draw(name, `${faceCrop(30, 320)},hue=s=0.6,eq=brightness=0.05`);
    case "selfie":
      return draw(name, faceCrop(90, 480));
    case "portrait":
      return draw(name, `${faceCrop(40, 320)},hue=s=0.35`);
    case "page-1": {
      const lines = [0, 1, 2, 3, 4].map(
        (at) => `drawbox=x=330:y=${130 + 56 * at}:w=${380 - 40 * at}:h=20:c=0x2b3b4a:t=fill`,
      );
      const zone = [0, 1].map((at) => `drawbox=x=60:y=${500 + 50 * at}:w=840:h=22:c=0x20262c:t=fill`);
      const card = ["color=c=0xdfe7ea:s=960x620:d=1", ...lines, ...zone].join(",");
      return draw(name, `[0:v]${faceCrop(60, 230)}[face];${card}[card];[card][face]overlay=x=60:y=120`);
    }
    default:
      return draw("face", faceCrop(20, 320));
  }
}
