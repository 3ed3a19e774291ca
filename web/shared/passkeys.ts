// Passkeys (WebAuthn level 3), with their JSON forms for browsers that lack parse…FromJSON and toJSON.

import { fromBase64url, toBase64url } from "./bytes";

/** The options for the browser. The OpenAPI documents describe their form only in words: they are under `publicKey`. */
export type PasskeyOptions = { [name: string]: unknown };
/** A credential in its JSON form. */
export type PasskeyCredential = { [name: string]: unknown };

export function passkeysSupported(): boolean {
  return typeof PublicKeyCredential === "function" && navigator.credentials !== undefined;
}

/** How a passkey is asked for: by a dialog, or, where `mediation` is `conditional`, among what a field can be filled with. */
export type PasskeyRequest = Pick<CredentialRequestOptions, "mediation" | "signal">;

/** Uses a passkey; rejects if the person declines or has none. */
export async function getPasskey(
  { publicKey: options }: PasskeyOptions,
  request: PasskeyRequest = {},
): Promise<PasskeyCredential> {
  const publicKey = parseRequestOptions(options as PublicKeyCredentialRequestOptionsJSON);
  return toCredentialJson(await navigator.credentials.get({ publicKey, ...request }));
}

/** Whether the browser offers passkeys where somebody fills in a field. */
export async function conditionalPasskeysSupported(): Promise<boolean> {
  const available: (() => Promise<boolean>) | undefined = passkeysSupported()
    ? PublicKeyCredential.isConditionalMediationAvailable?.bind(PublicKeyCredential)
    : undefined;
  return (await available?.().catch(() => false)) ?? false;
}

/** Creates a passkey; rejects if the person declines. */
export async function createPasskey({ publicKey: options }: PasskeyOptions): Promise<PasskeyCredential> {
  const publicKey = parseCreationOptions(options as PublicKeyCredentialCreationOptionsJSON);
  return toCredentialJson(await navigator.credentials.create({ publicKey }));
}

/** Functions that not every browser has. */
type Parsers = Partial<
  Pick<typeof PublicKeyCredential, "parseRequestOptionsFromJSON" | "parseCreationOptionsFromJSON">
>;

function parseRequestOptions(options: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  const parsers: Parsers = PublicKeyCredential;
  return parsers.parseRequestOptionsFromJSON?.(options) ?? decodeRequestOptions(options);
}

function parseCreationOptions(options: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  const parsers: Parsers = PublicKeyCredential;
  return parsers.parseCreationOptionsFromJSON?.(options) ?? decodeCreationOptions(options);
}

/** The fallback for browsers without parseRequestOptionsFromJSON. */
export function decodeRequestOptions(
  options: PublicKeyCredentialRequestOptionsJSON,
): PublicKeyCredentialRequestOptions {
  const { challenge, allowCredentials = [], ...rest } = options;
  return {
    ...rest,
    challenge: fromBase64url(challenge),
    allowCredentials: allowCredentials.map(decodeDescriptor),
  } as unknown as PublicKeyCredentialRequestOptions;
}

export function decodeCreationOptions(
  options: PublicKeyCredentialCreationOptionsJSON,
): PublicKeyCredentialCreationOptions {
  const { challenge, user, excludeCredentials = [], ...rest } = options;
  return {
    ...rest,
    challenge: fromBase64url(challenge),
    user: { ...user, id: fromBase64url(user.id) },
    excludeCredentials: excludeCredentials.map(decodeDescriptor),
  } as unknown as PublicKeyCredentialCreationOptions;
}

function decodeDescriptor(one: PublicKeyCredentialDescriptorJSON): object {
  return { ...one, id: fromBase64url(one.id) };
}

function toCredentialJson(credential: Credential | null): PasskeyCredential {
  if (!(credential instanceof PublicKeyCredential)) {
    throw new TypeError("no passkey came of it");
  }
  return typeof credential.toJSON === "function" ? { ...credential.toJSON() } : encodeCredential(credential);
}

/** The fallback for browsers without PublicKeyCredential.toJSON. */
export function encodeCredential(credential: PublicKeyCredential): PasskeyCredential {
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
