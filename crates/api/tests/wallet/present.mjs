// A wallet: reads the address, fetches and verifies the request, chooses by DCQL, presents, posts.
import { Openid4vpClient } from '@openid4vc/openid4vp';
import { CoseKey, DeviceRequest, DeviceResponse, DocRequest, IssuerSigned, ItemsRequest, SessionTranscript } from '@owf/mdoc';
import * as x509 from '@peculiar/x509';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { DcqlQuery } from 'dcql';
import { calculateJwkThumbprint, CompactEncrypt, importJWK, importX509, jwtVerify } from 'jose';
import { b64, context, sha256, surroundings } from './keys.mjs';

/** What the protocol's library asks of its surroundings. `origin` stands for the verifier's own name. */
const callbacks = ({ origin, host, root, now }) => ({
  fetch: (url, init) => {
    const { pathname, search, host: asked } = new URL(url);
    if (asked !== host) throw new Error(`the request leads to ${asked}`);
    return fetch(origin + pathname + search, { ...init, method: init?.method?.toUpperCase(), redirect: 'error' });
  },
  hash: (data) => sha256(data),
  verifyJwt: async (signer, { compact }) => {
    if (signer.method !== 'x5c') return { verified: false };
    const [leaf] = signer.x5c.map((one) => new x509.X509Certificate(one));
    const trusted = await leaf.verify({ publicKey: await new x509.X509Certificate(root).publicKey.export(), date: new Date(now * 1000) });
    const key = await importX509(leaf.toString('pem'), 'ES256', { extractable: true });
    await jwtVerify(compact, key, { currentDate: new Date(now * 1000), typ: 'oauth-authz-req+jwt' });
    return { verified: trusted, signerJwk: await crypto.subtle.exportKey('jwk', key) };
  },
  getX509CertificateMetadata: (certificate) => {
    const names = new x509.X509Certificate(certificate).getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
    return { sanDnsNames: names.filter(({ type }) => type === 'dns').map(({ value }) => value), sanUriNames: [] };
  },
  signJwt: () => { throw new Error('nothing is signed here'); },
  decryptJwe: () => { throw new Error('nothing is decrypted here'); },
  encryptJwe: async ({ publicJwk, alg, enc, apu, apv }, data) => {
    const made = new CompactEncrypt(new TextEncoder().encode(data))
      .setProtectedHeader({ alg, enc, kid: publicJwk.kid });
    // The library's apu and apv are texts in base64url.
    const bytes = (text) => Buffer.from(text, 'base64url');
    if (apu && apv) made.setKeyManagementParameters({ apu: bytes(apu), apv: bytes(apv) });
    return { jwe: await made.encrypt(await importJWK(publicJwk, alg)), encryptionJwk: publicJwk };
  },
});

/** A credential, as the query language sees it. */
function seen(held) {
  const bound = { cryptographic_holder_binding: true };
  return held.format === 'mso_mdoc'
    ? { credential_format: 'mso_mdoc', doctype: held.type, namespaces: { [held.space]: held.elements }, ...bound }
    : { credential_format: 'dc+sd-jwt', vct: held.vct, claims: held.claims, ...bound };
}

/** The claims that a credential is to show for the query, as paths. */
function chosen(query, held) {
  const parsed = DcqlQuery.parse(query);
  DcqlQuery.validate(parsed);
  const result = DcqlQuery.query(parsed, [seen(held)]);
  const found = Object.entries(result.credential_matches).find(([, match]) => match.success);
  if (!result.can_be_satisfied || !found) return undefined;
  const [id, match] = found;
  const set = match.valid_credentials[0].claims.valid_claim_sets[0];
  const asked = query.credentials.find((credential) => credential.id === id);
  const paths = set.valid_claim_indexes.map((index) => asked.claims[index].path);
  return { id, paths };
}

async function mdoc(held, paths, request) {
  // An answer that is not encrypted has no key.
  const jwk = request.client_metadata.jwks?.keys[0];
  const jwkThumbprint = jwk && new Uint8Array(Buffer.from(await calculateJwkThumbprint(jwk), 'base64url'));
  const transcript = await SessionTranscript.forOid4Vp({
    clientId: request.client_id, nonce: request.nonce, responseUri: request.response_uri, jwkThumbprint,
  }, context);
  const elements = Object.fromEntries(paths.map(([, name]) => [name, false]));
  const itemsRequest = ItemsRequest.create({ docType: held.type, namespaces: { [held.space]: elements } });
  const response = await DeviceResponse.createWithDeviceRequest({
    deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
    sessionTranscript: transcript,
    issuerSigned: [IssuerSigned.fromEncodedForOid4Vci(held.issued)],
    signature: { signingKey: CoseKey.fromJwk({ ...held.key, alg: 'ES256' }) },
  }, context);
  return response.encodedForOid4Vp;
}

/** What of the claims is shown, as the library wants it: `{a: {b: true}}` for the path a, b. */
function frame(paths) {
  const shown = {};
  for (const path of paths) {
    path.reduce((place, name, at) => (place[name] = at === path.length - 1 ? true : (place[name] ?? {})), shown);
  }
  return shown;
}

function sdJwt(held, paths, request, now) {
  const library = new SDJwtVcInstance(surroundings(held.issuer, held.key));
  const payload = { iat: now, aud: request.client_id, nonce: request.nonce };
  return library.present(held.issued, frame(paths), { kb: { payload } });
}

/** { link, held, origin, host, root, now, enc } → what was asked, what was shown, what the verifier answered. */
export async function present({ link, held, origin, host, root, now, enc = 'A128GCM', refuse = false }) {
  const client = new Openid4vpClient({ callbacks: callbacks({ origin, host, root, now }) });
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link });
  const wallet = { metadata: { vp_formats_supported: { [held.format]: {} } } };
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params, wallet });
  const request = resolved.authorizationRequestPayload;
  const told = { version: resolved.version, mode: request.response_mode, prefix: resolved.client.prefix, signed: resolved.jar !== undefined };
  const answer = async (response) => {
    const text = await response.text();
    return { ...told, status: response.status, answer: text ? JSON.parse(text) : null };
  };
  const choice = refuse ? undefined : chosen(resolved.dcql.query, held);
  if (!choice) {
    const body = new URLSearchParams({ error: refuse ? 'access_denied' : 'vp_formats_not_supported', state: request.state });
    return answer(await callbacks({ origin, host }).fetch(request.response_uri, { method: 'POST', body }));
  }
  const { id, paths } = choice;
  const presented = held.format === 'mso_mdoc' ? await mdoc(held, paths, request) : await sdJwt(held, paths, request, now);
  const created = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload: { vp_token: { [id]: [presented] } },
    jarm: request.response_mode === 'direct_post' ? undefined : {
      encryption: { nonce: b64(Buffer.from('a wallet')) },
      serverMetadata: {
        authorization_signing_alg_values_supported: [],
        authorization_encryption_alg_values_supported: ['ECDH-ES'],
        authorization_encryption_enc_values_supported: [enc],
      },
    },
  });
  const submit = () => client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload: created.authorizationResponsePayload,
    jarm: created.jarm,
  });
  const first = await answer((await submit()).response);
  const again = await answer((await submit()).response);
  return { ...first, id, paths, again: again.status };
}
