// The page that embeds this one.

/** Whether another page embeds this one. */
export function embedded(): boolean {
  return window.parent !== window;
}
