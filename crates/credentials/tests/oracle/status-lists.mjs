// Token Status Lists as JWT: the Open Wallet Foundation's library, signed by jose.
import { StatusList, createHeaderAndPayload } from '@sd-jwt/jwt-status-list';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

export async function statusLists(now) {
  const statuses = [];
  for (const bits of [1, 2, 4, 8]) {
    const values = Array.from({ length: 1000 }, (_, at) => (at * 7) % 2 ** bits);
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const id = 'https://status.example';
    const uri = `${id}/list/${bits}`;
    const { header, payload } = createHeaderAndPayload(new StatusList(values, bits),
      { iss: id, sub: uri, iat: now - 60, exp: now + 3600, ttl: 600 }, { alg: 'ES256', typ: 'statuslist+jwt', kid: 's' });
    const body = await new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
    statuses.push({
      name: `${bits} bits`, uri, body, values,
      entry: { id, provider: 'OTHER_STATUS', formats: ['jwt'], keys: [{ ...(await exportJWK(publicKey)), kid: 's' }] },
    });
  }
  return statuses;
}
