import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { colourVariables, contrast } from "../../identity/brand-colours";
import { documentFrame } from "../../identity/document-capture";
import { EVENT_CODES, endMessage, redirectUrl } from "../../identity/event-codes";
import { parseSession, parseSessionQuery, parseShortLink, toShortLink } from "../../identity/session";
import { formatDuration, formatWait, interpolate, lookup } from "../../identity/texts";
import { cameraProblem } from "../../shared/camera";
import { alpha2, countryName, likelyCountry, sortedCountries } from "../../shared/countries";
import { createErrorReport } from "../../shared/error-report";
import { visibleCrop } from "../../shared/face-capture";

const ID = "0d6d9a5e-6c26-4c1f-9f7e-2f3a5b7c9d01";
const TOKEN = "7b1f0c2d-93a4-4e5b-8c6d-1e2f3a4b5c6d";

test("each way for a session to fail has its words", () => {
  const { over } = JSON.parse(readFileSync("identity/texts/en.json", "utf8"));
  for (const failure of Object.keys(EVENT_CODES)) {
    assert.ok(over[failure] && over[`${failure}Body`], failure);
  }
});

test("names are filled in, and keys of a server's are looked up as what they are", () => {
  assert.equal(interpolate("{at} of {of} {more}", { at: 1, of: 2 }), "1 of 2 {more}");
  assert.equal(lookup({ a: "b" }, "a"), "b");
  assert.equal(lookup({ a: "b" }, "toString"), undefined);
  assert.equal(lookup({ a: "b" }, undefined), undefined);
});

test("the time that is left is said in the largest unit that fits", () => {
  assert.equal(formatWait(9, "en"), "10 seconds");
  assert.equal(formatWait(86, "de"), "90 Sekunden");
  assert.equal(formatWait(90, "fr"), "2 minutes");
  assert.equal(formatWait(121, "es"), "3 minutos");
  assert.equal(formatDuration(600, "en"), "10 minutes");
  assert.equal(formatDuration(60, "en"), "1 minute");
  assert.equal(formatDuration(0, "en"), "1 minute");
  assert.equal(formatDuration(7199, "de"), "119 Minuten");
  assert.equal(formatDuration(86_400, "pl"), "24 godziny");
  assert.equal(formatDuration(2_592_000, "es"), "30 días");
});

test("a session comes from the address, or it is said what is missing", () => {
  assert.deepEqual(parseSessionQuery(`?sessionID=${ID}&sessionToken=${TOKEN}`), {
    id: ID,
    token: TOKEN,
    handedOff: false,
  });
  assert.deepEqual(parseSessionQuery(`?sessionId=${ID}&sessiontoken=${TOKEN}`), {
    id: ID,
    token: TOKEN,
    handedOff: false,
  });
  assert.equal(parseSessionQuery(""), undefined);
  assert.equal(parseSessionQuery(`?sessionID=${ID}`), "noToken");
  assert.equal(parseSessionQuery(`?sessionToken=${TOKEN}`), "noId");
  assert.equal(parseSessionQuery(`?sessionID=../x&sessionToken=${TOKEN}`), "notFound");
  assert.equal(parseSession(ID, "x"), "badToken");
  assert.equal(parseSession(7, TOKEN), "noId");
});

test("a short link holds both ids", () => {
  const short = toShortLink({ id: ID, token: TOKEN, handedOff: false });
  assert.equal(short.length, 43);
  assert.deepEqual(parseShortLink(short), { id: ID, token: TOKEN, handedOff: true });
  assert.equal(parseShortLink(`${short}A`), undefined);
});

test("endings have the codes of the interface", () => {
  assert.deepEqual(EVENT_CODES, {
    cancelled: 1000,
    badToken: 2000,
    notFound: 2001,
    expired: 2002,
    noToken: 2003,
    noId: 2004,
    serviceDown: 3000,
    network: 3001,
    cameraDenied: 4000,
    attemptsUsed: 4001,
    noCamera: 5000,
    unsupportedBrowser: 5001,
    livenessAttemptsUsed: 5002,
    cameraFailed: 5010,
    noDocuments: 7000,
  });
  assert.deepEqual(endMessage(undefined), { eventType: "SUCCESS", eventCode: 0 });
  assert.equal(
    redirectUrl("https://a.example/x?y=1", endMessage("cancelled")),
    "https://a.example/x?y=1&eventCode=1000",
  );
  assert.equal(redirectUrl("https://a.example/x", endMessage(undefined)), "https://a.example/x");
  assert.equal(redirectUrl("http://a.example/x", endMessage(undefined)), "http://a.example/x");
  assert.equal(redirectUrl("myapp://checked", endMessage("cancelled")), "myapp://checked?eventCode=1000");
  assert.equal(redirectUrl("javascript:alert(1)", endMessage(undefined)), undefined);
});

