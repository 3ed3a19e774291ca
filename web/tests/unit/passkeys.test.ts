// The JSON forms of passkeys by hand, as browsers need them that do not know these.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCreationOptions, decodeRequestOptions, encodeCredential } from "../../shared/passkeys";

const bytes = (buffer: BufferSource) => [...new Uint8Array(buffer as Uint8Array<ArrayBuffer>)];

test("options have their bytes read and the rest left alone", () => {
  const { challenge, allowCredentials, rpId } = decodeRequestOptions({
    challenge: "AQID",
    rpId: "a.example",
    allowCredentials: [{ type: "public-key", id: "_-8", transports: ["internal"] }],
  });
  assert.deepEqual([bytes(challenge), rpId], [[1, 2, 3], "a.example"]);
  const [first] = allowCredentials ?? [];
  assert.deepEqual(
    [first && bytes(first.id), first?.type, first?.transports],
    [[255, 239], "public-key", ["internal"]],
  );

  const made = decodeCreationOptions({
    challenge: "AQID",
    rp: { id: "a.example", name: "A" },
    user: { id: "BAU", name: "n", displayName: "N" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }],
  });
  assert.deepEqual([bytes(made.challenge), bytes(made.user.id), made.user.name], [[1, 2, 3], [4, 5], "n"]);
  assert.deepEqual([made.excludeCredentials, made.pubKeyCredParams], [[], [{ type: "public-key", alg: -7 }]]);
});

test("a credential is written as its members' bytes, and what it lacks is left out", () => {
  const buffer = (...all: number[]) => Uint8Array.from(all).buffer;
  const response = { clientDataJSON: buffer(1), authenticatorData: buffer(2), signature: buffer(3), userHandle: null };
  const credential = {
    id: "_w",
    rawId: buffer(255),
    type: "public-key",
    authenticatorAttachment: null,
    response,
    getClientExtensionResults: () => ({}),
  };
  const written = JSON.parse(JSON.stringify(encodeCredential(credential as unknown as PublicKeyCredential)));
  assert.deepEqual(written, {
    id: "_w",
    rawId: "_w",
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON: "AQ", authenticatorData: "Ag", signature: "Aw" },
  });
});
