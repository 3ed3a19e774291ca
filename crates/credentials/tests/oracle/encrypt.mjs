// Encrypts to a public key, as wallets and identity providers do.
import { CompactEncrypt, importJWK } from 'jose';

export async function encrypt({ key, alg, enc, payload, kid, apu, apv }) {
  const party = (text) => (text === undefined ? undefined : new TextEncoder().encode(text));
  const token = await new CompactEncrypt(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
    .setKeyManagementParameters({ apu: party(apu), apv: party(apv) })
    .encrypt(await importJWK(key, alg));
  return { token };
}
