// Tells whether a delivery is genuine, with what Node brings along.
//
// `verify` is what a receiver needs. Run as a filter, this reads header lines, an empty line and the body:
// WEBHOOK_SECRET=whsec_… node receiver.mjs < delivery
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TOLERANCE = 5 * 60; // seconds

// The delivery's id; throws where it is not genuine. Names of `headers` are in lower case, as Node gives them; `body`
// is a Buffer with the raw bytes.
export function verify(secret, headers, body) {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    if (!headers[name]) throw new Error(`${name} is missing`);
  }
  const { "webhook-id": delivery, "webhook-timestamp": timestamp } = headers;
  // Each attempt is signed anew, so an old timestamp is a replay, or one of the clocks is wrong.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE)) {
    throw new Error("it was not signed within five minutes of now");
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${delivery}.${timestamp}.`).update(body).digest();
  // While the secret is being changed there are two: "v1,… v1,…".
  for (const signature of headers["webhook-signature"].split(" ")) {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    if (version === "v1" && given.length === expected.length && timingSafeEqual(given, expected)) return delivery;
  }
  throw new Error("no signature is right");
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const delivery = readFileSync(0);
  const end = delivery.indexOf("\n\n");
  const lines = delivery.toString("utf8", 0, end).split("\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  try {
    console.log("genuine:", verify(process.env.WEBHOOK_SECRET, headers, delivery.subarray(end + 2)));
  } catch (problem) {
    console.error(`refused: ${problem.message}`);
    process.exitCode = 1;
  }
}
