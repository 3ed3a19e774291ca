// SD-JWT VC with key binding: the Open Wallet Foundation's library.
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { createHash, randomBytes } from 'node:crypto';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const b64 = (bytes) => Buffer.from(bytes).toString('base64url');

async function keys() {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const sign = async (data) => b64(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, Buffer.from(data)));
  return { jwk: { kty, crv, x, y }, sign };
}

export async function sdJwts(now) {
  const proofs = [];
  for (const [name, claims, frame, shown, age_over] of [
    ['SD-JWT VC, flat', { age_over_18: true, age_over_21: true, given_name: 'Erika' },
      { _sd: ['age_over_18', 'age_over_21', 'given_name'], _sd_decoy: 2 }, { age_over_18: true }, 18],
    ['SD-JWT VC, nested', { age_equal_or_over: { 16: true, 18: true, 65: false } },
      { _sd: ['age_equal_or_over'], age_equal_or_over: { _sd: ['16', '18', '65'] } },
      { age_equal_or_over: { 18: true } }, 18],
    ['SD-JWT VC, nothing hidden', { age_over_21: true, nationalities: ['DE', 'FR'] },
      { nationalities: { _sd: [0, 1] } }, { nationalities: { 0: true } }, 21],
  ]) {
    const [issuer, holder] = [await keys(), await keys()];
    const id = 'https://sd-jwt.example';
    const library = new SDJwtVcInstance({
      signer: issuer.sign, signAlg: 'ES256', kbSigner: holder.sign, kbSignAlg: 'ES256', hashAlg: 'sha-256',
      hasher: (data, alg) => new Uint8Array(createHash(alg.replace('-', '')).update(data).digest()),
      saltGenerator: (length) => b64(randomBytes(length)),
    });
    const payload = { iss: id, iat: now - 86400, exp: now + 86400, vct: 'urn:example:age', cnf: { jwk: holder.jwk }, ...claims };
    const issued = await library.issue(payload, frame, { header: { kid: 'sd-1', typ: 'dc+sd-jwt' } });
    const code = await library.present(issued, shown, { kb: { payload: { iat: now - 1, aud: 'https://till.example', nonce: 'n' } } });
    proofs.push({
      name, code, age_over, bound: true,
      entry: { id, provider: 'OTHER_SD_JWT', formats: ['sd-jwt-vc'], vct: ['urn:example:age'], keys: [{ ...issuer.jwk, kid: 'sd-1' }] },
    });
  }
  return proofs;
}
