// Passkeys (WebAuthn level 3), and their JSON forms for browsers that do not read and write these themselves.

import { fromBase64url, toBase64url } from "../shared/bytes";
import { json, list } from "./session";

/** Whether this browser has passkeys. */
export function available(): boolean {
  return typeof PublicKeyCredential === "function" && navigator.credentials !== undefined;
}

/** Uses a passkey; rejects where the person declines or there is none. */
export async function use(options: unknown): Promise<object> {
  const publicKey = requestOf(json(options).publicKey ?? options);
  return written(await navigator.credentials.get({ publicKey }));
}

/** Makes a passkey; rejects where the person declines. */
export async function create(options: unknown): Promise<object> {
  const publicKey = creationOf(json(options).publicKey ?? options);
  return written(await navigator.credentials.create({ publicKey }));
}

interface Parsers {
  parseRequestOptionsFromJSON?(options: object): PublicKeyCredentialRequestOptions;
  parseCreationOptionsFromJSON?(options: object): PublicKeyCredentialCreationOptions;
}

function requestOf(options: unknown): PublicKeyCredentialRequestOptions {
  const parsers = PublicKeyCredential as unknown as Parsers;
  return parsers.parseRequestOptionsFromJSON?.(json(options)) ?? readRequest(options);
}

function creationOf(options: unknown): PublicKeyCredentialCreationOptions {
  const parsers = PublicKeyCredential as unknown as Parsers;
  return parsers.parseCreationOptionsFromJSON?.(json(options)) ?? readCreation(options);
}

/** The same by hand. */
export function readRequest(options: unknown): PublicKeyCredentialRequestOptions {
  const { challenge, allowCredentials, ...rest } = json(options);
  return {
    ...rest,
    challenge: fromBase64url(String(challenge)),
    allowCredentials: list(allowCredentials).map(descriptor),
  } as PublicKeyCredentialRequestOptions;
}

export function readCreation(options: unknown): PublicKeyCredentialCreationOptions {
  const { challenge, user, excludeCredentials, ...rest } = json(options);
  return {
    ...rest,
    challenge: fromBase64url(String(challenge)),
    user: { ...json(user), id: fromBase64url(String(json(user).id)) },
    excludeCredentials: list(excludeCredentials).map(descriptor),
  } as unknown as PublicKeyCredentialCreationOptions;
}

function descriptor(one: unknown): object {
  return { ...json(one), id: fromBase64url(String(json(one).id)) };
}

function written(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) {
    throw new TypeError("no passkey came of it");
  }
  return typeof credential.toJSON === "function" ? credential.toJSON() : writtenByHand(credential);
}

/** A credential's JSON form. */
export function writtenByHand(credential: PublicKeyCredential): object {
  const { response } = credential;
  const bytes = (buffer: ArrayBuffer | null | undefined) => (buffer ? toBase64url(new Uint8Array(buffer)) : undefined);
  const asserted = response as Partial<AuthenticatorAssertionResponse>;
  const attested = response as Partial<AuthenticatorAttestationResponse>;
  return {
    id: credential.id,
    rawId: bytes(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      clientDataJSON: bytes(response.clientDataJSON),
      authenticatorData: bytes(asserted.authenticatorData ?? attested.getAuthenticatorData?.()),
      signature: bytes(asserted.signature),
      userHandle: bytes(asserted.userHandle),
      attestationObject: bytes(attested.attestationObject),
      transports: attested.getTransports?.(),
    },
  };
}
