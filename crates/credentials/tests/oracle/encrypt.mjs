// Encrypts to public keys, as wallets and identity providers do.
import { CompactEncrypt, importJWK } from 'jose';

export async function encrypt({ all }) {
  return { tokens: await Promise.all(all.map(one)) };
}

async function one({ key, alg, enc, payload, kid, apu, apv }) {
  const party = (text) => (text === undefined ? undefined : new TextEncoder().encode(text));
  return await new CompactEncrypt(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
    .setKeyManagementParameters({ apu: party(apu), apv: party(apv) })
    .encrypt(await importJWK(key, alg));
}
