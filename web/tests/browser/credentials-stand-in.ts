// A stand-in for what people sign in with: the ways that there are, passkeys, codes, passwords, and where somebody is signed in.

import type { Credentials, OpenSession } from "../../console/api/credentials";
import type { SignInMethods, SignInPlace } from "../../console/api/sign-in";
import { toBase64url } from "../../shared/bytes";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type AddPasskey = Operations["/passkeys"]["post"];
type SecondFactor = Operations["/session/second-factor"]["post"];

/** The only code that counts. */
export const CODE = "246810";
export const PASSWORD = "correct horse battery";
/** A ticket of the identity provider's way back. */
export const TICKET = "ticket-of-the-identity-provider-1";

export function openSession(number: number, more: Partial<OpenSession> = {}): OpenSession {
  return {
    id: `51000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    browser: "Firefox",
    network: "192.0.2.0",
    method: "mail-link",
    second_factor: false,
    current: false,
    created_at: "2026-01-16T14:40:00Z",
    last_used_at: "2026-01-16T15:10:00Z",
    ends_at: "2026-01-23T14:40:00Z",
    ...more,
  };
}

export class CredentialsStandIn {
  methods: SignInMethods = { is_set_up: true, passkeys: false, mail_links: true };
  own: Credentials = { codes: false, identity_provider: false, passkeys: [], password: false };
  sessions: OpenSession[] = [openSession(1, { current: true, browser: "Chromium" })];
  places: SignInPlace[] = [];
  /** Where the identity provider is. */
  provider = "";
  /** Challenges that were given out, each good once. */
  readonly #challenges = new Set<string>();
  #begun = false;

  /** What needs no session. */
  forStrangers(operation: string, body: unknown): Reply | undefined {
    switch (operation) {
      case "GET /console/sign-in-methods":
        return reply<Operations["/sign-in-methods"]["get"]>(200, this.methods);
      case "POST /console/sign-in":
        return [202];
      case "POST /console/sign-in/passkey":
        return reply<Operations["/sign-in/passkey"]["post"]>(200, this.#prompt({ userVerification: "required" }));
      case "POST /console/sign-in/oidc":
        return reply<Operations["/sign-in/oidc"]["post"]>(200, { location: this.provider });
      case "POST /console/sign-in/choices": {
        const { ticket } = body as RequestBodyOf<Operations["/sign-in/choices"]["post"]>;
        return ticket === TICKET
          ? reply<Operations["/sign-in/choices"]["post"]>(200, { places: this.places })
          : refuse(401, "the choice was made already, or took too long; sign in again");
      }
      default:
        return undefined;
    }
  }

  /** Whether a passkey answers a challenge that was given out, which it uses up. */
  takeChallenge(challenge: string): boolean {
    return this.#challenges.delete(challenge);
  }

  /** A second factor: whether it counts. */
  isSecondFactor({ code, passkey }: RequestBodyOf<SecondFactor>): boolean {
    return passkey ? this.takeChallenge(passkey.challenge) : code === CODE;
  }

  /** What needs a session; `isComplete` says whether it lacks no second factor. */
  answer(operation: string, body: unknown, isComplete: boolean): Reply | undefined {
    const [, id = ""] = /\/([\da-f-]{36})$/.exec(operation) ?? [];
    switch (operation.replace(id || "-", "ID").replace("/console", "")) {
      case "GET /credentials":
        return reply<Operations["/credentials"]["get"]>(200, this.own);
      case "POST /passkeys/challenge":
        return reply<Operations["/passkeys/challenge"]["post"]>(200, this.#prompt(creation()));
      case "POST /passkeys": {
        const { name, challenge } = body as RequestBodyOf<AddPasskey>;
        if (!this.takeChallenge(challenge)) {
          return refuse(400, "challenge: it was used already, or is too old");
        }
        const made = { id: crypto.randomUUID(), name, created_at: "2026-01-16T15:00:00Z" };
        this.own.passkeys.push(made);
        return reply<AddPasskey>(201, { id: made.id });
      }
      case "POST /totp":
        this.#begun = true;
        return reply<Operations["/totp"]["post"]>(200, {
          secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
          uri: "otpauth://totp/Assay:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Assay",
        });
      case "POST /totp/confirmation": {
        const { code } = body as RequestBodyOf<Operations["/totp/confirmation"]["post"]>;
        if (!this.#begun || code !== CODE) {
          return refuse(400, "code: it is not the app's; wait for the next one");
        }
        this.own.codes = true;
        return [204];
      }
    }
    if (!isComplete) {
      return refuse(401, "a second factor is needed; present one, or set one up");
    }
    switch (operation.replace(id || "-", "ID").replace("/console", "")) {
      case "PUT /passkeys/ID": {
        const renamed = this.own.passkeys.find((one) => one.id === id);
        if (!renamed) {
          return refuse(404, "there is no such passkey");
        }
        renamed.name = (body as RequestBodyOf<Operations["/passkeys/{passkeyId}"]["put"]>).name;
        return [204];
      }
      case "DELETE /passkeys/ID":
        this.own.passkeys = this.own.passkeys.filter((one) => one.id !== id);
        return [204];
      case "DELETE /totp":
        this.own.codes = false;
        return [204];
      case "PUT /password":
        this.own.password = true;
        this.sessions = this.sessions.filter(({ current }) => current);
        return [204];
      case "GET /sessions":
        return reply<Operations["/sessions"]["get"]>(200, { sessions: this.sessions });
      case "DELETE /sessions":
        this.sessions = this.sessions.filter(({ current }) => current);
        return [204];
      case "DELETE /sessions/ID":
        this.sessions = this.sessions.filter((one) => one.id !== id);
        return [204];
      default:
        return undefined;
    }
  }

  /** The document says of the options only that they are an object. */
  #prompt(options: object) {
    const challenge = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
    this.#challenges.add(challenge);
    return {
      challenge,
      options: { publicKey: { challenge, rpId: "localhost", ...options } } as object as Record<string, never>,
    };
  }
}

/** Options for a passkey of Ada's, as far as browsers need them. */
function creation(): object {
  return {
    rp: { id: "localhost", name: "Assay" },
    user: { id: toBase64url(new Uint8Array(16).fill(7)), name: "ada@example.com", displayName: "Ada" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: [],
  };
}
