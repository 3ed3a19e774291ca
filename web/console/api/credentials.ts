// What somebody signs in with, and where they are signed in.

import type { PasskeyCredential } from "../../shared/passkeys";
import type { ConsolePaths, ResponseOf } from "../../shared/schema";
import { call } from "./client";
import { type PasskeyPrompt, passkeyAnswer } from "./sign-in";

type List = ConsolePaths["/console/credentials"]["get"];
type BeginPasskey = ConsolePaths["/console/passkeys/challenge"]["post"];
type AddPasskey = ConsolePaths["/console/passkeys"]["post"];
type RenamePasskey = ConsolePaths["/console/passkeys/{passkeyId}"]["put"];
type BeginTotp = ConsolePaths["/console/totp"]["post"];
type ConfirmTotp = ConsolePaths["/console/totp/confirmation"]["post"];
type SetPassword = ConsolePaths["/console/password"]["put"];
type Sessions = ConsolePaths["/console/sessions"]["get"];

export type Credentials = ResponseOf<List>;
export type Passkey = Credentials["passkeys"][number];
/** What an authenticator app is set up with; shown once. */
export type TotpSecret = ResponseOf<BeginTotp>;
export type OpenSession = ResponseOf<Sessions>["sessions"][number];

const passkey = (id: string) => `/console/passkeys/${encodeURIComponent(id)}`;

export function listCredentials(): Promise<Credentials> {
  return call<List>("GET", "/console/credentials");
}

export function beginPasskey(): Promise<PasskeyPrompt> {
  return call<BeginPasskey>("POST", "/console/passkeys/challenge");
}

export async function addPasskey(name: string, challenge: string, credential: PasskeyCredential): Promise<void> {
  await call<AddPasskey>("POST", "/console/passkeys", { name, ...passkeyAnswer(challenge, credential) });
}

export async function renamePasskey(id: string, name: string): Promise<void> {
  await call<RenamePasskey>("PUT", passkey(id), { name });
}

export async function removePasskey(id: string): Promise<void> {
  await call("DELETE", passkey(id));
}

export async function setPassword(password: string): Promise<void> {
  await call<SetPassword>("PUT", "/console/password", { password });
}

/** Begins to set codes up; an earlier beginning is forgotten. */
export function beginTotp(): Promise<TotpSecret> {
  return call<BeginTotp>("POST", "/console/totp");
}

export async function confirmTotp(code: string): Promise<void> {
  await call<ConfirmTotp>("POST", "/console/totp/confirmation", { code });
}

export async function removeTotp(): Promise<void> {
  await call("DELETE", "/console/totp");
}

/** Where one is signed in, the session that was used last first. */
export async function listSessions(): Promise<OpenSession[]> {
  return (await call<Sessions>("GET", "/console/sessions")).sessions;
}

export async function endOneSession(id: string): Promise<void> {
  await call("DELETE", `/console/sessions/${encodeURIComponent(id)}`);
}

/** Ends all of one's sessions but this one. */
export async function endOtherSessions(): Promise<void> {
  await call("DELETE", "/console/sessions");
}
