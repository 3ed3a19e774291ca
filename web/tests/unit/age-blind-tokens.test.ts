// Blind tokens as the page makes them, and what passes between its tabs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { blindToken } from "../../age/blind-tokens";
import { answerUrl, orderUrl, parseAnswer, parseOrder } from "../../age/token-request";
import { CHALLENGE, isValidToken, PUBLIC_KEY, sign } from "../token-issuer";

test("a token is signed by who cannot read it, and holds", async () => {
  const { request, finish } = await blindToken(CHALLENGE, PUBLIC_KEY);
  const response = sign(request);
  const token = await finish(response);
  assert.ok(isValidToken(token));
  assert.equal(Buffer.from(token, "base64url").length, 354);
  // What the issuer saw and what is shown have no eight bytes in common.
  const seen = Buffer.concat([request, response].map((text) => Buffer.from(text, "base64url")));
  const shown = Buffer.from(token, "base64url");
  for (let at = 0; at + 8 <= shown.length; at += 1) {
    assert.equal(seen.indexOf(shown.subarray(at, at + 8)), -1, String(at));
  }
  const again = await blindToken(CHALLENGE, PUBLIC_KEY);
  assert.notEqual(again.request, request);
  // Another's answer is none, nor is a damaged one.
  await assert.rejects(again.finish(response));
  await assert.rejects(finish(`${response.startsWith("B") ? "C" : "B"}${response.slice(1)}`));
});

test("a key of another form is refused", async () => {
  const spki = Buffer.from(PUBLIC_KEY, "base64url");
  for (const at of [0, 40, 66, spki.length - 1]) {
    const other = Buffer.from(spki);
    other[at] = (other[at] ?? 0) ^ 1;
    await assert.rejects(blindToken(CHALLENGE, other.toString("base64url")), String(at));
  }
  await assert.rejects(blindToken(CHALLENGE, spki.subarray(1).toString("base64url")));
  await assert.rejects(blindToken(CHALLENGE, ""));
});

test("the bytes that crates/age_methods is shown are of this page", () => {
  const { challenge, request, response, token } = JSON.parse(readFileSync("tests/vectors/blind-token.json", "utf8"));
  assert.equal(challenge, CHALLENGE);
  assert.equal(sign(request), response);
  assert.ok(isValidToken(token));
});

test("an order stands after # and is read with care", async () => {
  const { request } = await blindToken(CHALLENGE, PUBLIC_KEY);
  const order = { threshold: 18, request, channel: "A".repeat(22), back: undefined };
  const url = orderUrl("https://issuer.example/age/issue", order);
  assert.equal(url?.href.split("#")[0], "https://issuer.example/age/issue");
  assert.deepEqual(parseOrder(url?.hash ?? ""), order);
  const elsewhere = { ...order, back: "https://shop.example/sandbox" };
  assert.deepEqual(parseOrder(orderUrl("https://issuer.example/age/issue", elsewhere)?.hash ?? ""), elsewhere);
  for (const empty of [
    "https://shop.example/sandbox/",
    "https://shop.example/sandbox?",
    "https://shop.example/sandbox#",
  ]) {
    const { hash = "" } = orderUrl("https://issuer.example/age/issue", { ...order, back: empty }) ?? {};
    assert.deepEqual(parseOrder(hash), elsewhere);
  }
  assert.equal(orderUrl("javascript:alert(1)", order), undefined);
  for (const wrong of [
    { threshold: 1.5 },
    { request: request.slice(1) },
    { request: `${request.slice(1)}.` },
    { channel: "short" },
    { back: "javascript:alert(1)" },
    { back: "http://shop.example" },
    { back: "https://shop.example/?next=https://evil.example" },
    { back: "https://shop.example/#x" },
  ]) {
    const words = { t: 18, r: request, c: order.channel, ...(wrong.back ? { b: wrong.back } : {}) };
    const { threshold: t = words.t, request: r = words.r, channel: c = words.c } = wrong as Partial<typeof order>;
    const hash = new URLSearchParams({ ...words, t: String(t), r, c });
    assert.equal(parseOrder(`#${hash}`), undefined, JSON.stringify(wrong));
  }
  assert.equal(parseOrder(""), undefined);
});

test("an answer goes to the servers that the issuer names, and to nobody else", () => {
  const [channel, response] = ["c".repeat(22), "r".repeat(342)];
  const kept = { id: "1", key: "k", threshold: 18, request: "", channel, redeemers: ["https://shop.example"] };
  const back = answerUrl({ ...kept, back: "https://shop.example/sandbox" }, response);
  assert.equal(back, `https://shop.example/sandbox/age/return#answer=${channel}.${response}`);
  assert.deepEqual(parseAnswer(new URL(back ?? "").hash), { channel, response });
  for (const other of ["https://shop.example.evil", "https://evil.example", "http://shop.example", undefined]) {
    assert.equal(answerUrl({ ...kept, back: other }, response), undefined, other);
  }
  for (const hash of ["", "#answer=", `#answer=${channel}`, `#answer=${channel}.x`, `#answer=x.${response}`]) {
    assert.equal(parseAnswer(hash), undefined, hash);
  }
});
