// Results kept under a passkey, on the page of age sessions.

import { method } from "../age-responses";
import { addAuthenticator, press, pressableElement } from "./actions";
import { accessible, arrive, heading, keep, OVER, says, test } from "./age-page";
import { expect } from "./fixtures";

test("a passkey is made after a passed check, and used for the next", async ({ page, server }) => {
  server.methods = [method("SVC_KEY")];
  server.view = { offers: { key: true, proof: false }, callback: null };
  const credentials = await addAuthenticator(page);
  const address = server.page("svc_key").replace(server.origin, server.named);
  await page.goto(address);
  await heading(page, "Use your passkey");
  await accessible(page, "the passkey");
  await keep(page, "23-passkey");
  await press(page, "Use the passkey");
  await says(page, "No passkey was used.");
  await accessible(page, "no passkey");

  server.status = "COMPLETE";
  await arrive(page, address);
  await heading(page, "Your age is confirmed");
  await press(page, "Keep this proof on this device");
  await says(page, "It is kept.");
  const { credential, continuation } = server.last(/key/) as {
    credential: Record<string, object>;
    continuation: string;
  };
  expect(continuation).toBe("k1");
  expect(credential.response).toHaveProperty("attestationObject");

  server.status = "PENDING";
  server.methods = [method("SVC_KEY")];
  server.view = { callback: null };
  await arrive(page, address);
  await press(page, "Use the passkey");
  await heading(page, "Your age is confirmed");
  const used = server.last(/ID$/) as { credential: { id: string; response: object } };
  expect(used.credential.response).toHaveProperty("signature");
  const ids = (await credentials()).map(({ credentialId }) =>
    Buffer.from(credentialId, "base64").toString("base64url"),
  );
  expect(ids).toEqual([used.credential.id]);
});

test("a passkey is tried by itself at the start where a result was kept, and nobody is asked to choose it", async ({
  page,
  server,
}) => {
  const silent = () => [method("SVC_KEY", { silent: true }), method("EMAIL")];
  server.methods = silent();
  server.view = { callback: null };
  await addAuthenticator(page);
  const address = server.page().replace(server.origin, server.named);
  await page.goto(address);
  await heading(page, OVER);
  await expect(page.locator(".ways button")).toHaveCount(1);
  await keep(page, "23-silent-not-offered");

  server.status = "COMPLETE";
  server.view = { offers: { key: true, proof: false }, callback: null };
  await arrive(page, address);
  await press(page, "Keep this proof on this device");
  await says(page, "It is kept.");

  server.status = "PENDING";
  server.methods = silent();
  server.view = { callback: null };
  await arrive(page, address);
  await heading(page, "Your age is confirmed");
  expect(server.last(/ID$/)).toHaveProperty("credential");

  // Without the passkey the page goes on as if it had not been tried.
  server.status = "PENDING";
  server.methods = silent();
  await page.addInitScript(() => {
    // An insecure page, such as the empty one, has none.
    if (navigator.credentials) {
      navigator.credentials.get = async () => {
        throw new DOMException("", "NotAllowedError");
      };
    }
  });
  await arrive(page, address);
  await heading(page, OVER);
  await expect(page.locator(".ways button")).toHaveCount(1);
});

