// The page that embeds this one.

/** Whether another page embeds this one. */
export function isEmbedded(): boolean {
  return window.parent !== window;
}

/** Whether that other page is one of this server's. */
export function isEmbeddedInOwnPage(): boolean {
  try {
    return isEmbedded() && window.parent.location.origin === location.origin;
  } catch {
    // A page of somebody else does not say where it is.
    return false;
  }
}