test("any colours of a business can be read, on light and on dark", () => {
  const tried = ["#ffe600", "#FFF", "#000000", "#ff0000", "#1f4f8f", "#7f7f7f", "#00ff88", "#0a0a40"];
  for (const [page, card] of [
    ["#f2f4f6", "#ffffff"],
    ["#0e1216", "#191f26"],
  ] as const) {
    for (const primary of tried) {
      for (const font of tried) {
        const made = colourVariables({ primary, secondary: font, font }, page, card);
        const at = `${primary} ${font} on ${page}`;
        assert.ok(contrast(made["--on-brand"] ?? "", made["--brand"] ?? "") >= 4.5, at);
        for (const ground of [page, card]) {
          assert.ok(contrast(made["--brand-edge"] ?? "", ground) >= 3, at);
          assert.ok(contrast(made["--accent"] ?? "", ground) >= 4.5, at);
          assert.ok(contrast(made["--trim"] ?? "", ground) >= 3, at);
        }
      }
    }
  }
  const good = colourVariables({ primary: "#1f4f8f", font: "#ffffff" }, "#f2f4f6", "#ffffff");
  assert.deepEqual(Object.values(good), ["#1f4f8f", "#1f4f8f", "#ffffff", "#1f4f8f"], "good ones stay");
  assert.deepEqual(colourVariables({ primary: "red; x" }, "#f2f4f6", "#ffffff"), {});
});

test("countries have their names, and the codes are those of the reader of documents", () => {
  assert.equal(countryName("DEU", "fr"), "Allemagne");
  assert.equal(countryName("XYZ", "en"), "XYZ");
  assert.deepEqual(
    sortedCountries(["SWE", "AUT", "DEU"], "de").map(({ code }) => code),
    ["DEU", "AUT", "SWE"],
  );
  assert.equal(likelyCountry(["en", "de-AT"], ["DEU", "AUT"]), "AUT");
  assert.equal(likelyCountry(["en-GB"], ["DEU"]), undefined);
  const source = readFileSync("../crates/documents/src/countries.rs", "utf8");
  const there = [...source.matchAll(/iso\("([A-Z]{3})",\s*"([A-Z]{2})"/g)];
  assert.ok(there.length > 240);
  for (const [, code, short] of there) {
    assert.equal(alpha2(code ?? ""), short, code);
  }
});

test("a mistake is told without its words", () => {
  const error = new TypeError("Ada Lovelace, 1815-12-10");
  error.stack =
    "TypeError: Ada Lovelace\n    at x (https://a.example/idverify/v1/web/assets/page-ABCD1234.js:3:456?token=1)";
  assert.deepEqual(createErrorReport(error, "camera"), {
    name: "TypeError",
    file: "page-ABCD1234.js-456",
    line: 3,
    screen: "camera",
  });
  assert.deepEqual(createErrorReport("words", "tips"), { name: "unknown", file: "", line: 0, screen: "tips" });
});

test("a browser's refusals of a camera have names", () => {
  const names = [
    "NotAllowedError",
    "SecurityError",
    "NotFoundError",
    "OverconstrainedError",
    "NotReadableError",
    "AbortError",
  ];
  assert.deepEqual(
    names.map((name) => cameraProblem({ name })),
    ["denied", "denied", "absent", "absent", "busy", "busy"],
  );
});

test("the window shows the middle of what the camera sees, and the frame lies in its middle", () => {
  assert.deepEqual(visibleCrop({ width: 1280, height: 720 }, 4 / 3), { x: 0.125, y: 0, width: 0.75, height: 1 });
  const tall = visibleCrop({ width: 480, height: 640 }, 4 / 3);
  assert.ok(Math.abs(tall.height - 0.5625) < 1e-9 && tall.width === 1);
  const { x, y, width, height } = documentFrame(4 / 3, 85.6 / 53.98);
  assert.ok(Math.abs((width * 4) / (height * 3) - 85.6 / 53.98) < 1e-9);
  assert.ok(Math.abs(x * 2 + width - 1) < 1e-9 && Math.abs(y * 2 + height - 1) < 1e-9);
  assert.ok(documentFrame(3 / 4, 210 / 297).height <= 0.861);
});
