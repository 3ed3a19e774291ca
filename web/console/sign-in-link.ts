// What follows `#` in the addresses by which people come in: invitations, sign-in links, and the way back from the identity
// provider.

/** What each name in such an address is. */
const KINDS = {
  invite: "invitation",
  "sign-in": "link",
  "operator-invite": "operator_invitation",
  "operator-sign-in": "operator_link",
  choose: "choice",
  "sign-in-failed": "failed",
} as const;

export interface SignInLink {
  /** A link's name among what `POST /console/session` takes; a ticket for one of several places; or that it failed. */
  kind: (typeof KINDS)[keyof typeof KINDS];
  token: string;
}

const LINK = new RegExp(`^#(${Object.keys(KINDS).join("|")})=([\\w-]{4,200})$`);
/** Secrets are long; what is shorter is a word that says what failed. */
const MIN_SECRET_CHARS = 20;

export function parseSignInLink(hash: string): SignInLink | undefined {
  const [, name, token = ""] = LINK.exec(hash) ?? [];
  const kind = Object.entries(KINDS).find(([one]) => one === name)?.[1];
  return kind && (kind === "failed" || token.length >= MIN_SECRET_CHARS) ? { kind, token } : undefined;
}

/** A link in the address, which is taken out of it. */
export function takeSignInLink(): SignInLink | undefined {
  const link = parseSignInLink(location.hash);
  if (link) {
    history.replaceState(null, "", location.pathname);
  }
  return link;
}
