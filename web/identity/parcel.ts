// What was taken and is on its way to the server: its pictures, how many of them are there, and the resource they are of.

import type { Progress } from "../shared/network";
import type { Portrait } from "../shared/portrait";
import type { Api } from "./api";
import { current, type State, sideOf } from "./journey";
import type { Taken } from "./screens";

export class Parcel {
  /** What was taken last and is not sent yet. */
  #pictures: Portrait[] = [];
  #taken: Taken | undefined;
  /** The resource of what is being done, once there is one, and how many of its pictures are sent. */
  #resource: string | undefined;
  #sent = 0;

  /** What is looked at before it is sent. */
  get taken(): Taken | undefined {
    return this.#taken;
  }

  get resource(): string {
    return this.#resource ?? "";
  }

  /** Keeps a picture of a document, or a file. */
  keep(blob: Blob, taken: Omit<Taken, "url">): void {
    this.forget();
    this.#pictures = [{ blob, face: undefined }];
    this.#taken = { ...taken, url: URL.createObjectURL(blob) };
  }

  keepFace(pictures: Portrait[]): void {
    this.forget();
    this.#pictures = pictures;
  }

  /** What was sent is not kept a moment longer. */
  forget(): void {
    if (this.#taken) {
      URL.revokeObjectURL(this.#taken.url);
    }
    this.#taken = undefined;
    this.#pictures = [];
    this.#sent = 0;
  }

  /** What is sent next is of another resource. */
  anew(): void {
    this.#resource = undefined;
  }

  /** Sends what was taken. Interrupted, it goes on with what did not arrive. */
  async send(api: Api, state: State, progress: Progress): Promise<void> {
    const of = this.#pictures.length;
    while (this.#sent < of) {
      await this.#put(api, state, (part) => progress((this.#sent + part) / of));
      this.#sent += 1;
    }
    const need = current(state);
    if (need?.kind === "LIVENESS" && need.zoom) {
      const frames = this.#pictures.map(({ face }, at) => ({ number: at + 1, face: face ?? null }));
      await api.facemap(this.resource, { version: 1, frames });
    }
    this.forget();
  }

  /** Sends the first picture that is not there, for a resource that is begun with it. */
  async #put(api: Api, state: State, progress: Progress): Promise<void> {
    const need = current(state);
    const blob = this.#pictures[this.#sent]?.blob;
    if (!need || !blob) {
      throw new Error("there is nothing to send");
    }
    const picture = { blob, method: state.by === "file" ? "UPLOAD" : "CAMERA" } as const;
    switch (need.kind) {
      case "ID_DOCUMENT":
        if (!state.choice) {
          throw new Error("nobody has said what document it is");
        }
        this.#resource ??= await api.beginDocument(state.choice, need.id);
        return api.page(this.#resource, sideOf(state).number, picture, progress);
      case "SUPPLEMENTARY_DOCUMENT":
        this.#resource ??= await api.beginLetter(need.id);
        return api.file(this.#resource, picture, progress);
      case "LIVENESS":
        this.#resource ??= await api.beginLiveness(need.zoom, need.id);
        return api.frame(this.#resource, need.zoom, this.#sent + 1, picture, progress);
      case "FACE_CAPTURE":
        this.#resource ??= await api.beginFace(need.id);
        return api.face(this.#resource, picture, progress);
    }
  }
}
