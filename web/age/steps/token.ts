// Step: get a blind token. An issuer checks the age in a tab of its own without learning for which business, and the
// business does not learn who the person is.

import { toBase64url } from "../../shared/bytes";
import { button, make } from "../../shared/dom";
import { paragraph, row, spinner } from "../../shared/elements";
import { safeUrl } from "../../shared/safe-url";
import { type BlindedToken, blindToken } from "../blind-tokens";
import { businessName } from "../screens";
import type { StepProblem, StepsByKind } from "../session";
import { interpolate } from "../texts";
import { listenForAnswers, NO_SIGNATURE, orderUrl } from "../token-request";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";

/** How often an embedded page polls whether the other tab is done. */
const FOLLOW_MS = 2500;

export function render(context: StepContext, step: StepsByKind["token"], problem: StepProblem | undefined): StepView {
  const { token: say, unknown } = context.texts;
  const unable = () =>
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), otherMethodRow(context)] });
  if (context.embedded) {
    // A frame and a tab share no BroadcastChannel, so the whole step is done in a tab.
    const link = make(
      "a",
      { href: context.sessionUrl, target: "_blank", rel: "noopener", class: "press" },
      say.frameOpen,
    );
    context.show({
      heading: say.heading,
      body: [paragraph(say.frame), row(link), otherMethodRow(context)],
      spoken: say.frame,
    });
    context.watch(FOLLOW_MS);
    return {};
  }
  const { challenge, key, threshold } = step;
  const page = safeUrl(step.issuer_url);
  if (!page || typeof crypto.subtle === "undefined") {
    unable();
    return {};
  }
  context.show({ heading: say.heading, body: [spinner()] });
  const channel = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  const back = page.origin === location.origin ? undefined : context.base;
  const told = { issuer: page.host, business: businessName(context.session, context.texts), age: threshold };
  const why = make("p", { class: "why", hidden: !problem }, problem ? problemText(problem, context.texts) : "");
  const waiting = make("p", { class: "followed", hidden: true }, say.waiting);
  // No referrer and no opener: the issuer gets only the URL fragment.
  const link = make(
    "a",
    { target: "_blank", rel: "noopener noreferrer", class: "press main" },
    interpolate(say.open, told),
  );
  link.addEventListener("click", () => {
    waiting.hidden = false;
    why.hidden = true;
    context.say(say.waiting);
  });
  const decline = button(say.decline, () => {
    decline.disabled = true;
    context.answer({ declined: true });
  });
  const declining = row(decline);
  declining.hidden = true;
  const tell = (words: string) => {
    waiting.hidden = true;
    why.textContent = words;
    why.hidden = false;
    context.say(words);
    link.focus();
  };

  // After each visit without a result the link gets a new token, so that the issuer cannot link the visits. Answers to
  // earlier tokens still count.
  const made: BlindedToken[] = [];
  const renew = async () => {
    const one = await blindToken(challenge, key);
    const url = orderUrl(page.href, { threshold, request: one.request, channel, back });
    if (!url) {
      throw new TypeError("no address");
    }
    made.unshift(one);
    link.href = url.href;
  };
  let ended = false;
  const hear = (response: string) => {
    if (response === NO_SIGNATURE) {
      // Only the person can give up, because another tab may still be working on it.
      declining.hidden = false;
      tell(say.nothing);
      renew().catch(() => undefined);
      return;
    }
    Promise.any(made.map(({ finish }) => finish(response))).then(
      (token) => {
        if (!ended) {
          ended = true;
          context.answer({ token });
        }
      },
      () => tell(say.failed),
    );
  };
  renew().then(() => {
    context.onLeave(listenForAnswers(channel, hear));
    const body = interpolate(say.why, told);
    context.show({
      heading: say.heading,
      body: [
        why,
        paragraph(body),
        paragraph(interpolate(say.how, told)),
        row(link),
        waiting,
        declining,
        otherMethodRow(context),
      ],
      spoken: problem ? problemText(problem, context.texts) : body,
    });
  }, unable);
  return {};
}
