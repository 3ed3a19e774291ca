// What was taken and is on its way to the server: its pictures, how many of them are there, and the resource they are of.

import type { Portrait } from "../shared/face-capture";
import type { OnProgress } from "../shared/network";
import type { Api, JudgedFace } from "./api";
import type { CapturedPicture } from "./screens";
import { currentRequirement, currentSide, type State } from "./state-machine";

/** Of a letter of which nothing is asked. */
const NO_CHOICE = { country: undefined, type: undefined };

export class UploadQueue {
  /** What was taken last and is not sent yet. */
  #pictures: Portrait[] = [];
  #preview: CapturedPicture | undefined;
  /** The resource of what is being done, once there is one, and how many of its pictures are sent. */
  #resource: string | undefined;
  #sent = 0;
  /** What the server made of the face in the pictures. */
  #judged: JudgedFace | undefined;

  /** What is looked at before it is sent. */
  get preview(): CapturedPicture | undefined {
    return this.#preview;
  }

  get resource(): string {
    return this.#resource ?? "";
  }

  /** Keeps a picture of a document, or a file. */
  addPicture(blob: Blob, taken: Omit<CapturedPicture, "url">): void {
    this.clear();
    this.#pictures = [{ blob, face: undefined }];
    this.#preview = { ...taken, url: URL.createObjectURL(blob) };
  }

  addFace(pictures: Portrait[]): void {
    this.clear();
    this.#pictures = pictures;
  }

  /** What was sent is not kept a moment longer. */
  clear(): void {
    if (this.#preview) {
      URL.revokeObjectURL(this.#preview.url);
    }
    this.#preview = undefined;
    this.#pictures = [];
    this.#sent = 0;
  }

  /** What is sent next is of another resource. */
  startResource(): void {
    this.#resource = undefined;
    this.#judged = undefined;
  }

  /**
   * Sends what was taken. Interrupted, it goes on with what did not arrive. Answers what the server made of a face: one
   * that must be shown again is of another resource then.
   */
  async send(api: Api, state: State, progress: OnProgress): Promise<JudgedFace | undefined> {
    const of = this.#pictures.length;
    while (this.#sent < of) {
      this.#judged = (await this.#put(api, state, (part) => progress((this.#sent + part) / of))) ?? this.#judged;
      this.#sent += 1;
    }
    const requirement = currentRequirement(state);
    if (requirement?.kind === "LIVENESS" && requirement.zoom) {
      const frames = this.#pictures.map(({ face }, at) => ({ number: at + 1, face: face ?? null }));
      await api.putFaceMap(this.resource, { version: 1, frames });
    }
    this.clear();
    const judged = this.#judged;
    if (judged) {
      this.startResource();
    }
    return judged;
  }

  /** Sends the first picture that is not there, for a resource that is begun with it. */
  async #put(api: Api, state: State, progress: OnProgress): Promise<JudgedFace | undefined> {
    const requirement = currentRequirement(state);
    const blob = this.#pictures[this.#sent]?.blob;
    if (!requirement || !blob) {
      throw new Error("there is nothing to send");
    }
    const picture = { blob, method: state.by === "file" ? "UPLOAD" : "CAMERA" } as const;
    switch (requirement.kind) {
      case "ID_DOCUMENT":
        if (!state.choice) {
          throw new Error("nobody has said what document it is");
        }
        this.#resource ??= await api.beginDocument(state.choice, requirement.id);
        await api.putPage(this.#resource, currentSide(state).number, picture, progress);
        return undefined;
      case "SUPPLEMENTARY_DOCUMENT":
        this.#resource ??= await api.beginLetter(state.letter ?? NO_CHOICE, requirement.id);
        await api.putFile(this.#resource, picture, progress);
        return undefined;
      case "LIVENESS":
        this.#resource ??= await api.beginLiveness(requirement.zoom, requirement.id);
        return api.putFrame(this.#resource, requirement.zoom, this.#sent + 1, picture, progress);
      case "FACE_CAPTURE":
        this.#resource ??= await api.beginFace(requirement.id);
        await api.putFace(this.#resource, picture, progress);
        return undefined;
    }
  }
}
