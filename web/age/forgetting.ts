// What is kept under a passkey is forgotten. It belongs to no session: the address is `/age/keys`.

import { make } from "../shared/dom";
import { call, parse, patiently, Refused } from "../shared/network";
import { paragraph, primary, row } from "../shared/pieces";
import type { Screen } from "../shared/stage";
import { available, use } from "./passkeys";
import { json } from "./session";
import type { Texts } from "./texts";

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
  const { options, continuation } = json(await ask(base, {}));
  const credential = await use(options);
  return json(await ask(base, { continuation, credential })).forgotten === true;
}

async function ask(base: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const url = `${base}/age/v1/keys/forget`;
  return parse((await patiently(() => call("POST", url, headers, JSON.stringify(body)))).text);
}
