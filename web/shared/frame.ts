// The page that embeds this one.

/** Whether another page embeds this one. */
export function embedded(): boolean {
  return window.parent !== window;
}

/** Whether that other page is one of this server's. */
export function withinOwnPage(): boolean {
  try {
    return embedded() && window.parent.location.origin === location.origin;
  } catch {
    // A page of somebody else does not say where it is.
    return false;
  }
}
