// Issuers, what they issue to the wallet, and the verifier's own certificate.
import { CoseKey, DeviceKey, IssuerSignedBuilder } from '@owf/mdoc';
import * as x509 from '@peculiar/x509';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { algorithm, context, newKey, pair, publicOf, surroundings } from './keys.mjs';

const DAY = 86400;

async function authority(name, now) {
  const keys = await pair();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01', name: `CN=${name}, C=UT`, keys, ...span(now),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
  });
  return { root, keys };
}

const span = (now) => ({
  notBefore: new Date((now - DAY) * 1000), notAfter: new Date((now + DAY) * 1000), signingAlgorithm: algorithm,
});

async function certificate({ root, keys }, subject, jwk, now, extensions) {
  const publicKey = await crypto.subtle.importKey('jwk', publicOf(jwk), algorithm, true, ['verify']);
  return x509.X509CertificateGenerator.create({
    serialNumber: '02', subject: `CN=${subject}, C=UT`, issuer: root.subject, publicKey, signingKey: keys.privateKey, ...span(now),
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
  });
}

async function mdoc(type, space, elements, now) {
  const [issuers, issuer, device] = [await authority('Issuers', now), await newKey(), await newKey()];
  const signer = await certificate(issuers, 'Signer', issuer, now, [new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true)]);
  const at = (seconds) => new Date((now + seconds) * 1000);
  const issued = await new IssuerSignedBuilder(type, context)
    .addIssuerNamespace(space, elements)
    .sign({
      signingKey: CoseKey.fromJwk(issuer), algorithm: -7, digestAlgorithm: 'SHA-256',
      validityInfo: { signed: at(-60), validFrom: at(-60), validUntil: at(DAY) },
      deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(publicOf(device)) },
      certificates: [new Uint8Array(signer.rawData)],
    });
  return {
    entry: { id: type, provider: 'OTHER_MDOC', formats: ['mdoc'], roots: [issuers.root.toString('base64')] },
    held: { format: 'mso_mdoc', type, space, elements, issued: issued.encodedForOid4Vci, key: device },
  };
}

async function sdJwt(id, vct, claims, frame, now) {
  const [issuer, holder] = [await newKey(), await newKey()];
  const library = new SDJwtVcInstance(surroundings(issuer, holder));
  const payload = { iss: id, iat: now - DAY, exp: now + DAY, vct, cnf: { jwk: publicOf(holder) }, ...claims };
  const issued = await library.issue(payload, frame, { header: { kid: 'one', typ: 'dc+sd-jwt' } });
  return {
    entry: { id, provider: 'OTHER_SD_JWT', formats: ['sd-jwt-vc'], keys: [{ ...publicOf(issuer), kid: 'one' }] },
    held: { format: 'dc+sd-jwt', vct, claims, issued, issuer, key: holder },
  };
}

/** { now, host } → { entries of a trust list, wallets, verifier: { chain, key } } */
export async function setup({ now, host }) {
  const wallets = {
    age: await mdoc('eu.europa.ec.av.1', 'eu.europa.ec.av.1', { age_over_18: true }, now),
    young: await mdoc('eu.europa.ec.av.1', 'eu.europa.ec.av.1', { age_over_18: false }, now),
    licence: await mdoc('org.iso.18013.5.1.mDL', 'org.iso.18013.5.1', { age_over_21: true, age_over_18: true, given_name: 'Ava' }, now),
    identity: await sdJwt('https://pid.example', 'urn:eudi:pid:1',
      { age_equal_or_over: { 16: true, 18: true, 65: false }, given_name: 'Ava', birthdate: '1990-02-03' },
      { _sd: ['age_equal_or_over', 'given_name', 'birthdate'], age_equal_or_over: { _sd: ['16', '18', '65'] } }, now),
    birthday: await sdJwt('https://old.example', 'urn:eudi:pid:1', { birthdate: '1990-02-03', given_name: 'Ava' },
      { _sd: ['birthdate', 'given_name'] }, now),
  };
  const stranger = await sdJwt('https://nobody.example', 'urn:eudi:pid:1', { age_equal_or_over: { 18: true } },
    { _sd: ['age_equal_or_over'], age_equal_or_over: { _sd: ['18'] } }, now);
  const entries = [];
  for (const { entry } of Object.values(wallets)) {
    // Two documents of one type are of two issuers.
    entries.push({ ...entry, id: entries.some(({ id }) => id === entry.id) ? `${entry.id} ${entries.length}` : entry.id });
  }
  const key = await newKey();
  const verifiers = await authority('Verifiers', now);
  const own = await certificate(verifiers, 'Verifier', key, now, [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])]);
  const usable = await crypto.subtle.importKey('jwk', key, algorithm, true, ['sign']);
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', usable)).toString('base64');
  return {
    entries,
    wallets: Object.fromEntries([...Object.entries(wallets), ['stranger', stranger]].map(([name, { held }]) => [name, held])),
    verifier: {
      chain: own.toString('pem'),
      key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
      root: verifiers.root.toString('base64'),
    },
  };
}
