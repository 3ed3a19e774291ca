// The ways of signing in: what there is here, and how each begins.

import type { PasskeyCredential, PasskeyOptions } from "../../shared/passkeys";
import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type Methods = ConsolePaths["/console/sign-in-methods"]["get"];
type BeginPasskey = ConsolePaths["/console/sign-in/passkey"]["post"];
type BeginProvider = ConsolePaths["/console/sign-in/oidc"]["post"];
type Choices = ConsolePaths["/console/sign-in/choices"]["post"];
type SecondFactor = ConsolePaths["/console/session/second-factor"]["post"];

/** The ways of signing in that there are here. */
export type SignInMethods = ResponseOf<Methods>;
/** A place that somebody may come in at, after the identity provider. */
export type SignInPlace = ResponseOf<Choices>["places"][number];
export type SecondFactorInput = RequestBodyOf<SecondFactor>;

/** The answer of a passkey, with the challenge that it answers. */
export type PasskeyAnswer = NonNullable<SecondFactorInput["passkey"]>;

/** A challenge, and what the browser needs for it. */
export interface PasskeyPrompt {
  challenge: string;
  options: PasskeyOptions;
}

export function signInMethods(): Promise<SignInMethods> {
  return call<Methods>("GET", "/console/sign-in-methods");
}

/** Has a link sent to an address, where somebody works here with it. */
export async function sendLink(email: string): Promise<void> {
  await call<ConsolePaths["/console/sign-in"]["post"]>("POST", "/console/sign-in", { email });
}

/** Begins to sign in with a passkey, or to present one as a second factor. */
export function beginPasskeySignIn(): Promise<PasskeyPrompt> {
  return call<BeginPasskey>("POST", "/console/sign-in/passkey");
}

/** What the server is sent of a passkey. Its document says of a credential only that it is an object. */
export function passkeyAnswer(challenge: string, credential: PasskeyCredential): PasskeyAnswer {
  return { challenge, credential: credential as PasskeyAnswer["credential"] };
}

/** The address of the identity provider. */
export async function beginProviderSignIn(): Promise<string> {
  return (await call<BeginProvider>("POST", "/console/sign-in/oidc")).location;
}

export async function signInPlaces(ticket: string): Promise<SignInPlace[]> {
  return (await call<Choices>("POST", "/console/sign-in/choices", { ticket })).places;
}

export async function presentSecondFactor(input: SecondFactorInput): Promise<void> {
  await call<SecondFactor>("POST", "/console/session/second-factor", input);
}
