// CWT of other issuers: cbor-x writes the claims, cose-kit signs.
import { Encoder } from 'cbor-x';
import { Sign1 } from 'cose-kit';
import { deflateSync } from 'node:zlib';
import { base45 } from './present.mjs';

export const cbor = new Encoder({ mapsAsObjects: false, useRecords: false, tagUint8Array: false, variableMapSize: true });

export async function cwt(now) {
  const proofs = [];
  for (const [name, curve, alg, hash, zlib] of [
    ['HC1 with zlib, ES256', 'P-256', 'ES256', 'SHA-256', true],
    ['HC1 without zlib, ES384', 'P-384', 'ES384', 'SHA-384', false],
  ]) {
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: curve }, true, ['sign', 'verify']);
    const jwk = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'c29tZS1raWQ' };
    delete jwk.ext;
    delete jwk.key_ops;
    const id = `https://cwt.example/${alg}`;
    const claims = new Map([[1, id], [4, now + 120], [6, now - 2], [7, crypto.getRandomValues(new Uint8Array(16))],
      ['age_over', new Map([[18, true], [21, true], [65, false]])]]);
    const signed = await Sign1.sign({ alg }, { kid: Buffer.from('some-kid') }, cbor.encode(claims), pair.privateKey);
    let message = Buffer.from(signed.encode());
    if (zlib) message = deflateSync(message);
    proofs.push({
      name, code: `HC1:${base45(message)}`, age_over: 21, bound: false,
      entry: { id, provider: 'OTHER_CWT', formats: ['cwt'], keys: [jwk] },
    });
  }
  return proofs;
}
