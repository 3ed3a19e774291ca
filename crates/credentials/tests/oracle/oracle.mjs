// Makes and checks proofs with libraries that share no code with ours. `node oracle.mjs make|present|verify` reads
// one JSON value from standard input and writes one to standard output.
import { readFileSync } from 'node:fs';
import { cwt } from './cwt.mjs';
import { encrypt } from './encrypt.mjs';
import { jwts } from './jwts.mjs';
import { mdocs } from './mdocs.mjs';
import { present } from './present.mjs';
import { sdJwts } from './sd-jwts.mjs';
import { statusLists } from './status-lists.mjs';
import { verify } from './verify.mjs';

const input = JSON.parse(readFileSync(0, 'utf8'));
const commands = {
  // { now } → { proofs: [{ name, entry, code, age_over, bound }], statuses: [{ name, entry, uri, body, values }] }
  make: async ({ now }) => ({
    proofs: [...(await sdJwts(now)), ...(await jwts(now)), ...(await cwt(now)), ...(await mdocs(now))],
    statuses: await statusLists(now),
  }),
  // { credential: base64, key: private JWK, now } → { code }
  present: async ({ credential, key, now }) => {
    const usable = await crypto.subtle.importKey('jwk', key, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    return { code: await present(new Uint8Array(Buffer.from(credential, 'base64')), usable, now) };
  },
  verify,
  // { all: [{ key: public JWK, alg, enc, payload, kid?, apu?, apv? }] } → { tokens }
  encrypt,
};
console.log(JSON.stringify(await commands[process.argv[2]](input)));
