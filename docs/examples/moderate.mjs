// Has a picture moderated, with what Node brings along: node moderate.mjs CREDENTIALS.json https://…/picture.jpg
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const [credentialsFile, url] = process.argv.slice(2);
const { base_url, sdk_id, api_key } = JSON.parse(readFileSync(credentialsFile, "utf8"));

async function ask(method, path, body) {
  // A request that is repeated with the same key is answered alike, so a lost answer makes nothing twice.
  const headers = { Authorization: api_key, "Svc-Sdk-Id": sdk_id, "Idempotency-Key": randomUUID() };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(`${base_url}/accounts${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

// An account is a world of its own: contents, people, members, notifications. You will keep yours.
const { id: account } = await ask("POST", "", { name: `Trial ${randomUUID()}` });
try {
  const { id: content } = await ask("POST", `/${account}/contents`, { url, type: "IMAGE" });
  const wishes = { content_id: content, unknown_faces: true, age_estimation: 18 };
  const { id: moderation } = await ask("POST", `/${account}/moderations`, wishes);
  // Instead of asking again and again, name `web_destinations`: your server is told, signed.
  let about;
  do {
    await setTimeout(250);
    about = (await ask("GET", `/${account}/moderations/${moderation}/details`)).contents;
  } while (["QUEUED", "RUNNING"].includes(about.state));
  if (about.state !== "DONE") throw new Error(JSON.stringify(about.error));
  console.log(JSON.stringify(await ask("GET", `/${account}/moderations/${moderation}/report`), null, 2));
} finally {
  // Deletes everything under it.
  await ask("DELETE", `/${account}`);
}
