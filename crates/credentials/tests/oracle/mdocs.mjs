// Mobile documents for our QR profile: @auth0/mdl, with certificates of @peculiar/x509.
import { DeviceResponse, Document, MDoc } from '@auth0/mdl';
import * as x509 from '@peculiar/x509';
import { cbor } from './cwt.mjs';
import { base45 } from './present.mjs';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const pair = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const jwk = async (key) => {
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', key);
  return d ? { kty, crv, x, y, d } : { kty, crv, x, y };
};

async function certificates(now) {
  const [rootKeys, signerKeys] = [await pair(), await pair()];
  const span = { notBefore: new Date((now - 86400) * 1000), notAfter: new Date((now + 86400) * 1000), signingAlgorithm: algorithm };
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...span, serialNumber: '01', name: 'CN=Oracle root, C=UT', keys: rootKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
  });
  const signer = await x509.X509CertificateGenerator.create({
    ...span, serialNumber: '02', subject: 'CN=Oracle signer, C=UT', issuer: root.subject, publicKey: signerKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true)],
  });
  return { root: root.toString('base64'), signer: signer.toString('pem'), key: await jwk(signerKeys.privateKey) };
}

export async function mdocs(now) {
  const proofs = [];
  for (const [name, type, space, encode] of [
    ['mobile document of the EU profile, base45', 'eu.europa.ec.av.1', 'eu.europa.ec.av.1', base45],
    ['mobile driving licence, base64url', 'org.iso.18013.5.1.mDL', 'org.iso.18013.5.1', (bytes) => Buffer.from(bytes).toString('base64url')],
  ]) {
    const { root, signer, key } = await certificates(now);
    const device = await pair();
    const document = await new Document(type)
      .addIssuerNameSpace(space, { age_over_18: true, age_over_21: true, given_name: 'Ava' })
      .useDigestAlgorithm('SHA-256')
      .addValidityInfo({ signed: new Date((now - 60) * 1000), validFrom: new Date((now - 60) * 1000), validUntil: new Date((now + 86400) * 1000) })
      .addDeviceKeyInfo({ deviceKey: await jwk(device.publicKey) })
      .sign({ issuerPrivateKey: key, issuerCertificate: signer, alg: 'ES256' });
    const transcript = cbor.encode([null, null, ['PoaQrHandover', now - 1]]);
    const fields = [{ path: [`$['${space}']['age_over_18']`], intent_to_retain: false }];
    const response = await DeviceResponse.from(new MDoc([document]))
      .usingPresentationDefinition({ id: 'age', input_descriptors: [{ id: type, constraints: { limit_disclosure: 'required', fields }, format: {} }] })
      .usingSessionTranscriptBytes(Buffer.concat([Buffer.from([0xd8, 0x18, 0x58, transcript.length]), transcript]))
      .authenticateWithSignature(await jwk(device.privateKey), 'ES256')
      .sign();
    // [session transcript, response], the response as the library wrote it.
    const code = encode(Buffer.concat([Buffer.from([0x82]), transcript, response.encode()]));
    proofs.push({
      name, code, age_over: 18, bound: true,
      entry: { id: type, provider: 'OTHER_MDOC', formats: ['mdoc'], roots: [root] },
    });
  }
  return proofs;
}
