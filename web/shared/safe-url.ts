// Addresses that come from a business.

/** An address that a person may be sent to: no `javascript:`, no `data:`, no user names. */
export function safeUrl(address: string | undefined): URL | undefined {
  try {
    const url = new URL(address ?? "");
    const local = url.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
    return (url.protocol === "https:" || local) && !url.username && !url.password ? url : undefined;
  } catch {
    return undefined;
  }
}
