// An OpenID Connect provider by others (oidc-provider) on this machine, and the browser of somebody who signs in there.
//
// The first line of standard input says how it is run: {certificate, key, redirect, clients}. It prints its issuer. Each
// further line is an address that a person is sent to; it prints where that person ends up, however the provider leads there.
//
// `login_hint` says who signs in: `ada` was born in 1990, `boy` in 2012, `nobody` says no; `otherwise:NAME=VALUE` is Ada, whose
// ID token is changed before it is signed; `NAME:as:ADDRESS` has an address that is verified, `NAME:unverified:ADDRESS` has not.

import { randomBytes, generateKeyPairSync } from "node:crypto";
import { createServer, request } from "node:https";
import { createInterface } from "node:readline";
import { exportJWK, SignJWT, decodeJwt } from "jose";
import Provider from "oidc-provider";

// Standard output is for answers.
console.info = console.error;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { certificate, key, redirect, clients } = JSON.parse((await lines.next()).value);

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const own = { ...(await exportJWK(privateKey)), kid: "own", use: "sig", alg: "ES256" };
const BORN = { ada: "1990-12-10", boy: "2012-05-06" };

/** `ID:as:ADDRESS` is somebody with that address, `ID:unverified:ADDRESS` somebody who says so. */
function addressOf(accountId) {
  const [id, how, address] = accountId.split(":");
  return { email: address ?? `${id}@example.com`, email_verified: how !== "unverified" };
}

let listener = () => undefined;
const server = createServer({ cert: certificate, key }, (asked, answer) => listener(asked, answer));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `https://localhost:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: clients.map((client) => ({ redirect_uris: [redirect], response_types: ["code"], ...client })),
  jwks: { keys: [own] },
  cookies: { keys: [randomBytes(32).toString("hex")] },
  acrValues: ["high"],
  claims: { acr: null, openid: ["sub"], profile: ["birthdate"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_, accountId) => ({
    accountId,
    claims: () => ({ sub: accountId, birthdate: BORN[accountId] ?? BORN.ada, ...addressOf(accountId) }),
  }),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  enabledJWA: {
    clientAuthSigningAlgValues: ["ES256"],
    dPoPSigningAlgValues: ["ES256"],
    idTokenSigningAlgValues: ["ES256"],
    userinfoSigningAlgValues: ["ES256"],
    idTokenEncryptionAlgValues: ["ECDH-ES+A256KW"],
    idTokenEncryptionEncValues: ["A256GCM"],
    userinfoEncryptionAlgValues: ["ECDH-ES+A256KW"],
    userinfoEncryptionEncValues: ["A256GCM"],
  },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    encryption: { enabled: true },
    jwtUserinfo: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
  },
});
provider.on("server_error", (_, error) => process.stderr.write(`${error.stack}\n`));

/** The person is asked who they are and whether the business may know; here they answer at once. */
provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/interaction/")) {
    return next();
  }
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  const who = params.login_hint ?? "ada";
  if (who === "nobody") {
    const declined = { error: "access_denied", error_description: "the person said no" };
    return provider.interactionFinished(ctx.req, ctx.res, declined, { mergeWithLastSubmission: false });
  }
  const grant = new provider.Grant({ accountId: who, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const result = { login: { accountId: who, acr: "high" }, consent: { grantId: await grant.save() } };
  return provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
});

/** A provider that makes mistakes: what it says of the ID token is another thing than what was asked for. */
provider.use(async (ctx, next) => {
  await next();
  const token = ctx.path === "/token" && ctx.body?.id_token;
  const claims = token && token.split(".").length === 3 && decodeJwt(token);
  const [, name, value] = /^otherwise:(\w+)=(.*)$/.exec(claims?.sub ?? "") ?? [];
  if (name) {
    const changed = new SignJWT({ ...claims, [name]: value });
    ctx.body.id_token = await changed.setProtectedHeader({ alg: "ES256", kid: "own" }).sign(privateKey);
  }
});
listener = provider.callback();

/** Follows the provider's ways with a browser's cookies, until they lead elsewhere. */
async function browse(address) {
  const cookies = new Map();
  let url = address;
  while (url.startsWith(`${issuer}/`)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await new Promise((resolve, reject) => {
      request(url, { ca: certificate, headers: { cookie } }, resolve).on("error", reject).end();
    });
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [name, value] = line.split(";")[0].split(/=(.*)/s);
      cookies.set(name, value);
    }
    answer.resume();
    if (!answer.headers.location) {
      return `${answer.statusCode} at ${new URL(url).pathname}`;
    }
    url = new URL(answer.headers.location, url).href;
  }
  return url;
}

process.stdout.write(`${issuer}\n`);
for await (const address of lines) {
  process.stdout.write(`${await browse(address)}\n`);
}
process.exit();
