// Parts of the console's screens, as markup: what is drawn is said as well, and colours come with words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { AgeScale, MatchScale, MeasureScale, SimilarityScale } from "../../console/components/charts";
import { OutcomeBadge } from "../../console/components/finding";
import { Loading } from "../../console/components/screen";
import { Format, FormatProvider } from "../../console/texts";
import { notification } from "../browser/console-stand-in";

function markup(element: ReactElement, language: "en" | "de" = "en"): string {
  return renderToStaticMarkup(createElement(FormatProvider, { value: new Format(language, []) }, element));
}

test("a match says its distance and the limit, and whether it is one", () => {
  const match = markup(createElement(MatchScale, { distance: 0.4123, limit: 0.52 }));
  assert.match(match, /role="img" aria-label="Distance 0\.412\. Up to 0\.52 counts as the same person/);
  assert.match(match, /<figcaption>Distance 0\.412\./);
  const other = markup(createElement(MatchScale, { distance: 0.61, limit: 0.52 }));
  assert.match(other, /more than 0\.52: not a match/);
});

test("a similarity says whether it is one person's, beside its number or below its scale", () => {
  const same = markup(createElement(SimilarityScale, { similarity: 0.61, distance: 0.41 }));
  assert.match(same, /<figcaption>Similarity 0\.61\. From 0\.5 it counts as the same person/);
  const other = markup(createElement(SimilarityScale, { similarity: 0.4712, distance: 0.55, isShort: true }), "de");
  assert.match(other, /^<span class="short-scale">0,471 <svg/);
  assert.match(other, /aria-label="Similarity 0,471, less than 0,5: not sure/);
  assert.doesNotMatch(other, /<text|figcaption/);
});

test("the value and the limit lie where they belong on their scale", () => {
  const drawn = markup(createElement(MatchScale, { distance: 0.26, limit: 0.52 }));
  // The axis goes from 0 to twice the limit, from 10 to 310.
  assert.match(drawn, /class="scale-value"[^>]* cx="85"/);
  assert.match(drawn, /class="scale-limit" x1="160"/);
  const beyond = markup(
    createElement(MeasureScale, { label: "x", value: -3, limit: { at: 2, met: "above" }, tone: "bad" }),
  );
  assert.match(beyond, /cx="10"/);
});

test("an age has its interval and what is asked for, or as much of that as is known", () => {
  const whole = markup(createElement(AgeScale, { age: { years: 19.4, low: 14.6, high: 24.1, threshold: 18 } }));
  assert.match(whole, /Looks 19\.4 years old, most likely 14\.6 to 24\.1\. Must be 18 or older\./);
  assert.match(whole, /class="scale-interval" data-tone="warn"/);
  assert.doesNotMatch(markup(createElement(AgeScale, { age: { years: 19.4, threshold: 18 } })), /scale-interval/);
  assert.equal(markup(createElement(AgeScale, { age: { years: 19.4 } })), "<p>Looks 19.4 years old.</p>");
});

test("numbers are written as the reader's language does", () => {
  assert.match(markup(createElement(AgeScale, { age: { years: 19.4 } }), "de"), /19,4/);
  const format = new Format("en", ["de-AT", "en-GB"]);
  assert.equal(
    format.day("2026-12-03T12:00:00Z"),
    "3 Dec 2026",
    "of the reader's settings, those of the page's language",
  );
  assert.equal(format.fromNow("2026-01-16T14:40:00Z", Date.parse("2026-01-16T12:00:00Z")), "in 3 hours");
  assert.equal(format.fromNow("2026-01-16T11:59:00Z", Date.parse("2026-01-16T12:00:00Z")), "1 minute ago");
  assert.equal(format.span(90), "1 min");
  assert.equal(format.span(7 * 86_400), "7 days");
});

test("that something is fetched is said as well", () => {
  assert.match(markup(createElement(Loading)), /^<div class="loading" role="status">.*Loading/);
});

test("what members decided is a word, whatever its colour", () => {
  const badge = (average_score: number, total_revies: number) =>
    markup(
      createElement(OutcomeBadge, {
        notification: { ...notification(1, ["UNKNOWN_FACE"]), average_score, total_revies },
      }),
    ).replaceAll(/<[^>]+>/g, "");
  assert.equal(badge(0, 0), "Not decided");
  assert.equal(badge(100, 1), "Finding confirmed");
  assert.equal(badge(0, 2), "False alarm");
  assert.equal(badge(50, 2), "1 of 2 members confirm it");
});
