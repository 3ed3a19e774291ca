// Passkeys (WebAuthn level 3), and their JSON forms for browsers that do not read and write these themselves.

import { fromBase64url, toBase64url } from "../shared/bytes";
import type { Steps, TurnInput } from "./session";

/** What the server has a browser asked. Of its form the interface's document says in words alone: what the browser takes
 * lies under `publicKey`. */
export type PasskeyOptions = Steps["passkey"]["options"];
/** What a browser answers. */
export type PasskeyCredential = NonNullable<TurnInput["credential"]>;

/** Whether this browser has passkeys. */
export function available(): boolean {
  return typeof PublicKeyCredential === "function" && navigator.credentials !== undefined;
}

/** Uses a passkey; rejects where the person declines or there is none. */
export async function use({ publicKey: options }: PasskeyOptions): Promise<PasskeyCredential> {
  const publicKey = requestOf(options as PublicKeyCredentialRequestOptionsJSON);
  return written(await navigator.credentials.get({ publicKey }));
}

/** Makes a passkey; rejects where the person declines. */
export async function create({ publicKey: options }: PasskeyOptions): Promise<PasskeyCredential> {
  const publicKey = creationOf(options as PublicKeyCredentialCreationOptionsJSON);
  return written(await navigator.credentials.create({ publicKey }));
}

/** Not every browser has these. */
type Parsers = Partial<
  Pick<typeof PublicKeyCredential, "parseRequestOptionsFromJSON" | "parseCreationOptionsFromJSON">
>;

function requestOf(options: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  const parsers: Parsers = PublicKeyCredential;
  return parsers.parseRequestOptionsFromJSON?.(options) ?? readRequest(options);
}

function creationOf(options: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  const parsers: Parsers = PublicKeyCredential;
  return parsers.parseCreationOptionsFromJSON?.(options) ?? readCreation(options);
}

/** The same by hand. */
export function readRequest(options: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  const { challenge, allowCredentials = [], ...rest } = options;
  return {
    ...rest,
    challenge: fromBase64url(challenge),
    allowCredentials: allowCredentials.map(descriptor),
  } as unknown as PublicKeyCredentialRequestOptions;
}

export function readCreation(options: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  const { challenge, user, excludeCredentials = [], ...rest } = options;
  return {
    ...rest,
    challenge: fromBase64url(challenge),
    user: { ...user, id: fromBase64url(user.id) },
    excludeCredentials: excludeCredentials.map(descriptor),
  } as unknown as PublicKeyCredentialCreationOptions;
}

function descriptor(one: PublicKeyCredentialDescriptorJSON): object {
  return { ...one, id: fromBase64url(one.id) };
}

function written(credential: Credential | null): PasskeyCredential {
  if (!(credential instanceof PublicKeyCredential)) {
    throw new TypeError("no passkey came of it");
  }
  return typeof credential.toJSON === "function" ? { ...credential.toJSON() } : writtenByHand(credential);
}

/** A credential's JSON form. */
export function writtenByHand(credential: PublicKeyCredential): PasskeyCredential {
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
