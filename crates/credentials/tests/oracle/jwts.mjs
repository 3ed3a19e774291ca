// Compact JWS in every algorithm, plain and as W3C credentials: jose.
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

export async function jwts(now) {
  const proofs = [];
  const iso = (seconds) => new Date(seconds * 1000).toISOString();
  const times = { iat: now - 3, exp: now + 300 };
  for (const [name, alg, typ, age_over, payload] of [
    ['plain JWT, EdDSA', 'EdDSA', 'JWT', 18, { ...times, age_over_18: true, age_over_21: false }],
    ['plain JWT, PS256', 'PS256', undefined, 21, { ...times, age_over: { 18: true, 21: true } }],
    ['plain JWT, RS256', 'RS256', 'JWT', 16, { ...times, age_over_16: true, jti: 'one' }],
    ['plain JWT, ES384', 'ES384', 'JWT', 25, { ...times, age_equal_or_over: { 25: true } }],
    ['W3C credential 1.1, ES256', 'ES256', 'JWT', 18, { nbf: now - 3, exp: now + 300, jti: 'urn:uuid:1',
      vc: { '@context': ['https://www.w3.org/2018/credentials/v1'], type: ['VerifiableCredential'],
        credentialSubject: { ageOver: 18 } } }],
    ['W3C credential 2.0, ES256', 'ES256', 'vc+jwt', 18, { '@context': ['https://www.w3.org/ns/credentials/v2'],
      type: ['VerifiableCredential'], validFrom: iso(now - 3), validUntil: iso(now + 300),
      credentialSubject: { id: 'did:example:1', age_over_18: true } }],
  ]) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const id = `https://jwt.example/${alg}`;
    const header = typ ? { alg, typ, kid: alg } : { alg, kid: alg };
    const named = typ === 'vc+jwt' ? { issuer: { id } } : { iss: id };
    const code = await new SignJWT({ ...named, ...payload }).setProtectedHeader(header).sign(privateKey);
    proofs.push({
      name, code, age_over, bound: false,
      entry: { id, provider: 'OTHER_JWT', formats: ['jwt'], keys: [{ ...(await exportJWK(publicKey)), kid: alg }] },
    });
  }
  return proofs;
}
