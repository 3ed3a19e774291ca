// Addresses that come from outside: from providers, issuers and businesses.

/** Schemes that nobody is sent to: a browser would run what follows, or show what is the device's or its own. The server
 * refuses the same (crates/domain/src/redirect_url.rs). */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  "about",
  "blob",
  "chrome",
  "content",
  "data",
  "file",
  "filesystem",
  "jar",
  "javascript",
  "resource",
  "vbscript",
  "view-source",
]);

/** An address of a provider's or an issuer's that a person may be sent to: https, or http on loopback, and no user names. */
export function safeUrl(address: string | undefined): URL | undefined {
  const url = linkUrl(address);
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(url?.hostname ?? "");
  return url?.protocol === "https:" || local ? url : undefined;
}

/** An address of a business's page that may be linked to: https or http. */
export function linkUrl(address: string | undefined): URL | undefined {
  const url = exitUrl(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined;
}

/** An address of a business's that a person is sent to in the end: of its page, or of its application, which has a scheme of
 * its own. */
export function exitUrl(address: string | undefined): URL | undefined {
  try {
    const url = new URL(address ?? "");
    const { protocol, username, password } = url;
    const opens = url.href.startsWith(`${protocol}//`) && !REFUSED_SCHEMES.has(protocol.slice(0, -1));
    return opens && !username && !password ? url : undefined;
  } catch {
    return undefined;
  }
}
