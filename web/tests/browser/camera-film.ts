// Films for a browser's pretended camera: a document that is held still, then a face that comes nearer.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [WIDTH, HEIGHT] = [1280, 720];
/** Pictures a second that are drawn, and that Chromium takes a film to have that does not say. */
const [FRAME_RATE, FILE_RATE] = [10, 30];
/** Of the models' packages, like the server's own tests; in the middle of it a woman looks into the camera. */
export const PHOTO = join(process.cwd(), "../models/node_modules/@vladmandic/face-api/demo/sample3.jpg");
/** What of it shows her and nobody else, and where her face is in that. */
const FACE_CROP = "crop=430:900:950:60";
const FACE = { x: 208, y: 305 };

/** Seconds of each part. */
const [CARD, STILL, NEARER] = [5, 5, 12];

/** Makes a film in a folder of its own; `remove` deletes it. */
export function makeFilm(): { file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "assay-film-"));
  const file = join(folder, "camera.mjpeg");
  const size = `${WIDTH}x${HEIGHT}`;
  // The page shows the middle 960 x 720, and in it a frame for a card of 826 x 521.
  const lines = Array.from({ length: 8 }, (_, line) => {
    const y = 190 + line * 48;
    const words = Array.from(
      { length: 22 - line },
      (_, word) => `drawbox=x=${500 + word * 22}:y=${y}:w=12:h=18:c=0x20262c:t=fill`,
    );
    return words.join(",");
  });
  const card = [
    `color=c=0x3b424a:s=${size}:r=${FRAME_RATE}:d=${CARD}`,
    "drawbox=x=227:y=100:w=826:h=521:c=0xdfe7ea:t=fill",
    "drawbox=x=270:y=200:w=190:h=250:c=0x8795a3:t=fill",
    ...lines,
  ].join(",");
  // From a face of a third of the window's width to one that nearly fills it: how many of the photo's rows are shown.
  const [far, near] = [1040, 560];
  const moment = `clip((t-${STILL})/${NEARER - 3}\\,0\\,1)`;
  const shown = `${far}*pow(${near}/${far}\\,${moment})`;
  const scale = `${HEIGHT}/(${shown})`;
  const face =
    `[1:v]fps=${FRAME_RATE},${FACE_CROP},scale=w='iw*${scale}':h='ih*${scale}':eval=frame,setsar=1[big];` +
    `color=c=0x6b7178:s=${size}:r=${FRAME_RATE}:d=${STILL + NEARER}[ground];` +
    `[ground][big]overlay=x='${WIDTH / 2}-${FACE.x}*${scale}':y='${HEIGHT / 2}-${FACE.y}*${scale}':eval=frame:shortest=1[face]`;
  const graph = `${card}[card];${face};[card][face]concat=n=2:v=1[out]`;
  const input = [
    "-f",
    "lavfi",
    "-i",
    "nullsrc=s=16x16:d=1",
    "-loop",
    "1",
    "-framerate",
    `${FRAME_RATE}`,
    "-t",
    `${STILL + NEARER}`,
    "-i",
    PHOTO,
  ];
  const out = [
    "-map",
    "[out]",
    "-r",
    `${FILE_RATE}`,
    "-c:v",
    "mjpeg",
    "-q:v",
    "4",
    "-pix_fmt",
    "yuvj420p",
    "-f",
    "mjpeg",
    file,
  ];
  execFileSync("ffmpeg", ["-v", "error", "-y", ...input, "-filter_complex", graph, ...out], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
