// Asks somebody to show that they are 18 or over, with what Node brings along: node age-session.mjs CREDENTIALS.json
//
// Prints the address of the page for them, waits until they are done, and prints the result. With `--sandbox` the session is
// one of the sandbox, where whoever is in a photo is thirty.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const [credentialsFile] = process.argv.slice(2);
const { base_url, sdk_id, api_key } = JSON.parse(readFileSync(credentialsFile, "utf8"));
const base = `${base_url}${process.argv.includes("--sandbox") ? "/sandbox" : ""}/api/v1`;

async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${api_key}`, "Svc-Sdk-Id": sdk_id };
  if (body) {
    headers["Content-Type"] = "application/json";
    // A request that is repeated with the same key is answered alike, so a lost answer makes nothing twice.
    headers["Idempotency-Key"] = randomUUID();
  }
  const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const session = await call("POST", "/sessions", {
  type: "OVER",
  ttl: 900,
  age_estimation: { threshold: 18, level: "PASSIVE" },
  doc_scan: { threshold: 18, authenticity: "AUTO" },
});
console.log(session.url);

// Instead of asking again and again, name a `notification_url`: your server is told, signed. Then a `callback_url` brings the
// person back to you.
let record;
do {
  await setTimeout(1000);
  record = await call("GET", `/sessions/${session.id}/result`);
} while (
  ["PENDING", "IN_PROGRESS", "PROCESSING"].includes(record.status) &&
  Date.now() < Date.parse(record.expires_at)
);
console.log(JSON.stringify({ session: session.id, status: record.status, method: record.method }));
process.exitCode = record.status === "COMPLETE" ? 0 : 1;
