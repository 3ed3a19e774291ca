// What is kept under a passkey is forgotten. It belongs to no session: the address is `/age/keys`.

import { make } from "../shared/dom";
import { call, parse, patiently, Refused } from "../shared/network";
import { paragraph, primary, row } from "../shared/pieces";
import type { AgePaths, AnswerOf, BodyOf } from "../shared/schema";
import type { Screen } from "../shared/stage";
import { available, use } from "./passkeys";
import type { Texts } from "./texts";

const ADDRESS = "/age/v1/keys/forget";
type Forget = AgePaths[typeof ADDRESS]["post"];

/** What the page does for it. */
export interface Forgetting {
  /** The page's address up to `/age`. */
  base: string;
  texts: Texts;
  show(screen: Screen): void;
  say(words: string): void;
}

/** Explains what is forgotten, and forgets it once the key has answered. */
export function begin({ base, texts: { forget: say }, show, say: speak }: Forgetting): void {
  if (!available()) {
    show({ heading: say.heading, body: [paragraph(say.absent)], spoken: say.absent });
    return;
  }
  const why = make("p", { class: "why", hidden: true });
  const go = primary(say.go, () => {
    go.disabled = true;
    why.hidden = true;
    forget(base).then(
      (forgotten) => {
        const [heading, body] = forgotten ? [say.done, say.doneBody] : [say.nothing, say.nothingBody];
        show({ heading, body: [paragraph(body)], spoken: body });
      },
      (error: unknown) => {
        go.disabled = false;
        why.textContent = error instanceof Refused && error.code === "INVALID_STATUS" ? say.none : say.failed;
        why.hidden = false;
        speak(why.textContent);
        go.focus();
      },
    );
  });
  show({ heading: say.heading, body: [paragraph(say.body), why, row(go)] });
}

/** Whether there was something to forget. */
async function forget(base: string): Promise<boolean> {
  const asked = await ask(base, {});
  if (!asked || !("options" in asked)) {
    throw new TypeError("an answer that is no question");
  }
  const credential = await use(asked.options);
  const answer = await ask(base, { continuation: asked.continuation, credential });
  if (!answer || !("forgotten" in answer)) {
    throw new TypeError("an answer that does not say whether anything was forgotten");
  }
  return answer.forgotten;
}

async function ask(base: string, body: BodyOf<Forget>): Promise<AnswerOf<Forget> | undefined> {
  const headers = { "content-type": "application/json" };
  return parse((await patiently(() => call("POST", base + ADDRESS, headers, JSON.stringify(body)))).text);
}