test("a passkey under which nothing is kept any more is tried no more, and is no failure of the person's", async ({
  page,
  server,
}) => {
  const begin = () => {
    [server.status, server.result] = ["PENDING", null];
    server.methods = [method("SVC_KEY", { silent: true }), method("EMAIL")];
    server.view = { callback: null, privacy_policy: "https://shop.example/privacy" };
  };
  const kept = () => page.evaluate(() => Object.keys(localStorage));
  const keepResult = async (address: string) => {
    server.status = "COMPLETE";
    server.view = { offers: { key: true, proof: false }, callback: null };
    await arrive(page, address);
    await press(page, "Keep this proof on this device");
    await says(page, "It is kept.");
  };
  await addAuthenticator(page);
  const [address, sandbox] = ["", "/sandbox"].map((base) =>
    server.page("", "", base).replace(server.origin, server.named),
  ) as [string, string];
  server.methods = [method("SVC_KEY", { silent: true })];
  await keepResult(address);
  expect(await kept()).toEqual(["assay-kept"]);

  // The sandbox has results of its own.
  begin();
  await arrive(page, sandbox);
  await heading(page, OVER);
  expect(server.count(/^POST \/attempts$/)).toBe(0);
  await keepResult(sandbox);
  expect((await kept()).sort()).toEqual(["assay-kept", "assay-kept/sandbox"]);

  begin();
  const script = server.scripts.SVC_KEY;
  server.scripts.SVC_KEY = (input, turn) =>
    input ? { ends: "NEXT", reason: "NO_KEY" } : (script?.(input, turn) ?? { ends: "ERROR" });
  await arrive(page, address);
  await heading(page, OVER);
  await says(page, "Demo shop asks for this before you go on.");
  await expect(page.locator(".links a").first()).toHaveAttribute("href", "https://shop.example/privacy");
  await expect(page.locator("body")).not.toContainText("Passkey: your age could not be confirmed");
  await accessible(page, "after a passkey of no use");
  expect(server.count(/^POST \/attempts$/)).toBe(1);
  expect(await kept()).toEqual(["assay-kept/sandbox"]);

  begin();
  await arrive(page, address);
  await heading(page, OVER);
  expect(server.count(/^POST \/attempts$/)).toBe(1);
});

test("a passkey whose registration got no answer is registered again, and no other is made", async ({
  page,
  server,
}) => {
  server.status = "COMPLETE";
  server.methods = [method("SVC_KEY")];
  server.view = { offers: { key: true, proof: false }, callback: null };
  const credentials = await addAuthenticator(page);
  await page.goto(server.page().replace(server.origin, server.named));
  // The network comes back at once, and breaks off again.
  await page.evaluate(() => setInterval(() => window.dispatchEvent(new Event("online")), 20));
  const sent: unknown[] = [];
  await page.route("**/key", async (route) => {
    const body = route.request().postDataJSON();
    if (body.credential && sent.push(body) <= 5) {
      await route.abort();
    } else {
      await route.continue();
    }
  });
  await press(page, "Keep this proof on this device");
  await says(page, "It was not kept. You can try again.");
  await press(page, "Keep this proof on this device");
  await says(page, "It is kept.");
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(await credentials()).toHaveLength(1);
});

test("what is kept under a passkey is forgotten by no session, and what cannot be is said", async ({
  page,
  server,
}) => {
  server.methods = [method("SVC_KEY"), method("EMAIL")];
  await page.goto(server.page("", "&locale=en", "/sandbox"));
  await heading(page, OVER);
  await expect(page.locator(".links a")).toHaveAttribute("href", `${server.origin}/sandbox/age/keys?locale=en`);
  await arrive(page, `${server.named}/age/keys`);
  await heading(page, "Forget what is kept");
  await accessible(page, "forgetting");
  await keep(page, "23-forget");
  await page.evaluate(() => {
    navigator.credentials.get = async () => {
      throw new DOMException("", "NotAllowedError");
    };
  });
  await press(page, "Forget it");
  await says(page, "No passkey was used. You can try again.");
  await expect(pressableElement(page, "Forget it")).toBeFocused();
  await accessible(page, "no passkey was used");
  server.refuse("POST /age/v1/keys/forget", 409, "INVALID_STATUS");
  await press(page, "Forget it");
  await says(page, "Nothing is kept under passkeys here.");
  await page.addInitScript("delete globalThis.PublicKeyCredential");
  await arrive(page, `${server.named}/age/keys?locale=pl`);
  await heading(page, "Usuwanie zachowanego wyniku");
  await says(page, "Ta przeglądarka nie zna kluczy dostępu.");
});
