// The camera: opened, looked through, and its failures by name.

/** Why there is no picture. */
export type CameraProblem = "denied" | "absent" | "busy" | "insecure" | "silent";

/** Which way it looks. */
export type Facing = "environment" | "user";

/** A camera that gives nothing for so long gives nothing at all. */
const FIRST_FRAME_TIMEOUT_MS = 8000;

/** No picture, and why. */
export class CameraError extends Error {
  constructor(readonly problem: CameraProblem) {
    super(`the camera: ${problem}`);
  }
}

/** What of a picture is wanted, as parts of its sides. */
export interface Crop {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const WHOLE: Crop = { x: 0, y: 0, width: 1, height: 1 };

/** An open camera that shows what it sees in a video element. */
export class Camera {
  readonly #stream: MediaStream;
  readonly #video: HTMLVideoElement;
  #closed = false;

  private constructor(stream: MediaStream, video: HTMLVideoElement) {
    this.#stream = stream;
    this.#video = video;
  }

  /** Opens one; throws `NoCamera` where there is none to be had. `lost` is called when it ends without being closed. */
  static async open(video: HTMLVideoElement, facing: Facing, lost: () => void, device?: string): Promise<Camera> {
    if (!isSecureContext) {
      throw new CameraError("insecure");
    }
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new CameraError("absent");
    }
    const which = device ? { deviceId: { exact: device } } : { facingMode: { ideal: facing } };
    const size = { width: { ideal: 1920 }, height: { ideal: 1080 } };
    const stream = await navigator.mediaDevices
      .getUserMedia({ video: { ...which, ...size }, audio: false })
      .catch((error) => Promise.reject(new CameraError(cameraProblem(error))));
    const camera = new Camera(stream, video);
    for (const track of stream.getVideoTracks()) {
      track.addEventListener("ended", () => camera.#closed || lost());
    }
    video.srcObject = stream;
    // A camera that gives nothing never begins to play, so nobody waits for that.
    video.play().catch(() => undefined);
    if (!(await firstFrame(video))) {
      camera.close();
      throw new CameraError("silent");
    }
    return camera;
  }

  /** Its id, and how many others there are. */
  async otherDevices(): Promise<string[]> {
    const mine = this.#stream.getVideoTracks()[0]?.getSettings().deviceId;
    const all = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    const cameras = all
      .filter(({ kind, deviceId }) => kind === "videoinput" && deviceId !== "")
      .map((one) => one.deviceId);
    const at = cameras.indexOf(mine ?? "");
    return [...cameras.slice(at + 1), ...cameras.slice(0, Math.max(0, at))];
  }

  /** Pixels of a picture. */
  get size(): { width: number; height: number } {
    return { width: this.#video.videoWidth, height: this.#video.videoHeight };
  }

  /** Draws a part of what it sees now into pixels of this size. */
  readPixels(crop: Crop, width: number, height: number, canvas: HTMLCanvasElement): ImageData {
    return drawCrop(this.#video, this.size, crop, width, height, canvas).getImageData(0, 0, width, height);
  }

  /** A part of what it sees now, as JPEG, in its own pixels. */
  takePhoto(crop: Crop, quality: number): Promise<Blob> {
    const width = Math.round(this.size.width * crop.width);
    const height = Math.round(this.size.height * crop.height);
    const canvas = document.createElement("canvas");
    drawCrop(this.#video, this.size, crop, width, height, canvas);
    return toJpeg(canvas, quality);
  }

  /** Stands still. */
  pause(): void {
    this.#video.pause();
  }

  /** Goes on after it stood still. */
  resume(): void {
    this.#video.play().catch(() => undefined);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    for (const track of this.#stream.getTracks()) {
      track.stop();
    }
    this.#video.srcObject = null;
  }
}

/** Draws a part of something into a canvas of this size. */
export function drawCrop(
  source: CanvasImageSource,
  size: { width: number; height: number },
  crop: Crop,
  width: number,
  height: number,
  canvas: HTMLCanvasElement,
): CanvasRenderingContext2D {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) {
    throw new Error("this browser draws nothing");
  }
  const [x, y] = [crop.x * size.width, crop.y * size.height];
  context.drawImage(source, x, y, crop.width * size.width, crop.height * size.height, 0, 0, width, height);
  return context;
}

export function toJpeg(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error("this browser makes no JPEG")));
    canvas.toBlob(done, "image/jpeg", quality);
  });
}

/** What a browser's refusal means. */
export function cameraProblem(error: unknown): CameraProblem {
  switch ((error as { name?: string } | null)?.name) {
    case "NotAllowedError":
    case "PermissionDeniedError":
    case "SecurityError":
      return "denied";
    case "NotFoundError":
    case "DevicesNotFoundError":
    case "OverconstrainedError":
      return "absent";
    // Another program has it, or the system took it away.
    default:
      return "busy";
  }
}

function firstFrame(video: HTMLVideoElement): Promise<boolean> {
  return new Promise((resolve) => {
    const started = performance.now();
    const ask = () => {
      if (video.readyState >= video.HAVE_CURRENT_DATA && video.videoWidth > 0) {
        resolve(true);
      } else if (performance.now() - started > FIRST_FRAME_TIMEOUT_MS) {
        resolve(false);
      } else {
        setTimeout(ask, 100);
      }
    };
    ask();
  });
}
