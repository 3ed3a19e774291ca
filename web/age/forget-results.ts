// The page `/age/keys`: deletes the results that are kept under a passkey. It belongs to no session.

import { make } from "../shared/dom";
import { paragraph, primaryButton, row } from "../shared/elements";
import { parseObject, RefusedError, sendRequest, withRetries } from "../shared/network";
import type { Screen } from "../shared/page-layout";
import { getPasskey, passkeysSupported } from "../shared/passkeys";
import type { AgePaths, RequestBodyOf, ResponseOf } from "../shared/schema";
import { noteResultKept } from "./kept-here";
import type { Texts } from "./texts";

const ADDRESS = "/age/v1/keys/forget";
type Forget = AgePaths[typeof ADDRESS]["post"];

export interface ForgetContext {
  /** The page's address up to `/age`. */
  base: string;
  texts: Texts;
  show(screen: Screen): void;
  say(words: string): void;
}

/** Explains what is deleted, and deletes it once the passkey was used. */
export function showForgetScreen({ base, texts: { forget: say }, show, say: speak }: ForgetContext): void {
  if (!passkeysSupported()) {
    show({ heading: say.heading, body: [paragraph(say.absent)], spoken: say.absent });
    return;
  }
  const why = make("p", { class: "why", hidden: true });
  const go = primaryButton(say.go, () => {
    go.disabled = true;
    why.hidden = true;
    forget(base).then(
      (forgotten) => {
        noteResultKept(base, false);
        const [heading, body] = forgotten ? [say.done, say.doneBody] : [say.nothing, say.nothingBody];
        show({ heading, body: [paragraph(body)], spoken: body });
      },
      (error: unknown) => {
        go.disabled = false;
        why.textContent = error instanceof RefusedError && error.code === "INVALID_STATUS" ? say.none : say.failed;
        why.hidden = false;
        speak(why.textContent);
        go.focus();
      },
    );
  });
  show({ heading: say.heading, body: [paragraph(say.body), why, row(go)] });
}

/** Returns whether there was something to delete. */
async function forget(base: string): Promise<boolean> {
  const asked = await sendForget(base, {});
  if (!asked || !("options" in asked)) {
    throw new TypeError("an answer that is no question");
  }
  const credential = await getPasskey(asked.options);
  const answer = await sendForget(base, { continuation: asked.continuation, credential });
  if (!answer || !("forgotten" in answer)) {
    throw new TypeError("an answer that does not say whether anything was forgotten");
  }
  return answer.forgotten;
}

async function sendForget(base: string, body: RequestBodyOf<Forget>): Promise<ResponseOf<Forget> | undefined> {
  const headers = { "content-type": "application/json" };
  return parseObject(
    (await withRetries(() => sendRequest("POST", base + ADDRESS, headers, JSON.stringify(body)))).text,
  );
}
